"""`best_response`: the most that a family gains against fixed opponents, which bounds how much they give away."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palace_sim.arguments import near, whole
from palace_sim.conducting import Running
from palace_sim.policies import NAMES, Policy, as_policy, get
from palace_sim.policies.base import as_policies
from palace_sim.policies.general import SETTINGS, like
from palace_sim.rules import Rules, as_rules
from palace_sim.search.asking import derived, narrowed
from palace_sim.search.fields import Field, as_field, weighted
from palace_sim.search.measuring import Arena, Estimate, check_count
from palace_sim.search.optimizing import CHOOSING, SCORING, Optimum, check_name, optimize
from palace_sim.simulate import as_running

if TYPE_CHECKING:
    import pandas as pd

STARTING = 1 << 43  # deals on which the start of a search is chosen (see `optimizing`)
OPTIONS = ("popsize", "bounds", "vary", "sigma")  # of `optimize`
ROLLOUT_SHARE = 10  # `rollout` plays a tenth of the deals


@dataclasses.dataclass(frozen=True, eq=False)
class Response:
    """The best answer that was found to fixed opponents.

    Attributes
    ----------
    policy : Policy
        The response.
    opponent : dict of str to float
        Names of the opponents, with their weights.
    seats : int
        Players at the table.
    score : Estimate
        What the response wins, on deals that nothing was chosen on.
    kind : str
        Heads-up "exploitability": the game is fair, so an opponent whom nobody exploits gives 0, and the score is a
        lower bound on what the best of all responses wins. At more seats "gain".
    table : DataFrame
        A row a policy among which the response was chosen, best first: policy; mean, se (chips a hand) and deals on
        which it was.
    optimum : Optimum
        The search in the family.
    """

    policy: Policy
    opponent: dict[str, float]
    seats: int
    score: Estimate
    table: pd.DataFrame
    optimum: Optimum

    @property
    def kind(self) -> str:
        return "exploitability" if self.seats == 2 else "gain"

    def __repr__(self) -> str:
        return f"<Response to {', '.join(self.opponent)}: {self.kind} {self.score}>"


def _starts(family: Policy) -> list[Policy]:
    """Policies of a family that are known: the one given, and settings that are like built-in policies."""
    known = [like(name) for name in SETTINGS] if family.family is get("general").family else []
    return [family.named("as given"), *known]


def best_response(
    opponent: Any,
    family: Policy | str | Callable[[Any], int] = "general",
    rollouts: bool = False,
    rules: Rules | None = None,
    seats: int = 2,
    budget: int = 10_000_000,
    seed: int = 1,
    deals: int = 200,
    final_deals: int | None = None,
    starts: Sequence[Policy] = (),
    name: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    folder: str | Path | None = None,
    **options: Any,
) -> Response:
    """Find what gains most against a fixed policy or mixture.

    The family's known settings (those of `general` that are like built-in policies) play the opponent, `optimize` goes
    on from the best of them, and the best of all is chosen on fresh deals and scored on others.

    Parameters
    ----------
    opponent : policy, or dict of policy to weight
        Whom to answer; a mixture is drawn anew for every other seat of every hand.
    family : policy
        The family to search.
    rollouts : bool
        Let `rollout` compete, too, on a tenth of the deals; it is slow.
    rules : Rules, optional
        None for the default rules.
    seats : int
        Players at the table; all others are the opponent's.
    budget, seed, deals, final_deals, name, workers, executor, progress, folder
        As in `optimize`.
    starts : list of policies
        More policies of the family to begin from.
    **options
        Others of `optimize`: popsize, bounds, vary, sigma.

    Returns
    -------
    Response

    Raises
    ------
    ValueError
        An argument is not what it should be, or the folder keeps another search; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> found = ps.search.best_response("stay", budget=30_000, deals=50, popsize=4)
    >>> found.kind, found.score.mean    # whoever folds when attacked, loses its ante of 5 chips
    ('exploitability', 5.0)
    """
    import pandas as pd

    rules = as_rules(rules)
    running = as_running(workers, executor, progress, folder)
    first = as_policy(family, "family")
    seats = rules.check_seats(seats)
    if isinstance(opponent, Field):
        raise ValueError("opponent takes a policy or a dict of policy to weight, got a Field: optimize takes it")
    field = as_field(opponent, seats, False, rules, "opponent")
    mixture = dict(zip(*weighted(opponent, "opponent"), strict=True))
    deals = check_count("deals", deals, 2)
    last = 10 * deals if final_deals is None else check_count("final_deals", final_deals, 2)
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    if not isinstance(rollouts, bool):
        raise ValueError(f"rollouts takes True or False, got {rollouts!r}")
    check_count("budget", budget)
    check_name(name)
    for option in options:
        if option not in OPTIONS:
            raise TypeError(f"best_response takes no argument {option!r}{near(option, OPTIONS)}")
    narrowed(first.family.parameters, first.params, options.get("bounds"), options.get("vary"))  # before anything plays
    more = as_policies(starts, f"a list of policies of the family {first.family.name}", "starts")
    for start in more:
        if start.family is not first.family:
            raise ValueError(f"starts takes policies of the family {first.family.name}, got {start.name}")
    known = [*_starts(first), *more]
    arena = Arena(field, rules, seed, running)
    tried = arena.measure(known, STARTING, last)
    found = optimize(
        first,
        field,
        rules,
        seats,
        budget,
        seed,
        deals,
        start=known[int(tried.mean.argmax())].params,
        entrants=known,
        final_deals=last,
        name=name or f"response to {' and '.join(policy.name for policy in field.policies)}",
        workers=workers,
        executor=executor,
        progress=progress,
        folder=folder,
        **options,
    )
    table = found.finalists[["policy", "mean", "se"]].assign(deals=last)
    chosen, score = found.policy, found.score
    if rollouts:
        few = max(2, last // ROLLOUT_SHARE)
        slow = get("rollout")
        seemed = arena.measure([slow], CHOOSING, few).estimate(0, rules.small_bet)
        row = pd.DataFrame([{"policy": slow.name, "mean": seemed.mean, "se": seemed.se, "deals": few}])
        table = pd.concat([table, row], ignore_index=True).sort_values("mean", ascending=False, kind="stable")
        if seemed.mean > found.search_score.mean:
            chosen, score = slow, arena.measure([slow], SCORING, few).estimate(0, rules.small_bet)
    weights = {policy.name: weight for policy, weight in mixture.items()}
    return Response(chosen, weights, seats, score, table.reset_index(drop=True), found)


def response_table(
    policies: Sequence[Policy | str | Callable[[Any], int]] = NAMES,
    rules: Rules | None = None,
    seats: int = 2,
    seed: int = 1,
    folder: str | Path | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Find a best response to each of some policies.

    Parameters
    ----------
    policies : list of policies
        Each is answered by itself.
    rules, seats, seed, folder
        As in `best_response`; the folder has one for each policy in it.
    **options
        Others of `best_response`.

    Returns
    -------
    DataFrame
        A row a policy, least exploitable first: policy, kind, response, then the score as in `Estimate`.

    Examples
    --------
    >>> import palace_sim as ps
    >>> table = ps.search.response_table(["stay"], budget=30_000, deals=50, popsize=4)
    >>> table.loc[0, "policy"], float(table.loc[0, "sb100"])
    ('stay', 50.0)
    """
    import pandas as pd

    rows = []
    running: Running = as_running(None, None, None, folder)
    for k, policy in enumerate(as_policies(policies, "a list of policies")):
        own = None
        if running.folder is not None:
            own = Path(running.folder) / f"{k:03d}-{re.sub('[^0-9A-Za-z]+', '_', policy.name)[:40]}"
        found = best_response(policy, rules=rules, seats=seats, seed=derived(seed, 1 + k), folder=own, **options)
        row = {"policy": policy.name, "kind": found.kind, "response": found.policy.name}
        rows.append(row | dataclasses.asdict(found.score))
    return pd.DataFrame(rows).sort_values("mean", kind="stable", ignore_index=True)
