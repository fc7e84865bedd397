"""The commands `optimize`, `best-response` and `endgame`: what they say is what the library gives."""

import csv
import dataclasses
import io
import json
import re

import pytest
from cli.running import run, works

import palace_sim as ps
from palace_sim.kernels.jit import JIT
from palace_sim.policies.words import policy_from_text
from palace_sim.search.keeping import SearchFolder

compiled_only = pytest.mark.skipif(not JIT, reason="searches play too many hands for plain Python")
FEW = {"budget": 1_600, "deals": 10, "popsize": 4, "seed": 3}
SOME = [word for name, value in FEW.items() for word in (f"--{name}", value)]
DECK = "2c 3c 4c 5c 2d 3d 4d 5d"
SMALL = ("2c/?", "2d/?", "--pot", 30, "--deck", DECK, "--palace-cards", 1)


def cells(out):
    """Lines of output as lists of cells, which stand two blanks apart."""
    return [re.split(r"  +", line.strip()) for line in out.splitlines()]


def pasted(out):
    """The policy whose text stands between quotes."""
    return policy_from_text(re.search(r'^"(.*?)"$', out, flags=re.MULTILINE | re.DOTALL)[1])


def numbers(estimate):
    between = f"{estimate.sb100_low:.2f} to {estimate.sb100_high:.2f}"
    chips = [f"{estimate.mean:.3f}", f"{estimate.se:.3f}"]
    return [f"{estimate.sb100:.2f}", f"{estimate.sb100_se:.2f}", between, *chips, f"{estimate.deals:,}"]


# --- optimize ---------------------------------------------------------------------------------------------------------


@compiled_only
def test_optimize_shows_what_the_library_gives(capsys):
    """`start` is away from the best, so that something else is found and its text has parameters."""
    words = ("bluffer(bluff=0.9)", "stay", "maniac")
    out = works(capsys, "optimize", *words, *SOME, "--ante", 4, "--weights", "3,1")
    start = ps.policies.get("bluffer", bluff=0.9)
    found = ps.search.optimize(start, {"stay": 3, "maniac": 1}, ps.Rules(ante=4), **FEW)
    assert found.policy.values != start.values
    read = pasted(out)
    assert (read.family, read.values) == (found.policy.family, found.policy.values)
    lines = cells(out)
    assert ["rules: ante=4; seed 3"] in lines
    assert ["score", *numbers(found.score)] in lines
    assert ["search score", *numbers(found.search_score)] in lines
    assert ["gap", *numbers(found.gap)] in lines
    for row in found.tables.itertuples():
        assert [row.others, f"{row.weight:.3f}", *numbers(row)[:3]] in lines
    for row in found.finalists.itertuples():
        assert [row.policy, f"{row.mean:.3f}", f"{row.se:.3f}"] in lines
    assert lines[2][0].startswith("10 generations of 4 candidates: 1,600 hands; step size 0.25 to ")


@compiled_only
def test_optimize_writes_json_and_csv(capsys, tmp_path):
    board = tmp_path / "found.json"
    code, out, err = run(capsys, "optimize", "bluffer", "stay", *SOME, "--json", board, "--csv", "-", "--workers", 1)
    assert code == 0, err
    found = ps.search.optimize("bluffer", "stay", **FEW)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [float(row["best"]) for row in rows] == list(found.course["best"])
    said = json.loads(board.read_text())
    assert said["score"] == dataclasses.asdict(found.score)
    assert (said["gap"], said["search_score"]) == tuple(map(dataclasses.asdict, (found.gap, found.search_score)))
    assert said["params"] == found.policy.params == policy_from_text(said["found"]).params
    assert said["course"] == found.course.to_dict("records")
    assert (said["seed"], said["deals"], said["opponents"]) == (3, 10, {"stay": 1.0})


@compiled_only
def test_optimize_searches_a_policy_of_a_file_within_bounds(capsys, mine):
    words = (f"{mine}:caller", "maniac", "--seats", 3, "--copies", "--vary", "when", "--bounds", "when=1.25:1.5")
    out = works(capsys, "optimize", *words, *SOME)
    found = pasted(out)
    assert f'"{mine}:caller(when=' in re.sub(r"\n +", "", out)
    assert 1.25 <= found.params["when"] <= 1.5
    assert "caller against maniac, 3 seats" in out


@compiled_only
def test_a_search_goes_on_in_its_folder_after_ctrl_c(capsys, tmp_path, monkeypatch):
    """Stopped in the middle, the command is given again and ends as if nothing had been."""
    folder = tmp_path / "kept"
    words = ("optimize", "bluffer", "stay", *SOME, "--folder", folder)
    write = SearchFolder.write

    def stop(self, generation, rows):
        write(self, generation, rows)
        if generation == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SearchFolder, "write", stop)
        code, out, err = run(capsys, *words)
    assert (code, out) == (130, "")
    kept = f"palace-sim: what was played is kept in {folder}; the same command goes on"
    assert err.splitlines() == [kept, "palace-sim: stopped"]
    assert len(list(folder.glob("generation-*.parquet"))) == 4
    out = works(capsys, *words)
    assert len(list(folder.glob("generation-*.parquet"))) == 20
    found = ps.search.optimize("bluffer", "stay", **FEW)
    assert pasted(out).values == found.policy.values
    assert ["score", *numbers(found.score)] in cells(out)


# --- best-response ----------------------------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(("seats", "kind"), [(2, "lower bound on exploitability"), (3, "gain")])
def test_best_response_names_what_it_measures(capsys, tmp_path, seats, kind):
    """`stay` folds when attacked, so every other seat's ante of 5 chips is won in every deal: exactly, se 0."""
    few = ("--budget", 30_000, "--deals", 50, "--popsize", 4)
    out = works(capsys, "best-response", "stay", "--seats", seats, *few, "--json", tmp_path / "found.json")
    won = 5 * (seats - 1)
    between = f"{10 * won:.2f} to {10 * won:.2f}"
    assert [kind, f"{10 * won:.2f}", "0.00", between, f"{won:.3f}", "0.000", "500"] in cells(out)
    said = json.loads((tmp_path / "found.json").read_text())
    assert (said["kind"], said["score"]["mean"], said["seats"]) == (kind, won, seats)
    fresh = ps.play([pasted(out), *[ps.policies.get("stay").named(f"stay {k}") for k in range(seats - 1)]], deals=100)
    assert fresh.summary.set_index("policy")["mean"].max() == won


@compiled_only
def test_best_response_to_a_mixture_with_a_family_of_its_own(capsys):
    words = ("tight", "calling_station", "--weights", "1,3", "--family", "bluffer", *SOME)
    out = works(capsys, "best-response", *words)
    found = ps.search.best_response({"tight": 1, "calling_station": 3}, "bluffer", **FEW)
    assert ["response to tight, calling_station (weights 1, 3), 2 seats"] in cells(out)
    assert ["lower bound on exploitability", *numbers(found.score)] in cells(out)
    assert pasted(out).values == found.policy.values
    for row in found.table.itertuples():
        assert [row.policy, f"{row.mean:.3f}", f"{row.se:.3f}"] in cells(out)


# --- endgame ----------------------------------------------------------------------------------------------------------


def percent(share):
    return "-" if share != share else f"{100 * share:.1f} %"


@compiled_only
def test_endgame_shows_and_writes_what_the_library_gives(capsys, tmp_path):
    table, board, picture = tmp_path / "end.csv", tmp_path / "end.json", tmp_path / "end.png"
    files = ("--csv", table, "--json", board, "--png", picture)
    how = ("--range", "1=5c, 4d: 0.5", "--iterations", 20, "--to-act", 1, "--node", "attack")
    lines = cells(works(capsys, "endgame", *SMALL, *how, *files))
    rules = ps.Rules(deck=DECK, palace_cards=1, max_buys=0)
    given = {1: ps.Range.text("5c, 4d: 0.5", 1)}
    end = ps.search.solve_endgame(["2c/?", "2d/?"], given, 20, pot=30, to_act=1, rules=rules)
    assert [f"value in chips: seat 0 {end.value[0]:.3f}", f"seat 1 {end.value[1]:.3f}"] in lines
    share = f"({100 * end.exploitability_share:.4f} % of the pot)"
    assert [f"exploitability: {end.exploitability:.5f} chips {share}, after 20 iterations"] in lines
    moves = ["stay", "fold", "call", "attack", "raise", "bluff"]
    often = end.frequencies()
    for row in often.to_dict("records"):
        shares = [percent(row[move]) for move in moves]
        if row["hand"] == "all":
            assert [row["node"], str(row["seat"]), percent(row["arrives"]), *shares] in lines
        elif row["node"] == "attack":
            assert [row["hand"], percent(row["share"]), *shares] in lines
    said = json.loads(board.read_text())
    assert said["value"] == {"0": end.value[0], "1": end.value[1]}
    assert said["exploitability"] == end.exploitability
    assert len(said["frequencies"]) == len(often)
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    whole = [end.strategy(seat) for seat in (0, 1)]
    assert len(rows) == sum(map(len, whole))
    assert {(row["seat"], row["node"]) for row in rows} == {
        (str(seat), node) for seat in (0, 1) for node in whole[seat]["node"]
    }
    assert [row["palace"] for row in rows if row["seat"] == "1"] == list(whole[1]["palace"])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_endgame_reaches_its_target(capsys):
    said = json.loads(works(capsys, "endgame", *SMALL, "--target", 0.01, "--json", "-").replace("\n", ""))
    assert 0 <= said["exploitability_share"] <= 0.01
    assert sum(said["value"].values()) == pytest.approx(30)
    assert said["rules"]["max_buys"] == 0


WRONG = [
    (("optimize", "general"), "requires an argument"),
    (("optimize", "generall", "stay"), "no built-in policy 'generall'; did you mean general"),
    (("optimize", "general", "stay", "--bounds", "bet=1:0"), "bounds of bet are the wrong way round: 1 to 0"),
    (("optimize", "general", "stay", "--bounds", "bet=0"), "--bounds takes PARAMETER=LOW:HIGH like bet=0:0.5"),
    (("optimize", "general", "stay", "--bounds", "bet=0:1", "--bounds", "bet=0:1"), "--bounds names bet twice"),
    (("optimize", "general", "stay", "--bounds", "bett=0:1"), "bounds: there is no parameter 'bett'"),
    (("optimize", "general", "stay", "--vary", "bet,bett"), "vary: there is no parameter 'bett'; did you mean bet"),
    (("optimize", "general", "stay", "--budget", 0), "budget takes a whole number from 1"),
    (("optimize", "general", "stay", "--budget", 10), "budget=10 hands is less than a generation takes"),
    (("optimize", "general", "stay", "stay"), "'stay' twice"),
    (("optimize", "general", "stay", "--weights", "1,2"), "--weights takes a number for each of 1 opponents"),
    (("optimize", "general", "stay", "--weights", "a"), "--weights takes numbers with commas between them, got 'a'"),
    (("optimize", "general", "stay", "--weights", "-1"), "weights of 0 or more, got -1.0 for stay"),
    (("optimize", "stay", "tight"), "no parameters to search"),
    (("optimize", "general", "stay", "--seats", 11), "seats takes"),
    (("optimize", "general", "stay", "--cap", "x"), "--cap"),
    (("optimize", "general", "stay", "--json", "no/such/folder/x.json"), "--json takes a file in a folder that exists"),
    (("best-response",), "requires an argument"),
    (("best-response", "stay", "--family", "maniac"), "no parameters to search"),
    (("best-response", "stay", "--budget", 0), "budget takes a whole number from 1"),
    (("endgame", "Ks/?", "Qh/?"), "--pot requires an argument"),
    (("endgame", "Ks/?", "Qs/?", "--pot", 10), "one suit, so the hand is over (R31)"),
    (("endgame", "Ks/?", "Qh/?", "--pot", 10, "--max-buys", 1), "seat 0 may still buy"),
    (("endgame", "Ks/?", "--pot", 10), "two texts like 'Ks/?/9d8c'"),
    (("endgame", "Ks/AsAhAd", "Qh/?", "--pot", 10), "palaces are hidden here"),
    (("endgame", "Ks/?", "Qh/?", "--pot", 10, "--range", "0=pears"), "--range of 0: 'pears' is no word of a range"),
    (("endgame", "Ks/?", "Qh/?", "--pot", 10, "--target", 0), "target takes a share of the pot above 0"),
    (("endgame", "Ks/?", "Qh/?", "--pot", 10, "--iterations", 0), "iterations takes a whole number from 1"),
    (("endgame", *SMALL, "--node", "atack"), "--node: there is no decision 'atack'; did you mean attack"),
    (("endgame", *SMALL, "--png=-"), "--png takes a file, got -"),
    (("endgame", *SMALL, "--csv", "no/such/folder/x.csv"), "--csv takes a file in a folder that exists"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(map(str, words)) for words, _ in WRONG])
def test_what_is_wrong_is_one_line_and_exit_code_2(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("palace-sim: ")
    assert message in err


@compiled_only
def test_a_folder_of_another_search_is_refused(capsys, tmp_path):
    words = ("optimize", "bluffer", "stay", *SOME, "--folder", tmp_path / "kept")
    works(capsys, *words)
    code, out, err = run(capsys, *words, "--ante", 7)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert 'keeps another search: rules is {} there, {"ante": 7} here' in err
