"""Search for the policy `champion`, and say how strong it is. See README.md beside this file.

    python experiments/champion/run.py [CONFIG] [--results FOLDER]

Every search is kept generation by generation: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

import palace_sim as ps
from palace_sim.policies.words import policy_from_text

HERE = Path(__file__).parent
TAKES = {
    *("opponents", "start", "seed", "rounds", "budget", "deals", "final_deals", "cap", "sigma", "later_sigma"),
    *("opponent_weights", "weights", "mixed", "response", "check"),
}
SEATS = 4


def field(settings: dict[str, Any], responses: list[ps.Policy]) -> ps.search.Field:
    """Tables that a champion is searched at: heads-up, one against three copies, and mixed."""
    names = settings["opponents"]
    weights = settings["weights"]
    rates = {name: settings["opponent_weights"].get(name, 1.0) for name in names}
    many = len(names)
    # a design that turns around: every opponent sits equally often
    mixed = [[names[(first + step) % many] for step in steps] for steps in settings["mixed"] for first in range(many)]
    return (
        weights["heads_up"] * ps.search.Field.of(rates | dict.fromkeys(responses, 1.0))
        + weights["copies"] * ps.search.Field.of(rates, seats=SEATS, copies=True)
        + weights["mixed"] * ps.search.Field.at(mixed)
    )


def search(settings: dict[str, Any], results: Path) -> list[tuple[ps.Policy, ps.search.Response]]:
    """Search champions and responses to them, by turns; return both of every round."""
    found: list[tuple[ps.Policy, ps.search.Response]] = []
    champion = policy_from_text(settings["start"])
    for k in range(1, settings["rounds"] + 1):
        responses = [response.policy.named(f"response {r}") for r, (_, response) in enumerate(found, 1)]
        optimum = ps.search.optimize(
            champion,
            field(settings, responses),
            budget=settings["budget"],
            seed=settings["seed"] + k,
            deals=settings["deals"],
            final_deals=settings["final_deals"],
            sigma=settings["sigma"] if k == 1 else settings["later_sigma"],
            cap=settings["cap"],
            entrants=[policy for policy, _ in found],
            name=f"champion {k}",
            folder=results / f"champion-{k:02d}",
        )
        champion = optimum.policy.named(f"champion {k}")
        how = settings["response"]
        response = ps.search.best_response(
            champion,
            seed=settings["seed"] + 1000 + k,
            starts=[champion, *responses],
            name=f"response {k}",
            folder=results / f"response-{k:02d}",
            **how,
        )
        found.append((champion, response))
        single = optimum.tables[~optimum.tables["others"].str.contains("response")]
        alone = single[[len(set(others.split(", "))) == 1 for others in single["others"]]]
        worst = alone.loc[alone["mean"].idxmin()]
        print(
            f"round {k}: worst against {worst['others']} at {worst['seats']} seats, {worst['sb100']:+.2f}; "
            f"response gains {response.score}",
            flush=True,
        )
    return found


def strength(champion: ps.Policy, settings: dict[str, Any]) -> pd.DataFrame:
    """Mean net of the champion against each opponent, and the paired differences in a round robin."""
    names, check, seed = settings["opponents"], settings["check"], settings["seed"] + 5000
    rows = []
    for seats, deals in ((2, check["heads_up"]), (SEATS, check["copies"])):
        for name in names:
            result = ps.play([champion, *[name] * (seats - 1)], deals=deals, seed=seed, rows=False)
            row = result.summary.set_index("policy").loc[champion.name]
            what = "heads-up" if seats == 2 else "against three copies"
            rows.append([what, name, row["mean"], row["ci_low"], row["ci_high"], deals])
    table = ps.round_robin([champion, *names], seats=SEATS, deals=check["round_robin"], seed=seed)
    for name in names:
        gap = table.difference(champion.name, name)
        rows.append(["round robin, less", name, gap["mean"], gap["ci_low"], gap["ci_high"], check["round_robin"]])
    return pd.DataFrame(rows, columns=["how", "opponent", "mean", "ci_low", "ci_high", "deals"])


def choose(found: list[tuple[ps.Policy, ps.search.Response]]) -> ps.Policy:
    """The champion whose response gains least."""
    return min(found, key=lambda pair: pair[1].score.mean)[0]


def run(config: Path, results: Path) -> None:
    """Search, check, write champion.json and strength.csv, and print both."""
    settings = tomllib.loads(config.read_text())
    wrong = set(settings) ^ TAKES
    if wrong:
        raise SystemExit(f"{config}: takes {', '.join(sorted(TAKES))}; too many or missing: {', '.join(sorted(wrong))}")
    results.mkdir(parents=True, exist_ok=True)
    found = search(settings, results)
    champion = choose(found).named("champion")
    (results / "champion.json").write_text(json.dumps(champion.params, indent=1) + "\n")
    print(f"champion: {json.dumps(champion.params, indent=1)}")
    table = strength(champion, settings)
    table.to_csv(results / "strength.csv", index=False)
    print("chips a hand:")
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3f}"))
    beaten = int((table["ci_low"] > 0).sum())
    print(f"{beaten} of {len(table)} intervals lie above 0")
    check = settings["check"]
    last = ps.search.best_response(
        champion,
        rollouts=False,
        seed=settings["seed"] + 9000,
        budget=check["budget"],
        deals=check["deals"],
        final_deals=check["final_deals"],
        starts=[champion, *(response.policy for _, response in found)],
        folder=results / "check",
    )
    print(f"a fresh search against it gains {last.score}")
    (results / "check.json").write_text(json.dumps(vars(last.score), indent=1) + "\n")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="Search for the policy champion")
    parser.add_argument("config", nargs="?", type=Path, default=HERE / "config.toml")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    run(arguments.config, arguments.results)


if __name__ == "__main__":
    main()
