"""Control variates: planted luck is recovered, the mean stays, silly controls do no harm."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace_sim.statistics import interval
from palace_sim.statistics.control import adjusted_mean, control_variate, moments


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


def test_planted_luck_is_recovered() -> None:
    # Figures 2 + 1.5·luck + noise: variance 1.5²·4 + 1 = 10 down to 1. Coefficients have sd 1/(2·√4500), the factor a
    # relative sd of √(2/5000 + 2/5000)·√0.9.
    rng = draws(1)
    luck, noise = rng.normal(0, 2, 5000), rng.normal(0, 1, 5000)
    found = control_variate(2 + 1.5 * luck + noise, luck)
    assert found.coefficients == pytest.approx(np.full((10, 1), 1.5), abs=4 / (2 * math.sqrt(4500)))
    assert found.factor == pytest.approx(10, rel=4 * 0.027)
    assert abs(found.mean - 2) < 4 * found.se
    assert found.se == pytest.approx(noise.std(ddof=1) / math.sqrt(5000), rel=0.01)
    assert (found.low, found.high) == pytest.approx(interval(found.mean, found.se, 5000))
    assert found.n == 5000


def test_two_controls_that_go_together() -> None:
    rng = draws(2)
    luck = rng.normal(size=(4000, 2)) @ np.array([[1.0, 0.9], [0.0, 0.3]])
    found = control_variate(luck @ [2.0, -1.0] + rng.normal(size=4000), luck)
    assert found.coefficients == pytest.approx(np.tile([2.0, -1.0], (10, 1)), abs=0.25)
    assert found.se == pytest.approx(1 / math.sqrt(4000), rel=4 / math.sqrt(8000))


def test_a_silly_control_changes_next_to_nothing() -> None:
    rng = draws(3)
    figures, silly = rng.standard_t(3, 3000), rng.normal(size=3000)
    found = control_variate(figures, silly)
    # What a useless coefficient adds is of the order of 1/D of the variance.
    assert found.factor == pytest.approx(1, abs=0.01)
    assert abs(found.mean - figures.mean()) < found.se


def test_no_control_at_all_is_the_plain_mean() -> None:
    figures = draws(4).normal(3, 2, 500)
    for nothing in (np.zeros(500), np.full(500, 7.0), np.zeros((500, 2))):
        found = control_variate(figures, nothing)
        assert not found.coefficients.any()
        assert found.mean == pytest.approx(figures.mean()) and found.factor == pytest.approx(1)
        assert found.se == pytest.approx(figures.std(ddof=1) / math.sqrt(500))


def test_units_do_not_matter() -> None:
    rng = draws(5)
    luck = rng.normal(size=(300, 2))
    figures = luck @ [1, 2] + rng.normal(size=300)
    plain, scaled = control_variate(figures, luck), control_variate(1e6 * figures, luck * [1e-9, 1e9])
    assert (scaled.mean, scaled.se, scaled.factor) == pytest.approx((1e6 * plain.mean, 1e6 * plain.se, plain.factor))


@pytest.mark.parametrize("coefficient", [1.0, 0.0, -3.0])
def test_a_coefficient_settled_beforehand(coefficient: float) -> None:
    rng = draws(6)
    luck = rng.normal(size=200)
    figures = luck + rng.normal(size=200)
    found = control_variate(figures, luck, coefficient=coefficient)
    expected = figures - coefficient * luck
    assert found.mean == pytest.approx(expected.mean())
    assert found.se == pytest.approx(expected.std(ddof=1) / math.sqrt(200))
    assert found.factor == pytest.approx(figures.var() / expected.var())


def test_unbiased_where_the_same_deals_would_not_be() -> None:
    # Luck that is skewed and bends what it does: fitted on the very deals that it is used on, the coefficient biases
    # the mean. 1,500 runs of 12 deals; the mean error within 4 of its own.
    rng = draws(7)
    errors, same = [], []
    for _ in range(1500):
        luck = rng.exponential(1, 12) - 1
        figures = luck**2 - 1 + luck + rng.normal(0, 0.5, 12)
        errors.append(control_variate(figures, luck, folds=4).mean)
        slope = np.cov(figures, luck)[0, 1] / luck.var(ddof=1)
        same.append((figures - slope * luck).mean())
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(1500)
    assert abs(np.mean(same)) > 4 * np.std(same) / math.sqrt(1500)


def test_intervals_cover_with_normal_figures() -> None:
    # 1,000 runs: 950 expected, sd √(1000·0.95·0.05) = 6.9.
    rng = draws(9)
    covered = 0
    for _ in range(1000):
        luck = rng.normal(size=60)
        found = control_variate(2 * luck + rng.normal(size=60), luck, folds=4)
        covered += found.low <= 0 <= found.high
    assert abs(covered - 950) <= 4 * 6.9


@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 1000))
def test_sums_of_parts_add_up(deals: int, folds: int, key: int) -> None:
    # Deals in two parts, the first of a whole number of folds: the sums add up to those of all.
    rng = draws(key)
    figures, luck = rng.integers(-50, 51, deals), rng.integers(-50, 51, deals)
    cut = folds * (deals // folds // 2)
    together = moments(figures, luck, folds)
    apart = moments(figures[:cut], luck[:cut], folds) + moments(figures[cut:], luck[cut:], folds)
    assert (together == apart).all()
    one, other = adjusted_mean(together), control_variate(figures, luck, folds)
    assert repr(one) == repr(other)


def test_by_hand() -> None:
    # Folds (0, 2) and (1, 3). On deals 1 and 3 the slope is (9 − 1)/(3 − 1) = 4, on deals 0 and 2 (4 − 2)/(1 − 0) = 2.
    found = control_variate([2.0, 1.0, 4.0, 9.0], [0.0, 1.0, 1.0, 3.0], folds=2)
    assert found.coefficients[:, 0] == pytest.approx([4.0, 2.0])
    adjusted = np.array([2.0, 1.0 - 2.0, 4.0 - 4.0, 9.0 - 6.0])
    assert found.mean == pytest.approx(adjusted.mean())
    assert found.se == pytest.approx(adjusted.std(ddof=1) / 2)
    assert found.factor == pytest.approx(np.var([2, 1, 4, 9]) / adjusted.var())


def test_one_deal_has_no_error() -> None:
    found = control_variate([5.0], [1.0])
    assert found.mean == 5.0
    assert all(math.isnan(x) for x in (found.se, found.low, found.high, found.factor))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: control_variate([1.0, 2.0], [1.0]), "figures has shape"),
        (lambda: control_variate([1.0, 2.0], [1.0, 2.0], folds=1), "folds=1"),
        (lambda: adjusted_mean(np.zeros((2, 2, 2))), "K \\+ 2"),
        (lambda: adjusted_mean(np.zeros((2, 3, 3))), "at least one deal"),
    ],
)
def test_bad_arguments_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=said):
        call()
