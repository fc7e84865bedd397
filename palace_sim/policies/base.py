"""Policies: the decorator, families with named parameters, and what a run needs of them."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import types
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from palace_sim.arguments import near, whole
from palace_sim.kernels.state import MAX_PARAMS
from palace_sim.policies.entry import Entry, entry_for
from palace_sim.policies.errors import PolicyError
from palace_sim.policies.fingerprint import fingerprint
from palace_sim.policies.tables import Table

__all__ = ["Family", "Parameter", "Policy", "PolicyError", "as_policies", "as_policy", "policy"]

KEEPS = ("best", "ask")
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A named number of a family: its default and its bounds.

    Attributes
    ----------
    default, low, high : float
        The value that it has if nothing is said, and the least and the greatest that it may have.
    """

    default: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """One function and its parameters; all policies of a family share its compiled code.

    Attributes
    ----------
    function : callable
        What was decorated: from a view to an action code.
    parameters : mapping of str to Parameter
        Its parameters, in the order of `view.params`.
    keep : {"best", "ask"}
        Whether it is asked which soldiers to keep.
    name : str
        The name of the function.
    plain : bool
        Whether it plays as plain Python.
    table : Table, optional
        Numbers that it reads with `palace_sim.see.table`.
    """

    function: Callable[[Any], int]
    parameters: Mapping[str, Parameter]
    keep: str
    name: str
    plain: bool
    table: Table | None = None

    @cached_property
    def doc(self) -> str | None:
        """The function's docstring, cleaned of its indentation."""
        return inspect.getdoc(self.function)

    def entry(self) -> Entry:
        """Return the code to call, compiled anew if anything that it was made from has changed."""
        return entry_for(self.function, self.name, plain=self.plain)


@dataclasses.dataclass(frozen=True, eq=False)
class Policy:
    """A strategy: a family with values for its parameters. Immutable; made by `policy`, changed copies by `with_`.

    Attributes
    ----------
    name : str
        Shows parameters that are not default, as "tight(aggression=0.3)", unless renamed.
    params : dict of str to float
        All parameters by name.
    keep : str
        "best" where the engine chooses which soldiers to keep, "ask" where the policy does.
    salt : int
        Which choice stream it draws from.

    Examples
    --------
    >>> import palace_sim as ps
    >>> p = ps.policies.get("tight")
    >>> p.named("other").name
    'other'
    """

    family: Family
    values: tuple[float, ...]
    label: str | None = None
    salt: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.family.doc)

    @property
    def name(self) -> str:
        if self.label is not None:
            return self.label
        pairs = zip(self.family.parameters.items(), self.values, strict=True)
        changed = [f"{key}={value:g}" for (key, parameter), value in pairs if value != parameter.default]
        return f"{self.family.name}({', '.join(changed)})" if changed else self.family.name

    @property
    def params(self) -> dict[str, float]:
        return dict(zip(self.family.parameters, self.values, strict=True))

    @property
    def keep(self) -> str:
        return self.family.keep

    @property
    def function(self) -> Callable[[Any], int]:
        """The plain-Python function."""
        return self.family.function

    @property
    def fingerprint(self) -> str:
        """Hash of the code, of all that it refers to and of the table, as 32 hex digits."""
        mark = fingerprint(self.family.function)
        return mark if self.family.table is None else self.family.table.mark(mark)

    def write(self, lasting: Any) -> None:
        """Write the parameters, and where the table lies, into a record that has the fields of a view for them.

        Parameters
        ----------
        lasting : record
            A view, or what has its fields that last through a hand.

        Examples
        --------
        >>> from palace_sim import Hand, policies
        >>> view = Hand.deal(seats=2).view(0)
        >>> policies.get("tight", aggression=0.25).write(view)
        >>> float(view.params[0])
        0.25
        """
        lasting["params"][:] = 0
        lasting["params"][: len(self.values)] = self.values
        table = self.family.table
        lasting["table"], lasting["table_size"] = (0, 0) if table is None else (table.address, table.size)

    def __call__(self, view: Any) -> int:
        """Ask the plain-Python function for its action on a view, whose `params` and table become this policy's."""
        self.write(view)
        return self.family.function(view)

    def __repr__(self) -> str:
        return f"<policy {self.name}>"

    def with_(self, **values: float) -> Policy:
        """Return this policy with other values for some parameters.

        Parameters
        ----------
        **values : float
            New values by the names of the parameters.

        Raises
        ------
        ValueError
            A parameter is unknown or a value out of its bounds.

        Examples
        --------
        >>> as_policy("tight").with_(aggression=0.25).name
        'tight(aggression=0.25)'
        """
        now = self.params
        for key, value in values.items():
            if key not in now:
                raise ValueError(f"{self.family.name} has no parameter {key!r}{near(key, now)}")
            now[key] = _within(f"{self.family.name}: {key}", value, self.family.parameters[key])
        return dataclasses.replace(self, values=tuple(now.values()))

    def named(self, name: str, salt: int | None = None) -> Policy:
        """Return this policy under another name, or with another stream of choices.

        Parameters
        ----------
        name : str
            The name.
        salt : int, optional
            0 to 2^62; another one gives another choice stream. None leaves it as it is.

        Raises
        ------
        ValueError
            The name is empty, or the salt out of range.

        Examples
        --------
        >>> as_policy("random").named("another random", salt=1).name
        'another random'
        """
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"name takes a text that is not empty, got {name!r}")
        salt = self.salt if salt is None else whole("salt", salt, 0, 1 << 62)
        return dataclasses.replace(self, label=name, salt=salt)

    def same_as(self, other: Policy) -> bool:
        """Whether two policies are one and the same under one name.

        Parameters
        ----------
        other : Policy
            The other one.

        Examples
        --------
        >>> tight = as_policy("tight")
        >>> tight.same_as(tight.with_()), tight.same_as(as_policy("random"))
        (True, False)
        """
        mine, theirs = self.family, other.family
        return (
            (mine is theirs or (mine.function is theirs.function and mine.keep == theirs.keep))
            and (mine.table is theirs.table or _mark(mine) == _mark(theirs))
            and self.values == other.values
            and self.salt == other.salt
        )

    def __reduce__(self) -> Any:
        function = self.family.function
        module, path = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
        if module is not None and _find_family(module, path) is self.family:
            return _restore, (module, path, self.values, self.label, self.salt, _mark(self.family))
        return _rebuild, (dataclasses.astuple(_Parts.of(self.family)), self.values, self.label, self.salt)


@dataclasses.dataclass(frozen=True)
class _Parts:
    """What a family is made of, for pickles of policies that no module holds."""

    function: Callable[[Any], int]
    parameters: dict[str, tuple[float, float, float]]
    keep: str
    name: str
    plain: bool
    table: Any

    @classmethod
    def of(cls, family: Family) -> _Parts:
        parameters = {key: (p.default, p.low, p.high) for key, p in family.parameters.items()}
        table = None if family.table is None else family.table.array
        return cls(family.function, parameters, family.keep, family.name, family.plain, table)


def _find_family(module: str, path: str) -> Family | None:
    """Return the family of the policy that a module holds under a name, None where there is none."""
    try:
        thing: Any = importlib.import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError):
        return None
    return thing.family if isinstance(thing, Policy) else None


def _mark(family: Family) -> str:
    """Hash of a family's table; nothing where it has none."""
    return "" if family.table is None else family.table.mark()


def _restore(
    module: str, path: str, values: tuple[float, ...], label: str | None, salt: int, table: str = ""
) -> Policy:
    family = _find_family(module, path)
    if family is None:
        raise PolicyError(f"policy {path} is not in module {module} here; put it into a module that workers can import")
    if _mark(family) != table:
        raise PolicyError(f"policy {path} of module {module} has another table here: make it from the same numbers")
    return Policy(family, values, label, salt)


def _rebuild(parts: tuple[Any, ...], values: tuple[float, ...], label: str | None, salt: int) -> Policy:
    function, parameters, keep, name, plain, table = parts
    made = {key: Parameter(*numbers) for key, numbers in parameters.items()}
    held = None if table is None else Table(table, name)
    return Policy(Family(function, made, keep, name, plain, held), values, label, salt)


def _number(what: str, value: Any) -> float:
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} takes a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{what} takes a finite number, got {number}")
    return number


def _within(what: str, value: Any, parameter: Parameter) -> float:
    number = _number(what, value)
    if not parameter.low <= number <= parameter.high:
        raise ValueError(f"{what} takes {parameter.low:g} to {parameter.high:g}, got {number:g}")
    return number


def _parameters(name: str, params: Any) -> dict[str, Parameter]:
    made: dict[str, Parameter] = {}
    if not isinstance(params, Mapping):
        raise ValueError(f"params of policy {name} takes a dict of name: (default, low, high), got {params!r}")
    if len(params) > MAX_PARAMS:
        raise ValueError(f"policy {name} has {len(params)} params; a policy takes at most {MAX_PARAMS}")
    for key, numbers in params.items():
        if not isinstance(key, str) or not key.isidentifier():
            raise ValueError(f"params of policy {name}: {key!r} is not a name")
        if not isinstance(numbers, (tuple, list)) or len(numbers) != 3:
            raise ValueError(f"params of policy {name}: {key} takes (default, low, high), got {numbers!r}")
        parameter = Parameter(*(_number(f"params of policy {name}: {key}", number) for number in numbers))
        if parameter.low > parameter.high:
            raise ValueError(f"params of policy {name}: {key} has bounds {parameter.low:g} to {parameter.high:g}")
        _within(f"params of policy {name}: default of {key}", parameter.default, parameter)
        made[key] = parameter
    return made


def _make(function: Any, params: Any, keep: str, name: str | None, plain: bool, table: Any = None) -> Policy:
    if isinstance(function, Policy):
        raise ValueError(f"{function.name} is a policy already")
    if not callable(function):
        raise ValueError(f"policy takes a function of one argument, the view; got {function!r}")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"name takes a text, got {name!r}")
    name = str(name or getattr(function, "__name__", type(function).__name__))
    if keep not in KEEPS:
        raise ValueError(f"keep of policy {name} takes 'best' or 'ask', got {keep!r}")
    if not plain and not isinstance(function, types.FunctionType):
        raise ValueError(f"policy {name}: only a function written with def or lambda can be compiled, got {function!r}")
    wanted = [p for p in inspect.signature(function).parameters.values() if p.kind not in _VARIADIC]
    if len(wanted) != 1 or wanted[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ValueError(f"policy {name} takes one argument, the view: numbers of its own go to params")
    held = None if table is None else Table(table, name)
    family = Family(function, _parameters(name, params), keep, name, plain, held)
    return Policy(family, tuple(parameter.default for parameter in family.parameters.values()))


def policy(
    function: Callable[[Any], int] | None = None,
    *,
    params: Mapping[str, tuple[float, float, float]] | None = None,
    table: Any = None,
    keep: str = "best",
    name: str | None = None,
    compile: bool = True,
) -> Any:
    """Make a policy of a function that takes a view and returns an action code; use as a decorator.

    Nothing is compiled before the policy first plays.

    Parameters
    ----------
    function : callable
        Function of one argument, the view record; returns what one of `palace_sim.act` returns.
    params : dict of str to (default, low, high), optional
        Named parameters, at most 48; the function reads them as ``view.params[0]`` and so on, in this order.
    table : array, optional
        Numbers beyond what parameters hold, learned weights or a strategy for each case: float64 or int64, 1-D, or 2-D
        and then read row after row. It is copied once, here; the function reads number k as ``see.table(view, k)``, or
        ``see.table_int(view, k)`` exactly where they are int64.
    keep : {"best", "ask"}
        "best": the engine chooses the soldiers to keep and the policy is never asked. "ask": the policy is asked in
        phase KEEP.
    name : str, optional
        Name in the tables; None for the function's.
    compile : bool
        False plays the function as plain Python, about a thousand times slower.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        Something is not what it should be; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> @ps.policy(params={"courage": (0.6, 0.0, 1.0)})
    ... def bold(view):
    ...     return ps.act.fold() if view.phase == ps.RESPOND else ps.act.stay()
    >>> bold.with_(courage=0.9).name
    'bold(courage=0.9)'
    >>> @ps.policy(table=[0.0, 0.3, 0.6])               # by the number of own soldiers; NaN with more
    ... def planned(view):
    ...     if view.phase == ps.RESPOND:
    ...         return ps.act.fold() if ps.see.chance(view, view.foe) < ps.see.table(view, 1) else ps.act.call()
    ...     return ps.act.stay()
    """

    def decorate(function: Callable[[Any], int]) -> Policy:
        return _make(function, params or {}, keep, name, not compile, table)

    return decorate if function is None else decorate(function)


_PLAIN: dict[int, Policy] = {}  # so that one undecorated function is one policy


def as_policy(thing: Any, what: str = "policies") -> Policy:
    """Return a policy for a policy, the name of a built-in one, or a plain function.

    Parameters
    ----------
    thing : Policy, str or function
        What is to play.
    what : str
        What to call the argument in an error.

    Raises
    ------
    ValueError
        It is none of these; an unknown name says which names are near.

    Examples
    --------
    >>> as_policy("tight")
    <policy tight>
    """
    if isinstance(thing, Policy):
        return thing
    if isinstance(thing, str):
        from palace_sim.policies import get  # the list of built-in policies imports this module

        return get(thing)
    if callable(thing):
        known = _PLAIN.get(id(thing))
        if known is None or known.function is not thing:
            known = _PLAIN[id(thing)] = _make(thing, {}, "best", None, True)
        return known
    raise ValueError(f"{what} takes policies, names of built-in policies or functions, got {thing!r}")


def as_policies(things: Any, takes: str, what: str = "policies") -> list[Policy]:
    """Return policies for a list of what `as_policy` takes; an error names it `what` and says what it `takes`."""
    if isinstance(things, (str, bytes)) or not hasattr(things, "__iter__"):
        raise ValueError(f"{what} takes {takes}, got {things!r}")
    return [as_policy(thing, what) for thing in things]
