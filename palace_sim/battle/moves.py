"""The moves of a decision, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from palace_sim.cards import format_cards, set_cards
from palace_sim.kernels import act
from palace_sim.kernels.moves import MOST_MOVES, list_moves
from palace_sim.kernels.state import ATTACK, DISCARD, KEEP_CARDS, RAISE, VERBS


def candidates(view: Any, raises: Iterable[float]) -> np.ndarray:
    """Action codes of the moves that are worth comparing.

    Every legal verb is there, and an attack on every target. In no limit bets and raises are the least, those of a grid
    and all that may be (`raises`: on top of the price, so many times the pot with the price in it). For each number of
    soldiers that may be kept, or remain after a discard: those that rank highest with banner and palace (R33, the
    engine's order), those with most cards of the own suit, and those whose usable cards compare highest against each
    rival's banner (R24, R25).

    Parameters
    ----------
    view : VIEW record
        What the player to act sees.
    raises : iterable of float
        Sizes, in pots.

    Returns
    -------
    (m,) int64 array
    """
    codes = np.zeros(MOST_MOVES, np.int64)
    many = int(list_moves(view, np.array(list(raises), np.float64), True, codes))
    return codes[:many].copy()


def move_text(code: int, view: Any) -> str:
    """Say what a move is, as "attack 2", "raise 40" or "keep Kd 9c".

    Examples
    --------
    >>> import palace_sim as ps
    >>> move_text(ps.act.attack(2), ps.Hand.deal().view(0))
    'attack 2'
    """
    verb = int(act.verb_of(code))
    name = VERBS[verb]
    if verb == ATTACK:
        bet = f" for {int(act.amount_of(code)) or int(view.price)}" if view.rules.no_limit else ""
        return f"{name} {int(act.target_of(code))}{bet}"
    if verb == RAISE:
        return f"{name} {int(act.amount_of(code)) or int(view.min_raise)}"
    if verb in (DISCARD, KEEP_CARDS):
        return f"{name} {format_cards(set_cards(int(act.cards_of(code)))) or 'nothing'}"
    return name
