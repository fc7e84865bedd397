"""Shares with the deal as the unit, against arithmetic on paper, binomial tables and simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from palace_sim.statistics.shares import Share, share


def of(won: NDArray[np.int64], hands: NDArray[np.int64], level: float = 0.95) -> Share:
    return share(
        len(won),
        int(won.sum()),
        int(hands.sum()),
        int((won * won).sum()),
        int((won * hands).sum()),
        int((hands * hands).sum()),
        level,
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20))
def test_ratio_and_error_by_exact_fractions(rows: list[tuple[int, int]]) -> None:
    won = [a for a, _ in rows]
    hands = [a + b + 1 for a, b in rows]  # never all of them won
    if not sum(won):
        return
    found = of(np.array(won), np.array(hands))
    p, many = Fraction(sum(won), sum(hands)), len(rows)
    square = Fraction(many, many - 1) * sum((x - p * n) ** 2 for x, n in zip(won, hands, strict=True))
    assert found.value == float(p)
    assert found.se == pytest.approx(math.sqrt(square) / sum(hands), rel=1e-12)
    if square:
        assert found.effective == pytest.approx(float(p * (1 - p) / square * sum(hands) ** 2), rel=1e-12)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (found.n, found.hands) == (many, sum(hands))


def test_one_hand_a_deal_is_clopper_and_pearson() -> None:
    # 10,000 deals of one hand, 3,000 won. With one hand a deal n* is D − 1 exactly; t beside z changes the last digits.
    won = np.r_[np.ones(3000, np.int64), np.zeros(7000, np.int64)]
    found = of(won, np.ones(10_000, np.int64))
    assert found.effective == pytest.approx(9999)
    exact = stats.binomtest(3000, 10_000).proportion_ci(method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=3e-6)


def test_hands_that_go_together_count_once_and_hands_that_even_out_more_than_once() -> None:
    together = of(np.tile([4, 0], 50), np.full(100, 4))
    assert together.effective == pytest.approx(99)  # 100 deals in place of 400 hands
    # Deals of 4 hands with 1 or 3 won: a quarter of that variance, so four times as many.
    even = of(np.tile([1, 3], 50), np.full(100, 4))
    assert even.effective == pytest.approx(4 * 99)
    assert even.se == pytest.approx(together.se / 2)


@pytest.mark.parametrize(("won", "value"), [(0, 0.0), (4, 1.0)])
def test_none_and_all(won: int, value: float) -> None:
    # Each deal counts as one: 0 of 50 has the upper end 1 − 0.025^(1/50), at t in the place of z for 49 degrees.
    found = of(np.full(50, won), np.full(50, 4))
    alike = 50 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 49)) ** 2
    width = 1 - 0.025 ** (1 / alike)
    assert (found.value, found.se) == (value, 0.0)
    assert (found.low, found.high) == pytest.approx((0, width) if won == 0 else (1 - width, 1))


def test_no_spread_in_between() -> None:
    # Each deal is won once in two seatings: nothing is left to chance.
    found = of(np.ones(50, np.int64), np.full(50, 2))
    assert (found.value, found.se, found.low, found.high, found.effective) == (0.5, 0.0, 0.5, 0.5, math.inf)


def test_one_deal_has_no_error() -> None:
    found = share(1, 2, 4, 4, 8, 16)
    assert found.value == 0.5
    assert all(math.isnan(x) for x in (found.se, found.low, found.high, found.effective))


def test_sums_beyond_int64() -> None:
    deals = 10**12
    found = share(deals, 2 * deals, 4 * deals, 5 * deals, 8 * deals, 16 * deals)  # 1 and 3 in turn
    assert found.se == pytest.approx(0.25 / 10**6, rel=1e-9)


@pytest.mark.parametrize("p", [0.01, 0.5])
@pytest.mark.parametrize("kind", ["independent", "together", "evened out"])
def test_coverage(p: float, kind: str) -> None:
    # 1,000 runs of 400 deals of 4 hands. 950 covered expected or more, sd √(1000·0.95·0.05) = 6.9; at least 950 − 4 of
    # them. An interval that took hands for independent would cover 0.67 where they go together (1.96/2 sd).
    rng = np.random.Generator(np.random.Philox(key=7))
    covered = naive = 0
    for _ in range(1000):
        if kind == "together":
            won = 4 * (rng.random(400) < p)
        elif kind == "independent":
            won = rng.binomial(4, p, 400)
        else:  # as many as can be fixed in every deal, the rest one hand
            won = int(4 * p) + (rng.random(400) < 4 * p % 1)
        found = of(won.astype(np.int64), np.full(400, 4))
        covered += found.low <= p <= found.high
        half = 1.96 * math.sqrt(found.value * (1 - found.value) / 1600)
        naive += abs(found.value - p) <= half
    assert covered >= 950 - 4 * 6.9
    if kind == "together" and p == 0.5:
        assert naive <= 1000 * 0.673 + 4 * 15  # sd √(1000·0.67·0.33)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0, 0, 0, 0, 0, 0), "deals=0"),
        ((2, 3, 2, 9, 4, 2), "count=3"),
        ((2, 0, 0, 0, 0, 0), "hands=0"),
        ((2, 2, 4, 1, 4, 8), "square"),
        ((2, 2, 4, 2, 4, 7), "hands_square"),
        ((2, 2, 4, 2, 4, 8, 95), "level=95"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[int, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        share(*arguments)
