"""From exact sums and rows to the DataFrames that people read; columns as documented here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.formats import shown
from palace_sim.kernels.state import ENDS, OUTCOMES
from palace_sim.standing import Standing
from palace_sim.statistics import interval, letters
from palace_sim.statistics.sequences import confidence_sequence

if TYPE_CHECKING:
    import pandas as pd

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
        "ci_low": "lower end of the interval of the mean",
        "ci_high": "upper end",
        "sb100": "mean in small bets per 100 hands",
        "sb100_se": "its standard error",
        "pot_share": "chips won as a share of all chips in the pots of its hands",
        "group": "policies that share a letter are not told apart (family-wise 95 %, max-|t| over all pairs)",
        "interval": "what the interval is: 95 % interval (Student's t), or 95 % confidence sequence where the results "
        "decided the number of deals; groups then come from such sequences of all pairs",
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


INTERVAL, SEQUENCE = "95 % interval", "95 % confidence sequence"


def summary(standing: Standing, small_bet: int, sequential: int = 0) -> pd.DataFrame:
    """Return a row a policy, best first: mean net, its error and interval, and groups (see COLUMNS).

    Parameters
    ----------
    standing : Standing
        The state of the run.
    small_bet : int
        Chips of a small bet.
    sequential : int
        0 for a number of deals fixed beforehand. Else deals were played until the results said to stop, and this many
        had been planned for: intervals and groups then come from confidence sequences.
    """
    import pandas as pd

    mean, se = standing.means
    if sequential:
        low, high = confidence_sequence(mean, se, np.maximum(standing.evidence, 1), LEVEL, planned=sequential)
        apart = apart_in_sequence(standing, sequential)
    else:
        low, high = interval(mean, se, standing.units, LEVEL)
        apart = standing.told_apart()
    to_sb100 = 100.0 / small_bet
    table = pd.DataFrame(
        {
            "policy": standing.names,
            "hands": standing.policy[:, 0],
            "deals": standing.deals,
            "mean": mean,
            "se": se,
            "ci_low": low,
            "ci_high": high,
            "sb100": mean * to_sb100,
            "sb100_se": se * to_sb100,
            "pot_share": standing.policy[:, 2] / np.maximum(standing.policy[:, 3], 1),
            "group": letters(mean, ~apart),
            "interval": SEQUENCE if sequential else INTERVAL,
        }
    )
    return shown(table.sort_values(["mean", "policy"], ascending=[False, True], ignore_index=True))


def apart_in_sequence(standing: Standing, planned: int) -> np.ndarray:
    """Pairs whose confidence sequences at a joint 95 % (0.05 over the number of pairs each) exclude 0: (P, P) bool."""
    gap, half = gaps_in_sequence(standing, planned)
    apart: np.ndarray = np.abs(gap) > half
    np.fill_diagonal(apart, False)
    return apart


def gaps_in_sequence(standing: Standing, planned: int, level: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return all paired differences, and the half-widths of their confidence sequences.

    Parameters
    ----------
    standing : Standing
        The state of the run.
    planned : int
        Deals at which they are tightest.
    level : float, optional
        Of each; None for a joint 95 % over all pairs.
    """
    many = len(standing.names)
    pairs = max(many * (many - 1) // 2, 1)
    gap, se = standing.differences
    deals = np.maximum(np.minimum(standing.evidence[:, None], standing.evidence[None, :]), 1)
    low, high = confidence_sequence(0.0 * gap, se, deals, level or 1 - (1 - LEVEL) / pairs, planned=planned)
    return gap, (high - low) / 2


def crosstable(standing: Standing) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return means and standard errors of half the difference in net between two policies that sit together.

    Heads-up that is the net of the row's policy against the column's, in chips a hand; at larger tables half the mean
    of net_i - net_j over the hands in which both sit. NaN where two never met.
    """
    import pandas as pd

    mean, se = standing.crosstable
    order = list(np.argsort([-x for x in np.nansum(mean, axis=1)], kind="stable"))
    labels = [standing.names[k] for k in order]

    def table(values: np.ndarray) -> pd.DataFrame:
        made = pd.DataFrame(values[np.ix_(order, order)], index=labels, columns=labels)
        made.index.name, made.columns.name = "policy", "against"
        return shown(made)

    return table(mean), table(se)


def difference(standing: Standing, a: str, b: str, sequential: int = 0) -> dict[str, float]:
    """Return the paired difference in mean net between two policies over the deals that both played.

    Returns
    -------
    dict
        mean (chips a hand), se, ci_low, ci_high, deals.
    """
    names = standing.names
    for name in (a, b):
        if name not in names:
            raise ValueError(f"policy {name!r} did not play; there are: {', '.join(names)}")
    i, j = names.index(a), names.index(b)
    mean, se = (float(table[i, j]) for table in standing.differences)
    deals = int(min(standing.deals[i], standing.deals[j]))
    if sequential:
        evidence = max(min(standing.evidence[i], standing.evidence[j]), 1)
        low, high = confidence_sequence(mean, se, evidence, LEVEL, planned=sequential)
    else:
        low, high = interval(mean, se, standing.units, LEVEL)
    return {"mean": mean, "se": se, "ci_low": float(low), "ci_high": float(high), "deals": deals}
