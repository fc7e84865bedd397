"""Dealt cards are those of the slow dealer, and fair (R4, R6-R8)."""

import random

import numba
import numpy as np
import pytest
from reference import dealing
from reference.evaluator import DECK
from reference.players import random_rules

from palace_sim.hand import Hand
from palace_sim.kernels.deal import deal_cards, draw_dealer, lay_out
from palace_sim.kernels.state import STATE, deck_set, rules_record
from palace_sim.rules import Rules


def by_id(cards):
    return sorted(cards, key=DECK.index)


def check_deal(rules, seats, seed, number, dealer=None):
    hand = Hand.deal(Rules(**rules), seats, seed=seed, deal=number, dealer=dealer)
    dealer, banners, palaces, draw_pile = dealing.deal(rules, seats, seed, number, dealer)
    assert hand.dealer == dealer
    assert [player.banner for player in hand.players] == banners
    assert [player.palace for player in hand.players] == [by_id(palace) for palace in palaces]
    assert hand.draw_pile == draw_pile
    assert hand.discard_pile == []


@pytest.mark.parametrize("seats", range(2, 11))
def test_the_cards_are_those_of_the_slow_dealer(seats):
    for number in range(60):
        check_deal({}, seats, 1, number)
        check_deal({}, seats, 2**63 - 1, 2**40 + number, dealer=number % seats)


def test_the_same_with_all_options():
    chance = random.Random(3)
    for number in range(400):
        rules, seats = random_rules(chance)
        check_deal(rules, seats, 2**32, number, chance.choice([None, 0, seats - 1]))


@pytest.mark.parametrize(
    ("deck", "seats"), [("2c 3c 4c 5c 6c 7c 8c 9d Th Js", 5), ("2c 3c 4c 5c 6c 7c 8c 9c Td Jd Qh Ks", 6)]
)
def test_r7_deals_on_from_the_cards_set_aside(deck, seats, monkeypatch):
    bags = []

    class Counted(dealing.Bag):
        def __init__(self, things):
            super().__init__(things)
            bags.append(self)

    monkeypatch.setattr(dealing, "Bag", Counted)
    for number in range(400):
        check_deal({"deck": deck, "palace_cards": 1}, seats, 4, number, dealer=0)
    assert len(bags) > 800 + 20  # two a deal, and one more each time that the deck ran out


def test_the_dealer_moves_the_cards_round_and_changes_none():
    first = Hand.deal(seats=5, seed=1, deal=7, dealer=0)
    for dealer in range(1, 5):
        hand = Hand.deal(seats=5, seed=1, deal=7, dealer=dealer)
        assert [hand.players[(seat + dealer) % 5].banner for seat in range(5)] == [p.banner for p in first.players]
        assert hand.draw_pile == first.draw_pile
        assert hand.to_act == (first.to_act + dealer) % 5


@numba.njit
def count_places(state, deals, table, dealers):
    """Count where each card lies: banner or palace by distance from the dealer, or place in the pile."""
    for deal in range(deals):
        state.deal = deal
        dealer = draw_dealer(state)
        dealers[dealer] += 1
        state.dealer = dealer
        deal_cards(state)
        lay_out(state)
        for position in range(state.seats):
            seat = (dealer + 1 + position) % state.seats
            table[state.players[seat].banner, position] += 1
            for card in range(52):
                if state.palace[seat] >> (16 * (card & 3) + (card >> 2)) & 1:
                    table[card, state.seats + position] += 1
        for i in range(state.draw_size):
            table[state.pile[i], 2 * state.seats + i] += 1


def test_every_card_is_everywhere_equally_often():
    """All places and all cards are alike by symmetry, so each count is binomial; the bound is 5.5 deviations.

    52 cards and 44 places make 2288 counts: one of them is out of such bounds with chance 2288 * 4e-8 = 9e-5.
    """
    seats, deals = 4, 40_000
    state = np.zeros(1, STATE)[0]
    state.rules = rules_record(Rules())
    state.seats, state.seed, state.deck = seats, 5, deck_set(Rules())
    places = 2 * seats + 52 - 4 * seats
    table, dealers = np.zeros((52, places), np.int64), np.zeros(seats, np.int64)
    count_places(state, deals, table, dealers)
    chance = np.full(places, 1 / 52)
    chance[seats : 2 * seats] = 3 / 52
    deviation = np.sqrt(deals * chance * (1 - chance))
    assert (np.abs(table - deals * chance) < 5.5 * deviation).all()
    assert (np.abs(dealers - deals / seats) < 5.5 * (deals * 3 / 16) ** 0.5).all()
