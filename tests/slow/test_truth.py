"""Intervals of real tournaments cover the truth, and statistics of large ones are quick. Run with: pytest -m slow.

Truth is an independent run of 100 times the deals: its own error adds 1 % to the variance of the difference, which
takes 0.12 points off a coverage of 95 %; 926 to 971 of 1,000 leave room for that (950 less 3.5 and more 3.0 times 6.9).
"""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.conducting import Conductor, Running
from palace_sim.statistics import interval

pytestmark = pytest.mark.slow

DEALS = 200
RUNS = 1000


def covering(play, truth):
    """Runs in which each policy's interval covers, and in which that of the first pair's difference does."""
    figures, pairs = np.zeros(len(truth), int), 0
    for seed in range(RUNS):
        standing = play(seed)
        mean, se = standing.means
        low, high = interval(mean, se, standing.units)
        figures += (low <= truth) & (truth <= high)
        gap, error = standing.differences
        low, high = interval(gap[0, 1], error[0, 1], standing.units)
        pairs += low <= truth[0] - truth[1] <= high
    return [*figures.tolist(), pairs]


@pytest.mark.parametrize(
    ("names", "seats"),
    [(["buyer", "random", "tight"], 2), (["buyer", "maniac", "patriot", "tight"], 3)],
    ids=["heads-up", "three seats"],
)
def test_intervals_of_real_tournaments_cover(names, seats):
    truth = ps.round_robin(names, seats=seats, deals=100 * DEALS, seed=10**6).standing.means[0]

    def play(seed):
        return ps.round_robin(names, seats=seats, deals=DEALS, seed=seed, progress=False).standing

    found = covering(play, truth)
    assert all(926 <= many <= 971 for many in found), found


def test_intervals_cover_where_line_ups_played_different_numbers_of_deals():
    """The first line-up plays all deals, the second half of them, the third a quarter."""
    names = ["buyer", "random", "tight"]
    truth = ps.round_robin(names, deals=100 * DEALS, seed=10**6).standing.means[0]
    plan = ps.round_robin(names, deals=1).plan

    def play(seed):
        import dataclasses

        conductor = Conductor(dataclasses.replace(plan, seed=seed), Running(progress=False), {})
        for lineup, part in enumerate((1, 2, 4)):
            conductor.play(np.array([lineup]), 0, DEALS // part)
        standing = conductor.standing()
        assert standing.whole is None
        return standing

    found = covering(play, truth)
    assert all(926 <= many <= 971 for many in found), found


def test_the_named_table_without_luck():
    """Four patriots with 20, 12, 6 and 3 buys at an ante of 40, 4,000 deals, fitted on 4,000 others."""
    table = [ps.policies.get("patriot", buys=buys).named(f"patriot{buys}") for buys in (20, 12, 6, 3)]
    t = ps.round_robin(table, ps.Rules(ante=40), seats=4, deals=4000, seed=1, luck=True)
    found = t.without_luck(pilot=4000).set_index("policy")
    assert (found.factor[["patriot20", "patriot12", "patriot6"]] > 1.2).all()


def test_statistics_of_a_million_deals_of_ten_policies():
    """Under 5 seconds and 1 GB, in a process of its own; memory does not grow with deals."""
    script = textwrap.dedent("""
        import resource, time
        import palace_sim as ps
        def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        names = [n for n in ps.policies.NAMES if n != "pot_odds"]
        entrants = [*names, ps.policies.get("tight", aggression=0.5)]
        ps.round_robin(entrants, deals=200)
        small = peak()
        t = ps.round_robin(entrants, deals=1_000_000 // 45, luck=True)
        grown = peak()
        began = time.perf_counter()
        t.leaderboard, t.crosstable, t.crosstable_se, t.variance_reduction, t.standing.points, str(t)
        t.difference("tight", "stay")
        print(time.perf_counter() - began, peak(), grown - small)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    seconds, peak, grown = map(float, done.stdout.split())
    assert seconds < 5 and peak < 1024 and grown < 100, done.stdout
