"""The rest of the reference: evaluator, streams, deals and random players."""

import random
import warnings
from itertools import combinations

import pytest

from .dealing import Reshuffler, deal, deal_banners, draw_for_dealer
from .evaluator import DECK, NO_KICKER, evaluate
from .players import LASTING, UNIFORM, best_keep, random_deck, random_move, random_rules
from .referee import Referee
from .streams import Bag, Stream, block

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # eval7 uses names that pyparsing has deprecated
    import eval7


def value(text):
    return evaluate(text.split())


def test_counts_of_three_and_four_cards():
    def counts(size):
        categories = [evaluate(cards)[0] for cards in combinations(DECK, size)]
        return [categories.count(k) for k in range(9)]

    assert counts(3) == [18304, 3744, 0, 52, 0, 0, 0, 0, 0]
    assert counts(4) == [183040, 82368, 2808, 2496, 0, 0, 0, 13, 0]


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9])
def test_same_order_as_eval7(size):
    rng = random.Random(size)
    for _ in range(150):
        suits = rng.choice(["cdhs", "cd", "c"])
        deck = [card for card in DECK if card[1] in suits]
        a, b = rng.sample(deck, size), rng.sample(deck, size)
        theirs = [eval7.evaluate([eval7.Card(card) for card in cards]) for cards in (a, b)]
        mine = [evaluate(a), evaluate(b)]
        assert (mine[0] > mine[1]) == (theirs[0] > theirs[1])
        assert (mine[0] == mine[1]) == (theirs[0] == theirs[1])


def test_hands_of_any_size_in_order():
    ascending = [
        "", "2c", "2c 3d", "Ac", "Ac 2c 3c 4c", "Ac Kc Qc Jc", "Ac Kd Qc Jc 9c", "2c 2d", "2c 2d 3c", "2c 2d 3c 4c",
        "8c 8d Kc Qd Jh", "8c 8d Ac 3d 2h", "Ac Ad", "2c 2d 3c 3d", "2c 2d 3c 3d 4c", "Kc Kd 9c 9d 5c 5d 2c 2d",
        "Kc Kd 9c 9d 5c 5d 2c 2d Ah", "2c 2d 2h", "2c 2d 2h 3c", "Ac Ad Ah", "Ac 2d 3h 4s 5c", "2d 3h 4s 5c 6c",
        "2c 3c 4c 5c 7c", "9c Tc Jh Qh Kh 2h 3h", "2c 2d 2h 3c 3d", "2c 2d 2h 2s", "2c 2d 2h 2s 3c", "Ac 2c 3c 4c 5c",
        "2c 3c 4c 5c 6c",
    ]  # fmt: skip
    values = [value(text) for text in ascending]
    assert values == sorted(set(values))
    assert value("Qc Kd Ac 2h 3s")[0] == 0  # no straight goes round the ace
    assert value("8c 8d")[1] == (6, NO_KICKER, NO_KICKER, NO_KICKER)
    everything = "Ac Ad Kc Kd Qh Qs Jh Js 9c 9d 8h 8s 7c 7d 6h"
    assert value(everything) == (2, (12, 11, 10))  # no ten, no five of a suit


def test_blocks_and_words_as_published():
    ones = (1 << 64) - 1
    assert block((ones, ones), (ones, ones, ones, ones))[:2] == [0x87B092C3013FE90B, 0x438C3C67BE8D0224]
    stream = Stream(0, 0, 0)
    stream.state = [1, 2, 3, 4]  # the test vector that comes with the generator's Rust and Go ports
    assert [stream.word() for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_below_refuses_the_short_end():
    class Scripted(Stream):
        words = iter(())

        def word(self):
            return next(self.words) << 32

    stream = Scripted(0, 0, 0)
    stream.words = iter([0, 1, (1 << 32) - 1])  # 2^32 mod 3 is 1: only a product of 0 is refused
    assert [stream.below(3), stream.below(3)] == [0, 2]
    stream.words = iter([5, 1 << 31])
    assert [stream.below(1), stream.below(1 << 32)] == [0, 1 << 31]


def test_a_bag_is_fair_to_every_order():
    stream, counts = Stream(3, 0, 3), {}
    for _ in range(4800):
        order = tuple(Bag("abcd").all(stream))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert all(abs(count - 200) < 5 * 200**0.5 for count in counts.values())


class Picks:
    """A stream that picks what the test says."""

    def __init__(self, *picks):
        self.picks = list(picks)

    def below(self, n):
        pick = self.picks.pop(0)
        assert 0 <= pick < n
        return pick


def test_r6_and_r7_card_by_card():
    deck = ["2c", "3c", "4c", "5d", "6h", "7s"]
    stream = Picks(0, 1, 2, 0, 0, 0, 1)  # 2c; 3c and 4c set aside, 7s; 5d; 6h; of 3c and 4c the second
    assert deal_banners(deck, 5, stream) == (["2c", "7s", "5d", "6h", "4c"], ["3c"])
    assert stream.picks == []
    with pytest.raises(ValueError, match="R6"):
        deal_banners(["2c", "3c"], 2, Picks(0))


def test_deals_of_every_size():
    rng = random.Random(1)
    for k in range(200):
        rules, seats = random_rules(rng)
        dealer, banners, palaces, draw_pile = deal(rules, seats, 5, k)
        cards = [*banners, *(card for palace in palaces for card in palace), *draw_pile]
        assert sorted(cards) == sorted(rules["deck"] or DECK)
        assert [len(palace) for palace in palaces] == [rules["palace_cards"]] * seats
        order = [(dealer + 1 + place) % seats for place in range(seats)]
        for first in range(0, seats, 4):
            group = [banners[seat][1] for seat in order[first : first + 4]]
            assert len(set(group)) == len(group)


def test_the_dealer_moves_the_cards_round_and_changes_none():
    _, banners, palaces, draw_pile = deal({}, 5, 1, 7, dealer=0)
    for dealer in range(1, 5):
        again = deal({}, 5, 1, 7, dealer=dealer)
        assert again[1] == banners[-dealer:] + banners[:-dealer]
        assert again[2] == palaces[-dealer:] + palaces[:-dealer]
        assert again[3] == draw_pile


@pytest.mark.parametrize("deck", [DECK, ["2c", "2d", "2h", "2s"], DECK[:5], ["2c", "2d", "2h", "2s", "3c"]])
def test_r4_is_fair(deck):
    counts = [0] * 4
    for k in range(1200):
        counts[draw_for_dealer(deck, 4, 2, k)] += 1
    assert all(abs(count - 300) < 5 * 225**0.5 for count in counts)


def test_random_decks_can_be_dealt():
    rng = random.Random(2)
    for k in range(100):
        seats, palace_cards = rng.randint(2, 10), rng.randint(1, 3)
        deck = random_deck(rng, seats, palace_cards)
        deal({"deck": deck, "palace_cards": palace_cards}, seats, 1, k)


def test_random_hands_end_and_shuffle():
    rng, reshuffles, hands = random.Random(4), 0, 150
    for k in range(hands):
        rules, seats = random_rules(rng)
        dealer, *cards = deal(rules, seats, 3, k)
        hand = Referee(rules, *cards, dealer, Reshuffler(3, k))
        seen = [set() for _ in range(seats)]
        while hand.phase != "over":
            name, *arguments = random_move(hand, rng, LASTING)
            getattr(hand, name)(*arguments)
            assert all(seen[seat] <= hand.seen(seat) for seat in range(seats))
            seen = [hand.seen(seat) for seat in range(seats)]
        assert hand.turns == sum(tally["turns"] for tally in hand.tallies)
        assert sum(tally["attacks"] for tally in hand.tallies) == len(hand.battles)
        reshuffles += hand.reshuffles
    assert reshuffles > hands / 5


@pytest.mark.parametrize(("seats", "decisions", "give"), [(2, 2.48, 0.02), (4, 7.5, 0.15)])
def test_decisions_of_uniform_play(seats, decisions, give):
    rng, hands, counts = random.Random(seats), 1500, []
    for k in range(hands):
        dealer, *cards = deal({}, seats, 11, k)
        hand, count = Referee({}, *cards, dealer, Reshuffler(11, k)), 0
        while hand.phase != "over":
            if hand.phase == "keep":
                hand.keep(best_keep(hand))
                continue
            name, *arguments = random_move(hand, rng, UNIFORM)
            getattr(hand, name)(*arguments)
            count += 1
        counts.append(count)
    mean = sum(counts) / hands
    error = (sum((count - mean) ** 2 for count in counts) / hands / hands) ** 0.5
    assert abs(mean - decisions) < give + 4 * error
