"""Two hidden palaces against each other: for each palace of a, the mass of those of b that it beats, ties or meets.

Palaces that share a card cannot both be. With M(S) the mass of the palaces of b that hold all cards of S, the mass of
those that share none with {i, j, k} is, by inclusion and exclusion,

    M() - M(i) - M(j) - M(k) + M(ij) + M(ik) + M(jk) - M(ijk).

So one sweep over both lists in order of worth, which adds b's palaces to the four kinds of M, finds for each palace of
a what lies below it in some 8 look-ups, in place of one comparison with each palace of b. Masses are integers: the
terms are far larger than what may be left, and floating point would lose it.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.jit import inlined, kernel, lowest_bit
from palace_sim.kernels.odds import RAW_TIE, RAW_WIN, TIE, WIN

ALL = 4  # row of masses after those of a tally
DIGIT = 9  # bits of a worth that are sorted by at a time; two digits hold every worth
NOBODY_READS, NOBODY_WRITES = 63, 62  # stand for a card that is not there in b's palaces, and in a's; no card's bits
ONE, TOTAL, MASSES = 1 << 12, (1 << 12) + 64, (1 << 12) + 65  # M(ij) at j << 6 | i, M(i) at ONE + i, M() at TOTAL


@kernel
def pack(sets: Any, absent: int, packed: Any) -> None:
    """Write the bits of up to three cards of each set as i | j << 6 | k << 12, ascending, `absent` for none."""
    for n in range(len(sets)):
        cards, at, word = sets[n], 0, 0
        for _ in range(3):
            bit = absent
            if cards:
                bit = lowest_bit(cards)
                cards &= cards - 1
            word |= bit << at
            at += 6
        packed[n] = word


@kernel
def find_twins(a_sets: Any, b_sets: Any, twins: Any) -> None:
    """Write for each set of b where it stands among those of a, or -1; both ascend."""
    i = 0
    for j in range(len(b_sets)):
        while i < len(a_sets) and a_sets[i] < b_sets[j]:
            i += 1
        twins[j] = i if i < len(a_sets) and a_sets[i] == b_sets[j] else -1


@kernel
def order_by(worths: Any, order: Any, spare: Any, counts: Any) -> None:
    """Write the indices of worths in ascending order: a radix sort, of two digits."""
    for i in range(len(worths)):
        spare[i] = i
    source, target = spare, order
    for digit in range(2):
        for d in range(1 << DIGIT):
            counts[d] = 0
        for i in range(len(worths)):
            counts[worths[i] >> DIGIT * digit & (1 << DIGIT) - 1] += 1
        at = 0
        for d in range(1 << DIGIT):
            many = counts[d]
            counts[d] = at
            at += many
        for i in range(len(worths)):
            item = source[i]
            d = worths[item] >> DIGIT * digit & (1 << DIGIT) - 1
            target[counts[d]] = item
            counts[d] += 1
        source, target = target, source
    for i in range(len(worths)):
        order[i] = spare[i]


@inlined
def add(packed: int, mass: int, twin: int, held: Any, same: Any) -> None:
    """Add a palace of b to the masses."""
    i, j, k = packed & 63, packed >> 6 & 63, packed >> 12
    held[TOTAL] += mass
    held[ONE + i] += mass
    held[ONE + j] += mass
    held[ONE + k] += mass
    held[packed & 4095] += mass
    held[packed >> 6] += mass
    held[k << 6 | i] += mass
    if twin >= 0:
        same[twin] += mass


@inlined
def apart(packed: int, held: Any, same: int) -> int:
    """Mass of the palaces added that share no card with a palace of a."""
    i, j, k = packed & 63, packed >> 6 & 63, packed >> 12
    single = held[ONE + i] + held[ONE + j] + held[ONE + k]
    double = held[packed & 4095] + held[packed >> 6] + held[k << 6 | i]
    return held[TOTAL] - single + double - same


@kernel
def sweep(a_packed: Any, a_worths: Any, a_order: Any, b: Any, b_masses: Any, held: Any, same: Any, masses: Any) -> None:
    """Find the mass of b's palaces that each palace of a beats, ties and meets, of those that share no card with it.

    Parameters
    ----------
    a_packed, a_worths, a_order : (n,) int64
        Palaces of a (`pack`), what the side is worth with each, and their order (`order_by`).
    b : tuple of (packed, worths, order, twins)
        The same of b, and where its palaces stand among a's (`find_twins`; all -1 where one side hides fewer than
        three cards).
    b_masses : (m,) int64
        Masses of b's palaces, 0 or more; three times their sum must be below 2^63.
    held, same : (MASSES,) and (n,) int64
        Room to work in, zeros.
    masses : (5, n) int64
        Written: RAW_WIN, RAW_TIE, WIN, TIE and ALL.
    """
    b_packed, b_worths, b_order, twins = b
    n, m = len(a_worths), len(b_worths)
    i, j = 0, 0
    while i < n:
        rank = a_worths[a_order[i]] >> 4
        while j < m and b_worths[b_order[j]] >> 4 < rank:
            add(b_packed[b_order[j]], b_masses[b_order[j]], twins[b_order[j]], held, same)
            j += 1
        end = i
        while end < n and a_worths[a_order[end]] >> 4 == rank:
            p = a_order[end]
            masses[RAW_WIN, p] = apart(a_packed[p], held, same[p])
            end += 1
        first = i
        while i < end:
            worth = a_worths[a_order[i]]
            while j < m and b_worths[b_order[j]] < worth:
                add(b_packed[b_order[j]], b_masses[b_order[j]], twins[b_order[j]], held, same)
                j += 1
            start = i
            while i < end and a_worths[a_order[i]] == worth:
                p = a_order[i]
                masses[WIN, p] = apart(a_packed[p], held, same[p])
                i += 1
            while j < m and b_worths[b_order[j]] == worth:
                add(b_packed[b_order[j]], b_masses[b_order[j]], twins[b_order[j]], held, same)
                j += 1
            for at in range(start, i):
                p = a_order[at]
                masses[TIE, p] = apart(a_packed[p], held, same[p]) - masses[WIN, p]
        while j < m and b_worths[b_order[j]] >> 4 == rank:
            add(b_packed[b_order[j]], b_masses[b_order[j]], twins[b_order[j]], held, same)
            j += 1
        for at in range(first, end):
            p = a_order[at]
            masses[RAW_TIE, p] = apart(a_packed[p], held, same[p]) - masses[RAW_WIN, p]
    for at in range(j, m):
        add(b_packed[b_order[at]], b_masses[b_order[at]], twins[b_order[at]], held, same)
    for p in range(n):
        masses[ALL, p] = apart(a_packed[p], held, same[p])


@kernel
def join(high: Any, low: Any, unit: float, step: float, masses: Any) -> None:
    """Put masses together that were swept in two parts, the low one in steps of the high one's unit."""
    for row in range(masses.shape[0]):
        for i in range(masses.shape[1]):
            masses[row, i] = (high[row, i] + low[row, i] * step) * unit


@kernel
def pairs(a_sets: Any, a_worths: Any, b_sets: Any, b_worths: Any, b_masses: Any, masses: Any) -> None:
    """Do what `sweep` does by comparing each palace with each, the masses int64 or float64; `masses` begins at 0."""
    for i in range(len(a_sets)):
        for j in range(len(b_sets)):
            if a_sets[i] & b_sets[j] == 0:
                mass, a, b = b_masses[j], a_worths[i], b_worths[j]
                masses[ALL, i] += mass
                masses[RAW_WIN, i] += mass * (a >> 4 > b >> 4)
                masses[RAW_TIE, i] += mass * (a >> 4 == b >> 4)
                masses[WIN, i] += mass * (a > b)
                masses[TIE, i] += mass * (a == b)
