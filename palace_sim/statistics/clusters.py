"""Means over line-ups that did not all play the same deals, from the table of deals.

A policy's figure is the equal-weight mean m of its L line-up means m_l. With n_l deals in line-up l and x_dl the
policy's net a hand in deal d there,

    u_d = Σ_l (x_dl − m_l)/(L·n_l),    se² = D/(D−1)·Σ u_d²,

the sums over the line-ups that played the deal and over the D deals that the policy met anywhere. Line-ups that share
a deal share its luck, and this counts it: it is the cluster-robust variance with the deal as the cluster (Liang and
Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986). Where all line-ups play the
same deals it is the standard error of `means`. Where they do not, a line-up of few deals is made a little too sure, by
a share of 1/n_l of its variance; one of a single deal shows no spread, and then there is no standard error: NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palace_sim.statistics.intervals import interval

if TYPE_CHECKING:
    import pandas as pd


class _Parts(NamedTuple):
    """What P policies did in D deals."""

    names: list[str]
    hands: NDArray[np.int64]  # (P,)
    lineups: NDArray[np.int64]  # (P,)
    deals: NDArray[np.int64]  # (P,)
    mean: NDArray[np.float64]  # (P,)
    errors: NDArray[np.float64]  # (D, P): u_d
    single: NDArray[np.bool_]  # (P,): has a line-up of a single deal


def lineup_means(deals: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Mean net a hand of each policy, every line-up with the same weight, best first.

    Parameters
    ----------
    deals : DataFrame
        Columns lineup, deal, policy, hands, net: a row for each policy of a line-up and deal, in any order.
    level : float
        Share of intervals that cover.

    Returns
    -------
    DataFrame
        policy, hands, lineups, deals (different ones), mean, se, ci_low, ci_high (chips a hand; Student's t with
        deals − 1 degrees of freedom).

    Examples
    --------
    Line-up 0 plays deals 0 to 3, line-up 1 deals 2 and 3.

    >>> import pandas as pd
    >>> deals = pd.DataFrame({"lineup": [0, 0, 0, 0, 1, 1], "deal": [0, 1, 2, 3, 2, 3], "policy": "x", "hands": 2,
    ...                       "net": [0, 4, 8, 4, 2, -2]})
    >>> lineup_means(deals)[["policy", "hands", "lineups", "deals", "mean", "se"]].round(4)
      policy  hands  lineups  deals  mean      se
    0      x     12        2      4   1.0  0.7071
    """
    import pandas as pd

    parts = _parts(deals)
    count = parts.deals
    square = (parts.errors**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.where(parts.single, np.nan, np.sqrt(square * count / (count - 1)))
    low, high = interval(parts.mean, se, count, level)
    made = pd.DataFrame(
        {
            "policy": parts.names,
            "hands": parts.hands,
            "lineups": parts.lineups,
            "deals": count,
            "mean": parts.mean,
            "se": se,
            "ci_low": low,
            "ci_high": high,
        }
    )
    return made.sort_values(["mean", "policy"], ascending=[False, True], ignore_index=True)


def lineup_difference(deals: pd.DataFrame, a: str, b: str, level: float = 0.95) -> dict[str, float]:
    """Mean net of one policy less that of another, paired: over the deals that both played.

    Parameters
    ----------
    deals : DataFrame
        As for `lineup_means`.
    a, b : str
        Two different policies.
    level : float
        Share of intervals that cover.

    Returns
    -------
    dict
        mean (chips a hand), se, ci_low, ci_high, deals.

    Raises
    ------
    ValueError
        A policy did not play, or the two have no deal in common.

    Examples
    --------
    >>> import pandas as pd
    >>> deals = pd.DataFrame({"lineup": 0, "deal": [0, 0, 1, 1], "policy": ["x", "y"] * 2, "hands": 1,
    ...                       "net": [3, 1, 9, 5]})
    >>> found = lineup_difference(deals, "x", "y")
    >>> print(found["mean"], found["se"])      # differences 2 and 4
    3.0 1.0
    """
    played = []
    for name in (a, b):
        met = deals["policy"] == name
        if not met.any():
            known = sorted(str(word) for word in deals["policy"].unique())
            raise ValueError(f"policy {name!r} did not play; there are: {', '.join(known)}")
        played.append(deals.loc[met])
    if a == b:
        raise ValueError(f"a and b are both {a!r}: two different policies")
    shared = np.intersect1d(played[0]["deal"], played[1]["deal"])
    if not len(shared):
        raise ValueError(f"policies {a!r} and {b!r} have no deal in common")
    import pandas as pd

    both = pd.concat([rows.loc[np.isin(rows["deal"], shared)] for rows in played])
    parts = _parts(both)
    one, other, count = parts.names.index(a), parts.names.index(b), len(shared)
    mean = float(parts.mean[one] - parts.mean[other])
    error = parts.errors[:, one] - parts.errors[:, other]
    se = np.nan
    if count > 1 and not (parts.single[one] or parts.single[other]):
        se = float(np.sqrt(count / (count - 1) * (error**2).sum()))
    low, high = interval(mean, se, count, level)
    return {"mean": mean, "se": se, "ci_low": float(low), "ci_high": float(high), "deals": count}


def variance_reduction(seats: pd.DataFrame) -> pd.DataFrame:
    """Factor by which playing every deal in all rotations cut the variance of each policy's mean.

    Parameters
    ----------
    seats : DataFrame
        Columns lineup, deal, policy, net: a row for each hand of a policy.

    Returns
    -------
    DataFrame
        policy, hands, deals, factor: the variance that the mean would have if as many hands of each line-up had been
        independent, over the variance that it has with the deal as the unit. Above 1 the rotations, and line-ups that
        share deals, brought something: as much as that many times the hands. NaN where either cannot be found, infinite
        where nothing is left to chance.

    Examples
    --------
    Two seatings of each deal, whose luck is turned round: hands have variance 737, deals one of a half.

    >>> import pandas as pd
    >>> seats = pd.DataFrame({"lineup": 0, "deal": [0, 0, 1, 1], "policy": "x", "net": [10, -8, -30, 34]})
    >>> print(variance_reduction(seats)[["policy", "hands", "deals", "factor"]].round(1).to_string(index=False))
    policy  hands  deals  factor
         x      4      2   737.0
    """
    hands = seats.groupby(["policy", "lineup"], observed=True)["net"].agg(["size", "var"]).reset_index()
    grouped = seats.groupby(["lineup", "deal", "policy"], observed=True)["net"].agg(["size", "sum"]).reset_index()
    table = lineup_means(grouped.rename(columns={"size": "hands", "sum": "net"})).set_index("policy")
    hands["variance"] = hands["var"] / hands["size"]
    names = sorted(str(name) for name in table.index)
    factors = []
    for name in names:
        mine = hands.loc[hands["policy"] == name, "variance"].to_numpy(np.float64)
        alone, together = mine.mean() / len(mine), table.loc[name, "se"] ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            factors.append(float(np.float64(alone) / together))
    counts = table.loc[names, ["hands", "deals"]].reset_index()
    return counts.assign(factor=factors)


def _parts(deals: pd.DataFrame) -> _Parts:
    import pandas as pd

    if not len(deals):
        raise ValueError("deals has no rows")
    codes, found = pd.factorize(deals["policy"])
    words = [str(word) for word in found]
    names = sorted(words)
    policy = np.array([names.index(word) for word in words], np.int64)[codes]
    columns = [np.asarray(deals[name], np.int64) for name in ("lineup", "deal", "hands")]
    # In one order whatever the order of the rows, so that sums of floats are the same too.
    order = np.lexsort((columns[1], columns[0], policy))
    policy = policy[order]
    lineup, deal, hands = (column[order] for column in columns)
    net = np.asarray(deals["net"], np.float64)[order]
    same_group = (np.diff(policy) == 0) & (np.diff(lineup) == 0)
    twice = np.flatnonzero(same_group & (np.diff(deal) == 0))
    if len(twice):
        row = twice[0]
        raise ValueError(f"deals has {names[policy[row]]!r} twice in line-up {lineup[row]}, deal {deal[row]}")
    if (hands < 1).any():
        raise ValueError("deals: 1 hand or more in every row")
    group = np.r_[0, np.cumsum(~same_group)]
    first = np.flatnonzero(np.r_[True, ~same_group])
    size = np.bincount(group)
    figure = net / hands
    group_mean = _sums(figure, group) / size
    owner = policy[first]
    groups_of = np.bincount(owner)
    mean = _sums(group_mean, owner) / groups_of
    rest = (figure - group_mean[group]) / (groups_of[policy] * size[group])
    different, place = np.unique(deal, return_inverse=True)
    many = len(names)
    errors = _sums(rest, place * many + policy, len(different) * many).reshape(-1, many)
    met = np.zeros(errors.shape, np.bool_)
    met[place, policy] = True
    single = np.zeros(many, np.bool_)
    single[owner[size == 1]] = True
    total_hands = np.array([int(hands[policy == p].sum()) for p in range(many)], np.int64)
    return _Parts(names, total_hands, groups_of, met.sum(axis=0), mean, errors, single)


def _sums(values: NDArray[np.float64], at: NDArray[Any], size: int = 0) -> NDArray[np.float64]:
    return np.asarray(np.bincount(at, weights=values, minlength=size), np.float64)
