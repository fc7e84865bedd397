"""Models of how a player plays: a policy, or a function that states how likely each move is."""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from palace_sim.kernels import inference as kernels
from palace_sim.kernels import jit
from palace_sim.policies.base import Policy, PolicyError, as_policy
from palace_sim.policies.entry import CompiledEntry, Entry, PlainEntry, UncompiledEntry, raised_at
from palace_sim.policies.fingerprint import fingerprint

STATED, NO_CHANCE, DREW = 1, 2, 3  # what a stating function answers
LARGEST = 1.0 + 1e-9  # a sum of shares may round to a little over 1


def _stating(function: Callable[[Any, int], float]) -> Callable[[Any], int]:
    """Return a function in the shape of a policy's, which passes code and chance through the view's stream.

    The engine can call a policy at an address, compiled or not, and a model draws nothing. The chance is passed as the
    two whole numbers that it is made of.
    """

    def state_chance(view):  # type: ignore[no-untyped-def]
        chance = float(function(view, view.stream[0]))
        if view.stream[1] != 0:
            return 3
        if not 0.0 <= chance <= LARGEST:
            return 2
        mantissa, exponent = math.frexp(min(chance, 1.0))
        view.stream[2] = int(mantissa * 9007199254740992.0)  # 2^53: all its bits
        view.stream[3] = exponent
        return 1

    return state_chance


@dataclasses.dataclass(frozen=True, eq=False)
class MoveModel:
    """A model that states how likely a move is; made by `move_model`.

    Attributes
    ----------
    function : callable
        Takes a view and an action code, returns the chance of that move.
    name : str
        Name in errors.
    keep : {"best", "ask"}
        "best" where the engine chooses which soldiers to keep, "ask" where the function is asked.
    plain : bool
        Whether it is called as plain Python.
    """

    function: Callable[[Any, int], float]
    name: str
    keep: str
    plain: bool
    _made: dict[str, Entry] = dataclasses.field(default_factory=dict, repr=False)

    def __call__(self, view: Any, code: int) -> float:
        return self.function(view, code)

    def entry(self) -> Entry:
        """Return the code to call, compiled anew if anything that it was made from has changed."""
        if self.plain or not jit.JIT:
            if "" not in self._made:
                kind = PlainEntry if jit.JIT else UncompiledEntry
                self._made[""] = kind(_stating(self.function))
            return self._made[""]
        mark = fingerprint(self.function)
        if mark not in self._made:
            wrapped = _stating(self.function)
            assert isinstance(wrapped, types.FunctionType)
            # with an option given it is not cached on disk, where closures are not told apart between sessions
            self._made[mark] = CompiledEntry(wrapped, self.name, mark, boundscheck=False)
        return self._made[mark]


def move_model(
    function: Callable[[Any, int], float] | None = None,
    *,
    keep: str = "best",
    name: str | None = None,
    compile: bool = True,
) -> Any:
    """Make a model of a player from a function that states how likely a move is; use as a decorator.

    What `posterior` makes of it is exact where a policy that draws would have to be sampled.

    Parameters
    ----------
    function : callable
        Function of a view and an action code; returns the chance, 0 to 1, that the player makes this move. The code is
        as `palace_sim.act` makes it, with amount 0 where it names the least. It may use the view's memo, like a policy,
        but not draw from its stream.
    keep : {"best", "ask"}
        "best": the player keeps the soldiers that the engine chooses. "ask": the function is asked in phase KEEP too.
    name : str, optional
        Name in errors; None for the function's.
    compile : bool
        False calls the function as plain Python, about a thousand times slower.

    Returns
    -------
    MoveModel

    Raises
    ------
    ValueError
        Something is not what it should be; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> @ps.move_model
    ... def shy(view, code):
    ...     '''Calls with a pair or better, and with one hand in ten of the others.'''
    ...     call = 1.0 if ps.see.category(ps.see.strength(view)) > 0 else 0.1
    ...     if view.phase == ps.RESPOND:
    ...         return call if code == ps.act.call() else 1.0 - call if code == ps.act.fold() else 0.0
    ...     return 1.0 if code == ps.act.stay() else 0.0
    >>> shy.name, shy.keep
    ('shy', 'best')
    """

    def decorate(function: Callable[[Any, int], float]) -> MoveModel:
        if not callable(function):
            raise ValueError(f"move_model takes a function of a view and an action code, got {function!r}")
        called = str(name or getattr(function, "__name__", type(function).__name__))
        if keep not in ("best", "ask"):
            raise ValueError(f"keep of move model {called} takes 'best' or 'ask', got {keep!r}")
        if compile and not isinstance(function, types.FunctionType):
            raise ValueError(f"move model {called}: only a function written with def or lambda can be compiled")
        if len(inspect.signature(function).parameters) != 2:
            raise ValueError(f"move model {called} takes two arguments, the view and the action code")
        return MoveModel(function, called, keep, not compile)

    return decorate if function is None else decorate(function)


class Model:
    """A policy or a move model, as the kernels ask it.

    Attributes
    ----------
    record : MODEL record
    asked_to_keep : bool
        Whether it is asked in phase KEEP.
    """

    def __init__(self, thing: Any) -> None:
        if isinstance(thing, MoveModel):
            self.source: MoveModel | Policy = thing
            self.entry = thing.entry()
        else:
            self.source = as_policy(thing, "model")
            self.entry = self.source.family.entry()
        self.record: Any = np.zeros(1, kernels.MODEL)[0]
        self.record.address = self.entry.address
        self.record.ask = self.asked_to_keep = self.source.keep == "ask"
        self.record.stating = isinstance(thing, MoveModel)
        if isinstance(self.source, Policy):
            self.source.write(self.record["lasting"])

    def error(self, answer: int, view: Any) -> PolicyError:
        """Return what to raise where the model failed on a view."""
        if answer == NO_CHANCE:
            return PolicyError(f"model {self.source.name} returned what is no chance from 0 to 1")
        if answer == DREW:
            return PolicyError(f"model {self.source.name} drew from its stream: it must state chances, not draw")
        cause = self.entry.error(view)
        what = f"failed: {type(cause).__name__}: {cause}" if cause else "returned 0, which is no action code"
        error = PolicyError(f"model {self.source.name} {what}{raised_at(cause, self.source.function)}")
        error.__cause__ = cause
        return error
