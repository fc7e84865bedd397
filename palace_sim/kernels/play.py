"""The batched game loop: deals, rotations and line-ups of compiled policies, summed exactly.

For each deal the cards are dealt once and every line-up plays all its rotations with them: the deal is the unit of
statistics. Sums are integers, so they do not depend on the order of blocks; products, which may exceed 64 bits, are
kept as high and low parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palace_sim.kernels.act import verb_of
from palace_sim.kernels.deal import deal_cards, draw_dealer
from palace_sim.kernels.engine import OK, apply, fault, start
from palace_sim.kernels.jit import call_policy, copy_bytes, inlined, kernel, lowest_bit
from palace_sim.kernels.keeping import instead
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.luck import FEATURES, add_luck, pile_to_draw
from palace_sim.kernels.rng import CHOICE, SAMPLING, SEATING, open_stream, shuffle
from palace_sim.kernels.rows import Rows, seat_net, write_hand, write_lineup
from palace_sim.kernels.settle import whole_hand
from palace_sim.kernels.state import BATTLE, BUY, GOING_ON, KEEP, STATE, _record
from palace_sim.kernels.view import LASTING, VIEW, fill_view, reset_view
from palace_sim.rules import MAX_SEATS

BATCHES = 1000
LOW = 31  # bits in the low part of a product
GREATEST = 1 << LOW  # net chips of a policy in a deal must stay below this for the products to be exact
TOO_MANY_CHIPS = -1  # result of `play_block` beside OK and the faults of the engine
STATE_SIZE, BATTLE_SIZE = STATE.itemsize, BATTLE.itemsize

# A policy of the run: where its code is, whether it is asked which soldiers to keep, its choice stream, its parameters.
POLICY = _record("address", "ask", "salt", ("lasting", LASTING))

JOB = _record(
    "first",
    "count",
    "seed",
    "seats",
    "rotations",
    "all_seatings",
    "from_position",
    "known_to",
    "illegal_fold",
    "rows_until",
    "deals_until",
    "pairs",
    "luck",
)

# Room that one thread works in, and what is said about the action that stopped a run.
WORK = _record(
    ("blank", STATE),
    ("dealt", STATE),
    ("state", STATE),
    ("views", VIEW, (MAX_SEATS,)),
    ("streams", np.int64, (MAX_SEATS, 4)),
    ("seating", np.int64, (4,)),
    ("battles", BATTLE, (MAX_SEATS,)),
    ("order", np.int64, (MAX_SEATS,)),
    ("at", np.int64, (MAX_SEATS,)),
    ("policy", np.int64, (MAX_SEATS,)),
    ("net", np.int64, (MAX_SEATS,)),
    ("illegal", np.int64, (MAX_SEATS,)),
    ("luck", np.int64, (MAX_SEATS, FEATURES)),
    ("features", np.int64, (FEATURES,)),
    "deal",
    "rotation",
    "lineup",
    "seat",
    "code",
    "seat_rows",
    "battle_rows",
    "deal_rows",
)

class Sums(NamedTuple):
    """Integer sums over the deals of a block, for P policies; every array is int64."""

    policy: Any  # (P, 7): hands, net, won, pots, illegal actions, square of the net of a hand (high and low part)
    products: Any  # (P, P, 2): sum over deals of net_p * net_q, high and low part
    pairs: Any  # (P, P, 3): sum over deals of net_p - net_q where both sit, and of its square, high and low part
    batches: Any  # (B, L, C): sums over the deals first + b, first + b + B, ... of each line-up (`batch_columns`)
    deal_net: Any  # (P,): room for the deal being played
    deal_pairs: Any  # (P, P): the same


def batch_columns(seats: int, luck: bool) -> int:
    """Columns of `Sums.batches`: nets of the members, half points of every pair (i < j), luck of the members."""
    return seats + seats * (seats - 1) // 2 + (seats * FEATURES if luck else 0)


@inlined
def choose(work: Any, table: Any, seat: int) -> int:
    """Ask the policy at a seat for its action; one that keeps by the engine's choice is not asked in phase KEEP."""
    entry = table[work.policy[seat]]
    if work.state.phase == KEEP and entry.ask == 0:
        return instead(work.state, seat)
    fill_view(work.views[seat], work.state, seat)
    return call_policy(entry.address, work.views[seat])


@inlined
def play_hand(work: Any, table: Any, illegal_fold: int, first: int = 0, luck: int = 0) -> int:
    """Play the hand in `work.state` to its end; return OK, or the fault of the action that stopped it.

    The action `first`, where it is not 0, is made before anybody is asked. With `luck`, what each buyer's draws brought
    is added up in `work.luck`.
    """
    state = work.state
    code = first
    while state.end == GOING_ON:
        seat = state.to_act
        if code == 0:
            code = choose(work, table, seat)
        bad = fault(state, code)
        if bad != OK:
            if code == 0 or illegal_fold == 0:
                work.seat, work.code = seat, code
                return bad
            work.illegal[seat] += 1
            code = instead(state, seat)
        before = state.battles
        own = pile = pot = 0
        if luck and verb_of(code) == BUY:
            own, pile, pot = whole_hand(state, seat), pile_to_draw(state), state.pot
        apply(state, code)
        code = 0
        if pile:
            card = whole_hand(state, seat) & ~own
            add_luck(work.luck[work.at[seat]], work.features, own, state.players[seat].banner, card, pile, pot)
        if state.battles != before:
            copy_bytes(work.battles[before], 0, state.battle, BATTLE_SIZE)
    return OK


@inlined
def prepare_deal(work: Any, job: Any, deal: int) -> None:
    """Deal the cards (or redraw those of a position), the seating and the seats' streams of a deal."""
    dealt = work.dealt
    copy_bytes(dealt, 0, work.blank, STATE_SIZE)
    dealt.seed, dealt.deal = job.seed, deal
    if job.from_position:
        open_stream(dealt.stream, job.seed, deal, SAMPLING, 0, 0)
        redraw(dealt, job.known_to)
    else:
        dealt.dealer = draw_dealer(dealt)
        deal_cards(dealt)
        start(dealt)
    for i in range(job.seats):
        work.order[i] = i
        open_stream(work.streams[i], job.seed, deal, CHOICE, i, 0)
    if job.rotations > 1:
        open_stream(work.seating, job.seed, deal, SEATING, 0, 0)
        shuffle(work.seating, work.order, job.seats)


@kernel
def seat_by_number(at: Any, seats: int, number: int) -> None:
    """Write the seating of this number, 0 to seats! - 1, into `at`: the member at each seat, in lexicographic order."""
    left = (1 << seats) - 1
    ways = 1
    for k in range(2, seats):
        ways *= k
    for seat in range(seats):
        rest = left
        for _ in range(number // ways):
            rest &= rest - 1
        at[seat] = lowest_bit(rest)
        left ^= rest & -rest
        number %= ways
        ways //= max(seats - 1 - seat, 1)


@inlined
def prepare_hand(work: Any, table: Any, job: Any, lineup: Any, rotation: int) -> None:
    """Seat the policies of a line-up and start the hand."""
    seats = job.seats
    copy_bytes(work.state, 0, work.dealt, STATE_SIZE)
    if job.all_seatings:
        seat_by_number(work.at, seats, rotation)
    for seat in range(seats):
        # the first drawn of `order` stands last in it (rng.shuffle)
        at = seat - rotation if seat >= rotation else seat - rotation + seats
        member = work.order[seats - 1 - at] if job.rotations > 1 else seat
        if job.all_seatings:
            member = work.at[seat]
        work.at[seat] = member
        work.policy[seat] = lineup[member]
        work.illegal[seat] = 0
        entry = table[lineup[member]]
        view = work.views[seat]
        reset_view(view, entry.lasting)
        if entry.salt == 0:
            for k in range(4):
                view.stream[k] = work.streams[seat, k]
        else:
            open_stream(view.stream, job.seed, work.deal, CHOICE, seat, entry.salt)


@inlined
def add_product(parts: Any, x: int, y: int) -> None:
    """Add x * y to a pair of high and low parts."""
    product = x * y
    parts[0] += product >> LOW
    parts[1] += product & (GREATEST - 1)


@inlined
def add_hand(work: Any, sums: Sums, seats: int) -> None:
    """Add a finished hand to the sums of its policies."""
    state = work.state
    for seat in range(seats):
        net = seat_net(state, seat)
        work.net[work.at[seat]] += net
        row = sums.policy[work.policy[seat]]
        row[0] += 1
        row[1] += net
        row[2] += state.tally[seat].won
        row[3] += state.final_pot
        row[4] += work.illegal[seat]
        add_product(row[5:], net, net)


@inlined
def add_lineup(work: Any, sums: Sums, job: Any, lineup: Any, rows: Rows) -> None:
    """Add the nets of a line-up in a deal, all rotations together, to those of the deal."""
    seats = job.seats
    row = sums.batches[(work.deal - job.first) % sums.batches.shape[0], work.lineup]
    column = seats
    for i in range(seats):
        row[i] += work.net[i]
        for j in range(i + 1, seats):
            row[column] += 1 + int(work.net[i] > work.net[j]) - int(work.net[i] < work.net[j])
            column += 1
    if job.luck:
        for i in range(seats):
            for feature in range(FEATURES):
                row[column] += work.luck[i, feature]
                column += 1
    for i in range(seats):
        p = lineup[i]
        sums.deal_net[p] += work.net[i]
        if job.pairs:
            for j in range(seats):
                sums.deal_pairs[p, lineup[j]] += work.net[i] - work.net[j]
    if work.deal < job.deals_until:
        write_lineup(work, rows, job, lineup)


@inlined
def add_deal(work: Any, sums: Sums, pairs: int) -> bool:
    """Add the nets of a deal to the sums, with `pairs` those of pairs too; False where they are too large for that."""
    policies = len(sums.deal_net)
    for p in range(policies):
        net = sums.deal_net[p]
        if not -GREATEST < net < GREATEST:
            return False
        for q in range(policies):
            add_product(sums.products[p, q], net, sums.deal_net[q])
            if pairs == 0:
                continue
            both = sums.deal_pairs[p, q]
            if not -GREATEST < both < GREATEST:
                return False
            sums.pairs[p, q, 0] += both
            add_product(sums.pairs[p, q, 1:], both, both)
            sums.deal_pairs[p, q] = 0
    sums.deal_net[:] = 0
    return True


@kernel
def play_block(job: Any, table: Any, lineups: Any, work: Any, sums: Sums, rows: Rows, stop: Any) -> int:
    """Play the deals of a job; return OK, a fault of the engine, or TOO_MANY_CHIPS.

    Parameters
    ----------
    job : JOB record
        Which deals, and how.
    table : (P,) POLICY records
        The policies.
    lineups : (L, seats) int64
        Policies of each line-up, as rows of `table`.
    work : WORK record
        Room to work in; `work.blank` holds seats, deck and rules, or the position to start from.
    sums : Sums
        What is added to.
    rows : Rows
        Where rows go for deals below `job.rows_until`, from the places that `work` counts on.
    stop : (1,) int64
        Set to 1 from outside to stop after the deal being played; the number of deals played goes to `job.count`.
    """
    for done in range(job.count):
        if stop[0] != 0:
            job.count = done
            return OK
        work.deal = job.first + done
        prepare_deal(work, job, work.deal)
        for k in range(lineups.shape[0]):
            work.lineup = k
            work.net[:] = 0
            work.luck[:] = 0
            for rotation in range(job.rotations):
                work.rotation = rotation
                prepare_hand(work, table, job, lineups[k], rotation)
                bad = play_hand(work, table, job.illegal_fold, 0, job.luck)
                if bad != OK:
                    return bad
                if work.state.final_pot >= GREATEST:
                    return TOO_MANY_CHIPS
                add_hand(work, sums, job.seats)
                if work.deal < job.rows_until:
                    write_hand(work, rows, job.seats)
            add_lineup(work, sums, job, lineups[k], rows)
        if not add_deal(work, sums, job.pairs):
            return TOO_MANY_CHIPS
    return OK
