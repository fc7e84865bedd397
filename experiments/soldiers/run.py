"""How many soldiers to buy before attacking? See README.md beside this file.

    python experiments/soldiers/run.py [CONFIG] [--results FOLDER] [--quick] [--finding]

Every piece is kept as soon as it is played: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import experiment as ex
from matplotlib.figure import Figure

import palace_sim as ps
from palace_sim.plots.base import GREY
from palace_sim.policies.words import policy_from_text
from palace_sim.statistics import letters, told_apart

HERE = Path(__file__).resolve().parent
RECRUIT = f"{HERE / 'recruit.py'}:recruit"
BATCHES = 500
MARKERS = "osD^vP*X"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")  # Okabe and Ito


def split(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give a piece to each table of foes, in each game."""
    pieces = {}
    for game in settings["games"]:
        for foes in game["tables"]:
            seats = len(foes) + 1
            name = f"{game['name']}-{seats}-{'-'.join(sorted(set(foes), key=foes.index))}".replace(" ", "_")
            pieces[name] = {
                **{key: settings[key] for key in ("soldiers", "attack", "tuning_deals", "deals", "seed")},
                "game": game["name"],
                "rules": game["rules"],
                "foes": foes,
                "fingerprints": ex.fingerprints([RECRUIT, *foes]) | {"recruit": ex.fingerprints([RECRUIT])[RECRUIT]},
                "version": ex.version(),
            }
            pieces[name]["fingerprints"].pop(RECRUIT)  # which holds a path
    return pieces


def nets(wanted: dict[str, Any], soldiers: int, attack: float, deals: int, seed: int) -> np.ndarray:
    """Net of `recruit` in each deal, over its hands in all rotations; the same cards and seats for all parameters."""
    recruit = policy_from_text(RECRUIT).with_(soldiers=soldiers, attack=attack).named("recruit")
    table = [recruit, *(policy_from_text(foe) for foe in wanted["foes"])]
    result = ps.play(table, ps.Rules(**wanted["rules"]), deals=deals, seed=seed, rows="deals", progress=False)
    rows = result.deals[result.deals["policy"] == "recruit"]
    found = np.zeros(deals, np.int64)
    found[rows["deal"].to_numpy()] = rows["net"].to_numpy()
    return found


def play(wanted: dict[str, Any]) -> dict[str, Any]:
    """Tune each number of soldiers alike, on deals of their own, then measure them all on the same fresh deals."""
    armies, deals, hands = wanted["soldiers"], wanted["deals"], len(wanted["foes"]) + 1
    chosen = []
    for soldiers in armies:
        tried = [nets(wanted, soldiers, a, wanted["tuning_deals"], wanted["seed"] + 1).sum() for a in wanted["attack"]]
        chosen.append(wanted["attack"][int(np.argmax(tried))])
    figures = np.stack([nets(wanted, s, a, deals, wanted["seed"]) for s, a in zip(armies, chosen, strict=True)], axis=1)
    best = int(np.argmax(figures.sum(axis=0)))
    apart = tell_apart(figures)
    groups = letters(figures.mean(axis=0), ~apart)
    rows = []
    for k, soldiers in enumerate(armies):
        less = ex.estimate((figures[:, k] - figures[:, 0]) / hands)
        rows.append(
            {
                "soldiers": soldiers,
                "attack": chosen[k],
                **ex.estimate(figures[:, k] / hands),
                **{f"less_none_{key}": less[key] for key in ("mean", "ci_low", "ci_high")},
                "group": groups[k],
                "as_good_as_best": not apart[k, best],
            }
        )
    return {"rows": rows}


def tell_apart(figures: np.ndarray) -> np.ndarray:
    """Pairs of numbers of soldiers that differ, family-wise 95 % over all pairs of a table."""
    deals, many = figures.shape
    parts = np.array_split(figures, min(BATCHES, deals))
    counts, sums = [len(part) for part in parts], np.array([part.sum(axis=0) for part in parts])
    return told_apart(counts, sums, [1] * many, figures.T @ figures, figures.sum(axis=0).tolist())


def say(piece: dict[str, Any]) -> str:
    """Name the best number of soldiers."""
    best = max(piece["rows"], key=lambda row: row["mean"])
    as_good = ", ".join(str(row["soldiers"]) for row in piece["rows"] if row["as_good_as_best"])
    figure = ex.said(best["mean"], best["ci_low"], best["ci_high"])
    return f"best with {best['soldiers']} soldiers, {figure} chips a hand; as good as the best: {as_good}"


def find(pieces: list[dict[str, Any]]) -> pd.DataFrame:
    """List every number of soldiers at every table."""
    rows = []
    for piece in pieces:
        wanted = piece["settings"]
        foes = wanted["foes"]
        against = foes[0] if len(set(foes)) == 1 else "mixed"
        what = {"game": wanted["game"], "seats": len(foes) + 1, "foes": against}
        rows += [{**what, **row, "deals": wanted["deals"]} for row in piece["rows"]]
    return pd.DataFrame(rows)


def tables(finding: pd.DataFrame) -> dict[str, str]:
    """Write a table a game: for each table of foes the best number of soldiers."""
    made = {}
    for game, part in finding.groupby("game", sort=False):
        rows = []
        for (seats, foes), table in part.groupby(["seats", "foes"], sort=False):
            best = table.loc[table["mean"].idxmax()]
            none = table.iloc[0]
            as_good = ", ".join(str(s) for s in table.loc[table["as_good_as_best"].astype(bool), "soldiers"])
            rows.append(
                [
                    seats,
                    foes,
                    f"{best.soldiers} ({as_good})",
                    number(best.attack),
                    ex.said(none["mean"], none.ci_low, none.ci_high),
                    ex.said(best["mean"], best.ci_low, best.ci_high),
                    ex.said(best.less_none_mean, best.less_none_ci_low, best.less_none_ci_high),
                ]
            )
        header = ["seats", "foes", "best (not told apart)", "attacks above", "net with none", "with the best", "gain"]
        made[str(game)] = ex.markdown(header, rows, left=2)
    return made


def number(attack: float) -> str:
    """Write the chance above which it attacks."""
    return "never" if attack >= 1 else ex.number(attack)


def draw(finding: pd.DataFrame) -> dict[str, Any]:
    """Draw net against soldiers bought: a row of pictures a game, one heads-up and one for each larger table."""
    made = {}
    for game, part in finding.groupby("game", sort=False):
        sizes = sorted(part["seats"].unique())
        figure = Figure(figsize=(5.2 * len(sizes) + 0.8, 4.4), dpi=120, layout="constrained")
        places = figure.subplots(1, len(sizes), squeeze=False)[0]
        for ax, seats in zip(places, sizes, strict=True):
            of_size = part[part["seats"] == seats]
            ax.axhline(0, color=GREY, linewidth=0.8)
            middle = (of_size["foes"].nunique() - 1) / 2
            for k, (foes, table) in enumerate(of_size.groupby("foes", sort=False)):
                ends = np.abs(table[["ci_low", "ci_high"]].to_numpy(float).T - table["mean"].to_numpy(float))
                label = foes if seats == 2 or foes == "mixed" else f"{seats - 1} × {foes}"
                style = {"marker": MARKERS[k], "color": COLOURS[k], "ms": 5, "capsize": 2, "linewidth": 1.2}
                beside = table["soldiers"] + 0.12 * (k - middle)  # so that equal lines can be told apart
                ax.errorbar(beside, table["mean"], ends, label=label, **style)
            ax.set_xticks(sorted(of_size["soldiers"].unique()))
            ax.set_xlabel("soldiers bought before attacking")
            ax.set_title(f"{seats} seats", loc="left", fontsize="medium")
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(axis="y", color="#dddddd", linewidth=0.7)
            ax.legend(frameon=False, fontsize="small", title="against")
        places[0].set_ylabel("net, chips a hand")
        deals = f"{int(part['deals'].iloc[0]):,}"
        figure.suptitle(f"Soldiers before attacking, {game}: mean and 95 % interval, {deals} deals", x=0.01, ha="left")
        made[f"soldiers-{game}".replace(" ", "_")] = places[0]
    return made


SOLDIERS = ex.Experiment(
    folder=HERE,
    question="How many soldiers to buy before attacking?",
    takes=["soldiers", "attack", "tuning_deals", "deals", "seed", "games"],
    split=split,
    play=play,
    find=find,
    tables=tables,
    draw=draw,
    say=say,
)

if __name__ == "__main__":
    SOLDIERS.main()
