"""The referee against hands worked by others, and against hands worked here."""

import json
from pathlib import Path

import pytest

from .referee import Referee
from .table import PAID

CASES = Path(__file__).resolve().parent.parent / "cases"
ALL_CASES = [case for name in ("worked", "random") for case in json.loads((CASES / f"{name}.json").read_text())]


def state(hand):
    over = hand.phase == "over"
    return {
        "phase": hand.phase,
        "to_act": hand.to_act,
        "pot": hand.pot,
        "nets": hand.nets,
        "active": hand.active,
        "soldiers": [sorted(s) if not over else [] for s in hand.soldiers],
        "draw": len(hand.draw_pile),
        "discards": len(hand.discard_pile),
    }


def make(hand, move):
    do = move["do"]
    if do in ("keep", "discard"):
        getattr(hand, do)(move["cards"])
    elif do == "attack":
        hand.attack(move["target"], move.get("amount"))
    elif do == "raise":
        hand.raise_(move.get("amount"))
    else:
        getattr(hand, do)()


def from_case(case):
    return Referee(case["rules"], case["banners"], case["palaces"], case["draw_pile"], case["dealer"])


@pytest.mark.parametrize("case", ALL_CASES, ids=[case["name"] for case in ALL_CASES])
def test_case(case):
    hand = from_case(case)
    want = case["start"]
    assert state(hand) == want
    for move in case["moves"]:
        assert hand.to_act == move["seat"]
        assert move["do"] in hand.legal()
        make(hand, move)
        want = move["after"]
        assert state(hand) == want
    for move in case.get("illegal", []):
        before = json.dumps(vars(hand), default=repr, sort_keys=True)
        with pytest.raises(ValueError, match=r"^(R\d+|max_buys): "):
            make(hand, move)
        assert json.dumps(vars(hand), default=repr, sort_keys=True) == before
    assert state(hand) == want


# ---- hands worked here, for what the cases reach weakly --------------------------------------------------------------

BANNERS = ["As", "Kd", "Qh"]
PALACES = [["Ad", "7h", "9c"], ["Qc", "Jh", "3c"], ["Qd", "2c", "4c"]]


def three(rules=None, draw_pile=("5s", "6s", "7s", "8s"), palaces=PALACES, reshuffle=list, seats=3):
    return Referee(rules or {}, BANNERS[:seats], palaces[:seats], list(draw_pile), seats - 1, reshuffle)


def play(hand, *moves):
    """Moves as `(verb, arguments...)`; a bare verb needs none."""
    for move in moves:
        verb, *arguments = (move,) if isinstance(move, str) else move
        getattr(hand, verb)(*arguments)
    return hand


def test_r13_shuffles_only_when_a_card_is_bought():
    asked = []

    def backwards(cards):
        asked.append(cards)
        return cards[::-1]

    hand = three(draw_pile=["5s"], reshuffle=backwards)
    play(hand, ("attack", 1), "fold", ("keep", []))
    play(hand, "buy", ("keep", ["5s"]))
    assert (hand.draw_pile, asked) == ([], [])
    hand.buy()
    assert asked == [["3c", "Jh", "Qc", "Kd"]]
    assert (hand.soldiers[0], hand.draw_pile, hand.discard_pile) == (["Kd"], ["Qc", "Jh", "3c"], [])


def test_r13_nobody_buys_from_two_empty_piles():
    hand = play(three(draw_pile=["5s"]), "buy", ("keep", ["5s"]))
    assert hand.legal() == {"stay", "fold", "attack"}
    with pytest.raises(ValueError, match="R13"):
        hand.buy()
    assert not three(draw_pile=[]).legal() & {"buy", "discard"}
    assert play(three({"max_soldiers": 0}, draw_pile=["5s"]), "buy", ("keep", []), "buy").soldiers[1] == ["5s"]


def test_r28_what_a_fold_and_a_reshuffle_do_to_knowledge():
    hand = three(draw_pile=["5s"])
    face_up = set(BANNERS)
    assert hand.seen(1) == hand.gone(1) == face_up | {*PALACES[1]}
    play(hand, ("attack", 1), "fold")
    assert hand.gone(0) == hand.seen(0) == face_up | {*PALACES[0]}  # who won without calling learns nothing
    assert hand.gone(1) == face_up | {*PALACES[1]}  # now as a known discard
    play(hand, ("keep", []))
    assert hand.gone(2) == face_up | {*PALACES[2]}
    play(hand, "buy", ("keep", ["5s"]), "buy")
    assert hand.soldiers[0] == ["3c"]
    assert hand.gone(0) == {"As", "Qh", "5s", "3c", *PALACES[0]}
    assert hand.gone(1) == {"As", "Qh", "5s", "3c"}
    assert hand.seen(1) == face_up | {"5s", "3c", *PALACES[1]}


def test_r28_a_caller_who_wins_learns_the_losers_palace():
    strong = [["2c", "7h", "9c"], ["Kc", "Kh", "3c"], ["Qd", "5c", "4c"]]
    hand = play(three(palaces=strong), ("attack", 1), "call")
    assert hand.active == [False, True, True]
    assert hand.seen(1) == hand.gone(1) == {*BANNERS, *strong[0], *strong[1]}
    assert hand.seen(2) == hand.gone(2) == {*BANNERS, *strong[2]}


def test_r28_a_winner_who_was_called_learns_nothing_and_one_who_called_the_last_raise_does():
    hand = play(three(), ("attack", 1), "call")  # the aces win
    assert hand.active == [True, False, True]
    assert hand.seen(0) == {*BANNERS, *PALACES[0]}
    hand = play(three(), ("attack", 1), "raise_", "call")
    assert hand.active == [True, False, True]
    assert hand.gone(0) == hand.seen(0) == {*BANNERS, *PALACES[0], *PALACES[1]}


def test_r28_publicly_discarded_soldiers_are_gone_for_all():
    hand = play(three(), "buy", ("keep", ["5s"]), "stay", "stay", ("discard", ["5s"]))
    assert all("5s" in hand.gone(seat) and "5s" in hand.seen(seat) for seat in range(3))


def test_no_limit_battle_to_the_last_chip():
    hand = three({"structure": "no_limit", "stack": 100})
    assert (hand.price, hand.targets, hand.min_raise) == (10, [1, 2], None)
    hand.attack(1, 30)
    assert (hand.pot, hand.price, hand.min_raise, hand.targets) == (45, 30, 20, [])
    hand.raise_(40)
    assert (hand.pot, hand.price, hand.min_raise, hand.chips) == (115, 40, 20, [65, 25, 95])
    for amount in (19, 26, 0, 20.0, True):
        with pytest.raises(ValueError, match=r"R21|R36"):
            hand.raise_(amount)
    hand.raise_(25)  # smaller than the raise before it
    assert (hand.pot, hand.price, hand.min_raise, hand.legal()) == (180, 25, None, {"fold", "call"})
    with pytest.raises(ValueError, match="R36"):
        hand.raise_()
    hand.fold()
    assert (hand.pot, hand.paid) == (155, [75, 75, 5])
    paid = {kind: hand.tallies[0][kind] for kind in PAID}
    assert paid == {"paid_ante": 5, "paid_buy": 0, "paid_attack": 30, "paid_call": 40, "paid_raise": 0}
    paid = {kind: hand.tallies[1][kind] for kind in PAID}
    assert paid == {"paid_ante": 5, "paid_buy": 0, "paid_attack": 0, "paid_call": 30, "paid_raise": 40}
    assert hand.battles == [
        {"turn": 0, "attacker": 0, "defender": 1, "attacker_soldiers": 0, "defender_soldiers": 0,
         "attacker_usable": 3, "defender_usable": 4, "attacker_price": 10, "defender_price": 10,
         "pot": 155, "raises": 2, "end": "fold", "winner": 0}
    ]  # fmt: skip
    play(hand, ("keep", ["Kd"]), "stay")
    wanted = {"attacks": 1, "defences": 0, "battles_won": 1, "battles_lost": 0, "battles_folded": 0, "turns": 1}
    assert {kind: hand.tallies[0][kind] for kind in wanted} == wanted
    assert [hand.tallies[1][kind] for kind in ("defences", "battles_folded", "battles_lost", "turns")] == [1, 1, 0, 0]


def test_r36_a_call_short_of_r18_sends_the_whole_excess_back():
    hand = three({"structure": "no_limit", "stack": 25})
    play(hand, "stay", "buy", ("keep", ["5s"]), "stay", ("attack", 1, 20))
    assert (hand.price, hand.chips, hand.min_raise) == (30, [0, 10, 20], None)
    hand.call()
    assert (hand.pot, hand.paid) == (45, [15, 25, 5])
    assert (hand.tallies[0]["paid_attack"], hand.tallies[1]["paid_call"]) == (10, 10)


def test_r36_part_of_a_raise_is_matched():
    hand = three({"structure": "no_limit", "stack": 60})
    play(hand, ("attack", 1, 30), ("raise_", 25), "call")  # seat 1 holds 55, seat 0 has 25 left
    assert hand.paid == [60, 60, 5]
    hand = three({"structure": "no_limit", "stack": 60})
    play(hand, "buy", ("keep", []), ("attack", 2, 15), ("raise_", 40), "call")  # 45 - 15: seat 1 has 40 left
    assert hand.paid == [15, 60, 60]
    hand = three({"structure": "no_limit", "stack": 60})
    play(hand, "buy", ("keep", []), "stay", "stay", ("attack", 1, 15), ("raise_", 40), "call")
    assert hand.paid == [60, 50, 5]  # seat 0 had 30 of the 40
    assert [hand.tallies[1][kind] for kind in ("paid_call", "paid_raise")] == [15, 30]


def test_r36_limit_with_a_stack():
    assert three({"stack": 3}).chips == [0, 0, 0]  # the ante as far as the chips go
    assert three({"stack": 3}).legal() == {"stay", "fold"}
    assert play(three({"stack": 24}), ("attack", 1)).legal() == {"call", "fold"}  # 19 for 10 and 10 more
    assert play(three({"stack": 25}), ("attack", 1)).min_raise == 10
    assert play(three({"stack": 34, "bare_raise": "double"}), ("attack", 1)).min_raise is None
    assert play(three({"stack": 35, "bare_raise": "double"}), ("attack", 1)).min_raise == 20
    chipless = {"stack": 15, "small_bet": 10, "ante": 5}
    hand = play(three(chipless), "buy", ("keep", []), ("attack", 0))
    assert (hand.legal(), hand.price) == ({"call", "fold"}, 10)
    assert hand.chips == [0, 0, 10]
    hand.call()
    assert (hand.pot, hand.tallies[0]["paid_call"]) == (35, 0)


def test_r22_as_many_raises_as_the_option_says():
    for most in range(5):
        hand = play(three({"max_raises": most}), ("attack", 1), *["raise_"] * most)
        assert (hand.legal(), hand.min_raise) == ({"call", "fold"}, None)
        assert hand.pot == 15 + 10 + 20 * (most > 0) + 20 * max(0, most - 1)


def test_max_buys_counts_every_seat_by_itself():
    hand = play(three({"max_buys": 1}), "buy", ("keep", []), "stay")
    assert "buy" in hand.legal()
    hand.stay()
    assert (hand.to_act, hand.legal()) == (0, {"stay", "fold", "attack"})
    with pytest.raises(ValueError, match="max_buys"):
        hand.buy()
    assert "buy" not in three({"max_buys": 0}).legal()


def test_r27_no_choice_follows_where_the_hand_is_over():
    hand = three({"max_soldiers": 1}, seats=2)
    play(hand, "buy", ("keep", ["5s"]), "buy", ("keep", ["6s"]), ("attack", 1), "fold")
    assert (hand.phase, hand.to_act, hand.price, hand.legal()) == ("over", None, None, set())
    assert sorted(hand.soldiers[0]) == ["5s", "6s", "Kd"]
    assert (hand.turns, [tally["turns"] for tally in hand.tallies]) == (3, [2, 1])
    assert hand.nets == [15, -15]


def test_r38_two_left_are_settled_as_a_battle_and_the_test_of_r32_comes_first():
    palaces = [["Ad", "7h", "9c"], ["Kc", "Jh", "3c"]]
    for last_two, nets in (("battle", [-15, 15]), ("showdown", [5, -5])):  # in a battle Ad is blocked
        rules = {"max_turns": 1, "last_two": last_two}
        hand = play(three(rules, palaces=palaces, seats=2), "buy", ("keep", []))
        assert (hand.phase, hand.truncated, hand.turns, hand.nets) == ("over", True, 1, nets)
    hand = play(three({"max_turns": 2}, seats=2), "stay", "stay")
    assert (hand.phase, hand.truncated) == ("over", False)


def test_r26_a_tie_teaches_nobody_anything():
    palaces = [["Kc", "9c", "7h"], ["Kh", "9h", "7c"], ["2c", "3c", "4c"], ["Td", "6d", "8h"]]
    hand = Referee({}, ["As", "Ad", "Qh", "Jc"], palaces, ["5s"], 3)
    play(hand, ("attack", 1), "call")
    assert hand.active == [False, False, True, True]
    public = {"As", "Ad", "Qh", "Jc"}
    assert [hand.gone(seat) for seat in range(4)] == [public | {*palace} for palace in palaces]
    assert hand.battles[0]["winner"] == -1
    assert hand.tallies[0]["battles_lost"] == hand.tallies[1]["battles_won"] == 0
