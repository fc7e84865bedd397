"""The command: its answers, its files, and one clear line for everything that is wrong."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import palace_sim as ps
from palace_sim.cli import app, main

MY_POLICIES = '''
import palace_sim as ps

@ps.policy(params={"when": (1.0, 0.0, 2.0)})
def caller(view):
    """Stay, and call."""
    return ps.act.call() if view.phase == ps.RESPOND else ps.act.stay()

def plain(view):
    return ps.act.fold() if view.phase == ps.RESPOND else ps.act.stay()

def crash(view):
    return {}["nothing"]

@ps.policy
def rubbish(view):
    return 7
'''


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # what help is wrapped at


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MY_POLICIES)
    return path


def run(capsys, *words):
    """Run the command here; return exit code, output and errors."""
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def works(capsys, *words):
    code, out, err = run(capsys, *words)
    assert code == 0, err
    assert all(len(line) <= 100 for line in out.splitlines()), out
    return out


def test_tournament_shows_what_the_library_gives(capsys):
    out = works(capsys, "tournament", "random", "stay", "maniac", "--seats", 2, "--deals", 50, "--seed", 3)
    t = ps.round_robin(["random", "stay", "maniac"], seats=2, deals=50, seed=3)
    assert "3 policies, tables of 2: 3 line-ups x 50 deals x 2 rotations: 300 hands" in out
    assert "rules: default; seed 3" in out
    lines = [line.split() for line in out.splitlines()]
    for place, row in enumerate(t.leaderboard.itertuples(), start=1):
        shown = next(line for line in lines if line[:2] == [str(place), row.policy])
        assert shown[2:5] == [f"{row.hands:,}", f"{row.mean:.2f}", f"{row.se:.3f}"]
    cross = [line for line in lines if line[1:2] == ["maniac"]][1]
    order = list(t.leaderboard.policy)
    assert cross[2:] == ["-" if name == "maniac" else f"{t.crosstable.loc['maniac', name]:.2f}" for name in order]
    assert re.fullmatch(r"ready in [\d.]+ s, played in [\d.]+ s", out.splitlines()[-1])


def test_default_line_up_of_the_tournament_is_every_built_in_policy_and_fits_100_columns(capsys):
    out = works(capsys, "tournament", "--deals", 2)
    for name in ps.policies.NAMES:
        assert out.count(f" {name} ") >= 2  # leaderboard and crosstable


def test_policy_adds_to_the_line_up_and_takes_files_and_parameters(capsys, mine):
    named = ("stay", "tight(aggression=0.25)", "--policy", f"{mine}:caller", "--policy", f"{mine}:plain")
    out = works(capsys, "tournament", *named, "--seats", 2, "--deals", 5)
    for name in ("stay", "tight(aggression=0.25)", "caller", "plain"):
        assert f" {name} " in out
    assert "4 policies" in out


def test_no_crosstable_where_it_would_not_fit(capsys, mine):
    words = [f"tight(aggression={k / 20})" for k in range(11)]
    assert "against" not in works(capsys, "tournament", *words, "--seats", 2, "--deals", 2)


def test_json_and_csv_hold_the_whole_tables(capsys, tmp_path):
    board, table = tmp_path / "board.json", tmp_path / "board.csv"
    files = ("--json", board, "--csv", table)
    words = ("tournament", "random", "stay", "--seats", 2, "--deals", 30, "--stack", 200, *files)
    assert "leaderboard" not in works(capsys, *words)
    t = ps.round_robin(["random", "stay"], ps.Rules(stack=200), seats=2, deals=30)
    said = json.loads(board.read_text())
    assert said["leaderboard"] == t.leaderboard.to_dict("records")
    assert said["manifest"]["rules"] == {"stack": 200}
    assert said["crosstable"]["stay"] == {
        other: None if other == "stay" else t.crosstable.loc["stay", other] for other in t.crosstable.columns
    }
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [float(row["mean"]) for row in rows] == list(t.leaderboard["mean"])


def test_a_dash_writes_the_table_to_standard_output_and_nothing_else(capsys):
    words = ("play", "random", "stay", "--deals", 20)
    said = json.loads(works(capsys, *words, "--json", "-").replace("\n", ""))
    rows = list(csv.DictReader(io.StringIO(run(capsys, *words, "--csv", "-")[1])))
    assert [row["policy"] for row in said["leaderboard"]] == [row["policy"] for row in rows]


def test_a_single_deal_has_no_error_and_json_says_null(capsys):
    out = works(capsys, "play", "random", "stay", "--deals", 1, "--json", "-").replace("\n", "")
    assert [row["se"] for row in json.loads(out)["leaderboard"]] == [None, None]


def test_play_with_the_seats_as_listed(capsys):
    out = works(capsys, "play", "random", "stay", "random", "--deals", 40, "--no-rotate", "--ante", 0)
    assert "3 seats: 40 deals x 1 rotations: 40 hands" in out
    assert "rules: ante=0" in out
    summary = ps.play(["random", "stay", "random"], ps.Rules(ante=0), deals=40, rotate=False).summary
    assert [int(n) for n in summary.set_index("policy").hands[["random", "stay"]]] == [80, 40]
    for row in summary.itertuples():
        assert f"{row.policy}" in out
        assert f"{row.mean:.2f}" in out


def test_policies_are_listed_with_their_first_line_and_parameters(capsys):
    out = works(capsys, "policies")
    for name in ps.policies.NAMES:
        policy = ps.policies.get(name)
        assert f"{name}: {policy.__doc__.splitlines()[0]}" in re.sub(r"\n {4}(?!\w+ = )", " ", out)
        for key, value in policy.params.items():
            assert f"    {key} = {value:g} (" in out


def test_hand_is_told_as_it_was_played(capsys):
    out = works(capsys, "hand", "maniac", "random", "stay", "--seed", 7, "--deal", 3)
    result = ps.play(["maniac", "random", "stay"], deals=4, seed=7, rotate=False)
    told = ps.replay(result, deal=3)
    story = re.sub(r"\n +", " ", out).splitlines()  # long lines are wrapped
    assert [str(event) for event in told.history] == story[6:-1]
    for name, net in zip(["maniac", "random", "stay"], told.nets, strict=True):
        assert f"{name} {net:+d}" in out.splitlines()[-1]
    assert sum(told.nets) == 0


def test_hand_without_policies_seats_built_in_ones(capsys):
    out = works(capsys, "hand", "--seats", 6, "--seed", 7)
    assert "seat 5 is " in out
    assert "seat 6 is " not in out


def test_rank_puts_the_best_hand_first(capsys):
    assert works(capsys, "rank", "2c 2d", "As Ks Qs Js Ts", "").splitlines() == [
        "9841  straight flush  As Ks Qs Js Ts",
        "2370  one pair        2c 2d",
        "   0  high card",
    ]


def test_version_and_help(capsys):
    assert works(capsys, "--version") == f"palace-sim {ps.__version__}\n"
    out = works(capsys, "--help")
    assert set(app) - {"--help", "-h", "--version"} == {"tournament", "play", "policies", "hand", "rank"}
    for command in ("tournament", "play", "policies", "hand", "rank"):
        assert command in out
        assert works(capsys, command, "--help").startswith(f"Usage: palace-sim {command}")
    out = works(capsys, "tournament", "--help")
    for option in ("--small-bet", "--max-buys", "--workers", "--seed", "--json", "--csv", "--no-progress"):
        assert option in out


WRONG = [
    (("tournament", "tigth"), "no built-in policy 'tigth'; did you mean tight"),
    (("tournament", "tight(agression=1)"), "no parameter 'agression'; did you mean aggression"),
    (("tournament", "tight(aggression=a)"), "aggression takes a number, got 'a'"),
    (("tournament", "tight(aggression=3)"), "aggression takes 0 to 1, got 3"),
    (("tournament", "a policy"), "takes a name, name(parameter=0.3) or path/file.py:name"),
    (("tournament", "random", "--seats", 2), "needs 2 different ones"),
    (("tournament", "random", "random", "--seats", 2), "'random' twice"),
    (("tournament", "--seats", 1), "seats takes a number of players from 2 to 10, got 1"),
    (("tournament", "--seats", 11), "got 11"),
    (("tournament", "--seats", 2.5), "--seats: takes a whole number, got '2.5'"),
    (("tournament", "--deals", 0), "deals takes a number of deals from 1"),
    (("tournament", "--seed", -1), "seed takes"),
    (("tournament", "--workers", 0), "workers takes"),
    (("tournament", "--nonsense", 1), "--nonsense"),
    (("tournaments",), "tournaments"),
    (("play",), "requires an argument"),
    (("play", "random"), "got 1"),
    (("play", "random", "random", "--small-bet", -10), "small_bet takes a whole number of chips"),
    (("play", "random", "random", "--small-bet", 1.5), "--small-bet: takes a whole number, got '1.5'"),
    (("play", "random", "random", "--structure", "no_limit"), "needs a stack (R36)"),
    (("play", "random", "random", "--deck", "As As"), "As"),
    (("play", "random", "random", "--json", "no/such/folder/x.json"), "--json takes a file in a folder that exists"),
    (("play", "random", "random", "--csv", "."), "--csv takes a file"),
    (("hand", "random", "random", "--seats", 3), "--seats 3 with 2 policies"),
    (("hand", "--deal", -1), "deal takes a whole number from 0"),
    (("rank",), "each in quotes"),
    (("rank", "As As"), "As is there twice"),
    (("rank", "Ax"), "'Ax' is not a card"),
    (("rank", "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc"), "at most 10 cards"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(map(str, words)) for words, _ in WRONG])
def test_what_is_wrong_is_one_line_and_exit_code_2(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("palace-sim: ")
    assert err.count("\n") == 1
    assert message in err


def test_what_is_wrong_with_a_file_of_policies(capsys, mine, tmp_path):
    (tmp_path / "divides.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "spelled.py").write_text("\ndef f(:\n")
    wrong = {
        f"{tmp_path}/none.py:x": "there is no file",
        f"{mine}": "its policies: caller, rubbish",
        f"{mine}:callr": "its policies: caller, rubbish",
        f"{tmp_path}/divides.py:x": "fails in line 2: ZeroDivisionError",
        f"{tmp_path}/spelled.py:x": "fails in line 2: SyntaxError",
        f"{mine}:rubbish": "policy rubbish returned 7",
    }
    for word, message in wrong.items():
        code, _, err = run(capsys, "play", "random", word, "--deals", 5)
        assert (code, err.count("\n")) == (2, 1), err
        assert message in err


def test_a_plain_policy_that_raises_is_named_with_its_line(capsys, mine):
    code, _, err = run(capsys, "play", "random", f"{mine}:crash", "--deals", 5)
    line = MY_POLICIES.splitlines().index('    return {}["nothing"]') + 1
    assert code == 2
    assert "policy crash failed: KeyError: 'nothing'" in err
    assert f"mine.py, line {line}" in err


def started(*words, **pipes):
    """Start the command in a process of its own."""
    code = "import sys; from palace_sim.cli import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], text=True, **pipes)


def test_ctrl_c_stops_within_seconds():
    command = started("play", "random", "random", "--deals", 10**9, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(6)  # well into the run
    assert command.poll() is None
    began = time.perf_counter()
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert command.returncode == 130
    assert time.perf_counter() - began < 5
    assert (out, err.strip().splitlines()[-1]) == ("", "palace-sim: stopped")


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_a_reader_that_goes_away_is_no_error():
    listing = started("policies", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    listing.stdout.close()
    assert listing.stderr.read() == ""
    listing.stderr.close()
    assert listing.wait(timeout=60) == 0


def test_the_installed_command_is_this_one():
    import importlib.metadata

    try:
        points = importlib.metadata.distribution("palace_sim").entry_points
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("palace_sim is not installed")
    assert [(point.name, point.load()) for point in points] == [("palace-sim", main)]
