"""The command `advise`: a position in words, and the table of `decision_values`."""

import json
import re

import pytest
from cli.running import run, works

import palace_sim as ps

TURN = ("As/KsKd9c/5s", "2h/?/TdTc", "-")
PLACE = ("--to-act", 0, "--dealer", 2, "--pot", 60)
TWO = ("As/?/5s", "2h/KcQdQc/TdTc", "--to-act", 0, "--dealer", 1, "--pot", 60)


def advised(capsys, *words):
    return json.loads(works(capsys, "advise", *words, "--json", "-").replace("\n", ""))


def plain(table):
    """Records as JSON holds them."""
    return [{k: None if v != v else v for k, v in row.items()} for row in table.to_dict("records")]


def test_moves_on_a_turn_are_those_of_the_library(capsys):
    out = works(capsys, "advise", *TURN, *PLACE, "--policies", "tight,buyer,random", "--samples", 60, "--seed", 4)
    hand = ps.Hand.from_position(None, [*TURN[:2], None], to_act=0, dealer=2, pot=60)
    table = ps.decision_values(hand, ["tight", "buyer", "random"], 60, 4)
    lines = [re.split(r"  +", line.strip()) for line in out.splitlines()]
    assert "seat 0 has the turn; pot 60, price 20; played on by tight, buyer, random" in out
    assert "rules: default; seed 4" in out
    start = next(i for i, line in enumerate(lines) if line[0] == "move")
    assert lines[start][:6] == ["move", "mean", "95 % interval", "less best", "se", "best"]
    for row, line in zip(table.itertuples(), lines[start + 1 :], strict=False):
        interval = f"{row.ci_low:.2f} to {row.ci_high:.2f}"
        assert line[:5] == [row.move, f"{row.mean:.2f}", interval, f"{row.diff:.2f}", f"{row.diff_se:.2f}"]
        assert line[5] == f"{100 * row.best_chance:.0f} %"
    assert "60 rollouts of each move" in out
    assert "exact" not in out


def test_a_battle_says_chances_pot_odds_and_the_closed_form(capsys):
    words = (*TWO, "--moves", "attack 1", "--range", "0=pairs, A*", "--samples", 80, "--policies", "tight")
    out = works(capsys, "advise", *words)
    assert "seat 1 is attacked or raised; pot 80, price 30" in out
    call = next(re.split(r"  +", line) for line in out.splitlines() if line.startswith("call "))
    hand = ps.Hand.from_position(None, TWO[:2], to_act=0, dealer=1, pot=60).attack(1)
    chance = ps.seat_odds(hand, range=ps.Range.text("pairs, A*"))
    assert call[6:8] == [f"{100 * chance.win:.1f} %", f"{100 * chance.tie:.1f} %"]
    assert call[8:10] == [f"{100 * 30 / 110:.1f} %"] * 2  # 30 to win a pot of 110
    assert call[10] == f"{chance.equity * 110 - 30:.2f}"
    fold = next(re.split(r"  +", line) for line in out.splitlines() if line.startswith("fold "))
    assert fold[-1] == "0.00"


def test_json_holds_the_whole_table_and_the_position(capsys):
    words = ("--policies", "tight(aggression=0.3),buyer", "--range", "0=any", "--samples", 50, "--workers", 1)
    said = advised(capsys, *TWO, *words, "--moves", "attack 1", "--small-bet", 5, "--large-bet", 10)
    rules = ps.Rules(small_bet=5, large_bet=10)
    hand = ps.Hand.from_position(rules, TWO[:2], to_act=0, dealer=1, pot=60).attack(1)
    seated = [ps.policies.get("tight", aggression=0.3), "buyer"]
    table = ps.decision_values(hand, seated, 50, ranges={0: ps.Range.text("any")})
    assert said["values"] == plain(table)
    assert (said["seat"], said["phase"], said["pot"]) == (1, "respond", 70)
    assert said["policies"] == ["tight(aggression=0.3)", "buyer"]
    assert said["rules"] == {"small_bet": 5, "large_bet": 10}


def test_position_options_arrive(capsys):
    chips = ("--paid", "40,20,20", "--passed", 1, "--discards", "2c 3c ???", "--stack", 300, "--policies", "stay")
    said = advised(capsys, "As/KsKd9c/5s", "-", "2h/?/TdTc", "--to-act", 0, "--dealer", 1, "--pot", 80, *chips)
    hand = ps.Hand.from_position(
        ps.Rules(stack=300), ["As/KsKd9c/5s", None, "2h/?/TdTc"], 0, 1, 80, [40, 20, 20], 1, "2c 3c ???"
    )
    table = ps.decision_values(hand, ["stay"] * 3)
    assert said["values"] == plain(table)


def test_half_width_stops_early_and_says_what_its_intervals_are(capsys):
    out = works(
        capsys, "advise", *TURN, *PLACE, "--policies", "stay", "--half-width", 20, "--samples", 5000, "--workers", 1
    )
    assert "95 % confidence sequence" in out
    assert "1,000 rollouts of each move" in out  # the first look


WHOLE = (*TURN, *PLACE, "--policies", "tight")
WRONG = [
    (("advise",), "requires an argument"),
    (TURN, "--to-act"),
    (WHOLE[:-2], "--policies"),
    ((*WHOLE[:-1], "tigth"), "no built-in policy 'tigth'"),
    ((*WHOLE[:-1], "tight,buyer"), "policies has 2 policies, hand has 3 seats"),
    ((*WHOLE, "--moves", "atack 1"), "'atack 1' is no move; did you mean attack"),
    ((*WHOLE, "--moves", "attack"), "a move is like 'attack 1'"),
    ((*WHOLE, "--moves", "attack one"), "a move is like 'attack 1'"),
    ((*WHOLE, "--moves", "stay 3"), "a move is like 'attack 1'"),
    ((*WHOLE, "--moves", "attack 2"), "seat 2"),
    ((*WHOLE, "--moves", "attack 1 40"), "in limit (R20)"),
    ((*WHOLE, "--moves", "buy"), "'buy' depends on hidden cards"),
    ((*WHOLE, "--moves", "attack 1; call"), "'call' depends on hidden cards"),
    ((*WHOLE, "--moves", "keep 5s"), "keep"),
    ((*WHOLE, "--moves", "fold"), "the hand is over"),
    ((*WHOLE, "--moves", "attack 1"), "seat 1 is to act and knows its palace: give its 3 cards"),
    ((*WHOLE, "--range", "1"), "--range takes SEAT=TEXT"),
    ((*WHOLE, "--range", "2=pairs"), "seat 2"),
    ((*WHOLE, "--range", "0=pairs"), "seat 0"),
    ((*WHOLE, "--range", "1=foo"), "'foo' is no word of a range"),
    ((*WHOLE, "--paid", "60,x,0"), "--paid takes chips with commas between them"),
    ((*WHOLE, "--paid", "60,0"), "paid takes 3 numbers of chips"),
    ((*WHOLE, "--discards", "5s"), "5s is"),
    ((*WHOLE, "--samples", 1), "samples takes"),
    ((*WHOLE, "--half-width", 0), "half_width takes"),
    ((*WHOLE, "--json", "no/such/folder/x.json"), "--json takes a file in a folder that exists"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(map(str, words[-2:])) for words, _ in WRONG])
def test_what_is_wrong_is_one_line_and_exit_code_2(capsys, words, message):
    words = words if words[0] == "advise" else ("advise", *words)
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("palace-sim: ")
    assert message in err


def test_moves_may_be_written_as_they_are_shown(capsys):
    """In no limit a move is shown as "attack 1 for 40"; a discard and what a winner keeps are cards."""
    place = ("As/KsKd9c/5s6c", "2h/KcQdQc/TdTc", "--to-act", 0, "--dealer", 1, "--pot", 60, "--policies", "stay")
    rest = ("--structure", "no_limit", "--stack", 500, "--samples", 20)
    assert advised(capsys, *place, "--moves", "attack 1 for 45", *rest)["pot"] == 105
    assert advised(capsys, *place, "--moves", "Attack 1 ; raise 25", *rest)["seat"] == 0
    said = advised(capsys, *place, "--moves", "discard 5s", *rest)
    assert (said["seat"], said["phase"]) == (1, "turn")
