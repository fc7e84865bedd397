"""Exact integer sums of a run: what blocks of deals add up to, in any order."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from palace_sim.kernels.luck import FEATURES
from palace_sim.kernels.play import BATCHES, GREATEST, Sums, batch_columns

FIGURES = ("hands", "net", "won", "pots", "illegal", "square", "square_low")  # columns of `Totals.policy`

SUMS = ("policy", "products", "pair_net", "pair_squares", "batches", "batch_deals")


class Design(Protocol):
    """What of a plan decides the shape of its sums."""

    @property
    def policies(self) -> tuple[Any, ...]: ...
    @property
    def lineups(self) -> np.ndarray: ...
    @property
    def luck(self) -> bool: ...


@dataclasses.dataclass
class Totals:
    """Exact sums over deals that some line-ups have played, all of them the same ones.

    Attributes
    ----------
    lineups : (L, seats) int64 array
        The line-ups, as indices of the policies.
    policy : (P, 7) int64 array
        Of each policy: hands, net, won, pots, illegal actions, square of the net of a hand (high and low part).
    products : (P, P) object array
        Sums over deals of net_p * net_q, where net_p is the net of policy p in a deal over all its hands; Python ints.
    pair_net, pair_squares : (P, P) int64 and object array
        Sums over deals of net_p - net_q over the hands in which both sit, and of the square of that.
    batches : (BATCHES, L, C) int64 array
        Sums by deal mod BATCHES and line-up; its columns are the nets of the members, the half points of every pair of
        members (2 for the greater net in a deal, 1 for equal nets), and, if asked for, the members' luck.
    batch_deals : (BATCHES,) int64 array
        Deals played in each batch.
    """

    lineups: np.ndarray
    policy: np.ndarray
    products: np.ndarray
    pair_net: np.ndarray
    pair_squares: np.ndarray
    batches: np.ndarray
    batch_deals: np.ndarray

    @classmethod
    def empty(cls, plan: Design) -> Totals:
        """Return the sums of no deals of a plan."""
        many, (tables, seats) = len(plan.policies), plan.lineups.shape
        nothing = np.zeros((many, many), dtype=object)
        return cls(
            plan.lineups,
            np.zeros((many, len(FIGURES)), np.int64),
            nothing,
            np.zeros((many, many), np.int64),
            nothing.copy(),
            np.zeros((BATCHES, tables, batch_columns(seats, plan.luck)), np.int64),
            np.zeros(BATCHES, np.int64),
        )

    @property
    def deals(self) -> int:
        """Deals that every line-up has played."""
        return int(self.batch_deals.sum())

    @property
    def seats(self) -> int:
        return int(self.lineups.shape[1])

    def add_block(self, sums: Sums, first: int, count: int) -> None:
        """Add the sums of the deals from `first` on; the order of blocks does not matter."""
        self.policy += sums.policy
        self.products += _join(sums.products)
        self.pair_net += sums.pairs[:, :, 0]
        self.pair_squares += _join(sums.pairs[:, :, 1:])
        rows = min(count, len(sums.batches))
        at = (first + np.arange(rows)) % BATCHES
        self.batches[at] += sums.batches[:rows]
        self.batch_deals += batch_counts(first, count)

    def add(self, other: Totals) -> None:
        """Add the sums of other deals of the same line-ups."""
        assert np.array_equal(self.lineups, other.lineups)
        for name in SUMS:
            mine = getattr(self, name)
            mine += getattr(other, name)

    def plus(self, other: Totals) -> Totals:
        """Return the sums of these deals and other ones of the same line-ups."""
        both = dataclasses.replace(self, **{name: getattr(self, name).copy() for name in SUMS})
        both.add(other)
        return both

    # --- parts of `batches` -------------------------------------------------------------------------------------------

    @property
    def batch_net(self) -> np.ndarray:
        """Nets by batch, line-up and member: (BATCHES, L, seats)."""
        return self.batches[:, :, : self.seats]

    @property
    def batch_points(self) -> np.ndarray:
        """Half points of the pairs of members, in the order of combinations: (BATCHES, L, pairs)."""
        return self.batches[:, :, self.seats : batch_columns(self.seats, False)]

    @property
    def batch_luck(self) -> np.ndarray | None:
        """Luck by batch, line-up, member and feature: (BATCHES, L, seats, FEATURES); None where not asked for."""
        start = batch_columns(self.seats, False)
        if self.batches.shape[2] == start:
            return None
        return self.batches[:, :, start:].reshape(*self.batches.shape[:2], self.seats, FEATURES)


def batch_counts(first: int, count: int) -> np.ndarray:
    """Deals in each batch of the deals from `first` on."""
    counts = np.full(BATCHES, count // BATCHES, np.int64)
    counts[(first + np.arange(count % BATCHES)) % BATCHES] += 1
    return counts


def _join(parts: np.ndarray) -> np.ndarray:
    """Join high and low parts (..., 2) to whole Python integers."""
    return parts[..., 0].astype(object) * GREATEST + parts[..., 1].astype(object)
