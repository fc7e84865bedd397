"""What broke tournaments in the hands of a newcomer: each is to stay mended."""

import random
from itertools import combinations

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.schedule import balanced_lineups

NAMES = ["tight", "buyer", "random"]


def test_a_flipped_bit_of_a_part_is_noticed(tmp_path):
    """Parquet alone lets most flipped bits of numbers pass; what is left are bits that say nothing of the figures.

    Those are four in ten of a part of sums (0.375 of 400). Of 25 flips fewer than 5 would be noticed once in 10^6.
    """
    t = ps.round_robin(NAMES, deals=60, seed=1, rows=True, folder=tmp_path, progress=False)
    rng = random.Random(4)
    noticed = 0
    for kind in ("sums", "seats"):
        (path,) = tmp_path.glob(f"{kind}-*.parquet")
        whole = path.read_bytes()
        for _ in range(25):
            broken = bytearray(whole)
            broken[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
            path.write_bytes(bytes(broken))
            told = ""
            try:
                found = ps.load(tmp_path)
                same = found.leaderboard.equals(t.leaderboard) and found.seats.equals(t.seats)
            except ValueError as error:
                told = str(error)
            assert path.name in told if told else same and kind == "sums"
            noticed += told != ""
        path.write_bytes(whole)
    assert noticed >= 25 + 5
    assert len(ps.load(tmp_path).seats) == 60 * 3 * 2 * 2


def test_a_run_that_a_policy_is_being_added_to_can_be_read(tmp_path):
    first = ps.round_robin(NAMES, deals=60, seed=1, folder=tmp_path, progress=False)
    ps.round_robin([*NAMES, "hunter"], deals=60, seed=1, folder=tmp_path, progress=False)
    manifest = tmp_path / "manifest.json"
    newest = max(tmp_path.glob("sums-*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    newest.unlink()  # as if it had been killed before the first part of the new line-ups
    manifest.write_text(manifest.read_text().replace('"finished": true', '"finished": false'))
    found = ps.load(tmp_path)
    assert found.stopped == "it is not finished" and "nan" in str(found).lower()
    shown = found.leaderboard.set_index("policy")
    old = first.leaderboard.set_index("policy")
    assert np.isnan(shown["mean"]["hunter"]) and shown.hands["hunter"] == 0
    assert shown["mean"][NAMES].to_numpy() == pytest.approx(old["mean"][NAMES].to_numpy(), rel=1e-12)
    resumed = ps.resume(tmp_path, progress=False)
    fresh = ps.round_robin([*NAMES, "hunter"], deals=60, seed=1)
    assert (resumed.leaderboard.hands == fresh.leaderboard.hands).all()
    assert resumed.leaderboard["mean"].to_numpy() == pytest.approx(fresh.leaderboard["mean"].to_numpy(), rel=1e-12)


def test_fewer_deals_than_a_folder_keeps_are_refused(tmp_path):
    ps.round_robin(NAMES, deals=40, seed=1, folder=tmp_path, progress=False)
    with pytest.raises(ValueError, match="keeps 40 deals of these line-ups, more than deals=30"):
        ps.round_robin(NAMES, deals=30, seed=1, folder=tmp_path, progress=False)


def test_what_is_printed_says_that_intervals_are_confidence_sequences():
    stopped = ps.round_robin(NAMES, deals=400, look=100, until=ps.until.width(5.0))
    assert "confidence sequence" in str(stopped)
    assert "confidence sequence" not in str(ps.round_robin(NAMES, deals=50))


SIZES = [(10, 4, 25), (7, 3, 9), (10, 4, 50), (10, 6, 20), (12, 3, 30)]


@pytest.mark.parametrize(("policies", "seats", "tables"), SIZES)
def test_pairs_of_a_balanced_choice_meet_as_evenly_as_they_can(policies, seats, tables):
    """All meetings differ by one at most where a swap search finds such a design; these it does."""
    meetings = np.zeros((policies, policies), int)
    for table in balanced_lineups(policies, seats, tables, seed=1).tolist():
        for a, b in combinations(table, 2):
            meetings[a, b] += 1
    met = meetings[np.triu_indices(policies, 1)]
    assert met.max() - met.min() <= 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ps.until.width("x"), "half_width takes chips a hand above 0, got 'x'"),
        (lambda: ps.until.leader(None), "level takes a number between 0 and 1, got None"),
        (lambda: ps.until.apart("tight"), "but takes a list of pairs of names"),
        (lambda: ps.until.apart(5), "but takes a list of pairs of names"),
        (lambda: ps.until.sprt("a", "a"), "two different policies"),
        (lambda: ps.round_robin(NAMES, deals=20, confirm=10), "confirm goes with until="),
    ],
)
def test_bad_rules_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_weights_of_luck_that_are_no_numbers_are_refused():
    t = ps.round_robin(["buyer", "random"], deals=30, luck=True)
    with pytest.raises(ValueError, match="weights takes 8 numbers"):
        t.without_luck(weights=[float("nan")] * 8)
