"""The betting tree of an end game, grown by the engine from what the rules leave open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from palace_sim.hand import Hand
from palace_sim.kernels.state import BUY, TURN

# In this order at every node. Buying and discarding are left out; so is folding on a turn: who stays pays nothing, may
# still fold when attacked, and so never has less. Neither the value nor what a best response gains is changed by that.
VERBS = {True: ("fold", "call", "raise"), False: ("stay", "attack")}  # by whether there is a battle
FOLD, BATTLE, SHOWDOWN = range(3)  # how a hand ends: nobody compares, by R24 and R25, by R33
MOST_SLOTS = 400


@dataclass(frozen=True)
class Node:
    """A decision of a side.

    Attributes
    ----------
    side : int
        0 or 1, the seats in ascending order.
    path : tuple of str
        Moves from the beginning.
    verbs : tuple of str
        What is open.
    first : int
        The side's first slot here.
    parent, foe : int
        Last slot before, of this side and of the other; -1 for none.
    public : tuple of int
        What tells the node apart for everybody: in battle or not (0/1), seats that have passed, attacker, raises, pot.
    """

    side: int
    path: tuple[str, ...]
    verbs: tuple[str, ...]
    first: int
    parent: int
    foe: int
    public: tuple[int, ...]

    @property
    def name(self) -> str:
        return " ".join(self.path) or "start"


@dataclass(frozen=True)
class Ending:
    """An end of the hand.

    Attributes
    ----------
    kind : int
        FOLD, BATTLE or SHOWDOWN.
    slots : (int, int)
        Last slot of each side, -1 for none.
    chips : pair of (int, int, int)
        What each side has from the beginning on where it wins, ties and loses; after a fold all alike.
    """

    kind: int
    slots: tuple[int, int]
    chips: tuple[tuple[int, int, int], tuple[int, int, int]]


@dataclass
class Tree:
    """All nodes, parents before children, and all endings of an end game."""

    seats: tuple[int, int]
    nodes: list[Node] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    slots: list[int] = field(default_factory=lambda: [0, 0])

    def of(self, side: int) -> list[Node]:
        """Return the nodes of a side."""
        return [node for node in self.nodes if node.side == side]


def grow(hand: Hand) -> Tree:
    """Grow the tree of an end game from a hand of two.

    Raises
    ------
    ValueError
        Buying is open at some node, or the tree is too large.
    """
    seats = [seat for seat in range(hand.seats) if hand.record.players[seat].active]
    tree = Tree((seats[0], seats[1]))
    paid = [int(hand.record.players[seat].paid) for seat in seats]
    # depth first, by hand: a thousand raises would be too many calls within calls
    waiting: list[tuple[Hand, tuple[int, int], tuple[str, ...]]] = [(hand.copy(), (-1, -1), ())]
    while waiting:
        at, slots, path = waiting.pop()
        if at.over:
            tree.endings.append(_ending(at, tree.seats, paid, slots, path[-1]))
            continue
        node = _node(at, tree, slots, path)
        tree.nodes.append(node)
        tree.slots[node.side] += len(node.verbs)
        if max(tree.slots) > MOST_SLOTS:
            raise ValueError(f"max_raises={hand.rules.max_raises} makes the tree too large: take fewer raises")
        for k in reversed(range(len(node.verbs))):
            last = (node.first + k, slots[1]) if node.side == 0 else (slots[0], node.first + k)
            waiting.append((_moved(at, node.verbs[k], tree.seats[1 - node.side]), last, (*path, node.verbs[k])))
    return tree


def _node(hand: Hand, tree: Tree, slots: tuple[int, int], path: tuple[str, ...]) -> Node:
    state: Any = hand.record
    side = tree.seats.index(int(state.to_act))
    if state.legal >> BUY & 1:
        raise ValueError(
            f"hand: seat {tree.seats[side]} may still buy, and an end game has no more buying: "
            f"take Rules(max_buys=0), or a hand in which all buys are used up"
        )
    legal = hand.legal()
    battle = int(state.phase != TURN)
    verbs = tuple(verb for verb in VERBS[bool(battle)] if verb in legal)
    public = (battle, int(state.passed), int(state.attacker), int(state.raises), int(state.pot))
    return Node(side, path, verbs, tree.slots[side], slots[side], slots[1 - side], public)


def _moved(hand: Hand, verb: str, foe: int) -> Hand:
    after = hand.copy()
    if verb == "attack":
        return after.attack(foe)
    return after.raise_() if verb == "raise" else getattr(after, verb)()


def _ending(hand: Hand, seats: tuple[int, int], paid: list[int], slots: tuple[int, int], last: str) -> Ending:
    """Say what an ending is worth whoever is stronger; the palaces that the hand was dealt decide nothing here."""
    state: Any = hand.record
    pot = int(state.final_pot)
    costs = [int(state.players[seat].paid) - before for seat, before in zip(seats, paid, strict=True)]
    if last == "fold":
        won = [int(state.tally[seat].won) - cost for seat, cost in zip(seats, costs, strict=True)]
        return Ending(FOLD, slots, ((won[0],) * 3, (won[1],) * 3))
    kind = SHOWDOWN if last == "stay" and not state.rules.last_two_battle else BATTLE
    nearest = min((0, 1), key=lambda k: (seats[k] - int(state.dealer) - 1) % hand.seats)  # an odd chip is its (R35)
    ties = [pot // 2 + (pot % 2 if k == nearest else 0) for k in (0, 1)]
    chips = [(pot - costs[k], ties[k] - costs[k], -costs[k]) for k in (0, 1)]
    return Ending(kind, slots, (chips[0], chips[1]))
