"""Tables of chances that people keep: by banners, by soldiers, by usable cards, and by the price of an attack.

A battle of these tables is one of two hands of which nothing is known but what the table says. `odds_by_banners` counts
all completions. The other three count the same battles in three ways: banners are any two cards of different suits
(R17), palaces and soldiers any other cards, and each pair of numbers of soldiers has as many battles as another.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.odds_table import battle_odds_table
from palace_sim.cards import RANKS, SUITS, card_set
from palace_sim.formats import shown
from palace_sim.hand.positions import MAX_KEY
from palace_sim.kernels.odds_tables import BATTLES, TIES, USABLE, WINS, sample_battles
from palace_sim.kernels.state import rules_record
from palace_sim.rules import Rules, as_rules
from palace_sim.statistics.intervals import mean_se
from palace_sim.statistics.proportions import score_interval
from palace_sim.workers import cores

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["odds_by_banners", "odds_by_price", "odds_by_soldiers", "odds_by_usable"]

BLOCK = 10_000  # battles of one stream
MAX_SAMPLES = 1 << 32


def odds_by_banners(rules: Rules | None = None) -> pd.DataFrame:
    """Equity of a battle by the ranks of the two banners, exact.

    The banners are of different suits (R17), both palaces hidden, and there are no soldiers. In a deck whose suits hold
    different ranks, it is the mean over all pairs of suits.

    Parameters
    ----------
    rules : Rules, optional
        None for the default rules; `deck`, `palace_cards` and `blocked` count.

    Returns
    -------
    DataFrame
        Equity (win and half tie, 0 to 1) of the own banner's rank (rows, ace first) against the foe's (columns); NaN
        where the deck has no such pair of suits. The entry (i, j) is 1 less that at (j, i). ``attrs`` hold n, the
        completions of each entry and pair of suits, exact (True) and the rules that are not default.

    Raises
    ------
    ValueError
        The deck is too small for two players.

    Examples
    --------
    Kings against queens, in a deck of six cards and with palaces of one card:

    >>> small = Rules(deck="Kc Kd Kh Qc Qd Qh", palace_cards=1)
    >>> table = odds_by_banners(small)
    >>> table.round(3).to_dict("index")     # of 12 deals, 6 wins and 2 ties
    {'K': {'K': 0.5, 'Q': 0.583}, 'Q': {'K': 0.417, 'Q': 0.5}}
    >>> table.attrs["n"], table.attrs["exact"]
    (12, True)
    """
    import pandas as pd

    rules = as_rules(rules)
    rules.check_seats(2)
    deck = rules.deck_cards
    ranks = sorted({card >> 2 for card in deck}, reverse=True)
    pairs = _banner_pairs(deck, ranks)
    own_banners, foe_banners = (
        [RANKS[card >> 2] + SUITS[card & 3] for card in side] for side in zip(*pairs, strict=True)
    )
    odds = battle_odds_table(own_banners, foe_banners, rules=rules)
    sums: dict[tuple[int, int], list[float]] = {}
    for (own, foe), equity in zip(pairs, odds["equity"], strict=True):
        sums.setdefault((own >> 2, foe >> 2), []).append(float(equity))
    values = np.full((len(ranks), len(ranks)), np.nan)
    for (own, foe), equities in sums.items():
        i, j = ranks.index(own), ranks.index(foe)
        values[i, j] = sum(equities) / len(equities)
        values[j, i] = 1 - values[i, j]
    names = [RANKS[rank] for rank in ranks]
    table = pd.DataFrame(values, pd.Index(names, name="own"), pd.Index(names, name="foe"))
    table.attrs = {"n": int(odds["n"].iloc[0]), "exact": True, "rules": rules.changed()}
    return shown(table)


def _banner_pairs(deck: list[int], ranks: list[int]) -> list[tuple[int, int]]:
    """List the pairs of banners that are looked at: one a pair of ranks where suits are alike, else all."""
    have = set(deck)
    alike = len({tuple(4 * rank + suit in have for rank in ranks) for suit in {card & 3 for card in deck}}) == 1
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for own, foe in product(sorted(deck, reverse=True), repeat=2):
        if own >> 2 >= foe >> 2 and (own ^ foe) & 3:
            found.setdefault((own >> 2, foe >> 2), []).append((own, foe))
    return [pair for pairs in found.values() for pair in (pairs[:1] if alike else pairs)]


def _sampled(samples: int, seed: int, rules: Rules, workers: int | None) -> np.ndarray:
    """Sample battles for each pair of numbers of soldiers: (soldiers, soldiers, USABLE, USABLE, 3)."""
    samples, seed = whole("samples", samples, 2, MAX_SAMPLES), whole("seed", seed, 0, MAX_KEY)
    many = cores() if workers is None else whole("workers", workers, 1, 4096, "None or a number of workers")
    rules.check_seats(2)
    deck, armies = card_set(rules.deck_cards), rules.max_soldiers + 1
    need = 2 * (rules.palace_cards + armies)
    if need > deck.bit_count():
        raise ValueError(
            f"rules: two players with {rules.max_soldiers} soldiers each need {need} cards, the deck has "
            f"{deck.bit_count()}; pass a smaller max_soldiers"
        )
    blocked = int(rules_record(rules).blocked)

    def play(task: tuple[int, int, int]) -> tuple[int, int, np.ndarray]:
        own, foe, block = task
        tally, room = np.zeros((USABLE, USABLE, 3), np.int64), np.empty(56, np.int64)
        key = np.array([seed, block, own * 6 + foe], np.int64)
        count = min(BLOCK, samples - block * BLOCK)
        soldiers = np.array([own, foe], np.int64)
        sample_battles(key, count, deck, rules.palace_cards, blocked, soldiers, room, tally)
        return own, foe, tally

    out = np.zeros((armies, armies, USABLE, USABLE, 3), np.int64)
    tasks = product(range(armies), range(armies), range(-(-samples // BLOCK)))
    with ThreadPoolExecutor(many, "palace-sim") as pool:
        for own, foe, tally in pool.map(play, tasks):
            out[own, foe] += tally
    return out


def _estimates(tallies: Iterable[np.ndarray]) -> dict[str, list[Any]]:
    """Columns of a table, from WINS, TIES and BATTLES of each row.

    Where a row mixes pairs of numbers of soldiers, each played equally often, its mean varies a little less than that
    of as many battles drawn from the mixture, which is what the errors say (stratified sampling).
    """
    names = ("win", "tie", "loss", "equity", "se", "ci_low", "ci_high", "n")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for tally in tallies:
        wins, ties, n = int(tally[WINS]), int(tally[TIES]), int(tally[BATTLES])
        total, square = 2 * wins + ties, 4 * wins + ties  # of scores 2, 1, 0
        equity, se = mean_se(total, square, n, hands=2)
        variance = (n * square - total * total) / (4 * n * (n - 1)) if n > 1 else 0.0
        low, high = score_interval(equity, variance, n)
        row = (wins / n, ties / n, (n - wins - ties) / n, equity, se, low, high, n)
        for name, value in zip(names, row, strict=True):
            columns[name].append(value)
    return columns


def _attrs(samples: int, seed: int, rules: Rules) -> dict[str, Any]:
    return {"samples": samples, "seed": seed, "exact": False, "rules": rules.changed()}


def odds_by_soldiers(
    samples: int = 100_000, seed: int = 0, rules: Rules | None = None, workers: int | None = None
) -> pd.DataFrame:
    """Chances in a battle by the soldiers of both sides, sampled.

    Parameters
    ----------
    samples : int
        Battles of each row, 2 or more.
    seed : int
        Key of the random streams, 0 to 2^63 - 1. Same seed, same bytes, for any number of workers.
    rules : Rules, optional
        None for the default rules; `deck`, `palace_cards`, `max_soldiers`, `blocked` and `small_bet` count.
    workers : int, optional
        Threads; None for all cores.

    Returns
    -------
    DataFrame
        A row a pair of numbers of soldiers: own_soldiers, foe_soldiers (0 to `max_soldiers`); own_price and foe_price,
        of an attack or a call by that army (R18), in chips; win, tie and loss (shares after the tie-break of R25);
        equity (win and half tie), its standard error se and 95 % interval ci_low, ci_high
        (`statistics.score_interval`); n, battles. ``attrs`` hold samples, seed, exact (False) and the rules that are
        not default.

    Raises
    ------
    ValueError
        An argument is not what it should be, or the deck is too small; named.

    Examples
    --------
    >>> table = odds_by_soldiers(samples=200)
    >>> table.loc[table.own_soldiers == 1, ["foe_soldiers", "own_price", "foe_price", "n"]].head(2)
       foe_soldiers  own_price  foe_price     n
    6             0         20         10  200
    7             1         20         20  200
    """
    import pandas as pd

    rules = as_rules(rules)
    tally = _sampled(samples, seed, rules, workers).sum(axis=(2, 3))
    cells = list(np.ndindex(*tally.shape[:2]))
    own, foe = np.array(cells).T
    columns = {"own_soldiers": own, "foe_soldiers": foe}
    columns |= {"own_price": (own + 1) * rules.small_bet, "foe_price": (foe + 1) * rules.small_bet}
    table = pd.DataFrame({**columns, **_estimates(tally[cell] for cell in cells)})
    table.attrs = _attrs(samples, seed, rules)
    return shown(table)


def odds_by_usable(
    samples: int = 100_000, seed: int = 0, rules: Rules | None = None, workers: int | None = None
) -> pd.DataFrame:
    """Chances in a battle by how many cards of both sides count (R24), sampled.

    They are counted over the battles of `odds_by_soldiers`, each pair of numbers of soldiers as often as another, so a
    row mixes small armies of which all counts with large ones of which much is blocked.

    Parameters
    ----------
    samples : int
        Battles of each pair of numbers of soldiers, 2 or more: 36 times as many in all by the default rules.
    seed, rules, workers
        As in `odds_by_soldiers`.

    Returns
    -------
    DataFrame
        A row a pair that came up: own_usable, foe_usable (cards, banner and palace among them), and win, tie, loss,
        equity, se, ci_low, ci_high and n as in `odds_by_soldiers`. se is NaN where n is 1.

    Raises
    ------
    ValueError
        As in `odds_by_soldiers`.

    Examples
    --------
    With no soldiers a hand has four cards, one of them its banner, which is never blocked by suit:

    >>> table = odds_by_usable(samples=1000, rules=Rules(max_soldiers=0))
    >>> sorted(table.own_usable.unique().tolist()), int(table.n.sum())
    ([1, 2, 3, 4], 1000)
    """
    import pandas as pd

    rules = as_rules(rules)
    tally = _sampled(samples, seed, rules, workers).sum(axis=(0, 1))
    cells = [cell for cell in np.ndindex(USABLE, USABLE) if tally[cell][BATTLES]]
    own, foe = np.array(cells).T
    estimates = _estimates(tally[cell] for cell in cells)
    table = pd.DataFrame({"own_usable": own, "foe_usable": foe, **estimates})
    table.attrs = _attrs(samples, seed, rules)
    return shown(table)


def odds_by_price(
    samples: int = 100_000, seed: int = 0, rules: Rules | None = None, workers: int | None = None
) -> pd.DataFrame:
    """Price of an attack against its chance, and the pot from which on it pays between the last two.

    The battles are those of `odds_by_soldiers`. Between the last two in a hand the winner has the pot (R30), a tie
    splits it (R26), and nothing comes after. With equity e, own price c and the foe's price d (R18):

    - A call that is raised no more wins e·(P + c) − c, where P is the pot before it, the attacker's bet included. It is
      no worse than a fold from P = c·(1 − e)/e on.
    - An attack that is called wins e·(P + c + d) − c, where P is the pot before it. That is no loss from
      P = c/e − c − d on, or 0.

    With more players a battle wins no chips (R19), and a foe who looks before calling has better than random cards.

    Parameters
    ----------
    samples, seed, rules, workers
        As in `odds_by_soldiers`.

    Returns
    -------
    DataFrame
        A row a pair of numbers of soldiers, cheapest first: own_soldiers, foe_soldiers, own_bets (price in small bets),
        own_price and foe_price (chips), equity, se, ci_low, ci_high, n; call_pot and attack_pot, the pots above in
        chips (infinite where the equity is 0), with call_pot_low, call_pot_high, attack_pot_low and attack_pot_high,
        their 95 % intervals: what the formulas give at the ends of the equity's.

    Raises
    ------
    ValueError
        As in `odds_by_soldiers`.

    Examples
    --------
    >>> table = odds_by_price(samples=200)
    >>> row = table[(table.own_soldiers == 2) & (table.foe_soldiers == 0)].iloc[0]
    >>> bool(abs(row.equity * (row.call_pot + 30) - 30) < 1e-9)     # a call of three small bets breaks even there
    True
    """
    rules = as_rules(rules)
    table = odds_by_soldiers(samples, seed, rules, workers)
    own, foe = table["own_price"], table["foe_price"]
    with np.errstate(divide="ignore"):
        for end, chance in (("", "equity"), ("_low", "ci_high"), ("_high", "ci_low")):
            needed = own / table[chance]  # the pot with all bets in it
            table[f"call_pot{end}"] = needed - own
            table[f"attack_pot{end}"] = (needed - own - foe).clip(lower=0)
    table.insert(2, "own_bets", table["own_soldiers"] + 1)
    return table.drop(columns=["win", "tie", "loss"])
