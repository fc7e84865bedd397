"""`bluffer`: attacks the last foe with nothing now and then."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy
from palace_sim.policies.common import worth_attacking


@policy(params={"bluff": (0.25, 0.0, 1.0)})
def bluffer(view: Any) -> int:
    """Attack with good hands, and between the last two now and then with any hand; call only with a good one.

    Bluffing as in Sklansky, "The Theory of Poker": bet enough hopeless hands that folding to a bet is a mistake, and
    bluff one foe, not several, since every one of them must fold.

    Parameters
    ----------
    bluff : share, 0 to 1
        How often it attacks the last foe with a hand not worth it. Default 0.25.
    """
    if view.phase == RESPOND:
        return act.call() if see.lead(view, view.foe) >= 1 else act.fold()
    foe = see.weakest(view)
    if foe < 0:
        return act.stay()
    bluffs = see.last_two(view) and see.uniform(view) < view.params[0]
    return act.attack(foe) if bluffs or worth_attacking(view, foe) else act.stay()
