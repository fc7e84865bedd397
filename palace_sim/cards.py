"""Cards as text, as ids and as sets.

A card's id is ``4 * rank + suit`` (rank 0-12 for 2-A, suit 0-3 for c d h s); a card set is an integer with bit
``16 * suit + rank``. Suits are not ranked (R1), so the order of ids is only a convention.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import SupportsIndex, TypeAlias

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = 52

#: What every public function takes for cards: "As Td", "AsTd", ["As", "Td"] or ids.
Cards: TypeAlias = str | SupportsIndex | Iterable[str | SupportsIndex]

_RANK = {letter: rank for rank, letter in enumerate(RANKS)}
_SUIT = {letter: suit for suit, letter in enumerate(SUITS)}
_SUIT.update({sign: suit for suit, sign in enumerate("♣♦♥♠")})
_SUIT.update({sign: suit for suit, sign in enumerate("♧♢♡♤")})
_SEPARATORS = str.maketrans(",;|", "   ")


def parse_cards(cards: Cards, *, distinct: bool = False, name: str = "cards") -> list[int]:
    """Read cards from text, words or ids.

    Upper and lower case, "10" for T, the signs ♣♦♥♠ and commas between cards are understood.

    Parameters
    ----------
    cards : str, int or iterable of str and int
        "As Td 9c", "AsTd9c", ["As", "Td"], [51, 33], or one id.
    distinct : bool, optional
        Refuse a card that is named twice.
    name : str, optional
        What to call the argument in an error.

    Returns
    -------
    list of int
        Card ids, in the order given.

    Raises
    ------
    ValueError
        A word is no card, an id is not in 0-51, or a card is repeated and `distinct` is set.
    TypeError
        `cards`, or something in it, is neither text nor a whole number.

    Examples
    --------
    >>> parse_cards("As Td 9c")
    [51, 33, 28]
    >>> parse_cards(["10♠", 51])
    [35, 51]
    >>> parse_cards("As As", distinct=True)
    Traceback (most recent call last):
    ValueError: cards: As is there twice
    """
    if isinstance(cards, str):
        ids = _read_text(cards, name)
    elif isinstance(cards, Iterable):
        ids = [card for item in cards for card in _read_item(item, name)]
    else:
        ids = _read_item(cards, name)
    if distinct:
        _refuse_repeats(ids, name)
    return ids


def _read_item(item: object, name: str) -> list[int]:
    if isinstance(item, str):
        ids = _read_text(item, name)
        if len(ids) != 1:
            raise ValueError(f"{name}: each word of a list is one card, got {item!r}")
        return ids
    return [_check_id(item, name)]


def _check_id(item: object, name: str) -> int:
    try:
        if isinstance(item, bool) or type(item).__name__ == "bool":  # numpy.bool too, without importing numpy
            raise TypeError
        card = operator.index(item)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name}: a card is text like 'As' or a whole number 0-51, got {item!r}") from None
    if not 0 <= card < DECK:
        raise ValueError(f"{name}: a card id is 0-51, got {card}")
    return card


def _read_text(text: str, name: str) -> list[int]:
    return [card for word in text.translate(_SEPARATORS).split() for card in _read_word(word, name)]


def _read_word(word: str, name: str) -> list[int]:
    """Read a word of one or several cards, "As" or "AsTd9c"."""
    ids = []
    at = 0
    while at < len(word):
        rank_end = at + 2 if word.startswith("10", at) else at + 1
        rank = _RANK.get("T" if rank_end == at + 2 else word[at].upper())
        suit = _SUIT.get(word[rank_end : rank_end + 1].lower())
        if rank is None or suit is None:
            raise ValueError(
                f"{name}: {word!r} is not a card; a card is a rank of {RANKS} (or 10) and a suit of {SUITS}, like 'As'"
            )
        ids.append(4 * rank + suit)
        at = rank_end + 1
    return ids


def _refuse_repeats(ids: list[int], name: str) -> None:
    seen: set[int] = set()
    for card in ids:
        if card in seen:
            raise ValueError(f"{name}: {format_cards([card])} is there twice")
        seen.add(card)


def format_cards(cards: Cards) -> str:
    """Write cards as text, in the order given.

    Parameters
    ----------
    cards : str, int or iterable of str and int
        As in `parse_cards`.

    Returns
    -------
    str
        Words with blanks between them.

    Raises
    ------
    ValueError, TypeError
        As in `parse_cards`.

    Examples
    --------
    >>> format_cards([51, 33])
    'As Td'
    """
    return " ".join(RANKS[card >> 2] + SUITS[card & 3] for card in parse_cards(cards))


def card_set(cards: Cards) -> int:
    """Make the card set of the kernels: bit ``16 * suit + rank`` for each card.

    Parameters
    ----------
    cards : str, int or iterable of str and int
        As in `parse_cards`; each card once.

    Returns
    -------
    int
        The set, never negative.

    Raises
    ------
    ValueError
        No card, or a card twice.

    Examples
    --------
    >>> card_set("2c 3c 2d") == 0b11 + (1 << 16)
    True
    """
    bits = 0
    for card in parse_cards(cards, distinct=True):
        bits |= 1 << (16 * (card & 3) + (card >> 2))
    return bits


def set_cards(cards: int) -> list[int]:
    """List the cards of a card set.

    Parameters
    ----------
    cards : int
        Card set, as made by `card_set`.

    Returns
    -------
    list of int
        Card ids, ascending.

    Raises
    ------
    ValueError
        A bit is set that stands for no card.

    Examples
    --------
    >>> set_cards(card_set("As 2d"))
    [1, 51]
    """
    bits = operator.index(cards)
    ids = [card for card in range(DECK) if bits >> (16 * (card & 3) + (card >> 2)) & 1]
    if card_set(ids) != bits:
        raise ValueError(f"cards: {bits:#x} is not a card set; its bits are 16 * suit + rank")
    return ids
