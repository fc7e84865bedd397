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
from palace_sim.policies.champion import made_of

HERE = Path(__file__).parent
TAKES = {"opponents", "seed", "two", "more", "check"}
PLACES = 4  # of the parameters that are written down, and played by from then on
SEATS = 4


def search_more(settings: dict[str, Any], results: Path) -> ps.Policy:
    """Search the settings for three and more players: against three copies of each opponent, and at mixed tables."""
    names, how = settings["opponents"], settings["more"]
    many = len(names)
    # a design that turns around: every opponent sits equally often
    mixed = [[names[(first + step) % many] for step in steps] for steps in how["mixed"] for first in range(many)]
    tables = ps.search.Field.of(names, seats=SEATS, copies=True) + how["mixed_weight"] * ps.search.Field.at(mixed)
    found = ps.search.optimize(
        ps.policies.like(how["start"]),
        tables,
        seats=SEATS,
        seed=settings["seed"],
        folder=results / "more",
        **{name: how[name] for name in ("budget", "deals", "final_deals", "sigma", "cap")},
    )
    print(f"at {SEATS} seats: {found.score}", flush=True)
    return found.policy


def search_two(settings: dict[str, Any], results: Path) -> ps.search.League:
    """Search the settings for two players: the Nash mixture of a league of best responses."""
    how = settings["two"]
    grown = ps.search.league(
        [ps.policies.like(name) for name in how["start"]],
        seed=settings["seed"],
        folder=results / "two",
        **{name: how[name] for name in ("rounds", "budget", "deals", "final_deals", "sigma")},
    )
    told = grown.rounds[["round", "support", "sb100", "sb100_low", "sb100_high"]]
    print("heads-up, what a response to the mixture of each round gains:")
    print(told.to_string(index=False, float_format=lambda x: f"{x:.2f}"), flush=True)
    return grown


def parts(policies: dict[ps.Policy, float]) -> list[dict[str, Any]]:
    """Settings and shares as they are written down, greatest share first."""
    ordered = sorted(policies.items(), key=lambda pair: -pair[1])
    return [
        {"share": round(share, PLACES), "params": {key: round(value, PLACES) for key, value in policy.params.items()}}
        for policy, share in ordered
    ]


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


def run(config: Path, results: Path) -> None:
    """Search, check, write champion.json, strength.csv and check.json, and print them."""
    settings = tomllib.loads(config.read_text())
    wrong = set(settings) ^ TAKES
    if wrong:
        raise SystemExit(f"{config}: takes {', '.join(sorted(TAKES))}; too many or missing: {', '.join(sorted(wrong))}")
    results.mkdir(parents=True, exist_ok=True)
    more, league = search_more(settings, results), search_two(settings, results)
    two = {policy: float(share) for policy, share in zip(league.policies, league.mixture, strict=True) if share > 0}
    found = {"two": parts(two), "more": parts({more: 1.0})}
    (results / "champion.json").write_text(json.dumps(found, indent=1) + "\n")
    champion = made_of(found, "champion")
    table = strength(champion, settings)
    table.to_csv(results / "strength.csv", index=False)
    print("chips a hand:")
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3f}"))
    beaten = int((table["ci_low"] > 0).sum())
    print(f"{beaten} of {len(table)} intervals lie above 0")
    check = settings["check"]
    last = ps.search.best_response(
        champion,
        seed=settings["seed"] + 9000,
        budget=check["budget"],
        deals=check["deals"],
        final_deals=check["final_deals"],
        starts=[policy.named(f"known {k}") for k, policy in enumerate(two, 1)],
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
