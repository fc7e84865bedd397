"""The kernels of odds against one comparison after another, with `settle.worth`, which has tests of its own."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from palace_sim.battle import masses
from palace_sim.battle.ranges import all_palaces
from palace_sim.cards import card_set
from palace_sim.kernels import odds, odds_sweep
from palace_sim.kernels.deal import FULL, banner_suit
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.settle import worth

compiled_only = pytest.mark.skipif(not JIT, reason="millions of steps take too long in plain Python")


def completed(cards, banner, bar, pool, blocked, hidden):
    tally = np.zeros(4, np.int64)
    odds.complete(cards, banner, bar, pool, blocked, hidden, np.empty((2, 53), np.int64), tally)
    return tally.tolist()


def compared(worths, bar):
    worths = np.asarray(worths)
    raw, bar_raw = worths >> 4, bar >> 4
    return [int(x.sum()) for x in (raw > bar_raw, raw == bar_raw, worths > bar, worths == bar)]


def worths_of(sets, cards, banner, blocked=0):
    out = np.empty(len(sets), np.int64)
    odds.list_worths(np.asarray(sets, np.int64), cards, banner, blocked, out)
    return out


@compiled_only
@pytest.mark.parametrize("hidden", [0, 1, 2, 3])
@pytest.mark.parametrize("soldiers", [0, 2, 5, 11])
def test_every_completion_is_compared(hidden, soldiers):
    rng = np.random.default_rng(10 * soldiers + hidden)
    for blocked in (0, banner_suit(1), card_set("9c 9d 9h 9s"), FULL):
        drawn = [int(card) for card in rng.permutation(52)]
        if soldiers == 11:  # of few suits, so that there are flushes
            drawn.sort(key=lambda card: card & 3 > 1)
        banner = drawn[0]
        cards = card_set(drawn[: 4 - hidden + soldiers]) & ~blocked
        pool = FULL & ~card_set(drawn[:20])
        sets = [card_set(list(chosen)) for chosen in combinations(drawn[20:], hidden)]
        worths = worths_of(sets, cards, banner, blocked)
        assert len(sets) == comb(32, hidden)
        for bar in sorted({*np.quantile(worths, [0, 0.2, 0.5, 0.9, 1]).astype(int).tolist(), int(worths[0])}):
            assert completed(cards, banner, bar, pool, blocked, hidden) == compared(worths, bar)


def test_hands_of_any_size_and_suit_weigh_what_they_are_worth():
    rng = np.random.default_rng(6)
    hands = [list(range(suit, 52, 4)) for suit in range(4)]  # all thirteen of a suit
    hands += [[*hand, 0, 1, 2][:16] for hand in ([*range(3, 52, 4)], [*range(7, 52, 4)])]
    hands += [rng.permutation(52)[:size].tolist() for size in range(16) for _ in range(10)]
    for hand in hands:
        cards, banner = card_set(sorted(set(hand))), int(hand[0]) if hand else 5
        bar = int(worth(cards, banner))
        assert completed(cards, banner, bar, 0, 0, 0) == [0, 1, 0, 1]
        assert completed(cards, banner, bar - 1, 0, 0, 0)[2:] == [1, 0]
        assert completed(cards, banner, bar + 1, 0, 0, 0)[2:] == [0, 0]


def test_a_tally_is_added_to():
    tally = np.array([1, 2, 3, 4])
    odds.complete(card_set("As Ac"), 51, 0, card_set("2c 3c 4c"), 0, 1, np.empty((2, 53), np.int64), tally)
    assert tally.tolist() == [4, 2, 6, 4]


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_order_is_ascending_and_keeps_equals_as_they_were(size):
    worths = np.random.default_rng(size).choice([0, 1, 511, 512, 513, 9841 << 4 | 13, (1 << 18) - 1, 777], size)
    order, spare = np.empty((2, size), np.int64)
    odds_sweep.order_by(worths, order, spare, np.empty(1 << odds_sweep.DIGIT, np.int64))
    assert order.tolist() == np.argsort(worths, kind="stable").tolist()


def slow_masses(a_sets, a_worths, b_sets, b_worths, b_weights):
    """One palace after another, each against all of b at once."""
    out = np.zeros((5, len(a_sets)), b_weights.dtype)
    for i, (cards, mine) in enumerate(zip(a_sets.tolist(), a_worths.tolist(), strict=True)):
        weights = b_weights * (b_sets & cards == 0)
        rank, theirs = mine >> 4, b_worths >> 4
        tests = (rank > theirs, rank == theirs, mine > b_worths, mine == b_worths, theirs >= 0)
        out[:, i] = [(weights * test).sum() for test in tests]
    return out


@pytest.mark.parametrize("hidden", [(i, j) for i in range(1, 4) for j in range(1, 4)])
@pytest.mark.parametrize("few", [-1, 1 << 60])
def test_masses_of_each_palace(hidden, few, monkeypatch):
    monkeypatch.setattr(masses, "FEW", few)
    rng = np.random.default_rng(hidden[0] * 4 + hidden[1])
    pool = card_set([int(card) for card in rng.permutation(52)[:12]])
    lists = []
    for size, known, banner in zip(hidden, ("5c 9d", "9c Jd"), (51, 2), strict=True):
        sets = all_palaces(size)
        sets = sets[sets & ~np.int64(pool) == 0]
        sets = sets[rng.random(len(sets)) < 0.7]
        lists += [sets, worths_of(sets, card_set(known) & ~pool, banner, banner_suit(51 if banner == 2 else 2))]
    ones = np.ones(len(lists[2]), np.int64)
    counts, plain = masses.palace_masses(*lists)
    assert plain is counts and counts.dtype == np.int64
    assert counts.tolist() == slow_masses(*lists, ones).tolist()
    for spread in (1, 40):
        weights = rng.random(len(ones)) ** spread
        counts, weighed = masses.palace_masses(*lists, weights)
        assert counts.tolist() == slow_masses(*lists, ones).tolist()
        np.testing.assert_allclose(weighed, slow_masses(*lists, weights), rtol=1e-9, atol=1e-14 * weights.max())


@compiled_only
def test_masses_of_whole_decks_are_exact():
    """22,100 palaces on each side, alike: each meets C(49, 3), and what one wins another loses."""
    sets = all_palaces(3)
    worths = worths_of(sets, 0, 0)
    counts, _ = masses.palace_masses(sets, worths, sets, worths)
    assert (counts[odds_sweep.ALL] == comb(49, 3)).all()
    total = counts.sum(axis=1)
    for win, tie in ((odds.RAW_WIN, odds.RAW_TIE), (odds.WIN, odds.TIE)):
        assert 2 * total[win] + total[tie] == comb(52, 3) * comb(49, 3)
    _, weighed = masses.palace_masses(sets, worths, sets, worths, np.full(len(sets), 0.3))
    np.testing.assert_allclose(weighed, 0.3 * counts, rtol=1e-13)


def test_faint_masses_keep_their_digits(monkeypatch):
    """A palace that meets 1e-30 of all mass: what it beats of that is right to the last digits."""
    monkeypatch.setattr(masses, "FEW", -1)
    sets = all_palaces(2)[:400]
    worths = worths_of(sets, 0, 0)
    weights = np.where(sets & sets[7], 1.0, 1e-30 * np.arange(1, 401))
    _, weighed = masses.palace_masses(sets, worths, sets, worths, weights)
    wanted = slow_masses(sets, worths, sets, worths, weights)
    assert wanted[odds_sweep.ALL, 7] < 1e-24
    np.testing.assert_allclose(weighed[:, 7], wanted[:, 7], rtol=1e-12)
