"""`pot_odds`: pays when the pot lays enough."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy


@policy(params={"margin": (1.0, 0.5, 3.0)})
def pot_odds(view: Any) -> int:
    """Call when the chance to win, times what a win is worth, covers the price; attack the weakest foe likewise.

    Pot odds as in Sklansky, "The Theory of Poker", with one thing of this game: winning a battle wins no chips (R19),
    only a place among those left, so a win counts as an equal share of the pot. The chance is sampled, about foes who
    always call. An attack must also beat staying, which is worth an equal share of the pot as it is. It never buys or
    raises.

    Parameters
    ----------
    margin : chips by chips, 0.5 to 3
        Chips that it wants to expect back for each chip it pays: 1 breaks even, less is loose, more is tight.
        Default 1.
    """
    margin = view.params[0]
    rivals = see.left(view) - 1  # players left after a battle
    if view.phase == RESPOND:
        price = see.cost(view)
        won = see.chance(view, view.foe) * (view.pot + price) / rivals
        return act.call() if won >= margin * price else act.fold()
    foe = see.weakest(view)
    if foe < 0:
        return act.stay()
    pot = view.pot + view.price + (see.army(view, foe) + 1) * view.rules.small_bet  # both sides pay R18
    won = see.chance(view, foe) * pot / rivals
    return act.attack(foe) if won - margin * view.price > view.pot / (rivals + 1) else act.stay()
