"""What can be seen of a hand: the attributes of `Hand`, read off the kernels' record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palace_sim.hand.recording import word, words
from palace_sim.kernels.deal import lay_out
from palace_sim.kernels.state import ENDS, KEEP, OVER, RAISE, RESPOND, TURN, VERBS
from palace_sim.rules import Rules

PHASES = {TURN: "turn", RESPOND: "respond", KEEP: "keep", OVER: "over"}


@dataclass(frozen=True)
class Player:
    """A player of a hand, as it is now.

    Attributes
    ----------
    banner : str or None
        Banner card; None for a seat that was out before the position began.
    palace : list of str
        Palace cards; none once out.
    soldiers : list of str
        Soldiers.
    active : bool
        Whether the player is in the hand.
    paid : int
        Chips paid into the pot, returned ones taken off.
    chips : int or None
        Chips left; None where there is no stack.
    """

    banner: str | None
    palace: list[str]
    soldiers: list[str]
    active: bool
    paid: int
    chips: int | None


class Standing:
    """A hand as it stands.

    Attributes
    ----------
    rules : Rules
        The rules of the hand.
    record : STATE record
        What the kernels work on (`palace_sim.kernels.state`); to be read only.
    """

    rules: Rules
    record: Any
    _sunk: list[int]

    @property
    def phase(self) -> str:
        """What is asked: "turn", "respond", "keep", or "over" once nothing is."""
        return PHASES[int(self.record.phase)]

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return bool(self.record.phase == OVER)

    @property
    def end(self) -> str | None:
        """How the hand ended: "one left", "one suit", "showdown", "battle", "tie", "truncated"; None before."""
        return ENDS[int(self.record.end)] if self.over else None

    @property
    def to_act(self) -> int | None:
        """Seat that decides, in phase "keep" the one who bought or won; None once the hand is over."""
        return None if self.over else int(self.record.to_act)

    def legal(self) -> set[str]:
        """Return the verbs open now.

        Examples
        --------
        >>> from palace_sim import Hand
        >>> sorted(Hand.deal(seats=2).buy().legal())
        ['keep']
        """
        return {name for verb, name in VERBS.items() if self.record.legal >> verb & 1}

    @property
    def targets(self) -> list[int]:
        """Seats that may be attacked; none when short of the price (R18) or when it is not one's turn."""
        return [seat for seat in range(self.seats) if self.record.targets >> seat & 1]

    @property
    def price(self) -> int | None:
        """On a turn the own R18, in a battle the full call, both in chips whatever chips one has; else None."""
        return int(self.record.price) if self.record.phase in (TURN, RESPOND) else None

    @property
    def min_raise(self) -> int | None:
        """Least raise on top of the price, in chips; None where no raise is open."""
        return int(self.record.min_raise) if self.record.legal >> RAISE & 1 else None

    @property
    def max_raise(self) -> int | None:
        """Greatest raise on top of the price, in chips; None where no raise is open."""
        return int(self.record.max_raise) if self.record.legal >> RAISE & 1 else None

    @property
    def pot(self) -> int:
        """Chips in the pot; 0 once the hand is over."""
        return int(self.record.pot)

    @property
    def nets(self) -> list[int]:
        """Net chips of each seat (R37); before the end, what it has paid, negative.

        A replay of ``play(start=...)`` counts from the position on, like the rows of that run.
        """
        record = self.record
        paid = [int(record.players[seat].paid) - self._sunk[seat] for seat in range(self.seats)]
        return [int(record.tally[seat].won) - paid[seat] for seat in range(self.seats)]

    @property
    def truncated(self) -> bool:
        """Whether the hand was ended by `max_turns` (R38)."""
        return bool(self.record.truncated)

    @property
    def draw_pile(self) -> list[str]:
        """Cards of the draw pile, top first."""
        record = self.record.copy()
        lay_out(record)
        return [word(int(card)) for card in record.pile[: record.draw_size][::-1]]

    @property
    def discard_pile(self) -> list[str]:
        """Cards of the discard pile, lowest first (it has no order that matters, R13)."""
        return words(self.record.discards)

    @property
    def players(self) -> list[Player]:
        """The players, by seat."""
        return [self._player(seat) for seat in range(self.seats)]

    def _player(self, seat: int) -> Player:
        player = self.record.players[seat]
        active = bool(player.active)
        return Player(
            banner=word(int(player.banner)) if player.banner >= 0 else None,
            palace=words(self.record.palace[seat]) if active else [],
            soldiers=words(player.soldiers),
            active=active,
            paid=int(player.paid),
            chips=None if self.rules.stack is None else int(player.chips),
        )

    @property
    def seats(self) -> int:
        """Number of players dealt in."""
        return int(self.record.seats)

    @property
    def dealer(self) -> int:
        """Seat of the dealer."""
        return int(self.record.dealer)

    @property
    def turns(self) -> int:
        """Whole turns so far (R38)."""
        return int(self.record.turns)
