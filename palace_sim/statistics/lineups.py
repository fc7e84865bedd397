"""Figures over line-ups that may have played different deals, with the deal as the unit of every error.

A policy's figure is the equal-weight mean of its means m_l in its L line-ups. Deals are put into batches (deal mod B);
with n_l deals in line-up l, S_bl its policy's net in batch b and n_bl the deals of the batch there,

    u_b = Σ_l (S_bl − n_bl·m_l) / (L·n_l),        cov = B/(B − 1) · Σ_b u_b·u_bᵀ

over the B batches that hold deals. While no batch holds two deals, a batch is a deal and this is the cluster-robust
variance with the deal as the cluster (Liang and Zeger, Biometrika 73, 1986; Cameron and Miller, Journal of Human
Resources 50, 2015); with more deals it is the same with clusters of whole deals: fewer degrees of freedom, no bias.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
class Figures:
    """Means of policies and what each batch of deals contributed to them.

    Attributes
    ----------
    mean : (P,) float64
        Figure of each policy a hand; NaN where it has played nothing.
    contributions : (B, P) float64
        u_b of each policy, for the batches that hold deals; they sum up to zero.
    """

    mean: NDArray[np.float64]
    contributions: NDArray[np.float64]

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of the means, (P, P); NaN for a single batch."""
        units = len(self.contributions)
        if units < 2:
            return np.full((len(self.mean),) * 2, np.nan)
        covariance: NDArray[np.float64] = units / (units - 1) * (self.contributions.T @ self.contributions)
        return covariance

    @property
    def se(self) -> NDArray[np.float64]:
        """Standard errors of the means, (P,)."""
        error: NDArray[np.float64] = np.sqrt(np.diag(self.covariance))
        return error

    def differences(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All paired differences i less j, and their standard errors: two (P, P) arrays."""
        gap = self.mean[:, None] - self.mean[None, :]
        units = len(self.contributions)
        if units < 2:
            return gap, np.full_like(gap, np.nan)
        square = np.empty_like(gap)
        for i in range(len(gap)):  # not by way of the covariance, which would cancel for near twins
            square[i] = ((self.contributions[:, i : i + 1] - self.contributions) ** 2).sum(axis=0)
        return gap, np.sqrt(units / (units - 1) * square)


def figures(
    members: NDArray[np.int64],
    deals: NDArray[np.int64],
    sums: NDArray[np.float64] | NDArray[np.int64],
    hands: int,
    policies: int,
    weights: NDArray[np.float64] | None = None,
) -> Figures:
    """Return the figures of policies from sums by batch and line-up.

    Parameters
    ----------
    members : (L, seats) int64
        Policy of each member of each line-up; the same one may come twice.
    deals : (B, L) int64
        Deals that a line-up played in each batch.
    sums : (B, L, seats) int64 or float64
        Sum of each member's net over those deals and all hands in them.
    hands : int
        Hands of a line-up in a deal.
    policies : int
        Number of policies P.
    weights : (L,) float64, optional
        Weight of each line-up in the means; None for equal ones.

    Returns
    -------
    Figures

    Examples
    --------
    Two policies met in deals 0 and 1, the second and a third only in deal 0:

    >>> members = np.array([[0, 1], [1, 2]])
    >>> deals = np.array([[1, 1], [1, 0]])
    >>> sums = np.array([[[4, -4], [2, -2]], [[8, -8], [0, 0]]])
    >>> found = figures(members, deals, sums, hands=2, policies=3)
    >>> found.mean                          # the second: (-3 + 1) / 2
    array([ 3., -1., -1.])
    >>> found.se                            # the first: 2 and 4 a hand, so 1; the second: half of that
    array([1. , 0.5, 0. ])
    """
    played = deals.sum(axis=0)
    parts = lineup_contributions(deals, sums, hands)
    mean, count = np.zeros(policies), np.zeros(policies)
    contributions = np.zeros((len(parts), policies))
    for lineup in np.flatnonzero(played):
        m = sums[:, lineup].sum(axis=0) / hands / played[lineup]
        weight = 1.0 if weights is None else float(weights[lineup])
        for policy in np.unique(members[lineup]):
            own = members[lineup] == policy
            mean[policy] += weight * m[own].mean()
            count[policy] += weight
            contributions[:, policy] += weight * parts[:, lineup, own].mean(axis=1)
    total = np.where(count > 0, count, 1.0)
    return Figures(np.where(count > 0, mean / total, np.nan), contributions / total)


def lineup_contributions(
    deals: NDArray[np.int64], sums: NDArray[np.float64] | NDArray[np.int64], hands: int
) -> NDArray[np.float64]:
    """Return what each batch adds to the mean of each member of a line-up, less its share.

    Parameters
    ----------
    deals, sums, hands
        As for `figures`.

    Returns
    -------
    (B, L, seats) float64
        (S_bl − n_bl·m_l)/n_l, for the batches that hold deals; 0 for line-ups that have played none.

    Examples
    --------
    >>> lineup_contributions(np.array([[1], [1]]), np.array([[[4, -4]], [[8, -8]]]), hands=2)[:, 0, 0]
    array([-0.5,  0.5])
    """
    used = (deals > 0).any(axis=1)
    played = np.maximum(deals.sum(axis=0), 1)[:, None]
    figure = sums[used] / hands
    mean = figure.sum(axis=0) / played
    parts: NDArray[np.float64] = (figure - deals[used][:, :, None] * mean) / played
    return parts
