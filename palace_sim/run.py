"""Running a plan: blocks of deals on any executor, merged so that the result does not depend on how.

A plan says all that decides the result. Blocks of about a quarter of a second are played by threads (the kernels
release the GIL) or by whatever executor is given; all sums are integers, and rows are put into deal order.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from palace_sim.cards import format_cards, set_cards
from palace_sim.kernels import act
from palace_sim.kernels import play as kernels
from palace_sim.kernels.engine import FAULTS, NO_ACTION, OK
from palace_sim.kernels.rows import Rows
from palace_sim.kernels.state import (
    ATTACK,
    DISCARD,
    KEEP_CARDS,
    LINE,
    MAX_PARAMS,
    RAISE,
    STATE,
    VERBS,
    deck_set,
    rules_record,
)
from palace_sim.policies.base import Policy
from palace_sim.policies.entry import raised_at
from palace_sim.policies.errors import PolicyError
from palace_sim.rowstore import RowStore, room_for, written_rows
from palace_sim.rules import Rules
from palace_sim.workers import Bar, Pool, Sizer, cores


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that decides the result of a run.

    Attributes
    ----------
    policies : tuple of Policy
        The different policies, in the order of their names.
    lineups : (L, seats) int64 array
        Line-ups, as indices of `policies`.
    rotations : int
        Hands of a line-up in a deal: `seats`, or 1 where seats are as listed.
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


class RowKeeper(Protocol):
    """Where a run puts the rows of its blocks."""

    shared: Rows | None

    def add(self, first: int, rows: Rows) -> None:
        """Keep the rows of the block that begins with deal `first`."""


@dataclasses.dataclass
class Totals:
    """Exact sums of a run, and its rows."""

    policy: np.ndarray  # (P, 5) int64: hands, net, won, pots, illegal actions
    products: np.ndarray  # (P, P) object (int): sums over deals of net_p * net_q
    pair_net: np.ndarray  # (P, P) int64: sums of net_p - net_q where both sit
    pair_squares: np.ndarray  # (P, P) object (int): sums over deals of the squares of that
    batch_deals: np.ndarray  # (1000,) int64
    batch_net: np.ndarray  # (1000, P) int64
    deals: int = 0
    rows: RowKeeper = dataclasses.field(default_factory=RowStore)

    @classmethod
    def empty(cls, policies: int) -> Totals:
        nothing = np.zeros((policies, policies), dtype=object)
        return cls(
            np.zeros((policies, 5), np.int64),
            nothing,
            np.zeros((policies, policies), np.int64),
            nothing.copy(),
            np.zeros(kernels.BATCHES, np.int64),
            np.zeros((kernels.BATCHES, policies), np.int64),
        )

    def add(self, block: Block) -> None:
        """Add the sums of a block; the order of blocks does not matter."""
        sums = block.sums
        self.policy += sums.policy
        self.products += _join(sums.products)
        self.pair_net += sums.pairs[:, :, 0]
        self.pair_squares += _join(sums.pairs[:, :, 1:])
        self.batch_deals += sums.batch_deals
        self.batch_net += sums.batch_net
        self.deals += block.count
        self.rows.add(block.first, block.rows)


def _join(parts: np.ndarray) -> np.ndarray:
    """Join high and low parts (..., 2) to whole Python integers."""
    return parts[..., 0].astype(object) * kernels.GREATEST + parts[..., 1].astype(object)


@dataclasses.dataclass
class Stopped:
    """Why a block stopped: what the policy at a seat did in a hand."""

    deal: int
    lineup: int
    rotation: int
    seat: int
    policy: str
    code: int
    fault: int
    cause: BaseException | None
    line: str = ""

    def error(self) -> BaseException:
        """Return what to raise."""
        where = f"deal {self.deal}, lineup {self.lineup}, rotation {self.rotation}, seat {self.seat}"
        if self.fault == kernels.TOO_MANY_CHIPS:
            return ValueError(f"rules: chips won in deal {self.deal} are over 2^31: play for smaller bets or stacks")
        if self.cause is not None:
            why = f"failed: {type(self.cause).__name__}: {self.cause}{self.line}"
        elif self.fault == NO_ACTION:
            why = f"returned {self.code}, which is no action code: return ps.act.stay() or another of ps.act"
        else:
            why = f"returned an illegal action: {describe(self.code)} {FAULTS[self.fault]}"
        return PolicyError(f"policy {self.policy} {why} ({where})")


def describe(code: int) -> str:
    """Say in words what an action code is."""
    verb = int(act.verb_of(code))
    if code == act.MALFORMED:
        return "an action that"
    if verb not in VERBS:
        return f"{code}"
    if verb == ATTACK:
        return f"attack({act.target_of(code)}, {act.amount_of(code)})"
    if verb == RAISE:
        return f"raise_({act.amount_of(code)})"
    if verb in (DISCARD, KEEP_CARDS):
        return f"{VERBS[verb]}({format_cards(set_cards(int(act.cards_of(code))))!r})"
    return f"{VERBS[verb]}()"


@dataclasses.dataclass
class Block:
    """What playing some deals in a row gave."""

    first: int
    count: int
    seconds: float
    sums: kernels.Sums
    rows: Rows
    stopped: Stopped | None = None


def policy_table(plan: Plan) -> tuple[np.ndarray, list[Any]]:
    """Make the engine's table of policies, and their entries."""
    table = np.zeros(len(plan.policies), kernels.POLICY)
    entries = [policy.family.entry() for policy in plan.policies]
    for row, policy, entry in zip(table, plan.policies, entries, strict=True):
        row["address"] = entry.address
        row["ask"] = policy.keep == "ask"
        row["salt"] = policy.salt
        row["lasting"]["params"][: len(policy.values)] = policy.values
    assert max(len(policy.values) for policy in plan.policies) <= MAX_PARAMS
    return table, entries


def new_job(plan: Plan, first: int, count: int) -> Any:
    """Say to the kernels which deals of a plan to play, and how."""
    job = np.zeros(1, kernels.JOB)[0]
    job.first, job.count, job.seed, job.seats = first, count, plan.seed, plan.seats
    job.rotations, job.from_position, job.known_to = plan.rotations, plan.start is not None, plan.known_to
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


@dataclasses.dataclass(frozen=True)
class Shared:
    """What the blocks of one run share within a process.

    Attributes
    ----------
    table, entries : see `policy_table`
    rows : Rows or None
        Where rows of seats and deals go, whose places are known beforehand; None where blocks bring theirs along.
    stop : (1,) int64
        Set to 1 to stop every block after the deal that it is playing.
    """

    table: np.ndarray
    entries: list[Any]
    rows: Rows | None
    stop: np.ndarray


def play_block(plan: Plan, first: int, count: int, shared: Shared | None = None) -> Block:
    """Play `count` deals of a plan from deal `first` on; runs in any thread, process or machine."""
    began = time.perf_counter()
    if shared is None:
        shared = Shared(*policy_table(plan), None, np.zeros(1, np.int64))
    work = new_work(plan)
    rows, (work.seat_rows, work.deal_rows) = room_for(plan, first, count, shared.rows)
    job = new_job(plan, first, count)
    p = len(plan.policies)
    shapes = ((p, 5), (p, p, 2), (p, p, 3), (kernels.BATCHES,), (kernels.BATCHES, p), (p,), (p, p))
    sums = kernels.Sums(*(np.zeros(shape, np.int64) for shape in shapes))
    fault = kernels.play_block(job, shared.table, plan.lineups, work, sums, rows, shared.stop)
    written = written_rows(rows, work, shared.rows is not None)
    block = Block(first, int(job.count), time.perf_counter() - began, sums, written)
    if fault != OK:
        seat = int(work.seat)
        index = int(work.policy[seat])
        cause = shared.entries[index].error(work.views[seat].copy()) if work.code == 0 else None
        block.stopped = Stopped(
            int(work.deal),
            int(work.lineup),
            int(work.rotation),
            seat,
            plan.policies[index].name,
            int(work.code),
            int(fault),
            cause,
            raised_at(cause, plan.policies[index].function),
        )
    return block


def execute(
    plan: Plan,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keeper: RowKeeper | None = None,
) -> Totals:
    """Play all deals of a plan.

    Parameters
    ----------
    plan : Plan
        What to play.
    workers : int, optional
        Threads, or tasks at a time on `executor`; None for the cores that the process may use.
    executor : concurrent.futures.Executor, optional
        Where blocks run; None for threads of this process.
    progress : bool, optional
        Show a bar; None for one where standard error is a terminal and the run takes more than two seconds.
    keeper : RowKeeper, optional
        Where rows go; None keeps them in memory.

    Raises
    ------
    PolicyError
        A policy failed or returned an illegal action; the first one in the order of deals.
    """
    totals = Totals.empty(len(plan.policies))
    totals.rows = keeper or (RowStore() if executor else RowStore.of(plan))
    shared = Shared(*policy_table(plan), totals.rows.shared, np.zeros(1, np.int64))
    play_block(plan, 0, 0, shared)  # compile here, once, before workers start
    many = workers or cores()
    with Pool(executor, many) as pool, Bar(plan.deals, progress) as bar:
        try:
            for block in _completed(plan, pool, many, () if executor else (shared,)):
                totals.add(block)
                bar.update(block.count)
        except BaseException:
            shared.stop[0] = 1
            raise
    return totals


def _completed(plan: Plan, pool: Executor, many: int, shared: tuple[Any, ...]) -> Iterator[Block]:
    """Yield blocks as they are done; raise the error of the earliest deal that has one."""
    sizer, first = Sizer(plan), 0
    running: dict[Future[Block], int] = {}
    failed: Stopped | None = None
    try:
        while running or (first < plan.deals and failed is None):
            while len(running) < many + 1 and first < plan.deals and failed is None:
                count = sizer.next(plan.deals - first, many)
                running[pool.submit(play_block, plan, first, count, *shared)] = first
                first += count
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda f: running[f]):
                del running[future]
                block = future.result()
                sizer.learn(block)
                if block.stopped is None:
                    yield block
                elif failed is None or block.first < failed.deal:
                    failed = block.stopped
    finally:
        for future in running:
            future.cancel()
    if failed is not None:
        if isinstance(failed.cause, (KeyboardInterrupt, SystemExit)):
            raise failed.cause
        raise failed.error() from failed.cause
