"""Nash mixtures and alpha-rank: published games, arithmetic on paper, and invariances."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from palace_sim.statistics.mixtures import alpha_rank, nash_mixture
from palace_sim.statistics.resampling import resample

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
tables = st.integers(1, 7).flatmap(
    lambda p: st.integers(1, 7).flatmap(
        lambda q: st.lists(st.lists(st.integers(-4, 4), min_size=q, max_size=q), min_size=p, max_size=p)
    )
)


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


class TestNash:
    def test_rock_paper_scissors(self) -> None:
        found = nash_mixture(RPS)
        assert found.weights == pytest.approx([1 / 3] * 3, abs=1e-12)
        assert found.value == 0.0
        assert found.support.tolist() == [0, 1, 2]
        assert 0 <= found.exploitability <= 1e-9

    @given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 50))
    def test_biased_rock_paper_scissors(self, a: int, b: int, c: int) -> None:
        # Paper beats rock by a, scissors paper by b, rock scissors by c. In equilibrium each of the three gains 0:
        # p is (b, c, a)/(a + b + c) for rock, paper, scissors.
        found = nash_mixture([[0, -a, c], [a, 0, -b], [-c, b, 0]])
        assert found.weights == pytest.approx(np.array([b, c, a]) / (a + b + c), abs=1e-9)

    def test_two_by_two_on_paper(self) -> None:
        # No saddle point: p = (d − c)/(a − b − c + d), value (ad − bc)/(a − b − c + d).
        found = nash_mixture([[3, -1], [-2, 1]])
        assert found.weights == pytest.approx([3 / 7, 4 / 7], abs=1e-9)
        assert found.value == pytest.approx(1 / 7, abs=1e-9)

    def test_published_game_of_morra(self) -> None:
        # Two-finger Morra (Dresher, The Mathematics of Games of Strategy, 1961): shows and guesses (1,1), (1,2), (2,1),
        # (2,2). The optimal mixtures give (1,2) between 4/7 and 3/5 and (2,1) the rest; the most even is at 4/7.
        found = nash_mixture([[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]])
        assert found.weights == pytest.approx([0, 4 / 7, 3 / 7, 0], abs=1e-9)
        assert found.support.tolist() == [1, 2]

    def test_dominated_and_transitive(self) -> None:
        chain = np.sign(np.arange(5)[:, None] - np.arange(5)[None, :])
        assert nash_mixture(chain).weights.tolist() == [0, 0, 0, 0, 1]
        with_loser = np.pad(RPS, (0, 1))
        with_loser[3, :3], with_loser[:3, 3] = -1, 1
        assert nash_mixture(with_loser).weights == pytest.approx([1 / 3] * 3 + [0], abs=1e-12)

    def test_of_many_optima_the_most_even(self) -> None:
        assert nash_mixture(np.zeros((4, 4))).weights == pytest.approx([0.25] * 4)
        assert nash_mixture([[1, 1], [1, 1], [0, 3]]).weights == pytest.approx([0.5, 0.5, 0], abs=1e-9)
        # A copy of rock takes half of rock's share, and no more.
        copied = np.array([0, 0, 1, 2])
        assert nash_mixture(RPS[np.ix_(copied, copied)]).weights == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])

    @settings(max_examples=120, deadline=None)
    @given(tables)
    def test_both_sides_agree_on_the_value(self, rows: list[list[int]]) -> None:
        # Minimax: what the rows can make sure of is what the columns cannot be kept from losing.
        payoffs = np.array(rows, float)
        found, other = nash_mixture(payoffs), nash_mixture(-payoffs.T)
        assert found.weights.sum() == pytest.approx(1, abs=1e-12) and (found.weights >= 0).all()
        assert found.value == pytest.approx(-other.value, abs=1e-8)
        assert (found.weights @ payoffs).min() == pytest.approx(found.value, abs=1e-8)
        assert 0 <= found.exploitability <= 1e-8

    @settings(max_examples=60, deadline=None)
    @given(st.integers(1, 25), st.integers(0, 10**6), st.booleans())
    def test_antisymmetric_tables(self, size: int, key: int, coarse: bool) -> None:
        rng = draws(key)
        table = rng.normal(size=(size, size)) if not coarse else rng.integers(-2, 3, (size, size)).astype(float)
        table -= table.T
        found = nash_mixture(table)
        assert found.value == 0.0
        assert (found.weights @ table).min() >= -1e-8
        # No unit matters, nor the order of the policies.
        p = rng.permutation(size)
        again = nash_mixture(1e6 * table[np.ix_(p, p)])
        assert again.weights == pytest.approx(found.weights[p], abs=1e-6)

    def test_diagonal_may_be_missing_but_nothing_else(self) -> None:
        table = RPS.astype(float)
        np.fill_diagonal(table, np.nan)
        assert nash_mixture(table).weights == pytest.approx([1 / 3] * 3)
        table[0, 2] = np.nan
        with pytest.raises(ValueError, match="row 0, column 2"):
            nash_mixture(table)
        with pytest.raises(ValueError, match=r"shape \(3,\)"):
            nash_mixture([1, 2, 3])

    def test_uncertainty_by_resampling(self) -> None:
        # Rock, paper, scissors measured over 1,000 batches: with noise of sd 1 a batch and pair the table is known to
        # s = 1/√1000. To first order a share moves by s·√(2/27): p = (b, c, a)/(a + b + c) at a = b = c = 1 has the
        # gradient (2, −1, −1)/9, of length √6/9.
        rng = draws(3)
        noise = rng.normal(size=(1000, 3, 3)) * math.sqrt(0.5)
        batches = RPS + noise - noise.transpose(0, 2, 1)

        def weights(total: NDArray[np.float64], deals: float) -> NDArray[np.float64]:
            return nash_mixture((total - total.T) / (2 * deals)).weights

        found = resample(weights, batches, np.ones(1000), times=200)
        expected = math.sqrt(6) / 9 / math.sqrt(1000)
        assert found.se == pytest.approx([expected] * 3, rel=4 * math.sqrt(1 / 400 + 1 / 2000))
        assert (abs(found.value - 1 / 3) < 4 * expected).all()


def chain_by_hand(payoffs: NDArray[np.float64], alpha: float, m: int) -> NDArray[np.float64]:
    """The paper's definitions with plain products and an eigenvector."""
    size = len(payoffs)
    chain = np.zeros((size, size))
    for s, t in itertools.permutations(range(size), 2):
        total, product = 1.0, 1.0
        for k in range(1, m):
            mutant = (k - 1) / (m - 1) * payoffs[t, t] + (m - k) / (m - 1) * payoffs[t, s]
            resident = k / (m - 1) * payoffs[s, t] + (m - k - 1) / (m - 1) * payoffs[s, s]
            product *= math.exp(-alpha * (mutant - resident))
            total += product
        chain[s, t] = 1 / total / (size - 1)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    values, vectors = np.linalg.eig(chain.T)
    first = np.real(vectors[:, np.argmax(np.real(values))])
    return first / first.sum()


class TestAlphaRank:
    def test_published_example(self) -> None:
        # OpenSpiel's alpharank_test.py: payoffs of Han et al. (2013), five strategies, population 20, alpha 0.1.
        r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
        payoffs = [
            [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
            [r, r, s, s, s],
            [0, t, p, p, p],
            [t - delta, t, p, p, p],
            [r, t, p, p, p],
        ]
        expected = [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039]
        assert alpha_rank(payoffs, 0.1, 20) == pytest.approx(expected, abs=1e-7)

    @pytest.mark.parametrize(("alpha", "m"), [(0.0, 5), (0.3, 2), (1.0, 10), (0.05, 50)])
    def test_against_plain_arithmetic(self, alpha: float, m: int) -> None:
        payoffs = draws(1).normal(size=(6, 6))
        assert alpha_rank(payoffs, alpha, m) == pytest.approx(chain_by_hand(payoffs, alpha, m), abs=1e-9)

    def test_two_strategies_on_paper(self) -> None:
        # Antisymmetric, so d(k) = x = a·m/(m − 1) throughout: ρ = (1 − e^−αx)/(1 − e^−αxm) and the shares are as ρ to
        # the ρ of −x, whose quotient is e^(αx(m−1)) = e^(αam).
        alpha, a, m = 0.2, 0.7, 10
        better = alpha_rank([[0, a], [-a, 0]], alpha, m)[0]
        assert better / (1 - better) == pytest.approx(math.exp(alpha * a * m))

    @pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0, None])
    def test_rock_paper_scissors(self, alpha: float | None) -> None:
        assert alpha_rank(RPS, alpha) == pytest.approx([1 / 3] * 3, abs=1e-9)

    def test_biased_rock_paper_scissors_in_the_limit(self) -> None:
        # Whoever beats takes over for sure, by however much: a third each.
        assert alpha_rank([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]]) == pytest.approx([1 / 3] * 3, abs=1e-6)

    def test_chain_ends_at_its_top(self) -> None:
        chain = np.sign(np.arange(6)[:, None] - np.arange(6)[None, :]) * 0.01
        assert alpha_rank(chain) == pytest.approx([0, 0, 0, 0, 0, 1], abs=1e-12)

    def test_ties_and_no_selection_are_even(self) -> None:
        assert alpha_rank(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
        assert alpha_rank(draws(2).normal(size=(4, 4)), alpha=0) == pytest.approx([0.25] * 4)
        # Two that tie, both beating a third: it is never come back to.
        assert alpha_rank([[0, 0, 1], [0, 0, 1], [-1, -1, 0]]) == pytest.approx([0.5, 0.5, 0], abs=1e-9)

    def test_the_limit_is_that_of_growing_strength(self) -> None:
        table = draws(4).normal(size=(8, 8))
        table -= table.T
        limit = alpha_rank(table)
        assert limit == pytest.approx(alpha_rank(table, alpha=200.0), abs=1e-6)
        assert limit.sum() == pytest.approx(1)

    def test_order_and_unit_do_not_matter(self) -> None:
        table = draws(5).normal(size=(7, 7))
        table -= table.T
        p = draws(6).permutation(7)
        assert alpha_rank(1000 * table[np.ix_(p, p)]) == pytest.approx(alpha_rank(table)[p], abs=1e-6)
        assert alpha_rank(1000 * table, alpha=0.001) == pytest.approx(alpha_rank(table, alpha=1.0), abs=1e-9)

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (lambda: alpha_rank([[0, 1, 2], [1, 0, 2]]), "square"),
            (lambda: alpha_rank(RPS, population=1), "population=1"),
            (lambda: alpha_rank(RPS, alpha=-1), "alpha=-1"),
            (lambda: alpha_rank(RPS, alpha=math.inf), "alpha=inf"),
        ],
    )
    def test_bad_arguments_are_named(self, call, said: str) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(ValueError, match=said):
            call()
