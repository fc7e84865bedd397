"""Tournaments: many line-ups of some policies over the same deals, and who is best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from palace_sim import schedule
from palace_sim.arguments import whole
from palace_sim.contest import Contest, play_contest
from palace_sim.policies.base import Policy, as_policies, as_policy
from palace_sim.rules import Rules, as_rules
from palace_sim.simulate import as_running, make_plan
from palace_sim.standings import Tournament
from palace_sim.until import Rule

MAX_LINEUPS = 5_000
MAX_SEATINGS = 5  # seats up to which all seatings are played: 120 hands a deal


def _entrants(policies: Any, takes: str = "a list of policies") -> list[Policy]:
    entrants = as_policies(policies, takes)
    names = [policy.name for policy in entrants]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"policies has {name!r} twice: rename one with .named()")
    return entrants


def _few(policies: int, seats: int) -> None:
    if policies < seats:
        raise ValueError(f"policies has {policies}; a table of seats={seats} needs {seats} different ones")


def _run(
    kind: str,
    entrants: list[Policy],
    choose: Callable[[list[str]], Any],
    rules: Rules,
    how: dict[str, Any],
    running: dict[str, Any],
    asked: dict[str, Any],
) -> Tournament:
    """Make the plan of a tournament and play it."""
    unique = sorted(entrants, key=lambda policy: policy.name)
    chosen = choose([policy.name for policy in unique])
    lineups, times = chosen if isinstance(chosen, tuple) else (chosen, None)
    every = how.pop("seatings")
    if every not in ("rotations", "all"):
        raise ValueError(f"seatings takes 'rotations' or 'all', got {every!r}")
    seats = lineups.shape[1]
    if every == "all" and seats > MAX_SEATINGS:
        raise ValueError(f"seatings='all' takes up to {MAX_SEATINGS} seats (120 hands a deal), got {seats}")
    contest = Contest.checked(how, [policy.name for policy in unique])
    plan = make_plan(
        unique,
        lineups,
        rules,
        deals=how["deals"],
        seed=how["seed"],
        rotations=schedule.seatings(seats, every == "all"),
        rows=how["rows"],
        illegal=how["illegal"],
        all_seatings=every == "all",
        luck=how["luck"],
        times=None if times is None else tuple(times.tolist()),
    )
    return play_contest(plan, contest, as_running(**running), Tournament, kind, how["rows"], asked)


def round_robin(
    policies: Sequence[Policy | str | Callable[[Any], int]],
    rules: Rules | None = None,
    seats: int = 2,
    deals: int = 10_000,
    seed: int = 1,
    rows: bool | int | str = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    illegal: str = "stop",
    folder: str | Path | None = None,
    tables: int | None = None,
    seatings: str = "rotations",
    until: Rule | None = None,
    look: int = 1000,
    spend: str = "uniform",
    confirm: int = 0,
    luck: bool = False,
) -> Tournament:
    """Play every line-up of `seats` different policies, each over the same deals and in all rotations.

    Parameters
    ----------
    policies : sequence
        Policies with different names, at least `seats` of them.
    rules : Rules, optional
        None for the default rules.
    seats : int
        Players at a table, 2 to 10.
    deals : int
        Deals that each line-up plays; hands are deals times seats times line-ups. With `until` or adaptive spending
        the most that a line-up may play.
    seed, rows, workers, executor, progress, illegal, folder
        As in `palace_sim.play`.
    tables : int, optional
        Play so many line-ups, chosen at random so that all policies sit equally often and pairs meet evenly; None for
        every line-up, of which there may be 5,000.
    seatings : {"rotations", "all"}
        Hands of a line-up in a deal: all rotations of the seats, or all seatings (up to five players).
    until : Rule, optional
        Stop when it says so (`palace_sim.until`), looking every `look` deals. Intervals are then confidence sequences.
    look : int
        Deals between looks.
    spend : {"uniform", "adaptive"}
        "adaptive" plays, after each look, only the line-ups that tell most about what is not yet known: about the pair
        of policies that is nearest to being told apart, of those that `until` (or nothing) asks for, until it says stop
        or all have had their deals.
    confirm : int
        Deals, fresh ones, that all line-ups play after a stop that the results decided; `.confirmation` holds what
        they gave, an unbiased figure with an ordinary interval.
    luck : bool
        Also sum up what the draws brought, for `Tournament.without_luck`.

    Returns
    -------
    Tournament

    Raises
    ------
    ValueError
        An argument is not what it should be; named.
    PolicyError
        A policy cannot be compiled, failed, or returned an illegal action.

    Examples
    --------
    >>> import palace_sim as ps
    >>> t = ps.round_robin(["random", ps.policies.get("random").named("twin")], deals=50, seed=1)
    >>> t.crosstable.loc["random", "twin"]
    np.float64(0.0)
    """
    rules = as_rules(rules)
    entrants = _entrants(policies)
    seats = rules.check_seats(seats)
    _few(len(entrants), seats)
    ways = math.comb(len(entrants), seats)
    if tables is not None:
        tables = whole("tables", tables, 1, min(ways, MAX_LINEUPS), "None or a number of line-ups")
    elif ways > MAX_LINEUPS:
        raise ValueError(
            f"{len(entrants)} policies at {seats} seats make {ways} line-ups, over {MAX_LINEUPS}: pass tables= for a "
            f"balanced choice of them"
        )
    seed = whole("seed", seed, 0, (1 << 63) - 1)

    def choose(names: list[str]) -> np.ndarray:
        if tables is None:
            return schedule.every_lineup(len(names), seats)
        return schedule.balanced_lineups(len(names), seats, tables, seed)

    how = {"deals": deals, "seed": seed, "rows": rows, "illegal": illegal, "seatings": seatings, "until": until}
    how |= {"look": look, "spend": spend, "confirm": confirm, "luck": luck}
    running = {"workers": workers, "executor": executor, "progress": progress, "folder": folder}
    return _run("round_robin", entrants, choose, rules, how, running, {"tables": tables})


def gauntlet(
    challenger: Policy | str | Callable[[Any], int],
    field: Sequence[Policy | str | Callable[[Any], int]],
    rules: Rules | None = None,
    seats: int = 2,
    deals: int = 10_000,
    seed: int = 1,
    copies: bool = False,
    rows: bool | int | str = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    illegal: str = "stop",
    folder: str | Path | None = None,
    seatings: str = "rotations",
    until: Rule | None = None,
    look: int = 1000,
    spend: str = "uniform",
    confirm: int = 0,
    luck: bool = False,
) -> Tournament:
    """Play one policy against a field: every line-up of it and `seats` - 1 of the others.

    Parameters
    ----------
    challenger : policy
        The one.
    field : sequence
        The others; different names.
    copies : bool
        Seat the challenger with copies of one policy of the field at a time instead.
    rules, seats, deals, seed, rows, workers, executor, progress, illegal, folder, seatings, until, look, spend, \
confirm, luck
        As in `palace_sim.round_robin`.

    Returns
    -------
    Tournament

    Raises
    ------
    ValueError, PolicyError
        As in `round_robin`.

    Examples
    --------
    >>> import palace_sim as ps
    >>> ps.gauntlet("tight", ["stay", "random"], deals=20, seed=1).lineups.policy_1.tolist()
    ['tight', 'tight']
    """
    rules = as_rules(rules)
    first = as_policy(challenger, "challenger")
    entrants = _entrants([first, *as_policies(field, "a list of policies")])
    if len(entrants) < 2:
        raise ValueError("field has no policies")
    seats = rules.check_seats(seats)
    if not copies:
        _few(len(entrants), seats)
    ways = len(entrants) - 1 if copies else math.comb(len(entrants) - 1, seats - 1)
    if ways > MAX_LINEUPS:
        raise ValueError(f"field has {len(entrants) - 1} policies: {ways} line-ups, over {MAX_LINEUPS}")

    def choose(names: list[str]) -> np.ndarray:
        chief = names.index(first.name)
        order = np.array([chief, *(k for k in range(len(names)) if k != chief)])
        return np.sort(order[schedule.gauntlet_lineups(len(names), seats, bool(copies))], axis=1)

    how = {"deals": deals, "seed": seed, "rows": rows, "illegal": illegal, "seatings": seatings, "until": until}
    how |= {"look": look, "spend": spend, "confirm": confirm, "luck": luck}
    running = {"workers": workers, "executor": executor, "progress": progress, "folder": folder}
    asked = {"challenger": first.name, "copies": bool(copies)}
    return _run("gauntlet", entrants, choose, rules, how, running, asked)


def population(
    weights: Mapping[Any, float],
    rules: Rules | None = None,
    seats: int = 4,
    tables: int = 100,
    deals: int = 1_000,
    seed: int = 1,
    rows: bool | int | str = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    illegal: str = "stop",
    folder: str | Path | None = None,
    seatings: str = "rotations",
    luck: bool = False,
) -> Tournament:
    """Play tables whose seats are drawn from a mix of policies by weights; a policy may sit twice at a table.

    Figures are means over the tables drawn (a table that came up twice counts twice); their errors are about the deals,
    not about which tables came up.

    Parameters
    ----------
    weights : dict of policy to float
        How often each is drawn, beside the others; 0 or more, two or more of them above 0.
    tables : int
        Tables drawn.
    rules, seats, deals, seed, rows, workers, executor, progress, illegal, folder, seatings, luck
        As in `palace_sim.round_robin`.

    Returns
    -------
    Tournament

    Raises
    ------
    ValueError, PolicyError
        As in `round_robin`.

    Examples
    --------
    >>> import palace_sim as ps
    >>> t = ps.population({"tight": 3, "random": 1}, seats=3, tables=10, deals=10, seed=1)
    >>> len(t.leaderboard)
    2
    """
    rules = as_rules(rules)
    if not isinstance(weights, Mapping):
        raise ValueError(f"weights takes a dict of policy to weight, got {weights!r}")
    entrants = _entrants(list(weights), "a dict of policy to weight")
    by_name = {policy.name: weight for policy, weight in zip(entrants, weights.values(), strict=True)}
    for name, weight in by_name.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise ValueError(f"weights takes numbers of 0 or more, got {weight!r} for {name}")
    entrants = [policy for policy in entrants if by_name[policy.name] > 0]
    if len(entrants) < 2:
        raise ValueError("weights takes two policies or more with a weight above 0")
    seats = rules.check_seats(seats)
    tables = whole("tables", tables, 1, MAX_LINEUPS, "a number of tables")
    seed = whole("seed", seed, 0, (1 << 63) - 1)

    def choose(names: list[str]) -> tuple[np.ndarray, np.ndarray]:
        return schedule.population_lineups([by_name[name] for name in names], seats, tables, seed)

    how = {"deals": deals, "seed": seed, "rows": rows, "illegal": illegal, "seatings": seatings, "until": None}
    how |= {"look": 1000, "spend": "uniform", "confirm": 0, "luck": luck}
    running = {"workers": workers, "executor": executor, "progress": progress, "folder": folder}
    asked = {"tables": tables, "weights": {policy.name: by_name[policy.name] for policy in entrants}}
    return _run("population", entrants, choose, rules, how, running, asked)
