"""A solved end game as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palace_sim.plots.base import GREY, axes, need

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["endgame"]

# From Okabe and Ito's colours; bluffs are hatched too.
MOVES = {"fold": "#BBBBBB", "stay": "#56B4E9", "call": "#009E73", "attack": "#D55E00", "raise": "#D55E00"}


def endgame(table: pd.DataFrame, node: str = "start", ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw what is done at a node of a solved end game with each category of hand, as bars that add up to one.

    Bluffs, attacks or raises with a chance to win under 1/2, are the hatched part. The share of each category among the
    hands with which the seat arrives is written at the right.

    Parameters
    ----------
    table : DataFrame
        `Endgame.frequencies`.
    node : str
        Which node; "start" for the first.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str, optional
        Title of the axes; None names seat and node.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, or there is no such node; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> rules = ps.Rules(deck="2c 3c 4c 2d 3d 4d 5d", palace_cards=1, max_buys=0)
    >>> end = ps.search.solve_endgame(["2c/?", "2d/?"], pot=30, rules=rules, iterations=10)
    >>> endgame(end.frequencies()).get_title(loc="left")
    'Seat 0 at start'
    """
    need(table, "seat", "node", "hand", "share", "bluff", *MOVES, takes="Endgame.frequencies()")
    part = table[table["node"] == node]
    if not len(part):
        raise ValueError(f"node takes one of {', '.join(map(repr, table['node'].unique()))}, got {node!r}")
    ax = axes(ax, 7.0, 1.6 + 0.34 * len(part))
    places, left = np.arange(len(part)), np.zeros(len(part))
    bluff = np.nan_to_num(part["bluff"].to_numpy(float))
    for move, colour in MOVES.items():
        often = part[move].to_numpy(float)
        if np.isnan(often).all():
            continue
        often = np.nan_to_num(often)
        ax.barh(places, often, left=left, color=colour, height=0.72, label=move, linewidth=0)
        if move in ("attack", "raise"):
            style = {"color": colour, "edgecolor": "white", "hatch": "////", "linewidth": 0}
            ax.barh(places, bluff, left=left + often - bluff, height=0.72, label="of it bluffs", **style)
        left += often
    ax.set_yticks(places, [str(hand) for hand in part["hand"]])
    ax.set_ylim(len(part) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.tick_params(axis="y", length=0)
    ax.annotate("share", (1.01, 1.0), xycoords="axes fraction", va="bottom", color=GREY, fontsize="small")
    for place, share in zip(places, part["share"], strict=True):
        place_at = (1.01, place)
        ax.annotate(f"{100 * share:.1f} %", place_at, xycoords=("axes fraction", "data"), va="center", color=GREY)
    ax.set_xlabel("how often each move is made")
    handles, words = ax.get_legend_handles_labels()
    ax.figure.legend(handles, words, loc="outside lower center", ncols=len(words), frameon=False, fontsize="small")
    ax.set_title(f"Seat {part['seat'].iloc[0]} at {node}" if title is None else title, loc="left")
    return ax
