"""Helpers for policies (public as `palace_sim.see`): what a view says, in the words of the game.

All of them are compiled and work the same in a compiled and in a plain-Python policy. They take the view first, but for
`count` and `category`; a foe is a seat, and a set of cards or seats is an int with a bit for each.

Examples
--------
>>> from palace_sim import Hand, see
>>> hand = Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", "3s/?/"], to_act=0, pot=60)
>>> view = hand.view(0)
>>> see.can_buy(view), see.can_attack(view), see.weakest(view)         # seat 2 has a banner of the own suit (R17)
(True, True, 1)
>>> see.army(view, 1), see.category(see.strength(view)), see.category(see.visible(view, 1))   # a pair against a pair
(2, 1, 1)
>>> see.count(see.usable(view, 1)), see.chance(view, 1) > 0.5
(5, True)
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import ranking, rng
from palace_sim.kernels.deal import banner_suit, card_bit
from palace_sim.kernels.jit import inlined, kernel, load_float, load_word, lowest_bit, popcount
from palace_sim.kernels.keeping import best_soldiers
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.settle import usable as usable_cards
from palace_sim.kernels.settle import worth
from palace_sim.kernels.state import ATTACK, BUY, DISCARD, RAISE

__all__ = [
    "army",
    "below",
    "best_keep",
    "blocked",
    "can_attack",
    "can_buy",
    "can_discard",
    "can_raise",
    "category",
    "chance",
    "cost",
    "count",
    "face_up",
    "last_two",
    "lead",
    "left",
    "own_cards",
    "own_suit",
    "pick",
    "smallest_army",
    "strength",
    "table",
    "table_int",
    "uniform",
    "unseen",
    "usable",
    "visible",
    "weakest",
]

SAMPLES = 32  # palaces that `chance` draws


@inlined
def table(view: Any, k: int) -> float:
    """Number k of the policy's table (`policy(table=...)`), rows of a matrix one after the other; NaN outside of it."""
    size = view.table_size
    if k < 0 or k >= abs(size):
        return float("nan")
    return load_float(view.table, k) if size > 0 else float(load_word(view.table, k))


@inlined
def table_int(view: Any, k: int) -> int:
    """Number k of the policy's table, its fraction cut off; 0 outside of the table, and for what no int64 can be."""
    size = view.table_size
    if k < 0 or k >= abs(size):
        return 0
    if size < 0:
        return load_word(view.table, k)
    number = load_float(view.table, k)
    return int(number) if -9.2e18 < number < 9.2e18 else 0


@inlined
def can_buy(view: Any) -> bool:
    """Whether a soldier can be bought now (R12, R13, R36)."""
    return view.legal >> BUY & 1 == 1


@inlined
def can_discard(view: Any) -> bool:
    """Whether there is a soldier to discard, on one's turn (R14)."""
    return view.legal >> DISCARD & 1 == 1


@inlined
def can_attack(view: Any) -> bool:
    """Whether somebody may be attacked now (R17, R36)."""
    return view.legal >> ATTACK & 1 == 1


@inlined
def can_raise(view: Any) -> bool:
    """Whether a raise is open (R21, R22, R36)."""
    return view.legal >> RAISE & 1 == 1


@inlined
def uniform(view: Any) -> float:
    """Random number from [0, 1), from the policy's own stream."""
    return rng.uniform(view.stream)


@inlined
def below(view: Any, n: int) -> int:
    """Random whole number from 0 to n - 1, from the policy's own stream."""
    return rng.below(view.stream, n)


@inlined
def pick(view: Any, bits: int) -> int:
    """Random bit of a set of seats or cards, as its index; -1 for the empty set."""
    if bits == 0:
        return -1
    for _ in range(rng.below(view.stream, popcount(bits))):
        bits &= bits - 1
    return lowest_bit(bits)


@inlined
def count(cards: int) -> int:
    """Number of cards in a card set."""
    return popcount(cards)


@kernel
def cost(view: Any) -> int:
    """Chips that a call would take: the price, as far as the own chips go (R36)."""
    return min(view.price, view.players[view.seat].chips)


@inlined
def army(view: Any, seat: int) -> int:
    """Number of soldiers of a seat."""
    return popcount(view.players[seat].soldiers)


@inlined
def face_up(view: Any, seat: int) -> int:
    """Banner and soldiers of a seat, as a card set."""
    player = view.players[seat]
    return player.soldiers | card_bit(player.banner)


@inlined
def own_cards(view: Any) -> int:
    """All own cards, as a card set."""
    return view.palace | face_up(view, view.seat)


@inlined
def usable(view: Any, foe: int) -> int:
    """Own cards that count in a battle against a foe (R24), as a card set."""
    return usable_cards(own_cards(view), view.players[foe].banner, view.rules.blocked)


@kernel
def blocked(view: Any, foe: int) -> int:
    """Banner and soldiers of a foe that do not count against oneself (R24), as a card set."""
    cards = face_up(view, foe)
    return cards & ~usable_cards(cards, view.players[view.seat].banner, view.rules.blocked)


@kernel
def own_suit(view: Any) -> int:
    """All cards of the own banner's suit, as a card set: nobody whom one may fight blocks them by suit (R17, R24)."""
    return banner_suit(view.players[view.seat].banner)


@kernel
def strength(view: Any, foe: int = -1) -> int:
    """Rank of the own hand; against a foe only with the cards that count (R24). Higher is better."""
    return rank_set(own_cards(view) if foe < 0 else usable(view, foe))


@kernel
def visible(view: Any, foe: int) -> int:
    """Rank of a foe's banner and soldiers that count against oneself (R24). Higher is better."""
    return rank_set(usable_cards(face_up(view, foe), view.players[view.seat].banner, view.rules.blocked))


@kernel
def category(rank: int) -> int:
    """Category of a rank: 0 high card, 1 pair, 2 two pair, 3 three of a kind, up to 8 straight flush."""
    return ranking.category(rank)


@kernel
def lead(view: Any, foe: int) -> int:
    """Categories by which the own usable hand is above what a foe shows (R24); 0 or less where it is not.

    A look at the table that samples nothing. Three hidden cards seldom lift a hand a category: over random cards a
    pair against a foe who shows none wins 0.90 of the battles against a bare banner, 0.54 against five soldiers.
    """
    return ranking.category(strength(view, foe)) - ranking.category(visible(view, foe))


@inlined
def unseen(view: Any) -> int:
    """Cards that may be in another player's palace, as a card set."""
    return view.deck & ~view.seen


@kernel
def chance(view: Any, foe: int) -> float:
    """Chance to win a battle against a foe (R24, R25), a tie counting half.

    The foe's palace is drawn 32 times from the cards that it may hold, so the answer has a standard error of up to
    0.09; 0 for a seat that is no foe in the hand.
    """
    if foe < 0 or foe >= view.seats or foe == view.seat or view.players[foe].active == 0:
        return 0.0
    banner, foe_banner, blocked = view.players[view.seat].banner, view.players[foe].banner, view.rules.blocked
    own = worth(usable(view, foe), banner)
    theirs = usable_cards(face_up(view, foe), banner, blocked)
    hidden = unseen(view)
    score, word = 0, 1
    for _ in range(SAMPLES):
        palace, wanted = 0, min(view.rules.palace_cards, popcount(hidden))
        while wanted > 0:  # six random bits name a place in a card set, and count where a hidden card is there
            if word == 1:
                word = rng.next_bits(view.stream, 60) | 1 << 60
            place = word & 63
            word >>= 6
            if (hidden & ~palace) >> place & 1:
                palace |= 1 << place
                wanted -= 1
        other = worth(theirs | usable_cards(palace, banner, blocked), foe_banner)
        score += (own > other) - (own < other) + 1
    return score / (2.0 * SAMPLES)


@kernel
def least_target(view: Any, army_first: bool) -> int:
    """Target that is least by visible cards and army, whichever comes first, then nearest to the left; -1 for none."""
    best, best_key = -1, 0
    for step in range(1, view.seats):
        seat = (view.seat + step) % view.seats
        if view.targets >> seat & 1:
            rank, soldiers = visible(view, seat), army(view, seat)
            key = soldiers << 14 | rank if army_first else rank << 4 | soldiers  # ranks are below 2^14, armies 2^4
            if best < 0 or key < best_key:
                best, best_key = seat, key
    return best


@kernel
def weakest(view: Any) -> int:
    """Target whose visible cards rank lowest, then with the smallest army, then nearest to the left; -1 for none."""
    return least_target(view, False)


@kernel
def smallest_army(view: Any) -> int:
    """Target with the fewest soldiers, then with the lowest visible cards, then nearest to the left; -1 for none."""
    return least_target(view, True)


@kernel
def best_keep(view: Any) -> int:
    """Soldiers that the engine would keep: all that fit, else those that make the highest hand (R33)."""
    player = view.players[view.seat]
    return best_soldiers(player.soldiers, player.banner, view.palace, view.rules.max_soldiers)


@inlined
def left(view: Any) -> int:
    """Number of players still in the hand."""
    return popcount(view.playing)


@inlined
def last_two(view: Any) -> bool:
    """Whether only two players are left, so that a battle decides the hand (R26, R30)."""
    return left(view) == 2


def __dir__() -> list[str]:
    return __all__
