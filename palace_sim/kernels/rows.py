"""Rows of the tables, written column by column while hands are played.

A table is a few matrices, one for each width of its numbers; a row of a matrix is a column of the table, so a DataFrame
is made of them without copying.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palace_sim.kernels.jit import inlined

# Columns of each matrix, in order. Deals may be more than 2^31, and people square nets: those are int64.
SEAT_LONGS = ("deal", "net")
SEAT_INTS = (
    "lineup",
    "policy",
    "won",
    "paid_ante",
    "paid_buy",
    "paid_attack",
    "paid_call",
    "paid_raise",
    "turns",
    "buys",
)
SEAT_BYTES = (
    "rotation",
    "seat",
    "position",
    "outcome",
    "end",
    "attacks",
    "defences",
    "battles_won",
    "battles_lost",
    "battles_folded",
)
BATTLE_INTS = ("lineup", "turn", "attacker_price", "defender_price", "pot", "raises")
BATTLE_BYTES = (
    "rotation",
    "attacker",
    "defender",
    "attacker_soldiers",
    "defender_soldiers",
    "attacker_usable",
    "defender_usable",
    "end",
    "winner",
)
BATTLE_LONGS = ("deal",)
DEAL_LONGS = ("deal", "net")
DEAL_INTS = ("lineup", "policy", "hands")


class Rows(NamedTuple):
    """Where rows are written to; matrices without columns where none are wanted."""

    seat_longs: Any  # (len(SEAT_LONGS), n) int64
    seat_ints: Any  # (len(SEAT_INTS), n) int32
    seat_bytes: Any  # (len(SEAT_BYTES), n) int8
    battle_longs: Any  # (len(BATTLE_LONGS), m) int64
    battle_ints: Any  # (len(BATTLE_INTS), m) int32
    battle_bytes: Any  # (len(BATTLE_BYTES), m) int8
    deal_longs: Any  # (len(DEAL_LONGS), k) int64
    deal_ints: Any  # (len(DEAL_INTS), k) int32


def empty_rows(seats: int, battles: int, deals: int) -> Rows:
    """Return room for so many rows of each table."""
    return Rows(
        np.empty((len(SEAT_LONGS), seats), np.int64),
        np.empty((len(SEAT_INTS), seats), np.int32),
        np.empty((len(SEAT_BYTES), seats), np.int8),
        np.empty((len(BATTLE_LONGS), battles), np.int64),
        np.empty((len(BATTLE_INTS), battles), np.int32),
        np.empty((len(BATTLE_BYTES), battles), np.int8),
        np.empty((len(DEAL_LONGS), deals), np.int64),
        np.empty((len(DEAL_INTS), deals), np.int32),
    )


@inlined
def seat_net(state: Any, seat: int) -> int:
    """Net chips of a seat: won less paid, returned chips taken off (R37)."""
    tally = state.tally[seat]
    paid = tally.paid_ante + tally.paid_buy + tally.paid_attack + tally.paid_call + tally.paid_raise
    return tally.won - paid


@inlined
def write_seat(work: Any, rows: Rows, seat: int, position: int) -> None:
    """Write the row of a seat in a finished hand, in the order of SEAT_LONGS, SEAT_INTS and SEAT_BYTES."""
    state, k = work.state, work.seat_rows
    tally, player = state.tally[seat], state.players[seat]
    work.seat_rows = k + 1
    rows.seat_longs[0, k], rows.seat_longs[1, k] = work.deal, seat_net(state, seat)
    ints, small = rows.seat_ints, rows.seat_bytes
    ints[0, k], ints[1, k], ints[2, k] = work.lineup, work.policy[seat], tally.won
    ints[3, k], ints[4, k] = tally.paid_ante, tally.paid_buy
    ints[5, k], ints[6, k], ints[7, k] = tally.paid_attack, tally.paid_call, tally.paid_raise
    ints[8, k], ints[9, k] = tally.turns, player.buys
    small[0, k], small[1, k], small[2, k] = work.rotation, seat, position
    small[3, k], small[4, k] = tally.outcome, state.end
    small[5, k], small[6, k] = player.attacks, player.defences
    small[7, k], small[8, k], small[9, k] = tally.battles_won, tally.battles_lost, tally.battles_folded


@inlined
def write_battle(work: Any, rows: Rows, battle: Any) -> None:
    """Write the row of a battle, in the order of BATTLE_INTS and BATTLE_BYTES."""
    k = work.battle_rows
    work.battle_rows = k + 1
    rows.battle_longs[0, k] = work.deal
    ints, small = rows.battle_ints, rows.battle_bytes
    ints[0, k], ints[1, k] = work.lineup, battle.turn
    ints[2, k], ints[3, k] = battle.attacker_price, battle.defender_price
    ints[4, k], ints[5, k] = battle.pot, battle.raises
    small[0, k], small[1, k], small[2, k] = work.rotation, battle.attacker, battle.defender
    small[3, k], small[4, k] = battle.attacker_soldiers, battle.defender_soldiers
    small[5, k], small[6, k] = battle.attacker_usable, battle.defender_usable
    small[7, k], small[8, k] = 1 - battle.folded, battle.winner


@inlined
def write_hand(work: Any, rows: Rows, seats: int) -> None:
    """Write the rows of a finished hand: a row a seat, a row a battle."""
    position = seats - 1 - work.state.dealer  # of seat 0, counted from the dealer's left
    for seat in range(seats):
        write_seat(work, rows, seat, position)
        position = 0 if position + 1 == seats else position + 1
    for i in range(work.state.battles):
        write_battle(work, rows, work.battles[i])


@inlined
def write_lineup(work: Any, rows: Rows, job: Any, lineup: Any) -> None:
    """Write the rows of a line-up in a deal: a row a policy, over all rotations."""
    for i in range(job.seats):
        net, hands, first = 0, 0, i
        for j in range(job.seats):
            if lineup[j] == lineup[i]:
                first = min(first, j)
                net += work.net[j]
                hands += job.rotations
        if first == i:
            k = work.deal_rows
            work.deal_rows = k + 1
            rows.deal_longs[0, k], rows.deal_longs[1, k] = work.deal, net
            rows.deal_ints[0, k], rows.deal_ints[1, k], rows.deal_ints[2, k] = work.lineup, lineup[i], hands
