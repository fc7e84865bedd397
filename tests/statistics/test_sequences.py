"""Confidence sequences and sequential tests against simulation and published tables; deals_needed against R's."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from palace_sim.statistics import interval
from palace_sim.statistics.sequences import Sprt, confidence_sequence, deals_needed


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


def running(figures: NDArray[np.float64], looks: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error at each look of each row."""
    sums, squares = figures.cumsum(axis=1)[:, looks - 1], (figures**2).cumsum(axis=1)[:, looks - 1]
    mean = sums / looks
    return mean, np.sqrt((squares - looks * mean**2) / (looks - 1) / looks)


def missed(low: NDArray[np.float64], high: NDArray[np.float64], truth: float = 0.0) -> int:
    return int(((low > truth) | (high < truth)).any(axis=1).sum())


KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy": lambda rng, shape: rng.standard_t(3, shape),  # no kurtosis
    "skewed": lambda rng, shape: rng.gamma(4.0, 1.0, shape) - 4.0,  # skewness 1
}


class TestConfidenceSequence:
    # 1,000 runs at 5 %: at most 50 missed expected, sd √(1000·0.05·0.95) = 6.9: up to 73 at 3.3 sd.
    BOUND = 73

    @pytest.mark.parametrize("kind", KINDS)
    def test_misses_at_no_look_of_many(self, kind: str) -> None:
        looks = np.arange(50, 4001, 50)
        mean, se = running(KINDS[kind](draws(1), (1000, 4000)), looks)
        assert missed(*confidence_sequence(mean, se, looks, planned=1000)) <= self.BOUND

    def test_holds_from_the_second_unit_on_for_normal_figures(self) -> None:
        looks = np.arange(2, 401)
        mean, se = running(draws(2).normal(7.0, 3.0, (1000, 400)), looks)
        # It is not empty talk either: with the prior tuned early, some of the 50 misses do happen.
        assert 0 < missed(*confidence_sequence(mean, se, looks, planned=10), truth=7.0) <= self.BOUND

    def test_an_interval_of_fixed_n_does_miss(self) -> None:
        # Armitage, McPherson and Rowe (JRSS A 132, 1969), table 2: with a known variance and equal steps, 5 % at each
        # of 10 looks is 0.193 in all, of 50 looks 0.320. 2,000 runs: sd below √(0.25·0.75/2000) = 0.0105; 4 of them.
        mean, se = running(draws(3).normal(size=(2000, 10_000)), np.arange(200, 10_001, 200))
        looks = np.arange(200, 10_001, 200)
        assert missed(*interval(mean, se, looks)) / 2000 == pytest.approx(0.320, abs=0.042)
        ten = slice(4, None, 5)
        assert missed(*interval(mean[:, ten], se[:, ten], looks[ten])) / 2000 == pytest.approx(0.193, abs=0.042)
        assert missed(*confidence_sequence(mean, se, looks, planned=3000)) <= 100 + 4 * math.sqrt(2000 * 0.05 * 0.95)

    @pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
    def test_many_units_give_the_published_boundary(self, level: float) -> None:
        # Theorem 2.2 of the paper, written out; at 10^8 units the small-sample form differs by under 1 in 10^6.
        alpha, planned, n = 1 - level, 10**8, np.array([10**7, 10**8, 10**9])
        # Lambert's function by Newton's method: x = log((x + 1)/α²).
        x = 10.0
        for _ in range(50):
            x = math.log((x + 1) / alpha**2)
        growth = n * x / planned
        expected = np.sqrt(2 * (growth + 1) / growth * np.log(np.sqrt(growth + 1) / alpha))
        low, high = confidence_sequence(5.0, 1.0, n, level, planned)
        assert high - 5.0 == pytest.approx(expected, rel=1e-6)
        assert 5.0 - low == pytest.approx(expected, rel=1e-6)

    def test_inverts_the_mixture_of_likelihoods(self) -> None:
        # At the end of the interval the Bayes factor, integrated numerically, is 1/α. Likelihood of t given effect size
        # δ: noncentral t with noncentrality δ√n; δ normal with variance ρ².
        n, planned, alpha = 12, 20, 0.05
        x = 10.0
        for _ in range(50):
            x = math.log((x + 1) / alpha**2)
        rho = math.sqrt(x / planned)
        t = float(confidence_sequence(0.0, 1.0, n, 1 - alpha, planned)[1])
        deltas = np.linspace(-10 * rho, 10 * rho, 20_001)
        weight = np.exp(-(deltas**2) / (2 * rho * rho)) / (rho * math.sqrt(2 * math.pi))
        mixed = np.trapezoid(stats.nct.pdf(t, n - 1, deltas * math.sqrt(n)) * weight, deltas)
        assert mixed / stats.t.pdf(t, n - 1) == pytest.approx(1 / alpha, rel=1e-4)

    def test_tightest_where_planned(self) -> None:
        # At a fixed n, no other plan gives a narrower interval.
        plans = [8000, 9000, 10_000, 11_000, 12_000]
        half = confidence_sequence(0.0, 1.0, 10_000, planned=plans)[1].tolist()
        assert min(half) == half[2]
        assert half[2] == pytest.approx(3.03, abs=0.01)

    def test_few_units_and_no_spread(self) -> None:
        low, high = confidence_sequence(3.0, [0.0, 0.0, math.nan], [10, 1000, 1000], planned=1000)
        assert (low[0], high[0]) == (-math.inf, math.inf)
        assert (low[1], high[1]) == (3.0, 3.0)
        assert math.isnan(low[2])
        assert all(math.isnan(end) for end in confidence_sequence(3.0, 0.0, 1))

    @given(st.integers(2, 10**6), st.integers(1, 10**6), st.floats(0.5, 0.9999))
    def test_never_narrower_than_an_interval_of_fixed_n(self, n: int, planned: int, level: float) -> None:
        low, high = confidence_sequence(0.0, 1.0, n, level, planned)
        assert low == -high
        assert high >= interval(0.0, 1.0, n, level)[1]


def play(test: Sprt, rng: np.random.Generator, kind: str, truth: float, block: int) -> Sprt:
    """Deals until a decision; a figure is 100,000·(truth + noise of variance 1) chips."""
    sd = {"normal": 1.0, "heavy": math.sqrt(3.0), "skewed": 2.0}[kind]
    total = square = 0
    for n in itertools.count(block, block):
        figures = np.rint(100_000 * (truth + KINDS[kind](rng, block) / sd)).astype(np.int64)
        total, square = total + int(figures.sum()), square + int((figures * figures).sum())
        if test.update(n, total, square):
            return test
    raise AssertionError


class TestSprt:
    # 1,000 tests at 5 %: 50 false decisions at most expected, sd √(1000·0.05·0.95) = 6.9: up to 73 at 3.3 sd.
    BOUND, TIMES = 73, 1000

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(("truth", "false"), [(0.0, "H1"), (0.05, "H0")])
    def test_errors_are_as_rare_as_promised(self, kind: str, truth: float, false: str) -> None:
        rng = draws(int(100 * truth))
        # A mean of 0.05 of 100,000 chips over one hand is 100·5,000 small bets of one chip per 100 hands.
        tests = [play(Sprt(0, 500_000, small_bet=1), rng, kind, truth, block=50) for _ in range(self.TIMES)]
        assert sum(test.decision == false for test in tests) <= self.BOUND
        # Fewer deals on average than the fixed number for the same two errors: ((z + z)/0.05)², z = 1.645, is 4,329.
        mean = np.mean([test.n for test in tests])
        assert mean < 4329
        # Wald: 2.65·2/0.05² = 2,120; `least` and the overshoot come on top.
        assert tests[0].expected_deals(truth * 1e7, 1e7) == pytest.approx(2120, abs=1)
        assert mean > 2120 * 0.95

    def test_wald_bounds_and_ratio_on_paper(self) -> None:
        test = Sprt(0, 100, alpha=0.05, beta=0.1, small_bet=1, hands=1, least=2)
        assert test.lower == pytest.approx(math.log(2 / 19))
        assert test.upper == pytest.approx(math.log(18))
        # Figures 0, 0, 3: mean 1 = H1 (100 small bets of a chip per 100 hands), variance 2: 3/2·log((2 + 1)/2).
        assert test.update(3, 3, 9) is None
        assert test.llr == pytest.approx(1.5 * math.log(1.5))

    def test_hands_and_small_bet_are_units(self) -> None:
        one, other = Sprt(1, 3, small_bet=10, hands=4), Sprt(10, 30, small_bet=1, hands=4)
        one.update(50, 40, 9000)
        other.update(50, 40, 9000)
        assert one.llr == pytest.approx(other.llr, rel=1e-12)

    def test_hypotheses_in_either_order(self) -> None:
        up, down = Sprt(-1, 1), Sprt(1, -1)
        up.update(1000, 5000, 10**5)
        down.update(1000, 5000, 10**5)
        assert up.llr == pytest.approx(-down.llr)
        assert up.llr == pytest.approx(500 * math.log((75 + 5.1**2) / (75 + 4.9**2)))  # variance 100 - 5², mu = ±0.1
        assert (up.decision, down.decision) == ("H1", "H0")

    def test_a_decision_stays_and_comes_not_before_least(self) -> None:
        test = Sprt(0, 20)
        assert test.update(999, 1998, 7992) is None
        assert test.update(1000, 2000, 8000) == "H1"
        assert test.update(10_000, -(10**6), 10**12) == "H1"
        assert test.n == 1000

    def test_twins_are_decided(self) -> None:
        assert Sprt(0, 20).update(1000, 0, 0) == "H0"
        assert Sprt(0, 20, small_bet=10).update(1000, 2000, 4000) == "H1"  # always 2 chips: exactly H1
        assert Sprt(0, 20, small_bet=10).update(1000, 1000, 1000) is None  # always 1: in the middle

    def test_sums_of_any_size(self) -> None:
        # 10^12 deals of -10^6 and 10^6 in turn, and one chip more each: digits that a float64 does not have.
        n, high = 10**12, 10**6
        test = Sprt(0, 2 * 10, small_bet=10)
        assert test.update(n, n, n * high**2 + n) is None  # mean 1, half-way
        assert test.llr == pytest.approx(0.0, abs=1e-3)

    @pytest.mark.parametrize("truth", [-2.0, 0.0, 0.7, 1.0, 1.3, 4.0])
    def test_expected_deals_is_that_of_a_random_walk(self, truth: float) -> None:
        # With the variance known the ratio is a walk with steps of variance s² = ((h1 − h0)/sd)² and a drift of s times
        # the truth's distance from the middle in sd.
        test, sd, rng = Sprt(0, 2), 40.0, draws(int(10 * truth + 100))
        step = 2 / sd
        drift, spread = step * (truth - 1) / sd, step
        lengths = []
        for _ in range(200):
            ratio, n = 0.0, 0
            while True:
                walk = ratio + np.cumsum(rng.normal(drift, spread, 2000))
                out = np.flatnonzero((walk <= test.lower) | (walk >= test.upper))
                if len(out):
                    lengths.append(n + int(out[0]) + 1)
                    break
                ratio, n = float(walk[-1]), n + 2000
        # Overshoot makes the walk longer by a few hundredths: 0.58·0.05 on a bound of 2.94 (Siegmund 1985, ch. 10) and
        # squared where there is no drift; 4 standard errors on top.
        error = 4 * np.std(lengths) / math.sqrt(200)
        expected = test.expected_deals(truth, sd)
        assert expected - error <= np.mean(lengths) <= 1.05 * expected + error

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (lambda: Sprt(1, 1), "h0=1, h1=1"),
            (lambda: Sprt(0, math.nan), "h1=nan"),
            (lambda: Sprt(0, 1, alpha=0.5), "alpha=0.5"),
            (lambda: Sprt(0, 1, beta=0), "beta=0"),
            (lambda: Sprt(0, 1, hands=0), "hands=0"),
            (lambda: Sprt(0, 1, least=1), "least=1"),
            (lambda: Sprt(0, 1).update(0, 0, 0), "n=0"),
            (lambda: Sprt(0, 1).update(10, 100, 10), "square=10"),
            (lambda: Sprt(0, 1).expected_deals(1, 0), "sd=0"),
            (lambda: confidence_sequence(0.0, 1.0, 0), "n=0"),
            (lambda: confidence_sequence(0.0, 1.0, 5, planned=0), "planned=0"),
            (lambda: confidence_sequence(0.0, 1.0, 5, level=95), "level=95"),
            (lambda: deals_needed(0, 1), "difference=0"),
            (lambda: deals_needed(1, 0), "sd=0"),
            (lambda: deals_needed(1, 1, power=0.05), "power=0.05"),
            (lambda: deals_needed(1, 1, level=1), "level=1"),
        ],
    )
    def test_bad_arguments_are_named(self, call, said: str) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(ValueError, match=said):
            call()

    def test_deals_do_not_run_backwards(self) -> None:
        test = Sprt(0, 1)
        test.update(10, 0, 1000)
        with pytest.raises(ValueError, match="since the beginning"):
            test.update(9, 0, 1000)


class TestDealsNeeded:
    def test_published_numbers(self) -> None:
        # R, ?power.t.test: power.t.test(power = .90, delta = 1) gives n = 22.02110, two samples, sd 1.
        assert deals_needed(1.0, 1.0, power=0.9, paired=False) == 23
        # Cohen (1988), table 2.4.1: two samples, d = 0.2, 0.5, 0.8 at 5 % two-sided and power 0.80: 393, 64, 26.
        # His 393 is of rounded tables; the noncentral t gives 393.4, so 394 (as in G*Power).
        assert [deals_needed(d, 1.0, paired=False) for d in (0.2, 0.5, 0.8)] == [394, 64, 26]

    @pytest.mark.parametrize("paired", [True, False])
    @pytest.mark.parametrize(("difference", "power", "level"), [(0.3, 0.8, 0.95), (1.5, 0.95, 0.99), (0.05, 0.5, 0.9)])
    def test_power_is_reached_there_and_not_before(
        self, difference: float, power: float, level: float, paired: bool
    ) -> None:
        def reached(n: int) -> float:
            freedom, shift = (n - 1, math.sqrt(n)) if paired else (2 * n - 2, math.sqrt(n / 2))
            t = stats.t.ppf(0.5 + level / 2, freedom)
            return stats.nct.sf(t, freedom, difference * shift) + stats.nct.cdf(-t, freedom, difference * shift)

        n = deals_needed(-difference * 7, 7.0, power, level, paired)
        assert reached(n) >= power > reached(n - 1)

    def test_many_deals_go_by_the_normal(self) -> None:
        # (1.959964 + 0.841621)²·50² = 19622.2 and 1.9208 on top; no step where the noncentral t ends.
        assert deals_needed(2.0, 100.0) == 19625
        below, above = deals_needed(0.02806, 1.0), deals_needed(0.02796, 1.0)
        assert below <= 10_000 < above
        assert above * 0.02796**2 == pytest.approx(below * 0.02806**2, rel=2e-4)

    def test_found_as_often_as_promised(self) -> None:
        # 2,000 pilots of the number wanted: 1,600 found expected, sd √(2000·0.8·0.2) = 17.9.
        n = deals_needed(0.4, 1.0)
        figures = draws(5).normal(0.4, 1.0, (2000, n))
        low, high = interval(figures.mean(axis=1), figures.std(axis=1, ddof=1) / math.sqrt(n), n)
        assert ((low > 0) | (high < 0)).sum() == pytest.approx(1600, abs=4 * 17.9 + 2000 * 0.01)
