"""`Hand`: one hand of Palace Poker, move by move, in plain words."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.cards import Cards
from palace_sim.hand import positions
from palace_sim.hand.history import Event, Placed, by_moves
from palace_sim.hand.positions import PlayerCards
from palace_sim.hand.recording import dealt_events, events_of
from palace_sim.hand.refusals import why_not
from palace_sim.hand.telling import Telling
from palace_sim.kernels import act, engine
from palace_sim.kernels.keeping import keep_best
from palace_sim.kernels.rng import CHOICE, open_stream
from palace_sim.kernels.state import STATE
from palace_sim.kernels.view import fill_view, new_view
from palace_sim.rules import Rules, as_rules

MANY = 10**12  # more chips than anybody can have, and more seats


class IllegalMove(ValueError):
    """A move that the rules forbid; the message says which clause, and the hand is as it was."""


class Hand(Telling):
    """One hand of Palace Poker, played move by move.

    Made by `Hand.deal`, `Hand.from_cards` or `Hand.from_position`. Moves return the hand itself, so they can be
    chained; an illegal one raises `IllegalMove` and changes nothing.

    Attributes
    ----------
    rules : Rules
        The rules of the hand.
    record : STATE record
        What the kernels work on (`palace_sim.kernels.state`); to be read only.

    Examples
    --------
    >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h")
    >>> hand.to_act, sorted(hand.legal())
    (1, ['attack', 'buy', 'fold', 'stay'])
    >>> hand.stay().stay().nets
    [5, -5]
    >>> print(hand.history[-1])
    seat 0 takes the pot of 10: the last two compared as in a battle
    """

    def __init__(
        self,
        rules: Rules | None,
        states: np.ndarray,
        history: Iterable[Event],
        sunk: Iterable[int] | None = None,
        decisions: Iterable[tuple[Any, int]] = (),
    ) -> None:
        self.rules = as_rules(rules)
        self._states = states
        self.record: Any = states[0]
        self._history = list(history)
        self._sunk = [0] * int(self.record.seats) if sunk is None else list(sunk)
        self._decisions = list(decisions)

    # --- making a hand ------------------------------------------------------------------------------------------------

    @classmethod
    def deal(
        cls, rules: Rules | None = None, seats: int = 4, seed: int = 1, deal: int = 0, dealer: int | None = None
    ) -> Hand:
        """Deal a hand: the cards of this deal in a run with this seed.

        Parameters
        ----------
        rules : Rules, optional
            None for the default rules.
        seats : int
            Players, 2 to 10.
        seed, deal : int
            Key of the cards and of later reshuffles; 0 or more.
        dealer : int, optional
            Seat of the dealer; None draws for it (R4).

        Raises
        ------
        ValueError
            An argument is not what it should be; named.

        Examples
        --------
        >>> hand = Hand.deal(seats=3, seed=1, deal=7, dealer=2)
        >>> hand.to_act, hand.pot, len(hand.draw_pile)
        (0, 15, 40)
        """
        states = positions.dealt(rules, seats, seed, deal, dealer)
        return cls(rules, states, dealt_events(states[0]))

    @classmethod
    def from_cards(
        cls,
        rules: Rules | None,
        banners: Cards,
        palaces: Iterable[Cards],
        draw_pile: Cards,
        dealer: int = 0,
        seed: int = 0,
    ) -> Hand:
        """Begin a hand with given cards.

        Parameters
        ----------
        rules : Rules or None
            None for the default rules.
        banners : cards
            One a seat, 2 to 10; they need not follow R6.
        palaces : list of cards
            One a seat.
        draw_pile : cards
            Top card first; may be short. Cards that are not named are out of the hand.
        dealer : int
            Seat of the dealer.
        seed : int
            Key of reshuffles.

        Raises
        ------
        ValueError
            An argument is not what it should be, or a card is there twice; named.

        Examples
        --------
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 5d", dealer=1)
        >>> hand.buy().keep("2c").players[0].soldiers
        ['2c']
        """
        states = positions.from_cards(rules, banners, palaces, draw_pile, dealer, seed)
        return cls(rules, states, dealt_events(states[0]))

    @classmethod
    def from_position(
        cls,
        rules: Rules | None,
        players: Iterable[PlayerCards | None],
        to_act: int = 0,
        dealer: int = 0,
        pot: int = 0,
        paid: Iterable[int] | None = None,
        passed: int = 0,
        discards: Cards = "",
        seed: int = 0,
    ) -> Hand:
        """Begin in the middle of a hand, at the start of a turn.

        Parameters
        ----------
        rules : Rules or None
            None for the default rules.
        players : list of str or None
            One a seat: "banner/palace/soldiers", like "As/KsKd9c/5s". "?", or a palace with too few cards, stands for
            hidden cards, which are drawn. None for a seat that is out of the hand; it leaves nothing behind but what
            is named in `discards`.
        to_act : int
            Seat that has the turn.
        dealer : int
            Seat of the dealer.
        pot : int
            Chips in the pot.
        paid : list of int, optional
            Who has paid how much of the pot, one number a seat; None for equal parts, odd chips one each by the seats
            nearest the dealer's left. With a stack, chips left are the stack less this.
        passed : int
            How many players have stayed or discarded since the last buy or attack (R32). Turns go round, so they are
            the last ones in the hand before `to_act`.
        discards : cards
            The discard pile, known to everybody. A "?" stands for one hidden card of a player who is out; hidden
            ones come as whole palaces. Every card that is placed nowhere is in the draw pile.
        seed : int
            Key of hidden cards and reshuffles.

        Raises
        ------
        ValueError
            An argument is not what it should be, a card is there twice, or the hand would be over; named.

        Examples
        --------
        >>> hand = Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None], to_act=0, dealer=2, pot=60)
        >>> hand.price, hand.targets, hand.players[1].soldiers
        (20, [1], ['Tc', 'Td'])
        """
        states = positions.from_position(rules, players, to_act, dealer, pot, paid, passed, discards, seed)
        return cls(rules, states, [Placed(int(states[0].to_act), int(states[0].pot))])

    @classmethod
    def from_state(cls, rules: Rules | None, state: Any, from_here: bool = False) -> Hand:
        """Begin with a copy of a kernels' record.

        Parameters
        ----------
        rules : Rules or None
            The rules that the record holds.
        state : STATE record
            A hand at any point.
        from_here : bool
            Count `nets` from this point on: what has been paid before is sunk.

        Examples
        --------
        >>> hand = Hand.deal(seats=2)
        >>> Hand.from_state(hand.rules, hand.record, from_here=True).nets
        [0, 0]
        """
        states = np.array([state], STATE)
        state = states[0]
        fresh = state.turns == 0 and state.out == 0 and state.pot + state.final_pot == state.tally["paid_ante"].sum()
        placed = Placed(int(state.to_act), int(state.pot))
        sunk = [int(state.players[seat].paid) for seat in range(int(state.seats))] if from_here else None
        return cls(rules, states, dealt_events(state) if fresh and not from_here else [placed], sunk)

    def copy(self) -> Hand:
        """Return a hand of its own that is as this one is now.

        Examples
        --------
        >>> hand = Hand.deal()
        >>> hand.copy().fold().history == hand.history
        False
        """
        return Hand(self.rules, self._states.copy(), self._history, self._sunk, self._decisions)

    def rewound(self, moves: int) -> Hand:
        """Return a hand of its own that is as this one was after so many of its moves.

        Parameters
        ----------
        moves : int
            0 for what it began with, up to ``len(hand.decisions)``.

        Raises
        ------
        ValueError
            There are not so many.

        Examples
        --------
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h").buy().keep("2c")
        >>> hand.rewound(1).phase, hand.rewound(0).history == hand.history[:2]
        ('keep', True)
        """
        moves = whole("moves", moves, 0, len(self._decisions), "a number of moves made on this hand")
        if moves == len(self._decisions):
            return self.copy()
        states = np.array([self._decisions[moves][0]], STATE)
        history = itertools.chain(*by_moves(self._history)[: moves + 1])
        return Hand(self.rules, states, history, self._sunk, self._decisions[:moves])

    def __copy__(self) -> Hand:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Hand, (self.rules, self._states, self._history, self._sunk, self._decisions)

    def position_bytes(self) -> bytes:
        """Return the record as bytes, as a position whose results are counted from here on.

        Examples
        --------
        >>> hand = Hand.deal(seats=2)
        >>> len(hand.position_bytes()) == hand.record.nbytes
        True
        """
        states = self._states.copy()
        state = states[0]
        state.battles = 0
        for name in state.tally.dtype.names:
            if name != "outcome":
                state.tally[name] = 0
        return states.tobytes()

    # --- what can be seen, beside what `Standing` and `Telling` show -------------------------------------------------

    def view(self, seat: int) -> Any:
        """Return what a seat knows, as a policy is shown it.

        Parameters
        ----------
        seat : int
            Whose knowledge.

        Returns
        -------
        VIEW record
            A fresh copy (`palace_sim.kernels.view` describes the fields), without parameters and with an empty memo;
            its stream is at the start of the seat's choices.

        Examples
        --------
        >>> view = Hand.deal(seats=3).view(2)
        >>> int(view.seat), int(view.seen).bit_count()
        (2, 6)
        """
        seat = whole("seat", seat, 0, self.seats - 1, "a seat")
        view = new_view()
        fill_view(view, self.record, seat)
        open_stream(view.stream, self.record.seed, self.record.deal, CHOICE, seat, 0)
        return view

    def __repr__(self) -> str:
        doing = "over" if self.over else f"seat {self.to_act} {self.phase}"
        return f"<Hand: {self.seats} seats, {doing}, pot {self.pot}, {self.turns} turns>"

    # --- moves --------------------------------------------------------------------------------------------------------

    def act(self, code: int) -> Hand:
        """Make a move given as an action code, as policies return it (`palace_sim.act`).

        Parameters
        ----------
        code : int
            Action code.

        Raises
        ------
        IllegalMove
            The rules forbid it.

        Examples
        --------
        >>> Hand.deal(seats=2).act(act.fold()).phase
        'over'
        """
        try:
            code = operator.index(code)
        except TypeError:
            raise TypeError(f"code takes an action code like palace_sim.act.stay(), got {code!r}") from None
        if not 0 < code < 1 << 63:
            raise IllegalMove(f"{code} is no action code: palace_sim.act makes them")
        fault = int(engine.fault(self.record, code))
        if fault != engine.OK:
            raise IllegalMove(why_not(self.record, code, fault))
        before = self._states.copy()[0]
        engine.apply(self.record, code)
        self._history += events_of(before, code, self.record)
        self._decisions.append((before, code))
        return self

    def buy(self) -> Hand:
        """Buy a soldier for one small bet (R12).

        Examples
        --------
        >>> hand = Hand.deal(seats=3, seed=4, dealer=2)
        >>> hand.buy().phase, len(hand.players[0].soldiers), hand.pot
        ('keep', 1, 25)
        """
        return self.act(act.buy())

    def stay(self) -> Hand:
        """Stay: do nothing this turn (R15).

        Examples
        --------
        >>> Hand.deal(seats=3, dealer=2).stay().to_act
        1
        """
        return self.act(act.stay())

    def fold(self) -> Hand:
        """Fold, on a turn (R16) or in a battle (R23).

        Examples
        --------
        >>> Hand.deal(seats=2).fold().end
        'one left'
        """
        return self.act(act.fold())

    def discard(self, cards: Cards) -> Hand:
        """Discard one or more soldiers (R14).

        Parameters
        ----------
        cards : cards
            Text, a list of words or ids; a bare int is a card set.

        Examples
        --------
        >>> hand = Hand.from_position(None, ["As/?/5s 7c", "2h/?/"], pot=20)
        >>> hand.discard("7c").players[0].soldiers
        ['5s']
        """
        return self.act(act.discard(cards))

    def attack(self, target: int, amount: int | None = None) -> Hand:
        """Attack a seat (R17).

        Parameters
        ----------
        target : int
            Seat of the defender.
        amount : int, optional
            The whole bet in chips (R20); None or 0 for the least, one's own price (R18).

        Examples
        --------
        >>> hand = Hand.from_position(None, ["As/?/5s 7c", "2h/?/"], pot=20)
        >>> hand.attack(1).pot, hand.to_act, hand.price
        (50, 1, 10)
        """
        target = whole("target", target, -MANY, MANY, "a seat")
        if not 0 <= target < self.seats:
            raise IllegalMove(f"seat {target} is not in the hand (R17)")
        return self.act(act.attack(target, _amount(amount)))

    def call(self) -> Hand:
        """Call in a battle (R21, R22): the two hands are compared.

        Examples
        --------
        >>> hand = Hand.from_position(None, ["As/AdAcAh/", "2h/3c5d7s/"], pot=20).attack(1)
        >>> hand.call().nets
        [20, -20]
        """
        return self.act(act.call())

    def raise_(self, amount: int | None = None) -> Hand:
        """Raise in a battle (R21, R22).

        Parameters
        ----------
        amount : int, optional
            Chips on top of the call; None or 0 for the least.

        Examples
        --------
        >>> hand = Hand.from_position(None, ["As/?/5s 7c", "2h/?/"], pot=20).attack(1)
        >>> hand.raise_().price, hand.history[-1].amount
        (10, 10)
        """
        return self.act(act.raise_(_amount(amount)))

    def keep(self, cards: Cards) -> Hand:
        """Keep these soldiers and discard the others (R12, R27), the answer in phase "keep".

        Parameters
        ----------
        cards : cards
            Text, a list of words or ids; a bare int is a card set.

        Examples
        --------
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d").buy()
        >>> print(hand.keep("").history[-1])
        seat 1 keeps nobody and discards 2c
        """
        return self.act(act.keep(cards))

    def keep_best(self) -> Hand:
        """Keep what the engine keeps for policies that are not asked: all that fit, else the highest hand (R33).

        Examples
        --------
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d").buy()
        >>> print(hand.keep_best().history[-1])
        seat 1 keeps 2c
        """
        return self.act(act.keep(int(keep_best(self.record, self.record.to_act)) if not self.over else 0))


def _amount(amount: int | None) -> int:
    return 0 if amount is None else whole("amount", amount, 0, MANY, "a whole number of chips")
