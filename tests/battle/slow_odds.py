"""Odds the slow way: every pair of palaces compared by the reference evaluator, in exact fractions."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
from reference.evaluator import DECK, card_id, evaluate

from palace_sim.battle.ranges import Range
from palace_sim.cards import card_set
from palace_sim.rules import Rules


def key(cards, banner, foe_banner, blocked):
    """What R24 and R25 compare: the value of the usable cards, then how many are of the banner's suit."""
    at = {"suit": 1, "rank": 0}.get(blocked)
    counting = [card for card in cards if at is None or card[at] != foe_banner[at]]
    return evaluate(counting), sum(card[1] == banner[1] for card in counting)


def palaces(side, pool, palace_cards, weights):
    """Every palace that a side may hold, with its weight."""
    _, known, _ = side
    missing = palace_cards - len(known)
    found = [(frozenset(drawn), frozenset([*known, *drawn])) for drawn in combinations(pool, missing)]
    return [(drawn, palace, weights.get(palace, 0) if weights is not None else 1) for drawn, palace in found]


def slow_odds(a, b, dead=(), deck=DECK, palace_cards=3, blocked="suit", weights_a=None, weights_b=None):
    """Counts, raw counts, and the same by weight as fractions, of side a: (win, tie, loss) each.

    A side is (banner, known palace cards, soldiers) in words; weights are by frozenset of a palace's words.
    """
    named = {a[0], *a[1], *a[2], b[0], *b[1], *b[2], *dead}
    pool = [card for card in deck if card not in named]
    lists = []
    for side, foe, weights in ((a, b, weights_a), (b, a, weights_b)):
        shown = [side[0], *side[2]]
        lists.append(
            [
                (drawn, key([*shown, *palace], side[0], foe[0], blocked), Fraction(weight))
                for drawn, palace, weight in palaces(side, pool, palace_cards, weights)
                if weight
            ]
        )
    counts, raw, mass, raw_mass = [0] * 3, [0] * 3, [Fraction(0)] * 3, [Fraction(0)] * 3
    for drawn, mine, weight in lists[0]:
        for other_drawn, theirs, other_weight in lists[1]:
            if drawn & other_drawn:
                continue
            for tally, weighed, x, y in ((counts, mass, mine, theirs), (raw, raw_mass, mine[0], theirs[0])):
                how = 0 if x > y else 1 if x == y else 2
                tally[how] += 1
                weighed[how] += weight * other_weight
    return tuple(counts), tuple(raw), mass, raw_mass


def text(side):
    return "/".join([side[0], " ".join([*side[1], "?"][:3]), " ".join(side[2])])


def as_range(weights):
    """Make a `Range` of weights by frozenset of words."""
    pairs = sorted((card_set(list(palace)), weight) for palace, weight in weights.items())
    return Range(np.array([cards for cards, _ in pairs], np.int64), np.array([w for _, w in pairs], float))


def random_case(number, ranges=True):
    """A small random situation: arguments for `slow_odds`, and what of them `battle_odds` takes."""
    rng = random.Random(number)
    palace_cards = rng.choice((1, 2, 3))
    suits = rng.sample("cdhs", rng.choice((2, 2, 3, 4)))  # few suits: flushes
    every = [card for card in DECK if card[1] in suits]
    deck = sorted(rng.sample(every, min(len(every), 12 + 2 * palace_cards)), key=card_id)
    a_banner = rng.choice(deck)
    b_banner = rng.choice([card for card in deck if card[1] != a_banner[1]] or [None])
    if b_banner is None:
        return random_case(number + 1_000_000, ranges)
    left = [card for card in deck if card not in (a_banner, b_banner)]
    rng.shuffle(left)

    def take(most):
        return [left.pop() for _ in range(rng.randint(0, most)) if len(left) > 2 * palace_cards]

    sides = [(banner, take(palace_cards), take(3)) for banner in (a_banner, b_banner)]
    dead = take(2)
    free = [card for card in deck if card not in {*sides[0][2], *sides[1][2], a_banner, b_banner}]
    weights = []
    for known in (sides[0][1], sides[1][1]):
        kept = None
        if ranges and rng.random() < 0.5:
            every = list(combinations(free, palace_cards))
            fitting = [palace for palace in every if {*known} <= {*palace} and not {*dead} & {*palace}]
            some = {frozenset(p) for p in [*rng.sample(every, len(every) // 2), *rng.sample(fitting, 1)]}
            kept = {palace: rng.choice((1, 0.5, rng.random(), 1e-6)) for palace in some}
        weights.append(kept)
    blocked = rng.choice(("suit", "suit", "rank", "none"))
    options = {"deck": deck, "palace_cards": palace_cards, "blocked": blocked}
    slow = {**options, "weights_a": weights[0], "weights_b": weights[1]}
    quick = {"rules": Rules(**options), "dead": dead}
    quick.update((name, w and as_range(w)) for name, w in zip(("range_a", "range_b"), weights, strict=True))
    return (*sides, dead), slow, quick
