"""All palaces of the deck, and what can be counted in them."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np

from palace_sim.cards import DECK, RANKS, SUITS, format_cards, set_cards

MOST = 3  # cards of a palace (R8)


@cache
def all_palaces(palace_cards: int = 3) -> np.ndarray:
    """Every palace of so many cards of the 52, as card sets, ascending; read-only (m,) int64."""
    bits = np.array([1 << 16 * (card & 3) + (card >> 2) for card in range(DECK)], np.int64)
    many = comb(DECK, palace_cards) * palace_cards
    picked = np.fromiter(chain.from_iterable(combinations(range(DECK), palace_cards)), np.int64, many)
    sets = np.sort(np.bitwise_or.reduce(bits[picked.reshape(-1, palace_cards)], axis=1))
    sets.flags.writeable = False
    return sets


class Counts(NamedTuple):
    """What each palace holds: cards of each rank (13, m) and of each suit (4, m), and its ranks as 13 bits (m,)."""

    of_rank: np.ndarray
    of_suit: np.ndarray
    ranks: np.ndarray


@cache
def counts(palace_cards: int = 3) -> Counts:
    """Count ranks and suits in `all_palaces`, in their order."""
    sets = all_palaces(palace_cards)
    rank = 0x1000100010001
    ranks = (sets | sets >> 16 | sets >> 32 | sets >> 48) & 0x1FFF
    of_rank = np.stack([np.bitwise_count(sets & rank << r) for r in range(13)])
    of_suit = np.stack([np.bitwise_count(sets & 0x1FFF << 16 * s) for s in range(4)])
    return Counts(of_rank, of_suit, ranks)


class Palace(tuple[str, ...]):
    """A palace as a condition sees it: its cards as words, the highest first.

    Attributes
    ----------
    ranks, suits : str
        A letter a card, in the same order.
    values : list of int
        Ranks as numbers, 2 to 14 for the ace.

    Examples
    --------
    >>> palace = Palace(["As", "Kd", "9c"])
    >>> palace.ranks, palace.suits, palace.values, "Kd" in palace
    ('AK9', 'sdc', [14, 13, 9], True)
    """

    __slots__ = ()

    @property
    def ranks(self) -> str:
        return "".join([card[0] for card in self])

    @property
    def suits(self) -> str:
        return "".join([card[1] for card in self])

    @property
    def values(self) -> list[int]:
        return [RANKS.index(card[0]) + 2 for card in self]

    def __str__(self) -> str:
        return " ".join(self)


WORDS = [rank + suit for rank in RANKS for suit in SUITS]


def palace_ids(sets: np.ndarray) -> np.ndarray:
    """List the card ids of palaces of one size, (m, k), the highest first."""
    size = int(np.bitwise_count(sets[0])) if len(sets) else 0
    left = sets.copy()
    found = np.empty((len(sets), size), np.int64)
    for column in range(size):
        lowest = left & -left
        place = np.bitwise_count(lowest - 1).astype(np.int64)  # 16 * suit + rank
        found[:, column] = 4 * (place & 15) + (place >> 4)
        left ^= lowest
    return -np.sort(-found, axis=1)


def as_palaces(sets: np.ndarray) -> list[Palace]:
    """Show palaces as conditions see them."""
    return [Palace([WORDS[card] for card in row]) for row in palace_ids(sets).tolist()]


def palace_text(cards: int) -> str:
    """Write a card set, the highest card first.

    Examples
    --------
    >>> from palace_sim.cards import card_set
    >>> palace_text(card_set("9c As Kd"))
    'As Kd 9c'
    """
    return format_cards(set_cards(int(cards))[::-1])
