"""Tournaments: every line-up of some policies over the same deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palace_sim import tables
from palace_sim.policies.base import Policy, as_policies
from palace_sim.rules import Rules, as_rules
from palace_sim.schedule import every_lineup
from palace_sim.simulate import Result, carry_out, make_plan

if TYPE_CHECKING:
    import pandas as pd

MAX_LINEUPS = 20_000


class Tournament(Result):
    """A result of many line-ups, with a leaderboard and a crosstable."""

    @property
    def leaderboard(self) -> pd.DataFrame:
        """A row a policy, best first; the same as `summary`."""
        return self.summary

    @cached_property
    def _crosstable(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return tables.crosstable(self.plan, self.totals)

    @property
    def crosstable(self) -> pd.DataFrame:
        """Half the mean of net_i - net_j where both sit, chips a hand (heads-up: the net of the row's policy)."""
        return self._crosstable[0]

    @property
    def crosstable_se(self) -> pd.DataFrame:
        """Standard errors of `crosstable`."""
        return self._crosstable[1]

    @property
    def lineups(self) -> pd.DataFrame:
        """The line-ups by index, a column for each member."""
        import pandas as pd

        names = [policy.name for policy in self.policies]
        members = [[names[k] for k in lineup] for lineup in self.plan.lineups]
        return pd.DataFrame(members, columns=[f"policy_{k}" for k in range(self.plan.seats)]).rename_axis("lineup")


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
        Deals that each line-up plays; hands are deals times seats times line-ups.
    seed, rows, workers, executor, progress, illegal, folder
        As in `palace_sim.play`.

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
    entrants = as_policies(policies, "a list of policies")
    seats = rules.check_seats(seats)
    names = [policy.name for policy in entrants]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"policies has {name!r} twice: rename one with .named()")
    if len(entrants) < seats:
        raise ValueError(f"policies has {len(entrants)}; a table of seats={seats} needs {seats} different ones")
    unique = sorted(entrants, key=lambda policy: policy.name)
    lineups = every_lineup(len(unique), seats)
    if len(lineups) > MAX_LINEUPS:
        raise ValueError(f"{len(unique)} policies at {seats} seats make {len(lineups)} line-ups, over {MAX_LINEUPS}")
    plan = make_plan(
        unique, lineups, rules, deals=deals, seed=seed, rotations=seats, rows=rows, illegal=illegal
    )
    return carry_out(plan, Tournament, workers, executor, progress, folder)
