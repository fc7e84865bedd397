"""What a tree is compared with: the slow referee over every order of the draw pile, brute force, a linear program."""

import itertools
import math

import numpy as np
import scipy.optimize
import scipy.sparse
from reference.referee import Referee

SCALE = 1000.0


def deals(deck, size, dealer):
    """Every deal of a deck (words) with its chance: `Referee`'s arguments but for rules and dealer."""
    for left in deck:
        others = [card for card in deck if card[1] != left[1]]
        for right in others:
            rest = [card for card in deck if card not in (left, right)]
            banners = [right, left] if dealer == 0 else [left, right]
            for first in itertools.combinations(rest, size):
                left_over = [card for card in rest if card not in first]
                for second in itertools.combinations(left_over, size):
                    pile = [card for card in left_over if card not in second]
                    ways = len(deck) * len(others) * math.comb(len(rest), size) * math.comb(len(left_over), size)
                    for order in itertools.permutations(pile):
                        chance = 1 / (ways * math.factorial(len(pile)))
                        yield banners, [list(first), list(second)], list(order), chance


def moves(hand):
    """Every legal move, as `(method name, arguments...)`; in limit amounts are left out."""
    soldiers = hand.soldiers[hand.to_act]
    subsets = [list(s) for n in range(len(soldiers) + 1) for s in itertools.combinations(soldiers, n)]
    if hand.phase == "keep":
        return [("keep", cards) for cards in subsets if len(cards) <= hand.rules["max_soldiers"]]
    listed = []
    for verb in sorted(hand.legal()):
        if verb == "discard":
            listed += [("discard", cards) for cards in subsets if cards]
        elif verb == "attack":
            listed += [("attack", target) for target in hand.targets]
        else:
            listed.append(("raise_",) if verb == "raise" else (verb,))
    return listed


def mean_net(rules, deck, size, dealer, choose):
    """Mean net of seat 0 when `choose(hand)` says what is done: a list of (chance, move)."""

    def walk(setup, before):
        hand = Referee(rules, *setup, dealer)
        for name, *arguments in before:
            getattr(hand, name)(*arguments)
        if hand.phase == "over":
            return hand.nets[0]
        return sum(chance * walk(setup, [*before, move]) for chance, move in choose(hand))

    return sum(chance * walk(setup, []) for *setup, chance in deals(deck, size, dealer))


def uniform(hand):
    listed = moves(hand)
    return [(1 / len(listed), move) for move in listed]


def sequences(tree):
    """For every node the last slot of each seat before it (-1: none) and the chance of the cards, one by one."""
    game = tree.game
    last, cards = [(-1, -1)] * tree.nodes, [1.0] * tree.nodes
    for node in range(tree.nodes):
        for k in range(game.count[node]):
            child, seat = game.first[node] + k, int(game.player[node])
            cards[child] = cards[node] * game.chance[child]
            pair = list(last[node])
            if seat >= 0:
                pair[seat] = int(game.slot[node] + k)
            last[child] = tuple(pair)
    return last, cards


def realization(tree, seat, last):
    """Rows `E x = e` that realization plans of a seat fulfil, over 1 + slots numbers (von Stengel, 1996)."""
    game = tree.game
    rows = [(0, 0, 1.0)]
    n = 1
    for s in range(tree.information_sets):
        if game.owner[s] == seat:
            rows.append((n, 1 + last[game.head[s]][seat], -1.0))
            rows += [(n, 1 + k, 1.0) for k in range(game.begin[s], game.begin[s + 1])]
            n += 1
    i, j, x = zip(*rows, strict=True)
    return scipy.sparse.csr_array((x, (i, j)), shape=(n, 1 + tree.slots)), np.eye(1, n)[0]


def payoffs(tree, last, cards):
    """Matrix of what seat 0 gets at ends, by the sequences of both seats."""
    ends = np.flatnonzero(tree.game.count == 0)
    i, j = ([1 + last[end][seat] for end in ends] for seat in range(2))
    x = [cards[end] * tree.game.net[end] for end in ends]
    return scipy.sparse.csr_array((x, (i, j)), shape=(1 + tree.slots, 1 + tree.slots))


def game_value(tree):
    """Value of the game by a linear program in sequence form (Koller, Megiddo and von Stengel, 1996), and its error.

    HiGHS lets a row be off by 1e-7 (primal and dual); a plan weighs each row by at most 1, and there are as many rows
    that matter as information sets. With payoffs scaled up that is nothing.
    """
    last, cards = sequences(tree)
    (e_rows, e), (f_rows, f) = (realization(tree, seat, last) for seat in range(2))
    paid = payoffs(tree, last, cards) * SCALE
    # most of f·q over plans x of seat 0 with F'q <= A'x
    matrix = scipy.sparse.hstack([-paid.T, f_rows.T]).tocsr()
    equal = scipy.sparse.hstack([e_rows, scipy.sparse.csr_array((len(e), len(f)))]).tocsr()
    bounds = [(0, None)] * (1 + tree.slots) + [(None, None)] * len(f)
    goal = np.concatenate([np.zeros(1 + tree.slots), -f])
    found = scipy.optimize.linprog(goal, matrix, np.zeros(1 + tree.slots), equal, e, bounds, method="highs")
    assert found.status == 0, found.message
    return -found.fun / SCALE, 2 * 1e-7 * (1 + tree.information_sets) / SCALE


def response_value(tree, sigma, seat):
    """Most that a seat gets against a strategy of the other, from the first decision on: max over moves, set by set."""
    game, sign = tree.game, 1 if seat == 0 else -1

    def best(weighted):
        """Most from nodes that the seat reaches together, each with the chance of the others' doing."""
        total, sets = 0.0, {}
        while weighted:
            node, chance = weighted.pop()
            children = range(game.first[node], game.first[node] + game.count[node])
            if game.player[node] == seat:
                sets.setdefault(int(tree.sets[node]), []).append((node, chance))
            elif len(children) == 0:
                total += sign * chance * game.net[node]
            else:
                for k, child in enumerate(children):
                    told = game.chance[child] if game.player[node] == -1 else sigma[game.slot[node] + k]
                    weighted.append((child, chance * told))
        for nodes in sets.values():
            many = int(game.count[nodes[0][0]])
            total += max(best([(game.first[node] + k, chance) for node, chance in nodes]) for k in range(many))
        return total

    return best([(0, 1.0)])
