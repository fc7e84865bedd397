"""Ratings against planted strengths, published data and choix's other algorithms; pairs and resampling by hand."""

import itertools
import math

import choix
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from palace_sim.statistics.pairs import pairs
from palace_sim.statistics.ratings import ELO, ratings, strengths
from palace_sim.statistics.resampling import draw_batches, resample


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


def deals_table(units: list[tuple[int, int, dict[str, int]]], hands: int = 2) -> pd.DataFrame:
    rows = [(lineup, deal, policy, hands, net) for lineup, deal, nets in units for policy, net in nets.items()]
    return pd.DataFrame(rows, columns=["lineup", "deal", "policy", "hands", "net"])


def plackett_luce(rng: np.random.Generator, strength: NDArray[np.float64], units: int) -> NDArray[np.int64]:
    """Orders drawn by the model, best first: descending strength plus Gumbel noise (Yellott 1977)."""
    return np.argsort(-(strength + rng.gumbel(size=(units, len(strength)))), axis=1)


def as_deals(orders: NDArray[np.int64], names: list[str], lineup: int = 0) -> pd.DataFrame:
    units, size = orders.shape
    return pd.DataFrame(
        {
            "lineup": lineup,
            "deal": np.repeat(np.arange(units), size),
            "policy": pd.Categorical.from_codes(orders.ravel(), categories=names),
            "hands": size,
            "net": np.tile(np.arange(size, 0, -1), units),
        }
    )


class TestPairs:
    def test_by_hand(self) -> None:
        # Deals 0 and 3 fall into batch 0 of 3, deal 1 into batch 1.
        table = deals_table([(0, 0, {"b": 5, "a": -5}), (1, 0, {"c": 7, "a": 7}), (0, 1, {"a": 1, "b": -1})])
        table = pd.concat([table, deals_table([(2, 3, {"a": 1, "b": 2, "c": -3})], hands=3)])
        found = pairs(table.sample(frac=1, random_state=3), batches=3)
        assert found.names == ["a", "b", "c"]
        assert found.deals.tolist() == [2, 1, 0]
        assert found.wins[0].tolist() == [[0, 0, 1.5], [2, 0, 1], [0.5, 0, 0]]
        assert found.wins[1].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
        assert found.net[0].tolist() == [[0, -11, 4], [11, 0, 5], [-4, -5, 0]]
        assert found.net[1, 0, 1] == 2
        assert found.hands[0].tolist() == [[0, 5, 5], [5, 0, 3], [5, 3, 0]]
        assert not found.wins[2].any() and not found.net[2].any() and not found.hands[2].any()

    def test_against_loops(self) -> None:
        rng = draws(1)
        units = []
        for lineup, members in enumerate(itertools.combinations("defgh", 3)):
            for deal in range(20):
                units.append((lineup, deal, dict(zip(members, rng.integers(-3, 4, 3).tolist(), strict=True))))
        found = pairs(deals_table(units), batches=7)
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
    def test_bad_tables_are_named(self, units: list[tuple[int, int, dict[str, int]]], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            pairs(deals_table(units))

    def test_uneven_hands_are_named(self) -> None:
        table = deals_table([(0, 0, {"a": 1, "b": -1})])
        table.loc[0, "hands"] = 3
        with pytest.raises(ValueError, match="numbers of hands in line-up 0, deal 0"):
            pairs(table)


class TestStrengths:
    def test_published_baseball(self) -> None:
        # Agresti, Categorical Data Analysis (1990), table 10.10: the American League's eastern division in 1987, wins
        # of the row. His estimates beside Baltimore, the last: Milwaukee 1.58, Detroit 1.44, Toronto 1.29, New York
        # 1.25, Boston 1.11, Cleveland 0.68.
        wins = np.array(
            [
                [0, 7, 9, 7, 7, 9, 11],
                [6, 0, 7, 5, 11, 9, 9],
                [4, 6, 0, 7, 7, 8, 12],
                [6, 8, 6, 0, 6, 7, 10],
                [6, 2, 6, 7, 0, 7, 12],
                [4, 4, 5, 6, 6, 0, 6],
                [2, 4, 1, 3, 1, 7, 0],
            ]
        )
        found = strengths(wins, prior=0)
        assert (found - found[-1])[:-1] == pytest.approx([1.58, 1.44, 1.29, 1.25, 1.11, 0.68], abs=0.005)

    def test_score_equations_hold(self) -> None:
        # At the maximum every policy has won as often as the model expects.
        wins = draws(2).integers(0, 30, (12, 12)).astype(float)
        np.fill_diagonal(wins, 0)
        found = strengths(wins, prior=3)
        table = wins + 1.5 * (1 - np.eye(12))
        chance = 1 / (1 + np.exp(found[None, :] - found[:, None]))
        assert ((table + table.T) * chance).sum(axis=1) == pytest.approx(table.sum(axis=1))
        assert found.sum() == pytest.approx(0, abs=1e-12)

    def test_choix_of_single_comparisons(self) -> None:
        orders = plackett_luce(draws(3), np.array([0.0, 0.4, -0.6, 1.0]), 300)
        single = [(int(o[i]), int(o[j])) for o in orders for i in range(4) for j in range(i + 1, 4)]
        wins = np.zeros((4, 4))
        for winner, loser in single:
            wins[winner, loser] += 1
        expected = choix.opt_pairwise(4, single, alpha=0, tol=1e-10)
        assert strengths(wins, prior=0) == pytest.approx(expected - expected.mean(), abs=1e-6)

    def test_breaking_orders_recovers_plackett_luce(self) -> None:
        # 4,000 orders of 5: a log strength has a standard error of about √(2.5/4000) = 0.025 by either way, which are
        # strongly correlated; the planted ones are within 4 of those, and so is the full likelihood of choix.
        planted = np.array([-0.8, -0.3, 0.0, 0.4, 0.7])
        orders = plackett_luce(draws(4), planted, 4000)
        found = pairs(as_deals(orders, list("abcde")))
        broken = strengths(found.wins.sum(axis=0), prior=0)
        assert broken == pytest.approx(planted, abs=0.1)
        full = choix.ilsr_rankings(5, orders.tolist())
        assert broken == pytest.approx(full, abs=0.1)

    def test_never_losing_needs_a_prior(self) -> None:
        wins = [[0, 5, 5], [0, 0, 3], [0, 2, 0]]
        with pytest.raises(ValueError, match="prior=0"):
            strengths(wins, prior=0)
        found = strengths(wins)
        assert np.isfinite(found).all()
        assert found[0] > found[1] > found[2]
        # Two policies, always the same winner: odds 5.5 to 0.5.
        assert np.diff(strengths([[0, 0], [5, 0]])) == pytest.approx([math.log(11)])

    def test_who_never_met_is_connected_by_the_prior(self) -> None:
        found = strengths([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]])
        assert found == pytest.approx([0, 0, 0, 0], abs=1e-9)

    @pytest.mark.parametrize(
        ("wins", "prior", "said"),
        [
            ([[0, 1]], 1, "square"),
            ([[0]], 1, "2 policies"),
            ([[0, -1], [1, 0]], 1, "0 or more"),
            ([[0, math.nan], [1, 0]], 1, "0 or more"),
            ([[0, 1], [1, 0]], -1, "prior=-1"),
        ],
    )
    def test_bad_arguments_are_named(self, wins: list[list[float]], prior: float, said: str) -> None:
        with pytest.raises(ValueError, match=said):
            strengths(wins, prior)


class TestRatings:
    NAMES = ("ant", "bee", "cat", "dog")

    def test_true_edges_come_in_their_order(self) -> None:
        # Deals with a common part and edges 0, +1, +2 on a noise of 3; three policies heads-up and all together.
        rng = draws(5)
        units = []
        for lineup, members in enumerate([(0, 1), (0, 2), (1, 2), (0, 1, 2)]):
            luck = rng.normal(0, 10, 2000)
            for deal in range(2000):
                nets = {self.NAMES[m]: int(1000 * (luck[deal] + m + rng.normal(0, 3))) for m in members}
                units.append((lineup, deal, nets))
        found = ratings(pairs(deals_table(units)).wins, self.NAMES[:3], times=200)
        assert found.policy.tolist() == ["cat", "bee", "ant"]
        assert (np.diff(found.rating) < -20).all()
        # Shifting all by a constant changes nothing.
        shifted = deals_table([(a, b, {p: n + 12345 for p, n in nets.items()}) for a, b, nets in units])
        pd.testing.assert_frame_equal(found, ratings(pairs(shifted).wins, self.NAMES[:3], times=200))

    def test_neither_order_of_results_nor_of_policies_shows(self) -> None:
        deals = as_deals(plackett_luce(draws(6), np.array([0.0, 0.2, 0.4, -0.1]), 500), list(self.NAMES))
        found = ratings(pairs(deals).wins, self.NAMES, times=50)
        mixed = pairs(deals.sample(frac=1, random_state=1)).wins
        turned = mixed[:, ::-1, ::-1]
        pd.testing.assert_frame_equal(found, ratings(turned, self.NAMES[::-1], times=50), check_exact=True)

    @pytest.mark.parametrize("many", [40, pytest.param(400, marks=pytest.mark.slow)])
    def test_intervals_cover_as_often_as_they_say(self, many: int) -> None:
        # Tournaments of 4 policies, 4 intervals each, 95 % of them expected to cover; a percentile interval of 100
        # resamples covers about 94 %. Intervals of a tournament are dependent, at worst all the same: the sd of the
        # count is at most 4·√(many·0.05·0.95). The prior of one tie among 400 draws strengths together by 1/400, a
        # fortieth of a standard error.
        planted = np.array([-0.5, 0.0, 0.1, 0.4])
        covered = 0
        for key in range(many):
            orders = plackett_luce(draws(1000 + key), planted, 400)
            found = ratings(pairs(as_deals(orders, list(self.NAMES))).wins, self.NAMES, times=100, seed=key)
            truth = found.policy.map(dict(zip(self.NAMES, planted * ELO, strict=True)))
            covered += int(((found.ci_low <= truth) & (truth <= found.ci_high)).sum())
        spread = 4 * math.sqrt(many * 0.05 * 0.95)
        assert 4 * many * 0.94 - 4 * spread <= covered <= 4 * many * 0.95 + 4 * spread

    def test_standard_errors_know_that_line_ups_share_deals(self) -> None:
        # The same deal played in 5 line-ups with the same result is one observation, not five.
        orders = plackett_luce(draws(7), np.array([0.0, 0.5, 1.0]), 800)
        names = list("abc")
        once = pairs(as_deals(orders, names))
        often = pairs(pd.concat([as_deals(orders, names, lineup=k) for k in range(5)]))
        assert ratings(often.wins, names, prior=5.0).se.to_numpy() == pytest.approx(
            ratings(once.wins, names, prior=1.0).se.to_numpy(), rel=1e-6
        )

    def test_never_lost_never_won(self) -> None:
        wins = np.tile(np.array([[0.0, 4, 4], [0, 0, 3], [0, 1, 0]]), (50, 1, 1))
        wins[::2, 1, 2] -= 1
        found = ratings(wins, ["top", "mid", "low"])
        assert found.policy.tolist() == ["top", "mid", "low"]
        assert np.isfinite(found.rating).all()
        assert found.ci_high.tolist()[0] == math.inf and np.isfinite(found.ci_high[1:]).all()
        assert found.n.tolist() == [400, 375, 375]

    def test_a_single_batch_has_no_error(self) -> None:
        found = ratings([[[0, 3], [1, 0]]], ["a", "b"])
        assert found.se.isna().all()
        assert found.rating[0] == pytest.approx(ELO * math.log(3.5 / 1.5) / 2)

    def test_bad_arguments_are_named(self) -> None:
        with pytest.raises(ValueError, match=r"need \(B, 2, 2\)"):
            ratings(np.ones((5, 3, 3)), ["a", "b"])
        with pytest.raises(ValueError, match="each policy once"):
            ratings(np.ones((5, 2, 2)), ["a", "a"])
        with pytest.raises(ValueError, match="prior=0"):
            ratings(np.ones((5, 2, 2)), ["a", "b"], prior=0)


class TestResample:
    def test_mean_of_batches(self) -> None:
        # 500 batches of 3 deals. The standard error of the mean is known; its resampled estimate has a relative sd of
        # √(1/(2·999) + 1/(2·499)) = 0.039, of which the first part is new randomness.
        figures = draws(8).normal(size=(500, 2)) * [1, 10]
        found = resample(lambda total, deals: total / deals, figures, np.full(500, 3))
        assert found.value == pytest.approx(figures.sum(axis=0) / 1500)
        expected = figures.std(axis=0, ddof=1) / math.sqrt(500) / 3
        assert found.se == pytest.approx(expected, rel=4 / math.sqrt(2 * 999))
        assert (found.high - found.low) / 2 == pytest.approx(1.96 * expected, rel=0.15)

    def test_uneven_batches_are_drawn_with_their_deals(self) -> None:
        # Every deal has figure 2, so no resample differs.
        deals = np.array([1, 5, 0, 9])
        found = resample(lambda total, count: total / count, 2 * deals, deals)
        assert (found.value, found.se, found.low, found.high) == (2, 0, 2, 2)

    def test_shapes_pass_through(self) -> None:
        sums = draws(9).normal(size=(20, 3, 4))
        found = resample(lambda total, _: total.T, sums, np.ones(20), times=10)
        assert found.value.shape == found.se.shape == found.low.shape == (4, 3)

    def test_same_seed_same_answer_and_no_global_state(self) -> None:
        sums, deals = draws(10).normal(size=30), np.ones(30)
        before = repr(np.random.get_state())
        one = resample(lambda total, count: total / count, sums, deals, seed=5)
        assert repr(np.random.get_state()) == before
        assert one == resample(lambda total, count: total / count, sums, deals, seed=5)
        assert one != resample(lambda total, count: total / count, sums, deals, seed=6)

    @given(st.integers(1, 40), st.integers(2, 600), st.integers(0, 2**64 - 1))
    def test_every_resample_has_as_many_batches(self, batches: int, times: int, seed: int) -> None:
        chosen = np.concatenate(list(draw_batches(batches, times, seed)))
        assert chosen.shape == (times, batches)
        assert (chosen.sum(axis=1) == batches).all()

    def test_batches_are_drawn_equally_often(self) -> None:
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
    def test_bad_arguments_are_named(self, arguments: tuple[object, ...], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            resample(lambda total, _: total, *arguments)  # type: ignore[arg-type]
