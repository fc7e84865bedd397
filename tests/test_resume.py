"""Runs that were stopped, by whatever, go on to the tables of an undisturbed run."""

import contextlib
import signal
import time

import numpy as np
import pandas as pd
import pytest
from folders import child_of, contents, parts
from tables_of import same_tables, tables_of

import palace_sim as ps
from palace_sim import run, store, until
from palace_sim.parts import open_part
from palace_sim.totals import Totals

NAMES = ["random", "stay", "tight"]


class Stop(Exception):
    """Raised to stop a run where a test wants it."""


def stop_after(monkeypatch, blocks, error=Stop):
    """Stop a run after so many blocks have been added to a folder."""
    added, add = [], store.KeptGroup.add

    def counted(self, block):
        if len(added) == blocks:
            added.append(0)
            raise error
        added.append(block.count)
        add(self, block)

    monkeypatch.setattr(store.KeptGroup, "add", counted)
    return lambda: monkeypatch.setattr(store.KeptGroup, "add", add)


def count_blocks(monkeypatch):
    """Count deals times line-ups that are played."""
    played, original = [], run.play_block

    def counted(plan, first, count, shared=None):
        block = original(plan, first, count, shared)
        played.append(block.count * len(plan.lineups))
        return block

    monkeypatch.setattr(run, "play_block", counted)
    return played


# --- where nothing goes wrong -----------------------------------------------------------------------------------------


def test_raising_deals_plays_only_the_new_ones(tmp_path, monkeypatch):
    first = ps.round_robin(NAMES, deals=10_000, seed=3, folder=tmp_path)
    before = contents(parts(tmp_path))
    played = count_blocks(monkeypatch)
    more = ps.round_robin(NAMES, deals=50_000, seed=3, folder=tmp_path)
    assert sum(played) == 40_000 * 3
    assert contents(parts(tmp_path)).items() >= before.items()
    same_tables(more, ps.round_robin(NAMES, deals=50_000, seed=3))
    assert first.leaderboard.deals.eq(10_000).all() and more.leaderboard.deals.eq(50_000).all()


def test_a_new_policy_plays_only_its_own_lineups(tmp_path, monkeypatch):
    ps.round_robin(NAMES, deals=500, seed=3, folder=tmp_path, rows=True)
    before = contents(parts(tmp_path) + parts(tmp_path, "seats"))
    played = count_blocks(monkeypatch)
    more = ps.round_robin([*NAMES, "buyer"], deals=500, seed=3, folder=tmp_path, rows=True)
    assert sum(played) == 500 * 3
    assert contents(parts(tmp_path) + parts(tmp_path, "seats")).items() >= before.items()
    fresh = ps.round_robin([*NAMES, "buyer"], deals=500, seed=3, rows=True)
    for kind in ("seats", "battles", "deals"):
        mine, wanted = (getattr(t, kind).astype({"policy": str} if kind != "battles" else {}) for t in (more, fresh))
        keys = [k for k in ("deal", "lineup", "rotation", "seat", "turn", "policy") if k in wanted]
        pd.testing.assert_frame_equal(
            mine.sort_values(keys, ignore_index=True), wanted.sort_values(keys, ignore_index=True)
        )
    # up to 1,000 deals batches are deals: the same figures up to rounding
    numbers = ["mean", "se", "sb100", "pot_share"]
    assert more.leaderboard.policy.tolist() == fresh.leaderboard.policy.tolist()
    np.testing.assert_allclose(more.leaderboard[numbers], fresh.leaderboard[numbers], rtol=1e-9)
    np.testing.assert_allclose(more.crosstable, fresh.crosstable.loc[more.crosstable.index, more.crosstable.columns])
    assert ps.load(tmp_path).leaderboard.equals(more.leaderboard)


def test_policies_that_come_and_go_do_not_count_deals_twice(tmp_path):
    """Groups of earlier requests stay in the folder; tables are made of those that the last request is made of."""
    ps.round_robin(NAMES, deals=100, seed=3, folder=tmp_path)
    ps.round_robin(NAMES[:2], deals=100, seed=3, folder=tmp_path)
    again = ps.round_robin(NAMES, deals=100, seed=3, folder=tmp_path)
    same_tables(again, ps.round_robin(NAMES, deals=100, seed=3))
    same_tables(ps.load(tmp_path), again)
    ps.round_robin(NAMES, deals=3000, look=100, until=until.leader(0.6), seed=3, folder=tmp_path)
    wanted = ps.round_robin(NAMES, deals=4000, look=200, until=until.leader(0.6), seed=3, folder=tmp_path)
    same_tables(ps.load(tmp_path), wanted)
    same_tables(wanted, ps.round_robin(NAMES, deals=4000, look=200, until=until.leader(0.6), seed=3))


def test_what_cannot_be_in_json_is_kept(tmp_path):
    rules = ps.Rules(deck=" ".join(f"{r}{s}" for r in "6789TJQKA" for s in "cdhs"), palace_cards=2, stack=200)
    t = ps.round_robin(
        [ps.policies.get("tight", aggression=1 / 3), "stay"], rules, deals=50, seed=2**63 - 1, folder=tmp_path
    )
    same_tables(ps.resume(tmp_path), t)
    assert ps.resume(tmp_path).plan.rules == rules


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"rows": True},
        {"rows": 100, "seats": 3},
        {"rows": "deals", "seatings": "all"},
        {"luck": True},
        {"until": until.leader(), "look": 200, "confirm": 100},
        {"until": until.width(0.5), "look": 200, "rows": True},
        {"spend": "adaptive", "look": 200, "confirm": 50},
        {"until": until.sprt("tight", "random", h1=8.0), "look": 300},
        {"until": until.apart([("stay", "random")]), "spend": "adaptive", "look": 200, "rows": True},
    ],
    ids=str,
)
def test_a_run_stopped_again_and_again_ends_in_the_same_tables(tmp_path, monkeypatch, small_parts, how):
    call = {"deals": 1200, "seed": 5, **how}
    wanted = ps.round_robin(NAMES, **call)
    finished = {}
    for blocks in (0, 3, 7):
        let_go = stop_after(monkeypatch, blocks)
        with contextlib.suppress(Stop):
            if blocks == 0:
                ps.round_robin(NAMES, folder=tmp_path, **call)
            else:
                ps.resume(tmp_path)
        let_go()
        now = contents(tmp_path.glob("*.parquet"))
        assert now.items() >= finished.items()  # what was finished is not touched
        finished = now
    assert finished
    partly = ps.load(tmp_path)
    assert partly.hands <= wanted.hands
    same_tables(ps.resume(tmp_path, workers=1), wanted)
    loaded = ps.load(tmp_path)
    same_tables(loaded, wanted)
    assert loaded.stopped == wanted.stopped
    if wanted.confirmation is not None:
        same_tables(loaded.confirmation, wanted.confirmation)


def test_play_gauntlets_and_populations_are_resumed_too(tmp_path, monkeypatch, small_parts):
    calls = {
        "play": lambda folder: ps.play(["tight", "random", "random"], deals=300, seed=2, folder=folder),
        "gauntlet": lambda folder: ps.gauntlet(
            "tight", ["stay", "random"], deals=300, seats=3, copies=True, folder=folder
        ),
        "population": lambda folder: ps.population(
            {"tight": 1, "stay": 2}, seats=3, tables=9, deals=300, folder=folder
        ),
    }
    for name, call in calls.items():
        let_go = stop_after(monkeypatch, 2)
        with pytest.raises(Stop):
            call(tmp_path / name)
        let_go()
        made = ps.resume(tmp_path / name)
        same_tables(made, call(None))
        assert type(made) is type(call(None))


# --- killed, interrupted ----------------------------------------------------------------------------------------------


def test_killed_at_five_random_moments_and_resumed(tmp_path):
    """SIGKILL, each time some blocks after the last: moments are counted in parts, drawn once with a fixed key."""
    deals = 60_000
    moments = np.random.Generator(np.random.Philox(key=5)).integers(1, 12, 5)
    finished = {}
    for moment in moments.tolist():
        child = child_of(tmp_path, deals)
        wanted = len(finished) + moment
        while len(parts(tmp_path)) < wanted and child.poll() is None:
            time.sleep(0.002)
        child.kill()
        child.communicate()
        now = contents(parts(tmp_path))
        assert now.items() >= finished.items()
        finished = now
    assert len(finished) >= 5
    kept = sum(count for path in parts(tmp_path) for _, count in open_part(path)[1]["blocks"])
    assert 0 < kept < deals, "it was to be killed before the end"
    made = ps.resume(tmp_path, workers=1)
    assert contents(parts(tmp_path)).items() >= finished.items()
    same_tables(made, ps.round_robin(["random", "stay", "tight", "maniac"], deals=deals, seed=9, rows="deals"))
    assert not list(tmp_path.glob("*.unfinished"))


def test_at_most_ten_seconds_of_play_are_lost():
    """A part is written at the first block after 5 seconds, and blocks take a quarter of a second each."""
    from palace_sim import workers

    assert store.PART_SECONDS + 2 * workers.BLOCK_SECONDS < 10


def test_a_part_is_written_once_its_time_is_up(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(store.time, "monotonic", lambda: clock[0])
    seen, add = [], store.KeptGroup.add

    def timed(self, block):
        clock[0] += 2.0
        add(self, block)
        seen.append(len(parts(tmp_path)))

    monkeypatch.setattr(store.KeptGroup, "add", timed)
    monkeypatch.setattr(run.Sizer, "next", lambda self, left, workers: min(10, left))
    ps.play(["tight", "stay"], deals=90, rows=False, folder=tmp_path, workers=1)
    # blocks end at 2, 4, 6 s ...: a part at 6 s, then at 12 and 18 s
    assert seen == [0, 0, 1, 1, 1, 2, 2, 2, 3]


def test_ctrl_c_keeps_what_was_played_and_prints_the_command(tmp_path):
    child = child_of(tmp_path, 10**9)
    while not parts(tmp_path) and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    try:
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
    said = said.decode()
    assert "KeyboardInterrupt" in said
    assert f"if it is stopped: palace-sim resume {tmp_path}" in said
    assert f"stopped; what was played is kept. Go on with: palace-sim resume {tmp_path}" in said
    kept = ps.load(tmp_path)
    assert kept.hands > 0 and kept.stopped == "it is not finished"
    assert 0 < int(kept.leaderboard.deals.max()) < kept.plan.deals == 10**9


def test_ctrl_c_between_two_sums_keeps_neither(tmp_path, monkeypatch, small_parts):
    """Were half a block's sums written, they would be counted twice after a resume."""
    wanted = ps.round_robin(NAMES, deals=640, seed=4)
    add_block, calls = Totals.add_block, []

    def torn(self, sums, first, count):
        calls.append(first)
        if len(calls) == 4:
            self.policy += sums.policy
            raise KeyboardInterrupt
        add_block(self, sums, first, count)

    monkeypatch.setattr(store, "PART_SECONDS", 1e9)
    monkeypatch.setattr(Totals, "add_block", torn)
    with pytest.raises(KeyboardInterrupt):
        ps.round_robin(NAMES, deals=640, seed=4, folder=tmp_path, workers=1)
    monkeypatch.setattr(Totals, "add_block", add_block)
    same_tables(ps.resume(tmp_path), wanted)


def test_ctrl_c_while_a_part_is_written_keeps_it_once(tmp_path, monkeypatch, small_parts):
    wanted = ps.round_robin(NAMES, deals=640, seed=4)
    begin, calls = store.KeptGroup._begin, []

    def torn(self):
        calls.append(0)
        if len(calls) == 4:
            raise KeyboardInterrupt
        begin(self)

    monkeypatch.setattr(store.KeptGroup, "_begin", torn)
    with pytest.raises(KeyboardInterrupt):
        ps.round_robin(NAMES, deals=640, seed=4, folder=tmp_path, workers=1)
    monkeypatch.setattr(store.KeptGroup, "_begin", begin)
    same_tables(ps.resume(tmp_path), wanted)


def test_a_run_from_a_position_says_how_to_go_on(tmp_path):
    hand = ps.Hand.deal(seats=2, seed=1)
    result = ps.play(["tight", "random"], start=hand, deals=30, folder=tmp_path)
    with pytest.raises(ValueError, match="keeps a run from a position: call play again"):
        ps.resume(tmp_path)
    same_tables(ps.play(["tight", "random"], start=hand, deals=30, folder=tmp_path), result)


def test_tables_of_is_all_tables():
    made = ps.round_robin(NAMES, deals=5, rows=True)
    assert len(tables_of(made)) == 6 and all(tables_of(made))
