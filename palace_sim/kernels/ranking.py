"""Ranks of hands: one total order over the best five cards of any number (R2, R25). Higher is better.

0 is the empty hand, 9841 the royal flush; `ranking_scale` says what lies between and how the tables are made.

A hand is first added up. Every card has a *weight*, fields side by side in an int64: the hand's low and high halves of
ranks as numbers to the base 5 (see `ranking_scale`), a counter for each suit and one for ids that are no card. The
counters begin at 3, so that the fifth card of a suit sets the counter's top bit.
"""

from __future__ import annotations

import numpy as np

from palace_sim.kernels.jit import inlined, kernel
from palace_sim.kernels.ranking_scale import (
    FILE,
    FLUSH,
    FULL_HOUSE,
    HIGH,
    LOW,
    PAIR,
    QUADS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPS,
    TWO_PAIR,
)
from palace_sim.kernels.ranking_table import shared_table

PAD = 255
SUIT = 0x1FFF  # one suit of a card set
START, SPECIAL = 0x03333, 0xF8888  # counters of no card; their bits for five of a suit or a wrong id
LOW_AT, HIGH_AT = 20, 35  # where the halves begin
WRONG = 1 << 13  # in a card set, for an id that is no card


def _rank_weights() -> np.ndarray:
    return np.array([5**rank << LOW_AT for rank in range(LOW)] + [5**rank << HIGH_AT for rank in range(HIGH)])


def _card_weights() -> np.ndarray:
    """Weights by id, for all 256 of them."""
    weights = np.full(256, 1 << 16)
    weights[PAD] = 0
    weights[:52] = np.repeat(_rank_weights(), 4) + np.tile(1 << 4 * np.arange(4), 13)
    return weights


def _card_bits() -> np.ndarray:
    """Bits in a card set by id, for all 256 of them."""
    bits = np.full(256, WRONG)
    bits[PAD] = 0
    ids = np.arange(52)
    bits[:52] = 1 << 16 * (ids & 3) + (ids >> 2)
    return bits


def _suit_weights() -> np.ndarray:
    """Weights by the ranks held in one suit; only the counter is other: 1 for five or more."""
    ranks = np.arange(1 << 13)
    five = np.bitwise_count(ranks) >= 5
    return (ranks[:, None] >> np.arange(13) & 1) @ _rank_weights() + five


_tables = np.load(FILE, mmap_mode="r")
low_column = shared_table("ranking_low", _tables["low"])
high_row = shared_table("ranking_high", _tables["high"])
rank_at = shared_table("ranking_matrix", _tables["rank"])
suited_rank = shared_table("ranking_suited", _tables["suited"])
card_weight = shared_table("ranking_cards", _card_weights())
card_bit = shared_table("ranking_bits", _card_bits())
suit_weight = shared_table("ranking_suits", _suit_weights())


@inlined
def rank_unsuited(weight: int) -> int:
    """Rank of the hand of this total weight, suits apart."""
    low = weight >> LOW_AT & (1 << HIGH_AT - LOW_AT) - 1
    return rank_at(high_row(weight >> HIGH_AT) + low_column(low))


@inlined
def rank_flush(cards: int) -> int:
    """Rank of the best flush in a card set, 0 for none."""
    black = max(suited_rank(cards & SUIT), suited_rank(cards >> 48 & SUIT))
    red = max(suited_rank(cards >> 16 & SUIT), suited_rank(cards >> 32 & SUIT))
    return max(black, red)


@kernel
def rank_set(cards: int) -> int:
    """Rank of a card set of any size."""
    black = suit_weight(cards & SUIT) + suit_weight(cards >> 48 & SUIT)
    red = suit_weight(cards >> 16 & SUIT) + suit_weight(cards >> 32 & SUIT)
    rank = rank_unsuited(black + red)
    return max(rank, rank_flush(cards)) if black + red & 7 else rank


@kernel
def rank_rows(ids: np.ndarray, columns: tuple[int, ...], out: np.ndarray) -> int:
    """Rank hands that lie one after the other in `ids` (flat uint8, PAD for no card) into `out`.

    `columns` is a 0 for each id of a hand, up to ten: the compiler knows the length of a tuple. Returns the first hand
    with an id that is no card, and stops there, or -1. Repeated cards are not looked for: `first_fault` does that.
    """
    width = len(columns)
    for i in range(len(out)):
        weight = START
        for j in range(width):
            weight += card_weight(ids[i * width + j])
        out[i] = rank_unsuited(weight)
        if weight & SPECIAL:
            cards = 0
            for j in range(width):
                cards |= card_bit(ids[i * width + j])
            if cards & WRONG:
                return i
            out[i] = max(out[i], rank_flush(cards))
    return -1


@kernel
def first_fault(rows: np.ndarray) -> int:
    """First row with an id that is no card or a card twice, or -1."""
    for i in range(len(rows)):
        cards = WRONG
        for j in range(rows.shape[1]):
            bit = card_bit(rows[i, j])
            if cards & bit:
                return i
            cards |= bit
    return -1


@kernel
def category(rank: int) -> int:
    """Category of a rank, 0 (high card) to 8 (straight flush)."""
    low = (rank >= PAIR) + (rank >= TWO_PAIR) + (rank >= TRIPS) + (rank >= STRAIGHT)
    return low + (rank >= FLUSH) + (rank >= FULL_HOUSE) + (rank >= QUADS) + (rank >= STRAIGHT_FLUSH)
