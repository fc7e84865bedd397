"""The compiled engine beside the slow referee: random hands over all player counts and options, move by move."""

import copy
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from beside import FIGHTING, ID, alike_rules, bits, code_of, deal_both, play_many
from reference.dealing import Reshuffler, deal
from reference.evaluator import DECK
from reference.players import random_move, random_rules
from reference.referee import Referee

from palace_sim.hand import Hand
from palace_sim.kernels.engine import apply, fault
from palace_sim.rules import Rules

HANDS = 20_000


# 8,000 hands always, the others with `pytest -m slow`
PARTS = [pytest.param(part, marks=pytest.mark.slow if part >= 4 else ()) for part in range(10)]


@pytest.mark.parametrize("part", PARTS)
def test_every_state_of_random_hands(part):
    hands = HANDS // 10
    moves, reshuffles, _ = play_many(range(part * hands, (part + 1) * hands))
    assert moves > 10 * hands
    assert reshuffles > hands / 10


def test_every_state_of_hands_with_ties():
    _, _, ties = play_many(range(800), alike_rules, FIGHTING)
    assert ties > 50


def test_the_same_without_the_compiler():
    here = Path(__file__).resolve()
    path = os.pathsep.join([str(here.parent), *filter(None, sys.path)])
    code = "import beside as t; assert not t.numba.extending.is_jitted(t.apply); print(*t.play_many(range(200)))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert tuple(map(int, done.stdout.split())) == play_many(range(200))


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
