"""Intervals for a mean of scores between 0 and 1, honest also where every score seen was the same."""

from __future__ import annotations

import math

Z = 1.959963984540054  # the 0.975 quantile of the standard normal distribution


def score_interval(mean: float, variance: float, n: int, z: float = Z) -> tuple[float, float]:
    """Interval for the mean of n independent scores from 0 to 1, such as 1 for a win and 1/2 for a tie.

    Wilson's interval ("Probable inference, the law of succession, and statistical inference", JASA 22, 1927) holds the
    means m that a test with the variance under m would not reject: (mean - m)² <= z²·v(m)/n. For scores of 0 and 1
    v(m) = m(1 - m); ties make it smaller by d, a quarter of their share, and d is estimated by what the sample lacks,
    mean·(1 - mean) - variance, shrunk by n/(n + z²), as if z² scores more were all 0 or 1. Solved for m:

        (n·mean + z²/2 ± z·sqrt(n·variance + z²/4)) / (n + z²)

    Without ties that is Wilson's interval. It never has length 0: not after wins only, nor after ties only.

    Parameters
    ----------
    mean : float
        Mean of the scores, 0 to 1.
    variance : float
        Their mean squared deviation (divided by n, not by n - 1).
    n : int
        How many, 1 or more.
    z : float
        Normal quantile; 1.96 for 95 %.

    Returns
    -------
    low, high : float

    Examples
    --------
    Ten wins of ten, and ten ties of ten:

    >>> low, high = score_interval(1.0, 0.0, 10)
    >>> print(round(low, 4), round(high, 4))
    0.7225 1.0
    >>> low, high = score_interval(0.5, 0.0, 10)
    >>> print(round(low, 4), round(high, 4))
    0.3612 0.6388
    """
    centre, half = n * mean + z * z / 2, z * math.sqrt(n * variance + z * z / 4)
    return max(0.0, (centre - half) / (n + z * z)), min(1.0, (centre + half) / (n + z * z))
