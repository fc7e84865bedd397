"""Why one policy is ahead of another, and how much of a tournament was luck at the draws."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.conducting import Conductor, Group, Running, rows_of, standing_of
from palace_sim.formats import estimates_html, shown
from palace_sim.kernels.luck import FEATURES, NAMES, UNIT
from palace_sim.plans import Plan
from palace_sim.standing import Standing
from palace_sim.statistics import interval
from palace_sim.statistics.lineups import Figures, figures
from palace_sim.statistics.sequences import confidence_sequence

if TYPE_CHECKING:
    import pandas as pd

PILOT = 1 << 41  # number of the first deal that a value function is fitted on: no run plays them

# What a hand's net is made of; the columns of `seats` with their sign, and the won part by how it was won.
PARTS = {
    "antes": "paid_ante",
    "buys": "paid_buy",
    "attacks made": "paid_attack",
    "attacks met": "paid_call",
    "raises": "paid_raise",
}


@dataclasses.dataclass(frozen=True)
class Reasons:
    """Where the difference between two policies comes from.

    Attributes
    ----------
    parts : DataFrame
        A row a part of the net: `part`, the chips a hand that it brought each policy (columns by their names),
        `difference`, its `se`, `ci_low` and `ci_high`. The parts add up to the last row, "net".
    deals : DataFrame
        The deals that differ most: `deal`, `difference` (chips over all hands of both), and of the hand in which the
        ahead one did best the `lineup` and `rotation`, for `palace_sim.replay`.
    """

    parts: pd.DataFrame
    deals: pd.DataFrame

    def __str__(self) -> str:
        shown = self.parts.to_string(index=False, float_format=lambda x: f"{x:.3f}")
        return f"{shown}\n\nDeals that differ most:\n{self.deals.to_string(index=False)}"

    def _repr_html_(self) -> str:
        numbers = estimates_html(self.parts, {str(name): str(name) for name in self.parts.columns})
        return f"{numbers}{self.deals.to_html(index=False)}"


def rows_again(plan: Plan, chosen: np.ndarray, deals: int, running: Running) -> pd.DataFrame:
    """Play the first deals of some line-ups again and return their rows of `seats`."""
    rows = dataclasses.replace(plan, deals=deals, rows=deals, deal_rows=0, lineups=plan.lineups[chosen], luck=False)
    conductor = Conductor(rows, dataclasses.replace(running, folder=None), {"rows": deals})
    conductor.play(np.arange(len(chosen)), plan.first, plan.first + deals)
    table = rows_of(rows, list(conductor.groups.values()), "seats")
    return table.assign(lineup=chosen.astype(np.int32)[table["lineup"].to_numpy()])


def reasons(plan: Plan, a: str, b: str, deals: int, running: Running, most: int = 10) -> Reasons:
    """Return where the difference in mean net between two policies comes from.

    Parameters
    ----------
    plan : Plan
        What was played.
    a, b : str
        Names of two policies.
    deals : int
        Deals, from the first on, that are played again for it.
    running : Running
        How to play them.
    most : int
        Deals to name.
    """
    import pandas as pd

    names = [policy.name for policy in plan.policies]
    for name in (a, b):
        if name not in names:
            raise ValueError(f"policy {name!r} did not play; there are: {', '.join(names)}")
    if a == b:
        raise ValueError(f"a and b are both {a!r}: take two policies")
    i, j = names.index(a), names.index(b)
    chosen = np.flatnonzero(((plan.lineups == i) | (plan.lineups == j)).any(axis=1))
    seats = rows_again(plan, chosen, deals, running)
    seats = seats[seats["policy"].isin([a, b])].copy()
    parts = pd.DataFrame({part: -seats[column].astype(np.int64) for part, column in PARTS.items()})
    won, outcome = seats["won"].astype(np.int64), seats["outcome"].astype(str)
    alone, split = seats["end"].astype(str).eq("one left"), outcome.eq("split")
    parts["pots of the last one left"] = won.where(alone, 0)
    parts["splits"] = won.where(split & ~alone, 0)
    parts["showdowns"] = won.where(~alone & ~split, 0)
    parts["net"] = seats["net"].astype(np.int64)
    keys = [seats["policy"].astype(str), seats["lineup"], seats["deal"]]
    by_deal = parts.groupby(keys).mean().groupby(level=[0, 2]).mean()  # lineups of equal weight
    mine, other = by_deal.loc[a], by_deal.loc[b]
    gap = mine - other
    se = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else gap.iloc[0] * np.nan
    low, high = interval(gap.mean().to_numpy(), se.to_numpy(), len(gap))
    table = pd.DataFrame(
        {
            "part": parts.columns,
            a: mine.mean().to_numpy(),
            b: other.mean().to_numpy(),
            "difference": gap.mean().to_numpy(),
            "se": se.to_numpy(),
            "ci_low": low,
            "ci_high": high,
        }
    )
    return Reasons(shown(table), _extreme(seats, a, b, most))


def _extreme(seats: pd.DataFrame, a: str, b: str, most: int) -> pd.DataFrame:
    """Return the deals whose nets differ most between two policies, and a hand of each to look at."""
    import pandas as pd

    signed = seats["net"].where(seats["policy"].astype(str) == a, -seats["net"])
    total = signed.groupby(seats["deal"]).sum()
    order = total.abs().sort_values(ascending=False, kind="stable").index[:most]
    rows = []
    for deal in order:
        of_deal = seats["deal"] == deal
        hands = signed[of_deal].groupby([seats.loc[of_deal, "lineup"], seats.loc[of_deal, "rotation"]]).sum()
        lineup, rotation = (hands * np.sign(total[deal])).idxmax() if total[deal] else hands.index[0]
        rows.append({"deal": deal, "difference": int(total[deal]), "lineup": int(lineup), "rotation": int(rotation)})
    return pd.DataFrame(rows, columns=["deal", "difference", "lineup", "rotation"])


# --- luck at the draws ------------------------------------------------------------------------------------------------


def luck_controls(standing: Standing) -> np.ndarray:
    """Controls of each member by batch and line-up: the own luck, and that of all others: (B, L, seats, 2·FEATURES)."""
    seats = standing.members.shape[1]
    start = seats + seats * (seats - 1) // 2
    shape = (*standing.batches.shape[:2], seats, FEATURES)
    own = standing.batches[:, :, start:].reshape(shape) / UNIT
    return np.concatenate([own, own.sum(axis=2, keepdims=True) - own], axis=3)


def fit_weights(standing: Standing) -> np.ndarray:
    """Fit what each feature of luck is worth to each policy: chips, (P, 2·FEATURES), by least squares over batches.

    Weights that do not hold on the half of the batches that they were not fitted on are left at 0: where a few deals
    of very many draws decide the fit, it would add noise.
    """
    seats, many = standing.members.shape[1], len(standing.names)
    used = (standing.batch_deals > 0).all(axis=1)
    controls, net = luck_controls(standing)[used], standing.batches[used][:, :, :seats].astype(np.float64)
    deals = standing.batch_deals[used].mean(axis=1)  # the same for all line-ups of a pilot
    weights = np.zeros((many, 2 * FEATURES))
    even = np.arange(len(net)) % 2 == 0
    for policy in range(many):
        held = standing.members == policy
        x, y = _centred(controls[:, held].sum(axis=1), deals), _centred(net[:, held].sum(axis=1), deals)
        left = np.concatenate([y[half] - x[half] @ _solve(x[~half], y[~half]) for half in (even, ~even)])
        if left.var() < y.var():
            weights[policy] = _solve(x, y)
    return weights


def _centred(sums: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Take their mean off the sums of batches."""
    centred: np.ndarray = sums - np.multiply.outer(deals, sums.sum(axis=0) / deals.sum())
    return centred


def _solve(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.linalg.lstsq(x, y, rcond=None)[0]
    return found


def adjusted(standing: Standing, weights: np.ndarray) -> Figures:
    """Return the figures of policies less what luck at the draws was worth, by weights fitted on other deals."""
    seats = standing.members.shape[1]
    luck = np.einsum("blsf,lsf->bls", luck_controls(standing), weights[standing.members])
    sums = standing.batches[:, :, :seats] - luck
    many = len(standing.names)
    return figures(standing.members, standing.batch_deals, sums, standing.rotations, many, standing.weights)


def luckless(
    plan: Plan, groups: list[Group], pilot: int, weights: Any, running: Running, sequential: int = 0
) -> pd.DataFrame:
    """Return the table of `Tournament.without_luck`."""
    import pandas as pd

    standing = standing_of(plan, groups)
    if weights is None:
        test = dataclasses.replace(plan, first=PILOT, deals=pilot, rows=0, deal_rows=0)
        conductor = Conductor(test, dataclasses.replace(running, folder=None), {"rows": False})
        conductor.play(np.arange(len(plan.lineups)), PILOT, PILOT + pilot)
        weights = fit_weights(conductor.standing())
    weights = np.broadcast_to(np.asarray(weights, np.float64), (len(standing.names), 2 * FEATURES))
    plain, less = standing.figures, adjusted(standing, weights)
    if sequential:
        low, high = confidence_sequence(less.mean, less.se, np.maximum(standing.evidence, 1), planned=sequential)
    else:
        low, high = interval(less.mean, less.se, len(less.contributions))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(less.se > 0, (plain.se / less.se) ** 2, np.nan)
    table = pd.DataFrame(
        {
            "policy": standing.names,
            "mean": plain.mean,
            "se": plain.se,
            "without_luck": less.mean,
            "without_luck_se": less.se,
            "ci_low": low,
            "ci_high": high,
            "factor": factor,
            "rotations": standing.reduction,
        }
    )
    table.attrs["weights"] = pd.DataFrame(
        weights, standing.names, [f"{whose} {name}" for whose in ("own", "others'") for name in NAMES]
    )
    return shown(table.sort_values(["without_luck", "policy"], ascending=[False, True], ignore_index=True))
