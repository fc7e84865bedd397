"""The command `palace-sim`: tournaments, line-ups, single hands and ranks from a terminal.

Options and help are read from the functions below; those of the rules from `palace_sim.Rules`. Whatever is wrong with
an argument is one line on standard error and exit code 2.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter

import palace_sim as ps
from palace_sim.arguments import whole
from palace_sim.printing import columns, crosstable_text, leaderboard_text, wrap
from palace_sim.rules import Rules

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.simulate import Result

CROSSTABLE = 10  # policies up to which the crosstable is shown
TELLING = ("buyer", "maniac", "pot_odds", "random")  # who plays a hand that is told, if nothing is said

app = App(
    name="palace-sim",
    version=f"palace-sim {ps.__version__}",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # main answers it
)


def _whole(kind: Any, tokens: Sequence[Any]) -> int:
    """Read a whole number; cyclopts alone would round 1.5."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"takes a whole number, got {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=_whole)]
PerhapsWhole = Annotated[int | None, Parameter(converter=_whole)]
Words = Annotated[list[str], Parameter(consume_multiple=True, negative=())]
Target = Annotated[str | None, Parameter(allow_leading_hyphen=True)]  # a file, or -
MoreWords = Annotated[list[str] | None, Parameter(negative=())]

_READ_AS = {
    "int": Whole,
    "int | None": PerhapsWhole,
    "str": str,
}
_BETS = "Stakes in chips (R3)."


def _rule_options() -> Any:
    """Make a class with the options of `Rules`, in types that a command line can give."""
    fields = []
    for field in dataclasses.fields(Rules):
        kind = _READ_AS.get(str(field.type), str | None)
        if field.name.endswith("_bet"):  # the two share one entry in the docstring, which cyclopts cannot read
            kind = Annotated[kind, Parameter(help=_BETS)]
        fields.append((field.name, kind, dataclasses.field(default=field.default)))
    made = dataclasses.make_dataclass("RuleOptions", fields, kw_only=True)
    made.__doc__, made.__module__ = Rules.__doc__, __name__
    return made


if TYPE_CHECKING:
    RuleOptions = Rules
else:
    RuleOptions = _rule_options()

GameRules = Annotated[RuleOptions | None, Parameter(name="*", group=Group("Rules", sort_key=1))]


def _rules(options: Any) -> Rules:
    return Rules() if options is None else Rules(**dataclasses.asdict(options))


def _line_up(words: Sequence[str] | None, more: Sequence[str] | None, default: Sequence[str] = ()) -> list[ps.Policy]:
    from palace_sim.policies.words import policy_from_text  # here, so that --help does not wait for numba

    return [policy_from_text(word) for word in [*(words or default), *(more or [])]]


# --- output -----------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Make a value fit for JSON: no numpy scalars, no NaN."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{key: _plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def _square(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {str(a): {str(b): _plain(x) for b, x in row.items()} for a, row in table.iterrows()}


def _as_json(result: Result, seconds: float) -> str:
    said: dict[str, Any] = {"manifest": result.manifest, "seconds": round(seconds, 3)}
    said["leaderboard"] = _records(result.summary)
    if isinstance(result, ps.Tournament):
        said["crosstable"], said["crosstable_se"] = _square(result.crosstable), _square(result.crosstable_se)
    return json.dumps(said, indent=1, allow_nan=False) + "\n"


def _check_target(option: str, target: str | None) -> None:
    """Refuse, before anything is played, a file that cannot be written."""
    path = Path(target or "-")
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{option} takes a file in a folder that exists, or -, got {target}")


def _write(target: str | None, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
    elif target is not None:
        Path(target).write_text(text, encoding="utf-8")


def _say_if_cold() -> None:
    """Say why the first run starts slowly."""
    from palace_sim.kernels import jit

    if jit.JIT and (jit.ROOT is None or not any((jit.ROOT / f"kernels-{jit.SOURCES}").rglob("*.nbi"))):
        later = "" if jit.ROOT is None else "; later runs start at once"
        print(f"palace-sim: compiling, about a minute{later}", file=sys.stderr)


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
        _check_target("--json", self.json)
        _check_target("--csv", self.csv)
        _say_if_cold()
        how |= {"seed": self.seed, "workers": self.workers}
        began = time.perf_counter()
        play(policies, deals=1, progress=False, **how)  # loads or compiles, so that playing is timed alone
        ready = time.perf_counter()
        result = play(policies, deals=deals, progress=self.progress, **how)
        played = time.perf_counter() - ready
        _write(self.json, _as_json(result, played))
        _write(self.csv, result.summary.to_csv(index=False))
        return result, f"ready in {ready - began:.1f} s, played in {played:.1f} s"

    @property
    def quiet(self) -> bool:
        """Whether standard output is taken by a table."""
        return "-" in (self.json, self.csv)


RunOptions = Annotated[Running | None, Parameter(name="*")]


def _stakes(result: Result) -> str:
    changed = result.plan.rules.changed()
    rules = ", ".join(f"{key}={value}" for key, value in changed.items()) or "default"
    return f"rules: {rules}; seed {result.plan.seed}\n"


def _what(result: Result, before: str) -> str:
    """Say what was played."""
    plan = result.plan
    hands = plan.deals * plan.hands_per_deal
    return f"{before}{plan.deals:,} deals x {plan.rotations} rotations: {hands:,} hands\n{_stakes(result)}"


# --- commands ---------------------------------------------------------------------------------------------------------


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
    entrants, running = _line_up(policies, policy, ps.policies.NAMES), running or Running()
    result, clock = running.run(ps.round_robin, entrants, deals, rules=_rules(rules), seats=seats)
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
    seated, running = _line_up(policies, policy), running or Running()
    result, clock = running.run(ps.play, seated, deals, rules=_rules(rules), rotate=rotate, rows=False)
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


@app.command
def hand(
    policies: Words | None = None,
    *,
    policy: MoreWords = None,
    seats: PerhapsWhole = None,
    seed: Whole = 1,
    deal: Whole = 0,
    rules: GameRules = None,
) -> None:
    """Tell one hand, move by move.

    Parameters
    ----------
    policies : list
        Who plays, seat by seat, named as for tournament; built-in ones if left out.
    policy : list
        One more policy besides those; may be given again.
    seats : int
        Players at the table where no policies are given; 4 if left out.
    seed : int
        Seed of the deals.
    deal : int
        Number of the deal.
    """
    seated, made_rules = _line_up(policies, policy), _rules(rules)
    if seated and seats not in (None, len(seated)):
        raise ValueError(f"--seats {seats} with {len(seated)} policies: leave one of them out")
    if not seated:
        names = itertools.cycle(TELLING)
        seated = [ps.policies.get(next(names)) for _ in range(made_rules.check_seats(4 if seats is None else seats))]
    whole("deal", deal, 0, 1_000_000_000)
    _say_if_cold()
    result = ps.play(seated, made_rules, deals=deal + 1, seed=seed, rotate=False, rows=False)
    told = ps.replay(result, deal=deal)
    print(f"deal {deal}, {_stakes(result)}")
    print("\n".join(f"seat {seat} is {made.name}" for seat, made in enumerate(seated)) + "\n")
    for event in told.history:
        print(wrap(str(event)))
    nets = zip(seated, told.nets, strict=True)
    print(wrap("net: " + ", ".join(f"{made.name} {net:+d}" for made, net in nets)))


@app.command
def rank(*hands: str) -> None:
    """Rank hands of 0 to 10 cards, best first; higher is better.

    Parameters
    ----------
    hands : list
        Each hand in quotes, like "As Kd 9c".
    """
    if not hands:
        raise ValueError('rank takes hands, each in quotes, like "As Kd 9c"')
    ranked = sorted(((ps.hand_rank(cards), cards) for cards in hands), reverse=True)
    print(columns([[str(r), ps.hand_category(r), cards] for r, cards in ranked], left=(1, 2)))


def _where(cause: BaseException | None) -> str:
    """Say where a plain-Python policy raised."""
    frames = traceback.extract_tb(cause.__traceback__) if cause is not None else []
    return f" at {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0, 2 for wrong arguments and failing policies, 130 for Ctrl-C.

    Examples
    --------
    >>> main(["rank", "As Ks Qs Js Ts", "2c 2d"])
    9841  straight flush  As Ks Qs Js Ts
    2370  one pair        2c 2d
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"palace-sim: {message}", file=sys.stderr)
        try:
            app(words, exit_on_error=False, print_error=False, result_action="return_value")
            sys.stdout.flush()
        except (CycloptsError, ValueError, OSError, ps.PolicyError) as error:
            if isinstance(error, BrokenPipeError):  # the reader of the output has gone: head, say
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 0
            print(f"palace-sim: {' '.join(str(error).split())}{_where(error.__cause__)}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("palace-sim: stopped", file=sys.stderr)
            return 130
    return 0
