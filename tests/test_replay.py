"""`replay` gives any row back as a hand, and the slow referee agrees with it move by move."""

import dataclasses

import numpy as np
import pytest
from reference.dealing import Reshuffler
from reference.dealing import deal as slow_deal
from reference.referee import Referee

import palace_sim as ps
from palace_sim.hand import history

TABLES = [
    (["random", "tight", "buyer", "maniac"], ps.Rules()),
    (["random", "pot_odds"], ps.Rules(structure="no_limit", stack=150)),
    (["random", "random", "hunter", "calling_station", "random", "bluffer"], ps.Rules(blocked="rank", ante=3)),
    (["random"] * 10, ps.Rules(stack=90, max_soldiers=2, last_two="showdown")),
    (["random", "maniac", "buyer"], ps.Rules(deck=[c for c in range(52) if c // 4 > 6], palace_cards=2, max_turns=25)),
]


def moves_of(hand):
    """Names and arguments of the moves that a history tells of."""
    for event in hand.history:
        match event:
            case history.Bought():
                yield "buy", ()
            case history.Kept(kept=kept):
                yield "keep", (list(kept),)
            case history.Stayed():
                yield "stay", ()
            case history.Discarded(cards=cards):
                yield "discard", (list(cards),)
            case history.Folded():
                yield "fold", ()
            case history.Attacked(target=target, amount=amount):
                yield "attack", (target, amount)
            case history.Called():
                yield "call", ()
            case history.Raised(amount=amount):
                yield "raise_", (amount,)


def referee_of(result, hand, deal):
    rules = dataclasses.asdict(result.plan.rules)
    dealer, banners, palaces, draw_pile = slow_deal(rules, hand.seats, result.plan.seed, deal)
    return Referee(rules, banners, palaces, draw_pile, dealer, Reshuffler(result.plan.seed, deal))


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_every_row_comes_back_as_a_hand_and_the_referee_agrees(table):
    policies, rules = TABLES[table]
    result = ps.play(policies, rules, deals=12, seed=30 + table)
    seats, battles = result.seats, result.battles
    for (deal, rotation), rows in seats.groupby(["deal", "rotation"]):
        hand = ps.replay(result, deal=int(deal), rotation=int(rotation))
        slow = referee_of(result, hand, int(deal))
        for name, arguments in moves_of(hand):
            getattr(slow, name)(*arguments)
        assert slow.phase == hand.phase == "over"
        assert slow.nets == hand.nets == rows.net.tolist()
        assert {hand.end} == set(rows.end)
        assert [player.paid for player in hand.players] == slow.paid
        for row in rows.itertuples():
            tally = slow.tallies[row.seat]
            for column in ("won", "paid_ante", "paid_buy", "paid_attack", "paid_call", "paid_raise", "buys", "attacks"):
                assert getattr(row, column) == tally[column], column
            for column in ("defences", "battles_won", "battles_lost", "battles_folded", "turns"):
                assert getattr(row, column) == tally[column], column
            assert row.position == (row.seat - hand.dealer - 1) % hand.seats
        mine = battles[(battles.deal == deal) & (battles.rotation == rotation)]
        assert len(mine) == len(slow.battles)
        for row, battle in zip(mine.itertuples(), slow.battles, strict=True):
            told = battle if isinstance(battle, dict) else dataclasses.asdict(battle)
            for column in ("turn", "attacker", "defender", "attacker_soldiers", "defender_soldiers", "pot", "raises"):
                assert getattr(row, column) == told[column], column
            for column in ("attacker_usable", "defender_usable", "attacker_price", "defender_price", "end", "winner"):
                assert getattr(row, column) == told[column], column


def test_replay_works_without_rows_and_in_tournaments():
    t = ps.round_robin(["random", "tight", "maniac", "buyer"], seats=3, deals=20, seed=4)
    with_rows = ps.round_robin(["random", "tight", "maniac", "buyer"], seats=3, deals=20, seed=4, rows=True).seats
    for lineup, deal, rotation in [(0, 0, 0), (3, 19, 2), (2, 7, 1)]:
        rows = with_rows[(with_rows.lineup == lineup) & (with_rows.deal == deal) & (with_rows.rotation == rotation)]
        assert ps.replay(t, deal=deal, rotation=rotation, lineup=lineup).nets == rows.net.tolist()


def test_the_same_cards_as_hand_deal():
    result = ps.play(["stay", "random", "tight"], deals=5, seed=9)
    for deal in range(5):
        dealt = ps.Hand.deal(seats=3, seed=9, deal=deal)
        for rotation in range(3):
            assert ps.replay(result, deal=deal, rotation=rotation).history[0] == dealt.history[0]


def test_illegal_fold_is_replayed_as_it_was_played():
    @ps.policy
    def always_buys(view):
        return ps.act.buy()

    result = ps.play([always_buys, "maniac", "random"], deals=20, illegal="fold")
    for (deal, rotation), rows in result.seats.groupby(["deal", "rotation"]):
        assert ps.replay(result, deal=deal, rotation=rotation).nets == rows.net.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deal": 5}, "deal takes a deal of the result from 0 to 4, got 5"),
        ({"deal": 0, "rotation": 2}, "rotation takes"),
        ({"deal": 0, "lineup": 1}, "lineup takes"),
        ({"deal": -1}, "deal takes"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    result = ps.play(["random", "stay"], deals=5)
    with pytest.raises(ValueError, match=message):
        ps.replay(result, **arguments)
    with pytest.raises(ValueError, match="result takes"):
        ps.replay("result", deal=0)


# --- playing on from a position ---------------------------------------------------------------------------------------


def position():
    return ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", "3d/?/"], to_act=0, dealer=2, pot=60)


def test_play_from_a_position_counts_nets_from_there():
    """Everybody stays: the pot of 60 goes to whoever shows the best hand, and nobody pays more."""
    result = ps.play(["stay"] * 3, start=position(), deals=500, known_to=0, seed=2)
    assert set(result.seats.net) <= {0, 60, 30, 20}
    assert (result.seats.groupby("deal").net.sum() == 60).all()
    assert (result.seats.rotation == 0).all()


def test_what_the_seat_knows_stays_and_the_rest_is_drawn_anew():
    result = ps.play(["stay"] * 3, start=position(), deals=300, known_to=0, seed=2)
    palaces = []
    for deal in range(300):
        record = ps.replay(result, deal=deal).record
        palaces.append([int(record.palace[seat]) for seat in range(3)])
    own, first, second = np.array(palaces).T
    assert len(set(own)) == 1 and len(set(first)) > 290 and len(set(second)) > 290
    public = ps.play(["stay"] * 3, start=position(), deals=50, seed=2)
    assert len({int(ps.replay(public, deal=deal).record.palace[0]) for deal in range(50)}) > 45


def test_known_to_a_seat_the_share_of_wins_is_that_of_an_exact_count():
    """One hidden palace, no moves left to make: 5579 of 11480 completions win, the others lose (exact enumeration).

    The banner suit blocks (R24): with 4000 draws the standard error is sqrt(0.486 * 0.514 / 4000) = 0.0079; the
    bound is four of them.
    """
    hand = ps.Hand.from_position(
        None, ["As/KsKd9c/", "2h/?/TdTc7s7d4c"], to_act=0, dealer=0, pot=100, passed=1
    )
    result = ps.play(["stay", "stay"], start=hand, deals=4000, known_to=0, seed=11)
    wins = (result.seats[result.seats.seat == 0].won == 100).mean()
    assert abs(wins - 5579 / 11480) < 4 * 0.0079


def test_replays_from_a_position_have_the_nets_of_their_rows():
    result = ps.play(["random"] * 3, start=position(), deals=60, known_to=1, seed=3)
    for deal, rows in result.seats.groupby("deal"):
        hand = ps.replay(result, deal=int(deal))
        assert hand.nets == rows.net.tolist()
        assert hand.copy().nets == hand.nets


LEVEL = 0


def test_a_policy_that_has_changed_since_is_not_replayed(monkeypatch):
    @ps.policy
    def level_headed(view):
        return ps.act.stay() if LEVEL == 0 and view.phase == ps.TURN else ps.act.fold()

    result = ps.play([level_headed, "stay"], deals=5)
    before = ps.replay(result, deal=1).nets
    monkeypatch.setitem(globals(), "LEVEL", 1)
    with pytest.raises(ps.PolicyError, match="level_headed is not as it was when it played"):
        ps.replay(result, deal=1)
    monkeypatch.setitem(globals(), "LEVEL", 0)
    assert ps.replay(result, deal=1).nets == before


def test_start_refuses_what_does_not_fit():
    hand = position()
    with pytest.raises(ValueError, match="start has 3 seats, policies has 2"):
        ps.play(["stay", "stay"], start=hand, deals=5)
    with pytest.raises(ValueError, match="rules differ"):
        ps.play(["stay"] * 3, ps.Rules(small_bet=4), start=hand, deals=5)
    with pytest.raises(ValueError, match="known_to takes a seat from 0 to 2"):
        ps.play(["stay"] * 3, start=hand, known_to=3, deals=5)
    over = ps.Hand.deal(seats=2).fold()
    with pytest.raises(ValueError, match="is over"):
        ps.play(["stay"] * 2, start=over, deals=5)
