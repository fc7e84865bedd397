"""Built-in policies, one family a file, and the decorator that makes more."""

from __future__ import annotations

from typing import Any

from palace_sim.arguments import near

# modules, not their policies: importing a name from a submodule of that name would hide the submodule
from palace_sim.policies import (
    bluffer,
    buyer,
    calling_station,
    champion,
    general,
    hunter,
    maniac,
    patriot,
    pot_odds,
    rollout,
    stay,
    tight,
    uniform,
)
from palace_sim.policies.base import Family, Parameter, Policy, PolicyError, as_policy, policy
from palace_sim.policies.general import like
from palace_sim.policies.mixed import mix

_FAMILIES = (
    uniform.random,
    stay.stay,
    calling_station.calling_station,
    maniac.maniac,
    tight.tight,
    buyer.buyer,
    pot_odds.pot_odds,
    hunter.hunter,
    bluffer.bluffer,
    patriot.patriot,
)
_SLOW = (rollout.rollout,)
_SEARCHED = (general.general, champion.champion)
_ALL = {p.name: p for p in _FAMILIES + _SLOW + _SEARCHED}

#: The default line-up of tournaments: every built-in policy that is quick.
NAMES = tuple(p.name for p in _FAMILIES)

#: Built-in policies that are too slow for that.
SLOW = tuple(p.name for p in _SLOW)

#: Built-in families that are made to be searched, and what searches have found.
SEARCHED = tuple(p.name for p in _SEARCHED)


def get(name: str, **params: float) -> Policy:
    """Return a built-in policy by its name, with other values for some parameters.

    Parameters
    ----------
    name : str
        One of `NAMES`, `SLOW` or `SEARCHED`.
    **params : float
        New values by the names of the parameters.

    Raises
    ------
    ValueError
        The name or a parameter is unknown (says which are near), or a value is out of bounds.

    Examples
    --------
    >>> get("random").name
    'random'
    """
    if name not in _ALL:
        raise ValueError(f"there is no built-in policy {name!r}{near(str(name), _ALL)}")
    return _ALL[name].with_(**params)


__all__ = [
    "NAMES",
    "SEARCHED",
    "SLOW",
    "Family",
    "Parameter",
    "Policy",
    "PolicyError",
    "as_policy",
    "get",
    "like",
    "mix",
    "policy",
]


def __getattr__(name: str) -> Any:
    if name in _ALL:
        return _ALL[name]
    raise AttributeError(f"module 'palace_sim.policies' has no attribute {name!r}")
