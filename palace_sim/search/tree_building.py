"""`build_tree`: a shrunken game of two as a full tree, walked out through the engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from palace_sim.arguments import whole
from palace_sim.cards import card_set
from palace_sim.kernels import tree as kernels
from palace_sim.kernels.cfr import Game
from palace_sim.kernels.tree import CHANCE, FULL_UP, Nodes
from palace_sim.rules import Rules, as_rules
from palace_sim.search.tree import Tree
from palace_sim.search.tree_room import depth_of, new_blank, new_room

MOST_NODES = 1 << 30
MOST_DEPTH = 400  # of a tree; each step of a path takes a state of the engine


def count_deals(rules: Rules, dealer: int | None) -> int:
    """How many different deals of a game of two there are: banners of two suits, two palaces, the dealer.

    Examples
    --------
    Of two suits of two cards: 4 · 2 pairs of banners, and 2 · 1 palaces of one card.

    >>> count_deals(Rules(deck="2c 3c 2d 3d", palace_cards=1), dealer=0)
    16
    """
    cards, size = rules.deck_cards, rules.palace_cards
    pairs = sum(a % 4 != b % 4 for a in cards for b in cards)
    left = len(cards) - 2
    return pairs * math.comb(left, size) * math.comb(left - size, size) * (2 if dealer is None else 1)


def _deals(rules: Rules, dealer: int | None) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield every deal with its probability (R4, R6, R8)."""
    cards, size = rules.deck_cards, rules.palace_cards
    dealers = [0, 1] if dealer is None else [dealer]  # R4 is fair: each as likely
    for who in dealers:
        for left, right in itertools.product(cards, cards):  # banner of the dealer's left comes first
            if left % 4 == right % 4:
                continue
            others = sum(card % 4 != left % 4 for card in cards)  # R6: whatever suit is taken is set aside
            rest = [card for card in cards if card not in (left, right)]
            ways = len(dealers) * len(cards) * others * math.comb(len(rest), size) * math.comb(len(rest) - size, size)
            banners = (right, left) if who == 0 else (left, right)
            for first in itertools.combinations(rest, size):
                for second in itertools.combinations([card for card in rest if card not in first], size):
                    yield (who, *banners, card_set(first), card_set(second)), 1 / ways


def _new_nodes(rows: int) -> Nodes:
    kinds = (np.int8, np.int32, np.int32, np.int32, np.int64, np.float64, np.float64, np.int64)
    return Nodes(*(np.empty(rows, kind) for kind in kinds))


_SHRINK = "a smaller deck, palace_cards=1, max_buys=0 or 1, smaller max_soldiers, max_raises or max_turns"


def build_tree(rules: Rules | None = None, dealer: int | None = None, max_nodes: int = 2_000_000) -> Tree:
    """Walk out the full tree of a shrunken game of two, through the engine.

    Chance nodes are the deal and the card that each buy turns up; in no limit every whole amount is a move. An
    information set is all that a seat was shown, at the decisions of both seats, and all that it did: nothing is
    forgotten.

    Parameters
    ----------
    rules : Rules, optional
        Rules of a small game: a deck of 4 to 8 cards, ``palace_cards=1``, ``max_buys=1`` and so on.
    dealer : int, optional
        Seat of the dealer, 0 or 1; None where it is drawn for (R4), which makes the game symmetric and its value 0.
    max_nodes : int
        Most nodes, 60 bytes each while the tree grows.

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        The rules are refused, or the tree is too large; says how large and what makes it smaller.

    Examples
    --------
    >>> from palace_sim import Rules, search
    >>> rules = Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, max_raises=0)
    >>> search.build_tree(rules, dealer=0)
    <Tree: 16 deals, 177 nodes, 64 information sets>
    """
    rules = as_rules(rules)
    rules.check_seats(2)
    dealer = None if dealer is None else whole("dealer", dealer, 0, 1, "None or a seat")
    max_nodes = whole("max_nodes", max_nodes, 1, MOST_NODES, "a number of nodes")
    many, depth = count_deals(rules, dealer), depth_of(rules)
    if many >= max_nodes:
        raise ValueError(
            f"these rules have {many:,} deals, max_nodes is {max_nodes:,}: the tree grows too large; use {_SHRINK}"
        )
    if depth > MOST_DEPTH:
        raise ValueError(
            f"a hand by these rules can take {depth:,} steps, a tree at most {MOST_DEPTH}: pass max_buys=1 "
            "(or a smaller max_turns or max_raises)"
        )
    listed = list(_deals(rules, dealer))
    deals = np.array([deal for deal, _ in listed], np.int64)
    nodes = _new_nodes(max_nodes)
    nodes.player[0], nodes.parent[0], nodes.first[0], nodes.count[0] = CHANCE, -1, 1, many
    nodes.code[0], nodes.chance[0], nodes.net[0], nodes.key[0] = -1, 1.0, 0.0, 0
    nodes.parent[1 : many + 1] = 0
    nodes.code[1 : many + 1] = np.arange(many)
    nodes.chance[1 : many + 1] = [chance for _, chance in listed]
    walked = np.zeros(1, np.int64)
    n = int(kernels.grow(new_blank(rules), deals, nodes, new_room(depth), walked))
    if n == FULL_UP:
        done = int(walked[0])
        guess = f"about {max_nodes * many / done:,.0f}" if done else f"far more than {max_nodes:,}"
        raise ValueError(
            f"the tree of these rules has {guess} nodes ({many:,} deals of {len(rules.deck_cards)} cards), "
            f"max_nodes is {max_nodes:,}: use {_SHRINK}, or pass a larger max_nodes"
        )
    if n < 0:  # said instead of a wrong tree
        raise RuntimeError(f"the tree cannot be grown (fault {n}); please report these rules")
    return finish(rules, dealer, deals, Nodes(*(array[:n] for array in nodes)))


def finish(rules: Rules, dealer: int | None, deals: np.ndarray, nodes: Nodes) -> Tree:
    """Put the nodes in order of depth and number the information sets; check that recall is perfect."""
    depth = _depths(nodes)
    order = np.argsort(depth, kind="stable")  # children stay in one block
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    nodes = Nodes(*(array[order] for array in nodes))
    ends = nodes.count == 0
    first = np.where(ends, 0, place[np.where(ends, 0, nodes.first)]).astype(np.int32)
    parent = place[nodes.parent]
    parent[0] = -1
    levels = np.searchsorted(depth[order], np.arange(depth.max() + 2)).astype(np.int64)
    decisions = np.flatnonzero(nodes.player >= 0)
    _, at, which = np.unique(nodes.key[decisions], return_index=True, return_inverse=True)
    rank = np.empty(len(at), np.int32)
    by_first = np.argsort(at)
    rank[by_first] = np.arange(len(at), dtype=np.int32)  # sets are numbered as their first nodes
    sets = np.full(len(order), -1, np.int32)
    sets[decisions] = rank[which]
    head = decisions[at[by_first]].astype(np.int32)
    begin = np.concatenate([[0], np.cumsum(nodes.count[head])]).astype(np.int64)
    slot = np.where(sets < 0, -1, begin[sets]).astype(np.int32)
    game = Game(
        player=nodes.player,
        first=first,
        count=nodes.count,
        slot=slot,
        chance=nodes.chance,
        upto=_added_up(nodes.chance, first, nodes),
        net=nodes.net,
        levels=levels,
        begin=begin,
        owner=nodes.player[head],
        head=head,
    )
    tree = Tree(rules, dealer, deals, game, parent, nodes.code, sets)
    check_recall(tree)
    return tree


def _depths(nodes: Nodes) -> np.ndarray:
    """Depth of every node; the path of each is followed up in steps that double."""
    up = nodes.parent.copy()
    up[0] = 0
    depth = (np.arange(len(up)) > 0).astype(np.int64)
    while up.any():
        depth = depth + depth[up]
        up = up[up]
    return depth


def _added_up(chance: np.ndarray, first: np.ndarray, nodes: Nodes) -> np.ndarray:
    """Chances added up over the siblings before each node and itself, in order."""
    upto = np.ones(len(chance))
    for node in np.flatnonzero(nodes.player == CHANCE):
        block = slice(first[node], first[node] + nodes.count[node])
        upto[block] = np.cumsum(chance[block])
    return upto


def check_recall(tree: Tree) -> None:
    """Raise unless nodes of one set have one seat, one list of moves, and one way of own moves to them.

    It cannot happen but by two chains of 64 bits being equal by accident, about once in 10^7 trees of a million sets.
    """
    game, sets = tree.game, tree.sets
    last = np.full((tree.nodes, 2), -1, np.int64)  # the last slot of each seat before a node
    for low, high in itertools.pairwise(game.levels[1:]):
        up = tree.parents[low:high]
        last[low:high] = last[up]
        rows = np.flatnonzero(game.player[up] >= 0)
        nodes = low + rows
        last[nodes, game.player[up[rows]]] = game.slot[up[rows]] + nodes - game.first[up[rows]]
    inner = np.flatnonzero(sets >= 0)
    head = game.head[sets[inner]]
    same = (game.player[inner] == game.player[head]) & (game.count[inner] == game.count[head])
    same &= last[inner, game.player[inner]] == last[head, game.player[head]]
    for k in range(int(game.count[inner].max(initial=0))):
        has = np.flatnonzero(same & (game.count[inner] > k))
        same[has] &= tree.codes[game.first[inner[has]] + k] == tree.codes[game.first[head[has]] + k]
    if not same.all():
        raise RuntimeError("two information sets got one number; please report these rules")
