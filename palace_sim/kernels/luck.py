"""Luck at the draws: how much better a bought card is than the mean of those that might have come (R12).

Given all that has happened, the card drawn is equally likely to be any card of the draw pile, or of the discard pile
where that is empty (R13). So a feature of the card drawn less its mean over that pile has mean zero, whatever the
feature and whatever the policies do: the chance term of AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, 2018,
arXiv:1612.06915). Weights for the features can therefore be chosen freely without any bias.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import banner_suit, card_bit
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.ranking_scale import FLUSH, FULL_HOUSE, PAIR, QUADS, STRAIGHT, STRAIGHT_FLUSH, TRIPS, TWO_PAIR

# All times the pot before the buy: what a better hand brings is a better chance to win that. strength: the share of
# hands that all own cards with the card beat, about; suit: 1 for the suit of the own banner; flush: own cards of that
# suit with it, squared; rank: 0 for a deuce to 1 for an ace.
NAMES = ("strength", "suit", "flush", "rank")
FEATURES = len(NAMES)
# where the categories begin, and the share of all hands of six cards below that, in 1024ths
ENDS = tuple(int(x) for x in (0, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH, 9842))
SHARES = (0, 333, 822, 949, 986, 1004, 1015, 1023, 1024, 1024)
UNIT = 1 << 16  # sums are kept in this part of a feature's unit, rounded, so that they are integers


@inlined
def pile_to_draw(state: Any) -> int:
    """Cards of which the next one bought is one, each as likely as another (R12, R13), as a set."""
    cards = 0
    for k in range(state.draw_size):
        cards |= card_bit(state.pile[k])
    return cards if cards else state.discards


@inlined
def scale(rank: int) -> int:
    """Share of hands of six cards that a rank beats, in 1024ths: exact at the ends of categories, linear between."""
    share = 0
    for k in range(len(ENDS) - 1):
        if rank >= ENDS[k]:
            share = SHARES[k] + (SHARES[k + 1] - SHARES[k]) * (rank - ENDS[k]) // (ENDS[k + 1] - ENDS[k])
    return share


@inlined
def write_features(features: Any, own: int, banner: int, card: int) -> None:
    """Add the features of a card (a set of one), drawn to own cards, to `features`."""
    place = lowest_bit(card)
    rank = place & 15
    of_suit = popcount((own | card) & banner_suit(banner))
    features[0] += scale(rank_set(own | card))
    features[1] += int(place >> 4 == banner & 3) << 10
    features[2] += of_suit * of_suit << 10
    features[3] += (rank << 10) // 12


@kernel
def add_luck(luck: Any, room: Any, own: int, banner: int, card: int, pile: int, pot: int) -> None:
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
        luck[feature] += (-room[feature] * pot * (UNIT >> 10) + many // 2) // many
