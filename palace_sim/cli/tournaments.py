"""The commands that play many hands: `tournament`, `gauntlet`, `resume`, `show`, `play`, and `policies`."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import palace_sim as ps
from palace_sim.arguments import whole
from palace_sim.cli.app import (
    GameRules,
    MoreWords,
    PerhapsWhole,
    Target,
    Whole,
    Words,
    app,
    as_json,
    check_target,
    line_up,
    plain,
    records,
    rules_of,
    say_if_cold,
    stakes,
    write,
)
from palace_sim.printing import crosstable_text, leaderboard_text, luck_text, wrap

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.plans import Plan
    from palace_sim.simulate import Result

FEW, LONG = 20, 0.2  # deals and seconds that are played before a run, to say how long it will take
CROSSTABLE = 10  # policies up to which the crosstable is shown


def _square(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {str(a): {str(b): plain(x) for b, x in row.items()} for a, row in table.iterrows()}


def _as_json(result: Result, seconds: float) -> str:
    said: dict[str, Any] = {"manifest": result.manifest, "seconds": round(seconds, 3)}
    said["leaderboard"] = records(result.summary)
    if isinstance(result, ps.Tournament):
        said["crosstable"], said["crosstable_se"] = _square(result.crosstable), _square(result.crosstable_se)
    return as_json(said)


@dataclasses.dataclass(kw_only=True)
class Running:
    """How a run is done and where its tables go.

    Parameters
    ----------
    seed : int
        The same seed gives the same tables.
    workers : int
        Threads; all cores if left out.
    progress : bool
        Show a progress bar; if left out, on a terminal in long runs.
    json : str
        Write all tables, and what it takes to reproduce them, to this file; - for standard output.
    csv : str
        Write the leaderboard to this file; - for standard output.
    report : str
        Write tables, pictures and what it takes to reproduce them to this HTML file, which needs nothing else.
    folder : str
        Keep the run in this folder: after whatever stops it, the same command or palace-sim resume goes on.
    """

    seed: Whole = 1
    workers: PerhapsWhole = None
    progress: bool | None = None
    json: Target = None
    csv: Target = None
    report: Target = None
    folder: str | None = None

    def run(
        self, play: Callable[..., Any], policies: list[ps.Policy], deals: int, after: dict[str, Any], **how: Any
    ) -> tuple[Any, str]:
        """Play and write the files; return the result and what the clock said.

        `after` is how the run itself is done, beyond what the few deals before it are.
        """
        self.check()
        say_if_cold()
        how |= {"seed": self.seed, "workers": self.workers}
        began = time.perf_counter()
        play(policies, deals=1, progress=False, **how)  # loads or compiles, so that playing is timed alone
        ready = time.perf_counter()
        some, a_deal = min(FEW, deals), 0.0
        while True:  # what starting takes must not count
            started = time.perf_counter()
            few = play(policies, deals=some, progress=False, **how)
            took = time.perf_counter() - started
            a_deal = took / some
            if took > LONG or some >= deals // 10:
                break
            some = min(4 * some, deals)
        _say_plan(few.plan, deals, a_deal, bool(after.get("until")) or after.get("spend") == "adaptive")
        started = time.perf_counter()
        result = play(policies, deals=deals, progress=self.progress, folder=self.folder, **how, **after)
        return result, self.done(result, ready - began, time.perf_counter() - started)

    def check(self) -> None:
        """Refuse, before anything is played, files that cannot be written."""
        check_target("--json", self.json)
        check_target("--csv", self.csv)
        if self.report == "-":
            raise ValueError("--report takes a file like out.html, got -")
        check_target("--report", self.report)

    def done(self, result: Result, ready: float, played: float) -> str:
        """Write the files; return what the clock said."""
        write(self.json, _as_json(result, played))
        write(self.csv, result.summary.to_csv(index=False))
        if self.report is not None:
            result.report(self.report, workers=self.workers)
        return f"ready in {ready:.1f} s, played in {played:.1f} s"

    @property
    def quiet(self) -> bool:
        """Whether standard output is taken by a table."""
        return "-" in (self.json, self.csv)


RunOptions = Annotated[Running | None, Parameter(name="*")]


@dataclasses.dataclass(kw_only=True)
class Contesting:
    """How deals are spent on the line-ups.

    Parameters
    ----------
    tables : int
        Play so many line-ups, chosen at random so that all policies sit equally often; every one if left out.
    seatings : str
        rotations, or all: every seating of a line-up plays a deal, up to five players.
    until : str
        Stop when the results say so: leader, leader=0.99, apart, width=0.1 (chips a hand), or sprt=a,b,h0,h1 (policies,
        small bets per 100 hands). Deals are then the most that are played.
    look : int
        Deals between looks.
    spend : str
        uniform, or adaptive: on the pairs of policies that are not yet told apart.
    confirm : int
        Fresh deals after a stop that the results decided, for an unbiased figure.
    luck : bool
        Also show means without the luck at the draws.
    """

    tables: PerhapsWhole = None
    seatings: str = "rotations"
    until: str | None = None
    look: Whole = 1000
    spend: str = "uniform"
    confirm: Whole = 0
    luck: bool = False

    def __post_init__(self) -> None:
        self.rule = None if self.until is None else until_of(self.until)
        if self.spend not in ("uniform", "adaptive"):
            raise ValueError(f"--spend takes uniform or adaptive, got {self.spend}")
        whole("--look", self.look, 10, 1 << 39, "a number of deals")
        whole("--confirm", self.confirm, 0, 1 << 39, "a number of deals")
        if self.confirm and self.until is None and self.spend == "uniform":
            raise ValueError("--confirm goes with --until or --spend adaptive: else all deals count as they are")


ContestOptions = Annotated[Contesting | None, Parameter(name="*")]


def until_of(text: str) -> ps.until.Rule:
    """Read a rule to stop by.

    Examples
    --------
    >>> until_of("leader=0.99")
    Leader(level=0.99)
    """
    name, _, said = text.partition("=")
    words = [word.strip() for word in said.split(",")] if said else []
    try:
        if name in ("leader", "width") and len(words) <= 1:
            return getattr(ps.until, name)(*map(float, words))
        if name == "apart" and not words:
            return ps.until.apart()
        if name == "sprt" and 2 <= len(words) <= 6:
            return ps.until.sprt(words[0], words[1], *map(float, words[2:]))
    except TypeError:
        pass
    except ValueError as error:
        raise ValueError(f"--until {text}: {error}") from None
    raise ValueError(f"--until takes leader, leader=0.99, apart, width=0.1 or sprt=a,b,h0,h1, got {text}")


def _say_plan(plan: Plan, deals: int, seconds: float, most: bool) -> None:
    """Say on standard error what is going to be played, and for about how long."""
    hands, took = deals * plan.hands_per_deal, deals * seconds
    tables = f"{len(plan.lineups):,} line-up{'s' if len(plan.lineups) > 1 else ''}"
    time_ = f"{took:.0f} s" if took < 120 else f"{took / 60:.0f} min" if took < 7200 else f"{took / 3600:.0f} h"
    upto = "at most " if most else ""
    what = f"{tables} x {deals:,} deals x {plan.rotations} seatings = {hands:,} hands"
    print(f"palace-sim: {upto}{what}, {upto}about {time_}", file=sys.stderr)


def _what(result: Result, before: str) -> str:
    """Say what was played."""
    plan, least, most = result.plan, int(result.standing.lineup_deals.min()), int(result.standing.lineup_deals.max())
    deals = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    what = "seatings" if plan.all_seatings else "rotations" if plan.rotations > 1 else "rotation"
    return f"{before}{deals} deals x {plan.rotations} {what}: {result.hands:,} hands\n{stakes(plan.rules, plan.seed)}\n"


def show_tournament(result: ps.Tournament) -> str:
    """Write the tables of a tournament as text."""
    many, players, seats = len(result.plan.lineups), len(result.policies), result.plan.seats
    before = f"{players} policies, tables of {seats}: {many:,} line-up{'s' if many > 1 else ''} x "
    parts = [_what(result, before), leaderboard_text(result.leaderboard), ""]
    if result.sequential or "not finished" in result.stopped:  # else it is the number of deals that was asked for
        parts += [wrap(f"Stopped: {result.stopped}."), ""]
    if result.confirmation is not None:
        fresh = int(result.confirmation.standing.deals.max())
        parts += [f"On {fresh:,} fresh deals:", leaderboard_text(result.confirmation.leaderboard), ""]
    if players <= CROSSTABLE:
        order = list(result.leaderboard.policy)
        parts += [crosstable_text(result.crosstable, result.crosstable_se, order, seats), ""]
    factors = result.variance_reduction.dropna()
    if len(factors) and result.plan.rotations > 1:
        what = "seatings" if result.plan.all_seatings else "rotations"
        low, high = factors.min(), factors.max()
        said = f"Playing all {what} divided the variance of a line-up's means by {low:.2f} to {high:.2f}"
        parts += [wrap(f"{said} (against as many hands that are independent of each other)."), ""]
    return "\n".join(parts)


@app.command
def tournament(
    policies: Words | None = None,
    *,
    policy: MoreWords = None,
    seats: Whole = 4,
    deals: Whole = 5000,
    running: RunOptions = None,
    contest: ContestOptions = None,
    rules: GameRules = None,
) -> None:
    """Play every line-up of some policies over the same deals and show who is best.

    Parameters
    ----------
    policies : list
        Built-in policies, like tight or "tight(aggression=0.3)", and those of Python files, like path/file.py:name; all
        built-in ones if left out.
    policy : list
        One more policy besides those; may be given again.
    seats : int
        Players at a table, 2 to 10.
    deals : int
        Deals that each line-up plays, in all rotations.
    """
    entrants = line_up(policies, policy, ps.policies.NAMES)
    running, contest = running or Running(), contest or Contesting()
    how = {"rules": rules_of(rules), "seats": seats, "tables": contest.tables, "seatings": contest.seatings}
    after = {"until": contest.rule, "look": contest.look, "spend": contest.spend, "confirm": contest.confirm}
    result, clock = running.run(ps.round_robin, entrants, deals, after, **how, luck=contest.luck)
    if running.quiet:
        return
    print(show_tournament(result))
    if contest.luck:
        print(luck_text(result.without_luck(workers=running.workers, progress=running.progress)) + "\n")
    print(clock)


@app.command
def gauntlet(
    challenger: str,
    field: Words | None = None,
    *,
    seats: Whole = 2,
    deals: Whole = 5000,
    copies: bool = False,
    running: RunOptions = None,
    rules: GameRules = None,
) -> None:
    """Play one policy against a field.

    Parameters
    ----------
    challenger : str
        The one, named as for tournament.
    field : list
        The others; all built-in ones if left out.
    seats : int
        Players at a table, 2 to 10.
    deals : int
        Deals that each line-up plays, in all rotations.
    copies : bool
        Seat the challenger with copies of one policy at a time.
    """
    (first,) = line_up([challenger], None)
    others = line_up(field, None, [name for name in ps.policies.NAMES if name != first.name])
    running = running or Running()

    def play(policies: list[ps.Policy], **how: Any) -> ps.Tournament:
        return ps.gauntlet(policies[0], policies[1:], **how)

    how = {"rules": rules_of(rules), "seats": seats, "copies": copies}
    result, clock = running.run(play, [first, *others], deals, {}, **how)
    if not running.quiet:
        print(f"{show_tournament(result)}\n{clock}")


@app.command
def resume(
    folder: str,
    *,
    workers: PerhapsWhole = None,
    progress: bool | None = None,
    json: Target = None,
    csv: Target = None,
    report: Target = None,
) -> None:
    """Go on with a run that was kept in a folder, and show its tables.

    Parameters
    ----------
    folder : str
        The folder.
    workers, progress, json, csv, report
        As for tournament.
    """
    running = Running(workers=workers, progress=progress, json=json, csv=csv, report=report)
    running.check()
    say_if_cold()
    began = time.perf_counter()
    result = ps.resume(folder, workers=workers, progress=progress)
    clock = running.done(result, 0.0, time.perf_counter() - began)
    if not running.quiet:
        print(_show(result))
        print(clock.partition(", ")[2])


@app.command
def show(folder: str, *, json: Target = None, csv: Target = None, report: Target = None) -> None:
    """Show the tables of a run that is kept in a folder, finished or not; nothing is played but for a report.

    Parameters
    ----------
    folder : str
        The folder.
    json, csv
        As for tournament.
    report : str
        As for tournament; to say why the first policy is ahead, some deals are played again.
    """
    running = Running(json=json, csv=csv, report=report)
    running.check()
    result = ps.load(folder)
    running.done(result, 0.0, 0.0)
    if not running.quiet:
        print(_show(result))


def _show(result: Result) -> str:
    if isinstance(result, ps.Tournament):
        return show_tournament(result)
    return f"{_what(result, f'{result.plan.seats} seats: ')}\n{leaderboard_text(result.summary)}\n"


@app.command
def play(
    policies: Words,
    *,
    policy: MoreWords = None,
    deals: Whole = 10_000,
    rotate: bool = True,
    running: RunOptions = None,
    rules: GameRules = None,
) -> None:
    """Play one line-up of policies over many deals; the same policy may sit twice.

    Parameters
    ----------
    policies : list
        2 to 10 policies, named as for tournament.
    policy : list
        One more policy besides those; may be given again.
    deals : int
        Number of deals.
    rotate : bool
        Play each deal in all rotations; otherwise once, with the policies at seats as listed.
    """
    seated, running = line_up(policies, policy), running or Running()
    result, clock = running.run(ps.play, seated, deals, {}, rules=rules_of(rules), rotate=rotate, rows=False)
    if not running.quiet:
        print(f"{_show(result)}\n{clock}")


@app.command
def policies() -> None:
    """List the built-in policies, what they do and their parameters; the slow and the searched ones last."""
    for name in (*ps.policies.NAMES, *ps.policies.SLOW, *ps.policies.SEARCHED):
        made = ps.policies.get(name)
        first = (made.__doc__ or "").strip().splitlines()[0]
        print(wrap(f"{name}: {first}"))
        for key, parameter in made.family.parameters.items():
            print(f"    {key} = {parameter.default:g} ({parameter.low:g} to {parameter.high:g})")
