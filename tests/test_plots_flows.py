"""Plots of what becomes of attacks, and of where nets come from, show the numbers of their tables."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import palace_sim as ps
from palace_sim import plots

# Seat 0 attacks: a fold, a call won, a call lost, a tie; seat 1 attacks: a fold, and gives up after a raise.
BATTLES = pd.DataFrame(
    {
        "lineup": 0,
        "deal": [0, 0, 1, 1, 2, 2],
        "rotation": 0,
        "attacker": [0, 0, 0, 0, 1, 1],
        "defender": [1, 1, 1, 1, 0, 0],
        "raises": [0, 0, 1, 0, 0, 1],
        "end": pd.Categorical(["fold", "call", "call", "call", "fold", "fold"]),
        "winner": [0, 0, 1, -1, 1, 0],
    }
)
SEATS = pd.DataFrame(
    {
        "lineup": 0,
        "deal": [0, 0, 1, 1, 2, 2],
        "rotation": 0,
        "seat": [0, 1] * 3,
        "policy": pd.Categorical(["bold", "shy"] * 3),
    }
)
FATES = ["defender folds", "called, attacker wins", "called, tie", "called, attacker loses", "attacker folds"]
PARTS = pd.DataFrame(
    {
        "part": ["antes", "showdowns", "net"],
        "x": [-5.0, 9.0, 4.0],
        "y": [-5.0, 10.5, 5.5],
        "difference": [0.0, -1.5, -1.5],
        "se": [0.0, 0.5, 0.5],
        "ci_low": [0.0, -2.5, -2.5],
        "ci_high": [0.0, -0.5, -0.5],
    }
)
LUCK = pd.DataFrame(
    {
        "policy": ["x", "y"],
        "mean": [2.0, -2.0],
        "se": [1.0, 1.0],
        "without_luck": [1.5, -1.5],
        "without_luck_se": [0.5, 0.5],
        "ci_low": [0.5, -2.5],
        "ci_high": [2.5, -0.5],
        "factor": [4.0, np.nan],
    }
)
SHARES = pd.DataFrame({"part": ["cards", "play"], "share": [0.75, 0.25], "ci_low": [0.7, 0.2], "ci_high": [0.8, 0.3]})


def words(labels):
    return [label.get_text() for label in labels]


def bars(ax):
    """Widths of the bars by label, from the top, in sixths."""
    return {c.get_label(): [round(6 * bar.get_width(), 9) for bar in c] for c in ax.containers}


def test_battle_flow_counts_every_fate_of_all_attacks_and_by_raises():
    ax = plots.battle_flow(BATTLES)
    assert words(ax.get_yticklabels()) == ["all attacks", "0", "1"]
    # all six; four without a raise: two folds, a win, a tie; two with one: a loss, the attacker gives up
    assert bars(ax) == dict(zip(FATES, ([2, 3, 0], [1, 1.5, 0], [1, 1.5, 0], [1, 0, 3], [1, 0, 3]), strict=True))
    assert ax.get_ylabel() == "raises"
    beside = [text.get_text() for text in ax.texts if text.get_text().count(":")]
    # won 3 of 6, 3 of 4, 0 of 2
    assert [text.partition(" (")[0] for text in beside[1:]] == ["6: 50.0", "4: 75.0", "2: 0.0"]
    inside = [text.get_text() for text in ax.texts if text.get_ha() == "center"]
    assert inside == ["33", "50", "17", "25", "17", "25", "17", "50", "17", "50"]


def test_battle_flow_by_policy_finds_the_attacker_in_the_seats():
    ax = plots.battle_flow(BATTLES, by="policy", seats=SEATS)
    assert words(ax.get_yticklabels()) == ["all attacks", "bold", "shy"]
    assert bars(ax)["called, tie"] == [1, 1.5, 0]
    assert bars(ax)["attacker folds"] == [1, 0, 3]
    assert "policy" in ax.get_title(loc="left")


def test_battle_flow_of_a_run_adds_up():
    result = ps.play(["hunter", "random"], deals=100, seed=1)
    ax = plots.battle_flow(result.battles, by="policy", seats=result.seats)
    np.testing.assert_allclose(sum(np.array(widths) for widths in bars(ax).values()), 6)
    attacks = result.seats.groupby("policy", observed=True)["attacks"].sum()
    counted = [text.get_text().partition(":")[0] for text in ax.texts if ": " in text.get_text()]
    assert [int(text.replace(",", "")) for text in counted[1:]] == [attacks.sum(), *attacks]


def test_battle_flow_refuses_what_does_not_go_together():
    with pytest.raises(ValueError, match="seats is None, and by='policy' needs it"):
        plots.battle_flow(BATTLES, by="policy")
    with pytest.raises(ValueError, match="seats lacks hands that table has"):
        plots.battle_flow(BATTLES, by="policy", seats=SEATS.iloc[:4])
    with pytest.raises(ValueError, match=r"table has no column suit; it has .*; pass Result.battles"):
        plots.battle_flow(BATTLES, by="suit")


def ends(ax):
    return [tuple(part[:, 0]) for bars in ax.collections for part in bars.get_segments()]


def test_why_has_every_part_and_the_sum_last():
    ax = plots.why(PARTS)
    assert words(ax.get_yticklabels()) == ["antes", "showdowns", "net"]
    assert [bar.get_width() for bar in ax.patches] == [0.0, -1.5, -1.5]
    assert ends(ax) == [(0.0, 0.0), (-2.5, -0.5), (-2.5, -0.5)]
    assert words(ax.texts) == ["each", "−5.00 / −5.00", "9.00 / 10.50", "4.00 / 5.50"]
    assert ax.get_title(loc="left").startswith("x less y")
    assert "chips a hand" in ax.get_xlabel()


def test_without_luck_has_both_means_with_their_intervals():
    ax = plots.without_luck(LUCK)
    drawn = {line.get_marker(): line.get_xdata().tolist() for line in ax.lines if line.get_marker() in "os"}
    assert drawn == {"s": [2.0, -2.0], "o": [1.5, -1.5]}
    np.testing.assert_allclose(ends(ax), [(0.04, 3.96), (-3.96, -0.04), (0.5, 2.5), (-2.5, -0.5)], atol=1e-3)
    assert words(ax.texts) == ["variance cut", "4.00 times", ""]
    assert words(ax.get_legend().get_texts()) == ["as played", "without luck"]


def test_variance_shares_are_bars_with_intervals():
    ax = plots.variance_shares(SHARES)
    assert [bar.get_width() for bar in ax.patches] == [0.75, 0.25]
    assert ends(ax) == [(0.7, 0.8), (0.2, 0.3)]
    assert words(ax.texts) == ["share", "75.0 %", "25.0 %"]
    with pytest.raises(ValueError, match="shares are from 0 to 1"):
        plots.variance_shares(SHARES.assign(share=[75, 25]))


ALL = [(plots.battle_flow, BATTLES), (plots.why, PARTS), (plots.without_luck, LUCK), (plots.variance_shares, SHARES)]


@pytest.mark.parametrize(("draw", "table"), ALL)
def test_plots_draw_where_they_are_told_and_change_nothing_else(draw, table):
    before = table.copy()
    ax = Figure().add_subplot()
    assert draw(table, ax=ax) is ax
    ax.figure.draw_without_rendering()
    assert draw(table).figure is not draw(table).figure
    pd.testing.assert_frame_equal(table, before)
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize(("draw", "table"), ALL)
def test_plots_name_the_column_that_is_missing(draw, table):
    gone = "winner" if draw is plots.battle_flow else "ci_low"
    with pytest.raises(ValueError, match=f"no column {gone}; it has .*; pass "):
        draw(table.drop(columns=gone))
    with pytest.raises(ValueError, match="no rows"):
        draw(table.iloc[:0])
