"""Posteriors: what counts the beaten, what must not be known, trust, priors, memory, and what is refused."""

from itertools import combinations

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.battle.inference import posterior
from palace_sim.battle.ranges import Range
from palace_sim.kernels.inference import beaten
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.rng import SAMPLING, open_stream

HIGH = sum(0x1F00 << 16 * suit for suit in range(4))  # T, J, Q, K, A


@pytest.mark.parametrize("size", [1, 2, 3])
def test_beaten_palaces_are_counted_as_one_by_one(size):
    chance = np.random.default_rng(size)
    cards = chance.choice(52, 12, replace=False)
    bits = 1 << 16 * (cards & 3) + (cards >> 2)
    every = np.sort([sum(picked) for picked in combinations(bits.tolist(), size)])
    palaces = every[chance.random(len(every)) < 0.7]
    losers = chance.permutation(every[chance.random(len(every)) < 0.7])
    strength, theirs = chance.integers(0, 9, len(palaces)), np.sort(chance.integers(0, 9, len(losers)))
    most, counts = np.zeros(len(palaces), np.int64), np.zeros(len(palaces), np.int64)
    beaten(palaces, np.argsort(strength), strength, losers, theirs, most, counts)
    for palace, own, all_beaten, apart in zip(palaces, strength, most, counts, strict=True):
        assert all_beaten == (theirs < own).sum()
        assert apart == sum(
            1 for cards, other in zip(losers, theirs, strict=True) if other < own and not cards & palace
        )


def other_cards(hand, observer):
    """The same hand with all that an observer does not know drawn anew, as if it had been played with other cards."""
    states = np.array([hand.record])
    open_stream(states[0].stream, 5, 0, SAMPLING, 0, 0)
    redraw(states[0], -1 if observer is None else observer)
    decisions = []
    for before, code in hand.decisions:
        before = before.copy()
        before.palace[:] = states[0].palace
        before.discards, before.undrawn, before.pile[:] = 0, 0, 0
        decisions.append((before, code))
    return ps.Hand(hand.rules, states, hand.history, None, decisions)


def three_players():
    """Seat 0 has called and beaten seat 1, whose palace it has seen, and has then stayed."""
    hand = ps.Hand.from_cards(None, "As Kd 3h", ["Ac Ah 9d", "Qc Jh 3s", "4c 5c 8d"], "2c 2d 2h 6s 7s 8s 9s", dealer=0)
    return hand.attack(0).call().keep_best().buy().keep_best().stay()


@pytest.mark.parametrize("observer", [None, 1, 2])
@pytest.mark.parametrize("model", ["calling_station", "tight", "random"])
def test_hidden_cards_make_no_difference(observer, model):
    hand = three_players()
    assert hand.phase == "turn" and not hand.players[1].active
    other = other_cards(hand, observer)
    assert other.record.palace[0] != hand.record.palace[0]
    got, again = (posterior(h, 0, model, observer, trust=0.9, samples=8) for h in (hand, other))
    assert (got.cards == again.cards).all() and (got.weights == again.weights).all()
    assert got.exact == again.exact == (observer == 1 and model == "calling_station")
    if not got.exact:
        assert (got.errors == again.errors).all()
    assert got.weights.sum() == pytest.approx(1)


@ps.policy
def coward(view):
    return ps.act.fold()


def test_trust_mixes_in_the_prior_where_the_model_is_wrong():
    hand = ps.Hand.deal(seats=2, seed=1, dealer=1).stay()
    with pytest.raises(ValueError, match=r"model rules out every palace .* a trust below 1"):
        posterior(hand, 0, coward, 1)
    got = posterior(hand, 0, coward, 1, trust=0.9)
    assert len(got) == 16215 and set(got.weights) == {1 / 16215}  # C(47, 3): two banners and its own palace are seen
    sure, mixed = (posterior(hand, 0, "hunter", 1, trust=trust) for trust in (1.0, 0.75))
    assert len(sure) < len(mixed) == 16215
    kept = np.isin(mixed.cards, sure.cards)
    np.testing.assert_allclose(mixed.weights[kept], 0.75 * sure.weights + 0.25 / 16215)
    np.testing.assert_allclose(mixed.weights[~kept], 0.25 / 16215)


def test_a_prior_weighs():
    hand = ps.Hand.deal(seats=2, seed=1, dealer=1).stay()
    first = posterior(hand, 0, "hunter", 1)
    twice = posterior(hand, 0, "hunter", 1, prior=first)
    np.testing.assert_allclose(twice.weights, first.weights)  # a certain move tells the same once more
    card = first.cards[0] & -first.cards[0]
    tripled = Range(first.cards, np.where(first.cards & card, 3.0, 1.0), np.full(len(first), 0.1))
    got = posterior(hand, 0, "hunter", 1, prior=tripled)
    odds = got.weights[got.cards & card != 0][0] / got.weights[got.cards & card == 0][0]
    assert odds == pytest.approx(3)
    assert not got.exact and (got.errors > 0).all()


def test_illegal_moves_of_a_model_count_as_what_is_done_instead():
    @ps.policy
    def buys_always(view):
        return ps.act.buy()

    hand = ps.Hand.deal(seats=2, seed=1, dealer=1)
    while hand.phase != "respond":  # seat 0 attacks; the model of seat 1 can only fold
        hand.attack(1) if hand.targets else hand.stay()
    before = posterior(hand, 1, buys_always, 0, trust=0.5)
    assert len(before) == 16215
    with pytest.raises(ValueError, match="rules out every palace"):
        posterior(hand.raise_(), 1, buys_always, 0)


def test_a_memory_goes_from_move_to_move():
    """It decides at its first move, by a coin, what it does at all others: two moves are as likely as one."""

    @ps.policy
    def of_one_mind(view):
        if view.memo[0] == 0:
            often = 0.8 if ps.see.count(view.palace & HIGH) > 1 else 0.4
            view.memo[0] = 1 if ps.see.uniform(view) < often else 2
        return ps.act.buy() if view.memo[0] == 1 else ps.act.stay()

    hand = ps.Hand.deal(seats=2, seed=1, dealer=1)
    for _ in range(3):
        hand.buy().keep_best().buy().keep_best()
    got = posterior(hand, 0, of_one_mind, None, samples=400)
    high = np.bitwise_count(got.cards & HIGH) > 1
    # 400 particles a palace, and thousands of palaces on each side: the ratio of the means is 2 within
    # 5 * sqrt((0.6 / 0.4 + 0.2 / 0.8) / 400 / 1000) * 2 = 0.021
    assert high.sum() > 1000 and (~high).sum() > 1000
    assert got.weights[high].mean() / got.weights[~high].mean() == pytest.approx(2, abs=0.021)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hand": "hand"}, "hand takes a Hand"),
        ({"seat": 3}, "seat takes a seat from 0 to 2, got 3"),
        ({"seat": 1}, "seat takes a seat that is still in the hand: 1 is out"),
        ({"observer": 0}, "observer takes another seat than seat"),
        ({"observer": 7}, "observer takes None or a seat from 0 to 2"),
        ({"model": 5}, "model takes"),
        ({"trust": 0}, "trust takes a number above 0, up to 1, got 0"),
        ({"trust": "1"}, "trust takes"),
        ({"samples": 1}, "samples takes"),
        ({"seed": -1}, "seed takes"),
        ({"prior": "pear"}, "prior.*'pear'"),
        ({"prior": Range.uniform(2)}, "prior takes palaces of 3 cards, got a range over 2"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"hand": three_players(), "seat": 0, "model": "tight", **change}
    with pytest.raises(ValueError, match=message):
        posterior(**arguments)


def test_a_hand_that_ended_by_comparing_hands_is_refused():
    hand = ps.Hand.deal(seats=2, seed=1).stay().stay()
    with pytest.raises(ValueError, match="has ended by comparing hands"):
        posterior(hand, 0, "stay")


def test_models_that_fail_are_named():
    hand = ps.Hand.deal(seats=2, seed=1, dealer=1).stay()
    for chance, message in [(lambda view, code: 1.5, "no chance from 0 to 1"), (lambda view, code: 1 / 0, "failed")]:
        with pytest.raises(ps.PolicyError, match=message):
            posterior(hand, 0, ps.move_model(chance, name="odd", compile=False))
    drawing = ps.move_model(lambda view, code: ps.see.uniform(view))
    with pytest.raises(ps.PolicyError, match="must state chances, not draw"):
        posterior(hand, 0, drawing)
    with pytest.raises(ValueError, match="takes two arguments"):
        ps.move_model(lambda view: 1.0)
    with pytest.raises(ValueError, match="keep of move model"):
        ps.move_model(lambda view, code: 1.0, keep="all")
