import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace_sim.cards import DECK, RANKS, SUITS, card_set, format_cards, parse_cards, set_cards

TEN_OF_SPADES = 4 * 8 + 3


@pytest.mark.parametrize("word", ["Ts", "ts", "TS", "tS", "10s", "10S", "10♠", "T♠", " Ts ", "Ts,"])
def test_the_ten_of_spades_has_these_names(word):
    assert parse_cards(word) == [TEN_OF_SPADES]
    assert parse_cards([word]) == [TEN_OF_SPADES]


@pytest.mark.parametrize(
    "word", [" 1s", "1s", "T", "Tx", "s", "10", "10x", "0s", "1010s", "T s", "sT", "Tss", "AsT", "♠"]
)
def test_what_is_no_card_is_refused_with_its_word(word):
    with pytest.raises(ValueError, match="is not a card") as raised:
        parse_cards(word, name="palace")
    assert any(repr(part) in str(raised.value) for part in word.split())
    assert str(raised.value).startswith("palace: ")


def test_ids_go_through_ranks_and_suits():
    words = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert parse_cards(" ".join(words)) == list(range(52))
    assert parse_cards("".join(words)) == list(range(52))
    assert format_cards(range(52)) == " ".join(words)
    assert (RANKS, SUITS, DECK) == ("23456789TJQKA", "cdhs", 52)


@pytest.mark.parametrize(
    "cards",
    [
        "As Td 9c",
        "AsTd9c",
        "as, td, 9c",
        "A♠ 10♦ 9♣",
        "As;Td|9c",
        ["As", "Td", "9c"],
        ("As", 33, np.int8(28)),
        [51, 33, 28],
        np.array([51, 33, 28], np.uint8),
        iter([51, 33, 28]),
    ],
)
def test_text_words_and_ids_mean_the_same(cards):
    ids = parse_cards(cards)
    assert ids == [51, 33, 28]
    assert {type(card) for card in ids} == {int}


def test_one_id_and_no_cards():
    assert parse_cards(51) == parse_cards(np.int64(51)) == [51]
    assert parse_cards("") == parse_cards([]) == parse_cards(" ") == []
    assert format_cards("") == ""


@pytest.mark.parametrize("item", [True, np.True_, 1.0, np.float64(1), None, 2j])
def test_what_is_neither_text_nor_whole_is_refused(item):
    with pytest.raises(TypeError, match="banner: a card is text like 'As' or a whole number"):
        parse_cards([51, item], name="banner")


@pytest.mark.parametrize("card", [-1, 52, np.int16(255), 10**30])
def test_ids_out_of_range_are_refused(card):
    with pytest.raises(ValueError, match=f"dead: a card id is 0-51, got {card}"):
        parse_cards([card], name="dead")


@pytest.mark.parametrize("word", ["AsTd", "", "As Td"])
def test_a_word_of_a_list_is_one_card(word):
    with pytest.raises(ValueError, match="each word of a list is one card"):
        parse_cards([word])


def test_repeats_are_refused_where_asked():
    assert parse_cards("As As") == [51, 51]
    with pytest.raises(ValueError, match="soldiers: As is there twice"):
        parse_cards(["As", "Td", 51], distinct=True, name="soldiers")
    with pytest.raises(ValueError, match="2c is there twice"):
        card_set("2c2c")


def test_card_set_has_a_bit_for_each_card():
    bits = [card_set([card]) for card in range(52)]
    assert bits == [2 ** (16 * suit + rank) for rank, suit in itertools.product(range(13), range(4))]
    assert card_set(range(52)) == sum(bits)
    assert max(bits) < 2**62


@given(st.sets(st.integers(0, 51)))
def test_card_set_and_back(cards):
    assert set_cards(card_set(cards)) == sorted(cards)


@pytest.mark.parametrize("bits", [1 << 13, -1, 1 << 61, 1 << 64, np.int64(-(2**63))])
def test_no_card_set(bits):
    with pytest.raises(ValueError, match="is not a card set"):
        set_cards(bits)


def test_numpy_card_set():
    assert set_cards(np.int64(card_set("As 2c"))) == [0, 51]
