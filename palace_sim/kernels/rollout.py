"""Rollouts: playing a hand on from a decision, once a move and sample of the hidden cards, with common random numbers.

Sample s of a position has the cards and the choice streams of deal s of a run that plays on from it
(`play(start=..., known_to=...)`), whatever the move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palace_sim.kernels.deal import card_bit
from palace_sim.kernels.engine import OK
from palace_sim.kernels.jit import copy_bytes, inlined, kernel, popcount, record_maker
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.moves import MOST_MOVES, list_moves
from palace_sim.kernels.play import (
    GREATEST,
    JOB,
    POLICY,
    STATE_SIZE,
    TOO_MANY_CHIPS,
    WORK,
    add_product,
    play_hand,
    prepare_hand,
)
from palace_sim.kernels.rng import CHOICE, SAMPLING, next_bits, open_stream, uniform
from palace_sim.kernels.rows import seat_net
from palace_sim.kernels.state import _record
from palace_sim.kernels.view import PUBLIC_SIZE
from palace_sim.rules import MAX_SEATS

NO_PALACES = -2  # result of `roll_block`: no combination of palaces was found
TRIES = 1_000_000  # draws of the ranged palaces that may fail, one after the other


class Ranged(NamedTuple):
    """Ranges of seats, one after the other."""

    seats: Any  # (r,) int64
    starts: Any  # (r + 1,) int64: where in `cards` the palaces of each begin
    cards: Any  # (n,) int64: palaces as card sets
    sums: Any  # (n,) float64: sums of the weights of a range so far


@inlined
def begin_sample(work: Any, job: Any, sample: int) -> None:
    """Set up the position of a sample, and the stream that its hidden cards are drawn from."""
    work.deal = sample
    copy_bytes(work.dealt, 0, work.blank, STATE_SIZE)
    work.dealt.seed, work.dealt.deal = job.seed, sample
    open_stream(work.dealt.stream, job.seed, sample, SAMPLING, 0, 0)


@inlined
def draw_sample(work: Any, job: Any, given: int) -> None:
    """Draw the hidden cards of a sample around the palaces that are given, and open the seats' choices."""
    redraw(work.dealt, job.known_to, given)
    for seat in range(job.seats):
        open_stream(work.streams[seat], job.seed, work.deal, CHOICE, seat, 0)


@kernel
def draw_ranged(state: Any, ranged: Ranged) -> int:
    """Draw the palaces of the seats that have ranges; return these seats, -1 where no combination was found.

    Each combination that shares no card is as likely as the product of its weights: all are drawn anew as soon as two
    share a card. Drawing the next among what the first leaves would give another law.
    """
    for _ in range(TRIES):
        taken, given = 0, 0
        for i in range(len(ranged.seats)):
            low, high = ranged.starts[i], ranged.starts[i + 1] - 1
            wanted = uniform(state.stream) * ranged.sums[high]
            while low < high:
                middle = (low + high) >> 1
                if ranged.sums[middle] > wanted:
                    high = middle
                else:
                    low = middle + 1
            palace = ranged.cards[low]
            if palace & taken:
                taken = -1
                break
            taken |= palace
            given |= 1 << ranged.seats[i]
            state.palace[ranged.seats[i]] = palace
        if taken >= 0:
            return given
    return -1


@kernel
def roll_out(work: Any, table: Any, job: Any, lineup: Any, code: int) -> int:
    """Play a sample on after a move; return OK, or the fault of the action that stopped it."""
    prepare_hand(work, table, job, lineup, 0)
    return play_hand(work, table, 0, code)


@kernel
def roll_block(
    job: Any, table: Any, lineup: Any, work: Any, moves: Any, ranged: Ranged, sums: Any, products: Any, stop: Any
) -> int:
    """Play samples, each once a move; return OK, a fault of the engine, TOO_MANY_CHIPS or NO_PALACES.

    Parameters
    ----------
    job : JOB record
        Which samples; `known_to` is the seat that decides.
    table, lineup : (P,) POLICY records, (seats,) int64
        The policies, and which of them plays at each seat.
    work : WORK record
        Room to work in; `work.blank` holds the position. Where play stopped, `work.lineup` is the move.
    moves : (m,) int64
        Action codes, all legal.
    ranged : Ranged
        What some palaces are drawn from.
    sums : (2, m) int64
        Net chips of a sample, and what is added to: their sums.
    products : (m, m, 2) int64
        What is added to: sums of net_i * net_j for j <= i, high and low parts (`play.add_product`).
    stop : (1,) int64
        Set to 1 from outside to stop after the sample being played; the number played goes to `job.count`.
    """
    net, total = sums[0], sums[1]
    for done in range(job.count):
        if stop[0] != 0:
            job.count = done
            return OK
        begin_sample(work, job, job.first + done)
        given = draw_ranged(work.dealt, ranged)
        if given < 0:
            return NO_PALACES
        draw_sample(work, job, given)
        for i in range(len(moves)):
            work.lineup = i
            bad = roll_out(work, table, job, lineup, moves[i])
            if bad != OK:
                return bad
            if work.state.final_pot >= GREATEST:
                return TOO_MANY_CHIPS
            net[i] = seat_net(work.state, job.known_to)
            total[i] += net[i]
            for j in range(i + 1):
                add_product(products[i, j], net[i], net[j])
    return OK


# --- a policy that plays rollouts -------------------------------------------------------------------------------------

# All that such a policy works in: the position, the hand played on, one policy for all seats, and the moves.
ROOM = _record(
    ("work", WORK),
    ("job", JOB),
    ("table", POLICY, (1,)),
    ("lineup", np.int64, (MAX_SEATS,)),
    ("grid", np.float64, (1,)),
    ("codes", np.int64, (MOST_MOVES,)),
    ("totals", np.int64, (MOST_MOVES,)),
)
new_room = record_maker(ROOM)


@kernel
def place_learnt(state: Any, seat: int, cards: int, gone: int) -> None:
    """Give cards that a seat learnt to the palaces that it learnt, so that it knows what it knew.

    Which card was whose is forgotten and does not matter, but what R13 shuffled back must belong to somebody who was
    out by then, and a card that rose from a palace (`risen`) to one that had gone back. Those who went out late get
    the cards never seen again, since what rose may be from fewer of the late palaces than of the early ones.
    """
    learnt, size = state.players[seat].learnt, state.rules.palace_cards
    lying, back = cards & gone, cards & ~gone
    for out in range(state.out, 0, -1):
        for other in range(state.seats):
            if learnt >> other & 1 and state.players[other].out == out:
                while popcount(state.palace[other]) < size:
                    left = lying if out > state.back else back
                    if left == 0:
                        break
                    state.palace[other] |= left & -left
                    lying &= ~(left & -left)
                    back &= ~(left & -left)
    for k in range(1, state.seats):
        rose = state.risen[k]
        while rose:
            card = rose & -rose
            rose ^= card
            for other in range(state.seats):
                early = 0 < state.players[other].out <= min(k, state.back)
                if learnt >> other & 1 and early and popcount(state.palace[other]) < size:
                    state.palace[other] |= card
                    break


@kernel
def state_of_view(state: Any, view: Any) -> None:
    """Fill a record of zeros with a hand that looks like this to the view's seat; hidden cards await a redraw."""
    copy_bytes(state, 0, view, PUBLIC_SIZE)
    seat, size = view.seat, view.rules.palace_cards
    face_up, learnt = 0, view.players[seat].learnt
    for other in range(view.seats):
        player = view.players[other]
        if player.active:
            face_up |= player.soldiers | card_bit(player.banner)
    state.discards = view.gone & ~(view.palace | face_up)
    hidden = view.discard_size - popcount(state.discards)
    for other in range(view.seats):
        player = view.players[other]
        if player.banner >= 0 and other != seat and not learnt >> other & 1:
            state.palace[other] = 1  # any palace: a redraw takes seats without one to have been out from the start
            if player.active == 0 and player.out > view.back:
                hidden -= size
    for out in range(view.out, view.back, -1):  # whoever was out from the start and has left a palace: the last ones
        for other in range(view.seats):
            if view.players[other].banner < 0 and view.players[other].out == out and hidden > 0:
                state.palace[other] = 1
                hidden -= size
    state.palace[seat] = view.palace
    state.battle.attacker, state.battle.defender = max(view.attacker, 0), max(view.defender, 0)
    place_learnt(state, seat, view.seen & ~(view.all_seen | view.palace), view.gone)


@kernel
def best_move(room: Any, view: Any, address: int, values: Any, rollouts: int) -> int:
    """Move whose mean net is highest over rollouts, everybody played by the policy at an address.

    Parameters
    ----------
    room : ROOM record
        Zeros to work in.
    view : VIEW record
        What the player to act sees; nothing of it changes but its stream, of which one word is drawn.
    address, values : int, tuple of float
        The policy that plays on, and its parameters; it is asked which soldiers to keep.
    rollouts : int
        Samples of the hidden cards, each played once a move.
    """
    codes, totals, work, job, table = room.codes, room.totals, room.work, room.job, room.table
    many = list_moves(view, room.grid, False, codes)
    if many < 2:
        return codes[0]
    state_of_view(work.blank, view)
    table[0].address, table[0].ask = address, 1
    for i in range(len(values)):
        table[0].lasting.params[i] = values[i]
    job.seats, job.rotations, job.known_to = view.seats, 1, view.seat
    job.seed = next_bits(view.stream, 62)
    for sample in range(rollouts):
        begin_sample(work, job, sample)
        draw_sample(work, job, 0)
        for i in range(many):
            roll_out(work, table, job, room.lineup, codes[i])
            totals[i] += seat_net(work.state, view.seat)
    best = 0
    for i in range(1, many):
        if totals[i] > totals[best]:
            best = i
    return codes[best]
