"""The full tree of a shrunken game of two, grown by walking the engine (R5 to R38).

A node is chance (the deal, or the card that a buy turns up), a decision, or an end. All children of a node stand in one
block after it, so a sweep from the first node to the last meets parents before children. What tells information sets
apart is a chain of 64 bits for each seat: over every view it was shown, at decisions of both seats, and every move it
made. So a seat forgets nothing that it saw or did: recall is perfect.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palace_sim.kernels import act
from palace_sim.kernels.deal import card_bit, list_cards, reshuffle
from palace_sim.kernels.engine import apply, start
from palace_sim.kernels.jit import JIT, copy_bytes, inlined, kernel, popcount
from palace_sim.kernels.rows import seat_net
from palace_sim.kernels.state import (
    ATTACK,
    BUY,
    CALL,
    DISCARD,
    FOLD,
    GOING_ON,
    KEEP,
    LINE,
    RAISE,
    STATE,
    STAY,
)
from palace_sim.kernels.view import LASTING_AT, fill_view

CHANCE, END = -1, -2  # beside the seats in `Nodes.player`
FULL_UP, NOT_ZERO, TOO_DEEP = -1, -2, -3  # results of `grow` beside the number of nodes
VIEW_WORDS = LASTING_AT // 8  # of a view, without parameters, memo and stream
STATE_SIZE = STATE.itemsize
assert STATE_SIZE % LINE == 0


class Nodes(NamedTuple):
    """Nodes of a tree; arrays of one length."""

    player: Any  # int8: the seat that decides, CHANCE or END
    parent: Any  # int32
    first: Any  # int32: the first child
    count: Any  # int32: how many children
    code: Any  # int64: how it came about: number of the deal, card id, or action code
    chance: Any  # float64: probability, where the parent is chance; else 1
    net: Any  # float64: net chips of seat 0 at an end (R37); else 0
    key: Any  # int64: the chain of the seat that decides


class Room(NamedTuple):
    """What a walk works in, a row for each node of the path."""

    states: Any  # STATE records
    chains: Any  # (depth, 2) int64
    at: Any  # int64: the node
    done: Any  # int64: children walked
    memo: Any  # (depth, MEMO) int64
    views: Any  # (2,) VIEW records
    words: Any  # (2, words) int64: the views again, as numbers


_ODD = 0x9E3779B97F4A7C15
_MIX = 0xBF58476D1CE4E5B9  # a multiplier of splitmix64 (Steele, Lea and Flood, 2014)

if JIT:
    _O, _M = np.uint64(_ODD), np.uint64(_MIX)

    @inlined
    def mix(chain: int, word: int) -> Any:
        """Put a word into a chain."""
        x = (np.uint64(chain) ^ np.uint64(word)) + _O
        x = (x ^ (x >> np.uint64(29))) * _M
        return np.int64(x ^ (x >> np.uint64(32)))

else:

    def mix(chain: int, word: int) -> int:
        """Put a word into a chain."""
        full = (1 << 64) - 1
        x = ((int(chain) ^ int(word)) + _ODD) & full
        x = ((x ^ (x >> 29)) * _MIX) & full
        x ^= x >> 32
        return x - (1 << 64) if x >> 63 else x


@kernel
def lay_deal(state: Any, blank: Any, deal: Any) -> None:
    """Begin the hand of a deal, given as dealer, two banners and two palaces, its draw pile without order."""
    copy_bytes(state, 0, blank, STATE_SIZE)
    state.dealer = deal[0]
    rest = state.deck
    for seat in range(2):
        state.players[seat].banner = deal[1 + seat]
        state.palace[seat] = deal[3 + seat]
        rest ^= card_bit(deal[1 + seat]) | state.palace[seat]
    state.draw_size = state.undrawn = list_cards(rest, state.pile)
    start(state)


@inlined
def turn_up(state: Any, card: int) -> None:
    """Put this card of the draw pile on its top; the others still have no order."""
    top = state.draw_size - 1
    for j in range(top):
        if state.pile[j] == card:
            state.pile[j] = state.pile[top]
            state.pile[top] = card
    state.undrawn = top  # so that the engine takes the top card as it lies


@kernel
def step(state: Any, player: int, code: int) -> None:
    """Go on to a child; a buy only lays out the draw pile (R13), its card is a child of its own."""
    if player != CHANCE and act.verb_of(code) == BUY:
        if state.draw_size == 0:
            reshuffle(state)
        return
    if player == CHANCE:
        turn_up(state, code)
        code = act.buy()
    apply(state, code)


@inlined
def add_amounts(codes: Any, n: int, verb: int, least: int, most: int) -> int:
    """List an attack on the other seat, or a raise, of every amount; 0 stands for the least, as in action codes."""
    for amount in range(least, most + 1):
        if n == len(codes):
            return FULL_UP
        said = 0 if amount == least else amount
        codes[n] = act.raise_(said) if verb == RAISE else act.attack(0, said)
        n += 1
    return n


@inlined
def add_subsets(codes: Any, n: int, soldiers: int, most: int, discard: bool) -> int:
    """List the ways to discard soldiers, or to keep at most so many; every subset once."""
    chosen = soldiers
    while True:
        if (discard and chosen != 0) or (not discard and popcount(chosen) <= most):
            if n == len(codes):
                return FULL_UP
            codes[n] = act.discard(chosen) if discard else act.keep(chosen)
            n += 1
        if chosen == 0:
            return n
        chosen = (chosen - 1) & soldiers


@kernel
def list_all(state: Any, codes: Any) -> int:
    """Write every legal move of the seat to act; return how many, or FULL_UP."""
    seat, legal, n = state.to_act, state.legal, 0
    player = state.players[seat]
    if state.phase == KEEP:
        return add_subsets(codes, 0, player.soldiers, state.rules.max_soldiers, False)
    if len(codes) < 4:
        return FULL_UP
    if legal >> STAY & 1:
        codes[n] = act.stay()
        n += 1
    if legal >> FOLD & 1:
        codes[n] = act.fold()
        n += 1
    if legal >> CALL & 1:
        codes[n] = act.call()
        n += 1
    if legal >> BUY & 1:
        codes[n] = act.buy()
        n += 1
    if n >= 0 and legal >> ATTACK & 1:
        before = n
        n = add_amounts(codes, n, ATTACK, state.price, player.chips if state.rules.no_limit else state.price)
        for k in range(before, n):
            codes[k] |= 1 - seat
    if n >= 0 and legal >> RAISE & 1:
        n = add_amounts(codes, n, RAISE, state.min_raise, state.max_raise)
    if n >= 0 and legal >> DISCARD & 1:
        n = add_subsets(codes, n, player.soldiers, 0, True)
    return n


@kernel
def show(state: Any, room: Room, depth: int) -> None:
    """Show both seats what they know, and put it into their chains."""
    for seat in range(2):
        fill_view(room.views[seat], state, seat)
        chain = room.chains[depth, seat]
        for k in range(VIEW_WORDS):
            chain = mix(chain, room.words[seat, k])
        room.chains[depth, seat] = chain


@kernel
def open_node(nodes: Nodes, node: int, n: int, room: Room, depth: int) -> int:
    """Write what a node is and list its children from row n on; return the number of nodes, FULL_UP or NOT_ZERO."""
    state = room.states[depth]
    nodes.first[node] = n
    nodes.count[node] = 0
    nodes.net[node] = 0.0
    nodes.key[node] = 0
    many = 0
    if nodes.player[nodes.parent[node]] != CHANCE and act.verb_of(nodes.code[node]) == BUY:
        nodes.player[node] = CHANCE
        many = state.draw_size
        if n + many > len(nodes.code):
            return FULL_UP
        nodes.code[n : n + many] = state.pile[:many]
    elif state.end != GOING_ON:
        nodes.player[node] = END
        nodes.net[node] = seat_net(state, 0)
        if seat_net(state, 0) + seat_net(state, 1) != 0:
            return NOT_ZERO
    else:
        nodes.player[node] = state.to_act
        show(state, room, depth)
        nodes.key[node] = room.chains[depth, state.to_act]
        many = list_all(state, nodes.code[n:])
        if many < 0:
            return FULL_UP
    for child in range(n, n + many):
        nodes.parent[child] = node
        nodes.chance[child] = 1.0 / many if nodes.player[node] == CHANCE else 1.0
    nodes.count[node] = many
    return n + many


@kernel
def go_down(nodes: Nodes, room: Room, depth: int) -> int:
    """Go from the node at this depth of the path to its next child, one deeper; return the child."""
    node = room.at[depth]
    child = nodes.first[node] + room.done[depth]
    room.done[depth] += 1
    player, code = nodes.player[node], nodes.code[child]
    copy_bytes(room.states[depth + 1], 0, room.states[depth], STATE_SIZE)
    step(room.states[depth + 1], player, code)
    room.chains[depth + 1] = room.chains[depth]
    room.memo[depth + 1] = room.memo[depth]
    if player >= 0:
        room.chains[depth + 1, player] = mix(room.chains[depth, player], code)
    room.at[depth + 1] = child
    room.done[depth + 1] = 0
    return child


@kernel
def grow(blank: Any, deals: Any, nodes: Nodes, room: Room, walked: Any) -> int:
    """Grow the tree below its first node, whose children, the deals, stand in rows 1 on; return how many nodes.

    Parameters
    ----------
    blank : STATE record
        Seats, deck and rules.
    deals : (D, 5) int64
        Dealer, banners and palaces of each deal.
    nodes : Nodes
        What is filled; the first 1 + D rows hold the deals.
    room : Room
        Room to work in.
    walked : (1,) int64
        Set to the number of deals walked, for messages.

    Returns
    -------
    int
        The number of nodes; FULL_UP where there are more than rows; NOT_ZERO where chips got lost (R37); TOO_DEEP
        where the room is too short.
    """
    n = 1 + len(deals)
    for d in range(len(deals)):
        walked[0] = d
        lay_deal(room.states[0], blank, deals[d])
        room.at[0] = 1 + d
        room.done[0] = 0
        room.chains[0, 0], room.chains[0, 1] = 0, 1
        n = open_node(nodes, 1 + d, n, room, np.int64(0))
        depth = np.int64(0)  # no literal, for which numba would compile all again
        while depth >= 0:
            if n < 0:
                return n
            if room.done[depth] == nodes.count[room.at[depth]]:
                depth -= 1
                continue
            if depth + 1 == len(room.at):
                return TOO_DEEP
            child = go_down(nodes, room, depth)
            depth += 1
            n = open_node(nodes, child, n, room, depth)
    return n
