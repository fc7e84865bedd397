"""`mix`: hands are played by one of its settings, drawn in the shares that were asked for."""

import pickle

import pytest

import palace_sim as ps
from palace_sim.kernels.jit import JIT
from palace_sim.policies import get, like, mix
from palace_sim.policies.fingerprint import _digest
from palace_sim.policies.mixed import mixed

LINES = (["x", "tight"], ["x", "buyer", "hunter", "bluffer"])
DEALS = 100 if JIT else 2


@pytest.mark.parametrize("line", LINES)
def test_one_setting_plays_as_that_setting(line: list[str]) -> None:
    alone = ps.play([like("patriot").named("x"), *line[1:]], deals=DEALS, seed=5)
    made = ps.play([mix(like("patriot"), name="x"), *line[1:]], deals=DEALS, seed=5)
    assert made.seats.equals(alone.seats)
    assert made.battles.equals(alone.battles)


def test_two_players_and_more_have_their_own() -> None:
    made = mix(like("patriot"), more=like("tight"), name="x")
    for line, like_whom in zip(LINES, ("patriot", "tight"), strict=True):
        alone = ps.play([get(like_whom).named("x"), *line[1:]], deals=DEALS, seed=5)
        assert ps.play([made, *line[1:]], deals=DEALS, seed=5).seats.equals(alone.seats)


@pytest.mark.skipif(not JIT, reason="many hands")
def test_settings_are_drawn_in_their_shares_anew_every_hand() -> None:
    """Against one who folds when attacked, `maniac` wins the ante of 5 and `stay` ties: 5 x 0.75 in the mean.

    8,000 hands drawn apart: the share of the first is 0.75 within 4 x sqrt(0.75 x 0.25 / 8,000) = 0.0194, but in one of
    16,000 runs. Every hand of `stay` is a showdown of two equal policies in both seatings of a deal: 0 in the mean.
    """
    made = mix({like("maniac"): 3, like("stay"): 1, like("tight"): 0}, name="x")
    seats = ps.play([made, "stay"], deals=4_000, seed=9).seats
    own = seats[seats["policy"] == "x"]
    attacked = own["attacks"] > 0
    assert abs(attacked.mean() - 0.75) < 0.0194
    assert set(own.loc[attacked, "net"]) == {5}
    # what one rotation of a deal draws says nothing of the other: both attack in 0.5625 (4 standard deviations: 0.0314)
    both = attacked.groupby(own["deal"]).all().mean()
    assert abs(both - 0.5625) < 0.0314


def test_plain_python_plays_the_same_moves() -> None:
    compiled = mix({like("maniac"): 0.4, like("patriot"): 0.6}, name="x")
    plain = ps.policy(table=compiled.family.table.array, keep="ask", name="x", compile=False)(mixed)
    one, other = (ps.play([made, "random", "tight"], deals=5, seed=7) for made in (compiled, plain))
    assert one.seats.equals(other.seats)


def test_it_is_checked_kept_and_told_apart() -> None:
    made = mix({like("maniac"): 0.4, like("patriot"): 0.6}, name="x")
    assert not _digest(mixed).opaque
    assert pickle.loads(pickle.dumps(made)).fingerprint == made.fingerprint
    assert mix({like("maniac"): 0.5, like("patriot"): 0.5}, name="x").fingerprint != made.fingerprint
    if JIT:
        assert ps.check_policy(made, decisions=500).ok


@pytest.mark.parametrize(
    ("two", "more", "text"),
    [
        ("tight", None, "two takes policies of the family general"),
        (like("tight"), {get("tight"): 1.0}, "more takes policies of the family general"),
        ({like("tight"): -1.0}, None, "two takes shares of 0 or more, got -1.0 for as tight"),
        ({like("tight"): float("nan")}, None, "two takes shares of 0 or more, got nan"),
        ({like("tight"): True}, None, "two takes shares of 0 or more, got True"),
        ({like("tight"): 0}, None, "two takes 1 to 1000 policies with a share above 0, got 0"),
        ({}, None, "two takes 1 to 1000 policies"),
    ],
)
def test_what_is_refused(two: object, more: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        mix(two, more)
