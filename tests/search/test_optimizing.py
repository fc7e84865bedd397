"""`optimize`: it measures what `play` measures, finds obvious exploits, and depends on nothing but its arguments."""

import json
import multiprocessing
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palace_sim as ps
from palace_sim.conducting import Running
from palace_sim.kernels.jit import JIT
from palace_sim.rules import Rules
from palace_sim.search import Field, keeping, optimizing
from palace_sim.search.measuring import Arena

SMALL: dict[str, Any] = {"against": ["stay", "maniac"], "budget": 1_600, "deals": 10, "popsize": 4, "seed": 3}
RUN = Running(workers=1, progress=False)

pytestmark = pytest.mark.skipif(not JIT, reason="searches play too many hands for plain Python")


def same(a: ps.search.Optimum, b: ps.search.Optimum) -> bool:
    frames = ("course", "candidates", "finalists", "tables")
    return (
        a.policy.values == b.policy.values
        and (a.score, a.search_score, a.gap) == (b.score, b.search_score, b.gap)
        and all(getattr(a, name).equals(getattr(b, name)) for name in frames)
    )


# --- measuring --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [7, 1000, 2500])
def test_candidates_are_worth_what_play_says(deals: int) -> None:
    """Means are exact sums, so they are equal; errors rest on 1,000 batches where there are more deals."""
    tight = ps.policies.get("tight")
    candidates = [tight.named("a"), tight.with_(aggression=0.1).named("b")]
    found = Arena(Field.of({"hunter": 1, "maniac": 3}), Rules(), 11, RUN).measure(candidates, 0, deals)
    for c, candidate in enumerate(candidates):
        plays = [ps.play([candidate, other], deals=deals, seed=11) for other in ("hunter", "maniac")]
        nets = [p.summary.set_index("policy").loc[candidate.name] for p in plays]
        assert found.table_mean[c] == pytest.approx([net["mean"] for net in nets], abs=1e-12)
        assert found.mean[c] == pytest.approx(0.25 * nets[0]["mean"] + 0.75 * nets[1]["mean"], abs=1e-12)
        rows = [p.deals[p.deals["policy"] == candidate.name].sort_values("deal")["net"].to_numpy() / 2 for p in plays]
        error = (0.25 * rows[0] + 0.75 * rows[1]).std(ddof=1) / deals**0.5
        assert found.se[c] == pytest.approx(error, rel=1e-9 if deals <= 1000 else 0.2)


def test_deals_of_a_measurement_are_numbered_as_in_play() -> None:
    """Deals 20 to 49 are the first 50 without the first 20."""
    policy = ps.policies.get("tight").named("x")
    arena = Arena(Field.of("hunter"), Rules(), 2, RUN)
    sums = [arena.measure([policy], 0, many).mean[0] * many for many in (50, 20)]
    assert arena.measure([policy], 20, 30).mean[0] * 30 == pytest.approx(sums[0] - sums[1])


def test_fields_weigh_tables() -> None:
    drawn = Field.of({"stay": 1, "maniac": 3}, seats=4)
    weights = {tuple(drawn.policies[k].name for k in table.others): table.weight for table in drawn.tables}
    assert weights == {  # binomial: three seats, each stay with chance 1/4
        ("stay",) * 3: pytest.approx(1 / 64),
        ("stay", "stay", "maniac"): pytest.approx(9 / 64),
        ("stay", "maniac", "maniac"): pytest.approx(27 / 64),
        ("maniac",) * 3: pytest.approx(27 / 64),
    }
    copies = Field.of(["stay", "maniac"], seats=4, copies=True)
    assert [(table.others, table.weight, table.single) for table in copies.tables] == [
        ((0, 0, 0), 0.5, True),
        ((1, 1, 1), 0.5, True),
    ]
    both = (0.5 * drawn + 0.5 * Field.at([["tight", "stay"], ["maniac"]])).even()
    assert [policy.name for policy in both.policies] == ["stay", "maniac", "tight"]
    assert sum(table.weight for table in both.tables) == pytest.approx(1)
    assert both.hands == 4 * 4 + 3 + 2
    assert [table.others for table in both.tables[-2:]] == [(2, 0), (1,)]


def test_a_table_of_one_opponent_counts_up_to_the_cap() -> None:
    found = Arena(Field.of({"stay": 1, "maniac": 3}), Rules(), 1, RUN).measure([ps.policies.get("maniac")], 0, 50)
    assert found.table_mean[0].tolist() == [5.0, 0.0]  # all of stay's antes; nothing from its like
    assert found.worth(None)[0] == found.mean[0] == 1.25
    assert found.worth(2.0)[0] == 0.5
    assert found.worth(-1.0)[0] == -1.0


# --- what it finds ----------------------------------------------------------------------------------------------------


def test_whoever_folds_when_attacked_is_attacked_always() -> None:
    """`stay` loses its ante of 5 in every hand to who attacks before the round is passed, and cannot lose more.

    So 5 chips heads-up and 15 against three of them are the most there is, and both are reached in every single deal.
    """
    some = ["attack_edge_more", "attack_base_two", "attack_base_more", "attack_price", "attack_pot"]
    for seats, most in ((2, 5.0), (4, 15.0)):
        options = {"vary": some, "popsize": 10, "budget": 20_000 * seats, "deals": 20, "seed": 1}
        found = ps.search.optimize("general", "stay", seats=seats, **options)
        assert found.score.mean == most
        assert found.score.se == 0


def test_a_calling_station_is_never_bluffed() -> None:
    """The one parameter of `bluffer`: a bluff against who always calls only pays for a worse hand, so 0 is best."""
    found = ps.search.optimize("bluffer", "calling_station", budget=400_000, deals=200, popsize=6, seed=2)
    assert found.policy.params["bluff"] < 0.1
    assert found.score.ci_low > 0


def test_the_score_is_from_deals_that_the_search_did_not_see() -> None:
    found = ps.search.optimize("general", **(SMALL | {"budget": 8_000, "deals": 10}))
    fresh = Arena(Field.of(SMALL["against"]), Rules(), SMALL["seed"], RUN)
    assert fresh.measure([found.policy], optimizing.SCORING, 100).mean[0] == found.score.mean
    assert fresh.measure([found.policy], optimizing.CHOOSING, 100).mean[0] == found.search_score.mean
    assert found.gap.mean == pytest.approx(found.search_score.mean - found.score.mean)
    assert found.gap.se == pytest.approx(np.hypot(found.search_score.se, found.score.se))
    assert found.gap.ci_low < found.gap.mean < found.gap.ci_high
    assert found.score.sb100 == pytest.approx(10 * found.score.mean)  # a small bet is 10 chips
    assert (found.tables["weight"] * found.tables["mean"]).sum() == pytest.approx(found.score.mean)
    last = optimizing.CHOOSING + 100
    assert found.course["generation"].max() * 10 < optimizing.CHOOSING < last < optimizing.SCORING


def test_the_chosen_one_is_the_best_of_the_finalists() -> None:
    strong = ps.policies.get("hunter")
    found = ps.search.optimize("bluffer", "random", budget=2_000, deals=20, popsize=4,
                               final_deals=2_000, entrants=[strong])  # fmt: skip
    best = found.finalists.iloc[0]
    assert best["policy"] == "hunter"
    assert found.policy is strong
    assert best["mean"] == found.finalists["mean"].max() == found.search_score.mean


# --- nothing else decides ---------------------------------------------------------------------------------------------


def test_the_result_does_not_depend_on_workers() -> None:
    one, two = (ps.search.optimize("general", **SMALL, workers=workers) for workers in (1, 2))
    assert same(one, two)
    other = ps.search.optimize("general", **(SMALL | {"seed": 4}), workers=1)
    assert not one.candidates.equals(other.candidates)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_the_result_does_not_depend_on_the_executor() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        elsewhere = ps.search.optimize("general", **SMALL, executor=pool)
        assert pool.submit(int).result() == 0  # it is left open
    assert same(elsewhere, ps.search.optimize("general", **SMALL, workers=1))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_stopped_and_resumed_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ps.search.optimize("general", **SMALL, folder=tmp_path / "whole")
    assert len(whole.course) == 10
    write = keeping.SearchFolder.write

    def stop(self: Any, number: int, rows: pd.DataFrame) -> None:
        if number == 4:
            raise KeyboardInterrupt
        write(self, number, rows)

    monkeypatch.setattr(keeping.SearchFolder, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        ps.search.optimize("general", **SMALL, folder=tmp_path / "stopped")
    monkeypatch.setattr(keeping.SearchFolder, "write", write)
    assert len(list((tmp_path / "stopped").glob("generation-*"))) == 4
    played = []
    play = optimizing.play_generation
    monkeypatch.setattr(optimizing, "play_generation", lambda *args: played.append(args[1]) or play(*args))
    again = ps.search.optimize("general", **SMALL, folder=tmp_path / "stopped", workers=2)
    assert played == [4, 5, 6, 7, 8, 9]
    assert same(whole, again)
    assert files(tmp_path / "whole") == files(tmp_path / "stopped")


KILLED = """
import time
import palace_sim as ps
from palace_sim.search.keeping import SearchFolder
write = SearchFolder.write
def slowly(self, number, rows):  # so that whoever kills it is quicker
    write(self, number, rows)
    time.sleep(0.2)
SearchFolder.write = slowly
ps.search.optimize("general", **OPTIONS, folder=FOLDER)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_killed_and_resumed_is_the_same(tmp_path: Path) -> None:
    script = KILLED.replace("OPTIONS", repr(SMALL)).replace("FOLDER", repr(str(tmp_path / "killed")))
    child = subprocess.Popen([sys.executable, "-c", script])
    last = time.monotonic() + 120
    while not (tmp_path / "killed" / "generation-00002.parquet").exists():
        assert child.poll() is None and time.monotonic() < last
        time.sleep(0.01)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    assert 3 <= len(list((tmp_path / "killed").glob("generation-*.parquet"))) < 10
    assert not list((tmp_path / "killed").glob("end-*"))
    undisturbed = ps.search.optimize("general", **SMALL, folder=tmp_path / "whole")
    assert same(ps.search.optimize("general", **SMALL, folder=tmp_path / "killed"), undisturbed)
    assert files(tmp_path / "killed") | files(tmp_path / "whole") == files(tmp_path / "killed")


def refuse_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    def played(*_: Any) -> None:
        raise AssertionError("it played")

    monkeypatch.setattr(Arena, "measure", played)


def test_a_finished_search_plays_nothing_when_it_is_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = SMALL | {"entrants": [ps.policies.get("tight")], "folder": tmp_path}
    short = ps.search.optimize("general", **(options | {"budget": 800}))
    longer = ps.search.optimize("general", **options)
    assert (len(short.course), len(longer.course)) == (5, 10)
    refuse_to_play(monkeypatch)
    assert same(longer, ps.search.optimize("general", **options))
    assert same(short, ps.search.optimize("general", **(options | {"budget": 800})))
    with pytest.raises(AssertionError, match="it played"):
        ps.search.optimize("general", **(options | {"budget": 960}))


@pytest.mark.parametrize("damage", ["cut", "other finalists"])
def test_an_end_that_is_damaged_or_of_other_finalists_is_played_again(tmp_path: Path, damage: str) -> None:
    first = ps.search.optimize("general", **SMALL, folder=tmp_path)
    kept = tmp_path / "end-00010.json"
    whole = kept.read_bytes()
    if damage == "cut":
        kept.write_bytes(whole[:300])
        with pytest.warns(RuntimeWarning, match=r"end-00010\.json is damaged and is played again"):
            again = ps.search.optimize("general", **SMALL, folder=tmp_path)
    else:
        said = json.loads(whole)
        said["finalists"][0][1]["bet"] += 0.5
        said["worth"] = said["worth"][::-1]
        kept.write_text(json.dumps(said))
        again = ps.search.optimize("general", **SMALL, folder=tmp_path)
    assert same(first, again)
    assert kept.read_bytes() == whole


def test_a_greater_budget_goes_on_and_a_damaged_generation_is_played_again(tmp_path: Path) -> None:
    ps.search.optimize("general", **(SMALL | {"budget": 800}), folder=tmp_path)
    (tmp_path / "generation-00002.parquet").write_bytes(b"PAR1 and no more")
    with pytest.warns(RuntimeWarning, match="generation-00002.parquet is damaged"):
        longer = ps.search.optimize("general", **SMALL, folder=tmp_path)
    assert same(longer, ps.search.optimize("general", **SMALL))


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        ({"seed": 4}, "seed is 3 there, 4 here"),
        ({"deals": 5}, "deals is 10 there, 5 here"),
        ({"against": ["stay", "tight"]}, "against is"),
        ({"rules": ps.Rules(ante=7)}, 'rules is {} there, {"ante": 7} here'),
        ({"start": {"bluff_two": 0.7}}, "start is"),
        ({"vary": ["bluff_two", "bet"]}, "bounds is"),
    ],
)
def test_a_folder_of_another_search_is_refused(tmp_path: Path, options: dict[str, Any], differs: str) -> None:
    ps.search.optimize("general", **(SMALL | {"budget": 160}), folder=tmp_path)
    with pytest.raises(ValueError, match="keeps another search") as caught:
        ps.search.optimize("general", **(SMALL | {"budget": 160} | options), folder=tmp_path)
    assert differs in str(caught.value)


def test_a_folder_that_holds_something_else_or_is_damaged_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds something that is no search"):
        ps.search.optimize("general", **SMALL, folder=tmp_path / "a")
    ps.search.optimize("general", **(SMALL | {"budget": 160}), folder=tmp_path / "b")
    assert json.loads((tmp_path / "b" / "search.json").read_text())["seed"] == 3
    (tmp_path / "b" / "search.json").write_text("{")
    with pytest.raises(ValueError, match=r"search.json is damaged .*remove it"):
        ps.search.optimize("general", **SMALL, folder=tmp_path / "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0}, "budget takes a whole number from 1"),
        ({"budget": 159}, r"budget=159 hands is less than a generation takes: 160 hands \(4 candidates, 10 deals, 4"),
        ({"budget": 1.5}, "budget takes"),
        ({"deals": 1}, "deals takes a whole number from 2"),
        ({"against": []}, "against takes a policy"),
        ({"against": ["stay", "stay"]}, "against has 'stay' twice"),
        ({"against": {"stay": 0.0}}, "with one above 0"),
        ({"against": {"stay": -1.0}}, "weights of 0 or more, got -1.0 for stay"),
        ({"against": "nobody"}, "no built-in policy 'nobody'"),
        ({"seats": 11}, "seats takes"),
        ({"seats": (2, 2)}, "seats takes a number of players or several different ones"),
        ({"copies": 1}, "copies takes True or False"),
        ({"against": ps.policies.NAMES, "seats": 8}, "pass copies=True or fewer"),
        ({"start": {"bluf_two": 1}}, "no parameter 'bluf_two'"),
        ({"start": {"bluff_two": 2}}, "bluff_two takes 0 to 1"),
        ({"start": 1}, "start takes a dict"),
        ({"bounds": {"bluff_two": (1, 0)}}, "bounds of bluff_two are the wrong way round: 1 to 0"),
        ({"bounds": {"bluf_two": (0, 1)}}, "bounds: there is no parameter 'bluf_two'; did you mean bluff_two"),
        ({"bounds": {"bluff_two": (0, 2)}}, "bounds of bluff_two takes 0 to 1 at most, got 0 to 2"),
        ({"vary": ["nothing"]}, "no parameter 'nothing'"),
        ({"cap": "2"}, "cap takes"),
        ({"workers": 0}, "workers takes"),
        ({"folder": 3}, "folder takes"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ps.search.optimize("general", **(SMALL | options))


def test_a_family_without_parameters_is_refused() -> None:
    with pytest.raises(ValueError, match="no parameters to search"):
        ps.search.optimize("stay", "tight")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"name": 5}, "name takes None or a text that is not empty, got 5"),
        ({"name": ""}, "name takes None or a text that is not empty, got ''"),
        ({"vary": 5}, "vary takes a list of parameters, got 5"),
        ({"entrants": "champion"}, "entrants takes a list of policies, got 'champion'"),
        ({"cap": 0}, "cap takes None or a number of chips a hand above 0, got 0"),
        ({"bounds": {"bet": (0, float("nan"))}}, "bounds of bet takes finite numbers, got 0 to nan"),
        ({"folder": ""}, "folder takes a path, got ''"),
    ],
)
def test_arguments_are_refused_before_anything_is_played(
    options: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Arena, "measure", lambda *_: pytest.fail("it plays"))
    with pytest.raises(ValueError, match=re.escape(text)):
        ps.search.optimize("general", **(SMALL | options))


def test_a_family_without_parameters_says_which_has_some() -> None:
    with pytest.raises(ValueError, match="no parameters to search: take one that has, such as general"):
        ps.search.optimize("champion", "tight", budget=1000)
