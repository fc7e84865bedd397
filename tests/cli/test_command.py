"""The command as a whole: its help, one clear line for everything that is wrong, and how it stops."""

import os
import signal
import subprocess
import sys
import time

import pytest
from cli.running import MY_POLICIES, run, works

import palace_sim as ps
from palace_sim.cli import app, main

COMMANDS = {
    *"tournament play policies hand rank odds odds-table advise gauntlet resume show".split(),
    *"optimize best-response endgame".split(),
}


def test_version_and_help(capsys):
    assert works(capsys, "--version") == f"palace-sim {ps.__version__}\n"
    out = works(capsys, "--help")
    assert set(app) - {"--help", "-h", "--version"} == COMMANDS
    for command in COMMANDS:
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
    """Start the command in a process of its own, where Ctrl-C works: what runs in the background inherits that not."""
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from palace_sim.cli import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], text=True, **pipes)


def test_ctrl_c_stops_within_seconds():
    command = started("play", "random", "random", "--deals", 10**9, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(6)  # well into the run
    assert command.poll() is None
    began = time.perf_counter()
    command.send_signal(signal.SIGINT)
    try:
        out, err = command.communicate(timeout=60)
    finally:
        command.kill()
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
