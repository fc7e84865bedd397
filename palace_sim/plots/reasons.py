"""Plots of where nets come from: parts of a difference, luck taken off, shares of a variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palace_sim.formats import kind_of, number
from palace_sim.plots.base import BLUE, COLOURS, GREY, PALE, axes, beside, head, lengths, need, percent_axis, rows_on

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def why(table: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw what each part of the net adds to the difference between two policies, with 95 % intervals.

    The parts add up to the last bar, the difference in net. At the right stands what each of the two has of a part.

    Parameters
    ----------
    table : DataFrame
        `Tournament.why(a, b).parts`: part, the two policies, difference, ci_low, ci_high; chips a hand.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str, optional
        Title of the axes; None names the two policies.

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
    >>> t = ps.round_robin(["tight", "stay"], deals=50, seed=1)
    >>> why(t.why("tight", "stay").parts).get_title(loc="left")
    'tight less stay: where the difference comes from'
    """
    need(table, "part", "difference", "ci_low", "ci_high", takes="Tournament.why(a, b).parts")
    ax = axes(ax, 8.0, 1.5 + 0.34 * len(table))
    places, gap = np.arange(len(table)), table["difference"].to_numpy(float)
    low, high = (table[name].to_numpy(float) for name in ("ci_low", "ci_high"))
    last = table["part"].astype(str).eq("net").to_numpy()
    colours = [GREY if net else BLUE if x >= 0 else COLOURS[1] for net, x in zip(last, gap, strict=True)]
    ax.barh(places, gap, color=colours, height=0.62)
    ax.errorbar(gap, places, xerr=lengths(gap, low, high), fmt="none", ecolor="black", capsize=3, linewidth=1.2)
    ax.axvline(0, color=GREY, linewidth=0.8)
    if last.any():
        ax.axhline(int(np.flatnonzero(last)[0]) - 0.5, color=PALE, linewidth=1.0)
    rows_on(ax, list(table["part"]))
    two = [str(name) for name in table.columns if name not in ("part", "difference", "se", "ci_low", "ci_high")]
    if len(two) == 2:
        ours, theirs = (table[name].to_numpy(float) for name in two)
        both = [f"{number(x, 2)} / {number(y, 2)}" for x, y in zip(ours, theirs, strict=True)]
        beside(ax, "each", both, fontsize="small")
        title = f"{two[0]} less {two[1]}: where the difference comes from" if title is None else title
    ax.grid(axis="x", color=PALE, linewidth=0.7)
    ax.set_xlabel("difference, chips a hand (mean and 95 % interval)")
    head(ax, "Where the difference comes from" if title is None else title)
    return ax


def without_luck(table: pd.DataFrame, ax: Axes | None = None, title: str = "Without the luck at the draws") -> Axes:
    """Draw means as played and with the luck at the draws taken off, with 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        `Tournament.without_luck()`: policy; mean, se, without_luck, ci_low, ci_high in chips a hand; factor.
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
    >>> table = pd.DataFrame({"policy": ["a", "b"], "mean": [2.0, -2.0], "se": 1.0, "without_luck": [1.5, -1.5]})
    >>> ax = without_luck(table.assign(ci_low=[1.0, -2.0], ci_high=[2.0, -1.0], factor=4.0))
    >>> [text.get_text() for text in ax.texts]
    ['variance cut', '4.00 times', '4.00 times']
    """
    need(
        table,
        *("policy", "mean", "se", "without_luck", "ci_low", "ci_high", "factor"),
        takes="Tournament.without_luck()",
    )
    ax = axes(ax, 7.5, 1.7 + 0.42 * len(table))
    places = np.arange(len(table))
    mean, se = table["mean"].to_numpy(float), table["se"].to_numpy(float)
    less, low, high = (table[name].to_numpy(float) for name in ("without_luck", "ci_low", "ci_high"))
    ax.axvline(0, color=GREY, linewidth=0.8)
    style = {"ms": 5, "capsize": 3, "linewidth": 1.5}
    ax.errorbar(
        mean, places - 0.14, xerr=1.959964 * se, fmt="s", color=COLOURS[1], mfc="white", label="as played", **style
    )
    ax.errorbar(less, places + 0.14, xerr=lengths(less, low, high), fmt="o", color=BLUE, label="without luck", **style)
    rows_on(ax, list(table["policy"]))
    beside(ax, "variance cut", ["" if np.isnan(x) else f"{x:.2f} times" for x in table["factor"]], fontsize="small")
    ax.grid(axis="x", color=PALE, linewidth=0.7)
    ax.set_xlabel(f"net, chips a hand (mean and {kind_of(table)})")
    ax.legend(loc="best", frameon=False, fontsize="small")
    head(ax, title)
    return ax


def variance_shares(table: pd.DataFrame, ax: Axes | None = None, title: str = "Where the variance comes from") -> Axes:
    """Draw shares of a variance as bars with 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        A row a part: part; share, ci_low, ci_high from 0 to 1; if there is one, n (deals).
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
        A column is missing, there are no rows, or a share is none; named.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"part": ["cards", "play"], "share": [0.8, 0.2], "ci_low": [0.78, 0.18]})
    >>> ax = variance_shares(table.assign(ci_high=[0.82, 0.22]))
    >>> [text.get_text() for text in ax.texts]
    ['share', '80.0 %', '20.0 %']
    """
    need(table, "part", "share", "ci_low", "ci_high", takes="a row a part of the variance")
    share = table["share"].to_numpy(float)
    if not ((share >= -1e-9) & (share <= 1 + 1e-9)).all():
        raise ValueError(f"table holds shares of {share.min()} to {share.max()}, and shares are from 0 to 1")
    ax = axes(ax, 7.5, 1.4 + 0.36 * len(table))
    places = np.arange(len(table))
    low, high = (table[name].to_numpy(float) for name in ("ci_low", "ci_high"))
    ax.barh(places, share, color=BLUE, height=0.62)
    ax.errorbar(share, places, xerr=lengths(share, low, high), fmt="none", ecolor="black", capsize=3, linewidth=1.2)
    rows_on(ax, list(table["part"]))
    beside(ax, "share", [f"{100 * x:.1f} %" for x in share])
    percent_axis(ax)
    ax.grid(axis="x", color=PALE, linewidth=0.7)
    ax.set_xlabel("share of the variance, % (with 95 % interval)")
    head(ax, title)
    return ax
