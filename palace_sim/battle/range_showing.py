"""A range as a table, and in short for a terminal or a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.palaces import as_palaces, palace_ids, palace_text

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.battle.ranges import Range

SHOWN = 8  # palaces listed in short


def likeliest(range_: Range, many: int) -> np.ndarray:
    """Indices of the palaces with the greatest weights; among those alike, the highest cards first."""
    ids = palace_ids(range_.cards)
    return np.lexsort((*(-ids.T[::-1]), -range_.weights))[:many]


def headline(range_: Range) -> str:
    """Say how many palaces there are, and how sure the range is."""
    palaces = "1 palace" if len(range_) == 1 else f"{len(range_):,} palaces"
    sampled = "" if range_.exact else "; weights sampled"
    return f"{palaces}, as varied as {range_.effective:,.1f} equally likely{sampled}"


def as_frame(range_: Range, head: int | None) -> pd.DataFrame:
    """Make the table; arguments as for `Range.frame`."""
    import pandas as pd

    order = likeliest(range_, len(range_) if head is None else whole("head", head, 0, 1 << 31))
    columns = {
        "palace": [str(palace) for palace in as_palaces(range_.cards[order])],
        "weight": range_.weights[order],
        "share": range_.shares[order],
    }
    if range_.errors is not None:
        columns["se"] = range_.errors[order]
    return pd.DataFrame(columns)


def as_text(range_: Range) -> str:
    """Write the headline and the likeliest palaces."""
    order = likeliest(range_, SHOWN)
    shares = range_.shares
    lines = [headline(range_), f"{'palace':<10}{'weight':>10}{'share':>10}"]
    for k in order:
        lines.append(f"{palace_text(range_.cards[k]):<10}{range_.weights[k]:>10.4g}{100 * shares[k]:>8.3g} %")
    if len(order) < len(range_):
        lines.append(f"and {len(range_) - len(order):,} more")
    return "\n".join(lines)


def as_html(range_: Range) -> str:
    """Write the same as a table for a notebook."""
    table = as_frame(range_, SHOWN).to_html(index=False, float_format=lambda x: f"{x:.4g}")
    return f"<p>Range: {headline(range_)}</p>{table}"
