"""Kuhn poker as nodes of a tree, and by brute force: a game whose equilibrium is known on paper.

H. W. Kuhn, "A simplified two-person poker", 1950: three cards, an ante of one, one bet of one; the value is -1/18 for
the player who begins.
"""

import itertools

import numpy as np

from palace_sim.kernels.tree import CHANCE, END, Nodes
from palace_sim.search.tree_building import finish

DEALS = list(itertools.permutations(range(3), 2))
MOVES = ("pass", "bet")


def ended(history, deal):
    """Net of the first player at an end, else None."""
    high = 1 if deal[0] > deal[1] else -1
    ends = {"pp": high, "bb": 2 * high, "pbb": 2 * high, "bp": 1, "pbp": -1}
    return ends.get(history)


def tree():
    """The tree, through the same door as that of Palace Poker."""
    rows = [[CHANCE, -1, 1, len(DEALS), -1, 1.0, 0.0, 0]]
    rows += [[None, 0, 0, 0, d, 1 / 6, 0.0, 0] for d in range(len(DEALS))]
    waiting = [(1 + d, "", deal) for d, deal in enumerate(DEALS)]
    while waiting:
        node, history, deal = waiting.pop()
        net = ended(history, deal)
        if net is not None:
            rows[node][0], rows[node][6] = END, net
            continue
        seat = len(history) % 2
        key = 1 + deal[seat] + 3 * ["", "p", "b", "pb"].index(history)
        rows[node][0], rows[node][2], rows[node][3], rows[node][7] = seat, len(rows), 2, key
        for code, move in enumerate("pb"):
            waiting.append((len(rows), history + move, deal))
            rows.append([None, node, 0, 0, code, 1.0, 0.0, 0])
    kinds = (np.int8, np.int32, np.int32, np.int32, np.int64, np.float64, np.float64, np.int64)
    columns = zip(*rows, strict=True)
    return finish(None, 0, np.array(DEALS), Nodes(*(np.array(c, k) for c, k in zip(columns, kinds, strict=True))))


def brute_response(seat):
    """Most that a seat gets against a uniform opponent: every pure strategy tried, in chips of that seat."""
    sets = list(itertools.product(range(3), ("", "pb") if seat == 0 else ("p", "b")))
    best = -np.inf
    for choice in itertools.product("pb", repeat=len(sets)):
        plan = dict(zip(sets, choice, strict=True))
        best = max(best, sum(walk("", deal, seat, plan) for deal in DEALS) / len(DEALS))
    return best


def walk(history, deal, seat, plan):
    """Mean net of a seat with a plan against a uniform opponent."""
    net = ended(history, deal)
    if net is not None:
        return net if seat == 0 else -net
    if len(history) % 2 == seat:
        return walk(history + plan[deal[seat], history], deal, seat, plan)
    return sum(walk(history + move, deal, seat, plan) for move in "pb") / 2
