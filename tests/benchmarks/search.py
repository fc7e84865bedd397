"""What `optimize` costs beside playing the same hands with `play`."""

from __future__ import annotations

from clock import Row, by_turns

import palace_sim as ps
from palace_sim.search import Field, Search
from palace_sim.search.asking import narrowed

DEALS, GENERATIONS = 400, 20
FIELDS = {
    "heads-up": Field.of(["tight", "hunter", "pot_odds"]),
    "4 seats": Field.of(["tight", "hunter"], seats=4, copies=True),
}
FINAL = 2  # deals of the end, which is not measured


def measure() -> list[Row]:
    """Search `general` so near to its start that all candidates play as it does, by turns with as many of its hands."""
    general = ps.policies.get("general")
    many = Search(narrowed(general.family.parameters, general.params)).popsize
    jobs = {}
    for name, field in FIELDS.items():
        budget = many * DEALS * field.hands * GENERATIONS

        def search(field: Field = field, budget: int = budget) -> None:
            ps.search.optimize(general, field, budget=budget, deals=DEALS, final_deals=FINAL, sigma=0.001, workers=1)

        def play(field: Field = field) -> None:
            for table in field.tables:
                others = [field.policies[k] for k in table.others]
                ps.play([general, *others], deals=many * DEALS * GENERATIONS, rows=False, workers=1)

        jobs[f"optimize {name}"], jobs[f"play {name}"] = search, play
    best = by_turns(jobs, 3)
    rows = []
    for name in FIELDS:
        ratio = best[f"optimize {name}"] / best[f"play {name}"]
        rows.append(Row(f"optimize beside playing the same hands: {name}", ratio, "x", 1.3))
    return rows
