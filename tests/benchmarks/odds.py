"""How long odds take: the compiled part by the completion or sample, both palaces hidden, and a call from Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from clock import Row, by_turns

import palace_sim as ps
from palace_sim.battle.odds import odds_of
from palace_sim.battle.ranges import Range
from palace_sim.battle.situations import read_situation
from palace_sim.rules import Rules

ROUNDS, REPEATS = 30, 10
SAMPLES = 20_000
HIDDEN = {
    "no soldiers": ("Ks/9d7d2d/", "Qh/?/", {}),
    "five soldiers": ("Ks/9d7d2d/", "Qh/?/4c6cTd8s3c", {}),
    "five soldiers of a suit": ("Ks/9d7d2d/", "Qh/?/4h6hTh8h3h", {}),
    "five soldiers of a suit, nothing blocked": ("Ks/9d7d2d/", "Qh/?/4h6hTh8h3h", {"blocked": "none"}),
}


def measure() -> list[Row]:
    """Odds on one thread, arguments read beforehand but for the calls."""
    uniform = Range.uniform(3)
    weighted = Range(uniform.cards, np.random.default_rng(1).random(len(uniform)))
    jobs: dict[str, Callable[[], object]] = {}
    completions = {}
    for name, (a, b, options) in HIDDEN.items():
        situation = read_situation(a, b, "", Rules(**options), None, None)
        completions[name] = odds_of(situation, "exact", 2, 0).n
        jobs[name] = lambda situation=situation: [odds_of(situation, "exact", 2, 0) for _ in range(REPEATS)]
    bare = read_situation("Ks", "Qh", "", Rules(), None, None)
    jobs["samples"] = lambda: odds_of(bare, "sample", SAMPLES, 0)
    jobs["samples, five soldiers"] = lambda: odds_of(
        read_situation("Ks//KdKc2d3d4d", "Qh//4c6cTd8s3c", "", Rules(), None, None), "sample", SAMPLES, 0
    )
    both = {
        "uniform": {},
        "uniform against weighted": {"range_b": weighted},
        "weighted": {"range_a": weighted, "range_b": weighted},
    }
    for name, ranges in both.items():
        jobs[f"both, {name}"] = lambda ranges=ranges: ps.battle_odds("Ks", "Qh", **ranges)
    jobs["a call"] = lambda: [ps.battle_odds("Ks/9d7d2d/", "Qh/9c7c2c/") for _ in range(REPEATS)]
    hand = ps.Hand.from_position(None, ["Ks/9d7d2d/", "Qh/?/"], to_act=0, dealer=1, pot=10)
    jobs["a call of a hand"] = lambda: [ps.seat_odds(hand, foe=1) for _ in range(REPEATS)]
    sides = ["Ks/9d7d2d/"] * 200
    jobs["table"] = lambda: ps.battle_odds_table(sides, "Qh/?/4c", workers=1)
    for workers in (1, 2):
        jobs[f"table {workers}"] = lambda workers=workers: ps.battle_odds_table(["Ks"] * 16, "Qh", workers=workers)
    best = by_turns(jobs, ROUNDS)
    d = best["draw"]
    rows = [
        Row(f"a completion of one palace, {name}", best[name] / d / (REPEATS * n), "d", 3)
        for name, n in completions.items()
    ]
    rows += [Row(f"odds by {name}, a sample", best[name] / d / SAMPLES, "d", 40) for name in best if "samples" in name]
    for name in both:
        rows.append(Row(f"both palaces hidden, {name}", 1e3 * best[f"both, {name}"], "ms", 10))
        rows.append(Row(f"both palaces hidden, {name}, a thousand", best[f"both, {name}"] / d / 1e3, "d"))
    rows.append(Row("a call of battle_odds, nothing hidden", 1e6 * best["a call"] / REPEATS, "us"))
    rows.append(Row("a call of seat_odds, one palace hidden", 1e6 * best["a call of a hand"] / REPEATS, "us"))
    rows.append(Row("a row of battle_odds_table, one palace hidden", 1e6 / 200 * best["table"], "us"))
    rows.append(Row("two threads against one, both palaces hidden", best["table 1"] / best["table 2"], "x"))
    return rows
