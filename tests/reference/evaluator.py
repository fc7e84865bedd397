"""The value of a poker hand, by looking at every five cards of it (R2, R25)."""

from collections import Counter
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]  # in order of card ids
NO_KICKER = -1

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)


def card_id(card):
    """The id of a card word: `4 * rank + suit`.

    >>> card_id("2c"), card_id("As")
    (0, 51)
    """
    return 4 * RANKS.index(card[0]) + SUITS.index(card[1])


def in_order(cards):
    """The cards as a list in ascending order of ids.

    >>> in_order(["As", "2d", "2c"])
    ['2c', '2d', 'As']
    """
    return sorted(cards, key=card_id)


def evaluate(cards):
    """A value that is higher for a better hand, for any number of cards.

    Parameters
    ----------
    cards : iterable of str
        Card words.

    Returns
    -------
    tuple
        `(category, deciding ranks)`. Values of hands of any size compare with each other.

    Examples
    --------
    >>> evaluate(["As", "Ah"]) < evaluate(["As", "Ah", "2c"]) < evaluate(["2c", "2d", "2h"])
    True
    >>> evaluate([]) < evaluate(["2c"])
    True
    """
    cards = list(cards)
    if len(cards) < 5:
        return _grouped(cards)
    return max(_five(five) for five in combinations(cards, 5))


def _grouped(cards):
    """Hands made of equal ranks only: all that fewer than five cards can make (R25)."""
    times = Counter(RANKS.index(card[0]) for card in cards)
    by_weight = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
    shape = sorted(times.values(), reverse=True)
    if shape[:1] == [4]:
        return QUADS, _padded(by_weight, 2)
    if shape[:2] == [3, 2]:
        return FULL_HOUSE, _padded(by_weight, 2)
    if shape[:1] == [3]:
        return TRIPS, _padded(by_weight, 3)
    if shape[:2] == [2, 2]:
        return TWO_PAIR, _padded(by_weight, 3)
    if shape[:1] == [2]:
        return PAIR, _padded(by_weight, 4)
    return HIGH_CARD, _padded(by_weight, 5)


def _padded(ranks, length):
    return tuple(ranks) + (NO_KICKER,) * (length - len(ranks))


def _five(cards):
    flush = len({card[1] for card in cards}) == 1
    top = _straight_top({RANKS.index(card[0]) for card in cards})
    if top is not None:
        return (STRAIGHT_FLUSH if flush else STRAIGHT), (top,)
    value = _grouped(cards)
    if flush:
        return FLUSH, value[1]  # five of one suit are five different ranks
    return value


def _straight_top(ranks):
    if len(ranks) < 5:
        return None
    if ranks == {12, 0, 1, 2, 3}:  # the wheel is five high (R2)
        return 3
    return max(ranks) if max(ranks) - min(ranks) == 4 else None
