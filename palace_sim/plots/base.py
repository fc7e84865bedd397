"""What all plots share: colours, axes of their own figure, and checks of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# From Okabe and Ito's colours, which colour-blind eyes tell apart; markers differ too.
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00")
MARKERS = "os"
GREY = "#555555"


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes given, or those of a new figure, with what all plots share."""
    if ax is None:
        ax = Figure(figsize=(width, height), dpi=120, layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


def need(table: pd.DataFrame, *columns: str) -> None:
    """Refuse a table that has no rows, or lacks a column."""
    if not hasattr(table, "columns"):
        raise TypeError(f"table takes a DataFrame, got {table!r}")
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise ValueError(f"table has no column {', '.join(missing)}; it has {', '.join(map(str, table.columns))}")
    if not len(table):
        raise ValueError("table has no rows")


def lengths(mean: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Lengths of intervals on both sides, as error bars want them."""
    return np.maximum(np.array([mean - low, high - mean]), 0)


def count(deals: Any) -> str:
    """Write how many deals or samples stand behind the rows."""
    least, most = int(min(deals)), int(max(deals))
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"
