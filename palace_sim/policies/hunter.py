"""`hunter`: picks the foe whose cards its banner blocks."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import RESPOND
from palace_sim.policies.base import policy
from palace_sim.policies.common import worth_attacking, worth_calling


@policy(params={"bite": (1.0, 1.0, 5.0)})
def hunter(view: Any) -> int:
    """Attack the foe that loses most face-up cards to the own banner; stay where nobody is worth it.

    A direct reading of R24: cards of the suit of one's banner are dead weight in the foe's army, which still pays for
    them (R18). Against such prey a hand one category above what counts of its army is enough, else it takes what every
    attack takes. Attacked, it calls with a hand above what the foe shows and raises with one two categories above.

    Parameters
    ----------
    bite : cards, 1 to 5
        Face-up cards of a foe that the own banner must block to make it prey. Default 1.
    """
    bite = view.params[0]
    if view.phase == RESPOND:
        if not worth_calling(view, view.foe):
            return act.fold()
        strong = see.can_raise(view) and see.lead(view, view.foe) >= 2
        return act.raise_() if strong else act.call()
    prey, most = -1, -1
    for step in range(1, view.seats):
        foe = (view.seat + step) % view.seats
        if view.targets >> foe & 1:
            lost = see.count(see.blocked(view, foe))
            good = worth_attacking(view, foe) or lost >= bite and see.lead(view, foe) >= 1
            if good and lost > most:
                prey, most = foe, lost
    return act.attack(prey) if prey >= 0 else act.stay()
