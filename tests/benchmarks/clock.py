"""Timing by turns: machines change their speed, so only figures of one run, taken alternately, may be compared.

The unit is d, one draw of xoshiro256++ in a compiled loop of the same run.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from palace_sim.kernels.jit import compiled

DRAWS = 1_000_000


@dataclasses.dataclass
class Row:
    """A line of the table: a figure, its unit and the target it is held against."""

    name: str
    value: float
    unit: str
    target: float | None = None
    least: bool = False  # the target is a lower bound

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.least else self.value <= self.target


@compiled
def draws(number):
    """Draw from xoshiro256++ with its state in registers; return the exclusive or."""
    a, b, c, d = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    total = np.uint64(0)
    for _ in range(number):
        x = a + d
        total ^= ((x << np.uint64(23)) | (x >> np.uint64(41))) + a
        shifted = b << np.uint64(17)
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = (d << np.uint64(45)) | (d >> np.uint64(19))
    return total


def seconds(job: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def by_turns(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Best seconds of each job; all take turns, the unit too (under the name "draw", seconds a draw)."""
    timed = {"draw": lambda: draws(DRAWS), **jobs}
    for job in timed.values():
        job()
    best = dict.fromkeys(timed, float("inf"))
    for _ in range(rounds):
        for name, job in timed.items():
            best[name] = min(best[name], seconds(job))
    best["draw"] /= DRAWS
    return best
