"""What is the luck of the banner worth? See README.md beside this file.

    python experiments/banner_luck/run.py [CONFIG] [--results FOLDER] [--quick] [--finding]

Every piece is kept as soon as it is played: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import experiment as ex
from matplotlib.figure import Figure

import palace_sim as ps
from palace_sim.hand.positions import dealt
from palace_sim.kernels.deal import deal_cards, draw_dealer
from palace_sim.plots.base import COLOURS, GREY
from palace_sim.policies.words import policy_from_text

HERE = Path(__file__).resolve().parent
RANKS = "23456789TJQKA"
BATCHES = 50
COMPANY = (5, 6, 7)  # players, of whom only those in the second group must have a suit that another one has


def split(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give a piece to each game and number of players."""
    pieces = {}
    for game in settings["games"]:
        policy = policy_from_text(game["policy"])
        for seats in game["seats"]:
            pieces[f"{game['name']}-{policy.name}-{seats}".replace(" ", "_")] = {
                "game": game["name"],
                "policy": policy.name,
                "fingerprint": policy.fingerprint,
                "rules": game["rules"],
                "seats": seats,
                "deals": settings["deals"],
                "seed": settings["seed"],
                "version": ex.version(),
            }
    return pieces


@functools.lru_cache(1)
def cards(seats: int, deals: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Banners and palaces of deals, (deals, seats): what `ps.Hand.deal` shows one at a time, at a tenth of the time."""
    state = dealt(None, seats, seed, 0, None)[0]
    banners, palaces = np.empty((deals, seats), np.int64), np.empty((deals, seats), np.int64)
    for deal in range(deals):
        state.deal = deal
        state.dealer = draw_dealer(state)
        deal_cards(state)
        banners[deal], palaces[deal] = state.players["banner"][:seats], state.palace[:seats]
    return banners, palaces


def of_suit(palaces: np.ndarray, suits: np.ndarray) -> np.ndarray:
    """Number of palace cards of a suit."""
    return np.bitwise_count(palaces >> 16 * suits & 0x1FFF).astype(np.int64)


def play(wanted: dict[str, Any]) -> dict[str, Any]:
    """Play one hand a deal, all seats by one policy, and sort the nets by what was dealt."""
    seats, deals, rules = wanted["seats"], wanted["deals"], ps.Rules(**wanted["rules"])
    policy = policy_from_text(wanted["policy"])
    result = ps.play([policy] * seats, rules, deals=deals, seed=wanted["seed"], rotate=False, progress=False)
    rows = result.seats[["deal", "seat", "position", "net"]].to_numpy(np.int64)
    nets, position = np.zeros((deals, seats), np.int64), np.zeros((deals, seats), np.int64)
    nets[rows[:, 0], rows[:, 1]], position[rows[:, 0], rows[:, 1]] = rows[:, 3], rows[:, 2]
    banners, palaces = cards(seats, deals, wanted["seed"])
    rank, suit = banners >> 2, banners & 3
    found = [line("rank", RANKS[r], nets, rank == r) for r in range(12, -1, -1)]
    found.append({"by": "a rank", "value": "slope", **slope(nets, rank), "share": None})
    found.append({"by": "rank, part of the variance", "value": "share", **explained(nets, rank), "share": None})
    own = of_suit(palaces, suit)
    found += [line("palace cards of the own banner's suit", str(k), nets, own == k) for k in range(4)]
    if seats == 2:
        blocked = of_suit(palaces, suit[:, ::-1])
        found += [line("palace cards that the foe's banner blocks", str(k), nets, blocked == k) for k in range(4)]
    if seats in COMPANY:
        found += company(nets, suit, position)
    return {"rows": [row for row in found if row is not None]}


def line(by: str, value: str, nets: np.ndarray, chosen: np.ndarray) -> dict[str, Any] | None:
    """Mean net of the seats chosen, and how large a part of all they are; None where there are too few."""
    counts = chosen.sum(axis=1)
    if (counts > 0).sum() < 2:
        return None
    return {"by": by, "value": value, **ex.estimate((nets * chosen).sum(axis=1), counts), "share": float(chosen.mean())}


def slope(nets: np.ndarray, rank: np.ndarray) -> dict[str, float]:
    """Chips that a banner one rank higher brings, by least squares; errors from deals."""
    x = rank - rank.mean()
    square = float((x * x).sum())
    value = float((x * nets).sum()) / square
    residual = (x * (nets - nets.mean() - value * x)).sum(axis=1)
    deals = len(nets)
    return ex.with_interval(value, float(np.sqrt(deals / (deals - 1) * (residual**2).sum())) / square, deals)


def explained(nets: np.ndarray, rank: np.ndarray) -> dict[str, float]:
    """Part of the variance of a hand's net that the own banner's rank explains, in percent.

    ω² (Hays, "Statistics", 1963): what 13 groups explain by chance is taken off, so it may be a little below 0.
    """
    deals = len(nets)
    batches = min(BATCHES, deals // 2)
    use = deals // batches * batches
    flat = nets[:use].reshape(batches, -1).astype(float)
    groups = rank[:use].reshape(batches, -1)
    held = np.stack([groups == r for r in range(13)])
    sums = np.concatenate([held.sum(axis=2), (held * flat).sum(axis=2), (flat**2).sum(axis=1)[None]]).T.astype(float)

    def omega(mean: np.ndarray) -> np.ndarray:
        n, total, square = mean[:13], mean[13:26], mean[26]
        between = (np.divide(total * total, n, out=np.zeros(13), where=n > 0)).sum() - total.sum() ** 2 / n.sum()
        every = square - total.sum() ** 2 / n.sum()
        within = (every - between) / (n.sum() * batches - 13) * batches  # of one hand, as n is a batch's
        return np.array([100 * (between - 12 * within / batches) / (every + within / batches)])

    return ex.jackknife(omega, sums)[0]


def company(nets: np.ndarray, suit: np.ndarray, position: np.ndarray) -> list[dict[str, Any] | None]:
    """Nets of those who share their suit with one other, and of those who are alone with it.

    Among the first four positions, who have different suits (R6): which of them another one joins is chance.
    """
    first = position < 4
    others = (suit[:, :, None] == suit[:, None, :]).sum(axis=2) - 1
    made = [line("others of the own suit, first four", str(k), nets, first & (others == k)) for k in (0, 1)]
    joined, alone = first & (others == 1), first & (others == 0)
    both = joined.any(axis=1) & alone.any(axis=1)
    gap = (nets * joined).sum(axis=1) / np.maximum(joined.sum(axis=1), 1)
    gap -= (nets * alone).sum(axis=1) / np.maximum(alone.sum(axis=1), 1)
    if both.sum() > 1:
        by = "others of the own suit, first four"
        made.append({"by": by, "value": "1 less 0", **ex.estimate(gap[both]), "share": float(both.mean())})
    return made


def say(piece: dict[str, Any]) -> str:
    """Tell what a rank brings."""
    row = next(row for row in piece["rows"] if row["by"] == "a rank")
    return f"a banner one rank higher brings {ex.said(row['mean'], row['ci_low'], row['ci_high'], 3)} chips a hand"


def find(pieces: list[dict[str, Any]]) -> pd.DataFrame:
    """List all figures, and beside those of `stay` heads-up what they must be: exact odds times the antes."""
    rows = []
    for piece in pieces:
        wanted = piece["settings"]
        what = {key: wanted[key] for key in ("game", "policy", "seats")}
        rows += [{**what, **row, "deals": wanted["deals"]} for row in piece["rows"]]
    table = pd.DataFrame(rows)
    equity = ps.odds_by_banners().mean(axis=1)  # the foe's rank is any, since R6 only asks for another suit
    table["equity"] = equity.reindex(table["value"].where(table["by"] == "rank")).to_numpy()
    return table


def tables(finding: pd.DataFrame) -> dict[str, str]:
    """Write a table of ranks, one of what a rank is worth, one of palace suits and one of company."""
    games = finding.groupby(["game", "policy", "seats"], sort=False)
    stay = finding[(finding["policy"] == "stay") & (finding["by"] == "rank")]
    if not len(stay):
        stay = finding[finding["by"] == "rank"].iloc[:0]
    exact = [
        [row["value"], f"{100 * row['equity']:.2f}", ex.number(10 * row["equity"] - 5, 3), ex.figure(row, 3)]
        for _, row in stay.iterrows()
    ]
    worth, suits, company_rows = [], [], []
    for (game, policy, seats), table in games:
        by = {what: part.set_index("value") for what, part in table.groupby("by")}
        name = [game, policy, seats]
        ranks = by["rank"]
        ends = cells(ranks, "A", "8", "2")
        slope_of, part = by["a rank"].iloc[0], by["rank, part of the variance"].iloc[0]
        worth.append([*name, *ends, ex.figure(slope_of, 3), ex.figure(part)])
        own = by["palace cards of the own banner's suit"]
        block = by.get("palace cards that the foe's banner blocks")
        for kind, part in (("own banner's", own), ("foe's banner's", block)):
            if part is not None:
                suits.append([*name, kind, *cells(part, *"0123")])
        joined = by.get("others of the own suit, first four")
        if joined is not None:
            company_rows.append([*name, *cells(joined, "0", "1", "1 less 0")])
    head = ["game", "policy", "players"]
    return {
        "exact": ex.markdown(["banner", "equity, % (exact)", "net of `stay` (exact)", "as played"], exact, left=1),
        "worth": ex.markdown([*head, "ace", "8", "deuce", "a rank", "% of the variance"], worth, left=2),
        "suits": ex.markdown([*head, "palace cards of suit", "none", "one", "two", "three"], suits, left=4),
        "company": ex.markdown([*head, "alone with the suit", "one more has it", "difference"], company_rows, left=2),
    }


def cells(part: pd.DataFrame, *values: str) -> list[str]:
    """Write the figures for some values; nothing where there is none."""
    return [ex.figure(part.loc[value]) if value in part.index else "" for value in values]


def draw(finding: pd.DataFrame) -> dict[str, Any]:
    """Draw the net by the own banner's rank: a picture a game, a line a number of players."""
    ranks = finding[finding["by"] == "rank"]
    games = list(ranks.groupby(["game", "policy"], sort=False))
    figure_ = Figure(figsize=(1.0 + 4.0 * len(games), 4.2), dpi=120, layout="constrained")
    places = figure_.subplots(1, len(games), squeeze=False)[0]
    palette = (*COLOURS[:2], "#009E73", "#CC79A7")
    for ax, ((game, policy), part) in zip(places, games, strict=True):
        ax.axhline(0, color=GREY, linewidth=0.8)
        for k, (seats, table) in enumerate(part.groupby("seats")):
            x = [RANKS.index(value) for value in table["value"]]
            ends = np.abs(table[["ci_low", "ci_high"]].to_numpy(float).T - table["mean"].to_numpy(float))
            style = {"marker": "osD^"[k], "color": palette[k], "ms": 4, "capsize": 2, "linewidth": 1.1}
            ax.errorbar(x, table["mean"], ends, label=f"{seats} players", **style)
        if policy == "stay":
            table = part[part["seats"] == 2]
            x = [RANKS.index(value) for value in table["value"]]
            ax.plot(x, 10 * table["equity"] - 5, "x", color="#000000", ms=8, label="exact", zorder=4)
        ax.set_xticks(range(13), list(RANKS))
        ax.set_xlabel("own banner's rank")
        ax.set_title(f"{policy}, {game}", loc="left", fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color="#dddddd", linewidth=0.7)
        ax.legend(frameon=False, fontsize="small")
    places[0].set_ylabel("net, chips a hand")
    deals = f"{int(ranks['deals'].iloc[0]):,}"
    figure_.suptitle(f"What a banner is worth: mean and 95 % interval, {deals} deals", x=0.01, ha="left")
    return {"banner_luck": places[0]}


BANNER_LUCK = ex.Experiment(
    folder=HERE,
    question="What is the luck of the banner worth?",
    takes=["deals", "seed", "games"],
    split=split,
    play=play,
    find=find,
    tables=tables,
    draw=draw,
    say=say,
)

if __name__ == "__main__":
    BANNER_LUCK.main()
