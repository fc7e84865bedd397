"""What is played: plans of line-ups and deals, and what they are to the kernels."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from palace_sim.kernels import play as kernels
from palace_sim.kernels.state import LINE, MAX_PARAMS, STATE, deck_set, rules_record
from palace_sim.policies.base import Policy
from palace_sim.rules import Rules


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that decides the result of a run.

    Attributes
    ----------
    policies : tuple of Policy
        The different policies, in the order of their names.
    lineups : (L, seats) int64 array
        Line-ups, as indices of `policies`.
    deals, first : int
        How many deals, and the number of the first.
    rotations : int
        Hands of a line-up in a deal: `seats`, its factorial with `all_seatings`, or 1 where seats are as listed.
    times : tuple of int or None
        Weight of each line-up in the figures of its policies; None where all have the same.
    luck : bool
        Sum up what the draws brought beyond their means, too.
    start : bytes or None
        A state to start from, instead of dealing; `known_to` says from whose knowledge hidden cards are drawn (-1 for
        what is public).
    rows, deal_rows : int
        Deals below these give rows of `seats` and `battles`, and rows of `deals`.
    """

    policies: tuple[Policy, ...]
    lineups: np.ndarray
    rules: Rules
    seed: int
    deals: int
    rotations: int
    first: int = 0
    all_seatings: bool = False
    luck: bool = False
    times: tuple[int, ...] | None = None
    start: bytes | None = None
    known_to: int = -1
    illegal_fold: bool = False
    rows: int = 0
    deal_rows: int = 0

    @property
    def seats(self) -> int:
        return int(self.lineups.shape[1])

    @cached_property  # asked for by every block, and there may be thousands of line-ups
    def distinct(self) -> int:
        """Rows of `deals` that a deal gives: the different policies of each line-up, summed up."""
        return sum(len(set(lineup)) for lineup in self.lineups.tolist())

    @property
    def hands_per_deal(self) -> int:
        return len(self.lineups) * self.rotations


def policy_table(plan: Plan) -> tuple[np.ndarray, list[Any]]:
    """Make the engine's table of policies, and their entries."""
    table = np.zeros(len(plan.policies), kernels.POLICY)
    families = dict.fromkeys(policy.family for policy in plan.policies)
    made = {family: family.entry() for family in families}  # which looks through the code: once, not for every policy
    entries = [made[policy.family] for policy in plan.policies]
    for row, policy, entry in zip(table, plan.policies, entries, strict=True):
        row["address"] = entry.address
        row["ask"] = policy.keep == "ask"
        row["salt"] = policy.salt
        policy.write(row["lasting"])
    assert max(len(policy.values) for policy in plan.policies) <= MAX_PARAMS
    return table, entries


def new_job(plan: Plan, first: int, count: int) -> Any:
    """Say to the kernels which deals of a plan to play, and how."""
    job = np.zeros(1, kernels.JOB)[0]
    job.first, job.count, job.seed, job.seats = first, count, plan.seed, plan.seats
    job.rotations, job.from_position, job.known_to = plan.rotations, plan.start is not None, plan.known_to
    job.all_seatings, job.luck = plan.all_seatings, plan.luck
    job.pairs = len(plan.lineups) > 1  # a single line-up has no crosstable
    job.illegal_fold, job.rows_until, job.deals_until = plan.illegal_fold, plan.rows, plan.deal_rows
    return job


def new_work(plan: Plan) -> Any:
    """Make the room that a thread works in, with what every hand of the plan begins from."""
    room = np.zeros(kernels.WORK.itemsize + LINE, np.uint8)
    at = -room.ctypes.data % LINE
    work = room[at : at + kernels.WORK.itemsize].view(kernels.WORK)[0]
    if plan.start is not None:
        work["blank"] = np.frombuffer(plan.start, STATE)[0]
    else:
        work.blank.seats = plan.seats
        work.blank.deck = deck_set(plan.rules)
        work.blank["rules"] = rules_record(plan.rules)
    return work
