"""`maniac`: attacks whenever it can."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy


@policy
def maniac(view: Any) -> int:
    """Attack a random foe on every turn, raise every bet, call where no raise is open; never look at a card.

    The loose-aggressive extreme of poker literature (Sklansky, "The Theory of Poker"): it lives on folds and dies of
    calls. Where nobody may be attacked it stays.
    """
    if view.phase == RESPOND:
        return act.raise_() if see.can_raise(view) else act.call()
    return act.attack(see.pick(view, view.targets)) if see.can_attack(view) else act.stay()
