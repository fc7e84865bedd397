"""Plots show the numbers of their tables, and nothing global changes."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from palace_sim import plots

BOARD = pd.DataFrame(
    {
        "policy": ["middle", "best", "worst"],
        "mean": [0.5, 2.0, -2.5],
        "ci_low": [0.0, 1.5, -3.5],
        "ci_high": [1.0, 2.5, -1.5],
        "deals": 1234,
        "group": ["ab", "a", "b"],
    }
)
SEATS = pd.DataFrame(
    {
        "seats": [3, 3, 3, 2, 2],
        "position": [2, 0, 1, 0, 1],
        "mean": [3.0, -2.0, -1.0, -0.5, 0.5],
        "ci_low": [2.0, -2.5, -2.0, -1.0, 0.0],
        "ci_high": [4.0, -1.5, 0.0, 0.0, 1.0],
        "deals": [500, 500, 500, 700, 700],
    }
)


def intervals(ax):
    """All intervals drawn, as ((x, y), (x, y)) of their ends."""
    return [tuple(map(tuple, np.round(part, 9))) for bars in ax.collections for part in bars.get_segments()]


def points(ax):
    return [
        tuple(point)
        for line in ax.lines
        if line.get_marker() in ("o", "s")
        for point in np.round(np.column_stack([line.get_xdata(), line.get_ydata()]), 9)
    ]


def test_leaderboard_has_the_best_on_top_with_its_interval_and_letters():
    ax = plots.leaderboard(BOARD)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["best", "middle", "worst"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # 0 is on top
    assert points(ax) == [(2.0, 0), (0.5, 1), (-2.5, 2)]
    assert intervals(ax) == [((1.5, 0), (2.5, 0)), ((0.0, 1), (1.0, 1)), ((-3.5, 2), (-1.5, 2))]
    assert [text.get_text() for text in ax.texts] == ["group", "a", "ab", "b"]
    assert [text.xy[1] for text in ax.texts[1:]] == [0, 1, 2]
    assert "chips a hand" in ax.get_xlabel()
    assert "1,234 deals" in ax.get_xlabel()
    assert ax.get_title(loc="left") == "Leaderboard"


def test_leaderboard_without_groups_or_errors():
    board = BOARD.drop(columns="group").assign(ci_low=np.nan, ci_high=np.nan)
    ax = plots.leaderboard(board, title="One deal")
    ax.figure.draw_without_rendering()
    assert len(points(ax)) == 3
    assert list(ax.texts) == []
    assert ax.get_title(loc="left") == "One deal"


def test_seat_effect_has_a_block_of_positions_for_each_number_of_players():
    ax = plots.seat_effect(SEATS)
    # two players at 0 and 1, a gap, three players at 3 to 5
    assert points(ax) == [(0, -0.5), (1, 0.5), (3, -2.0), (4, -1.0), (5, 3.0)]
    assert intervals(ax) == [
        ((0, -1.0), (0, 0.0)),
        ((1, 0.0), (1, 1.0)),
        ((3, -2.5), (3, -1.5)),
        ((4, -2.0), (4, 0.0)),
        ((5, 2.0), (5, 4.0)),
    ]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "D", "0", "1", "D"]
    assert [text.get_text() for text in ax.texts] == ["2", "3", "players"]
    assert [text.xy[0] for text in ax.texts[:2]] == [0.5, 4.0]
    assert "chips a hand" in ax.get_ylabel()
    assert "500 to 700 deals" in ax.get_title(loc="left")


@pytest.mark.parametrize(("draw", "table"), [(plots.leaderboard, BOARD), (plots.seat_effect, SEATS)])
def test_plots_draw_where_they_are_told_and_change_nothing_else(draw, table):
    before = table.copy()
    ax = Figure().add_subplot()
    assert draw(table, ax=ax) is ax
    assert draw(table).figure is not draw(table).figure
    pd.testing.assert_frame_equal(table, before)
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize(("draw", "table"), [(plots.leaderboard, BOARD), (plots.seat_effect, SEATS)])
def test_plots_name_the_columns_that_are_missing(draw, table):
    with pytest.raises(ValueError, match="no column mean, deals"):
        draw(table.drop(columns=["mean", "deals"]))
    with pytest.raises(ValueError, match="no rows"):
        draw(table.iloc[:0])


def test_colours_differ_in_lightness_too():
    """Relative luminance by the sRGB formula: told apart in grey as well."""

    def luminance(colour):
        channels = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    a, b = (luminance(colour) for colour in plots.COLOURS)
    assert abs(a - b) > 0.05
    assert len(plots.MARKERS) >= len(plots.COLOURS)
