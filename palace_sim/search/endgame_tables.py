"""Tables of a solved end game: what is done with each palace, and how often with each kind of hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.battle.palaces import palace_text
from palace_sim.kernels.ranking import category
from palace_sim.ranking import CATEGORIES
from palace_sim.search.endgame_solver import Pass, Solver, weighed
from palace_sim.search.endgame_tree import BATTLE, Node

if TYPE_CHECKING:
    import pandas as pd

MOVES = ("stay", "fold", "call", "attack", "raise")


class _Side:
    """What one side meets at its nodes.

    Attributes
    ----------
    mass : (m,) array
        What each palace may meet at the beginning.
    met, chance : (m, N) arrays
        What it may meet at each node, and its chance to win there, a tie half; NaN where it meets nothing.
    hands : (m,) array of int
        Category of the cards that count in the battle.
    """

    def __init__(self, solver: Solver, found: Pass, side: int) -> None:
        self.nodes = solver.tree.of(side)
        for kept, now in zip(found.reach, solver.reach, strict=True):
            now[:] = kept
        self.mass = solver.meet(side, [-1])[:, 0]
        before = [node.foe for node in self.nodes]
        self.met = np.maximum(solver.meet(side, before), 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.chance = np.where(self.met > 1e-12, solver.beat(side, before, BATTLE) / self.met, np.nan)
        ranks = solver.sides[BATTLE][side][0] >> 4
        self.hands = np.array([int(category(int(rank))) for rank in np.unique(ranks)])[
            np.searchsorted(np.unique(ranks), ranks)
        ]


def strategy(solver: Solver, strategies: Any, found: Pass, side: int) -> pd.DataFrame:
    """Return what a side does with each palace at each node; columns as in `Endgame.strategy`."""
    import pandas as pd

    seen = _Side(solver, found, side)
    palaces = [palace_text(int(cards)) for cards in solver.sets]
    hands = [CATEGORIES[hand] for hand in seen.hands.tolist()]
    frames = []
    for n, node in enumerate(seen.nodes):
        values = (_here(strategies[side], node) * found.values[side][:, _slots(node, 1)]).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            reach = np.where(seen.mass > 1e-12, found.reach[side][:, node.parent + 1] * seen.met[:, n] / seen.mass, 0.0)
            worth = np.where(seen.met[:, n] > 1e-12, values / seen.met[:, n], np.nan)
        columns = {"node": node.name, "palace": palaces, "hand": hands, "reach": np.clip(reach, 0.0, 1.0)}
        columns |= {"chance": np.clip(seen.chance[:, n], 0.0, 1.0), "value": worth}
        frames.append(pd.DataFrame(columns | _moves(node, strategies[side])))
    return pd.concat(frames, ignore_index=True)


def frequencies(solver: Solver, strategies: Any, found: Pass) -> pd.DataFrame:
    """Return how often each move is made; columns as in `Endgame.frequencies`."""
    import pandas as pd

    rows = []
    sides = [_Side(solver, found, side) for side in (0, 1)]
    at = dict.fromkeys((0, 1), 0)
    for node in solver.tree.nodes:
        side, seen = node.side, sides[node.side]
        n = at[side]
        at[side] += 1
        weight = solver.priors[side] * found.reach[side][:, node.parent + 1] * seen.met[:, n] / solver.mass
        moves = _moves(node, strategies[side])
        moves["bluff"] = _bluffs(node, moves, seen.chance[:, n])
        arrives = float(weight.sum())
        for hand in (None, *np.unique(seen.hands[weight > 0]).tolist()):
            part = weight if hand is None else np.where(seen.hands == hand, weight, 0.0)
            total = float(part.sum())
            row = {"seat": solver.tree.seats[side], "node": node.name, "arrives": arrives}
            row |= {"hand": "all" if hand is None else CATEGORIES[hand]}
            row["share"] = total / arrives if arrives > 0 else np.nan
            for move, chances in moves.items():
                row[move] = weighed(part, chances) / total if total > 0 else np.nan
            rows.append(row)
    return pd.DataFrame(rows)


def _slots(node: Node, shift: int = 0) -> slice:
    return slice(node.first + shift, node.first + shift + len(node.verbs))


def _here(chances: np.ndarray, node: Node) -> np.ndarray:
    return chances[:, _slots(node)]


def _moves(node: Node, chances: np.ndarray) -> dict[str, np.ndarray]:
    """Chances of every move at a node by palace, NaN for those that are not open."""
    here = _here(chances, node)
    none = np.full(len(here), np.nan)
    return {move: here[:, node.verbs.index(move)] if move in node.verbs else none for move in MOVES}


def _bluffs(node: Node, moves: dict[str, np.ndarray], chance: np.ndarray) -> np.ndarray:
    bets = [moves[move] for move in ("attack", "raise") if move in node.verbs]
    if not bets:
        return np.full(len(chance), np.nan)
    return np.where(chance < 0.5, sum(bets), 0.0)
