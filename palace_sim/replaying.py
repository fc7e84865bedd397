"""Playing one hand of a plan again on `Hand`, move by move."""

from __future__ import annotations

from typing import Any

import numpy as np

from palace_sim.hand import Hand
from palace_sim.kernels import play as kernels
from palace_sim.kernels.engine import OK, fault
from palace_sim.kernels.jit import call_policy, kernel
from palace_sim.kernels.keeping import instead
from palace_sim.kernels.state import KEEP
from palace_sim.kernels.view import fill_view
from palace_sim.plans import Plan, new_job, new_work, policy_table


@kernel
def ask(address: int, view: Any) -> int:
    """Ask the policy at an address for its action on a view."""
    return call_policy(address, view)


def prepare(plan: Plan, deal: int, rotation: int, lineup: int) -> tuple[Any, np.ndarray]:
    """Set up the room of a run as it is before the first decision of a hand; return it and the policies' table."""
    table, _ = policy_table(plan)
    work = new_work(plan)
    job = new_job(plan, deal, 1)
    work.deal = deal
    kernels.prepare_deal(work, job, deal)
    kernels.prepare_hand(work, table, job, plan.lineups[lineup], rotation)
    return work, table


def replay_plan(plan: Plan, deal: int, rotation: int, lineup: int) -> Hand:
    """Return a hand of a plan, played to its end."""
    work, table = prepare(plan, deal, rotation, lineup)
    hand = Hand.from_state(plan.rules, work.state, from_here=plan.start is not None)
    while hand.phase != "over":
        seat = hand.to_act
        assert seat is not None
        entry, state = table[work.policy[seat]], hand.record
        if state.phase == KEEP and not entry["ask"]:
            code = int(instead(state, seat))
        else:
            view = work.views[seat]
            fill_view(view, state, seat)
            code = int(ask(entry["address"], view))
            if fault(state, code) != OK and plan.illegal_fold:
                code = int(instead(state, seat))
        hand.act(code)
    return hand
