"""What the exact sums of a run say about its policies: means, errors, differences, who is told apart.

Where all line-ups have played the same deals, everything comes from exact sums over deals. Where they have not (a
policy joined later, deals were spent where they were needed), errors come from 1,000 batches of deals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from palace_sim.kernels.play import GREATEST
from palace_sim.statistics import differences, means, paired, told_apart
from palace_sim.statistics.groups import told_apart_by
from palace_sim.statistics.lineups import Figures, figures, lineup_contributions
from palace_sim.totals import Totals


class Standing:
    """The state of a run, read off its sums.

    Parameters
    ----------
    names : sequence of str
        Names of the policies.
    rotations : int
        Hands of a line-up in a deal.
    groups : sequence of Totals
        Sums of groups of line-ups; the line-ups of different groups may be the same, over different deals.
    weights : dict of tuple to int, optional
        Weight of each line-up in the figures; None for equal ones.
    """

    def __init__(
        self,
        names: Sequence[str],
        rotations: int,
        groups: Sequence[Totals],
        weights: Mapping[tuple[int, ...], int] | None = None,
    ) -> None:
        self.names, self.rotations = list(names), rotations
        self.groups = _merged(groups)
        self._weights = weights

    @property
    def whole(self) -> Totals | None:
        """The sums, where all line-ups have played the same deals and weigh the same; else None."""
        if len(self.groups) > 1 or self._weights is not None or not self.policy[:, 0].all():
            return None
        return self.groups[0]

    @cached_property
    def policy(self) -> np.ndarray:
        """Sums of each policy, as in `Totals.policy`: (P, 7) int64."""
        return np.sum([group.policy for group in self.groups], axis=0)

    @cached_property
    def members(self) -> np.ndarray:
        """Policies of the different line-ups: (L, seats) int64."""
        return np.unique(np.concatenate([group.lineups for group in self.groups]), axis=0)

    @cached_property
    def weights(self) -> np.ndarray | None:
        """Weight of each line-up: (L,) float64; None for equal ones."""
        if self._weights is None:
            return None
        return np.array([self._weights[tuple(lineup)] for lineup in self.members.tolist()], np.float64)

    def _places(self, group: Totals) -> np.ndarray:
        """Where a group's line-ups stand in `members`."""
        index = {tuple(lineup): k for k, lineup in enumerate(self.members.tolist())}
        return np.array([index[tuple(lineup)] for lineup in group.lineups.tolist()], np.int64)

    @cached_property
    def batch_deals(self) -> np.ndarray:
        """Deals by batch and line-up: (B, L) int64."""
        counts = np.zeros((len(self.groups[0].batch_deals), len(self.members)), np.int64)
        for group in self.groups:
            counts[:, self._places(group)] += group.batch_deals[:, None]
        return counts

    @cached_property
    def batches(self) -> np.ndarray:
        """Sums by batch, line-up and column of `Totals.batches`: (B, L, C) int64."""
        first = self.groups[0].batches
        sums = np.zeros((first.shape[0], len(self.members), first.shape[2]), np.int64)
        for group in self.groups:
            sums[:, self._places(group)] += group.batches
        return sums

    @cached_property
    def lineup_deals(self) -> np.ndarray:
        """Deals that each line-up has played: (L,) int64."""
        return self.batch_deals.sum(axis=0)

    @cached_property
    def deals(self) -> np.ndarray:
        """Different deals that each policy has played: (P,) int64."""
        if self.whole is not None:
            return np.where(self.policy[:, 0] > 0, self.whole.deals, 0)
        most = np.zeros(len(self.names), np.int64)
        for lineup, many in zip(self.members, self.lineup_deals, strict=True):
            most[lineup] = np.maximum(most[lineup], many)
        return most

    @cached_property
    def evidence(self) -> np.ndarray:
        """Deals that each figure rests on: (P,) float.

        Where line-ups have played different numbers of deals, the mean number of a policy's line-ups, weighted by their
        shares of the variance: so many deals of every line-up would have given the same error.
        """
        if self.whole is not None:
            return self.deals.astype(float)
        spread = (self.contributions**2).sum(axis=0)
        part, played = np.zeros(len(self.names)), np.zeros(len(self.names))
        for member in range(self.members.shape[1]):
            np.add.at(part, self.members[:, member], spread[:, member])
            np.add.at(played, self.members[:, member], spread[:, member] * self.lineup_deals)
        with np.errstate(invalid="ignore", divide="ignore"):
            deals: np.ndarray = np.where(part > 0, played / part, self.deals)
        return deals

    @property
    def hands_per_deal(self) -> list[int]:
        """Hands a deal of each policy, over all line-ups and rotations."""
        counts = np.bincount(self.members.ravel(), minlength=len(self.names))
        return [int(count) * self.rotations for count in counts]

    @cached_property
    def figures(self) -> Figures:
        """Means of the policies with the contributions of the batches."""
        seats = self.members.shape[1]
        sums, many = self.batches[:, :, :seats], len(self.names)
        return figures(self.members, self.batch_deals, sums, self.rotations, many, self.weights)

    @cached_property
    def contributions(self) -> np.ndarray:
        """What each batch adds to each member's mean in each line-up, less its share: (B, L, seats)."""
        seats = self.members.shape[1]
        return lineup_contributions(self.batch_deals, self.batches[:, :, :seats], self.rotations)

    @cached_property
    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean net a hand of each policy, in chips, and its standard error."""
        if self.whole is None:
            return self.figures.mean, self.figures.se
        net = [int(x) for x in self.policy[:, 1]]
        return means(net, self.whole.products, self.whole.deals, self.hands_per_deal)

    @cached_property
    def differences(self) -> tuple[np.ndarray, np.ndarray]:
        """Paired differences between all policies, and their standard errors."""
        if self.whole is None:
            return self.figures.differences()
        net = [int(x) for x in self.policy[:, 1]]
        return differences(net, self.whole.products, self.whole.deals, self.hands_per_deal)

    @property
    def units(self) -> int:
        """Deals, or batches of deals, that the errors rest on."""
        return self.whole.deals if self.whole is not None else len(self.figures.contributions)

    def told_apart(self) -> np.ndarray:
        """Pairs of policies that are told apart, family-wise 95 %: (P, P) bool."""
        if self.whole is None:
            return told_apart_by(*self.differences, self.figures.contributions)
        held = self.whole.lineups[:, :, None] == np.arange(len(self.names))
        net = np.tensordot(self.whole.batch_net, held.astype(np.int64), axes=((1, 2), (0, 1)))
        totals = [int(x) for x in self.policy[:, 1]]
        return told_apart(self.whole.batch_deals, net, self.hands_per_deal, self.whole.products, totals)

    @property
    def reduction(self) -> np.ndarray:
        """By how much rotations have cut the variance of each mean: (P,); NaN where there is no error.

        The variance that the means of line-ups would have if their hands were independent, over the one that they have.
        That line-ups share deals, which makes the mean of all of them less sure, is left out on both sides.
        """
        factors = np.full(len(self.names), np.nan)
        hands = self.lineup_deals * self.rotations
        units = len(self.contributions)
        net = self.batches[:, :, : self.members.shape[1]].sum(axis=0)
        for policy in range(len(self.names)):
            own = self.members == policy
            at = np.flatnonzero(own.any(axis=1) & (hands > 0))
            seated = own[at].sum(axis=1)
            played = hands[at] * seated
            mean = (net[at] * own[at]).sum(axis=1) / played
            square = self.policy[policy, 5] * float(GREATEST) + self.policy[policy, 6]
            free = int(played.sum()) - len(at)
            u = (self.contributions[:, at] * own[at]).sum(axis=2) / seated
            together = units / (units - 1) * (u**2).sum() if units > 1 else 0.0
            if free > 0 and together > 0:
                factors[policy] = (square - (played * mean**2).sum()) / free * (1 / played).sum() / together
        return factors

    # --- two policies at one table ------------------------------------------------------------------------------------

    @cached_property
    def crosstable(self) -> tuple[np.ndarray, np.ndarray]:
        """Half the mean of net_i - net_j over the hands in which both sit, and its standard error: (P, P) each."""
        many = len(self.names)
        mean, se = np.full((many, many), np.nan), np.full((many, many), np.nan)
        for i, j in combinations(range(many), 2):
            with_i, with_j = (self.members == i).sum(axis=1), (self.members == j).sum(axis=1)
            shared = np.flatnonzero(with_i * with_j)
            if not len(shared) or not self.lineup_deals[shared].any():
                continue
            if self.whole is not None and len(self.members) > 1:
                hands = int((with_i * with_j).sum()) * self.rotations
                total, square = int(self.whole.pair_net[i, j]), int(self.whole.pair_squares[i, j])
                mean[i, j], se[i, j] = paired(total, 0, square, 0, 0, self.whole.deals, 2 * hands, 1)
            else:
                mean[i, j], se[i, j] = self._against(i, j, shared)
            mean[j, i], se[j, i] = -mean[i, j], se[i, j]
        return mean, se

    def _against(self, i: int, j: int, shared: np.ndarray) -> tuple[float, float]:
        """Half the mean difference of two policies in the line-ups that they share, each of equal weight."""
        tables = self.members[shared]
        is_i, is_j = tables == i, tables == j
        net = self.batches[:, shared, : tables.shape[1]]
        half = ((net * is_i).sum(axis=2) / is_i.sum(axis=1) - (net * is_j).sum(axis=2) / is_j.sum(axis=1)) / 2
        members = np.zeros((len(shared), 1), np.int64)
        weights = None if self.weights is None else self.weights[shared]
        found = figures(members, self.batch_deals[:, shared], half[:, :, None], self.rotations, 1, weights)
        return float(found.mean[0]), float(found.se[0])

    @cached_property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """By batch: deals of line-ups in which i had the greater net than j, equal nets counting half, and all.

        Two (B, P, P) float arrays; the observation of ratings.
        """
        seats, many = self.members.shape[1], len(self.names)
        won = np.zeros((len(self.batches), many, many))
        met = np.zeros_like(won)
        for column, (a, b) in enumerate(combinations(range(seats), 2), start=seats):
            for lineup, (i, j) in enumerate(self.members[:, [a, b]].tolist()):
                if i != j:
                    half, deals = self.batches[:, lineup, column], self.batch_deals[:, lineup]
                    won[:, i, j] += half / 2
                    won[:, j, i] += deals - half / 2
                    met[:, i, j] += deals
                    met[:, j, i] += deals
        return won, met


def _merged(groups: Sequence[Totals]) -> list[Totals]:
    """Add up the groups that have the same line-ups."""
    found: dict[bytes, Totals] = {}
    for group in groups:
        if not group.deals and len(groups) > 1:
            continue
        key = group.lineups.tobytes()
        if key in found:
            found[key] = found[key].plus(group)
        else:
            found[key] = group
    return list(found.values()) or [groups[0]]
