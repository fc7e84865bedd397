"""Worked and random hands with every state known, played on `Hand`."""

import json
from pathlib import Path

import pytest

from palace_sim.hand import Hand
from palace_sim.hand.history import Ante, BattleTied, BattleWon, Dealt, PotWon
from palace_sim.rules import Rules

FOLDER = Path(__file__).parents[1] / "cases"
CASES = [case for name in ("worked", "random") for case in json.loads((FOLDER / f"{name}.json").read_text())]


def state(hand):
    return {
        "phase": hand.phase,
        "to_act": hand.to_act,
        "pot": hand.pot,
        "nets": hand.nets,
        "active": [player.active for player in hand.players],
        "soldiers": [[] if hand.over else sorted(player.soldiers) for player in hand.players],
        "draw": len(hand.draw_pile),
        "discards": len(hand.discard_pile),
    }


def make(hand, move):
    verb = move["do"]
    if verb in ("keep", "discard"):
        return getattr(hand, verb)(move["cards"])
    if verb == "attack":
        return hand.attack(move["target"], move.get("amount"))
    return hand.raise_(move.get("amount")) if verb == "raise" else getattr(hand, verb)()


def test_there_are_all_of_them():
    assert len(CASES) == 351
    assert sum(len(case.get("illegal", [])) for case in CASES) > 5


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case):
    hand = Hand.from_cards(Rules(**case["rules"]), case["banners"], case["palaces"], case["draw_pile"], case["dealer"])
    wanted = case["start"]
    assert state(hand) == wanted
    for move in case["moves"]:
        assert hand.to_act == move["seat"]
        assert move["do"] in hand.legal()
        assert make(hand, move) is hand
        wanted = move["after"]
        assert state(hand) == wanted
    for move in case.get("illegal", []):
        before, events = hand.record.tobytes(), hand.history
        with pytest.raises(ValueError, match=r"\(R\d+(, R\d+)*\)|is there twice"):
            make(hand, move)
        assert hand.record.tobytes() == before
        assert hand.history == events
    told = [event for event in hand.history if not isinstance(event, Dealt | Ante | PotWon | BattleWon | BattleTied)]
    assert len(told) == len(case["moves"])
