"""`battle_odds`, `seat_odds` and `battle_odds_table` against known values and against the slow way."""

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from battle.slow_odds import as_range, random_case, slow_odds, text
from reference.evaluator import DECK
from reference.streams import Stream
from scipy.stats import binom, binomtest

import palace_sim as ps
from palace_sim.battle import masses as masses_module
from palace_sim.battle.ranges import Range, all_palaces
from palace_sim.cards import card_set
from palace_sim.kernels.jit import JIT
from palace_sim.statistics import score_interval

compiled_only = pytest.mark.skipif(not JIT, reason="millions of steps take too long in plain Python")


def sizes(*odds):
    return [(o.counts, o.raw_counts, o.n) for o in odds]


# --- values that were worked out beforehand ---------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(
    ("a", "b", "counts", "raw"),
    [
        ("As/KsKd9c/", "2h/?/TdTc7s7d4c", (5579, 0, 5901), None),
        ("6s/6h6d6c/", "Kh/?/KsQdQc", (12236, 0, 1008), None),
        ("6d/JsTc3h/", "6s/?/5d", (4132, 11, 11037), (4132, 44, 11004)),
        ("As", "2h", (249_429_366, 61_076, 68_323_558), None),
    ],
)
def test_known_counts(a, b, counts, raw):
    odds = ps.battle_odds(a, b)
    assert odds.counts == counts
    assert raw is None or odds.raw_counts == raw
    assert odds.n == sum(counts) == sum(odds.raw_counts)
    assert (odds.win, odds.tie, odds.loss) == tuple(count / odds.n for count in counts)
    assert odds.equity == pytest.approx((counts[0] + counts[1] / 2) / odds.n, abs=1e-15)
    assert (odds.se, odds.ci_low, odds.ci_high, odds.exact, odds.method) == (0, odds.equity, odds.equity, True, "exact")


@compiled_only
def test_completions_are_counted_as_there_are():
    left = 52 - 2 - 4
    assert ps.battle_odds("As", "2h").n == math.comb(50, 3) * math.comb(47, 3)
    assert ps.battle_odds("As/Kd/", "2h//3c4c5d").n == math.comb(left, 2) * math.comb(left - 2, 3)
    assert ps.battle_odds("As/KdQdJd", "2h/?", dead="3c 4c").n == math.comb(52 - 5 - 2, 3)


@pytest.mark.parametrize(
    ("a", "b", "counts", "raw"),
    [
        ("As/KhQh9h/5h2h3d", "7h/7c4d4c/Jd", (0, 0, 1), (0, 0, 1)),
        ("Ks/9s4d2d/", "Kh/9d4c2c/", (1, 0, 0), (0, 1, 0)),  # alike but for the suit count, 2 to 1
        ("Ks/9d4h3c/2d", "Kh/9c4c2c/", (0, 0, 1), (0, 0, 1)),
        ("Ks/9d7d2d/", "Kh/9c7c2c/", (0, 1, 0), (0, 1, 0)),
    ],
)
@pytest.mark.parametrize("method", ["auto", "exact", "sample"])
def test_nothing_hidden_is_one_comparison(a, b, counts, raw, method):
    odds = ps.battle_odds(a, b, method=method)
    assert sizes(odds) == [(counts, raw, 1)]
    assert odds.exact and odds.se == 0 and odds.ci_low == odds.equity == odds.ci_high == counts[0] + counts[1] / 2


def test_sides_may_be_given_as_cards():
    assert ps.battle_odds(("As", ["Ks", "Kd", 28], "5s"), ["2h", "QcQd", ["Td"]]) == ps.battle_odds(
        "As/KsKd9c/5s", "2h/QcQd?/Td"
    )


# --- against the slow way ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["pairs", "sweep"])
def way(request, monkeypatch):
    """Both ways to meet two lists: pair by pair, which small decks would always take, and by the sweep."""
    if request.param == "sweep":
        monkeypatch.setattr(masses_module, "FEW", -1)


BLOCKS, CASES = 10, 20


@pytest.mark.parametrize("block", range(BLOCKS))
def test_small_decks_as_the_slow_way(way, block):
    for number in range(CASES * block, CASES * block + (CASES if JIT else 2)):
        (a, b, dead), slow, quick = random_case(number)
        counts, raw, mass, raw_mass = slow_odds(a, b, dead, **slow)
        if sum(counts) == 0:
            with pytest.raises(ValueError, match="no combination is left"):
                ps.battle_odds(a, b, **quick)
            continue
        odds = ps.battle_odds(a, b, **quick)
        assert (odds.counts, odds.raw_counts, odds.n) == (counts, raw, sum(counts)), number
        for shares, wanted in (
            ((odds.win, odds.tie, odds.loss), mass),
            ((odds.raw_win, odds.raw_tie, odds.raw_loss), raw_mass),
        ):
            assert shares == pytest.approx([float(x / sum(mass)) for x in wanted], abs=1e-13), number


def test_the_cases_hold_what_they_should():
    """Of the cases above: every size of palace, every number of hidden cards, ranges on no, one and both sides."""
    cases = [random_case(number) for number in range(BLOCKS * CASES)]
    kinds = {
        (len(a[1]), len(b[1]), slow["palace_cards"], slow["weights_a"] is None, slow["weights_b"] is None)
        for (a, b, _), slow, _ in cases
    }
    assert {size for _, _, size, _, _ in kinds} == {1, 2, 3}
    assert {(size - x, size - y) for x, y, size, _, _ in kinds} == {(i, j) for i in range(4) for j in range(4)}
    assert {(x, y) for *_, x, y in kinds} == {(i, j) for i in (True, False) for j in (True, False)}
    assert {slow["blocked"] for _, slow, _ in cases} == {"suit", "rank", "none"}


def test_the_other_side_sees_the_mirror_image(way):
    for number in range(30 if JIT else 3):
        (a, b, _), _, quick = random_case(number, ranges=False)
        one, other = ps.battle_odds(a, b, **quick), ps.battle_odds(b, a, **quick)
        assert one.counts == other.counts[::-1] and one.raw_counts == other.raw_counts[::-1]
        assert one.equity + other.equity == pytest.approx(1, abs=1e-15)


@compiled_only
@pytest.mark.parametrize("b", ["2h/?/TdTc7s7d4c", "2h/Tc?/", "2h"])
@pytest.mark.parametrize("a", ["As/KsKd9c/", "As/Ks/3s4s5s", "As"])
def test_a_uniform_range_is_no_range(a, b):
    plain, uniform = ps.battle_odds(a, b), Range.uniform(3)
    assert ps.battle_odds(a, b, range_b=uniform) == plain
    assert ps.battle_odds(a, b, range_a=uniform, range_b=Range(uniform.cards, 0.3 * uniform.weights)) == plain


@compiled_only
def test_full_decks_by_the_sweep_as_pair_by_pair(monkeypatch):
    rng = np.random.default_rng(3)
    every = all_palaces(3)
    for share in (0.2, 0.9):
        ranges = {}
        for name in ("range_a", "range_b"):
            some = rng.random(len(every)) < share
            ranges[name] = Range(every[some], rng.random(some.sum()) ** 8)
        swept = ps.battle_odds("As//KsQs", "2h/3d/", dead="7c", **ranges)
        with monkeypatch.context() as patch:
            patch.setattr(masses_module, "FEW", 1 << 60)
            direct = ps.battle_odds("As//KsQs", "2h/3d/", dead="7c", **ranges)
        assert sizes(swept) == sizes(direct)
        for name in ("win", "tie", "loss", "raw_win", "raw_tie", "raw_loss", "equity"):
            assert getattr(swept, name) == pytest.approx(getattr(direct, name), rel=1e-11)


def test_small_weights_count_where_great_ones_cannot_meet(way):
    """The two likely palaces share a card, so all that can happen is unlikely: 1e-30 is lost beside 1."""
    likely, a_other, b_other = (frozenset(words.split()) for words in ("Ac Kc Qc", "3c 3d 5c", "Td 9c 9d"))
    a, b = ("As", [], []), ("2h", [], [])
    weights = {"weights_a": {likely: 1, a_other: 1e-30}, "weights_b": {likely: 1, b_other: 3e-30}}
    counts, _, mass, _ = slow_odds(a, b, deck=sorted({"As", "2h", *likely, *a_other, *b_other}), **weights)
    odds = ps.battle_odds("As", "2h", range_a=as_range(weights["weights_a"]), range_b=as_range(weights["weights_b"]))
    assert odds.counts == counts and odds.n == 3
    assert odds.win == pytest.approx(float(mass[0] / sum(mass)), rel=1e-12)
    assert odds.loss == pytest.approx(float(mass[2] / sum(mass)), rel=1e-12)


def test_what_never_happens_has_no_share():
    aces = {frozenset(words.split()): w for words, w in (("Ac Ad Ah", 0.1), ("Ac Kd Kh", 0.2), ("Ad Kc Kh", 0.7))}
    odds = ps.battle_odds("As", "2h/3c5d7c", range_a=as_range(aces))
    assert (odds.win, odds.tie, odds.loss, odds.n) == (1.0, 0.0, 0.0, 3)


# --- sampling ---------------------------------------------------------------------------------------------------------


def random_sides(rng):
    """Two sides of a battle, palaces known in part, and dead cards, as text."""
    deck = [DECK[i] for i in rng.permutation(52)]
    a = deck.pop()
    b = deck.pop(next(i for i, card in enumerate(deck) if card[1] != a[1]))
    sides = [
        "/".join([banner, *("".join(deck.pop() for _ in range(rng.integers(most + 1))) for most in (3, 5))])
        for banner in (a, b)
    ]
    return (*sides, "".join(deck.pop() for _ in range(rng.integers(6))))


@compiled_only
def test_sampled_odds_agree_with_exact_ones_and_their_intervals_cover():
    """1,000 situations with exact equity between 0.05 and 0.95, 10,000 samples each.

    How many of 1,000 intervals of 95 % cover is binomial: beyond 926 to 971 lie at most 0.0005 on either side. A win
    count is binomial given the exact win share; that one of 1,000 has a two-sided tail below 1e-6 has chance 0.001.
    """
    assert (binom.ppf(0.0005, 1000, 0.95), binom.isf(0.0005, 1000, 0.95)) == (926, 971)
    rng = np.random.default_rng(11)
    cases = [random_sides(rng) for _ in range(2500)]
    columns = [list(column) for column in zip(*cases, strict=True)]
    exact = ps.battle_odds_table(*columns)
    kept = exact[exact.equity.between(0.05, 0.95) & (exact.n > 1)].head(1000)
    assert len(kept) == 1000
    columns = [[column[i] for i in kept.index] for column in columns]
    sampled = ps.battle_odds_table(*columns, method="sample", samples=10_000, seed=5)
    assert not sampled.exact.any() and (sampled.n == 10_000).all()
    truth = kept.equity.to_numpy()
    covered = ((sampled.ci_low <= truth) & (truth <= sampled.ci_high)).sum()
    assert 926 <= covered <= 971
    wins = (10_000 * sampled.win).round().astype(int).to_numpy()
    tails = 2 * np.minimum(binom.cdf(wins, 10_000, kept.win), binom.sf(wins - 1, 10_000, kept.win))
    assert tails.min() > 1e-6


@compiled_only
def test_sampled_odds_by_ranges_agree_with_exact_ones():
    """Two-sided tails of 60 counts: one below 1e-6 has chance 0.00006."""
    rng = np.random.default_rng(4)
    every = all_palaces(3)
    tails = []
    for number in range(30):
        some = [rng.random(len(every)) < share for share in (0.01, rng.choice([0.001, 0.3]))]
        ranges = [Range(every[chosen], rng.random(chosen.sum()) ** 4) for chosen in some]
        asked = {"range_a": ranges[0], "range_b": ranges[1] if number % 2 else None}
        exact = ps.battle_odds("7s//8s", "2h//KdKc", **asked)
        sampled = ps.battle_odds("7s//8s", "2h//KdKc", method="sample", seed=number, **asked)
        for share, count in zip((exact.win, exact.raw_win), (sampled.counts[0], sampled.raw_counts[0]), strict=True):
            tails.append(2 * min(binom.cdf(count, 10_000, share), binom.sf(count - 1, 10_000, share)))
    assert min(tails) > 1e-6


def test_pairs_are_drawn_by_the_product_of_their_weights():
    """X or Y against X (weight 3) or Z: X-Z 1, Y-X 3, Y-Z 1, and only Y-X wins: 3/5.

    Dealing one after the other would give 1/2 times 3/4. The two-sided tail of one count is below 1e-6 in a million.
    """
    x, y, z = frozenset(["Qc", "Qd", "3c"]), frozenset(["Kc", "Kd", "3d"]), frozenset(["Ac", "Ad", "4c"])
    asked = {"range_a": as_range({x: 1, y: 1}), "range_b": as_range({x: 3, z: 1})}
    exact = ps.battle_odds("7s", "2h", **asked)
    assert exact.counts == (1, 0, 2) and exact.win == pytest.approx(0.6, abs=1e-15)
    wins = ps.battle_odds("7s", "2h", method="sample", **asked).counts[0]
    assert 2 * min(binom.cdf(wins, 10_000, 0.6), binom.sf(wins - 1, 10_000, 0.6)) > 1e-6


def test_samples_are_those_of_the_stream():
    """The same draws by the reference stream: key (seed, row, purpose 4, index 2), cards suit by suit."""
    a, b, seed, n = ("As", ["Kd"], ["3s"]), ("2h", ["Tc", "9c"], []), 77, 300
    named = {a[0], *a[1], *a[2], b[0], *b[1]}
    stream, order = Stream(seed, 0, 4, 2), sorted((c for c in DECK if c not in named), key=lambda c: "cdhs".index(c[1]))
    counts = [0, 0, 0]
    for _ in range(n):
        drawn = []
        for left in range(len(order), len(order) - 3, -1):
            j = stream.below(left)
            order[j], order[left - 1] = order[left - 1], order[j]
            drawn.append(order[left - 1])
        result, _, _, _ = slow_odds((a[0], [*a[1], *drawn[:2]], a[2]), (b[0], [*b[1], drawn[2]], b[2]))
        counts = [x + y for x, y in zip(counts, result, strict=True)]
    odds = ps.battle_odds(text(a), text(b), method="sample", samples=n, seed=seed)
    assert odds.counts == tuple(counts)


def test_golden_counts_of_samples():
    """These may change only with the version of the streams."""
    odds = ps.battle_odds("As//5s", "2h/Tc?", method="sample", samples=1000, seed=1)
    assert (odds.counts, odds.raw_counts) == GOLDEN


GOLDEN = ((807, 0, 193), (807, 0, 193))


def test_standard_error_and_interval_of_samples():
    odds = ps.battle_odds("6d/JsTc3h/", "6s/5c2c?/5d", method="sample", samples=500, seed=2)
    scores = np.repeat([1, 0.5, 0], odds.counts)
    assert odds.equity == pytest.approx(scores.mean(), abs=1e-15)
    assert odds.se == pytest.approx(scores.std(ddof=1) / math.sqrt(500), rel=1e-12)
    expected = score_interval(scores.mean(), scores.var(ddof=1), 500)
    assert (odds.ci_low, odds.ci_high) == pytest.approx(expected, rel=1e-12)
    assert odds.ci_low < odds.equity < odds.ci_high


TWOS = ps.Rules(deck="2s 2h 2c 2d", palace_cards=1, blocked="none")


@pytest.mark.parametrize(
    ("a", "b", "rules", "all_alike"),
    [
        ("As/AcAd3c", "2h/3d4d?/9c9d", None, (100, 0, 0)),
        ("2h/3d4d?/9c9d", "As/AcAd3c", None, (0, 0, 100)),
        ("2s/2c", "2h/?", TWOS, (0, 100, 0)),
    ],
)
def test_where_all_samples_are_alike_the_interval_is_not_a_point(a, b, rules, all_alike):
    odds = ps.battle_odds(a, b, rules=rules, method="sample", samples=100)
    assert odds.counts == all_alike and odds.se == 0
    assert odds.ci_high - odds.ci_low == pytest.approx(1.96**2 / (100 + 1.96**2), rel=1e-3)
    assert 0 <= odds.ci_low <= odds.equity <= odds.ci_high <= 1


@pytest.mark.parametrize(("wins", "n"), [(0, 5), (5, 5), (1, 10), (37, 100), (9_990, 10_000)])
def test_without_ties_it_is_wilsons_interval(wins, n):
    theirs = binomtest(wins, n).proportion_ci(method="wilson")
    share = wins / n
    found = score_interval(share, share * (1 - share) * n / (n - 1), n)
    assert found == pytest.approx((theirs.low, theirs.high), abs=1e-12)


# --- from a hand ------------------------------------------------------------------------------------------------------


def test_a_seat_of_a_hand_sees_its_own_palace_and_not_the_foes():
    hand = ps.Hand.from_cards(None, "As Kh 7d", ["KsKd9c", "2c2d2s", "QcQdQs"], "4c 5c 6c")
    deck = {"deck": "As Kh 7d Ks Kd 9c 2c 2d 2s Qc Qd Qs 4c 5c 6c"}
    seen = ps.seat_odds(hand, foe=1, seat=0)
    assert seen == ps.battle_odds("As/KsKd9c", "Kh", dead="7d", rules=ps.Rules(**deck))
    assert seen.n == math.comb(15 - 6, 3)
    other = ps.Hand.from_cards(None, "As Kh 7d", ["KsKd9c", "4cQc6c", "2dQd5c"], "2c 2s Qs")
    assert ps.seat_odds(other, foe=1, seat=0) == seen


def test_the_foe_is_the_other_side_of_the_battle():
    hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/QcQd3c/TdTc", "7d/?"], to_act=0, dealer=2, pot=60)
    hand.attack(1)
    assert hand.to_act == 1
    assert ps.seat_odds(hand) == ps.battle_odds("2h/QcQd3c/TdTc", "As/?/5s", dead="7d")
    assert ps.seat_odds(hand, seat=0) == ps.battle_odds("As/KsKd9c/5s", "2h/?/TdTc", dead="7d")


def test_a_caller_who_won_knows_where_the_losers_palace_is():
    hand = ps.Hand.from_position(None, ["2h/3c4d6h", "As/AcAdAh", "7d/?", "Kc/?"], to_act=0, dealer=3, pot=40)
    hand.attack(1).call()  # seat 1 called and won: it has seen 3c 4d 6h (R28)
    hand.keep_best()
    known = ps.seat_odds(hand, foe=2, seat=1)
    assert known == ps.battle_odds("As/AcAdAh/2h", "7d/?", dead="Kc 3c 4d 6h")
    assert ps.seat_odds(hand, foe=1, seat=2).n == math.comb(52 - 4 - 3, 3)  # the others have not


def test_odds_of_a_seat_take_a_range_and_samples():
    hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc"], to_act=0, dealer=1, pot=20)
    some = Range(all_palaces(3)[::7], np.arange(1.0, 1 + len(all_palaces(3)[::7])))
    for asked in ({}, {"method": "sample", "samples": 100, "seed": 3}):
        mine = ps.seat_odds(hand, foe=1, range=some, **asked)
        assert mine == ps.battle_odds("As/KsKd9c/5s", "2h/?/TdTc", range_b=some, **asked)


def test_an_army_above_the_limit_has_odds_too():
    """After a battle won the winner holds all it captured, until it has chosen (R27)."""
    hand = ps.Hand.from_position(
        None, ["As/AcAdAh/KsQsJs9s8s", "2h/3c4d6h/7s6s5s4s3s", "7d/?", "8c/?"], to_act=0, dealer=3, pot=40
    )
    hand.attack(1).call()
    assert hand.phase == "keep" and len(hand.players[0].soldiers) == 11
    a = ("As", ["Ac", "Ad", "Ah"], hand.players[0].soldiers)
    named = {"As", "Ac", "Ad", "Ah", "7d", "8c", *hand.players[0].soldiers}
    odds = ps.seat_odds(hand, foe=2)
    assert odds.n == math.comb(52 - len(named), 3)
    pool = [card for card in DECK if card not in named]
    some = [slow_odds(a, ("7d", list(palace), []))[0] for palace in list(combinations(pool, 3))[::500]]
    assert {result.index(1) for result in some} == {0} and odds.win == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "foe: seat 0 is in no battle"),
        ({"foe": 2}, "both banners are of suit s"),
        ({"foe": 3}, "foe: seat 3 is out"),
        ({"foe": 1, "seat": 3}, "seat: seat 3 is out"),
        ({"foe": 0}, "cannot battle itself"),
        ({"foe": 4}, "foe takes a seat"),
        ({"foe": 1, "seat": -1}, "seat takes a seat"),
        ({"foe": 1, "method": "guess"}, "method takes"),
        ({"foe": 1, "range": "pairs!"}, "range"),
    ],
)
def test_what_odds_of_a_seat_refuse(asked, said):
    hand = ps.Hand.from_position(None, ["As/KsKd9c", "2h/?", "7s/?", None], to_act=0, dealer=1, pot=20)
    with pytest.raises(ValueError, match=said):
        ps.seat_odds(hand, **asked)


def test_a_hand_that_is_over_has_no_odds():
    with pytest.raises(ValueError, match="hand is over"):
        ps.seat_odds(ps.Hand.deal(seats=2).fold(), foe=1, seat=0)
    with pytest.raises(ValueError, match="hand takes"):
        ps.seat_odds("As")


# --- many at once -----------------------------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize("method", ["exact", "sample"])
def test_a_table_holds_the_odds_of_each_row(method):
    rng = np.random.default_rng(2)
    cases = [random_sides(rng) for _ in range(40)]
    a, b, dead = ([*column] for column in zip(*cases, strict=True))
    table = ps.battle_odds_table(a, b, dead, method=method, samples=50, seed=9, workers=1)
    assert table.equals(ps.battle_odds_table(a, b, dead, method=method, samples=50, seed=9, workers=3))
    assert table.columns.tolist() == (
        "a b win tie loss raw_win raw_tie raw_loss equity se ci_low ci_high n exact "
        "wins ties losses raw_wins raw_ties raw_losses".split()
    )
    assert (table.a.tolist(), table.b.tolist()) == (a, b)
    for number in range(40 if method == "exact" else 1):  # every row has its own stream
        odds = ps.battle_odds(*cases[number], method=method, samples=50, seed=9)
        assert all(table[name][number] == getattr(odds, name) for name in table.columns[2:-6])
        assert table.iloc[number, -6:].tolist() == [*odds.counts, *odds.raw_counts]
    if method == "sample":
        same = ps.battle_odds_table(["As"] * 5, "2h", method="sample", samples=1000)
        assert same.win.nunique() > 1


def test_a_table_takes_one_for_all():
    rows = ps.battle_odds_table(["As/KsKd9c", "Ad/KsKd9c"], ("2h", "", "TdTc"), "5c", range_b=Range.uniform(3))
    assert rows.win[0] == ps.battle_odds("As/KsKd9c", "2h//TdTc", "5c").win
    assert rows.win[1] == ps.battle_odds("Ad/KsKd9c", "2h//TdTc", "5c").win
    aces = as_range({frozenset(["Ac", "Ad", "Ah"]): 1})
    rows = ps.battle_odds_table("2h/3c4c5d", ["As", "Ks"], ["7d", ""], range_b=[aces, None], workers=1)
    assert rows.n.tolist() == [1, math.comb(52 - 5, 3)]
    assert len(ps.battle_odds_table([], "2h")) == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"a": ["As", "Ah"], "b": "2h"}, "row 1: both banners"),
        ({"a": ["As", "Kc", "As/2c"], "b": ["2h", "3d", "4d/2c"]}, "row 2: a and b: 2c is there twice"),
        ({"a": ["As", "Kc"], "b": ["2h"]}, "lists of different lengths: a 2, b 1"),
        ({"a": "As", "b": "2h"}, "a or b takes a list"),
        ({"a": ["As"], "b": "2h", "workers": 0}, "workers takes"),
        ({"a": ["As", "Ks"], "b": "2h", "range_a": "none, aces", "range_b": "aces"}, "row 1: no combination"),
    ],
)
def test_what_a_table_refuses(asked, said):
    aces = as_range({frozenset(["Ac", "Ad", "Ah"]): 1})
    for name in {"range_a", "range_b"} & set(asked):
        asked[name] = [None, aces] if name == "range_a" else aces
    with pytest.raises(ValueError, match=said):
        ps.battle_odds_table(**asked)


def test_a_wrong_type_in_a_table_names_its_row():
    with pytest.raises(TypeError, match="row 1: a"):
        ps.battle_odds_table(["As", ("As", [1.5])], "2h")


# --- what is refused --------------------------------------------------------------------------------------------------

ACES = as_range({frozenset(["Ac", "Ad", "Ah"]): 1.0, frozenset(["Ac", "Ad", "Kc"]): 2.0})
SMALL = ps.Rules(deck="As Ks Qs Js Ah Kh Qh Jh", palace_cards=2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"a": "As/KsKs"}, "a: Ks is there twice"),
        ({"a": "As/Ks"}, "a and b: Ks is there twice"),
        ({"dead": "3c 3c"}, "dead: 3c is there twice"),
        ({"dead": "Ks"}, "b and dead: Ks is there twice"),
        ({"a": "As/2c3c4c5c"}, "a takes 3 palace cards at most"),
        ({"a": "As/2c3c4c?"}, "a takes 3 palace cards at most"),
        ({"b": "2h//3h4h5h6h7h8h"}, "b: 6 soldiers are more than the 5"),
        ({"b": "2h//3h4h", "rules": ps.Rules(max_soldiers=1)}, "b: 2 soldiers are more than the 1"),
        ({"a": "2h/3c", "b": "Kh"}, r"both banners are of suit h.*R17"),
        ({"range_a": ACES, "dead": "Ac"}, "range_a has no palace left"),
        ({"range_b": ACES, "b": "2h/3c"}, "range_b has no palace left that holds 3c"),
        ({"range_b": ACES, "b": "2h/3c4c5c"}, "range_b has no palace left"),
        ({"range_a": ACES, "range_b": ACES}, "no combination is left"),
        ({"range_a": ACES, "range_b": ACES, "method": "sample"}, "no combination is left"),
        ({"range_a": Range.uniform(2)}, "range_a takes palaces of 3 cards, got a range over 2"),
        ({"range_a": [1, 2]}, "range_a"),
        ({"rules": SMALL}, "b: 2h is not in the deck"),
        ({"a": "As//KsQs", "b": "Ah//KhQh", "rules": SMALL}, "hide 4 cards, but only 2"),
        ({"a": "As", "b": "Ah", "dead": "2c", "rules": SMALL}, "dead: 2c is not in the deck"),
        ({"method": "monte carlo"}, "method takes"),
        ({"samples": 1}, "samples takes"),
        ({"samples": 2.5}, "samples takes"),
        ({"seed": -1}, "seed takes"),
        ({"rules": "limit"}, "rules takes"),
        ({"a": 51.5}, "a takes text"),
        ({"a": "As/xx"}, "a, palace"),
        ({"a": "AsKs"}, "a takes one banner"),
    ],
)
def test_what_is_refused(asked, said):
    asked = {"a": "As", "b": "2h//Ks" if "Ks" in said else "2h", **asked}
    with pytest.raises((ValueError, TypeError), match=said):
        ps.battle_odds(**asked)


def test_ranges_that_hardly_ever_meet_are_not_sampled_for_ever():
    """One pair in a hundred million shares no card: exact odds are there, samples would take hours."""
    a, b = frozenset(["Ac", "Ad", "Ah"]), frozenset(["Kc", "Kd", "Kh"])
    asked = {"range_a": as_range({a: 1, b: 1e-8}), "range_b": as_range({a: 1})}
    assert ps.battle_odds("As", "2h", **asked).n == 1
    with pytest.raises(ValueError, match="method='exact'"):
        ps.battle_odds("As", "2h", method="sample", samples=10, **asked)


# --- how they look ----------------------------------------------------------------------------------------------------


def test_odds_are_shown_in_words():
    exact, sampled = ps.battle_odds("As/KsKd9c/", "2h/?/TdTc"), ps.battle_odds("As", "2h", method="sample")
    assert "exact, over" in str(exact) and "samples" in str(sampled) and "se " in str(sampled)
    for odds in (exact, sampled):
        assert max(map(len, str(odds).splitlines())) <= 100
        html = odds._repr_html_()
        assert f"{100 * odds.win:.2f} %" in html and f"{odds.counts[2]:,}" in html
        assert html.count("<td>") == 14


# --- plain Python -----------------------------------------------------------------------------------------------------

PLAIN = """
import json, sys
import numpy as np
import palace_sim as ps
from palace_sim.battle import masses
from palace_sim.battle.ranges import Range, all_palaces
rules = ps.Rules(deck=[4 * rank + suit for rank in range(4) for suit in range(4)])
some = Range(all_palaces(3)[::3], np.arange(1.0, 1 + len(all_palaces(3)[::3])))
found = []
for few in (1 << 20, -1):
    masses.FEW = few
    for a, b, asked in [
        ("2s/3s4s5d/3c", "3h/?/4h5h", {}),
        ("2s//3s4s", "3h/2c/", {}),
        ("2s//3s4s", "3h/2c/", {"range_a": some}),
        ("2s//3s4s", "3h//2c", {"range_a": some, "range_b": some}),
        ("2s//3s", "3h/2c/", {"method": "sample", "samples": 200}),
        ("2s//3s", "3h/2c/", {"method": "sample", "samples": 200, "range_a": some}),
    ]:
        odds = ps.battle_odds(a, b, rules=rules, **asked)
        found.append([odds.counts, odds.raw_counts, odds.n, odds.win, odds.tie, odds.loss, odds.se])
print(json.dumps(found))
"""


def test_plain_python_gives_the_same():
    results = []
    for plainly in ({}, {"NUMBA_DISABLE_JIT": "1"}):
        run = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", PLAIN],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **plainly},
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(json.loads(run.stdout))
    for compiled, plain in zip(*results, strict=True):
        assert compiled[:3] == plain[:3]
        assert compiled[3:] == pytest.approx(plain[3:], rel=1e-14)


def test_fractions_of_the_slow_way_are_exact():
    assert sum(slow_odds(("As", ["Kd"], []), ("2h", ["3c"], []), deck=DECK[:12], palace_cards=1)[2]) == Fraction(1)


# --- ranges whose weights were sampled --------------------------------------------------------------------------------


def test_errors_of_a_range_show_in_the_odds():
    """Two palaces, one that wins and one that loses: equity w/(w + v), whose error by the delta method is

    √((v·s)² + (w·t)²) / (w + v)², with s and t the errors of w and v; here √(1·0.04 + 9·0.01)/16.
    """
    palaces = np.array(sorted(card_set(cards) for cards in ("Ac Ad Ks", "2c 3d 4s")), np.int64)
    wins = palaces == card_set("Ac Ad Ks")
    sampled = Range(palaces, np.where(wins, 3.0, 1.0), np.where(wins, 0.2, 0.1))
    odds = ps.battle_odds("Ah/?/", "Kc/KdJs9h/", range_a=sampled)
    assert (odds.win, odds.equity, odds.exact, odds.n) == (0.75, 0.75, False, 2)
    assert odds.se == pytest.approx(math.sqrt(1 * 0.04 + 9 * 0.01) / 16, rel=1e-12)
    assert odds.ci_low < 0.75 - odds.se < 0.75 + odds.se < odds.ci_high
    mirrored = ps.battle_odds("Kc/KdJs9h/", "Ah/?/", range_b=sampled)
    assert (mirrored.equity, mirrored.se) == (0.25, pytest.approx(odds.se))
    assert "sampled range" in str(odds)


def test_errors_of_ranges_on_both_sides_add_up():
    """Against a fixed palace each, the variance of a's equity is the sum of what either range brings alone."""
    rng = np.random.default_rng(3)
    every = Range.uniform()
    weights = rng.random(len(every)) + 0.1
    sampled = Range(every.cards, weights, 0.05 * weights)
    exact = Range(every.cards, weights)
    sides = ("As//5s", "2h//Tc")
    one = ps.battle_odds(*sides, range_a=sampled, range_b=exact).se
    other = ps.battle_odds(*sides, range_a=exact, range_b=sampled).se
    both = ps.battle_odds(*sides, range_a=sampled, range_b=sampled)
    assert both.se == pytest.approx(math.hypot(one, other), rel=1e-9) and one > 0 and other > 0
    assert both.equity == ps.battle_odds(*sides, range_a=exact, range_b=exact).equity


def test_ranges_may_be_text():
    odds = ps.battle_odds("As/KsKd9c/", "2h/?/TdTc7s7d4c", range_b="pairs")
    assert odds.exact and odds == ps.battle_odds("As/KsKd9c/", "2h/?/TdTc7s7d4c", range_b=Range.text("pairs"))
