"""What becomes of attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palace_sim.plots.base import WIDEST, axes, beside, head, need, percent_axis, rows_on
from palace_sim.statistics import share

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# From what the attacker likes best to what it likes least; apart in lightness as well as in colour, folds paler.
FATES = {
    "defender folds": "#9ccbe8",
    "called, attacker wins": "#0072B2",
    "called, tie": "#cfcfcf",
    "called, attacker loses": "#D55E00",
    "attacker folds": "#f3bf94",
}
DARK = ("#0072B2", "#D55E00")  # white can be read on these
WRITTEN = 0.045  # share from which on a part of a bar is wide enough for its number
NAMES = {"raises": "raises", "attacker_soldiers": "attacker's soldiers", "defender_soldiers": "defender's soldiers"}


def battle_flow(
    table: pd.DataFrame,
    by: str = "raises",
    seats: pd.DataFrame | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw what becomes of attacks: folded to, called and won, tied or lost, or given up after a raise.

    A bar is for all attacks, and one for each value of `by`; parts of a bar add up to one. At the right stand the
    number of attacks and the share of them that the attacker won, by a fold or a call, with its 95 % interval (the deal
    is the unit).

    Parameters
    ----------
    table : DataFrame
        `Result.battles`: deal, attacker, end, winner, and the column `by`.
    by : str
        Column of `table` whose values have a bar each, such as "raises" or "attacker_soldiers"; or "policy" for the
        attacker's policy, which needs `seats`.
    seats : DataFrame, optional
        `Result.seats` of the same result, to find policies in.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str, optional
        Title of the axes; None says what is shown.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, there are no rows, or `seats` is of another result; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> result = ps.play(["hunter", "tight"], deals=300, seed=1)
    >>> ax = battle_flow(result.battles)
    >>> ax.get_yticklabels()[0].get_text()
    'all attacks'
    """
    if by == "policy":
        table = _with_policies(table, seats)
    need(table, "deal", "attacker", "end", "winner", by, takes="Result.battles")
    names, parts = ["all attacks"], [table]
    for value, part in table.groupby(by, observed=True, sort=True):
        names.append(str(value))
        parts.append(part)
    counts = np.array([_fates(part) for part in parts])
    shares = counts / counts.sum(axis=1, keepdims=True)
    ax = axes(ax, min(WIDEST, 8.5), 1.9 + 0.36 * len(names))
    places, left = np.arange(len(names)), np.zeros(len(names))
    for k, (fate, colour) in enumerate(FATES.items()):
        often = shares[:, k]
        ax.barh(places, often, left=left, color=colour, height=0.74, label=fate, edgecolor="white", linewidth=0.8)
        for place in np.flatnonzero(often >= WRITTEN):
            ink, middle = "white" if colour in DARK else "black", left[place] + often[place] / 2
            ax.text(middle, place, f"{100 * often[place]:.0f}", ha="center", va="center", color=ink, fontsize=8)
        left += often
    rows_on(ax, names)
    beside(ax, "attacks: won, % (95 % interval)", [_won(part) for part in parts], fontsize="small")
    percent_axis(ax)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_xlabel("share of attacks, %")
    ax.set_ylabel("" if by == "policy" else NAMES.get(by, by.replace("_", " ")))
    handles, words = ax.get_legend_handles_labels()
    ax.figure.legend(handles, words, loc="outside lower center", ncols=len(words), frameon=False, fontsize="small")
    kinds = {"policy": "attacks of each policy", "raises": "attacks by the number of raises"}
    if title is None:
        title = "What becomes of " + kinds.get(by, f"attacks by {NAMES.get(by, by.replace('_', ' '))}")
    head(ax, title)
    return ax


def _with_policies(table: pd.DataFrame, seats: pd.DataFrame | None) -> pd.DataFrame:
    """Find the attacker's policy of each battle."""
    keys = ["lineup", "deal", "rotation"]
    need(table, *keys, "attacker", takes="Result.battles")
    if seats is None:
        raise ValueError("seats is None, and by='policy' needs it: pass Result.seats of the same result")
    need(seats, *keys, "seat", "policy", takes="Result.seats", name="seats")
    found = table.merge(
        seats[[*keys, "seat", "policy"]], how="left", left_on=[*keys, "attacker"], right_on=[*keys, "seat"]
    )
    if found["policy"].isna().any():
        raise ValueError("seats lacks hands that table has: pass Result.seats of the same result")
    return found


def _fates(part: pd.DataFrame) -> list[int]:
    """How many of the attacks had each of the fates."""
    fold = part["end"].astype(str).eq("fold")
    won, tied = part["winner"].eq(part["attacker"]), part["winner"].eq(-1)
    return [int(x.sum()) for x in (fold & won, ~fold & won, ~fold & tied, ~fold & ~won & ~tied, fold & ~won)]


def _won(part: pd.DataFrame) -> str:
    """Write how many attacks there are, and how often the attacker won."""
    won = part["winner"].eq(part["attacker"]).groupby(part["deal"]).agg(["sum", "size"]).to_numpy(np.int64)
    x, n = won[:, 0], won[:, 1]
    found = share(len(x), int(x.sum()), int(n.sum()), int((x * x).sum()), int((x * n).sum()), int((n * n).sum()))
    between = "" if np.isnan(found.se) else f" ({100 * found.low:.1f} to {100 * found.high:.1f})"
    return f"{int(n.sum()):,}: {100 * found.value:.1f}{between}"
