"""How deals are spent on the line-ups of a tournament: a fixed number, until a rule says stop, or where they tell most.

Looks are counted in deals, and what is decided at one depends on the deals before it only: so a run that was stopped
goes on as if it had not been.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from palace_sim.arguments import whole
from palace_sim.conducting import Conductor, Running
from palace_sim.plans import Plan
from palace_sim.standing import Standing
from palace_sim.until import Apart, Ratio, Rule, from_dict

if TYPE_CHECKING:
    from palace_sim.standings import Tournament

T = TypeVar("T", bound="Tournament")
FRESH = 1 << 40  # number of the first deal that confirms
MAX_DEALS = 1 << 39  # in a contest, so that deals that confirm are fresh ones


@dataclasses.dataclass(frozen=True)
class Contest:
    """How many deals are played.

    Attributes
    ----------
    until : Rule or None
        When to stop; None to play all deals.
    look : int
        Deals between looks.
    adaptive : bool
        Spend deals on the line-ups that tell most about what is not yet known.
    confirm : int
        Fresh deals afterwards.
    """

    until: Rule | None
    look: int
    adaptive: bool
    confirm: int

    @classmethod
    def checked(cls, how: dict[str, Any], names: list[str]) -> Contest:
        """Return the contest that arguments ask for, or raise a ValueError that names the wrong one."""
        until, spend = how["until"], how["spend"]
        if until is not None and not isinstance(until, Rule):
            raise ValueError(f"until takes None or a rule like palace_sim.until.width(0.1), got {until!r}")
        if spend not in ("uniform", "adaptive"):
            raise ValueError(f"spend takes 'uniform' or 'adaptive', got {spend!r}")
        if until is not None:
            until.check(names)
        if isinstance(until, Ratio) and spend == "adaptive":
            raise ValueError("spend='adaptive' does not go with until.sprt, which tests deals that all have played")
        if not isinstance(how["luck"], bool):
            raise ValueError(f"luck takes True or False, got {how['luck']!r}")
        look = whole("look", how["look"], 10, MAX_DEALS, "a number of deals")
        confirm = whole("confirm", how["confirm"], 0, MAX_DEALS, "a number of deals")
        if confirm and until is None and spend == "uniform":
            raise ValueError("confirm goes with until= or spend='adaptive': else the figures are unbiased as they are")
        whole("deals", how["deals"], 1, MAX_DEALS, "a number of deals")
        return cls(until, look, spend == "adaptive", confirm)

    @property
    def sequential(self) -> bool:
        """Whether the results decide when to stop."""
        return self.until is not None or self.adaptive

    def planned(self, deals: int) -> int:
        """Deals at which confidence sequences are tightest: a quarter of the most that may be played."""
        return max(deals // 4, min(deals, 1000)) if self.sequential else 0

    def as_dict(self) -> dict[str, Any]:
        """Return the contest as JSON can hold it."""
        until = None if self.until is None else self.until.as_dict()
        return {"until": until, "look": self.look, "adaptive": self.adaptive, "confirm": self.confirm}

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> Contest:
        until = None if said["until"] is None else from_dict(said["until"])
        return cls(until, said["look"], said["adaptive"], said["confirm"])


def play_contest(
    plan: Plan,
    contest: Contest,
    running: Running,
    kind: type[T],
    name: str,
    rows: bool | int | str,
    asked: dict[str, Any],
) -> T:
    """Play the line-ups of a plan as a contest asks for; return the tournament.

    `asked` holds the arguments by which the line-ups were chosen, for whoever wants to write the call down again.
    """
    names = [policy.name for policy in plan.policies]
    request = {
        "kind": name,
        "policies": names,
        "lineups": [[names[k] for k in lineup] for lineup in plan.lineups.tolist()],
        "times": plan.times,
        "deals": plan.deals,
        "rows": rows,
        "contest": contest.as_dict(),
        "asked": asked,
    }
    conductor = Conductor(plan, running, request)
    try:
        made, confirming = _play(conductor, contest, kind)
        if confirming is not None:
            made.confirmation = confirming
        conductor.finish(made.stopped)
    finally:
        conductor.close()
    return made


def _play(conductor: Conductor, contest: Contest, kind: type[T]) -> tuple[T, T | None]:
    plan = conductor.plan
    everyone = np.arange(len(plan.lineups))
    if not contest.sequential:
        conductor.play(everyone, 0, plan.deals)
        reason = f"all {plan.deals:,} deals are played"
    else:
        reason = _until(conductor, contest)
    made = kind(plan, list(conductor.groups.values()), conductor.request, contest.planned(plan.deals))
    made.stopped = reason
    if not contest.confirm:
        return made, None
    fresh = dataclasses.replace(plan, first=FRESH, deals=contest.confirm, rows=0, deal_rows=0)
    before = set(conductor.groups)
    conductor.play(everyone, FRESH, FRESH + contest.confirm, label="confirm")
    groups = [group for key, group in conductor.groups.items() if key not in before]
    return made, kind(fresh, groups, conductor.request)


def _until(conductor: Conductor, contest: Contest) -> str:
    """Play, look, and go on until there is a reason to stop; return it."""
    plan = conductor.plan
    planned, small_bet = contest.planned(plan.deals), plan.rules.small_bet
    played = np.zeros(len(plan.lineups), np.int64)
    chosen = np.arange(len(plan.lineups))
    while True:
        for before in np.unique(played[chosen]).tolist():
            some = chosen[played[chosen] == before]
            end = min(before + contest.look, plan.deals)
            conductor.play(some, before, end, label=f"{before}-{end}")
            played[some] = end
        standing = conductor.standing()
        reason = None if contest.until is None else contest.until.reached(standing, planned, small_bet)
        if reason is not None:
            return reason
        if contest.adaptive:
            rule = contest.until or Apart()
            chosen = most_telling(standing, plan.lineups, played < plan.deals, rule.targets(standing, planned))
            if not len(chosen):
                return "every pair is told apart, or has played all its deals"
        elif played.min() >= plan.deals:
            return f"all {plan.deals:,} deals are played"


def most_telling(
    standing: Standing, lineups: np.ndarray, open_: np.ndarray, targets: list[tuple[int, ...]]
) -> np.ndarray:
    """Return the line-ups that tell most about the first target that may be played on.

    A target is a pair of policies that are to be told apart, or a single policy. What one more deal of a line-up takes
    off the variance of the difference (or mean) is the line-up's share of that variance over the deals that it has
    played: Neyman's allocation (Journal of the Royal Statistical Society 97, 1934), made step by step. Those are
    chosen that take off three quarters of what the best one does, or more.

    Parameters
    ----------
    standing : Standing
        The state of the run.
    lineups : (L, seats) int64 array
        The line-ups of the plan.
    open_ : (L,) bool
        Those that may play on.
    targets : list of (int, int) or (int,)
        Indices of policies, the most wanted first.
    """
    place = {tuple(lineup): k for k, lineup in enumerate(standing.members.tolist())}
    at = np.array([place[tuple(lineup)] for lineup in lineups.tolist()], np.int64)
    seated = [(standing.members == policy).sum(axis=1).sum() for policy in range(len(standing.names))]
    for target in targets:
        own = np.zeros(standing.contributions.shape[:2])
        for sign, policy in zip((1, -1), target, strict=False):
            own += sign * (standing.contributions * (standing.members == policy)).sum(axis=2) / seated[policy]
        worth = own.T @ own.sum(axis=1) / np.maximum(standing.lineup_deals, 1)
        holds = np.isin(lineups, target).any(axis=1) & open_
        if holds.any():
            least = 0.75 * worth[at][holds].max()
            chosen: np.ndarray = np.flatnonzero(holds & (worth[at] >= least)) if least > 0 else np.flatnonzero(holds)
            return chosen
    return np.array([], np.int64)
