"""The picture of an end game shows the numbers of its table."""

import numpy as np
import pandas as pd
import pytest

from palace_sim.plots import endgame

NONE = np.nan
TABLE = pd.DataFrame(
    {
        "seat": [0, 0, 0, 1],
        "node": ["start", "start", "start", "attack"],
        "hand": ["all", "high card", "one pair", "all"],
        "share": [1.0, 0.75, 0.25, 1.0],
        "stay": [0.5, 0.6, 0.2, NONE],
        "fold": [0.1, 0.1, 0.1, 0.3],
        "call": [NONE, NONE, NONE, 0.6],
        "attack": [0.4, 0.3, 0.7, NONE],
        "raise": [NONE, NONE, NONE, 0.1],
        "bluff": [0.3, 0.3, 0.25, 0.05],
    }
)


def bars(ax):
    """Bars by label: where each begins and how long it is, from the top."""
    return {c.get_label(): [(round(bar.get_x(), 9), round(bar.get_width(), 9)) for bar in c] for c in ax.containers}


def test_bars_add_up_and_bluffs_are_the_end_of_the_attacks():
    ax = endgame(TABLE)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["all", "high card", "one pair"]
    shown = bars(ax)
    assert list(shown) == ["fold", "stay", "attack", "of it bluffs"]
    assert shown["fold"] == [(0, 0.1)] * 3
    assert shown["attack"] == [(0.6, 0.4), (0.7, 0.3), (0.3, 0.7)]
    assert shown["of it bluffs"] == [(0.7, 0.3), (0.7, 0.3), (0.75, 0.25)]
    assert [text.get_text() for text in ax.texts] == ["share", "100.0 %", "75.0 %", "25.0 %"]


def test_a_node_can_be_chosen():
    ax = endgame(TABLE, node="attack", title="")
    assert list(bars(ax)) == ["fold", "call", "raise", "of it bluffs"] and ax.get_title(loc="left") == ""


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="node takes one of 'start', 'attack', got 'rise'"):
        endgame(TABLE, node="rise")
    with pytest.raises(ValueError, match="no column bluff"):
        endgame(TABLE.drop(columns="bluff"))
