"""What a seat knows (R28), and drawing the cards that it does not know."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import card_bit, draw, list_cards
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.rng import below

NOBODY = -1  # the seat that knows only what is public


@inlined
def known_palaces(state: Any, seat: int) -> int:
    """Seats whose palace a seat knows: its own and those it beat as the caller; none for NOBODY."""
    return 0 if seat < 0 else state.players[seat].learnt | 1 << seat


@inlined
def seen_by(state: Any, seat: int) -> int:
    """Cards that, as far as a seat knows, can be in nobody else's palace."""
    cards = state.all_seen
    known = known_palaces(state, seat)
    while known:
        cards |= state.palace[lowest_bit(known)]
        known &= known - 1
    return cards


@inlined
def gone_for(state: Any, seat: int) -> int:
    """Cards that a seat knows to be neither in the draw pile nor in a palace other than its own."""
    cards = state.all_gone
    known = known_palaces(state, seat)
    while known:
        owner = lowest_bit(known)
        out = state.players[owner].out
        if out == 0 or out > state.back:  # else R13 has shuffled it back
            cards |= state.palace[owner]
        known &= known - 1
    return cards


@kernel
def place_risen(state: Any, known: int) -> None:
    """Give each card that rose from a palace shuffled back to one of the palaces that it can have come from.

    Palaces go back in the order in which players went out, so the choices are nested: dealing with the smallest
    choice first makes every consistent assignment equally likely.
    """
    settled = 0
    for seat in range(state.seats):
        if known >> seat & 1:
            settled |= state.palace[seat]
    size = state.rules.palace_cards
    for back in range(1, state.seats):
        cards = state.risen[back] & ~settled
        while cards:
            card = cards & -cards
            cards ^= card
            free = 0
            for seat in range(state.seats):
                if 0 < state.players[seat].out <= back and not known >> seat & 1:
                    free += size - popcount(state.palace[seat])
            j = below(state.stream, free)
            for seat in range(state.seats):
                if 0 < state.players[seat].out <= back and not known >> seat & 1:
                    room = size - popcount(state.palace[seat])
                    if 0 <= j < room:
                        state.palace[seat] |= card
                        break
                    j -= room


@kernel
def redraw(state: Any, seat: int, given: int = 0) -> None:
    """Draw all that a seat does not know anew: palaces, hidden discards, draw pile (uniform over what is consistent).

    `seat` NOBODY keeps only what is public. The palaces of the seats in `given`, who are in the hand, stay as the
    caller has set them, of cards that it has not seen. Draws from the state's own stream, which the caller has opened.
    """
    known = known_palaces(state, seat)
    known_gone = gone_for(state, seat)
    back_in_pile = state.deck & seen_by(state, seat) & ~known_gone
    dealt = state.rules.palace_cards
    discards = state.discards & known_gone
    vacant = 0  # seats that were out before the position began have no palace
    for other in range(state.seats):
        if state.palace[other] == 0:
            vacant |= 1 << other
        elif not (known | given) >> other & 1:
            state.palace[other] = 0
    unseen = state.deck & ~seen_by(state, seat)
    for other in range(state.seats):
        if given >> other & 1:
            unseen &= ~state.palace[other]
    settled = known | vacant | given
    place_risen(state, settled)
    left = list_cards(unseen, state.pile)
    for other in range(state.seats):
        if settled >> other & 1:
            continue
        out = state.players[other].out
        for _ in range(dealt - popcount(state.palace[other])):
            card = card_bit(draw(state, left))
            left -= 1
            state.palace[other] |= card
            if out == 0:
                unseen ^= card
            elif out > state.back:
                unseen ^= card
                discards |= card
    state.discards = discards
    state.undrawn = list_cards(unseen | back_in_pile, state.pile)
