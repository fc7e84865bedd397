"""Plots of battles and decisions: heatmaps of odds, price against chance, and what each move is worth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize

from palace_sim.formats import kind_of
from palace_sim.plots.base import (
    BLUE,
    COLOURS,
    DIVERGING,
    GREY,
    PALE,
    WIDEST,
    axes,
    beside,
    count,
    head,
    lengths,
    need,
    rows_on,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COUNTED = ("soldiers", "usable")  # what rows of a long table of odds are by
WORDS = {"soldiers": "soldiers", "usable": "usable cards (R24)"}
CERTAIN = 0.005  # half-width of an interval, in equity, from which on it is written into its cell
SHAPES = "os^Dv*P"


def odds_heatmap(table: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw equities of battles as a heatmap, each cell with its number in percent.

    Half-widths of 95 % intervals stand below the numbers where they are half a percent or more.

    Parameters
    ----------
    table : DataFrame
        `odds_by_banners`: equity, own rank in rows, the foe's in columns. Or `odds_by_soldiers` or `odds_by_usable`:
        own_soldiers and foe_soldiers (or own_usable and foe_usable), equity, ci_low, ci_high, n.
    ax : Axes, optional
        Where to draw; None makes a figure. A bar of colours is put beside it.
    title : str, optional
        Title of the axes; None says what is shown.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, there are no rows, or a number is no equity; named.

    Examples
    --------
    >>> from palace_sim import Rules, odds_by_banners
    >>> ax = odds_heatmap(odds_by_banners(Rules(deck="Kc Kd Kh Qc Qd Qh", palace_cards=1)))
    >>> [text.get_text() for text in ax.texts]
    ['50.0', '58.3', '41.7', '50.0', 'exact, over 12 deals a cell']
    """
    by, values, half, said = _cells(table)
    what = WORDS.get(by, "banner")
    rows, columns = [str(name) for name in values.index], [str(name) for name in values.columns]
    ax = axes(ax, min(WIDEST, 2.6 + 0.56 * len(columns)), 1.7 + 0.44 * len(rows))
    numbers = values.to_numpy(float)
    if np.nanmin(numbers) < 0 or np.nanmax(numbers) > 1:
        raise ValueError(f"table holds {np.nanmin(numbers)} to {np.nanmax(numbers)}, and equities are from 0 to 1")
    reach = max(0.1, np.ceil(20 * np.nanmax(np.abs(numbers - 0.5)) - 1e-9) / 20)
    image = ax.imshow(numbers, DIVERGING, Normalize(0.5 - reach, 0.5 + reach), aspect="auto")
    _write_cells(ax, numbers, half)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(f"foe's {what}")
    ax.set_ylabel(f"own {what}")
    bar = ax.figure.colorbar(image, ax=ax, format=lambda x, _: f"{100 * x:.0f}")
    bar.set_label("equity: win and half tie, %")
    bar.outline.set_visible(False)
    head(ax, f"Equity in a battle by {what}, %" if title is None else title, said)
    return ax


def _cells(table: pd.DataFrame) -> tuple[str, pd.DataFrame, np.ndarray | None, str]:
    """Lay a table of odds out in cells: what by, equities, half-widths of intervals, and what stands behind them."""
    need(table)
    by = next((word for word in COUNTED if f"own_{word}" in table.columns), "")
    if by:
        need(table, f"own_{by}", f"foe_{by}", "equity", "ci_low", "ci_high", "n")
        where = {"index": f"own_{by}", "columns": f"foe_{by}"}
        half = table.assign(half=(table["ci_high"] - table["ci_low"]) / 2).pivot(**where, values="half")
        return by, table.pivot(**where, values="equity"), half.to_numpy(float), f"{count(table['n'])} battles a cell"
    if not len(table) or not all(kind.kind in "fiu" for kind in table.dtypes):
        need(table, "own_soldiers", "foe_soldiers", "equity", takes="a table of palace_sim.odds_by_...")
    n = table.attrs.get("n")
    exact = "exact" if table.attrs.get("exact") else ""
    return by, table, None, exact + (f", over {n:,} deals a cell" if exact and n else "")


def _write_cells(ax: Axes, numbers: np.ndarray, half: np.ndarray | None) -> None:
    for (i, j), value in np.ndenumerate(numbers):
        if np.isnan(value):
            continue
        wide = half is not None and half[i, j] >= CERTAIN
        ax.text(j, i, f"{100 * value:.1f}", ha="center", va="bottom" if wide else "center", fontsize=9)
        if wide and half is not None:
            ax.text(j, i + 0.04, f"±{100 * half[i, j]:.1f}", ha="center", va="top", fontsize=6.5)


def price_chance(table: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the chance of an attack against its price, a line for each number of the foe's soldiers.

    Parameters
    ----------
    table : DataFrame
        `odds_by_price`: foe_soldiers; own_price in chips; equity, ci_low, ci_high; n.
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
        A column is missing, or there are no rows; named.

    Examples
    --------
    >>> from palace_sim import odds_by_price
    >>> ax = price_chance(odds_by_price(samples=100))
    >>> [text.get_text() for text in ax.texts[:6]]
    ['0', '1', '2', '3', '4', '5']
    """
    need(table, "foe_soldiers", "own_price", "equity", "ci_low", "ci_high", "n", takes="palace_sim.odds_by_price()")
    ax = axes(ax, 6.4, 4.6)
    ax.axhline(0.5, color=GREY, linewidth=0.8, zorder=0)
    armies = sorted(int(foe) for foe in table["foe_soldiers"].unique())
    ends = []
    for k, foe in enumerate(armies):
        part = table[table["foe_soldiers"] == foe].sort_values("own_price")
        price = part["own_price"].to_numpy(float)
        mean, low, high = (part[name].to_numpy(float) for name in ("equity", "ci_low", "ci_high"))
        colour = colormaps["viridis"](0.85 * k / max(1, len(armies) - 1))
        shape = SHAPES[k % len(SHAPES)]
        ax.errorbar(price, mean, lengths(mean, low, high), color=colour, marker=shape, ms=5, capsize=2, linewidth=1.2)
        ends.append((price[-1], mean[-1]))
    for foe, end, height in zip(armies, ends, _apart([height for _, height in ends]), strict=True):
        paper = {"boxstyle": "square,pad=0.1", "color": "white"}
        up = 280 * (height - end[1])  # points: how high the axes of this figure are
        ax.annotate(str(foe), end, (10, up), textcoords="offset points", va="center", color=GREY, bbox=paper)
    ax.annotate("foe's\nsoldiers", (1.0, 1.0), xycoords="axes fraction", ha="center", color=GREY, fontsize="small")
    ax.set_xticks(sorted({float(price) for price in table["own_price"]}))
    ax.set_ylim(0, 1)
    ax.set_yticks(np.arange(0, 1.01, 0.1), [f"{10 * tenth}" for tenth in range(11)])
    ax.grid(axis="y", color=PALE, linewidth=0.7)
    ax.set_xlabel("price of the attack, chips: own soldiers and one, times the small bet (R18)")
    ax.set_ylabel("equity: win and half tie, %")
    said = f"mean and 95 % interval, {count(table['n'])} battles each"
    head(ax, "What an attack costs, and its chance" if title is None else title, said)
    return ax


def _apart(heights: list[float], least: float = 0.045) -> list[float]:
    """Move labels down until none lies on another.

    Examples
    --------
    >>> _apart([0.5, 0.75, 0.74])
    [0.5, 0.75, 0.705]
    """
    moved = list(heights)
    order = sorted(range(len(heights)), key=lambda k: -heights[k])
    for above, below in itertools.pairwise(order):
        moved[below] = min(moved[below], moved[above] - least)
    return moved


def decision_values(table: pd.DataFrame, ax: Axes | None = None, title: str = "What each move is worth") -> Axes:
    """Draw the mean net of each move with its interval, best on top.

    Crosses are exact values, where the table has any (a call and a fold between the last two). At the right stands the
    chance of each move to be best.

    Parameters
    ----------
    table : DataFrame
        `palace_sim.decision_values`: move; mean, ci_low, ci_high in chips; n; if there are, best_chance, closed_form
        and interval.
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
    >>> table = pd.DataFrame({"move": ["fold", "call"], "mean": [0.0, 7.5], "ci_low": [0.0, 6.0], "n": 1000})
    >>> ax = decision_values(table.assign(ci_high=[0.0, 9.0]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['call', 'fold']
    """
    need(table, "move", "mean", "ci_low", "ci_high", "n", takes="palace_sim.decision_values(...)")
    ordered = table.sort_values("mean", ascending=False, kind="stable")
    ax = axes(ax, 7.0, 1.5 + 0.34 * len(ordered))
    places = np.arange(len(ordered))
    mean, low, high = (ordered[name].to_numpy(float) for name in ("mean", "ci_low", "ci_high"))
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.errorbar(mean, places, xerr=lengths(mean, low, high), fmt="o", color=BLUE, ms=5, capsize=3, linewidth=1.5)
    if "closed_form" in ordered and ordered["closed_form"].notna().any():
        exact = ordered["closed_form"].to_numpy(float)
        ax.plot(exact, places, linestyle="none", marker="x", ms=8, color=COLOURS[1], label="exact")
        ax.legend(loc="lower right", frameon=False, fontsize="small")
    rows_on(ax, list(ordered["move"]))
    ax.grid(axis="x", color=PALE, linewidth=0.7)
    if "best_chance" in ordered:
        beside(ax, "best, %", [_percent(float(chance)) for chance in ordered["best_chance"]])
    ax.set_xlabel(f"net from here on, chips (mean and {kind_of(ordered)}, {count(ordered['n'])} samples)")
    ax.set_title(title, loc="left")
    return ax


def _percent(share: float) -> str:
    """Write a share in percent; what is not nothing is not written as 0."""
    return "" if np.isnan(share) else "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"
