"""What a decision costs beside playing the same number of hands, and a hand of the policy that decides by rollouts."""

from __future__ import annotations

from clock import Row, by_turns

import palace_sim as ps

SAMPLES = 10_000
LINES = {
    "patriot": ["patriot"] * 4,
    "random": ["random"] * 4,
    "tight, buyer, hunter, bluffer": ["tight", "buyer", "hunter", "bluffer"],
}
ROLLOUTS = 100


def measure() -> list[Row]:
    """A turn with four players, 10,000 rollouts a move, by turns with `play` from the same position."""
    hand = ps.Hand.deal(seats=4, seed=1)
    moves = len(ps.decision_values(hand, ["stay"] * 4, samples=2))
    rows = [Row("moves of the decision, 4 players", moves, "")]
    jobs = {}
    for name, line in LINES.items():
        jobs[f"decide {name}"] = lambda line=line: ps.decision_values(hand, line, samples=SAMPLES, workers=1)
        jobs[f"play {name}"] = lambda line=line: ps.play(
            line, start=hand, known_to=hand.to_act, deals=SAMPLES * moves, rows=False, workers=1
        )
    jobs["rollout"] = lambda: ps.play(["rollout", "patriot"], deals=50, rows=False, workers=1)
    best = by_turns(jobs, 3)
    for name in LINES:
        ratio = best[f"decide {name}"] / best[f"play {name}"]
        rows.append(Row(f"decision_values beside play: {name}", ratio, "x", 1.3))
        each = best[f"decide {name}"] / best["draw"] / (SAMPLES * moves)
        rows.append(Row(f"a rollout of a decision: {name}", each, "d"))
    rows.append(Row(f"a hand of rollout ({ROLLOUTS}) against patriot", best["rollout"] / best["draw"] / 100, "d"))
    return rows
