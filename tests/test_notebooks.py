"""Notebooks and experiments run, with small sizes, as they stand."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from running_notebooks import NOTEBOOKS, code_cells, each, images, quiet, read, run, shown

import palace_sim as ps

PROJECT = Path(__file__).parents[1]
POSITION = PROJECT / "experiments" / "position"


def test_notebooks_are_numbered():
    assert [path.name[:3] for path in NOTEBOOKS] == [f"{k:02d}_" for k in range(1, 9)]


@quiet
@each
def test_notebook_runs(path, tmp_path, monkeypatch):
    kept, now = code_cells(read(path)), code_cells(run(path, tmp_path, monkeypatch, scale=0.01))
    assert [len(images(cell)) for cell in now] == [len(images(cell)) for cell in kept]
    assert not [text for cell in now for kind, text in shown(cell) if kind == "stderr"]


@each
def test_notebook_is_kept_with_its_output(path):
    notebook = read(path)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    told = [(kind, text) for cell in cells for kind, text in shown(cell)]
    assert {kind for kind, _ in told} <= {"stdout", "text/plain", "text/html"}
    # addresses and paths, which are others there
    elsewhere = re.compile(r"\b0x[0-9a-f]{6,}" + "".join(f"|/{top}/" for top in ("tmp", "home", "root")))
    assert not [text for _, text in told if elsewhere.search(text)]
    assert any(images(cell) for cell in cells)
    assert notebook.cells[0].source.startswith("# ")
    assert path.stat().st_size < 1_000_000


def run_position(config, results):
    return subprocess.run(
        [sys.executable, POSITION / "run.py", config, "--results", results],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(ps.__file__).parents[1])},
    )


@pytest.fixture
def small(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('policy = "random"\nseats = [2, 3]\ndeals = 200\nseed = 4\n[rules]\nsmall_bet = 4\n')
    return config


def test_position_experiment_gives_the_means_of_its_hands(small, tmp_path):
    done = run_position(small, tmp_path / "results")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "results" / "positions.csv")
    assert list(zip(table.seats, table.position, strict=True)) == [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    rows = ps.play(["random"] * 3, ps.Rules(small_bet=4), deals=200, seed=4, rotate=False).seats
    for position in range(3):
        nets = rows.net[rows.position == position].to_numpy(float)
        found = table[(table.seats == 3) & (table.position == position)].iloc[0]
        assert len(nets) == 200
        assert found["mean"] == pytest.approx(nets.mean())
        assert found["se"] == pytest.approx(nets.std(ddof=1) / np.sqrt(200))
        assert found.ci_low < found["mean"] < found.ci_high
    assert (tmp_path / "results" / "position.png").stat().st_size > 5_000


def test_position_experiment_resumes_and_refuses_other_settings(small, tmp_path):
    results = tmp_path / "results"
    first = run_position(small, results)
    assert first.stdout.count(", played: ") == 2, first.stderr
    whole = {path.name: path.read_bytes() for path in results.iterdir()}
    (results / "seats_03.json").unlink()  # as a run that was stopped leaves it
    (results / "positions.csv").unlink()
    again = run_position(small, results)
    assert (again.stdout.count(", stored: "), again.stdout.count(", played: ")) == (1, 1)
    assert {path.name: path.read_bytes() for path in results.iterdir() if path.suffix != ".png"} == {
        name: data for name, data in whole.items() if not name.endswith(".png")
    }
    (results / "seats_02.json").write_text((results / "seats_02.json").read_text()[:50])
    assert "damaged" in run_position(small, results).stderr
    small.write_text(small.read_text().replace("deals = 200", "deals = 300"))
    other = run_position(small, results)
    assert other.returncode == 1
    assert "played with deals=200, not 300" in other.stderr
    assert json.loads((results / "seats_02.json").read_text())["settings"]["deals"] == 200


def test_position_experiment_refuses_settings_that_mean_nothing(small, tmp_path):
    small.write_text('deal = 5\npolicy = "random"\nseats = [2]\nseed = 1\n')
    done = run_position(small, tmp_path / "results")
    assert done.returncode == 1
    assert "deal, deals" in done.stderr


def test_test_of_equal_positions_is_hotellings():
    """For two columns T² is the square of the paired t; for more its p-values are uniform where all is equal."""
    from scipy.stats import kstest, ttest_rel

    positions_differ = runpy.run_path(str(POSITION / "run.py"))["positions_differ"]
    rng = np.random.Generator(np.random.Philox(1))
    pair = rng.normal(loc=[0, 0.3], size=(40, 2))
    assert positions_differ(pair) == pytest.approx(ttest_rel(pair[:, 0], pair[:, 1]).pvalue)
    p = [positions_differ(x - x.mean(axis=1, keepdims=True)) for x in rng.normal(size=(500, 30, 4))]
    assert kstest(p, "uniform").pvalue > 0.001


def test_position_experiment_is_kept_with_its_settings():
    settings = tomllib.loads((POSITION / "config.toml").read_text())
    assert settings["seats"] == list(range(2, 11))
    assert settings["policy"] in ps.policies.NAMES
    assert "?" in (POSITION / "README.md").read_text().splitlines()[0]
