"""`solve_tree`: an equilibrium of a tree by counterfactual regret minimization; `Solution`: what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.arguments import near, whole
from palace_sim.kernels import cfr as kernels
from palace_sim.search.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

ALGORITHMS = ("cfr+", "mccfr")
MOST = 1 << 40


class Solution:
    """A strategy of both seats near an equilibrium, made by `solve_tree`.

    Attributes
    ----------
    tree : Tree
        What was solved.
    algorithm : str
        "cfr+" or "mccfr".
    iterations, seed : int
        How many were done, and the seed of what was sampled.
    average : (slots,) float64 array
        The strategy; uniform at information sets that were never met.
    value : float
        Chips that seat 0 expects when both play it.
    lower, upper : float
        What seat 0's strategy is sure to get, and what seat 1's lets nobody exceed: the value of the game lies between.
    gains : (float, float)
        Chips that an exact best response of each seat gains.
    exploitability : float
        Mean of `gains` (half of NashConv), also ``(upper - lower) / 2``.
    course : DataFrame
        A row for each look, at iterations 1, 2, 4 and so on: iteration, value, lower, upper, exploitability.
    """

    def __init__(
        self, tree: Tree, algorithm: str, iterations: int, seed: int, average: np.ndarray, course: pd.DataFrame
    ) -> None:
        self.tree, self.algorithm, self.iterations, self.seed = tree, algorithm, iterations, seed
        self.average, self.course = average, course
        last = course.iloc[-1]
        self.value, self.lower, self.upper = float(last.value), float(last.lower), float(last.upper)
        self.exploitability = float(last.exploitability)

    @property
    def gains(self) -> tuple[float, float]:
        return self.upper - self.value, self.value - self.lower

    def strategy(self) -> pd.DataFrame:
        """Write the strategy in words, a row for each move of each information set (see `Tree.table`)."""
        return self.tree.table(self.average)

    def __repr__(self) -> str:
        return (
            f"<Solution by {self.algorithm}, {self.iterations} iterations: value {self.value:.6g} chips for seat 0, "
            f"exploitability {self.exploitability:.3g}>"
        )


def _looks(iterations: int) -> list[int]:
    """Iterations after which to look: powers of two, and the last."""
    return [*(1 << k for k in range(iterations.bit_length()) if 1 << k < iterations), iterations]


def solve_tree(tree: Tree, algorithm: str = "cfr+", iterations: int | None = None, seed: int = 1) -> Solution:
    """Solve a tree, and compute exactly how far from an equilibrium the solution is.

    Parameters
    ----------
    tree : Tree
        From `build_tree`.
    algorithm : {"cfr+", "mccfr"}
        CFR+ sweeps the whole tree, by turns and with linear averaging (Tammelin 2014); MCCFR samples the cards and the
        other seat (external sampling, Lanctot et al. 2009), iterations weighted linearly (Brown and Sandholm 2019).
    iterations : int, optional
        Each for both seats; None for 1000 of CFR+, 100,000 of MCCFR.
    seed : int
        Seed of what MCCFR samples; CFR+ samples nothing.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        An argument is not what it should be; named.

    Examples
    --------
    >>> from palace_sim import Rules, search
    >>> tree = search.build_tree(Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, max_raises=0), dealer=0)
    >>> solution = search.solve_tree(tree, iterations=100)
    >>> bool(0 <= solution.exploitability < 0.01)
    True
    """
    if not isinstance(tree, Tree):
        raise ValueError(f"tree takes what build_tree returned, got {tree!r}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm takes 'cfr+' or 'mccfr', got {algorithm!r}{near(str(algorithm), ALGORITHMS)}")
    if iterations is None:
        iterations = 1000 if algorithm == "cfr+" else 100_000
    iterations = whole("iterations", iterations, 1, MOST, "a number of iterations")
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    run = _Run(tree, algorithm, seed)
    rows = []
    for look in _looks(iterations):
        run.on_to(look)
        rows.append((look, *run.look()))
    import pandas as pd

    course = pd.DataFrame(rows, columns=["iteration", "value", "lower", "upper", "exploitability"])
    return Solution(tree, algorithm, iterations, seed, run.average(), course)


class _Run:
    """A solver at work."""

    def __init__(self, tree: Tree, algorithm: str, seed: int) -> None:
        self.tree, self.done = tree, 0
        self.full = algorithm == "cfr+"
        self.regrets, self.sums, self.gained = np.zeros((3, tree.slots))
        self.sigma = tree.uniform.copy()
        self.room: Any = np.empty((3, tree.nodes)) if self.full else np.zeros((2, tree.nodes), np.int32)
        self.values, self.key = np.empty(0 if self.full else tree.nodes), np.array([seed, 0, 0, 0, 0])

    def on_to(self, iteration: int) -> None:
        """Go on to the end of an iteration."""
        game, first, many = self.tree.game, self.done + 1, iteration - self.done
        numbers = self.regrets, self.sums, self.sigma
        if self.full:
            kernels.cfr_plus(game, first, many, *numbers, self.gained, self.room)
        else:
            kernels.sample(game, self.key, first, many, *numbers, self.room, self.values)
        self.done = iteration

    def average(self) -> np.ndarray:
        """Return the average strategy."""
        average = np.empty(self.tree.slots)
        for seat in range(2):
            kernels.spread(self.sums, self.tree.game.begin, self.tree.game.owner, seat, average)
        return average

    def look(self) -> tuple[float, float, float, float]:
        """Value, bounds and exploitability of the average strategy."""
        gain, other, value = self.tree._gains(self.average())
        return value, value - other, value + gain, (gain + other) / 2
