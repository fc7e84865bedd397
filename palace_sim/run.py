"""Running a plan: blocks of deals on any executor, merged so that the result does not depend on how.

A plan says all that decides the result. Blocks of about a quarter of a second are played by threads (the kernels
release the GIL) or by whatever executor is given; all sums are integers, and rows are put into deal order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from palace_sim.cards import format_cards, set_cards
from palace_sim.kernels import act
from palace_sim.kernels import play as kernels
from palace_sim.kernels.engine import FAULTS, NO_ACTION, OK
from palace_sim.kernels.rows import Rows
from palace_sim.kernels.state import ATTACK, DISCARD, KEEP_CARDS, RAISE, VERBS
from palace_sim.plans import Plan, new_job, new_work, policy_table
from palace_sim.policies.entry import raised_at
from palace_sim.policies.errors import PolicyError
from palace_sim.rowstore import RowStore, room_for, written_rows
from palace_sim.tables import frame
from palace_sim.totals import Totals
from palace_sim.workers import Bar, Pool, Sizer, slots

if TYPE_CHECKING:
    import pandas as pd

RETRIES = 2  # times that a block is played again whose worker was lost


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

    @property
    def where(self) -> str:
        return f"deal {self.deal}, lineup {self.lineup}, rotation {self.rotation}, seat {self.seat}"

    def error(self) -> BaseException:
        """Return what to raise."""
        if self.fault == kernels.TOO_MANY_CHIPS:
            return ValueError(f"rules: chips won in deal {self.deal} are over 2^31: play for smaller bets or stacks")
        if self.cause is not None:
            why = f"failed: {type(self.cause).__name__}: {self.cause}{self.line}"
        elif self.fault == NO_ACTION:
            why = f"returned {self.code}, which is no action code: return ps.act.stay() or another of ps.act"
        else:
            why = f"returned an illegal action: {describe(self.code)} {FAULTS[self.fault]}"
        return PolicyError(f"policy {self.policy} {why} ({self.where})")


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


@dataclasses.dataclass(kw_only=True)
class Part:
    """What any block says of itself: the deals that it holds, how long it took, what stopped it."""

    first: int
    count: int
    seconds: float
    stopped: Stopped | None = None


B = TypeVar("B", bound=Part)


@dataclasses.dataclass(kw_only=True)
class Block(Part):
    """What playing some deals in a row gave."""

    sums: kernels.Sums
    rows: Rows


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
    batches = (min(count, kernels.BATCHES), len(plan.lineups), kernels.batch_columns(plan.seats, plan.luck))
    shapes = ((p, 7), (p, p, 2), (p, p, 3), batches, (p,), (p, p))
    sums = kernels.Sums(*(np.zeros(shape, np.int64) for shape in shapes))
    fault = kernels.play_block(job, shared.table, plan.lineups, work, sums, rows, shared.stop)
    written = written_rows(rows, work, shared.rows is not None)
    seconds = time.perf_counter() - began
    block = Block(first=first, count=int(job.count), seconds=seconds, sums=sums, rows=written)
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


class Keeper(Protocol):
    """Where a run puts what its blocks give."""

    rows_shared: Rows | None
    blocks: list[tuple[int, int]]

    def add(self, block: Block) -> None:
        """Keep a block; they come in any order."""

    def flush(self) -> None:
        """Make sure that what was added will not be lost."""

    @property
    def totals(self) -> Totals:
        """Sums of all that is kept."""

    def missing(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return the ranges of deals from `first` up to `end` that have not been played."""

    def frame(self, kind: str) -> pd.DataFrame:
        """Return the rows of a table, in the order of deals."""


def gaps(blocks: Sequence[tuple[int, int]], first: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges from `first` up to `end` that no block covers.

    Examples
    --------
    >>> gaps([(0, 10), (20, 5)], 0, 30)
    [(10, 20), (25, 30)]
    """
    found, at = [], first
    for a, count in sorted(blocks):
        if a > at:
            found.append((at, min(a, end)))
        at = max(at, a + count)
    return [(a, b) for a, b in [*found, (at, end)] if a < b]


class MemoryKeeper:
    """Adds blocks up in memory.

    Attributes
    ----------
    totals : Totals
        The sums.
    rows : RowStore
        The rows.
    """

    def __init__(self, plan: Plan, executor: Executor | None = None) -> None:
        self.names = [policy.name for policy in plan.policies]
        self.totals = Totals.empty(plan)
        self.blocks: list[tuple[int, int]] = []
        # a part of the deals, or blocks from elsewhere: they bring their rows along
        along = executor is not None or plan.first > 0 or plan.deals < max(plan.rows, plan.deal_rows)
        self.rows = RowStore() if along else RowStore.of(plan)
        self.rows_shared = self.rows.shared

    def add(self, block: Block) -> None:
        self.totals.add_block(block.sums, block.first, block.count)
        self.rows.add(block.first, block.rows)
        self.blocks.append((block.first, block.count))

    def flush(self) -> None:
        pass

    def missing(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return the ranges of deals from `first` up to `end` that have not been played."""
        return gaps(self.blocks, first, end)

    def frame(self, kind: str) -> pd.DataFrame:
        """Return the rows of a table, in the order of deals."""
        return frame(self.rows.columns(kind), kind, self.names)


def execute(
    plan: Plan,
    keeper: Keeper,
    *,
    ranges: Sequence[tuple[int, int]] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> None:
    """Play deals of a plan and hand the blocks to a keeper.

    Parameters
    ----------
    plan : Plan
        What to play.
    keeper : Keeper
        Where blocks go. Whatever stops the run, those that are done have been added and flushed.
    ranges : list of (int, int), optional
        Deals to play, from the first up to and without the second; None for all of the plan.
    workers : int, optional
        Threads, or tasks at a time on `executor`; None for the cores that the process may use, or the executor has.
    executor : concurrent.futures.Executor, optional
        Where blocks run; None for threads of this process.
    progress : bool, optional
        Show a bar; None for one where standard error is a terminal and the run takes more than two seconds.

    Raises
    ------
    PolicyError
        A policy failed or returned an illegal action; the first one in the order of deals.
    BrokenExecutor
        The executor has lost its workers, or a block failed on it three times.
    """
    todo = [(plan.first, plan.first + plan.deals)] if ranges is None else list(ranges)
    shared = Shared(*policy_table(plan), keeper.rows_shared, np.zeros(1, np.int64))
    play_block(plan, plan.first, 0, shared)  # compile here, once, before workers start
    many = workers or slots(executor)
    with Pool(executor, many) as pool, Bar(sum(b - a for a, b in todo), progress) as bar:
        play = partial(play_block, plan, shared=None if executor else shared)
        blocks = Blocks(play, pool, many, Sizer(plan), todo, elsewhere=executor is not None)
        try:
            for block in blocks:
                keeper.add(block)
                bar.update(block.count)
        except BaseException:
            shared.stop[0] = 1
            for block in blocks.last():
                keeper.add(block)
            raise
        finally:
            keeper.flush()


class Blocks(Generic[B]):
    """The blocks of some ranges of deals, as they are done.

    Parameters
    ----------
    play : callable
        Plays a block: takes its first deal and how many.
    pool : Executor
        Where.
    many : int
        Blocks at a time.
    sizer : Sizer
        How many deals a block takes.
    ranges : list of (int, int)
        Deals, from the first up to and without the second.
    elsewhere : bool
        They run where nobody can tell them to stop, and where workers may be lost: then they are tried again.
    """

    def __init__(
        self,
        play: Callable[[int, int], B],
        pool: Executor,
        many: int,
        sizer: Sizer,
        ranges: Sequence[tuple[int, int]],
        elsewhere: bool = False,
    ) -> None:
        self.play, self.pool, self.many, self.sizer, self.elsewhere = play, pool, many, sizer, elsewhere
        self.ranges = [(a, b) for a, b in ranges if a < b][::-1]
        self.running: dict[Future[B], tuple[int, int, int]] = {}  # first deal, deals, how often it failed before
        self.failed: Stopped | None = None

    def _submit(self) -> None:
        while self.ranges and len(self.running) < self.many + 1:
            first, end = self.ranges.pop()
            count = self.sizer.next(sum(b - a for a, b in self.ranges) + end - first, self.many)
            count = min(count, end - first)
            if first + count < end:
                self.ranges.append((first + count, end))
            self._start(first, count, 0)

    def _start(self, first: int, count: int, failures: int) -> None:
        future = self.pool.submit(self.play, first, count)
        self.running[future] = (first, count, failures)

    def _result(self, future: Future[B]) -> B | None:
        """Return the block of a future; None where its worker was lost and another is to play it."""
        first, count, failures = self.running.pop(future)
        try:
            return future.result()
        except (BrokenExecutor, PolicyError, TypeError, ValueError):
            raise  # no other worker would do better
        except Exception as error:
            if self.elsewhere and failures < RETRIES:
                warnings.warn(
                    f"a worker failed on deals {first} to {first + count - 1} ({type(error).__name__}: {error}); "
                    f"they are played again",
                    RuntimeWarning,
                    stacklevel=2,
                )
                self._start(first, count, failures + 1)
                return None
            if not self.elsewhere:
                raise
            raise BrokenExecutor(
                f"deals {first} to {first + count - 1} failed {RETRIES + 1} times, last with "
                f"{type(error).__name__}: {error}"
            ) from error

    def __iter__(self) -> Iterator[B]:
        """Yield blocks; raise the error of the earliest deal that has one."""
        try:
            while self.running or (self.ranges and self.failed is None):
                if self.failed is None:
                    self._submit()
                done, _ = wait(self.running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda f: self.running[f]):
                    block = self._result(future)
                    if block is None:
                        continue
                    self.sizer.learn(block)
                    if block.stopped is None:
                        yield block
                    elif self.failed is None or block.first < self.failed.deal:
                        self.failed = block.stopped
        finally:
            for future in self.running:
                future.cancel()
        if self.failed is not None:
            if isinstance(self.failed.cause, (KeyboardInterrupt, SystemExit)):
                raise self.failed.cause
            raise self.failed.error() from self.failed.cause

    def last(self) -> Iterator[B]:
        """Yield what blocks that were told to stop have played until then."""
        if self.elsewhere:
            return  # they run elsewhere, and nobody can tell them
        for future in self.running:
            if not future.cancelled():
                with contextlib.suppress(Exception):
                    block = future.result(timeout=60)
                    if block.stopped is None and block.count:
                        yield block
