"""`tight`: few hands, played hard."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy
from palace_sim.policies.common import worth_attacking, worth_calling


@policy(params={"aggression": (0.8, 0.0, 1.0)})
def tight(view: Any) -> int:
    """Fight only with a hand above what the foe shows; bet and raise the best ones; stay and fold with the rest.

    The tight-aggressive player of poker literature (Sklansky, "The Theory of Poker"). It looks at the foe with the
    weakest visible cards, judges hands by their category (R2) after what the banners block (R24), and never buys.

    Parameters
    ----------
    aggression : share, 0 to 1
        How often a hand good enough to attack or raise with is: 0 only ever stays and calls (tight-passive), 1 never
        misses a bet. Default 0.8, so that a stay does not betray a weak hand.
    """
    aggression = view.params[0]
    if view.phase == RESPOND:
        if not worth_calling(view, view.foe):
            return act.fold()
        if see.can_raise(view) and see.lead(view, view.foe) >= 2 and see.uniform(view) < aggression:
            return act.raise_()
        return act.call()
    foe = see.weakest(view)
    if foe >= 0 and worth_attacking(view, foe) and see.uniform(view) < aggression:
        return act.attack(foe)
    return act.stay()
