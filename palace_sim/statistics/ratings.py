"""Ratings from who did better than whom: the Bradley-Terry model, on the scale that chess players know.

The observation is a deal in a line-up: the policies that sit together are put in the order of their nets, summed over
all rotations, so all had the same seats and cards. That order is broken into all its pairs. In the Plackett-Luce model
of such orders each pair follows the Bradley-Terry model with the same strengths (Luce, "Individual Choice Behavior",
Wiley 1959), so the strengths found from all pairs are those of Plackett and Luce, consistently (Azari Soufiani, Chen,
Parkes and Xia, "Generalized method-of-moments for rank aggregation", NIPS 2013). Pairs of one deal are not independent;
the error bars come from drawing batches of deals again, so they need not be.

A rating says how *often* one policy does better than another, not by how much: the leaderboard's chips say that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palace_sim.statistics.resampling import resample

if TYPE_CHECKING:
    import pandas as pd

ELO = 400 / math.log(10)  # points of a unit of log strength: 400 points are odds of 10 to 1
ROUNDS = 10_000
PRECISION = 1e-9  # of a log strength


def strengths(wins: ArrayLike, prior: float = 1.0, start: ArrayLike | None = None) -> NDArray[np.float64]:
    """Maximum-likelihood log strengths of the Bradley-Terry model.

    Parameters
    ----------
    wins : (P, P) float
        How often the row's policy beat the column's, a tie half a win for each. The diagonal is not read.
    prior : float
        Ties between every two policies that are added to what was observed; more than 0 keeps the strength of a policy
        that always wins finite, and connects policies that never met.
    start : (P,) float, optional
        Where the search starts; the answer does not depend on it.

    Returns
    -------
    (P,) float64
        With mean 0. P(i beats j) = 1/(1 + exp(strength_j − strength_i)).

    References
    ----------
    R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs: I", Biometrika 39 (1952) 324-345. Found
    by choix's iterative Luce spectral ranking: L. Maystre and M. Grossglauser, "Fast and accurate inference of
    Plackett-Luce models", NIPS 2015.

    Examples
    --------
    Three wins to one: the strengths differ by log 3.

    >>> print(strengths([[0, 3], [1, 0]], prior=0).round(4), round(math.log(3) / 2, 4))
    [ 0.5493 -0.5493] 0.5493
    """
    import choix  # here: it imports scipy

    table = np.array(wins, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ValueError(f"wins has shape {table.shape}: a square table of 2 policies or more")
    if not (table >= 0).all() or not np.isfinite(table).all():
        raise ValueError("wins: 0 or more in each entry")
    if not (prior >= 0 and math.isfinite(prior)):
        raise ValueError(f"prior={prior!r}: 0 or more")
    table += prior / 2
    np.fill_diagonal(table, 0.0)
    if prior == 0 and not _connected(table > 0):
        raise ValueError("prior=0: some policies never lost to others, or never met them; give a prior above 0")
    return np.asarray(choix.ilsr_pairwise_dense(table, initial_params=start, max_iter=ROUNDS, tol=PRECISION))


def rating_table(
    wins: ArrayLike, names: Sequence[str], prior: float = 1.0, times: int = 1000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Rate policies by who did better than whom, best first.

    Parameters
    ----------
    wins : (B, P, P) float
        In each batch of deals, how often the row's policy beat the column's, a tie half a win for each: `wins` of
        `pair_sums`.
    names : sequence of P str
        Names of the policies.
    prior : float
        Ties between every two policies that are added to what was observed, more than 0.
    times : int
        Resamples of the batches.
    seed : int
        Of the resampling. The order in which policies come does not matter.
    level : float
        Share of intervals that cover.

    Returns
    -------
    DataFrame
        policy; rating in Elo points, mean 0: 400 more are odds of 10 to 1 to do better in a deal; se, ci_low, ci_high
        by resampling batches, NaN for a single batch; n, the comparisons that the policy took part in. ``ci_high`` is
        infinite for a policy that never lost nor tied, ``ci_low`` for one that never won nor tied: what they did says
        nothing about how much further off they may be.

    Examples
    --------
    Two batches of ten deals; y does better in three of four. With the prior that is 15.5 to 5.5, or 180 points.

    >>> wins = np.array([[[0, 3], [7, 0]], [[0, 2], [8, 0]]])
    >>> rating_table(wins, ["x", "y"])[["policy", "rating", "n"]].round(1)
      policy  rating   n
    0      y    90.0  20
    1      x   -90.0  20
    """
    import pandas as pd

    table = np.asarray(wins, np.float64)
    many = len(names)
    if table.ndim != 3 or table.shape[1:] != (many, many):
        raise ValueError(f"wins has shape {table.shape}: need (B, {many}, {many}) for {many} names")
    if len(set(names)) != many:
        raise ValueError("names: each policy once")
    if not prior > 0:
        raise ValueError(f"prior={prior!r}: more than 0")
    # By name, so that the order in which policies are listed does not show, not even in the last digit.
    order = sorted(range(many), key=lambda k: names[k])
    table = table[:, order][:, :, order] * (1 - np.eye(many))
    start = strengths(table.sum(axis=0), prior)
    found = resample(
        lambda total, _: strengths(total, prior, start), table, table.any(axis=(1, 2)).astype(int), times, seed, level
    )
    wins_of, losses_of = table.sum(axis=(0, 2)), table.sum(axis=(0, 1))
    made = pd.DataFrame(
        {
            "policy": [names[k] for k in order],
            "rating": start * ELO,
            "se": found.se * ELO,
            "ci_low": np.where(wins_of == 0, -np.inf, found.low * ELO),
            "ci_high": np.where(losses_of == 0, np.inf, found.high * ELO),
            "n": np.rint(wins_of + losses_of).astype(np.int64),
        }
    )
    return made.sort_values(["rating", "policy"], ascending=[False, True], ignore_index=True)


def _connected(beats: NDArray[np.bool_]) -> bool:
    """Whether everybody can be reached from everybody by wins, without which there is no finite maximum (Ford 1957)."""
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(beats, directed=True, connection="strong", return_labels=False)) == 1
