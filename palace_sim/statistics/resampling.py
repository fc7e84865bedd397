"""Uncertainty of any statistic of a tournament, by drawing its batches of deals again.

A run keeps its sums in about 1,000 batches of deals. Deals of different batches are independent, whatever happens
within a deal, so a batch is what a bootstrap may draw (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
chapters 6, 8 and 13). Only sums are drawn, so the work does not depend on the number of deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

STREAM = 0x726573616D706C65  # second word of the Philox key: no other use of the same seed shares these numbers
CHUNK = 256  # resamples held at once


class Resampled(NamedTuple):
    """An estimate, its standard error and the ends of its interval; each a float64 array of the statistic's shape."""

    value: NDArray[np.float64]
    se: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def resample(
    statistic: Callable[[NDArray[np.float64], float], ArrayLike],
    batch_sums: ArrayLike,
    batch_deals: ArrayLike,
    times: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Resampled:
    """Estimate a statistic of sums over deals, with a standard error and an interval.

    Parameters
    ----------
    statistic : callable
        Takes summed figures, a float64 array (...), and the number of deals that they are the sum of; gives a number or
        an array of always the same shape.
    batch_sums : (B, ...) int or float
        Sums of figures over the deals of each batch: chips of P policies, a P x P table of pairs, and so on.
    batch_deals : (B,) int
        Deals in each batch. Empty batches are left out. The intervals want 30 batches or more; a run keeps 1,000.
    times : int
        Resamples, 2 or more.
    seed : int
        From 0 to 2⁶⁴ − 1. The same batches and seed give the same answer.
    level : float
        Share of intervals that cover.

    Returns
    -------
    Resampled
        ``value`` of all deals; ``se``, the standard deviation over resamples times √(B/(B − 1)), which makes it that of
        an independent sample for a mean; ``low`` and ``high``, the percentiles of the resamples. Of a single batch NaN.

    Examples
    --------
    The mean of 1,000 deals of variance 1. Its standard error is 1 over √1000, about 0.03.

    >>> figures = np.random.Generator(np.random.Philox(key=1)).normal(size=1000)
    >>> mean = resample(lambda total, deals: total / deals, figures, np.ones(1000))
    >>> print(round(float(mean.se), 2), mean.value == figures.sum() / 1000, mean.low < mean.value < mean.high)
    0.03 True True
    """
    sums, deals = np.asarray(batch_sums, np.float64), np.asarray(batch_deals, np.float64)
    if deals.ndim != 1 or sums.shape[:1] != deals.shape:
        raise ValueError(f"batch_sums has shape {sums.shape} and batch_deals {deals.shape}: need (B, ...) and (B,)")
    if (deals < 0).any() or not (deals > 0).any():
        raise ValueError("batch_deals: 0 or more in each batch, and at least one deal")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r}: a number between 0 and 1, both excluded")
    sums, deals = sums[deals > 0], deals[deals > 0]
    batches, shape = len(deals), sums.shape[1:]
    value = np.asarray(statistic(sums.sum(axis=0), float(deals.sum())), np.float64)
    if batches == 1:
        nothing = np.full(value.shape, np.nan)
        return Resampled(value, nothing, nothing.copy(), nothing.copy())
    flat = sums.reshape(batches, -1)
    found: list[Any] = []
    for chosen in draw_batches(batches, times, seed):
        for total, count in zip(chosen @ flat, chosen @ deals, strict=True):
            found.append(statistic(total.reshape(shape), float(count)))
    values = np.asarray(found, np.float64)
    se = values.std(axis=0, ddof=1) * math.sqrt(batches / (batches - 1))
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    return Resampled(value, se, low, high)


def draw_batches(batches: int, times: int, seed: int, stream: int = STREAM) -> Iterator[NDArray[np.float64]]:
    """Draw with replacement, and yield how often each batch was drawn.

    Parameters
    ----------
    batches, times : int
        Batches to draw from, as many as there are each time; number of resamples, 2 or more.
    seed, stream : int
        The two words of the key, each from 0 to 2⁶⁴ − 1.

    Yields
    ------
    (rows, batches) float64
        Whole numbers that add up to `batches` in each row; up to 256 rows at a time, `times` in all.

    Examples
    --------
    >>> [chosen] = draw_batches(4, 3, seed=1)
    >>> chosen.sum(axis=1)
    array([4., 4., 4.])
    """
    if not 0 <= index(seed) < 2**64:
        raise ValueError(f"seed={seed!r}: from 0 to 2**64 - 1")
    if index(times) < 2:
        raise ValueError(f"times={times!r}: 2 or more")
    bits = np.random.Philox(key=np.array([seed, stream], np.uint64))
    for start in range(0, times, CHUNK):
        rows = min(CHUNK, times - start)
        # Raw words: unlike a Generator's methods they stay the same in every numpy version.
        chosen = (bits.random_raw(rows * batches) % np.uint64(batches)).astype(np.int64).reshape(rows, batches)
        chosen += batches * np.arange(rows)[:, None]
        yield np.bincount(chosen.ravel(), minlength=rows * batches).reshape(rows, batches).astype(np.float64)
