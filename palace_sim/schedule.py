"""Who sits with whom: pure functions from numbers of policies and seats to line-ups.

A line-up is a sorted row of indices of policies. Every line-up plays the same deals, each in all rotations of the seats
(or in all seatings), so a schedule says nothing of deals and seats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from palace_sim.kernels.rng import SCHEDULING, below, open_stream, shuffle, uniform

TRIES = 4  # balanced designs of which the one with the most even pairs is taken
OF_POPULATIONS = 20  # index of the stream that populations are drawn with
SWAPS = 20_000  # changes of places that are tried for each
PATIENCE = 10_000  # draws of a table of two policies or more


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


def balanced_lineups(policies: int, seats: int, tables: int, seed: int = 0) -> np.ndarray:
    """Return a random choice of different line-ups in which all policies sit equally often, or once more or less.

    Tables are filled from shuffled rows of all policies, one row after the other, and evened out; then members of two
    tables change places as long as that makes pairs meet more evenly (the sum of squares of their meetings falls), and
    of a few such designs the best is taken.

    Parameters
    ----------
    policies, seats : int
        As for `every_lineup`.
    tables : int
        Number of line-ups, 1 to C(policies, seats).
    seed : int
        0 to 2^63 - 1; the same seed gives the same line-ups.

    Returns
    -------
    (tables, seats) int64 array
        In lexicographic order.

    Examples
    --------
    >>> chosen = balanced_lineups(12, 4, tables=9, seed=1)
    >>> np.bincount(chosen.ravel()).tolist()
    [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]
    """
    ways = math.comb(policies, seats)
    if tables >= ways:
        return every_lineup(policies, seats)
    if tables > ways // 2:  # as balanced as those that are left out
        out = {tuple(lineup) for lineup in balanced_lineups(policies, seats, ways - tables, seed).tolist()}
        return np.array([lineup for lineup in combinations(range(policies), seats) if lineup not in out], np.int64)
    best, least = None, math.inf
    for index in range(TRIES):
        stream = np.zeros(4, np.int64)
        open_stream(stream, seed, 0, SCHEDULING, index, 0)
        filled = _even_out(_fill_tables(stream, policies, seats, tables), policies)
        design, uneven = _meet_evenly(stream, filled, policies)
        if uneven < least:
            best, least = np.array(design, np.int64), uneven
    assert best is not None
    return best


def _fill_tables(stream: np.ndarray, policies: int, seats: int, tables: int) -> set[tuple[int, ...]]:
    """Fill different tables from shuffled rows of all policies; at most half of all that there are."""
    waiting: list[int] = []
    filled: set[tuple[int, ...]] = set()
    while len(filled) < tables:
        table = list(dict.fromkeys(waiting))[:seats]
        if len(table) < seats:
            row = np.arange(policies)
            shuffle(stream, row, policies)
            waiting += row.tolist()
            continue
        for policy in table:
            waiting.remove(policy)
        key = tuple(sorted(table))
        if key in filled:
            waiting.clear()  # a new row; who was left out comes in when the tables are evened out
        filled.add(key)
    return filled


def _even_out(filled: set[tuple[int, ...]], policies: int) -> list[tuple[int, ...]]:
    """Replace policies that sit too often by those that sit least, until counts differ by one at most.

    Of the tables with a and without b there are more than of those with b and without a, if a sits more often. So
    there is one that with b in a's place is not there yet.
    """
    counts = np.bincount([policy for table in filled for policy in table], minlength=policies)
    while counts.max() - counts.min() > 1:
        a, b = int(counts.argmax()), int(counts.argmin())
        for table in sorted(filled):
            other = tuple(sorted({*table, b} - {a}))
            if a in table and b not in table and other not in filled:
                filled.remove(table)
                filled.add(other)
                counts[a], counts[b] = counts[a] - 1, counts[b] + 1
                break
    return sorted(filled)


def _meet_evenly(
    stream: np.ndarray, filled: list[tuple[int, ...]], policies: int
) -> tuple[list[tuple[int, ...]], float]:
    """Let members of two tables change places while pairs meet more evenly for it; return tables and unevenness."""
    there, tables = set(filled), [set(table) for table in filled]
    meetings = np.zeros((policies, policies), np.int64)
    for table in filled:
        for a, b in combinations(table, 2):
            meetings[a, b] += 1
            meetings[b, a] += 1
    for _ in range(min(SWAPS, 40 * len(tables) * len(filled[0])) if len(tables) > 1 else 0):
        i, j = below(stream, len(tables)), below(stream, len(tables))
        left, right = sorted(tables[i] - tables[j]), sorted(tables[j] - tables[i])
        if not left:
            continue
        x, y = left[below(stream, len(left))], right[below(stream, len(right))]
        with_x, with_y = [k for k in left if k != x], [k for k in right if k != y]  # whom both tables hold, both meet
        change = sum(meetings[y, k] - meetings[x, k] + 1 for k in with_x)
        change += sum(meetings[x, k] - meetings[y, k] + 1 for k in with_y)
        one, other = tuple(sorted(tables[i] - {x} | {y})), tuple(sorted(tables[j] - {y} | {x}))
        if change >= 0 or one in there or other in there:
            continue
        there -= {tuple(sorted(tables[i])), tuple(sorted(tables[j]))}
        there |= {one, other}
        for k, lost, found in [*((k, x, y) for k in with_x), *((k, y, x) for k in with_y)]:
            meetings[lost, k] -= 1
            meetings[k, lost] -= 1
            meetings[found, k] += 1
            meetings[k, found] += 1
        tables[i], tables[j] = set(one), set(other)
    return sorted(there), float((meetings**2).sum())


def gauntlet_lineups(policies: int, seats: int, copies: bool = False) -> np.ndarray:
    """Return the line-ups of one policy, the first, against a field of all others.

    Parameters
    ----------
    policies : int
        Number of policies, that one included.
    seats : int
        Seats at a table.
    copies : bool
        True seats the first with `seats` - 1 copies of one of the field, False with different ones.

    Examples
    --------
    >>> gauntlet_lineups(4, 3).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3]]
    >>> gauntlet_lineups(3, 4, copies=True).tolist()
    [[0, 1, 1, 1], [0, 2, 2, 2]]
    """
    if copies:
        return np.array([[0] + [foe] * (seats - 1) for foe in range(1, policies)], np.int64)
    field = every_lineup(policies - 1, seats - 1) + 1
    return np.concatenate([np.zeros((len(field), 1), np.int64), field], axis=1)


def population_lineups(
    weights: Sequence[float], seats: int, tables: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return line-ups whose seats are drawn one by one, by weights: a policy may sit twice.

    Parameters
    ----------
    weights : sequence of float
        Weight of each policy, 0 or more.
    seats, tables : int
        Seats at a table, and the number of line-ups drawn.
    seed : int
        0 to 2^63 - 1.

    Returns
    -------
    lineups : (L, seats) int64 array
        The different line-ups drawn, in lexicographic order; tables of one policy alone, which win nothing, are drawn
        again.
    times : (L,) int64 array
        How often each was drawn; they add up to `tables`.

    Raises
    ------
    ValueError
        The weights are so uneven that one policy is always alone.

    Examples
    --------
    >>> lineups, times = population_lineups([1, 1, 0], seats=2, tables=5, seed=1)
    >>> lineups.tolist(), times.tolist()
    ([[0, 1]], [5])
    """
    total = np.cumsum(np.asarray(weights, np.float64))
    stream = np.zeros(4, np.int64)
    open_stream(stream, seed, 0, SCHEDULING, OF_POPULATIONS, 0)
    drawn: Counter[tuple[int, ...]] = Counter()
    for _ in range(tables):
        for _ in range(PATIENCE):
            at = np.searchsorted(total, [uniform(stream) * total[-1] for _ in range(seats)], side="right")
            members = tuple(sorted(np.minimum(at, len(total) - 1).tolist()))
            if members[0] != members[-1]:
                break
        else:
            raise ValueError(
                f"weights takes a mix of policies, got {list(weights)}: in {PATIENCE} draws of a table it was always "
                f"one policy alone"
            )
        drawn[members] += 1
    lineups = sorted(drawn)
    return np.array(lineups, np.int64), np.array([drawn[lineup] for lineup in lineups], np.int64)


def seatings(seats: int, every: bool) -> int:
    """Hands that a line-up plays in a deal: all rotations of the seats, or all seatings.

    Examples
    --------
    >>> seatings(4, every=False), seatings(4, every=True)
    (4, 24)
    """
    return math.factorial(seats) if every else seats
