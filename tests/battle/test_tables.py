"""Tables of odds: against enumeration of small decks, a plain-Python replay of the sampler, and arithmetic."""

import math
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from battle.slow_odds import key, slow_odds
from reference.evaluator import DECK, RANKS, in_order
from reference.streams import Stream
from scipy.stats import binomtest

import palace_sim as ps
from palace_sim.battle import tables
from palace_sim.kernels.jit import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="millions of steps take too long in plain Python")
SMALL = [rank + suit for rank in "QKA" for suit in "cdh"]  # two palaces of one card, and a soldier each
OTHER = ["2c", "2d", "3c", "3d", "3h", "4h", "5h"]  # suits that are not alike


# --- by banners -------------------------------------------------------------------------------------------------------


@compiled_only
def test_banners_by_the_whole_deck():
    table = ps.odds_by_banners()
    assert table.shape == (13, 13)
    assert list(table.index) == list(table.columns) == list(RANKS[::-1])
    n = math.comb(50, 3) * math.comb(47, 3)
    assert table.attrs.items() >= {"n": n, "exact": True, "rules": {}}.items()
    assert n == 317_814_000
    assert table.loc["A", "2"] == pytest.approx((249_429_366 + 61_076 / 2) / n, abs=1e-15)
    for own, foe in (("9h", "Kc"), ("2d", "As"), ("7c", "7s"), ("Td", "9c")):  # suits are all alike
        assert table.loc[own[0], foe[0]] == pytest.approx(ps.battle_odds(own, foe).equity, abs=1e-12)
    values = table.to_numpy()
    np.testing.assert_allclose(values + values.T, 1, rtol=0, atol=1e-12)
    assert (np.diff(values, axis=0) < 0).all()  # a lower banner is worse against each, all else alike


@pytest.mark.parametrize("blocked", ["suit", "rank", "none"])
@pytest.mark.parametrize("deck", [SMALL, OTHER])
def test_banners_by_small_decks_as_the_slow_way(deck, blocked):
    table = ps.odds_by_banners(ps.Rules(deck=deck, palace_cards=1, blocked=blocked))
    ranks = sorted({card[0] for card in deck}, key=RANKS.index, reverse=True)
    assert list(table.index) == list(table.columns) == ranks
    for own in ranks:
        for foe in ranks:
            pairs = [(a, b) for a in deck for b in deck if a[0] == own and b[0] == foe and a[1] != b[1]]
            wanted = []
            for a, b in pairs:
                (win, tie, loss), *_ = slow_odds((a, [], []), (b, [], []), deck=deck, palace_cards=1, blocked=blocked)
                wanted.append((win + tie / 2) / (win + tie + loss))
                assert table.attrs["n"] == win + tie + loss == (len(deck) - 2) * (len(deck) - 3)
            if pairs:
                assert table.loc[own, foe] == pytest.approx(sum(wanted) / len(wanted), abs=1e-12)
            else:
                assert math.isnan(table.loc[own, foe])
    assert table.isna().to_numpy().any() == (deck is OTHER)


# --- the sampler ------------------------------------------------------------------------------------------------------


def replayed(deck, samples, seed, palace_cards, armies, blocked, block=10_000):
    """WINS, TIES and BATTLES by soldiers and usable cards, in plain Python: the streams and the rules once more."""
    counted = Counter()
    at = {"suit": 1, "rank": 0}.get(blocked)
    for own in range(armies):
        for foe in range(armies):
            for number in range(-(-samples // block)):
                stream = Stream(seed, number, 4, 30, own * 6 + foe)
                pile = in_order(deck)

                def draw(left, many, pile=pile, stream=stream):
                    for last in range(left - 1, left - 1 - many, -1):
                        j = stream.below(last + 1)
                        pile[j], pile[last] = pile[last], pile[j]
                    return pile[left - many : left]

                for _ in range(min(block, samples - number * block)):
                    b, a = draw(len(pile), 2)
                    while a[1] == b[1]:
                        b, a = draw(len(pile), 2)
                    mine = [a, *draw(len(pile) - 2, palace_cards + own)]
                    theirs = [b, *draw(len(pile) - 2 - palace_cards - own, palace_cards + foe)]
                    x, y = key(mine, a, b, blocked), key(theirs, b, a, blocked)
                    sizes = (sum(at is None or c[at] != f[at] for c in hand) for hand, f in ((mine, b), (theirs, a)))
                    cell = (own, foe, *sizes)
                    counted[cell, "wins"] += x > y
                    counted[cell, "ties"] += x == y
                    counted[cell, "battles"] += 1
    return counted


@pytest.mark.parametrize("blocked", ["suit", "rank", "none"])
def test_every_sample_is_the_battle_that_the_streams_say(blocked, monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 7)
    rules = ps.Rules(blocked=blocked, max_soldiers=3)
    wanted = replayed(DECK, 10, 5, 3, 4, blocked, block=7)
    found = tables._sampled(10, 5, rules, 1)
    assert found.shape == (4, 4, 10, 10, 3)
    cells = {cell for cell, _ in wanted}
    for cell in cells:
        assert found[cell].tolist() == [wanted[cell, name] for name in ("wins", "ties", "battles")], cell
    assert found[..., 2].sum() == 160 == sum(wanted[cell, "battles"] for cell in cells)


def test_same_bytes_for_any_number_of_workers_and_other_battles_for_another_seed(monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 30)
    some = [ps.odds_by_soldiers(100, seed=3, workers=workers) for workers in (1, 2, 5)]
    for other in some[1:]:
        pd.testing.assert_frame_equal(some[0], other, check_exact=True)
    assert not some[0].equals(ps.odds_by_soldiers(100, seed=4))
    assert some[0].attrs.items() >= {"samples": 100, "seed": 3, "exact": False, "rules": {}}.items()


@cache
def value(cards, banner, foe_banner):
    return key(cards, banner, foe_banner, "suit")


@cache
def enumerated():
    """Chances in the small deck: P(usable sizes), E(score) and P(win) by (own soldiers, foe soldiers, sizes)."""
    weights, scores, wins = Counter(), Counter(), Counter()
    for a in SMALL:
        for b in SMALL:
            if a[1] == b[1]:
                continue
            rest = [card for card in SMALL if card not in (a, b)]
            for own in range(2):
                for foe in range(2):
                    many = math.comb(7, 1 + own) * math.comb(6 - own, 1 + foe) * 54  # 54 pairs of banners
                    for mine in combinations(rest, 1 + own):
                        left = [card for card in rest if card not in mine]
                        for theirs in combinations(left, 1 + foe):
                            x, y = value((a, *mine), a, b), value((b, *theirs), b, a)
                            sizes = (1 + sum(c[1] != b[1] for c in mine), 1 + sum(c[1] != a[1] for c in theirs))
                            cell = (own, foe, *sizes)
                            weights[cell] += 1 / many
                            scores[cell] += ((x > y) + (x == y) / 2) / many
                            wins[cell] += (x > y) / many
    return weights, scores, wins


def merged(counter, where):
    out = Counter()
    for cell, mass in counter.items():
        out[where(cell)] += mass
    return out


# The mean of n independent terms that each range over 1 misses its expectation by t or more with a chance of at most
# 2·exp(-2·n·t²) (Hoeffding, 1963): 1e-9 for each of the fewer than 100 cells looked at here.
def most(n):
    return math.sqrt(math.log(2 / 1e-9) / (2 * n))


SMALL_RULES = {"deck": SMALL, "palace_cards": 1, "max_soldiers": 1}
MANY = 40_000 if JIT else 400


def test_soldiers_are_as_the_enumeration_of_a_small_deck():
    weights, scores, wins = (merged(counter, lambda cell: cell[:2]) for counter in enumerated())
    assert all(weight == pytest.approx(1) for weight in weights.values())
    table = ps.odds_by_soldiers(MANY, rules=ps.Rules(**SMALL_RULES, small_bet=7))
    assert len(table) == 4
    for row in table.itertuples():
        cell = (row.own_soldiers, row.foe_soldiers)
        assert row.n == MANY
        assert abs(row.equity - scores[cell]) < most(MANY)
        assert abs(row.win - wins[cell]) < most(MANY)
        assert row.win + row.tie + row.loss == pytest.approx(1)
        assert (row.own_price, row.foe_price) == (7 * (1 + cell[0]), 7 * (1 + cell[1]))  # R18
        assert row.ci_low < row.equity < row.ci_high
        variance = row.win + row.tie / 4 - row.equity**2
        assert row.se == pytest.approx(math.sqrt(variance / (MANY - 1)), rel=1e-9)


def test_usable_cards_are_as_the_enumeration_of_a_small_deck():
    weights, scores, _ = (merged(counter, lambda cell: cell[2:]) for counter in enumerated())
    table = ps.odds_by_usable(MANY, rules=ps.Rules(**SMALL_RULES))
    assert set(zip(table.own_usable, table.foe_usable, strict=True)) == set(weights)
    assert table.n.sum() == 4 * MANY
    for row in table.itertuples():
        cell = (row.own_usable, row.foe_usable)
        # a sum of four binomials has lighter tails than one with their mean chance (Hoeffding, 1956)
        assert binomtest(row.n, 4 * MANY, weights[cell] / 4).pvalue > 1e-9
        # of all battles, those of the cell add their score less its mean, and the others 0
        assert abs(row.equity - scores[cell] / weights[cell]) * row.n < most(4 * MANY) * 4 * MANY


@compiled_only
def test_both_sides_are_alike_and_soldiers_help():
    table = ps.odds_by_soldiers(50_000).pivot(index="own_soldiers", columns="foe_soldiers", values="equity").to_numpy()
    assert np.abs(table + table.T - 1).max() < 2 * most(50_000)
    # a soldier is worth 0.05 or more everywhere (on 10^6 battles a cell), which is above twice 0.0147
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) < 0).all()


# --- prices -----------------------------------------------------------------------------------------------------------


def test_pots_break_even_by_the_value_of_an_attack_and_of_a_call():
    rules = ps.Rules(small_bet=30, large_bet=60)
    table, chances = ps.odds_by_price(400, 2, rules), ps.odds_by_soldiers(400, 2, rules)
    for name in ("own_price", "foe_price", "equity", "se", "ci_low", "ci_high", "n"):
        assert table[name].tolist() == chances[name].tolist()
    assert table.own_price.tolist() == sorted(table.own_price)
    assert table.own_bets.tolist() == [k + 1 for k in range(6) for _ in range(6)]
    for row in table.itertuples():
        assert row.own_price == 30 * row.own_bets
        chance = {"": row.equity, "_low": row.ci_high, "_high": row.ci_low}
        for end, equity in chance.items():
            pot = getattr(row, f"call_pot{end}")
            assert equity * (pot + row.own_price) - row.own_price == pytest.approx(0, abs=1e-9)
            pot = getattr(row, f"attack_pot{end}")
            value = equity * (pot + row.own_price + row.foe_price) - row.own_price
            assert value == pytest.approx(0, abs=1e-9) or pot == 0 and value > 0
        assert row.call_pot_low < row.call_pot < row.call_pot_high
        assert row.attack_pot_low <= row.attack_pot <= row.attack_pot_high


def test_no_pot_pays_for_what_never_won():
    """Two battles without a win, as about every fourth pair of them is."""
    rules = ps.Rules(deck=SMALL, palace_cards=1, max_soldiers=0)
    lost = next(table for seed in range(1000) if (table := ps.odds_by_price(2, seed, rules)).equity[0] == 0)
    assert lost.call_pot[0] == lost.attack_pot[0] == math.inf
    assert lost.call_pot_low[0] < math.inf


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [ps.odds_by_soldiers, ps.odds_by_usable, ps.odds_by_price])
def test_arguments_are_checked(table):
    for given, message in (
        ({"samples": 1}, "samples takes a whole number from 2"),
        ({"samples": 2.5}, "samples takes"),
        ({"seed": -1}, "seed takes"),
        ({"workers": 0}, "workers takes"),
        ({"rules": "suit"}, "rules takes a palace_sim.Rules"),
        ({"rules": ps.Rules(deck=SMALL, palace_cards=1, max_soldiers=3)}, "need 10 cards, the deck has 9; pass"),
        ({"rules": ps.Rules(deck=DECK[::4])}, "different suits"),
    ):
        with pytest.raises(ValueError, match=message):
            table(**given)


def test_banners_need_a_deck_for_two():
    with pytest.raises(ValueError, match="rules takes"):
        ps.odds_by_banners("suit")
    with pytest.raises(ValueError, match="different suits"):
        ps.odds_by_banners(ps.Rules(deck=DECK[::4]))
    with pytest.raises(ValueError, match="2 players need 8"):
        ps.odds_by_banners(ps.Rules(deck=DECK[:7]))
