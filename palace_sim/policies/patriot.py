"""`patriot`: keeps soldiers of its own banner's suit only."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import KEEP, RESPOND
from palace_sim.policies.base import policy
from palace_sim.policies.common import worth_attacking, worth_calling


@policy(params={"buys": (20.0, 0.0, 40.0), "share": (0.25, 0.0, 1.0)}, keep="ask")
def patriot(view: Any) -> int:
    """Buy while the pot is large, keep only soldiers of the own banner's suit, attack once strong, else stay.

    A direct reading of R17, R18 and R24: whoever could block a card of one's banner's suit may not fight one, so such
    a soldier always counts, helps to a flush and decides ties (R25), while any other may be dead weight that every
    bet pays for. The model of a policy that chooses its soldiers itself.

    Parameters
    ----------
    buys : soldiers, 0 to 40
        Most soldiers that it buys in a hand. Default 20.
    share : share of the pot, 0 to 1
        Largest part of the pot that a soldier may cost (chips of a small bet by chips of the pot). Default 0.25.
    """
    buys, share = view.params[0], view.params[1]
    me = view.players[view.seat]
    if view.phase == KEEP:
        kept = me.soldiers & see.own_suit(view)
        return act.keep(kept if see.count(kept) <= view.rules.max_soldiers else see.best_keep(view))
    if view.phase == RESPOND:
        return act.call() if worth_calling(view, view.foe) else act.fold()
    foe = see.weakest(view)
    if foe >= 0 and worth_attacking(view, foe):
        return act.attack(foe)
    room = see.army(view, view.seat) < view.rules.max_soldiers and me.buys < buys
    if room and see.can_buy(view) and view.rules.small_bet <= share * view.pot:
        return act.buy()
    return act.stay()
