"""`Rules`: the stakes and options of a game of Palace Poker, checked when made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from palace_sim.arguments import whole
from palace_sim.cards import format_cards, parse_cards

MAX_SEATS = 10
MAX_BET = 1_000_000
MAX_STACK = 10_000_000
_CHOICES = {
    "structure": ("limit", "no_limit"),
    "blocked": ("suit", "rank", "none"),
    "last_two": ("battle", "showdown"),
    "bare_raise": ("small", "double"),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """The stakes and options of a game; every clause cited is one of the rules R1 to R38.

    Parameters
    ----------
    small_bet, large_bet : int
        The two stakes in chips (R3), 1 to 1,000,000 each.
    ante : int, optional
        Chips before the banners (R5); None means half the small bet, rounded down.
    structure : {"limit", "no_limit"}
        Betting structure (R20, R21). No limit needs a stack.
    stack : int, optional
        Chips each player brings to a hand (R36), 1 to 10,000,000; None means no bound.
    max_raises : int
        Raises in a battle, both sides together (R22), 0 to 1000.
    max_soldiers : int
        Soldiers that may remain after a choice (R12, R27), 0 to 5.
    blocked : {"suit", "rank", "none"}
        Which cards the foe's banner blocks (R24).
    last_two : {"battle", "showdown"}
        How the pot is decided where two are left at the end (R34).
    bare_raise : {"small", "double"}
        Raise of a player without soldiers in limit (R21): one or two small bets.
    max_turns : int
        Whole turns after which a hand is ended (R38), 1 to 1,000,000.
    deck : str or sequence of cards, optional
        Subset of the 52 cards for shrunken games; None means all.
    palace_cards : int
        Palace cards for each player (R8), 1 to 3.
    max_buys : int, optional
        Buys each player may make in a hand; None means no bound.

    Raises
    ------
    ValueError
        Names the option, what it got and what it takes.

    Examples
    --------
    >>> Rules().ante_chips
    5
    >>> Rules(small_bet=2, large_bet=4, structure="no_limit", stack=200).stack
    200
    """

    small_bet: int = 10
    large_bet: int = 20
    ante: int | None = None
    structure: str = "limit"
    stack: int | None = None
    max_raises: int = 3
    max_soldiers: int = 5
    blocked: str = "suit"
    last_two: str = "battle"
    bare_raise: str = "small"
    max_turns: int = 1000
    deck: str | Iterable[Any] | None = None
    palace_cards: int = 3
    max_buys: int | None = None

    def __post_init__(self) -> None:
        def check(name: str, low: int, high: int, what: str = "a whole number") -> None:
            object.__setattr__(self, name, whole(name, getattr(self, name), low, high, what))

        chips = "a whole number of chips"
        check("small_bet", 1, MAX_BET, chips)
        check("large_bet", 1, MAX_BET, chips)
        check("max_raises", 0, 1000)
        check("max_soldiers", 0, 5)
        check("max_turns", 1, 1_000_000)
        check("palace_cards", 1, 3)
        if self.ante is not None:
            check("ante", 0, MAX_BET, "None or a whole number of chips")
        if self.stack is not None:
            check("stack", 1, MAX_STACK, "None or a whole number of chips")
        if self.max_buys is not None:
            check("max_buys", 0, 1_000_000, "None or a whole number")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} takes one of {', '.join(map(repr, choices))}, got {getattr(self, name)!r}")
        if self.structure == "no_limit" and self.stack is None:
            raise ValueError("structure='no_limit' needs a stack (R36): pass stack=, for example stack=1000")
        if self.deck is not None:
            ids = parse_cards(self.deck)
            if len(set(ids)) != len(ids):
                twice = next(card for card in ids if list(ids).count(card) > 1)
                raise ValueError(f"deck holds {format_cards([twice])} twice")
            object.__setattr__(self, "deck", format_cards(sorted(ids)) if len(ids) < 52 else None)

    @property
    def ante_chips(self) -> int:
        """Chips of the ante (R5)."""
        return self.small_bet // 2 if self.ante is None else self.ante

    @property
    def deck_cards(self) -> list[int]:
        """Ids of the cards in the deck, ascending."""
        return list(range(52)) if self.deck is None else [int(card) for card in parse_cards(self.deck)]

    def check_seats(self, seats: int) -> int:
        """Return `seats`, or raise where that many cannot be dealt (R1, R6, R8).

        Parameters
        ----------
        seats : int
            Number of players, 2 to 10.

        Raises
        ------
        ValueError
            The number is out of range, or the deck is too small for every group of R6 and all palaces.

        Examples
        --------
        >>> Rules().check_seats(10)
        10
        """
        seats = whole("seats", seats, 2, MAX_SEATS, "a number of players")
        if self.deck is None:
            return seats
        cards = self.deck_cards
        need = seats * (1 + self.palace_cards)
        if len(cards) < need:
            raise ValueError(f"deck has {len(cards)} cards; {seats} players need {need} for banners and palaces")
        by_suit = [sum(card % 4 == suit for card in cards) for suit in range(4)]
        for group in range((seats + 3) // 4):
            players = min(4, seats - 4 * group)
            # every full group before this one took one card of each suit
            if sum(count > group for count in by_suit) < players:
                raise ValueError(
                    f"deck cannot give {players} players of group {group + 1} banners of different suits (R6): "
                    f"it has {by_suit} cards of c, d, h, s"
                )
        return seats

    def changed(self) -> dict[str, Any]:
        """Options that differ from the defaults, by name.

        Examples
        --------
        >>> Rules(blocked="rank", ante=0).changed()
        {'ante': 0, 'blocked': 'rank'}
        """
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }


def as_rules(rules: Rules | None) -> Rules:
    """Return `rules`, or the default rules for None; anything else is a ValueError."""
    if rules is None:
        return Rules()
    if not isinstance(rules, Rules):
        raise ValueError(f"rules takes a palace_sim.Rules or None, got {rules!r}")
    return rules
