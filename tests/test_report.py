"""The report of a result: one file that needs nothing else, with its figures, and with how to play it again."""

import base64
import html
import json
import re
import shlex
import sys
import types
from html.parser import HTMLParser

import numpy as np
import pytest
from cli.running import MY_POLICIES, run, works

import palace_sim as ps
from palace_sim import report
from palace_sim.formats import number
from palace_sim.policies.words import policy_from_text
from palace_sim.report import seat_table
from palace_sim.reproducing import recipe

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Page(HTMLParser):
    """A page taken apart; whatever is not closed as it was opened is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.tables, self.pres = [], [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "pre":
            self.pre = dict(attrs)["id"]
            self.pres[self.pre] = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] == "pre":
            self.pres[self.pre] += data

    def table(self, *head):
        """The rows of the table whose first columns have these names."""
        (found,) = [table[1:] for table in self.tables if tuple(table[0][: len(head)]) == head]
        return found


def read(path):
    text = path.read_text(encoding="utf-8")
    return text, Page(text)


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures are left out where they are not what is tested: they take most of the time."""
    monkeypatch.setattr(report, "picture", lambda axes, words: "")


def plain(text):
    return float(text.replace("−", "-").replace(",", ""))


@pytest.fixture(scope="module")
def mixed():
    """A tournament with names that are no HTML, changed parameters and rules, and rows."""
    policies = ["random", ps.policies.get("tight", aggression=0.25), ps.policies.get("stay").named("<b>&\"'x")]
    return ps.round_robin(policies, ps.Rules(small_bet=4, large_bet=8), seats=2, deals=120, seed=5, rows=True)


@pytest.fixture(scope="module")
def page(mixed, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "out.html"
    assert mixed.report(path, why_deals=50) == path
    return read(path)


def test_the_file_needs_nothing_from_outside(page):
    text, parsed = page
    assert text.startswith("<!DOCTYPE html>")
    for _, key, value in parsed.attributes:
        assert key not in ("href", "srcset", "action")
        if key == "src":
            assert value.startswith("data:image/png;base64,")
            assert base64.b64decode(value.partition(",")[2], validate=True).startswith(b"\x89PNG")
    outside = re.sub(r'src="data:[^"]*"', "", text)
    assert not re.search(r"https?:|//|url\(|@import|<script|<link", outside)


def test_the_leaderboard_is_that_of_the_tournament(mixed, page):
    rows = page[1].table("", "policy", "hands")
    board = mixed.leaderboard
    assert [row[1] for row in rows] == list(board["policy"])
    for row, wanted in zip(rows, board.itertuples(), strict=True):
        assert int(row[2].replace(",", "")) == wanted.hands
        digits = len(row[3].partition(".")[2])
        assert digits >= 1
        low, _, high = row[5].partition(" to ")
        shown = [plain(x) for x in (row[3], row[4], low, high)]
        np.testing.assert_allclose(
            shown, [wanted.mean, wanted.se, wanted.ci_low, wanted.ci_high], atol=0.5000001 * 10**-digits
        )
        assert row[9] == wanted.group


def test_the_crosstable_is_that_of_the_tournament(mixed, page):
    rows = page[1].table("against")
    order = list(mixed.leaderboard["policy"])
    assert [row[0] for row in rows] == order
    for row in rows:
        for other, cell in zip(order, row[1:], strict=True):
            if other == row[0]:
                assert cell == "–"
                continue
            mean, _, se = cell.partition("\n±")
            digits = len(mean.partition(".")[2])
            assert plain(mean) == pytest.approx(mixed.crosstable.loc[row[0], other], abs=0.5000001 * 10**-digits)
            assert plain(se) == pytest.approx(mixed.crosstable_se.loc[row[0], other], abs=0.5000001 * 10**-digits)


def test_ratings_reasons_and_positions_are_there(mixed, page):
    ratings = page[1].table("policy", "rating")
    assert [row[0] for row in ratings] == list(mixed.ratings["policy"])
    first, second = mixed.leaderboard["policy"].iloc[:2]
    parts = page[1].table("part of the net", first, second)
    wanted = mixed.why(first, second, deals=50).parts
    assert [row[0] for row in parts] == list(wanted["part"])
    np.testing.assert_allclose([plain(row[3]) for row in parts], wanted["difference"], atol=0.06)
    nets = mixed.seats.groupby("position")["net"].mean()
    positions = page[1].table("players", "position")
    np.testing.assert_allclose([plain(row[2]) for row in positions], nets, atol=0.06)
    assert page[1].tags.count("img") == 6  # leaderboard, crosstable, reasons, position, net by deals, attacks


def test_position_has_the_deal_as_its_unit():
    """Two deals of two hands: means of a deal at position 0 are 1 and 3, so mean 2 and se 1; t of one degree 12.706."""
    import pandas as pd

    seats = pd.DataFrame({"deal": [0, 0, 0, 0, 1, 1, 1, 1], "position": [0, 1] * 4, "net": [2, -2, 0, 0, 6, -6, 0, 0]})
    table = seat_table(seats)
    assert table["mean"].tolist() == [2.0, -2.0]
    assert table["se"].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(table["ci_high"], [14.706, 10.706], atol=1e-3)
    assert table["deals"].tolist() == [2, 2]


def test_names_are_escaped(page):
    text, parsed = page
    assert "<b>" not in text
    assert html.escape("<b>&\"'x") in text
    assert "b" not in parsed.tags


def test_the_manifest_is_whole(mixed, page):
    said = json.loads(page[1].pres["manifest"])
    assert {key: said[key] for key in mixed.manifest} == json.loads(json.dumps(mixed.manifest))
    assert said["request"]["kind"] == "round_robin"


def test_the_python_on_the_page_gives_the_same_leaderboard(mixed, page, capsys):
    space = {}
    exec(page[1].pres["python"], space)
    capsys.readouterr()
    assert space["result"].leaderboard.equals(mixed.leaderboard)
    assert "command" not in page[1].pres  # no word of the command line says a name of one's own


def tournaments():
    rules = ps.Rules(stack=300, structure="no_limit", blocked="rank", max_buys=2)
    tight = ps.policies.get("tight", aggression=1 / 3)
    return {
        "round robin": ps.round_robin(["random", tight, "stay"], rules, deals=60, seed=9),
        "a deck": ps.round_robin(["random", "stay"], ps.Rules(deck="Ac Kc Qc Ad Kd Qd Ah Kh", palace_cards=1), deals=9),
        "tables": ps.round_robin(["random", "tight", "stay", "buyer"], seats=3, tables=2, deals=30, seed=2),
        "all seatings": ps.round_robin(["random", "tight", "stay"], seats=3, seatings="all", deals=20, luck=True),
        "stopped": ps.round_robin(["random", "stay"], deals=400, look=100, until=ps.until.width(1.5), confirm=50),
        "sprt": ps.round_robin(["random", "stay"], deals=300, look=100, until=ps.until.sprt("stay", "random", 0, 20)),
        "adaptive": ps.round_robin(["random", "tight", "stay"], deals=200, look=50, spend="adaptive"),
        "gauntlet": ps.gauntlet("tight", ["stay", "random"], seats=3, copies=True, deals=30, seed=4),
        "play": ps.play(["tight", "random", "tight"], deals=40, seed=3),
        "as listed": ps.play(["tight", "stay", "random"], deals=40, rotate=False, rows=False),
    }


@pytest.fixture(scope="module")
def all_kinds():
    return tournaments()


KINDS = "round robin, a deck, tables, all seatings, stopped, sprt, adaptive, gauntlet, play, as listed"


@pytest.mark.parametrize("name", KINDS.split(", "))
def test_what_is_printed_plays_the_same_again(name, capsys, all_kinds):
    result = all_kinds[name]
    made = recipe(result)
    assert made.notes == []
    space = {}
    exec(made.python, space)
    assert space["result"].summary.equals(result.summary)
    assert space["result"].request == result.request
    program, *words = shlex.split(made.command)
    assert program == "palace-sim"
    capsys.readouterr()
    code, out, err = run(capsys, *words, "--csv", "-")
    assert code == 0, err
    assert out == result.summary.to_csv(index=False)


def test_a_population_can_be_played_again_in_python():
    result = ps.population({"tight": 2.5, "random": 1, "stay": 0}, seats=3, tables=5, deals=20, seed=7, illegal="fold")
    made = recipe(result)
    space = {}
    exec(made.python, space)
    assert space["result"].leaderboard.equals(result.leaderboard)
    assert made.command is None


def test_policies_of_files_and_of_sessions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my own.py").write_text(MY_POLICIES)
    caller, plain_one = (policy_from_text(f"my own.py:{name}") for name in ("caller", "plain"))

    @ps.policy(params={"when": (0.5, 0.0, 1.0)})
    def here(view):
        return ps.act.call() if view.phase == ps.RESPOND else ps.act.stay()

    files = ps.round_robin([caller, plain_one, "random"], deals=10, seed=1)
    made = recipe(files)
    assert 'policy_from_text("my own.py:caller")' in made.python
    assert "'my own.py:caller'" in made.command
    space = {}
    exec(made.python, space)
    assert space["result"].leaderboard.equals(files.leaderboard)
    changed = recipe(ps.round_robin([caller.with_(when=0.5), "random"], deals=10))
    assert ".with_(when=0.5)" in changed.python and changed.command is None
    session = recipe(ps.round_robin([here.with_(when=0.25).named("mine"), "random"], deals=10, seed=1))
    assert "def here(view):" in session.python and 'here.with_(when=0.25).named("mine")' in session.python
    assert session.command is None and "session" in session.notes[0]
    space = {}
    exec(session.python, space)
    capsys.readouterr()
    assert "mine" in set(space["result"].leaderboard["policy"])


def test_a_script_is_not_run_again_to_write_down_its_policies(tmp_path, monkeypatch):
    script, runs = tmp_path / "script.py", []
    script.write_text(MY_POLICIES + "\nRUNS.append(1)\n")
    module = types.ModuleType("as_main")  # as `python script.py` does: a module of another name than its file
    module.__file__, module.RUNS = str(script), runs
    monkeypatch.setitem(sys.modules, "as_main", module)
    exec(compile(script.read_text(), str(script), "exec"), vars(module))
    made = recipe(ps.play([module.caller.with_(when=0.25), "random"], deals=5, seed=1))
    assert "script.py:caller" in made.python and ".with_(when=0.25)" in made.python
    assert "script.py:caller" in recipe(ps.play([module.caller, "random"], deals=5, seed=1)).command
    assert runs == [1]


def test_a_run_from_a_position_says_that_it_cannot_be_told(tmp_path, undrawn):
    hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc"], to_act=0, dealer=1, pot=60)
    result = ps.play(["stay", "random"], start=hand, deals=20)
    made = recipe(result)
    assert made.python is None and made.command is None and "position" in made.notes[0]
    _, parsed = read(result.report(tmp_path / "out.html"))
    assert set(parsed.pres) == {"manifest"}


def test_a_single_deal_and_a_run_without_rows(tmp_path):
    text, parsed = read(
        ps.round_robin(["random", "stay"], deals=1, seed=2).report(tmp_path / "out.html", title="<One>")
    )
    assert "<h1>&lt;One&gt;</h1>" in text and "<title>&lt;One&gt;</title>" in text
    assert {row[4] for row in parsed.table("", "policy")} == {"–"}
    assert "Does position matter" not in text
    assert "nan" not in re.sub(r'src="[^"]*"', "", text)


def test_deals_that_confirm_and_luck_have_their_tables(all_kinds, tmp_path, undrawn):
    _, parsed = read(all_kinds["stopped"].report(tmp_path / "a.html", why_deals=0))
    boards = [table for table in parsed.tables if table[0][:2] == ["", "policy"]]
    assert [table[0][5] for table in boards] == ["95 % confidence sequence", "95 % interval"]
    _, parsed = read(all_kinds["all seatings"].report(tmp_path / "b.html", why_deals=10))
    assert len(parsed.table("policy", "as played")) == 3


def test_paths_and_arguments_that_cannot_be(mixed, tmp_path):
    with pytest.raises(ValueError, match=r"path takes a file in a folder that exists, got .*none.*out.html.*: make "):
        mixed.report(tmp_path / "none" / "out.html")
    with pytest.raises(ValueError, match=r"path takes the name of a file like 'out\.html', got a folder"):
        mixed.report(tmp_path)
    with pytest.raises(ValueError, match=r"path takes the name of a file like 'out\.html', got 3"):
        mixed.report(3)
    with pytest.raises(ValueError, match="title takes a text, got 3"):
        mixed.report(tmp_path / "out.html", title=3)
    with pytest.raises(ValueError, match="why_deals takes a number of deals from 0"):
        mixed.report(tmp_path / "out.html", why_deals=-1)
    with pytest.raises(ValueError, match="result takes what play or a tournament returned, got 3"):
        ps.write_report(3, tmp_path / "out.html")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_reports(capsys, tmp_path, undrawn):
    kept, page, later = tmp_path / "kept", tmp_path / "page.html", tmp_path / "later.html"
    works(capsys, "tournament", "random", "stay", "--seats", 2, "--deals", 30, "--folder", kept, "--report", page)
    board = ps.round_robin(["random", "stay"], deals=30).leaderboard
    works(capsys, "show", kept, "--report", later)
    for path in (page, later):
        rows = read(path)[1].table("", "policy")
        assert [row[1] for row in rows] == list(board["policy"])
        digits = len(rows[0][3].partition(".")[2])
        assert [row[3] for row in rows] == [number(x, digits) for x in board["mean"]]
    assert later.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    code, _, err = run(capsys, "play", "random", "stay", "--deals", 5, "--report", tmp_path / "no" / "x.html")
    assert code == 2 and "--report takes a file in a folder that exists" in err
    code, _, err = run(capsys, "show", kept, "--report", "-")
    assert code == 2 and "--report takes a file like out.html, got -" in err


def test_a_kept_run_whose_policy_is_gone_still_has_its_report(tmp_path, undrawn):
    @ps.policy
    def gone(view):
        return ps.act.call() if view.phase == ps.RESPOND else ps.act.stay()

    ps.round_robin([gone, "random"], deals=30, seed=1, folder=tmp_path / "kept", progress=False)
    text, parsed = read(ps.load(tmp_path / "kept").report(tmp_path / "out.html"))
    assert "policy gone is not as it was when it played" in text
    assert [row[1] for row in parsed.table("", "policy")] == ["gone", "random"]


def test_a_result_in_a_notebook_is_its_leaderboard_with_as_many_digits_as_its_errors(mixed):
    parsed = Page(mixed._repr_html_())
    rows = parsed.table("", "policy")
    assert [row[1] for row in rows] == list(mixed.leaderboard["policy"])
    middle = sorted(mixed.leaderboard["se"])[1]
    shown = next(row[4] for row in rows if plain(row[4]) == pytest.approx(middle, rel=0.05))
    assert len(shown.replace(".", "").lstrip("0")) == 2  # two digits of the middle error
