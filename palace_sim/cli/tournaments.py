"""The commands `tournament`, `play` and `policies`."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import palace_sim as ps
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
from palace_sim.printing import crosstable_text, leaderboard_text, wrap

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.simulate import Result

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
    """

    seed: Whole = 1
    workers: PerhapsWhole = None
    progress: bool | None = None
    json: Target = None
    csv: Target = None

    def run(self, play: Any, policies: list[ps.Policy], deals: int, **how: Any) -> tuple[Any, str]:
        """Play and write the files; return the result and what the clock said."""
        check_target("--json", self.json)
        check_target("--csv", self.csv)
        say_if_cold()
        how |= {"seed": self.seed, "workers": self.workers}
        began = time.perf_counter()
        play(policies, deals=1, progress=False, **how)  # loads or compiles, so that playing is timed alone
        ready = time.perf_counter()
        result = play(policies, deals=deals, progress=self.progress, **how)
        played = time.perf_counter() - ready
        write(self.json, _as_json(result, played))
        write(self.csv, result.summary.to_csv(index=False))
        return result, f"ready in {ready - began:.1f} s, played in {played:.1f} s"

    @property
    def quiet(self) -> bool:
        """Whether standard output is taken by a table."""
        return "-" in (self.json, self.csv)


RunOptions = Annotated[Running | None, Parameter(name="*")]


def _what(result: Result, before: str) -> str:
    """Say what was played."""
    plan = result.plan
    hands = plan.deals * plan.hands_per_deal
    played = f"{before}{plan.deals:,} deals x {plan.rotations} rotations: {hands:,} hands"
    return f"{played}\n{stakes(plan.rules, plan.seed)}\n"


@app.command
def tournament(
    policies: Words | None = None,
    *,
    policy: MoreWords = None,
    seats: Whole = 4,
    deals: Whole = 5000,
    running: RunOptions = None,
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
    entrants, running = line_up(policies, policy, ps.policies.NAMES), running or Running()
    result, clock = running.run(ps.round_robin, entrants, deals, rules=rules_of(rules), seats=seats)
    if running.quiet:
        return
    many = len(result.plan.lineups)
    before = f"{len(entrants)} policies, tables of {seats}: {many:,} line-up{'s' if many > 1 else ''} x "
    print(f"{_what(result, before)}\n{leaderboard_text(result.leaderboard)}\n")
    if len(entrants) <= CROSSTABLE:
        cross = crosstable_text(result.crosstable, result.crosstable_se, list(result.leaderboard.policy), seats)
        print(f"{cross}\n")
    print(clock)


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
    result, clock = running.run(ps.play, seated, deals, rules=rules_of(rules), rotate=rotate, rows=False)
    if not running.quiet:
        print(f"{_what(result, f'{len(seated)} seats: ')}\n{leaderboard_text(result.summary)}\n\n{clock}")


@app.command
def policies() -> None:
    """List the built-in policies, what they do and their parameters."""
    for name in ps.policies.NAMES:
        made = ps.policies.get(name)
        first = (made.__doc__ or "").strip().splitlines()[0]
        print(wrap(f"{name}: {first}"))
        for key, parameter in made.family.parameters.items():
            print(f"    {key} = {parameter.default:g} ({parameter.low:g} to {parameter.high:g})")
