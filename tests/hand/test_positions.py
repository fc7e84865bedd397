"""Where a hand begins: dealt, from cards, or from a position in the middle; and every bad argument named."""

import collections
import random

import pytest
from reference.players import random_rules

import palace_sim as ps
from palace_sim.hand.history import Placed
from palace_sim.hand.positions import parse_player

ACES = ["As", "Kd", "Qh"]
PALACES = [["Ad", "7h", "9c"], ["Qc", "Jh", "3c"], ["Qd", "2c", "4c"]]
SEATS = ["As/KsKd9c/5s", "2h/?/TdTc", None]


def bits(words):
    return sum(1 << 16 * (card & 3) + (card >> 2) for card in ps.parse_cards(words))


# ---- from cards ------------------------------------------------------------------------------------------------------


def test_cards_not_named_are_out_of_the_hand():
    hand = ps.Hand.from_cards(None, "As Kd Qh", [" ".join(palace) for palace in PALACES], "5s", dealer=2)
    assert hand.view(0).deck == bits([*ACES, *PALACES[0], *PALACES[1], *PALACES[2], "5s"])
    assert hand.buy().keep("").stay().stay().buy().players[0].soldiers == ["5s"]  # the discard pile, shuffled (R13)


def test_one_suit_from_the_start_is_over_at_once():
    hand = ps.Hand.from_cards(None, "As Ks", ["2c 3c 4c", "5c 6c 7c"], "")
    assert (hand.phase, hand.end, hand.nets) == ("over", "one suit", [0, 0])
    assert str(hand.history[-1]) == "the pot is split, 5 to seat 0, 5 to seat 1: all banners left are of one suit"


def test_reshuffles_go_by_the_seed():
    def bought(seed):
        hand = ps.Hand.from_cards(None, ACES, PALACES, "", dealer=2, seed=seed).fold()
        return hand.buy().keep("").players[1].soldiers, hand.draw_pile

    assert bought(1) == bought(1)
    assert len({str(bought(seed)) for seed in range(20)}) > 5


BAD_CARDS = [
    ({"banners": "As"}, "banners takes 2 to 10 cards"),
    ({"banners": ps.format_cards(range(11))}, "banners takes 2 to 10 cards"),
    ({"banners": "As Kx Qh"}, "banners: 'Kx' is not a card"),
    ({"banners": "As Kd As"}, "banners: As is there twice"),
    ({"banners": "As Kd Qd"}, r"banners and palaces\[2\]: Qd is there twice"),
    ({"palaces": PALACES[:2]}, "one palace a seat: 3 banners, but 2 palaces"),
    ({"palaces": "Ad 7h 9c"}, "palaces takes a list with one entry a seat"),
    ({"palaces": [*PALACES[:2], "Qd 2c"]}, r"palaces\[2\] takes 3 cards \(R8\), got Qd 2c"),
    ({"palaces": [*PALACES[:2], ""]}, r"palaces\[2\] takes 3 cards \(R8\), got none"),
    ({"palaces": [*PALACES[:2], "Qd 2c Ad"]}, r"palaces\[0\] and palaces\[2\]: Ad is there twice"),
    ({"draw_pile": "5s 5s"}, "draw_pile: 5s is there twice"),
    ({"draw_pile": "5s 9c"}, r"palaces\[0\] and draw_pile: 9c is there twice"),
    ({"draw_pile": [52]}, "draw_pile: a card id is 0-51, got 52"),
    ({"draw_pile": None}, "draw_pile: a card is text"),
    ({"dealer": 3}, "dealer takes a seat from 0 to 2, got 3"),
    ({"dealer": None}, "dealer takes a seat"),
    ({"seed": -1}, "seed takes a whole number from 0"),
    ({"seed": 1 << 63}, "seed takes a whole number from 0"),
    ({"seed": 0.5}, "seed takes a whole number"),
    ({"rules": {}}, "rules takes a palace_sim.Rules or None"),
    ({"rules": ps.Rules(palace_cards=2)}, r"palaces\[0\] takes 2 cards"),
    ({"rules": ps.Rules(deck="2c 3c 4c 5c 6c 2d 3d 4d 5d")}, "banners: As is not in the deck of the rules"),
]


@pytest.mark.parametrize(("change", "message"), BAD_CARDS, ids=range(len(BAD_CARDS)))
def test_bad_arguments_of_from_cards(change, message):
    arguments = {"rules": None, "banners": ACES, "palaces": PALACES, "draw_pile": "5s", **change}
    with pytest.raises((ValueError, TypeError), match=message):
        ps.Hand.from_cards(**arguments)


BAD_DEALS = [
    ({"seats": 1}, "seats takes a number of players from 2 to 10, got 1"),
    ({"seats": 11}, "seats takes a number of players from 2 to 10, got 11"),
    ({"seats": 3.0}, "seats takes a number of players"),
    ({"seed": -1}, "seed takes"),
    ({"seed": "1"}, "seed takes"),
    ({"deal": -1}, "deal takes a whole number from 0"),
    ({"deal": 1 << 63}, "deal takes"),
    ({"dealer": 4}, "dealer takes a seat from 0 to 3, got 4"),
    ({"dealer": -1}, "dealer takes a seat from 0 to 3, got -1"),
    ({"rules": "limit"}, "rules takes a palace_sim.Rules"),
    ({"rules": ps.Rules(deck=range(12))}, "deck has 12 cards; 4 players need 16"),
]


@pytest.mark.parametrize(("change", "message"), BAD_DEALS, ids=range(len(BAD_DEALS)))
def test_bad_arguments_of_deal(change, message):
    with pytest.raises(ValueError, match=message):
        ps.Hand.deal(**change)


# ---- from a position -------------------------------------------------------------------------------------------------


def test_a_position():
    hand = ps.Hand.from_position(None, SEATS, to_act=0, dealer=2, pot=60, discards="9d 9h")
    assert (hand.phase, hand.to_act, hand.seats, hand.dealer, hand.pot) == ("turn", 0, 3, 2, 60)
    assert (hand.price, hand.targets, hand.legal()) == (20, [1], {"buy", "stay", "fold", "attack", "discard"})
    mine, foe, gone = hand.players
    assert (mine.banner, mine.palace, mine.soldiers) == ("As", ["9c", "Kd", "Ks"], ["5s"])
    assert (foe.banner, len(foe.palace), foe.soldiers) == ("2h", 3, ["Tc", "Td"])
    assert (gone.banner, gone.palace, gone.soldiers, gone.active) == (None, [], [], False)
    assert ([player.paid for player in hand.players], hand.nets) == ([20, 20, 20], [-20, -20, -20])
    cards = [mine.banner, *mine.palace, *mine.soldiers, foe.banner, *foe.palace, *foe.soldiers]
    assert sorted(ps.parse_cards([*cards, *hand.draw_pile, *hand.discard_pile])) == list(range(52))
    assert hand.discard_pile == ["9d", "9h"]
    assert hand.history == (Placed(0, 60),)
    assert hand.fold().nets == [-20, 40, -20]


def test_what_a_position_says_of_knowledge():
    hand = ps.Hand.from_position(None, SEATS, to_act=0, dealer=2, pot=60, discards="9d 9h")
    public = bits("As 5s 2h Tc Td 9d 9h")
    assert hand.view(0).seen == hand.view(0).gone == public | bits("Ks Kd 9c")
    assert hand.view(1).seen == hand.view(1).gone == public | bits(hand.players[1].palace)
    assert hand.view(2).seen == public


def test_a_palace_may_be_known_in_part():
    for text in ("As/KsKd/", "As/Ks?Kd", "As/KsKd?", ("As", ["Ks", "Kd"], []), ["As", ["Ks", "?", "Kd"]]):
        hand = ps.Hand.from_position(None, [text, "2h"], seed=3)
        assert len(hand.players[0].palace) == len(hand.players[1].palace) == 3
        assert {"Ks", "Kd"} < set(hand.players[0].palace)
    assert parse_player("As//5s6s") == (51, [], [15, 19])


def test_hidden_cards_are_drawn_evenly_and_by_the_seed():
    """Of 2 hidden palaces of 1 card, 3 hidden cards of the pile and 1 hidden discard, each of 6 cards: 360 ways.

    720 * 10 draws; chi-square has mean 359 and variance 718; the bound is 6 deviations.
    """
    rules = ps.Rules(deck="As Kd Qh 2c 3c 4c 5c 6c 7c 8c", palace_cards=1)
    counts = collections.Counter()
    draws = 7200
    for seed in range(draws):
        hand = ps.Hand.from_position(rules, ["As/?/2c", "Kd/?", None], to_act=0, discards="? Qh", seed=seed)
        palaces = tuple(player.palace[0] for player in hand.players[:2])
        (buried,) = set(hand.discard_pile) - {"Qh"}
        assert len(hand.draw_pile) == 3
        counts[palaces, buried, hand.draw_pile[0]] += 1
    assert len(counts) == 360
    square = sum((count - draws / 360) ** 2 for count in counts.values()) / (draws / 360)
    assert square < 359 + 6 * 718**0.5
    again = ps.Hand.from_position(rules, ["As/?/2c", "Kd/?", None], to_act=0, discards="? Qh", seed=draws - 1)
    assert again.record.tobytes() == hand.record.tobytes()


def test_who_paid_the_pot():
    def paid(pot, dealer=2, **arguments):
        hand = ps.Hand.from_position(arguments.pop("rules", None), SEATS, dealer=dealer, pot=pot, **arguments)
        return [player.paid for player in hand.players], [player.chips for player in hand.players]

    assert paid(61)[0] == [21, 20, 20]
    assert paid(62, dealer=0)[0] == [20, 21, 21]
    assert paid(60, paid=[10, 50, 0]) == ([10, 50, 0], [None] * 3)
    assert paid(60, rules=ps.Rules(stack=100), paid=[10, 50, 0])[1] == [90, 50, 100]


def test_who_has_passed():
    def passed(many, to_act=0):
        players = ["As/?/", "Kd/?/", "Qh/?/", None, "2c/?/"]
        return int(ps.Hand.from_position(None, players, to_act=to_act, passed=many).record.passed)

    assert [passed(many) for many in range(4)] == [0, 1 << 4, 1 << 4 | 1 << 2, 1 << 4 | 1 << 2 | 1 << 1]
    assert passed(2, to_act=1) == 1 << 0 | 1 << 4
    hand = ps.Hand.from_position(None, ["As/?/", "Kd/?/", "Qh/?/"], pot=30, passed=2)
    assert hand.copy().stay().end == "showdown"
    assert hand.copy().buy().keep("").stay().stay().over is False


BAD_POSITIONS = [
    ({"players": "As/?/"}, "players takes a list with one entry a seat"),
    ({"players": ["As/?/"]}, "the number of players takes a whole number from 2 to 10, got 1"),
    ({"players": [None, None, "As"]}, r"players: 1 in the hand, so it is over \(R30\)"),
    ({"players": ["As", "Ks", None]}, r"players: all banners are of one suit, so the hand is over \(R31\)"),
    ({"players": ["As", "Ks", "2s"]}, r"players: all banners are of one suit, so the hand is over \(R31\)"),
    ({"players": ["As", "Kx", None]}, r"players\[1\], banner: 'Kx' is not a card"),
    ({"players": ["As", "KdKh", None]}, r"players\[1\] takes one banner before the first '/', got 'KdKh'"),
    ({"players": ["As", "/2c3c4c", None]}, r"players\[1\] takes one banner"),
    ({"players": ["As", "Kd/2c3c4c5c", None]}, r"players\[1\] takes 3 palace cards at most"),
    ({"players": ["As", "Kd/2c3c4c?", None]}, r"players\[1\] takes 3 palace cards at most"),
    ({"players": ["As", "Kd/?/?", None]}, r"players\[1\], soldiers: '\?' is not a card"),
    ({"players": ["As", "Kd/?/2c/3c", None]}, r"players\[1\] takes banner/palace/soldiers"),
    ({"players": ["As", "Kd/?/2c2c", None]}, r"players\[1\]: 2c is there twice"),
    ({"players": ["As", "Kd/?/As", None]}, r"players\[0\] and players\[1\]: As is there twice"),
    ({"players": ["As", 5, None]}, r"players\[1\] takes text like 'As/KsKd9c/5s'"),
    (
        {"players": ["As/?/2c3c4c5c6c7c", "Kd", None]},
        r"players\[0\]: 6 soldiers are more than the 5 that may remain \(R12\)",
    ),
    ({"to_act": 3}, "to_act takes a seat from 0 to 2, got 3"),
    ({"to_act": 2}, "to_act: seat 2 is out of the hand"),
    ({"to_act": None}, "to_act takes a seat"),
    ({"dealer": 5}, "dealer takes a seat from 0 to 2, got 5"),
    ({"pot": -1}, "pot takes chips from 0"),
    ({"pot": 10.0}, "pot takes chips"),
    ({"paid": [20, 20]}, "paid takes 3 numbers of chips, one a seat, got 2"),
    ({"paid": [20, 20, 21]}, "paid must add up to the pot of 60, got 61"),
    ({"paid": [-20, 60, 20]}, r"paid\[0\] takes chips from 0 to 60, got -20"),
    ({"paid": 60}, "paid takes a list"),
    ({"rules": ps.Rules(stack=19)}, "seat 0 cannot have paid 20 into the pot of 60 with stack=19"),
    ({"passed": 2}, r"passed takes a number of players who passed \(R32\) from 0 to 1, got 2"),
    ({"passed": -1}, "passed takes"),
    ({"passed": [1]}, "passed takes"),
    ({"discards": "9d 9d"}, "discards: 9d is there twice"),
    ({"discards": "As"}, r"players\[0\] and discards: As is there twice"),
    ({"discards": "? ?"}, "whole palaces of players who are out"),
    ({"discards": "??????"}, "whole palaces of players who are out"),
    ({"discards": "9z"}, "discards: '9z' is not a card"),
    ({"seed": -1}, "seed takes"),
    ({"rules": ps.Rules(deck=range(48))}, r"players\[0\]: As is not in the deck of the rules"),
    ({"rules": ps.Rules(deck="As Ks Kd 9c 5s 2h Td Tc 2c 3c")}, "hide 3 cards, but only 2 of the deck are not named"),
    ({"rules": "no limit"}, "rules takes a palace_sim.Rules"),
]


@pytest.mark.parametrize(("change", "message"), BAD_POSITIONS, ids=range(len(BAD_POSITIONS)))
def test_bad_arguments_of_from_position(change, message):
    arguments = {"rules": None, "players": SEATS, "to_act": 0, "dealer": 2, "pot": 60, **change}
    with pytest.raises(ValueError, match=message):
        ps.Hand.from_position(**arguments)


# ---- a position taken from a hand goes on as the hand does -----------------------------------------------------------


def notation(player):
    if not player.active:
        return None
    return "/".join([player.banner, "".join(player.palace), "".join(player.soldiers)])


def position_of(hand):
    """The position that a hand is in at the start of a turn, with the pile in the same order."""
    position = ps.Hand.from_position(
        hand.rules,
        [notation(player) for player in hand.players],
        to_act=hand.to_act,
        dealer=hand.dealer,
        pot=hand.pot,
        paid=[player.paid for player in hand.players],
        passed=int(hand.record.passed).bit_count(),
        discards=hand.discard_pile,
    )
    assert set(position.draw_pile) == set(hand.draw_pile)
    for name in ("pile", "undrawn", "stream", "seed", "deal", "reshuffles"):
        setattr(position.record, name, getattr(hand.record, name))
    return position


def shown(hand):
    players = [(player.palace, player.soldiers, player.active, player.paid, player.chips) for player in hand.players]
    names = "phase to_act targets price min_raise max_raise pot nets draw_pile discard_pile end".split()
    return [hand.legal(), players, *(getattr(hand, name) for name in names)]


def make_move(hand, other, chance):
    verb = chance.choice(sorted(hand.legal() - {"fold"} or {"fold"}))
    arguments = ()
    if verb == "attack":
        arguments = (chance.choice(hand.targets),)
    if verb in ("discard", "keep"):
        soldiers = hand.players[hand.to_act].soldiers
        arguments = (chance.sample(soldiers, min(len(soldiers), 1 if verb == "discard" else hand.rules.max_soldiers)),)
    for each in (hand, other):
        getattr(each, "raise_" if verb == "raise" else verb)(*arguments)


def test_a_position_plays_on_as_the_hand_it_was_taken_from():
    chance = random.Random(6)
    positions = 0
    for number in range(150):
        rules, seats = random_rules(chance)
        rules |= {"max_buys": None, "max_turns": 1_000_000}
        hand = ps.Hand.deal(ps.Rules(**rules), seats, seed=6, deal=number)
        other = hand.copy()
        while not hand.over:
            if hand.phase == "turn" and chance.random() < 0.3:
                other = position_of(hand)
                positions += 1
            assert shown(other) == shown(hand)
            make_move(hand, other, chance)
        assert shown(other) == shown(hand)
    assert positions > 300
