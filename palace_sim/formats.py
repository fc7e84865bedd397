"""Tables as HTML, with as many digits as their errors support."""

from __future__ import annotations

import html
import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

MOST = 4  # decimals of estimates
SMALLEST = 6  # decimals of a column in a notebook
LONG = 1000  # rows up to which a table is written anew for a notebook; of more, pandas shows the ends
MARK = "shown"
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


def least_places(values: Iterable[float], most: int) -> int:
    """Return how many decimals it takes to write some numbers in full, at most so many: what was rounded stays so.

    Examples
    --------
    >>> least_places([0.95, -1.5], 4), least_places([1 / 3], 4), least_places([169.0, float("nan")], 2)
    (2, 4, 0)
    """
    known = [x for x in values if math.isfinite(x)]
    for places in range(most):
        if all(abs(round(x, places) - x) <= 1e-12 * max(1.0, abs(x)) for x in known):
            return places
    return most


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


def kind_of(table: pd.DataFrame) -> str:
    """Say what the intervals of a table are."""
    return str(table["interval"].iloc[0]) if "interval" in table else "95 % interval"


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
    head = ["", "policy", "hands", "net, chips a hand", "se", kind_of(table)]
    head += ["small bets/100", "se", "pot share", "group"]
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
        return number(value, 0) if isinstance(value, int) and not isinstance(value, bool) else str(value)

    rows = [[cell(row[name]) for name in names] for row in table.to_dict("records")]
    return table_html(list(names.values()), rows, left=range(left))


# --- DataFrames in notebooks ------------------------------------------------------------------------------------------


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Mark a table of estimates as one that notebooks show with digits that can be read; return it.

    pandas writes six decimals of everything. In IPython a frame that carries the mark (``attrs["shown"]``, which copies
    and selections keep) has four significant digits of the largest number of each column instead; every other
    frame is left to pandas, and so is the text on a terminal. Numbers themselves are never rounded.

    Examples
    --------
    >>> import pandas as pd
    >>> shown(pd.DataFrame({"mean": [1.0]}))[["mean"]].attrs
    {'shown': 'palace_sim'}
    """
    table.attrs[MARK] = "palace_sim"
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and hasattr(shell, "display_formatter"):
        register(shell.display_formatter.formatters["text/html"])
    return table


def register(formatter: Any) -> None:
    """Let IPython's formatter of HTML show frames that carry the mark; others go where they went before."""
    import pandas as pd

    try:
        before = formatter.lookup_by_type(pd.DataFrame)
    except KeyError:
        before = None
    if getattr(before, "of_palace_sim", False):
        return

    def show(frame: pd.DataFrame) -> str | None:
        if frame.attrs.get(MARK) == "palace_sim" and len(frame) <= LONG:
            return str(readable(frame)._repr_html_())
        made = frame._repr_html_() if before is None else before(frame)
        return None if made is None else str(made)

    show.of_palace_sim = True  # type: ignore[attr-defined]
    formatter.for_type(pd.DataFrame, show)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns of fractions are text, with four significant digits of the largest number.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"policy": ["a", "b"], "mean": [12.34567, -1.0], "se": [0.0123456, float("nan")]})
    >>> readable(table).to_numpy().tolist()
    [['a', '12.35', '0.01235'], ['b', '−1.00', '–']]
    """
    import pandas as pd

    columns = []
    for k in range(table.shape[1]):
        values = table.iloc[:, k]
        if values.dtype.kind == "f":
            sizes = [abs(x) for x in values.tolist() if x and math.isfinite(x)]
            places = 4 - math.ceil(math.log10(max(sizes))) if sizes else 2
            places = least_places(values.tolist(), min(SMALLEST, max(0, places)))
            words = [str(x) if math.isinf(x) else number(x, places) for x in values.tolist()]
            values = pd.Series(words, values.index, dtype=object)
        columns.append(values)
    made = pd.concat(columns, axis=1) if columns else table.copy()
    made.columns = table.columns
    return made
