"""Rows in a folder: the same tables, flat memory, no half part."""

import errno
import json
import os
import subprocess
import sys
import time

import pandas as pd
import pytest
from folders import child_of, contents, parts
from tables_of import same_tables

import palace_sim as ps
from palace_sim import store, until

LINEUP = ["random", "tight", "buyer", "maniac"]
NAMES = ["random", "stay", "tight"]


def test_tables_from_a_folder_are_those_from_memory(tmp_path):
    kept = ps.play(LINEUP, deals=400, seed=5, folder=tmp_path / "run", workers=2)
    plain = ps.play(LINEUP, deals=400, seed=5)
    for kind in ("seats", "battles", "deals", "summary"):
        pd.testing.assert_frame_equal(getattr(kept, kind), getattr(plain, kind))
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert (manifest["seed"], manifest["deals"]) == (5, 400)
    assert sorted(manifest["policies"]) == sorted(LINEUP)
    assert not list(tmp_path.glob("run/.*"))


def test_tournaments_write_folders_too(tmp_path):
    t = ps.round_robin(["random", "stay", "tight"], deals=30, rows=True, folder=tmp_path)
    assert t.seats.equals(ps.round_robin(["random", "stay", "tight"], deals=30, rows=True).seats)
    assert sum(len(pd.read_parquet(path)) for path in tmp_path.glob("seats-*.parquet")) == 3 * 30 * 2 * 2


def test_without_rows_the_tables_are_empty(tmp_path):
    result = ps.play(LINEUP, deals=20, rows=False, folder=tmp_path / "run")
    assert result.seats.empty
    assert list(result.seats.columns) == list(ps.play(LINEUP, deals=20).seats.columns)


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(ValueError, match="folder takes a"):
            ps.play(LINEUP, deals=5, folder=folder)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="folder takes a folder that can be written"):
        ps.play(LINEUP, deals=5, folder=tmp_path / "file" / "below")


def test_memory_does_not_grow_with_rows_in_a_folder(tmp_path):
    """Three times the rows, 9.6 million of seats, on disk: the 6.4 million more would take 67 bytes each, 430 MB.

    What is held are the blocks in flight, of 250,000 rows at most: the peak grows by less than a tenth of that.
    """
    script = """
import resource, sys, palace_sim as ps
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
ps.play(["random"] * 4, deals=200_000, folder=sys.argv[1] + "/a")
before = peak()
ps.play(["random"] * 4, deals=600_000, folder=sys.argv[1] + "/b")
print(peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert float(done.stdout) < 43


# --- folders that cannot be used --------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path, small_parts):
    folder = tmp_path / "run"
    ps.round_robin(NAMES, deals=640, seed=4, folder=folder, rows="deals", workers=1)
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 5}, "seed was 4, is 5"),
        ({"rules": ps.Rules(small_bet=12)}, "rules was {}, is {'small_bet': 12"),
        ({"seatings": "all"}, "all_seatings was False, is True"),
        ({"luck": True}, "luck was False, is True"),
        ({"illegal": "fold"}, "illegal was 'stop', is 'fold'"),
        ({"rows": True}, "rows was 'deals', is True"),
        ({"seats": 3}, "seats was 2, is 3"),
    ],
)
def test_another_run_is_refused_and_what_differs_is_said(kept, change, said):
    before = contents(kept.iterdir())
    with pytest.raises(ValueError, match=r"keeps another run: .*Take another folder") as caught:
        ps.round_robin(NAMES, **{"deals": 640, "seed": 4, "rows": "deals", "folder": kept, **change})
    assert said in str(caught.value)
    assert contents(kept.iterdir()) == before
    # a refusal does not lock the folder
    ps.round_robin(NAMES, deals=640, seed=4, rows="deals", folder=kept)


def test_a_changed_policy_is_refused(kept):
    @ps.policy(name="tight")
    def other(view):
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    with pytest.raises(ValueError, match=r"fingerprint of policy tight was '\w+', is '\w+'"):
        ps.round_robin(["random", "stay", other], deals=640, seed=4, rows="deals", folder=kept)
    with pytest.raises(ValueError, match=r"params of policy tight was {'aggression': 0\.8}, is {'aggression': 0\.5}"):
        ps.round_robin(
            ["random", "stay", ps.policies.get("tight", aggression=0.5).named("tight")],
            deals=640,
            seed=4,
            rows="deals",
            folder=kept,
        )
    with pytest.raises(ValueError, match="salt of policy tight was 0, is 3"):
        ps.round_robin(
            ["random", "stay", ps.policies.get("tight").named("tight", salt=3)],
            deals=640,
            seed=4,
            rows="deals",
            folder=kept,
        )


def test_a_policy_file_that_was_changed_is_refused_by_resume(tmp_path):
    sys.modules.pop("mine", None)  # other tests have files of this name
    source = tmp_path / "mine.py"
    lines = ["import palace_sim as ps", "", "@ps.policy", "def mine(view):"]
    lines += ["    return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()", ""]
    source.write_text("\n".join(lines))
    from palace_sim.policies.words import policy_from_text

    folder = tmp_path / "run"
    t = ps.round_robin([policy_from_text(f"{source}:mine"), "random"], deals=50, folder=folder)
    same_tables(ps.resume(folder), t)
    source.write_text(source.read_text().replace("ps.act.fold()", "ps.act.call()"))
    sys.modules.pop("mine")  # as in a new session
    with pytest.raises(ValueError, match="fingerprint of policy mine was"):
        ps.resume(folder)
    source.unlink()
    with pytest.raises(ValueError, match="policy mine cannot be found again"):
        ps.resume(folder)
    assert ps.load(folder).leaderboard.equals(t.leaderboard)  # to read it, nobody has to play


def test_a_policy_of_a_session_is_named(tmp_path):
    @ps.policy
    def local(view):
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    ps.round_robin([local, "random"], deals=20, folder=tmp_path)
    with pytest.raises(ValueError, match="policy local cannot be found again: it was defined in a session: call"):
        ps.resume(tmp_path)


def test_folders_that_keep_no_run_are_refused(tmp_path):
    for folder in (tmp_path / "nowhere", tmp_path):
        for call in (ps.resume, ps.load):
            with pytest.raises(ValueError, match=r"folder takes a folder that keeps a run, got .*no manifest\.json"):
                call(folder)
    for call in (ps.resume, ps.load):
        with pytest.raises(ValueError, match="folder takes a path, got 5"):
            call(5)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", '{"format": 1}', '{"format": 99}', "\ufeff{}", "MANIFEST-CUT", "MANIFEST-LESS"]
)
def test_a_damaged_manifest_is_said(kept, text):
    whole = (kept / "manifest.json").read_text()
    if text == "MANIFEST-CUT":
        text = whole[: len(whole) // 2]
    elif text == "MANIFEST-LESS":
        text = json.dumps({key: value for key, value in json.loads(whole).items() if key != "request"})
    (kept / "manifest.json").write_text(text)
    before = contents(parts(kept))
    again = lambda folder: ps.round_robin(NAMES, deals=640, seed=4, folder=folder, rows="deals")  # noqa: E731
    for call in (ps.resume, ps.load, again):
        with pytest.raises(ValueError, match=r"manifest\.json is damaged, or of no run"):
            call(kept)
    assert contents(parts(kept)) == before


@pytest.mark.parametrize("damage", ["cut", "empty", "rubbish", "other file"])
def test_a_damaged_part_is_named_and_played_again(kept, damage):
    wanted = ps.round_robin(NAMES, deals=640, seed=4, rows="deals")
    victim, other = parts(kept)[3:5]
    data = victim.read_bytes()
    damaged = {"cut": data[: len(data) // 2], "empty": b"", "rubbish": b"x" * 500}
    if damage == "other file":
        pd.DataFrame({"a": [1]}).to_parquet(victim)
    else:
        victim.write_bytes(damaged[damage])
    untouched = contents([other])
    with pytest.raises(ValueError, match=f"part .*{victim.name} is damaged"):
        ps.load(kept)
    with pytest.warns(RuntimeWarning, match=f"part .*{victim.name} is damaged.*set aside, and its deals"):
        made = ps.resume(kept)
    same_tables(made, wanted)
    same_tables(ps.load(kept), wanted)
    assert (kept / (victim.name + ".damaged")).exists()
    assert contents([other]) == untouched


def test_damaged_rows_are_named(kept):
    victim = parts(kept, "deals")[2]
    victim.write_bytes(victim.read_bytes()[:100])
    with pytest.raises(ValueError, match=f"part .*{victim.name} is damaged.*delete it and the part of sums"):
        ps.load(kept).deals  # noqa: B018
    victim.unlink()
    with pytest.raises(ValueError, match="lacks rows of deals"):
        ps.load(kept).deals  # noqa: B018
    (kept / victim.name.replace("deals-", "sums-")).unlink()  # as it was said
    same_tables(ps.resume(kept), ps.round_robin(NAMES, deals=640, seed=4, rows="deals"))


@pytest.mark.parametrize("which", ["sums", "deals", "manifest"])
def test_a_full_disk_leaves_no_half_part(tmp_path, monkeypatch, small_parts, which):
    folder = tmp_path / "run"
    put, written = store._put, []

    def full(path, write):
        written.append(path.name)
        if path.name.startswith(which) and sum(name.startswith(which) for name in written) > 2:

            def half(unfinished):
                unfinished.write_bytes(b"half")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            put(path, half)
        put(path, write)

    monkeypatch.setattr(store, "_put", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        ps.round_robin(NAMES, deals=640, seed=4, folder=folder, rows="deals", until=until.width(1e-6), look=100)
    assert caught.value.errno == errno.ENOSPC
    assert f"what is already in folder {folder} is whole" in str(caught.value)
    monkeypatch.setattr(store, "_put", put)
    assert not list(folder.glob(".*"))
    numbers = [{path.name.split("-", 1)[1] for path in parts(folder, kind)} for kind in ("sums", "deals")]
    assert numbers[0] == numbers[1]
    same_tables(
        ps.resume(folder), ps.round_robin(NAMES, deals=640, seed=4, rows="deals", until=until.width(1e-6), look=100)
    )


def test_two_runs_at_a_time_are_refused(tmp_path):
    child = child_of(tmp_path, 10**9)
    try:
        while not parts(tmp_path):
            time.sleep(0.01)
        for call in (
            lambda: ps.resume(tmp_path),
            lambda: ps.round_robin(
                ["random", "stay", "tight", "maniac"], deals=9, seed=9, rows="deals", folder=tmp_path
            ),
        ):
            with pytest.raises(ValueError, match="is being written to by another run"):
                call()
        assert ps.load(tmp_path).hands > 0  # reading is no writing
    finally:
        child.kill()
        child.communicate()
