"""`champion` is what its search wrote down, and it beats everybody."""

import json
from pathlib import Path

import pytest

import palace_sim as ps
from palace_sim.kernels.jit import JIT
from palace_sim.policies import get


def test_it_is_what_the_search_wrote_down() -> None:
    found = json.loads((Path(ps.__file__).parent / "policies" / "champion.json").read_text())
    champion = get("champion")
    assert champion.name == "champion"
    assert champion.name in ps.policies.SEARCHED
    numbers = champion.family.table.array
    rows = numbers[2:].reshape(int(numbers[0] + numbers[1]), -1)
    parts = [part for what in ("two", "more") for part in found[what]]
    assert rows[:, 1:].tolist() == [list(part["params"].values()) for part in parts]
    assert all(list(part["params"]) == list(get("general").params) for part in parts)
    assert sum(part["share"] for part in found["two"]) == pytest.approx(1, abs=1e-3)
    ps.play([champion, "tight"], deals=3, rows=False)


@pytest.mark.skipif(not JIT, reason="many hands")
@pytest.mark.parametrize("name", ["tight", "patriot", "pot_odds"])
def test_it_beats_three_copies(name: str) -> None:
    """By more than 4 standard errors, over deals that are not those of its figures."""
    row = ps.play(["champion", name, name, name], deals=300, seed=77, rows=False).summary.set_index("policy")
    assert row.loc["champion", "mean"] > 4 * row.loc["champion", "se"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ps.policies.NAMES)
def test_it_beats_every_built_in_policy(name: str) -> None:
    for copies, deals in ((1, 60_000), (3, 10_000)):
        row = ps.play(["champion", *[name] * copies], deals=deals, seed=78, rows=False).summary.set_index("policy")
        assert row.loc["champion", "ci_low"] > 0, copies


@pytest.mark.slow
def test_it_is_ahead_of_all_in_a_round_robin() -> None:
    table = ps.round_robin(["champion", *ps.policies.NAMES], seats=4, deals=300, seed=79)
    for name in ps.policies.NAMES:
        assert table.difference("champion", name)["ci_low"] > 0, name
