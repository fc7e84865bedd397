"""The commands that look for strong play: `optimize`, `best-response` and `endgame`."""

from __future__ import annotations

import dataclasses
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import palace_sim as ps
from palace_sim.arguments import near
from palace_sim.cli.app import (
    GameRules,
    MoreWords,
    PerhapsWhole,
    Target,
    Whole,
    Words,
    app,
    as_json,
    check_png,
    check_target,
    line_up,
    plain,
    records,
    rules_of,
    say_if_cold,
    stakes,
    write,
)
from palace_sim.cli.battles import Ranges, Sides, read_ranges
from palace_sim.printing import choices_text, endgame_text, estimates_text, paste_text, tables_text, wrap

if TYPE_CHECKING:
    from palace_sim.rules import Rules
    from palace_sim.search import Optimum, Response

SAID = ("seats", "budget", "deals", "final_deals", "popsize", "vary", "bounds", "seed")
TABLES = 10  # tables up to which the score at each is shown
SCORES = (
    "score: on deals that the search never saw. search score: on those on which it was chosen. gap: the second less "
    "the first, the winner's curse."
)


@dataclasses.dataclass(kw_only=True)
class Searching:
    """How a search is done and where its tables go.

    Parameters
    ----------
    seats : int
        Players at a table, 2 to 10.
    weights : str
        How often each opponent is met, in their order, like 3,1; equally if left out.
    budget : int
        Hands that the search may play, the end not counted.
    deals : int
        Deals of a generation; each candidate plays them at every table, in all rotations.
    final_deals : int
        Deals for choosing at the end, and as many for the score; ten times --deals if left out.
    popsize : int
        Candidates of a generation; twice what CMA-ES takes by default if left out.
    vary : str
        Parameters to search, like bet,bluff_two; all if left out.
    bounds : list
        Narrower bounds for a parameter, like bet=0:0.5; may be given again.
    seed : int
        The same seed finds the same policy.
    workers : int
        Threads; all cores if left out.
    progress : bool
        Show a progress bar; if left out, on a terminal in long runs.
    json : str
        Write all that came out, and what it takes to reproduce it, to this file; - for standard output.
    csv : str
        Write the course of the search, a row a generation, to this file; - for standard output.
    folder : str
        Keep the search in this folder: after whatever stops it, the same command goes on, also with a greater budget.
    """

    seats: Whole = 2
    weights: str | None = None
    budget: Whole = 10_000_000
    deals: Whole = 200
    final_deals: PerhapsWhole = None
    popsize: PerhapsWhole = None
    vary: str | None = None
    bounds: MoreWords = None
    seed: Whole = 1
    workers: PerhapsWhole = None
    progress: bool | None = None
    json: Target = None
    csv: Target = None
    folder: str | None = None

    def options(self) -> dict[str, Any]:
        """Return what `optimize` and `best_response` take; refuse files that cannot be written."""
        check_target("--json", self.json)
        check_target("--csv", self.csv)
        names = ("seats", "budget", "deals", "final_deals", "popsize", "seed", "workers", "progress", "folder")
        vary = None if self.vary is None else [name.strip() for name in self.vary.split(",")]
        return {name: getattr(self, name) for name in names} | {"vary": vary, "bounds": bounds_of(self.bounds)}

    def weighted(self, opponents: list[ps.Policy]) -> dict[ps.Policy, float]:
        """Return the opponents with their weights."""
        if self.weights is None:
            return dict.fromkeys(opponents, 1.0)
        try:
            weights = [float(word) for word in self.weights.split(",")]
        except ValueError:
            raise ValueError(f"--weights takes numbers with commas between them, got {self.weights!r}") from None
        if len(weights) != len(opponents):
            raise ValueError(f"--weights takes a number for each of {len(opponents)} opponents, got {self.weights!r}")
        return dict(zip(opponents, weights, strict=True))

    def run(self, search: Callable[[], Any]) -> tuple[Any, float]:
        """Search; return what came out, and the seconds that it took."""
        say_if_cold()
        began = time.perf_counter()
        try:
            found = search()
        except KeyboardInterrupt:
            if self.folder is not None:
                kept = shlex.quote(str(Path(self.folder).absolute()))
                print(f"palace-sim: what was played is kept in {kept}; the same command goes on", file=sys.stderr)
            raise
        return found, time.perf_counter() - began

    @property
    def quiet(self) -> bool:
        """Whether standard output is taken by a table."""
        return "-" in (self.json, self.csv)


SearchOptions = Annotated[Searching | None, Parameter(name="*")]


def bounds_of(words: Sequence[str] | None) -> dict[str, tuple[float, float]] | None:
    """Read bounds of parameters.

    Examples
    --------
    >>> bounds_of(["bet=0:0.5"])
    {'bet': (0.0, 0.5)}
    """
    found: dict[str, tuple[float, float]] = {}
    for word in words or ():
        name, _, pair = (part.strip() for part in word.partition("="))
        try:
            low, high = map(float, pair.split(":"))
        except ValueError:
            raise ValueError(f"--bounds takes PARAMETER=LOW:HIGH like bet=0:0.5, got {word!r}") from None
        if name in found:
            raise ValueError(f"--bounds names {name} twice")
        found[name] = low, high
    return found or None


# --- searches ---------------------------------------------------------------------------------------------------------


def _pasted(found: ps.Policy, family: ps.Policy, word: str) -> str:
    """Return the text that names a policy, which may be of the family that a word named."""
    from palace_sim.policies.words import policy_to_text  # here, so that --help does not wait for numba

    return policy_to_text(found, word if found.family is family.family else None)


def _said(
    how: Searching, rules: Rules, family: str, weights: dict[ps.Policy, float], text: str, found: Optimum | Response
) -> dict[str, Any]:
    """Return what both commands write as JSON."""
    return {
        "found": text,
        "params": found.policy.params,
        "score": dataclasses.asdict(found.score),
        "family": family,
        "opponents": {policy.name: weight for policy, weight in weights.items()},
        "rules": rules.changed(),
        "palace_sim": ps.__version__,
    } | {name: getattr(how, name) for name in SAID}


def _course(found: Optimum) -> str:
    """Say how the search went."""
    course, many = found.course, int((found.candidates["generation"] == 0).sum())
    hands, steps = int(course["hands"].iloc[-1]), course["sigma"]
    size = f"step size {steps.iloc[0]:.3g} to {steps.iloc[-1]:.3g} of the bounds' widths"
    plural = "s" if len(course) > 1 else ""
    return wrap(f"{len(course):,} generation{plural} of {many} candidates: {hands:,} hands; {size}")


def _met(weights: dict[ps.Policy, float]) -> str:
    shares = f" {', '.join(f'{x:g}' for x in weights.values())}" if len(set(weights.values())) > 1 else ""
    return ", ".join(policy.name for policy in weights) + (f" (weights{shares})" if shares else "")


@app.command
def optimize(
    policy: str,
    against: Words,
    *,
    copies: bool = False,
    cap: float | None = None,
    search: SearchOptions = None,
    rules: GameRules = None,
) -> None:
    """Look for the parameters of a policy that win most against some opponents.

    Parameters
    ----------
    policy : str
        Where the search begins, like general or "tight(aggression=0.3)" or path/file.py:name; its parameters are
        searched.
    against : list
        The opponents, named likewise.
    copies : bool
        At three and more seats: meet copies of one opponent at a time.
    cap : float
        Chips a hand up to which winning from one opponent counts in the search.
    """
    search, made_rules = search or Searching(), rules_of(rules)
    options = search.options()
    (first,), weights = line_up([policy], None), search.weighted(line_up(against, None))
    options |= {"copies": copies, "cap": cap}
    found, took = search.run(lambda: ps.search.optimize(first, weights, made_rules, **options))
    text = _pasted(found.policy, first, policy)
    said = _said(search, made_rules, first.name, weights, text, found)
    said |= {"search_score": dataclasses.asdict(found.search_score), "gap": dataclasses.asdict(found.gap)}
    said |= {"copies": copies, "cap": cap, "seconds": round(took, 3)}
    said |= {name: records(getattr(found, name)) for name in ("course", "finalists", "tables")}
    write(search.json, as_json(said))
    write(search.csv, found.course.to_csv(index=False))
    if search.quiet:
        return
    scores = {"score": found.score, "search score": found.search_score, "gap": found.gap}
    parts = [
        wrap(f"{first.name} against {_met(weights)}, {search.seats} seats"),
        f"{stakes(made_rules, search.seed)}\n{_course(found)}\n",
        f"{paste_text(text)}\n",
        f"{estimates_text(scores)}\n{wrap(SCORES)}\n",
    ]
    if 1 < len(found.tables) <= TABLES:
        parts.append(f"The score at each table:\n{tables_text(found.tables)}\n")
    parts.append(f"Chosen from, on {found.score.deals:,} other deals:\n{choices_text(found.finalists)}\n")
    print("\n".join(parts))
    print(f"played in {took:.1f} s")


@app.command
def best_response(
    opponents: Words,
    *,
    family: str = "general",
    rollouts: bool = False,
    search: SearchOptions = None,
    rules: GameRules = None,
) -> None:
    """Look for what wins most from an opponent, or from a mixture of several: how exploitable it is.

    Parameters
    ----------
    opponents : list
        Whom to answer, like tight or "tight(aggression=0.3)" or path/file.py:name; of several, every other seat is
        drawn by their weights in every hand.
    family : str
        The policy whose parameters are searched.
    rollouts : bool
        Let the policy rollout compete, too, on a tenth of the deals; it is slow.
    """
    search, made_rules = search or Searching(), rules_of(rules)
    options = search.options()
    (first,), weights = line_up([family], None), search.weighted(line_up(opponents, None))
    found, took = search.run(lambda: ps.search.best_response(weights, first, rollouts, made_rules, **options))
    text, bound = _pasted(found.policy, first, family), found.kind == "exploitability"
    said = _said(search, made_rules, first.name, weights, text, found)
    said |= {"kind": "lower bound on exploitability" if bound else "gain", "seconds": round(took, 3)}
    said |= {"finalists": records(found.table), "course": records(found.optimum.course)}
    write(search.json, as_json(said))
    write(search.csv, found.optimum.course.to_csv(index=False))
    if search.quiet:
        return
    notes = "Measured on deals that nothing was chosen on"
    notes += "; there may be better responses." if bound else ": what the response wins from all others together."
    parts = [
        wrap(f"response to {_met(weights)}, {search.seats} seats"),
        f"{stakes(made_rules, search.seed)}\n{_course(found.optimum)}\n",
        f"{paste_text(text)}\n",
        f"{estimates_text({said['kind']: found.score})}\n{wrap(notes)}\n",
        f"Chosen from, on other deals:\n{choices_text(found.table)}\n",
    ]
    print("\n".join(parts))
    print(f"played in {took:.1f} s")


# --- the end game -----------------------------------------------------------------------------------------------------


@app.command
def endgame(
    sides: Sides,
    *,
    pot: Whole,
    to_act: Whole = 0,
    passed: Whole = 0,
    ranges: Ranges = None,
    iterations: PerhapsWhole = None,
    target: float = 0.001,
    node: str = "start",
    progress: bool | None = None,
    json: Target = None,
    csv: Target = None,
    png: str | None = None,
    rules: GameRules = None,
) -> None:
    """Solve the end game of two who buy no more: attacks, bluffs, calls and raises of an equilibrium.

    Nobody buys: --max-buys is 0 where it is left out.

    Parameters
    ----------
    sides : list
        The two, like Ks/?/9d8c: banner/?/soldiers.
    pot : int
        Chips in the pot.
    to_act : int
        Whose turn it is, 0 or 1.
    passed : int
        1 where the other has passed since the last buy or attack (R32), else 0.
    ranges : list
        What the palace of a side may be, like "1=pairs, A*"; may be given again. Any unseen cards if left out.
    iterations : int
        Exactly so many; as many as --target takes if left out.
    target : float
        Exploitability to reach, as a share of the pot.
    node : str
        The decision to show by category of hand, named by the moves before it, like "stay attack".
    progress : bool
        Show a progress bar; if left out, on a terminal in long runs.
    json : str
        Write value, exploitability and frequencies to this file; - for standard output.
    csv : str
        Write the whole strategy, a row for each palace at each decision, to this file; - for standard output.
    png : str
        Draw the decision by category of hand into this file.
    """
    options = rules_of(rules)
    made_rules = dataclasses.replace(options, max_buys=0) if options.max_buys is None else options
    for option, file in (("--json", json), ("--csv", csv)):
        check_target(option, file)
    check_png(png)
    how: dict[str, Any] = {"pot": pot, "to_act": to_act, "passed": passed, "rules": made_rules, "progress": progress}
    read = read_ranges(ranges, made_rules)
    say_if_cold()
    if node != "start":  # what is misspelled is said at once
        nodes = ps.search.solve_endgame(sides, read, 1, **(how | {"progress": False})).nodes
        if node not in nodes:
            raise ValueError(f"--node: there is no decision {node!r}{near(node, nodes)}")
    began = time.perf_counter()
    end = ps.search.solve_endgame(sides, read, iterations, target, **how)
    took = time.perf_counter() - began
    often = end.frequencies()
    said = {
        "sides": sides,
        "pot": pot,
        "to_act": to_act,
        "passed": passed,
        "ranges": list(ranges or []),
        "rules": made_rules.changed(),
        "value": {str(seat): chips for seat, chips in end.value.items()},
        "gains": {str(seat): chips for seat, chips in end.gains.items()},
        "exploitability": end.exploitability,
        "exploitability_share": plain(end.exploitability_share),
        "iterations": end.iterations,
        "seconds": round(took, 3),
        "course": records(end.course),
        "frequencies": records(often),
    }
    write(json, as_json(said))
    if csv is not None:
        import pandas as pd

        tables = [end.strategy(seat).assign(seat=seat) for seat in end.seats]
        whole = pd.concat(tables, ignore_index=True)
        write(csv, whole[["seat", *(name for name in whole if name != "seat")]].to_csv(index=False))
    if png is not None:
        ps.plots.endgame(often, node).figure.savefig(png, format="png")
    if "-" not in (json, csv):
        exact = "exact: all palaces of both sides, nothing is sampled"
        print(f"{sides[0]} against {sides[1]}\n{stakes(made_rules)}\n\n{end}\n({exact})\n")
        print(f"{endgame_text(often, node)}\n\nsolved in {took:.1f} s")
