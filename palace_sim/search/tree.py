"""`Tree`: the full tree of a shrunken game of two, and what strategies are worth on it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palace_sim.arguments import whole
from palace_sim.kernels import cfr as solving
from palace_sim.kernels.cfr import Game
from palace_sim.rules import Rules
from palace_sim.search.tree_policies import Asked, strategy_of

if TYPE_CHECKING:
    import pandas as pd

T_975_OF_19 = 2.093  # Student's t of 20 batches


class Value(NamedTuple):
    """What a pair of strategies is worth on a tree.

    Attributes
    ----------
    value : float
        Chips that seat 0 expects a hand; seat 1 expects as many less.
    se : float
        Standard error of `value`; 0 where it is exact.
    ci_low, ci_high : float
        95 % interval.
    samples : int
        How often policies that draw were asked at each information set; 0 where none draws.
    exact : bool
        Whether `value` is exact: neither policy draws.
    """

    value: float
    se: float
    ci_low: float
    ci_high: float
    samples: int
    exact: bool


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The full tree of a game of two, made by `build_tree`.

    A strategy of both seats is one float64 array over *slots*: a slot is a move of an information set, and those of a
    set stand in a row. Chips are those of seat 0; the game is zero-sum (R37).

    Attributes
    ----------
    rules : Rules
        The rules.
    dealer : int or None
        Seat of the dealer; None where it is drawn for (R4).
    deals : (D, 5) int64 array
        A row a deal: dealer, banner of seat 0 and 1 (card ids), palace of seat 0 and 1 (card sets).
    game : Game
        The arrays that solvers read (`palace_sim.kernels.cfr.Game`).
    parents, codes : arrays
        For each node its parent, and how it came about: number of the deal, card id, or action code.
    sets : (n,) int32 array
        For each node its information set; -1 at chance nodes and ends.
    """

    rules: Rules
    dealer: int | None
    deals: np.ndarray
    game: Game
    parents: np.ndarray
    codes: np.ndarray
    sets: np.ndarray

    @property
    def nodes(self) -> int:
        """Number of nodes, ends and chance nodes included."""
        return len(self.game.player)

    @property
    def information_sets(self) -> int:
        """Number of information sets, both seats together."""
        return len(self.game.owner)

    @property
    def slots(self) -> int:
        """Length of a strategy: moves added up over all information sets."""
        return int(self.game.begin[-1])

    def __repr__(self) -> str:
        return f"<Tree: {len(self.deals)} deals, {self.nodes} nodes, {self.information_sets} information sets>"

    def __deepcopy__(self, memo: Any) -> Tree:
        return self  # nothing in it changes

    @cached_property
    def uniform(self) -> np.ndarray:
        """The strategy that makes every move of an information set equally likely."""
        many = np.diff(self.game.begin)
        return np.repeat(1.0 / many, many)

    def strategy_of(self, policy: Any, seat: int, samples: int = 1000, seed: int = 1) -> np.ndarray:
        """Moves of a policy at all information sets of a seat, by asking it.

        Parameters
        ----------
        policy : Policy, name or function
            It sees what it sees in a hand, and keeps its memo along the hand.
        seat : int
            0 or 1.
        samples : int
            How often a policy that draws is asked at each set: its moves are then estimates.
        seed : int
            Seed of these draws.

        Returns
        -------
        (slots,) float64 array
            Probabilities; uniform at sets of the other seat, and at those that the policy never leads to.

        Raises
        ------
        ValueError, PolicyError
            The policy fails, makes an illegal move, or both draws and writes its memo.

        Examples
        --------
        >>> from palace_sim import Rules, search
        >>> tree = search.build_tree(Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, max_raises=0))
        >>> tree.value_of(["stay", "stay"]).value
        0.0
        """
        return self._ask(policy, seat, samples, seed).strategy

    def _ask(self, policy: Any, seat: int, samples: int, seed: int) -> Asked:
        seat = whole("seat", seat, 0, 1, "a seat")
        samples = whole("samples", samples, 20, 10**7, "a number of samples")
        return strategy_of(self, policy, seat, samples, whole("seed", seed, 0, (1 << 63) - 1))

    def check_strategy(self, strategy: Any) -> np.ndarray:
        """Return a strategy as an array, or raise a ValueError that says what is wrong with it.

        Parameters
        ----------
        strategy : Solution or (slots,) array
            The chance of each move of each information set, as of `uniform`.
        """
        if getattr(strategy, "tree", self) is not self:
            raise ValueError(f"{strategy!r} is of another tree: solve this one")
        array = np.ascontiguousarray(getattr(strategy, "average", strategy), dtype=np.float64)
        if array.shape != (self.slots,):
            raise ValueError(f"a strategy of this tree is an array of {self.slots} numbers, got shape {array.shape}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError("a strategy holds probabilities, got a number that is negative or not finite")
        sums = np.add.reduceat(array, self.game.begin[:-1])
        if np.abs(sums - 1).max() > 1e-9:
            worst = int(np.abs(sums - 1).argmax())
            raise ValueError(f"the probabilities of information set {worst} add up to {sums[worst]:.6g}, not to 1")
        return array

    def value_of(self, policies: Sequence[Any], samples: int = 1000, seed: int = 1) -> Value:
        """Value of a pair of policies or strategies, by walking the whole tree.

        Parameters
        ----------
        policies : sequence of two
            For seat 0 and seat 1: a policy, its name, a function, a strategy of this tree, or a `Solution` of it.
        samples, seed : int
            As for `strategy_of`.

        Returns
        -------
        Value
            Exact where no policy draws; else with the standard error of 20 batches of the samples.

        Raises
        ------
        ValueError, PolicyError
            There are not two of them, or one is refused.

        Examples
        --------
        >>> from palace_sim import Rules, search
        >>> tree = search.build_tree(Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, max_raises=0))
        >>> tree.value_of(["stay", tree.uniform]).exact
        True
        """
        pair = self._pair(policies, samples, seed)
        room = np.empty(self.nodes)
        batches = math.lcm(*(len(asked.batches) for asked in pair))
        values = np.empty(batches)
        for b in range(batches):
            rows = [asked.batches[b % len(asked.batches)] for asked in pair]
            values[b] = solving.sweep_up(self.game, self._joined(rows), room)
        mean = float(values.mean())
        exact = batches == 1
        se = 0.0 if exact else float(values.std(ddof=1) / math.sqrt(batches))
        far = T_975_OF_19 * se
        return Value(mean, se, mean - far, mean + far, 0 if exact else samples, exact)

    def exploitability(self, policies: Any, samples: int = 1000, seed: int = 1) -> float:
        """What exact best responses gain, the mean of both seats: half of what is called NashConv.

        Parameters
        ----------
        policies : Solution, strategy, or sequence of two
            As for `value_of`; one alone stands for both seats.
        samples, seed : int
            As for `strategy_of`. Of a policy that draws the estimated moves are exploited, which overstates.

        Returns
        -------
        float
            Chips a hand; 0 in an equilibrium, and never less but for rounding.
        """
        return sum(self.gains(policies, samples, seed)) / 2

    def gains(self, policies: Any, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
        """What an exact best response of seat 0, and of seat 1, gains over its own strategy, in chips a hand.

        Parameters
        ----------
        policies : policy, strategy, Solution, or two of them
            Who plays, seat by seat; one stands for both.
        samples, seed : int
            How often a policy that draws is asked, and the key of that.
        """
        listed = isinstance(policies, Sequence) and not isinstance(policies, str)
        pair = self._pair(policies if listed else [policies, policies], samples, seed)
        return self._gains(self._joined([asked.strategy for asked in pair]))[:2]

    def _gains(self, sigma: np.ndarray) -> tuple[float, float, float]:
        """Gains of both seats, and the value."""
        n = self.nodes
        own, others, value, worth = np.empty(n), np.empty(n), np.empty(n), np.empty(self.slots)
        mean = float(solving.sweep_up(self.game, sigma, value))
        best = []
        for seat in range(2):
            solving.sweep_down(self.game, sigma, seat, own, others)
            best.append(float(solving.best_response(self.game, sigma, seat, others, worth, value)))
        return best[0] - mean, best[1] + mean, mean

    def _pair(self, policies: Any, samples: int, seed: int) -> list[Asked]:
        if isinstance(policies, str) or not isinstance(policies, Sequence) or len(policies) != 2:
            raise ValueError(f"policies takes a list of two, for seat 0 and seat 1, got {policies!r}")
        pair = []
        for seat, thing in enumerate(policies):
            if isinstance(thing, np.ndarray) or hasattr(thing, "average"):
                strategy = self.check_strategy(thing)
                pair.append(Asked(strategy[None], strategy))
            else:
                pair.append(self._ask(thing, seat, samples, seed))
        return pair

    def _joined(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Strategy that is the first one at the sets of seat 0, the second at those of seat 1."""
        owner = np.repeat(self.game.owner, np.diff(self.game.begin))
        return np.where(owner == 0, rows[0], rows[1])

    def table(self, strategy: Any = None) -> pd.DataFrame:
        """Write information sets and moves in words.

        Parameters
        ----------
        strategy : Solution or strategy, optional
            Whose probabilities; None for the uniform one.

        Returns
        -------
        DataFrame
            A row a move: information_set, seat, dealer, banner, foe_banner, palace, history (the moves before, as
            everybody saw them), phase, move, probability, reach (chance that a hand gets to the set).
        """
        from palace_sim.search.tree_words import table_of

        return table_of(self, self.uniform if strategy is None else self.check_strategy(strategy))
