"""The deal: drawing for dealer (R4), banners (R6, R7), palaces (R8) and shuffling (R13)."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.jit import inlined, kernel, lowest_bit
from palace_sim.kernels.rng import DEALING, FOR_CARDS, FOR_DEALER, RESHUFFLE, below, open_stream, shuffle

SUIT = 0x1FFF
FULL = SUIT | SUIT << 16 | SUIT << 32 | SUIT << 48


@inlined
def card_bit(card: int) -> int:
    """Card set that holds one card, given by its id."""
    return 1 << (16 * (card & 3) + (card >> 2))


@inlined
def banner_suit(card: int) -> int:
    """All cards of the suit of a card, as a set."""
    return SUIT << 16 * (card & 3)


@kernel
def list_cards(cards: int, out: Any) -> int:
    """Write the ids of a card set into `out`, ascending; return how many."""
    n = 0
    if cards == FULL:  # most lists are of the full deck
        for card in range(52):
            out[card] = card
        return 52
    for rank in range(13):
        for suit in range(4):
            out[n] = 4 * rank + suit  # without a branch: the next card writes over one that is not there
            n += cards >> (16 * suit + rank) & 1
    return n


@inlined
def left_of(seat: int, seats: int) -> int:
    """Seat to the left of a seat."""
    return seat + 1 if seat + 1 < seats else 0


@inlined
def draw(state: Any, left: int) -> int:
    """Draw one of the first `left` cards of the pile; the last of them takes its place."""
    j = below(state.stream, left)
    card = state.pile[j]
    state.pile[j] = state.pile[left - 1]
    return card


@inlined
def draw_dealer(state: Any) -> int:
    """Draw for dealer (R4): the highest card deals, those tied draw again from the cards left."""
    open_stream(state.stream, state.seed, state.deal, DEALING, FOR_DEALER, 0)
    left = list_cards(state.deck, state.pile)
    if state.pile[0] >> 2 == state.pile[left - 1] >> 2:  # one rank only: nobody would ever be alone
        return below(state.stream, state.seats)
    contenders = (1 << state.seats) - 1
    many = state.seats
    while many > 1:
        if left < many:
            left = list_cards(state.deck, state.pile)
        best, tied, count = -1, 0, 0
        for seat in range(state.seats):
            if contenders >> seat & 1:
                rank = draw(state, left) >> 2
                left -= 1
                if rank > best:
                    best, tied, count = rank, 0, 0
                if rank == best:
                    tied |= 1 << seat
                    count += 1
        contenders, many = tied, count
    return lowest_bit(contenders)


@inlined
def deal_banners(state: Any, left: int) -> int:
    """Deal the banners from the pile (R6, R7); return the set of all cards that are in the deck after it."""
    aside = 0
    taken = 0
    rest = state.deck
    seat = state.dealer
    for position in range(state.seats):
        if position & 3 == 0:
            taken = 0
        seat = left_of(seat, state.seats)
        while True:
            if left == 0:
                left = list_cards(aside, state.pile)
                aside = 0
            card = draw(state, left)
            left -= 1
            if not taken >> (card & 3) & 1:
                break
            aside |= card_bit(card)
        taken |= 1 << (card & 3)
        rest ^= card_bit(card)
        state.players[seat].banner = card
    return rest


@inlined
def deal_cards(state: Any) -> None:
    """Deal banners, palaces and the draw pile of a state that has seed, deal, deck, seats, dealer and rules."""
    open_stream(state.stream, state.seed, state.deal, DEALING, FOR_CARDS, 0)
    left = list_cards(state.deck, state.pile)
    rest = deal_banners(state, left)
    left = list_cards(rest, state.pile)
    for seat in range(state.seats):
        state.palace[seat] = 0
    seat = state.dealer
    for _ in range(state.rules.palace_cards):
        for _ in range(state.seats):
            seat = left_of(seat, state.seats)
            state.palace[seat] |= card_bit(draw(state, left))
            left -= 1
    state.draw_size = state.undrawn = left


@inlined
def take_top(state: Any) -> int:
    """Take the top card of the draw pile.

    The lowest `undrawn` cards of the pile have no order yet: theirs is drawn card by card, from the stream that dealt
    or shuffled them, and comes out as if all had been drawn at once (`lay_out`).
    """
    top = state.draw_size
    state.draw_size = top - 1
    if state.undrawn == top:
        state.undrawn = top - 1
        return draw(state, top)
    return state.pile[top - 1]


@kernel
def lay_out(state: Any) -> None:
    """Draw the order of the whole draw pile now, so that it can be looked at; the top card is the last of the pile."""
    shuffle(state.stream, state.pile, state.undrawn)
    state.undrawn = 0


@kernel
def reshuffle(state: Any) -> None:
    """Make the discard pile the draw pile (R13), in card order to be drawn from with a stream of its own."""
    open_stream(state.stream, state.seed, state.deal, RESHUFFLE, state.reshuffles, 0)
    state.draw_size = state.undrawn = list_cards(state.discards, state.pile)
    state.discards = 0
    state.discard_size = 0
    state.reshuffles += 1
    face_up = 0
    for seat in range(state.seats):
        player = state.players[seat]
        if player.active:
            face_up |= player.soldiers | card_bit(player.banner)
    state.all_gone = face_up
    state.back = state.out
