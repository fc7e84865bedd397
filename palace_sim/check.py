"""`check_policy`: whether a policy keeps to its contract, and how fast it is."""

from __future__ import annotations

import dataclasses
import operator
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.kernels import jit
from palace_sim.kernels.engine import FAULTS, OK, apply, fault
from palace_sim.kernels.jit import call_policy, kernel
from palace_sim.kernels.keeping import instead
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.rng import SAMPLING, next_bits, open_stream
from palace_sim.kernels.state import GOING_ON, KEEP
from palace_sim.kernels.view import fill_view
from palace_sim.plans import Plan
from palace_sim.policies.base import Policy, PolicyError, as_policy
from palace_sim.policies.entry import CompiledEntry
from palace_sim.replaying import ask, prepare
from palace_sim.rules import Rules, as_rules
from palace_sim.run import describe

# Tables that between them reach every rule: seats and options.
TABLES = (
    (2, Rules()),
    (4, Rules()),
    (4, Rules(structure="no_limit", stack=400)),
    (10, Rules(max_soldiers=2)),
    (6, Rules(blocked="rank", stack=60, last_two="showdown")),
    (3, Rules(deck="2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 2h 3h 4h 5h 6h 7h", palace_cards=2, max_buys=3)),
    (3, Rules(max_soldiers=0, bare_raise="double", blocked="none")),
)
HANDS = 60  # hands at a table before the next takes its turn


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    ok: bool
    detail: str


@dataclasses.dataclass(frozen=True)
class Report:
    """What `check_policy` found.

    Attributes
    ----------
    policy : str
        Name of the policy.
    decisions : int
        Decisions that were looked at.
    checks : tuple of Check
        What was checked, whether it holds, and what was seen.
    ok : bool
        Whether all hold.
    """

    policy: str
    decisions: int
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    def __str__(self) -> str:
        lines = [f"{self.policy}: {'passed' if self.ok else 'FAILED'} over {self.decisions} decisions"]
        lines += [f"  {'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}" for check in self.checks]
        return "\n".join(lines)

    __repr__ = __str__


class _Tally:
    """Counts how often something held, and keeps the first case in which it did not."""

    def __init__(self, name: str) -> None:
        self.name, self.looked, self.failed, self.first = name, 0, 0, ""

    def note(self, holds: bool, detail: Callable[[], str]) -> None:
        self.looked += 1
        if not holds:
            self.failed += 1
            self.first = self.first or detail()

    def result(self) -> Check:
        if self.failed:
            return Check(self.name, False, f"{self.failed} of {self.looked} differ, first: {self.first}")
        return Check(self.name, True, f"{self.looked} looked at")


@dataclasses.dataclass(frozen=True)
class Decision:
    """A policy asked in the middle of a hand."""

    state: Any
    view: Any
    seat: int
    where: str


def walk(
    policy: Policy,
    tables: tuple[tuple[int, Rules], ...],
    seed: int,
    fill: Callable[..., None] = fill_view,
    address: int | None = None,
) -> Iterator[Decision]:
    """Yield decisions of a policy against itself and `random`, at one table after another, without end.

    The one who reads a decision may do what it likes with its records; play goes on with the policy's own answer, and
    with a fold (or the engine's choice) where that is illegal. `address` is where the policy is asked, if not where a
    run would ask it.
    """
    plans = [_plan(policy, seats, rules, seed) for seats, rules in tables]
    deal = 0
    while True:
        for plan in plans:
            for _ in range(HANDS):
                yield from _hand(plan, deal, fill, address)
                deal += 1


def _plan(policy: Policy, seats: int, rules: Rules, seed: int) -> Plan:
    pair = (policy, as_policy("random").named("random, for check_policy"))
    lineup = np.array([[i % 2 for i in range(rules.check_seats(seats))]])
    return Plan(pair, lineup, rules, seed, 1, seats)


def _hand(plan: Plan, deal: int, fill: Callable[..., None], address: int | None) -> Iterator[Decision]:
    work, table = prepare(plan, deal, deal % plan.rotations, 0)
    if address is not None:
        table[0]["address"] = address
    state = work.state
    while state.end == GOING_ON:
        seat = int(state.to_act)
        mine = work.policy[seat] == 0
        entry, view = table[work.policy[seat]], work.views[seat]
        if state.phase == KEEP and not entry["ask"]:
            code = int(instead(state, seat))
        else:
            fill(view, state, seat)
            if mine:
                where = f"deal {deal}, {plan.seats} seats, {plan.rules.changed() or 'default rules'}, seat {seat}"
                yield Decision(state.copy(), view.copy(), seat, where)
            code = int(ask(entry["address"], view))
            if fault(state, code) != OK:
                code = int(instead(state, seat))
        apply(state, code)


def leaks(decision: Decision, number: int, fill: Callable[..., None] = fill_view) -> list[str]:
    """Fields of a view that change when the cards that its seat does not know are drawn anew."""
    state, again = decision.state.copy(), decision.view.copy()
    open_stream(state.stream, number, 0, SAMPLING, 1, 0)
    redraw(state, decision.seat)
    fill(again, state, decision.seat)
    if again.tobytes() == decision.view.tobytes():
        return []
    return [name for name in again.dtype.names if again[name].tobytes() != decision.view[name].tobytes()]


class _Ways:
    """The ways in which a policy can be asked: compiled, compiled with bounds checks, as plain Python.

    Without bounds checks a policy that reads or writes far outside of an array would end the process, so it is asked
    with them first, and not without where they found something.
    """

    def __init__(self, policy: Policy) -> None:
        self.entry = policy.family.entry()
        self.plain = policy.function
        self.checked: CompiledEntry | None = None
        if jit.JIT and not policy.family.plain:
            assert isinstance(policy.function, types.FunctionType)
            self.checked = CompiledEntry(policy.function, policy.name, policy.fingerprint, boundscheck=True)

    def ask(self, way: str, view: Any) -> tuple[Any, Any]:
        """Return the answer on a copy of a view, and the copy; an exception is an answer in words."""
        asked = view.copy()
        try:
            if way == "plain":
                return operator.index(self.plain(asked)), asked
            entry = self.checked if way == "checked" and self.checked is not None else self.entry
            code = int(ask(entry.address, asked))
            error = entry.error(view.copy()) if code == 0 else None
            return (code if error is None else f"{type(error).__name__}: {error}"), asked
        except Exception as error:
            return f"{type(error).__name__}: {error}", asked


def check_policy(
    policy: Policy | str | Callable[[Any], int],
    decisions: int = 10_000,
    *,
    seats: int | None = None,
    rules: Rules | None = None,
    seed: int = 1,
) -> Report:
    """Check that a policy keeps to its contract, over many decisions of real hands.

    It makes only legal moves; its view does not change when cards that its seat does not know are drawn anew, byte for
    byte; the same view and stream give the same move; compiled afresh with bounds checks, and as plain Python, it moves
    the same and leaves the same memo and stream. Its speed is measured.

    Parameters
    ----------
    policy : Policy, str or callable
        What to check.
    decisions : int
        How many decisions to look at.
    seats, rules : optional
        A table to play at; None for seven tables that reach every rule.
    seed : int
        Seed of the hands.

    Returns
    -------
    Report
        `ok`, `checks`, and a text when printed.

    Raises
    ------
    PolicyError
        It cannot be compiled.

    Examples
    --------
    >>> import palace_sim as ps
    >>> ps.check_policy("random", 200).ok
    True
    """
    policy = as_policy(policy, "policy")
    wanted = whole("decisions", decisions, 1, 10_000_000)
    tables = TABLES if seats is None and rules is None else ((4 if seats is None else seats, as_rules(rules)),)
    ways = _Ways(policy)
    legal, hidden, same = _Tally("legal moves"), _Tally("view without hidden cards"), _Tally("same stream, same move")
    bounds, plain = _Tally("with bounds checks"), _Tally("as plain Python")
    views = []
    safe = None if ways.checked is None else ways.checked.address
    for number, decision in enumerate(walk(policy, tables, seed, address=safe)):
        if number == wanted:
            break
        view, at = decision.view, decision.where
        guarded = None if ways.checked is None else ways.ask("checked", view)
        failed = guarded is not None and isinstance(guarded[0], str)
        if not failed:
            views.append(view)
        code, after = guarded if failed and guarded else ways.ask("compiled", view)
        problem = int(fault(decision.state, code)) if isinstance(code, int) else 1
        why = FAULTS[problem] if isinstance(code, int) else ""
        legal.note(problem == OK, lambda c=code, f=why, w=at: f"{_say(c)} {f} ({w})")  # type: ignore[misc]
        leaked = leaks(decision, number)
        hidden.note(not leaked, lambda n=leaked, w=at: f"{', '.join(n)} ({w})")  # type: ignore[misc]
        if guarded is not None:
            holds = not failed and guarded[0] == code and _lasting(guarded[1]) == _lasting(after)
            bounds.note(holds, lambda c=code, o=guarded[0], w=at: f"{_say(c)} and {_say(o)} ({w})")  # type: ignore[misc]
        for tally, way in ((same, "compiled"), (plain, "plain")):
            if failed or (way == "plain" and policy.family.plain):
                continue
            other, left = ways.ask(way, view)
            agree = other == code and _lasting(left) == _lasting(after)
            tally.note(agree, lambda c=code, o=other, w=at: f"{_say(c)} and {_say(o)} ({w})")  # type: ignore[misc]
    tallies = [tally for tally in (legal, hidden, same, bounds, plain) if tally.looked]
    results = [tally.result() for tally in tallies] + ([_speed(ways.entry.address, views)] if views else [])
    return Report(policy.name, legal.looked, tuple(results))


def _say(code: Any) -> str:
    return describe(code) if isinstance(code, int) else str(code)


def _lasting(view: Any) -> bytes:
    """What of a view lasts to the next decision."""
    return bytes(view.params.tobytes() + view.memo.tobytes() + view.stream.tobytes())


@kernel
def ask_all(address: int, views: Any) -> int:
    """Ask the policy at an address on each of some views."""
    mixed = 0
    for i in range(len(views)):
        mixed ^= call_policy(address, views[i])
    return mixed


@kernel
def draw_words(stream: Any, n: int) -> int:
    """Draw n words: the unit that speeds are told in."""
    mixed = 0
    for _ in range(n):
        mixed ^= next_bits(stream, 63)
    return mixed


def _speed(address: int, views: list[Any]) -> Check:
    """Time of a decision, as a multiple of one random draw in the same run."""
    many = np.array(views[:2000], dtype=views[0].dtype).view(np.recarray)
    stream = np.array([1, 2, 3, 4], np.int64)
    draws = 20_000 if jit.JIT else 200
    ask_all(address, many.copy())
    draw_words(stream, 1)
    best, unit = float("inf"), float("inf")
    for _ in range(5):
        copy = many.copy()
        began = time.perf_counter()
        ask_all(address, copy)
        middle = time.perf_counter()
        draw_words(stream, draws)
        best = min(best, (middle - began) / len(many))
        unit = min(unit, (time.perf_counter() - middle) / draws)
    return Check("speed", True, f"{best * 1e9:.0f} ns a decision, {best / unit:.0f} random draws")


__all__ = ["Check", "Decision", "PolicyError", "Report", "check_policy", "leaks", "walk"]
