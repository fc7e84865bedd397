"""How long play takes without rows: `random` by the decision, others by the hand, two threads against one."""

from __future__ import annotations

import subprocess
import sys

from clock import Row, by_turns

import palace_sim as ps

ROUNDS = 5
THINKERS = ("tight", "buyer", "hunter", "bluffer")


def decisions(seats: int, deals: int) -> float:
    """Decisions a hand of `random`, keep choices not counted: turns, and answers in battles."""
    result = ps.play(["random"] * seats, deals=deals, seed=1)
    answers = len(result.battles) + result.battles.raises.sum()
    return float((result.seats.turns.sum() + answers) / (len(result.seats) / seats))


def measure() -> list[Row]:
    """Play in turns with the unit."""
    deals = {2: 200_000, 4: 100_000}
    jobs = {}
    for seats, many in deals.items():
        for workers in (1, 2):
            jobs[f"random, {seats} seats, {workers}"] = lambda seats=seats, many=many, workers=workers: ps.play(
                ["random"] * seats, deals=many, seed=1, rows=False, workers=workers
            )
    for seats in (2, 4):
        names = THINKERS[:seats]
        jobs[f"thinkers, {seats}"] = lambda names=names: ps.play(names, deals=20_000, seed=1, rows=False, workers=1)
    for name in ps.policies.NAMES:
        jobs[f"four {name}"] = lambda name=name: ps.play([name] * 4, deals=10_000, seed=1, rows=False, workers=1)
    jobs["rows"] = lambda: ps.play(["random"] * 4, deals=100_000, seed=1, rows=True, workers=1).seats
    best = by_turns(jobs, ROUNDS)
    d = best["draw"]
    rows = []
    for seats, many in deals.items():
        each = decisions(seats, 20_000)
        one, two = best[f"random, {seats} seats, 1"], best[f"random, {seats} seats, 2"]
        rows.append(Row(f"decisions a hand of random, {seats} seats", each, ""))
        rows.append(Row(f"a decision of random, {seats} seats", one / d / (many * seats * each), "d", 80))
        rows.append(Row(f"two threads against one, {seats} seats", one / two, "x", 1.9, least=True))
    for seats in (2, 4):
        hands = 20_000 * seats
        rows.append(Row(f"a hand of {', '.join(THINKERS[:seats])}", best[f"thinkers, {seats}"] / d / hands, "d", 1000))
    rows += [Row(f"a hand of four {name}", best[f"four {name}"] / d / 40_000, "d") for name in ps.policies.NAMES]
    extra = 100 * (best["rows"] / best["random, 4 seats, 1"] - 1)
    rows.append(Row("rows and the table of seats, on top of playing", extra, "%", 10))
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


