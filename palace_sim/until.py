"""When a tournament may stop: rules that look at its state now and then (public as `palace_sim.until`).

Stopping on what one sees makes intervals of a fixed number of deals too narrow: after it they are confidence sequences,
which hold however often one looks, and the tables say so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from palace_sim.arguments import is_number
from palace_sim.standing import Standing
from palace_sim.statistics.sequences import Sprt, confidence_sequence
from palace_sim.tables import gaps_in_sequence

__all__ = ["Rule", "apart", "leader", "sprt", "width"]


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule to stop by; made by the functions of this module."""

    def check(self, names: list[str]) -> None:
        """Refuse policies that do not play.

        Parameters
        ----------
        names : list of str
            Names of those that play.
        """

    def reached(self, standing: Standing, planned: int, small_bet: int) -> str | None:
        """Say why to stop now; None to go on.

        Parameters
        ----------
        standing : Standing
            The tournament as it stands.
        planned : int
            Deals that were planned for, at which confidence sequences are tightest.
        small_bet : int
            Chips of a small bet.
        """
        raise NotImplementedError

    def targets(self, standing: Standing, planned: int) -> list[tuple[int, ...]]:
        """Return the pairs of policies (or policies) that keep the rule from being reached, nearest to it first.

        Parameters
        ----------
        standing, planned
            As for `reached`.
        """
        return pairs_not_apart(standing, planned)

    def as_dict(self) -> dict[str, Any]:
        """Return the rule as its name and arguments, for a manifest."""
        return {"rule": type(self).__name__.lower(), **dataclasses.asdict(self)}


def pairs_not_apart(
    standing: Standing, planned: int, among: np.ndarray | None = None, level: float | None = None
) -> list[tuple[int, ...]]:
    """Return the pairs that are not told apart, those first whose difference is most of its half-width.

    A pair that is hopelessly close comes last, and keeps no deals from the others.

    Parameters
    ----------
    standing, planned, level
        As for `palace_sim.tables.gaps_in_sequence`.
    among : (P, P) bool, optional
        The pairs that count.
    """
    gap, half = gaps_in_sequence(standing, planned, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(np.abs(gap) / half, posinf=0.0)  # twins have a difference of exactly 0, and no error
    open_ = ~(np.abs(gap) > half)
    if among is not None:
        open_ &= among
    many = len(standing.names)
    pairs = [(i, j) for i in range(many) for j in range(i) if open_[i, j]]
    return sorted(pairs, key=lambda pair: -share[pair])


def from_dict(said: dict[str, Any]) -> Rule:
    """Return the rule that `Rule.as_dict` told of."""
    arguments = {key: value for key, value in said.items() if key != "rule"}
    return {"width": Width, "leader": Leader, "apart": Apart, "ratio": Ratio}[said["rule"]](**arguments)


@dataclasses.dataclass(frozen=True)
class Width(Rule):
    """See `width`."""

    half_width: float

    def reached(self, standing: Standing, planned: int, small_bet: int) -> str | None:
        widest = float(np.max(self._half_widths(standing, planned)))
        return f"every half-width is at most {self.half_width:g} chips a hand" if widest <= self.half_width else None

    def targets(self, standing: Standing, planned: int) -> list[tuple[int, ...]]:
        half = self._half_widths(standing, planned)
        return [(int(k),) for k in np.argsort(half, kind="stable") if not half[k] <= self.half_width]

    @staticmethod
    def _half_widths(standing: Standing, planned: int) -> np.ndarray:
        mean, se = standing.means
        low, high = confidence_sequence(0.0 * mean, se, np.maximum(standing.evidence, 1), planned=planned)
        half: np.ndarray = (high - low) / 2
        return half


@dataclasses.dataclass(frozen=True)
class Leader(Rule):
    """See `leader`."""

    level: float

    def reached(self, standing: Standing, planned: int, small_bet: int) -> str | None:
        best, gap, half = self._lead(standing, planned)
        return f"{standing.names[best]} leads at {100 * self.level:g} %" if (gap > half).all() else None

    def targets(self, standing: Standing, planned: int) -> list[tuple[int, ...]]:
        best, _, _ = self._lead(standing, planned)
        among = np.zeros((len(standing.names),) * 2, np.bool_)
        among[best, :] = among[:, best] = True
        return pairs_not_apart(standing, planned, among, self._each(standing))

    def _each(self, standing: Standing) -> float:
        """Level of each comparison with the leader, so that all hold at once."""
        return 1 - (1 - self.level) / max(len(standing.names) - 1, 1)

    def _lead(self, standing: Standing, planned: int) -> tuple[int, np.ndarray, np.ndarray]:
        best = int(np.nanargmax(standing.means[0]))
        tables = gaps_in_sequence(standing, planned, self._each(standing))
        gap, half = (np.delete(table[best], best) for table in tables)
        return best, gap, half


@dataclasses.dataclass(frozen=True)
class Apart(Rule):
    """See `apart`."""

    but: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "but", tuple((str(a), str(b)) for a, b in self.but))

    def check(self, names: list[str]) -> None:
        _known([name for pair in self.but for name in pair], names)

    def reached(self, standing: Standing, planned: int, small_bet: int) -> str | None:
        return None if self.targets(standing, planned) else "every pair is told apart"

    def targets(self, standing: Standing, planned: int) -> list[tuple[int, ...]]:
        among = np.ones((len(standing.names),) * 2, np.bool_)
        for a, b in self.but:
            i, j = standing.names.index(a), standing.names.index(b)
            among[i, j] = among[j, i] = False
        return pairs_not_apart(standing, planned, among)


@dataclasses.dataclass(frozen=True)
class Ratio(Rule):
    """See `sprt`."""

    a: str
    b: str
    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        Sprt(self.h0, self.h1, self.alpha, self.beta)  # refuses what cannot be

    def check(self, names: list[str]) -> None:
        _known([self.a, self.b], names)

    def reached(self, standing: Standing, planned: int, small_bet: int) -> str | None:
        whole = standing.whole
        assert whole is not None  # deals are not spent adaptively under this rule
        i, j = standing.names.index(self.a), standing.names.index(self.b)
        hands = standing.hands_per_deal
        test = Sprt(self.h0, self.h1, self.alpha, self.beta, small_bet, hands[i])
        total = int(whole.policy[i, 1]) - int(whole.policy[j, 1])
        square = int(whole.products[i, i]) - 2 * int(whole.products[i, j]) + int(whole.products[j, j])
        decision = test.update(whole.deals, total, square)
        if decision is None:
            return None
        less = self.h1 if decision == "H1" else self.h0
        found = f"{self.a} less {self.b} is {less:g} small bets per 100 hands"
        return f"SPRT decides {decision}: {found} (log-likelihood ratio {test.llr:.2f})"


def _known(asked: list[str], names: list[str]) -> None:
    for name in asked:
        if name not in names:
            raise ValueError(f"until names policy {name!r}, which does not play; there are: {', '.join(names)}")


def width(half_width: float) -> Rule:
    """Stop when the confidence sequence of every policy's mean has at most this half-width.

    Parameters
    ----------
    half_width : float
        Chips a hand, more than 0.

    Examples
    --------
    >>> width(0.1)
    Width(half_width=0.1)
    """
    if not is_number(half_width) or not half_width > 0:
        raise ValueError(f"half_width takes chips a hand above 0, got {half_width!r}")
    return Width(float(half_width))


def leader(level: float = 0.95) -> Rule:
    """Stop when one policy is ahead of each other one, all at once at this level.

    Parameters
    ----------
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> leader(0.99)
    Leader(level=0.99)
    """
    if not is_number(level) or not 0 < level < 1:
        raise ValueError(f"level takes a number between 0 and 1, got {level!r}")
    return Leader(float(level))


def apart(but: Any = ()) -> Rule:
    """Stop when every pair of policies is told apart (95 % for all pairs at once).

    Parameters
    ----------
    but : list of (str, str), optional
        Pairs that need not be.

    Examples
    --------
    >>> apart(but=[("tight", "buyer")])
    Apart(but=(('tight', 'buyer'),))
    """
    pairs = list(but) if isinstance(but, Iterable) and not isinstance(but, str) else [but]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"but takes a list of pairs of names like [('tight', 'buyer')], got {but!r}")
    return Apart(tuple((str(a), str(b)) for a, b in pairs))


def sprt(a: str, b: str, h0: float = 0.0, h1: float = 5.0, alpha: float = 0.05, beta: float = 0.05) -> Rule:
    """Stop when a sequential probability ratio test decides how far policy a is ahead of policy b.

    Parameters
    ----------
    a, b : str
        Names of two policies; with two at the table and nobody else the difference is twice the net of a.
    h0, h1 : float
        Differences to decide between, small bets per 100 hands.
    alpha, beta : float
        Chance of a false decision for H1 and for H0 (Wald, 1945; `palace_sim.statistics.sequences.Sprt`).

    Examples
    --------
    >>> sprt("tight", "buyer", h1=10)
    Ratio(a='tight', b='buyer', h0=0.0, h1=10.0, alpha=0.05, beta=0.05)
    """
    if str(a) == str(b):
        raise ValueError(f"a and b take two different policies, got {a!r} twice")
    return Ratio(str(a), str(b), float(h0), float(h1), float(alpha), float(beta))


def __dir__() -> list[str]:
    return __all__
