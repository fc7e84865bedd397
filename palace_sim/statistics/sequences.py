"""Intervals and tests that stay valid however often one looks, and how many deals a fixed number takes.

An interval of fixed n covers at the one n that was settled beforehand. Whoever looks again and again and stops when the
interval pleases finds, sooner or later, one that misses. A confidence sequence covers at all n at once, and a
sequential probability ratio test is made for looking; what is looked at and when may depend on what was seen.
"""

from __future__ import annotations

import dataclasses
import math
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST_DEALS = 1000  # a test on means says nothing before: means of skewed figures are not yet normal enough
EXACT_BELOW = 10_000  # deals up to which `deals_needed` uses the noncentral t; beyond it the normal is as good


def confidence_sequence(
    mean: ArrayLike, se: ArrayLike, n: ArrayLike, level: float = 0.95, planned: ArrayLike = 10_000
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Interval around a mean that holds at all n at once, so one may look at any time and stop when one likes.

    Parameters
    ----------
    mean, se : float or array
        Estimates and their standard errors (sample standard deviation over √n). All arguments but `level` broadcast.
    n : int or array
        Units (deals) so far, 1 or more.
    level : float
        Chance that the interval covers the true mean at every n, between 0 and 1.
    planned : int or array
        The n at which the interval is tightest. It must not depend on the data. In standard errors it is 3.03 to
        each side there (level 0.95; 3.13 at four times as many, 3.25 at a quarter, about 3.8 at a tenth).

    Returns
    -------
    low, high : float64 or array
        NaN for one unit, as in `interval`. Infinite for the first few units (up to about 0.85·√planned of them at
        level 0.95), also where `se` is 0; later on equal to the mean where `se` is 0.

    Notes
    -----
    With g = nρ² + 1, α = 1 − level and c = (g/α²)^(1/n) the half-width is

        se·√((n − 1)·g·(c − 1)/(g − c)),    infinite where c ≥ g.

    It is the set of means that a mixture test has not rejected at α: the effect size has a normal prior of variance ρ²,
    the standard deviation its right Haar prior. For normal figures it is valid at every n ≥ 2. As n grows it becomes

        se·√((nρ² + 1)/(nρ²)·log((nρ² + 1)/α²)),

    the asymptotic confidence sequence of Waudby-Smith et al. (theorem 2.2), valid for any figures of finite variance
    from a large enough n on. At `planned` the latter is narrowest when ρ²·planned = −W₋₁(−α²/e) − 1, W₋₁ being the
    lower branch of Lambert's function.

    References
    ----------
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024) 2613-2640. H. Wang and A. Ramdas, "Anytime-valid t-tests and
    confidence sequences for Gaussian means with unknown variance", Sequential Analysis 44 (2025) 56-110. T. L. Lai, "On
    confidence sequences", Annals of Statistics 4 (1976) 265-280.

    Examples
    --------
    >>> low, high = confidence_sequence(1.0, 0.5, n=10_000, planned=10_000)
    >>> print(round(low, 2), round(high, 2))
    -0.52 2.52
    >>> print(*confidence_sequence(1.0, 0.5, n=20, planned=10_000))
    -inf inf
    """
    alpha = 1.0 - _share("level", level)
    count, best = np.asarray(n, np.float64), np.asarray(planned, np.float64)
    if not (count >= 1).all():
        raise ValueError(f"n={n!r}: 1 or more")
    if not (best >= 1).all():
        raise ValueError(f"planned={planned!r}: 1 or more")
    growth = count * (_tightest(alpha) / best)  # n·ρ²
    log_c = (np.log1p(growth) - 2 * math.log(alpha)) / count
    ready = log_c < np.log1p(growth)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rise = np.expm1(log_c)
        multiple = np.sqrt((count - 1) * (1 + growth) * rise / (growth - rise))
        half = np.where(ready, multiple * np.asarray(se, np.float64), np.where(count > 1, np.inf, np.nan))
    half = np.where(np.isnan(np.asarray(se, np.float64)), np.nan, half)
    return np.subtract(mean, half), np.add(mean, half)


def _tightest(alpha: float) -> float:
    """Solve log((x + 1)/α²) = x, where (x + 1)/x·log((x + 1)/α²) is least."""
    from scipy.special import lambertw  # here, so that importing palace_sim does not import scipy

    return float(-lambertw(-(alpha**2) / math.e, -1).real - 1.0)


@dataclasses.dataclass
class Sprt:
    """Sequential probability ratio test on the mean of deals, variance unknown; looked at as often as one likes.

    Decides between H0, the true mean is `h0`, and H1, it is `h1`. For a truth beyond them the errors are rarer; for one
    in between either answer may come. Not deciding is possible too: it is the caller who ends a test by a number of
    deals.

    Parameters
    ----------
    h0, h1 : float
        Small bets per 100 hands; different. The figures of deals may be nets or paired differences of nets.
    alpha, beta : float
        Chance to decide for H1 when H0 holds, and for H0 when H1 holds; between 0 and 0.5.
    small_bet : int
        Chips in a small bet.
    hands : int
        Hands in a deal's figure.
    least : int
        Deals before which nothing is decided.

    Attributes
    ----------
    decision : {"H0", "H1", None}
        What was decided. It stays once made.
    n : int
        Deals when it was made, or at the last update.
    llr : float
        Log-likelihood ratio of H1 to H0 then.
    lower, upper : float
        Bounds: H0 is decided when the ratio is at or below `lower`, H1 at or above `upper`.

    Notes
    -----
    With mean m and variance v (divisor n) of the figures, each hypothesis fitted with its own variance, the ratio is

        LLR = n/2·log((v + (m − μ₀)²)/(v + (m − μ₁)²)),

    about n·(μ₁ − μ₀)·(2m − μ₀ − μ₁)/(2v) where both lie near m: the generalised test of chess engine testing, the deal
    in the place of the pair of games. Wald's bounds log(β/(1 − α)) and log((1 − β)/α) take the ratio to stop on them.
    It stops a little beyond, the more so the rarer one looks, so the true chances of error lie below α and β and the
    test takes a little longer than it must. No correction for that overshoot is made. Skewed figures distort the other
    way while deals are few: of exponential ones (skewness 2) the rarer error was met in 5.5 % of 4,000 tests at 5 %
    that took some thousands of deals, but in 8.6 % of tests that were let decide after some hundreds. Hence `least`.

    References
    ----------
    A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945) 117-186. X. Li,
    J. Liu and Z. Ying, "Generalized sequential probability ratio test for separate families of hypotheses", Sequential
    Analysis 33 (2014) 539-563.

    Examples
    --------
    Figures of 0 and 4 chips in turn, one hand a deal: mean 2, which is 20 small bets per 100 hands.

    >>> test = Sprt(h0=0, h1=20, small_bet=10)
    >>> test.update(n=1000, total=2000, square=8000)
    'H1'
    >>> print(round(test.llr, 1), round(test.upper, 2))     # 1000/2·log((4 + 2²)/(4 + 0²))
    346.6 2.94
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    small_bet: int = 10
    hands: int = 1
    least: int = LEAST_DEALS
    decision: str | None = dataclasses.field(default=None, init=False)
    n: int = dataclasses.field(default=0, init=False)
    llr: float = dataclasses.field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.h0) and math.isfinite(self.h1)) or self.h0 == self.h1:
            raise ValueError(f"h0={self.h0!r}, h1={self.h1!r}: two different numbers of small bets per 100 hands")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < value < 0.5:
                raise ValueError(f"{name}={value!r}: a number between 0 and 0.5, both excluded")
        for name, number, low in (("small_bet", self.small_bet, 1), ("hands", self.hands, 1), ("least", self.least, 2)):
            if index(number) < low:
                raise ValueError(f"{name}={number!r}: {low} or more")

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def update(self, n: int, total: int, square: int) -> str | None:
        """Look at the sums so far, and decide if they allow it.

        Parameters
        ----------
        n : int
            Deals since the beginning, not since the last look.
        total, square : int
            Σ Y_d and Σ Y_d² of the chips of a deal since the beginning, any size.

        Returns
        -------
        {"H0", "H1", None}

        Raises
        ------
        ValueError
            Fewer deals than at the last look, or sums that cannot be.
        """
        if self.decision is not None:
            return self.decision
        n, total, square = index(n), index(total), index(square)
        if n < max(self.n, 1):
            raise ValueError(f"n={n}: deals since the beginning, at least the {max(self.n, 1)} of the last look")
        spread = n * square - total * total
        if spread < 0:
            raise ValueError(f"square={square} is too small for total={total} in {n} deals: not a sum of their squares")
        self.n, self.llr = n, self._ratio(n, total / n, spread / (n * n))
        if n >= self.least and (self.llr <= self.lower or self.llr >= self.upper):
            self.decision = "H0" if self.llr <= self.lower else "H1"
        return self.decision

    def expected_deals(self, truth: float, sd: float) -> float:
        """Deals that the test takes on average, by Wald's approximation, which leaves out the overshoot.

        Parameters
        ----------
        truth : float
            True mean, small bets per 100 hands.
        sd : float
            Standard deviation of a deal's mean a hand, in the same unit.

        Returns
        -------
        float

        Examples
        --------
        >>> print(round(Sprt(h0=0, h1=2).expected_deals(truth=2, sd=100)))
        13250
        """
        if not sd > 0:
            raise ValueError(f"sd={sd!r}: more than 0")
        step = (self.h1 - self.h0) / sd
        # In units of sd the ratio drifts by step·d a deal, d = truth less the middle, with variance step².
        drift = step * (truth - (self.h0 + self.h1) / 2) / sd
        if abs(drift) < 1e-9 * step * step:
            return -self.lower * self.upper / (step * step)
        tilt = -2 * drift / (step * step)  # E exp(tilt·increment) = 1
        # Optional stopping gives the chance of H1; expm1 of a large argument is divided out.
        big = max(tilt * self.upper, tilt * self.lower, 0.0)
        at_lower, at_upper = math.exp(tilt * self.lower - big), math.exp(tilt * self.upper - big)
        for_h1 = (math.exp(-big) - at_lower) / (at_upper - at_lower)
        return (for_h1 * self.upper + (1 - for_h1) * self.lower) / drift

    def _ratio(self, n: int, mean: float, variance: float) -> float:
        to_chips = self.small_bet * self.hands / 100
        against0 = variance + (mean - self.h0 * to_chips) ** 2
        against1 = variance + (mean - self.h1 * to_chips) ** 2
        if against0 == 0 or against1 == 0:
            return math.inf if against1 == 0 else -math.inf
        return n / 2 * math.log(against0 / against1)


def deals_needed(difference: float, sd: float, power: float = 0.8, level: float = 0.95, paired: bool = True) -> int:
    """Number of deals, settled beforehand, at which a true difference is found with the wanted chance.

    Parameters
    ----------
    difference : float
        The true difference of two means (or of a mean from zero) that one wants to find; not 0. Its sign is not read.
    sd : float
        Standard deviation over deals, in the unit of `difference`: se·√deals of a pilot run. Paired: of the difference
        of the two in a deal. Not paired: of each policy's own figure.
    power : float
        Chance that the difference is found.
    level : float
        Found means: the interval of this level, by Student's t, leaves out 0.
    paired : bool
        Both policies play the same deals; False: each plays that many deals of its own, and deals are independent.

    Returns
    -------
    int
        Deals for each policy, at least 2.

    Notes
    -----
    The least n with P(|T| > t) ≥ power, T noncentral t with n − 1 (not paired: 2n − 2) degrees of freedom and
    noncentrality difference/sd·√n (not paired: √(n/2)), t the quantile of Student's t. With z_p the normal quantile
    this is about (z_{(1+level)/2} + z_power)²·(sd/difference)² + z²_{(1+level)/2}/2, which is used above 10,000
    deals (not paired: twice the first term and half the second).

    References
    ----------
    W. C. Guenther, "Sample size formulas for normal theory t tests", The American Statistician 35 (1981) 243-244.

    Examples
    --------
    Half a standard deviation takes 34 deals; 2 small bets per 100 hands where deals vary by 100 take 19,625.

    >>> deals_needed(0.5, 1.0), deals_needed(2, 100)
    (34, 19625)
    """
    from scipy.special import nctdtr, ndtri, stdtrit

    if not math.isfinite(difference) or difference == 0:
        raise ValueError(f"difference={difference!r}: a number that is not 0")
    if not (sd > 0 and math.isfinite(sd)):
        raise ValueError(f"sd={sd!r}: more than 0")
    level, power = _share("level", level), _share("power", power)
    if power <= 1 - level:
        raise ValueError(f"power={power!r}: more than 1 - level = {1 - level:.3g}, which no deals at all would give")
    effect, groups = abs(difference) / sd, 1 if paired else 2
    z = float(ndtri(0.5 + level / 2))
    rough = groups * ((z + float(ndtri(power))) / effect) ** 2 + z * z / (2 * groups)
    if rough > EXACT_BELOW:
        return math.ceil(rough)

    def enough(n: int) -> bool:
        freedom, shift = groups * (n - 1), effect * math.sqrt(n / groups)
        t = float(stdtrit(freedom, 0.5 + level / 2))
        return float(nctdtr(freedom, -shift, -t) + nctdtr(freedom, shift, -t)) >= power

    high = 2
    while not enough(high):
        high *= 2
    low = max(high // 2, 1)  # not enough, or no deals at all
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _share(name: str, value: float) -> float:
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name}={value!r}: a number between 0 and 1, both excluded")
    return float(value)
