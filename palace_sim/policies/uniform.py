"""`random`: every legal verb is equally likely."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.state import ATTACK, BUY, CALL, DISCARD, FOLD, RAISE
from palace_sim.policies.base import policy


@policy
def random(view: Any) -> int:
    """Choose uniformly among the legal verbs, then among the targets or the soldiers to discard.

    A discard throws away one soldier; amounts are the least; the engine keeps the soldiers. The usual yardstick:
    whoever does not beat it has no plan.
    """
    verb = see.pick(view, view.legal)
    if verb == BUY:
        return act.buy()
    if verb == ATTACK:
        return act.attack(see.pick(view, view.targets))
    if verb == DISCARD:
        return act.discard(1 << see.pick(view, view.players[view.seat].soldiers))
    if verb == FOLD:
        return act.fold()
    if verb == CALL:
        return act.call()
    if verb == RAISE:
        return act.raise_()
    return act.stay()
