"""Posteriors agree with Bayes' rule over every deal there is, on decks so small that all can be refereed."""

import numpy as np
import pytest
from reference.bayes import Story, made
from reference.players import best_keep

import palace_sim as ps
from palace_sim.battle.inference import posterior
from palace_sim.cards import format_cards, set_cards

HIGH = sum(0x1F00 << 16 * suit for suit in range(4))  # T, J, Q, K, A
BUSY = {
    "turn": {"buy": 6, "stay": 2, "discard": 3, "attack": 3, "fold": 0.2},
    "respond": {"call": 1, "raise": 2, "fold": 1},
    "keep": {"keep": 1},
}
FIGHTING = {**BUSY, "turn": {**BUSY["turn"], "attack": 8}, "respond": {"call": 8, "raise": 1, "fold": 1}}


# --- models, and the same in plain words on a referee's hand ----------------------------------------------------------


@ps.policy
def brave(view):
    high = ps.see.count(view.palace & HIGH)
    if view.phase == ps.RESPOND:
        if high > 1 and ps.see.can_raise(view):
            return ps.act.raise_()
        return ps.act.call() if high else ps.act.fold()
    if high and view.targets:
        foe = 0
        while not view.targets >> foe & 1:
            foe += 1
        return ps.act.attack(foe)
    if ps.see.can_buy(view) and ps.see.army(view, view.seat) < 2 + high:
        return ps.act.buy()
    return ps.act.stay()


def high_cards(world):
    return sum(card[0] in "TJQKA" for card in world.palaces[world.to_act])


def brave_moves(world):
    """`brave`, which keeps by the engine's choice."""
    high = high_cards(world)
    if world.phase == "keep":
        return [(("keep", best_keep(world)), 1.0)]
    if world.phase == "respond":
        if high > 1 and "raise" in world.legal():
            return [(("raise_",), 1.0)]
        return [((("call",) if high else ("fold",)), 1.0)]
    if high and world.targets:
        return [(("attack", world.targets[0]), 1.0)]
    if "buy" in world.legal() and len(world.soldiers[world.to_act]) < 2 + high:
        return [(("buy",), 1.0)]
    return [(("stay",), 1.0)]


@ps.policy(keep="ask")
def spender(view):
    """Bets by the chips it says in no limit, and keeps only soldiers lower than its palace."""
    high = ps.see.count(view.palace & HIGH)
    if view.phase == ps.KEEP:
        soldiers = view.players[view.seat].soldiers
        return ps.act.keep(soldiers & ~HIGH if high else soldiers & HIGH)
    if view.phase == ps.RESPOND:
        if high and ps.see.can_raise(view):
            return ps.act.raise_(min(view.min_raise + 5 * (high - 1), view.max_raise))
        return ps.act.call()
    if view.targets and ps.see.army(view, view.seat) > 0:
        foe = 0
        while not view.targets >> foe & 1:
            foe += 1
        return ps.act.attack(foe, min(view.price + 5 * high, view.players[view.seat].chips))
    return ps.act.buy() if ps.see.can_buy(view) else ps.act.stay()


def spender_moves(world):
    high, me = high_cards(world), world.to_act
    if world.phase == "keep":
        return [(("keep", [card for card in world.soldiers[me] if (card[0] in "TJQKA") != bool(high)]), 1.0)]
    if world.phase == "respond":
        if high and "raise" in world.legal():
            return [(("raise_", min(world.min_raise + 5 * (high - 1), world.chips[me] - world.price)), 1.0)]
        return [(("call",), 1.0)]
    if world.targets and world.soldiers[me]:
        return [(("attack", world.targets[0], min(world.price + 5 * high, world.chips[me])), 1.0)]
    return [((("buy",) if "buy" in world.legal() else ("stay",)), 1.0)]


@ps.move_model
def moody(view, code):
    """Does what `brave` does, but with a chance that grows with its high cards; else stays or folds."""
    often = 0.3 + 0.2 * ps.see.count(view.palace & HIGH)
    other = ps.act.fold() if view.phase == ps.RESPOND else ps.act.stay()
    wanted = ps.act.call() if view.phase == ps.RESPOND else ps.act.buy()
    if view.phase == ps.TURN and not ps.see.can_buy(view):
        return 1.0 if code == other else 0.0
    return often if code == wanted else 1.0 - often if code == other else 0.0


@ps.policy
def moody_policy(view):
    """`moody` as a policy, which draws."""
    often = 0.3 + 0.2 * ps.see.count(view.palace & HIGH)
    if view.phase == ps.RESPOND:
        return ps.act.call() if ps.see.uniform(view) < often else ps.act.fold()
    return ps.act.buy() if ps.see.can_buy(view) and ps.see.uniform(view) < often else ps.act.stay()


def moody_moves(world):
    if world.phase == "keep":
        return [(("keep", best_keep(world)), 1.0)]
    often = 0.3 + 0.2 * high_cards(world)
    if world.phase == "respond":
        return [(("call",), often), (("fold",), 1.0 - often)]
    if "buy" not in world.legal():
        return [(("stay",), 1.0)]
    return [(("buy",), often), (("stay",), 1.0 - often)]


@ps.policy
def collector(view):
    """With a high card attacks while all are in; else buys whenever it can, so that the piles go round."""
    high = ps.see.count(view.palace & HIGH)
    if view.phase == ps.RESPOND:
        return ps.act.call() if high else ps.act.fold()
    if high and view.targets and ps.see.left(view) == view.seats:
        foe = 0
        while not view.targets >> foe & 1:
            foe += 1
        return ps.act.attack(foe)
    return ps.act.buy() if ps.see.can_buy(view) else ps.act.stay()


def collector_moves(world):
    if world.phase == "keep":
        return [(("keep", best_keep(world)), 1.0)]
    if world.phase == "respond":
        return [((("call",) if high_cards(world) else ("fold",)), 1.0)]
    if high_cards(world) and world.targets and all(world.active):
        return [(("attack", world.targets[0]), 1.0)]
    return [((("buy",) if "buy" in world.legal() else ("stay",)), 1.0)]


@ps.policy
def learned(view):
    """Attacks and calls until it has won; then goes by how many of the cards that it has seen are high."""
    high = ps.see.count(view.palace & HIGH)
    if view.phase == ps.RESPOND:
        return ps.act.call()
    if view.players[view.seat].learnt == 0:
        return ps.act.buy() if ps.see.can_buy(view) else ps.act.stay()
    odd = ps.see.count(view.seen & HIGH) + high
    if odd % 2 and ps.see.can_buy(view):
        return ps.act.buy()
    return ps.act.stay()


def learned_moves(world):
    me = world.to_act
    if world.phase == "keep":
        return [(("keep", best_keep(world)), 1.0)]
    if world.phase == "respond":
        return [(("call",), 1.0)]
    buys = "buy" in world.legal()
    if world._learnt[me]:
        buys = buys and (sum(card[0] in "TJQKA" for card in world.seen(me)) + high_cards(world)) % 2
    return [((("buy",) if buys else ("stay",)), 1.0)]


# --- stories ----------------------------------------------------------------------------------------------------------


def hand_of(story):
    """The same hand on `Hand`."""
    rules = ps.Rules(**story.rules)
    hand = ps.Hand.from_cards(rules, story.banners, story.palaces, story.pile, story.dealer, story.seed)
    for _, move in story.moves:
        name, arguments = made(*move)
        getattr(hand, name)(*arguments)
    return hand


def told(weights):
    """A range as {frozenset of cards: share}."""
    return {
        frozenset(format_cards(set_cards(int(cards))).split()): weight
        for cards, weight in zip(weights.cards, weights.weights, strict=True)
    }


def moved(world, seat, times):
    """Whether a seat has had so many turns and the turn is another's."""
    return world.tallies[seat]["turns"] >= times and world.to_act != seat


def won_called(world, seat, caller):
    """How many called battles a seat has won, as the caller or not."""
    learnt = len(world._learnt[seat]) // len(world.palaces[seat])
    won = sum(battle["winner"] == seat and battle["end"] == "call" for battle in world.battles)
    return learnt if caller else won - learnt


def story(chances, wanted, seed=0, seats=2, size=12, observer=None, weights=BUSY, unseen=3, **rules):
    """A story of seat 0 whose moves tell the observer something, but not everything."""
    unseen = rules["palace_cards"] + unseen

    def stops(world):
        known = set() if observer is None else world.seen(observer)
        return wanted(world) and size - len(world._face_up | known) >= unseen

    for attempt in range(100):
        s = Story(rules, seats, size, 0, chances, stops, f"{seed} {attempt}", weights)
        weights_now = s.posterior(observer).values()
        if len(weights_now) > 1 and (
            len(weights_now) < s.without_moves(observer) or max(weights_now) > 1.01 * min(weights_now)
        ):
            return s
    raise AssertionError("no story is as wanted")


def same(got, s, observer):
    wanted = s.posterior(observer)
    assert got.exact
    assert told(got).keys() == wanted.keys()
    np.testing.assert_allclose([told(got)[key] for key in wanted], list(wanted.values()), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_two_players_by_the_moves_of_one_policy(seed):
    s = story(brave_moves, lambda world: moved(world, 0, 2), seed, size=12, observer=1, palace_cards=2)
    for observer in (1, None):
        got = posterior(hand_of(s), 0, brave, observer)
        same(got, s, observer)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_engine_keeps_for_a_policy_is_evidence(seed):
    def kept(world):
        return world.to_act != 0 and len(world.discard_pile) > 1 and moved(world, 0, 3)

    s = story(brave_moves, kept, seed, observer=1, palace_cards=2, size=13, max_soldiers=1)
    got = posterior(hand_of(s), 0, brave, 1)
    same(got, s, 1)


@pytest.mark.parametrize("seed", range(3))
def test_amounts_of_no_limit_and_soldiers_that_a_policy_chooses(seed):
    def betted(world):
        return world.tallies[0]["attacks"] + world.tallies[0]["paid_raise"] > 0 and moved(world, 0, 2)

    weights = {**BUSY, "respond": {"call": 0, "raise": 8, "fold": 0.01}}
    s = story(
        spender_moves,
        betted,
        seed,
        observer=1,
        palace_cards=2,
        structure="no_limit",
        stack=300,
        max_raises=5,
        weights=weights,
    )
    got = posterior(hand_of(s), 0, spender, 1)
    same(got, s, 1)


@pytest.mark.parametrize("seed", range(2))
def test_moves_after_the_discards_were_shuffled_back(seed):
    def shuffled(world):
        return world.reshuffles > 0 and moved(world, 0, 3)

    s = story(brave_moves, shuffled, seed, palace_cards=2, size=9, unseen=2, max_soldiers=1)
    for observer in (None, 1):
        same(posterior(hand_of(s), 0, brave, observer), s, observer)


@pytest.mark.parametrize("seed", range(3))
def test_chances_that_a_model_states(seed):
    s = story(moody_moves, lambda world: moved(world, 0, 3), seed, observer=1, palace_cards=2)
    got = posterior(hand_of(s), 0, moody, 1)
    same(got, s, 1)
    plain = ps.move_model(moody.function, compile=False)
    same(posterior(hand_of(s), 0, plain, 1), s, 1)


# --- called battles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "palace_cards", "size", "seed"),
    [(3, 1, 12, 0), (3, 1, 12, 1), (3, 2, 12, 2), (3, 2, 12, 3), (4, 1, 12, 4)],
)
def test_a_called_battle_won_is_evidence(seats, palace_cards, size, seed):
    def won(world):
        return won_called(world, 0, False) == 1 and len(world.battles) == 1 and world.reshuffles == 0

    s = story(brave_moves, won, seed, seats, size, palace_cards=palace_cards, weights=FIGHTING, blocked="none")
    for observer in (None, *range(1, seats)):
        got = posterior(hand_of(s), 0, brave, observer)
        same(got, s, observer)


@pytest.mark.parametrize("seed", range(3))
def test_a_loser_whose_palace_has_come_up_again(seed):
    """R13 shuffles the beaten palace back, and a card of it is bought: the palace that lost held that card."""

    def risen(world):
        if won_called(world, 0, False) != 1 or len(world.battles) != 1 or sum(world.active) != 2:
            return False
        loser = world.active.index(False)
        return bool(set(world.palaces[loser]) & {card for cards in world.soldiers for card in cards})

    s = story(
        collector_moves,
        risen,
        seed,
        3,
        10 + seed % 2,
        unseen=1,
        palace_cards=2,
        weights=FIGHTING,
        max_soldiers=1,
        blocked="none",
    )
    got = posterior(hand_of(s), 0, collector, None)
    same(got, s, None)


# --- where chance plays a part ----------------------------------------------------------------------------------------


def near(got, s, observer, samples, steps):
    """Sampled weights are within five standard errors of the exact ones, by theory and as they say themselves.

    A palace's likelihood f is estimated as a product of T shares f_t >= f of n particles, so the variance beside f^2 is
    at most T (1 - f) / (n f). Normalised over all palaces, w = x / sum(x), so dw = dx - w sum(dx) to first order and
    var(w) = e^2 (1 - 2 w) + w^2 sum(e^2), with e = w times the relative error of f.
    """
    exact, chances = s.posterior(observer), s.likelihood(observer)
    assert not got.exact
    assert told(got).keys() == exact.keys()
    squares = {key: w * w * steps * (1 - chances[key]) / (samples * chances[key]) for key, w in exact.items()}
    said = dict(zip(told(got), got.errors, strict=True))
    for key, w in exact.items():
        bound = (squares[key] * (1 - 2 * w) + w * w * sum(squares.values())) ** 0.5
        assert abs(told(got)[key] - w) <= 5 * bound + 1e-12
        assert abs(told(got)[key] - w) <= 5 * said[key] + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_a_policy_that_draws_is_sampled(seed):
    s = story(
        moody_moves,
        lambda world: moved(world, 0, 3) and world.reshuffles == 0,
        seed,
        observer=1,
        palace_cards=2,
    )
    got = posterior(hand_of(s), 0, moody_policy, 1, samples=4000, seed=seed)
    near(got, s, 1, 4000, len(hand_of(s).decisions))
    again = posterior(hand_of(s), 0, moody_policy, 1, samples=4000, seed=seed)
    assert (got.weights == again.weights).all() and (got.errors == again.errors).all()
    other = posterior(hand_of(s), 0, moody_policy, 1, samples=4000, seed=seed + 1)
    assert (got.weights != other.weights).any()


def test_what_only_the_player_has_learnt_is_sampled():
    """Seat 0 has called and won, and goes by the palace that it saw (R28); who does not know it must draw it."""

    def learnt(world):
        won = won_called(world, 0, True) == 1 and len(world.battles) == 1 and world.reshuffles == 0
        return won and world.to_act != 0 and world.tallies[0]["turns"] >= 3 and world.tallies[0]["buys"] > 1

    unsure = 0
    for seed in range(6):
        s = story(learned_moves, learnt, seed, 3, 12, palace_cards=1, weights=FIGHTING, blocked="none", max_soldiers=2)
        loser = s.true.active.index(False)
        steps = s.true.tallies[0]["turns"] + 1
        for observer in (None, 3 - loser):
            got = posterior(hand_of(s), 0, learned, observer, samples=4000)
            if got.exact:  # nothing was asked since
                same(got, s, observer)
            else:
                near(got, s, observer, 4000, steps)
                unsure += got.errors.max() > 0
        same(posterior(hand_of(s), 0, learned, loser), s, loser)  # who lost knows it
    assert unsure >= 3


@pytest.mark.parametrize("seed", range(3))
def test_two_battles_won_against_palaces_that_stay_hidden(seed):
    def won_twice(world):
        return won_called(world, 0, False) == 2 and len(world.battles) == 2 and world.reshuffles == 0

    s = story(brave_moves, won_twice, seed, 4, 12, palace_cards=1, weights=FIGHTING, blocked="none")
    near(posterior(hand_of(s), 0, brave, samples=4000), s, None, 4000, 1)
    losers = [seat for seat in range(4) if not s.true.active[seat]]
    same(posterior(hand_of(s), 0, brave, losers[0]), s, losers[0])


def test_a_card_come_up_again_that_may_be_from_two_palaces():
    """R13 shuffles back the palace that lost and that of one who folded; a card that rises is from either."""

    def risen(world):
        out = [seat for seat in range(4) if not world.active[seat]]
        back = {card for seat in out for card in world.palaces[seat]}
        won = won_called(world, 0, False) == 1 and len(world.battles) == 1
        return won and len(out) == 2 and bool(back & {card for cards in world.soldiers for card in cards})

    weights = {**FIGHTING, "turn": {**FIGHTING["turn"], "fold": 4, "attack": 0.01}}
    sampled = 0
    for seed in range(6):
        s = story(
            collector_moves,
            risen,
            seed,
            4,
            11,
            unseen=1,
            palace_cards=1,
            weights=weights,
            max_soldiers=1,
            blocked="none",
        )
        got, exact = posterior(hand_of(s), 0, collector, samples=4000), s.posterior(None)
        if got.exact:  # who folded did so after the shuffle
            same(got, s, None)
            continue
        sampled += 1
        assert told(got).keys() == exact.keys()
        for key, error in zip(told(got), got.errors, strict=True):
            assert abs(told(got)[key] - exact[key]) <= 5 * error + 1e-12
    assert sampled > 1
