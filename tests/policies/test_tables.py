"""Policies with tables: what is read, where it goes, and what is refused."""

import copy
import importlib
import inspect
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.view import new_view
from palace_sim.policies.base import as_policy
from palace_sim.policies.tables import Table
from palace_sim.replaying import ask

LARGE = (1 << 62) + 1  # no float64


def reading(view):
    """Note what number of the table is at the place that `turns` says: whole, and in thousandths if it is small."""
    k = view.turns
    number = ps.see.table(view, k)
    whole = ps.see.table_int(view, k)
    view.memo[0] = whole
    view.memo[1] = int(1000 * number) if abs(number) < 1e9 else -1
    return ps.act.stay()


def read(policy, k):
    """What a policy reads with `table_int` and, in thousandths, with `table`, compiled; then as plain Python."""
    view = new_view()
    policy.write(view)
    view.turns = k
    ask(policy.family.entry().address, view)
    plain = new_view()
    plain.turns = k
    policy(plain)
    assert plain.memo.tolist() == view.memo.tolist()
    return int(view.memo[0]), int(view.memo[1])


def test_numbers_are_read_where_they_stand():
    policy = ps.policy(table=np.array([[0.25, -1.5], [3.0, 1e300]]))(reading)
    assert [read(policy, k) for k in (0, 1, 2)] == [(0, 250), (-1, -1500), (3, 3000)]
    assert read(policy, 3)[0] == 0  # 1e300 is no int64
    assert [read(policy, k) for k in (-1, 4, 1 << 60, -(1 << 63))] == [(0, -1)] * 4
    whole = ps.policy(table=np.array([7, LARGE, -3]))(reading)
    assert [read(whole, k)[0] for k in (0, 1, 2, 3, -1)] == [7, LARGE, -3, 0, 0]
    assert read(whole, 0)[1] == 7000 and read(whole, 3)[1] == -1
    assert read(ps.policy(reading), 0) == (0, -1)  # no table


def test_lists_and_strides_and_later_changes():
    numbers = np.arange(12.0).reshape(3, 4)
    policy = ps.policy(table=numbers.T)(reading)
    assert [read(policy, k)[0] for k in range(12)] == numbers.T.reshape(-1).tolist()
    numbers[:] = 99
    assert read(policy, 0)[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        policy.family.table.array[0] = 1
    assert read(ps.policy(table=[5, 6])(reading), 1)[0] == 6


@ps.policy(table=np.array([0.0, 1.0]), params={"add": (0, 0, 1)})
def tabled(view):
    """Attack by chance, as the table has it."""
    if view.phase == ps.RESPOND:
        return ps.act.call()
    foe = ps.see.weakest(view)
    chance = ps.see.table(view, int(view.params[0]))
    return ps.act.attack(foe) if foe >= 0 and ps.see.uniform(view) < chance else ps.act.stay()


def by_table(view):
    """Attack by chance, as the table has it."""
    if view.phase == ps.RESPOND:
        return ps.act.call()
    foe = ps.see.weakest(view)
    return ps.act.attack(foe) if foe >= 0 and ps.see.uniform(view) < ps.see.table(view, 0) else ps.act.stay()


def by_rank(view):
    """Attack where the table has more than 5 for the rank of the palace, a single card."""
    if view.phase == ps.RESPOND:
        return ps.act.call()
    rank = 0
    for k in range(64):
        if view.palace >> k & 1:
            rank = k % 16
    return ps.act.attack(1 - view.seat) if ps.see.table_int(view, rank) > 5 else ps.act.stay()


def test_policies_of_one_function_play_by_their_own_tables():
    never, ever = (ps.policy(table=np.array([x]), name=f"p{x:g}")(by_table) for x in (0.0, 1.0))
    assert never.family.entry() is ever.family.entry()
    seats = ps.play([never, ever], deals=20, seed=1).seats
    attacks = seats.groupby("policy", observed=True)["attacks"].sum()
    assert attacks["p0"] == 0 and attacks["p1"] > 20
    seats = ps.play([tabled, tabled.with_(add=1)], deals=20, seed=1).seats  # numbers of a parameter row go with it
    assert seats.groupby("policy", observed=True)["attacks"].sum().tolist() == attacks.tolist()


def test_fingerprints_tell_tables_apart():
    a, b, c = (ps.policy(table=np.array(x), name="p")(by_table) for x in ([0.5], [0.5], [0.25]))
    d = ps.policy(table=np.array([0.5]).view(np.int64), name="p")(by_table)  # the same bytes
    bare = ps.policy(name="p")(by_table)
    assert a.fingerprint == b.fingerprint and a.same_as(b)
    assert len({p.fingerprint for p in (a, c, d, bare)}) == 4
    assert not a.same_as(c) and not a.same_as(bare) and not a.same_as(d)
    assert a.named("q").fingerprint == a.fingerprint
    with pytest.raises(ValueError, match="two different policies named 'p'"):
        ps.play([a, c], deals=2)


def test_tables_travel():
    policy = ps.policy(table=np.array([0.5, 0.25]), name="travels")(by_table)
    for made in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert made.same_as(policy) and made.fingerprint == policy.fingerprint
        assert made.family.table.array.tolist() == [0.5, 0.25]
    again = pickle.loads(pickle.dumps(tabled.with_(add=1)))  # from its module
    assert again.family is tabled.family and again.params == {"add": 1}


def test_another_table_in_the_module_is_refused(monkeypatch):
    kept = pickle.dumps(tabled)
    monkeypatch.setattr(tabled.family.table, "_mark", "0" * 32)
    with pytest.raises(ps.PolicyError, match=r"tabled .* has another table here"):
        pickle.loads(kept)


def test_worker_processes_read_the_same_numbers(tmp_path, monkeypatch):
    (tmp_path / "tabled.py").write_text(f"import palace_sim as ps\n\n\n{inspect.getsource(by_table)}")
    monkeypatch.syspath_prepend(tmp_path)  # a new process gets this path too, and can import what this module holds
    function = importlib.import_module("tabled").by_table
    policy = ps.policy(table=np.linspace(0.9, 1.0, 100_000), name="large")(function)
    here = ps.play([policy, "stay"], deals=60, seed=3)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = ps.play([policy, "stay"], deals=60, seed=3, executor=pool)
    assert here.seats.equals(there.seats) and here.seats["attacks"].sum() > 50


def test_checks_and_plain_python_know_of_tables():
    policy = ps.policy(table=np.array([0.5]), name="halves")(by_table)
    report = ps.check_policy(policy, 200)
    assert report.ok and len(report.checks) == (6 if JIT else 5)
    plain = ps.policy(table=np.array([0.5]), name="halves", compile=False)(by_table)
    compiled, called = (ps.play([p, "stay"], deals=15, seed=4).seats for p in (policy, plain))
    assert compiled.equals(called)


def test_replays_and_models_read_the_table():
    policy = ps.policy(table=np.array([1.0]), name="ever")(by_table)
    result = ps.play([policy, "stay"], deals=3, seed=1)
    hand = ps.replay(result, 2)
    row = result.seats.query("deal == 2 and rotation == 0").sort_values("seat")
    assert hand.nets == row["net"].tolist()
    begun = ps.Hand.deal(ps.Rules(palace_cards=1), seats=2, seed=3, dealer=1).attack(1)
    some = ps.policy(table=np.arange(13))(by_rank)
    likely = ps.Range.after(begun, 0, some)
    high = sum(1 << 16 * suit + rank for suit in range(4) for rank in range(6, 13))
    seen = int(begun.record.all_seen)
    assert likely.exact and sorted(likely.cards.tolist()) == [1 << k for k in range(64) if high & ~seen & 1 << k]
    with pytest.raises(ValueError, match="rules out every palace"):
        ps.Range.after(begun, 0, ps.policy(table=np.zeros(13, int))(by_rank))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "with numbers in it; got float64 of shape"),
        (np.zeros((2, 2, 2)), "1-D or 2-D, with numbers in it; got float64 of shape"),
        (np.zeros(3, np.float32), "array of float64 or int64.*got float32"),
        (["a"], "table of policy reading takes an array"),
        ([[1.0], [1.0, 2.0]], "got rows of different lengths"),
        (3.0, "got float64 of shape"),
        (np.array([None]), "got object"),
    ],
)
def test_bad_tables_are_named(table, message):
    with pytest.raises(ValueError, match=message):
        ps.policy(table=table)(reading)


def test_a_table_is_one_copy():
    table = Table(np.zeros(10), "p")
    assert table.address == table.array.ctypes.data and table.size == 10 and Table([1], "p").size == -1
    assert as_policy("stay").family.table is None
