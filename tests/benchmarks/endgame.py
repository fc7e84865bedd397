"""How long end games take to solve: an iteration over all palaces, and to 0.1 % and 0.01 % of the pot."""

from __future__ import annotations

from clock import Row, by_turns, seconds

import palace_sim as ps
from palace_sim.search import Endgame, solve_endgame

ITERATIONS, ROUNDS, DEALS = 8, 5, 20_000
POSITIONS = {
    "two banners": (["Ks/?/", "Qh/?/"], 10),
    "two soldiers and one": (["Ks/?/9d8c", "Qh/?/4c"], 60),
    "three soldiers and five": (["Ks/?/9d8c3c", "Qh/?/4c6cTd8s3d"], 120),
    "three of a suit each": (["Ks/?/9s8s3s", "Qh/?/4h6hTh"], 100),
}


def measure() -> list[Row]:
    """Solve on one thread: times of one run each, iterations by turns, and a decision of the policy."""
    ends: dict[str, Endgame] = {}
    solve_endgame(["Ks/?/", "Qh/?/"], pot=10, iterations=1)

    def solve(name: str, target: float) -> None:
        sides, pot = POSITIONS[name]
        ends[name] = solve_endgame(sides, pot=pot, target=target, progress=False)

    rows = []
    for target, limit in ((0.001, 10), (0.0001, 60)):
        for name in POSITIONS:
            took = seconds(lambda name=name, target=target: solve(name, target))
            said = f"{name}: exploitability below {100 * target:g} % of the pot"
            rows.append(Row(f"{said}, {ends[name].iterations} iterations", took, "s", limit))
    jobs = {
        name: lambda sides=sides, pot=pot: solve_endgame(sides, pot=pot, iterations=ITERATIONS, progress=False)
        for name, (sides, pot) in POSITIONS.items()
    }
    end = ends["two soldiers and one"]
    policy = end.policy()
    pair = [policy, policy.named("other", salt=1)]
    jobs["play"] = lambda: ps.play(pair, start=end.hand, deals=DEALS, rows=False, workers=1, progress=False)
    best = by_turns(jobs, ROUNDS)
    for name in POSITIONS:
        took = 1e3 * best[name] / ITERATIONS
        rows.append(Row(f"{name}: an iteration, with setting up and best responses", took, "ms"))
    rows.append(Row("a hand of its policy against itself", best["play"] / best["draw"] / DEALS, "d"))
    return rows
