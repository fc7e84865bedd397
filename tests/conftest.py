from pathlib import Path

import hypothesis
import pytest

collect_ignore = ["benchmarks"]  # programs that are run by hand

# The first example of a test may compile, which no deadline allows for.
hypothesis.settings.register_profile("palace_sim", deadline=None)
hypothesis.settings.load_profile("palace_sim")


@pytest.fixture(scope="session")
def project() -> Path:
    """Return the folder that holds tests, notebooks, experiments and README.md; not always that of the package."""
    return Path(__file__).parents[1]
