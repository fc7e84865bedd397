"""Which built-in policy is best at which table size? See README.md beside this file.

    python experiments/table_size/run.py [CONFIG] [--results FOLDER] [--quick] [--finding]

Every piece is kept as soon as it is played: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import experiment as ex
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure

import palace_sim as ps

HERE = Path(__file__).resolve().parent

# apart for colour-blind eyes, and light enough for black numbers
SHADES = LinearSegmentedColormap.from_list("net", ["#e29252", "#ffffff", "#55a1cc"])


def split(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give a piece to each field, game and number of players."""
    pieces = {}
    for field in settings["fields"]:
        for game in settings["games"]:
            for seats in settings["seats"]:
                if not field["copies"] and seats > len(field["policies"]):
                    continue
                pieces[f"{field['name']}-{game['name']}-{seats:02d}".replace(" ", "_")] = {
                    "field": field["name"],
                    "policies": field["policies"],
                    "fingerprints": ex.fingerprints(field["policies"]),
                    "copies": field["copies"],
                    "game": game["name"],
                    "rules": game["rules"],
                    "seats": seats,
                    **{key: settings[key] for key in ("hands", "tables", "seed")},
                    "version": ex.version(),
                }
    return pieces


def tournament(wanted: dict[str, Any]) -> ps.Tournament:
    """Play tables of different policies, or tables drawn with copies; as many hands whatever the size."""
    rules, seats, policies = ps.Rules(**wanted["rules"]), wanted["seats"], wanted["policies"]
    ways = math.inf if wanted["copies"] else math.comb(len(policies), seats)
    tables = min(wanted["tables"], ways)
    how = {"seats": seats, "deals": max(2, wanted["hands"] // (tables * seats)), "seed": wanted["seed"]}
    if wanted["copies"]:
        return ps.population(dict.fromkeys(policies, 1.0), rules, tables=tables, progress=False, **how)
    return ps.round_robin(policies, rules, tables=None if tables == ways else tables, progress=False, **how)


def play(wanted: dict[str, Any]) -> dict[str, Any]:
    """Play one number of players."""
    table = tournament(wanted)
    board = table.leaderboard
    best = board["policy"].iloc[0]
    rows = []
    for row in board.itertuples():
        gap = {"mean": 0.0, "ci_low": 0.0, "ci_high": 0.0} if row.policy == best else table.difference(best, row.policy)
        rows.append(
            {
                "policy": row.policy,
                "mean": row.mean,
                "se": row.se,
                "ci_low": row.ci_low,
                "ci_high": row.ci_high,
                "behind": gap["mean"],
                "behind_low": gap["ci_low"],
                "behind_high": gap["ci_high"],
                "group": row.group,
                "deals": int(row.deals),
            }
        )
    return {"rows": rows}


def say(piece: dict[str, Any]) -> str:
    """Name the best."""
    best, second, *_ = piece["rows"]
    lead = ex.said(second["behind"], second["behind_low"], second["behind_high"])
    return f"{best['policy']} is best, ahead of {second['policy']} by {lead} chips a hand"


def find(pieces: list[dict[str, Any]]) -> pd.DataFrame:
    """List the leaderboards of all tables."""
    rows = []
    for piece in pieces:
        wanted = piece["settings"]
        what = {key: wanted[key] for key in ("field", "game", "seats")}
        rows += [{**what, "place": k, **row} for k, row in enumerate(piece["rows"], 1)]
    return pd.DataFrame(rows)


def tables(finding: pd.DataFrame) -> dict[str, str]:
    """Write a table a field and game: who is best at each size, and by how much."""
    made = {}
    for (field, game), part in finding.groupby(["field", "game"], sort=False):
        rows = []
        for seats, board in part.groupby("seats"):
            best, second = board.iloc[0], board.iloc[1]
            told = set(str(best.group).replace(" ", ""))
            others = [row.policy for row in board.iloc[1:].itertuples() if told & set(str(row.group).replace(" ", ""))]
            rows.append(
                [
                    seats,
                    best.policy,
                    second.policy,
                    ", ".join(others) or "–",
                    ex.said(best["mean"], best.ci_low, best.ci_high),
                    ex.said(second.behind, second.behind_low, second.behind_high),
                ]
            )
        header = ["players", "best", "second", "not told apart from the best", "net of the best", "best less second"]
        made[f"{field}, {game}"] = ex.markdown(header, rows, left=4)
    return made


def draw(finding: pd.DataFrame) -> dict[str, Any]:
    """Draw a heatmap a field and game: policies by table size; a dot where one is not told apart from the best."""
    made = {}
    for (field, game), part in finding.groupby(["field", "game"], sort=False):
        values = part.pivot(index="policy", columns="seats", values="mean")
        values = values.loc[values.mean(axis=1).sort_values(ascending=False).index]
        groups = part.pivot(index="policy", columns="seats", values="group").loc[values.index]
        best = part[part["place"] == 1].set_index("seats")["group"]
        size = (2.6 + 0.85 * values.shape[1], 1.9 + 0.42 * len(values))
        ax = Figure(figsize=size, dpi=120, layout="constrained").add_subplot()
        numbers = values.to_numpy(float)
        reach = max(float(np.abs(numbers).max()), 0.01)
        # by the square root, so that small nets at small tables can be seen beside large ones
        shown = np.sign(numbers) * np.sqrt(np.abs(numbers))
        ax.imshow(shown, SHADES, TwoSlopeNorm(0, -math.sqrt(reach), math.sqrt(reach)), aspect="auto")
        for (i, j), value in np.ndenumerate(numbers):
            as_good = set(str(groups.iloc[i, j])) & set(str(best[values.columns[j]])) - {" "}
            ax.text(j, i, ex.number(value, 1) + (" •" if as_good else ""), ha="center", va="center", fontsize=8,
                    fontweight="bold" if as_good else "normal")  # fmt: skip
        ax.set_xticks(range(values.shape[1]), [str(seats) for seats in values.columns])
        ax.set_yticks(range(len(values)), list(values.index))
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel("players")
        title = f"Net by table size, chips a hand: {field}, {game}\n• not told apart from the best"
        ax.set_title(title, loc="left", fontsize=10)
        made[f"table_size-{field}-{game}".replace(" ", "_")] = ax
    return made


TABLE_SIZE = ex.Experiment(
    folder=HERE,
    question="Which built-in policy is best at which table size?",
    takes=["seats", "hands", "tables", "seed", "fields", "games"],
    split=split,
    play=play,
    find=find,
    tables=tables,
    draw=draw,
    say=say,
)

if __name__ == "__main__":
    TABLE_SIZE.main()
