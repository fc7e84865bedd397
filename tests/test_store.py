"""Rows in a folder: the same tables, flat memory, no half part."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import palace_sim as ps

LINEUP = ["random", "tight", "buyer", "maniac"]


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
