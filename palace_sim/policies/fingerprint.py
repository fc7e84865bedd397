"""Fingerprints of policies: a hash of all that decides what machine code a function becomes.

Numba freezes globals and helper functions into compiled code and notices no change in them, neither on disk nor in a
notebook where another cell changed a constant. So a policy is compiled under a fingerprint of its bytecode, its
constants, the globals that it names and, through them, the functions that it calls; a new fingerprint compiles anew,
helpers included.
"""

from __future__ import annotations

import dis
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from palace_sim.kernels.jit import SOURCES, compiled

# Packages whose functions are told apart by version, not by content.
_LIBRARIES = {"numpy", "numba", "math", "cmath", "builtins", "operator", "typing", "palace_sim.kernels", "palace_sim"}


def python_function(thing: Any) -> types.FunctionType | None:
    """Return the plain function behind a function or a numba dispatcher; None for anything else."""
    if isinstance(thing, Dispatcher):
        thing = thing.py_func
    return thing if isinstance(thing, types.FunctionType) else None


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
        for default in function.__defaults__ or ():
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
            else:
                self.add(getattr(thing, "targetoptions", None))
                self.function(function)
        elif isinstance(thing, np.ndarray):
            self.add(thing.dtype.str, thing.shape, thing.tobytes())
        elif isinstance(thing, types.ModuleType):
            self.module(thing)
        elif isinstance(thing, (tuple, list)):
            self.add(type(thing).__name__, len(thing))
            for item in thing:
                self.value(item)
        else:
            self.add(type(thing).__qualname__, thing)

    def module(self, module: types.ModuleType) -> None:
        """A module named bare (given an alias, say): by its version or by its source."""
        self.add(module.__name__, getattr(module, "__version__", None))
        path = getattr(module, "__file__", None)
        if path and not _from_library(module.__name__) and Path(path).suffix == ".py":
            self.add(Path(path).read_bytes())


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
    digest = _Digest()
    plain = python_function(function)
    if plain is None:
        digest.value(function)
    else:
        digest.function(plain)
    return digest.hash.hexdigest()[:32]


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
    folder = f"policies/{mark}" if _has_source(function) and not options else None
    return compiled(_with_fresh_helpers(function, {}, options), folder, **options)


def _with_fresh_helpers(function: types.FunctionType, done: dict[int, Any], options: Any) -> types.FunctionType:
    """Return the function, or a copy of it, in which every user-written helper is a new dispatcher."""
    changed: dict[str, Any] = {}
    for path in _paths(function):
        thing, used = _resolve(function, path)
        helper = python_function(thing)
        if helper is None or _from_library(helper.__module__) or helper is function:
            continue
        if id(helper) not in done:
            inner = _with_fresh_helpers(helper, done, options)
            kept = {k: v for k, v in getattr(thing, "targetoptions", {}).items() if k not in ("nopython", "nogil")}
            done[id(helper)] = compiled(inner, None, **{**kept, **options})
        _put(changed, function, path[:used], done[id(helper)])
    if not changed:
        return function
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **changed},
        function.__name__,
        function.__defaults__,
        _cells(function, changed),
    )
    copy.__kwdefaults__, copy.__module__, copy.__qualname__ = (
        function.__kwdefaults__,
        function.__module__,
        function.__qualname__,
    )
    return copy


def _put(changed: dict[str, Any], function: types.FunctionType, path: tuple[str, ...], helper: Any) -> None:
    """Make a dotted name mean `helper`, through copies of the modules on the way."""
    if len(path) == 1:
        changed[path[0]] = helper
        return
    holder = changed.get(path[0], _resolve(function, path[:1])[0])
    changed[path[0]] = holder = _copy_module(holder)
    for name in path[1:-1]:
        inner = _copy_module(getattr(holder, name))
        setattr(holder, name, inner)
        holder = inner
    setattr(holder, path[-1], helper)


def _copy_module(module: types.ModuleType) -> types.ModuleType:
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(module.__dict__)
    return copy


def _cells(function: types.FunctionType, changed: dict[str, Any]) -> tuple[types.CellType, ...] | None:
    if function.__closure__ is None:
        return None
    names = function.__code__.co_freevars
    pairs = zip(names, function.__closure__, strict=True)
    return tuple(types.CellType(changed[name]) if name in changed else cell for name, cell in pairs)
