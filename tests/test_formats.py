"""Tables in notebooks have digits that can be read, and nobody else's tables change."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import palace_sim as ps
from palace_sim.formats import MARK, readable, register, shown


@pytest.fixture
def notebook(monkeypatch):
    """The formatter of HTML of a notebook, as IPython makes it."""
    formatters = pytest.importorskip("IPython.core.formatters")
    made = formatters.DisplayFormatter()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: SimpleNamespace(display_formatter=made))
    return made.formatters["text/html"]


def test_a_leaderboard_has_four_digits_and_keeps_its_numbers(notebook):
    board = ps.round_robin(["random", "stay"], deals=60, seed=1).leaderboard
    text = notebook(board)
    for name in ("mean", "se", "pot_share"):
        largest = board[name].abs().max()
        wanted = f"{largest:.{min(6, max(0, 4 - int(np.ceil(np.log10(largest)))))}f}"
        assert f"<td>{wanted}</td>" in text
        assert len(wanted.lstrip("0.").replace(".", "")) == 4
    assert f"<td>{board['hands'].iloc[0]}</td>" in text
    assert notebook(board[["policy", "mean"]]).count("<td>") == 4  # a selection is one of ours too
    assert board["mean"].dtype == float and board._repr_html_() != text  # the numbers are as they were


def test_other_frames_are_left_to_pandas(notebook):
    shown(pd.DataFrame({"x": [1.0]}))
    other = pd.DataFrame({"x": [1 / 3, 123456.789]})
    assert notebook(other) == other._repr_html_()
    long = shown(pd.DataFrame({"x": np.full(5000, 1 / 3)}))
    assert notebook(long) == long._repr_html_()


def test_a_formatter_that_is_there_already_goes_on(notebook):
    notebook.for_type(pd.DataFrame, lambda frame: "mine")
    ours = shown(pd.DataFrame({"x": [1 / 3]}))
    assert notebook(pd.DataFrame({"x": [1.0]})) == "mine"
    assert "0.3333" in notebook(ours)
    first = notebook.lookup_by_type(pd.DataFrame)
    register(notebook)
    assert notebook.lookup_by_type(pd.DataFrame) is first  # once is enough


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([1 / 2, 1 / 3], ["0.5000", "0.3333"]),
        ([0.5, 0.25], ["0.50", "0.25"]),
        ([1234.5678, -1.0], ["1,235", "−1"]),
        ([99.994, 0.001], ["99.99", "0.00"]),
        ([0.0000123, 0.0], ["0.000012", "0.000000"]),
        ([np.nan, np.inf], ["–", "inf"]),
        ([np.nan, 0.0], ["–", "0"]),
    ],
)
def test_digits_go_by_the_largest_number_of_a_column(values, wanted):
    assert readable(pd.DataFrame({"x": values}))["x"].tolist() == wanted


def test_index_names_and_columns_stay():
    table = pd.DataFrame([[0.5, 1.0]], pd.Index(["a"], name="own"), pd.Index([0, 1], name="foe"))
    made = readable(table)
    assert made.index.equals(table.index) and made.columns.equals(table.columns)
    assert (made.index.name, made.columns.name) == ("own", "foe")
    twice = pd.DataFrame([[0.5, 2.0]], columns=["x", "x"])
    assert readable(twice).to_numpy().tolist() == [["0.5", "2"]]
    assert readable(pd.DataFrame()).empty


def test_tables_of_estimates_carry_the_mark():
    t = ps.round_robin(["random", "stay"], deals=40, seed=1, luck=True)
    tables = [t.summary, t.crosstable, t.crosstable_se, t.ratings, t.nash(), t.without_luck(pilot=20)]
    tables += [t.why("random", "stay", deals=20).parts, ps.odds_by_soldiers(samples=50), ps.odds_by_price(samples=50)]
    tables.append(ps.showdown_odds(["As/AhKd9c/", "2d/2c2h7d/5h"]))
    assert {table.attrs.get(MARK) for table in tables} == {"palace_sim"}
