"""Plots of courses show the numbers of their tables: net by deals, searches, leagues."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.special import lambertw

import palace_sim as ps
from palace_sim import plots

# Two line-ups of two hands a deal in which "a" sits, one in which "b" does.
DEALS = pd.DataFrame(
    {
        "lineup": [0, 0, 1] * 3,
        "deal": [0, 0, 0, 1, 1, 1, 2, 2, 2],
        "policy": ["a", "b", "a"] * 3,
        "hands": 2,
        "net": [8, -8, 4, 0, 0, 4, 16, -16, 20],
    }
)
# means of a's line-ups: (4 + 2)/2, (0 + 2)/2, (8 + 10)/2; of b: -4, 0, -8
MEANS = {"a": [3.0, 2.0, 13 / 3], "b": [-4.0, -2.0, -4.0]}
COURSE = pd.DataFrame(
    {
        "generation": [0, 1, 2],
        "best": [1.0, 3.0, 2.5],
        "best_se": [0.5, 0.25, 0.25],
        "mean": [-1.0, 1.0, 2.0],
        "sigma": [0.3, 0.2, 0.1],
        "hands": [1000, 2000, 3000],
    }
)
ROUNDS = pd.DataFrame(
    {
        "round": [1, 2, 3],
        "policies": [2, 3, 4],
        "support": [1, 2, 2],
        "mean": [4.0, 1.0, 0.25],
        "ci_low": [3.5, 0.5, -0.25],
        "ci_high": [4.5, 1.5, 0.75],
    }
)


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def band(area):
    """Lower and upper edge of a shaded band, by place."""
    corners = area.get_paths()[0].vertices
    at = sorted(set(corners[:, 0]))
    return [(x, corners[corners[:, 0] == x, 1].min(), corners[corners[:, 0] == x, 1].max()) for x in at]


def test_net_over_time_is_the_mean_of_line_ups_deal_by_deal():
    ax = plots.net_over_time(DEALS)
    shown = lines(ax)
    assert list(shown) == ["a", "b"]  # best first
    for name, line in shown.items():
        assert line.get_xdata().tolist() == [1, 2, 3]
        np.testing.assert_allclose(line.get_ydata(), MEANS[name], rtol=1e-14)
    assert ax.get_xlabel() == "deals"
    assert "chips a hand" in ax.get_ylabel()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert shown["a"].get_color() != shown["b"].get_color()


def test_the_band_is_students_t_at_each_deal():
    """Two deals of 3 and 1: se 1, and t of one degree is 12.706; all three, 3, 1, 9: sd √(52/3), t of two is 4.303."""
    ax = plots.net_over_time(DEALS, policies=["a"])
    edges = band(ax.collections[0])
    # one deal has no interval
    assert [x for x, low, _ in edges if np.isfinite(low)] == [2, 3]
    (_, low, high), (_, low3, high3) = [edge for edge in edges if np.isfinite(edge[1])]
    np.testing.assert_allclose([low, high], [2 - 12.706, 2 + 12.706], atol=5e-4)
    half = 4.3027 * np.sqrt(52 / 3 / 3)
    np.testing.assert_allclose([low3, high3], [13 / 3 - half, 13 / 3 + half], atol=5e-4)


def test_cumulative_net_is_what_all_hands_won():
    ax = plots.net_over_time(DEALS, cumulative=True)
    shown = lines(ax)
    np.testing.assert_allclose(shown["a"].get_ydata(), [12, 16, 52], rtol=1e-14)  # all of a's nets
    np.testing.assert_allclose(shown["b"].get_ydata(), [-8, -8, -24], rtol=1e-14)
    assert ax.get_ylabel() == "net of all hands so far, chips"


@pytest.fixture(scope="module")
def result():
    return ps.round_robin(["tight", "random", "stay"], seats=2, deals=600, seed=1, rows=True)


@pytest.mark.parametrize("rows", ["deals", "seats"])
def test_the_end_of_the_line_is_the_leaderboard(result, rows):
    ax = plots.net_over_time(getattr(result, rows))
    board = result.leaderboard.set_index("policy")
    assert list(lines(ax)) == list(board.index)
    for name, area in zip(board.index, ax.collections, strict=True):
        line = lines(ax)[name]
        assert len(line.get_xdata()) == 400  # thinned out
        assert line.get_xdata()[-1] == 600
        _, low, high = band(area)[-1]
        wanted = board.loc[name, ["mean", "ci_low", "ci_high"]].tolist()
        np.testing.assert_allclose([line.get_ydata()[-1], low, high], wanted, rtol=1e-9)


def test_a_sequence_is_wider_and_says_what_it_is(result):
    """By the formulas under `confidence_sequence`, tightest at the last deal; 600 deals: t at 0.975 is 1.9639."""
    plain, sequence = (plots.net_over_time(result.deals, ["tight"], band=kind) for kind in ("interval", "sequence"))
    (_, low, high), (_, low_all, high_all) = (band(ax.collections[0])[-1] for ax in (plain, sequence))
    n, alpha = 600, 0.05
    g = -lambertw(-(alpha**2) / np.e, -1).real
    c = (g / alpha**2) ** (1 / n)
    wide = np.sqrt((n - 1) * g * (c - 1) / (g - c))
    assert (high_all - low_all) / (high - low) == pytest.approx(wide / 1.9639, rel=1e-4)
    assert any("confidence sequence" in text.get_text() for text in sequence.texts)
    sequence.figure.draw_without_rendering()


def test_net_over_time_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match="band takes one of 'interval', 'sequence', got 'x'"):
        plots.net_over_time(DEALS, band="x")
    with pytest.raises(ValueError, match="policies has 'c', which is not in table; it has a, b"):
        plots.net_over_time(DEALS, policies=["c"])
    with pytest.raises(ValueError, match="those of a have not"):
        plots.net_over_time(DEALS.drop(index=8))
    with pytest.raises(ValueError, match=r"no column net; it has .*; pass Result.deals or Result.seats"):
        plots.net_over_time(DEALS.drop(columns="net"))


def test_search_course_shows_best_mean_and_step_size():
    score = SimpleNamespace(mean=2.25, ci_low=2.0, ci_high=2.5)
    ax = plots.search_course(COURSE, score)
    shown = lines(ax)
    assert shown["best of the generation"].get_ydata().tolist() == [1.0, 3.0, 2.5]
    assert shown["mean of the generation"].get_ydata().tolist() == [-1.0, 1.0, 2.0]
    assert shown["best of the generation"].get_xdata().tolist() == [1000, 2000, 3000]
    assert list(shown["what was found, on fresh deals"].get_ydata()) == [2.25, 2.25]
    np.testing.assert_allclose(
        band(ax.collections[0]), [(1000, 0.02, 1.98), (2000, 2.51, 3.49), (3000, 2.01, 2.99)], atol=1e-3
    )  # 1.96 standard errors
    (step,) = [other for other in ax.figure.axes if other is not ax]
    assert step.lines[0].get_ydata().tolist() == [0.3, 0.2, 0.1]
    assert step.get_xlabel() == "hands played"
    assert "what was found, on fresh deals" not in lines(plots.search_course(COURSE))


def test_league_course_has_every_round_with_its_interval():
    ax = plots.league_course(ROUNDS)
    line = next(line for line in ax.lines if line.get_marker() == "o")
    assert line.get_xdata().tolist() == [1, 2, 3]
    assert line.get_ydata().tolist() == [4.0, 1.0, 0.25]
    ends = [tuple(part[:, 1]) for bars in ax.collections for part in bars.get_segments()]
    assert ends == [(3.5, 4.5), (0.5, 1.5), (-0.25, 0.75)]
    assert [text.get_text() for text in ax.texts[1:]] == ["1", "2", "2"]
    assert "chips a hand" in ax.get_ylabel()


ALL = [(plots.net_over_time, DEALS), (plots.search_course, COURSE), (plots.league_course, ROUNDS)]


@pytest.mark.parametrize(("draw", "table"), ALL)
def test_plots_draw_where_they_are_told_and_change_nothing_else(draw, table):
    before = table.copy()
    for ax in (Figure().add_subplot(), Figure().add_axes((0.2, 0.4, 0.7, 0.5))):
        assert draw(table, ax=ax) is ax
        ax.figure.draw_without_rendering()
    assert draw(table).figure is not draw(table).figure
    pd.testing.assert_frame_equal(table, before)
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize(
    ("draw", "table", "gone"), [(plots.search_course, COURSE, "sigma"), (plots.league_course, ROUNDS, "ci_low")]
)
def test_plots_name_the_column_that_is_missing_and_the_table_to_pass(draw, table, gone):
    with pytest.raises(ValueError, match=rf"no column {gone}; it has .*; pass (Optimum.course|League.rounds)"):
        draw(table.drop(columns=gone))
    with pytest.raises(ValueError, match="no rows"):
        draw(table.iloc[:0])
