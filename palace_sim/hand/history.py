"""The events of a hand: what happened, as typed frozen records and in plain words.

Cards are words and chips whole numbers. `palace_sim.hand.recording` makes the events of a move.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Words: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True)
class Event:
    """Something that happened in a hand; `str` says it in plain words."""

    def known_to(self, seat: int) -> Event:
        """Return the event as a seat came to know it: hidden cards of others left out.

        Parameters
        ----------
        seat : int
            Whose knowledge.

        Examples
        --------
        >>> print(Dealt(0, ("As", "Kd"), (("2c",), ("3c",))).known_to(1))
        dealer is seat 0; banners As Kd; palaces ?, 3c
        """
        return self


@dataclass(frozen=True)
class Dealt(Event):
    """The cards were dealt.

    Attributes
    ----------
    dealer : int
    banners : tuple of str
        One a seat.
    palaces : tuple of tuple of str
        One a seat; empty where hidden.
    """

    dealer: int
    banners: Words
    palaces: tuple[Words, ...]

    def __str__(self) -> str:
        palaces = ", ".join(" ".join(palace) or "?" for palace in self.palaces)
        return f"dealer is seat {self.dealer}; banners {' '.join(self.banners)}; palaces {palaces}"

    def known_to(self, seat: int) -> Dealt:
        shown = tuple(palace if owner == seat else () for owner, palace in enumerate(self.palaces))
        return dataclasses.replace(self, palaces=shown)


@dataclass(frozen=True)
class Placed(Event):
    """The hand began in the middle, from a position.

    Attributes
    ----------
    to_act : int
    pot : int
        Chips.
    """

    to_act: int
    pot: int

    def __str__(self) -> str:
        return f"a position with {self.pot} in the pot; seat {self.to_act} is to act"


@dataclass(frozen=True)
class Ante(Event):
    """Everybody paid the ante.

    Attributes
    ----------
    paid : tuple of int
        Chips, one a seat.
    """

    paid: tuple[int, ...]

    def __str__(self) -> str:
        if len(set(self.paid)) == 1:
            return f"each pays an ante of {self.paid[0]}"
        return f"antes of {', '.join(map(str, self.paid))}"


@dataclass(frozen=True)
class Bought(Event):
    """A soldier was bought.

    Attributes
    ----------
    seat : int
    card : str
    price : int
        Chips.
    reshuffled : bool
        Whether the discard pile was shuffled first, since the draw pile was empty.
    """

    seat: int
    card: str
    price: int
    reshuffled: bool

    def __str__(self) -> str:
        after = ", after the discard pile was shuffled" if self.reshuffled else ""
        return f"seat {self.seat} buys {self.card} for {self.price}{after}"


@dataclass(frozen=True)
class Kept(Event):
    """Somebody chose which soldiers remain.

    Attributes
    ----------
    seat : int
    kept, discarded : tuple of str
    """

    seat: int
    kept: Words
    discarded: Words

    def __str__(self) -> str:
        kept = f"keeps {' '.join(self.kept) or 'nobody'}"
        return f"seat {self.seat} {kept}" + (f" and discards {' '.join(self.discarded)}" if self.discarded else "")


@dataclass(frozen=True)
class Stayed(Event):
    """A player stayed."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat} stays"


@dataclass(frozen=True)
class Discarded(Event):
    """A player discarded soldiers on its turn."""

    seat: int
    cards: Words

    def __str__(self) -> str:
        return f"seat {self.seat} discards {' '.join(self.cards)}"


@dataclass(frozen=True)
class Folded(Event):
    """A player folded, on its turn or in a battle."""

    seat: int
    in_battle: bool

    def __str__(self) -> str:
        return f"seat {self.seat} folds" + (" in the battle" if self.in_battle else "")


@dataclass(frozen=True)
class Attacked(Event):
    """A battle was opened; `amount` is the whole bet in chips."""

    seat: int
    target: int
    amount: int

    def __str__(self) -> str:
        return f"seat {self.seat} attacks seat {self.target} for {self.amount}"


@dataclass(frozen=True)
class Called(Event):
    """A side of a battle called; `paid` is what it put in, in chips."""

    seat: int
    paid: int

    def __str__(self) -> str:
        return f"seat {self.seat} calls for {self.paid}"


@dataclass(frozen=True)
class Raised(Event):
    """A side of a battle raised: `paid` chips in all, of which `amount` on top of the call."""

    seat: int
    amount: int
    paid: int

    def __str__(self) -> str:
        return f"seat {self.seat} pays {self.paid - self.amount} and raises by {self.amount}"


def _returned(chips: int, seat: int) -> str:
    return f"; {chips} go back to seat {seat}" if chips else ""


@dataclass(frozen=True)
class BattleWon(Event):
    """A battle was won, by a call or since the other side folded.

    Attributes
    ----------
    winner, loser : int
    captured : tuple of str
        The loser's soldiers and banner, now the winner's soldiers.
    palace : tuple of str
        The loser's palace; empty where hidden.
    called_by : int or None
        Who called; None where the loser folded.
    returned_to : int or None
        Who got chips back, a raise or an excess that was not matched.
    returned : int
        Chips.
    """

    winner: int
    loser: int
    captured: Words
    palace: Words
    called_by: int | None
    returned_to: int | None
    returned: int

    def __str__(self) -> str:
        back = "" if self.returned_to is None else _returned(self.returned, self.returned_to)
        return f"seat {self.winner} beats seat {self.loser} and captures {' '.join(self.captured)}{back}"

    def known_to(self, seat: int) -> BattleWon:
        learns = seat == self.loser or seat == self.winner == self.called_by  # R28
        return self if learns else dataclasses.replace(self, palace=())


@dataclass(frozen=True)
class BattleTied(Event):
    """Both sides of a battle were equal.

    Attributes
    ----------
    attacker, defender : int
    last_two : bool
        Whether they were the last two, who do not go out.
    returned_to : int or None
        Who got chips back, a raise or an excess that was not matched.
    returned : int
        Chips.
    """

    attacker: int
    defender: int
    last_two: bool
    returned_to: int | None
    returned: int

    def __str__(self) -> str:
        back = "" if self.returned_to is None else _returned(self.returned, self.returned_to)
        result = "tie" if self.last_two else "tie and go out"
        return f"seats {self.attacker} and {self.defender} {result}{back}"


_HOW = {
    "one left": "the only one left",
    "one suit": "all banners left are of one suit",
    "showdown": "showdown",
    "battle": "the last two compared as in a battle",
    "tie": "the last two tied",
    "truncated": "cut short at max_turns",
}


@dataclass(frozen=True)
class PotWon(Event):
    """The hand ended.

    Attributes
    ----------
    end : str
        "one left", "one suit", "showdown", "battle", "tie" or "truncated".
    shares : tuple of (int, int)
        Seat and chips of each who got a share.
    """

    end: str
    shares: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        if len(self.shares) == 1:
            seat, chips = self.shares[0]
            return f"seat {seat} takes the pot of {chips}: {_HOW[self.end]}"
        split = ", ".join(f"{chips} to seat {seat}" for seat, chips in self.shares)
        return f"the pot is split, {split}: {_HOW[self.end]}"


def by_moves(events: Iterable[Event]) -> list[list[Event]]:
    """Split a history into what the hand began with, and each move with what came of it.

    Parameters
    ----------
    events : iterable of Event
        The history of a hand.

    Examples
    --------
    >>> [len(part) for part in by_moves([Placed(0, 60), Stayed(0), Folded(1, False), PotWon("one left", ((0, 60),))])]
    [1, 1, 2]
    """
    parts: list[list[Event]] = []
    for event in events:
        if parts and isinstance(event, Ante | BattleWon | BattleTied | PotWon):
            parts[-1].append(event)
        else:
            parts.append([event])
    return parts
