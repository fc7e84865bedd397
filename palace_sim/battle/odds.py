"""Odds of a battle: `battle_odds` of cards as text, `seat_odds` of what a seat of a `Hand` knows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from palace_sim.arguments import near, whole
from palace_sim.battle.masses import palace_masses
from palace_sim.battle.ranges import RangeLike
from palace_sim.battle.situations import Side, Situation, read_situation, seen_situation
from palace_sim.cards import Cards
from palace_sim.hand import Hand
from palace_sim.hand.positions import MAX_KEY, PlayerCards
from palace_sim.kernels import odds as kernels
from palace_sim.kernels.odds_sweep import ALL
from palace_sim.kernels.rng import SAMPLING, open_stream
from palace_sim.kernels.settle import worth
from palace_sim.rules import Rules, as_rules
from palace_sim.statistics.intervals import mean_se
from palace_sim.statistics.proportions import score_interval

METHODS = ("auto", "exact", "sample")
MAX_SAMPLES = 1 << 40
SAMPLED_ODDS = 2  # index of the streams that draw here; positions and runs draw hidden cards with 0, checks with 1
TRIES = 1000  # pairs of palaces drawn for a sample, on average, before it is given up
WHERE = (kernels.RAW_WIN, kernels.RAW_TIE, kernels.WIN, kernels.TIE)


@dataclass(frozen=True)
class Odds:
    """What may come out of a battle, for the first of two sides.

    Attributes
    ----------
    win, tie, loss : float
        Shares after the tie-break by suit (R25); by the weights of ranges, where there are any.
    raw_win, raw_tie, raw_loss : float
        The same before it, by the best five cards alone.
    counts, raw_counts : tuple of int
        Wins, ties and losses as numbers of completions or samples. With weighted ranges: of the completions that these
        allow, each counted once.
    equity : float
        Win share and half the tie share.
    se, ci_low, ci_high : float
        Standard error of the equity and its 95 % interval (`statistics.score_interval`); where exact 0, and
        the equity itself.
    n : int
        Completions, all of them where exact, or samples.
    exact : bool
        Whether nothing was sampled.
    method : str
        "exact", "sample", or "sampled range" where all completions were weighed by a range whose weights were sampled.
    """

    win: float
    tie: float
    loss: float
    raw_win: float
    raw_tie: float
    raw_loss: float
    counts: tuple[int, int, int]
    raw_counts: tuple[int, int, int]
    equity: float
    se: float
    ci_low: float
    ci_high: float
    n: int
    exact: bool
    method: str

    def _said(self) -> str:
        if self.exact:
            return f"exact, over {self.n:,} completion{'s' if self.n > 1 else ''}"
        if self.method == "sampled range":
            counted = f"from {self.n:,} completions weighed by a sampled range"
            return f"95 % interval {self.ci_low:.4f} to {self.ci_high:.4f}, se {self.se:.4f}, {counted}"
        return f"95 % interval {self.ci_low:.4f} to {self.ci_high:.4f}, se {self.se:.4f}, from {self.n:,} samples"

    def _rows(self) -> list[tuple[str, tuple[float, ...], tuple[int, int, int]]]:
        return [
            ("odds", (self.win, self.tie, self.loss), self.counts),
            ("before the tie-break by suit (R25)", (self.raw_win, self.raw_tie, self.raw_loss), self.raw_counts),
        ]

    def __str__(self) -> str:
        lines = [f"equity {self.equity:.4f}, {self._said()}"]
        for name, (win, tie, loss), counts in self._rows():
            said = f"{name}: win {100 * win:.2f} %  tie {100 * tie:.2f} %  loss {100 * loss:.2f} %"
            lines.append(f"{said}  ({'/'.join(f'{count:,}' for count in counts)})")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in ("", "win", "tie", "loss", "wins", "ties", "losses"))
        body = ""
        for name, shares, counts in self._rows():
            cells = [name, *(f"{100 * share:.2f} %" for share in shares), *(f"{count:,}" for count in counts)]
            body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div><p><b>equity {self.equity:.4f}</b>, {self._said()}</p>{table}</div>"


def battle_odds(
    a: PlayerCards,
    b: PlayerCards,
    dead: Cards = "",
    rules: Rules | None = None,
    method: str = "auto",
    samples: int = 10_000,
    seed: int = 0,
    range_a: RangeLike | None = None,
    range_b: RangeLike | None = None,
) -> Odds:
    """Odds of a battle between two sides that are compared now (R24, R25).

    Exact, also with both palaces hidden: every way to complete them from the cards that are not named is counted, each
    as likely as another, or by the product of the weights of the ranges.

    Parameters
    ----------
    a, b : str or sequence of cards
        Text "banner/palace/soldiers" like "As/KsKd9c/5s", or the three as cards. "?", or a palace with too few cards,
        stands for hidden cards.
    dead : cards, optional
        Cards that are known to lie elsewhere.
    rules : Rules, optional
        None for the default rules; `blocked`, `deck`, `palace_cards` and `max_soldiers` count.
    method : {"auto", "exact", "sample"}
        "auto" is exact. Nothing is sampled where nothing is hidden.
    samples : int
        With "sample", how many: 2 or more.
    seed : int
        With "sample", the key of the random stream, 0 to 2^63 - 1.
    range_a, range_b : Range, text, dict or condition, optional
        What that side's palace may be, as `Range`, `Range.text`, `Range.combos` and `Range.where` take it; None for any
        cards. Where weights were sampled, their errors show in the odds.

    Returns
    -------
    Odds
        Of `a`.

    Raises
    ------
    ValueError
        An argument is not what it should be (named), a card is there twice or not in the deck, the banners are of one
        suit (R17), or the ranges leave no palace, or no two that share no card.

    Examples
    --------
    >>> odds = battle_odds("As/KsKd9c/", "2h/?/TdTc7s7d4c")
    >>> odds.counts, odds.n, odds.exact
    ((5579, 0, 5901), 11480, True)
    >>> print(battle_odds("6d/JsTc3h/", "6s/?/5d"))
    equity 0.2726, exact, over 15,180 completions
    odds: win 27.22 %  tie 0.07 %  loss 72.71 %  (4,132/11/11,037)
    before the tie-break by suit (R25): win 27.22 %  tie 0.29 %  loss 72.49 %  (4,132/44/11,004)
    """
    method, samples, seed = check_method(method, samples, seed)
    return odds_of(read_situation(a, b, dead, as_rules(rules), range_a, range_b), method, samples, seed)


def seat_odds(
    hand: Hand,
    foe: int | None = None,
    seat: int | None = None,
    range: RangeLike | None = None,  # noqa: A002  (the argument of a public function is called what it is)
    method: str = "auto",
    samples: int = 10_000,
    seed: int = 0,
) -> Odds:
    """Odds of a battle in a hand, from what a seat knows (R28).

    The foe's palace is what the seat does not know of it: drawn from the cards that, as far as the seat knows, can be
    in another's palace, never looked up.

    Parameters
    ----------
    hand : Hand
        A hand that is not over.
    foe : int, optional
        Seat of the foe; None for the other side of the battle going on.
    seat : int, optional
        Whose odds, by its own knowledge; None for the seat that is to act.
    range : Range, text, dict or condition, optional
        What the foe's palace may be; None for any cards.
    method, samples, seed
        As in `battle_odds`.

    Returns
    -------
    Odds
        Of the seat.

    Raises
    ------
    ValueError
        The hand is over, a seat is out, the two have banners of one suit (R17), or another argument is not what it
        should be; named.

    Examples
    --------
    >>> hand = Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None], to_act=0, dealer=2, pot=60)
    >>> odds = seat_odds(hand, foe=1)
    >>> odds == battle_odds("As/KsKd9c/5s", "2h/?/TdTc")
    True
    """
    method, samples, seed = check_method(method, samples, seed)
    return odds_of(seen_situation(hand, foe, seat, range), method, samples, seed)


def check_method(method: str, samples: int, seed: int) -> tuple[str, int, int]:
    """Check the arguments that say how odds are found."""
    if method not in METHODS:
        raise ValueError(f"method takes {', '.join(map(repr, METHODS))}, got {method!r}{near(str(method), METHODS)}")
    return method, whole("samples", samples, 2, MAX_SAMPLES), whole("seed", seed, 0, MAX_KEY)


def odds_of(situation: Situation, method: str, samples: int, seed: int, row: int = 0) -> Odds:
    """Find the odds of a situation; `row` is the number of its stream."""
    sampled = situation.a.errors is not None or situation.b.errors is not None
    if method == "sample" and situation.a.hidden + situation.b.hidden > 0:
        found = _sampled(situation, samples, seed, row)
        return _with_error(found, _range_error(situation, found.equity)) if sampled else found
    counts, masses = _totals(situation)
    if masses is None:
        masses = counts.astype(float)
    found = _exact(counts.tolist(), masses.tolist())
    return _with_error(found, _range_error(situation, found.equity)) if sampled else found


def _totals(situation: Situation) -> tuple[np.ndarray, np.ndarray | None]:
    """Count (RAW_WIN, RAW_TIE, WIN, TIE, ALL) of side a over all completions, and weigh it where ranges do."""
    a, b = situation.a, situation.b
    if a.sets is None and b.sets is None and (a.hidden == 0 or b.hidden == 0):
        return _completed(situation), None
    a_sets, b_sets = a.palaces(situation.pool), b.palaces(situation.pool)
    counts, masses = palace_masses(a_sets, a.worths(a_sets), b_sets, b.worths(b_sets), b.weights)
    totals = counts.sum(axis=1)
    if totals[ALL] == 0:
        raise ValueError("no combination is left: every palace of range_a shares a card with every one of range_b")
    if a.weights is None and b.weights is None:
        return totals, None
    return totals, masses.sum(axis=1) if a.weights is None else np.einsum("ij,j->i", masses, a.weights)


def _range_error(situation: Situation, equity: float) -> float:
    """Standard error of the equity that comes from sampled weights of ranges, by the delta method.

    With weights w_i that have errors s_i and the equity Σ w_i·e_i / Σ w_i·t_i, where e_i and t_i are what palace i wins
    (a tie half) and meets, it is √Σ (s_i·(e_i − equity·t_i))² over Σ w_i·t_i.
    """
    a, b = situation.a, situation.b
    sets = [side.palaces(situation.pool) for side in (a, b)]
    worths = [side.worths(cards) for side, cards in zip((a, b), sets, strict=True)]
    variance = total = 0.0
    for me, other, score in ((0, 1, equity), (1, 0, 1 - equity)):
        side, foe = (a, b)[me], (a, b)[other]
        _, masses = palace_masses(sets[me], worths[me], sets[other], worths[other], foe.weights)
        weights = np.ones(len(sets[me])) if side.weights is None else side.weights
        total = float(masses[ALL] @ weights)
        if side.errors is not None:
            slope = masses[kernels.WIN] + masses[kernels.TIE] / 2 - score * masses[ALL]
            variance += float(((slope * side.errors) ** 2).sum())
    return math.sqrt(variance) / total


def _with_error(found: Odds, se: float) -> Odds:
    """Return odds whose ranges were sampled, with the error that this brings.

    Joined with the error of samples as by G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702.
    """
    spread = found.equity * (1 - found.equity)
    low = high = found.equity
    if se > 0 and spread > 0:
        low, high = (float(end) for end in score_interval(found.equity, spread, max(spread / se**2, 1.0)))
    low = found.equity - math.hypot(found.equity - low, found.equity - found.ci_low)
    high = found.equity + math.hypot(high - found.equity, found.ci_high - found.equity)
    method = "sampled range" if found.exact else found.method
    both = math.hypot(se, found.se)
    return replace(found, se=both, ci_low=max(low, 0.0), ci_high=min(high, 1.0), exact=False, method=method)


def _completed(situation: Situation) -> np.ndarray:
    """Count by `complete`, where one palace at most is hidden."""
    mine, other = (situation.a, situation.b) if situation.b.hidden == 0 else (situation.b, situation.a)
    out, coming = np.zeros(5, np.int64), np.empty((2, 53), np.int64)
    bar = worth(other.cards, other.banner)
    kernels.complete(mine.cards, mine.banner, bar, situation.pool, mine.blocked, mine.hidden, coming, out)
    out[ALL] = kernels.choose(situation.pool.bit_count(), mine.hidden)
    if mine is situation.b:
        out[kernels.RAW_WIN] = out[ALL] - out[kernels.RAW_WIN] - out[kernels.RAW_TIE]
        out[kernels.WIN] = out[ALL] - out[kernels.WIN] - out[kernels.TIE]
    return out


def _sampled(situation: Situation, samples: int, seed: int, row: int) -> Odds:
    a, b = situation.a, situation.b
    stream, tally = np.zeros(4, np.int64), np.zeros(4, np.int64)
    open_stream(stream, seed, row, SAMPLING, SAMPLED_ODDS, 0)
    if a.sets is None and b.sets is None:
        sides = np.empty((2, 4), np.int64)
        kernels.open_side(a.cards, a.banner, a.hidden, sides[0])
        kernels.open_side(b.cards, b.banner, b.hidden, sides[1])
        blocked, coming = np.array([a.blocked, b.blocked], np.int64), np.empty((3, 2, 53), np.int64)
        kernels.sample_cards(stream, samples, situation.pool, sides, blocked, coming, tally)
        return _estimate(tally.tolist(), samples)
    lists = [_cumulated(side, situation.pool) for side in (a, b)]
    made = int(kernels.sample_palaces(stream, samples, TRIES, *lists, tally))
    if made < samples:
        _totals(situation)  # raises where there is none at all
        raise ValueError(
            f"range_a and range_b: fewer than one pair of palaces in {TRIES} shares no card; take method='exact'"
        )
    return _estimate(tally.tolist(), samples)


def _cumulated(side: Side, pool: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List a side's palaces for `sample_palaces`: hidden cards, worths, cumulative weights."""
    sets = side.palaces(pool)
    return sets, side.worths(sets), np.cumsum(np.ones(len(sets)) if side.weights is None else side.weights)


def _three(values: list[int], win: int, tie: int, everything: int) -> tuple[int, int, int]:
    return values[win], values[tie], everything - values[win] - values[tie]


def _shares(counts: tuple[int, int, int], win: float, tie: float, everything: float) -> tuple[float, float, float]:
    """Shares by weight; rounding must not make something of what never happens."""
    wins, ties, losses = counts
    if max(counts) == sum(counts):
        return float(wins > 0), float(ties > 0), float(losses > 0)
    return (
        win / everything if wins else 0.0,
        tie / everything if ties else 0.0,
        max(everything - win - tie, 0.0) / everything if losses else 0.0,
    )


def _exact(counts: list[int], masses: list[float]) -> Odds:
    raw_win, raw_tie, win, tie = WHERE
    n = counts[ALL]
    raw, final = _three(counts, raw_win, raw_tie, n), _three(counts, win, tie, n)
    raw_shares = _shares(raw, masses[raw_win], masses[raw_tie], masses[ALL])
    shares = _shares(final, masses[win], masses[tie], masses[ALL])
    equity = shares[0] + shares[1] / 2
    return Odds(*shares, *raw_shares, final, raw, equity, 0.0, equity, equity, n, True, "exact")


def _estimate(tally: list[int], n: int) -> Odds:
    raw, final = _three(tally, kernels.RAW_WIN, kernels.RAW_TIE, n), _three(tally, kernels.WIN, kernels.TIE, n)
    wins, ties, _ = final
    total, square = 2 * wins + ties, 4 * wins + ties  # of scores 2, 1, 0
    equity, se = mean_se(total, square, n, hands=2)
    low, high = (float(end) for end in score_interval(equity, (n * square - total * total) / (4 * n * (n - 1)), n))
    shares, raw_shares = (_shares(counts, counts[0], counts[1], n) for counts in (final, raw))
    return Odds(*shares, *raw_shares, final, raw, equity, se, low, high, n, False, "sample")
