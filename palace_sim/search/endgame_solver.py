"""Counterfactual regret minimisation of an end game, its best responses and their gain.

Regrets are discounted as by Brown and Sandholm (2019), "Solving imperfect-information games via discounted regret
minimization": before iteration t + 1 those above 0 are multiplied by t^1.5 / (t^1.5 + 1) and those below are dropped;
iteration t counts (t - 1)^3 in the average strategy, so the first, which nothing speaks for, not at all. Sides are
updated in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from palace_sim.kernels import endgame as kernels
from palace_sim.kernels.endgame import LANES
from palace_sim.search.endgame_tree import FOLD, Tree

KEEP_POWER, SHARE_POWER = 1.5, 3.0
WHOLE = np.ones(LANES)
NO_STEP = np.zeros(2)


@dataclass(frozen=True)
class Columns:
    """Masses that one side's values are made of.

    Attributes
    ----------
    entries, coefficients : see `kernels.endgame.spread`
    chunks : list of int or None
        For each LANES columns, how hands are compared; None where they are not.
    adds : (C,) int64 array
        Slot + 1 that each column belongs to.
    parts : (C / LANES, 2, LANES) array
        What a tie counts beside a win.
    x, out : (C / LANES, m, LANES) arrays
        Masses, and what they come to.
    """

    entries: np.ndarray
    coefficients: np.ndarray
    chunks: list[int | None]
    adds: np.ndarray
    parts: np.ndarray
    x: np.ndarray
    out: np.ndarray


def _columns(terms: dict[tuple[Any, ...], dict[int, float]], size: int) -> Columns:
    """Lay out columns: terms by (how compared, slot + 1, what a tie counts), each a sum over the other side's slots."""
    chunks: list[int | None] = []
    entries, coefficients, adds, parts = [], [], [], []
    column = 0
    for kind in dict.fromkeys(key[0] for key in terms):
        column = LANES * len(chunks)
        for (_, slot, part), sums in ((key, value) for key, value in terms.items() if key[0] == kind):
            if column % LANES == 0:
                chunks.append(kind)
                adds += [0] * LANES  # columns that are not used add nothing, to the first
                parts.append(np.ones((2, LANES)))
            adds[column] = slot
            parts[-1][1, column % LANES] = part
            for other, chips in sums.items():
                entries.append((column, other))
                coefficients.append(chips)
            column += 1
    many = len(chunks)
    return Columns(
        np.array(entries, np.int64).reshape(-1, 2),
        np.array(coefficients, np.float64),
        chunks,
        np.array(adds, np.int64),
        np.array(parts).reshape(many, 2, LANES),
        np.zeros((many, size, LANES)),
        np.zeros((many, size, LANES)),
    )


def _lay_out(tree: Tree, side: int, size: int) -> tuple[Columns, Columns]:
    """Return the columns of a side: of all that it meets (one for each slot), and of what it beats."""
    met: dict[tuple[Any, ...], dict[int, float]] = {(None, s, 1.0): {} for s in range(tree.slots[side] + 1)}
    beaten: dict[tuple[Any, ...], dict[int, float]] = {}
    for ending in tree.endings:
        win, tie, loss = ending.chips[side]
        slot, other = ending.slots[side] + 1, ending.slots[1 - side]
        sums = met[None, slot, 1.0]
        sums[other] = sums.get(other, 0.0) + loss
        if ending.kind != FOLD and win > loss:
            # a win is worth `win - loss` more than a loss, a tie a part of that
            sums = beaten.setdefault((ending.kind, slot, (tie - loss) / (win - loss)), {})
            sums[other] = sums.get(other, 0.0) + win - loss
    return _columns(met, size), _columns(beaten, size)


@dataclass(frozen=True)
class Pass:
    """What strategies of both sides come to: chips of each side, and of its best response to the other.

    Attributes
    ----------
    chips, best : tuple of float
    reach, values : pairs of (m, A + 1) arrays
        By palace and slot (`kernels.endgame`).
    """

    chips: tuple[float, float]
    best: tuple[float, float]
    reach: tuple[np.ndarray, np.ndarray]
    values: tuple[np.ndarray, np.ndarray]

    @property
    def exploitability(self) -> float:
        """Mean over the sides of what a best response gains, in chips."""
        return float((self.best[0] - self.chips[0] + self.best[1] - self.chips[1]) / 2)


def weighed(weights: np.ndarray, numbers: np.ndarray) -> float:
    """Sum of numbers by weight; not a dot product, whose threads add in an order of their own."""
    return float((weights * numbers).sum())


class Solver:
    """Regrets and average strategies of an end game.

    Parameters
    ----------
    tree : Tree
    sets : (m,) int64 array
        Palaces, as card sets, ascending; the same list for both sides.
    pool : int
        Cards that they are of.
    priors : pair of (m,) float64 arrays
        Weights of the palaces of each side.
    worths : dict of int to pair of (m,) int64 arrays
        What each side is worth with each palace, by how hands are compared.
    """

    def __init__(self, tree: Tree, sets: np.ndarray, pool: int, priors: Any, worths: dict[int, Any]) -> None:
        self.tree, self.sets, self.iterations = tree, sets, 0
        self.priors = [prior / prior.sum() for prior in priors]
        m = len(sets)
        self.reads, self.writes = np.zeros((2, m, kernels.SUMS), np.int64)
        self.held = np.zeros((kernels.index_sums(sets, pool, self.reads, self.writes), LANES))
        self.own = 1.0 if int(sets[0]).bit_count() == 3 else 0.0
        self.sides = {
            kind: [(worth, np.argsort(worth, kind="stable")) for worth in pair] for kind, pair in worths.items()
        }
        rows = [[(n.first, len(n.verbs), n.parent) for n in tree.of(side)] for side in (0, 1)]
        self.nodes = [np.array(row, np.int64).reshape(-1, 3) for row in rows]
        self.columns = [_lay_out(tree, side, m) for side in (0, 1)]
        self.regrets, self.sums = ([np.zeros((m, many)) for many in tree.slots] for _ in range(2))
        self.reach, self.values = ([np.zeros((m, many + 1)) for many in tree.slots] for _ in range(2))
        self.chances = np.zeros(max(tree.slots) + 1)
        self.mass = self._mass()

    def _mass(self) -> float:
        """Return the weight of all pairs of palaces that share no card."""
        met = self.meet(0, [-1], start=True)
        return weighed(self.priors[0], met[:, 0])

    def meet(self, side: int, slots: list[int], start: bool = False) -> np.ndarray:
        """Return by palace of a side the mass of what it may meet after some slots of the other, as (m, n)."""
        if start:
            self.reach[1 - side][:, 0] = 1.0
        return self._reckon(side, {(None, n, 1.0): {slot: 1.0} for n, slot in enumerate(slots)}, len(slots))

    def beat(self, side: int, slots: list[int], kind: int) -> np.ndarray:
        """Return the same of what it beats, a tie counting half."""
        return self._reckon(side, {(kind, n, 0.5): {slot: 1.0} for n, slot in enumerate(slots)}, len(slots))

    def _reckon(self, side: int, terms: Any, many: int) -> np.ndarray:
        columns = _columns(terms, len(self.sets))
        self._sum_up(side, columns)
        return np.moveaxis(columns.out, 0, 1).reshape(len(self.sets), -1)[:, :many]

    def _sum_up(self, side: int, columns: Columns) -> None:
        other = 1 - side
        kernels.spread(columns.entries, columns.coefficients, self.priors[other], self.reach[other], columns.x)
        for c, kind in enumerate(columns.chunks):
            x, out = columns.x[c], columns.out[c]
            if kind is None:
                kernels.meet(self.reads, self.writes, x, self.own, WHOLE, self.held, out)
            else:
                mine, theirs = self.sides[kind][side], self.sides[kind][other]
                kernels.sweep(
                    self.reads, self.writes, x, self.own, mine, theirs, columns.parts[c], self.held, out
                )

    def _back_up(self, mode: int, side: int, weights: np.ndarray, step: np.ndarray = NO_STEP) -> None:
        met, beaten = self.columns[side]
        nodes, values = self.nodes[side], self.values[side]
        kernels.back_up(mode, nodes, weights, step, beaten.adds, met.out, beaten.out, values, self.chances)

    def _chips(self, side: int) -> float:
        """Return what the values say that a side expects."""
        return weighed(self.priors[side], self.values[side][:, 0]) / self.mass

    def iterate(self) -> None:
        """Do one iteration: each side in turn against the other as it is."""
        self.iterations += 1
        t = float(self.iterations)
        kept = t**KEEP_POWER
        step = np.array([kept / (kept + 1.0), 0.0])
        for side in (0, 1):
            other = 1 - side
            regrets, share = self.regrets[other], (t - 1.0) ** SHARE_POWER
            kernels.advance(self.nodes[other], regrets, share, self.chances, self.sums[other], self.reach[other])
            for columns in self.columns[side]:
                self._sum_up(side, columns)
            self._back_up(kernels.UPDATE, side, self.regrets[side], step)

    def strategy(self, side: int) -> np.ndarray:
        """Return the average strategy: chances by palace and slot.

        Where a palace never arrives by its own choice, it is what the regrets say now.
        """
        chances = np.empty_like(self.sums[side])
        for node in self.tree.of(side):
            here = slice(node.first, node.first + len(node.verbs))
            for weights in (np.ones_like(chances[:, here]), self.regrets[side][:, here], self.sums[side][:, here]):
                total = np.maximum(weights, 0.0).sum(axis=1, keepdims=True)
                np.divide(np.maximum(weights, 0.0), total, out=chances[:, here], where=total > 0)
        return chances

    def follow(self, strategies: Any) -> Pass:
        """Find what two strategies, and exact best responses to them, come to."""
        for side in (0, 1):
            kernels.advance(
                self.nodes[side], strategies[side], 0.0, self.chances, self.sums[side], self.reach[side]
            )
        chips: list[float] = []
        best: list[float] = []
        for side in (0, 1):
            for columns in self.columns[side]:
                self._sum_up(side, columns)
            for mode, found in ((kernels.BEST, best), (kernels.FOLLOW, chips)):
                self._back_up(mode, side, strategies[side])
                found.append(self._chips(side))
        reach, values = ((a[0].copy(), a[1].copy()) for a in (self.reach, self.values))
        return Pass((chips[0], chips[1]), (best[0], best[1]), reach, values)
