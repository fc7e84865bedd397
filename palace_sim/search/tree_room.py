"""What a walk through the tree of a game works in."""

from __future__ import annotations

from typing import Any

import numpy as np

from palace_sim.kernels.state import LINE, MEMO, STATE, deck_set, rules_record
from palace_sim.kernels.tree import Room
from palace_sim.kernels.view import VIEW
from palace_sim.rules import Rules


def depth_of(rules: Rules) -> int:
    """Most nodes on a path of a game of two.

    A buy or an attack ends a run of passes, two passes in a row end the hand (R32), and so does an attack of the last
    two (R30): each buy has at most one pass before it, and a turn takes at most three nodes, a battle one a raise.

    Examples
    --------
    >>> depth_of(Rules(max_buys=1, max_raises=0))
    24
    """
    buys = 2 * (rules.max_buys if rules.max_buys is not None else rules.max_turns)
    turns = min(rules.max_turns, 2 * buys + 2)
    return 3 * turns + rules.max_raises + 6


def new_room(depth: int) -> Room:
    """Make the room for a walk."""
    store = np.zeros((depth + 1) * STATE.itemsize + LINE, np.uint8)
    at = -store.ctypes.data % LINE
    states = store[at : at + depth * STATE.itemsize].view(STATE)
    views = np.zeros(2, VIEW)
    zeros = np.zeros
    words = views.view(np.int64).reshape(2, -1)
    return Room(
        states,
        zeros((depth, 2), np.int64),
        zeros(depth, np.int64),
        zeros(depth, np.int64),
        zeros((depth, MEMO), np.int64),
        views,
        words,
    )


def new_blank(rules: Rules) -> Any:
    """Make the state that every deal begins from."""
    blank = np.zeros(1, STATE)[0]
    blank.seats, blank.deck = 2, deck_set(rules)
    blank["rules"] = rules_record(rules)
    return blank
