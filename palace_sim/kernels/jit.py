"""Every numba option, intrinsic and cache folder of the package, in one place.

Numba's disk cache notices a change in the file of the function that it caches, but not in the files of the
functions which that one calls. So the kernels' cache lies in a folder named by a hash of all kernel sources, numba's
version and options: a change anywhere starts an empty folder, and nothing stale can be served.

With ``NUMBA_DISABLE_JIT=1`` everything here has a plain-Python twin that gives the same results.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, overload, type_callable

JIT = not numba.config.DISABLE_JIT
FOLDER = "PALACE_SIM_CACHE_DIR"  # environment variable that moves the disk cache


def _options() -> str:
    """Text of everything besides the sources that decides what machine code comes out."""
    said = {k: v for k, v in os.environ.items() if k.startswith("NUMBA_")}
    for harmless in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE"):
        said.pop(harmless, None)
    config = (numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.DEBUGINFO_DEFAULT)
    return f"{numba.__version__} {np.__version__} {sorted(said.items())} {config}"


def source_hash() -> str:
    """Hash of the kernels' sources and the options they are compiled under, as 16 hex digits."""
    digest = hashlib.sha256(_options().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _find_root() -> Path | None:
    """Return the folder of the disk cache, or None (said once) where it cannot be written."""
    if not JIT:
        return None
    said = os.environ.get(FOLDER)
    root = Path(said) if said else Path(platformdirs.user_cache_path("palace_sim", appauthor=False))
    if _writable(root):
        return root
    warnings.warn(
        f"palace_sim cannot write its cache folder {root}: every session compiles anew; "
        f"set {FOLDER} to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _prune(root: Path, now: str) -> None:
    """Remove folders of kernels and policies that nothing has written to for 60 days, when a new one is begun."""
    if (root / now).exists():
        return
    for folder in [*root.glob("kernels-*"), *root.glob("policies/*")]:
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > 60 * 86_400:
                shutil.rmtree(folder)


SOURCES = source_hash()
ROOT = _find_root()
if ROOT is not None:
    _prune(ROOT, f"kernels-{SOURCES}")


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Point numba's cache at `folder` while a function is decorated, and back (it is global to numba)."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def compiled(function: Callable[..., Any], folder: str | None = None, **options: Any) -> Any:
    """Decorate `function` with numba; nothing compiles before the first call.

    Parameters
    ----------
    function : callable
        Plain-Python function.
    folder : str, optional
        Name below the cache root that changes whenever the machine code could; None for no disk cache.
    **options
        Passed to `numba.njit`.
    """
    plain = numba.njit(nogil=True, **options)
    if folder is None or ROOT is None:
        return plain(function)
    try:
        with _cache_in(ROOT / folder):
            return numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # numba finds no place for it: a function without a source file
        return plain(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of the package: cached, without the GIL, divisions unchecked."""
    return compiled(function, f"kernels-{SOURCES}", error_model="numpy")


def inlined(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and put the code into every caller: for short steps that every decision takes."""
    return compiled(function, f"kernels-{SOURCES}", error_model="numpy", forceinline=True)


# --- small instructions that numba has no function for ---------------------------------------------------------------


def _bit_intrinsic(name: str, *extra: ir.Constant) -> Any:
    @intrinsic
    def instruction(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kinds = [word] + [ir.IntType(1)] * len(extra)
            function = builder.module.declare_intrinsic(f"llvm.{name}", [word], ir.FunctionType(word, kinds))
            return builder.call(function, [args[0], *extra])

        return types.int64(types.int64), generate

    return instruction


if JIT:

    @intrinsic(prefer_literal=True)
    def copy_bytes(typing_context: Any, target: Any, to: Any, source: Any, size: Any) -> Any:
        """Copy the first `size` bytes of a record (a constant) into another, from its byte `to` on."""
        many = size.literal_value

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            byte = ir.IntType(8).as_pointer()
            there = builder.gep(builder.bitcast(args[0], byte), [args[1]])
            here = builder.bitcast(args[2], byte)
            at = 0
            # straight code, since a call of memcpy costs as much as the copy; wider words cross lines of the cache
            for words in (4, 2, 1):
                chunk = ir.VectorType(ir.IntType(64), words).as_pointer()
                while many - at >= 8 * words:
                    place = ir.Constant(ir.IntType(64), at)
                    moved = builder.load(builder.bitcast(builder.gep(here, [place]), chunk), align=8)
                    builder.store(moved, builder.bitcast(builder.gep(there, [place]), chunk), align=8)
                    at += 8 * words
            assert at == many
            return context.get_dummy_value()

        return types.void(target, to, source, size), generate

    @intrinsic
    def call_policy(typing_context: Any, address: Any, view: Any) -> Any:
        """Call the policy at an address with a view; 0 where it failed.

        A positive address is a compiled function with numba's own calling convention, whose status tells of an
        exception; a negative one is that of a C callback into plain Python.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word, view_type = ir.IntType(64), signature.args[1]
            zero = ir.Constant(word, 0)
            python = builder.icmp_signed("<", args[0], zero)
            code = cgutils.alloca_once_value(builder, zero)
            with builder.if_else(python, likely=False) as (then, otherwise):
                with then:
                    kind = ir.FunctionType(word, [args[1].type])
                    target = builder.inttoptr(builder.neg(args[0]), kind.as_pointer())
                    builder.store(builder.call(target, [args[1]]), code)
                with otherwise:
                    kind = context.call_conv.get_function_type(types.int64, (view_type,))
                    target = builder.inttoptr(args[0], kind.as_pointer())
                    status, value = context.call_conv.call_function(
                        builder, target, types.int64, (view_type,), [args[1]]
                    )
                    builder.store(builder.select(status.is_ok, value, zero), code)
            return builder.load(code)

        return types.int64(types.int64, view), generate

    @intrinsic
    def _address(typing_context: Any, policy: Any, view: Any) -> Any:
        """Address of a compiled function of a view, linked into the caller."""
        if not isinstance(policy, types.Dispatcher):
            return None
        wanted = policy.get_call_type(typing_context, (view,), {})
        if types.unliteral(wanted.return_type) != types.int64:
            raise TypeError(f"the policy returns {wanted.return_type}, which is no action code")

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            result = policy.dispatcher.overloads[wanted.args]
            function = context.declare_function(builder.module, result.fndesc)
            context.active_code_library.add_linking_library(result.library)
            return builder.ptrtoint(function, ir.IntType(64))

        return types.int64(policy, view), generate

    @intrinsic
    def load_word(typing_context: Any, address: Any, k: Any) -> Any:
        """Read the k-th 8 bytes from an address as an int64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            there = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
            return builder.load(builder.gep(there, [args[1]]), align=8)

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def load_float(typing_context: Any, address: Any, k: Any) -> Any:
        """Read the k-th 8 bytes from an address as a float64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            there = builder.inttoptr(args[0], ir.DoubleType().as_pointer())
            return builder.load(builder.gep(there, [args[1]]), align=8)

        return types.float64(types.int64, types.int64), generate

    popcount = _bit_intrinsic("ctpop")
    lowest_bit = _bit_intrinsic("cttz", ir.Constant(ir.IntType(1), 0))
    leading_zeros = _bit_intrinsic("ctlz", ir.Constant(ir.IntType(1), 0))
else:
    PLAIN_POLICIES: dict[int, Callable[[Any], int]] = {}  # what stands for addresses where nothing is compiled

    def call_policy(address: int, view: Any) -> int:
        """Call the policy at an address with a view; 0 where it failed."""
        return PLAIN_POLICIES[int(address)](view)

    def copy_bytes(target: Any, to: int, source: Any, size: int) -> None:
        """Copy the fields that lie in the first `size` bytes of a record to those of the same names in another."""
        for name, field in source.dtype.fields.items():
            if field[1] < size:
                assert target.dtype.fields[name][1] == field[1] + to
                target[name] = source[name]

    def load_word(address: int, k: int) -> int:
        """Read the k-th 8 bytes from an address as an int64."""
        return ctypes.c_int64.from_address(int(address) + 8 * int(k)).value

    def load_float(address: int, k: int) -> float:
        """Read the k-th 8 bytes from an address as a float64."""
        return ctypes.c_double.from_address(int(address) + 8 * int(k)).value

    def popcount(x: int) -> int:
        """Count the bits that are set in a non-negative int64."""
        return int(x).bit_count()

    def lowest_bit(x: int) -> int:
        """Index of the lowest bit that is set in a non-negative int64; 64 for none."""
        x = int(x)
        return (x & -x).bit_length() - 1 if x else 64

    def leading_zeros(x: int) -> int:
        """Number of zero bits above the highest that is set in a non-negative int64; 64 for none."""
        return 64 - int(x).bit_length()


# --- what a compiled policy needs to ask another policy ---------------------------------------------------------------

FIND_ADDRESS: list[Callable[[Any], int]] = []  # how plain Python finds a policy's address (policies/entry.py)


def address_of(policy: Any, view: Any) -> int:
    """Address of a policy, given by its function, as `call_policy` takes it."""
    return FIND_ADDRESS[0](policy)


def record_maker(dtype: np.dtype) -> Callable[[], Any]:
    """Return a function that makes a record of zeros, for compiled callers on their stack: nothing is allocated."""

    def make() -> Any:
        return np.zeros(1, dtype)[0]

    if JIT:
        kind = numba.from_dtype(dtype)

        @type_callable(make)
        def _type_make(typing_context: Any) -> Any:
            return lambda: kind

        # lowered into the caller itself: an overload would be a function of its own, whose stack is gone at its end
        @lower_builtin(make)
        def _make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():  # alloca_once would store an array of zeros, byte by byte
                place = builder.alloca(context.get_data_type(kind))
            place.align = 64
            cgutils.memset(builder, place, ir.Constant(ir.IntType(64), dtype.itemsize), 0)
            return builder.bitcast(place, context.get_value_type(kind))

    return make


if JIT:

    @overload(address_of, jit_options={"nogil": True})
    def _address_of(policy, view):  # type: ignore[no-untyped-def]
        return lambda policy, view: _address(policy, view)
