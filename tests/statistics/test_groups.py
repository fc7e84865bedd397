"""Letters against published displays; told_apart against tables, symmetry and its own error rate."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import studentized_range

from palace_sim.statistics.groups import critical_value, letters, told_apart
from palace_sim.statistics.intervals import differences, interval

Table = tuple[NDArray[np.int64], NDArray[np.int64], list[int], NDArray[np.int64], NDArray[np.int64]]


def graph(size: int, pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    equal = np.eye(size, dtype=bool)
    for i, j in pairs:
        equal[i, j] = equal[j, i] = True
    return equal


def shared(shown: list[str]) -> NDArray[np.bool_]:
    sets = [set(text.split() if any(" " in t for t in shown) else text) for text in shown]
    return np.array([[bool(a & b) for b in sets] for a in sets])


def table(figures: NDArray[np.int64], hands: list[int] | None = None, batches: int = 1000) -> Table:
    """What a run keeps of a (D, P) table of figures."""
    deals, size = figures.shape
    batch = np.arange(deals) % batches
    sums = np.zeros((batches, size), np.int64)
    np.add.at(sums, batch, figures)
    counts = np.bincount(batch, minlength=batches)
    return counts, sums, hands or [4] * size, figures.T @ figures, figures.sum(axis=0)


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


class TestLetters:
    def test_published_wilcoxon_comparison_of_six_feeds(self) -> None:
        # R's data set chickwts (weights of chicks on six feeds), pairwise Wilcoxon tests adjusted by Holm: the seven
        # pairs with p > 0.05, and the display printed in the readme of the R package cld 0.0.1.
        feeds = ["casein", "horsebean", "linseed", "meatmeal", "soybean", "sunflower"]
        alike = [(1, 2), (2, 3), (3, 5), (0, 3), (2, 4), (3, 4), (0, 5)]
        by_name = letters([-i for i in range(6)], graph(6, alike))
        assert dict(zip(feeds, by_name, strict=True)) == {
            "casein": "a",
            "horsebean": "b",
            "linseed": "bc",
            "meatmeal": "ac",
            "soybean": "c",
            "sunflower": "a",
        }
        # The same groups by mean weight: sunflower, casein, meatmeal, soybean, linseed, horsebean.
        by_mean = letters([323.6, 160.2, 218.8, 276.9, 246.4, 328.9], graph(6, alike))
        assert by_mean == ["a", "c", "bc", "ab", "b", "a"]

    def test_published_instance_that_no_lines_can_show(self) -> None:
        # Gramm et al. (2007), figure 2: five treatments; 1-5, 2-3, 2-5 and 3-5 differ. The six other pairs form the
        # cliques {1,2,4}, {1,3,4}, {4,5}, each with a pair (12, 13, 45) that is in no other: no fewer letters will do.
        differ = {(0, 4), (1, 2), (1, 4), (2, 4)}
        alike = [pair for pair in itertools.combinations(range(5), 2) if pair not in differ]
        assert letters([5, 4, 3, 2, 1], graph(5, alike)) == ["ab", "a", "b", "abc", "c"]

    def test_all_alike_and_all_different(self) -> None:
        assert letters([1.0, 3.0, 2.0], np.ones((3, 3), bool)) == ["a", "a", "a"]
        assert letters([1.0, 3.0, 2.0], np.eye(3, dtype=bool)) == ["c", "a", "b"]
        assert letters([], np.zeros((0, 0), bool)) == []

    def test_a_ring_needs_a_letter_for_each_neighbourhood(self) -> None:
        # 0-1-2-3-0: no three are alike in pairs, so each of the four pairs has its own letter.
        assert letters([4, 3, 2, 1], graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])) == ["ab", "ac", "cd", "bd"]

    def test_a_letter_that_adds_no_pair_is_left_out(self) -> None:
        # Three triangles around the triangle {0,1,2} cover its three pairs: three letters, not four.
        rim = [(0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)]
        shown = letters([6, 5, 4, 3, 2, 1], graph(6, [(0, 1), (1, 2), (0, 2), *rim]))
        assert set("".join(shown)) == set("abc")

    def test_letters_go_on_after_z(self) -> None:
        shown = letters(range(28, 0, -1), np.eye(28, dtype=bool))
        assert shown[:2] + shown[24:] == ["a", "b", "y", "z", "aa", "ab"]
        alike = [(i, i + 1) for i in range(28)]
        assert letters(range(29, 0, -1), graph(29, alike))[26:] == ["z aa", "aa ab", "ab"]

    @settings(max_examples=300, deadline=None)
    @given(st.data())
    def test_a_letter_is_shared_exactly_when_alike(self, data: st.DataObject) -> None:
        size = data.draw(st.integers(1, 12))
        pairs = list(itertools.combinations(range(size), 2))
        alike = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
        means = data.draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size))
        equal = graph(size, alike)
        shown = letters(means, equal)
        assert (shared(shown) == equal).all()
        # No letter can go: each holds a pair, or a lone policy, that no other letter holds.
        used = sorted(set("".join(shown)))
        for letter in used:
            rest = shared([text.replace(letter, "") for text in shown])
            assert (rest != equal).any()
        # Given out from the top.
        seen = "".join(shown[p] for p in np.argsort(-np.array(means), kind="stable"))
        assert list(dict.fromkeys(seen)) == used

    def test_many_policies_and_an_unfriendly_graph(self) -> None:
        # Every policy differs from one partner only: 2^30 maximal cliques, few letters.
        partner = np.arange(60) ^ 1
        equal = np.ones((60, 60), bool)
        equal[np.arange(60), partner] = False
        np.fill_diagonal(equal, True)
        shown = letters(np.zeros(60), equal)
        assert (shared(shown) == equal).all()

    def test_bad_arguments_are_named(self) -> None:
        with pytest.raises(ValueError, match="not symmetric"):
            letters([2, 1], [[True, True], [False, True]])
        with pytest.raises(ValueError, match=r"\(3, 3\)"):
            letters([3, 2, 1], np.eye(2, dtype=bool))


class TestCriticalValue:
    @pytest.mark.parametrize("size", [2, 5, 10])
    def test_many_normal_deals_give_the_studentised_range(self, size: int) -> None:
        # Independent normal figures: max |t| over pairs is Tukey's studentised range over √2 (4.47/√2 at 10 means).
        # A quantile of 2,000 draws has sd √(0.05·0.95/2000)/f with density f about 0.12 to 0.16: below 0.042.
        figures = np.rint(draws(3).normal(0, 1000, (3000, size))).astype(np.int64)
        counts, sums, hands, _, _ = table(figures)
        expected = studentized_range.ppf(0.95, size, np.inf) / np.sqrt(2)
        assert critical_value(counts, sums, hands) == pytest.approx(expected, abs=4 * 0.042)

    def test_never_below_one_comparison(self) -> None:
        for key in range(20):
            figures = draws(key).integers(-2, 3, (12, 2))
            counts, sums, hands, _, _ = table(figures)
            assert critical_value(counts, sums, hands, draws=99) > 2.2009  # t at 11 degrees: 2.201 in print

    def test_near_twins_do_not_blind_the_rest(self) -> None:
        figures = draws(5).integers(-100, 101, (5000, 6))
        figures[:, 1] = figures[:, 0]
        alone = critical_value(*table(figures)[:3])
        figures[:3, 1] += 7
        counts, sums, hands, products, totals = table(figures)
        assert critical_value(counts, sums, hands) == pytest.approx(alone, abs=0.2)
        assert not told_apart(counts, sums, hands, products, totals)[0, 1]

    def test_one_batch_gives_none(self) -> None:
        assert critical_value([3], [[1, 2]], [1, 1]) == np.inf


class TestToldApart:
    @pytest.mark.parametrize(
        ("deals", "least"),
        # 400 tournaments at 5 %: 20 false findings expected, sd √(400·0.05·0.95) = 4.36, so 4 sd reach from 3 to 37.
        # Few deals with heavy tails are treated conservatively, so no lower bound at 20 deals.
        [(20, 0), (200, 3), (5000, 3)],
    )
    def test_false_findings_among_equal_policies(self, deals: int, least: int) -> None:
        # Six exchangeable policies, Student's t with 3 degrees (no kurtosis) on top of luck that all share.
        rng = draws(deals)
        found = 0
        for tournament in range(400):
            luck, own = rng.standard_t(3, (deals, 1)), rng.standard_t(3, (deals, 6))
            rows = table(np.rint(50 * (luck + own)).astype(np.int64))
            apart = told_apart(*rows, seed=tournament, draws=199)
            found += bool(apart.any())
            if apart.any():
                low, high = interval(*differences(rows[4], rows[3], deals, rows[2]), deals)
                assert ((low > 0) | (high < 0))[apart].all()  # the interval of the single pair excludes 0 as well
        assert least <= found <= 37

    def test_skewed_figures_of_few_deals(self) -> None:
        # Equal means, opposite skew: where a fixed standard error would fail in most tournaments. Same bound.
        rng = draws(9)
        sign = np.array([1, -1, 1, -1, 1, -1])
        found = 0
        for tournament in range(400):
            figures = (rng.lognormal(0, 1.2, (20, 6)) - np.exp(0.72)) * sign
            rows = table(np.rint(50 * figures).astype(np.int64))
            found += bool(told_apart(*rows, seed=tournament, draws=199).any())
        assert found <= 37

    @pytest.mark.parametrize("deals", [30, 999, 1000, 2345])
    def test_large_differences_are_found(self, deals: int) -> None:
        # Steps of 12 standard errors of a difference, three policies a step; within a step nothing to find.
        figures = np.rint(draws(2).normal(0, 1000, (deals, 6))).astype(np.int64)
        step = int(12 * 1000 * np.sqrt(2 / deals))
        figures += np.array([0, 0, 0, 1, 1, 1]) * step
        apart = told_apart(*table(figures))
        across = np.array([0, 0, 0, 1, 1, 1])
        assert (apart == (across[:, None] != across)).all()
        assert letters(figures.mean(axis=0), ~apart) == ["b", "b", "b", "a", "a", "a"]

    def test_order_of_policies_does_not_show(self) -> None:
        rng = draws(4)
        figures = rng.integers(-100, 101, (700, 8)) + np.arange(8) * 4
        figures[:, 3] = figures[:, 6]
        hands = [4, 2, 6, 4, 3, 4, 4, 12]
        figures *= hands
        apart = told_apart(*table(figures, hands))
        assert 0 < apart.sum() < 56
        value = critical_value(*table(figures, hands)[:3])
        for _ in range(5):
            p = rng.permutation(8)
            rows = table(figures[:, p], [hands[i] for i in p])
            assert (told_apart(*rows) == apart[np.ix_(p, p)]).all()
            assert critical_value(*rows[:3]) == value

    def test_same_seed_same_answer_and_no_global_state(self) -> None:
        rows = table(draws(6).integers(-9, 10, (50, 4)))
        before = repr(np.random.get_state())
        value = critical_value(*rows[:3], seed=5)
        told_apart(*rows)
        assert repr(np.random.get_state()) == before
        np.random.random()
        assert critical_value(*rows[:3], seed=5) == value
        assert critical_value(*rows[:3], seed=6) != value

    def test_twins_are_equal_and_constants_are_not(self) -> None:
        base = draws(7).integers(-100, 101, 40)
        figures = np.stack([base, 2 * base, base + 1], axis=1)
        apart = told_apart(*table(figures, hands=[1, 2, 1]))
        # The second plays twice the hands with twice the chips; the third has one chip more in every deal.
        assert apart.astype(int).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]

    @pytest.mark.parametrize("deals", [1, 2, 9])
    def test_nobody_is_told_apart_in_few_deals(self, deals: int) -> None:
        figures = draws(8).integers(0, 3, (deals, 3)) + np.array([0, 1000, 5000])
        assert not told_apart(*table(figures)).any()
        assert not told_apart(*table(np.zeros((deals, 3), np.int64) + np.arange(3))).any()

    def test_empty_batches_and_single_policy(self) -> None:
        figures = draws(10).integers(-9, 10, (30, 3)) + np.array([0, 9, 18])
        assert (told_apart(*table(figures)) == told_apart(*table(figures, batches=30))).all()
        assert told_apart(*table(figures[:, :1])).tolist() == [[False]]

    def test_bad_arguments_are_named(self) -> None:
        counts, sums, hands, products, totals = table(draws(1).integers(-9, 10, (30, 3)))
        with pytest.raises(ValueError, match="do not add up"):
            told_apart(counts, sums, hands, products, totals + 1)
        with pytest.raises(ValueError, match="hands"):
            told_apart(counts, sums, [4, 4], products, totals)
        with pytest.raises(ValueError, match="seed=-1"):
            told_apart(counts, sums, hands, products, totals, seed=-1)
        with pytest.raises(ValueError, match="level=95"):
            told_apart(counts, sums, hands, products, totals, level=95)
        with pytest.raises(ValueError, match="batch_deals has shape"):
            told_apart(counts[1:], sums, hands, products, totals)
        with pytest.raises(ValueError, match="at least one deal"):
            told_apart(counts * 0, sums * 0, hands, products, totals * 0)
