"""`league`: best responses join a population until nobody gains against its Nash mixture."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import palace_sim
from palace_sim.arguments import whole
from palace_sim.formats import shown
from palace_sim.kernels.rng import STREAM_VERSION
from palace_sim.policies import NAMES, Policy, as_policy, get, mix
from palace_sim.policies.base import as_policies
from palace_sim.rules import Rules, as_rules
from palace_sim.search.asking import derived
from palace_sim.search.fields import as_field
from palace_sim.search.keeping import SearchFolder
from palace_sim.search.measuring import Arena, check_count
from palace_sim.search.responses import Response, best_response
from palace_sim.simulate import as_running
from palace_sim.statistics.mixtures import nash_mixture

if TYPE_CHECKING:
    import pandas as pd

PAYING = 1 << 44  # deals of the payoffs (see `optimizing`)
CUT = 1e-3  # shares below are left out of the mixture that is answered


@dataclasses.dataclass(frozen=True, eq=False)
class League:
    """A population that grew by best responses.

    Attributes
    ----------
    policies : list of Policy
        The population: those of the beginning, then a response a round.
    payoffs, payoffs_se : DataFrame
        What the row's policy wins from the column's, chips a hand, and its standard error.
    mixture : Series
        Shares of the Nash mixture over the whole population.
    rounds : DataFrame
        A row a round: round, policies (in the population), support (policies in its mixture), then what the best
        response to the mixture wins, a lower bound on its exploitability, as in `Estimate`.
    mixtures : DataFrame
        Shares of each policy (column) in the mixture of each round (row).
    """

    policies: list[Policy]
    payoffs: pd.DataFrame
    payoffs_se: pd.DataFrame
    mixture: pd.Series
    rounds: pd.DataFrame
    mixtures: pd.DataFrame

    def policy(self, name: str = "mixture") -> Policy:
        """Return the Nash mixture as one policy, which draws anew every hand whom it plays as.

        Parameters
        ----------
        name : str
            Name in tables.

        Raises
        ------
        ValueError
            Not all that have a share in it are of the family `general`: begin with settings of it
            (`palace_sim.policies.like`) in the place of built-in policies.
        """
        shares = zip(self.policies, self.mixture, strict=True)
        held = {policy: float(share) for policy, share in shares if share > 0}
        for policy in held:
            if policy.family is not get("general").family:
                raise ValueError(
                    f"{policy.name} has a share in the mixture and is not of the family general: begin the league with "
                    f"settings of general, such as palace_sim.policies.like('tight'), in the place of built-in policies"
                )
        return mix(held, name=name)

    def __repr__(self) -> str:
        return f"<League of {len(self.policies)} policies, {len(self.rounds)} rounds>"


class _Payoffs:
    """The table of payoffs of a population, a row and a column more for each policy that joins."""

    def __init__(self, play: Callable[[Policy, list[Policy]], tuple[np.ndarray, np.ndarray]]) -> None:
        self.play = play
        self.policies: list[Policy] = []
        self.mean = np.zeros((0, 0))
        self.se = np.zeros((0, 0))

    def join(self, policy: Policy) -> None:
        many = len(self.policies)
        self.mean, self.se = np.pad(self.mean, (0, 1)), np.pad(self.se, (0, 1))
        if many:  # both seatings of a deal are played, so what one wins the other loses exactly
            mean, self.se[many, :many] = self.play(policy, self.policies)
            self.mean[many, :many], self.mean[:many, many] = mean, -mean
            self.se[:many, many] = self.se[many, :many]
        self.policies.append(policy)

    def mixture(self) -> np.ndarray:
        """Shares of the Nash mixture."""
        shares = nash_mixture(self.mean).weights
        shares = np.where(shares < CUT, 0.0, shares)
        return shares / shares.sum()


def league(
    policies: Sequence[Policy | str | Callable[[Any], int]] = NAMES,
    family: Policy | str | Callable[[Any], int] = "general",
    rules: Rules | None = None,
    rounds: int = 5,
    budget: int = 10_000_000,
    seed: int = 1,
    deals: int = 200,
    final_deals: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    folder: str | Path | None = None,
    **options: Any,
) -> League:
    """Let a population grow, heads-up, by a best response to its Nash mixture a round.

    The double oracle of McMahan, Gordon and Blum ("Planning in the presence of cost functions controlled by an
    adversary", ICML 2003), with searched responses in the place of exact ones, as in the policy-space response oracles
    of Lanctot and others ("A unified game-theoretic approach to multiagent reinforcement learning", NIPS 2017). What
    the response of a round wins on fresh deals is a lower bound on the exploitability of its mixture.

    Parameters
    ----------
    policies : list of policies
        The population to begin with; different names.
    family : policy
        The family that responses are searched in.
    rules : Rules, optional
        None for the default rules.
    rounds : int
        Responses to find.
    budget : int
        Hands that the search of a round may play, as in `optimize`.
    seed, deals, final_deals, workers, executor, progress
        As in `optimize`. Payoffs are measured on `final_deals` deals, the same for all.
    folder : str or Path, optional
        Keeps every round: the same call goes on where it was stopped, also with more rounds.
    **options
        Others of `best_response`: rollouts, popsize, bounds, vary, sigma.

    Returns
    -------
    League

    Raises
    ------
    ValueError
        An argument is not what it should be, or the folder keeps another league; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> grown = ps.search.league(["stay", "tight"], rounds=1, budget=30_000, deals=50, popsize=4)
    >>> list(grown.payoffs), grown.rounds["policies"].tolist()
    (['stay', 'tight', 'response 1'], [2])
    """
    rules = as_rules(rules)
    running = as_running(workers, executor, progress, folder)
    entered = as_policies(policies, "a list of policies")
    first = as_policy(family, "family")
    rounds = whole("rounds", rounds, 1, 1000)
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    deals = check_count("deals", deals, 2)
    last = 10 * deals if final_deals is None else check_count("final_deals", final_deals, 2)
    as_field(entered, 2, False, rules, "policies")  # says what is wrong with the list
    marks = {policy.name: [policy.params, policy.salt, policy.fingerprint] for policy in entered}
    said: dict[str, Any] = {"league": marks, "rules": rules.changed()}
    said |= {"family": [first.name, first.params, first.fingerprint]}
    said |= {"seed": seed, "budget": budget, "deals": deals, "final_deals": last}
    said |= {"palace_sim": palace_sim.__version__, "stream_version": STREAM_VERSION}
    kept = SearchFolder(folder, said) if folder is not None else None

    def play(one: Policy, others: list[Policy]) -> tuple[np.ndarray, np.ndarray]:
        found = Arena(as_field(others, 2, False, rules), rules, seed, running).measure([one], PAYING, last)
        return found.table_mean[0], found.table_se[0]

    payoffs = _Payoffs(play)
    for policy in entered:
        payoffs.join(policy)
    answered: list[tuple[np.ndarray, Response]] = []
    for r in range(1, rounds + 1):
        shares = payoffs.mixture()
        answer = best_response(
            {policy: float(share) for policy, share in zip(payoffs.policies, shares, strict=True) if share > 0},
            first,
            rules=rules,
            budget=budget,
            seed=derived(seed, r, 1),
            deals=deals,
            final_deals=last,
            starts=[policy for policy in payoffs.policies if policy.family is first.family],
            name=f"response {r}",
            workers=workers,
            executor=executor,
            progress=progress,
            folder=kept.path / f"round-{r:03d}" if kept is not None else None,
            **options,
        )
        answered.append((shares, answer))
        payoffs.join(answer.policy.named(f"response {r}"))
    return _grown(payoffs, answered)


def _grown(payoffs: _Payoffs, answered: list[tuple[np.ndarray, Response]]) -> League:
    """Return the league as tables."""
    import pandas as pd

    names = [policy.name for policy in payoffs.policies]
    rows = []
    mixtures = np.zeros((len(answered), len(names)))
    for r, (shares, answer) in enumerate(answered):
        mixtures[r, : len(shares)] = shares
        row = {"round": r + 1, "policies": len(shares), "support": int((shares > 0).sum())}
        rows.append(row | dataclasses.asdict(answer.score))
    return League(
        payoffs.policies,
        shown(pd.DataFrame(payoffs.mean, names, names)),
        shown(pd.DataFrame(payoffs.se, names, names)),
        pd.Series(payoffs.mixture(), names, name="share"),
        shown(pd.DataFrame(rows)),
        shown(pd.DataFrame(mixtures, pd.RangeIndex(1, len(answered) + 1, name="round"), names)),
    )
