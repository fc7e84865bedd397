"""`mix`: a policy that draws, hand by hand, which settings of `general` it plays by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from palace_sim.kernels import see
from palace_sim.policies.base import Policy, policy
from palace_sim.policies.deciding import PARAMETERS, decide
from palace_sim.policies.general import general

WIDTH = len(PARAMETERS)
ROW = 1 + WIDTH  # share of the settings up to this one, then the settings
DRAWN = 0  # place in the memo
MOST = 1000  # settings of a mixture


def mixed(view: Any) -> int:
    """Play by settings of `general` that are drawn for the hand, others for two players than for more."""
    if view.memo[DRAWN] == 0:
        # table: rows for two players, rows for more, then those rows
        first = 0 if view.seats == 2 else see.table_int(view, 0)
        many = see.table_int(view, 0 if view.seats == 2 else 1)
        drawn = see.uniform(view) if many > 1 else 0.0
        row = 0
        while row < many - 1 and drawn >= see.table(view, 2 + (first + row) * ROW):
            row += 1
        for k in range(WIDTH):  # parameters last through a hand, as the memo does
            view.params[k] = see.table(view, 2 + (first + row) * ROW + 1 + k)
        view.memo[DRAWN] = 1
    return decide(view)


def mix(two: Any, more: Any = None, name: str = "mixed") -> Policy:
    """Make one policy of several settings of `general`: which of them it plays by is drawn anew every hand.

    A mixture is what an equilibrium takes: a foe cannot see which settings were drawn. A policy that is mixed for
    every hand wins on average what its parts win.

    Parameters
    ----------
    two : policy of `general`, or dict of such policies to shares
        For hands dealt to two players. Shares are taken relative to their sum.
    more : the same, optional
        For hands dealt to three and more; None for the same as `two`.
    name : str
        Name in tables.

    Raises
    ------
    ValueError
        A policy is not of the family `general`, or a share is not a number of 0 or more; named.

    Examples
    --------
    >>> import palace_sim as ps
    >>> half = ps.policies.mix({ps.policies.like("tight"): 1, ps.policies.like("stay"): 1}, name="half")
    >>> ps.play([half, "stay"], deals=100, seed=1, rows=False).summary.loc[0, "policy"]
    'half'
    """
    rows_two = _rows(two, "two")
    rows_more = rows_two if more is None else _rows(more, "more")
    table = np.concatenate([[len(rows_two), len(rows_more)], rows_two.reshape(-1), rows_more.reshape(-1)])
    made: Policy = policy(table=table.astype(np.float64), keep="ask", name=name)(mixed)
    return made


def _rows(given: Any, what: str) -> np.ndarray:
    """Rows of a mixture: shares added up, and parameters."""
    pairs = list(given.items()) if isinstance(given, Mapping) else [(given, 1.0)]
    for part, share in pairs:
        if not isinstance(part, Policy) or part.family is not general.family:
            raise ValueError(f"{what} takes policies of the family general, or a dict of such to shares, got {part!r}")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < math.inf:
            raise ValueError(f"{what} takes shares of 0 or more, got {share!r} for {part.name}")
    kept = [(part, float(share)) for part, share in pairs if share > 0]
    if not 0 < len(kept) <= MOST:
        raise ValueError(f"{what} takes 1 to {MOST} policies with a share above 0, got {len(kept)}")
    shares = np.cumsum([share for _, share in kept])
    return np.column_stack([shares / shares[-1], [part.values for part, _ in kept]])
