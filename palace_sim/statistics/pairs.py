"""Who did better than whom: sums over pairs of policies, in batches of deals, from the table of deals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

BATCHES = 1000  # as a run keeps them


class Pairs(NamedTuple):
    """Sums over pairs of P policies in B batches of deals.

    The unit of comparison is a deal in a line-up: the nets of two policies that sit together, each summed over the
    rotations, so both had the same seats and cards.

    Attributes
    ----------
    names : list of str
        The policies, sorted.
    deals : (B,) int64
        Different deals in each batch.
    wins : (B, P, P) float64
        Units in which the row's policy had the larger net; a tie is half a win for both. A unit that both did not share
        counts for neither, so entries (i, j) and (j, i) add up to the units shared.
    net : (B, P, P) int64
        Sum of net_i − net_j over those units, in chips.
    hands : (B, P, P) int64
        Hands of each of the two over those units. Half of net/hands is the entry of a crosstable, chips a hand.
    """

    names: list[str]
    deals: NDArray[np.int64]
    wins: NDArray[np.float64]
    net: NDArray[np.int64]
    hands: NDArray[np.int64]


def pair_sums(deals: pd.DataFrame, batches: int = BATCHES) -> Pairs:
    """Compare the policies of every deal and line-up, two by two.

    Parameters
    ----------
    deals : DataFrame
        Columns lineup, deal, policy, hands, net: a row for each policy of a line-up and deal, in any order.
    batches : int
        Deal d falls into batch d mod `batches`.

    Returns
    -------
    Pairs

    Raises
    ------
    ValueError
        No rows, a policy twice in a deal of a line-up, or policies with different numbers of hands there.

    Examples
    --------
    >>> import pandas as pd
    >>> deals = pd.DataFrame({"lineup": 0, "deal": [0, 0, 1, 1], "policy": ["x", "y"] * 2, "hands": 2,
    ...                       "net": [10, -10, 0, 0]})
    >>> found = pair_sums(deals, batches=2)
    >>> found.names, found.wins.sum(axis=0).tolist()       # x won a deal, and one was a tie
    (['x', 'y'], [[0.0, 1.5], [0.5, 0.0]])
    """
    if not len(deals):
        raise ValueError("deals has no rows")
    names, codes = _codes(deals["policy"])
    lineup, deal, hands, net = (np.asarray(deals[name], np.int64) for name in ("lineup", "deal", "hands", "net"))
    order = np.lexsort((codes, deal, lineup))
    lineup, deal, codes, hands, net = lineup[order], deal[order], codes[order], hands[order], net[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(lineup) != 0) | (np.diff(deal) != 0)])
    sizes = np.diff(np.r_[starts, len(deal)])
    many = len(names)
    shape = (batches, many, many)
    twice_wins, found_net, found_hands = (np.zeros(shape, np.int64) for _ in range(3))
    for size in np.unique(sizes):
        first = starts[sizes == size]
        for one in range(size):
            for other in range(one + 1, size):
                a, b = first + one, first + other
                _alike(codes, hands, a, b, names, lineup, deal)
                gap = net[a] - net[b]
                at = deal[a] % batches, codes[a], codes[b]
                np.add.at(twice_wins, at, 1 + np.sign(gap))
                np.add.at(found_net, at, gap)
                np.add.at(found_hands, at, hands[a])
                np.add.at(twice_wins, (at[0], at[2], at[1]), 1 - np.sign(gap))
    # Codes rise within a unit, so everything stands above the diagonal until it is mirrored.
    found_net -= found_net.transpose(0, 2, 1).copy()
    found_hands += found_hands.transpose(0, 2, 1).copy()
    different = np.unique(deal)
    counts = np.bincount(different % batches, minlength=batches)
    return Pairs(names, counts, twice_wins / 2, found_net, found_hands)


def _codes(policy: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Number the policies that occur in the order of their names."""
    import pandas as pd

    codes, found = pd.factorize(policy, sort=False)
    words = [str(word) for word in found]
    names = sorted(words)
    place = np.array([names.index(word) for word in words], np.int64)
    return names, place[codes]


def _alike(
    codes: NDArray[Any],
    hands: NDArray[Any],
    a: NDArray[Any],
    b: NDArray[Any],
    names: list[str],
    lineup: NDArray[Any],
    deal: NDArray[Any],
) -> None:
    twice = np.flatnonzero(codes[a] == codes[b])
    if len(twice):
        row = a[twice[0]]
        raise ValueError(f"deals has {names[codes[row]]!r} twice in line-up {lineup[row]}, deal {deal[row]}")
    uneven = np.flatnonzero(hands[a] != hands[b])
    if len(uneven):
        row = a[uneven[0]]
        raise ValueError(
            f"deals has policies with different numbers of hands in line-up {lineup[row]}, deal {deal[row]}: "
            "they cannot be compared two by two"
        )
