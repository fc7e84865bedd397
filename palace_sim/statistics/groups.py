"""Which policies can be told apart, and a display of letters that says so.

Told apart is a statement about all pairs at once: where all policies are equally good, the chance that *any* pair is
told apart is 1 − level. The critical value of max |t| comes from resampling batches of deals, so that the dependence
between policies that met the same cards is kept (Westfall and Young, "Resampling-Based Multiple Testing", Wiley 1993;
Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palace_sim.statistics.intervals import differences, interval
from palace_sim.statistics.resampling import draw_batches

LEAST_BATCHES = 10  # a pair whose difference departs from its median in fewer batches says nothing about its own spread
STREAM = 0x6C657474657273  # second word of the Philox key: no other use of the same seed shares these numbers


def letters(means: ArrayLike, equal: ArrayLike) -> list[str]:
    """Compact letter display: two policies share a letter exactly when they are not told apart.

    Insert and absorb (Piepho 2004): one group of all; each group that holds policies which are told apart is split in
    two; a group inside another goes. A group all of whose pairs are in others goes too, at every step, so there are
    never more groups than pairs and policies, whatever the matrix. In the end nobody could be added to any group.

    Parameters
    ----------
    means : (P,) float
        Figures of the policies. Letters are given out in order of descending mean; equal means keep their order.
    equal : (P, P) bool
        True where two policies are *not* told apart. Symmetric; the diagonal is not read.

    Returns
    -------
    list of str
        The letters of each policy, **in the order of** ``means``: a to z, then aa, ab and so on. With more than 26
        letters in use they are separated by spaces.

    References
    ----------
    H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of Computational
    and Graphical Statistics 13 (2004) 456-466. J. Gramm et al., "Algorithms for compact letter displays: comparison and
    evaluation", Computational Statistics & Data Analysis 52 (2007) 725-736.

    Examples
    --------
    The second policy is told apart from neither of the others, which are told apart.

    >>> letters([3.0, 2.0, 1.0], [[True, True, False], [True, True, True], [False, True, True]])
    ['a', 'ab', 'b']
    """
    figures = np.asarray(means, np.float64)
    same = np.asarray(equal, bool)
    size = len(figures)
    if figures.ndim != 1 or same.shape != (size, size):
        raise ValueError(f"equal has shape {same.shape}; {size} means need ({size}, {size})")
    if (same != same.T).any():
        raise ValueError("equal is not symmetric")
    order = np.argsort(-figures, kind="stable")
    groups = _groups(same[np.ix_(order, order)])
    apart = " " if len(groups) > len(ascii_lowercase) else ""
    shown = [""] * size
    for rank, policy in enumerate(order):
        shown[policy] = apart.join(_letter(g) for g, group in enumerate(groups) if group >> rank & 1)
    return shown


def told_apart(
    batch_deals: ArrayLike,
    batch_sums: ArrayLike,
    hands: Sequence[int] | NDArray[Any],
    products: ArrayLike,
    totals: Sequence[int] | NDArray[Any],
    seed: int = 0,
    level: float = 0.95,
    draws: int = 2000,
) -> NDArray[np.bool_]:
    """Pairs of policies that differ, with one error rate for all pairs together.

    A pair differs when its difference exceeds `critical_value` standard errors. Both come from exact sums
    (`differences`); the batches serve the critical value only.

    Parameters
    ----------
    batch_deals : (B,) int
        Deals in each batch; empty batches are left out.
    batch_sums : (B, P) int
        Sum over the deals of a batch of each policy's figure of a deal, which is the sum over its hands.
    hands : (P,) int
        Hands a deal of each policy.
    products : (P, P) int
        Σ over deals of the products of two policies' figures.
    totals : (P,) int
        Σ over deals of each policy's figure.
    seed : int
        From 0 to 2⁶⁴ − 1. The same tables and seed give the same answer, in whatever order the policies come.
    level : float
        1 − the chance that any two equal policies are told apart.
    draws : int
        Resamples.

    Returns
    -------
    (P, P) bool
        Symmetric, False on the diagonal.

    Notes
    -----
    Few batches are treated with care. A pair is not told apart when its difference departs from its median over the
    batches in fewer than 10 of them, and it does not count among the comparisons either: this covers tournaments of
    under 10 deals, twins (policies that always do the same) and near twins. A difference that is the same in every deal
    and not zero is told apart from 10 deals on.

    Examples
    --------
    Twelve deals, one a batch. The second policy is about 10 chips ahead of the first, the third is a twin of the first.

    >>> first = np.array([3, -1, 4, 1, -5, 9, -2, 6, 5, -3, 5, -8])
    >>> figures = np.stack([first, first + 10 + np.arange(12) % 5, first], axis=1)
    >>> told_apart(np.ones(12, int), figures, [1, 1, 1], figures.T @ figures, figures.sum(axis=0)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    counts, sums = _batches(batch_deals, batch_sums)
    if [sum(int(s) for s in column) for column in sums.T] != [index(t) for t in totals]:
        raise ValueError("batch_sums do not add up to totals")
    deals = sum(int(n) for n in counts)
    mean, se = differences(totals, products, deals, hands)
    one, other, spread, judged = _residuals(counts, sums, hands)
    limit = _critical(spread[:, judged], deals, seed, level, draws)
    gap, error = np.abs(mean[one, other]), se[one, other]
    verdict = (error == 0) & (gap > 0) & (len(counts) >= LEAST_BATCHES)
    verdict[judged] = gap[judged] > limit * error[judged]
    apart = np.zeros(mean.shape, np.bool_)
    apart[one, other] = apart[other, one] = verdict
    return apart


def told_apart_by(
    gap: NDArray[np.float64],
    se: NDArray[np.float64],
    contributions: NDArray[np.float64],
    seed: int = 0,
    level: float = 0.95,
    draws: int = 2000,
) -> NDArray[np.bool_]:
    """`told_apart` from what each unit contributed to the means, where line-ups have played different deals.

    Parameters
    ----------
    gap, se : (P, P) float64
        Differences of the means and their standard errors.
    contributions : (B, P) float64
        What each unit (a deal, or a batch of deals) adds to each mean, less its share
        (`palace_sim.statistics.lineups.Figures`).
    seed, level, draws
        As for `told_apart`.

    Returns
    -------
    (P, P) bool

    Examples
    --------
    >>> figures = np.array([3, -1, 4, 1, -5, 9, -2, 6, 5, -3, 5, -8.0])
    >>> u = np.stack([figures, figures + np.arange(12) % 5], axis=1)
    >>> u -= u.mean(axis=0)
    >>> told_apart_by(np.array([[0.0, 12], [-12, 0]]), np.array([[0, 0.4], [0.4, 0]]), u / 12)[0, 1]
    np.True_
    """
    order = np.lexsort(contributions)
    one, other = (order[half] for half in np.triu_indices(len(order), 1))
    spread = contributions[:, one] - contributions[:, other]
    judged = (spread != np.median(spread, axis=0)).sum(axis=0) >= LEAST_BATCHES
    judged &= np.isfinite(gap[one, other])
    limit = _critical(spread[:, judged], len(contributions), seed, level, draws)
    distance, error = np.abs(gap[one, other]), se[one, other]
    verdict = (error == 0) & (distance > 0) & (len(contributions) >= LEAST_BATCHES)
    verdict[judged] = distance[judged] > limit * error[judged]
    apart = np.zeros(gap.shape, np.bool_)
    apart[one, other] = apart[other, one] = verdict
    return apart


def critical_value(
    batch_deals: ArrayLike,
    batch_sums: ArrayLike,
    hands: Sequence[int] | NDArray[Any],
    seed: int = 0,
    level: float = 0.95,
    draws: int = 2000,
) -> float:
    """Find what the largest |t| over all pairs stays below, with probability `level`, when all policies are equal.

    Infinite when no pair has enough batches, never below the value of one comparison.

    Every resample is studentised: t* of a pair is the one-sample t statistic of its resampled batch residuals, so it
    has its own standard error. With the standard error of the data held fixed, ten equal policies gave a false finding
    in 0.20 of tournaments of 20 deals with normal figures, in 0.61 with skewed (lognormal) ones and still in 0.21 at
    200 deals; studentised it was 0.03, 0.04 and 0.07 there, and about 0.05 or less with heavy but symmetric tails.

    Parameters
    ----------
    batch_deals, batch_sums, hands, seed, level, draws
        As for `told_apart`.

    Returns
    -------
    float

    Examples
    --------
    With two policies there is one comparison; 1.96 would do for normal figures and many deals.

    >>> figures = np.random.Generator(np.random.Philox(key=1)).integers(-50, 51, (1000, 2))
    >>> print(round(critical_value(np.ones(1000, int), figures, [1, 1]), 1))
    2.0
    """
    counts, sums = _batches(batch_deals, batch_sums)
    _, _, spread, judged = _residuals(counts, sums, hands)
    return _critical(spread[:, judged], sum(int(n) for n in counts), seed, level, draws)


def _groups(same: NDArray[np.bool_]) -> list[int]:
    """Cover every pair of `same`, and no other, by groups: bit sets over ranks, sorted by their members."""
    size = len(same)
    differs = [sum(1 << j for j in range(size) if j != i and not same[i, j]) for i in range(size)]
    groups = [(1 << size) - 1] if size else []
    for i in range(size):
        split: set[int] = set()
        for group in groups:
            # All pairs of policy i at once: without i, or without those that i is told apart from.
            mixed = group >> i & 1 and group & differs[i]
            split.update((group & ~(1 << i), group & ~differs[i]) if mixed else (group,))
        groups = _irredundant(_absorbed(split), size)
    # What went early may have held a larger group, so each group left takes in whom it can.
    grown: set[int] = set()
    for group in groups:
        for i in range(size):
            if not group & differs[i]:
                group |= 1 << i
        grown.add(group)
    groups = _irredundant(_absorbed(grown), size)
    return sorted(groups, key=lambda group: [rank for rank in range(size) if group >> rank & 1])


def _absorbed(groups: set[int]) -> list[int]:
    """Drop the groups that lie inside another; the rest, smallest first."""
    kept: list[int] = []
    for group in sorted(groups, key=lambda g: (-g.bit_count(), g)):
        if not any(group & ~larger == 0 for larger in kept):
            kept.append(group)
    return kept[::-1]


def _irredundant(groups: list[int], size: int) -> list[int]:
    """Drop the groups all of whose pairs are in other groups too."""
    kept = list(groups)
    for group in groups:
        members = [rank for rank in range(size) if group >> rank & 1]
        others = [other for other in kept if other != group]
        for rank in members:
            company = 0
            for other in others:
                if other >> rank & 1:
                    company |= other
            if group & ~company:
                break
        else:
            kept = others
    return kept


def _letter(number: int) -> str:
    """0 is a, 25 z, 26 aa, 27 ab."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, len(ascii_lowercase))
        text = ascii_lowercase[digit] + text
    return text


def _batches(batch_deals: ArrayLike, batch_sums: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Check the two and leave out the empty batches."""
    counts, sums = np.asarray(batch_deals), np.asarray(batch_sums)
    if counts.ndim != 1 or sums.ndim != 2 or len(counts) != len(sums):
        raise ValueError(f"batch_deals has shape {counts.shape} and batch_sums {sums.shape}: need (B,) and (B, P)")
    if (counts < 0).any() or not (counts > 0).any():
        raise ValueError("batch_deals: 0 or more in each batch, and at least one deal")
    return counts[counts > 0], sums[counts > 0]


def _residuals(
    counts: NDArray[Any], sums: NDArray[Any], hands: Sequence[int] | NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.bool_]]:
    """Give of each pair its policies, its batch sums less deals times mean difference, and whether it can be judged.

    The unit is 1/lcm(hands), in which batch sums are integers, exact in a float64 up to 2⁵³.
    """
    exact_hands = [index(h) for h in hands]
    if len(exact_hands) != sums.shape[1] or min(exact_hands, default=1) < 1:
        raise ValueError(f"hands={hands!r}: one number, 1 or more, for each of {sums.shape[1]} policies")
    common = math.lcm(*exact_hands)
    figures = sums.astype(np.float64) * np.array([common // h for h in exact_hands], np.float64)
    # Pairs in an order made from the figures: that in which policies are listed must not show, not even in the last
    # bit of a matrix product.
    order = np.lexsort(figures)
    one, other = (order[half] for half in np.triu_indices(len(order), 1))
    weight = counts.astype(np.float64)[:, None]
    gaps = figures[:, one] - figures[:, other]
    rate = gaps / weight
    judged = (rate != np.median(rate, axis=0)).sum(axis=0) >= LEAST_BATCHES
    return one, other, gaps - weight * (gaps.sum(axis=0) / weight.sum()), judged


def _critical(spread: NDArray[np.float64], deals: int, seed: int, level: float, draws: int) -> float:
    """Quantile of the largest |t*| over pairs, from resampled batch residuals."""
    if not 0 <= index(seed) < 2**64:
        raise ValueError(f"seed={seed!r}: from 0 to 2**64 - 1")
    single = float(interval(0.0, 1.0, deals, level)[1])
    batches, pairs = spread.shape
    rank = math.ceil(level * (draws + 1))
    if pairs == 0 or rank > draws:
        return math.inf
    largest: list[NDArray[np.float64]] = []
    square = spread * spread
    for times in draw_batches(batches, draws, seed, STREAM):
        shift = times @ spread
        variance = (times @ square - shift * shift / batches) * (batches / (batches - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(shift) / np.sqrt(np.maximum(variance, 0.0))
        largest.append(np.where(np.isnan(t), 0.0, t).max(axis=1))
    return max(float(np.sort(np.concatenate(largest))[rank - 1]), single)
