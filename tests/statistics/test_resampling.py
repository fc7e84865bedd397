"""Resampling of batches: known standard errors, equal chances, the same answer for the same seed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace_sim.statistics.resampling import draw_batches, resample


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


def test_mean_of_batches() -> None:
    # 500 batches of 3 deals. The standard error of the mean is known; its resampled estimate has a relative sd of
    # √(1/(2·999) + 1/(2·499)) = 0.039, of which the first part is new randomness.
    figures = draws(8).normal(size=(500, 2)) * [1, 10]
    found = resample(lambda total, deals: total / deals, figures, np.full(500, 3))
    assert found.value == pytest.approx(figures.sum(axis=0) / 1500)
    expected = figures.std(axis=0, ddof=1) / math.sqrt(500) / 3
    assert found.se == pytest.approx(expected, rel=4 / math.sqrt(2 * 999))
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * expected, rel=0.15)


def test_uneven_batches_are_drawn_with_their_deals() -> None:
    # Every deal has figure 2, so no resample differs.
    deals = np.array([1, 5, 0, 9])
    found = resample(lambda total, count: total / count, 2 * deals, deals)
    assert (found.value, found.se, found.low, found.high) == (2, 0, 2, 2)


def test_shapes_pass_through() -> None:
    sums = draws(9).normal(size=(20, 3, 4))
    found = resample(lambda total, _: total.T, sums, np.ones(20), times=10)
    assert found.value.shape == found.se.shape == found.low.shape == (4, 3)


def test_same_seed_same_answer_and_no_global_state() -> None:
    sums, deals = draws(10).normal(size=30), np.ones(30)
    before = repr(np.random.get_state())
    one = resample(lambda total, count: total / count, sums, deals, seed=5)
    assert repr(np.random.get_state()) == before
    assert one == resample(lambda total, count: total / count, sums, deals, seed=5)
    assert one != resample(lambda total, count: total / count, sums, deals, seed=6)


@given(st.integers(1, 40), st.integers(2, 600), st.integers(0, 2**64 - 1))
def test_every_resample_has_as_many_batches(batches: int, times: int, seed: int) -> None:
    chosen = np.concatenate(list(draw_batches(batches, times, seed)))
    assert chosen.shape == (times, batches)
    assert (chosen.sum(axis=1) == batches).all()


def test_batches_are_drawn_equally_often() -> None:
    # 10,000 draws of each of 100 batches: sd √(10^6·0.01·0.99) = 99.5; the largest of 100 stays within 4.5 of them.
    often = np.concatenate(list(draw_batches(100, 10_000, 3))).sum(axis=0)
    assert abs(often - 10_000).max() < 4.5 * 99.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1, 2], [1]), r"\(B, ...\)"),
        (([1, 2], [0, 0]), "at least one deal"),
        (([1, 2], [1, -1]), "0 or more"),
        (([1, 2], [1, 1], 1), "times=1"),
        (([1, 2], [1, 1], 10, -1), "seed=-1"),
        (([1, 2], [1, 1], 10, 0, 95), "level=95"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resample(lambda total, _: total, *arguments)  # type: ignore[arg-type]
