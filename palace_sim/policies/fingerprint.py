"""Fingerprints of policies: a hash of all that decides what machine code a function becomes.

Numba freezes globals and helper functions into compiled code and notices no change in them, neither on disk nor in a
notebook where another cell changed a constant. So a policy is compiled under a fingerprint of its bytecode, its
constants, the globals that it names and, through them, the functions that it calls; a new fingerprint compiles anew,
helpers included.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.experimental.jitclass.base import JitClassType
from numba.np.ufunc.dufunc import DUFunc

from palace_sim.kernels.jit import SOURCES, compiled
from palace_sim.policies.errors import PolicyError

# Packages whose functions are told apart by version, not by content.
_LIBRARIES = {"numpy", "numba", "math", "cmath", "builtins", "operator", "typing", "palace_sim"}


def python_function(thing: Any) -> types.FunctionType | None:
    """Return the plain function behind a function or a numba dispatcher; None for anything else."""
    if isinstance(thing, DUFunc):  # numba.vectorize
        thing = thing.__wrapped__
    if isinstance(thing, Dispatcher):
        thing = thing.py_func
    return thing if isinstance(thing, types.FunctionType) else None


def _is_overloaded(function: types.FunctionType) -> bool:
    """Whether numba compiles something else than the body of a function (`numba.extending.overload`)."""
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context._lookup_global(function) is not None


def _from_library(module: str | None) -> bool:
    name = module or ""
    if name.startswith(("palace_sim.policies", "palace_sim.search")):
        return False
    while name:
        if name in _LIBRARIES:
            return True
        name = name.rpartition(".")[0]
    return False


def _code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_objects(constant)


def _paths(function: types.FunctionType) -> list[tuple[str, ...]]:
    """Dotted names that a function reads, as ("ps", "see", "chance"), for globals and closure variables."""
    found: dict[tuple[str, ...], None] = {}
    for code in _code_objects(function.__code__):
        path: list[str] = []
        for step in [*dis.get_instructions(code), None]:
            if path and step is not None and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                path.append(str(step.argval))
                continue
            if path and step is not None and step.opname in ("CACHE", "PRECALL"):
                continue
            if path:
                found[tuple(path)] = None
            reads = step is not None and step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
            path = [str(step.argval)] if reads and step is not None else []
    return list(found)


def _resolve(function: types.FunctionType, path: tuple[str, ...]) -> tuple[Any, int]:
    """Follow a dotted name through modules; return what it names and how many of its parts lead there."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    try:
        thing = cells[path[0]].cell_contents if path[0] in cells else function.__globals__[path[0]]
    except (KeyError, ValueError):  # a builtin, a name not yet defined, an empty cell
        return None, 0
    used = 1
    for name in path[1:]:
        if not isinstance(thing, types.ModuleType):
            break
        thing = getattr(thing, name, None)
        used += 1
    return thing, used


class _Digest:
    """A hash over functions and values; every function is entered once."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256(f"{sys.version_info[:3]} {SOURCES}".encode())
        self.entered: set[int] = set()
        self.opaque = False  # whether something was met whose content cannot be seen

    def add(self, *texts: object) -> None:
        for text in texts:
            self.hash.update(repr(text).encode() + b"\0")

    def function(self, function: types.FunctionType) -> None:
        if id(function) in self.entered:
            return
        self.entered.add(id(function))
        for code in _code_objects(function.__code__):
            self.add(code.co_code, code.co_names, code.co_varnames, code.co_argcount)
            for constant in code.co_consts:
                if not isinstance(constant, types.CodeType):
                    self.value(constant)
        for default in (*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())):
            self.value(default)
        for path in _paths(function):
            thing, used = _resolve(function, path)
            self.add(path[:used])
            self.value(thing)

    def value(self, thing: Any) -> None:
        function = python_function(thing)
        if function is not None:
            if _from_library(function.__module__):
                self.add(function.__module__, function.__qualname__)
            elif _is_overloaded(function):
                self.add(function.__module__, function.__qualname__)
                self.opaque = True
            else:
                self.add(getattr(thing, "targetoptions", None))
                self.function(function)
        elif isinstance(thing, np.ndarray):
            self.add(thing.dtype.str, thing.shape, thing.tobytes())
        elif isinstance(thing, types.ModuleType):
            self.module(thing)
        elif isinstance(thing, (tuple, list, frozenset)):
            self.add(type(thing).__qualname__, len(thing))
            for item in sorted(thing, key=repr) if isinstance(thing, frozenset) else thing:
                self.value(item)
        elif isinstance(thing, enum.Enum):
            self.add(type(thing).__qualname__, thing.name)
            self.value(thing.value)
        elif isinstance(thing, enum.EnumMeta):
            self.add(thing.__qualname__)
            self.value(list(thing.__members__.values()))
        elif isinstance(thing, _PLAIN_VALUES):
            self.add(type(thing).__qualname__, thing)
        elif isinstance(thing, JitClassType):
            raise PolicyError(
                f"a policy cannot use the jitclass {thing.__name__}, in whose methods changes would go unnoticed: "
                f"write functions, and keep numbers in params, memo or global arrays"
            )
        else:
            self.add(type(thing).__qualname__, id(thing))
            self.opaque = True

    def module(self, module: types.ModuleType) -> None:
        """A module named bare (given an alias, say): by its version, or by all that it holds."""
        self.add(module.__name__, getattr(module, "__version__", None))
        if _from_library(module.__name__) or id(module) in self.entered:
            return
        self.entered.add(id(module))
        for name, thing in sorted(vars(module).items()):
            if not name.startswith("__"):
                self.add(name)
                self.value(thing)


_PLAIN_VALUES = (
    *(int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range, slice),
    *(np.generic, np.dtype, types.BuiltinFunctionType, np.ufunc),
)


def _digest(function: Callable[..., Any]) -> _Digest:
    digest = _Digest()
    plain = python_function(function)
    if plain is None:
        digest.value(function)
    else:
        digest.function(plain)
    return digest


def fingerprint(function: Callable[..., Any]) -> str:
    """Hash of a policy function, of the globals that it reads and of the functions that it calls, as 32 hex digits.

    Parameters
    ----------
    function : callable
        A plain-Python function.

    Examples
    --------
    >>> LIMIT = 1
    >>> def f(x):
    ...     return x > LIMIT
    >>> before = fingerprint(f)
    >>> LIMIT = 2
    >>> fingerprint(f) == before
    False
    """
    return _digest(function).hash.hexdigest()[:32]


def _has_source(function: types.FunctionType) -> bool:
    """Whether a function comes from a module's file, not from a prompt, a notebook or exec."""
    return "__file__" in function.__globals__ and Path(function.__code__.co_filename).is_file()


def fresh(function: types.FunctionType, mark: str, **options: Any) -> Any:
    """Compile lazily a copy of a policy function whose user-written helpers are compiled afresh too.

    Plain helper functions are compiled as well, so a policy may call functions that nobody decorated.

    Parameters
    ----------
    function : function
        The policy.
    mark : str
        Its fingerprint, the folder of the disk cache.
    **options
        Passed to numba.
    """
    kept = _has_source(function) and not options and not _digest(function).opaque
    return compiled(_Refresher(options).copy(function), f"policies/{mark}" if kept else None, **options)


def _shell(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of a function with globals and empty cells of its own."""
    cells = tuple(types.CellType() for _ in function.__code__.co_freevars) or None
    scope = dict(function.__globals__)
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__, copy.__module__ = function.__kwdefaults__, function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


class _Refresher:
    """Copies functions so that every user-written function that they call is a new dispatcher.

    Parameters
    ----------
    options : dict
        Passed to numba for each of them.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.made: dict[int, Any] = {}  # by the id of the function or module that each stands for

    def copy(self, function: types.FunctionType) -> types.FunctionType:
        """Return a copy of a function whose names mean fresh helpers."""
        copy = _shell(function)
        self._fill(copy, function)
        return copy

    def _fill(self, copy: types.FunctionType, function: types.FunctionType) -> None:
        scope = copy.__globals__
        for name in {path[0] for path in _paths(function)} & scope.keys():
            scope[name] = self.fresh(scope[name])
        for cell, old in zip(copy.__closure__ or (), function.__closure__ or (), strict=True):
            cell.cell_contents = self.fresh(old.cell_contents)

    def fresh(self, thing: Any) -> Any:
        """Return what is to stand for a thing: a new dispatcher, a copy of a module with such, or the thing itself."""
        if isinstance(thing, types.ModuleType):
            return thing if _from_library(thing.__name__) else self._module(thing)
        helper = python_function(thing)
        if helper is None or _from_library(helper.__module__) or _is_overloaded(helper):
            return thing
        if id(helper) not in self.made:
            said = getattr(thing, "targetoptions", {}) if isinstance(thing, Dispatcher) else {}
            kept = {name: value for name, value in said.items() if name not in ("nopython", "nogil", "cache")}
            copy = _shell(helper)
            self.made[id(helper)] = compiled(copy, None, **{**kept, **self.options})
            self._fill(copy, helper)  # only now, since helpers may call each other and themselves
        return self.made[id(helper)]

    def _module(self, module: types.ModuleType) -> types.ModuleType:
        if id(module) not in self.made:
            self.made[id(module)] = copy = types.ModuleType(module.__name__)
            copy.__dict__.update(module.__dict__)
            for name, thing in vars(module).items():
                if not name.startswith("__") and (python_function(thing) or isinstance(thing, types.ModuleType)):
                    setattr(copy, name, self.fresh(thing))
        return self.made[id(module)]
