"""`stay`: never puts in a chip beside the ante."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy


@policy
def stay(view: Any) -> int:
    """Stay on every turn, fold when attacked.

    The rock of poker lore taken to its end, and a direct reading of R15 and R32: whoever nobody attacks comes to the
    showdown for the price of the ante. It loses exactly what attacking it is worth.
    """
    return act.fold() if view.phase == RESPOND else act.stay()
