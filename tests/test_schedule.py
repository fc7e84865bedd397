"""Line-ups: how many, none twice, everybody equally often, the same for the same seed."""

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import palace_sim as ps
from palace_sim import schedule
from palace_sim.kernels.play import seat_by_number


@pytest.mark.parametrize(("policies", "seats"), [(2, 2), (5, 2), (6, 4), (10, 10), (12, 3)])
def test_every_lineup_once(policies, seats):
    found = [tuple(row) for row in schedule.every_lineup(policies, seats).tolist()]
    assert found == list(combinations(range(policies), seats))


def check_balanced(policies, seats, tables, seed):
    found = schedule.balanced_lineups(policies, seats, tables, seed)
    rows = [tuple(row) for row in found.tolist()]
    assert len(rows) == len(set(rows)) == tables and rows == sorted(rows)
    assert all(len(set(row)) == seats and row == tuple(sorted(row)) for row in rows)
    counts = np.bincount(found.ravel(), minlength=policies)
    assert counts.max() - counts.min() <= 1
    return rows


@settings(max_examples=60)
@given(st.data())
def test_a_balanced_choice_has_no_table_twice_and_seats_all_equally_often(data):
    policies = data.draw(st.integers(2, 9))
    seats = data.draw(st.integers(2, min(policies, 5)))
    tables = data.draw(st.integers(1, comb(policies, seats)))
    seed = data.draw(st.integers(0, (1 << 63) - 1))
    rows = check_balanced(policies, seats, tables, seed)
    assert rows == [tuple(row) for row in schedule.balanced_lineups(policies, seats, tables, seed).tolist()]


@pytest.mark.parametrize(("policies", "seats"), [(3, 2), (4, 2), (5, 2), (5, 3), (6, 4)])
def test_every_number_of_tables_can_be_balanced(policies, seats):
    """Where nearly all line-ups are taken, whoever fills tables one after the other runs out of new ones."""
    for tables in range(1, comb(policies, seats) + 1):
        for seed in range(5):
            check_balanced(policies, seats, tables, seed)


def test_a_balanced_choice_depends_on_the_seed_and_pairs_meet_evenly():
    rows = check_balanced(20, 4, 100, seed=1)
    assert rows != check_balanced(20, 4, 100, seed=2)
    meetings = np.zeros((20, 20))
    for row in rows:
        for a, b in combinations(row, 2):
            meetings[a, b] += 1
    # 600 meetings of 190 pairs, 3.16 each: at random a variance of about 3; the most even of 20 designs is no worse
    assert meetings[np.triu_indices(20, 1)].var() < 3.5


def test_a_gauntlet_has_the_challenger_in_every_lineup():
    found = [tuple(row) for row in schedule.gauntlet_lineups(6, 4).tolist()]
    assert found == [row for row in combinations(range(6), 4) if row[0] == 0]
    assert schedule.gauntlet_lineups(4, 3, copies=True).tolist() == [[0, k, k] for k in (1, 2, 3)]


def test_a_population_sits_by_its_weights():
    """Weights show where hardly any table is drawn twice.

    120 policies, half of them with three times the weight: they fill 0.75 of 8,000 seats, standard error 0.0048 if
    seats were independent (tables of one policy alone, 1 in 10^5, aside).
    """
    weights = [3.0] * 60 + [1.0] * 60
    found, times = schedule.population_lineups(weights, 4, 2000, seed=3)
    assert times.sum() == 2000
    assert len(np.unique(found, axis=0)) == len(found) > 1980
    assert (found.min(axis=1) < found.max(axis=1)).all()
    assert abs((found < 60).mean() - 0.75) < 4 * 0.0048
    assert (found == schedule.population_lineups(weights, 4, 2000, seed=3)[0]).all()
    assert schedule.population_lineups(weights, 4, 50, seed=4)[0].tolist() != found[:50].tolist()


def test_a_table_that_came_up_twice_counts_twice():
    t = ps.population({"tight": 4, "random": 1, "buyer": 2}, seats=3, tables=60, deals=20, seed=3, rows=True)
    assert t.plan.times is not None and sum(t.plan.times) == 60 and max(t.plan.times) > 3
    seats = t.seats.assign(times=np.array(t.plan.times)[t.seats.lineup])
    for row in t.leaderboard.itertuples():
        mine = seats[seats.policy == row.policy]
        of_deal = mine.groupby(["lineup", "deal"]).agg(net=("net", "mean"), times=("times", "first")).reset_index()
        means = of_deal.groupby("lineup").agg(net=("net", "mean"), times=("times", "first"))
        assert row.mean == pytest.approx(np.average(means.net, weights=means.times), rel=1e-12)
        part = (of_deal.net - of_deal.lineup.map(means.net)) * of_deal.times / means.times.sum() / 20
        u = part.groupby(of_deal.deal).sum()
        assert row.se == pytest.approx(np.sqrt(20 / 19 * (u**2).sum()), rel=1e-9)


def test_weights_that_leave_one_policy_alone_are_refused():
    with pytest.raises(ValueError, match="weights takes a mix of policies"):
        ps.population({"tight": 1e12, "random": 1e-12}, seats=2, tables=3, deals=5)


@pytest.mark.parametrize("seats", range(2, 7))
def test_seatings_are_all_permutations_in_their_order(seats):
    at = np.zeros(10, np.int64)
    found = []
    for number in range(schedule.seatings(seats, every=True)):
        seat_by_number(at, seats, number)
        found.append(tuple(at[:seats].tolist()))
    assert found == list(permutations(range(seats)))


def test_with_all_seatings_every_lineup_plays_each_of_them_once_a_deal():
    t = ps.round_robin(["random", "stay", "tight", "maniac"], seats=3, deals=4, seatings="all", rows=True)
    seated = t.seats.sort_values("seat").groupby(["lineup", "deal", "rotation"]).policy.agg(tuple)
    for (lineup, _), orders in seated.groupby(level=["lineup", "deal"]):
        assert sorted(orders) == sorted(permutations(t.lineups.loc[lineup]))
    assert t.hands == 4 * 4 * 6 and (t.leaderboard.hands == 3 * 4 * 6).all()
    assert t.deals.groupby(["lineup", "deal"]).net.sum().eq(0).all()


def test_tournaments_play_their_schedules():
    names = ["random", "stay", "tight", "maniac", "buyer"]
    t = ps.gauntlet("tight", [n for n in names if n != "tight"], seats=3, deals=5)
    assert len(t.lineups) == 6 and (t.lineups == "tight").any(axis=1).all()
    t = ps.gauntlet("tight", ["random", "stay"], seats=4, deals=5, copies=True)
    assert sorted(sorted(row) for row in t.lineups.to_numpy().tolist()) == [
        ["random", "random", "random", "tight"],
        ["stay", "stay", "stay", "tight"],
    ]
    t = ps.round_robin(names, seats=3, tables=5, deals=5, seed=2)
    assert len(t.lineups) == 5 and (t.leaderboard.hands == 3 * 5 * 3).all()
    again = ps.round_robin(names[::-1], seats=3, tables=5, deals=5, seed=2)
    assert t.leaderboard.equals(again.leaderboard) and t.lineups.equals(again.lineups)
    t = ps.population({"tight": 3, "random": 1}, seats=3, tables=30, deals=5)
    assert t.lineups.to_numpy().tolist() == [["random", "random", "tight"], ["random", "tight", "tight"]]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ps.round_robin(["tight"]), "needs 2 different ones"),
        (lambda: ps.round_robin([]), "policies takes|policies has"),
        (lambda: ps.round_robin(["tight", "tight"]), "'tight' twice: rename one"),
        (lambda: ps.round_robin(["tight", "random"], seats=3), "policies has 2; a table of seats=3 needs 3"),
        (lambda: ps.round_robin(["tight", "random"], tables=2), "tables takes None or a number of line-ups"),
        (lambda: ps.round_robin(["tight", "random"], tables=0), "tables takes"),
        (lambda: ps.round_robin(["tight", "random"], seatings="some"), "seatings takes 'rotations' or 'all'"),
        (lambda: ps.round_robin(list(ps.policies.NAMES), seats=6, seatings="all", deals=1), "takes up to 5 seats"),
        (lambda: ps.gauntlet("tight", []), "field"),
        (lambda: ps.gauntlet("tight", ["tight", "stay"]), "'tight' twice"),
        (lambda: ps.gauntlet("tight", ["stay"], seats=4), "policies has 2; a table of seats=4 needs 4"),
        (lambda: ps.population(["tight", "stay"]), "weights takes a dict"),
        (lambda: ps.population({"tight": 1}), "two policies or more"),
        (lambda: ps.population({"tight": 1, "stay": -1}), "weights takes numbers of 0 or more, got -1 for stay"),
        (lambda: ps.population({"tight": 1, "stay": float("nan")}), "weights takes numbers of 0 or more, got nan"),
        (lambda: ps.population({"tight": 1, "stay": 0}), "two policies or more with a weight above 0"),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_more_lineups_than_can_be_played_are_refused():
    many = [ps.policies.get("random").named(f"p{k:02}") for k in range(40)]
    with pytest.raises(ValueError, match=r"40 policies at 4 seats make 91390 line-ups.*pass tables="):
        ps.round_robin(many, seats=4)
    with pytest.raises(ValueError, match="field has 39 policies: 82251 line-ups"):
        ps.gauntlet(many[0], many[1:], seats=5)
