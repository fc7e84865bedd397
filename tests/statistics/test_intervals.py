"""Means, standard errors and intervals, against arithmetic on paper, exact fractions and printed tables."""

import math
import os
import statistics
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace_sim.statistics.intervals import differences, interval, mean_se, means, paired

figures = st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=30)


def sums(values: list[int]) -> tuple[int, int, int]:
    return sum(values), sum(v * v for v in values), len(values)


def test_mean_and_standard_error_on_paper() -> None:
    # 1, 2, 3, 4, 10: mean 4, squared deviations 9 + 4 + 1 + 0 + 36 = 50, variance 50/4, se² = 12.5/5 = 2.5
    mean, se = mean_se(*sums([1, 2, 3, 4, 10]))
    assert mean == 4.0
    assert se == pytest.approx(math.sqrt(2.5), rel=1e-15)


def test_hands_divide_mean_and_standard_error() -> None:
    mean, se = mean_se(*sums([1, 2, 3, 4, 10]), hands=8)
    assert mean == 0.5
    assert se == pytest.approx(math.sqrt(2.5) / 8, rel=1e-15)


def test_no_digits_are_lost_to_a_large_mean() -> None:
    # NIST StRD, univariate summary, NumAcc4 in tenths: 10000000.2, then 10000000.1 and 10000000.3 in turn, 1001 in all.
    # Certified: mean 10000000.2, standard deviation 0.1.
    mean, se = mean_se(*sums([100000002] + [100000001, 100000003] * 500))
    assert mean == 100000002.0
    assert se == pytest.approx(1 / math.sqrt(1001), rel=1e-15)


def test_sums_beyond_int64() -> None:
    mean, se = mean_se(*sums([2**80 - 1, 2**80 + 1]))
    assert mean == 2.0**80
    assert se == 1.0  # variance (1 + 1)/1 = 2, over 2 deals


@given(figures, st.integers(1, 50))
def test_agrees_with_exact_fractions(values: list[int], hands: int) -> None:
    exact = [Fraction(v, hands) for v in values]
    mean, se = mean_se(*sums(values), hands=hands)
    assert mean == float(statistics.mean(exact))
    assert se == pytest.approx(math.sqrt(statistics.variance(exact) / len(exact)), rel=1e-12)


@given(figures)
def test_is_the_formula_of_the_design(values: list[int]) -> None:
    deals = len(values)
    mean = Fraction(sum(values), deals)
    u = [(v - mean) / deals for v in values]
    assert mean_se(*sums(values))[1] == pytest.approx(math.sqrt(Fraction(deals, deals - 1) * sum(x * x for x in u)))


@given(st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9)), min_size=2, max_size=20))
def test_paired_differences_agree_with_exact_fractions(pairs: list[tuple[int, int]]) -> None:
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    exact = [Fraction(x, 6) - Fraction(y, 4) for x, y in pairs]
    mean, se = paired(
        sum(a), sum(b), sums(a)[1], sums(b)[1], sum(x * y for x, y in pairs), len(pairs), hands_a=6, hands_b=4
    )
    assert mean == float(statistics.mean(exact))
    assert se == pytest.approx(math.sqrt(statistics.variance(exact) / len(exact)), rel=1e-12)


def test_tables_are_the_scalars() -> None:
    # Object arrays of large Python integers, as a long run keeps them.
    table = np.array([[5, 4, 10], [1, 1, 2], [3, 1, 6], [-7, 2, -14]], object) * 10**15
    totals, products, hands = table.sum(axis=0), table.T @ table, [1, 3, 2]
    mean, se = means(totals, products, 4, hands)
    gap, gap_se = differences(totals, products, 4, hands)
    assert mean.tolist() == [mean_se(totals[p], products[p, p], 4, hands[p])[0] for p in range(3)]
    assert se.tolist() == [mean_se(totals[p], products[p, p], 4, hands[p])[1] for p in range(3)]
    expected = paired(totals[0], totals[1], products[0, 0], products[1, 1], products[0, 1], 4, 1, 3)
    assert (-gap[1, 0], gap_se[1, 0]) == (gap[0, 1], gap_se[0, 1]) == pytest.approx(expected, rel=1e-15)
    # The third column is twice the first over twice the hands: a twin, exactly.
    assert gap[0, 2] == gap_se[0, 2] == 0.0
    assert not gap.diagonal().any()
    assert not gap_se.diagonal().any()


def test_int64_arrays_do_not_overflow() -> None:
    # 2^30 - 1, 2^30, 2^30 + 1: variance 1. Σ Y² fits an int64, 3·Σ Y² does not.
    mean, se = means(np.array([3 * 2**30]), np.array([[3 * 2**60 + 2]]), 3, np.array([1]))
    assert mean.tolist() == [2.0**30]
    assert se == pytest.approx([1 / math.sqrt(3)], rel=1e-15)


def test_one_deal_has_no_standard_error() -> None:
    mean, se = mean_se(7, 49, 1)
    assert mean == 7.0
    assert math.isnan(se)
    assert math.isnan(paired(7, 3, 49, 9, 21, 1)[1])
    assert all(math.isnan(end) for end in interval(7.0, se, 1))
    assert all(math.isnan(end) for end in interval(7.0, 0.0, 1))


@pytest.mark.parametrize(
    ("deals", "level", "t"),  # printed tables of Student's t, D - 1 degrees of freedom
    [(2, 0.95, 12.706), (5, 0.90, 2.132), (10, 0.95, 2.262), (31, 0.99, 2.750), (10**7, 0.95, 1.960)],
)
def test_interval_by_the_tables(deals: int, level: float, t: float) -> None:
    low, high = interval(3.0, 2.0, deals, level)
    assert (low, high) == pytest.approx((3.0 - 2 * t, 3.0 + 2 * t), abs=1.1e-3)


def test_interval_of_arrays_and_of_no_spread() -> None:
    low, high = interval([1.0, 2.0], [0.0, 1.0], 10)
    assert low[0] == high[0] == 1.0
    assert low[1] < 2.0 < high[1]


def test_intervals_cover_as_often_as_they_say() -> None:
    # 2,000 tables of 4 deals with figures rounded from a normal: 1,900 covered expected, sd √(2000·0.95·0.05) = 9.75
    rng = np.random.Generator(np.random.Philox(key=11))
    tables = np.rint(rng.normal(50, 1000, (2000, 4))).astype(int).tolist()
    mean, se = np.transpose([mean_se(*sums(row)) for row in tables])
    low, high = interval(mean, se, 4)
    covered = ((low <= 50) & (high >= 50)).sum()
    assert abs(covered - 1900) < 4 * 9.75


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: mean_se(1, 1, 0), "deals=0"),
        (lambda: mean_se(1, 1, 2, hands=0), "hands=0"),
        (lambda: mean_se(10, 1, 2), "square=1"),
        (lambda: paired(1, 1, 1, 1, 1, 2, hands_b=0), "hands_b=0"),
        (lambda: means([1, 2], [[1, 2]], 2, [1, 1]), "2 x 2"),
        (lambda: differences([1, 2], [[1, 2], [2, 4]], 2, [1]), "2 hands"),
        (lambda: interval(0.0, 1.0, 5, level=95), "level=95"),
        (lambda: interval(0.0, 1.0, 0), "deals=0"),
    ],
)
def test_bad_arguments_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=said):
        call()


def test_fractional_sums_are_refused() -> None:
    with pytest.raises(TypeError):
        mean_se(1.5, 2, 2)  # type: ignore[arg-type]


def test_importing_does_not_import_scipy() -> None:
    code = "import sys, palace_sim.statistics; sys.exit('scipy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
