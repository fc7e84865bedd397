"""`buyer`: raises an army while the pot pays for it, then attacks."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy
from palace_sim.policies.common import worth_attacking, worth_calling


@policy(params={"army": (5.0, 0.0, 5.0), "share": (0.25, 0.0, 1.0)})
def buyer(view: Any) -> int:
    """Buy soldiers as soon as the pot is large, attack once strong, else stay; call with a hand above what is shown.

    A direct reading of R12: a soldier costs the same whether the pot is small or large, and buying also keeps the hand
    from ending (R32). Between two players at the default stakes it never buys: the antes are worth one soldier.

    Parameters
    ----------
    army : soldiers, 0 to 5
        Buys while it has fewer than this, or than `max_soldiers` allows. Default 5.
    share : share of the pot, 0 to 1
        Largest part of the pot that a soldier may cost (chips of a small bet by chips of the pot). Default 0.25.
    """
    army, share = view.params[0], view.params[1]
    if view.phase == RESPOND:
        return act.call() if worth_calling(view, view.foe) else act.fold()
    foe = see.weakest(view)
    if foe >= 0 and worth_attacking(view, foe):
        return act.attack(foe)
    room = see.army(view, view.seat) < min(army, view.rules.max_soldiers)
    if room and see.can_buy(view) and view.rules.small_bet <= share * view.pot:
        return act.buy()
    return act.stay()
