"""What broke in the hands of a newcomer: each is to stay mended."""

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.cards import card_set

POSITION = ["As/KsKd9c/5s", "2h/?/TdTc", "3d/?/"]


def position(**how):
    return ps.Hand.from_position(None, POSITION, to_act=0, dealer=2, pot=60, **how)


@pytest.mark.parametrize("observer", [None, 0])
def test_before_any_move_a_player_may_hold_all_that_is_unseen(observer):
    """From a position seat 0 has seen 9 cards, 4 of them its palace and soldier; the public 3 less."""
    found = ps.Range.after(position(), 1, "tight", observer=observer)
    unseen = 52 - 5 - (0 if observer is None else 3) - 1
    assert len(found) == unseen * (unseen - 1) * (unseen - 2) // 6 and found.exact
    assert np.ptp(found.weights) == 0
    dealt = ps.Range.after(ps.Hand.deal(seats=2, seed=3, dealer=1), 0, "stay")
    assert len(dealt) == 50 * 49 * 48 // 6


def test_pot_odds_leave_out_what_goes_back_to_the_raiser():
    """Seat 1 has 20 chips left of 100 and faces a bet of 70 into 150: of the excess only what 20 match stays (R36).

    In the pot then lie 150 + 20 of the price, matched or not, and 20 of the caller less what went back: 180 in all.
    """
    rules = ps.Rules(structure="no_limit", stack=100)
    sides = ["As/KsKd9c/", "2h/7c7d8d/Td", "3d/?/"]
    hand = ps.Hand.from_position(rules, sides, to_act=0, dealer=2, pot=150, paid=[30, 80, 40])
    hand.attack(1, 70)
    values = ps.decision_values(hand, ["tight"] * 3, samples=50).set_index("move")
    called = hand.copy().call()
    assert called.pot == 180
    assert values.pot_odds["call"] == pytest.approx(20 / 180, abs=1e-15)


def test_ranges_of_which_hardly_any_palaces_meet_can_be_drawn():
    """Queens share a card with the only palace of the other; knaves, a billionth as likely, are all that is left."""
    rare = ps.Range.combos({"QcQdQh": 1, "JcJdJh": 1e-9})
    values = ps.decision_values(position(), ["tight"] * 3, samples=20, ranges={1: rare, 2: ["QcTsTh"]})
    sure = ps.decision_values(position(), ["tight"] * 3, samples=20, ranges={1: ["JcJdJh"], 2: ["QcTsTh"]})
    assert values["win_chance"].equals(sure["win_chance"])
    with pytest.raises(ValueError, match=r"ranges\[1\] and ranges\[2\]: no two of their palaces"):
        ps.decision_values(position(), ["tight"] * 3, samples=20, ranges={1: ["QcQdQh"], 2: ["QcTsTh"]})


def test_ranges_are_taken_alike_everywhere():
    hand = position()
    listed = ps.battle_odds(POSITION[0], POSITION[1], range_b=["Th Qs Js"])
    assert listed == ps.battle_odds(POSITION[0], "2h/ThQsJs/TdTc")
    assert ps.decision_values(hand, ["tight"] * 3, samples=20, ranges={1: "pairs"}).win_chance.notna().any()
    assert (ps.Range.text("A*") & "pairs") == (ps.Range.text("A*") & ps.Range.text("pairs"))
    assert ps.Range.uniform().mixed(0.5, "pairs") == ps.Range.uniform().mixed(0.5, ps.Range.text("pairs"))
    narrowed = ps.Range.after(hand, 1, "tight", observer=0, prior="A*")
    assert all(int(cards) & card_set("Ac Ad Ah") for cards in narrowed.cards)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"half_width": "x"}, "half_width takes None or more than 0 chips, got 'x'"),
        ({"level": "a"}, "level takes a number between 0 and 1, got 'a'"),
        ({"progress": "x"}, "progress takes True or False or None, got 'x'"),
        ({"ranges": {1: None}}, r"ranges\[1\] takes a Range"),
    ],
)
def test_errors_of_decisions_name_the_argument(asked, said):
    with pytest.raises(ValueError, match=said):
        ps.decision_values(position(), ["tight"] * 3, samples=20, **asked)


def test_other_errors_name_the_argument():
    with pytest.raises(ValueError, match="combos takes palaces of one size"):
        ps.Range.combos(["AsKdQd", "AsKd"])
    with pytest.raises(TypeError, match="table takes a DataFrame, got 'x'"):
        ps.plots.odds_heatmap("x")
    with pytest.raises(TypeError, match="table takes a DataFrame, got None"):
        ps.plots.price_chance(None)


def test_a_table_of_odds_has_counts():
    table = ps.battle_odds_table(["6d/JsTc3h/"], "6s/?/5d")
    assert table[["wins", "ties", "losses"]].to_numpy().tolist() == [[4132, 11, 11037]]
    assert table[["raw_wins", "raw_ties", "raw_losses"]].to_numpy().tolist() == [[4132, 44, 11004]]


def test_a_budget_that_did_not_do_says_how_wide_intervals_are():
    values = ps.decision_values(position(), ["tight"] * 3, samples=1500, half_width=0.5)
    widest = ((values.ci_high - values.ci_low) / 2).max()
    assert values.attrs["half_width"] == pytest.approx(widest) and widest > 0.5
