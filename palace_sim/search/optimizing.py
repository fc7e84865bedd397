"""`optimize`: look for the parameters of a family that win most against given opponents."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import palace_sim
from palace_sim.arguments import whole
from palace_sim.conducting import Running
from palace_sim.formats import shown
from palace_sim.kernels.rng import STREAM_VERSION
from palace_sim.policies import Policy, as_policy
from palace_sim.policies.base import as_policies
from palace_sim.rules import Rules, as_rules
from palace_sim.search.asking import SIGMA, Search, narrowed
from palace_sim.search.fields import Field, as_field
from palace_sim.search.keeping import SearchFolder
from palace_sim.search.measuring import Arena, Estimate, Measured, check_count
from palace_sim.simulate import as_running
from palace_sim.workers import Bar

if TYPE_CHECKING:
    import pandas as pd

# Deals by use, so that no use meets those of another: generation g plays from g times the deals of a generation on.
CHOOSING, SCORING = 1 << 41, 1 << 42
LATE, BEST = 5, 3  # finalists: the best three of the last five generations, beside the centre and the start


@dataclasses.dataclass(frozen=True, eq=False)
class Optimum:
    """What a search found, and what it is worth.

    Attributes
    ----------
    policy : Policy
        The best that was found.
    score : Estimate
        What it is worth, on deals that the search never saw.
    search_score : Estimate
        What it seemed to be worth on the deals on which it was chosen among the finalists.
    gap : Estimate
        The second less the first: the winner's curse.
    course : DataFrame
        A row a generation: generation; best and mean, the values of its best candidate and of all; best_se, the
        standard error of the best one's mean net (chips a hand); sigma, the step size (widths of the bounds); hands
        played until then.
    candidates : DataFrame
        A row a candidate that was tried: generation, candidate, value, se of its mean net (chips a hand), parameters.
    finalists : DataFrame
        A row a finalist, best first: policy; mean, se (chips a hand) where it was chosen; its parameters.
    tables : DataFrame
        A row a table at which the score was measured: seats, others, weight, then the score as in `Estimate`.
    """

    policy: Policy
    score: Estimate
    search_score: Estimate
    gap: Estimate
    course: pd.DataFrame
    candidates: pd.DataFrame
    finalists: pd.DataFrame
    tables: pd.DataFrame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.policy.name}, {self.score}>"


@dataclasses.dataclass(frozen=True, eq=False)
class Task:
    """All that decides a search."""

    family: Policy
    field: Field
    rules: Rules
    seed: int
    deals: int
    final_deals: int
    search: Search
    cap: float | None
    entrants: tuple[Policy, ...]
    said: dict[str, Any]


def optimize(
    policy: Policy | str | Callable[[Any], int],
    against: Any,
    rules: Rules | None = None,
    seats: int | Sequence[int] = 2,
    budget: int = 10_000_000,
    seed: int = 1,
    deals: int = 200,
    popsize: int | None = None,
    start: Mapping[str, float] | None = None,
    copies: bool = False,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    vary: Iterable[str] | None = None,
    sigma: float = SIGMA,
    cap: float | None = None,
    entrants: Sequence[Policy | str] = (),
    final_deals: int | None = None,
    name: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    folder: str | Path | None = None,
) -> Optimum:
    """Search a family for the parameters whose mean net against some opponents is greatest.

    CMA-ES (`Search`), in which all candidates of a generation play the same deals and every generation plays fresh
    ones. At the end the centre of the search, the best of its last generations, the start and `entrants` play fresh
    deals; the best of them is scored on others, which nothing was chosen on.

    Parameters
    ----------
    policy : policy
        One of the family; its parameters are the start.
    against : policy, list of policies, dict of policy to weight, or Field
        The opponents, and how often each is met; a `Field` says the tables one by one (`seats` and `copies` then say
        nothing).
    rules : Rules, optional
        None for the default rules.
    seats : int or several
        Players at a table; of several sizes, each has the same weight.
    budget : int
        Hands that the search may play, the end not counted: at least those of one generation.
    seed : int
        0 to 2^63 - 1. The same seed finds the same policy for any number of workers, and after a stop.
    deals : int
        Deals of a generation; a candidate plays each at every table, in all rotations.
    popsize : int, optional
        Candidates of a generation; None for twice what CMA-ES takes by default.
    start : dict of str to float, optional
        Other values to start from.
    copies : bool
        At three and more seats: meet copies of one opponent at a time. Else every other seat is drawn by the weights,
        and all tables that can come of it are played.
    bounds : dict of str to (low, high), optional
        Narrower bounds for some parameters.
    vary : list of str, optional
        Parameters to search; None for all.
    sigma : float
        First step size, in widths of the bounds.
    cap : float, optional
        Chips a hand up to which the mean net at a table of one opponent counts in what is searched for, so that
        winning a little from all is worth more than winning much from some. The score is the mean net in any case.
    entrants : list of policies
        Others that may be chosen at the end.
    final_deals : int, optional
        Deals for choosing at the end, and as many for the score; None for ten times `deals`.
    name : str, optional
        Name of what is found; None for the family's with "found".
    workers, executor, progress
        As in `palace_sim.play`.
    folder : str or Path, optional
        Keeps every generation and the end: the same call goes on where it was stopped, also with a greater budget, and
        plays nothing where it was finished.

    Returns
    -------
    Optimum

    Raises
    ------
    ValueError
        An argument is not what it should be, or the folder keeps another search; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> found = ps.search.optimize("tight", against="stay", budget=2_000, deals=10, popsize=4)
    >>> len(found.course), found.policy.family.name
    (25, 'tight')
    """
    rules = as_rules(rules)
    running = as_running(workers, executor, progress, folder)
    first = as_policy(policy, "policy")
    check_name(name)
    if start is not None:
        if not isinstance(start, Mapping):
            raise ValueError(f"start takes a dict of parameter to value, got {start!r}")
        first = first.with_(**start)
    field = as_field(against, seats, copies, rules)
    deals = check_count("deals", deals, 2)
    final_deals = 10 * deals if final_deals is None else check_count("final_deals", final_deals, 2)
    search = Search(narrowed(first.family.parameters, first.params, bounds, vary), seed, popsize, sigma)
    least = search.popsize * deals * field.hands
    budget = check_count("budget", budget)
    if budget < least:
        raise ValueError(
            f"budget={budget} hands is less than a generation takes: {least} hands ({search.popsize} candidates, "
            f"{deals} deals, {field.hands} hands a deal)"
        )
    if cap is not None and (isinstance(cap, bool) or not isinstance(cap, int | float) or not 0 < cap < math.inf):
        raise ValueError(f"cap takes None or a number of chips a hand above 0, got {cap!r}")
    others = tuple(as_policies(entrants, "a list of policies", "entrants"))
    said = _said(first, field, rules, seed, deals, final_deals, search, sigma, cap, others)
    task = Task(first, field, rules, seed, deals, final_deals, search, cap, others, said)
    return run_search(task, budget // least, running, name or f"{first.family.name} found")


def _said(
    first: Policy,
    field: Field,
    rules: Rules,
    seed: int,
    deals: int,
    final_deals: int,
    search: Search,
    sigma: float,
    cap: float | None,
    entrants: tuple[Policy, ...],
) -> dict[str, Any]:
    """Say what decides a search, for its folder."""

    def of(policy: Policy) -> dict[str, Any]:
        return {"params": policy.params, "salt": policy.salt, "fingerprint": policy.fingerprint}

    ends = zip(search.names, search.low.tolist(), (search.low + search.width).tolist(), strict=True)
    return {
        "palace_sim": palace_sim.__version__,
        "stream_version": STREAM_VERSION,
        "family": first.family.name,
        "fingerprint": first.fingerprint,
        "start": dict(zip(search.names, search.at.tolist(), strict=True)),
        "bounds": {name: [low, high] for name, low, high in ends if low < high},
        "against": {policy.name: of(policy) for policy in field.policies},
        "tables": [[list(table.others), table.weight] for table in field.tables],
        "rules": rules.changed(),
        "seed": whole("seed", seed, 0, (1 << 63) - 1),
        "deals": deals,
        "final_deals": final_deals,
        "popsize": search.popsize,
        "sigma": sigma,
        "cap": cap,
        "entrants": {policy.name: of(policy) for policy in entrants},
    }


def check_name(name: Any) -> None:
    """Refuse a name that no policy can have, before anything is played."""
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise ValueError(f"name takes None or a text that is not empty, got {name!r}")


def run_search(task: Task, generations: int, running: Running, name: str) -> Optimum:
    """Play the generations that are not kept yet, then the end."""
    import pandas as pd

    folder = SearchFolder(running.folder, task.said) if running.folder is not None else None
    rows: list[pd.DataFrame] = []
    course: list[dict[str, Any]] = []
    each = task.search.popsize * task.deals * task.field.hands
    arena = Arena(task.field, task.rules, task.seed, running)
    with Bar(generations * task.deals, running.progress) as bar:
        for g in range(generations):
            tried = task.search.ask()
            made = folder.read(g) if folder else None
            if made is None:
                made = play_generation(task, g, tried, arena)
                if folder:
                    folder.write(g, made)
            sigma = task.search.sigma
            task.search.tell(made["value"].to_numpy())
            best = made.loc[made["value"].idxmax()]
            course.append(
                {"generation": g, "best": best["value"], "best_se": best["se"], "mean": made["value"].mean()}
                | {"sigma": sigma, "hands": (g + 1) * each}
            )
            rows.append(made)
            bar.update(task.deals)
    candidates = pd.concat(rows, ignore_index=True)
    return finish(task, candidates, pd.DataFrame(course), arena, name, folder)


def play_generation(task: Task, g: int, tried: np.ndarray, arena: Arena) -> pd.DataFrame:
    """Return the rows of a generation: what each candidate was worth."""
    import pandas as pd

    candidates = [_candidate(task.family, values, f"candidate {k}") for k, values in enumerate(tried)]
    found = arena.measure(candidates, g * task.deals, task.deals)
    many = len(tried)
    value = found.worth(task.cap)
    table = {"generation": np.full(many, g), "candidate": np.arange(many), "value": value, "se": found.se}
    return pd.DataFrame(table | dict(zip(task.search.names, tried.T, strict=True)))


def _candidate(family: Policy, values: Iterable[float], name: str) -> Policy:
    return dataclasses.replace(family, values=tuple(float(value) for value in values), label=name)


def finalists(task: Task, candidates: pd.DataFrame) -> list[Policy]:
    """Return those among whom the best is chosen, each once: the centre, the best of late, the start, entrants."""
    late = candidates[candidates["generation"] > candidates["generation"].max() - LATE]
    best = late.sort_values("value", ascending=False, kind="stable").head(BEST)
    values = [("centre", tuple(task.search.mean.values()))]
    values += [(f"candidate {row.generation}.{row.candidate}", tuple(row[4:])) for row in best.itertuples(index=False)]
    values.append(("start", tuple(task.search.at)))
    made: dict[tuple[float, ...], Policy] = {}
    for name, numbers in values:
        made.setdefault(tuple(map(float, numbers)), _candidate(task.family, numbers, name))
    return [*made.values(), *task.entrants]


def finish(
    task: Task, candidates: pd.DataFrame, course: pd.DataFrame, arena: Arena, name: str, folder: SearchFolder | None
) -> Optimum:
    """Choose the best of the finalists, and score it on fresh deals, unless that is kept already."""
    import pandas as pd

    entered = finalists(task, candidates)
    marks = [[policy.name, policy.params] for policy in entered]
    end = folder.read_end(len(course), marks) if folder else None
    if end is None:
        end = {"finalists": marks} | play_end(task, entered, arena)
        if folder:
            folder.write_end(len(course), end)
    worth = np.array(end["worth"])
    winner = entered[int(worth.argmax())]
    rows = [
        {"policy": p.name, "mean": m, "se": e, **p.params}
        for p, m, e in zip(entered, end["mean"], end["se"], strict=True)
    ]
    last = pd.DataFrame([rows[k] for k in np.argsort(-worth, kind="stable")])
    found = winner if winner in task.entrants else winner.named(name)
    score, seemed, gap = (Estimate(**end[key]) for key in ("score", "search_score", "gap"))
    tables = pd.DataFrame(end["tables"])
    return Optimum(found, score, seemed, gap, *map(shown, (course, candidates, last, tables)))


def play_end(task: Task, entered: Sequence[Policy], arena: Arena) -> dict[str, Any]:
    """Let the finalists play, and the best of them again: what each was worth, the scores, and the score by table."""
    chosen = arena.measure(entered, CHOOSING, task.final_deals)
    worth = chosen.worth(task.cap)
    best = int(np.argmax(worth))
    scored = arena.measure([entered[best]], SCORING, task.final_deals)
    small_bet = task.rules.small_bet
    score, seemed = scored.estimate(0, small_bet), chosen.estimate(best, small_bet)
    curse, curse_se = seemed.mean - score.mean, float(np.hypot(seemed.se, score.se))  # other deals: independent
    gap = Estimate.of(curse, curse_se, len(scored.contributions), small_bet, score.deals)
    return {
        "worth": worth.tolist(),
        "mean": chosen.mean.tolist(),
        "se": chosen.se.tolist(),
        "score": dataclasses.asdict(score),
        "search_score": dataclasses.asdict(seemed),
        "gap": dataclasses.asdict(gap),
        "tables": table_rows(task.field, scored, small_bet),
    }


def table_rows(field: Field, measured: Measured, small_bet: int) -> list[dict[str, Any]]:
    """Return what the only candidate was worth at each table."""
    rows = []
    units = len(measured.contributions)
    for t, table in enumerate(measured.tables):
        found = Estimate.of(measured.table_mean[0, t], measured.table_se[0, t], units, small_bet, measured.deals)
        names = ", ".join(field.policies[k].name for k in table.others)
        rows.append({"seats": table.seats, "others": names, "weight": table.weight, **dataclasses.asdict(found)})
    return rows
