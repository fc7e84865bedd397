"""Intervals for shares, such as that of hands won, with the deal as the unit.

Hands of a deal are not independent: all rotations and line-ups of it share their cards. A share counted hand by hand
and treated as binomial is too sure where hands of a deal go together, and too unsure where rotations even them out.
"""

from __future__ import annotations

import math
from operator import index
from typing import NamedTuple


class Share(NamedTuple):
    """A share with its standard error, interval, and what it was found from.

    Attributes
    ----------
    value, se, low, high : float
        From 0 to 1. ``se`` is 0 for a share of 0 or 1, whose interval is not.
    n : int
        Deals.
    hands : int
        Hands.
    effective : float
        Independent hands that would give the same standard error; for a share of 0 or 1 the number of deals.
    """

    value: float
    se: float
    low: float
    high: float
    n: int
    hands: int
    effective: float


def share(
    deals: int, count: int, hands: int, square: int, product: int, hands_square: int, level: float = 0.95
) -> Share:
    """Share of hands that have a property, from sums over deals.

    Parameters
    ----------
    deals : int
        D, deals, 1 or more.
    count, hands : int
        Σ x_d and Σ n_d: hands with the property, and hands, of each deal.
    square, product, hands_square : int
        Σ x_d², Σ x_d·n_d and Σ n_d².
    level : float
        Share of intervals that cover.

    Returns
    -------
    Share
        ``se``, ``low``, ``high`` and ``effective`` are NaN for a single deal.

    Notes
    -----
    The share is the ratio p = Σ x_d/Σ n_d, with se² = D/(D−1)·Σ (x_d − p·n_d)²/(Σ n_d)². It is as sure as one of
    n* = p(1 − p)/se² independent hands. The interval is that of Clopper and Pearson for n* hands times the square of
    the normal quantile over that of Student's t with D − 1 degrees of freedom (Korn and Graubard): near 0 and 1 it
    keeps to the side that is possible and is not too short. Where no hand, or every hand, has the property, deals say
    nothing about how hands of a deal go together, and the worst is assumed: that a deal counts as one.

    References
    ----------
    W. G. Cochran, "Sampling Techniques" (Wiley 1977), sections 2.11 and 9A. E. L. Korn and B. I. Graubard, "Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data", Survey
    Methodology 24 (1998) 193-201. C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413.

    Examples
    --------
    Four deals of two hands, of which 2, 1, 0 and 1 were won.

    >>> won = share(deals=4, count=4, hands=8, square=6, product=8, hands_square=16)
    >>> print(won.value, round(won.se, 4), round(won.effective, 1))     # 4/3·(1 + 0 + 1 + 0)/64
    0.5 0.2041 6.0
    >>> never = share(deals=100, count=0, hands=400, square=0, product=0, hands_square=1600)
    >>> print(never.low, round(never.high, 3))
    0.0 0.037
    """
    from scipy.special import betaincinv, ndtri, stdtrit

    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r}: a number between 0 and 1, both excluded")
    deals, count, hands = index(deals), index(count), index(hands)
    square, product, hands_square = index(square), index(product), index(hands_square)
    if deals < 1:
        raise ValueError(f"deals={deals}: 1 or more")
    if not (0 <= count <= hands and hands >= 1):
        raise ValueError(f"count={count}, hands={hands}: at least one hand, and from none to all of them")
    # Σ (x·H − X·n)² with H = Σ n and X = Σ x, exactly.
    spread = square * hands * hands - 2 * product * count * hands + hands_square * count * count
    if spread < 0 or deals * hands_square < hands * hands or deals * square < count * count:
        raise ValueError("square, product, hands_square: not sums of squares and products that go with count and hands")
    value = count / hands
    if deals == 1:
        return Share(value, math.nan, math.nan, math.nan, deals, hands, math.nan)
    # Quotients of Python integers are rounded once, whatever their size.
    se = math.sqrt(deals * spread / ((deals - 1) * hands**4))
    if count in (0, hands):
        effective = float(deals)
    elif spread == 0:
        return Share(value, 0.0, value, value, deals, hands, math.inf)
    else:
        effective = (deals - 1) * count * (hands - count) * hands * hands / (deals * spread)
    tail = 0.5 - level / 2
    alike = effective * (float(ndtri(tail)) / float(stdtrit(deals - 1, tail))) ** 2
    some, rest = alike * value, alike * (1 - value)
    low = float(betaincinv(some, rest + 1, tail)) if count else 0.0
    high = float(betaincinv(some + 1, rest, 1 - tail)) if count < hands else 1.0
    return Share(value, se, low, high, deals, hands, effective)
