"""Figures over line-ups of different deals: by plain arithmetic, by the table of rows, and beside exact sums."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import draws, totals_of

from palace_sim.schedule import every_lineup
from palace_sim.standing import Standing
from palace_sim.statistics import differences, interval, letters, means, told_apart
from palace_sim.statistics.clusters import lineup_means
from palace_sim.statistics.groups import told_apart_by
from palace_sim.statistics.lineups import figures, lineup_contributions


def random_run(seed, policies=4, seats=2, most=12):
    """Deals of line-ups that play different deals: each its first few, but for a start that some leave out."""
    rng = draws(seed)
    lineups = every_lineup(policies, seats)
    deals = np.zeros((most, len(lineups)), np.int64)
    for lineup in range(len(lineups)):
        first = rng.integers(0, 3)
        deals[first : rng.integers(first + 2, most + 1), lineup] = 1
    nets = rng.integers(-30, 31, (most, len(lineups), seats)) * deals[:, :, None]
    return lineups, deals, nets


def rows_of(lineups, deals, nets, hands):
    """The same as a table with a row a deal, line-up and policy."""
    rows = []
    for deal, lineup in np.argwhere(deals).tolist():
        for member, policy in enumerate(lineups[lineup].tolist()):
            rows.append((lineup, deal, f"p{policy}", hands, int(nets[deal, lineup, member])))
    return pd.DataFrame(rows, columns=["lineup", "deal", "policy", "hands", "net"])


def by_hand(policy, lineups, deals, nets, hands):
    """Mean and standard error of one policy, term by term as in the formula."""
    own = [(lineup, list(row).index(policy)) for lineup, row in enumerate(lineups.tolist()) if policy in row]
    mean, u = 0.0, [0.0] * len(deals)
    for lineup, member in own:
        played = [d for d in range(len(deals)) if deals[d, lineup]]
        x = {d: nets[d, lineup, member] / hands for d in played}
        m = sum(x.values()) / len(played)
        mean += m / len(own)
        for d in played:
            u[d] += (x[d] - m) / (len(own) * len(played))
    return mean, u


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4))
def test_figures_by_plain_arithmetic_and_by_the_table_of_rows(seed, policies, hands):
    lineups, deals, nets = random_run(seed, policies)
    found = figures(lineups, deals, nets, hands, policies)
    units = len(found.contributions)
    table = lineup_means(rows_of(lineups, deals, nets, hands)).set_index("policy")
    every = [by_hand(p, lineups, deals, nets, hands) for p in range(policies)]
    for p in range(policies):
        mean, u = every[p]
        assert found.mean[p] == pytest.approx(mean, abs=1e-12)
        assert found.se[p] == pytest.approx(math.sqrt(units / (units - 1) * sum(x * x for x in u)), abs=1e-12)
        assert table.loc[f"p{p}", "mean"] == pytest.approx(mean, abs=1e-12)
        # the table counts the deals that the policy met, these figures all deals of the run
        met = int(table.loc[f"p{p}", "deals"])
        wanted = table.loc[f"p{p}", "se"] * math.sqrt((units / (units - 1)) / (met / (met - 1)))
        assert found.se[p] == pytest.approx(wanted, abs=1e-12)
    gap, se = found.differences()
    for i in range(policies):
        for j in range(policies):
            square = sum((a - b) ** 2 for a, b in zip(every[i][1], every[j][1], strict=True))
            assert gap[i, j] == pytest.approx(every[i][0] - every[j][0], abs=1e-12)
            assert se[i, j] == pytest.approx(math.sqrt(units / (units - 1) * square), abs=1e-12)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("deals", [2, 50, 1000])
def test_where_all_play_the_same_deals_it_is_the_exact_sums(seats, deals):
    policies = 4
    lineups = every_lineup(policies, seats)
    nets = draws(deals, seats).integers(-500, 501, (deals, len(lineups), seats))
    totals = totals_of(nets, lineups, policies)
    standing = Standing([f"p{k}" for k in range(policies)], seats, [totals])
    found = figures(lineups, standing.batch_deals, standing.batches[:, :, :seats], seats, policies)
    exact = means(totals.policy[:, 1].tolist(), totals.products, deals, standing.hands_per_deal)
    np.testing.assert_allclose(found.mean, exact[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(found.se, exact[1], rtol=1e-11)
    paired = differences(totals.policy[:, 1].tolist(), totals.products, deals, standing.hands_per_deal)
    np.testing.assert_allclose(found.differences()[1], paired[1], rtol=1e-10, atol=1e-12)
    assert np.allclose(found.contributions.sum(axis=0), 0)


def test_more_deals_than_batches_lose_only_degrees_of_freedom():
    """4,000 deals in 1,000 batches: the error has a relative spread of 1/√2,000 about that of the deals."""
    lineups = every_lineup(3, 2)
    totals = totals_of(draws(7).integers(-50, 51, (4000, 3, 2)), lineups, 3)
    standing = Standing(["a", "b", "c"], 2, [totals])
    found = figures(lineups, standing.batch_deals, standing.batches[:, :, :2], 2, 3)
    np.testing.assert_allclose(found.mean, standing.means[0], rtol=1e-11)
    np.testing.assert_allclose(found.se, standing.means[1], rtol=4 / math.sqrt(2000))


def test_a_line_up_that_has_played_nothing_says_nothing():
    lineups = np.array([[0, 1], [1, 2]])
    deals = np.array([[1, 0], [1, 0], [0, 0]])
    nets = np.array([[[4, -4], [0, 0]], [[8, -8], [0, 0]], [[0, 0], [0, 0]]])
    found = figures(lineups, deals, nets, 1, 3)
    assert found.mean[:2].tolist() == [6, -6] and np.isnan(found.mean[2])
    assert len(found.contributions) == 2  # the empty batch is none


def test_a_single_batch_has_no_error():
    found = figures(np.array([[0, 1]]), np.array([[1]]), np.array([[[4, -4]]]), 1, 2)
    assert np.isnan(found.se).all() and np.isnan(found.differences()[1]).all()


def test_contributions_are_what_figures_are_made_of():
    lineups, deals, nets = random_run(11, 3)
    parts = lineup_contributions(deals, nets, 2)
    found = figures(lineups, deals, nets, 2, 3)
    for p in range(3):
        own = (lineups == p)[None]
        np.testing.assert_allclose((parts * own).sum(axis=(1, 2)) / (lineups == p).sum(), found.contributions[:, p])


def coverage(runs, key, deals=60):
    """Intervals that cover, of four policies whose line-ups share deals and play different numbers of them.

    Everybody has a luck of its own in every deal, which shows in all its line-ups: they are far from independent.
    """
    lineups = every_lineup(4, 2)
    # each line-up plays the first so many deals
    many = [deals, deals, deals // 2, deals, deals // 3, deals // 2]
    strengths = np.array([2.0, 1.0, 0.0, -3.0])
    truth = strengths - (strengths.sum() - strengths) / 3
    counts = (np.arange(deals)[:, None] < many).astype(np.int64)
    covered = np.zeros(4, int)
    for number in range(runs):
        rng = draws(key, number)
        luck = 5 * rng.standard_normal((deals, 4)) + strengths
        nets = luck[:, lineups[:, 0]] - luck[:, lineups[:, 1]] + 4 * rng.standard_t(5, (deals, 6))
        found = figures(lineups, counts, np.stack([nets, -nets], axis=2) * counts[:, :, None], 1, 4)
        low, high = interval(found.mean, found.se, len(found.contributions))
        covered += (low <= truth) & (truth <= high)
    return covered


def test_intervals_cover_where_line_ups_share_deals_in_part():
    """In 926 to 971 of 1,000 runs: 950 less 3.5 and more 3.0 standard deviations of √(1000·0.05·0.95) = 6.9."""
    covered = coverage(1000, 21)
    assert ((covered >= 926) & (covered <= 971)).all(), covered


# --- who is told apart, from contributions ----------------------------------------------------------------------------


def test_told_apart_by_contributions_is_told_apart_by_exact_sums():
    lineups = every_lineup(5, 2)
    strengths = np.array([0.0, 0.0, 2.0, 2.1, 5.0])
    rng = draws(31)
    true = strengths[lineups[:, 0]] - strengths[lineups[:, 1]]
    nets = np.round(2 * true + 8 * rng.standard_normal((400, 10))).astype(np.int64)
    totals = totals_of(np.stack([nets, -nets], axis=2), lineups, 5)
    standing = Standing([f"p{k}" for k in range(5)], 2, [totals])
    found = standing.figures
    by_sums = standing.told_apart()
    assert (told_apart_by(*found.differences(), found.contributions) == by_sums).all()
    assert by_sums[0, 4] and not by_sums[0, 1]
    said = letters(standing.means[0], ~by_sums)
    for i in range(5):
        for j in range(5):
            assert bool(set(said[i]) & set(said[j])) == (i == j or not by_sums[i, j])


def test_equals_are_rarely_told_apart_where_deals_differ():
    """Six equal policies, line-ups of 120, 60 or 40 deals: any pair is told apart in at most 5 % of tournaments.

    200 tournaments: 10 expected, standard deviation 3.1; 21 are 3.5 of them more.
    """
    lineups = every_lineup(6, 2)
    many = np.resize([120, 60, 40], len(lineups))
    counts = (np.arange(120)[:, None] < many).astype(np.int64)
    wrong = 0
    for number in range(200):
        nets = draws(41, number).standard_normal((120, len(lineups))) * counts
        found = figures(lineups, counts, np.stack([nets, -nets], axis=2), 1, 6)
        wrong += told_apart_by(*found.differences(), found.contributions, draws=400).any()
    assert wrong <= 21


def test_twins_are_never_told_apart_whatever_their_deals():
    figures_of_deals = draws(51).normal(3, 1, 30)
    u = np.stack([figures_of_deals] * 2 + [figures_of_deals + draws(52).normal(5, 1, 30)], axis=1)
    mean = u.mean(axis=0)
    u = (u - mean) / 30
    gap = mean[:, None] - mean[None, :]
    se = np.sqrt(30 / 29 * ((u[:, :, None] - u[:, None, :]) ** 2).sum(axis=0))
    assert told_apart_by(gap, se, u).tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_exact_and_batch_versions_agree_on_no_spread():
    """A difference that is the same in every deal, and not 0, is told apart from 10 deals on, by both."""
    for deals, wanted in ((9, False), (10, True)):
        nets = np.tile([[[3, -3]]], (deals, 1, 1))
        lineups = every_lineup(2, 2)
        totals = totals_of(nets, lineups, 2)
        standing = Standing(["a", "b"], 2, [totals])
        assert standing.told_apart()[0, 1] == wanted
        found = standing.figures
        assert told_apart_by(*found.differences(), found.contributions)[0, 1] == wanted
        args = (totals.batch_deals, totals.batch_net[:, 0], [2, 2], totals.products, totals.policy[:, 1].tolist())
        assert told_apart(*args)[0, 1] == wanted
