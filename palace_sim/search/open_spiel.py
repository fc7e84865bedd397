"""A tree for other libraries: as a text in Gambit's extensive form, and as a game of OpenSpiel (extra ``bench``).

M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019. Gambit's format is described at
gambitproject.readthedocs.io ("The extensive game (.efg) file format").
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from palace_sim.cards import format_cards
from palace_sim.kernels.tree import CHANCE, END
from palace_sim.search.tree import Tree
from palace_sim.search.tree_words import move_words


def to_efg(tree: Tree, title: str = "Palace Poker") -> str:
    """Write a tree in Gambit's extensive form (.efg), which Gambit and OpenSpiel read.

    Information sets are named by their numbers in `Tree.table`; payoffs are net chips.

    Examples
    --------
    >>> from palace_sim import Rules, search
    >>> tree = search.build_tree(Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, max_raises=0), dealer=0)
    >>> print(to_efg(tree).splitlines()[0])
    EFG 2 R "Palace Poker" { "seat 0" "seat 1" }
    """
    game, lines = tree.game, [f'EFG 2 R "{title}" {{ "seat 0" "seat 1" }}', '""']
    words: dict[int, str] = {}
    numbers = np.where(game.owner == 0, np.cumsum(game.owner == 0), np.cumsum(game.owner == 1))  # from 1, for each seat
    path = [0]
    while path:
        node = path.pop()
        player, block = int(game.player[node]), slice(game.first[node], game.first[node] + game.count[node])
        codes = [int(code) for code in tree.codes[block]]
        if player == END:
            net = int(game.net[node])
            lines.append(f't "" {node + 1} "{node}" {{ {net} {-net} }}')
            continue
        if player == CHANCE:
            labels = [f"deal {code}" if node == 0 else format_cards([code]) for code in codes]
            chances = [Fraction(1, round(1 / chance)) for chance in game.chance[block]]  # 1 / a whole number, each
            listed = " ".join(f'"{label}" {chance}' for label, chance in zip(labels, chances, strict=True))
            lines.append(f'c "" {node + 1} "{node}" {{ {listed} }} 0')
        else:
            listed = " ".join(f'"{words.setdefault(code, move_words(code))}"' for code in codes)
            name = int(tree.sets[node])
            lines.append(f'p "" {player + 1} {numbers[name]} "{name}" {{ {listed} }} 0')
        path.extend(reversed(range(block.start, block.stop)))
    return "\n".join(lines) + "\n"


def as_open_spiel(tree: Tree) -> Any:
    """Load a tree as a game of OpenSpiel, for its algorithms.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    pyspiel.Game

    Raises
    ------
    ImportError
        OpenSpiel is not installed: ``pip install 'palace_sim[bench]'``.
    """
    try:
        import pyspiel
    except ImportError:
        raise ImportError("as_open_spiel needs OpenSpiel: pip install 'palace_sim[bench]'") from None
    return pyspiel.load_efg_game(to_efg(tree))


def open_spiel_policy(tree: Tree, game: Any, strategy: Any) -> Any:
    """Write a strategy of a tree as a policy of its game of OpenSpiel.

    Parameters
    ----------
    tree : Tree
    game : pyspiel.Game
        From `as_open_spiel`.
    strategy : Solution or strategy
        As `Tree.check_strategy` takes it.

    Returns
    -------
    open_spiel.python.policy.TabularPolicy
    """
    from open_spiel.python import policy

    sigma, begin = tree.check_strategy(strategy), tree.game.begin
    table = policy.TabularPolicy(game)
    for state in table.states:
        key, player = state.information_state_string(), state.current_player()
        number = int(key.rsplit("-", 1)[1])
        head = tree.game.head[number]
        block = slice(tree.game.first[head], tree.game.first[head] + tree.game.count[head])
        labels = [move_words(int(code)) for code in tree.codes[block]]
        row = table.policy_for_key(key)
        row[:] = 0.0
        for action in state.legal_actions():
            row[action] = sigma[begin[number] + labels.index(state.action_to_string(player, action))]
    return table
