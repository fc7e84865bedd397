"""Tables as text for a terminal of 100 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.battle.odds import Odds
    from palace_sim.search.measuring import Estimate

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
    sequence = "interval" in table and (table["interval"] != "95 % interval").any()
    if sequence:
        rows[0][5] = "95 % conf. seq."
    note = "mean: net chips a hand. Policies that share a letter are not told apart (95 %, all pairs at once)."
    return f"{columns(rows, left=(1, 8), names=1)}\n{note}"


def luck_text(table: pd.DataFrame) -> str:
    """Write the table of `Tournament.without_luck`."""
    rows = [["", "policy", "mean", "se", "without luck", "se", "95 % interval", "variance cut"]]
    for place, row in enumerate(table.itertuples(index=False), start=1):
        between = f"{row.ci_low:.2f} to {row.ci_high:.2f}"
        numbers = [f"{row.mean:.2f}", f"{row.se:.3f}", f"{row.without_luck:.2f}", f"{row.without_luck_se:.3f}"]
        rows.append([str(place), row.policy, *numbers, between, f"{row.factor:.2f} times"])
    return f"{columns(rows, left=(1,), names=1)}\nMeans with the luck at the draws taken off (unbiased), chips a hand."


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


def _percent(share: float, decimals: int = 2) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.{decimals}f} %"


def odds_text(odds: Odds) -> str:
    """Write the odds of a battle: shares and counts before and after the tie-break by suit (R25).

    Examples
    --------
    >>> import palace_sim as ps
    >>> print(odds_text(ps.battle_odds("As/KsKd9c/", "2h/?/TdTc7s7d4c")))
    equity 0.4860, exact, over 11,480 completions
    <BLANKLINE>
                                     win     tie     loss   wins  ties  losses
    after the tie-break (R25)    48.60 %  0.00 %  51.40 %  5,579     0   5,901
    by the best five cards only  48.60 %  0.00 %  51.40 %  5,579     0   5,901
    """
    rows = [["", "win", "tie", "loss", "wins", "ties", "losses"]]
    shares = (odds.win, odds.tie, odds.loss), (odds.raw_win, odds.raw_tie, odds.raw_loss)
    names = ("after the tie-break (R25)", "by the best five cards only")
    for name, parts, counts in zip(names, shares, (odds.counts, odds.raw_counts), strict=True):
        rows.append([name, *(_percent(part) for part in parts), *(f"{count:,}" for count in counts)])
    weighed = any(abs(share - count / odds.n) > 1e-9 for share, count in zip(shares[0], odds.counts, strict=True))
    note = "\nShares go by the weights of the ranges; each completion is counted once." if weighed else ""
    return f"{str(odds).splitlines()[0]}\n\n{columns(rows)}{note}"


def showdown_text(table: pd.DataFrame) -> str:
    """Write the table of `showdown_odds`.

    Examples
    --------
    >>> import palace_sim as ps
    >>> print(showdown_text(ps.showdown_odds(["As/AhKd9c/", "2d/2c2h7d/5h"])))
    player  cards              win     tie      loss  equity     95 % interval
         0  As/AhKd9c/      0.00 %  0.00 %  100.00 %  0.0000  0.0000 to 0.0000
         1  2d/7d2h2c/5h  100.00 %  0.00 %    0.00 %  1.0000  1.0000 to 1.0000
    exact, over 1 completion
    """
    rows = [["player", "cards", "win", "tie", "loss", "equity", "95 % interval"]]
    for row in table.itertuples(index=False):
        shares = [_percent(share) for share in (row.win, row.tie, row.loss)]
        rows.append(
            [str(row.player), row.cards, *shares, f"{row.equity:.4f}", f"{row.ci_low:.4f} to {row.ci_high:.4f}"]
        )
    n = int(table["n"].iloc[0])
    said = f"exact, over {n:,} completion{'s' if n > 1 else ''}" if table["exact"].all() else f"from {n:,} samples"
    return f"{columns(rows, left=(1,), names=1)}\n{said}"


def equities_text(table: pd.DataFrame, corner: str) -> str:
    """Write a square of equities in percent, own side in rows.

    Examples
    --------
    >>> import pandas as pd
    >>> print(equities_text(pd.DataFrame([[0.5, 0.25], [0.75, float("nan")]], ["A", "K"], ["A", "K"]), "own"))
    own     A     K
    A    50.0  25.0
    K    75.0     -
    """
    rows = [[corner, *map(str, table.columns)]]
    for name, values in zip(table.index, table.to_numpy(float), strict=True):
        rows.append([str(name), *("-" if math.isnan(x) else f"{100 * x:.1f}" for x in values)])
    return columns(rows)


def prices_text(table: pd.DataFrame) -> str:
    """Write the table of `odds_by_price`, a line a pair of armies.

    Examples
    --------
    >>> import palace_sim as ps
    >>> print(prices_text(ps.odds_by_price(samples=500, seed=1)).splitlines()[0])
    own soldiers  foe's  price  foe's price  equity  95 % interval  call pot  attack pot
    """
    rows = [["own soldiers", "foe's", "price", "foe's price", "equity", "95 % interval", "call pot", "attack pot"]]
    for row in table.itertuples(index=False):
        armies = [str(x) for x in (row.own_soldiers, row.foe_soldiers, row.own_price, row.foe_price)]
        between = f"{100 * row.ci_low:.1f} to {100 * row.ci_high:.1f} %"
        rows.append([*armies, f"{100 * row.equity:.1f} %", between, f"{row.call_pot:.1f}", f"{row.attack_pot:.1f}"])
    return columns(rows, left=())


def decisions_text(table: pd.DataFrame) -> str:
    """Write the table of `decision_values`: a line a move, best first; what is exact only in battles.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"move": ["call", "fold"], "mean": [7.5, 0], "ci_low": [6, 0], "ci_high": [9, 0]})
    >>> table = table.assign(interval="95 % interval", diff=[0, -7.5], diff_se=[0, 0.75], best_chance=[1.0, 0.0])
    >>> table = table.assign(win_chance=[0.6, float("nan")], closed_form=[7.25, 0.0])
    >>> print(decisions_text(table))
    move  mean  95 % interval  less best    se  best    win  exact
    call  7.50   6.00 to 9.00       0.00  0.00  100 %  60.0 %  7.25
    fold  0.00   0.00 to 0.00      -7.50  0.75    0 %       -  0.00
    """
    exact = [
        ("win_chance", "win", 1),
        ("tie_chance", "tie", 1),
        ("pot_odds", "pot odds", 1),
        ("break_even", "break-even", 1),
    ]
    shown = [entry for entry in exact if entry[0] in table and table[entry[0]].notna().any()]
    closed = "closed_form" in table and bool(table["closed_form"].notna().any())
    head = ["move", "mean", str(table["interval"].iloc[0]), "less best", "se", "best", *(name for _, name, _ in shown)]
    rows = [[*head, *(["exact"] if closed else [])]]
    for row in table.to_dict("records"):
        numbers = [f"{row['mean']:.2f}", f"{row['ci_low']:.2f} to {row['ci_high']:.2f}", f"{row['diff']:.2f}"]
        numbers += [f"{row['diff_se']:.2f}", _percent(row["best_chance"], 0)]
        numbers += [_percent(row[key], decimals) for key, _, decimals in shown]
        if closed:
            numbers.append("-" if math.isnan(row["closed_form"]) else f"{row['closed_form']:.2f}")
        rows.append([row["move"], *numbers])
    return columns(rows, names=0)


def paste_text(text: str) -> str:
    """Write the text that names a policy in quotes, over several lines where it is long; a shell takes it as it stands.

    Examples
    --------
    >>> print(paste_text("tight(aggression=0.25)"))
    "tight(aggression=0.25)"
    """
    base, bracket, values = text.partition("(")
    if len(text) + 2 <= WIDTH or not bracket:
        return f'"{text}"'
    lines = textwrap.wrap(values, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join([f'"{base}(', *lines]) + '"'


def _estimate(row: Any) -> list[str]:
    return [f"{row.sb100:.2f}", f"{row.sb100_se:.2f}", f"{row.sb100_low:.2f} to {row.sb100_high:.2f}"]


def estimates_text(estimates: Mapping[str, Estimate]) -> str:
    """Write estimates of a search, a line each.

    Examples
    --------
    >>> from palace_sim.search.measuring import Estimate
    >>> print(estimates_text({"score": Estimate.of(1.5, 0.5, 100, 10, 100)}))
           sb/100    se  95 % interval  chips a hand     se  deals
    score   15.00  5.00  5.08 to 24.92         1.500  0.500    100
    sb/100: small bets per 100 hands
    """
    rows = [["", "sb/100", "se", "95 % interval", "chips a hand", "se", "deals"]]
    for name, row in estimates.items():
        rows.append([name, *_estimate(row), f"{row.mean:.3f}", f"{row.se:.3f}", f"{row.deals:,}"])
    return f"{columns(rows)}\nsb/100: small bets per 100 hands"


def tables_text(table: pd.DataFrame) -> str:
    """Write what a search's find was worth at each table (`Optimum.tables`).

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"others": "stay", "weight": 1.0, "sb100": 50.0, "sb100_se": 0.0, "sb100_low": 50.0, "sb100_high": 50.0}
    >>> print(tables_text(pd.DataFrame([row])))
    others  weight  sb/100    se   95 % interval
    stay     1.000   50.00  0.00  50.00 to 50.00
    """
    rows = [["others", "weight", "sb/100", "se", "95 % interval"]]
    rows += [[row.others, f"{row.weight:.3f}", *_estimate(row)] for row in table.itertuples(index=False)]
    return columns(rows, names=0)


def choices_text(table: pd.DataFrame) -> str:
    """Write among which policies a search chose (`Optimum.finalists`, `Response.table`), best first.

    Examples
    --------
    >>> import pandas as pd
    >>> print(choices_text(pd.DataFrame({"policy": ["centre", "start"], "mean": [1.5, -0.25], "se": [0.1, 0.1]})))
    policy   chips a hand     se
    centre          1.500  0.100
    start          -0.250  0.100
    """
    rows = [["policy", "chips a hand", "se"]]
    rows += [[row.policy, f"{row.mean:.3f}", f"{row.se:.3f}"] for row in table.itertuples(index=False)]
    return columns(rows, names=0)


def endgame_text(table: pd.DataFrame, node: str) -> str:
    """Write how often each move of a solved end game is made: at every decision, then at one by category of hand.

    Parameters
    ----------
    table : DataFrame
        `Endgame.frequencies`.
    node : str
        The decision to show by category of hand.
    """
    moves = ["stay", "fold", "call", "attack", "raise", "bluff"]

    def shares(row: dict[str, Any]) -> list[str]:
        return [_percent(row[move], 1) for move in moves]

    rows = [["decision after", "seat", "arrives", *moves]]
    whole = table[table["hand"] == "all"].to_dict("records")
    rows += [[row["node"], str(row["seat"]), _percent(row["arrives"], 1), *shares(row)] for row in whole]
    here = table[(table["node"] == node) & (table["hand"] != "all")].to_dict("records")
    hands = [["hand", "share", *moves]] + [[row["hand"], _percent(row["share"], 1), *shares(row)] for row in here]
    seat = next(row["seat"] for row in whole if row["node"] == node)
    note = "bluff: attacks and raises with a chance to win under 1/2; a part of those."
    return f"{columns(rows, names=0)}\n{note}\n\nSeat {seat} at {node}, by hand:\n{columns(hands)}"
