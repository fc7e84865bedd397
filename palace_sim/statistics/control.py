"""Control variates: luck whose mean is known to be zero, taken off the figures of deals.

A figure x_d and a control c_d that goes with it, E c_d = 0, have the same mean as x_d − β·c_d for any fixed β, and a
smaller variance for the right one. β is fitted on other deals than those it is used on, so the mean stays unbiased.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palace_sim.statistics.intervals import interval

FOLDS = 10


class Adjusted(NamedTuple):
    """A mean from which luck was taken off.

    Attributes
    ----------
    mean, se, low, high : float
        Of the adjusted figures, in their unit.
    n : int
        Deals.
    factor : float
        Variance of the figures as they were over that of the adjusted ones: as good as that many times the deals. May
        be a little under 1 for a control that explains nothing.
    coefficients : (F, K) float64
        What each control was multiplied by in each fold.
    """

    mean: float
    se: float
    low: float
    high: float
    n: int
    factor: float
    coefficients: NDArray[np.float64]


def control_variate(
    figures: ArrayLike,
    controls: ArrayLike,
    folds: int = FOLDS,
    level: float = 0.95,
    coefficient: ArrayLike | None = None,
) -> Adjusted:
    """Mean of deals' figures with the luck that controls measure taken off.

    Parameters
    ----------
    figures : (D,) float
        A figure of each deal, such as a policy's net a hand. Deals are independent.
    controls : (D,) or (D, K) float
        Controls of each deal, with true mean 0.
    folds : int
        Deal d falls into fold d mod `folds`; the coefficients used in a fold are fitted on all others. 2 or more.
    level : float
        Share of intervals that cover.
    coefficient : float or (K,) float, optional
        Use these, settled beforehand, and fit nothing: 1 for luck in the unit of the figures, as in AIVAT.

    Returns
    -------
    Adjusted

    References
    ----------
    Coefficients as in S. S. Lavenberg and P. D. Welch, "A perspective on the use of control variables to increase the
    efficiency of Monte Carlo simulations", Management Science 27 (1981) 322-335; fitted on other folds, as in V.
    Chernozhukov et al., "Double/debiased machine learning", Econometrics Journal 21 (2018) C1-C68. Luck as a control:
    N. Burch, M. Schmid, M. Moravčík, D. Morrill and M. Bowling, "AIVAT", AAAI 2018, arXiv 1612.06915.

    Examples
    --------
    >>> rng = np.random.Generator(np.random.Philox(key=1))
    >>> luck = rng.normal(0, 3, 2000)
    >>> found = control_variate(1.0 + luck + rng.normal(0, 1, 2000), luck)
    >>> print(round(found.se, 2), round(found.factor))      # 1/√2000 = 0.02; 10 times the deals
    0.02 10
    """
    return adjusted_mean(moments(figures, controls, folds), level, coefficient)


def moments(figures: ArrayLike, controls: ArrayLike, folds: int = FOLDS) -> NDArray[np.float64]:
    """Sum up, in each fold, the products of 1, the figure and the controls of each deal, for `adjusted_mean`.

    Parameters
    ----------
    figures, controls, folds
        As for `control_variate`.

    Returns
    -------
    (F, K + 2, K + 2) float64
        Sums of z·zᵀ with z = (1, figure, controls). Those of different deals add up.

    Examples
    --------
    >>> moments([5.0, 7.0], [1.0, -1.0], folds=2).sum(axis=0)
    array([[ 2., 12.,  0.],
           [12., 74., -2.],
           [ 0., -2.,  2.]])
    """
    figure, control = np.asarray(figures, np.float64), np.asarray(controls, np.float64)
    if control.ndim == 1:
        control = control[:, None]
    if figure.ndim != 1 or control.ndim != 2 or len(control) != len(figure):
        raise ValueError(f"figures has shape {figure.shape} and controls {control.shape}: need (D,) and (D, K)")
    if folds < 2:
        raise ValueError(f"folds={folds!r}: 2 or more")
    parts = np.column_stack([np.ones(len(figure)), figure, control])
    return np.stack([parts[f::folds].T @ parts[f::folds] for f in range(folds)])


def adjusted_mean(sums: ArrayLike, level: float = 0.95, coefficient: ArrayLike | None = None) -> Adjusted:
    """`control_variate` from sums, for runs that do not keep the figures of every deal.

    Parameters
    ----------
    sums : (F, K + 2, K + 2) float
        As `moments` gives.
    level, coefficient
        As for `control_variate`.

    Returns
    -------
    Adjusted
        NaN where a single deal has no standard error. Controls that never vary are left out (coefficient 0).

    Examples
    --------
    Figures 3 and 5, of which 1 and −1 were luck.

    >>> found = adjusted_mean(moments([3.0, 5.0], [1.0, -1.0], folds=2), coefficient=1.0)
    >>> print(found.mean, found.se, found.n)        # 2 and 6
    4.0 2.0 2
    """
    parts = np.asarray(sums, np.float64)
    if parts.ndim != 3 or parts.shape[1] != parts.shape[2] or parts.shape[1] < 3:
        raise ValueError(f"sums has shape {parts.shape}: need (F, K + 2, K + 2)")
    folds, controls = parts.shape[0], parts.shape[1] - 2
    whole = parts.sum(axis=0)
    n = round(float(whole[0, 0]))
    if n < 1:
        raise ValueError("sums: at least one deal")
    if coefficient is None:
        used = np.stack([_fitted(whole - parts[f]) for f in range(folds)])
    else:
        used = np.tile(np.broadcast_to(np.asarray(coefficient, np.float64), (controls,)), (folds, 1))
    weights = np.column_stack([np.zeros(folds), np.ones(folds), -used])
    total = float(np.einsum("fi,fi->", parts[:, 0], weights))
    square = float(np.einsum("fi,fij,fj->", weights, parts, weights))
    mean = total / n
    if n == 1:
        return Adjusted(mean, np.nan, np.nan, np.nan, n, np.nan, used)
    spread = max(square - n * mean * mean, 0.0)
    plain = max(float(whole[1, 1]) - float(whole[0, 1]) ** 2 / n, 0.0)
    se = float(np.sqrt(spread / (n - 1) / n))
    low, high = interval(mean, se, n, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = float(np.float64(plain) / spread)
    return Adjusted(mean, se, float(low), float(high), n, factor, used)


def _fitted(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least-squares coefficients of the controls, with an intercept."""
    n = sums[0, 0]
    if n < 2:
        return np.zeros(len(sums) - 2)
    covariance = sums[1:, 1:] - np.outer(sums[0, 1:], sums[0, 1:]) / n
    # In units of each control's own spread, so that what pinv counts as nothing does not depend on units.
    unit = np.sqrt(np.maximum(np.diag(covariance)[1:], 0.0))
    unit[unit <= 1e-12 * np.sqrt(np.maximum(np.diag(sums)[2:], 0.0))] = np.inf
    inner = covariance[1:, 1:] / np.outer(unit, unit)
    return np.linalg.pinv(inner, rcond=1e-10, hermitian=True) @ (covariance[1:, 0] / unit) / unit
