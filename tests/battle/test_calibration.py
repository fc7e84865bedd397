"""Posteriors over many hands of a known policy: better than knowing nothing, and as often right as they say."""

import random
from math import comb

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.battle.inference import posterior
from palace_sim.kernels.deal import SUIT, card_bit
from palace_sim.kernels.inference import worths
from palace_sim.kernels.settle import usable, worth

RULES = ps.Rules(ante=40)  # a pot that is worth buying for


def position(deal):
    """A hand of `patriot` (seat 0) and one who plays at random, before a move of the other; None where it never came.

    The point is set beforehand by the moves of seat 0, 1 to 3 by turns, so what comes later does not matter.
    """
    chance, patriot, made = random.Random(deal), ps.policies.get("patriot"), 0
    hand = ps.Hand.deal(RULES, seats=2, seed=77, deal=deal)
    while not hand.over:
        if hand.to_act == 0:
            hand.act(patriot(hand.view(0)))
            made += 1
            continue
        if made > deal % 3:
            return hand
        verb = chance.choice(sorted(hand.legal() - {"fold"}))
        if verb == "attack":
            hand.attack(hand.targets[0])
        elif verb == "discard":
            hand.discard(hand.players[1].soldiers)
        elif verb == "keep":
            hand.keep_best()
        else:
            getattr(hand, "raise_" if verb == "raise" else verb)()
    return None


def pairs(cards):
    """Which palaces hold a pair."""
    return np.bitwise_count((cards | cards >> 16 | cards >> 32 | cards >> 48) & SUIT) < 3


def beats(record, cards):
    """Which palaces of seat 0 would win a battle now."""
    own, foe = record.players[0], record.players[1]
    mine = int(record.palace[1]) | int(foe.soldiers) | card_bit(foe.banner)
    least = worth(usable(mine, own.banner, 0), foe.banner)
    worths(cards, int(own.soldiers) | card_bit(own.banner), own.banner, foe.banner, 0, out := np.zeros(len(cards), int))
    return out > least


def check(hands):
    """The bounds of the issue.

    Deals are independent. The mean gain in log score has the standard error sd / sqrt(hands), and its interval of 4 of
    them must be above 0. In a bin the number of hits is a sum of independent trials with the probabilities p that were
    said, whose standard deviation is sqrt(sum p (1 - p)); it must be within 4 of them (twenty bins: a calibrated
    posterior fails with probability below 20 * 6.4e-5 = 0.0013).
    """
    gains, said, came = [], {"pair": [], "beats": []}, {"pair": [], "beats": []}
    deal = 0
    while len(gains) < hands:
        hand = position(deal)
        deal += 1
        if hand is None:
            continue
        got = posterior(hand, 0, "patriot", observer=1)
        assert got.exact
        at = np.flatnonzero(got.cards == hand.record.palace[0])
        assert len(at) == 1  # the palace that it has is never ruled out
        unseen = 52 - int(hand.view(1).seen).bit_count()
        gains.append(np.log(got.weights[at[0]] * comb(unseen, 3)))
        for name, holds in (("pair", pairs(got.cards)), ("beats", beats(hand.record, got.cards))):
            said[name].append(got.weights @ holds)
            came[name].append(holds[at[0]])
    assert np.mean(gains) - 4 * np.std(gains, ddof=1) / hands**0.5 > 0
    for name in said:
        p, hits = np.clip(said[name], 0, 1), np.array(came[name])
        bins = np.minimum((10 * p).astype(int), 9)
        for b in range(10):
            here = bins == b
            assert abs(hits[here].sum() - p[here].sum()) <= 4 * (p * (1 - p))[here].sum() ** 0.5 + 1e-9, (name, b)
    return np.mean(gains), np.std(gains, ddof=1) / hands**0.5, {n: np.histogram(said[n], 10, (0, 1))[0] for n in said}


def test_the_posterior_beats_the_uniform_range_and_is_calibrated():
    _, _, bins = check(150)
    assert (bins["beats"] > 0).sum() >= 8  # probabilities of all sizes are tried


@pytest.mark.slow
def test_over_2000_hands():
    _, _, bins = check(2000)
    assert (bins["beats"] > 20).all()
