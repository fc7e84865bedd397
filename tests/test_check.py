"""`check_policy` passes what is sound and catches what is not."""

import subprocess
import sys

import numpy as np
import pytest

import palace_sim as ps
from palace_sim import check
from palace_sim.kernels.view import fill_view
from palace_sim.policies.base import as_policy

SIZES = [(name, 3_000) for name in ps.policies.NAMES] + [
    pytest.param(name, 10_000, marks=pytest.mark.slow) for name in (*ps.policies.NAMES, *ps.policies.SEARCHED)
]


@pytest.mark.parametrize(("name", "decisions"), SIZES)
def test_every_built_in_policy_passes(name, decisions):
    report = ps.check_policy(name, decisions)
    assert report.ok, str(report)
    assert report.decisions == decisions


def failed(report):
    return [c.name for c in report.checks if not c.ok]


@pytest.mark.parametrize("field", ["turns", "memo", "seen", "gone", "chips of a player"])
def test_a_leaking_view_is_caught(field):
    """The view tells, in one bit, whether the next player holds an ace in its palace."""
    aces = sum(1 << 16 * suit + 12 for suit in range(4))

    def leaky(view, state, seat):
        fill_view(view, state, seat)
        tells = int(state.palace[(seat + 1) % int(state.seats)] & aces != 0)
        if field == "memo":
            view.memo[7] = tells
        elif field == "chips of a player":
            view.players[9].chips += tells
        else:
            view[field] ^= tells

    tables = check.TABLES[:2]
    found = 0
    for number, decision in enumerate(check.walk(as_policy("random"), tables, 1, leaky)):
        if number == 300:
            break
        found += bool(check.leaks(decision, number, leaky))
    # the next player holds an ace in about a fifth of the hands, so two draws differ in about a third of the decisions
    assert found > 30


def test_the_engines_own_view_does_not_leak():
    for number, decision in enumerate(check.walk(as_policy("random"), check.TABLES, 2)):
        if number == 500:
            break
        assert check.leaks(decision, number) == []


def test_illegal_moves_are_caught():
    @ps.policy
    def always_calls(view):
        return ps.act.call()

    assert "legal moves" in failed(ps.check_policy(always_calls, 200))


def test_reading_out_of_bounds_is_caught():
    @ps.policy
    def reads_beyond(view):
        return ps.act.stay() if view.players[view.seat + 9].banner < 99 and view.phase == ps.TURN else ps.act.fold()

    assert "with bounds checks" in failed(ps.check_policy(reads_beyond, 200))


def test_writing_far_out_of_bounds_is_caught_and_ends_nothing(tmp_path):
    """Without bounds checks this ends the process, so it is tried in one of its own."""
    script = """
import palace_sim as ps
@ps.policy
def wild(view):
    view.memo[60000 + view.turns] += 1
    return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()
print(ps.check_policy(wild, 50))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "wild: FAILED over 50 decisions" in done.stdout
    assert "IndexError: index is out of bounds" in done.stdout


def test_an_exception_is_shown():
    @ps.policy
    def divides(view):
        return ps.act.stay() if 1 // (view.turns - view.turns) else ps.act.fold()

    assert "ZeroDivisionError" in str(ps.check_policy(divides, 20))


def test_memory_outside_the_view_is_caught():
    counter = np.zeros(1, np.int64)

    def remembers(view):
        counter[0] += 1
        return ps.act.stay() if view.phase == ps.TURN and counter[0] % 2 else ps.act.fold()

    assert "same stream, same move" in failed(ps.check_policy(remembers, 200))


def test_a_policy_that_means_something_else_in_plain_python_is_caught():
    @ps.policy
    def overflows(view):
        big = 1 << 62
        return ps.act.stay() if view.phase == ps.TURN and big * 4 + view.pot < 1000 else ps.act.fold()

    assert "as plain Python" in failed(ps.check_policy(overflows, 200))


def test_a_table_of_ones_own_can_be_given():
    report = ps.check_policy("random", 50, seats=5, rules=ps.Rules(small_bet=1, large_bet=2))
    assert report.ok and report.decisions == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("nobody",), "no built-in policy"), (("random", 0), "decisions takes"), ((3.5,), "policy takes policies")],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ps.check_policy(*arguments)
