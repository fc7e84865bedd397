"""`Tournament`: what a tournament gave, and what can be asked of it."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim import metagame, tables
from palace_sim.arguments import whole
from palace_sim.conducting import Group
from palace_sim.contest import MAX_DEALS
from palace_sim.explaining import Reasons, luckless, reasons
from palace_sim.kernels.luck import FEATURES
from palace_sim.policies.base import Policy
from palace_sim.simulate import Result, as_running

if TYPE_CHECKING:
    import pandas as pd


class Tournament(Result):
    """A result of many line-ups, with a leaderboard and a crosstable.

    Attributes
    ----------
    stopped : str
        Why no more deals were played.
    confirmation : Tournament or None
        What fresh deals gave after a stop that the results decided (`confirm=`).
    """

    stopped: str = ""
    confirmation: Tournament | None = None

    def _all_groups(self) -> list[Group]:
        return self.groups + ([] if self.confirmation is None else self.confirmation.groups)

    @property
    def leaderboard(self) -> pd.DataFrame:
        """A row a policy, best first; the same as `summary`."""
        return self.summary

    @cached_property
    def _crosstable(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        found = tables.crosstable(self.standing)
        evidence = self.standing.units if not self.sequential else max(1, int(self.standing.evidence.min()))
        for table in found:  # what a picture of it needs to tell whether a cell is sure
            table.attrs |= {"seats": self.plan.seats, "units": evidence, "sequential": self.sequential}
        return found

    @property
    def crosstable(self) -> pd.DataFrame:
        """Half the mean of net_i - net_j where both sit, chips a hand (heads-up: the net of the row's policy)."""
        return self._crosstable[0].copy()

    @property
    def crosstable_se(self) -> pd.DataFrame:
        """Standard errors of `crosstable`."""
        return self._crosstable[1].copy()

    @property
    def lineups(self) -> pd.DataFrame:
        """The line-ups by index, a column for each member."""
        import pandas as pd

        names = [policy.name for policy in self.policies]
        members = [[names[k] for k in lineup] for lineup in self.plan.lineups]
        return pd.DataFrame(members, columns=[f"policy_{k}" for k in range(self.plan.seats)]).rename_axis("lineup")

    @property
    def lineup_deals(self) -> pd.Series:
        """Deals that each line-up has played, by its index."""
        import pandas as pd

        played = dict(zip(map(tuple, self.standing.members.tolist()), self.standing.lineup_deals.tolist(), strict=True))
        deals = [played.get(tuple(lineup), 0) for lineup in self.plan.lineups.tolist()]
        return pd.Series(deals, name="deals").rename_axis("lineup")

    @cached_property
    def _ratings(self) -> pd.DataFrame:
        return metagame.ratings(self.standing, 1.0, 0)

    @property
    def ratings(self) -> pd.DataFrame:
        """Bradley-Terry ratings, best first: policy, rating, se, ci_low, ci_high, n (`statistics.rating_table`).

        The observation is a deal of a line-up: of two policies that sit together, the one with the greater net over
        all its rotations did better; equal nets are half a win for each. Ratings are Elo points with mean 0, so they
        say how often a policy does better, not by how many chips. One tie is added to every pair, so a policy that
        never loses has a finite rating; errors come from 1,000 resamples of the batches of deals.
        """
        return self._ratings.copy()

    def nash(self, seed: int = 0) -> pd.DataFrame:
        """Mixture of the policies that none of them can exploit, from the heads-up payoffs (`statistics.nash_mixture`).

        Parameters
        ----------
        seed : int
            Of the resampling of batches, from which errors and intervals come.

        Returns
        -------
        DataFrame
            policy, weight, se, ci_low, ci_high; weights add up to 1.

        Examples
        --------
        >>> import palace_sim as ps
        >>> float(ps.round_robin(["tight", "stay", "random"], deals=60, seed=1).nash().weight.sum())
        1.0
        """
        return metagame.mixture(self.standing, "nash", None, seed)

    def alpha_rank(self, alpha: float | None = None, seed: int = 0) -> pd.DataFrame:
        """Shares of time that an evolving population spends with each policy (`statistics.alpha_rank`).

        Parameters
        ----------
        alpha : float, optional
            Strength of selection, one over chips a hand; None for its limit.
        seed : int
            Of the resampling of batches.

        Returns
        -------
        DataFrame
            policy, weight, se, ci_low, ci_high; weights add up to 1.

        Examples
        --------
        >>> import palace_sim as ps
        >>> round(float(ps.round_robin(["tight", "stay", "random"], deals=60, seed=1).alpha_rank().weight.sum()), 6)
        1.0
        """
        return metagame.mixture(self.standing, "alpha_rank", alpha, seed)

    @property
    def variance_reduction(self) -> pd.Series:
        """By how much playing all rotations has cut the variance of a policy's means in its line-ups.

        The variance that the means of line-ups would have if their hands were independent, over the one that they have.
        What line-ups share by playing the same deals is left out; `statistics.variance_reduction` counts it, from rows.
        """
        import pandas as pd

        return pd.Series(self.standing.reduction, self.standing.names, name="variance_reduction").rename_axis("policy")

    def without_luck(
        self,
        pilot: int = 1000,
        weights: Any = None,
        workers: int | None = None,
        executor: Executor | None = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Means with the luck at the draws taken off: the same figures with smaller errors (``luck=True``).

        At each buy (R12) the value of the card drawn less the mean value of the cards in the pile is subtracted. Its
        mean is zero whatever the value, so the figures stay unbiased for any value function; a good one cuts the
        variance. The value is linear in four features of the card (`palace_sim.kernels.luck`), the own draws and those
        of the others apart, fitted for each policy on `pilot` deals that are not in the tournament.

        Parameters
        ----------
        pilot : int
            Deals to fit on.
        weights : (8,) or (P, 8) array, optional
            Chips for each feature, instead of fitted ones.
        workers, executor, progress
            As in `palace_sim.play`, for the pilot.

        Returns
        -------
        DataFrame
            policy, mean and se as played; without_luck, without_luck_se, ci_low, ci_high (chips a hand); factor, by
            which this cut the variance; rotations, by which playing all rotations had cut it already. The weights are
            in ``.attrs["weights"]``.

        Raises
        ------
        ValueError
            The tournament did not sum up luck.

        References
        ----------
        N. Burch, M. Schmid, M. Moravčík, D. Morrill and M. Bowling, "AIVAT: A new variance reduction technique for
        agent evaluation in imperfect information games", AAAI 2018, arXiv:1612.06915.

        Examples
        --------
        >>> import palace_sim as ps
        >>> t = ps.round_robin(["random", "buyer"], deals=50, seed=1, luck=True)
        >>> list(t.without_luck(pilot=50).columns[:4])
        ['policy', 'mean', 'se', 'without_luck']
        """
        if not self.plan.luck:
            raise ValueError("without_luck needs a tournament that was played with luck=True")
        if weights is not None and (
            np.shape(weights)[-1:] != (2 * FEATURES,) or not np.isfinite(np.asarray(weights, float)).all()
        ):
            raise ValueError(f"weights takes {2 * FEATURES} numbers, or so many for each policy, got {weights!r}")
        pilot = whole("pilot", pilot, 20, MAX_DEALS, "a number of deals")
        running = as_running(workers, executor, progress, None)
        return luckless(self.plan, self.groups, pilot, weights, running, self.sequential)

    def why(
        self,
        a: str | Policy,
        b: str | Policy,
        deals: int = 2000,
        workers: int | None = None,
        progress: bool | None = None,
    ) -> Reasons:
        """Say where the difference in net between two policies comes from; plays the first deals again for it.

        Parameters
        ----------
        a, b : str or Policy
            The two.
        deals : int
            Deals, from the first on.
        workers, progress
            As in `palace_sim.play`.

        Returns
        -------
        Reasons
            With `.parts` and `.deals`; prints as text.

        Examples
        --------
        >>> import palace_sim as ps
        >>> t = ps.round_robin(["tight", "stay"], deals=50, seed=1)
        >>> t.why("tight", "stay").parts.part.tolist()[:3]
        ['antes', 'buys', 'attacks made']
        """
        names = [p.name if isinstance(p, Policy) else str(p) for p in (a, b)]
        deals = min(whole("deals", deals, 1, MAX_DEALS, "a number of deals"), int(self.standing.deals.max()))
        return reasons(self.plan, names[0], names[1], deals, as_running(workers, None, progress, None))
