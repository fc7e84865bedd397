"""Who sits with whom: pure functions from numbers of policies and seats to line-ups."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def every_lineup(policies: int, seats: int) -> np.ndarray:
    """Return every choice of `seats` different policies, as indices.

    Parameters
    ----------
    policies : int
        Number of policies P.
    seats : int
        Seats at a table, 2 to P.

    Returns
    -------
    (L, seats) int64 array
        Line-ups in lexicographic order, L = C(P, seats).

    Examples
    --------
    >>> every_lineup(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.array(list(combinations(range(policies), seats)), dtype=np.int64).reshape(-1, seats)
