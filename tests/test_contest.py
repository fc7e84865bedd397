"""How deals are spent and confirmed: on nets of known truth, and in real play."""

import itertools
import math

import numpy as np
import pytest
from synthetic import SyntheticConductor, heads_up
from tables_of import same_tables

import palace_sim as ps
from palace_sim import schedule, until
from palace_sim.contest import FRESH, Contest, _until
from palace_sim.standing import Standing
from palace_sim.tables import INTERVAL, SEQUENCE

NAMES = ["random", "stay", "tight"]


# --- fresh deals after a stop -----------------------------------------------------------------------------------------


def heavy(rng, size):
    return 12 * rng.standard_t(3, size)


def confirmed(runs, kind):
    """Errors of the leader's figure at the stop, and of the same policy on 1,000 fresh deals."""
    strengths, lineups = [0.2, 0.1, 0.0, 0.0], schedule.every_lineup(4, 2)
    true = np.array(strengths) - (sum(strengths) - np.array(strengths)) / 3
    at_stop, fresh = [], []
    for key in range(runs):
        draw = heads_up(strengths, lineups, heavy, (kind, key))
        conductor = SyntheticConductor("abcd", lineups, draw, deals=4000)
        _until(conductor, Contest(until.leader(0.8), 1000, True, 0))
        best = int(np.argmax(conductor.standing().means[0]))
        at_stop.append(conductor.standing().means[0][best] - true[best])
        conductor.groups.clear()
        conductor.play(np.arange(len(lineups)), FRESH // 1000 * 1000, FRESH // 1000 * 1000 + 1000)
        fresh.append(conductor.standing().means[0][best] - true[best])
    return np.array(at_stop), np.array(fresh)


def check_confirmed(runs, kind):
    at_stop, fresh = confirmed(runs, kind)
    assert abs(fresh.mean()) < 4 * fresh.std(ddof=1) / math.sqrt(runs)
    # and that is no small thing: whoever leads at a stop has been lucky
    assert at_stop.mean() > 4 * at_stop.std(ddof=1) / math.sqrt(runs)


def test_confirmed_figures_are_unbiased():
    check_confirmed(100, 1)


@pytest.mark.slow
def test_confirmed_figures_are_unbiased_in_1000_runs():
    check_confirmed(1000, 2)


def test_fresh_deals_are_fresh_and_the_interval_is_an_ordinary_one():
    t = ps.round_robin(NAMES, deals=5000, until=until.leader(), look=500, confirm=700, rows="deals")
    assert (t.leaderboard["interval"] == SEQUENCE).all()
    fresh = t.confirmation
    assert (fresh.leaderboard["interval"] == INTERVAL).all() and (fresh.leaderboard.deals == 700).all()
    assert t.leaderboard.deals.max() <= 5000
    assert fresh.plan.first == FRESH > t.deals.deal.max()
    assert not fresh.leaderboard["mean"].isin(t.leaderboard["mean"]).any()
    assert ps.round_robin(NAMES, deals=100).confirmation is None


# --- looks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"until": until.leader(), "look": 200}, "tight leads at 95 %"),
        ({"until": until.apart(), "look": 200}, "every pair is told apart"),
        ({"until": until.width(0.4), "look": 200}, "every half-width is at most 0.4 chips a hand"),
        ({"until": until.width(1e-9), "look": 300, "deals": 700}, "all 700 deals are played"),
        ({"until": until.sprt("tight", "random", h1=20.0), "look": 300}, "SPRT decides H1: tight less random is 20"),
        ({"spend": "adaptive", "look": 300}, "every pair is told apart, or has played all its deals"),
        ({}, "all 20,000 deals are played"),
    ],
    ids=str,
)
def test_a_run_stops_at_the_look_that_says_so(how, said):
    call = {"deals": 20_000, "seed": 2, **how}
    t = ps.round_robin(NAMES, **call)
    assert t.stopped.startswith(said)
    most = call["deals"]
    played = t.lineup_deals
    assert played.max() <= most
    assert all(n % call.get("look", 1) == 0 or n == most for n in played)
    assert t.hands == int(played.sum()) * 2
    assert t.sequential == (0 if not how else max(most // 4, min(most, 1000)))
    same_tables(ps.round_robin(NAMES[::-1], workers=1, **call), t)


def test_the_column_says_what_the_interval_is():
    assert (ps.round_robin(NAMES, deals=100).leaderboard["interval"] == INTERVAL).all()
    t = ps.round_robin(NAMES, deals=2000, until=until.leader())
    assert (t.leaderboard["interval"] == SEQUENCE).all()
    wide = t.leaderboard.ci_high - t.leaderboard.ci_low
    assert (wide > 2 * 2.5 * t.leaderboard.se).all()  # 1.96 would be an interval of fixed n
    told = t.difference("tight", "random")
    assert told["ci_high"] - told["ci_low"] > 5 * told["se"]


def test_adaptive_spending_plays_where_it_is_needed():
    """`tight` and a near twin, among others that are far away."""
    near = ps.policies.get("tight", aggression=0.75).named("near")
    t = ps.round_robin(["tight", near, "random", "stay"], deals=3000, spend="adaptive", look=500, seed=3)
    spent = t.lineup_deals
    far = (t.lineups.isin(["random", "stay"])).all(axis=1)
    assert spent[far].max() < spent.max()
    assert spent[(t.lineups.isin(["tight", "near"])).any(axis=1)].max() == spent.max()


# --- a policy entered twice -------------------------------------------------------------------------------------------


def salted(runs, seats, deals):
    """Tournaments in which a policy is told apart from itself, with choices of its own."""
    one, two = ps.policies.get("random"), ps.policies.get("random").named("again", salt=1)
    field = [one, two, "tight", "stay"][:seats]
    wrong = 0
    for seed in range(runs):
        t = ps.round_robin(field, seats=seats, deals=deals, seed=seed, progress=False)
        groups = t.leaderboard.set_index("policy").group
        difference = t.difference("random", "again")
        assert difference["se"] > 0
        wrong += not set(groups["random"]) & set(groups["again"])
    return wrong


def test_a_policy_beside_itself_is_rarely_told_apart():
    """100 tournaments: 5 expected, standard deviation 2.2; 12 are 3.2 of them more."""
    assert salted(100, seats=2, deals=100) <= 12


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "deals"), [(2, 40), (2, 300), (3, 100), (4, 60)])
def test_a_policy_beside_itself_is_told_apart_in_at_most_32_of_400(seats, deals):
    """20 expected, standard deviation 4.4; 32 are 2.75 of them more."""
    assert salted(400, seats, deals) <= 32


@pytest.mark.parametrize(
    "how", [{"seats": 2}, {"seats": 3, "seatings": "all"}, {"seats": 4, "seatings": "all"}], ids=str
)
@pytest.mark.parametrize("name", ["random", "maniac"])
def test_twins_without_salt_differ_by_exactly_nothing(name, how):
    """Heads-up, or with all seatings, each hand of one has its mirror of the other."""
    twin = ps.policies.get(name).named("twin")
    others = ["tight", "stay"][: how["seats"] - 2]
    t = ps.round_robin([name, twin, *others], deals=50, **how)
    told = t.difference(name, "twin")
    assert (told["mean"], told["se"]) == (0, 0)
    groups = t.leaderboard.set_index("policy").group
    assert groups[name] == groups["twin"]
    assert t.crosstable.loc[name, "twin"] == 0 and t.crosstable_se.loc[name, "twin"] == 0


@pytest.mark.slow
def test_twins_among_others_are_never_told_apart():
    for seed, how in itertools.product(range(50), [{"seats": 2}, {"seats": 3, "seatings": "all"}]):
        twin = ps.policies.get("random").named("twin")
        t = ps.round_robin(["random", twin, "tight", "maniac"], deals=60, seed=seed, **how)
        told = t.difference("random", "twin")
        assert (told["mean"], told["se"]) == (0, 0)
        groups = t.leaderboard.set_index("policy").group
        assert set(groups["random"]) == set(groups["twin"])


def test_twins_told_adaptively_play_all_their_deals_and_stay_equal():
    t = ps.round_robin(
        ["tight", ps.policies.get("tight").named("twin"), "random"], deals=1500, look=500, spend="adaptive"
    )
    assert t.difference("tight", "twin")["mean"] == 0
    groups = t.leaderboard.set_index("policy").group
    assert groups["tight"] == groups["twin"] != groups["random"]
    assert isinstance(t.standing, Standing)
