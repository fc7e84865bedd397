"""`calling_station`: calls everything, starts nothing."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy


@policy
def calling_station(view: Any) -> int:
    """Stay on every turn, call every attack and every raise, whatever the cards.

    The loose-passive player of poker literature (Sklansky, "The Theory of Poker"): no bluff works against it, every
    good hand is paid, and it never bets a good hand of its own.
    """
    return act.call() if view.phase == RESPOND else act.stay()
