"""Tables as HTML, with as many digits as their errors support."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

MOST = 4  # decimals
NONE = "–"  # where there is no number


def decimals(errors: Iterable[float], otherwise: int = 2) -> int:
    """Return the decimals at which the middle one of some standard errors has two digits; at most `MOST`.

    Examples
    --------
    >>> decimals([0.001, 0.0342, 1.2]), decimals([12.0]), decimals([0.0, float("nan")])
    (3, 0, 2)
    """
    known = sorted(float(x) for x in errors if x > 0 and math.isfinite(x))
    if not known:
        return otherwise
    return min(MOST, max(0, 1 - math.floor(math.log10(known[len(known) // 2]))))


def number(value: float, places: int) -> str:
    """Write a number with a true minus sign; `NONE` for NaN, and no sign before zero.

    Examples
    --------
    >>> number(-1.25, 1), number(-0.001, 2), number(12345.6, 0), number(float("nan"), 2)
    ('−1.2', '0.00', '12,346', '–')
    """
    if math.isnan(value):
        return NONE
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def between(low: float, high: float, places: int) -> str:
    """Write an interval.

    Examples
    --------
    >>> between(-0.5, 1, 1)
    '−0.5 to 1.0'
    """
    return NONE if math.isnan(low) else f"{number(low, places)} to {number(high, places)}"


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return a table as HTML; all text is escaped.

    Parameters
    ----------
    head : list of str
        Names of the columns.
    rows : list of list of str
        Cells.
    left : list of int
        Columns whose text stands at the left; it stands at the right in the others.

    Examples
    --------
    >>> print(table_html(["policy"], [["<b>"]]))
    <table><thead><tr><th style="text-align:left">policy</th></tr></thead>
    <tbody><tr><td style="text-align:left">&lt;b&gt;</td></tr></tbody></table>
    """

    def line(tag: str, cells: Sequence[str]) -> str:
        sides = ("left" if k in left else "right" for k in range(len(cells)))
        made = (
            f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead>\n<tbody>{body}</tbody></table>"


def leaderboard_html(table: pd.DataFrame) -> str:
    """Write a leaderboard as HTML: a row a policy, with as many decimals as the errors support.

    Examples
    --------
    >>> import palace_sim as ps
    >>> text = leaderboard_html(ps.play(["random", "tight"], deals=10, seed=1, rows=False).summary)
    >>> text.count("<tr>")
    3
    """
    places = decimals(table["se"])
    kind = str(table["interval"].iloc[0]) if "interval" in table else "95 % interval"
    head = ["", "policy", "hands", "net, chips a hand", "se", kind, "small bets/100", "se", "pot share", "group"]
    rows = []
    for place, row in enumerate(table.to_dict("records"), start=1):
        cells = [str(place), str(row["policy"]), f"{row['hands']:,}", number(row["mean"], places)]
        cells += [number(row["se"], places), between(row["ci_low"], row["ci_high"], places)]
        fewer = decimals(table["sb100_se"], 1)
        cells += [number(row["sb100"], fewer), number(row["sb100_se"], fewer)]
        rows.append([*cells, f"{100 * row['pot_share']:.1f} %", str(row["group"])])
    return table_html(head, rows, left=(1, 9))


def estimates_html(table: pd.DataFrame, names: dict[str, str], errors: str = "se", left: int = 1) -> str:
    """Write a table of estimates as HTML: text and whole numbers as they are, others with the decimals of their errors.

    Parameters
    ----------
    table : DataFrame
        Any.
    names : dict of str to str
        Columns to show, and what to call them.
    errors : str
        Column of standard errors, which says how many decimals there are.
    left : int
        Columns whose text stands at the left.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": ["a"], "mean": [1.23456], "se": [0.12]})
    >>> ">1.23</td>" in estimates_html(table, {"x": "x", "mean": "mean"})
    True
    """
    places = decimals(table[errors]) if errors in table else 2

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return number(value, places)
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

    rows = [[cell(row[name]) for name in names] for row in table.to_dict("records")]
    return table_html(list(names.values()), rows, left=range(left))
