"""Intervals for the mean of a variable that lies between 0 and 1: a share won, a chance, an equity.

Mean ± t·se fails near the ends: nothing but wins gives se 0 and an interval of no width. Wilson's score interval for
k successes in n trials solves (p − θ)² = z²·θ(1 − θ)/n for θ, with p = k/n, and stays honest there (E. B. Wilson,
"Probable inference, the law of succession, and statistical inference", Journal of the American Statistical Association
22 (1927) 209-212; R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, compares it with six others).

A variable that takes values in between, as a split pot does, varies less than a success: its variance s² is at most
m(1 − m). n draws of it tell as much as n·m(1 − m)/s² trials, its *effective* number (L. Kish, Survey Sampling, 1965,
section 8.2: the design effect), and that is put into Wilson's formula. For successes it is n itself.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

SLACK = 1e-9  # by which a variance may exceed m(1 - m) through rounding


def score_interval(mean: ArrayLike, variance: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[Any, Any]:
    """Interval around the mean of n draws of a variable between 0 and 1: Wilson's, with the effective number of draws.

    Parameters
    ----------
    mean : float or array
        Mean of the draws, 0 to 1.
    variance : float or array
        Their sample variance, with divisor n − 1; not read where n is 1.
    n : int or array
        Draws, 1 or more. The three broadcast.
    level : float
        Share of intervals that cover the true mean, between 0 and 1.

    Returns
    -------
    low, high : float or array
        Within 0 and 1, the mean between them. They differ even where all draws were the same: a value that never came
        up may have a share up to Wilson's bound z²/(n + z²), and may be anything from 0 to 1.

    Raises
    ------
    ValueError
        A mean outside 0 to 1, a variance that no variable between 0 and 1 has, or n below 1.

    Examples
    --------
    Newcombe's table I has 0.0624 to 0.1605 for 15 successes in 148 trials, whose variance is 15·133/(148·147).

    >>> low, high = score_interval(15 / 148, 15 * 133 / (148 * 147), 148)
    >>> print(round(low, 4), round(high, 4))
    0.0624 0.1605
    >>> low, high = score_interval(0.5, 0.0, 1000)      # a thousand draws, each a tie
    >>> print(round(low, 4), round(high, 4))
    0.4981 0.5019
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r}: a number between 0 and 1, both excluded")
    m, s2, count = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (mean, variance, n)))
    if not (count >= 1).all():
        raise ValueError(f"n={n!r}: 1 or more")
    if not ((m >= 0) & (m <= 1)).all():
        raise ValueError(f"mean={mean!r}: from 0 to 1")
    most = m * (1 - m)
    spread = np.where(count > 1, s2 * (count - 1) / count, most)  # with divisor n, as m(1 - m) has it for successes
    if not ((spread >= 0) & (spread <= most + SLACK)).all():
        raise ValueError(f"variance={variance!r}: from 0 to n/(n - 1)·mean·(1 - mean), the most between 0 and 1")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    varied = (spread > 0) & (most > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = z * z * np.where(varied, np.minimum(spread / most, 1.0), 0.0) / count  # z²/n with the effective n
    half = np.sqrt(q * most + q * q / 4)
    # One z²/(n + z²) of what might be drawn is unknown where all draws were the same.
    unseen = z * z / (count + z * z)
    low = np.where(varied, (m + q / 2 - half) / (1 + q), m * (1 - unseen))
    high = np.where(varied, (m + q / 2 + half) / (1 + q), m * (1 - unseen) + unseen)
    low, high = np.clip(low, 0.0, m), np.clip(high, m, 1.0)
    return (float(low), float(high)) if low.ndim == 0 else (low, high)
