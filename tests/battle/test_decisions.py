"""`decision_values`: against closed forms, brute force, `play` from the same position, and bad input."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from reference.evaluator import DECK, card_id, evaluate

import palace_sim as ps
from palace_sim.battle.moves import candidates, move_text
from palace_sim.battle.ranges import Range
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.rng import SAMPLING, open_stream

few = pytest.mark.skipif(not JIT, reason="needs more hands than plain Python plays in a minute")


def attacked(players, pot, rules=None, paid=None, amount=None, dealer=0):
    """Seat 0 attacked by seat 1, the last two in the hand."""
    hand = ps.Hand.from_position(rules, players, to_act=1, dealer=dealer, pot=pot, paid=paid)
    return hand.attack(0, amount)


# Hand; chips that a call costs; the pot after it; the share of seat 0 in a tie. Worked out by R18, R21, R35 and R36.
CALLS = {
    # 60 + the attacker's 30; two cards of one's own army cost 20
    "limit": (attacked(["As/KsKd9c/5s", "2h/?/TdTc"], 60), 20, 110, 55),
    "issue": (attacked(["6d/JsTc3h/", "6s/?/5d"], 60), 10, 90, 45),
    # 105 + 10; the price is 30, but 15 are left: nothing is returned, since all that is missing is R18
    "short of R18": (
        attacked(["2s/9c5c7d/8d9d", "Ah/?/"], 105, ps.Rules(stack=100), [85, 20]),
        15,
        130,
        65,
    ),
    # 81 + a bet of 60, 50 of it excess; 30 left pay 10 and 20 of the excess, so 30 go back: 141 + 30 - 30. The odd
    # chip of a tie goes to the first left of the dealer, seat 0.
    "short of the excess": (
        attacked(
            ["9s/9d9c4h/", "9h/?/"], 81, ps.Rules(structure="no_limit", stack=100), [70, 11], amount=60, dealer=1
        ),
        30,
        141,
        71,
    ),
    "the odd chip is the other's": (
        attacked(
            ["9s/9d9c4h/", "9h/?/"], 81, ps.Rules(structure="no_limit", stack=100), [70, 11], amount=60, dealer=0
        ),
        30,
        141,
        70,
    ),
}  # fmt: skip


def strength(cards, banner, foe_banner):
    usable = [card for card in cards if card[1] != foe_banner[1]]
    return evaluate(usable), sum(card[1] == banner[1] for card in usable)


def enumerated(hand, weight=lambda palace: 1):
    """Shares of palaces of seat 1 against which seat 0 wins and ties, by looking at each."""
    me, foe = hand.players[0], hand.players[1]
    mine = [me.banner, *me.palace, *me.soldiers]
    own = strength(mine, me.banner, foe.banner)
    shown = [foe.banner, *foe.soldiers]
    won = tied = total = 0
    for palace in itertools.combinations([c for c in DECK if c not in {*mine, *shown}], 3):
        other = strength([*shown, *palace], foe.banner, me.banner)
        times = weight(palace)
        total += times
        won += times * (own > other)
        tied += times * (own == other)
    return Fraction(won, total), Fraction(tied, total)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_the_last_two_agrees_with_arithmetic_and_with_rollouts(name):
    """Bounds of four true standard errors: a right mean is outside with chance 6e-5."""
    hand, cost, pot, share = CALLS[name]
    n = 4_000 if JIT else 100
    table = ps.decision_values(hand, ["patriot", "calling_station"], samples=n).set_index("move")
    win, tie = enumerated(hand)
    call, fold = table.loc["call"], table.loc["fold"]
    assert call.win_chance == pytest.approx(float(win), abs=1e-12)
    assert call.tie_chance == pytest.approx(float(tie), abs=1e-12)
    assert call.closed_form == pytest.approx(float(win * pot + tie * share - cost), abs=1e-9)
    assert call.break_even == pytest.approx(cost / pot, abs=1e-12)
    assert call.pot_odds == pytest.approx(cost / pot, abs=1e-12)
    variance = float(win * pot**2 + tie * share**2 - (win * pot + tie * share) ** 2)
    assert variance > 0
    assert abs(call["mean"] - call.closed_form) < 4 * (variance / n) ** 0.5
    assert fold["mean"] == fold.se == fold.closed_form == 0
    assert fold.ci_low == fold.ci_high == 0


def test_the_chances_of_the_issue():
    """`6d/JsTc3h/` v `6s/?/5d`: 4132 wins, 11 ties, 11037 losses, counted elsewhere."""
    call = ps.decision_values(CALLS["issue"][0], ["stay", "stay"], samples=2).set_index("move").loc["call"]
    assert call.win_chance == 4132 / 15180
    assert call.tie_chance == 11 / 15180


def test_the_chance_against_a_range():
    hand = CALLS["limit"][0]
    everything = Range.uniform()
    aces = np.array([bin(int(cards) & 0x1000100010001000).count("1") for cards in everything.cards])
    known = Range(everything.cards, 1.0 + aces)
    win, tie = enumerated(hand, lambda palace: 1 + sum(card[0] == "A" for card in palace))
    n = 4_000 if JIT else 50
    table = ps.decision_values(hand, ["stay", "stay"], samples=n, ranges={1: known}).set_index("move")
    assert table.loc["call"].win_chance == pytest.approx(float(win), abs=1e-12)
    assert table.loc["call"].tie_chance == pytest.approx(float(tie), abs=1e-12)
    assert table.loc["call"].closed_form == pytest.approx(float(win * 110 + tie * 55 - 20), abs=1e-9)
    variance = float(win * 110**2 + tie * 55**2 - (win * 110 + tie * 55) ** 2)
    assert abs(table.loc["call"]["mean"] - table.loc["call"].closed_form) < 4 * (variance / n) ** 0.5


def test_columns_that_say_nothing_are_nan():
    """A battle while a third player is in wins no chips (R19), so there is no closed form."""
    hand = ps.Hand.from_position(None, ["As/KsKd9c/", "2h/?/", "3d/?/"], to_act=1, pot=60)
    turn = ps.decision_values(hand, ["stay"] * 3, samples=2).set_index("move")
    assert turn.loc[["attack 0", "attack 2"]].win_chance.between(0, 1).all()
    assert turn.loc[["stay", "buy", "fold"]].win_chance.isna().all()
    assert turn.pot_odds.isna().all() and turn.closed_form.isna().all()
    battle = ps.decision_values(hand.attack(0), ["stay"] * 3, samples=2).set_index("move")
    assert battle.closed_form.isna().all() and battle.break_even.isna().all()
    assert battle.loc["call"].pot_odds == 10 / 80


# --- brute force ------------------------------------------------------------------------------------------------------

SMALL = ps.Rules(deck="2c 3c 2d 3d 4d 2h 5h 3s 5s", palace_cards=1, max_buys=1)


def play_out(hand, policies):
    """Play a hand to its end by policies that draw no numbers."""
    while not hand.over:
        policy = policies[hand.to_act]
        if hand.phase == "keep" and policy.keep == "best":
            hand.keep_best()
        else:
            hand.act(policy(hand.view(hand.to_act)))
    return hand


def small_hand(palaces, pile, moves):
    hand = ps.Hand.from_cards(SMALL, ["2c", "3d", "5h"], palaces, pile, dealer=2)
    for move in moves:
        getattr(hand, move[0])(*move[1:])
    return hand


@pytest.mark.parametrize(
    "moves",
    [[], [("stay",)], [("buy",), ("keep_best",), ("attack", 0)], [("buy",)], [("stay",), ("attack", 2)]],
    ids=str,
)
def test_every_move_agrees_with_all_consistent_deals(moves):
    """All 6 cards that the mover cannot see in every order; the face-up card of a buy is the 3c."""
    policies = [ps.policies.get(name) for name in ("patriot", "buyer", "hunter")]
    bought = ["3c"] if ("buy",) in moves else []
    hand = small_hand(["2d", "4d", "2h"], [*bought, *[c for c in ("3c", "5s", "3s") if c not in bought]], moves)
    seat = hand.to_act
    own = hand.players[seat].palace[0]
    hidden = [c for c in ("3c", "2d", "4d", "2h", "3s", "5s") if c not in {own, *bought}]
    table = ps.decision_values(hand, policies, samples=4_000 if JIT else 60, seed=3)
    sums, squares, deals = dict.fromkeys(table.code, 0), dict.fromkeys(table.code, 0), 0
    for cards in itertools.permutations(hidden):
        palaces = [*cards[:2]]
        palaces.insert(seat, own)
        start = small_hand(palaces, [*bought, *cards[2:]], moves)
        sunk = start.players[seat].paid
        deals += 1
        for code in table.code:
            net = play_out(start.copy().act(code), policies).nets[seat] + sunk
            sums[code] += net
            squares[code] += net * net
    for row in table.itertuples():
        mean = sums[row.code] / deals
        variance = squares[row.code] / deals - mean**2
        assert abs(row.mean - mean) <= 4 * (variance / row.n) ** 0.5 + 1e-9, row.move


def test_ranges_are_drawn_by_the_product_of_their_weights():
    """Everybody stays, so the highest hand takes 60. Drawing seat 2 from what seat 1 leaves is another law.

    Its mean is more than eight standard errors away, so it cannot be within four of what is found.
    """
    first = {"AcAdAh": 5, "3c3d4c": 1, "KcKdKh": 1}
    second = {"AsAd4h": 4, "3c3h4d": 1, "5c5d6h": 2}

    def words(text):
        return [text[i : i + 2] for i in range(0, len(text), 2)]

    def as_range(weights):
        sets = sorted((sum(1 << 16 * (c & 3) + (c >> 2) for c in ps.parse_cards(k)), w) for k, w in weights.items())
        return Range(np.array([s for s, _ in sets]), np.array([float(w) for _, w in sets]))

    def mean(pairs):
        won = 0
        for (a, b), weight in pairs.items():
            ranks = [evaluate(c) for c in (["8s", "8c", "8d", "2h"], ["9h", *words(a)], ["Td", *words(b)])]
            won += weight * 60 * (ranks[0] == max(ranks))
        return float(won / sum(pairs.values()))

    apart = {(a, b) for a in first for b in second if not set(words(a)) & set(words(b))}
    joint = {(a, b): Fraction(first[a] * second[b]) for a, b in apart}
    left = {a: sum(second[b] for b in second if (a, b) in apart) for a in first}
    biased = {(a, b): Fraction(first[a] * second[b], left[a]) for a, b in apart}
    hand = ps.Hand.from_position(None, ["8s/8c8d2h/", "9h/?/", "Td/?/"], to_act=0, pot=60)
    n = 20_000 if JIT else 200
    table = ps.decision_values(hand, ["stay"] * 3, samples=n, ranges={1: as_range(first), 2: as_range(second)})
    stay = table.set_index("move").loc["stay"]
    assert abs(stay["mean"] - mean(joint)) < 4 * stay.se
    assert not JIT or abs(mean(joint) - mean(biased)) > 8 * stay.se


# --- the same as play -------------------------------------------------------------------------------------------------


def first_then(code, policy):
    """A policy that makes one move and goes on as another does."""

    def plays(view):
        if view.memo[0] == 0:
            view.memo[0] = 1
            return code
        return policy(view)

    return ps.policy(plays, keep="ask", name="mover", compile=False)


def positions(count, seed):
    """Hands in the middle, at tables of 2 to 10, in all phases, limit and no limit."""
    chance = random.Random(seed)
    made = {"turn": 0, "respond": 0, "keep": 0}
    number = 0
    while sum(made.values()) < count:
        rules = chance.choice(
            [ps.Rules(), ps.Rules(structure="no_limit", stack=150), ps.Rules(max_soldiers=2, stack=60)]
        )
        hand = ps.Hand.deal(rules, chance.choice([2, 3, 4, 6, 10]), seed=seed, deal=number)
        number += 1
        for _ in range(chance.randrange(12)):
            if hand.over:
                break
            if hand.phase == "keep":
                hand.keep_best()
                continue
            codes = candidates(hand.view(hand.to_act), [1.0])
            codes = [c for c in codes if move_text(int(c), hand.view(hand.to_act)) != "fold"]
            hand.act(int(chance.choice(codes)))
        if not hand.over and made[hand.phase] < count // 3 + 1:
            made[hand.phase] += 1
            yield hand


@pytest.mark.parametrize("part", range(3))
def test_a_sample_is_a_deal_of_play_from_the_same_position(part):
    """Sums over the same cards and choices, so the means are equal to the last bit."""
    names = ["patriot", "tight", "random", "buyer", "hunter"]
    for hand in positions(4 if JIT else 1, part):
        seat, n = hand.to_act, 25 if JIT else 3
        others = [names[i % 5] for i in range(hand.seats)]
        others[seat] = "patriot"
        table = ps.decision_values(hand, others, samples=n, seed=5)
        for row in table.iloc[[0, -1]].itertuples():
            line = [ps.policies.get(name).named(f"{name} {i}") for i, name in enumerate(others)]
            line[seat] = first_then(row.code, ps.policies.get("patriot"))
            played = ps.play(line, start=hand, known_to=seat, deals=n, seed=5, rows=True, progress=False)
            nets = played.seats[played.seats.seat == seat].net
            assert row.mean == nets.sum() / n
            assert row.se == pytest.approx(np.std(nets, ddof=1) / n**0.5, abs=1e-12)


@few
def test_differences_are_paired():
    hand = next(iter(positions(1, 7)))
    seat, rows = hand.to_act, {}
    others = ["random"] * hand.seats
    others[seat] = "patriot"
    table = ps.decision_values(hand, others, samples=50, seed=2)
    for row in table.itertuples():
        line = [ps.policies.get("random").named(f"{i}") for i in range(hand.seats)]
        line[seat] = first_then(row.code, ps.policies.get("patriot"))
        seats = ps.play(line, start=hand, known_to=seat, deals=50, seed=2, progress=False).seats
        rows[row.code] = seats[seats.seat == seat].sort_values("deal").net.to_numpy()
    best = rows[table.code[0]]
    for row in table.itertuples():
        less = rows[row.code] - best
        assert row.diff == pytest.approx(less.mean(), abs=1e-12)
        assert row.diff_se == pytest.approx(np.std(less, ddof=1) / 50**0.5, abs=1e-12)
        assert row.diff_low <= row.diff <= row.diff_high
    assert table.best_chance.sum() == pytest.approx(1)
    assert table["mean"].is_monotonic_decreasing


def test_what_the_player_does_not_know_is_not_looked_at():
    for number, hand in enumerate(positions(5 if JIT else 1, 11)):
        other = hand.copy()
        open_stream(other.record.stream, 99, number, SAMPLING, 0, 0)
        redraw(other.record, hand.to_act)
        known = [[p.palace for p in h.players] for h in (hand, other)]
        assert known[0] != known[1]  # somebody's hidden palace is another
        tables = [ps.decision_values(h, ["patriot"] * h.seats, samples=20) for h in (hand, other)]
        assert tables[0].equals(tables[1])


@few
def test_any_number_of_workers_gives_the_same_bytes():
    hand = ps.Hand.deal(seats=4, seed=2)
    tables = [ps.decision_values(hand, ["random"] * 4, samples=3_000, workers=w) for w in (1, 2, 3)]
    assert tables[0].equals(tables[1]) and tables[0].equals(tables[2])
    assert tables[0].attrs == tables[1].attrs


@few
def test_it_stops_when_intervals_are_narrow_enough_and_says_so():
    hand = CALLS["limit"][0]
    table = ps.decision_values(hand, ["patriot", "stay"], samples=100_000, half_width=2.0)
    n = table.n[0]
    assert n % 1000 == 0 and n < 100_000
    half = (table.ci_high - table.ci_low) / 2
    assert half.max() <= 2.0
    # a sequence is wider than an interval of fixed n: 1.96 errors
    assert (half[table.se > 0] > 2.5 * table.se[table.se > 0]).all()
    assert set(table.interval) == {"95 % confidence sequence"}
    assert table.attrs["data_driven"] and table.attrs["samples"] == n
    exhausted = ps.decision_values(hand, ["patriot", "stay"], samples=1_500, half_width=1e-6)
    assert exhausted.n[0] == 1_500
    fixed = ps.decision_values(hand, ["patriot", "stay"], samples=1_500)
    assert set(fixed.interval) == {"95 % interval"} and not fixed.attrs["data_driven"]
    assert (fixed["mean"] == exhausted["mean"]).all()


# --- moves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_moves_are_legal_and_every_verb_and_target_is_there(seed):
    for hand in positions(12, seed):
        view = hand.view(hand.to_act)
        codes = candidates(view, (0.5, 1.0, 2.0))
        assert len(set(codes.tolist())) == len(codes)
        texts = [move_text(int(code), view) for code in codes]
        assert {text.split()[0] for text in texts} == hand.legal()
        assert {int(t.split()[1]) for t in texts if t.startswith("attack")} == set(hand.targets)
        for code in codes:
            hand.copy().act(int(code))


def test_amounts_in_no_limit():
    """Pot 61, price 10: bets of 10, 46 (10 + 71/2 rounded), 81, and all 95, since 10 + 142 is too much."""
    rules = ps.Rules(structure="no_limit", stack=100)
    hand = ps.Hand.from_position(rules, ["As/KsKd9c/", "2h/?/"], to_act=0, pot=61, paid=[5, 56])
    view = hand.view(0)
    texts = [move_text(int(code), view) for code in candidates(view, (0.5, 1.0, 2.0))]
    assert [t for t in texts if t.startswith("attack")] == ["attack 1 for 10", "attack 1 for 46", "attack 1 for 81",
                                                            "attack 1 for 95"]  # fmt: skip


def test_soldiers_to_keep():
    """Own banner 9s. If one of five stays: the Kh ranks highest, the 2s is of the own suit, and the Qd is the highest
    that counts against a heart."""
    hand = ps.Hand.from_position(None, ["9s/8c7d3h/KhQdJc2s4d", "5h/?/"], to_act=0, pot=60)
    view = hand.view(0)
    texts = [move_text(int(code), view) for code in candidates(view, ())]
    army = {"Kh", "Qd", "Jc", "2s", "4d"}
    left = [army - set(text.split()[1:]) for text in texts if text.startswith("discard")]
    assert {card for kept in left if len(kept) == 1 for card in kept} == {"Kh", "2s", "Qd"}
    assert sum(len(kept) == 0 for kept in left) == 1
    assert {len(kept) for kept in left} == {0, 1, 2, 3, 4}


# --- bad input --------------------------------------------------------------------------------------------------------


def test_bad_input_is_named():
    hand = ps.Hand.from_position(None, ["As/KsKd9c/", "2h/?/", "3d/?/", None], to_act=0, pot=60)
    line = ["stay"] * 4
    over = ps.Hand.deal(seats=2, seed=1).fold()
    nothing = Range.uniform(3)
    own = Range(np.array([1 << 48 + 11 | 1 << 16 + 11 | 1 << 7]), np.array([1.0]))  # Ks Kd 9c
    for message, arguments in {
        "hand takes": {"hand": "As"},
        "hand is over": {"hand": over, "policies": ["stay"] * 2},
        "policies has 2 policies, hand has 4 seats": {"policies": ["stay"] * 2},
        "samples takes": {"samples": 1},
        "seed takes": {"seed": -1},
        "workers takes": {"workers": 0},
        "level takes": {"level": 1.0},
        "half_width takes": {"half_width": 0},
        "raises takes": {"raises": ["big"]},
        "ranges takes": {"ranges": [nothing]},
        "ranges names seat 0, who is to act": {"ranges": {0: nothing}},
        "ranges names seat 3, who is out": {"ranges": {3: nothing}},
        r"ranges\[1\].*'pear'": {"ranges": {1: "pear"}},
        r"ranges\[1\] takes palaces of 3 cards, got a range over 2": {"ranges": {1: Range.uniform(2)}},
        r"ranges\[2\] has no palace left": {"ranges": {2: own}},
    }.items():
        with pytest.raises(ValueError, match=message):
            ps.decision_values(**{"hand": hand, "policies": line, "samples": 10, **arguments})


@few
def test_ranges_that_cannot_be_held_at_once():
    hand = ps.Hand.from_position(None, ["As/KsKd9c/", "2h/?/", "3d/?/"], to_act=0, pot=60)
    one = Range(np.array([0b111]), np.array([1.0]))
    with pytest.raises(ValueError, match=r"ranges\[1\] and ranges\[2\]: no two"):
        ps.decision_values(hand, ["stay"] * 3, samples=10, ranges={1: one, 2: one})


def test_a_policy_that_fails_is_named():
    def wrong(view):
        return ps.act.call()

    def fails(view):
        raise RuntimeError("no idea")

    hand = ps.Hand.deal(seats=3, seed=1, dealer=2)
    with pytest.raises(ps.PolicyError, match=r"policy wrong returned an illegal action.*sample 0, after the move '"):
        ps.decision_values(hand, [wrong] * 3, samples=10)
    with pytest.raises(ps.PolicyError, match="policy fails failed: RuntimeError: no idea"):
        ps.decision_values(hand, ["stay", fails, "stay"], samples=10)


def test_card_ids_of_the_tests_are_those_of_the_package():
    assert [card_id(card) for card in DECK] == list(range(52))
