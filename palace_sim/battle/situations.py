"""What is known of a battle before it: cards, what is hidden, and what the hidden cards may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.ranges import RangeLike, all_palaces, as_range
from palace_sim.cards import SUITS, Cards, card_set, parse_cards
from palace_sim.hand import Hand
from palace_sim.hand.positions import PlayerCards, parse_player, refuse_repeats, refuse_strange
from palace_sim.kernels.deal import FULL, card_bit
from palace_sim.kernels.knowledge import known_palaces, seen_by
from palace_sim.kernels.odds import list_worths
from palace_sim.kernels.settle import usable
from palace_sim.kernels.state import RESPOND, rules_record
from palace_sim.rules import Rules


@dataclass(frozen=True)
class Side:
    """A side of a battle.

    Attributes
    ----------
    banner : int
        Card id.
    cards : int
        Usable cards that are known (R24), as a card set.
    blocked : int
        Cards that would not count (R24), as a card set.
    hidden : int
        Palace cards that are not known, 0 to 3.
    sets : (m,) int64 array or None
        What the hidden cards may be, ascending; None for any cards of the pool.
    weights : (m,) float64 array or None
        Weights of `sets`; None where all are alike.
    errors : (m,) float64 array or None
        Standard errors of the weights; None where they are exact.
    """

    banner: int
    cards: int
    blocked: int
    hidden: int
    sets: np.ndarray | None = None
    weights: np.ndarray | None = None
    errors: np.ndarray | None = None

    def palaces(self, pool: int) -> np.ndarray:
        """List what the hidden cards may be, as card sets, ascending."""
        if self.sets is not None:
            return self.sets
        if self.hidden == 0:
            return np.zeros(1, np.int64)
        every = all_palaces(self.hidden)
        return every[every & ~np.int64(pool) == 0]

    def worths(self, sets: np.ndarray) -> np.ndarray:
        """What the side is worth with each of these hidden cards (R25)."""
        out = np.empty(len(sets), np.int64)
        list_worths(sets, self.cards, self.banner, self.blocked, out)
        return out


@dataclass(frozen=True)
class Situation:
    """Two sides, and the card set that their hidden cards are of."""

    a: Side
    b: Side
    pool: int


@lru_cache(maxsize=64)
def _numbers(rules: Rules) -> tuple[int, int]:
    """Return the deck as a card set, and which cards a banner blocks as the kernels write it."""
    return card_set(rules.deck_cards), int(rules_record(rules).blocked)


def _side(
    banner: int, known: int, others: int, foe_banner: int, rules: Rules, pool: int, allowed: Any, name: str
) -> Side:
    """Make a side; `known` are its known palace cards, `others` its banner and soldiers, `allowed` a range."""
    how = _numbers(rules)[1]
    cards, blocked = int(usable(known | others, foe_banner, how)), FULL & ~int(usable(FULL, foe_banner, how))
    hidden = rules.palace_cards - known.bit_count()
    if allowed is None:
        return Side(banner, cards, blocked, hidden)
    found = as_range(allowed, name, rules.palace_cards)
    assert found is not None
    left = found.within(pool, known, name)
    if hidden == 0:
        return Side(banner, cards, blocked, hidden)
    alike = bool((left.weights == left.weights[0]).all())
    if alike and left.errors is None:
        return Side(banner, cards, blocked, hidden, left.cards ^ np.int64(known))
    return Side(banner, cards, blocked, hidden, left.cards ^ np.int64(known), left.weights, left.errors)


def _set(ids: list[int]) -> int:
    """Make the card set of ids that have been checked."""
    return sum(1 << 16 * (card & 3) + (card >> 2) for card in ids)


def _check_banners(a: int, b: int) -> None:
    if a & 3 == b & 3:
        raise ValueError(f"both banners are of suit {SUITS[a & 3]}: these two cannot battle (R17)")


def read_situation(
    a: PlayerCards, b: PlayerCards, dead: Cards, rules: Rules, range_a: RangeLike | None, range_b: RangeLike | None
) -> Situation:
    """Check the arguments of `battle_odds` that say what is known."""
    read = {name: parse_player(cards, rules.palace_cards, name) for name, cards in (("a", a), ("b", b))}
    for name, (_, _, soldiers) in read.items():
        if len(soldiers) > rules.max_soldiers:
            raise ValueError(
                f"{name}: {len(soldiers)} soldiers are more than the {rules.max_soldiers} that may remain (R12)"
            )
    named = [(name, [banner, *palace, *soldiers]) for name, (banner, palace, soldiers) in read.items()]
    named.append(("dead", parse_cards(dead, name="dead")))
    refuse_repeats(*named)
    refuse_strange(rules, *named)
    (a_banner, a_palace, a_soldiers), (b_banner, b_palace, b_soldiers) = read.values()
    _check_banners(a_banner, b_banner)
    pool = _numbers(rules)[0] & ~_set([card for _, cards in named for card in cards])
    hidden = 2 * rules.palace_cards - len(a_palace) - len(b_palace)
    if hidden > pool.bit_count():
        raise ValueError(f"a and b hide {hidden} cards, but only {pool.bit_count()} of the deck are not named")
    own, other = _set([a_banner, *a_soldiers]), _set([b_banner, *b_soldiers])
    return Situation(
        _side(a_banner, _set(a_palace), own, b_banner, rules, pool, range_a, "range_a"),
        _side(b_banner, _set(b_palace), other, a_banner, rules, pool, range_b, "range_b"),
        pool,
    )


def seen_situation(hand: Hand, foe: int | None, seat: int | None, allowed: RangeLike | None) -> Situation:
    """Take what a seat knows of a battle against a foe from a hand (R28); arguments as in `seat_odds`."""
    if not isinstance(hand, Hand):
        raise ValueError(f"hand takes a palace_sim.Hand, got {hand!r}")
    if hand.over:
        raise ValueError("hand is over: there is no battle left in it")
    state: Any = hand.record
    seat = hand.to_act if seat is None else whole("seat", seat, 0, hand.seats - 1, "a seat")
    assert seat is not None
    foe = _other_side(state, seat) if foe is None else whole("foe", foe, 0, hand.seats - 1, "a seat")
    for name, number in (("seat", seat), ("foe", foe)):
        if not state.players[number].active:
            raise ValueError(f"{name}: seat {number} is out of the hand")
    if foe == seat:
        raise ValueError(f"foe: seat {foe} cannot battle itself (R17)")
    banner, foe_banner = int(state.players[seat].banner), int(state.players[foe].banner)
    _check_banners(banner, foe_banner)
    seen = int(seen_by(state, seat))
    pool = int(state.deck) & ~seen
    known = int(state.palace[foe]) if known_palaces(state, seat) >> foe & 1 else 0
    own, other = (int(card_bit(int(state.players[s].banner))) | int(state.players[s].soldiers) for s in (seat, foe))
    return Situation(
        _side(banner, int(state.palace[seat]), own, foe_banner, hand.rules, pool, None, "range"),
        _side(foe_banner, known, other, banner, hand.rules, pool, allowed, "range"),
        pool,
    )


def _other_side(state: Any, seat: int) -> int:
    """Return the seat that a seat is in a battle with."""
    sides = int(state.attacker), int(state.defender)
    if state.phase != RESPOND or seat not in sides:
        raise ValueError(f"foe: seat {seat} is in no battle, so say against whom: foe=, a seat")
    return sides[0] if seat == sides[1] else sides[1]
