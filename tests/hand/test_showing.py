"""A hand to look at: `show`, `steps`, `rewound`; what a seat does not know is nowhere in what it is shown."""

import random
import re
from itertools import pairwise

import pytest
from hand.pages import Stepper, cards_in, parse
from reference.players import random_rules

import palace_sim as ps
from palace_sim.hand import markup

ACES = ["As", "Kd", "Qh"]
PALACES = [["Ad", "7h", "9c"], ["Qc", "Jh", "3c"], ["Qd", "2c", "4c"]]


def three(draw_pile="5s 6s 7s 8s", **options):
    return ps.Hand.from_cards(ps.Rules(**options), ACES, PALACES, draw_pile, dealer=2)


def any_move(hand, chance, verbs=None):
    """Return a random legal move as a code."""
    open_now = sorted(hand.legal())
    verb = chance.choice([v for v in open_now if v != "fold"] * 5 + open_now) if verbs is None else verbs(open_now)
    soldiers = hand.players[hand.to_act].soldiers
    if verb == "attack":
        return ps.act.attack(chance.choice(hand.targets))
    if verb == "discard":
        return ps.act.discard(chance.sample(soldiers, chance.randint(1, len(soldiers))))
    if verb == "keep":
        return ps.act.keep(chance.sample(soldiers, min(len(soldiers), hand.rules.max_soldiers)))
    return ps.act.raise_() if verb == "raise" else getattr(ps.act, verb)()


def played(hand, chance, moves=10_000):
    """Play a hand at random; return copies of it as it was before the first move and after each."""
    course = [hand.copy()]
    while not hand.over and len(course) <= moves:
        course.append(hand.act(any_move(hand, chance)).copy())
    return course


def many_hands(number, seed=3):
    """Play hands of all kinds, among them positions in the middle, many reshuffles and hands that are cut short."""
    chance = random.Random(seed)
    for deal in range(number):
        rules, seats = random_rules(chance)
        hand = ps.Hand.deal(ps.Rules(**rules), seats, seed=seed, deal=deal)
        if deal % 3 == 2:  # begins anew where another has got to
            course = played(hand, chance, moves=chance.randint(1, 12))
            if course[-1].over:
                continue
            hand = ps.Hand.from_state(hand.rules, hand.record, from_here=deal % 2 == 0)
        yield played(hand, chance, moves=150)
    position = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None, "3d/?/"], 1, pot=60, discards="2c")
    yield played(position, chance)


def as_set(cards):
    return set(ps.parse_cards(cards))


def seen(view):
    return {4 * rank + suit for suit in range(4) for rank in range(13) if int(view.seen) >> (16 * suit + rank) & 1}


# ---- rewinding -------------------------------------------------------------------------------------------------------


def test_a_hand_goes_back_to_each_of_its_moves():
    ways = set()
    for course in many_hands(40):
        hand = course[-1]
        for moves, then in enumerate(course):
            back = hand.rewound(moves)
            assert back.record.tobytes() == then.record.tobytes()
            assert (back.history, back.nets) == (then.history, then.nets)
            assert len(back.decisions) == moves
        ways |= {hand.end, hand.record.reshuffles > 0, type(hand.history[0]).__name__, len(course) > 100}
    assert ways >= {"showdown", "one left", "truncated", True, False, "Dealt", "Placed"}


def test_a_hand_that_went_back_goes_on_by_itself():
    hand = three().buy().keep("5s").stay()
    other = hand.rewound(2)
    assert other.fold().to_act == 2
    assert (hand.to_act, len(hand.history)) == (2, 5)
    assert hand.rewound(3).record.tobytes() == hand.record.tobytes()
    assert hand.rewound(0).buy().keep("5s").stay().history == hand.history


@pytest.mark.parametrize("moves", [-1, 2, 1.5, None, True])
def test_only_moves_that_were_made_can_be_gone_back_to(moves):
    with pytest.raises((ValueError, TypeError), match="moves takes a number of moves made on this hand from 0 to 1"):
        three().stay().rewound(moves)


# ---- steps -----------------------------------------------------------------------------------------------------------


def test_steps_are_the_moves_with_the_positions_around_them():
    for course in many_hands(25, seed=4):
        hand = course[-1]
        steps = hand.steps()
        assert len(steps) == len(course) == len(list(steps))
        assert [event for step in steps for event in step.events] == list(hand.history)
        for step, then in zip(steps, course, strict=True):
            assert step.after.hand.record.tobytes() == then.record.tobytes()
            assert step.events == then.history[len(then.history) - len(step.events) :]
            assert str(step).splitlines() == list(step.lines)
        assert steps[0].before is None
        assert all(one.after is two.before for one, two in pairwise(steps))
        assert [step.number for step in steps] == list(range(len(course)))


def test_steps_are_a_sequence_that_later_moves_do_not_change():
    hand = three().buy().keep("5s")
    steps = hand.steps()
    hand.fold()
    assert (len(steps), str(steps[-1]), str(steps[1])) == (3, "seat 0 keeps 5s", "seat 0 buys 5s for 10")
    assert [step.number for step in steps[1:]] == [1, 2]
    assert repr(steps) == "<Steps: 2 moves of <Hand: 3 seats, seat 1 turn, pot 25, 1 turns>>"
    with pytest.raises(IndexError):
        steps[3]
    shown = hand.show(1)
    assert hand.fold().over
    assert repr(shown) == "<Shown: <Hand: 3 seats, seat 2 turn, pot 25, 2 turns>, as seat 1 knows it>"


def test_each_step_of_the_page_shows_the_chips_and_cards_of_its_time():
    for course in many_hands(12, seed=5):
        page = Stepper(course[-1].steps().html())
        assert page.last == len(course) - 1
        for move, then in enumerate(course):
            shown = page.at(move)
            assert (shown.pot, shown.numbers("net")) == (then.pot, then.nets)
            assert shown.numbers("paid") == [player.paid for player in then.players]
            assert shown.cards("soldiers") == [player.soldiers for player in then.players]
            assert shown.cards("banner") == [[player.banner] if player.banner else [] for player in then.players]
            for cards, player in zip(shown.cards("palace"), then.players, strict=True):
                assert cards == player.palace or not player.active
            if then.rules.stack is not None:
                assert shown.numbers("chips") == [player.chips for player in then.players]
            acting = [k for k, row in enumerate(shown.table.find("tr")[1:]) if "acts" in row.kinds]
            assert acting == ([] if then.over else [then.to_act])
            assert [k for k, row in enumerate(shown.rows) if "dealer" in row["seat"].text] == [then.dealer]


def test_a_page_shows_the_last_position_as_it_stands():
    """So does a page whose script does not run."""
    for course in many_hands(8, seed=6):
        html = course[-1].steps().html()
        as_it_stands, stepped = Stepper(html), Stepper(html)
        last = stepped.at(stepped.last)
        [table] = as_it_stands.root.find("table")
        assert table.text == last.table.text
        assert [row.kinds for row in table.find("tr")] == [row.kinds for row in last.table.find("tr")]
        assert as_it_stands.root.find("span", "pot")[0].text == f"pot {course[-1].pot}"


def test_the_story_as_text():
    hand = three("5s").buy().keep("5s").attack(2).raise_().call().keep("").stay().stay()
    told = [(line[:3].strip(), line[5:90].strip(), line[90:].strip()) for line in str(hand.steps()).splitlines()]
    assert told == [
        ("", "", "pot"),
        ("0", "dealer is seat 2; banners As Kd Qh; palaces 7h 9c Ad, 3c Jh Qc, 2c 4c Qd", ""),
        ("", "each pays an ante of 5", "15"),
        ("1", "seat 0 buys 5s for 10", "25"),
        ("2", "seat 0 keeps 5s", "25"),
        ("3", "seat 1 attacks seat 2 for 10", "35"),
        ("4", "seat 2 pays 10 and raises by 10", "55"),
        ("5", "seat 1 calls for 10", ""),
        ("", "seat 1 beats seat 2 and captures Qh", ""),
        ("", "seat 1 alone sees the palace of seat 2: 2c 4c Qd", "65"),
        ("6", "seat 1 keeps nobody and discards Qh", "65"),
        ("7", "seat 0 stays", "65"),
        ("8", "seat 1 stays", ""),
        ("", "seat 0 takes the pot of 65: the last two compared as in a battle", "0"),
    ]


def test_text_fits_whatever_the_names():
    for course in many_hands(15, seed=7):
        hand = course[-1]
        names = ["a policy with quite a long name (courage=0.25, patience=3)"] * hand.seats
        for seat in (None, hand.seats - 1):
            for text in (str(hand.steps(seat, names)), str(hand.show(seat, names)), str(hand.show(seat))):
                assert max(map(len, text.splitlines())) <= 100, text
        for step in hand.steps(0, names):
            assert max(map(len, str(step.after).splitlines())) <= 100
            assert "a pol" in str(step.after)


# ---- what a seat knows -----------------------------------------------------------------------------------------------


def test_a_seat_is_shown_no_card_that_it_has_not_seen():
    """Neither in a position nor anywhere else on the page; what it has seen is for `view` to say."""
    for course in many_hands(8, seed=8):
        hand = course[-1]
        for seat in {0, hand.seats - 1}:
            views = [then.view(seat) for then in course]
            whole = parse(hand.steps(seat).html())
            known = seen(views[-1]) | as_set(course[0].players[seat].palace)
            assert as_set(cards_in(whole)) <= known
            steps = hand.steps(seat)
            page = Stepper(steps.html())
            for move, view in enumerate(views):
                shown = page.at(move)
                known = seen(view) | as_set(course[0].players[seat].palace)
                assert as_set(cards_in(shown.table)) <= known
                words = re.findall(r"\b[2-9TJQKA][cdhs]\b", str(steps[move]) + str(steps[move].after))
                assert as_set(words) <= known
                hidden = [len(row["palace"].find("span", "back")) for row in shown.rows]
                state = course[move].record
                assert hidden == [
                    hand.rules.palace_cards if p.active and k != seat and not state.players[seat].learnt >> k & 1 else 0
                    for k, p in enumerate(course[move].players)
                ]


def test_what_a_seat_is_shown_does_not_depend_on_what_it_does_not_know():
    """Two hands that differ only in what a seat cannot know, as its view says, are the same pages, byte for byte."""
    chance, told, calls = random.Random(9), 0, 0
    for _ in range(25):
        seats = chance.randint(2, 6)
        deck = chance.sample(range(52), 52)
        by_suit = [[card for card in deck if card % 4 == suit] for suit in range(4)]
        banners = [by_suit[k % 4][k // 4] for k in range(seats)]
        rest = [card for card in deck if card not in banners]
        seat = chance.randrange(seats)
        own, pile, hidden = rest[:3], rest[3:20], rest[20 : 20 + 3 * (seats - 1) + 5]
        pair = []
        for _ in range(2):
            cards = chance.sample(hidden, len(hidden))
            palaces = [own if k == seat else [cards.pop() for _ in range(3)] for k in range(seats)]
            pair.append(ps.Hand.from_cards(None, banners, palaces, pile + sorted(cards), dealer=0))
        for _ in range(60):
            code = any_move(pair[0], chance)
            ahead = [hand.copy().act(code) for hand in pair]
            if ahead[0].view(seat).tobytes() != ahead[1].view(seat).tobytes() or ahead[0].nets != ahead[1].nets:
                break  # now it can tell them apart
            pair = ahead
            if pair[0].over:
                break
        one, two = pair
        assert one.steps(seat).html() == two.steps(seat).html()
        assert str(one.steps(seat)) == str(two.steps(seat))
        assert one.show(seat)._repr_html_() == two.show(seat)._repr_html_()
        assert str(one.show(seat)) == str(two.show(seat))
        assert one.steps().html() != two.steps().html()
        told += len(one.decisions)
        calls += "calls" in str(one.steps(seat))
    assert told > 100  # so that the pages are no empty ones
    assert calls


def test_who_saw_a_palace_goes_on_seeing_it():
    hand = three().attack(1).raise_().call()  # seat 0 calls last and wins
    assert hand.history[-1].called_by == hand.history[-1].winner == 0
    line = "seat 0 alone sees the palace of seat 1"
    for seat, cards in {None: ": 3c Jh Qc", 0: ": 3c Jh Qc", 1: ": 3c Jh Qc", 2: ""}.items():
        assert hand.steps(seat)[-1].lines[-1] == line + cards
        shown = Stepper(hand.steps(seat).html()).at(3).cards("palace")[1]
        assert shown == (["3c", "Jh", "Qc"] if cards else [])
        assert ("(3c Jh Qc)" in str(hand.show(seat))) == bool(cards)
    hand.keep("").stay().stay()  # and at the end
    assert "(3c Jh Qc)" in str(hand.show(0))
    assert "3c" not in str(hand.show(2)) and "3♣" not in hand.show(2)._repr_html_()
    lost = three().attack(1).call()  # the caller lost: nobody saw anything
    assert "sees" not in str(lost.steps())


def test_cards_that_do_not_count_in_a_battle_are_marked():
    hand = three().attack(1)  # spades against diamonds (R24)
    shown = Stepper(hand.steps().html()).at(1)
    marked = [span.text for span in shown.table.find("span", "void")]
    assert marked == ["A♦"]  # of seat 0; seat 1 has no spade
    by_rank = ps.Hand.from_cards(ps.Rules(blocked="rank"), ACES, [["Kc", "7h", "9c"], *PALACES[1:]], "", 2).attack(1)
    assert [span.text for span in parse(by_rank.show()._repr_html_()).find("span", "void")] == ["K♣"]
    hand.fold()
    assert not parse(hand.show()._repr_html_()).find("span", "void")


# ---- the page --------------------------------------------------------------------------------------------------------

HOSTILE = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b <i>"]


def test_names_cannot_break_out_of_the_page():
    page = Stepper(three().attack(1).fold().steps(names=HOSTILE).html())
    assert not page.root.find("img") and not page.root.find("i")
    for row, name in zip(page.at(0).rows, HOSTILE, strict=True):
        assert name in row["seat"].text
    [data] = page.root.find("script")
    assert not set(data.text) & set("<>&")
    shown = parse(three().show(names=HOSTILE)._repr_html_())
    assert not shown.find("img") and not shown.find("script")


def test_many_hands_can_stand_on_one_page():
    """Nothing is found by an id, or in the whole page."""
    hand = three().buy().keep("5s")
    both = parse(hand.steps(0)._repr_html_() + hand.steps(1)._repr_html_() + hand._repr_html_())
    assert len(both.find("script")) == 2
    for node in both.walk():
        assert not {"id", "name", "for", "href", "src"} & set(node.attributes)
        for code in (value for key, value in node.attributes.items() if key.startswith("on")):
            assert not re.search(r"\b(document|window|getElementById)\b", code)


def test_a_page_needs_nothing_else(tmp_path):
    steps = three().buy().keep("5s").steps(seat=1, names=["a", "b", "c"])
    steps.save(tmp_path / "hand.html")
    html = (tmp_path / "hand.html").read_text(encoding="utf-8")
    assert html == steps.html()
    assert html.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?:|@import|url\(", html)
    assert parse(html.removeprefix("<!DOCTYPE html>")).find("title")[0].text.endswith("as seat 1 knows it")
    with pytest.raises(OSError, match="nowhere"):
        steps.save(tmp_path / "nowhere" / "hand.html")


def test_a_long_hand_makes_a_page_that_is_not_too_large():
    """What does not change is not written again: a move of one of ten players is about a kilobyte."""
    hand = ps.Hand.deal(ps.Rules(max_turns=100), seats=10, seed=1)
    while not hand.over:
        hand.act(ps.act.keep(hand.players[hand.to_act].soldiers[:1]) if hand.phase == "keep" else ps.act.buy())
    assert len(hand.decisions) == 200
    assert len(hand.steps().html()) < 200 * 1_500
    assert Stepper(hand.steps().html()).at(0).pot == 50


def luminance(colour):
    """Relative luminance as the Web Content Accessibility Guidelines define it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, two):
    low, high = sorted([luminance(one), luminance(two)])
    return (high + 0.05) / (low + 0.05)


def test_everything_can_be_read_on_light_and_on_dark_pages():
    """Text has the contrast of 4.5 that the guidelines ask for, whatever it stands on."""
    for theme in (markup._LIGHT, markup._DARK):
        colours = dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", theme))
        pairs = [("fg", "bg"), ("dim", "bg"), ("fg", "act"), ("fg", "fight"), ("fg", "chip")]
        for front, back in pairs:
            assert contrast(colours[front], colours[back]) >= 4.5, (front, back, theme)
    suits = re.findall(r"\.card\.[cdhs]\{color:(#[0-9a-f]{6})\}", markup.STYLE)
    faces = re.findall(r"(?:void|tr\.out \.card)\{background:(#[0-9a-f]{6})", markup.STYLE)
    assert (len(set(suits)), len(faces)) == (4, 2)
    for face in ["#ffffff", *faces]:
        assert min(contrast(suit, face) for suit in suits) >= 4.5, face


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [-1, 3, "0", 1.5, True])
def test_seats_that_are_not_there(seat):
    for look in (three().show, three().steps):
        with pytest.raises((ValueError, TypeError), match="seat takes None or a seat from 0 to 2"):
            look(seat)


@pytest.mark.parametrize("names", ["abc", ["a", "b"], ["a"] * 4])
def test_names_are_one_a_seat(names):
    for look in (three().show, three().steps):
        with pytest.raises(ValueError, match="names takes 3 names, one a seat"):
            look(names=names)
