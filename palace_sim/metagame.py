"""The game between policies: ratings from who did better, and mixtures over their payoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.formats import shown
from palace_sim.standing import Standing
from palace_sim.statistics import alpha_rank, nash_mixture, rating_table, resample

if TYPE_CHECKING:
    import pandas as pd

TIMES = 1000  # resamples of the batches of deals


def ratings(standing: Standing, prior: float, seed: int) -> pd.DataFrame:
    """Return the table of `Tournament.ratings`."""
    won, _ = standing.points
    return shown(rating_table(won[standing.batch_deals.any(axis=1)], standing.names, prior, TIMES, seed))


def payoff_sums(standing: Standing) -> np.ndarray:
    """Return by batch what policy i won from policy j heads-up, and in how many hands: (B, 2, P, P)."""
    many = len(standing.names)
    sums = np.zeros((len(standing.batches), 2, many, many))
    for lineup, (i, j) in enumerate(standing.members.tolist()):
        net, hands = standing.batches[:, lineup, 0], standing.batch_deals[:, lineup] * standing.rotations
        sums[:, 0, i, j] += net
        sums[:, 0, j, i] -= net
        sums[:, 1, i, j] += hands
        sums[:, 1, j, i] += hands
    return sums


def mixture(standing: Standing, how: str, alpha: float | None, seed: int) -> pd.DataFrame:
    """Return the tables of `Tournament.nash` and `Tournament.alpha_rank`."""
    import pandas as pd

    if standing.members.shape[1] != 2:
        raise ValueError(f"{how} takes a heads-up tournament (seats=2), got one of seats={standing.members.shape[1]}")
    sums = payoff_sums(standing)
    met = sums[:, 1].sum(axis=0) > 0
    if not (met | np.eye(len(met), dtype=bool)).all():
        raise ValueError(f"{how} takes a tournament in which every pair has met")

    def statistic(total: np.ndarray, _: Any) -> np.ndarray:
        payoffs = np.divide(total[0], total[1], out=np.zeros_like(total[0]), where=total[1] > 0)
        return nash_mixture(payoffs).weights if how == "nash" else alpha_rank(payoffs, alpha)

    found = resample(statistic, sums, standing.batch_deals.any(axis=1).astype(int), TIMES, seed)
    table = pd.DataFrame(
        {
            "policy": standing.names,
            "weight": found.value,
            "se": found.se,
            "ci_low": found.low,
            "ci_high": found.high,
        }
    )
    return shown(table.sort_values(["weight", "policy"], ascending=[False, True], ignore_index=True))
