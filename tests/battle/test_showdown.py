"""Showdown odds against plain Python that tries every completion, and against figures worked by hand."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from reference.evaluator import evaluate, in_order
from scipy.stats import binomtest

import palace_sim as ps
from palace_sim.battle.ranges import Range
from palace_sim.battle.showdown import BLOCK, seat_showdown, showdown_odds
from palace_sim.cards import card_set
from palace_sim.kernels import showdown as kernels
from palace_sim.kernels.jit import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="a million tries take too long in plain Python")

DECK = "2c 2d 2h 2s 9c 9d 9h 9s Kc Kd Kh Ks Ac Ad Ah As".split()
SHRUNKEN = ps.Rules(deck=DECK, palace_cards=2)


# --- the slow twin ----------------------------------------------------------------------------------------------------


def split(text):
    """Cards of one part of a player, "KsKd" or "Ks??"."""
    return [text[i : i + 2] for i in range(0, len(text.replace("?", "")), 2)]


def completions(palaces, hidden, left):
    """Every way to fill up the palaces from the cards left."""
    if not palaces:
        yield []
        return
    for drawn in combinations(left, hidden[0]):
        rest = [card for card in left if card not in drawn]
        for others in completions(palaces[1:], hidden[1:], rest):
            yield [palaces[0] + list(drawn), *others]


def slow_odds(players, rules=SHRUNKEN, dead=(), weigh=lambda place, palace: 1):
    """Completions with weight, and for each player win, tie and equity as fractions."""
    parts = [player.split("/") for player in players]
    open_cards = [split(part[0]) + split(part[2]) for part in parts]
    palaces = [split(part[1]) for part in parts]
    named = {card for cards in (*open_cards, *palaces, dead) for card in cards}
    deck = ps.format_cards(rules.deck_cards).split()
    left = [card for card in deck if card not in named]
    hidden = [rules.palace_cards - len(palace) for palace in palaces]
    n, total, sums = 0, Fraction(0), defaultdict(Fraction)
    for filled in completions(palaces, hidden, left):
        weight = math.prod(Fraction(weigh(place, frozenset(palace))) for place, palace in enumerate(filled))
        if not weight:
            continue
        values = [evaluate(open_cards[place] + palace) for place, palace in enumerate(filled)]
        best = [place for place, value in enumerate(values) if value == max(values)]
        n, total = n + 1, total + weight
        for place in best:
            sums[place, "win" if len(best) == 1 else "tie"] += weight
            sums[place, "equity"] += weight / len(best)
    rows = [[sums[place, name] / total for name in ("win", "tie", "equity")] for place in range(len(players))]
    return n, rows


def assert_as_slow(odds, slow):
    n, rows = slow
    assert odds.exact.all() and (odds.n == n).all()
    assert (odds.se == 0).all() and (odds.ci_low == odds.equity).all() and (odds.ci_high == odds.equity).all()
    for row, (win, tie, equity) in zip(odds.itertuples(), rows, strict=True):
        assert (row.win, row.tie, row.equity) == pytest.approx((float(win), float(tie), float(equity)), abs=1e-14)
        assert row.loss == pytest.approx(float(1 - win - tie), abs=1e-14)


# --- exact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "dead"),
    [
        (["2c/?/", "9d/?/"], []),
        (["2c/?/Kc", "9d/9h?/", "Kh/KsAs/2d"], []),
        (["2c/?/", "2d/?/9c", "9h/Ah?/"], ["Kc", "Kd"]),
        (["2c/9cKc/Ac", "2d/9dKd/Ad", "2h/9hKh/Ah", "2s/?/As"], []),
        (["2c/??/9c9d9h", "9s/?/AcAdAh"], ["2d"]),
        (["2c/Ac?/", "9d/Ad?/"], []),
        (["Ks/?/", "Kc/Kd?/Ac", "2s/AsAh/9s", "2c/9c?/"], []),
    ],
)
def test_exact_odds_as_by_trying_every_completion(players, dead):
    assert_as_slow(showdown_odds(players, dead, SHRUNKEN), slow_odds(players, dead=dead))


def test_seven_to_nine_cards_of_the_whole_deck():
    players = ["As/Ks9c?/5s4d", "2h/Jc3c/TdTcTh7h6h", "7d/QhQd2s/Qc"]
    odds = showdown_odds(players)
    assert (odds.n == 34 * 33).all()  # 5, 8 and 5 cards are open; one hidden card each
    assert_as_slow(odds, slow_odds(players, ps.Rules()))


def test_nothing_hidden_is_one_comparison():
    odds = showdown_odds(["As/AhKd9c/", "Ks/QsJs3h/Ts", "2d/2c2h7d/5h"])
    assert odds.to_dict("list") == {
        "player": [0, 1, 2],
        "cards": ["As/AhKd9c/", "Ks/QsJs3h/Ts", "2d/7d2h2c/5h"],
        "win": [0, 0, 1],
        "tie": [0, 0, 0],
        "loss": [1, 1, 0],
        "equity": [0, 0, 1],
        "se": [0, 0, 0],
        "ci_low": [0, 0, 1],
        "ci_high": [0, 0, 1],
        "n": [1] * 3,
        "exact": [True] * 3,
    }


def test_a_pot_split_by_three_of_four():
    # A K Q 9 three times, and a king high
    odds = showdown_odds(["As/KdQh9c/", "Ac/KhQs9d/", "Kc/Jd8h2c/", "Ah/KsQd9h/"])
    assert odds.tie.tolist() == [1, 1, 0, 1]
    assert odds.win.tolist() == [0] * 4
    assert odds.loss.tolist() == [0, 0, 1, 0]
    assert odds.equity.tolist() == [840 / 2520, 840 / 2520, 0, 840 / 2520]


def test_a_banner_blocks_nothing_at_a_showdown():
    # in a battle the heart banner would block the flush (R24)
    odds = showdown_odds(["2h/9h5h3h/7h", "Ac/AsKd9c/"])
    assert odds.win.tolist() == [1, 0]


@pytest.mark.parametrize("many", range(2, 11))
def test_parts_of_a_pot_are_whole_for_any_number_of_sharers(many):
    hands = np.full((1, 10), card_set("2c"))
    hands[0, :many] = card_set("As Ks")
    shares = np.empty_like(hands)
    kernels.share_pots(hands, shares)
    assert shares[0].tolist() == [2520 // many] * many + [0] * (10 - many)
    assert shares.sum() == kernels.POT


def test_equal_players_have_equal_odds_and_all_equities_make_one():
    # the deck and the open cards stay the same when clubs and diamonds change places, and players 0 and 1 with them
    odds = showdown_odds(["2c/?/Kc", "2d/?/Kd", "9h/?/"], rules=SHRUNKEN)
    whole = (odds.equity * odds.n * kernels.POT).round().astype(int)
    assert whole.sum() == odds.n[0] * kernels.POT
    assert whole[0] == whole[1]
    assert odds.win[0] == odds.win[1] and odds.tie[0] == odds.tie[1]


# --- ranges -----------------------------------------------------------------------------------------------------------


def test_ranges_weigh_by_the_product_over_combinations_that_share_no_card():
    weights = {
        0: {frozenset(("Ks", "As")): 3, frozenset(("9s", "9h")): 1, frozenset(("Kd", "Kh")): 0.5},
        2: {frozenset(("As", "Ah")): 2, frozenset(("9h", "Kd")): 5, frozenset(("2s", "Ks")): 0.25},
    }
    players = ["2c/?/9c", "9d/?/", "Kc/?/"]
    ranges = {
        place: {tuple(sorted(palace)): weight for palace, weight in some.items()} for place, some in weights.items()
    }
    slow = slow_odds(players, weigh=lambda place, palace: weights[place].get(palace, 0) if place in weights else 1)
    assert_as_slow(showdown_odds(players, rules=SHRUNKEN, ranges=ranges), slow)
    sampled = showdown_odds(players, rules=SHRUNKEN, ranges=ranges, method="sample", samples=20_000, seed=5)
    assert_near(sampled, slow[1])


def test_a_range_with_known_cards_keeps_those_that_hold_them():
    players = ["2c/As?/9c", "9d/?/"]

    def paired(place, palace):
        return place == 1 or len({card[0] for card in palace}) == 1

    odds = showdown_odds(players, rules=SHRUNKEN, ranges={0: "pairs"})
    assert_as_slow(odds, slow_odds(players, weigh=paired))
    assert odds.cards.tolist() == ["2c/As?/9c", "9d/??/"]
    sampled = showdown_odds(players, rules=SHRUNKEN, ranges={0: "pairs"}, method="sample", samples=20_000)
    assert_near(sampled, slow_odds(players, weigh=paired)[1])


def test_drawing_one_after_the_other_would_be_biased():
    # Joint weights on paper: (AKQ of spades, trip treys) 1·1; (trip deuces, A K Q with As) 1·9; (deuces, treys) 1·1;
    # the two with the ace of spades share it. Trips beat a high card, treys deuces: player 0 wins 9 of 11.
    ranges = {0: {"AsKsQs": 1, "2c2d2h": 1}, 1: {"AsKdQd": 9, "3c3d3h": 1}}
    players = ["8c/?/", "9d/?/"]
    odds = showdown_odds(players, ranges=ranges)
    assert odds.win.tolist() == pytest.approx([9 / 11, 2 / 11], abs=1e-15)
    assert (odds.n == 3).all()
    n = 10_000
    sampled = showdown_odds(players, ranges=ranges, method="sample", samples=n, seed=2)
    # one binomial count: a right sampler fails this once in a million seeds
    assert binomtest(round(sampled.win[0] * n), n, 9 / 11).pvalue > 1e-6


def test_errors_of_a_sampled_range_are_in_the_figures():
    # aces win, deuces lose, the foe is known: equity v/(v + w), whose derivatives are w/(v + w)² and -v/(v + w)²
    v, w, d, e = 3.0, 5.0, 0.2, 0.4
    cards = np.array([card_set("2d 2h 3c"), card_set("Ad Ah 3c")])
    order = np.argsort(cards)
    sampled = Range(cards[order], np.array([w, v])[order], np.array([e, d])[order])
    expected = math.hypot(w * d, v * e) / (v + w) ** 2
    odds = showdown_odds(["Ks/?/", "Qc/QdTh9h/"], ranges={0: sampled})
    assert odds.equity.tolist() == pytest.approx([v / (v + w), w / (v + w)])
    assert odds.se.tolist() == pytest.approx([expected] * 2)
    assert odds.ci_high[0] - odds.equity[0] == pytest.approx(1.959964 * expected, rel=1e-6)
    assert not odds.exact.any()
    n = 40_000
    drawn = showdown_odds(["Ks/?/", "Qc/QdTh9h/"], ranges={0: sampled}, method="sample", samples=n)
    p = drawn.equity[0]
    # each derivative from its own share of the samples: for two palaces the same formula with the share p found
    slope = p * (1 - p)
    both = math.hypot(math.sqrt(p * (1 - p) / (n - 1)), math.hypot(slope * d / v, slope * e / w))
    assert drawn.se.tolist() == pytest.approx([both] * 2)


def test_ranges_that_leave_nothing_are_refused():
    players = ["8c/?/", "9d/?/"]
    same = {0: {"AsKsQs": 1}, 1: {"AsKdQd": 1}}
    with pytest.raises(ValueError, match="ranges: no combination of palaces is left in which no two share a card"):
        showdown_odds(players, ranges=same)
    with pytest.raises(ValueError, match=r"ranges\[1\] has no palace left among the cards"):
        showdown_odds(players, dead="As", ranges={1: {"AsKdQd": 1}})
    with pytest.raises(ValueError, match=r"ranges\[0\] has no palace left that holds 2s"):
        showdown_odds(["8c/2s?/", "9d/?/"], ranges={0: "A* K* no twos"})


@compiled_only
def test_combinations_that_never_come_up_are_refused():
    with pytest.raises(ValueError, match="in 1,000,000 tries no combination of palaces came up"):
        showdown_odds(["8c/?/", "9d/?/"], ranges={0: {"AsKsQs": 1}, 1: {"AsKdQd": 1}}, method="sample")


# --- sampled ----------------------------------------------------------------------------------------------------------


def assert_near(odds, rows):
    """Win and tie counts are binomial: each fails once in a million seeds where the sampler is right.

    Shares of the pot lie in 0 to 1, so by Hoeffding (1963) their mean is further than t from the truth with a chance of
    2·exp(-2·n·t²) at most; t is taken so that it is one in a million.
    """
    n = int(odds.n[0])
    assert not odds.exact.any()
    for row, (win, tie, equity) in zip(odds.itertuples(), rows, strict=True):
        assert binomtest(round(row.win * n), n, float(win)).pvalue > 1e-6
        assert binomtest(round(row.tie * n), n, float(tie)).pvalue > 1e-6
        assert abs(row.equity - float(equity)) <= math.sqrt(math.log(2e6) / (2 * n))
        assert row.ci_low <= row.equity <= row.ci_high and row.se >= 0


@pytest.mark.parametrize(
    "players", [["2c/?/Kc", "9d/9h?/", "Kh/KsAs/2d"], ["2c/?/", "9d/?/"], ["2c/9cKc/Ac", "2d/?/Ad", "2h/9hKh/Ah"]]
)
def test_sampled_odds_come_near_the_exact_ones(players):
    odds = showdown_odds(players, rules=SHRUNKEN, method="sample", samples=20_000, seed=11)
    assert_near(odds, slow_odds(players)[1])
    whole = (odds.equity * 20_000 * kernels.POT).round().astype(int)
    assert whole.sum() == 20_000 * kernels.POT


def test_standard_errors_and_intervals_on_paper():
    n = 1000
    odds = showdown_odds(["As/?/", "Kd/?/"], samples=n, seed=3)
    assert (odds.n == n).all() and not odds.exact.any()
    win, tie = odds.win[0], odds.tie[0]
    mean = win + tie / 2
    variance = (win + tie / 4 - mean**2) * n / (n - 1)
    assert odds.equity[0] == pytest.approx(mean, abs=1e-15)
    assert odds.se.tolist() == pytest.approx([math.sqrt(variance / n)] * 2)
    low, high = ps_interval(mean, variance, n)
    assert (odds.ci_low[0], odds.ci_high[0]) == pytest.approx((low, high))
    assert odds.ci_low[1] == pytest.approx(1 - odds.ci_high[0])


def ps_interval(mean, variance, n):
    """Wilson (1927) with p = mean and as many trials as would give this variance."""
    z2, trials = 1.959963984540054**2, n * mean * (1 - mean) / (variance * (n - 1) / n)
    half = math.sqrt(z2 * (mean * (1 - mean) / trials + z2 / (4 * trials**2)))
    return tuple((mean + z2 / (2 * trials) + sign * half) / (1 + z2 / trials) for sign in (-1, 1))


def test_a_sure_winner_is_not_called_sure_after_a_few_samples():
    odds = showdown_odds(["As/AhAdAc/", "2c/?/"], method="sample", samples=100)
    assert odds.equity.tolist() == [1, 0]
    # Wilson for 100 of 100: z²/(n + z²) = 3.8415/103.8415
    assert odds.ci_low[0] == pytest.approx(1 - 0.036994, abs=1e-6)
    assert odds.ci_high[1] == pytest.approx(0.036994, abs=1e-6)
    once = showdown_odds(["As/AhAdAc/", "2c/?/"], method="sample", samples=1)
    assert math.isnan(once.se[0]) and 0 < once.ci_low[0] < once.ci_high[0] == 1


def test_ten_players_share_out_every_sample():
    players = [f"{rank}{suit}/?/" for rank, suit in zip("AKQJT98765", "cdhscdhscd", strict=True)]
    odds = showdown_odds(players, samples=2000)
    assert len(odds) == 10
    assert (odds.equity * 2000 * kernels.POT).round().sum() == 2000 * kernels.POT
    assert (odds.win + odds.tie + odds.loss).tolist() == pytest.approx([1] * 10)


def test_samples_are_keyed_and_the_first_are_the_same_for_more():
    players = ["As/?/", "Kd/?/Kc", "2h/?/"]
    few, again = (showdown_odds(players, samples=500, seed=9) for _ in range(2))
    pd.testing.assert_frame_equal(few, again, check_exact=True)
    assert (showdown_odds(players, samples=500, seed=10).equity != few.equity).any()
    a, b, n = (showdown_odds(players, samples=many, seed=9) for many in (BLOCK, BLOCK + 1, 1))
    # one sample more adds what one sample is: 0 or 1 win, none taken away
    more = (b.win * (BLOCK + 1)).round() - (a.win * BLOCK).round()
    assert set(more) <= {0, 1} and more.sum() <= 1
    assert (n.win.sum(), n.tie.sum() > 0) in {(1, False), (0, True)}


# --- a hand, as a seat sees it ----------------------------------------------------------------------------------------


def test_a_hand_as_a_seat_sees_it():
    hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None, "7d/?/"], pot=60, dealer=2, discards="4c 4d")
    odds = seat_showdown(hand, samples=300, seed=4)
    same = showdown_odds(["As/KsKd9c/5s", "2h/?/TdTc", "7d/?/"], "4c 4d", samples=300, seed=4)
    assert odds.player.tolist() == [0, 1, 3]
    pd.testing.assert_frame_equal(odds.drop(columns="player"), same.drop(columns="player"), check_exact=True)
    ranged = seat_showdown(hand, ranges={3: "A*"}, samples=300, seed=4)
    other = showdown_odds(["As/KsKd9c/5s", "2h/?/TdTc", "7d/?/"], "4c 4d", ranges={2: "A*"}, samples=300, seed=4)
    assert ranged.equity.tolist() == other.equity.tolist()
    assert ranged.equity.tolist() != odds.equity.tolist()
    with pytest.raises(ValueError, match="ranges: 2 is no player; there are: 0, 1, 3"):
        seat_showdown(hand, ranges={2: "A*"})


def test_what_the_seat_does_not_know_plays_no_part():
    one, two = (ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc"], pot=60, seed=seed) for seed in (1, 2))
    assert one.players[1].palace != two.players[1].palace
    pd.testing.assert_frame_equal(seat_showdown(one), seat_showdown(two), check_exact=True)


def test_another_seat_sees_its_own_palace():
    hand = ps.Hand.from_cards(None, "As Kd 7h", ["Ac 7c 9d", "Kc Jh 3s", "5c 5d 5h"], "2c 2d 2h 4s 4d 4h")
    for seat, cards in enumerate(["As/Ac9d7c/", "Kd/KcJh3s/", "7h/5h5d5c/"]):
        odds = seat_showdown(hand, seat, samples=50)
        assert odds.cards[seat] == cards
        assert [text.count("?") for text in odds.cards] == [0 if other == seat else 3 for other in range(3)]


def test_a_loser_whose_palace_the_seat_saw_holds_no_cards_of_others():
    # seat 1 attacks seat 2, who calls and wins, trips to a pair: seat 2 alone knows seat 1's palace (R28)
    hand = ps.Hand.from_cards(None, "As Kd 7h", ["Ac 7c 9d", "Kc Jh 3s", "5c 5s 5h"], "2c 2d 2h 4s 4d 4h")
    hand.attack(2).call()
    while hand.phase == "keep":
        hand.keep_best()
    assert not hand.players[1].active
    deck = 3 * 3 + 3 + 6
    # seat 2 knows its palace, three banners (one now its soldier) and the three cards of the loser's palace
    assert seat_showdown(hand, 2).n[0] == math.comb(deck - 3 - 3 - 3, 3)
    # seat 0 knows its palace and the banners; three of the others are the winner's
    assert seat_showdown(hand, 0).n[0] == math.comb(deck - 3 - 3, 3)


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"players": ["As/KsKd9c/", "2h/As??/"]}, r"players\[0\] and players\[1\]: As is there twice"),
        ({"players": ["As/KsKd9c/As", "2h/?/"]}, r"players\[0\]: As is there twice"),
        ({"dead": "As"}, r"players\[0\] and dead: As is there twice"),
        ({"players": ["As/?/"]}, "the number of players takes a whole number from 2 to 10, got 1"),
        ({"players": ["As/?/"] * 11}, "from 2 to 10, got 11"),
        ({"players": "As/?/"}, "players takes a list"),
        ({"players": ["As/KsKd9c8c/", "2h/?/"]}, r"players\[0\] takes 3 palace cards at most"),
        ({"players": ["As/?/", "2h/?/3c4c5c6c7c8c"]}, r"players\[1\]: 6 soldiers are more than the 5 that may remain"),
        ({"players": ["/KsKd9c/", "2h/?/"]}, r"players\[0\] takes one banner"),
        ({"method": "fast"}, "method takes one of 'auto', 'exact', 'sample', got 'fast'"),
        ({"samples": 0}, "samples takes a whole number from 1"),
        ({"samples": 10.5}, "samples takes a whole number"),
        ({"seed": -1}, "seed takes a whole number from 0"),
        ({"dead": "Zz"}, "dead: 'Zz' is not a card"),
        ({"ranges": {2: "A*"}}, "ranges: 2 is no player; there are: 0, 1"),
        ({"ranges": {1: "pares"}}, r"ranges\[1\]: 'pares' is no word of a range"),
        ({"ranges": {1: Range.uniform(2)}}, r"ranges\[1\] takes palaces of 3 cards, got a range over 2"),
        ({"method": "exact"}, "method='exact' goes through 5,000,000 completions at most, and here are 317,814,000"),
        ({"rules": SHRUNKEN, "players": ["As/?/", "3h/?/"]}, "3h is not in the deck of the rules"),
        ({"rules": "limit"}, "rules takes a palace_sim.Rules"),
        (
            {"rules": SHRUNKEN, "players": ["As/?/AcAd", "2h/?/2c2d2s9c9d", "Kc/?/KdKh"]},
            "players hide 6 cards, but only 4 of the deck are not named",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(arguments, said):
    with pytest.raises(ValueError, match=said):
        showdown_odds(**{"players": ["As/?/", "2h/?/"], **arguments})


def test_a_hand_that_is_over_has_no_showdown_to_come():
    with pytest.raises(ValueError, match="hand is over"):
        seat_showdown(ps.Hand.deal(seats=2).fold())
    with pytest.raises(ValueError, match="seat takes a seat from 0 to 1, got 2"):
        seat_showdown(ps.Hand.deal(seats=2), 2)
    with pytest.raises(TypeError, match="hand takes"):
        seat_showdown(["As/?/", "Kd/?/"])
    with pytest.raises(TypeError, match="ranges takes"):
        showdown_odds(["As/?/", "Kd/?/"], ranges=["A*", None])


def test_the_reference_reads_what_it_is_given():
    assert split("KsKd?") == ["Ks", "Kd"] and split("?") == [] and split("") == []
    assert in_order(split("AsKd")) == ["Kd", "As"]


def test_intervals_cover_the_exact_equity():
    players, seeds = ["2c/?/Kc", "9d/9h?/", "Kh/KsAs/2d"], 300
    exact = showdown_odds(players, rules=SHRUNKEN)
    covered = np.zeros(3)
    for seed in range(seeds):
        odds = showdown_odds(players, rules=SHRUNKEN, method="sample", samples=200, seed=seed)
        covered += (odds.ci_low <= exact.equity) & (exact.equity <= odds.ci_high)
    # Wilson's interval covers 0.95 on average and 0.93 or more away from the ends at this n (Agresti and Coull, The
    # American Statistician 52 (1998) 119-126); a count as low as seen must then be likelier than one in a million
    assert ((exact.equity > 0.05) & (exact.equity < 0.95)).all()
    for count in covered:
        assert binomtest(int(count), seeds, 0.93, alternative="less").pvalue > 1e-6
        assert binomtest(int(count), seeds, 0.97, alternative="greater").pvalue > 1e-6
