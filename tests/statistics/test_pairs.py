"""Who did better than whom: by hand and against loops."""

import itertools

import numpy as np
import pandas as pd
import pytest

from palace_sim.statistics.pairs import pair_sums


def deals_table(units: list[tuple[int, int, dict[str, int]]], hands: int = 2) -> pd.DataFrame:
    rows = [(lineup, deal, policy, hands, net) for lineup, deal, nets in units for policy, net in nets.items()]
    return pd.DataFrame(rows, columns=["lineup", "deal", "policy", "hands", "net"])


def test_by_hand() -> None:
    # Deals 0 and 3 fall into batch 0 of 3, deal 1 into batch 1.
    table = deals_table([(0, 0, {"b": 5, "a": -5}), (1, 0, {"c": 7, "a": 7}), (0, 1, {"a": 1, "b": -1})])
    table = pd.concat([table, deals_table([(2, 3, {"a": 1, "b": 2, "c": -3})], hands=3)])
    found = pair_sums(table.sample(frac=1, random_state=3), batches=3)
    assert found.names == ["a", "b", "c"]
    assert found.deals.tolist() == [2, 1, 0]
    assert found.wins[0].tolist() == [[0, 0, 1.5], [2, 0, 1], [0.5, 0, 0]]
    assert found.wins[1].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert found.net[0].tolist() == [[0, -11, 4], [11, 0, 5], [-4, -5, 0]]
    assert found.net[1, 0, 1] == 2
    assert found.hands[0].tolist() == [[0, 5, 5], [5, 0, 3], [5, 3, 0]]
    assert not found.wins[2].any() and not found.net[2].any() and not found.hands[2].any()


def test_against_loops() -> None:
    rng = np.random.Generator(np.random.Philox(key=1))
    units = []
    for lineup, members in enumerate(itertools.combinations("defgh", 3)):
        for deal in range(20):
            units.append((lineup, deal, dict(zip(members, rng.integers(-3, 4, 3).tolist(), strict=True))))
    found = pair_sums(deals_table(units), batches=7)
    wins = {}
    for _, deal, nets in units:
        for a, b in itertools.permutations(nets, 2):
            key = deal % 7, found.names.index(a), found.names.index(b)
            wins[key] = wins.get(key, 0) + (1 if nets[a] > nets[b] else 0.5 if nets[a] == nets[b] else 0)
    assert {k: found.wins[k] for k in wins} == wins
    assert found.wins.sum() == sum(wins.values()) == len(units) * 3
    assert found.deals.sum() == 20  # line-ups share deals
    assert (found.hands == found.hands.transpose(0, 2, 1)).all()
    assert (found.net == -found.net.transpose(0, 2, 1)).all()


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ([], "no rows"),
        ([(0, 4, {"a": 1}), (0, 4, {"a": 2})], "'a' twice in line-up 0, deal 4"),
    ],
)
def test_bad_tables_are_named(units: list[tuple[int, int, dict[str, int]]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pair_sums(deals_table(units))


def test_uneven_hands_are_named() -> None:
    table = deals_table([(0, 0, {"a": 1, "b": -1})])
    table.loc[0, "hands"] = 3
    with pytest.raises(ValueError, match="numbers of hands in line-up 0, deal 0"):
        pair_sums(table)
