"""`rollout`: plays every move out many times and makes the best."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.jit import address_of
from palace_sim.kernels.rollout import best_move, new_room
from palace_sim.policies import patriot
from palace_sim.policies.base import policy

_playout = patriot.patriot.function
_values = patriot.patriot.values


@policy(params={"rollouts": (100.0, 1.0, 100_000.0)}, keep="ask")
def rollout(view: Any) -> int:
    """Play every move on to the end of the hand, with hidden cards drawn as likely as they are, and make the best.

    Everybody is played by `patriot`, itself included, and all moves meet the same cards and choices. Moves: stay, buy,
    fold, the least attack on each target, the least raise, call, discarding the soldier least missed, and for each
    number of soldiers to keep those that rank highest or have most of the own suit. One step of policy improvement, as
    in Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search", NIPS 9, 1996: against players like
    those that it plays on with, it gains on them but for the error of its means. Slow: it plays `rollouts` hands for
    every move of every decision.

    Parameters
    ----------
    rollouts : hands a move, 1 to 100000
        Samples of the hidden cards that each move is played on with. Default 100.
    """
    return best_move(new_room(), view, address_of(_playout, view), _values, int(view.params[0]))
