"""CMA-ES by ask and tell: finds planted optima through noise, keeps to bounds, is a function of its seed."""

import numpy as np
import pytest

from palace_sim.policies import Parameter
from palace_sim.search import Search
from palace_sim.search.asking import WIDEST, derived, narrowed

NOISE = 0.2  # chips: the error of a candidate's mean net in a generation of 200 deals heads-up


def box(many: int) -> dict[str, Parameter]:
    return {f"x{k}": Parameter(0.5, 0.0, 1.0) for k in range(many)}


def found(search: Search) -> np.ndarray:
    return np.array(list(search.mean.values()))


@pytest.mark.parametrize("many", [1, 2, 10, 30])
def test_a_planted_optimum_is_recovered_through_the_real_noise(many: int) -> None:
    """Values are 10 chips less for each unit of mean square distance, so a start at 0.5 is worth about 0.5 chips less.

    Noise is that of a generation; in a real one all candidates share their deals, so it is easier. Recovered: what is
    lost against the optimum is less than the noise of one evaluation.
    """
    for seed in range(3):
        rng = np.random.default_rng(seed)
        best = rng.choice([0.1, 0.2, 0.8, 0.9], many)
        search = Search(box(many), seed=seed)
        for _ in range(300):
            tried = search.ask()
            search.tell(-10 * ((tried - best) ** 2).mean(axis=1) + rng.normal(0, NOISE, len(tried)))
        assert 10 * ((0.5 - best) ** 2).mean() > 4 * NOISE  # the start is far
        assert 10 * ((found(search) - best) ** 2).mean() < NOISE


def test_values_count_by_their_order_alone() -> None:
    searches = [Search(box(3), seed=4) for _ in range(2)]
    for _ in range(5):
        tried = searches[0].ask()
        value = tried.sum(axis=1)
        searches[0].tell(value)
        searches[1].ask()
        searches[1].tell(np.exp(20 * value))
    assert searches[0].mean == searches[1].mean


def test_the_same_seed_asks_the_same_and_another_one_does_not() -> None:
    a, b, other = (Search(box(4), seed=seed) for seed in (7, 7, 8))
    for _ in range(3):
        tried = a.ask()
        assert np.array_equal(tried, a.ask())  # the same until it is told
        assert np.array_equal(tried, b.ask())
        assert not np.array_equal(tried, other.ask())
        for search in (a, b, other):
            search.tell(tried[:, 0])


def test_candidates_keep_to_bounds_and_what_is_not_searched_stays() -> None:
    parameters = {"a": Parameter(2.0, 2.0, 3.0), "fixed": Parameter(5.0, 5.0, 5.0), "b": Parameter(-1.0, -1.0, 1.0)}
    search = Search(parameters, seed=1, sigma=1.0)
    for _ in range(30):
        tried = search.ask()
        assert (tried[:, 1] == 5).all()
        assert ((tried[:, 0] >= 2) & (tried[:, 0] <= 3) & (abs(tried[:, 2]) <= 1)).all()
        search.tell(tried[:, 0] * 0)  # tells nothing: steps may grow, but not beyond the bounds
        assert search.sigma <= WIDEST
    assert search.mean["fixed"] == 5


def test_an_optimum_at_a_bound_is_found() -> None:
    search = Search(box(3), seed=2)
    for _ in range(80):
        search.tell(search.ask().sum(axis=1))
    assert found(search) == pytest.approx(1, abs=0.01)


def test_derived_seeds_differ() -> None:
    made = {derived(seed, index, salt) for seed in range(5) for index in range(20) for salt in range(2)}
    assert len(made) == 200
    assert all(0 <= seed < 1 << 62 for seed in made)


FAMILY = {"bluff": Parameter(0.25, 0.0, 1.0), "army": Parameter(5.0, 0.0, 5.0)}
START = {"bluff": 0.5, "army": 2.0}


def test_bounds_and_vary_narrow_what_is_searched() -> None:
    assert narrowed(FAMILY, START, {"army": (3, 4)}, ["army"]) == {
        "bluff": Parameter(0.5, 0.5, 0.5),
        "army": Parameter(3.0, 3.0, 4.0),  # the start is moved into the bounds
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {"bluff": (0.5, 0.1)}}, "bounds of bluff are the wrong way round: 0.5 to 0.1"),
        ({"bounds": {"bluff": (0.5, 1.5)}}, "bounds of bluff takes 0 to 1 at most, got 0.5 to 1.5"),
        ({"bounds": {"bluff": 0.5}}, "bounds of bluff takes"),
        ({"bounds": {"bluf": (0, 1)}}, "bounds: there is no parameter 'bluf'; did you mean bluff?"),
        ({"bounds": [1]}, "bounds takes a dict"),
        ({"vary": ["armee"]}, "vary: there is no parameter 'armee'; did you mean army?"),
        ({"vary": "army"}, "vary takes a list"),
        ({"vary": []}, "no parameters to search"),
    ],
)
def test_what_cannot_be_searched_is_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        narrowed(FAMILY, START, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"popsize": 3}, "popsize takes"),
        ({"sigma": 0}, "sigma takes"),
        ({"sigma": 2.0}, "sigma takes"),
        ({"seed": -1}, "seed takes"),
    ],
)
def test_bad_options_of_a_search(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Search(box(2), **options)


def test_what_is_told_must_be_a_number_for_each() -> None:
    search = Search(box(2), popsize=4)
    for values in ([1, 2, 3], [1, 2, 3, float("nan")]):
        with pytest.raises(ValueError, match="values takes 4 finite numbers"):
            search.tell(values)
