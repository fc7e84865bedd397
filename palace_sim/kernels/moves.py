"""The moves that are worth comparing in a decision: all legal ones, soldiers and amounts thinned out."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act
from palace_sim.kernels.deal import card_bit
from palace_sim.kernels.jit import inlined, kernel, popcount
from palace_sim.kernels.keeping import has_higher_ids
from palace_sim.kernels.settle import usable, worth
from palace_sim.kernels.state import ATTACK, BLOCK_NONE, BUY, CALL, DISCARD, FOLD, KEEP, RAISE, STAY

MOST_MOVES = 256


@kernel
def best_subset(
    soldiers: int, fixed: int, banner: int, foe_banner: int, blocked: int, size: int, own_first: bool
) -> int:
    """So many soldiers whose usable cards with the `fixed` ones compare highest (R24, R25); ties: higher ids.

    With `own_first` the number of cards of the own suit counts before the rank. With nothing blocked this is the
    engine's own order (`keeping.best_soldiers`).
    """
    best, best_key = 0, -1
    chosen = soldiers
    while True:  # every subset once, down to the empty one
        if popcount(chosen) == size:
            key = worth(usable(chosen | fixed, foe_banner, blocked), banner)
            if own_first:
                key = (key & 15) << 14 | key >> 4  # ranks are below 2^14
            if key > best_key or key == best_key and has_higher_ids(chosen, best):
                best, best_key = chosen, key
        if chosen == 0:
            return best
        chosen = (chosen - 1) & soldiers


@kernel
def add_move(codes: Any, n: int, code: int) -> int:
    """Add a move to the list, unless it is there or the list is full; return how many there are."""
    for i in range(n):
        if codes[i] == code:
            return n
    if n == len(codes):
        return n
    codes[n] = code
    return n + 1


@kernel
def list_keeps(view: Any, codes: Any, n: int, discard: bool, full: bool) -> int:
    """Add the ways to keep soldiers (or to discard the others, `discard`); return how many moves there are.

    For each number of soldiers kept: those that rank highest (R33), those with most cards of the own suit, and with
    `full` those that compare highest against each rival. A discard that is not `full` throws away one soldier.
    """
    me = view.players[view.seat]
    soldiers, banner = me.soldiers, me.banner
    fixed = view.palace | card_bit(banner)
    many = popcount(soldiers)
    most = many - 1 if discard else min(many, view.rules.max_soldiers)
    least = most if discard and not full else 0
    for size in range(most, least - 1, -1):
        for way in range(-2, view.seats if full else 0):
            foe_banner, blocked = banner, BLOCK_NONE
            if way >= 0:
                if not (me.rivals & view.playing) >> way & 1:
                    continue
                foe_banner, blocked = view.players[way].banner, view.rules.blocked
            kept = best_subset(soldiers, fixed, banner, foe_banner, blocked, size, way == -1)
            n = add_move(codes, n, act.discard(soldiers & ~kept) if discard else act.keep(kept))
    return n


@inlined
def between(amount: float, low: int, high: int) -> int:
    """Nearest whole number of chips within bounds."""
    return low if amount <= low else (high if amount >= high else int(amount + 0.5))


@kernel
def list_amounts(view: Any, codes: Any, n: int, target: int, grid: Any, full: bool) -> int:
    """Add an attack on a target, or a raise for target -1: the least and, where the amount is free, a grid.

    The grid: so many times the pot, counted with the price in it, on top of the price; and all that may be.
    """
    pot = view.pot + view.price
    if target >= 0:
        base, low, high = view.price, view.price, view.players[view.seat].chips
        n = add_move(codes, n, act.attack(target, 0))
    else:
        base, low, high = 0, view.min_raise, view.max_raise
        n = add_move(codes, n, act.raise_(0))
    if full and view.rules.no_limit:
        for i in range(len(grid) + 1):
            amount = high if i == len(grid) else between(base + grid[i] * pot, low, high)
            if amount > low:
                n = add_move(codes, n, act.attack(target, amount) if target >= 0 else act.raise_(amount))
    return n


@kernel
def list_moves(view: Any, grid: Any, full: bool, codes: Any) -> int:
    """Write the moves open to the seat that a view belongs to; return how many.

    Parameters
    ----------
    view : VIEW record
        What the player to act sees.
    grid : (k,) float64
        Sizes of bets and raises, in pots; read with `full` in no limit.
    full : bool
        All moves that are worth comparing; else few of each kind.
    codes : (m,) int64
        Where they go, as action codes.
    """
    legal, n = view.legal, 0
    if view.phase == KEEP:
        return list_keeps(view, codes, 0, False, full)
    if legal >> CALL & 1:
        n = add_move(codes, n, act.call())
    if legal >> RAISE & 1:
        n = list_amounts(view, codes, n, -1, grid, full)
    if legal >> STAY & 1:
        n = add_move(codes, n, act.stay())
    if legal >> BUY & 1:
        n = add_move(codes, n, act.buy())
    if legal >> ATTACK & 1:
        for seat in range(view.seats):
            if view.targets >> seat & 1:
                n = list_amounts(view, codes, n, seat, grid, full)
    if legal >> DISCARD & 1:
        n = list_keeps(view, codes, n, True, full)
    if legal >> FOLD & 1:
        n = add_move(codes, n, act.fold())
    return n
