"""The tree of a shrunken game: that it is the game, and that what is said of its strategies is true."""

import math

import numpy as np
import pytest
from search import kuhn, slow_tree

import palace_sim as ps
from palace_sim import search
from palace_sim.search.tree_building import count_deals

DECK = "2c 3c 2d 3d 4d"
SMALL = {"palace_cards": 1, "max_buys": 1, "max_raises": 0, "max_soldiers": 1}
RULES = ps.Rules(deck=DECK, **SMALL)
SIX = "2c 3c 4c 2d 3d 4d"


@pytest.fixture(scope="module")
def tree():
    return search.build_tree(RULES, dealer=0)


@pytest.fixture(scope="module")
def solved(tree):
    return search.solve_tree(tree, iterations=400)


# --- the tree is the game -------------------------------------------------------------------------------------------


def test_deals_are_as_many_as_counted_by_hand(tree):
    # two suits of 2 and 3 cards: 2 * 3 * 2 pairs of banners in order, then 3 * 2 palaces of one card
    assert len(tree.deals) == 12 * 3 * 2 == count_deals(RULES, 0)
    # 52 * 39 banners, C(50, 3) * C(47, 3) palaces
    assert count_deals(ps.Rules(), None) == 2 * 52 * 39 * math.comb(50, 3) * math.comb(47, 3)
    # the first banner is any of 5 cards; then R6 sets its suit aside: a banner of 2c leaves three diamonds
    first_c = tree.game.chance[1:73][[d[2] % 4 == 0 for d in tree.deals]]  # seat 1 is the dealer's left
    np.testing.assert_allclose(first_c, 1 / (5 * 3 * 3 * 2), rtol=1e-15)
    np.testing.assert_allclose(np.delete(tree.game.chance[1:73], [d[2] % 4 == 0 for d in tree.deals]), 1 / 60)


def test_chances_add_up_and_children_stand_in_one_block(tree):
    game = tree.game
    for node in np.flatnonzero(game.player == -1):
        block = slice(game.first[node], game.first[node] + game.count[node])
        assert game.chance[block].sum() == pytest.approx(1, abs=1e-12)
        assert game.upto[block][-1] == pytest.approx(1, abs=1e-12)
        assert (tree.parents[block] == node).all()
    assert (game.count[game.player == -2] == 0).all() and (game.count[game.player >= 0] >= 2).all()
    assert game.count.sum() == tree.nodes - 1
    assert (np.diff(game.levels) > 0).all() and game.levels[-1] == tree.nodes


def test_one_information_set_has_one_seat_one_list_of_moves_and_one_past(tree):
    game = tree.game
    last, _ = slow_tree.sequences(tree)
    seen = {}
    for node in np.flatnonzero(tree.sets >= 0):
        seat = int(game.player[node])
        codes = tree.codes[game.first[node] : game.first[node] + game.count[node]]
        about = (seat, tuple(codes), last[node][seat])  # the last own slot names the one before, and so on: recall
        assert seen.setdefault(tree.sets[node], about) == about
    assert len(seen) == tree.information_sets


def test_information_sets_are_own_palace_and_what_all_saw(tree):
    # heads-up nobody is shown a palace before the end (R28), so nothing else can tell two sets apart
    table = tree.table()
    about = ["seat", "dealer", "banner", "foe_banner", "palace", "history"]
    assert len(table.drop_duplicates(about)) == tree.information_sets == table.information_set.nunique()
    of_set = table.groupby("information_set").probability.sum()
    np.testing.assert_allclose(of_set, 1)


@pytest.mark.parametrize(
    ("deck", "options", "dealer"),
    [
        ("2c 3c 2d 3d", {"max_raises": 1}, 1),
        ("2c 3c 4c 2d 3d 4h", {"palace_cards": 2, "max_raises": 2}, 0),
        (DECK, {}, 0),  # one card to draw: a second buyer draws what was thrown away (R13)
        pytest.param(SIX, {}, 0, marks=pytest.mark.slow),
        pytest.param(DECK, {"max_buys": 2, "blocked": "rank", "last_two": "showdown"}, 1, marks=pytest.mark.slow),
    ],
)
def test_uniform_play_is_worth_what_the_slow_referee_says(deck, options, dealer):
    rules = SMALL | options
    tree = search.build_tree(ps.Rules(deck=deck, **rules), dealer=dealer)
    expected = slow_tree.mean_net(rules, deck.split(), rules["palace_cards"], dealer, slow_tree.uniform)
    assert tree.value_of([tree.uniform, tree.uniform]).value == pytest.approx(expected, abs=1e-11)


def test_a_policy_is_worth_what_the_slow_referee_says():
    """Buy, keep, attack on the next turn, call; the other seat is uniform."""

    def plain(view):
        if view.phase == ps.RESPOND:
            return ps.act.call()
        if view.phase == ps.KEEP:
            return ps.act.keep(view.players[view.seat].soldiers)
        return ps.act.buy() if ps.see.can_buy(view) else ps.act.attack(1 - view.seat)

    def choose(hand):
        if hand.to_act == 1:
            return slow_tree.uniform(hand)
        if hand.phase == "keep":
            return [(1, ("keep", hand.soldiers[0]))]
        if hand.phase == "respond":
            return [(1, ("call",))]
        return [(1, ("buy",) if "buy" in hand.legal() else ("attack", 1))]

    tree = search.build_tree(RULES, dealer=1)
    expected = slow_tree.mean_net(SMALL, DECK.split(), 1, 1, choose)
    policy = ps.policy(plain, keep="ask", compile=False)
    value = tree.value_of([policy, tree.uniform])
    assert value.exact and value.value == pytest.approx(expected, abs=1e-11)


def test_no_limit_has_every_amount():
    options = {"structure": "no_limit", "stack": 5, "small_bet": 1, "large_bet": 2, "ante": 1, "max_raises": 1}
    tree = search.build_tree(ps.Rules(deck="2c 3c 2d 3d", palace_cards=1, max_buys=0, **options), dealer=0)
    first = tree.table().query("information_set == 0").move.tolist()
    # 4 chips left after the ante: bets of 1 (the price of a bare banner), 2, 3 and 4
    assert first == ["stay", "fold", "attack", "attack 2", "attack 3", "attack 4"]
    answer = tree.table().query("history == '1 attack'").drop_duplicates("move").move.tolist()
    assert answer == ["fold", "call", "raise", "raise 3"]  # 3 left after the call; the least raise is 2


def test_the_same_tree_again(tree):
    again = search.build_tree(RULES, dealer=0)
    assert all(np.array_equal(a, b) for a, b in zip(tree.game, again.game, strict=True))
    assert np.array_equal(tree.codes, again.codes) and np.array_equal(tree.sets, again.sets)


# --- values and exploitability --------------------------------------------------------------------------------------


def test_kuhn_poker():
    tree = kuhn.tree()
    assert (tree.nodes, tree.information_sets) == (1 + 6 + 6 * 8, 12)
    for algorithm, iterations in (("cfr+", 2000), ("mccfr", 50_000)):
        found = search.solve_tree(tree, algorithm, iterations)
        assert found.lower <= -1 / 18 <= found.upper
        assert 0 <= found.exploitability < 0.01  # of pots of 2 to 4
    uniform = [kuhn.brute_response(seat) for seat in range(2)]
    assert tree.exploitability(tree.uniform) == pytest.approx(sum(uniform) / 2, abs=1e-12)


def test_exploitability_is_that_of_brute_force(tree, solved):
    rng = np.random.default_rng(1)
    weights = rng.exponential(size=tree.slots)
    at_random = weights / np.repeat(np.add.reduceat(weights, tree.game.begin[:-1]), np.diff(tree.game.begin))
    for sigma in (tree.uniform, at_random, solved.average):
        responses = [slow_tree.response_value(tree, sigma, seat) for seat in range(2)]
        value = tree.value_of([sigma, sigma]).value
        np.testing.assert_allclose(tree.gains(sigma), [responses[0] - value, responses[1] + value], atol=1e-11)


def test_value_is_that_of_a_linear_program(tree, solved):
    exact, error = slow_tree.game_value(tree)
    assert error < 1e-6
    assert solved.lower - error <= exact <= solved.upper + error
    assert abs(solved.value - exact) <= 2 * solved.exploitability + error


def test_algorithms_agree(tree, solved):
    sampled = search.solve_tree(tree, "mccfr", iterations=100_000, seed=3)
    assert max(solved.lower, sampled.lower) <= min(solved.upper, sampled.upper) + 1e-12
    for found in (solved, sampled):
        course = found.course
        assert (course.exploitability >= -1e-12).all()  # exactly 0 at best, but for rounding
        assert found.exploitability == pytest.approx((found.upper - found.lower) / 2, abs=1e-12)
        assert found.exploitability == pytest.approx(tree.exploitability(found), abs=1e-12)
        assert course.exploitability.iloc[-1] < course.exploitability.iloc[0] / 20
        assert found.lower - 1e-12 <= found.value <= found.upper + 1e-12
    assert solved.course.exploitability.iloc[-1] < solved.course.exploitability.iloc[-3]


def test_who_deals_by_lot_plays_a_fair_game():
    tree = search.build_tree(ps.Rules(deck="2c 3c 2d 3d", **SMALL))
    found = search.solve_tree(tree, iterations=200)
    assert found.lower <= 0 <= found.upper  # seats may be changed for one another
    one = [search.solve_tree(search.build_tree(tree.rules, dealer=d), iterations=200) for d in (0, 1)]
    assert one[0].value == pytest.approx(-one[1].value, abs=2 * (one[0].exploitability + one[1].exploitability))


def test_same_seed_same_bytes(tree):
    runs = [search.solve_tree(tree, "mccfr", iterations=500, seed=seed).average for seed in (1, 1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes() != runs[2].tobytes()


def test_sets_never_met_act_uniformly(tree):
    found = search.solve_tree(tree, "mccfr", iterations=1, seed=1)
    same = np.isclose(found.average, tree.uniform).all()
    assert same  # one traversal each plays and adds up the uniform strategy; the sets it does not meet have no sums
    assert tree.strategy_of("stay", 0).shape == (tree.slots,)
    asked = tree.strategy_of("stay", 0)
    owner = np.repeat(tree.game.owner, np.diff(tree.game.begin))
    assert np.array_equal(asked[owner == 1], tree.uniform[owner == 1])


# --- policies -------------------------------------------------------------------------------------------------------


@ps.policy(keep="ask")
def picky(view):
    """Attack and call with a palace above the foe's banner, buy with a low one, keep what is of the own suit."""
    me, foe = view.players[view.seat], view.players[1 - view.seat]
    high = ps.see.strength(view, 1 - view.seat) > ps.see.visible(view, 1 - view.seat)
    if view.phase == ps.KEEP:
        return ps.act.keep(me.soldiers & ps.see.own_suit(view))
    if view.phase == ps.RESPOND:
        return ps.act.call() if high else ps.act.fold()
    if high and foe.soldiers != 0 or high and me.soldiers != 0:
        return ps.act.attack(1 - view.seat)
    return ps.act.buy() if ps.see.can_buy(view) and not high else ps.act.stay()


@pytest.mark.parametrize("pair", [(picky, "buyer"), ("buyer", "maniac"), ("tight", "random")])
def test_value_is_what_play_earns(pair):
    tree = search.build_tree(RULES)  # the dealer drawn for, as in play
    value = tree.value_of(pair, samples=400)
    assert value.exact == (pair[0] is picky)
    assert value.value != 0
    played = ps.play(list(pair), RULES, deals=20_000, seed=5, rows=False).summary.set_index("policy")
    row = played.loc[getattr(pair[0], "name", pair[0])]
    assert abs(row["mean"] - value.value) <= 4 * math.hypot(row.se, value.se) + 1e-12
    # and the other way round, since the game has no seats
    assert tree.value_of(pair[::-1], samples=400).value == pytest.approx(-value.value, abs=8 * value.se + 1e-9)


def test_a_policy_remembers():
    """The memo lasts along the hand, and along no other."""

    @ps.policy(compile=False)
    def once(view):
        if view.phase == ps.RESPOND:
            return ps.act.fold()
        view.memo[0] += 1
        return ps.act.stay() if view.memo[0] == 1 else ps.act.fold()

    @ps.policy(compile=False)
    def same(view):
        if view.phase == ps.RESPOND or view.players[view.seat].stays > 0:
            return ps.act.fold()
        return ps.act.stay()

    tree = search.build_tree(RULES, dealer=0)
    assert np.array_equal(tree.strategy_of(once, 0), tree.strategy_of(same, 0))
    assert tree.value_of([once, tree.uniform]) == tree.value_of([same, tree.uniform])


def test_no_policy_beats_a_best_response(tree, solved):
    for name in ("stay", "calling_station", "maniac", "buyer"):
        assert tree.value_of([name, solved]).value <= solved.upper + 1e-9
        assert tree.value_of([solved, name]).value >= solved.lower - 1e-9
        assert min(tree.gains(name)) >= -1e-12
    assert tree.exploitability(["stay", "maniac"]) > 0.5  # chips of a pot of 10


# --- OpenSpiel ------------------------------------------------------------------------------------------------------


def test_open_spiel_finds_our_strategy_as_exploitable(tree, solved):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra bench)")
    from open_spiel.python.algorithms import exploitability

    from palace_sim.search import open_spiel

    game = open_spiel.as_open_spiel(tree)
    policy = open_spiel.open_spiel_policy(tree, game, solved)
    assert exploitability.exploitability(game, policy) == pytest.approx(solved.exploitability, abs=1e-9)


def test_open_spiel_agrees():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra bench)")
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    from palace_sim.search import open_spiel

    tree = search.build_tree(ps.Rules(deck="2c 3c 2d 3d", **SMALL), dealer=0)
    game = open_spiel.as_open_spiel(tree)
    assert game.num_players() == 2 and game.get_type().utility.name == "ZERO_SUM"
    found = search.solve_tree(tree, iterations=50)
    for sigma in (tree.uniform, found.average):
        policy = open_spiel.open_spiel_policy(tree, game, sigma)
        assert exploitability.exploitability(game, policy) == pytest.approx(tree.exploitability(sigma), abs=1e-9)
        scores = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
        assert scores[0] == pytest.approx(tree.value_of([sigma, sigma]).value, abs=1e-9)
    theirs = cfr.CFRPlusSolver(game)
    for _ in range(30):
        theirs.evaluate_and_update_policy()
    policy = theirs.average_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0]
    # both values are within their gains of the game's
    assert abs(value - found.value) <= 2 * (exploitability.exploitability(game, policy) + found.exploitability)


# --- what is refused ------------------------------------------------------------------------------------------------


def test_what_is_too_large_is_said():
    with pytest.raises(ValueError, match=r"have 1,289,053,584,000 deals, max_nodes is 2,000,000: .* use a"):
        search.build_tree(ps.Rules(max_buys=0))
    with pytest.raises(ValueError, match=r"can take 3,009 steps.*max_buys=1"):
        search.build_tree(ps.Rules(deck=SIX, palace_cards=1))
    with pytest.raises(ValueError, match=r"about \d,\d\d\d nodes \(72 deals of 5 cards\), max_nodes is 7,000: use "):
        search.build_tree(RULES, dealer=0, max_nodes=7_000)
    with pytest.raises(ValueError, match="far more than 80"):
        search.build_tree(RULES, dealer=0, max_nodes=80)


def test_bad_input(tree):
    with pytest.raises(ValueError, match="dealer takes None or a seat from 0 to 1, got 2"):
        search.build_tree(RULES, dealer=2)
    with pytest.raises(ValueError, match="rules takes"):
        search.build_tree({"deck": DECK})
    with pytest.raises(ValueError, match="max_nodes takes"):
        search.build_tree(RULES, max_nodes=0)
    with pytest.raises(ValueError, match="deck has 3 cards; 2 players need 4"):
        search.build_tree(ps.Rules(deck="2c 3d 4d", palace_cards=1, max_buys=1))
    with pytest.raises(ValueError, match=r"algorithm takes 'cfr\+' or 'mccfr', got 'cfr'; did you mean"):
        search.solve_tree(tree, "cfr")
    with pytest.raises(ValueError, match="iterations takes"):
        search.solve_tree(tree, iterations=0)
    with pytest.raises(ValueError, match="seed takes"):
        search.solve_tree(tree, "mccfr", seed=-1)
    with pytest.raises(ValueError, match="tree takes what build_tree returned, got 3"):
        search.solve_tree(3)
    with pytest.raises(ValueError, match="policies takes a list of two"):
        tree.value_of("stay")
    with pytest.raises(ValueError, match=r"array of \d+ numbers, got shape \(3,\)"):
        tree.value_of([np.ones(3), "stay"])
    bad = tree.uniform.copy()
    bad[0] = 0
    with pytest.raises(ValueError, match=r"information set 0 add up to 0\.75, not to 1"):
        tree.exploitability(bad)
    other = search.solve_tree(kuhn.tree(), iterations=1)
    with pytest.raises(ValueError, match="is of another tree"):
        tree.exploitability(other)
    with pytest.raises(ValueError, match="negative or not finite"):
        tree.exploitability(np.full(tree.slots, np.nan))
    with pytest.raises(ValueError, match="samples takes a number of samples from 20"):
        tree.value_of(["random", "stay"], samples=3)


def test_policies_that_fail_are_named(tree):
    with pytest.raises(ps.PolicyError, match=r"caller returned an illegal action: call.* is not open now .*seat 0"):
        tree.value_of([ps.policy(lambda view: ps.act.call(), name="caller", compile=False), "stay"])

    @ps.policy(compile=False)
    def broken(view):
        raise KeyError("gone")

    with pytest.raises(ps.PolicyError, match="broken failed") as caught:
        tree.value_of([broken, "stay"])
    assert isinstance(caught.value.__cause__, KeyError)

    @ps.policy(compile=False)
    def both(view):
        view.memo[0] = 1
        return ps.act.fold() if ps.see.uniform(view) < 0.5 or view.phase == ps.RESPOND else ps.act.stay()

    with pytest.raises(ValueError, match="both draws and writes its memo"):
        tree.value_of([both, "stay"])
