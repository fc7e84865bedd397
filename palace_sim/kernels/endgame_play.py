"""Playing a solved end game from its table (`search.endgame_policy` lays it out).

All numbers are int64. First the head; then a row for each node; then for each palace a row of bounds, one for each slot
of both sides: 53 random bits below a slot's bound, and not below that of the slot before, choose it.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.rng import next_bits
from palace_sim.kernels.state import ATTACK, CALL, FOLD, RAISE, RESPOND

BITS = 53  # of a random number that chooses
# The head: cards of which palaces are; nodes; slots in a row; then banner and soldiers of both seats, the lower first
POOL, NODES, COLUMNS, FACES, HEAD = 0, 1, 2, 3, 7
# A row of a node: who acts, then what is public of it, its first slot, how many, and its verbs, 4 bits each
SEAT, BATTLE, PASSED, ATTACKER, RAISES, POT, FIRST, MANY, VERBS, ROW = range(10)


@inlined
def find_node(view: Any) -> int:
    """Place in the table of the node that a view shows; -1 where it shows none of this end game."""
    foe = lowest_bit(view.playing & ~(1 << view.seat))
    if see.left(view) != 2 or view.deck & ~view.all_seen != see.table_int(view, POOL):
        return -1
    low, high = min(view.seat, foe), max(view.seat, foe)
    for k in range(2):
        player = view.players[low if k == 0 else high]
        if player.banner != see.table_int(view, FACES + 2 * k):
            return -1
        if player.soldiers != see.table_int(view, FACES + 2 * k + 1):
            return -1
    for n in range(see.table_int(view, NODES)):
        at = HEAD + ROW * n
        if (
            see.table_int(view, at + SEAT) == view.seat
            and see.table_int(view, at + BATTLE) == (view.phase == RESPOND)
            and see.table_int(view, at + PASSED) == view.passed
            and see.table_int(view, at + ATTACKER) == view.attacker
            and see.table_int(view, at + RAISES) == view.raises
            and see.table_int(view, at + POT) == view.pot
        ):
            return at
    return -1


@inlined
def place_of(palace: int, pool: int) -> int:
    """Place of a palace among all of its size of a pool, in ascending order of their card sets.

    Sets of one size in ascending order are in colexicographic order: the one whose k-th card, from 0, has c_k cards of
    the pool below it comes after sum C(c_k, k + 1) others.
    """
    place, k = 0, 0
    while palace:
        below = popcount(pool & (palace & -palace) - 1)
        palace &= palace - 1
        place += below if k == 0 else below * (below - 1) // 2 if k == 1 else below * (below - 1) * (below - 2) // 6
        k += 1
    return place


@inlined
def plainly(view: Any) -> int:
    """Act where the table says nothing: call when the chance to win covers the price, else give up or stay."""
    if view.phase == RESPOND:
        price = see.cost(view)
        return act.call() if see.chance(view, view.foe) * (view.pot + price) >= price else act.fold()
    return act.stay()


@kernel
def play_endgame(view: Any) -> int:
    """Choose an action by the table's chances; `plainly` outside of the end game or of the palaces that it holds."""
    at = find_node(view)
    if at < 0:
        return plainly(view)
    columns, first = see.table_int(view, COLUMNS), see.table_int(view, at + FIRST)
    row = HEAD + ROW * see.table_int(view, NODES) + columns * place_of(view.palace, see.table_int(view, POOL)) + first
    many, verbs = see.table_int(view, at + MANY), see.table_int(view, at + VERBS)
    if see.table_int(view, row + many - 1) == 0:
        return plainly(view)
    drawn = next_bits(view.stream, BITS)
    k = 0
    while k < many - 1 and drawn >= see.table_int(view, row + k):
        k += 1
    verb = verbs >> 4 * k & 15
    if verb == FOLD:
        return act.fold()
    if verb == CALL:
        return act.call()
    if verb == RAISE:
        return act.raise_()
    return act.attack(lowest_bit(view.playing & ~(1 << view.seat))) if verb == ATTACK else act.stay()
