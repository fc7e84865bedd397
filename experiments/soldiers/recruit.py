"""A policy that buys a given number of soldiers before it attacks."""

from __future__ import annotations

from typing import Any

import palace_sim as ps


@ps.policy(params={"soldiers": (0.0, 0.0, 40.0), "attack": (0.7, 0.0, 1.0), "margin": (1.0, 0.5, 3.0)})
def recruit(view: Any) -> int:
    """Buy so many soldiers, then attack the weakest foe with a good chance, else stay; call by pot odds.

    Parameters
    ----------
    soldiers : soldiers, 0 to 40
        Soldiers that it buys first (R12); those above `max_soldiers` take the place of others, the best are kept.
    attack : chance, 0 to 1
        Chance to win above which it attacks; 1 never does.
    margin : chips by chips, 0.5 to 3
        Chips that it wants to expect back for each chip of a call, as in `pot_odds`.
    """
    soldiers, attack, margin = view.params[0], view.params[1], view.params[2]
    if view.phase == ps.RESPOND:
        price = ps.see.cost(view)
        won = ps.see.chance(view, view.foe) * (view.pot + price) / (ps.see.left(view) - 1)
        return ps.act.call() if won >= margin * price else ps.act.fold()
    if view.players[view.seat].buys < soldiers and ps.see.can_buy(view):
        return ps.act.buy()
    foe = ps.see.weakest(view)
    if foe >= 0 and attack < 1.0 and ps.see.chance(view, foe) > attack:
        return ps.act.attack(foe)
    return ps.act.stay()
