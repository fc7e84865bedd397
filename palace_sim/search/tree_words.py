"""Information sets of a tree in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from palace_sim.cards import format_cards, set_cards
from palace_sim.kernels import act
from palace_sim.kernels import cfr as solving
from palace_sim.kernels.state import ATTACK, CALL, DISCARD, KEEP_CARDS, RAISE, VERBS
from palace_sim.kernels.tree import CHANCE

if TYPE_CHECKING:
    from palace_sim.search.tree import Tree


def move_words(code: int) -> str:
    """Say what a move is; amounts only where they are not the least.

    Examples
    --------
    >>> move_words(act.keep("9h Ks"))
    'keep 9h Ks'
    """
    verb = int(act.verb_of(code))
    if verb in (DISCARD, KEEP_CARDS):
        return f"{VERBS[verb]} {format_cards(set_cards(int(act.cards_of(code)))) or 'nothing'}"
    amount = int(act.amount_of(code)) if verb in (ATTACK, RAISE) else 0
    return f"{VERBS[verb]} {amount}" if amount else VERBS[verb]


def paths(tree: Tree) -> list[str]:
    """For every node what everybody saw happen before it, as "1 stay, 0 buy 9h, 0 keep 9h"."""
    game, said = tree.game, [""] * tree.nodes
    words: dict[int, str] = {}
    for node in range(tree.nodes):
        player, before = int(game.player[node]), said[node]
        for child in range(game.first[node], game.first[node] + game.count[node]):
            code = int(tree.codes[child])
            if node == 0:
                continue
            if player == CHANCE:
                said[child] = f"{before} {format_cards([code])}"
            else:
                move = words.setdefault(code, move_words(code))
                said[child] = f"{before}, {player} {move}" if before else f"{player} {move}"
    return said


def phase_of(code: int) -> str:
    """Phase in which a move is made, for the moves of one phase only; else "turn"."""
    verb = int(act.verb_of(code))
    return "keep" if verb == KEEP_CARDS else ("respond" if verb in (CALL, RAISE) else "turn")


def deal_of(tree: Tree, node: int) -> np.ndarray:
    """The deal that a node belongs to."""
    while tree.parents[node] != 0:
        node = int(tree.parents[node])
    deal: np.ndarray = tree.deals[int(tree.codes[node])]
    return deal


def table_of(tree: Tree, sigma: np.ndarray) -> pd.DataFrame:
    """Write every information set and its moves, a row a move; columns as in `Tree.table`."""
    game, said = tree.game, paths(tree)
    own, others = np.empty(tree.nodes), np.empty(tree.nodes)
    solving.sweep_down(game, sigma, 0, own, others)
    inner = tree.sets >= 0
    reach = np.bincount(tree.sets[inner], (own * others)[inner], minlength=tree.information_sets)
    rows = []
    for s in range(tree.information_sets):
        head, seat = int(game.head[s]), int(game.owner[s])
        deal = deal_of(tree, head)
        codes = [int(code) for code in tree.codes[game.first[head] : game.first[head] + game.count[head]]]
        phase = max(map(phase_of, codes), key=lambda word: word != "turn")
        about = (
            s,
            seat,
            int(deal[0]),
            format_cards([int(deal[1 + seat])]),
            format_cards([int(deal[2 - seat])]),
            format_cards(set_cards(int(deal[3 + seat]))),
            said[head],
            phase,
        )
        for k, code in enumerate(codes):
            rows.append((*about, move_words(code), float(sigma[game.begin[s] + k]), float(reach[s])))
    names = ["information_set", "seat", "dealer", "banner", "foe_banner", "palace", "history", "phase"]
    return pd.DataFrame(rows, columns=[*names, "move", "probability", "reach"])
