import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace_sim.cards import format_cards
from palace_sim.ranking import BEST, BLOCK, CATEGORIES, hand_category, hand_rank, hand_ranks

# --- how hands compare (R2, R25) -------------------------------------------------------------------------------------


def test_higher_is_better_from_no_card_to_the_royal_flush():
    hands = [
        "",
        "2c",
        "Kc Qd Jh 9s 8c",  # less than a bare ace: ranks are compared highest first
        "Ac",
        "Ac 2d",
        "Ac Kd Qh Js 9c",
        "2c 2d",
        "2c 2d 3h",
        "2c 2d 3h 4s",
        "Ac Ad Kh Qs Jc",
        "2c 2d 3h 3s",
        "2c 2d 3h 3s 4c",
        "Ac Ad Kh Ks Qc",
        "2c 2d 2h",
        "Ac Ad Ah Ks Qc",
        "Ah 2d 3c 4s 5h",
        "2d 3c 4s 5h 6h",
        "Ac Kd Qh Js Tc",
        "2c 3c 4c 5c 7c",
        "Ac Kc Qc Jc 9c",
        "2c 2d 2h 3s 3c",
        "Ac Ad Ah Ks Kc",
        "2c 2d 2h 2s",
        "2c 2d 2h 2s 3c",
        "Ac Ad Ah As Kc",
        "Ah 2h 3h 4h 5h",
        "Kh Qh Jh Th 9h",
        "As Ks Qs Js Ts",
    ]
    ranks = [hand_rank(hand) for hand in hands]
    assert ranks == sorted(set(ranks))
    assert ranks[0] == 0
    assert ranks[-1] == BEST


def test_the_ace_counts_low_only_in_the_wheel():
    wheel = hand_rank("Ah 2d 3c 4s 5h")
    assert hand_category(wheel) == "straight"
    assert hand_rank("Ac Ad Ah Ks Qc") < wheel < hand_rank("2d 3c 4s 5h 6h")
    steel = hand_rank("Ah 2h 3h 4h 5h")
    assert hand_rank("Ac Ad Ah As Kc") < steel < hand_rank("2h 3h 4h 5h 6h")
    assert hand_category("Qc Kd Ah 2s 3c") == "high card"


def test_a_straight_and_a_flush_of_different_cards_are_a_flush():
    assert hand_rank("9c Th Jh Qh Kh 2h 3h") == hand_rank("Kh Qh Jh Th 3h")
    assert hand_category("4c 5d 6c 7d 8c 2h Kh Qh 9h Jh") == "flush"
    assert hand_category("2h 4h 7h 9h Kh 8c 6d 5s Tc") == "flush"


def test_three_and_four_pairs():
    assert hand_rank("Kc Kd 9c 9d 5c 5d 2c 2d Ah") == hand_rank("Kh Ks 9h 9s Ad")
    assert hand_rank("Kc Kd 9c 9d 5c 5d 2c 2d") == hand_rank("Kh Ks 9h 9s 5h")


def test_kickers_are_compared_highest_first():
    assert hand_rank("8c 8d Kh Qs Jc") < hand_rank("8h 8s Ac 3d 2h")


def test_two_trips_are_a_full_house_and_a_pair_beside_quads_a_kicker():
    assert hand_rank("9c 9d 9h 4c 4d 4h") == hand_rank("9c 9d 9s 4c 4s")
    assert hand_rank("9c 9d 9h 9s 4c 4d Kh") == hand_rank("9c 9d 9h 9s Kc")


@pytest.mark.parametrize("hand", ["2h 3h 4h", "5h 6h 7h 8h", "2c 3d 4h 5s"])
def test_straights_and_flushes_need_five(hand):
    assert hand_category(hand) == "high card"


@given(st.permutations(range(52)), st.integers(0, 10), st.permutations(range(4)))
def test_order_and_suits_do_not_matter_and_a_card_never_harms(deck, size, suits):
    hand = deck[:size]
    rank = hand_rank(hand)
    assert rank == hand_rank(hand[::-1]) == hand_rank([card & ~3 | suits[card & 3] for card in hand])
    assert hand_rank(hand[:-1]) <= rank


# --- arguments -------------------------------------------------------------------------------------------------------


def test_text_words_and_ids():
    expected = hand_rank("As Ah 2c")
    assert expected == hand_rank("AsAh2c") == hand_rank(["As", 50, "2c"]) == hand_rank(np.array([51, 50, 0], np.uint8))
    assert type(expected) is int


def test_too_many_and_repeated_cards_are_named():
    assert hand_rank(range(10)) > 0
    with pytest.raises(ValueError, match="at most 10 cards, got 11, 4h after"):
        hand_rank(range(11))
    with pytest.raises(ValueError, match="cards: Td is there twice"):
        hand_rank("As Td Kc 10d")
    with pytest.raises(ValueError, match="'Xs' is not a card"):
        hand_rank("As Xs")


@pytest.mark.parametrize(
    ("hand", "category"),
    [
        ("", "high card"),
        ("As", "high card"),
        ("As Ah", "one pair"),
        ("As Ah Ks Kh", "two pair"),
        ("As Ah Ad", "three of a kind"),
        ("6s 7h 8d 9c Ts", "straight"),
        ("6s 7s 8s 9s Js", "flush"),
        ("As Ah Ad Ks Kh", "full house"),
        ("As Ah Ad Ac", "four of a kind"),
        ("As Ks Qs Js Ts", "straight flush"),
    ],
)
def test_categories(hand, category):
    assert hand_category(hand) == category
    assert hand_category(hand_rank(hand)) == category
    assert hand_category(np.int32(hand_rank(hand))) == category


def test_categories_go_up_with_rank():
    names = [hand_category(rank) for rank in range(BEST + 1)]
    assert sorted(set(names), key=names.index) == list(CATEGORIES)
    assert names == sorted(names, key=CATEGORIES.index)


@pytest.mark.parametrize("rank", [-1, BEST + 1])
def test_what_is_no_rank(rank):
    with pytest.raises(ValueError, match=f"rank_or_cards: a rank is 0-9841, got {rank}"):
        hand_category(rank)


@pytest.mark.parametrize("wrong", [True, 2.0, None, np.True_])
def test_wrong_types(wrong):
    with pytest.raises(TypeError):
        hand_category(wrong)


# --- many hands ------------------------------------------------------------------------------------------------------


def hands(number, width, seed=0):
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((number, 52)), axis=1)[:, :width].astype(np.uint8)


def test_rows_are_ranked_like_single_hands():
    rows = hands(300, 9)
    rows[np.random.default_rng(1).random(rows.shape) < 0.3] = 255
    ranks = hand_ranks(rows)
    assert ranks.dtype == np.int32
    assert ranks.tolist() == [hand_rank([card for card in row if card != 255]) for row in rows.tolist()]


@pytest.mark.parametrize("dtype", [np.int64, np.int16, np.uint64, ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_integers_and_layouts(dtype, order):
    rows = hands(100, 7)
    rows[5, 2:] = 255
    expected = hand_ranks(rows).tolist()
    assert hand_ranks(rows.astype(dtype, order=order)).tolist() == expected
    assert hand_ranks(rows.tolist()).tolist() == expected
    assert hand_ranks(np.repeat(rows, 2, axis=0)[::2]).tolist() == expected


def test_read_only_arrays():
    rows = hands(10, 5)
    rows.flags.writeable = False
    assert len(hand_ranks(rows)) == 10


@pytest.mark.parametrize("shape", [(0, 7), (3, 0), (0, 0)])
def test_no_hands_and_no_cards(shape):
    assert hand_ranks(np.zeros(shape, np.uint8)).tolist() == [0] * shape[0]


def test_any_number_of_threads_gives_the_same():
    rows = hands(2 * BLOCK + 17, 7)
    alone = hand_ranks(rows, workers=1)
    assert np.array_equal(alone, hand_ranks(rows, workers=3))
    assert np.array_equal(alone, hand_ranks(rows))


@pytest.mark.parametrize("row", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 16])
def test_errors_name_the_row(row):
    rows = hands(2 * BLOCK + 17, 7)
    rows[row, 4] = rows[row, 1]
    rows[-1] = rows[row]
    word = format_cards([int(rows[row, 1])])
    with pytest.raises(ValueError, match=f"^cards: row {row}: {word} is there twice"):
        hand_ranks(rows, workers=2)
    rows[row, 6] = 77
    with pytest.raises(ValueError, match=f"^cards: row {row}: a card id is 0-51 .255 for none., got 77"):
        hand_ranks(rows, workers=2)


@pytest.mark.parametrize("card", [-1, 52, 256, 2**40])
def test_values_that_would_wrap_into_a_card_are_refused(card):
    rows = hands(20, 7).astype(np.int64)
    rows[13, 0] = card
    with pytest.raises(ValueError, match=f"row 13: a card id is 0-51 .255 for none., got {card}"):
        hand_ranks(rows)


@pytest.mark.parametrize(
    "wrong", [np.zeros(7, np.uint8), np.zeros((2, 11), np.uint8), np.zeros((2, 2, 2), np.uint8), 5]
)
def test_wrong_shapes(wrong):
    with pytest.raises(ValueError, match=r"shape \(n, k\) with k at most 10"):
        hand_ranks(wrong)


@pytest.mark.parametrize("wrong", [[[1.0]], [["As"]], [[True]], [[None]]])
def test_wrong_kinds_of_numbers(wrong):
    with pytest.raises(TypeError, match="cards: takes whole numbers"):
        hand_ranks(wrong)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_wrong_workers(workers):
    with pytest.raises(ValueError, match="workers: takes a whole number from 1"):
        hand_ranks([[1]], workers=workers)
