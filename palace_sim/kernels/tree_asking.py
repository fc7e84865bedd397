"""Asking a policy for its moves at every information set of a tree that they lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from palace_sim.kernels import act
from palace_sim.kernels.engine import OK, fault
from palace_sim.kernels.jit import call_policy, inlined, kernel
from palace_sim.kernels.keeping import instead
from palace_sim.kernels.rng import SOLVING, open_stream
from palace_sim.kernels.state import ATTACK, KEEP, MEMO, RAISE, _record
from palace_sim.kernels.tree import Nodes, Room, go_down, lay_deal
from palace_sim.kernels.view import fill_view, reset_view

ASKING = 1  # index of the streams of policies that are asked, beside those of traversals (kernels/cfr.py)
DREW_AND_WROTE = -1  # result of `ask_all` beside OK and the faults of the engine

# What a policy is asked for (seat, seed, how often where it draws, the number of the first of these), and what came of
# it: whether it drew, whether it wrote its memo, and the node and the code of an illegal answer.
ASKS = _record("seat", "seed", "many", "first", "drew", "writes", "node", "code")


@inlined
def as_listed(state: Any, code: int) -> int:
    """Action code of a legal move as the tree lists it: least amounts as 0."""
    verb = act.verb_of(code)
    if verb == ATTACK and act.amount_of(code) <= state.price:
        return act.attack(act.target_of(code), 0)
    if verb == RAISE and act.amount_of(code) <= state.min_raise:
        return act.raise_(0)
    return code


@kernel
def ask_node(nodes: Nodes, node: int, slot: int, room: Room, depth: int, entry: Any, asks: Any, counts: Any) -> int:
    """Ask a policy at a node, as often as it takes where it draws, and count its moves; return OK or what is wrong."""
    state = room.states[depth]
    seat = state.to_act
    view = room.views[seat]
    times = 1
    done = 0
    while done < times:
        reset_view(view, entry.lasting)
        view.memo[:] = room.memo[depth]
        open_stream(view.stream, asks.seed, asks.first + done, SOLVING, slot, ASKING)
        drawn = view.stream[0]
        if state.phase == KEEP and entry.ask == 0:
            code = instead(state, seat)
        else:
            fill_view(view, state, seat)
            code = call_policy(entry.address, view)
        bad = fault(state, code)
        if bad != OK:
            asks.code = code
            return bad
        for k in range(MEMO):
            if view.memo[k] != room.memo[depth, k]:
                asks.writes = 1
        if view.stream[0] != drawn:
            asks.drew = 1
            times = asks.many
        if asks.drew and asks.writes:
            return DREW_AND_WROTE
        code = as_listed(state, code)
        for k in range(nodes.count[node]):
            if nodes.code[nodes.first[node] + k] == code:
                counts[slot + k] += 1
        done += 1
    room.memo[depth] = view.memo
    return OK


@kernel
def ask_all(blank: Any, deals: Any, nodes: Nodes, slots: Any, room: Room, entry: Any, asks: Any, counts: Any) -> int:
    """Ask a policy for its moves at every information set of a seat that these moves lead to.

    Parameters
    ----------
    blank, deals, nodes, room
        As for `grow`; the tree is there.
    slots : (n,) int32
        For each node the place of its first move in `counts`.
    entry : POLICY record
        The policy.
    asks : ASKS record
        Seat, seed, how often to ask where it draws; takes whether it drew, and where and how it failed.
    counts : (m,) int64
        How often each move was chosen; zeros.

    Returns
    -------
    int
        OK, a fault of the engine, or DREW_AND_WROTE.
    """
    for d in range(len(deals)):
        lay_deal(room.states[0], blank, deals[d])
        room.at[0] = 1 + d
        room.done[0] = 0
        room.memo[0] = 0
        depth, new = np.int64(0), True
        while depth >= 0:
            node = room.at[depth]
            own = nodes.player[node] == asks.seat
            if own and new:
                slot = slots[node]
                if counts[slot : slot + nodes.count[node]].sum() == 0 or asks.writes != 0:
                    counts[slot : slot + nodes.count[node]] = 0
                    bad = ask_node(nodes, node, slot, room, depth, entry, asks, counts)
                    if bad != OK:
                        asks.node = node
                        return bad
            while own and room.done[depth] < nodes.count[node] and counts[slots[node] + room.done[depth]] == 0:
                room.done[depth] += 1
            new = room.done[depth] < nodes.count[node]
            if new:
                go_down(nodes, room, depth)
                depth += 1
            else:
                depth -= 1
    return OK
