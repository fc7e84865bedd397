"""How long play takes without rows: `random` by the decision, others by the hand, two threads against one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable

from clock import Row, by_turns, seconds

import palace_sim as ps

ROUNDS = 5
DEALS = {2: 200_000, 4: 100_000}  # by seats
THINKERS = ("tight", "buyer", "hunter", "bluffer")


def decisions(seats: int, deals: int) -> float:
    """Decisions a hand of `random`, keep choices not counted: turns, and answers in battles."""
    result = ps.play(["random"] * seats, deals=deals, seed=1)
    answers = len(result.battles) + result.battles.raises.sum()
    return float((result.seats.turns.sum() + answers) / (len(result.seats) / seats))


def play(policies: list[str], deals: int, **options: object) -> ps.Result:
    """Play without rows on one thread, unless said otherwise."""
    return ps.play(policies, deals=deals, seed=1, **{"rows": False, "workers": 1, **options})


def measure() -> list[Row]:
    """Play in turns with the unit."""
    jobs: dict[str, Callable[[], object]] = {}
    for seats, deals in DEALS.items():
        jobs[f"random {seats}"] = lambda seats=seats, deals=deals: play(["random"] * seats, deals)
        for workers in (1, 2):
            jobs[f"threads {seats} {workers}"] = lambda seats=seats, deals=deals, workers=workers: play(
                ["random"] * seats, 10 * deals, workers=workers
            )
        jobs[f"thinkers {seats}"] = lambda seats=seats: play(list(THINKERS[:seats]), 20_000)
    for name in ps.policies.NAMES:
        jobs[f"four {name}"] = lambda name=name: play([name] * 4, 10_000)
    best = by_turns(jobs, ROUNDS)
    d = best["draw"]
    rows = []
    for seats, deals in DEALS.items():
        each = decisions(seats, 20_000)
        target = 80 if seats == 4 else None
        rows.append(Row(f"decisions a hand of random, {seats} seats", each, ""))
        taken = best[f"random {seats}"] / d / (deals * seats * each)
        rows.append(Row(f"a decision of random, {seats} seats", taken, "d", target))
        ratio = best[f"threads {seats} 1"] / best[f"threads {seats} 2"]
        rows.append(Row(f"two threads against one, {seats} seats", ratio, "x", 1.9, least=True))
        names = ", ".join(THINKERS[:seats])
        rows.append(Row(f"a hand of {names}", best[f"thinkers {seats}"] / d / (20_000 * seats), "d", 1000))
    return rows + [Row(f"a hand of four {name}", best[f"four {name}"] / d / 40_000, "d") for name in ps.policies.NAMES]


def measure_results() -> list[Row]:
    """What the tables of a million hands add, for `random` and for thinking policies; parquet; a summary."""
    rows = []
    for names in (["random"] * 4, list(THINKERS)):
        jobs = {
            "without": lambda names=names: play(names, 250_000),
            "with": lambda names=names: play(names, 250_000, rows=True).seats,
        }
        best = by_turns(jobs, 3)
        extra = 100 * (best["with"] / best["without"] - 1)
        rows.append(Row(f"tables of a million hands of {', '.join(sorted(set(names)))}", extra, "%", 10))
    with tempfile.TemporaryDirectory() as folder:
        took = seconds(lambda: play(["random"] * 4, 250_000, rows=True, workers=2, folder=f"{folder}/run"))
        rows.append(Row("rows of seats to parquet while playing, a second", 4 * 1e6 / took / 1e6, "M"))
    kept = play(["random", "tight", "buyer", "maniac"], 625_000, rows=True, workers=2)
    assert len(kept.seats) == 10_000_000
    rows.append(Row("summary of 10 million rows", seconds(lambda: kept.summary), "s", 2))
    return rows


MEMORY = """
import resource, sys, palace_sim as ps
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
ps.play(["random"] * 4, deals=2_500, seed=1, rows=False)
before = peak()
ps.play(["random"] * 4, deals=2_500_000, seed=1, rows=False)
print(peak() - before)
"""


def measure_memory() -> list[Row]:
    """Growth of the peak of resident memory from 10 thousand to 10 million hands."""
    grown = float(subprocess.check_output([sys.executable, "-c", MEMORY]))
    return [Row("memory of 10 million hands over 10 thousand", grown, "MB", 50)]


