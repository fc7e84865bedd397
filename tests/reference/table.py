"""The table of one hand: cards, chips and knowledge, with what must hold of them after every move."""

from dataclasses import dataclass

from .evaluator import evaluate, in_order

DEFAULTS = {
    "small_bet": 10, "large_bet": 20, "ante": None, "structure": "limit", "stack": None, "max_raises": 3,
    "max_soldiers": 5, "blocked": "suit", "last_two": "battle", "bare_raise": "small", "max_turns": 1000,
    "deck": None, "palace_cards": 3, "max_buys": None,
}  # fmt: skip
PAID = ("paid_ante", "paid_buy", "paid_attack", "paid_call", "paid_raise")
COUNTS = ("buys", "attacks", "defences", "battles_won", "battles_lost", "battles_folded", "turns")


@dataclass
class Battle:
    """A battle under way: what `Referee.to_act` must answer.

    Attributes
    ----------
    attacker, defender : int
    call : int
        The full call, whatever chips the caller has.
    last : int
        The part of `call` that is the last raise (or the excess of R20); 0 where nothing was raised.
    raiser : int
        Who made it, and `kind`, the tally it was paid into: where it goes back to.
    raises : int
    """

    attacker: int
    defender: int
    call: int
    last: int
    raiser: int
    kind: str
    raises: int = 0

    def other(self, seat):
        return self.defender if seat == self.attacker else self.attacker


class Table:
    """What lies on the table, before any rule of play; the parameters are those of `Referee`."""

    def __init__(self, rules, banners, palaces, draw_pile, dealer, reshuffle=list):
        unknown = set(rules) - set(DEFAULTS)
        assert not unknown, f"no such options: {unknown}"
        self.rules = {**DEFAULTS, **rules}
        self.seats = len(banners)
        self.dealer = dealer
        self.banners = list(banners)
        self.palaces = [list(palace) for palace in palaces]  # as dealt, also of those who are out
        self.soldiers = [[] for _ in banners]
        self.draw_pile = list(draw_pile)
        self.discard_pile = []
        self.active = [True] * self.seats
        self.paid = [0] * self.seats
        self.won = [0] * self.seats
        self.pot = 0
        self.turns = 0
        self.truncated = False
        self.reshuffles = 0
        self.battles = []
        self.tallies = [dict.fromkeys(("won", *PAID, *COUNTS), 0) for _ in banners]
        self._reshuffle = reshuffle
        self._battle = None
        self._turn_of = None
        self._passed = set()  # who stayed or discarded since the last buy or attack (R32)
        self._face_up = set(banners)  # every card that ever lay face up in front of somebody
        self._learnt = [set() for _ in banners]  # palaces a caller who won was shown (R28)
        self._known_discards = [set() for _ in banners]
        self._all_cards = in_order([*banners, *(c for p in palaces for c in p), *draw_pile])
        assert len(set(self._all_cards)) == len(self._all_cards), "a card is there twice"

    # ---- chips -------------------------------------------------------------------------------------------------------

    @property
    def chips(self):
        """Chips in front of each seat, None for no bound (R36); the pot is added to them when the hand ends."""
        if self.rules["stack"] is None:
            return None
        return [self.rules["stack"] - self.paid[s] + self.won[s] for s in range(self.seats)]

    @property
    def nets(self):
        """R37; before the end, what has been paid so far, as a loss."""
        return [self.won[s] - self.paid[s] for s in range(self.seats)]

    def _r18(self, seat):
        return (len(self.soldiers[seat]) + 1) * self.rules["small_bet"]

    def _afford(self, seat, amount):
        return amount if self.chips is None else min(amount, self.chips[seat])

    def _has(self, seat, amount):
        return self._afford(seat, amount) == amount

    def _pay(self, seat, kind, amount):
        self.paid[seat] += amount
        self.pot += amount
        self.tallies[seat][kind] += amount

    def _give_back(self, seat, kind, amount):
        self._pay(seat, kind, -amount)

    # ---- cards -------------------------------------------------------------------------------------------------------

    def _in(self):
        return [s for s in range(self.seats) if self.active[s]]

    def _shuffle_discards(self):
        given = in_order(self.discard_pile)
        self.draw_pile = list(self._reshuffle(list(given)))
        assert in_order(self.draw_pile) == given, "the reshuffle is no permutation"
        self.discard_pile = []
        self.reshuffles += 1
        for known in self._known_discards:
            known.clear()

    def _discard_openly(self, cards):
        self.discard_pile += cards
        for known in self._known_discards:
            known.update(cards)

    def _throw_away(self, seat, cards):
        self.soldiers[seat] = [c for c in self.soldiers[seat] if c not in cards]
        self._discard_openly(cards)

    def _put_out(self, seat, face_up_too):
        self.active[seat] = False
        self.discard_pile += self.palaces[seat]
        self._known_discards[seat].update(self.palaces[seat])
        if face_up_too:
            self._discard_openly([self.banners[seat], *self.soldiers[seat]])
            self.soldiers[seat] = []

    def _usable(self, seat, foe):
        """R24."""
        cards = [self.banners[seat], *self.palaces[seat], *self.soldiers[seat]]
        banner, blocked = self.banners[foe], self.rules["blocked"]
        if blocked == "suit":
            return [c for c in cards if c[1] != banner[1]]
        return [c for c in cards if c[0] != banner[0]] if blocked == "rank" else cards

    def _battle_value(self, seat, foe):
        """R25."""
        usable = self._usable(seat, foe)
        return evaluate(usable), sum(c[1] == self.banners[seat][1] for c in usable)

    def _showdown_value(self, seat):
        """R33."""
        return evaluate([self.banners[seat], *self.palaces[seat], *self.soldiers[seat]])

    # ---- knowledge ---------------------------------------------------------------------------------------------------

    def seen(self, seat):
        """Cards that this seat knows to be in nobody else's palace (R28). Only grows."""
        return self._face_up | set(self.palaces[seat]) | self._learnt[seat]

    def gone(self, seat):
        """Own palace, face-up cards in play, and what this seat knows to lie in the discard pile (R28)."""
        own = set(self.palaces[seat]) if self.active[seat] else set()
        in_play = {c for s in self._in() for c in (self.banners[s], *self.soldiers[s])}
        return own | in_play | self._known_discards[seat]

    # ---- what must hold after every move -----------------------------------------------------------------------------

    def _check(self):
        in_play = [c for s in self._in() for c in (self.banners[s], *self.palaces[s], *self.soldiers[s])]
        assert in_order([*in_play, *self.draw_pile, *self.discard_pile]) == self._all_cards
        assert all(self.active[s] or not self.soldiers[s] for s in range(self.seats))
        assert self.pot + sum(self.won) == sum(self.paid)
        for seat, tally in enumerate(self.tallies):
            assert self.paid[seat] == sum(tally[kind] for kind in PAID)
            assert all(count >= 0 for count in tally.values())
        if self.chips is not None:
            assert min(self.chips) >= 0
            assert sum(self.chips) + self.pot == self.seats * self.rules["stack"]
        if self.phase == "over":
            assert sum(self.nets) == 0
            assert self.pot == 0
        else:
            assert self.active[self.to_act]
        hidden = set(self.draw_pile)
        for seat in range(self.seats):
            gone, seen = self.gone(seat), self.seen(seat)
            assert gone <= seen
            assert not gone & hidden
            assert not any(seen.intersection(self.palaces[s]) for s in self._in() if s != seat)
