"""How much of the net is luck? See README.md beside this file.

    python experiments/luck/run.py [CONFIG] [--results FOLDER] [--quick] [--finding]

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
from palace_sim.policies.words import policy_from_text

HERE = Path(__file__).resolve().parent
BATCHES = 50
PARTS = ("skill", "company", "seat", "cards", "choices")
SHADES = {"skill": "#0072B2", "company": "#56B4E9", "seat": "#009E73", "cards": "#DDDDDD", "choices": "#E69F00"}
HATCHES = {"skill": "", "company": "//", "seat": "xx", "cards": "", "choices": ".."}


def split(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give a piece to each field of policies, game and number of players."""
    pieces = {}
    for field in settings["fields"]:
        for game in settings["games"]:
            for seats in game["seats"]:
                pieces[f"{field['name']}-{game['name']}-{seats}".replace(" ", "_")] = {
                    "field": field["name"],
                    "policies": field["policies"],
                    "fingerprints": ex.fingerprints(field["policies"]),
                    "game": game["name"],
                    "rules": game["rules"],
                    "seats": seats,
                    **{key: settings[key] for key in ("deals", "tables", "luck_deals", "luck_runs", "seed")},
                    "version": ex.version(),
                }
    return pieces


def nets(wanted: dict[str, Any], salt: int) -> np.ndarray:
    """Play all line-ups with one set of choice streams: (line-ups, members, positions, deals), chips."""
    seats, deals = wanted["seats"], wanted["deals"]
    policies = [policy_from_text(name) for name in wanted["policies"]]
    table = ps.round_robin(
        [policy.named(policy.name, salt=salt) for policy in policies],
        ps.Rules(**wanted["rules"]),
        seats=seats,
        deals=deals,
        seed=wanted["seed"],
        rows=True,
        tables=lineups(wanted),
        progress=False,
    )
    rows, members = table.seats, table.lineups.to_numpy()
    lineup = rows["lineup"].to_numpy()
    member = (members[lineup] == rows["policy"].astype(str).to_numpy()[:, None]).argmax(axis=1)
    found = np.zeros((len(members), seats, seats, deals), np.float32)
    found[lineup, member, rows["position"].to_numpy(), rows["deal"].to_numpy()] = rows["net"].to_numpy()
    return found


def lineups(wanted: dict[str, Any]) -> int | None:
    """Number of line-ups to choose, None for all."""
    policies, seats = len(wanted["policies"]), wanted["seats"]
    ways = int(np.prod([(policies - k) / (k + 1) for k in range(seats)]) + 0.5)
    return wanted["tables"] if ways > wanted["tables"] else None


def moments(wanted: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the shares are made of, by batch of deals, and which policy each member is.

    For each batch: the mean over its deals of the net in each cell, of two kinds (with either choice streams); then the
    mean square of a net, and half the mean square of the difference between the two kinds.
    """
    first, second = nets(wanted, 0), nets(wanted, 1)
    batches = min(BATCHES, wanted["deals"] // 2)
    use = wanted["deals"] // batches * batches
    both = np.stack([first[..., :use], second[..., :use]])
    by_batch = both.reshape(*both.shape[:-1], batches, -1)
    means = np.moveaxis(by_batch.mean(axis=-1, dtype=np.float64), -1, 0)
    square = (by_batch.astype(np.float64) ** 2).mean(axis=(0, 1, 2, 3, 5))
    gap = ((by_batch[0].astype(np.float64) - by_batch[1]) ** 2).mean(axis=(0, 1, 2, 4)) / 2
    rest = np.stack([square, gap], axis=1)
    return np.concatenate([means.reshape(batches, -1), rest], axis=1), np.array(means.shape[1:])


def shares(sums: np.ndarray, shape: np.ndarray, who: np.ndarray) -> list[dict[str, float]]:
    """Parts of the variance of a hand's net, in percent, and its standard deviation, with their intervals.

    Means of cells are squared without bias: as products of the means of different batches of deals.
    """

    def parts(batch_means: np.ndarray) -> np.ndarray:
        # the mean over pairs of different batches of x·y is (B·mean² - mean of x²)/(B - 1)
        total, gap = batch_means[:, -2].mean(), batch_means[:, -1].mean()
        cells = batch_means[:, :-2].reshape(-1, *shape).mean(axis=1)  # both kinds of choices
        number = len(cells)

        def squared(x: np.ndarray) -> np.ndarray:
            return (number * x.mean(axis=0) ** 2 - (x * x).mean(axis=0)) / (number - 1)

        by_member = cells.mean(axis=3)  # over positions: (batches, line-ups, members)
        flat, names = by_member.reshape(number, -1), who.ravel()
        by_policy = np.stack([flat[:, names == p].mean(axis=1) for p in np.unique(names)], axis=1)
        weight = np.bincount(names) / len(names)
        skill = float((weight * squared(by_policy)).sum())
        member = float(squared(by_member).mean())
        seat = float(squared(cells).mean())
        found = np.array([skill, member - skill, seat - member, total - gap - seat, gap])
        return np.append(100 * found / total, np.sqrt(total))

    batches = len(sums)
    whole = parts(sums)
    without = np.array([parts(np.delete(sums, k, axis=0)) for k in range(batches)])
    se = np.sqrt((batches - 1) / batches * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    return [ex.with_interval(value, error, batches) for value, error in zip(whole, se, strict=True)]


def taken_off(wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """How many times the deals it is worth to play all rotations, and to take the luck at the draws off.

    The factors of several tournaments, of deals of their own, by their logarithms.
    """
    factors = []
    for k in range(wanted["luck_runs"]):
        table = ps.round_robin(
            wanted["policies"],
            ps.Rules(**wanted["rules"]),
            seats=wanted["seats"],
            deals=wanted["luck_deals"],
            seed=wanted["seed"] + 1 + k,
            tables=min(lineups(wanted) or 10_000, 20) if lineups(wanted) else None,
            luck=True,
            progress=False,
        )
        less = table.without_luck(pilot=wanted["luck_deals"], progress=False)
        draws = float((less["se"] ** 2).sum() / (less["without_luck_se"] ** 2).sum())
        factors.append([float(np.exp(np.log(less["rotations"]).mean())), draws])
    logs = np.log(factors)
    found = []
    for name, column in zip(("all rotations", "luck at the draws"), logs.T, strict=True):
        e = ex.with_interval(column.mean(), column.std(ddof=1) / np.sqrt(len(column)), len(column))
        found.append({"part": name, **{key: float(np.exp(e[key])) for key in ("mean", "ci_low", "ci_high")}})
    return found


def play(wanted: dict[str, Any]) -> dict[str, Any]:
    """Play everything twice, with the same cards and seats and other choices, and divide the variance."""
    sums, shape = moments(wanted)
    who = members(wanted)
    *parts, spread = shares(sums, shape, who)
    found = [{"part": name, **row} for name, row in zip(PARTS, parts, strict=True)]
    found += [{"part": "standard deviation", **spread}, {"part": "hands until skill is half", **even(parts[0])}]
    return {"rows": found + taken_off(wanted)}


def even(skill: dict[str, float]) -> dict[str, float]:
    """Hands after which luck varies the mean net of a policy as much as skill does: luck's part over skill's."""
    ends = {"mean": "mean", "ci_low": "ci_high", "ci_high": "ci_low"}  # more skill, fewer hands
    return {end: (100 - skill[key]) / skill[key] if skill[key] > 0 else float("inf") for end, key in ends.items()}


def members(wanted: dict[str, Any]) -> np.ndarray:
    """Which policy sits in which line-up: (line-ups, members)."""
    table = ps.round_robin(
        wanted["policies"],
        ps.Rules(**wanted["rules"]),
        seats=wanted["seats"],
        deals=1,
        seed=wanted["seed"],
        tables=lineups(wanted),
        progress=False,
    )
    return table.plan.lineups


def say(piece: dict[str, Any]) -> str:
    """Tell the parts."""
    rows = {row["part"]: row for row in piece["rows"]}
    return ", ".join(f"{name} {ex.number(rows[name]['mean'])} %" for name in PARTS)


def find(pieces: list[dict[str, Any]]) -> pd.DataFrame:
    """List all parts of all tables."""
    rows = []
    for piece in pieces:
        wanted = piece["settings"]
        what = {key: wanted[key] for key in ("field", "game", "seats")}
        rows += [{**what, **row, "deals": wanted["deals"]} for row in piece["rows"]]
    return pd.DataFrame(rows)[["field", "game", "seats", "part", "mean", "se", "ci_low", "ci_high", "deals"]]


def tables(finding: pd.DataFrame) -> dict[str, str]:
    """Write the shares, and what they mean in hands."""
    parts, hands = [], []
    for name, table in finding.groupby(["field", "game", "seats"], sort=False):
        rows = table.set_index("part")
        parts.append([*name, *(ex.figure(rows.loc[part]) for part in PARTS)])
        spread, hands_needed = rows.loc["standard deviation"], rows.loc["hands until skill is half"]
        factors = [ex.figure(rows.loc[part]) for part in ("all rotations", "luck at the draws")]
        hands.append([*name, ex.figure(spread, 1), ex.figure(hands_needed, 0), *factors])
    head = ["field", "game", "players"]
    return {
        "shares": ex.markdown([*head, *(f"{part}, %" for part in PARTS)], parts, left=2),
        "hands": ex.markdown(
            [*head, "standard deviation", "hands until half is skill", "all rotations", "draws"], hands, left=2
        ),
    }


def draw(finding: pd.DataFrame) -> dict[str, Any]:
    """Draw the shares as bars that add up to 100 %."""
    games = list(finding.groupby(["field", "game", "seats"], sort=False))
    ax = Figure(figsize=(8.2, 1.6 + 0.5 * len(games)), dpi=120, layout="constrained").add_subplot()
    left, labels = np.zeros(len(games)), []
    value = {part: np.array([table.set_index("part").loc[part, "mean"] for _, table in games]) for part in PARTS}
    for part in PARTS:
        wide = np.maximum(value[part], 0)
        style = {"color": SHADES[part], "hatch": HATCHES[part], "edgecolor": "white", "label": part}
        ax.barh(range(len(games)), wide, left=left, **style)
        for k, (start, width) in enumerate(zip(left, wide, strict=True)):
            if width >= 4:
                ax.text(start + width / 2, k, f"{width:.0f}", ha="center", va="center", fontsize="small",
                        bbox={"boxstyle": "round,pad=0.15", "color": "white", "alpha": 0.8})  # fmt: skip
        left += wide
    labels = [f"{field}, {game}, {seats} players" for (field, game, seats), _ in games]
    ax.set_yticks(range(len(games)), labels)
    ax.set_ylim(len(games) - 0.4, -0.6)
    ax.set_xlim(0, max(100.0, left.max()))
    ax.set_xlabel("share of the variance of a hand's net, %")
    ax.spines[["top", "right"]].set_visible(False)
    ax.figure.legend(*ax.get_legend_handles_labels(), ncols=5, loc="outside lower center", frameon=False)
    ax.set_title(f"How much of the net is luck? {int(finding['deals'].iloc[0]):,} deals, each played twice", loc="left")
    return {"luck": ax}


LUCK = ex.Experiment(
    folder=HERE,
    question="How much of the net is luck?",
    takes=["deals", "tables", "luck_deals", "luck_runs", "seed", "fields", "games"],
    split=split,
    play=play,
    find=find,
    tables=tables,
    draw=draw,
    say=say,
)

if __name__ == "__main__":
    LUCK.main()
