"""`battle_odds_table`: the odds of many battles at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from palace_sim.arguments import whole
from palace_sim.battle.odds import Odds, check_method, odds_of
from palace_sim.battle.ranges import Range, RangeLike
from palace_sim.battle.situations import Situation, read_situation
from palace_sim.cards import Cards
from palace_sim.formats import shown
from palace_sim.hand.positions import PlayerCards
from palace_sim.rules import Rules, as_rules
from palace_sim.workers import cores

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "win",
    "tie",
    "loss",
    "raw_win",
    "raw_tie",
    "raw_loss",
    "equity",
    "se",
    "ci_low",
    "ci_high",
    "n",
    "exact",
)


def battle_odds_table(
    a: PlayerCards | Iterable[PlayerCards],
    b: PlayerCards | Iterable[PlayerCards],
    dead: Cards | Iterable[Cards] | None = None,
    rules: Rules | None = None,
    method: str = "auto",
    samples: int = 10_000,
    seed: int = 0,
    range_a: RangeLike | Iterable[RangeLike | None] | None = None,
    range_b: RangeLike | Iterable[RangeLike | None] | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Odds of many battles, a row each.

    Parameters
    ----------
    a, b : str, tuple of cards, or list of these
        Sides as in `battle_odds`. Text, or a tuple of banner, palace and soldiers, is one side, which stands in every
        row; a list (or another iterable) holds one for each row.
    dead : cards or list of cards, optional
        Cards known to lie elsewhere: text or a tuple for every row, or a list with one entry a row.
    rules, method, samples, seed
        As in `battle_odds`. Each row draws from a stream of its own, the first from that of `battle_odds`.
    range_a, range_b : Range or list of Range and None, optional
        One for every row, or one each.
    workers : int, optional
        Threads; None for all cores. The table is the same for any number.

    Returns
    -------
    DataFrame
        Columns ``a``, ``b`` (as given) and those attributes of `Odds` that are single numbers: win, tie, loss,
        raw_win, raw_tie, raw_loss, equity, se, ci_low, ci_high (shares from 0 to 1), n, exact; and wins, ties, losses,
        raw_wins, raw_ties, raw_losses, their counts.

    Raises
    ------
    ValueError
        An argument is not what it should be; the row is named.

    Examples
    --------
    >>> table = battle_odds_table(["As/KsKc9c/", "Ah/KsKc9c/"], "2d/?/TcTh")
    >>> table[["a", "win", "n"]].round(4)
                a     win      n
    0  As/KsKc9c/  0.7285  14190
    1  Ah/KsKc9c/  0.9658  14190
    """
    import pandas as pd

    method, samples, seed = check_method(method, samples, seed)
    workers = cores() if workers is None else whole("workers", workers, 1, 4096, "None or a number of workers")
    named = {"a": a, "b": b, "dead": "" if dead is None else dead, "range_a": range_a, "range_b": range_b}
    rows = _rows(named)
    situations = [_read(number, row, as_rules(rules)) for number, row in enumerate(rows)]

    def find(numbers: range) -> list[Odds]:
        return [_find(number, situations[number], method, samples, seed) for number in numbers]

    step = max(1, len(rows) // (8 * workers))
    parts = [range(start, min(start + step, len(rows))) for start in range(0, len(rows), step)]
    with ThreadPoolExecutor(workers, "palace-sim") as pool:
        found = [odds for part in pool.map(find, parts) for odds in part]
    columns = {name: [row[name] for row in rows] for name in ("a", "b")}
    made = {**columns, **{name: [getattr(odds, name) for odds in found] for name in COLUMNS}}
    for name, of in (("", "counts"), ("raw_", "raw_counts")):
        for k, what in enumerate(("wins", "ties", "losses")):
            made[name + what] = [getattr(odds, of)[k] for odds in found]
    return shown(pd.DataFrame(made))


def _rows(named: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments row by row; what is no list stands in every row."""
    single = (str, tuple, Range, Mapping, type(None))
    lists = {k: list(v) for k, v in named.items() if isinstance(v, Iterable) and not isinstance(v, single)}
    sizes = {name: len(entries) for name, entries in lists.items()}
    if not {"a", "b"} & set(lists):
        raise ValueError("a or b takes a list of sides, one a row; for a single battle there is battle_odds")
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise ValueError(f"lists of different lengths: {said}; give one entry a row, or one for all")
    size = next(iter(sizes.values()))
    return [{k: lists[k][i] if k in lists else v for k, v in named.items()} for i in range(size)]


def _read(number: int, row: dict[str, Any], rules: Rules) -> Situation:
    try:
        return read_situation(rules=rules, **row)
    except (ValueError, TypeError) as error:
        raise type(error)(f"row {number}: {error}") from error


def _find(number: int, situation: Situation, method: str, samples: int, seed: int) -> Odds:
    try:
        return odds_of(situation, method, samples, seed, number)
    except ValueError as error:
        raise ValueError(f"row {number}: {error}") from error
