"""The script that searches for `champion`: a small run, gone on with, and what it refuses."""

import runpy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from palace_sim.kernels.jit import JIT

HERE = Path(__file__).parents[2] / "experiments" / "champion"

SMALL = """
opponents = ["stay", "tight", "buyer", "hunter"]
seed = 1
[more]
start = "patriot"
budget = 14_000
deals = 5
final_deals = 10
sigma = 0.2
cap = 0.5
mixed = [[0, 1, 3]]
mixed_weight = 0.5
[two]
start = ["stay", "tight"]
rounds = 2
budget = 2_000
deals = 5
final_deals = 10
sigma = 0.2
[check]
budget = 2_000
deals = 5
final_deals = 10
heads_up = 20
copies = 10
round_robin = 10
"""

pytestmark = [
    pytest.mark.skipif(not JIT, reason="searches play too many hands for plain Python"),
    pytest.mark.skipif(not HERE.exists(), reason="the tests stand without the experiments"),
]


def script() -> dict[str, Any]:
    return runpy.run_path(str(HERE / "run.py"))


def test_a_small_run_and_the_same_one_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.toml"
    config.write_text(SMALL)
    run = script()["run"]
    run(config, tmp_path / "results")
    said = capsys.readouterr().out
    table = pd.read_csv(tmp_path / "results" / "strength.csv")
    assert table["how"].value_counts().to_dict() == dict.fromkeys(
        ["heads-up", "against three copies", "round robin, less"], 4
    )
    assert "a fresh search against it gains" in said
    run(config, tmp_path / "results")
    assert capsys.readouterr().out == said
    config.write_text(SMALL.replace("seed = 1", "seed = 2"))
    with pytest.raises(ValueError, match="keeps another search: seed is 1 there, 2 here"):
        run(config, tmp_path / "results")


def test_settings_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("sedd = 2\n" + SMALL)
    with pytest.raises(SystemExit, match="too many or missing: sedd"):
        script()["run"](config, tmp_path)
