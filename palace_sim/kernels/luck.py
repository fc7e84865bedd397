"""Luck at the draws: how much better a bought card is than the mean of those that might have come (R12).

Given all that has happened, the card drawn is equally likely to be any card of the draw pile, or of the discard pile
where that is empty (R13). So a feature of the card drawn less its mean over that pile has mean zero, whatever the
feature and whatever the policies do: the chance term of AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, 2018,
arXiv:1612.06915). Weights for the features can therefore be chosen freely without any bias.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import card_bit
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.ranking import rank_set

# strength: rank of all own cards with the card, no card blocked; mates: own cards of its rank; suit: 1 for the suit of
# the own banner; rank: 0 for a deuce to 12 for an ace
NAMES = ("strength", "mates", "suit", "rank")
FEATURES = len(NAMES)
UNIT = 1 << 16  # sums are kept in this part of a feature's unit, rounded, so that they are integers


@inlined
def pile_to_draw(state: Any) -> int:
    """Cards of which the next one bought is one, each as likely as another (R12, R13), as a set."""
    cards = 0
    for k in range(state.draw_size):
        cards |= card_bit(state.pile[k])
    return cards if cards else state.discards


@inlined
def write_features(features: Any, own: int, banner: int, card: int) -> None:
    """Add the features of a card (a set of one), drawn to own cards, to `features`."""
    place = lowest_bit(card)
    rank = place & 15
    features[0] += rank_set(own | card)
    features[1] += popcount(own >> rank & 0x0001000100010001)
    features[2] += int(place >> 4 == banner & 3)
    features[3] += rank


@kernel
def add_luck(luck: Any, room: Any, own: int, banner: int, card: int, pile: int) -> None:
    """Add to `luck` the features of the card drawn less their means over the pile, in units of 1 / UNIT.

    Parameters
    ----------
    luck, room : (FEATURES,) int64
        What is added to; room to work in.
    own : int
        All cards of the buyer before the draw.
    banner : int
        Its banner's id.
    card, pile : int
        The card drawn, and the pile that it came from, as sets.
    """
    many = popcount(pile)
    room[:] = 0
    write_features(room, own, banner, card)
    for feature in range(FEATURES):
        room[feature] *= -many
    while pile:
        write_features(room, own, banner, pile & -pile)
        pile &= pile - 1
    for feature in range(FEATURES):
        luck[feature] += (-room[feature] * UNIT + many // 2) // many
