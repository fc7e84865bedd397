"""Plots of what goes on for a while: net by deals, searches by hands, leagues by rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palace_sim.formats import kind_of
from palace_sim.plots.base import BLUE, COLOURS, DASHES, GREY, PALE, PALETTE, axes, head, lengths, need
from palace_sim.statistics import confidence_sequence, interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

POINTS = 400  # of a line: more cannot be seen
BANDS = {"interval": "95 % interval at each number of deals", "sequence": "95 % confidence sequence"}


class Course(NamedTuple):
    """Net of a policy after each deal.

    Attributes
    ----------
    deals : (K,) int64
        Deals so far.
    mean, low, high : (K,) float64
        Mean net until then, chips a hand, and its interval.
    hands : float
        Hands that the policy plays in a deal.
    """

    deals: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    hands: float


def net_over_time(
    table: pd.DataFrame,
    policies: Sequence[str] | None = None,
    band: str = "interval",
    cumulative: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the mean net of each policy over the deals played so far, with its 95 % band.

    The deal is the unit: all hands of a policy in a deal make one figure, line-ups of equal weight.

    Parameters
    ----------
    table : DataFrame
        `Result.deals` (lineup, deal, policy, hands, net) or `Result.seats` (lineup, deal, rotation, policy, net), in
        which all line-ups have played the same deals.
    policies : list of str, optional
        Which to draw; None for all.
    band : {"interval", "sequence"}
        "interval": at each number of deals the interval for whoever looks only there. "sequence": the confidence
        sequence that is tightest at the last deal; it holds for the whole line at once, however often one looks.
    cumulative : bool
        Draw the chips won in all hands so far, instead of their mean.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str, optional
        Title of the axes; None says what is shown.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, there is no such policy, or line-ups have played different deals; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> result = ps.play(["tight", "random"], deals=100, seed=1, rows="deals")
    >>> ax = net_over_time(result.deals)
    >>> float(ax.lines[-1].get_ydata()[-1]) == float(result.summary["mean"].iloc[-1])
    True
    """
    if band not in BANDS:
        raise ValueError(f"band takes one of {', '.join(map(repr, BANDS))}, got {band!r}")
    courses = _courses(table, policies, band)
    ax = axes(ax, 8.0, 4.2)
    ax.axhline(0, color=GREY, linewidth=0.8)
    reach = []
    for k, (name, course) in enumerate(courses.items()):
        unit = course.deals * course.hands if cumulative else 1.0
        colour = PALETTE[k % len(PALETTE)]
        mean, low, high = (unit * part for part in course[1:4])
        ax.fill_between(course.deals, low, high, color=colour, alpha=0.18, linewidth=0)
        ax.plot(course.deals, mean, DASHES[k // len(PALETTE) % len(DASHES)], color=colour, linewidth=1.6, label=name)
        # the first bands are wider than anything that is to be seen
        late = course.deals >= (0 if cumulative else course.deals[-1] / 20)
        reach.append((np.nanmin(low[late]), np.nanmax(high[late])))
    reach = [pair for pair in reach if np.isfinite(pair).all()]
    if reach:
        low, high = min(0.0, *(a for a, _ in reach)), max(0.0, *(b for _, b in reach))
        ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    last = max(int(course.deals[-1]) for course in courses.values())
    ax.set_xlim(0, last)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    if cumulative:
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}".replace("-", "−"))
    ax.grid(axis="y", color=PALE, linewidth=0.7)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    ax.set_xlabel("deals")
    ax.set_ylabel("net of all hands so far, chips" if cumulative else "mean net so far, chips a hand")
    if title is None:
        title = "Net, deal by deal" if cumulative else "Mean net, deal by deal"
    head(ax, title, f"band: {BANDS[band]}")
    return ax


def _courses(table: pd.DataFrame, policies: Sequence[str] | None, band: str) -> dict[str, Course]:
    """Find the course of each policy, the best at the end first."""
    need(table, "lineup", "deal", "policy", "net", takes="Result.deals or Result.seats")
    known = list(dict.fromkeys(map(str, table["policy"])))
    chosen = known if policies is None else [str(name) for name in policies]
    for name in chosen:
        if name not in known:
            raise ValueError(f"policies has {name!r}, which is not in table; it has {', '.join(known)}")
    if not chosen:
        raise ValueError("policies is empty: take None for all")
    names = table["policy"].astype(str)
    found = {name: _course(table[names == name], band) for name in chosen}
    return dict(sorted(found.items(), key=lambda item: -item[1].mean[-1]))


def _course(part: pd.DataFrame, band: str) -> Course:
    """Net of one policy after each deal."""
    hands = part["hands"].to_numpy(np.int64) if "hands" in part else np.ones(len(part), np.int64)
    by = part.assign(hands=hands).groupby(["deal", "lineup"], sort=True)[["net", "hands"]].sum()
    each = (by["net"] / by["hands"]).groupby("deal")
    lineups = by.index.get_level_values("lineup").nunique()
    counts = by["hands"].groupby("deal").sum()
    if (each.size() != lineups).any() or counts.nunique() > 1:
        name = part["policy"].iloc[0]
        raise ValueError(
            f"table takes line-ups that have all played the same deals, and those of {name} have not: pass the rows of "
            f"one line-up, or of a tournament with spend='uniform'"
        )
    figures = each.mean().to_numpy(float)
    many = len(figures)
    at = np.unique(np.linspace(1, many, min(many, POINTS)).round().astype(np.int64))
    centre = figures.mean()  # so that squares do not cancel
    total, square = np.cumsum(figures - centre)[at - 1], np.cumsum((figures - centre) ** 2)[at - 1]
    mean = total / at
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(np.maximum(square - at * mean**2, 0) / (at - 1) / at)
    mean = mean + centre
    if band == "interval":
        low, high = interval(mean, se, at)
    else:
        low, high = confidence_sequence(mean, se, at, planned=many)
    return Course(at, mean, low, high, float(counts.iloc[0]))


def search_course(
    table: pd.DataFrame,
    score: Any = None,
    ax: Axes | None = None,
    title: str = "Course of the search",
) -> Axes:
    """Draw the best and the mean candidate of each generation of a search, and its step size.

    The best of a generation was chosen on the deals on which it is shown, so it looks better than it is; what the
    policy found at last is worth on fresh deals is `score`.

    Parameters
    ----------
    table : DataFrame
        `Optimum.course`: hands; best, best_se and mean in chips a hand; sigma in widths of the bounds.
    score : Estimate, optional
        `Optimum.score`, drawn as a line with its 95 % interval.
    ax : Axes, optional
        Where to draw, step size below; None makes a figure.
    title : str
        Title of the axes.

    Returns
    -------
    Axes
        Those of the net.

    Raises
    ------
    ValueError
        A column is missing, or there are no rows; named.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"hands": [1000, 2000], "best": [1.0, 2.5], "best_se": 0.5, "mean": [0.0, 1.0]})
    >>> ax = search_course(table.assign(sigma=[0.3, 0.2]))
    >>> [line.get_label() for line in ax.lines]
    ['mean of the generation', 'best of the generation']
    """
    need(table, "hands", "best", "best_se", "mean", "sigma", takes="Optimum.course")
    ax = axes(ax, 7.5, 4.8)
    hands, best = table["hands"].to_numpy(float), table["best"].to_numpy(float)
    error = 1.959964 * table["best_se"].to_numpy(float)
    ax.plot(hands, table["mean"], "--", color=GREY, linewidth=1.4, label="mean of the generation")
    ax.plot(hands, best, color=BLUE, linewidth=1.6, marker="o", ms=3.5, label="best of the generation")
    ax.fill_between(hands, best - error, best + error, color=BLUE, alpha=0.15, linewidth=0)
    if score is not None:
        ax.axhline(score.mean, color=COLOURS[1], linewidth=1.6, label="what was found, on fresh deals")
        ax.axhspan(score.ci_low, score.ci_high, color=COLOURS[1], alpha=0.2, linewidth=0)
    ax.grid(color=PALE, linewidth=0.7)
    ax.legend(loc="lower right", frameon=False, fontsize="small")
    ax.set_ylabel("net, chips a hand")
    ax.tick_params(labelbottom=False)
    step = _below(ax)
    step.plot(hands, table["sigma"], color=PALETTE[2], linewidth=1.6)
    step.spines[["top", "right"]].set_visible(False)
    step.grid(color=PALE, linewidth=0.7)
    step.set_ylim(0)
    step.set_ylabel("step size,\nwidths of bounds", fontsize="small")
    step.set_xlabel("hands played")
    step.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    head(ax, title, "band: 95 % interval of the best one's mean net, on the deals on which it was chosen")
    return ax


def _below(ax: Axes) -> Axes:
    """Divide the place of some axes, and return new ones in its lower part."""
    place = ax.get_subplotspec()
    if place is None:  # axes that were put somewhere by hand
        return ax.inset_axes((0.0, -0.42, 1.0, 0.32), sharex=ax)
    upper, lower = place.subgridspec(2, 1, height_ratios=(3, 1))
    ax.set_subplotspec(upper)
    return ax.figure.add_subplot(lower, sharex=ax)


def league_course(table: pd.DataFrame, ax: Axes | None = None, title: str = "Rounds of a league") -> Axes:
    """Draw what the best response found in each round wins from the population's Nash mixture.

    It is a lower bound on how exploitable the mixture is: where it comes down to 0, no policy of the family was found
    that gains against the population.

    Parameters
    ----------
    table : DataFrame
        `League.rounds`: round, support, and mean, ci_low, ci_high in chips a hand.
    ax : Axes, optional
        Where to draw; None makes a figure.
    title : str
        Title of the axes.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        A column is missing, or there are no rows; named.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"round": [1, 2], "support": [1, 2], "mean": [4.0, 1.0], "ci_low": [3.0, 0.5]})
    >>> ax = league_course(table.assign(ci_high=[5.0, 1.5]))
    >>> [text.get_text() for text in ax.texts[1:]]
    ['1', '2']
    """
    need(table, "round", "support", "mean", "ci_low", "ci_high", takes="League.rounds")
    ax = axes(ax, 7.0, 3.8)
    rounds = table["round"].to_numpy(int)
    mean, low, high = (table[name].to_numpy(float) for name in ("mean", "ci_low", "ci_high"))
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.errorbar(rounds, mean, lengths(mean, low, high), color=BLUE, marker="o", ms=5, capsize=3, linewidth=1.3)
    head(ax, title, f"mean and {kind_of(table)}; at each point, how many policies the mixture is made of")
    for number, height, support in zip(rounds, mean, table["support"], strict=True):
        ax.annotate(str(support), (number, height), (6, 5), textcoords="offset points", color=GREY, fontsize="small")
    ax.set_xticks(rounds if len(rounds) <= 25 else rounds[:: len(rounds) // 12])
    ax.grid(axis="y", color=PALE, linewidth=0.7)
    ax.set_xlabel("round")
    ax.set_ylabel("net of the best response, chips a hand")
    return ax
