"""The commands `tournament`, `play` and `policies`: their answers and their files."""

import csv
import io
import json
import re

from cli.running import run, works

import palace_sim as ps


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
    assert "3 seats: 40 deals x 1 rotation: 40 hands" in out
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
