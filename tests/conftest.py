from pathlib import Path

import hypothesis
import pytest

from palace_sim import run, store

collect_ignore = ["benchmarks"]  # programs that are run by hand

# The first example of a test may compile, which no deadline allows for.
hypothesis.settings.register_profile("palace_sim", deadline=None)
hypothesis.settings.load_profile("palace_sim")


@pytest.fixture(scope="session")
def project() -> Path:
    """Return the folder that holds tests, notebooks, experiments and README.md; not always that of the package."""
    return Path(__file__).parents[1]


@pytest.fixture
def small_parts(monkeypatch):
    """A part for every block, blocks of 64 deals."""
    monkeypatch.setattr(store, "PART_SECONDS", 0.0)
    monkeypatch.setattr(run.Sizer, "next", lambda self, left, workers: min(64, left))
