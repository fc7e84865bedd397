"""The same seed gives the same bytes, however a run is cut up; and what stops a run is said."""

import hashlib
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import palace_sim as ps
from palace_sim import run, simulate, totals

LINEUP = ["random", "tight", "buyer", "maniac"]


def fingerprint_of(result):
    """All tables of a result as bytes."""
    tables = [result.summary, result.seats, result.battles, result.deals]
    return [table.to_csv(index=False).encode() for table in tables]


@pytest.fixture
def block_size(monkeypatch):
    def fix(size):
        monkeypatch.setattr(run.Sizer, "next", lambda self, left, workers: min(size, left))

    return fix


@pytest.fixture(scope="module")
def plain_result():
    return ps.play(LINEUP, deals=300, seed=5, workers=1)


@pytest.mark.parametrize(("workers", "size"), [(1, 1), (1, 7), (2, 1), (2, 64), (2, 300), (3, 1000)])
def test_workers_and_block_sizes_do_not_matter(plain_result, block_size, workers, size):
    block_size(size)
    again = ps.play(LINEUP, deals=300, seed=5, workers=workers)
    assert fingerprint_of(again) == fingerprint_of(plain_result)


@pytest.mark.parametrize("order", list(itertools.permutations(LINEUP))[1::5])
def test_the_order_of_the_list_does_not_matter(plain_result, order):
    assert fingerprint_of(ps.play(order, deals=300, seed=5)) == fingerprint_of(plain_result)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_give_the_same_tables(plain_result, method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        again = ps.play(LINEUP, deals=300, seed=5, executor=pool)
    assert fingerprint_of(again) == fingerprint_of(plain_result)


def test_runs_in_several_threads_at_once(plain_result):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: ps.play(LINEUP, deals=300, seed=5, workers=2), range(4)))
    assert {tuple(fingerprint_of(result)) for result in results} == {tuple(fingerprint_of(plain_result))}


def test_another_seed_gives_other_tables(plain_result):
    assert fingerprint_of(ps.play(LINEUP, deals=300, seed=6)) != fingerprint_of(plain_result)


def test_progress_and_global_random_state_do_not_matter(plain_result):
    import random

    random.seed(3)
    np.random.seed(4)
    before = random.getstate(), np.random.get_state()[1].tobytes()
    again = ps.play(LINEUP, deals=300, seed=5, progress=True)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before
    assert fingerprint_of(again) == fingerprint_of(plain_result)


def test_a_part_alone_equals_the_part_of_the_whole(plain_result):
    """Any block of deals alone gives the rows that it has in the whole run."""
    plan = plain_result.plan
    for first, count in [(0, 1), (150, 3), (299, 1)]:
        block = run.play_block(plan, first, count)
        whole = plain_result.groups[0].keeper.rows.columns("seats")
        part = (whole["deal"] >= first) & (whole["deal"] < first + count)
        alone = run.RowStore(parts={0: block.rows}).columns("seats")
        assert all((alone[name] == column[part]).all() for name, column in whole.items())


def test_without_the_compiler_all_built_ins_give_the_same_tables(tmp_path):
    """8 deals in 4 rotations are 32 hands; in limit and no limit and line-ups that hold all of NAMES 192 or more."""
    script = textwrap.dedent("""
        import hashlib, palace_sim as ps
        names = list(ps.policies.NAMES)
        names += names[: -len(names) % 4]
        for rules in (ps.Rules(), ps.Rules(structure="no_limit", stack=300)):
            for k in range(0, len(names), 4):
                r = ps.play(names[k : k + 4], rules, deals=8, seed=3, workers=1)
                text = "".join(t.to_csv() for t in (r.summary, r.seats, r.battles, r.deals))
                print(k, hashlib.sha256(text.encode()).hexdigest())
    """)
    told = []
    for disabled in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        told.append(done.stdout)
    assert told[0] == told[1] and told[0].count("\n") >= 4


def test_golden_hash_of_a_thousand_hands():
    """May only change with the stream version or the rules: stored results depend on it."""
    result = ps.play(["random"] * 4, deals=250, seed=1)
    found = result.groups[0].keeper.rows.columns("seats")
    columns = np.column_stack([found[name].astype(np.int64) for name in result.seats.columns])
    assert len(columns) == 4000
    assert hashlib.sha256(columns.tobytes()).hexdigest()[:16] == GOLDEN


GOLDEN = "fb2944788c8dd112"


# --- sums and rows ----------------------------------------------------------------------------------------------------


def test_sums_are_those_of_the_rows(plain_result):
    seats, summary = plain_result.seats, plain_result.summary.set_index("policy")
    assert (seats.groupby(["deal", "rotation"]).net.sum() == 0).all()
    for name, rows in seats.groupby("policy", observed=True):
        figures = rows.groupby("deal").net.mean()
        assert summary.hands[name] == len(rows)
        assert summary["mean"][name] == pytest.approx(rows.net.mean(), abs=1e-12)
        assert summary.se[name] == pytest.approx(figures.std(ddof=1) / len(figures) ** 0.5, rel=1e-12)
    paid = seats[["paid_ante", "paid_buy", "paid_attack", "paid_call", "paid_raise"]].sum(axis=1)
    assert (seats.net == seats.won - paid).all()
    assert (plain_result.deals.groupby("deal").net.sum() == 0).all()
    by_policy = [table.groupby("policy", observed=True).net.sum() for table in (plain_result.deals, seats)]
    assert (by_policy[0] == by_policy[1]).all()


def test_paired_difference_is_that_of_the_rows(plain_result):
    by_deal = plain_result.seats.pivot_table(index="deal", columns="policy", values="net", observed=True)
    d = by_deal["tight"] - by_deal["maniac"]
    told = plain_result.difference("tight", "maniac")
    assert told["mean"] == pytest.approx(d.mean(), abs=1e-9)
    assert told["se"] == pytest.approx(d.std(ddof=1) / len(d) ** 0.5, rel=1e-9)


def test_every_policy_sits_in_every_seat_equally_often(plain_result):
    counts = plain_result.seats.groupby(["policy", "seat"], observed=True).size()
    assert (counts == 300).all()


def test_neighbours_change_from_deal_to_deal(plain_result):
    seats = plain_result.seats.sort_values(["deal", "rotation", "seat"])
    orders = seats[seats.rotation == 0].groupby("deal").policy.agg(tuple)
    # 4! = 24 seatings, each 12.5 times in 300 on average; none missing has probability > 1 - 24 exp(-12.5) = 0.9999
    assert orders.nunique() == 24


def test_rows_take_a_number_deals_or_nothing(plain_result):
    some = ps.play(LINEUP, deals=300, seed=5, rows=10)
    assert some.seats.equals(plain_result.seats[plain_result.seats.deal < 10].reset_index(drop=True))
    assert some.summary.equals(plain_result.summary)
    deals = ps.play(LINEUP, deals=300, seed=5, rows="deals")
    assert deals.deals.equals(plain_result.deals) and deals.seats.empty
    none = ps.play(LINEUP, deals=300, seed=5, rows=False)
    assert none.seats.empty and none.deals.empty and none.summary.equals(plain_result.summary)


def test_twins_of_one_policy_differ_by_exactly_nothing():
    """Heads-up, rotated, without chance of their own: what one wins in a deal the other wins in its mirror."""
    twin = ps.policies.get("tight").named("twin")
    t = ps.round_robin(["tight", twin], deals=100)
    assert (t.leaderboard["mean"] == 0).all() and (t.leaderboard.se == 0).all()
    assert t.leaderboard.group.tolist() == ["a", "a"]


def test_a_single_deal_has_no_standard_error():
    summary = ps.play(["random", "stay"], deals=1).summary
    assert summary.se.isna().all() and summary.ci_low.isna().all() and not summary["mean"].isna().any()


def test_without_rotation_seats_are_as_listed():
    result = ps.play(["tight", "random", "maniac"], deals=20, rotate=False)
    assert (result.seats.groupby("seat").policy.first() == ["tight", "random", "maniac"]).all()
    assert len(result.seats) == 60


def test_crosstable_is_antisymmetric_and_heads_up_the_net():
    t = ps.round_robin(["tight", "random", "maniac"], deals=50, rows=True)
    table = t.crosstable
    assert np.allclose(table.to_numpy(), -table.to_numpy().T, equal_nan=True)
    pair = t.lineups.index[(t.lineups == ["random", "tight"]).all(axis=1)][0]
    rows = t.seats[(t.seats.lineup == pair) & (t.seats.policy == "tight")]
    assert table.loc["tight", "random"] == pytest.approx(rows.net.mean())


def test_crosstable_of_a_larger_table_is_half_the_mean_difference():
    t = ps.round_robin(["tight", "random", "maniac", "stay"], seats=3, deals=40, rows=True)
    seats = t.seats
    key = ["lineup", "deal", "rotation"]
    a = seats[seats.policy == "tight"].set_index(key).net
    b = seats[seats.policy == "stay"].set_index(key).net
    both = (a - b).dropna() / 2
    assert t.crosstable.loc["tight", "stay"] == pytest.approx(both.mean())
    by_deal = both.groupby("deal").mean()
    assert t.crosstable_se.loc["tight", "stay"] == pytest.approx(by_deal.std(ddof=1) / len(by_deal) ** 0.5)


def test_large_products_are_exact():
    """High and low parts join to the product for any two numbers below 2^31."""
    from palace_sim.kernels.play import GREATEST, add_product

    most = GREATEST - 1
    for x, y in [(most, most), (-most, most), (-5, 7), (0, -3), (123456789, -987654321)]:
        parts = np.zeros(2, np.int64)
        for _ in range(3):
            add_product(parts, x, y)
        assert int(totals._join(parts[None, :])[0]) == 3 * x * y


# --- stopping ---------------------------------------------------------------------------------------------------------


def test_an_illegal_action_is_told_with_deal_rotation_and_seat():
    @ps.policy
    def self_attacker(view):
        return ps.act.attack(view.seat)

    with pytest.raises(ps.PolicyError, match=r"self_attacker returned an illegal action: attack\(\d, 0\).*R17.*deal 0"):
        ps.play([self_attacker, "random"], deals=10)


def test_the_earliest_failure_is_told_on_any_number_of_workers(block_size):
    @ps.policy
    def fails_late(view):
        if view.dealer == 1 and view.players[0].banner == 51:
            return 1 // (view.pot - view.pot)
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    block_size(3)
    told = set()
    for workers in (1, 2, 3):
        with pytest.raises(ps.PolicyError, match="fails_late failed: ZeroDivisionError") as caught:
            ps.play([fails_late, "random"], deals=2000, workers=workers)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        told.add(str(caught.value))
    assert len(told) == 1


def test_a_plain_policy_that_raises_stops_the_run_with_its_exception():
    calls = []

    def careless(view):
        calls.append(1)
        if len(calls) == 777:
            raise KeyError("hand 777")
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    with pytest.raises(ps.PolicyError, match=r"failed: KeyError: 'hand 777', line \d+ of .*test_run.py \(deal \d+"):
        ps.play([careless, "random"], deals=5000, workers=1)


@pytest.mark.parametrize("value", [None, 3.5, True, "stay", 7, 1 << 70])
def test_a_plain_policy_that_returns_rubbish_is_named(value):
    def rubbish(view):
        return value

    with pytest.raises(ps.PolicyError, match=r"policy rubbish (failed|returned).*no action code"):
        ps.play([rubbish, "random"], deals=3)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_is_not_a_fault_of_the_policy(error):
    def leaves(view):
        raise error

    with pytest.raises(error):
        ps.play([leaves, "random"], deals=5)


def test_an_argument_that_no_move_takes_is_said():
    @ps.policy
    def attacks_nobody(view):
        return ps.act.attack(-1) if view.phase == ps.TURN else ps.act.fold()

    with pytest.raises(ps.PolicyError, match=r"illegal action: an action that names no seat \(-1, say\)"):
        ps.play([attacks_nobody, "random"], deals=5)
    for call in (lambda: ps.act.attack("x"), lambda: ps.act.attack(1.5), lambda: ps.act.raise_(None)):
        with pytest.raises(TypeError, match="takes a whole number"):
            call()


def test_chips_beyond_what_is_counted_exactly_are_the_rules_fault():
    """Two who call and raise to the cap at the greatest stakes, a thousand raises: far over 2^31 chips."""
    rules = ps.Rules(small_bet=10**6, large_bet=10**6, max_raises=1000, max_turns=10**6, ante=10**6)
    rich = ps.policy(lambda view: _buy_or_raise(view), name="rich")
    with pytest.raises(ValueError, match=r"rules: chips won in deal \d+ are over 2\^31"):
        ps.play([rich, rich, rich, rich], rules, deals=3)


def _buy_or_raise(view):
    if view.phase == ps.RESPOND:
        return ps.act.raise_() if ps.see.can_raise(view) else ps.act.call()
    if view.turns < 1000 and ps.see.can_buy(view):
        return ps.act.buy()
    return ps.act.attack(ps.see.weakest(view)) if ps.see.can_attack(view) else ps.act.stay()


def test_a_printed_result_fits_100_columns():
    t = ps.round_robin([*ps.policies.NAMES, ps.policies.get("tight", aggression=0.25)], deals=20)
    assert max(len(line) for line in str(t).splitlines()) <= 100
    assert len(str(t).splitlines()) == len(t.leaderboard) + 1


def test_illegal_fold_counts_and_goes_on():
    @ps.policy
    def always_buys(view):
        return ps.act.buy()

    result = ps.play([always_buys, "maniac"], deals=50, illegal="fold")
    assert result.illegal["always_buys"] > 0 and result.illegal["maniac"] == 0
    folds = result.seats[result.seats.policy == "always_buys"].outcome.isin(["folded", "folded in battle"])
    assert folds.sum() == result.illegal["always_buys"]


def test_a_failure_stops_the_run_even_with_illegal_fold():
    @ps.policy
    def divides(view):
        return 1 // (view.pot * 0)

    with pytest.raises(ps.PolicyError, match="divides failed"):
        ps.play([divides, "random"], deals=5, illegal="fold")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"policies": ["random"]}, "seats takes a number of players from 2 to 10, got 1"),
        ({"policies": ["random"] * 11}, "seats takes a number of players from 2 to 10, got 11"),
        ({"policies": "random"}, "policies takes a list"),
        ({"policies": ["random", 5]}, "policies takes policies, names"),
        ({"policies": ["random", "tigth"]}, "no built-in policy 'tigth'; did you mean tight"),
        ({"deals": 0}, "deals takes a number of deals from 1"),
        ({"deals": 2.5}, "deals takes a number of deals"),
        ({"seed": -1}, "seed takes a whole number from 0"),
        ({"seed": 1 << 63}, "seed takes a whole number from 0"),
        ({"rows": "all"}, "rows takes True, False, 'deals' or a number"),
        ({"rows": -1}, "rows takes True, False, 'deals' or a number"),
        ({"workers": 0}, "workers takes None or a number of workers from 1"),
        ({"illegal": "ignore"}, "illegal takes 'stop' or 'fold'"),
        ({"rules": {"small_bet": 5}}, "rules takes a palace_sim.Rules"),
        ({"known_to": 0}, "known_to needs start="),
        ({"rotate": "yes"}, "rotate takes True or False, got 'yes'"),
        ({"progress": "x"}, "progress takes True or False or None"),
        ({"start": 5}, "start takes a palace_sim.Hand"),
        ({"executor": 5}, "executor takes a concurrent.futures.Executor"),
    ],
)
def test_bad_arguments_of_play_are_named(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        ps.play(**{"policies": ["random", "random"], "deals": 5, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"policies": ["random", "random"]}, "'random' twice"),
        ({"policies": ["random"]}, "needs 2 different ones"),
        ({"seats": 1}, "seats takes a number of players"),
        ({"seats": 5}, "needs 5 different ones"),
    ],
)
def test_bad_arguments_of_round_robin_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ps.round_robin(**{"policies": ["random", "stay"], "deals": 5, **arguments})


def test_two_policies_of_one_name_are_refused():
    other = ps.policies.get("tight").named("random")
    with pytest.raises(ValueError, match="two different policies named 'random'"):
        ps.play(["random", other], deals=5)


def test_interrupt_stops_a_long_run_within_seconds(tmp_path):
    # what runs in the background inherits that Ctrl-C is ignored
    script = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    script += "import palace_sim as ps; print('go', flush=True); ps.play(['random'] * 4, deals=10**9, rows=False)"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, **pipes)
    assert child.stdout.readline() == b"go\n"
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    began = time.monotonic()
    try:
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
    assert time.monotonic() - began < 5
    assert b"KeyboardInterrupt" in said


def test_memory_does_not_grow_with_deals(tmp_path):
    """40 times the deals, no rows: the peak grows by less than 20 MB (rows of so many hands would take 300 MB)."""
    script = textwrap.dedent("""
        import resource, sys, palace_sim as ps
        ps.play(["random"] * 4, deals=5000, rows=False)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ps.play(["random"] * 4, deals=200_000, rows=False)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert float(done.stdout) < 20


def test_no_thread_is_left_behind():
    ps.play(["random", "random"], deals=50, workers=3)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("palace-sim")]


def test_seats_of_a_plan_cannot_be_changed(plain_result):
    assert isinstance(plain_result.plan, simulate.Plan)
    with pytest.raises(AttributeError):
        plain_result.plan.seed = 2
