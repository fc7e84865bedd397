"""`Hand`: what it shows and what it refuses. That its states are right is tested in test_oracle and test_cases."""

import copy
import pickle
import random

import numpy as np
import pytest
from reference.players import random_rules

import palace_sim as ps
from palace_sim.kernels.view import PUBLIC_SIZE

ACES = ["As", "Kd", "Qh"]
PALACES = [["Ad", "7h", "9c"], ["Qc", "Jh", "3c"], ["Qd", "2c", "4c"]]


def three(draw_pile="5s 6s 7s 8s", **options):
    """Three seats, seat 0 has the first turn."""
    return ps.Hand.from_cards(ps.Rules(**options), ACES, PALACES, draw_pile, dealer=2)


def no_limit(stack=100, **options):
    return three(structure="no_limit", stack=stack, **options)


def any_move(hand, chance):
    """Make a random legal move."""
    verb = chance.choice(sorted(hand.legal() - {"fold"}) or ["fold"]) if chance.random() < 0.9 else None
    verb = verb or chance.choice(sorted(hand.legal()))
    soldiers = hand.players[hand.to_act].soldiers
    if verb == "attack":
        return hand.attack(chance.choice(hand.targets))
    if verb == "discard":
        return hand.discard(chance.sample(soldiers, chance.randint(1, len(soldiers))))
    if verb == "keep":
        return hand.keep(chance.sample(soldiers, min(len(soldiers), hand.rules.max_soldiers)))
    return hand.raise_() if verb == "raise" else getattr(hand, verb)()


# ---- what it shows ---------------------------------------------------------------------------------------------------


def test_a_turn():
    hand = three()
    assert (hand.phase, hand.to_act, hand.over, hand.end, hand.truncated) == ("turn", 0, False, None, False)
    assert (hand.seats, hand.dealer, hand.turns, hand.pot, hand.nets) == (3, 2, 0, 15, [-5, -5, -5])
    assert (hand.price, hand.targets, hand.min_raise, hand.max_raise) == (10, [1, 2], None, None)
    assert hand.draw_pile == ["5s", "6s", "7s", "8s"]
    player = hand.players[0]
    assert (player.banner, player.palace, player.soldiers) == ("As", ["7h", "9c", "Ad"], [])
    assert (player.active, player.paid, player.chips) == (True, 5, None)


def test_an_answer_in_a_battle():
    hand = no_limit().attack(1, 30)
    assert (hand.phase, hand.to_act, hand.price, hand.targets) == ("respond", 1, 30, [])
    assert (hand.min_raise, hand.max_raise) == (20, 65)
    assert hand.legal() == {"fold", "call", "raise"}
    hand.raise_(65)
    assert (hand.to_act, hand.price, hand.min_raise, hand.max_raise) == (0, 65, None, None)
    assert [player.chips for player in hand.players] == [65, 0, 95]


def test_a_choice_of_soldiers_is_always_asked_for():
    hand = three().buy()
    assert (hand.phase, hand.to_act, hand.legal(), hand.price, hand.targets) == ("keep", 0, {"keep"}, None, [])
    hand.keep("5s").attack(2).fold()
    assert (hand.phase, hand.to_act, hand.legal()) == ("keep", 1, {"keep"})
    assert hand.keep("Qh").to_act == 0  # the turn goes to the left of the attacker, over who is out (R29)


def test_the_end():
    hand = three().fold().fold()
    assert (hand.phase, hand.to_act, hand.over, hand.end) == ("over", None, True, "one left")
    assert (hand.pot, hand.nets, hand.legal(), hand.targets, hand.price) == (0, [-5, -5, 10], set(), [], None)
    assert [player.palace for player in hand.players] == [[], [], ["2c", "4c", "Qd"]]
    assert hand.discard_pile == sorted(["As", "Kd", *PALACES[0], *PALACES[1]], key=lambda w: ps.parse_cards(w))
    assert three(max_turns=1).stay().end == "truncated"


def test_cards_may_be_text_words_ids_or_a_set():
    as_set = 1 << 48 | 1 << 49  # 2s 3s
    for cards in ("2s 3s", "2s3s", ["2s", "3s"], [3, 7], np.array([3, 7]), as_set, np.int64(as_set)):
        hand = three("2s 3s 4s").buy().keep("2s").stay().stay().buy().keep(cards)
        assert hand.players[0].soldiers == ["2s", "3s"]
        assert hand.copy().stay().stay().discard(cards).players[0].soldiers == []


def test_numbers_may_be_numpys():
    hand = no_limit().attack(np.int64(1), np.int32(30)).raise_(np.uint8(20))
    assert hand.players[1].chips == 45
    assert ps.Hand.deal(seats=np.int8(3), seed=np.uint64(5), deal=np.int64(2)).draw_pile == (
        ps.Hand.deal(seats=3, seed=5, deal=2).draw_pile
    )


def test_amount_none_and_0_are_the_least():
    assert three().attack(1).pot == three().attack(1, 0).pot == three().attack(1, 10).pot == 25
    assert no_limit().attack(1).raise_().pot == no_limit().attack(1).raise_(0).pot == 15 + 10 + 10 + 20


def test_moves_by_code_are_the_same_moves():
    by_name = no_limit().buy().keep("5s").stay().stay().attack(1, 40).raise_(25).fold()
    by_code = no_limit()
    codes = [ps.act.buy(), ps.act.keep("5s"), ps.act.stay(), ps.act.stay(), ps.act.attack(1, 40), ps.act.raise_(25)]
    for code in [*codes, np.int64(ps.act.fold())]:
        assert by_code.act(code) is by_code
    assert by_code.record.tobytes() == by_name.record.tobytes()
    assert by_code.history == by_name.history


def test_copies_part_ways():
    hand = three().buy()
    for other in (hand.copy(), copy.copy(hand), copy.deepcopy(hand), pickle.loads(pickle.dumps(hand))):
        assert other.record.tobytes() == hand.record.tobytes()
        assert (other.history, other.rules) == (hand.history, hand.rules)
        other.keep("5s").fold()
        assert (hand.phase, len(hand.history)) == ("keep", 3)


def test_keep_best_keeps_what_the_engine_would():
    hand = three("Ah Ac 2s", max_soldiers=1)
    hand.buy().keep_best().stay().stay().buy()
    assert hand.keep_best().players[0].soldiers == ["Ah"]  # three aces either way; of one rank, the higher id
    with pytest.raises(ps.IllegalMove, match="not keep"):
        hand.keep_best()
    with pytest.raises(ps.IllegalMove, match="the hand is over"):
        hand.fold().fold().keep_best()


def test_a_view_is_a_fresh_copy():
    hand = three().attack(1)
    view = hand.view(1)
    assert (view.seat, view.to_act, view.foe, view.phase, view.price) == (1, 1, 0, ps.RESPOND, 10)
    assert ps.see.can_raise(view)
    before = hand.record.tobytes()
    view.pot, view.palace, view.players[0].chips = 0, 0, 0
    assert hand.record.tobytes() == before
    assert hand.view(1).pot == 25
    assert (hand.view(0).legal, hand.view(0).price, hand.view(0).foe) == (0, 0, -1)
    assert 0 <= ps.see.uniform(view) < 1
    assert ps.see.uniform(hand.view(1)) == ps.see.uniform(hand.view(1)) != ps.see.uniform(hand.view(2))
    with pytest.raises(ValueError, match="seat takes a seat from 0 to 2, got 3"):
        hand.view(3)


def test_a_view_shows_no_hidden_card():
    hand = three()
    other = ps.Hand.from_cards(None, ACES, [PALACES[0], PALACES[2], PALACES[1]], "8s 7s 6s 5s", dealer=2)
    assert hand.view(0).tobytes() == other.view(0).tobytes()
    assert hand.view(1).tobytes() != other.view(1).tobytes()
    assert hand.record.tobytes()[:PUBLIC_SIZE] == other.record.tobytes()[:PUBLIC_SIZE]


def test_looking_changes_nothing():
    hand = three().buy().keep("5s").attack(2)
    before = hand.record.tobytes()
    names = [name for name in dir(hand) if not name.startswith("_") and not callable(getattr(hand, name))]
    assert {"draw_pile", "players", "history", "end"} <= set(names)
    assert [getattr(hand, name) for name in names if name != "record"]
    assert str(hand) and repr(hand) and hand._repr_html_() and hand.legal() and hand.position_bytes()
    assert hand.record.tobytes() == before


def test_the_top_card_is_the_one_that_is_bought():
    hand = ps.Hand.deal(seats=3, seed=4)
    unseen, pile = hand.copy(), hand.draw_pile
    for top in pile[:3]:
        for each in (hand, unseen):  # of one the pile is looked at, of the other not
            seat = each.to_act
            assert each.buy().players[seat].soldiers == [top]
            each.keep(top)
        assert hand.draw_pile == pile[pile.index(top) + 1 :]


def test_text_fits_and_says_all():
    chance = random.Random(1)
    for number in range(60):
        rules, seats = random_rules(chance)
        hand = ps.Hand.deal(ps.Rules(**rules), seats, seed=2, deal=number)
        while True:
            text = str(hand)
            assert max(map(len, text.splitlines())) <= 100
            assert "\n" not in repr(hand)
            assert f"pot {hand.pot}" in text
            for player in hand.players:
                assert player.banner in text
                assert " ".join(player.palace) in text
                assert " ".join(player.soldiers) in text
            html = hand._repr_html_()
            assert html.count("<tr") == html.count("</tr>") == seats + 1
            if hand.over:
                break
            any_move(hand, chance)
    assert repr(three()) == "<Hand: 3 seats, seat 0 turn, pot 15, 0 turns>"
    assert "A♠" in three()._repr_html_()


def test_text_of_a_hand():
    hand = no_limit().buy().keep("5s").stay().stay().attack(2, 40)
    assert str(hand).splitlines() == [
        "Palace Poker, no limit 10/20, 3 seats",
        "seat 2 answers in a battle: call, fold, raise; price 30, raise 20 to 65",
        "pot 65; draw pile 3, discard pile 0; turn 3",
        "  seat  banner  palace    soldiers  paid  chips  net",
        "  0     As      7h 9c Ad  5s        55    45     -55",
        "  1     Kd      3c Jh Qc            5     95     -5",
        "  2 *D  Qh      2c 4c Qd            5     95     -5",
    ]


# ---- what it refuses -------------------------------------------------------------------------------------------------


def battle(hand, raises):
    hand.attack(1)
    for _ in range(raises):
        hand.raise_()
    return hand


def full_army():
    hand = three("2s 3s 4s 5s 6s 7s")
    for _ in range(6):
        hand.buy()
        if len(hand.players[0].soldiers) == 6:
            return hand
        hand.keep(hand.players[0].soldiers).stay().stay()
    return hand


ILLEGAL = [
    (lambda: three(), lambda h: h.call(), r"seat 0 has its turn \(R11\) and may buy, stay, fold or attack, not call"),
    (lambda: three(), lambda h: h.raise_(), r"not raise"),
    (lambda: three(), lambda h: h.keep(""), r"not keep"),
    (lambda: three().buy(), lambda h: h.stay(), r"seat 0 chooses the soldiers to keep \(R12, R27\) and may keep, not"),
    (lambda: three().attack(1), lambda h: h.buy(), r"seat 1 answers in a battle \(R21\) and may fold, call or raise"),
    (lambda: three().fold().fold(), lambda h: h.stay(), r"the hand is over"),
    (lambda: three(), lambda h: h.attack(0), r"seat 0 cannot attack itself \(R17\)"),
    (lambda: three(), lambda h: h.attack(3), r"seat 3 is not in the hand \(R17\)"),
    (lambda: three(), lambda h: h.attack(-1), r"seat -1 is not in the hand \(R17\)"),
    (lambda: three().fold(), lambda h: h.attack(0), r"seat 0 is not in the hand \(R17\)"),
    (lambda: three(), lambda h: h.attack(1, 11), r"an attack costs 10, no more and no less, in limit \(R20\), not 11"),
    (no_limit, lambda h: h.attack(1, 9), r"an attack costs 10 or more \(R18, R20\), not 9"),
    (no_limit, lambda h: h.attack(1, 96), r"a bet of 96 is more than the 95 chips left \(R36\)"),
    (lambda: three(stack=14), lambda h: h.attack(1), r"an attack costs 10 \(R18\), more than the 9 chips left \(R36\)"),
    (lambda: three(stack=14), lambda h: h.buy(), r"a soldier costs 10, more than the 9 chips left \(R36\)"),
    (lambda: three(""), lambda h: h.buy(), r"no card is left to buy \(R13\)"),
    (lambda: three(max_buys=0), lambda h: h.buy(), r"seat 0 has bought 0 times, and max_buys is 0"),
    (lambda: three(), lambda h: h.discard("5s"), r"seat 0 has no soldier to discard \(R14\)"),
    (lambda: three().buy(), lambda h: h.keep("5s 6s"), r"6s: not among the soldiers of seat 0 \(R12\)"),
    (lambda: three().attack(1).fold(), lambda h: h.keep("6s"), r"6s: not among the soldiers of seat 0 \(R27\)"),
    (
        lambda: three().buy().keep("5s").stay().stay(),
        lambda h: h.discard(""),
        r"throws away one soldier or more \(R14\)",
    ),
    (lambda: three().buy().keep("5s").stay().stay(), lambda h: h.discard("6s"), r"6s: not among .* \(R14\)"),
    (full_army, lambda h: h.keep("2s 3s 4s 5s 6s 7s"), r"6 soldiers are more than the 5 that may remain \(R12\)"),
    (lambda: battle(three(), 3), lambda h: h.raise_(), r"3 raises have been made .* max_raises is 3 \(R22\)"),
    (
        lambda: battle(three(), 0),
        lambda h: h.raise_(20),
        r"a raise is 10, no more and no less, in limit \(R21\), not 20",
    ),
    (lambda: battle(no_limit(), 0), lambda h: h.raise_(19), r"a raise is 20 or more \(R21\), not 19"),
    (lambda: battle(no_limit(), 0), lambda h: h.raise_(86), r"raise of 86 are more than the 95 .* 85 is the most"),
    (
        lambda: battle(three(stack=24), 0),
        lambda h: h.raise_(),
        r"a raise of 10 are more than the 19 chips left \(R36\)",
    ),
    (lambda: battle(three(stack=15), 0), lambda h: h.raise_(), r"seat 0 has no chips left, .* \(R36\)"),
    (lambda: three(), lambda h: h.act(0), r"0 is no action code"),
    (lambda: three(), lambda h: h.act(7), r"0x7 is no action code"),
    (lambda: three(), lambda h: h.act(-5), r"-5 is no action code"),
    (lambda: three(), lambda h: h.act(ps.act.attack(12)), r"a target is a seat from 0 to 9"),
    (lambda: three().buy(), lambda h: h.keep(1 << 14), r"cards are a card set"),
    (lambda: battle(three(), 0), lambda h: h.stay(), r"in a battle \(R21\) and may fold, call or raise, not stay"),
]


@pytest.mark.parametrize(("make", "move", "message"), ILLEGAL, ids=range(len(ILLEGAL)))
def test_illegal_moves_say_why_and_change_nothing(make, move, message):
    hand = make()
    before, events = hand.record.tobytes(), hand.history
    with pytest.raises(ps.IllegalMove, match=message):
        move(hand)
    assert hand.record.tobytes() == before
    assert hand.history == events


def test_a_banner_of_the_same_suit():
    hand = ps.Hand.from_cards(None, "As Ks Qh", ["2c 3c 4c", "5c 6c 7c", "8c 9c Tc"], "Jc", dealer=2)
    assert hand.targets == [2]
    with pytest.raises(ps.IllegalMove, match=r"seat 1 has a banner of the same suit \(R17\)"):
        hand.attack(1)


BAD_ARGUMENTS = [
    (lambda h: h.attack("1"), ValueError, "target takes a seat"),
    (lambda h: h.attack(1.0), ValueError, "target takes a seat"),
    (lambda h: h.attack(True), ValueError, "target takes a seat"),
    (lambda h: h.attack(1, 10.5), ValueError, "amount takes a whole number of chips"),
    (lambda h: h.attack(1, -10), ValueError, "amount takes a whole number of chips from 0"),
    (lambda h: h.attack(1, 1 << 70), ValueError, "amount takes"),
    (lambda h: h.raise_("20"), ValueError, "amount takes"),
    (lambda h: h.discard("5x"), ValueError, "'5x' is not a card"),
    (lambda h: h.keep("5s 5s"), ValueError, "5s is there twice"),
    (lambda h: h.keep(None), TypeError, "a card is text"),
    (lambda h: h.act("stay"), TypeError, "code takes an action code"),
    (lambda h: h.act(1 << 64), ps.IllegalMove, "is no action code"),
]


@pytest.mark.parametrize(("move", "error", "message"), BAD_ARGUMENTS, ids=range(len(BAD_ARGUMENTS)))
def test_bad_arguments_of_moves_are_named(move, error, message):
    hand = no_limit()
    before = hand.record.tobytes()
    with pytest.raises(error, match=message):
        move(hand)
    assert hand.record.tobytes() == before


def test_decisions_are_kept_by_copies_and_pickles():
    hand = ps.Hand.deal(seats=2, seed=3, dealer=1).buy().keep_best().stay().attack(1)
    assert [int(before.to_act) for before, _ in hand.decisions] == [0, 0, 1, 0]
    again = ps.Hand.deal(seats=2, seed=3, dealer=1)
    for before, code in hand.decisions:
        assert before.tobytes() == again.record.tobytes()
        again.act(code)
    for other in (hand.copy(), pickle.loads(pickle.dumps(hand))):
        assert [code for _, code in other.decisions] == [code for _, code in hand.decisions]
        assert other.decisions[-1][0].tobytes() == hand.decisions[-1][0].tobytes()
    hand.copy().fold()
    assert len(hand.decisions) == 4
