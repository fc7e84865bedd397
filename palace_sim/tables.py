"""From exact sums and rows to the DataFrames that people read; columns as documented here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.kernels.state import ENDS, OUTCOMES
from palace_sim.statistics import differences, interval, letters, means, paired, told_apart

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.run import Plan, Totals

LEVEL = 0.95

#: Columns of `seats`, `battles`, `deals` and `summary`: what they hold and in which unit.
COLUMNS = {
    "seats": {
        "lineup": "index of the line-up",
        "deal": "number of the deal",
        "rotation": "number of the rotation",
        "seat": "seat at the table",
        "position": "seats to the left of the dealer's left neighbour, who has 0",
        "policy": "name of the policy (category)",
        "net": "chips won less paid, returned chips taken off",
        "won": "chips won from the pot",
        "paid_ante": "chips paid as ante (R5)",
        "paid_buy": "chips paid for soldiers (R12)",
        "paid_attack": "chips bet as attacker, the excess of R20 included, returned chips taken off",
        "paid_call": "chips paid for calls, the calling part of a raise included",
        "paid_raise": "chips raised on top of calls, returned chips taken off",
        "outcome": "how the seat did: " + ", ".join(OUTCOMES[1:]) + " (category)",
        "end": "how the hand ended: " + ", ".join(ENDS[1:]) + " (category)",
        "turns": "turns that the seat took",
        "buys": "soldiers bought",
        "attacks": "attacks made",
        "defences": "attacks met",
        "battles_won": "battles won, by a call or a fold",
        "battles_lost": "battles lost at a call",
        "battles_folded": "battles folded",
    },
    "battles": {
        "lineup": "index of the line-up",
        "deal": "number of the deal",
        "rotation": "number of the rotation",
        "turn": "whole turns of the hand before this one",
        "attacker": "seat of the attacker",
        "defender": "seat of the defender",
        "attacker_soldiers": "soldiers of the attacker",
        "defender_soldiers": "soldiers of the defender",
        "attacker_usable": "cards of the attacker that count (R24)",
        "defender_usable": "cards of the defender that count (R24)",
        "attacker_price": "price of the attack in chips (R18)",
        "defender_price": "price of the call in chips, without any raise (R18)",
        "pot": "chips in the pot when the battle ended, returned chips taken off",
        "raises": "raises by both sides",
        "end": "fold or call (category)",
        "winner": "seat of the winner, -1 for a tie",
    },
    "deals": {
        "lineup": "index of the line-up",
        "deal": "number of the deal",
        "policy": "name of the policy (category)",
        "hands": "hands that the policy played in this deal and line-up",
        "net": "net chips over those hands",
    },
    "summary": {
        "policy": "name of the policy",
        "hands": "hands played",
        "deals": "deals played: the unit of the standard error",
        "mean": "net chips a hand",
        "se": "standard error of the mean; NaN for a single deal",
        "ci_low": "lower end of the 95 % interval of the mean (Student's t)",
        "ci_high": "upper end",
        "sb100": "mean in small bets per 100 hands",
        "sb100_se": "its standard error",
        "pot_share": "chips won as a share of all chips in the pots of its hands",
        "group": "policies that share a letter are not told apart (family-wise 95 %, max-|t| over all pairs)",
    },
}


def _category(codes: np.ndarray, words: Any) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(codes, categories=list(words))


def frame(found: dict[str, np.ndarray], kind: str, names: list[str]) -> pd.DataFrame:
    """Return the columns of "seats", "battles" or "deals" as a DataFrame, without copying them.

    Parameters
    ----------
    found : dict of str to array
        Columns as they were written.
    kind : str
        Which of them.
    names : list of str
        Names of the policies.
    """
    import pandas as pd

    columns: dict[str, Any] = {name: found[name] for name in COLUMNS[kind]}
    if "policy" in columns:
        columns["policy"] = _category(columns["policy"], names)
    if "outcome" in columns:
        columns["outcome"] = _category(columns["outcome"], OUTCOMES)
    if "end" in columns:
        columns["end"] = _category(columns["end"], ENDS if kind == "seats" else ("fold", "call"))
    return pd.DataFrame(columns, copy=False)


def hands_per_deal(plan: Plan) -> list[int]:
    """Hands a deal of each policy, over all line-ups and rotations."""
    counts = np.bincount(plan.lineups.ravel(), minlength=len(plan.policies))
    return [int(count) * plan.rotations for count in counts]


def summary(plan: Plan, totals: Totals) -> pd.DataFrame:
    """Return a row a policy, best first: mean net, its error and interval, and groups (see COLUMNS)."""
    import pandas as pd

    deals, hands = totals.deals, hands_per_deal(plan)
    net = [int(x) for x in totals.policy[:, 1]]
    mean, se = means(net, totals.products, deals, hands)
    low, high = interval(mean, se, deals, LEVEL)
    apart = told_apart(totals.batch_deals, totals.batch_net, hands, totals.products, net)
    names = [policy.name for policy in plan.policies]
    to_sb100 = 100.0 / plan.rules.small_bet
    table = pd.DataFrame(
        {
            "policy": names,
            "hands": totals.policy[:, 0],
            "deals": deals,
            "mean": mean,
            "se": se,
            "ci_low": low,
            "ci_high": high,
            "sb100": mean * to_sb100,
            "sb100_se": se * to_sb100,
            "pot_share": totals.policy[:, 2] / np.maximum(totals.policy[:, 3], 1),
            "group": letters(mean, ~apart),
        }
    )
    return table.sort_values(["mean", "policy"], ascending=[False, True], ignore_index=True)


def crosstable(plan: Plan, totals: Totals) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return means and standard errors of half the difference in net between two policies that sit together.

    Heads-up that is the net of the row's policy against the column's, in chips a hand; at larger tables half the mean
    of net_i - net_j over the hands in which both sit. NaN where two never met.
    """
    import pandas as pd

    many = len(plan.policies)
    names = [policy.name for policy in plan.policies]
    mean, se = np.full((many, many), np.nan), np.full((many, many), np.nan)
    for i in range(many):
        for j in range(many):
            with_i = (plan.lineups == i).sum(axis=1)
            with_j = (plan.lineups == j).sum(axis=1)
            hands = int((with_i * with_j).sum()) * plan.rotations
            if i != j and hands:
                total, square = int(totals.pair_net[i, j]), int(totals.pair_squares[i, j])
                mean[i, j], se[i, j] = paired(total, 0, square, 0, 0, totals.deals, 2 * hands, 1)
    order = list(np.argsort([-x for x in np.nansum(mean, axis=1)], kind="stable"))
    labels = [names[k] for k in order]

    def table(values: np.ndarray) -> pd.DataFrame:
        made = pd.DataFrame(values[np.ix_(order, order)], index=labels, columns=labels)
        made.index.name, made.columns.name = "policy", "against"
        return made

    return table(mean), table(se)


def difference(plan: Plan, totals: Totals, a: str, b: str) -> dict[str, float]:
    """Return the paired difference in mean net between two policies over the deals that both played.

    Returns
    -------
    dict
        mean (chips a hand), se, ci_low, ci_high, deals.
    """
    names = [policy.name for policy in plan.policies]
    for name in (a, b):
        if name not in names:
            raise ValueError(f"policy {name!r} did not play; there are: {', '.join(names)}")
    net = [int(x) for x in totals.policy[:, 1]]
    mean, se = differences(net, totals.products, totals.deals, hands_per_deal(plan))
    i, j = names.index(a), names.index(b)
    low, high = interval(mean[i, j], se[i, j], totals.deals, LEVEL)
    return {
        "mean": float(mean[i, j]),
        "se": float(se[i, j]),
        "ci_low": float(low),
        "ci_high": float(high),
        "deals": totals.deals,
    }
