"""The commands `odds` and `odds-table`: what they say is what the library gives."""

import csv
import dataclasses
import io
import json
import re

import pytest
from cli.running import run, works

import palace_sim as ps
from palace_sim.cli import main
from palace_sim.kernels.jit import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="millions of steps take too long in plain Python")
DRAW = "6d/JsTc3h/", "6s/?/5d"  # 4132/11/11037, and 4132/44/11004 before the tie-break


def cells(out):
    """Lines of output as lists of cells, which stand two blanks apart."""
    return [re.split(r"  +", line.strip()) for line in out.splitlines()]


def test_odds_of_a_battle_before_and_after_the_tie_break(capsys):
    lines = cells(works(capsys, "odds", *DRAW))
    assert ["rules: default"] in lines
    assert ["6d/JsTc3h/ against 6s/?/5d"] in lines
    assert [f"equity {(4132 + 11 / 2) / 15180:.4f}, exact, over 15,180 completions"] in lines
    assert ["win", "tie", "loss", "wins", "ties", "losses"] in lines
    assert ["after the tie-break (R25)", "27.22 %", "0.07 %", "72.71 %", "4,132", "11", "11,037"] in lines
    assert ["by the best five cards only", "27.22 %", "0.29 %", "72.49 %", "4,132", "44", "11,004"] in lines


def test_odds_with_dead_cards_ranges_and_rules_are_those_of_the_library(capsys):
    options = ("--dead", "2c 3c", "--range-a", "pairs, A*: 0.5", "--range-b", "two hearts", "--blocked", "rank")
    said = json.loads(works(capsys, "odds", "As//Kd", "2h//3d", *options, "--json", "-").replace("\n", ""))
    a, b = ps.Range.text("pairs, A*: 0.5"), ps.Range.text("two hearts")
    odds = ps.battle_odds("As//Kd", "2h//3d", "2c 3c", ps.Rules(blocked="rank"), range_a=a, range_b=b)
    for name, value in dataclasses.asdict(odds).items():
        assert said[name] == (list(value) if isinstance(value, tuple) else value), name
    assert said["rules"] == {"blocked": "rank"}
    assert (said["range_a"], said["range_b"], said["dead"]) == ("pairs, A*: 0.5", "two hearts", "2c 3c")
    assert "seed" not in said


def test_weights_are_said_where_shares_and_counts_part(capsys):
    note = "Shares go by the weights of the ranges"
    assert note in works(capsys, "odds", "As/KsKd9c/5s", "2h/?/TdTc", "--range-b", "pairs, A*: 0.5")
    assert note not in works(capsys, "odds", "As/KsKd9c/5s", "2h/?/TdTc", "--range-b", "pairs")
    assert note not in works(capsys, "odds", *DRAW, "--samples", 100)


def test_sampled_odds_say_so_with_seed_interval_and_number(capsys):
    out = works(capsys, "odds", *DRAW, "--samples", 500, "--seed", 8)
    odds = ps.battle_odds(*DRAW, method="sample", samples=500, seed=8)
    assert "rules: default; seed 8" in out
    assert f"equity {odds.equity:.4f}, 95 % interval {odds.ci_low:.4f} to {odds.ci_high:.4f}, se {odds.se:.4f}" in out
    assert "500 samples" in out
    assert "exact" not in out


def test_nothing_hidden_is_one_completion(capsys):
    out = works(capsys, "odds", "Ks/9s4d2d/", "Kh/9d4c2c/")
    assert "equity 1.0000, exact, over 1 completion\n" in out


def test_showdown_odds_of_several_players(capsys, tmp_path):
    players = ["As/AhKd9c/", "Ks/?/Ts", "2d/2c2h7d/5h"]
    words = ("odds", *players, "--showdown", "--range", "1=pairs, three spades: 0.5", "--json", tmp_path / "odds.json")
    lines = cells(works(capsys, *words))
    table = ps.showdown_odds(players, ranges={1: "pairs, three spades: 0.5"})
    for row in table.itertuples():
        interval = f"{row.ci_low:.4f} to {row.ci_high:.4f}"
        shares = [f"{100 * share:.2f} %" for share in (row.win, row.tie, row.loss)]
        assert [str(row.player), row.cards, *shares, f"{row.equity:.4f}", interval] in lines
    assert lines[-1] == [f"exact, over {table.n[0]:,} completions"]
    assert json.loads((tmp_path / "odds.json").read_text())["players"] == table.to_dict("records")


def test_showdown_odds_are_sampled_on_request(capsys):
    out = works(capsys, "odds", "As", "2h", "Kd", "--showdown", "--samples", 300, "--seed", 2)
    assert "from 300 samples" in out
    assert "seed 2" in out
    equity = ps.showdown_odds(["As", "2h", "Kd"], method="sample", samples=300, seed=2).equity
    assert all(f"{x:.4f}" in out for x in equity)


@compiled_only
def test_table_of_banners(capsys):
    lines = cells(works(capsys, "odds-table", "banners"))
    table = ps.odds_by_banners()
    assert ["own", *"AKQJT98765432"] in lines
    for rank, row in table.iterrows():
        assert [rank, *(f"{100 * x:.1f}" for x in row)] in lines
    assert "exact, over 317,814,000 deals each" in lines[-1][0]


@pytest.mark.parametrize("kind", ["soldiers", "usable"])
def test_squares_of_sampled_tables(capsys, kind):
    lines = cells(works(capsys, "odds-table", kind, "--samples", 50, "--seed", 4, "--max-soldiers", 2))
    table = {"soldiers": ps.odds_by_soldiers, "usable": ps.odds_by_usable}[kind](50, 4, ps.Rules(max_soldiers=2))
    assert ["rules: max_soldiers=2; seed 4"] in lines
    square = table.pivot(index=f"own_{kind}", columns=f"foe_{kind}", values="equity")
    assert ["own", *map(str, square.columns)] in lines
    for name, row in square.iterrows():
        assert [str(name), *("-" if x != x else f"{100 * x:.1f}" for x in row)] in lines
    half = ((table.ci_high - table.ci_low) / 2).max()
    assert f"battles each; 95 % intervals up to ± {100 * half:.1f} %" in lines[-1][0]


def test_prices_are_written_row_by_row(capsys):
    lines = cells(works(capsys, "odds-table", "price", "--samples", 200))
    for row in ps.odds_by_price(200).itertuples():
        armies = [str(x) for x in (row.own_soldiers, row.foe_soldiers, row.own_price, row.foe_price)]
        equity = [f"{100 * row.equity:.1f} %", f"{100 * row.ci_low:.1f} to {100 * row.ci_high:.1f} %"]
        assert [*armies, *equity, f"{row.call_pot:.1f}", f"{row.attack_pot:.1f}"] in lines


def test_csv_holds_the_whole_table_and_png_a_picture(capsys, tmp_path):
    for kind in ("soldiers", "usable", "price"):
        picture = tmp_path / f"{kind}.png"
        code, out, err = run(capsys, "odds-table", kind, "--samples", 40, "--csv", "-", "--png", picture)
        assert code == 0, err
        table = {"soldiers": ps.odds_by_soldiers, "usable": ps.odds_by_usable, "price": ps.odds_by_price}[kind](40)
        rows = list(csv.DictReader(io.StringIO(out)))
        assert list(rows[0]) == list(table.columns)
        assert [float(row["equity"]) for row in rows] == list(table.equity)
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_csv_of_banners_names_its_rows(capsys, tmp_path):
    small = ("--deck", "Kc Kd Kh Qc Qd Qh", "--palace-cards", 1)
    works(capsys, "odds-table", "banners", *small, "--csv", tmp_path / "odds.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "odds.csv").read_text())))
    assert [row[0] for row in rows] == ["own", "K", "Q"]
    assert float(rows[1][2]) == pytest.approx(7 / 12)  # of 12 deals 6 wins and 2 ties


WRONG = [
    (("odds",), "requires an argument"),
    (("odds", "As"), "odds takes two sides, got 1"),
    (("odds", "As", "2h", "Kd"), "odds takes two sides, got 3; for more players pass --showdown"),
    (("odds", "As", "2s"), "both banners are of suit s"),
    (("odds", "As/As", "2h"), "As is there twice"),
    (("odds", "As/KsKdKc9c", "2h"), "3 palace cards at most"),
    (("odds", "As//2c3c4c5c6c7c", "2h"), "6 soldiers are more than the 5"),
    (("odds", "As", "2h", "--dead", "2h"), "2h is there twice"),
    (("odds", "As", "2h", "--range-a", "foo"), "'foo' is no word of a range"),
    (("odds", "As", "2h", "--range", "1=pairs"), "in a battle pass --range-a or --range-b"),
    (("odds", "As", "2h", "--showdown", "--range-a", "pairs"), "at a showdown pass --range 0=TEXT"),
    (("odds", "As", "2h", "--showdown", "--range", "pairs"), "--range takes SEAT=TEXT"),
    (("odds", "As", "2h", "--showdown", "--range", "1=A*", "--range", "1=K*"), "--range names 1 twice"),
    (("odds", "As", "2h", "--showdown", "--range", "7=A*"), "7 is no player"),
    (("odds", "As", "2h", "--samples", 0), "samples takes"),
    (("odds", "As", "2h", "--samples", 1.5), "--samples: takes a whole number"),
    (("odds", "As", "2h", "--json", "no/such/folder/x.json"), "--json takes a file in a folder that exists"),
    (("odds-table",), "requires an argument"),
    (("odds-table", "suits"), "suits"),
    (("odds-table", "soldiers", "--samples", 1), "samples takes"),
    (("odds-table", "price", "--workers", 0), "workers takes"),
    (("odds-table", "usable", "--png=-"), "--png takes a file"),
    (("odds-table", "usable", "--png", "no/such/folder/x.png"), "--png takes a file in a folder that exists"),
    (("odds-table", "banners", "--deck", "As Ks Qs Js Ts 9s 8s 7s"), "different suits"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(map(str, words)) for words, _ in WRONG])
def test_what_is_wrong_is_one_line_and_exit_code_2(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("palace-sim: ")
    assert message in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["odds", "As", "2h", "--sampels", "300"], "there is no option --sampels"),
        ([*"advise As/KsKd9c/ 2h --to-act 0 --dealer 1 --pot 5 --policies tight".split(), "--x"], "--x"),
        (["odds", "As", "2h", "--samples", "1.5"], "takes a whole number, got '1.5'"),
    ],
)
def test_what_is_no_option_is_said_and_no_source_is_shown(words, said, capsys):
    assert main(words) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1 and ".py" not in told
