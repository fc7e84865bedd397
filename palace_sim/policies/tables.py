"""Tables of policies: numbers that compiled code reads where they lie."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

MOST = 1 << 32  # numbers


class Table:
    """Numbers of a policy: a copy of its own, never written to and never moved.

    Attributes
    ----------
    array : (n,) float64 or int64 array
        Read-only.
    address : int
        Where it lies in this process.
    size : int
        n, negative for int64.
    """

    def __init__(self, numbers: Any, name: str) -> None:
        what = f"table of policy {name} takes an array of float64 or int64, 1-D or 2-D"
        try:
            given = np.asarray(numbers)
        except ValueError:
            raise ValueError(f"{what}, got rows of different lengths") from None
        if given.dtype not in (np.float64, np.int64) or given.ndim not in (1, 2) or not 0 < given.size < MOST:
            raise ValueError(f"{what}, with numbers in it; got {given.dtype} of shape {given.shape}")
        self.array = np.array(given, order="C").reshape(-1)
        self.array.flags.writeable = False
        self.address = self.array.ctypes.data
        self.size = len(self.array) if given.dtype == np.float64 else -len(self.array)
        self._mark = ""

    def mark(self, before: str = "") -> str:
        """Hash of the numbers, and of a text before them, as 32 hex digits."""
        if not self._mark:
            self._mark = hashlib.sha256(f"{self.array.dtype.str} ".encode() + self.array.tobytes()).hexdigest()[:32]
        return hashlib.sha256(f"{before} {self._mark}".encode()).hexdigest()[:32] if before else self._mark
