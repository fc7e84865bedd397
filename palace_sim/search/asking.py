"""What to try next: CMA-ES by ask and tell, which knows nothing of cards or runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palace_sim.arguments import near, whole
from palace_sim.kernels.rng import SEARCHING, next_bits, open_stream
from palace_sim.policies import Parameter

__all__ = ["Search", "derived", "narrowed"]

SIGMA = 0.25  # first step size, in widths of the bounds
WIDEST = 0.5  # greatest one of any parameter


def derived(seed: int, index: int, salt: int = 0, bits: int = 62) -> int:
    """Return a seed made from a seed by key."""
    stream = np.zeros(4, np.int64)
    open_stream(stream, seed, 0, SEARCHING, index, salt)
    return int(next_bits(stream, bits))


def narrowed(
    parameters: Mapping[str, Parameter],
    start: Mapping[str, float],
    bounds: Mapping[str, Any] | None = None,
    vary: Iterable[str] | None = None,
) -> dict[str, Parameter]:
    """Return parameters with a start in the place of the default, and with the bounds of a search.

    Parameters
    ----------
    parameters : dict of str to Parameter
        Those of a family.
    start : dict of str to float
        Where the search begins, for all of them.
    bounds : dict of str to (low, high), optional
        Narrower bounds for some.
    vary : list of str, optional
        Those to search; the others stay at the start. None for all.

    Raises
    ------
    ValueError
        A name is unknown, bounds are the wrong way round or outside the family's, or nothing is left to search.

    Examples
    --------
    >>> narrowed({"x": Parameter(0.0, 0.0, 1.0)}, {"x": 0.9}, bounds={"x": (0.2, 0.6)})
    {'x': Parameter(default=0.6, low=0.2, high=0.6)}
    """
    bounds = {} if bounds is None else bounds
    if not isinstance(bounds, Mapping):
        raise ValueError(f"bounds takes a dict of parameter to (low, high), got {bounds!r}")
    if isinstance(vary, str) or not (vary is None or isinstance(vary, Iterable)):
        raise ValueError(f"vary takes a list of parameters, got {vary!r}")
    varied = set(parameters if vary is None else vary)
    for what, names in (("bounds", bounds), ("vary", varied)):
        for name in names:
            if name not in parameters:
                raise ValueError(f"{what}: there is no parameter {name!r}{near(str(name), parameters)}")
    made = {}
    for name, parameter in parameters.items():
        low, high = _bounds(name, bounds[name], parameter) if name in bounds else (parameter.low, parameter.high)
        at = min(max(float(start[name]), low), high)
        made[name] = Parameter(at, low, high) if name in varied else Parameter(at, at, at)
    if all(parameter.low == parameter.high for parameter in made.values()):
        why = "bounds and vary leave none free" if parameters else "take one that has, such as general"
        raise ValueError(f"the family has no parameters to search: {why}")
    return made


def _bounds(name: str, pair: Any, parameter: Parameter) -> tuple[float, float]:
    try:
        low, high = (float(number) for number in pair)
    except (TypeError, ValueError):
        raise ValueError(f"bounds of {name} takes (low, high), got {pair!r}") from None
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"bounds of {name} takes finite numbers, got {low:g} to {high:g}")
    if not low <= high:
        raise ValueError(f"bounds of {name} are the wrong way round: {low:g} to {high:g}")
    if not parameter.low <= low <= high <= parameter.high:
        most = f"{parameter.low:g} to {parameter.high:g} at most"
        raise ValueError(f"bounds of {name} takes {most}, got {low:g} to {high:g}")
    return low, high


class Search:
    """A search for the parameters of the greatest value, by asking what to try and telling what it was worth.

    CMA-ES (Hansen, "The CMA evolution strategy: a tutorial", arXiv 1604.00772) as in the package `cmaes`, in units of
    the widths of the bounds, at which steps are reflected. It uses the order of values alone, never their size.

    Parameters
    ----------
    parameters : dict of str to Parameter
        What to search: start (as `default`) and bounds; those whose bounds are equal stay.
    seed : int
        0 to 2^63 - 1.
    popsize : int, optional
        Candidates a generation, 4 or more; None for twice what the tutorial takes, since values are noisy.
    sigma : float
        First step size in widths of the bounds, above 0 and at most 1.

    Examples
    --------
    >>> search = Search({"x": Parameter(0.9, 0.0, 1.0)}, seed=1)
    >>> for _ in range(30):
    ...     tried = search.ask()
    ...     search.tell(-(tried[:, 0] - 0.3) ** 2)
    >>> round(search.mean["x"], 3)
    0.3
    """

    def __init__(
        self, parameters: Mapping[str, Parameter], seed: int = 1, popsize: int | None = None, sigma: float = SIGMA
    ) -> None:
        from cmaes import CMA  # quick to import, but nothing else needs it

        self.names = list(parameters)
        self.low = np.array([p.low for p in parameters.values()])
        self.width = np.array([p.high for p in parameters.values()]) - self.low
        self.at = np.array([p.default for p in parameters.values()])
        self.free = np.flatnonzero(self.width > 0)
        if not len(self.free):
            raise ValueError("parameters has none to search: no bounds are apart")
        if isinstance(sigma, bool) or not isinstance(sigma, int | float) or not 0 < sigma <= 1:
            raise ValueError(f"sigma takes a number above 0 and at most 1, in widths of the bounds, got {sigma!r}")
        seed = whole("seed", seed, 0, (1 << 63) - 1)
        many = 2 * (4 + math.floor(3 * math.log(len(self.free))))
        self.popsize = many if popsize is None else whole("popsize", popsize, 4, 10_000, "None or a number")
        start = ((self.at - self.low) / np.where(self.width > 0, self.width, 1))[self.free]
        if len(start) == 1:  # cmaes takes two dimensions or more: the other one means nothing
            start = np.append(start, 0.5)
        self._cma: Any = CMA(start, float(sigma), seed=derived(seed, 0, bits=32), population_size=self.popsize)
        self.generation = 0
        self._asked: NDArray[np.float64] | None = None

    @property
    def sigma(self) -> float:
        """Step size in widths of the bounds: the root mean square over the parameters."""
        spread = np.sqrt(np.diag(self._cma._C).mean())
        return float(self._cma._sigma * spread)

    @property
    def mean(self) -> dict[str, float]:
        """Centre of the search: its best guess."""
        return dict(zip(self.names, self._values(self._cma.mean[None, :])[0].tolist(), strict=True))

    def _values(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Parameters of points in units of the widths, reflected at the bounds."""
        wrapped = np.mod(points, 2.0)
        inside = np.where(wrapped > 1, 2 - wrapped, wrapped)[:, : len(self.free)]
        values = np.repeat(self.at[None, :], len(points), axis=0)
        low, width = self.low[self.free], self.width[self.free]
        values[:, self.free] = np.clip(low + inside * width, low, low + width)
        return values

    def ask(self) -> NDArray[np.float64]:
        """Return what to try: (popsize, parameters) values; the same until `tell`."""
        if self._asked is None:
            self._asked = np.array([self._cma.ask() for _ in range(self.popsize)])
        return self._values(self._asked)

    def tell(self, values: ArrayLike) -> None:
        """Say what the candidates of `ask` were worth; more is better.

        Parameters
        ----------
        values : (n,) array
            A finite number for each candidate, in their order.

        Raises
        ------
        ValueError
            Not a finite number for each.
        """
        worth = np.asarray(values, np.float64)
        if worth.shape != (self.popsize,) or not np.isfinite(worth).all():
            raise ValueError(f"values takes {self.popsize} finite numbers, got {values!r}")
        self.ask()
        assert self._asked is not None
        self._cma.tell([(point, -value) for point, value in zip(self._asked, worth.tolist(), strict=True)])
        # where steps are wider than the bounds, reflected candidates are random and nothing would bring sigma down
        widest = float(np.sqrt(np.diag(self._cma._C).max()))
        self._cma._sigma = min(self._cma._sigma, WIDEST / widest)
        self._asked = None
        self.generation += 1
