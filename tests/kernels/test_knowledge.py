"""Redrawing what a seat does not know: its view stays, every consistent deal is equally likely (R28).

The deals that are consistent with a history are found by brute force: the slow referee plays it with every order of the
hidden cards and every reshuffle, and those in which something public comes out otherwise are dropped.
"""

import collections
import copy
import itertools
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from reference.evaluator import DECK
from reference.players import random_move, random_rules
from reference.referee import Referee

from palace_sim.hand import Hand
from palace_sim.kernels import deal, knowledge, rng
from palace_sim.kernels.deal import lay_out
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.knowledge import NOBODY, redraw
from palace_sim.kernels.rng import SAMPLING, open_stream
from palace_sim.kernels.view import PUBLIC_SIZE
from palace_sim.rules import Rules

BIT = {word: 1 << (16 * "cdhs".index(word[1]) + "23456789TJQKA".index(word[0])) for word in DECK}
ID = {word: i for i, word in enumerate(DECK)}
VERBS = {"buy": 6, "stay": 2, "discard": 2, "attack": 2, "fold": 1, "raise": 1, "keep": 1, "call": 0}


def bits(words):
    return sum(map(BIT.__getitem__, words))


def public(hand):
    """What everybody sees of a hand, a `Hand` or a referee's."""
    mine = isinstance(hand, Hand)
    soldiers = [p.soldiers for p in hand.players] if mine else hand.soldiers
    active = [p.active for p in hand.players] if mine else hand.active
    piles = len(hand.draw_pile), len(hand.discard_pile)
    return hand.phase, hand.to_act, hand.pot, hand.nets, active, [sorted(s) for s in soldiers], piles


# ---- all deals that are consistent with a history --------------------------------------------------------------------


class Scripted(Referee):
    """A referee whose reshuffles come out in an order set before."""

    order = None

    def _shuffle_discards(self):
        self._reshuffle = lambda cards: self.order
        super()._shuffle_discards()


def first_worlds(rules, banners, hidden, palace_cards):
    """Every way to deal the hidden cards, palaces as sets."""
    seats = len(banners)
    for cards in itertools.permutations(hidden):
        palaces = [cards[seat * palace_cards : (seat + 1) * palace_cards] for seat in range(seats)]
        if all(list(palace) == sorted(palace) for palace in palaces):
            yield Scripted(rules, banners, palaces, cards[seats * palace_cards :], seats - 1)


def step(worlds, move, wanted):
    """Make a move in every world; keep those in which all comes out as wanted in public."""
    kept = []
    for world in worlds:
        orders = [None]
        if move[0] == "buy" and not world.draw_pile:
            orders = list(itertools.permutations(world.discard_pile))
        for order in orders:
            branch = copy.deepcopy(world) if len(orders) > 1 else world
            branch.order = order
            getattr(branch, move[0])(*move[1:])
            if public(branch) == wanted:
                kept.append(branch)
    return kept


class Story:
    """A hand on a small deck, played by these moves, and the deals consistent with it."""

    def __init__(self, cards, moves, seats, palace_cards, seed=0, **options):
        rules = {"palace_cards": palace_cards, **options}
        self.hand = small_hand(cards, rules, seats, seed)
        self.worlds = list(first_worlds(rules, cards[:seats], cards[seats:], palace_cards))
        for move in moves:
            getattr(self.hand, move[0])(*move[1:])
            self.worlds = step(self.worlds, move, public(self.hand))

    def consistent(self, seat):
        """Hidden cards of every world that a seat cannot tell from the true one, each once."""
        record = self.hand.record
        learnt = 0 if seat == NOBODY else int(record.players[seat].learnt) | 1 << seat
        keys = []
        for world in self.worlds:
            palaces = tuple(bits(palace) for palace in world.palaces)
            if all(palaces[s] == record.palace[s] for s in range(world.seats) if learnt >> s & 1):
                keys.append((palaces, bits(world.discard_pile), tuple(ID[card] for card in world.draw_pile)))
        assert len(keys) == len(set(keys))
        return set(keys)


def key(record):
    """Hidden cards of a record: palaces, discard pile, draw pile with the top first."""
    palaces = tuple(record.palace[: record.seats].tolist())
    lay_out(record)
    return palaces, int(record.discards), tuple(record.pile[: record.draw_size][::-1].tolist())


def small_hand(cards, rules, seats, seed):
    """A hand whose cards are banners, palaces and draw pile in this order."""
    size = rules["palace_cards"]
    palaces = [cards[seats + seat * size : seats + (seat + 1) * size] for seat in range(seats)]
    return Hand.from_cards(Rules(**rules), cards[:seats], palaces, cards[seats * (1 + size) :], seats - 1, seed)


def small_move(hand, chance):
    """A legal move that is no call: who wins a call would tell of palaces, which `redraw` leaves aside."""
    verbs = sorted(verb for verb in hand.legal() if VERBS[verb])
    verb = chance.choices(verbs, [VERBS[v] for v in verbs])[0]
    soldiers = hand.players[hand.to_act].soldiers
    if verb == "attack":
        return verb, chance.choice(hand.targets)
    if verb == "discard":
        return verb, chance.sample(soldiers, chance.randint(1, len(soldiers)))
    if verb == "keep":
        return verb, chance.sample(soldiers, min(2, len(soldiers)) if chance.random() < 0.3 else 0)
    return ("raise_" if verb == "raise" else verb,)


def random_story(seats, palace_cards, size, seed, wanted):
    """A random hand, up to some point where the record is as wanted."""
    chance = random.Random(f"{seats} {palace_cards} {size} {seed}")
    while True:
        cards = chance.sample(DECK, size)
        hand, moves = small_hand(cards, {"palace_cards": palace_cards}, seats, seed), []
        while not hand.over and len(moves) < 60:
            moves.append(small_move(hand, chance))
            getattr(hand, moves[-1][0])(*moves[-1][1:])
            if not hand.over and wanted(hand.record) and chance.random() < 0.3:
                return Story(cards, moves, seats, palace_cards, seed)


def buried(record):
    """Somebody is out, and nothing has been shuffled yet."""
    return record.out > 0 and record.reshuffles == 0


def shuffled_back(record):
    """A palace has been shuffled back."""
    return record.back > 0


def risen_twice(record):
    """Palaces have been shuffled back at two times, and cards of them came up after each."""
    return record.risen[1] and record.risen[2]


# Hands that try R28 and R13 together: seat 0 calls and is sure to win (three aces), so it learns seat 1's palace; the
# palace is shuffled back, and comes up again as a soldier or not, by the seed.
ACES, MORE_ACES = "Ac 2d 3h 4c 5c 6d Ad Ah 7s".split(), "Ac 2d 3h 4s 5c 6d 7h 8s Ad Ah 9c".split()
LEARNING = [
    ("buy",), ("keep", ["Ad"]), ("stay",), ("stay",), ("buy",), ("keep", ["Ad", "Ah"]), ("attack", 0), ("call",),
    ("keep", ["Ad", "Ah", "2d"]), ("buy",), ("keep", []), ("buy",),
]  # fmt: skip
MORE_LEARNING = [*LEARNING[:4], ("fold",), *LEARNING[4:]]


def stories():
    for seed in range(3):
        yield Story(ACES, LEARNING, 3, 1, seed, blocked="none")
        yield Story(MORE_ACES, MORE_LEARNING, 4, 1, seed, blocked="none")
    yield Story(ACES, LEARNING[:8], 3, 1, blocked="none")
    for seed in range(3):
        yield random_story(3, 1, 9, seed, buried)
        yield random_story(2, 2, 9, seed, lambda record: record.turns > 3)
        yield random_story(3, 1, 9, seed, shuffled_back)
        yield random_story(3, 2, 10, seed, shuffled_back)
        yield random_story(4, 1, 10, seed, lambda record: record.back > 1)
        yield random_story(4, 1, 10, seed, risen_twice)


# ---- the same by `redraw` --------------------------------------------------------------------------------------------


class Chooser:
    """Stands for `rng.below`: goes through all choices that can be made, with their probabilities."""

    def __init__(self):
        self.path = []

    def below(self, stream, n):
        if self.at == len(self.path):
            self.path.append([0, n])
        choice, options = self.path[self.at]
        assert options == n > 0
        self.at += 1
        self.chance /= n
        return choice

    def all_runs(self):
        while True:
            self.at, self.chance = 0, Fraction(1)
            yield self
            while self.path and self.path[-1][0] + 1 == self.path[-1][1]:
                self.path.pop()
            if not self.path:
                return
            self.path[-1][0] += 1


def check_exactly():
    """Go through all that `redraw` can do: each consistent deal must have the same probability, and no other any."""
    assert not JIT
    told = list(stories())  # their own reshuffles before the choices are taken over
    chooser = Chooser()
    for module in (rng, deal, knowledge):
        module.below = chooser.below
    deals = 0
    for story in told:
        for seat in range(NOBODY, story.hand.seats):
            found = collections.defaultdict(Fraction)
            for run in chooser.all_runs():
                record = story.hand.copy().record
                redraw(record, seat)
                found[key(record)] += run.chance
            wanted = story.consistent(seat)
            assert found == dict.fromkeys(wanted, Fraction(1, len(wanted)))
            deals += len(wanted)
    return deals


def test_every_consistent_deal_is_equally_likely_exactly():
    tests = Path(__file__).resolve().parent
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import test_knowledge as t; print(t.check_exactly())"],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent), *filter(None, sys.path)]),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1000


def test_every_consistent_deal_is_equally_likely_compiled():
    draws = 50
    for story in (Story(MORE_ACES, MORE_LEARNING, 4, 1, blocked="none"), random_story(3, 2, 10, 0, shuffled_back)):
        for seat in range(NOBODY, story.hand.seats):
            wanted = story.consistent(seat)
            n = draws * len(wanted)
            counts = collections.Counter()
            for i in range(n):
                record = story.hand.copy().record
                open_stream(record.stream, 5, i, SAMPLING, 0, 0)
                redraw(record, seat)
                counts[key(record)] += 1
            assert counts.keys() == wanted  # one is missed with chance e^-50
            square = sum((count - draws) ** 2 for count in counts.values()) / draws
            freedom = (
                len(wanted) - 1
            )  # chi-square: mean f, variance 2f; 6 of its standard deviations, 6 more for small f
            assert square < freedom + 6 * (2 * freedom) ** 0.5 + 12


# ---- whole games -----------------------------------------------------------------------------------------------------


def check_cards(record):
    """Every card of the deck once, counts as they should be, and no seat knows what is not so."""
    seats, size = range(record.seats), int(record.rules.palace_cards)
    pile = [BIT[DECK[card]] for card in record.pile[: record.draw_size]]
    sets = [*pile, int(record.discards)]
    for seat in seats:
        player = record.players[seat]
        assert int(record.palace[seat]).bit_count() == size
        if player.active:
            sets += [BIT[DECK[player.banner]], int(player.soldiers), int(record.palace[seat])]
        elif player.out > record.back:
            assert int(record.palace[seat]) & ~int(record.discards) == 0
    assert sum(sets) == int(record.deck)
    assert sum(cards.bit_count() for cards in sets) == int(record.deck).bit_count()
    assert int(record.discards).bit_count() == record.discard_size
    for seat in seats:
        seen, gone = int(knowledge.seen_by(record, seat)), int(knowledge.gone_for(record, seat))
        assert gone & ~seen == 0
        assert not any(card & gone for card in pile)
        for other in seats:
            if other != seat and record.players[other].active:
                assert seen & int(record.palace[other]) == 0


@pytest.mark.parametrize("part", range(4))
def test_a_redraw_changes_nothing_that_the_seat_knows(part):
    chance = random.Random(part)
    redraws = reshuffles = 0
    for number in range(60):
        rules, seats = random_rules(chance)
        hand = Hand.deal(Rules(**rules), seats, seed=part, deal=number)
        while not hand.over:
            move = random_move(_AsReferee(hand), chance)
            getattr(hand, move[0])(*move[1:])
            if chance.random() < 0.7:
                continue
            seat = chance.randint(NOBODY, seats - 1)
            other = hand.copy()
            open_stream(other.record.stream, part, redraws, SAMPLING, 0, 0)
            redraw(other.record, seat)
            assert other._states.tobytes()[:PUBLIC_SIZE] == hand._states.tobytes()[:PUBLIC_SIZE]
            if seat != NOBODY:
                assert other.view(seat).tobytes() == hand.view(seat).tobytes()
            assert other.nets == hand.nets
            check_cards(other.record)
            redraws, hand = redraws + 1, other  # play on with the new cards
        assert sum(hand.nets) == 0
        reshuffles += hand.record.reshuffles
    assert redraws > 200
    assert reshuffles > 5


class _AsReferee:
    """A `Hand` with the names that `random_move` reads."""

    def __init__(self, hand):
        self.phase, self.to_act, self.targets = hand.phase, hand.to_act, hand.targets
        self.price, self.min_raise, self.legal = hand.price, hand.min_raise, hand.legal
        self.soldiers = [player.soldiers for player in hand.players]
        self.chips = None if hand.rules.stack is None else [player.chips for player in hand.players]
        self.rules = {"max_soldiers": hand.rules.max_soldiers, "structure": hand.rules.structure}
