"""Ranks against counts known by arithmetic, against eval7, and against a slow twin that tries every five cards."""

import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb

import numpy as np
import pytest

from palace_sim.kernels import ranking, ranking_scale
from palace_sim.kernels.jit import JIT, compiled

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # eval7's parser of hand ranges uses outdated names of pyparsing
    import eval7

compiled_only = pytest.mark.skipif(not JIT, reason="millions of hands take too long in plain Python")

# Straight flush down to high card.
OF_5_CARDS = [40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540]
OF_7_CARDS = [41584, 224848, 3473184, 4047644, 6180020, 6461620, 31433400, 58627800, 23294460]


# --- the slow twin ---------------------------------------------------------------------------------------------------


def five_card_key(ranks, suited):
    """Compare hands of up to five cards by this: the category, then ranks, those held more often first (R2, R25)."""
    groups = sorted(((times, rank) for rank, times in Counter(ranks).items()), reverse=True)
    shape = [times for times, _ in groups]
    order = [rank for _, rank in groups]
    straight = len(order) == 5 and (order[0] - order[4] == 4 or order == [12, 3, 2, 1, 0])
    if straight and order[0] - order[4] != 4:
        order = [3, 2, 1, 0, -1]
    if straight and suited:
        category = 8
    elif shape[:1] == [4]:
        category = 7
    elif shape == [3, 2]:
        category = 6
    elif suited:
        category = 5
    elif straight:
        category = 4
    elif shape[:1] == [3]:
        category = 3
    elif shape[:2] == [2, 2]:
        category = 2
    elif shape[:1] == [2]:
        category = 1
    else:
        category = 0
    return category, order


@cache
def scale():
    """Return the dense scale: every key of 0 to 5 cards, worst first, with its number."""
    keys = [
        five_card_key(ranks, suited)
        for size in range(6)
        for ranks in combinations_with_replacement(range(13), size)
        for suited in {False, size == 5 and len(set(ranks)) == 5}
        if max(Counter(ranks).values(), default=0) <= 4
    ]
    return {str(key): number for number, key in enumerate(sorted(keys))}


def slow_rank(cards):
    """Rank card ids by trying every five of them."""

    def key(five):
        return five_card_key([card >> 2 for card in five], len(five) == 5 and len({card & 3 for card in five}) == 1)

    return scale()[str(max(key(five) for five in combinations(cards, min(len(cards), 5))))]


def set_of(cards):
    return sum(1 << (16 * (card & 3) + (card >> 2)) for card in cards)


def rank(cards):
    return int(ranking.rank_set(set_of(cards)))


def ranks_of_rows(rows):
    out = np.full(len(rows), -1, np.int32)
    assert ranking.rank_rows(rows.reshape(-1), (0,) * rows.shape[1], out) == -1
    return out


def random_hands(rng, number, size, deck=52):
    return np.argsort(rng.random((number, deck)), axis=1)[:, :size].astype(np.uint8)


# --- counts ----------------------------------------------------------------------------------------------------------


@compiled
def tally(size, counts):
    """Count the ranks of all sets of `size` cards."""
    bits = np.empty(52, np.int64)
    for card in range(52):
        bits[card] = 1 << (16 * (card & 3) + (card >> 2))
    at = np.arange(size)
    while True:
        cards = 0
        for place in range(size - 1):
            cards |= bits[at[place]]
        for last in range(at[size - 1], 52):
            counts[ranking.rank_set(cards | bits[last])] += 1
        place = size - 2
        while place >= 0 and at[place] == 52 - size + place:
            place -= 1
        if place < 0:
            return
        at[place] += 1
        for later in range(place + 1, size):
            at[later] = at[later - 1] + 1


@cache
def counts_of(size):
    counts = np.zeros(9842, np.int64)
    tally(size, counts)
    assert counts.sum() == comb(52, size)
    return counts


def categories(counts):
    found = [0] * 9
    for number, count in enumerate(counts.tolist()):
        found[8 - ranking.category(number)] += count
    return found


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, [0, 0, 0, 0, 0, 0, 0, 0, 52]),
        (2, [0, 0, 0, 0, 0, 0, 0, 78, 1248]),
        (3, [0, 0, 0, 0, 0, 52, 0, 3744, 18304]),
        (4, [0, 13, 0, 0, 0, 2496, 2808, 82368, 183040]),
        pytest.param(5, OF_5_CARDS, marks=compiled_only),
        pytest.param(7, OF_7_CARDS, marks=compiled_only),
    ],
)
def test_categories_of_all_hands(size, expected):
    assert categories(counts_of(size)) == expected


@compiled_only
def test_distinct_ranks_of_each_size():
    assert [np.count_nonzero(counts_of(size)) for size in range(1, 8)] == [13, 91, 455, 1820, 7462, 6075, 4824]


@compiled_only
def test_the_scale_has_no_gaps():
    used = sum(counts_of(size) for size in range(1, 6))
    assert rank([]) == 0
    assert np.flatnonzero(used).tolist() == list(range(1, 9842))


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9])
def test_order_agrees_with_eval7(size):
    number = 20_000 if JIT else 2_000
    rng = np.random.default_rng(size)
    hands = np.concatenate([random_hands(rng, number, size), 4 * random_hands(rng, number, size, 13)])
    hands[number:] += rng.integers(0, 2, hands[number:].shape, dtype=np.uint8)  # two suits: flushes
    deck = [eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"]
    theirs = [eval7.evaluate([deck[card] for card in hand]) for hand in hands.tolist()]
    pairs = sorted(set(zip(ranks_of_rows(hands).tolist(), theirs, strict=True)))
    assert len(pairs) > 1000
    assert all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(pairs))


def test_scale_of_the_twin():
    assert len(scale()) == 1 + 13 + 91 + 455 + 1820 + 7462


@pytest.mark.parametrize("size", range(11))
def test_random_hands_as_the_slow_twin(size):
    rng = np.random.default_rng(size)
    for deck in (52, 26, 20):  # of half the ranks and fewer: more pairs, straights and flushes
        for hand in random_hands(rng, 60, size, deck).tolist():
            assert rank(hand) == slow_rank(hand)


def test_flushes_in_two_suits():
    rng = np.random.default_rng(0)
    for _ in range(50):
        clubs, spades = rng.permutation(13)[:5], rng.permutation(13)[:5]
        hand = [4 * int(card) for card in clubs] + [4 * int(card) + 3 for card in spades]
        assert rank(hand) == slow_rank(hand)


def rank_multisets(most):
    """Return the hands of up to `most` ranks as numbers to the base 5, a list for each size."""
    sizes = [{0}]
    for _ in range(most):
        sizes.append({held + 5**rank for held in sizes[-1] for rank in range(13) if held // 5**rank % 5 < 4})
    return [sorted(held) for held in sizes]


@compiled_only
def test_all_rank_multisets_as_the_slow_twin():
    """The best five of more cards is the best that is left after taking away any one."""
    best = {}
    for size, multisets in enumerate(rank_multisets(9)):
        ranks = [[rank for rank in range(13) for _ in range(held // 5**rank % 5)] for held in multisets]
        if size <= 5:
            best.update((m, scale()[str(five_card_key(r, False))]) for m, r in zip(multisets, ranks, strict=True))
        else:
            best = {m: max(best[m - 5**rank] for rank in set(r)) for m, r in zip(multisets, ranks, strict=True)}
        suits = np.arange(size) % 4  # equal ranks get different suits, no suit more than three
        rows = (4 * np.array(ranks, np.uint8) + suits).astype(np.uint8)
        assert ranks_of_rows(rows).tolist() == [best[m] for m in multisets]


@pytest.mark.parametrize("size", [11, 12, 13, 14])
def test_more_than_ten_cards_as_the_slow_twin(size):
    for hand in random_hands(np.random.default_rng(size), 5, size).tolist():
        assert rank(hand) == slow_rank(hand)


def test_any_number_of_cards():
    """The best of a large hand is the best that is left after taking away any one card."""
    for hand in random_hands(np.random.default_rng(5), 3, 52).tolist():
        for size in range(6, 53):
            held = hand[:size]
            assert rank(held) == max(rank(held[:i] + held[i + 1 :]) for i in range(size))
    assert rank(range(52)) == 9841


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", range(11))
def test_rows_with_pads(width):
    rng = np.random.default_rng(width)
    rows = random_hands(rng, 300, width)
    rows[rng.random(rows.shape) < 0.2] = ranking.PAD
    assert ranks_of_rows(rows).tolist() == [rank([card for card in row if card < 52]) for row in rows.tolist()]
    assert ranking.first_fault(rows) == -1


@pytest.mark.parametrize("card", [52, 100, 254])
@pytest.mark.parametrize("column", [0, 3, 6])
def test_an_id_that_is_no_card_stops_at_its_row(card, column):
    rows = random_hands(np.random.default_rng(card), 100, 7)
    rows[41, column] = card
    rows[77] = card  # many in a row do not cancel out
    out = np.zeros(100, np.int32)
    assert ranking.rank_rows(rows.reshape(-1), (0,) * 7, out) == 41
    assert ranking.rank_rows(rows[50:].reshape(-1), (0,) * 7, out[50:]) == 27
    assert ranking.first_fault(rows) == 41


def test_a_repeated_card_is_found_and_harms_nothing():
    rows = random_hands(np.random.default_rng(1), 100, 10)
    rows[30, 9] = rows[30, 2]
    assert ranking.first_fault(rows) == 30
    for card in range(52):
        assert 0 <= ranks_of_rows(np.full((1, 10), card, np.uint8))[0] < 9842


# --- the table -------------------------------------------------------------------------------------------------------


@compiled_only
def test_the_table_is_what_the_arithmetic_makes():
    made, shipped = ranking_scale.build(), np.load(ranking_scale.FILE)
    assert made.dtype == shipped.dtype
    assert made.tobytes() == shipped.tobytes()


PLAIN = """
import json, sys
import numpy as np
from palace_sim.kernels import ranking
rows = np.array(json.load(sys.stdin), np.uint8)
out = np.zeros(len(rows), np.int32)
ranking.rank_rows(rows.reshape(-1), (0,) * rows.shape[1], out)
sets = [sum(1 << (16 * (card & 3) + (card >> 2)) for card in row if card < 52) for row in rows.tolist()]
print(json.dumps([out.tolist(), [int(ranking.rank_set(np.int64(cards))) for cards in sets], ranking.first_fault(rows)]))
"""


def test_plain_python_gives_the_same():
    rng = np.random.default_rng(8)
    rows = random_hands(rng, 2000, 9)
    rows[1000:] &= 0xFD  # two suits: flushes, and repeated cards
    rows[rng.random(rows.shape) < 0.1] = ranking.PAD
    expected = ranks_of_rows(rows).tolist()
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PLAIN],
        input=json.dumps(rows.tolist()),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    by_rows, by_sets, fault = json.loads(run.stdout)
    assert by_rows == expected
    assert by_sets[:1000] == expected[:1000]
    assert fault == ranking.first_fault(rows) >= 1000
