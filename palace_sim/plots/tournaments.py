"""Plots of tournaments: who is best, who beats whom, and what position is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import Normalize

from palace_sim.formats import kind_of
from palace_sim.plots.base import (
    BLUE,
    COLOURS,
    DIVERGING,
    GREY,
    MARKERS,
    PALE,
    WIDEST,
    axes,
    beside,
    count,
    head,
    lengths,
    need,
    rows_on,
    signed,
)
from palace_sim.statistics import confidence_sequence, interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def leaderboard(table: pd.DataFrame, ax: Axes | None = None, title: str = "Leaderboard") -> Axes:
    """Draw the mean net of each policy with its 95 % interval, best on top.

    Policies that share a letter, written at the right, are not told apart. A letter has the same place in every row.

    Parameters
    ----------
    table : DataFrame
        `Tournament.leaderboard` or `Result.summary`: policy, mean, ci_low, ci_high in chips a hand, deals and,
        if there is one, group.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str
        Title of the axes.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, or there are no rows; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> result = ps.play(["random", "random"], deals=100, seed=1, rows=False)
    >>> ax = leaderboard(result.summary)
    >>> ax.get_xlabel()
    'net, chips a hand (mean and 95 % interval, 100 deals)'
    """
    need(table, "policy", "mean", "ci_low", "ci_high", "deals", takes="Tournament.leaderboard or Result.summary")
    ordered = table.sort_values("mean", ascending=False, kind="stable")
    ax = axes(ax, 7.0, 1.4 + 0.34 * len(ordered))
    places = np.arange(len(ordered))
    mean = ordered["mean"].to_numpy(float)
    low, high = (ordered[name].to_numpy(float) for name in ("ci_low", "ci_high"))
    ax.axvline(0, color=GREY, linewidth=0.8)
    # a single deal has no interval: NaN draws none
    ax.errorbar(mean, places, xerr=lengths(mean, low, high), fmt="o", color=BLUE, ms=5, capsize=3, linewidth=1.5)
    rows_on(ax, list(ordered["policy"]))
    ax.grid(axis="x", color=PALE, linewidth=0.7)
    if "group" in ordered:
        beside(ax, "group", _aligned([str(letters) for letters in ordered["group"]]), family="monospace")
    ax.set_xlabel(f"net, chips a hand (mean and {kind_of(ordered)}, {count(ordered['deals'])} deals)")
    head(ax, title, "who share a letter are not told apart (95 %, all pairs at once)" if "group" in ordered else "")
    return ax


def _aligned(groups: list[str]) -> list[str]:
    """Give every letter a column of its own."""
    letters = sorted(set("".join(groups)))
    return ["".join(letter if letter in group else " " for letter in letters).rstrip() for group in groups]


def crosstable(
    table: pd.DataFrame,
    se: pd.DataFrame | None = None,
    ax: Axes | None = None,
    title: str = "Who wins from whom",
) -> Axes:
    """Draw what each policy wins from each other as a heatmap, each cell with its number in chips a hand.

    With `se` what is told apart from 0 is bold: at 95 % for all pairs at once (each at 0.05 over their number, by
    Bonferroni's inequality).

    Parameters
    ----------
    table : DataFrame
        `Tournament.crosstable`: policies in rows and columns, in the same order; NaN where two never met.
    se : DataFrame, optional
        `Tournament.crosstable_se`: standard errors of the same cells.
    ax : Axes, optional
        Where to draw; None makes a figure. A bar of colours is put beside it.
    title : str
        Title of the axes.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Rows and columns are not the same policies, or those of `se` are others; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> t = ps.round_robin(["tight", "random"], deals=200, seed=1)
    >>> ax = crosstable(t.crosstable, t.crosstable_se)
    >>> [label.get_text() for label in ax.get_yticklabels()] == list(t.crosstable.index)
    True
    """
    takes = "Tournament.crosstable"
    need(table, takes=takes)
    names = [str(name) for name in table.index]
    if names != [str(name) for name in table.columns]:
        raise ValueError(f"table takes the same policies in rows and columns, got other columns; pass {takes}")
    values = table.to_numpy(float)
    sure = np.zeros(values.shape, bool)
    if se is not None:
        need(se, *table.columns, takes="Tournament.crosstable_se", name="se")
        if set(se.index) != set(table.index):
            raise ValueError("se takes the policies of table, got others; pass crosstable_se of the same tournament")
        sure = _told_from_zero(values, se.loc[table.index, table.columns].to_numpy(float), table.attrs)
    wide = max(map(len, names))
    ax = axes(ax, min(WIDEST, max(6.0, 2.4 + 0.09 * wide + 0.62 * len(names))), 1.7 + 0.07 * wide + 0.4 * len(names))
    reach = max(np.nanmax(np.abs(values), initial=0.0), 1e-9)
    image = ax.imshow(values, DIVERGING, Normalize(-reach, reach), aspect="auto")
    decimals = 2 if reach < 100 else 0
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            weight = "bold" if sure[i, j] else "normal"
            size = 9 if len(names) < 10 else 7.5
            ax.text(j, i, signed(value, decimals), ha="center", va="center", fontsize=size, weight=weight)
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("against")
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label("chips a hand")
    bar.outline.set_visible(False)
    met = "net of the row's policy" if table.attrs.get("seats", 2) == 2 else "row's net less column's, halved"
    note = "; bold: told from 0 (95 %, all pairs at once)" if se is not None else ""
    head(ax, title, f"{met}{note}")
    return ax


def _told_from_zero(mean: np.ndarray, se: np.ndarray, attrs: Mapping[Any, Any]) -> np.ndarray:
    """Cells whose interval leaves 0 out, by the attributes that `Tournament.crosstable` has."""
    pairs = max(1, int(np.isfinite(mean[np.triu_indices(len(mean), 1)]).sum()))
    level, units = 1 - 0.05 / pairs, attrs.get("units", 1 << 40)
    if attrs.get("sequential"):
        low, high = confidence_sequence(mean, se, units, level, planned=attrs["sequential"])
    else:
        low, high = interval(mean, se, units, level)
    with np.errstate(invalid="ignore"):
        told: np.ndarray = (low > 0) | (high < 0)
    return told


def seat_effect(table: pd.DataFrame, ax: Axes | None = None, title: str = "Does position matter?") -> Axes:
    """Draw the mean net at each position, side by side for each number of players.

    Parameters
    ----------
    table : DataFrame
        A row a number of players and position: seats; position (0 = dealer's left, seats - 1 = dealer); mean, ci_low,
        ci_high in chips a hand; deals.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str
        Title of the axes.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, or there are no rows; named.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"seats": 2, "position": [0, 1], "mean": [1.0, -1.0], "ci_low": [0.8, -1.2]})
    >>> ax = seat_effect(table.assign(ci_high=table["ci_low"] + 0.4, deals=1000))
    >>> [text.get_text() for text in ax.texts]
    ['2', 'players']
    """
    need(
        table, "seats", "position", "mean", "ci_low", "ci_high", "deals", takes="a row a number of players and position"
    )
    sizes = sorted(int(seats) for seats in table["seats"].unique())
    ax = axes(ax, min(WIDEST, max(6.5, 2.5 + 0.17 * (sum(sizes) + len(sizes)))), 4.2)
    ax.axhline(0, color=GREY, linewidth=0.8)
    left, ticks = 0, []
    for k, seats in enumerate(sizes):
        part = table[table["seats"] == seats].sort_values("position")
        mean = part["mean"].to_numpy(float)
        low, high = (part[name].to_numpy(float) for name in ("ci_low", "ci_high"))
        position = part["position"].to_numpy(int)
        colour = COLOURS[k % len(COLOURS)]
        ax.errorbar(
            left + position,
            mean,
            yerr=lengths(mean, low, high),
            color=colour,
            marker=MARKERS[k % len(MARKERS)],
            ms=4,
            capsize=2,
            linewidth=1.0,
        )
        middle = left + (seats - 1) / 2
        ax.annotate(
            f"{seats}",
            (middle, 1.0),
            (0, 6),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            color=colour,
        )
        ticks += [(left + place, "D" if place == seats - 1 else str(place)) for place in position]
        left += seats + 1
    ax.annotate(
        "players", (0, 1.0), (-6, 6), xycoords="axes fraction", textcoords="offset points", ha="right", color=GREY
    )
    ax.set_xticks([place for place, _ in ticks], [word for _, word in ticks], fontsize="x-small")
    ax.set_xlim(-1, left - 1)
    ax.grid(axis="y", color=PALE, linewidth=0.7)
    ax.set_xlabel("position: seats to the left of the dealer's left neighbour, who is 0; D is the dealer")
    ax.set_ylabel("net, chips a hand")
    ax.set_title(f"{title} Mean and 95 % interval, {count(table['deals'])} deals", loc="left", pad=26)
    return ax
