"""`play`: one line-up of policies over many deals; `Result`: its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import palace_sim
from palace_sim import tables
from palace_sim.arguments import whole
from palace_sim.conducting import Conductor, Group, Running, keep_result, manifest_of, rows_of, standing_of
from palace_sim.formats import leaderboard_html
from palace_sim.hand import Hand
from palace_sim.kernels.knowledge import NOBODY
from palace_sim.plans import Plan
from palace_sim.policies.base import Policy, as_policies
from palace_sim.policies.errors import PolicyError
from palace_sim.replaying import replay_plan
from palace_sim.rules import Rules, as_rules
from palace_sim.standing import Standing

if TYPE_CHECKING:
    import pandas as pd

MAX_DEALS = 1 << 50


class Result:
    """What a run gave: tables made when first asked for.

    Attributes
    ----------
    plan : Plan
        All that decided the result.
    groups : list of Group
        Line-ups with their exact integer sums.
    sequential : int
        0 where the number of deals was fixed beforehand; else the results decided when to stop, and this is the number
        of deals at which confidence sequences are tightest.
    request : dict
        What was asked for, as a manifest holds it.
    fingerprints : dict of str to str
        Hashes of the policies as they played, by name.
    """

    def __init__(self, plan: Plan, groups: list[Group], request: dict[str, Any], sequential: int = 0) -> None:
        self.plan = plan
        self.groups = groups
        self.request = request
        self.sequential = sequential
        self.fingerprints = {policy.name: policy.fingerprint for policy in plan.policies}

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The different policies, by name."""
        return self.plan.policies

    @cached_property
    def standing(self) -> Standing:
        """The exact sums, and what they say."""
        return standing_of(self.plan, self.groups)

    @cached_property
    def _summary(self) -> pd.DataFrame:
        return tables.summary(self.standing, self.plan.rules.small_bet, self.sequential)

    @property
    def summary(self) -> pd.DataFrame:
        """A row a policy, best first; columns in `palace_sim.tables.COLUMNS`."""
        return self._summary.copy()

    @cached_property
    def seats(self) -> pd.DataFrame:
        """A row a seat and hand, for the deals that rows were asked for."""
        return rows_of(self.plan, self.groups, "seats")

    @cached_property
    def battles(self) -> pd.DataFrame:
        """A row a battle, for the deals that rows were asked for."""
        return rows_of(self.plan, self.groups, "battles")

    @cached_property
    def deals(self) -> pd.DataFrame:
        """A row a deal, line-up and policy, for the deals that rows were asked for."""
        return rows_of(self.plan, self.groups, "deals")

    @property
    def illegal(self) -> dict[str, int]:
        """Illegal actions that were folded instead, by policy (only with ``illegal="fold"``)."""
        return {name: int(n) for name, n in zip(self.standing.names, self.standing.policy[:, 4], strict=True)}

    @property
    def hands(self) -> int:
        """Hands played in all."""
        return sum(group.keeper.totals.deals * group.plan.hands_per_deal for group in self.groups)

    def difference(self, a: str | Policy, b: str | Policy) -> dict[str, float]:
        """Paired difference in mean net of two policies over the deals that both played.

        Parameters
        ----------
        a, b : str or Policy
            The two; the difference is the first less the second.

        Returns
        -------
        dict
            mean, se, ci_low, ci_high (chips a hand; a 95 % interval, or where the results decided the number of deals a
            confidence sequence) and deals.

        Raises
        ------
        ValueError
            One of them did not play.

        Examples
        --------
        >>> import palace_sim as ps
        >>> found = ps.play(["tight", "random"], deals=50, seed=1, rows=False).difference("tight", "random")
        >>> sorted(found), found["deals"]
        (['ci_high', 'ci_low', 'deals', 'mean', 'se'], 50)
        """
        name = [p.name if isinstance(p, Policy) else str(p) for p in (a, b)]
        return tables.difference(self.standing, name[0], name[1], self.sequential)

    @property
    def manifest(self) -> dict[str, Any]:
        """What it takes to reproduce the tables: seed, rules, policies with fingerprints, versions."""
        made = manifest_of(self.plan)
        for name, mark in self.fingerprints.items():
            made["policies"][name]["fingerprint"] = mark
        return made

    def to_parquet(self, folder: str | Path) -> None:
        """Write all that is known of the result to a folder, as a run that was kept there.

        `palace_sim.load`, or ``from_parquet``, reads it back with the same tables, types of columns included.

        Parameters
        ----------
        folder : str or Path
            A new or an empty folder.

        Raises
        ------
        ValueError
            It cannot be written, or holds something.

        Examples
        --------
        >>> import tempfile, palace_sim as ps
        >>> result = ps.play(["tight", "random"], deals=10, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.to_parquet(folder)
        ...     ps.Result.from_parquet(folder).seats.equals(result.seats)
        True
        """
        manifest = self.manifest | {"rows": self.request["rows"], "request": self.request}
        keep_result(self._all_groups(), manifest | {"stopped": getattr(self, "stopped", "")}, folder)

    def report(
        self, path: str | Path, title: str | None = None, why_deals: int = 2000, workers: int | None = None
    ) -> Path:
        """Write one HTML file with tables, pictures and how to play it again: `palace_sim.write_report` of this result.

        Parameters
        ----------
        path, title, why_deals, workers
            As in `palace_sim.write_report`.
        """
        return palace_sim.write_report(self, path, title, why_deals, workers)

    def _all_groups(self) -> list[Group]:
        return self.groups

    @classmethod
    def from_parquet(cls, folder: str | Path) -> Result:
        """Read what `to_parquet` or ``folder=`` wrote; the same as `palace_sim.load`.

        Parameters
        ----------
        folder : str or Path
            Where it was written.

        Raises
        ------
        ValueError
            There is no such run.

        Examples
        --------
        >>> import tempfile, palace_sim as ps
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ps.play(["tight", "random"], deals=10, seed=1).to_parquet(folder)
        ...     ps.Result.from_parquet(folder).hands
        20
        """
        return palace_sim.load(folder)

    def __repr__(self) -> str:
        names = ", ".join(policy.name for policy in self.policies)
        deals = int(self.standing.deals.max())
        return f"<{type(self).__name__}: {deals} deals, {len(self.plan.lineups)} line-ups of {names}>"

    def __str__(self) -> str:
        shown = self.summary.drop(columns=["deals", "sb100_se", "interval"])  # so that it fits 100 columns
        text = str(shown.to_string(index=False, float_format=lambda x: f"{x:.4g}"))
        if self.sequential:
            text += "\nci_low, ci_high: 95 % confidence sequence, since the results decided the number of deals"
        return text

    def _repr_html_(self) -> str:
        return leaderboard_html(self.summary)


def different(policies: Sequence[Policy]) -> list[Policy]:
    """Return the different policies sorted by name; two of one name that are not the same are a ValueError."""
    known: dict[str, Policy] = {}
    for policy in policies:
        first = known.setdefault(policy.name, policy)
        if not policy.same_as(first):
            raise ValueError(f"policies has two different policies named {policy.name!r}: rename one with .named()")
    return [known[name] for name in sorted(known)]


def _row_deals(rows: bool | int | str, deals: int) -> tuple[int, int]:
    """Read `rows`: how many deals give rows of seats and battles, and how many rows of deals."""
    if rows is True:
        return deals, deals
    if rows is False:
        return 0, 0
    if isinstance(rows, str):
        if rows != "deals":
            raise ValueError(f"rows takes True, False, 'deals' or a number of deals, got {rows!r}")
        return 0, deals
    first = whole("rows", rows, 0, MAX_DEALS, "True, False, 'deals' or a number of deals")
    return min(first, deals), min(first, deals)


def make_plan(
    policies: list[Policy],
    lineups: np.ndarray,
    rules: Rules,
    *,
    deals: int,
    seed: int,
    rotations: int,
    rows: bool | int | str,
    illegal: str,
    **position: Any,
) -> Plan:
    """Check the arguments that `play` and tournaments share, and return the plan."""
    deals = whole("deals", deals, 1, MAX_DEALS, "a number of deals")
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    if illegal not in ("stop", "fold"):
        raise ValueError(f"illegal takes 'stop' or 'fold', got {illegal!r}")
    row_deals, deal_rows = _row_deals(rows, deals)
    return Plan(
        policies=tuple(policies),
        lineups=np.ascontiguousarray(lineups, dtype=np.int64),
        rules=rules,
        seed=seed,
        deals=deals,
        rotations=rotations,
        illegal_fold=illegal == "fold",
        rows=row_deals,
        deal_rows=deal_rows,
        **position,
    )


def check_running(workers: int | None, executor: Executor | None) -> int | None:
    """Check the arguments that say how a plan is run; return `workers`."""
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(f"executor takes a concurrent.futures.Executor, got {executor!r}")
    return None if workers is None else whole("workers", workers, 1, 4096, "None or a number of workers")


def play(
    policies: Sequence[Policy | str | Callable[[Any], int]],
    rules: Rules | None = None,
    deals: int = 10_000,
    seed: int = 1,
    rotate: bool = True,
    rows: bool | int | str = True,
    start: Hand | None = None,
    known_to: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    illegal: str = "stop",
    folder: str | Path | None = None,
) -> Result:
    """Play one line-up of policies over many deals.

    Each deal is played once in every rotation: policy i sits at seat (i + r) mod n in rotation r, in a cyclic order
    drawn by key for each deal from the policies sorted by name, so the order of the list does not matter. The same seed
    gives the same bytes for any number of workers.

    Parameters
    ----------
    policies : sequence
        2 to 10 policies, names of built-in ones or plain functions; the same may come twice.
    rules : Rules, optional
        None for the default rules.
    deals : int
        Number of deals; hands are deals times rotations.
    seed : int
        0 to 2^63 - 1.
    rotate : bool
        False plays one hand a deal, with policy i at seat i.
    rows : bool, int or "deals"
        True for all tables, a number for the first so many deals, "deals" for only the table of deals, False for none:
        then memory is flat for any number of deals.
    start : Hand, optional
        Position to play on from: policy i at seat i, no rotation, nets counted from there on.
    known_to : int, optional
        With `start`: the seat whose knowledge hidden cards are drawn from; None for what is public.
    workers : int, optional
        Threads; None for all cores.
    executor : concurrent.futures.Executor, optional
        Runs the blocks instead of threads of this process.
    progress : bool, optional
        Progress bar; None shows one on a terminal for runs of over two seconds.
    illegal : {"stop", "fold"}
        What an illegal action does: stop the run, or fold and be counted.
    folder : str or Path, optional
        A folder that keeps the run in parquet parts while it goes on. Called again with it, only deals that are not
        kept yet are played; a folder that keeps another run is refused. The tables of the result are read from there.

    Returns
    -------
    Result
        With `.summary`, `.seats`, `.battles`, `.deals`.

    Raises
    ------
    ValueError
        An argument is not what it should be; named.
    PolicyError
        A policy cannot be compiled, failed, or returned an illegal action.

    Examples
    --------
    >>> import palace_sim as ps
    >>> result = ps.play(["random", "random"], deals=100, seed=1, rows=False)
    >>> int(result.summary.hands.sum())
    400
    """
    if not isinstance(rotate, bool):
        raise ValueError(f"rotate takes True or False, got {rotate!r}")
    running = as_running(workers, executor, progress, folder)
    rules = as_rules(start.rules if rules is None and isinstance(start, Hand) else rules)
    seated = as_policies(policies, "a list of 2 to 10 policies")
    rules.check_seats(len(seated))
    unique = different(seated)
    position: dict[str, Any] = {}
    if start is not None:
        rotate = False
        position = _position(start, rules, len(seated), known_to)
    elif known_to is not None:
        raise ValueError("known_to needs start=, a Hand to play on from")
    order = sorted(seated, key=lambda policy: policy.name) if rotate else seated
    names = [policy.name for policy in unique]
    lineup = np.array([[names.index(policy.name) for policy in order]])
    plan = make_plan(
        unique,
        lineup,
        rules,
        deals=deals,
        seed=seed,
        rotations=len(seated) if rotate else 1,
        rows=rows,
        illegal=illegal,
        **position,
    )
    request = {
        "kind": "play",
        "policies": names,
        "lineups": [[names[k] for k in row] for row in lineup.tolist()],
        "deals": plan.deals,
        "rows": rows,
    }
    conductor = Conductor(plan, running, request)
    try:
        conductor.play(np.arange(len(plan.lineups)), 0, plan.deals)
        conductor.finish()
    finally:
        conductor.close()
    return Result(plan, list(conductor.groups.values()), request)


def as_running(
    workers: int | None, executor: Executor | None, progress: bool | None, folder: str | Path | None
) -> Running:
    """Check the arguments that say how a run is done."""
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(f"executor takes a concurrent.futures.Executor, got {executor!r}")
    if progress is not None and not isinstance(progress, bool):
        raise ValueError(f"progress takes True or False or None, got {progress!r}")
    if folder is not None and not isinstance(folder, str | Path):
        raise ValueError(f"folder takes a path, got {folder!r}")
    many = None if workers is None else whole("workers", workers, 1, 4096, "None or a number of workers")
    return Running(many, executor, progress, folder)


def _position(start: Hand, rules: Rules, seats: int, known_to: int | None) -> dict[str, Any]:
    """Check a position to start from; return what the plan needs of it."""
    if not isinstance(start, Hand):
        raise ValueError(f"start takes a palace_sim.Hand, got {start!r}")
    if start.rules != rules:
        raise ValueError("rules differ from those of start; leave rules out")
    if start.seats != seats:
        raise ValueError(f"start has {start.seats} seats, policies has {seats}")
    if start.phase == "over":
        raise ValueError("start is a hand that is over")
    seat = NOBODY if known_to is None else whole("known_to", known_to, 0, seats - 1, "a seat")
    return {"start": start.position_bytes(), "known_to": seat}


def replay(result: Result, deal: int, rotation: int = 0, lineup: int = 0) -> Hand:
    """Play one hand of a result again, move by move.

    Parameters
    ----------
    result : Result or Tournament
        Where the hand is from; it needs no rows.
    deal, rotation, lineup : int
        Which hand, as in the columns of `seats`.

    Returns
    -------
    Hand
        Finished, with its history. After ``play(start=...)`` its nets count from the position on.

    Raises
    ------
    ValueError
        There is no such hand.
    PolicyError
        A policy has changed since it played.

    Examples
    --------
    >>> import palace_sim as ps
    >>> result = ps.play(["random", "random"], deals=10, seed=1)
    >>> ps.replay(result, deal=7, rotation=1).phase
    'over'
    """
    plan = getattr(result, "plan", None)
    if not isinstance(plan, Plan):
        raise ValueError(f"result takes what play or a tournament returned, got {result!r}")
    deal = whole("deal", deal, 0, plan.deals - 1, "a deal of the result")
    rotation = whole("rotation", rotation, 0, plan.rotations - 1, "a rotation of the result")
    lineup = whole("lineup", lineup, 0, len(plan.lineups) - 1, "a line-up of the result")
    for name, fingerprint in ((policy.name, policy.fingerprint) for policy in plan.policies):
        if fingerprint != result.fingerprints[name]:
            raise PolicyError(
                f"policy {name} is not as it was when it played: its code, a function that it calls or a global "
                f"that it reads has changed, and it might play this hand otherwise"
            )
    return replay_plan(plan, deal, rotation, lineup)
