"""Does position matter? See README.md beside this file.

    python experiments/position/run.py [CONFIG] [--results FOLDER]

Each number of players is a piece of its own, written when it is done: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution

import palace_sim as ps
from palace_sim.policies.words import policy_from_text
from palace_sim.statistics import interval, mean_se

HERE = Path(__file__).parent
TAKES = {"policy", "seats", "deals", "seed", "rules"}


def nets_by_position(settings: dict[str, Any], seats: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Play the deals at one table size; return net chips as (deals, seats), by position, and the run's manifest."""
    policy = policy_from_text(settings["policy"])
    result = ps.play(
        [policy] * seats,
        ps.Rules(**settings["rules"]),
        deals=settings["deals"],
        seed=settings["seed"],
        rotate=False,
    )
    rows = result.seats[["deal", "position", "net"]].to_numpy(np.int64)
    nets = np.zeros((settings["deals"], seats), np.int64)
    nets[rows[:, 0], rows[:, 1]] = rows[:, 2]
    return nets, result.manifest


def positions_differ(nets: np.ndarray) -> float:
    """Test that all positions have one mean; return the p-value.

    Hotelling's T² of the differences to the dealer: the nets of one deal sum to zero and are far from independent.
    """
    deals, seats = nets.shape
    contrasts = (nets[:, :-1] - nets[:, -1:]).astype(float)
    mean, covariance = contrasts.mean(axis=0), np.atleast_2d(np.cov(contrasts.T))
    t2 = deals * mean @ np.linalg.solve(covariance, mean)
    k = seats - 1
    return float(f_distribution.sf(t2 * (deals - k) / (k * (deals - 1)), k, deals - k))


def estimate(nets: np.ndarray) -> dict[str, np.ndarray | float]:
    """Mean, standard error and 95 % interval of each column; the deal is the unit."""
    deals = len(nets)
    pairs = [mean_se(int(column.sum()), int((column * column).sum()), deals, 1) for column in nets.T]
    mean, se = np.array(pairs).T
    low, high = interval(mean, se, deals)
    return {"mean": mean, "se": se, "ci_low": low, "ci_high": high}


def play_piece(settings: dict[str, Any], seats: int) -> dict[str, Any]:
    """Play one number of players and return its piece: all that the summary needs."""
    nets, manifest = nets_by_position(settings, seats)
    table = pd.DataFrame({"seats": seats, "position": range(seats), **estimate(nets), "deals": len(nets)})
    spread = {key: float(value[0]) for key, value in estimate(nets[:, -1:] - nets[:, :1]).items()}
    return {
        "settings": piece_settings(settings, seats),
        "manifest": manifest,
        "positions": table.to_dict("records"),
        "dealer_less_left": spread,
        "p_equal": positions_differ(nets),
    }


def piece_settings(settings: dict[str, Any], seats: int) -> dict[str, Any]:
    """All that decides a piece; a stored piece with other settings is not taken."""
    policy = policy_from_text(settings["policy"])
    return {**settings, "seats": seats, "policy": policy.name, "fingerprint": policy.fingerprint}


def read_piece(path: Path, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """Return a stored piece, None where there is none or it is damaged; refuse one of other settings."""
    try:
        piece = json.loads(path.read_text())
        found = piece["settings"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        print(f"{path.name} is damaged and will be played again", file=sys.stderr)
        return None
    for key, value in wanted.items():
        if found.get(key) != value:
            raise SystemExit(
                f"{path} was played with {key}={found.get(key)!r}, not {value!r}: choose another --results or remove it"
            )
    return dict(piece)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


def read_config(path: Path) -> dict[str, Any]:
    """Read the settings, and refuse names that mean nothing here."""
    settings = {"rules": {}, **tomllib.loads(path.read_text())}
    wrong = set(settings) ^ TAKES
    if wrong:
        raise SystemExit(f"{path}: takes {', '.join(sorted(TAKES))}; too many or missing: {', '.join(sorted(wrong))}")
    return settings


def run(config: Path, results: Path) -> pd.DataFrame:
    """Play what is missing, write positions.csv, spread.csv and position.png; return the table of positions."""
    settings = read_config(config)
    results.mkdir(parents=True, exist_ok=True)
    pieces = []
    for seats in settings["seats"]:
        path = results / f"seats_{seats:02d}.json"
        piece = read_piece(path, piece_settings(settings, seats))
        said = "stored"
        if piece is None:
            piece, said = play_piece(settings, seats), "played"
            write_whole(path, json.dumps(piece, indent=1))
        pieces.append(piece)
        spread = piece["dealer_less_left"]
        print(
            f"{seats:2d} players, {said}: dealer less dealer's left {spread['mean']:+.2f} chips a hand "
            f"({spread['ci_low']:+.2f} to {spread['ci_high']:+.2f}); all positions equal: p = {piece['p_equal']:.2g}"
        )
    table = pd.DataFrame([row for piece in pieces for row in piece["positions"]])
    write_whole(results / "positions.csv", table.to_csv(index=False))
    lines = [{"seats": p["settings"]["seats"], **p["dealer_less_left"], "p_equal": p["p_equal"]} for p in pieces]
    write_whole(results / "spread.csv", pd.DataFrame(lines).to_csv(index=False))
    title = f"Does position matter? {pieces[0]['settings']['policy']} plays itself."
    ps.plots.seat_effect(table, title=title).figure.savefig(results / "position.png")
    return table


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="Does position matter?")
    parser.add_argument("config", nargs="?", type=Path, default=HERE / "config.toml")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    run(arguments.config, arguments.results)


if __name__ == "__main__":
    main()
