"""`decision_values`: what each legal move is worth, from rollouts."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.arguments import is_number, whole
from palace_sim.battle.closed_form import battle_columns
from palace_sim.battle.masses import palace_masses
from palace_sim.battle.moves import candidates, move_text
from palace_sim.battle.ranges import Range, RangeLike, as_range
from palace_sim.formats import shown
from palace_sim.hand import Hand
from palace_sim.kernels import play as kernels
from palace_sim.kernels import rollout
from palace_sim.kernels.engine import OK
from palace_sim.kernels.odds_sweep import ALL
from palace_sim.kernels.rng import SAMPLING, STREAM_VERSION
from palace_sim.kernels.state import STATE
from palace_sim.plans import Plan, new_job, new_work, policy_table
from palace_sim.policies.base import Policy, as_policies
from palace_sim.policies.entry import raised_at
from palace_sim.run import Blocks, Part, Shared, Stopped
from palace_sim.statistics.intervals import interval, mean_se, paired
from palace_sim.statistics.sequences import confidence_sequence
from palace_sim.workers import Bar, Pool, Sizer, cores

if TYPE_CHECKING:
    import pandas as pd

LOOK = 1000  # samples between two looks at the intervals, where play stops by their width
CHANCES = 10_000  # draws of the means that `best_chance` is counted over
_OF_CHANCES = 2  # index of their stream among those for SAMPLING


@dataclasses.dataclass(frozen=True)
class Question:
    """A decision: the position as a plan, the moves, and what some palaces are drawn from."""

    plan: Plan
    moves: np.ndarray
    ranges: dict[int, Range]
    ranged: rollout.Ranged

    def text(self, i: int) -> str:
        view = Hand.from_state(self.plan.rules, np.frombuffer(self.plan.start or b"", STATE)[0])
        return move_text(int(self.moves[i]), view.view(self.plan.known_to))


@dataclasses.dataclass
class _Stopped(Stopped):
    """What stopped a rollout: `deal` is its sample."""

    move: str = ""
    ranges: Iterable[int] = ()

    @property
    def where(self) -> str:
        return f"sample {self.deal}, after the move {self.move!r}, seat {self.seat}"

    def error(self) -> BaseException:
        if self.fault == rollout.NO_PALACES:
            seats = ", ".join(map(str, self.ranges))
            return ValueError(
                f"ranges of seats {seats}: in {rollout.TRIES} draws no combination without a common card was found; "
                f"give them palaces that can be held at once"
            )
        return super().error()


@dataclasses.dataclass(kw_only=True)
class _Rolled(Part):
    """Integer sums over samples."""

    total: np.ndarray  # (m,): sums of nets
    products: np.ndarray  # (m, m) object: sums of products of nets


def _roll(question: Question, shared: Shared, first: int, count: int) -> _Rolled:
    """Play some samples of a decision, each once a move."""
    began = time.perf_counter()
    plan, m = question.plan, len(question.moves)
    work, job = new_work(plan), new_job(plan, first, count)
    sums, products = np.zeros((2, m), np.int64), np.zeros((m, m, 2), np.int64)
    fault = int(
        rollout.roll_block(
            job, shared.table, plan.lineups[0], work, question.moves, question.ranged, sums, products, shared.stop
        )
    )
    lower = products[..., 0].astype(object) * kernels.GREATEST + products[..., 1].astype(object)
    seconds = time.perf_counter() - began
    part = _Rolled(
        first=first,
        count=int(job.count),
        seconds=seconds,
        total=sums[1],
        products=lower + np.tril(lower, -1).T,
    )
    if fault != OK:
        seat = int(work.seat)
        policy = plan.policies[int(work.policy[seat])]
        cause = shared.entries[seat].error(work.views[seat].copy()) if fault > 0 and work.code == 0 else None
        told = (policy.name, int(work.code), fault, cause, raised_at(cause, policy.function))
        part.stopped = _Stopped(
            int(work.deal), 0, 0, seat, *told, move=question.text(int(work.lineup)), ranges=question.ranges
        )
    return part


@dataclasses.dataclass
class _Sums:
    """Sums of all samples so far."""

    total: list[int]
    products: Any
    n: int = 0

    def add(self, part: _Rolled) -> None:
        self.total = [a + int(b) for a, b in zip(self.total, part.total, strict=True)]
        self.products = self.products + part.products
        self.n += part.count

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        rows = [mean_se(t, self.products[i, i], self.n) for i, t in enumerate(self.total)]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def less(self, best: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean of each less that of the best, and its standard error."""
        total, product = self.total, self.products
        rows = [
            paired(total[i], total[best], product[i, i], product[best, best], product[i, best], self.n)
            for i in range(len(total))
        ]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def covariance(self) -> np.ndarray:
        """Covariances of the means."""
        n, m = self.n, len(self.total)
        sums = [[n * self.products[i, j] - self.total[i] * self.total[j] for j in range(m)] for i in range(m)]
        return np.array([[s / (n * n * (n - 1)) for s in row] for row in sums], np.float64)


def _best_chances(sums: _Sums, seed: int) -> np.ndarray:
    """Share of draws from the normal law of the means in which each is highest; those that tie share alike."""
    means, _ = sums.means()
    values, vectors = np.linalg.eigh(sums.covariance())
    spread = vectors * np.sqrt(np.maximum(values, 0.0))
    key = np.array([seed, STREAM_VERSION], np.uint64)
    counter = np.array([0, SAMPLING, _OF_CHANCES, 0], np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key, counter=counter))
    drawn = means + generator.standard_normal((CHANCES, len(means))) @ spread.T
    # means of moves that play alike differ by rounding only
    margin = 1e-9 * (1.0 + np.abs(means).max() + np.sqrt(np.maximum(values, 0.0)).max())
    highest = drawn >= drawn.max(axis=1, keepdims=True) - margin
    return np.asarray((highest / highest.sum(axis=1, keepdims=True)).mean(axis=0))


def _check_ranges(ranges: Any, hand: Hand, view: Any) -> dict[int, Range]:
    """Return the ranges cut down to the palaces that the seats can hold, by seat."""
    if ranges is None:
        return {}
    if not isinstance(ranges, Mapping):
        raise ValueError(f"ranges takes a dict of seat: Range, got {ranges!r}")
    pool, kept = int(view.deck) & ~int(view.seen), {}
    for seat, said in sorted(ranges.items()):
        seat = whole("ranges: a seat", seat, 0, hand.seats - 1, "a seat")
        if seat == hand.to_act:
            raise ValueError(f"ranges names seat {seat}, who is to act and knows its palace; leave it out")
        if not hand.players[seat].active:
            raise ValueError(f"ranges names seat {seat}, who is out of the hand; leave it out")
        found = as_range(said, f"ranges[{seat}]", hand.rules.palace_cards)
        if found is None:
            raise ValueError(f"ranges[{seat}] takes a Range, text, dict or condition, got None; leave it out")
        kept[seat] = found.within(pool, what=f"ranges[{seat}]")
    return _compatible(kept)


def _compatible(ranges: dict[int, Range]) -> dict[int, Range]:
    """Leave out the palaces that share a card with every palace of another range: they would only be drawn in vain."""
    kept = dict(ranges)
    for seat in ranges:
        for other in ranges:
            if other == seat:
                continue
            mine, theirs = kept[seat], kept[other]
            worths = (np.zeros(len(mine), np.int64), np.zeros(len(theirs), np.int64))
            counts, _ = palace_masses(mine.cards, worths[0], theirs.cards, worths[1])
            fits = counts[ALL] > 0
            if not fits.any():
                raise ValueError(f"ranges[{seat}] and ranges[{other}]: no two of their palaces can be held at once")
            kept[seat] = mine._part(fits)
    return kept


def _ranged(ranges: dict[int, Range]) -> rollout.Ranged:
    """Lay the ranges out one after the other, as kernels read them."""
    starts = np.cumsum([0, *(len(r) for r in ranges.values())]).astype(np.int64)
    cards = [r.cards for r in ranges.values()]
    sums = [np.cumsum(r.weights / r.weights.max()) for r in ranges.values()]
    return rollout.Ranged(
        np.array(list(ranges), np.int64),
        starts,
        np.concatenate([np.zeros(0, np.int64), *cards]),
        np.concatenate([np.zeros(0), *sums]),
    )


def _sizes(raises: Any) -> list[float]:
    try:
        sizes = [float(size) for size in raises]
    except (TypeError, ValueError):
        raise ValueError(f"raises takes numbers of pots like (0.5, 1.0), got {raises!r}") from None
    if not all(0 <= size < 1e6 for size in sizes) or len(sizes) > 10:
        raise ValueError(f"raises takes at most 10 numbers of pots from 0 to 1,000,000, got {raises!r}")
    return sizes


def _play(
    question: Question, half_width: float | None, level: float, workers: int | None, progress: bool | None
) -> _Sums:
    """Play the samples: all, or until every interval is narrow enough."""
    plan, m = question.plan, len(question.moves)
    shared = Shared(*policy_table(plan), None, np.zeros(1, np.int64))
    play = partial(_roll, question, shared)
    play(0, 0)  # compile here, once, before workers start
    sums = _Sums([0] * m, np.zeros((m, m), object))
    many, sizer = workers or cores(), Sizer(plan)
    with Pool(None, many) as pool, Bar(plan.deals, progress) as bar:
        try:
            while sums.n < plan.deals:
                last = plan.deals if half_width is None else min(sums.n + LOOK, plan.deals)
                for part in Blocks(play, pool, many, sizer, [(sums.n, last)]):
                    sums.add(part)
                    bar.update(part.count)
                if half_width is not None:
                    low, high = confidence_sequence(*sums.means(), sums.n, level, planned=plan.deals)
                    if np.nanmax(high - low) <= 2 * half_width:
                        break
        except BaseException:
            shared.stop[0] = 1
            raise
    return sums


def _question(hand: Hand, policies: list[Policy], samples: int, seed: int, ranges: Any, raises: Any) -> Question:
    seat = hand.to_act
    assert seat is not None
    view = hand.view(seat)
    kept = _check_ranges(ranges, hand, view)
    plan = Plan(
        tuple(policies),
        np.arange(hand.seats, dtype=np.int64).reshape(1, -1),
        hand.rules,
        seed,
        samples,
        1,
        start=hand.position_bytes(),
        known_to=seat,
    )
    return Question(plan, candidates(view, _sizes(raises)), kept, _ranged(kept))


def decision_values(
    hand: Hand,
    policies: Sequence[Policy | str | Callable[[Any], int]],
    samples: int = 10_000,
    seed: int = 1,
    ranges: Mapping[int, RangeLike] | None = None,
    half_width: float | None = None,
    raises: Iterable[float] = (0.5, 1.0, 2.0),
    workers: int | None = None,
    progress: bool | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Value of every legal move to the player to act, from what that player knows.

    Each sample draws the cards that the player does not know, and is played on once after every move, everybody (the
    player too) by the given policies. All moves meet the same cards and the same choices, so their differences are
    sharper than their means. What the hidden cards truly are is never looked at. Sample s after a move is deal s of
    ``play(policies, start=hand, known_to=hand.to_act, seed=seed)`` with that move first.

    Parameters
    ----------
    hand : Hand
        A hand that is not over.
    policies : sequence
        One a seat: policies, names of built-in ones or plain functions.
    samples : int
        Rollouts of each move, 2 or more; with `half_width` the most.
    seed : int
        0 to 2^63 - 1. The same seed gives the same bytes for any number of workers.
    ranges : dict of int to Range, optional
        What the palaces of some seats are drawn from: all combinations that share no card, by the product of their
        weights. Every other hidden card is drawn uniformly.
    half_width : float, optional
        Chips: stop as soon as the interval of every mean reaches no further than this to each side, looked at every
        1,000 samples. Since the stop depends on the data, intervals are then confidence sequences.
    raises : iterable of float
        Bets and raises to try in no limit beside the least and the greatest: on top of the price, so many times the
        pot with the price in it.
    workers : int, optional
        Threads; None for all cores.
    progress : bool, optional
        Progress bar; None shows one on a terminal after two seconds.
    level : float
        Coverage of the intervals.

    Returns
    -------
    DataFrame
        A row a move, best first. All chips are net and counted from here on: what is paid already is sunk.

        - move, code: in words, and as an action code. Of soldiers to keep or discard only some sets are tried
          (`palace_sim.battle.moves.candidates`).
        - n, mean, se, ci_low, ci_high, interval: samples, mean, standard error, interval and what kind it is (Student's
          t, or an asymptotic confidence sequence, valid whenever one stops).
        - diff, diff_se, diff_low, diff_high: mean less that of the first row, paired by samples; that row was chosen
          for its mean.
        - best_chance: share of 10,000 draws from the normal law of the means (with their covariances; a flat prior,
          read as a posterior) in which the move is best.
        - win_chance, tie_chance: exact chances in a battle against the attack's target, or the foe, with the cards as
          they are: over all palaces that the player has not seen, or by the foe's range alone (what ranges of others
          take away is not counted). NaN for other moves.
        - pot_odds: of a call, its cost (as far as the chips go, R36) by the pot with the cost in it.
        - break_even: of a call between the last two, the win chance, ties as half, from which on it beats a fold.
        - closed_form: the exact mean of a call and a fold between the last two. NaN elsewhere, since a battle wins no
          chips (R19).

        ``attrs`` hold samples, seed, seat, level, data_driven, interval and half_width, the widest one's.

    Raises
    ------
    ValueError
        An argument is not what it should be; named. Ranges that cannot be held at once.
    PolicyError
        A policy failed or returned an illegal action.

    Examples
    --------
    >>> import palace_sim as ps
    >>> hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc"], to_act=1, pot=60).attack(0)
    >>> values = ps.decision_values(hand, ["patriot", "patriot"], samples=200)
    >>> sorted(values.move)
    ['call', 'fold', 'raise 20']

    References
    ----------
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024).
    """
    if not isinstance(hand, Hand):
        raise ValueError(f"hand takes a palace_sim.Hand, got {hand!r}")
    if hand.over:
        raise ValueError("hand is over: nobody is to act")
    seated = as_policies(policies, "a list of policies, one a seat")
    if len(seated) != hand.seats:
        raise ValueError(f"policies has {len(seated)} policies, hand has {hand.seats} seats")
    samples = whole("samples", samples, 2, 1 << 40, "a number of samples")
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    workers = None if workers is None else whole("workers", workers, 1, 4096, "None or a number of workers")
    if not (is_number(level) and 0.0 < level < 1.0):
        raise ValueError(f"level takes a number between 0 and 1, got {level!r}")
    if half_width is not None and not (is_number(half_width) and math.isfinite(half_width) and half_width > 0):
        raise ValueError(f"half_width takes None or more than 0 chips, got {half_width!r}")
    if progress is not None and not isinstance(progress, bool):
        raise ValueError(f"progress takes True or False or None, got {progress!r}")
    question = _question(hand, seated, samples, seed, ranges, raises)
    sums = _play(question, half_width, level, workers, progress)
    return _table(question, hand, sums, half_width is not None, level)


def _table(question: Question, hand: Hand, sums: _Sums, data_driven: bool, level: float) -> pd.DataFrame:
    """Make the table of a decision."""
    import pandas as pd

    plan = question.plan
    view = hand.view(plan.known_to)
    mean, se = sums.means()
    order = np.argsort(-mean, kind="stable")
    diff, diff_se = sums.less(int(order[0]))

    def bounds(middle: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if data_driven:
            return confidence_sequence(middle, error, sums.n, level, planned=plan.deals)
        return interval(middle, error, sums.n, level)

    kind = f"{100 * level:g} % {'confidence sequence' if data_driven else 'interval'}"
    low, high = bounds(mean, se)
    diff_low, diff_high = bounds(diff, diff_se)
    codes = question.moves
    columns: dict[str, Any] = {
        "move": [move_text(int(code), view) for code in codes],
        "code": codes,
        "n": np.full(len(codes), sums.n),
        "mean": mean,
        "se": se,
        "ci_low": low,
        "ci_high": high,
        "diff": diff,
        "diff_se": diff_se,
        "diff_low": diff_low,
        "diff_high": diff_high,
        "best_chance": _best_chances(sums, plan.seed),
        **battle_columns(view, codes, question.ranges),
        "interval": kind,
    }
    table = pd.DataFrame(columns).iloc[order].reset_index(drop=True)
    table.attrs = {
        "samples": sums.n,
        "seed": plan.seed,
        "seat": plan.known_to,
        "level": level,
        "half_width": float(np.nanmax(high - low) / 2),
        "data_driven": data_driven,
        "interval": kind,
    }
    return shown(table)
