"""Plots show the numbers of their tables, and nothing global changes."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import palace_sim as ps
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
    # the letters of a group below each other
    assert [text.get_text() for text in ax.texts[:4]] == ["group", "a", "ab", " b"]
    assert [text.xy[1] for text in ax.texts[1:4]] == [0, 1, 2]
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


def test_leaderboard_says_what_its_intervals_are():
    assert "(mean and 95 % interval, " in plots.leaderboard(BOARD).get_xlabel()
    sequence = plots.leaderboard(BOARD.assign(interval="95 % confidence sequence"))
    assert "(mean and 95 % confidence sequence, " in sequence.get_xlabel()


NONE = float("nan")
NAMES = ["a", "b", "c"]
# in standard errors of 1: beside the two-sided normal quantile at 0.05/3, which tables give as 2.394
CROSS = pd.DataFrame([[NONE, 2.41, 2.38], [-2.41, NONE, 0.001], [-2.38, -0.001, NONE]], NAMES, NAMES)
ONES = pd.DataFrame(np.ones((3, 3)), NAMES, NAMES)


def cells(ax):
    """What is written into cells: {(row, column): (text, weight)}."""
    found = {}
    for text in ax.texts:
        if text.get_ha() == "center":
            x, y = text.get_position()
            found[y, x] = text.get_text(), text.get_weight()
    return found


def test_crosstable_has_every_value_in_its_cell_and_bold_what_is_told_from_0():
    ax = plots.crosstable(CROSS, ONES)
    assert cells(ax) == {
        (0, 1): ("+2.41", "bold"),
        (0, 2): ("+2.38", "normal"),
        (1, 0): ("−2.41", "bold"),
        (1, 2): ("0.00", "normal"),
        (2, 0): ("−2.38", "normal"),
        (2, 1): ("0.00", "normal"),
    }
    np.testing.assert_array_equal(np.ma.filled(ax.images[0].get_array(), np.nan), CROSS.to_numpy())
    assert ax.images[0].norm(0.0) == pytest.approx(0.5)  # white is even
    assert [label.get_text() for label in ax.get_yticklabels()] == NAMES
    assert [label.get_text() for label in ax.get_xticklabels()] == NAMES
    assert [other.get_ylabel() for other in ax.figure.axes if other is not ax] == ["chips a hand"]


def test_crosstable_goes_by_students_t_where_there_are_few_deals():
    """Two-sided 0.05/3 with 4 degrees of freedom is beyond 3.495, the tables' value at 0.025: 2.41 is nothing."""
    few = CROSS.copy()
    few.attrs = {"units": 5, "seats": 4}
    ax = plots.crosstable(few, ONES)
    assert {weight for _, weight in cells(ax).values()} == {"normal"}
    assert any("less column's, halved" in text.get_text() for text in ax.texts)


def test_crosstable_of_a_run_that_the_results_stopped_goes_by_a_sequence():
    """A confidence sequence at its tightest is 3.03 standard errors wide at one pair, so wider for three."""
    run = CROSS.copy()
    run.attrs = {"units": 10_000, "seats": 2, "sequential": 10_000}
    assert {weight for _, weight in cells(plots.crosstable(run, ONES)).values()} == {"normal"}
    assert [key for key, (_, w) in cells(plots.crosstable(run, ONES / 2)).items() if w == "bold"] == [
        *((0, 1), (0, 2), (1, 0), (2, 0))
    ]


def test_crosstable_without_errors_marks_nothing():
    ax = plots.crosstable(CROSS)
    assert {weight for _, weight in cells(ax).values()} == {"normal"}
    assert not any("bold" in text.get_text() for text in ax.texts)


def test_crosstable_of_a_tournament_says_what_it_rests_on():
    t = ps.round_robin(["tight", "random", "stay"], seats=3, deals=40, seed=1)
    for table in (t.crosstable, t.crosstable_se):
        assert table.attrs.items() >= {"seats": 3, "units": 40, "sequential": 0}.items()
    ax = plots.crosstable(t.crosstable, t.crosstable_se)
    values = t.crosstable.to_numpy()
    for (i, j), (text, _) in cells(ax).items():
        assert float(text.replace("−", "-")) == pytest.approx(values[i, j], abs=0.005)


def test_crosstable_refuses_tables_that_do_not_go_together():
    with pytest.raises(ValueError, match="table takes the same policies in rows and columns"):
        plots.crosstable(CROSS.rename(columns={"a": "x"}))
    with pytest.raises(ValueError, match="se has no column c"):
        plots.crosstable(CROSS, ONES.drop(columns="c"))
    with pytest.raises(ValueError, match="se takes the policies of table"):
        plots.crosstable(CROSS, ONES.rename(index={"a": "x"}))
    with pytest.raises(TypeError, match=r"table takes a DataFrame, got 3; pass Tournament.crosstable"):
        plots.crosstable(3)


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


DRAWN = [(plots.leaderboard, BOARD), (plots.crosstable, CROSS), (plots.seat_effect, SEATS)]


@pytest.mark.parametrize(("draw", "table"), DRAWN)
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


def test_a_notebook_shows_figures_without_any_magic():
    table = ps.play(["tight", "stay"], deals=20, rows=False).summary
    png = ps.plots.leaderboard(table).figure._repr_png_()
    assert png.startswith(b"\x89PNG") and len(png) > 5_000
