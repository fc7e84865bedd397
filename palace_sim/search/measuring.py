"""What candidates are worth: many of them at the same tables and the same deals, played as one plan."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palace_sim.arguments import whole
from palace_sim.conducting import Running
from palace_sim.kernels.play import BATCHES
from palace_sim.kernels.rows import Rows
from palace_sim.plans import Plan
from palace_sim.policies import Family, Policy
from palace_sim.policies.entry import Entry
from palace_sim.rules import Rules
from palace_sim.run import Block, execute, gaps
from palace_sim.search.fields import Field, Table
from palace_sim.statistics import interval


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean with its error and 95 % interval, in chips a hand and in small bets per 100 hands.

    Attributes
    ----------
    mean, se, ci_low, ci_high : float
        Chips a hand.
    sb100, sb100_se, sb100_low, sb100_high : float
        Small bets per 100 hands.
    deals : int
        Deals that it comes from.
    """

    mean: float
    se: float
    ci_low: float
    ci_high: float
    sb100: float
    sb100_se: float
    sb100_low: float
    sb100_high: float
    deals: int

    @classmethod
    def of(cls, mean: float, se: float, units: int, small_bet: int, deals: int) -> Estimate:
        """Return the estimate of a mean whose error rests on `units` independent figures."""
        low, high = (float(end) for end in interval(mean, se, units))
        unit = 100 / small_bet
        mean, se = float(mean), float(se)
        return cls(mean, se, low, high, unit * mean, unit * se, unit * low, unit * high, deals)

    def __str__(self) -> str:
        return f"{self.sb100:.2f} ({self.sb100_low:.2f} to {self.sb100_high:.2f}) small bets per 100 hands"


class NetKeeper:
    """Keeps the nets of the first member of each line-up, by batches of deals."""

    rows_shared: Rows | None = None

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        units = min(plan.deals, BATCHES)
        self.net = np.zeros((units, len(plan.lineups)), np.int64)
        self.deals = np.zeros(units, np.int64)
        self.blocks: list[tuple[int, int]] = []

    def add(self, block: Block) -> None:
        units = len(self.net)
        rows = min(block.count, len(block.sums.batches))
        self.net[(block.first + np.arange(rows)) % units] += block.sums.batches[:rows, :, 0]
        self.deals += block.count // units
        self.deals[(block.first + np.arange(block.count % units)) % units] += 1
        self.blocks.append((block.first, block.count))

    def flush(self) -> None:
        pass

    @property
    def totals(self) -> Any:
        raise NotImplementedError

    def missing(self, first: int, end: int) -> list[tuple[int, int]]:
        return gaps(self.blocks, first, end)

    def frame(self, kind: str) -> Any:
        raise NotImplementedError


@dataclasses.dataclass(frozen=True, eq=False)
class Measured:
    """What some candidates were worth over the same deals.

    Attributes
    ----------
    mean : (C,) float64
        Mean net, chips a hand.
    contributions : (B, C) float64
        What each batch of deals added to it, less its part of the mean.
    tables : tuple of Table
        The tables.
    table_mean, table_se : (C, T) float64
        Mean net at each table, and its standard error.
    deals : int
        Deals.
    """

    mean: NDArray[np.float64]
    contributions: NDArray[np.float64]
    tables: tuple[Table, ...]
    table_mean: NDArray[np.float64]
    table_se: NDArray[np.float64]
    deals: int

    @cached_property
    def se(self) -> NDArray[np.float64]:
        """Standard errors of the means; NaN for one deal."""
        return _error(self.contributions)

    def worth(self, cap: float | None) -> NDArray[np.float64]:
        """Means, where a table of one opponent counts for at most `cap` chips a hand: (C,)."""
        if cap is None:
            return self.mean
        caps = [cap if table.single else np.inf for table in self.tables]
        weights = [table.weight for table in self.tables]
        worth: NDArray[np.float64] = (np.minimum(self.table_mean, caps) * weights).sum(axis=1)
        return worth

    def estimate(self, candidate: int, small_bet: int) -> Estimate:
        """Return a candidate's mean with its interval."""
        units = len(self.contributions)
        return Estimate.of(self.mean[candidate], self.se[candidate], units, small_bet, self.deals)


def _error(contributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard error of sums of contributions of independent deals, or batches of them, along the first axis."""
    units = len(contributions)
    if units < 2:
        return np.full(contributions.shape[1:], np.nan)
    error: NDArray[np.float64] = np.sqrt(units / (units - 1) * (contributions**2).sum(axis=0))
    return error


class Arena:
    """Where candidates are measured: a field, and how to play.

    Parameters
    ----------
    field : Field
        Whom they meet.
    rules : Rules
        The rules.
    seed : int
        Of the deals.
    running : Running
        Workers and executor.
    """

    def __init__(self, field: Field, rules: Rules, seed: int, running: Running) -> None:
        self.field, self.rules, self.seed, self.running = field, rules, seed, running
        self._held: dict[Family, Family] = {}

    def _hold(self, policy: Policy) -> Policy:
        """Let a policy's code be looked through once, not in every generation; elsewhere it is anyway."""
        if self.running.executor is not None:
            return policy
        family = policy.family
        if family not in self._held:
            self._held[family] = _HeldFamily(**{f.name: getattr(family, f.name) for f in dataclasses.fields(family)})
        return dataclasses.replace(policy, family=self._held[family])

    def measure(self, candidates: Sequence[Policy], first: int, deals: int) -> Measured:
        """Let every candidate meet the field at the same deals, from `first` on, in all rotations of the seats."""
        many, tables = len(candidates), self.field.tables
        policies = tuple(self._hold(policy) for policy in (*candidates, *self.field.policies))
        mean = np.zeros((many, len(tables)))
        contributions = np.zeros((min(deals, BATCHES), many, len(tables)))
        for seats in sorted({table.seats for table in tables}):
            at = [t for t, table in enumerate(tables) if table.seats == seats]
            lineups = [[c, *(many + k for k in tables[t].others)] for c in range(many) for t in at]
            plan = Plan(policies, np.array(lineups, np.int64), self.rules, self.seed, deals, seats, first)
            keeper = NetKeeper(plan)
            execute(plan, keeper, workers=self.running.workers, executor=self.running.executor, progress=False)
            net = keeper.net.reshape(len(keeper.net), many, len(at))
            total = net.sum(axis=0)
            # whole numbers below 2^53, so that what is the same in every deal has no error at all
            excess = net * float(deals) - keeper.deals[:, None, None] * total.astype(float)
            contributions[:, :, at] = excess / (float(deals) ** 2 * seats)
            mean[:, at] = total / (deals * seats)
        weights = np.array([table.weight for table in tables])
        worth = (mean * weights).sum(axis=1)
        return Measured(worth, (contributions * weights).sum(axis=2), tables, mean, _error(contributions), deals)


class _HeldFamily(Family):
    """A family whose code is looked through when it is first asked for, and never again."""

    @cached_property
    def _entry(self) -> Entry:
        return super().entry()

    def entry(self) -> Entry:
        return self._entry


def check_count(name: str, value: Any, low: int = 1) -> int:
    """Return a number of hands, deals or the like."""
    return whole(name, value, low, 1 << 40, "a whole number")
