"""Luck at the draws: features by plain arithmetic from replayed hands, mean zero over the pile whatever the card."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.cards import card_set, parse_cards
from palace_sim.hand import Hand
from palace_sim.kernels import act, luck
from palace_sim.kernels.luck import FEATURES, NAMES, UNIT
from palace_sim.kernels.state import BUY

# Hands of six cards by category (S. Reed and others; they add up to C(52, 6)), from high card to straight flush.
SIX = [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844]
WORDS = [
    "high card",
    "one pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
]


def first_ranks():
    """The least rank of each category, and one above the greatest of all."""
    return [min(r for r in range(9842) if ps.hand_category(r) == word) for word in WORDS] + [9842]


def test_shares_are_those_of_hands_of_six_cards():
    assert sum(SIX) == comb(52, 6)
    below = np.cumsum([0, *SIX]) * 1024 / comb(52, 6)
    assert list(luck.SHARES) == [round(share) for share in below]
    assert list(luck.ENDS) == first_ranks()


def features(own, banner, card):
    """The four features in 1024ths, card by card and word by word; `own` holds the banner too."""
    ends, rank = first_ranks_once(), ps.hand_rank([*own, card])
    k = max(k for k in range(9) if ends[k] <= rank)
    low, high = luck.SHARES[k], luck.SHARES[k + 1]
    strength = low + (high - low) * (rank - ends[k]) // (ends[k + 1] - ends[k])
    of_suit = sum(word[1] == banner[1] for word in [*own, card])
    return [
        strength,
        1024 * (card[1] == banner[1]),
        1024 * of_suit**2,
        1024 * "23456789TJQKA".index(card[0]) // 12,
    ]


def first_ranks_once(found=[]):  # noqa: B006
    if not found:
        found.extend(first_ranks())
    return found


def by_hand(own, banner, card, pile, pot):
    """Features of the card less their means over the pile, times the pot, rounded to parts of a unit."""
    every = [features(own, banner, other) for other in pile]
    drawn = features(own, banner, card)
    exact = [
        (drawn[f] - Fraction(sum(row[f] for row in every), len(pile))) * pot * UNIT / 1024 for f in range(FEATURES)
    ]
    return [int((2 * x + 1) // 2) for x in exact]  # halves up


def as_set(cards):
    return int(card_set(parse_cards(" ".join(cards))))


def luck_of(own, banner, card, pile, pot):
    found, room = np.zeros(FEATURES, np.int64), np.zeros(FEATURES, np.int64)
    numbers = as_set(own), int(parse_cards(banner)[0]), as_set([card]), as_set(pile)
    luck.add_luck(found, room, *numbers, pot)
    return found.tolist()


OWN = ["Ks", "Qs", "2d", "9s", "9h"]
PILE = ["As", "Ad", "2c", "9c", "Ts", "Js", "7h", "4d", "Kc"]


@pytest.mark.parametrize("card", PILE)
def test_a_draw_by_hand(card):
    assert luck_of(OWN, "Ks", card, PILE, 130) == by_hand(OWN, "Ks", card, PILE, 130)


@pytest.mark.parametrize("pot", [0, 5, 77, 10_000])
def test_over_all_cards_of_the_pile_it_is_nothing(pot):
    """But for rounding, by half a part for each card."""
    total = np.sum([luck_of(OWN, "Ks", card, PILE, pot) for card in PILE], axis=0)
    assert (np.abs(total) <= len(PILE) / 2).all()
    assert (np.abs(luck_of(OWN, "Ks", "As", PILE, 77)) > 0).all()  # and not because everything is


def replayed_luck(t, deals, monkeypatch):
    """Sums of luck by batch (a deal each), line-up and policy, from hands that are played again move by move."""
    buys, plays = [], Hand.act

    def watched(hand, code):
        seat = hand.to_act
        buying = act.verb_of(code) == BUY and hand.phase == "turn"
        if buying:
            player = hand.players[seat]
            own = [player.banner, *player.palace, *player.soldiers]
            pile = list(hand.draw_pile) or list(hand.discard_pile)
            pot, banner = hand.pot, player.banner
        plays(hand, code)
        if buying:
            card = next(iter(set(hand.players[seat].soldiers) - set(own)))
            assert card in pile
            buys.append((seat, by_hand(own, banner, card, pile, pot)))

    monkeypatch.setattr(Hand, "act", watched)
    sums = {}
    seated = t.seats.set_index(["lineup", "deal", "rotation", "seat"]).policy
    for lineup in range(len(t.lineups)):
        for deal in range(deals):
            for rotation in range(t.plan.rotations):
                buys.clear()
                ps.replay(t, deal, rotation, lineup)
                for seat, parts in buys:
                    key = lineup, deal, seated[lineup, deal, rotation, seat]
                    sums[key] = [a + b for a, b in zip(sums.get(key, [0] * FEATURES), parts, strict=True)]
    return sums


def test_sums_of_a_run_are_those_of_its_hands_played_again(monkeypatch):
    """A short deck, so that the discard pile is shuffled again and again (R13)."""
    rules = ps.Rules(ante=30, deck=" ".join(f"{r}{s}" for r in "9TJQKA" for s in "cdhs"))
    names = ["patriot", "buyer", "random"]
    t = ps.round_robin(names, rules, seats=3, deals=6, rows=True, luck=True, seed=2)
    sums = replayed_luck(t, 6, monkeypatch)
    assert len(sums) >= 12
    found = t.standing.groups[0].batch_luck
    for deal in range(6):
        for member, name in enumerate(sorted(names)):
            assert found[deal, 0, member].tolist() == sums.get((0, deal, name), [0] * FEATURES), (deal, name)
    assert not found[6:].any()


def test_features_have_mean_zero_in_play():
    """Each within 4.5 standard errors of 0: 16 features of 4 policies, one of them beyond that once in 9,000 tests."""
    t = patriots(2000)
    own = t.standing.groups[0].batch_luck[:, 0].astype(float) / UNIT  # batch, member, feature
    mean, se = own.mean(axis=0), own.std(axis=0, ddof=1) / np.sqrt(len(own))
    assert own.shape[2] == len(NAMES) and (se > 0).all()
    assert (np.abs(mean) < 4.5 * se).all()


def patriots(deals, seed=1):
    """The named table: four patriots with 20, 12, 6 and 3 buys at an ante of 40."""
    table = [ps.policies.get("patriot", buys=buys).named(f"patriot{buys}") for buys in (20, 12, 6, 3)]
    return ps.round_robin(table, ps.Rules(ante=40), seats=4, deals=deals, seed=seed, luck=True)
