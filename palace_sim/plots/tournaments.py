"""Plots of tournaments: who is best, and what position is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palace_sim.plots.base import BLUE, COLOURS, GREY, MARKERS, axes, count, lengths, need

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def leaderboard(table: pd.DataFrame, ax: Axes | None = None, title: str = "Leaderboard") -> Axes:
    """Draw the mean net of each policy with its 95 % interval, best on top.

    Policies that share a letter, written at the right, are not told apart.

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
    need(table, "policy", "mean", "ci_low", "ci_high", "deals")
    ordered = table.sort_values("mean", ascending=False, kind="stable")
    ax = axes(ax, 7.0, 1.4 + 0.34 * len(ordered))
    places = np.arange(len(ordered))
    mean = ordered["mean"].to_numpy(float)
    low, high = (ordered[name].to_numpy(float) for name in ("ci_low", "ci_high"))
    ax.axvline(0, color=GREY, linewidth=0.8)
    # a single deal has no interval: NaN draws none
    ax.errorbar(mean, places, xerr=lengths(mean, low, high), fmt="o", color=BLUE, ms=5, capsize=3, linewidth=1.5)
    ax.set_yticks(places, [str(name) for name in ordered["policy"]])
    ax.set_ylim(len(ordered) - 0.4, -0.6)
    ax.grid(axis="x", color="#dddddd", linewidth=0.7)
    ax.tick_params(axis="y", length=0)
    if "group" in ordered:
        ax.annotate("group", (1.01, 1.0), xycoords="axes fraction", va="bottom", color=GREY, fontsize="small")
        for place, letters in zip(places, ordered["group"], strict=True):
            ax.annotate(str(letters), (1.01, place), xycoords=("axes fraction", "data"), va="center", color=GREY)
    ax.set_xlabel(f"net, chips a hand (mean and 95 % interval, {count(ordered['deals'])} deals)")
    ax.set_title(title, loc="left")
    return ax


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
    need(table, "seats", "position", "mean", "ci_low", "ci_high", "deals")
    sizes = sorted(int(seats) for seats in table["seats"].unique())
    ax = axes(ax, max(6.5, 2.5 + 0.17 * (sum(sizes) + len(sizes))), 4.2)
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
    ax.grid(axis="y", color="#dddddd", linewidth=0.7)
    ax.set_xlabel("position: seats to the left of the dealer's left neighbour, who is 0; D is the dealer")
    ax.set_ylabel("net, chips a hand")
    ax.set_title(f"{title} Mean and 95 % interval, {count(table['deals'])} deals", loc="left", pad=26)
    return ax
