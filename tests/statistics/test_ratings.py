"""Ratings against planted strengths, published data and choix's other algorithms."""

import math

import choix
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from palace_sim.statistics.pairs import pair_sums
from palace_sim.statistics.ratings import ELO, rating_table, strengths


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
        found = pair_sums(as_deals(orders, list("abcde")))
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
        found = rating_table(pair_sums(deals_table(units)).wins, self.NAMES[:3], times=200)
        assert found.policy.tolist() == ["cat", "bee", "ant"]
        assert (np.diff(found.rating) < -20).all()
        # Shifting all by a constant changes nothing.
        shifted = deals_table([(a, b, {p: n + 12345 for p, n in nets.items()}) for a, b, nets in units])
        pd.testing.assert_frame_equal(found, rating_table(pair_sums(shifted).wins, self.NAMES[:3], times=200))

    def test_neither_order_of_results_nor_of_policies_shows(self) -> None:
        deals = as_deals(plackett_luce(draws(6), np.array([0.0, 0.2, 0.4, -0.1]), 500), list(self.NAMES))
        found = rating_table(pair_sums(deals).wins, self.NAMES, times=50)
        mixed = pair_sums(deals.sample(frac=1, random_state=1)).wins
        turned = mixed[:, ::-1, ::-1]
        pd.testing.assert_frame_equal(found, rating_table(turned, self.NAMES[::-1], times=50), check_exact=True)

    @pytest.mark.parametrize("many", [40, pytest.param(400, marks=pytest.mark.slow)])
    def test_intervals_cover_as_often_as_they_say(self, many: int) -> None:
        # Tournaments of 4 policies, 4 intervals each, 95 % of them expected to cover; a percentile interval of 60
        # resamples covers about 93 %. Intervals of a tournament are dependent, at worst all the same: the sd of the
        # count is at most 4·√(many·0.05·0.95). The prior of one tie among 400 draws strengths together by 1/400, a
        # fortieth of a standard error.
        planted = np.array([-0.5, 0.0, 0.1, 0.4])
        covered = 0
        for key in range(many):
            orders = plackett_luce(draws(1000 + key), planted, 400)
            found = rating_table(pair_sums(as_deals(orders, list(self.NAMES))).wins, self.NAMES, times=60, seed=key)
            truth = found.policy.map(dict(zip(self.NAMES, planted * ELO, strict=True)))
            covered += int(((found.ci_low <= truth) & (truth <= found.ci_high)).sum())
        spread = 4 * math.sqrt(many * 0.05 * 0.95)
        assert 4 * many * 0.93 - 4 * spread <= covered <= 4 * many * 0.95 + 4 * spread

    def test_standard_errors_know_that_line_ups_share_deals(self) -> None:
        # The same deal played in 5 line-ups with the same result is one observation, not five.
        orders = plackett_luce(draws(7), np.array([0.0, 0.5, 1.0]), 800)
        names = list("abc")
        once = pair_sums(as_deals(orders, names))
        often = pair_sums(pd.concat([as_deals(orders, names, lineup=k) for k in range(5)]))
        assert rating_table(often.wins, names, prior=5.0).se.to_numpy() == pytest.approx(
            rating_table(once.wins, names, prior=1.0).se.to_numpy(), rel=1e-6
        )

    def test_never_lost_never_won(self) -> None:
        wins = np.tile(np.array([[0.0, 4, 4], [0, 0, 3], [0, 1, 0]]), (50, 1, 1))
        wins[::2, 1, 2] -= 1
        found = rating_table(wins, ["top", "mid", "low"])
        assert found.policy.tolist() == ["top", "mid", "low"]
        assert np.isfinite(found.rating).all()
        assert found.ci_high.tolist()[0] == math.inf and np.isfinite(found.ci_high[1:]).all()
        assert found.n.tolist() == [400, 375, 375]

    def test_a_single_batch_has_no_error(self) -> None:
        found = rating_table([[[0, 3], [1, 0]]], ["a", "b"])
        assert found.se.isna().all()
        assert found.rating[0] == pytest.approx(ELO * math.log(3.5 / 1.5) / 2)

    def test_bad_arguments_are_named(self) -> None:
        with pytest.raises(ValueError, match=r"need \(B, 2, 2\)"):
            rating_table(np.ones((5, 3, 3)), ["a", "b"])
        with pytest.raises(ValueError, match="each policy once"):
            rating_table(np.ones((5, 2, 2)), ["a", "a"])
        with pytest.raises(ValueError, match="prior=0"):
            rating_table(np.ones((5, 2, 2)), ["a", "b"], prior=0)
