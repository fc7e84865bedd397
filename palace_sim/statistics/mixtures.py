"""What to make of a table of heads-up payoffs: the Nash mixture, and the shares of an evolving population.

Both answer who matters among policies that beat each other in circles, where an average over all opponents depends on
whom one happened to enter. Arrays in, arrays out; put uncertainty on either with `resample`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

TOLERANCE = 1e-9  # of the largest payoff: what an opponent may gain on a mixture
SLACK = 1e-11  # of the largest payoff: lowers the value, so that rounding cannot empty the set of optima
STRONG = 1e6  # selection so strong, in units of the largest payoff, that only orders of magnitude matter
CUT = 1e-7  # shares below are no part of the support


class Mixture(NamedTuple):
    """A mixture of policies that nobody can exploit.

    Attributes
    ----------
    weights : (P,) float64
        Share of each row, adding up to 1.
    value : float
        What it gains at least, in the unit of the payoffs; 0 in an antisymmetric table.
    support : (S,) int64
        Rows with a share.
    exploitability : float
        What the best opponent takes from it beyond the value; 0 up to rounding, never below 0.
    """

    weights: NDArray[np.float64]
    value: float
    support: NDArray[np.int64]
    exploitability: float


def nash_mixture(payoffs: ArrayLike) -> Mixture:
    """Find the mixture of rows whose worst payoff, over all columns, is best.

    Parameters
    ----------
    payoffs : (P, Q) float
        What the row gains from the column, and the column loses. NaN on the diagonal of a square table counts as 0.

    Returns
    -------
    Mixture
        Where several are as good, the most even one: the least sum of squared shares. It is unique; policies with the
        same payoffs get the same share.

    Raises
    ------
    ValueError
        Not a table of finite numbers.

    Notes
    -----
    The value comes from the linear program of von Neumann's minimax theorem, by scipy's HiGHS; the most even of the
    optimal mixtures, which are a polytope, as its point nearest to the origin, by Lawson and Hanson's least distance
    programming ("Solving Least Squares Problems", 1974, chapter 23). Choosing an even equilibrium follows Balduzzi,
    Tuyls, Perolat and Graepel, "Re-evaluating evaluation" (NeurIPS 2018), who take Shannon's entropy in the place of
    the sum of squares; the two agree where there is only one, as in nearly all measured tables.

    Examples
    --------
    Rock, paper, scissors, where a win with scissors counts twice.

    >>> nash = nash_mixture([[0, -1, 2], [1, 0, -2], [-2, 2, 0]])
    >>> print(nash.weights.round(6), round(nash.value, 6))
    [0.4 0.4 0.2] 0.0
    """
    table, scale = _payoffs(payoffs)
    rows, columns = table.shape
    unit = table / scale
    by_program, low, high = _program(unit)
    if rows == columns and (table == -table.T).all():
        low = high = 0.0
    # Every mixture p with p·unit ≥ value, p ≥ 0 and Σ p = 1, the last as two inequalities.
    one = np.ones(rows)
    sides = np.vstack([unit.T, np.eye(rows), one, -one])
    limits = np.concatenate([np.full(columns, low - SLACK), np.zeros(rows), [1.0, -1.0]])
    even = _nearest(sides, limits)
    for found, cut in ((even, CUT), (even, 0.0), (by_program, 0.0)):
        if found is None:
            continue
        weights = np.where(found <= cut, 0.0, found)
        weights /= weights.sum()
        gain = float(high - (weights @ unit).min())
        if gain <= TOLERANCE:
            return Mixture(weights, low * scale, np.flatnonzero(weights), max(gain, 0.0) * scale)
    raise ArithmeticError(f"nash_mixture: a gain of {gain:.2g} of the largest payoff is left")


def alpha_rank(payoffs: ArrayLike, alpha: float | None = None, population: int = 50) -> NDArray[np.float64]:
    """Shares of time that an evolving population spends with each policy.

    A population of one policy meets single mutants of the others, which spread or die out by how well they do in it;
    where such mutants take over, and how often, makes a Markov chain between the policies.

    Parameters
    ----------
    payoffs : (P, P) float
        What the row gains from the column. NaN on the diagonal counts as 0.
    alpha : float, optional
        Strength of selection, one over the unit of the payoffs, 0 or more. None: the limit of strong selection, where
        only who beats whom matters, and between closed sets of policies the least losses that lead out of them.
    population : int
        Its size, 2 or more.

    Returns
    -------
    (P,) float64
        Stationary distribution of the chain, adding up to 1.

    Notes
    -----
    Among k mutants τ and m − k of σ, with a_xy the payoff of x against y, one does better than one of σ by

        d(k) = ((k−1)·a_ττ + (m−k)·a_τσ − k·a_στ − (m−k−1)·a_σσ)/(m − 1),

    a single mutant takes over with chance ρ = 1/(1 + Σ_l exp(−α·Σ_{k≤l} d(k))), l from 1 to m − 1, and the chain goes
    from σ to τ with ρ/(P − 1). All is done with logarithms, without a subtraction, so that no strength of selection is
    too much (Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for Markov chains",
    Operations Research 33, 1985).

    References
    ----------
    S. Omidshafiei et al., "α-Rank: multi-agent evaluation by evolution", Scientific Reports 9 (2019) 9937.

    Examples
    --------
    Rock, paper and scissors, and one that loses to all.

    >>> alpha_rank([[0, -1, 1, 1], [1, 0, -1, 1], [-1, 1, 0, 1], [-1, -1, -1, 0]]).round(6)
    array([0.333333, 0.333333, 0.333333, 0.      ])
    """
    table, scale = _payoffs(payoffs)
    if table.shape[0] != table.shape[1]:
        raise ValueError(f"payoffs has shape {table.shape}: alpha-rank needs a square table")
    if population < 2:
        raise ValueError(f"population={population!r}: 2 or more")
    if alpha is None:
        alpha = STRONG / scale
    if not (alpha >= 0 and np.isfinite(alpha)):
        raise ValueError(f"alpha={alpha!r}: a number, 0 or more")
    return np.exp(_stationary(_takeover(table, alpha, population)))


def _payoffs(payoffs: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Check a table, and give it with its largest entry."""
    table = np.array(payoffs, np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"payoffs has shape {table.shape}: a table with a row a policy")
    if table.shape[0] == table.shape[1]:
        diagonal = np.einsum("ii->i", table)
        diagonal[np.isnan(diagonal)] = 0.0
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"payoffs: {table[row, column]} in row {row}, column {column}; every two must have met")
    return table, float(np.abs(table).max()) or 1.0


def _program(unit: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
    """Maximise v subject to p·unit ≥ v, Σ p = 1, p ≥ 0; give p, and bounds of the value by p and by the dual."""
    from scipy.optimize import linprog

    rows, columns = unit.shape
    found = linprog(
        np.r_[np.zeros(rows), -1.0],
        A_ub=np.hstack([-unit.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.r_[np.ones(rows), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not found.success:
        raise ArithmeticError(f"nash_mixture: {found.message}")
    weights, against = np.maximum(found.x[:rows], 0.0), np.maximum(-found.ineqlin.marginals, 0.0)
    weights, against = weights / weights.sum(), against / against.sum()
    return weights, float((weights @ unit).min()), float((unit @ against).max())


def _nearest(sides: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Find the shortest x with sides·x ≥ limits, by nonnegative least squares; None where that fails."""
    from scipy.optimize import nnls

    size = sides.shape[1]
    system = np.vstack([sides.T, limits])
    target = np.zeros(size + 1)
    target[size] = 1.0
    try:
        multipliers, _ = nnls(system, target, maxiter=100 * system.shape[1])
    except RuntimeError:
        return None
    rest = system @ multipliers - target
    # The last entry is −1/(1 + |x|²): far from 0, as shares are short.
    return -rest[:size] / rest[size] if rest[size] < -1e-3 else None


def _takeover(table: NDArray[np.float64], alpha: float, population: int) -> NDArray[np.float64]:
    """Log chance that one mutant (column) takes over a population (row)."""
    own = np.diag(table)
    k = np.arange(1, population, dtype=np.float64)
    others = population - k
    # Axes: resident, mutant, mutants so far.
    ahead = (
        own[None, :, None] * (k - 1)
        + table.T[:, :, None] * others
        - table[:, :, None] * k
        - own[:, None, None] * (others - 1)
    ) / (population - 1)
    steps = -alpha * np.cumsum(ahead, axis=2)
    return -np.logaddexp.reduce(steps, axis=2, initial=0.0)


def _stationary(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log stationary distribution of a chain from its log rates, by elimination; the diagonal is not read."""
    log = rate.copy()
    size = len(log)
    for last in range(size - 1, 0, -1):
        log[:last, last] -= np.logaddexp.reduce(log[last, :last])
        log[:last, :last] = np.logaddexp(log[:last, :last], log[:last, last, None] + log[None, last, :last])
    shares = np.zeros(size)
    for state in range(1, size):
        shares[state] = np.logaddexp.reduce(shares[:state] + log[:state, state])
    return shares - np.logaddexp.reduce(shares)
