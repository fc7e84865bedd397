"""Means, standard errors and intervals from exact integer sums.

The unit is the deal. A policy plays ``hands`` hands in each of D deals, and its integer figure of deal d is Y_d, the
sum over those hands; what is estimated is the mean of x_d = Y_d / hands. Three sums carry all that is needed, for any
number of deals: D, Σ Y_d and Σ Y_d² (for two policies also Σ Y_d·Z_d). They are kept as Python integers, so

    D·Σ Y_d² − (Σ Y_d)²

is subtracted exactly and only the last quotient is rounded. Taken in floating point that difference loses every digit
when the mean is large beside the spread (Chan, Golub and LeVeque, "Algorithms for computing the sample variance",
The American Statistician 37, 1983).

With u_d = (x_d − m)/D the standard error is se² = D/(D−1)·Σ u_d². A single deal has none: NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mean_se(total: int, square: int, deals: int, hands: int = 1) -> tuple[float, float]:
    """Mean a hand and its standard error, from a sum and a sum of squares over deals.

    Parameters
    ----------
    total : int
        Σ Y_d, any size.
    square : int
        Σ Y_d², any size.
    deals : int
        D, 1 or more.
    hands : int
        Hands of the policy in each deal, 1 or more.

    Returns
    -------
    mean, se : float
        In the unit of Y, a hand. ``se`` is NaN for one deal.

    Examples
    --------
    Three deals of two hands each with 2, 4 and 12 chips: means a hand of 1, 2 and 6.

    >>> mean, se = mean_se(2 + 4 + 12, 2**2 + 4**2 + 12**2, deals=3, hands=2)
    >>> print(mean, round(se, 4))       # variance ((-2)² + (-1)² + 3²)/2 = 7, over 3 deals
    3.0 1.5275
    """
    total, square, deals, hands = index(total), index(square), index(deals), index(hands)
    _at_least_one(deals=deals, hands=hands)
    spread = deals * square - total * total
    if spread < 0:
        raise ValueError(f"square={square} is too small for total={total} in {deals} deals: not a sum of their squares")
    # A quotient of two Python integers is rounded once, and correctly, whatever their size.
    mean = total / (deals * hands)
    if deals == 1:
        return mean, math.nan
    return mean, math.sqrt(spread / (deals * deals * (deals - 1) * hands * hands))


def paired(
    total_a: int,
    total_b: int,
    square_a: int,
    square_b: int,
    product: int,
    deals: int,
    hands_a: int = 1,
    hands_b: int = 1,
) -> tuple[float, float]:
    """Mean of the paired difference a − b and its standard error: the two play the same deals.

    Parameters
    ----------
    total_a, total_b, square_a, square_b : int
        The sums and sums of squares of the two policies' figures over deals.
    product : int
        Σ of the products of their figures.
    deals : int
        D, 1 or more.
    hands_a, hands_b : int
        Hands a deal; they may differ.

    Returns
    -------
    mean, se : float
        In the unit of the figures, a hand. ``se`` is NaN for one deal.

    Examples
    --------
    Figures 5, 1, 3 and 4, 1, 1: the differences are 1, 0, 2.

    >>> mean, se = paired(9, 6, 25 + 1 + 9, 16 + 1 + 1, 5*4 + 1*1 + 3*1, deals=3)
    >>> print(mean, round(se, 4))       # variance (0² + 1² + 1²)/2 = 1, over 3 deals
    1.0 0.5774
    """
    _at_least_one(hands_a=hands_a, hands_b=hands_b)
    common, weight_a, weight_b = _common(index(hands_a), index(hands_b))
    total = weight_a * index(total_a) - weight_b * index(total_b)
    square = (
        weight_a * weight_a * index(square_a)
        - 2 * weight_a * weight_b * index(product)
        + weight_b * weight_b * index(square_b)
    )
    return mean_se(total, square, deals, common)


def means(
    totals: Sequence[int] | NDArray[Any], products: ArrayLike, deals: int, hands: Sequence[int] | NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`mean_se` of P policies at once.

    Parameters
    ----------
    totals : (P,) int
        Σ_d Y_dp of each policy.
    products : (P, P) int
        Σ_d Y_dp·Y_dq, Python integers in an object array, or any integers that fit.
    deals : int
        D, 1 or more.
    hands : (P,) int
        Hands a deal of each policy.

    Returns
    -------
    mean, se : (P,) float64

    Examples
    --------
    >>> mean, se = means([9, 6], [[35, 24], [24, 18]], deals=3, hands=[1, 1])
    >>> print(mean, se.round(4))
    [3. 2.] [1.1547 1.    ]
    """
    totals, squares, hands = _checked(totals, products, hands)
    rows = [mean_se(totals[p], squares[p][p], deals, hands[p]) for p in range(len(totals))]
    table = np.array(rows, np.float64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def differences(
    totals: Sequence[int] | NDArray[Any], products: ArrayLike, deals: int, hands: Sequence[int] | NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`paired` for all pairs of P policies.

    Parameters
    ----------
    totals, products, deals, hands
        As for `means`.

    Returns
    -------
    mean, se : (P, P) float64
        Entry (i, j) is policy i less policy j. The diagonal is exactly 0.

    Examples
    --------
    >>> mean, se = differences([9, 6], [[35, 24], [24, 18]], deals=3, hands=[1, 1])
    >>> mean
    array([[ 0.,  1.],
           [-1.,  0.]])
    >>> se.round(4)
    array([[0.    , 0.5774],
           [0.5774, 0.    ]])
    """
    totals, squares, hands = _checked(totals, products, hands)
    mean = np.zeros((len(totals), len(totals)))
    se = np.zeros_like(mean)
    for i in range(len(totals)):
        for j in range(i):
            mean[i, j], se[i, j] = paired(
                totals[i], totals[j], squares[i][i], squares[j][j], squares[i][j], deals, hands[i], hands[j]
            )
            mean[j, i], se[j, i] = -mean[i, j], se[i, j]
    return mean, se


def interval(
    mean: ArrayLike, se: ArrayLike, deals: ArrayLike, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Interval around a mean, by Student's t with D − 1 degrees of freedom.

    Parameters
    ----------
    mean, se : float or array
        Estimates and their standard errors; they broadcast.
    deals : int or array
        D, 1 or more. One deal gives NaN.
    level : float
        Share of intervals that cover the true mean, between 0 and 1.

    Returns
    -------
    low, high : float64 or array
        Equal to the mean where ``se`` is 0.

    Examples
    --------
    >>> low, high = interval(1.0, 0.5, deals=10)        # the tables give t = 2.262 for 9 degrees
    >>> print(round(low, 3), round(high, 3))
    -0.131 2.131
    >>> print(*interval(1.0, float("nan"), deals=1))
    nan nan
    """
    from scipy.special import stdtrit  # here, so that importing palace_sim does not import scipy

    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r}: a number between 0 and 1, both excluded")
    count = np.asarray(deals, np.float64)
    if not (count >= 1).all():
        raise ValueError(f"deals={deals!r}: 1 or more")
    t = stdtrit(np.where(count > 1, count - 1, np.nan), 0.5 + level / 2)
    half = t * np.asarray(se, np.float64)
    return np.subtract(mean, half), np.add(mean, half)


def _common(hands_a: int, hands_b: int) -> tuple[int, int, int]:
    """Find the least common multiple of two numbers of hands, and what brings figures a hand to that unit."""
    common = math.lcm(hands_a, hands_b)
    return common, common // hands_a, common // hands_b


def _checked(totals: Any, products: Any, hands: Any) -> tuple[list[int], list[list[int]], list[int]]:
    """Turn the three into Python integers, so that numpy's fixed sizes cannot overflow."""
    exact_totals = [index(t) for t in totals]
    exact_hands = [index(h) for h in hands]
    exact_products = [[index(q) for q in row] for row in products]
    size = len(exact_totals)
    if len(exact_hands) != size or [len(row) for row in exact_products] != [size] * size:
        raise ValueError(f"{size} totals need {size} hands and a {size} x {size} matrix of products")
    return exact_totals, exact_products, exact_hands


def _at_least_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name}={number!r}: 1 or more")
