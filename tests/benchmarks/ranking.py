"""How long a rank takes: 10,000 random hands again and again, bad ids looked for, repeated cards not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from clock import Row, by_turns

from palace_sim.kernels.jit import compiled
from palace_sim.kernels.ranking import first_fault, rank_rows, rank_set

HANDS, REPEATS, ROUNDS = 10_000, 100, 10
TARGETS = {"7 cards of a row": 3.6, "9 cards of a row": 7.0, "9 cards of a set in a kernel": 6.0}


@compiled
def rank_sets(sets, out):
    """Rank card sets."""
    for i in range(len(sets)):
        out[i] = rank_set(sets[i])


def many(job: Callable[[], object]) -> Callable[[], None]:
    """Repeat a job, so that the clock's own steps do not count."""

    def repeated() -> None:
        for _ in range(REPEATS):
            job()

    return repeated


def measure() -> list[Row]:
    """Rank rows and sets of several sizes."""
    rng = np.random.default_rng(1)
    out = np.empty(HANDS, np.int32)
    jobs: dict[str, Callable[[], object]] = {}
    for size in (5, 7, 9):
        rows = np.argsort(rng.random((HANDS, 52)), axis=1)[:, :size].astype(np.uint8)
        cards = rows.astype(np.int64)
        sets = np.bitwise_or.reduce(1 << 16 * (cards & 3) + (cards >> 2), axis=1)
        ids, columns = rows.reshape(-1), (0,) * size
        jobs[f"{size} cards of a row"] = many(lambda ids=ids, columns=columns: rank_rows(ids, columns, out))
        jobs[f"{size} cards of a set in a kernel"] = many(lambda sets=sets: rank_sets(sets, out))
        jobs[f"{size} cards, repeated cards looked for"] = many(lambda rows=rows: first_fault(rows))
    best = by_turns(jobs, ROUNDS)
    per_hand = REPEATS * HANDS * best.pop("draw")
    return [Row(f"rank {name}", value / per_hand, "d", TARGETS.get(name)) for name, value in best.items()]
