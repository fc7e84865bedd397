"""Where the rows of a run are kept until tables are made of them."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from palace_sim.kernels import rows as kernels
from palace_sim.kernels.rows import Rows, empty_rows

_MATRICES = {
    "seats": {
        "seat_longs": kernels.SEAT_LONGS,
        "seat_ints": kernels.SEAT_INTS,
        "seat_bytes": kernels.SEAT_BYTES,
    },
    "battles": {
        "battle_longs": kernels.BATTLE_LONGS,
        "battle_ints": kernels.BATTLE_INTS,
        "battle_bytes": kernels.BATTLE_BYTES,
    },
    "deals": {"deal_longs": kernels.DEAL_LONGS, "deal_ints": kernels.DEAL_INTS},
}


class Sizes(Protocol):
    """What of a plan decides how many rows there are."""

    @property
    def rows(self) -> int: ...
    @property
    def deal_rows(self) -> int: ...
    @property
    def seats(self) -> int: ...
    @property
    def hands_per_deal(self) -> int: ...
    @property
    def distinct(self) -> int: ...


def room_for(plan: Sizes, first: int, count: int, shared: Rows | None) -> tuple[Rows, tuple[int, int]]:
    """Return arrays for the rows of a block, and the places of its first rows of seats and of deals."""
    hands = max(0, min(count, plan.rows - first)) * plan.hands_per_deal
    deals = max(0, min(count, plan.deal_rows - first)) * plan.distinct
    own = empty_rows(0 if shared else hands * plan.seats, hands * (plan.seats - 1), 0 if shared else deals)
    if shared is None:
        return own, (0, 0)
    at_hand, at_deal = min(first, plan.rows) * plan.hands_per_deal, min(first, plan.deal_rows) * plan.distinct
    return Rows(*shared[:3], *own[3:6], *shared[6:]), (at_hand * plan.seats, at_deal)


def written_rows(rows: Rows, work: Any, is_shared: bool) -> Rows:
    """Return what a block has written, the shared rows left out."""
    seats, battles, deals = (0 if is_shared else work.seat_rows), work.battle_rows, (0 if is_shared else work.deal_rows)
    kept = (seats, seats, seats, battles, battles, battles, deals, deals)
    # no copy: room that nothing was written to takes no memory
    return Rows(*(matrix[..., :many] for matrix, many in zip(rows, kept, strict=True)))


@dataclasses.dataclass
class RowStore:
    """Rows of a run: a shared part, written in place, and parts of blocks by their first deal."""

    shared: Rows | None = None
    parts: dict[int, Rows] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, plan: Sizes) -> RowStore:
        """Return a store with room for all rows of seats and deals of a plan."""
        return cls(empty_rows(plan.rows * plan.hands_per_deal * plan.seats, 0, plan.deal_rows * plan.distinct))

    def add(self, first: int, rows: Rows) -> None:
        """Keep the rows of a block."""
        if any(matrix.size for matrix in rows):
            self.parts[first] = rows

    def _matrix(self, name: str) -> np.ndarray:
        held = [self.shared or empty_rows(0, 0, 0), *(self.parts[first] for first in sorted(self.parts))]
        found = [matrix for matrix in (getattr(rows, name) for rows in held) if matrix.size] or [getattr(held[0], name)]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)

    def columns(self, kind: str) -> dict[str, np.ndarray]:
        """Return a table's columns by name, all rows in the order of deals; kind "seats", "battles" or "deals"."""
        found: dict[str, np.ndarray] = {}
        for matrix, names in _MATRICES[kind].items():
            found |= dict(zip(names, self._matrix(matrix), strict=True))
        return found
