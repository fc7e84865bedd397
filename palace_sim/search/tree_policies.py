"""Policies as strategies of a tree, by asking them at every information set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palace_sim.kernels import tree_asking as kernels
from palace_sim.kernels.engine import FAULTS, OK
from palace_sim.kernels.play import POLICY
from palace_sim.kernels.tree import Nodes
from palace_sim.kernels.tree_asking import ASKS, DREW_AND_WROTE
from palace_sim.policies.base import PolicyError, as_policy
from palace_sim.run import describe
from palace_sim.search.tree_room import depth_of, new_blank, new_room

if TYPE_CHECKING:
    from palace_sim.search.tree import Tree

BATCHES = 20


class Asked(NamedTuple):
    """What a policy answered with."""

    batches: np.ndarray  # (batches, slots): a strategy for each batch of the samples where it draws, else one
    strategy: np.ndarray  # (slots,): that of all samples together


def strategy_of(tree: Tree, thing: Any, seat: int, samples: int, seed: int) -> Asked:
    """Ask a policy for its moves at a seat."""
    policy = as_policy(thing)
    entry, game = policy.family.entry(), tree.game
    row = np.zeros(1, POLICY)[0]
    row.address, row.ask, row.salt = entry.address, policy.keep == "ask", policy.salt
    row.lasting.params[: len(policy.values)] = policy.values
    nodes = Nodes(game.player, tree.parents, game.first, game.count, tree.codes, game.chance, game.net, tree.codes)
    blank, room = new_blank(tree.rules), new_room(depth_of(tree.rules))
    made: list[np.ndarray] = []
    for batch in range(BATCHES):
        asks = np.zeros(1, ASKS)[0]
        asks.seat, asks.seed, asks.many = seat, seed, samples // BATCHES
        asks.first = batch * asks.many
        counts = np.zeros(tree.slots, np.int64)
        bad = int(kernels.ask_all(blank, tree.deals, nodes, game.slot, room, row, asks, counts))
        if bad != OK:
            raise _refused(policy.name, entry, bad, asks, room, tree)
        made.append(counts)
        if not asks.drew:
            break
    # pooled, not the mean of batches: a set that few batches lead to is uniform in the others
    return Asked(np.array([_shares(tree, counts) for counts in made]), _shares(tree, sum(made)))


def _shares(tree: Tree, counts: Any) -> np.ndarray:
    """Shares of counts in every information set; uniform where nothing was counted."""
    begin = tree.game.begin
    total = np.repeat(np.add.reduceat(counts, begin[:-1]), np.diff(begin))
    return np.where(total > 0, counts / np.maximum(total, 1), tree.uniform)


def _refused(name: str, entry: Any, bad: int, asks: Any, room: Any, tree: Tree) -> Exception:
    if bad == DREW_AND_WROTE:
        return ValueError(f"policy {name} both draws and writes its memo: on a tree it takes one or the other")
    where = tree.table().query(f"information_set == {int(tree.sets[asks.node])}").iloc[0]
    at = f"seat {where.seat}, banners {where.banner} and {where.foe_banner}, palace {where.palace}: {where.history}"
    code = int(asks.code)
    if code != 0:
        return PolicyError(f"policy {name} returned an illegal action: {describe(code)} {FAULTS[bad]} ({at})")
    error = PolicyError(f"policy {name} failed or returned no action code ({at})")
    error.__cause__ = entry.error(room.views[int(asks.seat)])
    return error
