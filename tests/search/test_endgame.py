"""End games against linear programs, against exact odds, and through the engine."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from search.slow_endgame import Betting, Slow

import palace_sim as ps
from palace_sim.cards import card_set
from palace_sim.kernels.jit import JIT
from palace_sim.search import solve_endgame
from palace_sim.search.endgame_policy import places

compiled_only = pytest.mark.skipif(not JIT, reason="thousands of palaces take too long in plain Python")
LONG = 300 if JIT else 12  # iterations; what is asserted holds after any number
NO_BUYS = {"max_buys": 0}
TWO_CARDS = ps.Rules(palace_cards=2, **NO_BUYS)  # some 1,200 palaces a side in place of some 19,000


def words(text):
    return [text[i : i + 2] for i in range(0, len(text), 2)]


# Sides as banner and soldiers; the pool is the rest of the deck. All of R18, R21 to R26 and R32 to R36 is in them.
CASES = {
    "one card": {"sides": ("9s/", "9h/"), "pool": "2c5c9cKc2d9dKd7s7h", "size": 1, "pot": 30},
    "one card, soldiers": {"sides": ("9s/4c", "Th/6d3c"), "pool": "2c9cTc2d9dTd7s7h", "size": 1, "pot": 7},
    "the other has passed": {"sides": ("9s/4c", "Th/"), "pool": "2c9cTc2d9dTd7s", "size": 1, "pot": 45, "passed": 1},
    "the second side acts": {"sides": ("9s/4c", "Th/"), "pool": "2c9cTc2d9dTd7s", "size": 1, "pot": 45, "first": 1},
    "two cards": {
        "sides": ("9s/2d", "9h/"),
        "pool": "2c9cTc9d7s7hTd",
        "size": 2,
        "pot": 25,
        "options": {"max_raises": 1, "bare_raise": "double"},
    },
    "three cards, ranges": {
        "sides": ("9s/2d", "9h/Td"),
        "pool": "2c9cTc9d7s7h7d",
        "size": 3,
        "pot": 60,
        "options": {"max_raises": 1},
        "weighted": True,
    },
    "chips run out": {
        "sides": ("9s/4c", "Th/6d"),
        "pool": "2c9cTc2d9dTd7s",
        "size": 1,
        "pot": 31,
        "options": {"stack": 55},
    },
    "chips for a part of a raise": {
        "sides": ("9s/4c", "Th/6d3c"),
        "pool": "2c9cTc2d9dTd7s",
        "size": 1,
        "pot": 20,
        "options": {"stack": 65, "large_bet": 30},
    },
    "showdown of the last two": {
        "sides": ("9s/4c", "Th/6d"),
        "pool": "2s9cTc2d9dTs7s",
        "size": 1,
        "pot": 33,
        "options": {"last_two": "showdown", "max_raises": 2},
    },
    "nothing blocked": {
        "sides": ("9s/4c", "Th/6d"),
        "pool": "2s9cTc2h9dTs7s",
        "size": 1,
        "pot": 33,
        "options": {"blocked": "none", "max_raises": 0},
    },
    "ranks blocked": {
        "sides": ("9s/4c", "Th/6d"),
        "pool": "2s9cTc2h9dTs7s",
        "size": 1,
        "pot": 33,
        "options": {"blocked": "rank", "small_bet": 3, "large_bet": 11},
    },
}


def solved(case, iterations=LONG):
    """Solve a case; return it with its slow twin, which is told nothing by the package."""
    sides = [(side.split("/")[0], words(side.split("/")[1])) for side in case["sides"]]
    pool, size, pot, options = words(case["pool"]), case["size"], case["pot"], case.get("options", {})
    first, passed = case.get("first", 0), case.get("passed", 0)
    weights, ranges = (None, None), None
    if case.get("weighted"):
        every = [frozenset(cards) for cards in combinations(pool, size)]
        weights = ({p: 1 + k % 4 for k, p in enumerate(every[:24])}, {p: 1 + k % 3 for k, p in enumerate(every[9:])})
        ranges = {side: {" ".join(p): w for p, w in weights[side].items()} for side in (0, 1)}
    deck = [banner for banner, _ in sides] + [s for _, soldiers in sides for s in soldiers] + pool
    rules = ps.Rules(deck=deck, palace_cards=size, **NO_BUYS, **options)
    texts = [f"{banner}/?/{''.join(soldiers)}" for banner, soldiers in sides]
    end = solve_endgame(texts, ranges, iterations, pot=pot, to_act=first, passed=passed, rules=rules)
    dealer = 1 - first
    paid = [pot // 2 + (pot % 2 if side != dealer else 0) for side in (0, 1)]  # from_position: the dealer's left first
    chips = [float("inf") if rules.stack is None else rules.stack - p for p in paid]
    bare = rules.small_bet * (2 if rules.bare_raise == "double" else 1)
    soldiers = [len(s) for _, s in sides]
    betting = Betting(soldiers, chips, rules.small_bet, rules.large_bet, bare, rules.max_raises, passed, first)
    showdown = rules.last_two == "showdown"
    return end, Slow(sides, pool, size, betting, pot, weights, rules.blocked, showdown, odd=1 - dealer)


def told(end, seat):
    """A strategy as {(node, palace): {verb: chance}}."""
    found = {}
    for row in end.strategy(seat).to_dict("records"):
        node = () if row["node"] == "start" else tuple(row["node"].split())
        found[node, frozenset(row["palace"].split())] = row
    return found


@pytest.mark.parametrize("name", CASES)
def test_value_and_exploitability_are_those_of_a_linear_program(name):
    end, slow = solved(CASES[name])
    plans = [slow.plan(side, told(end, side)) for side in (0, 1)]
    chips = float(plans[0] @ slow.matrix @ plans[1])
    best = slow.best(0, plans[1]), slow.best(1, plans[0])  # in chips of side 0
    # what the strategies and their best responses come to: sums of some 10^5 products of numbers of up to 10^3, in
    # float64, and the tolerance of the program, 1e-7
    assert end.value[0] == pytest.approx(chips, abs=1e-6)
    assert end.value[0] + end.value[1] == pytest.approx(end.hand.pot, abs=1e-9)
    assert end.gains[0] == pytest.approx(best[0] - chips, abs=1e-6)
    assert end.gains[1] == pytest.approx(chips - best[1], abs=1e-6)
    assert end.exploitability == pytest.approx((best[0] - best[1]) / 2, abs=1e-6)
    # no side can get more than the value against an equilibrium, nor less by a best response
    value = slow.value()
    assert best[1] - 1e-6 <= value <= best[0] + 1e-6
    if JIT:
        assert -1e-9 <= end.exploitability < 0.002 * end.hand.pot
        assert end.value[0] == pytest.approx(value, abs=max(end.gains.values()) + 1e-6)


@pytest.mark.parametrize("name", CASES)
def test_exploitability_is_never_negative_and_goes_down(name):
    end, _ = solved(CASES[name], 2 * LONG)
    course = end.course
    assert (course["exploitability"] > -1e-12).all() and course["iteration"].iloc[-1] == 2 * LONG == end.iterations
    assert course["exploitability"].iloc[-1] < course["exploitability"].iloc[0] / (10 if JIT else 1)


def test_tables_agree_with_each_other():
    end, _ = solved(CASES["one card, soldiers"])
    for seat in (0, 1):
        rows = end.strategy(seat)
        moves = rows[["stay", "fold", "call", "attack", "raise"]]
        assert np.allclose(moves.sum(axis=1), 1, atol=1e-12) and (moves.fillna(0) >= 0).all(axis=None)
        assert set(rows["node"]) <= set(end.nodes) and rows["reach"].between(0, 1).all()
    start = end.strategy(0).query("node == 'start'")
    # every palace is as likely, since each may meet as many others
    assert start["value"].mean() == pytest.approx(end.value[0], abs=1e-9) and (start["reach"] == 1).all()
    often = end.frequencies()
    all_hands = often[(often["node"] == "start") & (often["hand"] == "all")].iloc[0]
    assert all_hands["attack"] == pytest.approx(start["attack"].mean(), abs=1e-12) and all_hands["arrives"] == 1
    weak = start["chance"] < 0.5
    assert all_hands["bluff"] == pytest.approx((start["attack"] * weak).mean(), abs=1e-12)
    parts = often[(often["node"] == "start") & (often["hand"] != "all")]
    assert parts["share"].sum() == pytest.approx(1) and set(parts["hand"]) == {"high card", "one pair"}
    assert (parts["attack"] * parts["share"]).sum() == pytest.approx(all_hands["attack"])
    # the chance to win at the beginning is the equity of the palace in a battle
    rules = end.hand.rules
    for palace, chance in zip(start["palace"], start["chance"], strict=True):
        odds = ps.battle_odds(f"9s/{palace}/4c", "Th/?/6d3c", rules=rules)
        assert chance == pytest.approx(odds.equity, abs=1e-12)


@pytest.mark.parametrize("passed", [0, 1])
def test_priced_out_attacks_leave_the_equity(passed):
    # 5 chips are left to each, an attack costs 20 and more (R18, R36): both stay, and the pot is a battle's (R34)
    small = {} if JIT else {"deck": "Ks 9c Qh 4d 2c 3c 5d 6d 7s 8s", "palace_cards": 1}
    rules = ps.Rules(stack=10, max_buys=0, **small)
    sides = ["Ks/?/9c", "Qh/?/4d"]
    end = solve_endgame(sides, iterations=8, pot=10, passed=passed, rules=rules)
    equity = ps.battle_odds("Ks/?/9c", "Qh/?/4d", rules=rules).equity
    # nobody folds, not even with a palace that beats nothing
    assert end.value[0] == pytest.approx(10 * equity, abs=1e-9)
    assert end.exploitability == pytest.approx(0, abs=1e-9)
    often = end.frequencies()
    assert (often.loc[often["hand"] == "all", "stay"] > 1 - 1e-9).all() and often["attack"].isna().all()


@compiled_only
def test_sides_and_suits_can_change_places():
    a = solve_endgame(["Ks/?/", "Qh/?/4c"], target=0.0005, pot=40, rules=TWO_CARDS)
    b = solve_endgame(["Qs/?/4d", "Kc/?/"], target=0.0005, pot=40, to_act=1, rules=TWO_CARDS)
    assert abs(a.value[0] - b.value[1]) <= max(a.gains.values()) + max(b.gains.values())
    # who acts second knows more: with banners of one rank it has the better half
    even = solve_endgame(["Ks/?/", "Kh/?/"], target=0.0005, pot=40, rules=TWO_CARDS)
    assert even.value[1] > 20 + even.gains[1] and even.value[0] < 20 - even.gains[0]


@compiled_only
def test_targets_are_reached_and_runs_are_the_same():
    arguments = {"hand": ["Ks/?/9d8c", "Qh/?/4c"], "pot": 60, "rules": TWO_CARDS}
    end = solve_endgame(**arguments)
    assert end.exploitability_share <= 0.001 and end.exploitability == pytest.approx(60 * end.exploitability_share)
    again = solve_endgame(**arguments)
    assert again.policy().fingerprint == end.policy().fingerprint and again.course.equals(end.course)
    longer = solve_endgame(**arguments, target=0.0001)
    assert longer.exploitability_share <= 0.0001 and longer.iterations > end.iterations
    assert abs(longer.value[0] - end.value[0]) <= max(end.gains.values()) + max(longer.gains.values())


@compiled_only
def test_its_policy_earns_the_value():
    hand = ps.Hand.from_position(TWO_CARDS, ["Ks/?/9c", "Qh/?/"], to_act=0, dealer=1, pot=40, seed=7)
    end = solve_endgame(hand)
    again = solve_endgame(["Ks/?/9c", "Qh/?/"], pot=40, rules=TWO_CARDS)
    assert end.value == again.value  # what the hand was dealt is not looked at
    policy, other = end.policy(), end.policy("other").named("other", salt=1)
    played = ps.play([policy, other], start=hand, deals=40_000, seed=5, rows=False).summary.set_index("policy")
    for seat, name in enumerate(("endgame", "other")):
        assert abs(played.loc[name, "mean"] - end.value[seat]) < 4 * played.loc[name, "se"]


@compiled_only
@pytest.mark.slow
def test_nobody_gains_more_than_a_best_response():
    rules = ps.Rules(max_buys=0)
    hand = ps.Hand.from_position(rules, ["Ks/?/", "Qh/?/"], to_act=0, dealer=1, pot=40)
    end = solve_endgame(hand)
    policy = end.policy()
    for name in ps.policies.NAMES:
        for seat in (0, 1):
            seated = [name, policy] if seat == 0 else [policy, name]
            row = ps.play(seated, start=hand, deals=40_000, seed=6, rows=False).summary.set_index("policy").loc[name]
            assert row["mean"] - end.value[seat] < end.gains[seat] + 4 * row["se"]


def test_its_policy_plays_by_its_table():
    end, _ = solved(CASES["one card, soldiers"])
    policy, deals = end.policy(), 20_000 if JIT else 300
    result = ps.play([policy, policy.named("other", salt=1)], start=end.hand, deals=deals, seed=2)
    attacked = (result.seats.query("seat == 0")["attacks"] == 1).mean()
    rate = end.frequencies().query("node == 'start' and hand == 'all'")["attack"].iloc[0]
    assert abs(attacked - rate) < 4 * np.sqrt(rate * (1 - rate) / deals)  # a deal is a draw of the attack
    again = pickle.loads(pickle.dumps(policy))
    assert again.same_as(policy) and again.fingerprint == policy.fingerprint
    assert ps.check_policy(policy, 60).ok  # elsewhere it goes by its chances


@compiled_only
def test_a_battle_that_has_begun_is_solved_from_there():
    rules = ps.Rules(max_buys=0, ante=20)
    hand = ps.Hand.from_cards(rules, "Ks Qh", ["2c 3c 4c", "5c 6c 7c"], "2d 3d 4d", dealer=1).attack(1)
    assert solve_endgame(hand, iterations=20).nodes[0] == "start"
    full = ps.Hand.from_position(rules, ["Ks/?/", "Qh/?/"], to_act=0, dealer=1, pot=40).attack(1)
    end = solve_endgame(full, iterations=24)
    assert end.value[0] + end.value[1] == pytest.approx(50)
    assert not end.strategy(1).query("node == 'start'")[["fold", "call", "raise"]].isna().any(axis=None)
    policy = end.policy()
    played = ps.play([policy, policy.named("other", salt=1)], start=full, deals=20_000, seed=5, rows=False).summary
    first = played.set_index("policy").loc["endgame"]
    assert abs(first["mean"] - end.value[0]) < 4 * first["se"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_places_count_palaces_in_order(size):
    from palace_sim.kernels.endgame_play import place_of

    pool = card_set("2c 9c Ac 3d Kd 2h 3s As")
    bits = [1 << k for k in range(64) if pool >> k & 1]
    sets = np.array(sorted(sum(chosen) for chosen in combinations(bits, size)))
    assert places(sets, pool).tolist() == [place_of(int(palace), pool) for palace in sets] == list(range(len(sets)))


SIDES = ["Ks/?/", "Qh/?/"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hand": ["Ks/?", "Qs/?"]}, "one suit, so the hand is over .R31"),
        ({"hand": SIDES, "rules": ps.Rules()}, r"seat 0 may still buy, .* take Rules\(max_buys=0\)"),
        ({"hand": SIDES, "pot": None}, "pot is missing"),
        ({"hand": ["Ks/AsAhAd", "Qh/?"]}, r"hand\[0\]: palaces are hidden here"),
        ({"hand": ["Ks/?"]}, "takes a palace_sim.Hand or two texts"),
        ({"hand": "Ks/?"}, "takes a palace_sim.Hand or two texts"),
        ({"hand": SIDES, "to_act": 2}, "to_act takes a seat"),
        ({"hand": SIDES, "target": 0}, "target takes a share of the pot above 0 and below 1, got 0"),
        ({"hand": SIDES, "iterations": 0}, "iterations takes a whole number from 1"),
        ({"hand": SIDES, "ranges": {2: "pairs"}}, "ranges: seat 2 does not play; 0 and 1 do"),
        ({"hand": SIDES, "ranges": "pairs"}, "ranges takes a dict of seats"),
        ({"hand": SIDES, "ranges": {0: "pears"}}, r"ranges\[0\]"),
        ({"hand": SIDES, "ranges": {0: {"AsAhAd": 1}, 1: {"AsAhAc": 1}}}, "no two palaces that share no card"),
        ({"hand": SIDES, "ranges": {0: {"KsAhAd": 1}}}, r"ranges\[0\] has no palace left"),
        ({"hand": SIDES, "rules": ps.Rules(max_buys=0, structure="no_limit", stack=100)}, "got structure='no_limit'"),
        ({"hand": SIDES, "rules": ps.Rules(max_buys=0, max_raises=1000)}, "max_raises=1000 makes the tree too large"),
        ({"hand": ps.Hand.deal(ps.Rules(max_buys=0), seats=3), "pot": None}, "hand takes two players left, got 3"),
        ({"hand": ps.Hand.deal(ps.Rules(max_buys=0), seats=2).fold(), "pot": None}, "hand is over"),
        ({"hand": ps.Hand.deal(ps.Rules(max_buys=0), seats=2)}, "pot, to_act, passed and rules belong to sides"),
        ({"hand": ps.Hand.deal(seats=2).buy(), "pot": None}, "soldiers are being chosen"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve_endgame(**{"pot": 40, "iterations": 1, **arguments})


def test_a_discard_is_worth_what_the_end_game_after_it_is():
    case = CASES["one card, soldiers"] | {"first": 1, "pot": 8}  # even, so that it matters to nobody who deals
    end, _ = solved(case)
    table = end.discards()
    assert sorted(table["soldier"]) == ["3c", "6d"] and table["gain"].is_monotonic_decreasing
    for soldier, value, gain, error in table.itertuples(index=False):
        kept = {"3c": "6d", "6d": "3c"}[soldier]
        # the card stays seen, so the pool is the same; the other side is next, this one has passed (R32)
        after, _ = solved(case | {"sides": ("9s/4c", f"Th/{kept}"), "first": 0, "passed": 1})
        assert abs(value - after.value[1]) <= error + max(after.gains.values())
        assert gain == pytest.approx(value - end.value[1]) and error >= max(end.gains.values())
    assert not len(solved(CASES["one card"], 4)[0].discards())  # no soldiers
    assert not len(solved(CASES["the other has passed"], 4)[0].discards())


def test_seats_of_others_have_no_strategy():
    end, _ = solved(CASES["one card"], 4)
    with pytest.raises(ValueError, match="seat takes 0 or 1, who play the end game, got 2"):
        end.strategy(2)
    assert "exploitability" in str(end) and "iterations" in repr(end)
