"""From a policy's function to an address that the engine can call."""

from __future__ import annotations

import ctypes
import linecache
import operator
import threading
import traceback
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types as nb
from numba.core import ir
from numba.core.errors import NumbaError

from palace_sim.arguments import near
from palace_sim.kernels import jit
from palace_sim.kernels.view import VIEW, VIEW_TYPE
from palace_sim.policies.errors import PolicyError
from palace_sim.policies.fingerprint import fingerprint, fresh


class Entry:
    """Code of a policy that the engine can call.

    Attributes
    ----------
    address : int
        What stands in the engine's table.
    """

    address: int

    def error(self, view: Any) -> BaseException | None:
        """Return the exception that made the policy fail on this thread, or on this view."""
        raise NotImplementedError


class CompiledEntry(Entry):
    """A compiled policy; the engine calls its machine code."""

    def __init__(self, function: types.FunctionType, name: str, mark: str, **options: Any) -> None:
        self.dispatcher = _compile(function, name, fresh(function, mark, **options))
        result = self.dispatcher.overloads[(VIEW_TYPE,)]
        if nb.unliteral(result.signature.return_type) != nb.int64:
            plain = _compile(function, name, fresh(function, mark, boundscheck=False))
            raise PolicyError(_wrong_return(function, name, plain.overloads[(VIEW_TYPE,)]))
        self.address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)

    def error(self, view: Any) -> BaseException | None:
        try:
            self.dispatcher(view)
        except Exception as error:
            return error
        return None


class PlainEntry(Entry):
    """A policy played as plain Python, through a C callback; about 10 µs a call beside its own work."""

    def __init__(self, function: Callable[[Any], int]) -> None:
        self.function = function
        self.errors: dict[int, BaseException] = {}
        self.callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(self._answer)
        self.address = -(ctypes.cast(self.callback, ctypes.c_void_p).value or 0)

    def _answer(self, pointer: int) -> int:
        """Ask the function on a copy of the view (it may keep it), and write back what it may change."""
        try:
            memory: Any = (ctypes.c_char * VIEW.itemsize).from_address(pointer)
            there = np.frombuffer(memory, VIEW)[0]
            here = there.copy()
            code = _as_code(self.function(here))
            there.params[:] = here.params
            there.memo[:] = here.memo
            there.stream[:] = here.stream
            return code
        except BaseException as error:  # kept for the run, which stops: 0 is no action
            self.errors[threading.get_ident()] = error
            return 0

    def error(self, view: Any) -> BaseException | None:
        return self.errors.pop(threading.get_ident(), None)


class UncompiledEntry(PlainEntry):
    """Any policy under NUMBA_DISABLE_JIT=1: the engine itself is plain Python and calls the function."""

    def __init__(self, function: Callable[[Any], int]) -> None:
        self.function = function
        self.errors = {}
        self.address = len(jit.PLAIN_POLICIES) + 1
        jit.PLAIN_POLICIES[self.address] = self._call

    def _call(self, view: Any) -> int:
        try:
            return _as_code(self.function(view))
        except BaseException as error:
            self.errors[threading.get_ident()] = error
            return 0


def _as_code(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"returned {value!r}, which is no action code: return ps.act.stay() or another of ps.act")
    code = operator.index(value)
    if not -(1 << 63) <= code < 1 << 63:
        raise TypeError(f"returned {code}, which is no action code")
    return code


def where(function: Callable[..., Any], line: int | None = None) -> str:
    """Say where a function stands, as file:line."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(function)
    return f"{code.co_filename}:{line or code.co_firstlineno}"


def _compile(function: types.FunctionType, name: str, dispatcher: Any) -> Any:
    try:
        dispatcher.compile((VIEW_TYPE,))
    except Exception as error:  # numba lets some of its own through, like KeyError for a field that is not there
        line = getattr(getattr(error, "loc", None), "line", None)
        reason = " ".join(str(error).split())
        if not isinstance(error, NumbaError):
            reason = f"{type(error).__name__}: {reason}"
        if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
            line = _line_with(function, f".{error.name}")
            reason = f"{error.obj.__name__} has no {error.name!r}{near(str(error.name), _public(error.obj))}"
        if isinstance(error, KeyError):
            line = _line_with(function, f".{error.args[0]}")
            reason = f"a view has no field {error.args[0]!r}{near(str(error.args[0]), VIEW.names or ())}"
        raise PolicyError(
            f"policy {name} ({where(function, line)}) cannot be compiled: {reason[:1500]}\n"
            f"(policy(compile=False), or an undecorated function, plays it as plain Python)"
        ) from error
    return dispatcher


def raised_at(error: BaseException | None, function: Callable[..., Any]) -> str:
    """Say in which line of a function's file an exception was raised; nothing where that is not known."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__) if error is not None and code is not None else []
    lines = [frame.lineno for frame in frames if code is not None and frame.filename == code.co_filename]
    return f", line {lines[-1]} of {code.co_filename}" if lines and code is not None else ""


def _public(module: types.ModuleType) -> list[str]:
    """Names that a module means to be used."""
    return list(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def _line_with(function: types.FunctionType, text: str) -> int | None:
    """Return the first line of a function that holds a text."""
    lines = sorted({line for _, _, line in function.__code__.co_lines() if line})
    return next((line for line in lines if text in linecache.getline(function.__code__.co_filename, line)), None)


def _wrong_return(function: types.FunctionType, name: str, result: Any) -> str:
    """Say on which lines a function returns what is no action code."""
    faults = []
    annotation = result.type_annotation
    kinds, blocks = annotation.typemap, annotation.blocks
    made = {s.target.name: s.value for block in blocks.values() for s in block.body if isinstance(s, ir.Assign)}
    for block in blocks.values():
        for statement in block.body:
            if not isinstance(statement, ir.Return):
                continue
            value = made.get(statement.value.name)
            source = value.value.name if isinstance(value, ir.Expr) and value.op == "cast" else statement.value.name
            kind = kinds[source]
            line = statement.loc.line
            if kind == nb.none:
                if linecache.getline(function.__code__.co_filename, line).lstrip().startswith("return"):
                    faults.append((line, "returns nothing"))
                else:
                    last = max(line for _, _, line in function.__code__.co_lines() if line)
                    faults.append((last, "is the last, and the function falls off its end"))
            elif not (isinstance(kind, nb.Integer) and kind.bitwidth == 64 and kind.signed):
                faults.append((line, f"returns a value of type {kind}"))
    faults.sort()
    file = function.__code__.co_filename
    told = [f"line {line}: {linecache.getline(file, line).strip()!r} {why}" for line, why in faults]
    if not told:
        told = [f"returns {result.signature.return_type}"]
    return (
        f"policy {name} ({where(function)}) must return an action code of ps.act on every path, but "
        + "; ".join(told)
    )


_COMPILED: dict[str, CompiledEntry] = {}
_PLAIN: dict[int, PlainEntry] = {}
_LOCK = threading.Lock()


def entry_for(function: Callable[[Any], int], name: str, *, plain: bool) -> Entry:
    """Return the entry of a function, made once for each fingerprint.

    Parameters
    ----------
    function : callable
        The policy's function.
    name : str
        Its name, for errors.
    plain : bool
        Play it as plain Python.

    Raises
    ------
    PolicyError
        The function cannot be compiled, or returns what is no int64.
    """
    with _LOCK:
        if plain or not jit.JIT:
            known = _PLAIN.get(id(function))
            if known is None or known.function is not function:
                known = _PLAIN[id(function)] = PlainEntry(function) if jit.JIT else UncompiledEntry(function)
            return known
        assert isinstance(function, types.FunctionType)
        mark = fingerprint(function)
        # a bound method or a copy of a function may share the fingerprint: the code is the same, so is the entry
        if mark not in _COMPILED:
            _COMPILED[mark] = CompiledEntry(function, name, mark)
        return _COMPILED[mark]


jit.FIND_ADDRESS[:] = [lambda function: entry_for(function, function.__name__, plain=False).address]
