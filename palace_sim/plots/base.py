"""What all plots share: colours, axes of their own figure, and checks of tables."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from palace_sim.formats import number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# From Okabe and Ito's colours, which colour-blind eyes tell apart; markers differ too.
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00")
MARKERS = "os"
# As many as can be told apart by colour alone; whoever needs more lines begins again with other dashes.
PALETTE = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":", "-.")
GREY = "#555555"
PALE = "#dddddd"
# From one of the two colours of all plots to the other, through white: apart for colour-blind eyes, and in lightness.
# Both with three tenths of white, so that black numbers can be read on all of it.
DIVERGING = LinearSegmentedColormap.from_list("palace_sim", ["#e29252", "#ffffff", "#55a1cc"])
FINITE = {"mean", "difference"}  # columns without which nothing can be drawn
NUMBERS = FINITE | {"ci_low", "ci_high", "equity", "net"}
WIDEST = 9.0  # inches that a notebook shows without shrinking what is written


class Picture(Figure):  # type: ignore[misc]  # matplotlib is not checked
    """A figure that a notebook shows whether or not `%matplotlib inline` was run."""

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png")
        return written.getvalue()


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes given, or those of a new figure, with what all plots share."""
    if ax is None:
        ax = Picture(figsize=(width, height), dpi=120, layout="constrained").add_subplot()
    if not hasattr(ax, "spines"):
        raise TypeError(f"ax takes matplotlib Axes or None, got {ax!r}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


def need(table: pd.DataFrame, *columns: str, takes: str = "", name: str = "table") -> None:
    """Refuse a table that has no rows, or lacks a column; `takes` says which table to pass."""
    hint = f"; pass {takes}" if takes else ""
    if not hasattr(table, "columns"):
        raise TypeError(f"{name} takes a DataFrame, got {table!r}{hint}")
    missing = [column for column in columns if column not in table.columns]
    if missing:
        has = ", ".join(map(str, table.columns)) or "none"
        raise ValueError(f"{name} has no column {', '.join(missing)}; it has {has}{hint}")
    if not len(table):
        raise ValueError(f"{name} has no rows{hint}")
    for column in NUMBERS.intersection(columns):
        kind = table[column].dtype.kind
        if kind not in "iuf":
            raise ValueError(f"{name} takes numbers in column {column}, got {table[column].iloc[0]!r}{hint}")
        if column in FINITE and kind == "f" and not np.isfinite(table[column]).all():
            raise ValueError(f"{name} takes finite numbers in column {column}, got {table[column].tolist()[:5]}{hint}")


def head(ax: Axes, title: str, said: str = "") -> None:
    """Write a title, and below it in grey what it is about."""
    ax.set_title(title, loc="left", pad=20 if said else 6)
    if said:
        at = {"xycoords": "axes fraction", "textcoords": "offset points"}
        ax.annotate(said, (0, 1), (0, 6), **at, color=GREY, fontsize=8).set_in_layout(False)  # it may be wider than ax


def beside(ax: Axes, title: str, words: Sequence[str], **style: Any) -> None:
    """Write a word at the right of each row of a plot, and above them what they are."""
    ax.annotate(title, (1.01, 1.0), xycoords="axes fraction", va="bottom", color=GREY, fontsize="small")
    for place, word in enumerate(words):
        at = (1.01, place)
        ax.annotate(word, at, xycoords=("axes fraction", "data"), va="center", color=GREY, **style)


def rows_on(ax: Axes, names: Sequence[Any]) -> None:
    """Make a row of the plot for each name, the first on top."""
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def lengths(mean: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Lengths of intervals on both sides, as error bars want them."""
    return np.maximum(np.array([mean - low, high - mean]), 0)


def count(deals: Any) -> str:
    """Write how many deals or samples stand behind the rows."""
    least, most = int(min(deals)), int(max(deals))
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def percent_axis(ax: Axes) -> None:
    """Let the x axis run over shares from 0 to 1, written in percent."""
    ax.set_xlim(0, 1)
    ax.set_xticks(np.linspace(0, 1, 6), [f"{20 * k}" for k in range(6)])


def signed(value: float, decimals: int = 2) -> str:
    """Write a number with its sign; what rounds to nothing has none.

    Examples
    --------
    >>> signed(1.5), signed(-0.25), signed(-0.001)
    ('+1.50', '−0.25', '0.00')
    """
    text = number(value, decimals)
    return text if round(value, decimals) <= 0 else f"+{text}"
