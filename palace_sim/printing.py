"""Tables as text for a terminal of 100 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100
LEAST = 8  # letters of a name that stay, however wide the table


def wrap(text: str) -> str:
    """Break a long line; what follows is set in."""
    return textwrap.fill(text, WIDTH, subsequent_indent="    ")


def columns(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,), names: int | None = None) -> str:
    """Lay out rows of text in columns.

    Parameters
    ----------
    rows : list of list of str
        All of one length.
    left : list of int
        Columns whose text stands at the left; it stands at the right in the others.
    names : int, optional
        Column that is cut short where a row would be wider than `WIDTH`.

    Examples
    --------
    >>> print(columns([["policy", "mean"], ["tight", "-1.50"]]))
    policy   mean
    tight   -1.50
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if names is not None:
        spare = WIDTH - sum(widths) - 2 * (len(widths) - 1)
        widths[names] = max(LEAST, widths[names] + min(0, spare))
    lines = []
    for row in rows:
        cut = (cell if len(cell) <= width else cell[: width - 1] + "…" for cell, width in zip(row, widths, strict=True))
        cells = (c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(cut, widths, strict=True)))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def leaderboard_text(table: pd.DataFrame) -> str:
    """Write a leaderboard: a line a policy, with its place, mean net, error, interval and group.

    Examples
    --------
    >>> import palace_sim as ps
    >>> print(leaderboard_text(ps.play(["random", "random"], deals=10, rows=False).summary).splitlines()[1])
    1  random     40  0.00  0.000   0.00 to 0.00     0.0     50.0 %  a
    """
    rows = [["", "policy", "hands", "mean", "se", "95 % interval", "sb/100", "pot share", "group"]]
    for place, row in enumerate(table.itertuples(index=False), start=1):
        between = f"{row.ci_low:.2f} to {row.ci_high:.2f}"
        numbers = [f"{row.mean:.2f}", f"{row.se:.3f}", between, f"{row.sb100:.1f}", f"{100 * row.pot_share:.1f} %"]
        rows.append([str(place), row.policy, f"{row.hands:,}", *numbers, row.group])
    note = "mean: net chips a hand. Policies that share a letter are not told apart (95 %, all pairs at once)."
    return f"{columns(rows, left=(1, 8), names=1)}\n{note}"


def crosstable_text(mean: pd.DataFrame, se: pd.DataFrame, order: Sequence[str], seats: int) -> str:
    """Write a crosstable, its columns numbered as its rows.

    Parameters
    ----------
    mean, se : DataFrame
        `Tournament.crosstable` and `Tournament.crosstable_se`.
    order : list of str
        Policies as they are to stand.
    seats : int
        Players at a table, on which the meaning depends.

    Examples
    --------
    >>> import pandas as pd
    >>> mean = pd.DataFrame([[float("nan"), 1.5], [-1.5, float("nan")]], ["a", "b"], ["a", "b"])
    >>> print(crosstable_text(mean, abs(mean) / 10, ["a", "b"], seats=2))
       against      1     2
    1  a            -  1.50
    2  b        -1.50     -
    Net chips a hand of the row's policy against the column's
    (standard errors up to 0.150)
    """
    names = list(order)
    values, errors = mean.loc[names, names].to_numpy(float), se.loc[names, names].to_numpy(float)
    decimals = 2 if np.nanmax(np.abs(values), initial=0) < 99 else 0
    rows = [["", "against", *(str(k + 1) for k in range(len(names)))]]
    for k, name in enumerate(names):
        rows.append([str(k + 1), name, *("-" if math.isnan(x) else f"{x:.{decimals}f}" for x in values[k])])
    what = "Net chips a hand of the row's policy against the column's"
    if seats > 2:
        what = "Net of the row's policy less that of the column's where both sit, halved, chips a hand"
    largest = np.nanmax(errors, initial=0)
    return f"{columns(rows, left=(1,), names=1)}\n{what}\n(standard errors up to {largest:.3f})"
