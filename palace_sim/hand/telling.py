"""How a hand is told: its history, and looking at it with the eyes of a seat; a part of `Hand`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from palace_sim.hand.history import Event
from palace_sim.hand.showing import as_text
from palace_sim.hand.standing import Standing
from palace_sim.hand.stepping import Shown, Steps, check_names, check_seat

if TYPE_CHECKING:
    from palace_sim.hand.hand import Hand


class Telling(Standing):
    """A hand as it is told.

    Attributes
    ----------
    rules : Rules
        The rules of the hand.
    record : STATE record
        What the kernels work on (`palace_sim.kernels.state`); to be read only.
    """

    _history: list[Event]
    _decisions: list[tuple[Any, int]]

    @property
    def history(self) -> tuple[Event, ...]:
        """What has happened, as typed events; `str` of one says it in plain words."""
        return tuple(self._history)

    @property
    def decisions(self) -> tuple[tuple[Any, int], ...]:
        """The moves made on this hand so far: for each the STATE record before it, to be read only, and its code.

        Examples
        --------
        >>> from palace_sim import Hand, act
        >>> [(int(before.to_act), code == act.stay()) for before, code in Hand.deal(seats=2, dealer=1).stay().decisions]
        [(0, True)]
        """
        return tuple(self._decisions)

    def show(self, seat: int | None = None, names: Sequence[str] | None = None) -> Shown:
        """Return the hand as it is now, to look at: `str` is text, a notebook shows HTML.

        Parameters
        ----------
        seat : int, optional
            Show only what this seat knows: its own palace and those that it saw as a caller who won (R28). None shows
            all cards, as `str` of the hand and the hand in a notebook do.
        names : list of str, optional
            Names of the players, one a seat.

        Raises
        ------
        ValueError
            No such seat, or not one name a seat.

        Examples
        --------
        >>> from palace_sim import Hand
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h")
        >>> print(hand.show(seat=1))
        Palace Poker, limit 10/20, 2 seats, as seat 1 knows it
        seat 1 has its turn: attack, buy, fold, stay; price 10, targets 0
        pot 10; draw pile 3, discard pile 0; turn 0
          seat  banner  palace    soldiers  paid  net
          0 D   As      ? ? ?               5     -5
          1 *   Kd      3s Jh Kc            5     -5
        """
        return Shown(cast("Hand", self).copy(), check_seat(self, seat), check_names(self, names))

    def steps(self, seat: int | None = None, names: Sequence[str] | None = None) -> Steps:
        """Return the hand move by move, with the position before and after each.

        Parameters
        ----------
        seat : int, optional
            Tell only what this seat knew at the time (R28); None tells all.
        names : list of str, optional
            Names of the players, one a seat.

        Returns
        -------
        Steps
            A sequence; a notebook shows it with buttons to step through, `str` is text, `save` writes a page.

        Raises
        ------
        ValueError
            No such seat, or not one name a seat.

        Examples
        --------
        >>> from palace_sim import Hand
        >>> steps = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h").buy().keep("2c").steps()
        >>> [str(step) for step in steps[1:]]
        ['seat 1 buys 2c for 10', 'seat 1 keeps 2c']
        >>> steps[1].before.hand.pot, steps[1].after.hand.pot
        (10, 20)
        """
        return Steps(cast("Hand", self), check_seat(self, seat), check_names(self, names))

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()
