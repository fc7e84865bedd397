"""Plots of battles and decisions show the numbers of their tables, legibly, and nothing global changes."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from palace_sim import plots
from palace_sim.plots.battles import DIVERGING

BANNERS = pd.DataFrame(
    [[0.5, 0.785, np.nan], [0.215, 0.5, 0.4], [np.nan, 0.6, 0.5]], index=["A", "K", "2"], columns=["A", "K", "2"]
)
BANNERS.attrs = {"n": 317_814_000, "exact": True}
SOLDIERS = pd.DataFrame(
    {
        "own_soldiers": [0, 0, 1, 1],
        "foe_soldiers": [0, 1, 0, 1],
        "own_price": [10, 10, 20, 20],
        "equity": [0.5, 0.4, 0.625, 0.499],
        "ci_low": [0.499, 0.35, 0.62, 0.49],
        "ci_high": [0.501, 0.45, 0.63, 0.51],
        "n": [100_000, 300, 8000, 8000],
    }
)
USABLE = SOLDIERS.rename(columns={"own_soldiers": "own_usable", "foe_soldiers": "foe_usable"})
MOVES = pd.DataFrame(
    {
        "move": ["fold", "call", "raise 20"],
        "mean": [0.0, 12.5, 10.0],
        "ci_low": [0.0, 11.0, 8.0],
        "ci_high": [0.0, 14.0, 12.0],
        "n": 10_000,
        "best_chance": [0.0, 0.997, 0.003],
        "closed_form": [0.0, 12.25, np.nan],
        "interval": "95 % confidence sequence",
    }
)
ALL = [
    (plots.odds_heatmap, BANNERS),
    (plots.odds_heatmap, SOLDIERS),
    (plots.odds_heatmap, USABLE),
    (plots.price_chance, SOLDIERS),
    (plots.decision_values, MOVES),
]


def words(axis_labels):
    return [label.get_text() for label in axis_labels]


def written(ax):
    """What is written into the cells: {(row, column): [texts]}."""
    cells = {}
    for text in ax.texts:
        if text.get_ha() == "center":
            x, y = text.get_position()
            cells.setdefault((round(y), round(x)), []).append(text.get_text())
    return cells


def test_heatmap_of_banners_has_every_equity_in_its_cell():
    ax = plots.odds_heatmap(BANNERS)
    assert words(ax.get_yticklabels()) == words(ax.get_xticklabels()) == ["A", "K", "2"]
    np.testing.assert_array_equal(np.ma.filled(ax.images[0].get_array(), np.nan), BANNERS.to_numpy())
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first row on top
    assert written(ax) == {
        (0, 0): ["50.0"],
        (0, 1): ["78.5"],
        (1, 0): ["21.5"],
        (1, 1): ["50.0"],
        (1, 2): ["40.0"],
        (2, 1): ["60.0"],
        (2, 2): ["50.0"],
    }
    assert ax.get_xlabel() == "foe's banner"
    assert ax.get_ylabel() == "own banner"
    assert "exact, over 317,814,000 deals a cell" in words(ax.texts)
    assert ax.images[0].norm(0.5) == pytest.approx(0.5)  # white is even
    assert "%" in ax.get_title(loc="left")
    assert [other.get_ylabel() for other in ax.figure.axes if other is not ax] == ["equity: win and half tie, %"]


@pytest.mark.parametrize(("table", "by"), [(SOLDIERS, "soldiers"), (USABLE, "usable cards (R24)")])
def test_heatmap_of_long_tables_writes_wide_intervals_too(table, by):
    ax = plots.odds_heatmap(table.iloc[::-1], title="Mine")
    assert ax.images[0].get_array().tolist() == [[0.5, 0.4], [0.625, 0.499]]
    cells = written(ax)
    assert (cells[0, 0], cells[0, 1]) == (["50.0"], ["40.0", "±5.0"])
    assert (cells[1, 0], cells[1, 1]) == (["62.5", "±0.5"], ["49.9", "±1.0"])
    assert (ax.get_ylabel(), ax.get_xlabel()) == (f"own {by}", f"foe's {by}")
    assert "300 to 100,000 battles a cell" in words(ax.texts)
    assert ax.get_title(loc="left") == "Mine"


def test_heatmap_without_attributes_does_not_call_itself_exact():
    ax = plots.odds_heatmap(pd.DataFrame(BANNERS.to_numpy(), BANNERS.index, BANNERS.columns))
    assert not any("exact" in text for text in words(ax.texts))


def test_heatmap_refuses_what_is_no_equity():
    with pytest.raises(ValueError, match=r"equities are from 0 to 1"):
        plots.odds_heatmap(BANNERS * 100)


def luminance(colour):
    """Relative luminance by the sRGB formula."""
    channels = np.array(colour[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_numbers_can_be_read_on_every_colour_of_the_map():
    """A contrast of 7 to 1, the stricter of the two that WCAG 2 wants of text."""
    equities = np.linspace(0, 1, 101)
    ax = plots.odds_heatmap(pd.DataFrame([equities], ["A"]))
    image = ax.images[0]
    cells = [text for text in ax.texts if text.get_ha() == "center"]
    assert len(cells) == len(equities)
    for equity, text in zip(equities, cells, strict=True):
        assert text.get_color() == "black"
        assert (luminance(image.cmap(image.norm(equity))) + 0.05) / 0.05 >= 7


def test_the_two_ends_of_the_map_are_apart_in_lightness_and_white_is_between():
    low, middle, high = (luminance(DIVERGING(x)) for x in (0.0, 0.5, 1.0))
    assert middle > 0.99
    assert abs(low - high) > 0.05


def test_price_and_chance_have_a_line_for_each_army_of_the_foe():
    ax = plots.price_chance(SOLDIERS)
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines if line.get_marker() in "os"]
    assert lines == [([10, 20], [0.5, 0.625]), ([10, 20], [0.4, 0.499])]
    parts = np.round([part for bars in ax.collections for part in bars.get_segments()], 9)
    assert parts[:, 0].tolist() == [[10, 0.499], [20, 0.62], [10, 0.35], [20, 0.49]]
    assert parts[:, 1].tolist() == [[10, 0.501], [20, 0.63], [10, 0.45], [20, 0.51]]
    labels = {text.get_text(): text.xy for text in ax.texts}
    assert labels["0"] == (20, 0.625) and labels["1"] == (20, 0.499)
    assert words(ax.get_xticklabels()) == ["10", "20"]
    assert "chips" in ax.get_xlabel() and "R18" in ax.get_xlabel()
    assert "%" in ax.get_ylabel()
    assert any("300 to 100,000 battles" in text for text in labels)


def test_moves_stand_best_on_top_with_interval_chance_and_exact_value():
    ax = plots.decision_values(MOVES)
    assert words(ax.get_yticklabels()) == ["call", "raise 20", "fold"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    markers = {line.get_marker(): line for line in ax.lines if line.get_marker() in ("o", "x")}
    assert markers["o"].get_xdata().tolist() == [12.5, 10.0, 0.0]
    assert markers["o"].get_ydata().tolist() == markers["x"].get_ydata().tolist() == [0, 1, 2]
    np.testing.assert_array_equal(markers["x"].get_xdata(), [12.25, np.nan, 0.0])
    ends = [tuple(part[:, 0]) for bars in ax.collections for part in bars.get_segments()]
    assert ends == [(11.0, 14.0), (8.0, 12.0), (0.0, 0.0)]
    assert words(ax.texts) == ["best, %", "100", "<1", "0"]
    assert ax.get_xlabel() == "net from here on, chips (mean and 95 % confidence sequence, 10,000 samples)"
    assert words(ax.get_legend().get_texts()) == ["exact"]


def test_moves_without_exact_values_have_no_legend():
    ax = plots.decision_values(MOVES.drop(columns=["best_chance", "closed_form", "interval"]))
    assert ax.get_legend() is None
    assert list(ax.texts) == []
    assert "95 % interval" in ax.get_xlabel()


@pytest.mark.parametrize(("draw", "table"), ALL)
def test_plots_draw_where_they_are_told_and_change_nothing_else(draw, table):
    before = table.copy()
    ax = Figure().add_subplot()
    assert draw(table, ax=ax) is ax
    assert draw(table).figure is not draw(table).figure
    draw(table).figure.draw_without_rendering()
    pd.testing.assert_frame_equal(table, before)
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize(
    ("draw", "table", "gone"),
    [
        (plots.odds_heatmap, SOLDIERS, ["equity", "n"]),
        (plots.odds_heatmap, USABLE, ["ci_low"]),
        (plots.price_chance, SOLDIERS, ["own_price", "n"]),
        (plots.decision_values, MOVES, ["mean"]),
    ],
)
def test_plots_name_the_columns_that_are_missing(draw, table, gone):
    with pytest.raises(ValueError, match=f"no column {', '.join(gone)};"):
        draw(table.drop(columns=gone))
    with pytest.raises(ValueError, match="no rows"):
        draw(table.iloc[:0])


def test_heatmap_refuses_a_table_of_something_else():
    with pytest.raises(ValueError, match="no column own_soldiers, foe_soldiers, equity; it has move"):
        plots.odds_heatmap(MOVES)
