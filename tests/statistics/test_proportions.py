"""Intervals for means between 0 and 1, against Newcombe's printed table, scipy, and arithmetic on paper."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from palace_sim.statistics.proportions import score_interval


def of_successes(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    variance = k * (n - k) / (n * (n - 1)) if n > 1 else math.nan
    return score_interval(k / n, variance, n, level)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_successes_as_in_newcombes_table(k: int, n: int, low: float, high: float) -> None:
    assert [round(x, 4) for x in of_successes(k, n)] == [low, high]


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_successes_as_in_scipy(trials: tuple[int, int], level: float) -> None:
    k, n = trials
    expected = binomtest(k, n).proportion_ci(level, method="wilson")
    assert of_successes(k, n, level) == pytest.approx(tuple(expected), abs=1e-12)


def test_one_draw_counts_as_one_trial() -> None:
    assert score_interval(0.0, math.nan, 1) == pytest.approx(tuple(binomtest(0, 1).proportion_ci(method="wilson")))
    low, high = score_interval(0.5, math.nan, 1)
    # Wilson with p = 1/2: (1/2 + z²/2 ± z·sqrt(1/4 + z²/4))/(1 + z²) = 1/2 ± z/(2·sqrt(1 + z²))
    half = 1.959964 / (2 * math.sqrt(1 + 1.959964**2))
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


@pytest.mark.parametrize("mean", [0.0, 0.25, 0.5, 1.0])
def test_draws_that_were_all_the_same_leave_a_share_unknown(mean: float) -> None:
    # 96 draws and z² = 3.8415: 3.8415/99.8415 = 0.038476 of what might be drawn may be anything between 0 and 1
    low, high = score_interval(mean, 0.0, 96)
    assert low == pytest.approx(mean * (1 - 0.038476), abs=1e-6)
    assert high == pytest.approx(mean * (1 - 0.038476) + 0.038476, abs=1e-6)


def test_many_draws_away_from_the_ends_come_near_the_normal_interval() -> None:
    # equities 0, 1/2 and 1 a quarter, half and a quarter of the time: variance 1/8, half width 1.96·sqrt(1/8/10⁶)
    low, high = score_interval(0.5, 0.125, 10**6)
    assert (0.5 - low, high - 0.5) == pytest.approx((1.959964 * math.sqrt(0.125e-6),) * 2, rel=1e-5)


def test_a_small_share_of_a_small_part_is_that_part_of_wilsons() -> None:
    # 1/10 of the pot, 3 times in 10⁴: the interval of 3 successes, times 1/10, but for terms of the order of the share
    n, k, part = 10_000, 3, 0.1
    variance = part**2 * k * (n - k) / (n * (n - 1))
    low, high = score_interval(part * k / n, variance, n)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((part * expected.low, part * expected.high), rel=1e-3)


@given(st.lists(st.sampled_from([Fraction(0), Fraction(1), *(Fraction(1, k) for k in range(2, 11))]), min_size=2))
def test_the_mean_lies_inside_and_the_ends_are_shares(draws: list[Fraction]) -> None:
    n, mean = len(draws), sum(draws, Fraction(0)) / len(draws)
    variance = sum((x - mean) ** 2 for x in draws) / (n - 1)
    low, high = score_interval(float(mean), float(variance), n)
    assert 0 <= low <= float(mean) <= high <= 1
    assert low < high
    mirrored = score_interval(float(1 - mean), float(variance), n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_arrays_as_one_by_one() -> None:
    means, variances, n = np.array([0.0, 0.3, 0.5]), np.array([0.0, 0.1, 0.0]), 50
    low, high = score_interval(means, variances, n)
    for i in range(3):
        assert (low[i], high[i]) == score_interval(means[i], variances[i], n)


@pytest.mark.parametrize(
    ("mean", "variance", "n", "level", "said"),
    [
        (0.5, 0.25, 0, 0.95, "n=0"),
        (-0.1, 0.0, 10, 0.95, "mean=-0.1"),
        (math.nan, 0.0, 10, 0.95, "mean=nan"),
        (0.5, 0.3, 10, 0.95, "variance=0.3"),  # 10/9·1/4 is the most
        (0.5, -0.1, 10, 0.95, "variance=-0.1"),
        (0.5, math.nan, 10, 0.95, "variance=nan"),
        (0.5, 0.2, 10, 1.0, "level=1.0"),
    ],
)
def test_what_cannot_be_is_refused(mean: float, variance: float, n: int, level: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        score_interval(mean, variance, n, level)
