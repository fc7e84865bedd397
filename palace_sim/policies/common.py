"""Judgement that several families share: whom to fight, told from what lies on the table, without sampling."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import see


def worth_attacking(view: Any, foe: int) -> bool:
    """Whether the own hand is good enough to start a battle: one category above what the foe shows, or two.

    A battle between the last two wins the pot, so there a pair against nothing is enough. While others are in, its
    winner has only one rival less (R19), paid for by the two who fought: wait for a hand that hardly loses.
    """
    return see.lead(view, foe) >= (1 if see.last_two(view) else 2)


def worth_calling(view: Any, foe: int) -> bool:
    """Whether the own hand is good enough to call: a category above what the foe shows.

    Between the last two a fold gives up the whole pot, so there any hand will do that beats what the foe shows.
    """
    if see.last_two(view):
        return see.strength(view, foe) > see.visible(view, foe)
    return see.lead(view, foe) >= 1
