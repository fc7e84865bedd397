"""Ranges as text: "pairs, two hearts: 0.5, A*, AsKsQs: 2".

A range is a list of *terms* with commas between them, each perhaps with ``: weight`` after it (1 if not). A palace
belongs to a term where **all** its words hold, and to the range where it belongs to **any** term; named by several, it
gets the largest of their weights. The words, in capitals or not:

=====================================  ================================================================================
``any``, ``*``                         every palace
``pair``, ``trips``, ``nopair``        exactly two cards of one rank; three; all ranks different
``pair 9+``, ``trips 9+``              the same, of nines or higher
``suited``, ``rainbow``                all cards of one suit; all of different suits
``straight``                           ranks in a row; the ace is high or low, as in R2
``two hearts``, ``no h``, ``1 club``   so many cards of a suit exactly: no, one, two, three or 0 to 3
``two kings``                          so many of a rank exactly
``two+ hearts``, ``at least 2 h``      so many or more; ``at most`` for so many or fewer
``A*``, ``AK*``, ``AA*``               holds an ace; an ace and a king; two aces or more
``As*``, ``AsK*``                      holds that card; that card and a king
``AAK``, ``AsKQ``, ``AsKsQs``          exactly these ranks and cards, as many as a palace has; also ``As Ks Qs``
``not`` and one of the above           where that does not hold
=====================================  ================================================================================

Plurals (``pairs``) and the signs of the suits (``♥``) are understood as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np

from palace_sim.arguments import near
from palace_sim.battle.palaces import MOST, all_palaces, counts
from palace_sim.cards import RANKS, SUITS

_NUMBERS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "0": 0, "1": 1, "2": 2, "3": 3}
_RANK_NAMES = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
_SUIT_NAMES = ("club", "diamond", "heart", "spade")
_PLAIN = ("any", "pair", "trips", "nopair", "suited", "rainbow", "straight")
_SIGNS = str.maketrans("♣♦♥♠♧♢♡♤", SUITS + SUITS)
_CARDS = re.compile(r"(?:(?:10|[2-9tjqka])[cdhs]?)+")
_CARD = re.compile(r"(10|[2-9tjqka])([cdhs]?)")


def _nouns() -> dict[str, tuple[bool, int]]:
    """What can be counted: word -> whether it is a suit, and which suit or rank."""
    words = {}
    for suit, name in enumerate(_SUIT_NAMES):
        words.update(dict.fromkeys((SUITS[suit], name, name + "s"), (True, suit)))
    for rank, name in enumerate(_RANK_NAMES):
        plural = name + ("es" if name.endswith("x") else "s")
        words.update(dict.fromkeys((name, plural), (False, rank)))
    for number in _NUMBERS:  # "two" and "three" are numbers before anything else
        words.pop(number, None)
    return words


_NOUNS = _nouns()
_KNOWN = [*_PLAIN, "pairs", "not", "at", "least", "most", *_NUMBERS, *(word for word in _NOUNS if len(word) > 1)]


def read_text(text: str, palace_cards: int = MOST, what: str = "range") -> tuple[np.ndarray, np.ndarray]:
    """Read a range as text.

    Parameters
    ----------
    text : str
        Terms with commas between them, as the module describes.
    palace_cards : int
        Cards of a palace, 1 to 3.
    what : str
        What to call the text in an error.

    Returns
    -------
    cards : (m,) int64 array
        Palaces as card sets, ascending.
    weights : (m,) float64 array

    Raises
    ------
    ValueError
        An unknown word, a weight that is not above 0, or a term that no palace fits; named.

    Examples
    --------
    >>> cards, weights = read_text("trips, AsAh*: 0.5")      # 52 trips; 50 with these two aces, 2 of which are trips
    >>> len(cards), float(weights.sum())
    (100, 76.0)
    """
    sets = all_palaces(palace_cards)
    weights = np.zeros(len(sets))
    for term in text.split(","):
        words, weight = _split_weight(term, what)
        fits = _Term(words, palace_cards, what).read()
        if not fits.any():
            raise ValueError(f"{what}: no palace of {palace_cards} cards is {words.strip()!r}")
        np.maximum(weights, fits * weight, out=weights)
    named = weights > 0
    return sets[named], weights[named]


def _split_weight(term: str, what: str) -> tuple[str, float]:
    words, colon, number = term.partition(":")
    if not words.strip():
        raise ValueError(
            f"{what}: an empty term; terms like 'pairs', 'two hearts' or 'A*: 0.5' have commas between them"
        )
    try:
        weight = float(number) if colon else 1.0
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise ValueError(
            f"{what}: a weight is a number above 0, got {number.strip()!r} after {words.strip()!r}; "
            "to leave palaces out, say 'not'"
        )
    return words, weight


class _Term:
    """Reads the words of a term from left to right."""

    def __init__(self, term: str, palace_cards: int, what: str) -> None:
        self.words = term.lower().translate(_SIGNS).split()
        self.at = 0
        self.size = palace_cards
        self.what = what
        self.counts = counts(palace_cards)

    def read(self) -> np.ndarray:
        """Return which palaces fit all words."""
        fits = np.ones(len(self.counts.ranks), np.bool_)
        while self.at < len(self.words):
            fits &= self._condition()
        return fits

    def _word(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.words[at] if at < len(self.words) else ""

    def _condition(self) -> np.ndarray:
        if self._word() == "not":
            self.at += 1
            if not self._word():
                raise ValueError(f"{self.what}: 'not' needs a word after it, as in 'not suited'")
            return ~self._condition()
        for reader in (self._counted, self._kind, self._cards):
            fits = reader()
            if fits is not None:
                return fits
        word = self._word()
        if word in _NOUNS:
            raise ValueError(f"{self.what}: {word!r} needs a number before it, as in 'two {word}' or 'no {word}'")
        if word in _NUMBERS or word.rstrip("+") in _NUMBERS or word == "at":
            raise ValueError(
                f"{self.what}: {word!r} needs a suit or a rank after it, as in 'two hearts' or 'at least one king'"
            )
        close = near(word, _KNOWN)
        if not close.startswith("; did"):
            close = near(word, [*_PLAIN, "not", "numbers like 'two hearts'"])
        raise ValueError(
            f"{self.what}: {word!r} is no word of a range{close}; cards are written A*, As*, AAK or AsKsQs"
        )

    def _counted(self) -> np.ndarray | None:
        """Read "two hearts", "two+ hearts", "at least two hearts"."""
        limit = self._word(1) if self._word() == "at" and self._word(1) in ("least", "most") else ""
        ahead = 2 if limit else 0
        number, noun = self._word(ahead), self._word(ahead + 1)
        more = number.endswith("+") and not limit
        many = _NUMBERS.get(number[:-1] if more else number)
        if many is None or noun not in _NOUNS:
            return None
        self.at += ahead + 2
        of_suit, which = _NOUNS[noun]
        held = (self.counts.of_suit if of_suit else self.counts.of_rank)[which]
        if more or limit == "least":
            return held >= many
        return held <= many if limit else held == many

    def _kind(self) -> np.ndarray | None:
        """Read "pairs", "pairs 9+", "suited" and the like."""
        word = self._word()
        word = word[:-1] if word in ("pairs", "nopairs", "straights") else word
        if word not in (*_PLAIN, "*"):
            return None
        self.at += 1
        held = self.counts
        if word in ("pair", "trips"):
            return (held.of_rank[self._floor() :] == (2 if word == "pair" else 3)).any(axis=0)
        if word == "nopair":
            return held.of_rank.max(axis=0) == 1
        if word == "suited":
            return held.of_suit.max(axis=0) == self.size
        if word == "rainbow":
            return held.of_suit.max(axis=0) == 1
        if word == "straight":
            row = (1 << self.size) - 1
            rows = [row << low for low in range(14 - self.size)]
            return np.isin(held.ranks, [*rows, row >> 1 | 1 << 12])
        return np.ones(len(held.ranks), np.bool_)

    def _floor(self) -> int:
        """Read the "9+" of "pairs 9+"; 0 where there is none."""
        match = re.fullmatch(r"(10|[2-9tjqka])\+", self._word())
        if match is None or self._word(1) in _NOUNS:
            return 0
        self.at += 1
        return RANKS.index(match[1].upper().replace("10", "T"))

    def _cards(self) -> np.ndarray | None:
        """Read "A*", "AsK*", "AAK", "AsKsQs"."""
        begun = self.at
        word = ""
        if self._word() == "at":  # of "at least", though it reads like an ace and a ten
            return None
        while _CARDS.fullmatch(self._word()) and (self.at == begun or self._word(1) not in _NOUNS):
            word += self._word()
            self.at += 1
        if self.at == begun and _CARDS.fullmatch(self._word().removesuffix("*")):
            return self._holding(self._next().removesuffix("*"), others=True)
        return self._holding(word, others=False) if word else None

    def _next(self) -> str:
        self.at += 1
        return self.words[self.at - 1]

    def _holding(self, word: str, others: bool) -> np.ndarray:
        """Find palaces that hold these ranks and cards, beside others or not."""
        pieces = [(RANKS.index(r.upper().replace("10", "T")), s) for r, s in _CARD.findall(word)]
        cards = [(rank, suit) for rank, suit in pieces if suit]
        shown = "".join(RANKS[rank] + suit for rank, suit in pieces)
        if len(set(cards)) != len(cards):
            raise ValueError(f"{self.what}: a card is there twice in {shown!r}")
        if len(pieces) > self.size or len(pieces) < self.size and not others:
            amiss = "many" if len(pieces) > self.size else "few"
            hint = "" if amiss == "many" else f"; {shown}* are all palaces that hold it"
            raise ValueError(f"{self.what}: {shown!r} has too {amiss} cards for a palace of {self.size}{hint}")
        fits = np.ones(len(self.counts.ranks), np.bool_)
        # Cards of their own take places among those of their rank, so numbers of a rank and single cards are enough.
        for rank, many in Counter(rank for rank, _ in pieces).items():
            fits &= self.counts.of_rank[rank] >= many
        for rank, suit in cards:
            fits &= all_palaces(self.size) >> 16 * SUITS.index(suit) + rank & 1 == 1
        return fits
