"""A solved end game as a policy: its strategy laid out as a table that compiled code reads."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from palace_sim.kernels import endgame_play as layout
from palace_sim.kernels.endgame_play import play_endgame
from palace_sim.kernels.state import VERBS
from palace_sim.policies.base import Policy, policy
from palace_sim.search.endgame_tree import Tree

CODES = {name: code for code, name in VERBS.items()}
ONE = 1 << layout.BITS


def endgame(view: Any) -> int:
    """Play a solved end game; outside of it call when the chance to win covers the price, else stay or fold."""
    return play_endgame(view)


def make_policy(tree: Tree, state: Any, sets: np.ndarray, pool: int, strategies: Any, name: str) -> Policy:
    """Make the policy that plays both sides of an end game.

    Parameters
    ----------
    tree : Tree
    state : STATE record
        Where the end game begins.
    sets : (m,) int64 array
        The palaces that strategies are for.
    pool : int
        Cards that palaces are of.
    strategies : pair of (m, A) arrays
        Chances by palace and slot.
    name : str
    """
    head = [pool, len(tree.nodes), sum(tree.slots)]
    for seat in tree.seats:
        head += [int(state.players[seat].banner), int(state.players[seat].soldiers)]
    for node in tree.nodes:
        first = node.first + (tree.slots[0] if node.side else 0)
        verbs = sum(CODES[verb] << 4 * k for k, verb in enumerate(node.verbs))
        head += [tree.seats[node.side], *node.public, first, len(node.verbs), verbs]
    size = int(sets[0]).bit_count()
    bounds = np.zeros((comb(pool.bit_count(), size), sum(tree.slots)), np.int64)
    at = places(sets, pool)
    for node in tree.nodes:
        first = node.first + (tree.slots[0] if node.side else 0)
        chances = strategies[node.side][:, node.first : node.first + len(node.verbs)]
        rows = np.minimum(np.cumsum(chances, axis=1) * ONE, ONE).astype(np.int64)
        rows[:, -1] = ONE
        # nothing is drawn for what has no chance, whatever rounding left of the sum
        last = len(node.verbs) - 1 - np.argmax(chances[:, ::-1] > 0, axis=1)
        rows[np.arange(len(node.verbs)) >= last[:, None]] = ONE
        bounds[at, first : first + len(node.verbs)] = rows
    table = np.concatenate([np.array(head, np.int64), bounds.reshape(-1)])
    made: Policy = policy(table=table, name=name)(endgame)
    return made


def places(sets: np.ndarray, pool: int) -> np.ndarray:
    """Place of each palace among all of its size of a pool (`kernels.endgame_play.place_of`)."""
    left, place = sets.copy(), np.zeros(len(sets), np.int64)
    for k in range(int(sets[0]).bit_count()):
        lowest = left & -left
        below = np.bitwise_count(np.int64(pool) & lowest - 1).astype(np.int64)
        left ^= lowest
        place += (below, below * (below - 1) // 2, below * (below - 1) * (below - 2) // 6)[k]
    return place
