"""Ranges against counts worked by hand, conditions in plain Python, and the laws of adding and multiplying."""

import pickle
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import palace_sim as ps
from palace_sim.battle.palaces import Palace
from palace_sim.battle.ranges import Range, as_range
from palace_sim.cards import card_set

PALACES = comb(52, 3)


def shape(palace):
    return sorted(Counter(palace.ranks).values(), reverse=True)


def in_a_row(palace):
    values = sorted(palace.values)
    low = sorted(1 if value == 14 else value for value in values)
    steps = list(range(len(palace)))
    return any([value - row[0] for value in row] == steps for row in (values, low))


# --- text: counts on paper --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("any", PALACES),
        ("*", PALACES),
        ("pairs", 13 * comb(4, 2) * 48),  # 3744
        ("trips", 13 * 4),
        ("nopair", comb(13, 3) * 4**3),
        ("pairs 9+", 6 * comb(4, 2) * 48),  # 9 T J Q K A
        ("trips 10+", 5 * 4),
        ("suited", 4 * comb(13, 3)),  # 1144
        ("rainbow", 4 * 13**3),
        ("straight", 12 * 4**3),  # A23 to QKA: twelve tops, 3 to A
        ("straight suited", 12 * 4),
        ("two hearts", comb(13, 2) * 39),  # 3042
        ("three hearts", comb(13, 3)),
        ("no hearts", comb(39, 3)),
        ("one heart", 13 * comb(39, 2)),
        ("two+ hearts", comb(13, 2) * 39 + comb(13, 3)),
        ("at least two hearts", comb(13, 2) * 39 + comb(13, 3)),
        ("at most one heart", comb(39, 3) + 13 * comb(39, 2)),
        ("two hearts one spade", comb(13, 2) * 13),
        ("2 h 1 s", comb(13, 2) * 13),
        ("A*", PALACES - comb(48, 3)),  # 4804
        ("no aces", comb(48, 3)),
        ("two kings", comb(4, 2) * 48),
        ("AK*", PALACES - 2 * comb(48, 3) + comb(44, 3)),  # inclusion and exclusion
        ("AA*", comb(4, 2) * 48 + comb(4, 3)),
        ("As*", comb(51, 2)),
        ("AsK*", 4 * 50 - comb(4, 2)),  # with a king of four and any of 50; two kings are counted twice
        ("AsA*", 3 * 48 + comb(3, 2)),
        ("AAK", comb(4, 2) * 4),  # 24
        ("AAA", 4),
        ("AKQ", 4**3),
        ("AsKQ", 4**2),
        ("AsAK", 3 * 4),
        ("AsKsQs", 1),
        ("As Ks Qs", 1),
        ("A♠K♠10♠", 1),
        ("not pairs", PALACES - 3744),
        ("not A* not K*", comb(44, 3)),
        ("pairs A*", comb(4, 2) * 48 + 4 * 12 * comb(4, 2)),  # two aces and another, or an ace and another pair
        ("trips, pairs", 52 + 3744),
        ("AsKsQs, AsKsQs, three spades", comb(13, 3)),
        ("PAIRS, Two Hearts", 3744 + 3042 - 13 * 3 * 12),  # both: a heart and its like in another suit, another heart
    ],
)
def test_counts_on_paper(text, count):
    range_ = Range.text(text)
    assert len(range_) == count
    assert (range_.weights == 1).all()
    assert range_.exact


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("pair", lambda p: 2 in shape(p) and 3 not in shape(p)),
        ("nopair", lambda p: len(set(p.ranks)) == len(p)),
        ("suited", lambda p: len(set(p.suits)) == 1),
        ("rainbow", lambda p: len(set(p.suits)) == len(p)),
        ("straight", in_a_row),
        ("one heart", lambda p: p.suits.count("h") == 1),
        ("at least one club", lambda p: "c" in p.suits),
        ("no h no d", lambda p: not set(p.suits) & set("hd")),
        ("A*", lambda p: "A" in p.ranks),
        ("10*", lambda p: "T" in p.ranks),
        ("As*", lambda p: "As" in p),
        ("AsK*", lambda p: "As" in p and "K" in p.ranks),
        ("no sixes", lambda p: "6" not in p.ranks),
        ("one king, not A* suited", lambda p: p.ranks.count("K") == 1 or "A" not in p.ranks and len(set(p.suits)) == 1),
    ],
)
def test_text_as_a_condition_in_python_for_palaces_of_every_size(text, condition, size):
    if size == 1 and text in ("pair", "AsK*"):
        with pytest.raises(ValueError, match=r"no palace of 1 cards|too many cards for a palace of 1"):
            Range.text(text, palace_cards=1)
        return
    assert Range.text(text, palace_cards=size) == Range.where(condition, palace_cards=size)


@settings(max_examples=25)  # each asks 22,100 times
@given(st.data())
def test_explicit_cards_and_ranks_as_a_condition(data):
    ids = data.draw(st.lists(st.integers(0, 51), min_size=1, max_size=3, unique=True))
    words = [ps.format_cards([card]) for card in ids]
    bare = [word if data.draw(st.booleans()) else word[0] for word in words]

    def holds(palace):
        own = [word for word in bare if len(word) == 2]
        left = [word[0] for word in palace if word not in own]
        return set(own) <= set(palace) and all(left.count(r) >= bare.count(r) for r in bare if len(r) == 1)

    assert Range.text("".join(bare) + "*") == Range.where(holds)


def test_the_ace_is_high_or_low_in_a_straight_but_not_in_the_middle():
    straights = Range.text("straight")
    assert straights.probability("A23") == straights.probability("AKQ") == 1 / 12
    assert straights.probability("KA2") == 0
    assert len(Range.text("straight", palace_cards=2)) == 13 * 16  # A2 to KA


def test_of_several_terms_the_largest_weight_counts():
    range_ = Range.text("pairs: 2, A*: 0.5, AAK: 0.25, QQ*: 3")
    weight = dict(zip(range_.cards.tolist(), range_.weights.tolist(), strict=True))
    by_cards = {text: weight[card_set(text)] for text in ("As Ah Ks", "As Kh Qs", "2s 2h 7d", "Qs Qh 7d", "Qs Qh Qd")}
    assert list(by_cards.values()) == [2, 0.5, 2, 3, 3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pares", "'pares' is no word of a range; did you mean pairs"),
        ("xyzzy", "there are: any, pair, trips, nopair, suited, rainbow, straight, not"),
        ("hearts", "'hearts' needs a number before it"),
        ("two", "'two' needs a suit or a rank after it"),
        ("at least hearts", "'at' needs a suit or a rank after it"),
        ("A", "'A' has too few cards for a palace of 3; A\\* are all palaces that hold it"),
        ("AsKs", "'AsKs' has too few cards"),
        ("AAKK", "'AAKK' has too many cards for a palace of 3"),
        ("AsAsK", "a card is there twice in 'AsAsK'"),
        ("suited pairs", "no palace of 3 cards is 'suited pairs'"),
        ("AAAA*", "too many cards"),
        ("A*: 0", "a weight is a number above 0, got '0' after 'A\\*'; to leave palaces out, say 'not'"),
        ("A*: -1", "got '-1'"),
        ("A*: nan", "got 'nan'"),
        ("A*: inf", "got 'inf'"),
        ("A*: 1: 2", "got '1: 2'"),
        ("A*:", "got ''"),
        ("", "an empty term"),
        ("pairs,,A*", "an empty term"),
        ("not", "'not' needs a word after it"),
    ],
)
def test_text_that_cannot_be_read_is_refused_by_name(text, said):
    with pytest.raises(ValueError, match=f"^mine: .*{said}"):
        Range.text(text, what="mine")


# --- conditions and explicit palaces ----------------------------------------------------------------------------------


def test_a_condition_sees_words_ranks_suits_and_values_highest_card_first():
    seen = []
    Range.where(lambda palace: seen.append(palace) or True, palace_cards=2)
    assert len(seen) == comb(52, 2)
    assert all(isinstance(palace, Palace) for palace in seen)
    assert {tuple(palace) for palace in seen} >= {("As", "Kd"), ("2d", "2c")}
    palace = next(palace for palace in seen if set(palace) == {"9c", "As"})
    assert (palace, palace.ranks, palace.suits, palace.values, str(palace)) == (
        ("As", "9c"), "A9", "sc", [14, 9], "As 9c",
    )  # fmt: skip


def test_a_condition_may_give_weights():
    range_ = Range.where(lambda palace: palace.ranks.count("A") / 2)
    assert Counter(range_.weights.tolist()) == {0.5: 4 * comb(48, 2), 1.0: 6 * 48, 1.5: 4}


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (-1, ValueError, "finite number from 0, got -1 for "),
        (float("nan"), ValueError, "got nan for"),
        (float("inf"), ValueError, "got inf for"),
        (None, TypeError, "a weight is a number or a bool, got None for"),
        ("1", TypeError, "got '1' for"),
        (False, ValueError, "holds for no palace of 3 cards"),
        (0, ValueError, "holds for no palace"),
    ],
)
def test_a_condition_that_gives_no_weight_is_refused(answer, error, said):
    with pytest.raises(error, match=said):
        Range.where(lambda palace: answer)


def test_numpy_answers_count_as_well():
    assert Range.where(lambda palace: np.bool_("As" in palace)) == Range.text("As*")
    assert Range.where(lambda palace: np.float64(0.5) * ("As" in palace)) == Range.text("As*: 0.5")


def test_what_a_condition_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        Range.where(lambda palace: 1 / 0)
    with pytest.raises(TypeError, match="condition takes a function of a palace"):
        Range.where("pairs")


def test_explicit_palaces_in_any_notation():
    expected = Range.text("AsKd9c: 2, 2h2d2c")
    assert Range.combos({"As Kd 9c": 2.0, "2c2d2h": 1}) == expected
    assert Range.combos({("9c", "Kd", "As"): 2.0, (0, 1, 2): 1, "3c3d3h": 0}) == expected
    assert Range.combos(["9c As Kd", "AsKdQc"]) == Range.text("AsKd9c, AsKdQc")


@pytest.mark.parametrize(
    ("palaces", "error", "said"),
    [
        ({"As Kd 9c": 1, "9c Kd As": 2}, ValueError, "the palace As Kd 9c is there twice"),
        ({"As As 9c": 1}, ValueError, "As is there twice"),
        ({"As Kd 9c 2c": 1}, ValueError, "a palace is 1 to 3 cards"),
        ({"": 1}, ValueError, "a palace is 1 to 3 cards"),
        ({"As Kd 9x": 1}, ValueError, "'9x' is not a card"),
        ({"As Kd 9c": -2}, ValueError, "from 0, got -2 for As Kd 9c"),
        ({"As Kd 9c": "2"}, TypeError, "got '2' for As Kd 9c"),
        ({"As Kd 9c": 0}, ValueError, "one palace or more with a weight above 0"),
        ({}, ValueError, "one palace or more"),
        ({"As Kd 9c": 1, "As Kd": 1}, ValueError, "combos takes palaces of one size"),
        ("AsKd9c", TypeError, "takes palaces with weights"),
    ],
)
def test_explicit_palaces_that_cannot_be_are_refused(palaces, error, said):
    with pytest.raises(error, match=said):
        Range.combos(palaces)


def test_the_constructor_sorts_and_leaves_out_what_has_no_weight():
    cards = [card_set(text) for text in ("As Ks", "2c 2d", "7h 3h", "Td 9d")]
    range_ = Range(np.array(cards), np.array([1, 0, 3, 2]), np.array([0.1, 9, 0.3, 0.2]))
    assert range_.cards.tolist() == sorted([cards[0], *cards[2:]])
    assert dict(zip(range_.cards.tolist(), zip(range_.weights, range_.errors, strict=True), strict=True)) == {
        cards[0]: (1, 0.1), cards[2]: (3, 0.3), cards[3]: (2, 0.2),
    }  # fmt: skip
    assert not range_.exact
    assert range_.palace_cards == 2


@pytest.mark.parametrize(
    ("cards", "weights", "errors", "said"),
    [
        ([3, 3], [1, 1], None, "the palace 3c 2c is there twice"),
        ([3, 7], [1, 1], None, "card sets of one size"),
        ([15], [1], None, "1 to 3 cards"),
        ([1 << 13], [1], None, "card sets of one size"),
        ([-1], [1], None, "cards takes finite numbers from 0, got -1"),
        ([0], [1], None, "1 to 3 cards"),
        ([3], [0], None, "a weight above 0, got none"),
        ([], [], None, "a weight above 0, got none"),
        ([3], [-1], None, "weights takes finite numbers from 0, got -1"),
        ([3], [np.nan], None, "weights takes finite numbers from 0, got nan"),
        ([3], [np.inf], None, "weights takes finite numbers from 0, got inf"),
        ([3, 5], [1], None, "weights takes a number for each of the 2 palaces, got 1"),
        ([3], [1], [-0.5], "errors takes finite numbers from 0"),
        ([3], [1], [1, 2], "errors takes a number for each"),
        ([[3]], [1], None, "cards takes a flat array"),
        ([3.5], [1], None, "cards takes a flat array"),
    ],
)
def test_arrays_that_are_no_range_are_refused(cards, weights, errors, said):
    with pytest.raises(ValueError, match=said):
        Range(np.array(cards), np.array(weights), None if errors is None else np.array(errors))


def test_what_functions_take_for_a_range():
    assert as_range(None, "x") is None
    pairs = Range.text("pairs")
    assert as_range(pairs, "x") is pairs
    assert as_range("pairs", "x") == pairs
    assert as_range({"AsKsQs": 2}, "x") == Range.text("AsKsQs: 2")
    assert as_range(lambda palace: 2 in shape(palace), "x") == pairs
    assert as_range("pairs", "x", palace_cards=2) == Range.text("pairs", palace_cards=2)
    with pytest.raises(TypeError, match=r"^x takes a Range, text like"):
        as_range(7, "x")
    with pytest.raises(ValueError, match=r"^x takes palaces of 2 cards, got a range over 3"):
        as_range(pairs, "x", palace_cards=2)
    with pytest.raises(ValueError, match=r"^x: 'pares' is no word"):
        as_range("pares", "x")
    with pytest.raises(ValueError, match="palace_cards takes"):
        Range.uniform(4)


# --- algebra, in exact fractions --------------------------------------------------------------------------------------

# Two-card palaces of six cards, with weights that are whole: so all sums and products below are exact.
SMALL = [card_set(pair) for pair in ("2c 3c", "2c 2d", "As Ks", "7h 8h", "Ah Ad", "Tc 9d")]
weighings = st.dictionaries(st.sampled_from(SMALL), st.integers(1, 64), min_size=1)


def of(weights, errors=None):
    spread = None if errors is None else np.array([errors[card] for card in weights], float)
    return Range(np.array(list(weights)), np.array(list(weights.values()), float), spread)


def table(range_):
    return dict(zip(range_.cards.tolist(), range_.weights.tolist(), strict=True))


@given(weighings, weighings)
def test_and_multiplies_or_takes_the_larger(a, b):
    both = {card: a[card] * b[card] for card in a.keys() & b.keys()}
    if both:
        assert table(of(a) & of(b)) == both
        assert of(a) & of(b) == of(b) & of(a)
    else:
        with pytest.raises(ValueError, match="no palace in common"):
            _ = of(a) & of(b)
    assert table(of(a) | of(b)) == {card: max(a.get(card, 0), b.get(card, 0)) for card in a.keys() | b.keys()}
    assert of(a) | of(b) == of(b) | of(a)


@given(weighings, weighings, st.integers(0, 16))
def test_mixing_adds_shares(a, b, sixteenths):
    trust = Fraction(sixteenths, 16)
    expected = {
        card: trust * Fraction(a.get(card, 0), sum(a.values()))
        + (1 - trust) * Fraction(b.get(card, 0), sum(b.values()))
        for card in a.keys() | b.keys()
    }
    mixed = of(a).mixed(float(trust), of(b))
    assert table(mixed) == pytest.approx({card: float(share) for card, share in expected.items() if share})
    assert mixed.weights.sum() == pytest.approx(1)


@given(weighings, st.sampled_from(["2c", "As", "7h 9d"]))
def test_without_and_probability(a, cards):
    dead = card_set(cards)
    left = {card: weight for card, weight in a.items() if not card & dead}
    if left:
        assert table(of(a).without(cards)) == left
    else:
        with pytest.raises(ValueError, match="no palace left"):
            of(a).without(cards)
    held = Fraction(sum(weight for card, weight in a.items() if card & dead == dead), sum(a.values()))
    assert of(a).probability(cards.split()) == pytest.approx(float(held), abs=1e-15)
    assert of(a).probability(lambda palace: set(cards.split()) <= set(palace)) == of(a).probability(cards.split())


@given(weighings)
def test_normalised_shares_and_effective_number(a):
    range_ = of(a).normalised()
    total = sum(a.values())
    shares = [weight / total for weight in a.values()]
    assert table(range_) == pytest.approx({card: weight / total for card, weight in a.items()})
    assert sorted(range_.shares) == pytest.approx(sorted(shares))
    # exp of the entropy is the product of share^-share
    assert range_.effective == pytest.approx(np.prod([share**-share for share in shares]))


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["pairs", "two hearts: 0.5", "A*: 2", "AsKsQs", "not rainbow: 3"]), min_size=1))
def test_terms_of_a_text_are_united_as_by_or(terms):
    united = Range.text(terms[0])
    for term in terms[1:]:
        united = united | Range.text(term)
    assert Range.text(", ".join(terms)) == united


def test_words_of_a_term_hold_all_as_by_and():
    assert Range.text("A* two hearts not rainbow: 2") == (
        Range.text("A*: 2") & Range.text("two hearts") & Range.text("not rainbow")
    )


def test_within_keeps_what_holds_the_known_cards():
    range_ = Range.text("A*").within(card_set("As Ah Kd Qd"), card_set("2c"))
    # 2c, an ace and another of the four: one ace with Kd or Qd, or both aces
    expected = {"2c As Kd", "2c As Qd", "2c Ah Kd", "2c Ah Qd", "2c Ah As"}
    assert set(range_.cards.tolist()) == {card_set(cards) for cards in expected}
    with pytest.raises(ValueError, match="mine has no palace left that holds 2c"):
        range_.within(card_set("3c 4c"), card_set("2c"), "mine")


def test_errors_go_through_products_mixtures_and_sums():
    a, b = of({SMALL[0]: 3, SMALL[1]: 5}, {SMALL[0]: 0.5, SMALL[1]: 0.25}), of({SMALL[0]: 2, SMALL[2]: 6})
    both = a & b
    assert (table(both), both.errors.tolist()) == ({SMALL[0]: 6}, [1.0])  # 2·0.5
    twice = a & a.normalised()
    # independent X, Y: μX²·sY² + μY²·sX² + sX²·sY²; shares 3/8 and 5/8, errors 1/16 and 1/32
    expected = {SMALL[0]: (3 / 16) ** 2 + (3 / 16) ** 2 + (1 / 32) ** 2, SMALL[1]: (5 / 32) ** 2 * 2 + (1 / 128) ** 2}
    assert dict(zip(twice.cards.tolist(), twice.errors**2, strict=True)) == pytest.approx(expected)
    mixed = a.mixed(0.5, b)
    at = dict(zip(mixed.cards.tolist(), mixed.errors.tolist(), strict=True))
    assert at == pytest.approx({SMALL[0]: 0.5 * 0.5 / 8, SMALL[1]: 0.5 * 0.25 / 8, SMALL[2]: 0})
    union = a | b
    assert dict(zip(union.cards.tolist(), union.errors.tolist(), strict=True)) == {
        SMALL[0]: 0.5, SMALL[1]: 0.25, SMALL[2]: 0,
    }  # fmt: skip
    assert a.without("2d").errors.tolist() == [0.5]
    assert (b & b).exact and (b | b).exact and b.mixed(0.5).exact


def test_ranges_of_two_sizes_do_not_go_together():
    for combine in (lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a.mixed(0.5, b)):
        with pytest.raises(ValueError, match="takes palaces of 3 cards, got a range over 2"):
            combine(Range.uniform(), Range.uniform(2))


@pytest.mark.parametrize("trust", [-0.1, 1.1, float("nan"), "1", True, None])
def test_trust_is_from_0_to_1(trust):
    with pytest.raises(ValueError, match="trust takes a number from 0 to 1"):
        Range.uniform().mixed(trust)


def test_mixing_in_the_deck_on_paper():
    mixed = Range.text("AsKsQs").mixed(0.75)
    assert len(mixed) == PALACES
    assert mixed.probability("AsKsQs") == pytest.approx(0.75 + 0.25 / PALACES)
    assert Range.text("AsKsQs").mixed(1.0) == Range.text("AsKsQs")


# --- sampling and showing ---------------------------------------------------------------------------------------------


def test_samples_come_by_their_weights():
    weights = {"As Ks": 1, "2c 3c": 2, "7h 8h": 0.5, "Ah Ad": 4, "Tc 9d": 0.01}
    range_, n = Range.combos(weights), 20_000
    drawn = Counter(ps.format_cards(row) for row in range_.sample(n, seed=3).tolist())
    assert sum(drawn.values()) == n
    for palace, weight in weights.items():
        shown = ps.format_cards(sorted(ps.parse_cards(palace), reverse=True))
        # each of five counts is binomial; a right sampler fails this once in 200,000 seeds
        assert binomtest(drawn[shown], n, weight / sum(weights.values())).pvalue > 1e-6


def test_samples_are_keyed():
    pairs = Range.text("pairs")
    few, many = pairs.sample(10, seed=1), pairs.sample(1000, seed=1)
    assert few.shape == (10, 3) and few.dtype == np.int64
    assert (few == many[:10]).all()
    assert (pairs.sample(10, seed=2) != few).any()
    assert pairs.sample(0).shape == (0, 3)
    assert all(2 in Counter(card >> 2 for card in row).values() for row in many.tolist())
    with pytest.raises(ValueError, match="n takes"):
        pairs.sample(-1)
    with pytest.raises(ValueError, match="seed takes"):
        pairs.sample(1, seed=-1)


def test_the_table_has_the_likeliest_first():
    range_ = Range.text("AsKd9c: 2, 2c2d2h, 3c3d3h: 5")
    expected = pd.DataFrame(
        {"palace": ["3h 3d 3c", "As Kd 9c", "2h 2d 2c"], "weight": [5.0, 2.0, 1.0], "share": [5 / 8, 2 / 8, 1 / 8]}
    )
    pd.testing.assert_frame_equal(range_.frame(), expected, check_dtype=False)
    pd.testing.assert_frame_equal(range_.frame(2), expected[:2], check_dtype=False)
    assert list(range_.frame(0).columns) == ["palace", "weight", "share"]
    sampled = Range(range_.cards, range_.weights, range_.weights / 10)
    assert sampled.frame().se.tolist() == [0.5, 0.2, 0.1]
    # alike: the highest cards first
    assert Range.text("pairs").frame(2).palace.tolist() == ["As Ah Ks", "As Ah Kh"]


def test_text_for_people_is_narrow_and_says_what_there_is():
    pairs = Range.text("pairs")
    assert repr(pairs) == "<Range: 3,744 palaces, as varied as 3,744.0 equally likely>"
    assert str(pairs).splitlines()[-1] == "and 3,736 more"
    assert "As Ah Ks" in str(pairs) and "As Ah Ks" in pairs._repr_html_()
    sampled = Range(pairs.cards, pairs.weights * 1e-300, pairs.weights)
    assert "weights sampled" in str(sampled)
    assert max(len(line) for range_ in (pairs, sampled) for line in [repr(range_), *str(range_).splitlines()]) <= 100
    assert repr(Range.text("AsKsQs")) == "<Range: 1 palace, as varied as 1.0 equally likely>"


def test_ranges_can_be_pickled_and_compared():
    for range_ in (Range.text("pairs: 2, A*"), of({SMALL[0]: 1}, {SMALL[0]: 0.5})):
        again = pickle.loads(pickle.dumps(range_))
        assert again == range_
        assert again != Range.uniform()
    assert of({SMALL[0]: 1}, {SMALL[0]: 0.5}) != of({SMALL[0]: 1})
    assert Range.text("pairs") != "pairs"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Range.text("pairs"))


def test_making_a_range_leaves_the_list_of_all_palaces_alone():
    uniform = Range.uniform()
    uniform.cards[0] = 0
    assert Range.uniform().cards[0] == card_set("2c 3c 4c")


def test_probability_of_what_is_no_condition_is_refused():
    with pytest.raises(TypeError, match="what takes a function"):
        Range.uniform().probability(7)
