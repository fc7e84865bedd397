"""`Range`: what a hidden palace may be, as palaces with weights."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.cards import format_cards, set_cards


@cache
def all_palaces(palace_cards: int = 3) -> np.ndarray:
    """Every palace of so many cards of the 52, as card sets, ascending; read-only (m,) int64."""
    bits = np.array([1 << 16 * (card & 3) + (card >> 2) for card in range(52)], np.int64)
    picked = np.array(list(combinations(range(52), palace_cards)))
    sets = np.sort(np.bitwise_or.reduce(bits[picked], axis=1))
    sets.flags.writeable = False
    return sets


class Range:
    """Palaces that a player may hold, with weights.

    Attributes
    ----------
    cards : (m,) int64 array
        Palaces as card sets (bit ``16 * suit + rank``), ascending, each once, all of one size.
    weights : (m,) float64 array
        How likely each is beside the others; above 0, in any unit.
    errors : (m,) float64 array or None
        Standard errors of the weights where they were sampled; None where they are exact.
    """

    def __init__(self, cards: np.ndarray, weights: np.ndarray, errors: np.ndarray | None = None) -> None:
        self.cards = cards
        self.weights = weights
        self.errors = errors

    @property
    def exact(self) -> bool:
        """Whether the weights are exact and not sampled."""
        return self.errors is None

    @property
    def palace_cards(self) -> int:
        """Cards of each palace, 1 to 3."""
        return int(self.cards[0]).bit_count()

    def __len__(self) -> int:
        return len(self.cards)

    @classmethod
    def uniform(cls, palace_cards: int = 3) -> Range:
        """Return the range in which every palace of the deck is as likely as another."""
        cards = all_palaces(whole("palace_cards", palace_cards, 1, 3))
        return cls(cards, np.ones(len(cards)))

    def within(self, pool: int, known: int = 0, what: str = "range") -> Range:
        """Return the palaces that can be: all of `known` and otherwise cards of `pool` only.

        Parameters
        ----------
        pool : int
            Card set of the cards that are not known to lie elsewhere.
        known : int
            Card set of the palace cards that are known.
        what : str
            What to call the range in an error.

        Raises
        ------
        ValueError
            No palace of the range is left.
        """
        fits = (self.cards & ~np.int64(pool | known) == 0) & (self.cards & np.int64(known) == known)
        if not fits.any():
            shown = f" that holds {format_cards(set_cards(known))}" if known else ""
            raise ValueError(f"{what} has no palace left{shown} among the cards that are not known to lie elsewhere")
        return self._where(fits)

    def _where(self, fits: Any) -> Range:
        return Range(self.cards[fits], self.weights[fits], None if self.errors is None else self.errors[fits])
