"""The compiled engine beside the slow referee: random hands over all player counts and options, move by move."""

import copy
import functools
import operator
import os
import random
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from reference.dealing import Reshuffler, deal
from reference.evaluator import DECK
from reference.players import random_move, random_rules
from reference.referee import Referee
from reference.table import PAID

from palace_sim.hand import Hand
from palace_sim.kernels import act
from palace_sim.kernels.deal import deal_cards, draw_dealer, lay_out
from palace_sim.kernels.engine import apply, fault, start
from palace_sim.kernels.knowledge import gone_for, seen_by
from palace_sim.kernels.state import (
    BEATEN,
    ENDS,
    FOLDED,
    FOLDED_IN_BATTLE,
    IN,
    LOST,
    SPLIT,
    STATE,
    TIED_OUT,
    VERBS,
    WON,
    deck_set,
    rules_record,
)
from palace_sim.rules import Rules

HANDS = 20_000
SEED = 20_231
PHASE = {"turn": 1, "respond": 2, "keep": 3, "over": 4}
BIT = {word: 1 << (16 * "cdhs".index(word[1]) + "23456789TJQKA".index(word[0])) for word in DECK}
ID = {word: i for i, word in enumerate(DECK)}
VERB = {name: verb for verb, name in VERBS.items()}


def at(*path):
    """Index of a field in the record read as a flat list of int64."""
    dtype, offset = STATE, 0
    for step in path:
        if isinstance(step, int):
            dtype = dtype.subdtype[0]
            offset += step * dtype.itemsize
        else:
            dtype, where = dtype.fields[step][:2]
            offset += where
    return offset // 8


SINGLE = {
    name: at(name)
    for name in (
        "phase to_act pot legal targets price min_raise max_raise turns truncated passed draw_size discard_size "
        "reshuffles discards battles end out"
    ).split()
}
PILE = at("pile")
PLAYER = ("active", "soldiers", "paid", "buys", "attacks", "defences")
TALLY = ("won", *PAID, "battles_won", "battles_lost", "battles_folded", "turns")
BY_SEAT = [[*(at("players", s, f) for f in PLAYER), *(at("tally", s, f) for f in TALLY)] for s in range(10)]
CHIPS = [at("players", s, "chips") for s in range(10)]
PALACE = [at("palace", s) for s in range(10)]
BANNER = [at("players", s, "banner") for s in range(10)]
OUTCOME = [at("tally", s, "outcome") for s in range(10)]
BATTLE = {name: at("battle", name) for name in STATE.fields["battle"][0].names}


class Trusted(Referee):
    """The referee without its own checks of cards and chips: `compare` makes them on the record."""

    def _check(self):
        pass


@numba.njit
def show(state, flat, shown, shown_flat, known):
    """Copy the record and lay out the copy's pile; write down what each seat knows."""
    shown_flat[:] = flat
    lay_out(shown)
    for seat in range(state.seats):
        known[seat, 0] = seen_by(state, seat)
        known[seat, 1] = gone_for(state, seat)


@numba.njit
def step(code, state, flat, shown, shown_flat, known):
    bad = fault(state, code)
    if bad == 0:
        apply(state, code)
        show(state, flat, shown, shown_flat, known)
    return bad


def bits(words):
    return sum(map(BIT.__getitem__, words))


def seat_bits(seats):
    return sum([1 << seat for seat in seats])


def code_of(move):
    """Action code of a move as the referee takes it."""
    name, *arguments = move
    if name in ("discard", "keep"):
        return getattr(act, name)(bits(*arguments))
    return getattr(act, name)(*arguments)


def wanted_singles(hand):
    """What the public fields must be, by the referee."""
    phase, least = hand.phase, hand.min_raise
    if least is None:
        most = 0
    else:
        most = least if hand.rules["structure"] == "limit" else hand.chips[hand.to_act] - hand.price
    return {
        "phase": PHASE[phase],
        "to_act": -1 if phase == "over" else hand.to_act,
        "pot": hand.pot,
        "legal": sum([1 << VERB[verb] for verb in hand.legal()]),
        "targets": seat_bits(hand.targets),
        "price": hand.price or 0,
        "min_raise": least or 0,
        "max_raise": most,
        "turns": hand.turns,
        "truncated": hand.truncated,
        "passed": seat_bits([s for s in hand._passed if hand.active[s]]),
        "draw_size": len(hand.draw_pile),
        "discard_size": len(hand.discard_pile),
        "reshuffles": hand.reshuffles,
        "discards": bits(hand.discard_pile),
        "battles": len(hand.battles),
        "out": hand.seats - sum(hand.active),
    }


def compare(hand, flat, known):
    """Compare the whole state; `flat` is the record as integers, `known` what each seat knows."""
    for name, value in wanted_singles(hand).items():
        assert flat[SINGLE[name]] == value, (name, flat[SINGLE[name]], value)
    assert flat[PILE : PILE + len(hand.draw_pile)][::-1] == [ID[word] for word in hand.draw_pile]
    running = hand._turn_of if hand.phase in ("respond", "keep") else None  # its turn is counted from its start
    sets = [flat[SINGLE["discards"]], *[BIT[DECK[i]] for i in flat[PILE : PILE + len(hand.draw_pile)]]]
    chips = 0
    for seat in range(hand.seats):
        tally = hand.tallies[seat]
        wanted = [hand.active[seat], bits(hand.soldiers[seat]), hand.paid[seat]]
        wanted += [tally["buys"], tally["attacks"], tally["defences"], tally["won"], *[tally[name] for name in PAID]]
        wanted += [tally["battles_won"], tally["battles_lost"], tally["battles_folded"]]
        wanted.append(tally["turns"] + (seat == running))
        got = [flat[i] for i in BY_SEAT[seat]]
        assert got == wanted, (seat, PLAYER + TALLY, got, wanted)
        assert known[seat] == [bits(hand.seen(seat)), bits(hand.gone(seat))], seat
        chips += flat[CHIPS[seat]]
        if hand.active[seat]:
            sets += [flat[PALACE[seat]], got[1], BIT[DECK[flat[BANNER[seat]]]]]
    if hand.chips is not None:
        assert [flat[i] for i in CHIPS[: hand.seats]] == hand.chips
        assert chips + hand.pot == hand.seats * hand.rules["stack"]
    assert functools.reduce(operator.or_, sets) == bits(hand._all_cards)
    assert sum(map(int.bit_count, sets)) == len(hand._all_cards)


def compare_battle(hand, flat):
    row = hand.battles[-1]
    wanted = {**row, "folded": row["end"] == "fold"}
    del wanted["end"]
    assert {name: flat[i] for name, i in BATTLE.items()} == wanted


def end_of(hand):
    """How the hand ended, as the tables call it."""
    left = [s for s in range(hand.seats) if hand.active[s]]
    if len(left) == 1:
        return "one left"
    if len(left) <= 3 and len({hand.banners[s][1] for s in left}) == 1:
        return "one suit"
    if hand.truncated:
        return "truncated"
    if hand._battle is not None and hand.battles[-1]["winner"] == -1:
        return "tie"
    return "battle" if len(left) == 2 and hand.rules["last_two"] == "battle" else "showdown"


def compare_end(hand, flat, outcomes):
    assert ENDS[flat[SINGLE["end"]]] == end_of(hand)
    sharers = [s for s in range(hand.seats) if hand.won[s]]
    if sharers:  # else nobody paid a chip, and the referee does not tell who would have won
        for seat in range(hand.seats):
            if hand.active[seat]:
                outcomes[seat] = LOST if seat not in sharers else WON if len(sharers) == 1 else SPLIT
        assert [flat[i] for i in OUTCOME[: hand.seats]] == outcomes


def deal_both(rules, seats, seed, number, referee=Referee):
    """The same deal twice: by the kernels and by the referee."""
    states = np.zeros(1, STATE)
    state = states[0]
    options = Rules(**rules)
    state.rules = rules_record(options)
    state.seats, state.seed, state.deal, state.deck = seats, seed, number, deck_set(options)
    dealer, banners, palaces, draw_pile = deal(rules, seats, seed, number)
    state.dealer = draw_dealer(state)
    assert state.dealer == dealer
    deal_cards(state)
    numbers = states.view(np.int64).tolist()
    assert [numbers[i] for i in BANNER[:seats]] == [ID[word] for word in banners]
    assert [numbers[i] for i in PALACE[:seats]] == [bits(palace) for palace in palaces]
    start(state)
    return states, referee(rules, banners, palaces, draw_pile, dealer, Reshuffler(seed, number))


def went_out(move, phase, hand):
    """Outcome of a player whom this move put out."""
    if move[0] == "fold":
        return FOLDED if phase == "turn" else FOLDED_IN_BATTLE
    return TIED_OUT if hand.battles[-1]["winner"] == -1 else BEATEN


def play_beside(number):
    """Play one random hand on both; return how many moves and reshuffles it had."""
    rng = random.Random(SEED + number)
    rules, seats = random_rules(rng)
    states, hand = deal_both(rules, seats, SEED, number, Trusted if number % 10 else Referee)
    shown, known = np.zeros(1, STATE), np.zeros((10, 2), np.int64)
    flat = shown.view(np.int64)
    room = states[0], states.view(np.int64), shown[0], flat, known
    outcomes, moves = [IN] * seats, 0
    show(*room)
    compare(hand, flat.tolist(), known.tolist())
    while hand.phase != "over":
        move = random_move(hand, rng)
        phase, fought, before = hand.phase, len(hand.battles), hand.active.copy()
        getattr(hand, move[0])(*move[1:])
        assert step(code_of(move), *room) == 0, move
        numbers = flat.tolist()
        compare(hand, numbers, known.tolist())
        if len(hand.battles) > fought:
            compare_battle(hand, numbers)
        for seat in range(seats):
            if before[seat] and not hand.active[seat]:
                outcomes[seat] = went_out(move, phase, hand)
        moves += 1
    compare_end(hand, flat.tolist(), outcomes)
    return moves, hand.reshuffles


def play_many(numbers):
    moves = reshuffles = 0
    for number in numbers:
        try:
            more = play_beside(number)
        except AssertionError as error:
            raise AssertionError(f"hand {number}: {error}") from error
        moves += more[0]
        reshuffles += more[1]
    return moves, reshuffles


@pytest.mark.parametrize("part", range(10))
def test_every_state_of_random_hands(part):
    hands = HANDS // 10
    moves, reshuffles = play_many(range(part * hands, (part + 1) * hands))
    assert moves > 10 * hands
    assert reshuffles > hands / 10


def test_the_same_without_the_compiler():
    here = Path(__file__).resolve()
    path = os.pathsep.join([str(here.parent), *filter(None, sys.path)])
    code = "import test_oracle as t; assert not t.numba.extending.is_jitted(t.apply); print(*t.play_many(range(400)))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert tuple(map(int, done.stdout.split())) == play_many(range(400))


# ---- which moves are legal, and `Hand` -------------------------------------------------------------------------------


def any_move(hand, rng):
    """A move that may or may not be legal."""
    verb = rng.choice(["buy", "stay", "fold", "discard", "attack", "call", "raise_", "keep"])
    amounts = [(), (1,), (hand.price or 10,), (hand.min_raise or 20,), (rng.randint(1, 60),), (rng.randint(1, 500),)]
    if verb == "attack":
        return verb, rng.randrange(hand.seats), *rng.choice(amounts)
    if verb == "raise_":
        return verb, *rng.choice(amounts)
    if verb in ("discard", "keep"):
        own = [] if hand.phase == "over" else hand.soldiers[hand.to_act]
        cards = rng.sample(own, rng.randint(0, len(own)))
        return verb, cards if rng.random() < 0.8 else [*cards, rng.choice([c for c in DECK if c not in cards])]
    return (verb,)


def test_the_same_moves_are_legal():
    rng = random.Random(7)
    legal = illegal = 0
    for number in range(200):
        rules, seats = random_rules(rng)
        (state,), hand = deal_both(rules, seats, 7, number)
        while True:
            for _ in range(4):
                move = any_move(hand, rng)
                try:
                    getattr(copy.deepcopy(hand), move[0])(*move[1:])
                    fine = True
                except ValueError:
                    fine = False
                assert (fault(state, code_of(move)) == 0) == fine, (number, move)
                legal, illegal = legal + fine, illegal + (not fine)
            if hand.phase == "over":
                break
            move = random_move(hand, rng)
            getattr(hand, move[0])(*move[1:])
            apply(state, code_of(move))
    assert min(legal, illegal) > 1000


def shown(hand):
    """Everything that a `Hand` shows of its state, under the referee's names."""
    return {
        "phase": hand.phase,
        "to_act": hand.to_act,
        "legal": hand.legal(),
        "targets": hand.targets,
        "price": hand.price,
        "min_raise": hand.min_raise,
        "pot": hand.pot,
        "nets": hand.nets,
        "truncated": hand.truncated,
        "turns": hand.turns,
        "draw_pile": hand.draw_pile,
        "discard_pile": hand.discard_pile,
        "players": [(p.banner, p.palace, p.soldiers, p.active, p.paid, p.chips) for p in hand.players],
    }


def wanted_shown(hand):
    def ordered(cards):
        return sorted(cards, key=ID.__getitem__)

    players = [
        (
            hand.banners[s],
            ordered(hand.palaces[s]) if hand.active[s] else [],
            ordered(hand.soldiers[s]),
            hand.active[s],
            hand.paid[s],
            None if hand.chips is None else hand.chips[s],
        )
        for s in range(hand.seats)
    ]
    names = "phase to_act targets price min_raise pot nets truncated turns draw_pile".split()
    return {
        **{name: getattr(hand, name) for name in names},
        "legal": hand.legal(),
        "discard_pile": ordered(hand.discard_pile),
        "players": players,
    }


def test_hand_shows_what_the_referee_says():
    rng = random.Random(8)
    for number in range(200):
        rules, seats = random_rules(rng)
        dealer, *cards = deal(rules, seats, 8, number)
        hand = Referee(rules, *cards, dealer, Reshuffler(8, number))
        mine = Hand.deal(Rules(**rules), seats, seed=8, deal=number)
        while True:
            assert shown(mine) == wanted_shown(hand)
            for seat in range(seats):
                view = mine.view(seat)
                assert (view.seen, view.gone) == (bits(hand.seen(seat)), bits(hand.gone(seat)))
                assert view.palace == (bits(hand.palaces[seat]) if hand.active[seat] else 0)
            if hand.phase == "over":
                break
            move = random_move(hand, rng)
            getattr(hand, move[0])(*move[1:])
            assert getattr(mine, move[0])(*move[1:]) is mine
