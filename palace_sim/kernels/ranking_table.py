"""Large read-only tables that kernels share: one copy a process, out of the machine code and its cache.

Numba would copy a global array into every function that reads it, and into the cached files of all their callers.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from palace_sim.kernels.jit import JIT

_alive: list[np.ndarray] = []


def shared_table(name: str, table: np.ndarray) -> Any:
    """Make a function for kernels that reads an entry of a table.

    To be called where a module is imported: machine code from the disk cache finds the table by its name.

    Parameters
    ----------
    name : str
        Unique in the process.
    table : numpy.ndarray
        Contiguous, of integers that are not negative; read in its flat order and never past its end: that is for the
        caller to see to.

    Returns
    -------
    callable
        ``read(index) -> int64``, also in plain Python with ``NUMBA_DISABLE_JIT=1``.
    """
    flat = np.asarray(table).reshape(-1)
    if not JIT:
        entries = flat.data  # gives ints, not numpy scalars
        return lambda index: entries[index]
    _alive.append(flat)
    symbol = f"palace_sim_{name}"
    llvmlite.binding.add_symbol(symbol, flat.ctypes.data)
    entry = ir.IntType(8 * flat.itemsize)
    array = ir.ArrayType(entry, flat.size)

    @intrinsic
    def read(typing_context: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            base = builder.module.globals.get(symbol)
            if base is None:
                base = ir.GlobalVariable(builder.module, array, symbol)
                base.global_constant = True
            found = builder.load(builder.gep(base, [args[0].type(0), args[0]], inbounds=True))
            return builder.zext(found, ir.IntType(64)) if flat.itemsize < 8 else found

        return types.int64(types.int64), generate

    return read
