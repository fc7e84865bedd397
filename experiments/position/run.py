"""Does position matter? See README.md beside this file.

    python experiments/position/run.py [CONFIG] [--results FOLDER] [--quick] [--finding]

Every piece is kept as soon as it is played: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import experiment as ex

import palace_sim as ps
from palace_sim.policies.words import policy_from_text

HERE = Path(__file__).resolve().parent


def split(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give a piece to each number of players, and to each of the other games."""
    first = {"policy": settings["policy"], "rules": settings["rules"], "deals": settings["deals"]}
    pieces = {}
    for k, game in enumerate([first, *settings["also"]]):
        policy = policy_from_text(game["policy"])
        for seats in settings["seats"]:
            pieces[f"seats_{seats:02d}" if k == 0 else f"also_{k}_seats_{seats:02d}"] = {
                "policy": policy.name,
                "fingerprint": policy.fingerprint,
                "rules": game.get("rules", {}),
                "deals": game.get("deals", settings["deals"]),
                "seed": settings["seed"],
                "seats": seats,
                "version": ex.version(),
            }
    return pieces


def nets_by_position(wanted: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
    """Play the deals at one table size; return net chips as (deals, seats), by position, and the run's manifest."""
    seats, deals = wanted["seats"], wanted["deals"]
    policy = policy_from_text(wanted["policy"])
    result = ps.play(
        [policy] * seats, ps.Rules(**wanted["rules"]), deals=deals, seed=wanted["seed"], rotate=False, progress=False
    )
    rows = result.seats[["deal", "position", "net"]].to_numpy(np.int64)
    nets = np.zeros((deals, seats), np.int64)
    nets[rows[:, 0], rows[:, 1]] = rows[:, 2]
    return nets, result.manifest


def positions_differ(nets: np.ndarray) -> float:
    """Test that all positions have one mean; return the p-value.

    Hotelling's T² of the differences to the dealer: the nets of one deal sum to zero and are far from independent.
    """
    deals, seats = nets.shape
    contrasts = (nets[:, :-1] - nets[:, -1:]).astype(float)
    mean, covariance = contrasts.mean(axis=0), np.atleast_2d(np.cov(contrasts.T))
    if np.linalg.matrix_rank(covariance) < len(covariance):
        return 1.0 if not mean.any() else float("nan")  # nothing ever happens
    t2 = deals * mean @ np.linalg.solve(covariance, mean)
    k = seats - 1
    return float(f_distribution.sf(t2 * (deals - k) / (k * (deals - 1)), k, deals - k))


def play(wanted: dict[str, Any]) -> dict[str, Any]:
    """Play one number of players."""
    nets, manifest = nets_by_position(wanted)
    return {
        "manifest": manifest,
        "positions": [{"position": k, **ex.estimate(nets[:, k])} for k in range(wanted["seats"])],
        "dealer_less_left": ex.estimate(nets[:, -1] - nets[:, 0]),
        "p_equal": positions_differ(nets),
    }


def say(piece: dict[str, Any]) -> str:
    """Tell of one number of players."""
    spread, wanted = piece["dealer_less_left"], piece["settings"]
    mean, low, high = (f"{spread[key]:+.2f}" for key in ("mean", "ci_low", "ci_high"))
    return (
        f"{wanted['policy']}, {ex.rules_in_words(wanted['rules'])}: dealer less dealer's left {mean} chips a hand "
        f"({low} to {high}); all positions equal: p = {piece['p_equal']:.2g}"
    )


def find(pieces: list[dict[str, Any]]) -> pd.DataFrame:
    """List every position of every table, with what is said about the table as a whole."""
    rows = []
    for piece in pieces:
        wanted, spread = piece["settings"], piece["dealer_less_left"]
        whole = {"spread": spread["mean"], "spread_low": spread["ci_low"], "spread_high": spread["ci_high"]}
        whole["p_equal"] = piece["p_equal"]
        game = {"policy": wanted["policy"], "rules": ex.rules_in_words(wanted["rules"]), "seats": wanted["seats"]}
        rows += [{**game, **row, "deals": wanted["deals"], **whole} for row in piece["positions"]]
    return pd.DataFrame(rows)


def chance(p: float) -> str:
    """Write a p-value."""
    return "p < 10⁻⁹" if p < 1e-9 else f"p = {p:.2g}" if p >= 0.001 else f"p = {p:.0e}".replace("-", "−")


def tables(finding: pd.DataFrame) -> dict[str, str]:
    """Write a table a game: the dealer less the dealer's left, the best and the worst position, and the test."""
    made = {}
    for k, (_, game) in enumerate(finding.groupby(["policy", "rules"], sort=False)):
        rows = []
        for seats, table in game.groupby("seats"):
            best, worst = table.loc[table["mean"].idxmax()], table.loc[table["mean"].idxmin()]
            first = table.iloc[0]
            ends = [f"{place(row.position, seats)}: {ex.figure(row)}" for row in (best, worst)]
            spread = ex.said(first.spread, first.spread_low, first.spread_high)
            rows.append([seats, spread, *ends, chance(first.p_equal)])
        header = ["players", "dealer less dealer's left", "best position", "worst position", "all equal"]
        made["first" if k == 0 else f"also {k}"] = ex.markdown(header, rows, left=0)
    return made


def place(position: int, seats: int) -> str:
    """Write a position as the picture does."""
    return "D" if position == seats - 1 else str(position)


def draw(finding: pd.DataFrame) -> dict[str, Any]:
    """Draw one picture a game."""
    made = {}
    for k, ((policy, rules), game) in enumerate(finding.groupby(["policy", "rules"], sort=False)):
        title = f"Does position matter? {policy} plays itself, {rules}."
        made["position" if k == 0 else f"position_also_{k}"] = ps.plots.seat_effect(game, title=title)
    return made


def also(pieces: list[dict[str, Any]], results: Path) -> None:
    """Write positions.csv, of the first game only."""
    table = find([piece for piece in pieces if piece["settings"]["policy"] == pieces[0]["settings"]["policy"]])
    first = table[table["rules"] == table["rules"].iloc[0]].drop(columns=["policy", "rules"])
    ex.write_whole(results / "positions.csv", ex.as_csv(first))


POSITION = ex.Experiment(
    folder=HERE,
    question="Does position matter?",
    takes=["policy", "seats", "deals", "seed"],
    optional={"rules": {}, "also": []},
    split=split,
    play=play,
    find=find,
    tables=tables,
    draw=draw,
    say=say,
    also=also,
)

if __name__ == "__main__":
    POSITION.main()
