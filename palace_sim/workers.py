"""The workers of a run: how many, what they run on, how much each takes at a time, and the bar that shows it."""

from __future__ import annotations

import os
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

BLOCK_SECONDS = 0.25
BLOCK_ROWS = 250_000  # no block writes more rows of `seats` than this


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def slots(executor: Executor | None) -> int:
    """Tasks that an executor does at a time, or the cores of this process where there is none."""
    if executor is None:
        return cores()
    client = getattr(executor, "_client", None)  # of dask
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    return int(getattr(executor, "_max_workers", None) or cores())


class Sizer:
    """How many deals the next block takes, from the speed of those before (the result does not depend on it)."""

    def __init__(self, plan: Any) -> None:
        per_deal = plan.hands_per_deal * plan.seats
        self.most = max(1, BLOCK_ROWS // per_deal) if plan.rows or plan.deal_rows else 1 << 40
        self.size = max(1, min(self.most, 256 // plan.hands_per_deal))

    def next(self, left: int, workers: int) -> int:
        """Deals of the next block, of `left`: fewer towards the end, so that workers end together."""
        if workers == 1:
            return min(self.size, left)
        fair = max(left // (2 * workers), self.size // 32, 1)
        return min(self.size, fair, left)

    def learn(self, block: Any) -> None:
        if block.count and block.seconds > 0:
            wanted = int(block.count * BLOCK_SECONDS / block.seconds)
            self.size = max(1, min(self.most, 8 * self.size, wanted))


class Pool:
    """The executor to use: the one given, left open, or threads of one's own."""

    def __init__(self, executor: Executor | None, many: int) -> None:
        self.own = executor is None
        self.executor = ThreadPoolExecutor(many, "palace-sim") if executor is None else executor

    def __enter__(self) -> Executor:
        return self.executor

    def __exit__(self, *_: Any) -> None:
        if self.own:
            self.executor.shutdown(wait=True, cancel_futures=True)


class Bar:
    """A progress bar over deals, or what else is counted, on standard error; None for an end that is not known."""

    def __init__(self, deals: int | None, shown: bool | None, unit: str = "deals") -> None:
        self.bar: Any = None
        if shown is False or (shown is None and not sys.stderr.isatty()):
            return
        from tqdm.auto import tqdm

        self.bar = tqdm(total=deals, unit=f" {unit}", unit_scale=True, delay=0 if shown else 2, smoothing=0.1)

    def update(self, deals: int) -> None:
        if self.bar is not None:
            self.bar.update(deals)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
