"""What is known exactly in a battle: chances, pot odds, and the value of a call between the last two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from palace_sim.battle.ranges import Range
from palace_sim.kernels import act, see
from palace_sim.kernels.deal import FULL, left_of
from palace_sim.kernels.odds import list_worths
from palace_sim.kernels.settle import usable, worth
from palace_sim.kernels.state import ATTACK, CALL, FOLD, RAISE, RESPOND


def battle_chances(view: Any, foe: int, ranges: Mapping[int, Range] | None = None) -> tuple[float, float]:
    """Exact chances to win and to tie a battle against a foe (R24, R25), with the cards as they are.

    Parameters
    ----------
    view : VIEW record
        What the own seat sees.
    foe : int
        Seat of the foe, still in the hand.
    ranges : dict of int to Range, optional
        What the foe's palace may be, if there is an entry for it; else any cards that the own seat has not seen.
    """
    known = (ranges or {}).get(foe)
    if known is None:
        known = Range.uniform(int(view.rules.palace_cards)).within(int(view.deck) & ~int(view.seen))
    banner, foe_banner, how = view.players[view.seat].banner, view.players[foe].banner, view.rules.blocked
    mine = worth(see.usable(view, foe), banner)
    shown = usable(see.face_up(view, foe), banner, how)
    theirs = np.empty(len(known), np.int64)
    list_worths(known.cards, shown, foe_banner, FULL & ~usable(FULL, banner, how), theirs)
    total = known.weights.sum()
    return float(known.weights[mine > theirs].sum() / total), float(known.weights[mine == theirs].sum() / total)


def call_stakes(view: Any) -> tuple[int, int]:
    """Chips that a call costs, and the pot that it is for: what nobody matches has gone back to the raiser (R36)."""
    cost = int(see.cost(view))
    returned = max(int(view.last_raise) - max(cost - int(view.army_price), 0), 0)
    return cost, int(view.pot) + cost - returned


def call_value(view: Any, win: float, tie: float) -> tuple[float, float]:
    """Mean net chips of a call between the last two, and the equity at which it is 0 (R26, R30, R35, R36)."""
    cost, pot = call_stakes(view)
    first = left_of(view.dealer, view.seats)
    while not view.playing >> first & 1:
        first = left_of(first, view.seats)
    share = pot // 2 + (pot % 2 if first == view.seat else 0)
    return win * pot + tie * share - cost, cost / pot


def battle_columns(view: Any, codes: np.ndarray, ranges: Mapping[int, Range]) -> dict[str, np.ndarray]:
    """Columns of a decision's table that are exact; NaN where they say nothing."""
    names = ("win_chance", "tie_chance", "pot_odds", "break_even", "closed_form")
    columns = {name: np.full(len(codes), np.nan) for name in names}
    chances: dict[int, tuple[float, float]] = {}
    for i, code in enumerate(codes.tolist()):
        verb = int(act.verb_of(code))
        foe = int(act.target_of(code)) if verb == ATTACK else int(view.foe)
        if verb in (ATTACK, CALL, RAISE):
            if foe not in chances:
                chances[foe] = battle_chances(view, foe, ranges)
            columns["win_chance"][i], columns["tie_chance"][i] = chances[foe]
        if verb == CALL:
            cost, pot = call_stakes(view)
            columns["pot_odds"][i] = cost / pot if cost else 0.0
        if view.phase == RESPOND and see.last_two(view):
            if verb == CALL:
                columns["closed_form"][i], columns["break_even"][i] = call_value(view, *chances[foe])
            elif verb == FOLD:
                columns["closed_form"][i] = 0.0
    return columns
