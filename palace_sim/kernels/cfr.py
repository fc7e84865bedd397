"""Counterfactual regret minimization and exact best responses on the tree of a game of two.

Everything is an array over nodes (parents before children, levels in a row) or over slots, one for each move of each
information set. A strategy of both seats is one array of probabilities over slots.

- M. Zinkevich et al., "Regret Minimization in Games with Incomplete Information", NIPS 2007 (equations 5 to 8).
- O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014.
- M. Lanctot et al., "Monte Carlo Sampling for Regret Minimization in Extensive Games", NIPS 2009 (external sampling).
- N. Brown and T. Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization", AAAI 2019
  (linear CFR).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from palace_sim.kernels.jit import inlined, kernel
from palace_sim.kernels.rng import SOLVING, open_stream, uniform
from palace_sim.kernels.tree import CHANCE, END

TRAVERSING = 0  # index of the streams of traversals, beside those of policies that are asked (kernels/tree_asking.py)


class Game(NamedTuple):
    """A tree as the solvers read it: n nodes, s information sets, m slots."""

    player: Any  # (n,) int8
    first: Any  # (n,) int32: the first child
    count: Any  # (n,) int32: how many children
    slot: Any  # (n,) int32: at a decision the slot of its first move, else -1
    chance: Any  # (n,) float64
    upto: Any  # (n,) float64: chances added up over the siblings before and itself
    net: Any  # (n,) float64: what seat 0 gets at an end
    levels: Any  # (d + 1,) int64: where each level begins
    begin: Any  # (s + 1,) int64: where the slots of each information set begin
    owner: Any  # (s,) int8
    head: Any  # (s,) int32: the first node of each


@inlined
def sign_of(seat: int) -> float:
    """What turns the net of seat 0 into that of a seat."""
    return 1.0 if seat == 0 else -1.0


@kernel
def spread(weights: Any, begin: Any, owner: Any, seat: int, out: Any) -> None:
    """Make probabilities of non-negative weights in every set of a seat; uniform where all are zero."""
    for s in range(len(owner)):
        if owner[s] != seat:
            continue
        total = 0.0
        for k in range(begin[s], begin[s + 1]):
            total += max(weights[k], 0.0)
        for k in range(begin[s], begin[s + 1]):
            out[k] = max(weights[k], 0.0) / total if total > 0 else 1.0 / (begin[s + 1] - begin[s])


@kernel
def sweep_down(game: Game, sigma: Any, seat: int, own: Any, others: Any) -> None:
    """Chance to reach every node, split into what a seat does and what the other seat and the cards do."""
    own[0] = others[0] = 1.0
    for node in range(len(game.player)):
        player, slot = game.player[node], game.slot[node]
        for k in range(game.count[node]):
            child = game.first[node] + k
            own[child], others[child] = own[node], others[node]
            if player == CHANCE:
                others[child] *= game.chance[child]
            elif player == seat:
                own[child] *= sigma[slot + k]
            else:
                others[child] *= sigma[slot + k]


@kernel
def sweep_up(game: Game, sigma: Any, value: Any) -> float:
    """Mean net of seat 0 from every node on; return that of the first node."""
    for node in range(len(game.player) - 1, -1, -1):
        player, slot = game.player[node], game.slot[node]
        total = game.net[node]
        for k in range(game.count[node]):
            child = game.first[node] + k
            total += (game.chance[child] if player == CHANCE else sigma[slot + k]) * value[child]
        value[node] = total
    return value[0]


@kernel
def cfr_plus(game: Game, first: int, many: int, regrets: Any, sums: Any, sigma: Any, gained: Any, room: Any) -> None:
    """Do iterations `first` on (from 1), the seats by turns; regrets stay above zero, iteration t counts t times.

    Parameters
    ----------
    game : Game
    first, many : int
    regrets, sums, sigma, gained : (m,) float64
        Regrets so far, strategies added up, the strategy now, and room.
    room : (3, n) float64
    """
    own, others, value = room[0], room[1], room[2]
    for t in range(first, first + many):
        for seat in range(2):
            sweep_down(game, sigma, seat, own, others)
            sweep_up(game, sigma, value)
            sign = sign_of(seat)
            gained[:] = 0.0
            for node in range(len(game.player)):
                if game.player[node] == seat:
                    weight = sign * others[node]
                    for k in range(game.count[node]):
                        gained[game.slot[node] + k] += weight * (value[game.first[node] + k] - value[node])
            for s in range(len(game.owner)):
                if game.owner[s] == seat:
                    reach = t * own[game.head[s]]
                    for k in range(game.begin[s], game.begin[s + 1]):
                        sums[k] += reach * sigma[k]
                        regrets[k] = max(regrets[k] + gained[k], 0.0)
            spread(regrets, game.begin, game.owner, seat, sigma)


@kernel
def best_response(game: Game, sigma: Any, seat: int, others: Any, gains: Any, value: Any) -> float:
    """Most that a seat gets against the other's strategy, exactly; level by level from the last.

    Parameters
    ----------
    game : Game
    sigma : (m,) float64
        Strategies; the seat's own is not looked at.
    seat : int
    others : (n,) float64
        Chance to reach every node by the other seat and the cards (`sweep_down`).
    gains : (m,) float64
        Takes what each move of the seat is worth, times the chance that the others let its set be reached.
    value : (n,) float64
        Room; net of the seat.

    Returns
    -------
    float
        Chips.
    """
    gains[:] = 0.0
    for level in range(len(game.levels) - 2, -1, -1):
        low, high = game.levels[level], game.levels[level + 1]
        for node in range(low, high):
            player, slot = game.player[node], game.slot[node]
            total = sign_of(seat) * game.net[node]
            for k in range(game.count[node]):
                child = game.first[node] + k
                if player == seat:
                    gains[slot + k] += others[node] * value[child]
                else:
                    total += (game.chance[child] if player == CHANCE else sigma[slot + k]) * value[child]
            value[node] = total
        for node in range(low, high):  # now that every node of their sets is counted
            if game.player[node] == seat:
                slot, best = game.slot[node], 0
                for k in range(1, game.count[node]):
                    if gains[slot + k] > gains[slot + best]:
                        best = k
                value[node] = value[game.first[node] + best]
    return value[0]


@inlined
def draw_child(game: Game, node: int, sigma: Any, stream: Any) -> int:
    """Draw a child of a chance node by its chances, of a decision by the strategy."""
    left, first, count = uniform(stream), game.first[node], game.count[node]
    if game.player[node] == CHANCE:
        low, high = first, first + count - 1
        while low < high:  # the first whose chances added up exceed the number drawn
            middle = (low + high) // 2
            if game.upto[middle] > left:
                high = middle
            else:
                low = middle + 1
        return low
    last = first
    for k in range(count):
        chance = sigma[game.slot[node] + k]
        if chance > 0.0:
            last = first + k
            left -= chance
            if left < 0.0:
                break
    return last


@inlined
def match(regrets: Any, slot: int, count: int, sigma: Any) -> None:
    """Match the regrets of one information set."""
    total = 0.0
    for k in range(slot, slot + count):
        total += max(regrets[k], 0.0)
    for k in range(slot, slot + count):
        sigma[k] = max(regrets[k], 0.0) / total if total > 0 else 1.0 / count


@kernel
def traverse(
    game: Game, seat: int, weight: int, stream: Any, regrets: Any, sums: Any, sigma: Any, room: Any, value: Any
) -> None:
    """Sample the cards and the other seat, try every move of a seat, and add up what it regrets, so many times."""
    path, drawn = room[0], room[1]
    path[0] = 0
    n = 1
    at = 0
    while at < n:  # `path` gets a child behind its parent
        node = path[at]
        at += 1
        player = game.player[node]
        if player == END:
            continue
        if player != CHANCE:
            match(regrets, game.slot[node], game.count[node], sigma)
        if player == seat:
            for k in range(game.count[node]):
                path[n] = game.first[node] + k
                n += 1
            continue
        if player != CHANCE:
            for k in range(game.slot[node], game.slot[node] + game.count[node]):
                sums[k] += weight * sigma[k]
        path[n] = drawn[node] = draw_child(game, node, sigma, stream)
        n += 1
    for at in range(n - 1, -1, -1):
        node = path[at]
        player, slot, first = game.player[node], game.slot[node], game.first[node]
        if player == END:
            value[node] = sign_of(seat) * game.net[node]
        elif player != seat:
            value[node] = value[drawn[node]]
        else:
            mean = 0.0
            for k in range(game.count[node]):
                mean += sigma[slot + k] * value[first + k]
            for k in range(game.count[node]):
                regrets[slot + k] += weight * (value[first + k] - mean)
            value[node] = mean


@kernel
def sample(
    game: Game, key: Any, first: int, many: int, regrets: Any, sums: Any, sigma: Any, room: Any, value: Any
) -> None:
    """Do iterations `first` on (from 1) of external sampling: a traversal for each seat, with a stream of its own.

    Iteration t counts t times, in regrets as in the average (linear CFR).

    Parameters
    ----------
    game : Game
    key : (5,) int64
        The seed, and room for a stream.
    first, many : int
    regrets, sums, sigma : (m,) float64
        Regrets and strategies added up so far, and room for the strategy now.
    room : (2, n) int32
    value : (n,) float64
    """
    for t in range(first, first + many):
        for seat in range(2):
            open_stream(key[1:], key[0], t, SOLVING, TRAVERSING, seat)
            traverse(game, seat, t, key[1:], regrets, sums, sigma, room, value)
