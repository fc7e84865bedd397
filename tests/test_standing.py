"""What sums say about policies, beside the rows of the same hands."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from synthetic import draws, totals_of

import palace_sim as ps
from palace_sim.schedule import every_lineup
from palace_sim.standing import Standing
from palace_sim.statistics.clusters import lineup_difference, lineup_means

NAMES = ["maniac", "random", "stay", "tight"]


@pytest.fixture(scope="module", params=[2, 3])
def t(request):
    return ps.round_robin(NAMES, seats=request.param, deals=120, rows=True, seed=6)


def test_means_errors_and_differences_are_those_of_the_rows(t):
    wanted = lineup_means(t.deals.astype({"policy": str})).set_index("policy")
    board = t.leaderboard.set_index("policy")
    for column in ("mean", "se", "ci_low", "ci_high", "hands"):
        np.testing.assert_allclose(board[column], wanted.loc[board.index, column])
    for a, b in combinations(NAMES, 2):
        told, by_rows = t.difference(a, b), lineup_difference(t.deals.astype({"policy": str}), a, b)
        assert [told[k] for k in ("mean", "se", "ci_low")] == pytest.approx(
            [by_rows[k] for k in ("mean", "se", "ci_low")]
        )


def test_the_factor_of_rotations_is_that_of_the_rows(t):
    """The variance of line-ups' means if hands were independent, over that with deals as the units."""
    for name, factor in t.variance_reduction.items():
        mine = t.seats[t.seats.policy == name]
        hands = mine.groupby("lineup").net
        within = ((mine.net - hands.transform("mean")) ** 2).sum() / (len(mine) - hands.ngroups)
        alone = sum(within / n for n in hands.size())
        by_deal = mine.groupby(["lineup", "deal"]).net.mean().groupby("lineup")
        together = sum(by_deal.var(ddof=1) / by_deal.size())
        assert factor == pytest.approx(alone / together)
    assert (t.variance_reduction > 1).sum() >= 3, "rotations bring something to most"


def test_points_count_the_greater_net_in_a_deal(t):
    won, met = t.standing.points
    wide = t.deals.astype({"policy": str}).pivot_table(index=["lineup", "deal"], columns="policy", values="net")
    for a, b in combinations(range(4), 2):
        both = wide[[NAMES[a], NAMES[b]]].dropna()
        gap = both[NAMES[a]] - both[NAMES[b]]
        assert won[:, a, b].sum() == (gap > 0).sum() + (gap == 0).sum() / 2
        assert met[:, a, b].sum() == met[:, b, a].sum() == len(gap)
    assert (won + won.transpose(0, 2, 1) == met).all()


def test_crosstables_by_exact_sums_and_by_batches_agree(t):
    """Up to 1,000 deals a batch is a deal."""
    exact = t.standing.crosstable
    for i, j in combinations(range(4), 2):
        shared = np.flatnonzero(((t.standing.members == i).any(axis=1)) & ((t.standing.members == j).any(axis=1)))
        np.testing.assert_allclose(t.standing._against(i, j, shared), [exact[0][i, j], exact[1][i, j]])


def test_groups_in_any_order_give_the_same_figures():
    lineups = every_lineup(3, 2)
    parts = [
        totals_of(draws(1).integers(-20, 21, (700, 3, 2)), lineups, 3),
        totals_of(draws(2).integers(-20, 21, (900, 1, 2)), lineups[:1], 3, first=700),
        totals_of(draws(3).integers(-20, 21, (400, 2, 2)), lineups[1:], 3, first=700),
        totals_of(draws(4).integers(-20, 21, (300, 1, 2)), lineups[:1], 3, first=1600),
    ]
    one = Standing("abc", 2, parts)
    other = Standing("abc", 2, [parts[k] for k in (3, 1, 0, 2)])
    for name in ("means", "differences"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert a.tobytes() == b.tobytes()
    assert (one.told_apart() == other.told_apart()).all()
    assert one.lineup_deals.tolist() == [1900, 1100, 1100] and one.deals.tolist() == [1900, 1900, 1100]


def test_parts_of_the_same_line_ups_are_as_one():
    lineups = every_lineup(3, 2)
    nets = draws(5).integers(-20, 21, (1500, 3, 2))
    whole = Standing("abc", 2, [totals_of(nets, lineups, 3)])
    parts = Standing(
        "abc", 2, [totals_of(nets[a:b], lineups, 3, first=a) for a, b in ((1000, 1500), (0, 300), (300, 1000))]
    )
    assert parts.whole is not None
    for a, b in zip(whole.differences, parts.differences, strict=True):
        assert a.tobytes() == b.tobytes()
    assert (whole.batches == parts.batches).all() and (whole.batch_deals == parts.batch_deals).all()


def test_synthetic_sums_are_what_the_kernels_make_of_the_same_nets(t):
    """So that tests on drawn nets are about what is run."""
    seats = t.plan.seats
    wide = t.deals.astype({"policy": str}).set_index(["deal", "lineup", "policy"]).net
    nets = np.array(
        [
            [[wide[deal, k, NAMES[p]] for p in lineup] for k, lineup in enumerate(t.plan.lineups.tolist())]
            for deal in range(120)
        ]
    )
    mine, real = totals_of(nets, t.plan.lineups, 4, hands=seats), t.standing.groups[0]
    for name in ("products", "pair_net", "pair_squares", "batches", "batch_deals"):
        assert (getattr(mine, name) == getattr(real, name)).all(), name
    assert (mine.policy[:, :2] == real.policy[:, :2]).all()


def test_a_policy_that_never_met_another_has_no_entry_for_it():
    t = ps.gauntlet("tight", ["stay", "random"], deals=40)
    table = t.crosstable
    assert np.isnan(table.loc["stay", "random"]) and not np.isnan(table.loc["tight", "random"])
    assert isinstance(t.lineup_deals, pd.Series) and t.lineup_deals.tolist() == [40, 40]
