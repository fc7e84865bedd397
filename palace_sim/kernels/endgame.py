"""Counterfactual regret minimisation over all palaces of two sides at once, with exact card removal.

Everything is in the form of sequences: a side's *slots* are its actions at its nodes, numbered node by node, parents
before children; the reach of a slot is the chance that the side itself chooses every action on the way there (Koller,
Megiddo and von Stengel 1996). What ends the hand after slot a of one side and slot b of the other pays the first side,
by its palace h, a sum over the other's palaces that share no card with h: linear in the other's reach of b. So per
iteration and side it takes one sum of all mass for each slot of the side, and one sweep in order of strength for each
ending at which hands are compared.

Those that share no card with h are found by inclusion and exclusion over its cards (see `odds_sweep`). Here masses are
floating point, LANES columns next to each other: reaches are at most 1, so what rounding leaves is some 1e-12 of one
palace's mass, far below any regret that matters.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.jit import inlined, kernel, popcount

LANES = 8  # columns next to each other: as many float64 as fill a line of the cache
SUMS = 7  # sums that a palace is part of: all; its cards; its pairs of cards
FIRST, MANY, PARENT = range(3)  # a node: its first slot, how many there are, the same side's slot before it or -1
UPDATE, BEST, FOLLOW = range(3)  # what `back_up` does at the nodes
KEPT, LEFT = range(2)  # what an iteration keeps of regrets above and below 0


@kernel
def index_sums(sets: Any, pool: int, reads: Any, writes: Any) -> int:
    """Write the sums that each palace is part of, as rows of a table; return how many rows that table takes.

    Row 0 is all mass. Palaces of one or two cards lack cards and pairs: they read them in a row that stays 0, and write
    them in another.
    """
    cards = popcount(pool)
    absent = 1 + cards + cards * (cards - 1) // 2
    for h in range(len(sets)):
        left, i, j, k = sets[h], -1, -1, -1
        while left:
            i, j, k = j, k, popcount(pool & (left & -left) - 1)
            left &= left - 1
        for rows, none in ((reads, absent), (writes, absent + 1)):
            rows[h, 0] = 0
            rows[h, 1] = none if i < 0 else 1 + i
            rows[h, 2] = none if j < 0 else 1 + j
            rows[h, 3] = 1 + k
            rows[h, 4] = none if i < 0 else 1 + cards + j * (j - 1) // 2 + i
            rows[h, 5] = none if i < 0 else 1 + cards + k * (k - 1) // 2 + i
            rows[h, 6] = none if j < 0 else 1 + cards + k * (k - 1) // 2 + j
    return absent + 2


@inlined
def add_to(held: Any, writes: Any, x: Any, h: int) -> None:
    """Add the masses of a palace to the sums."""
    for c in range(SUMS):
        row = writes[h, c]
        for lane in range(LANES):
            held[row, lane] += x[h, lane]


@inlined
def apart(held: Any, reads: Any, x: Any, h: int, own: float, part: Any, out: Any) -> None:
    """Move `out` a part of the way to the mass added that shares no card with a palace; its own counts `own` times."""
    total, i, j, k = reads[h, 0], reads[h, 1], reads[h, 2], reads[h, 3]
    ij, ik, jk = reads[h, 4], reads[h, 5], reads[h, 6]
    for lane in range(LANES):
        single = held[i, lane] + held[j, lane] + held[k, lane]
        double = held[ij, lane] + held[ik, lane] + held[jk, lane]
        mass = held[total, lane] - single + double - own * x[h, lane]
        out[h, lane] += part[lane] * (mass - out[h, lane])


@kernel
def meet(reads: Any, writes: Any, x: Any, own: float, whole: Any, held: Any, out: Any) -> None:
    """Write for each palace the masses that share no card with it.

    Parameters
    ----------
    reads, writes : (m, SUMS) int64
        By `index_sums`.
    x : (m, LANES) float64
        Masses of the other side's palaces, in LANES columns.
    own : float
        1 for palaces of three cards; with fewer, inclusion and exclusion ends with the pair or the card itself: 0.
    whole : (LANES,) float64
        Ones.
    held : (rows, LANES) float64
        Room to work in.
    out : (m, LANES) float64
        Written.
    """
    held[:] = 0.0
    for h in range(len(x)):
        add_to(held, writes, x, h)
    for h in range(len(x)):
        for lane in range(LANES):
            out[h, lane] = 0.0
        apart(held, reads, x, h, own, whole, out)


@kernel
def sweep(reads: Any, writes: Any, x: Any, own: float, mine: Any, theirs: Any, parts: Any, held: Any, out: Any) -> None:
    """Write for each palace the masses that it beats and a part of those that it ties, of those it shares no card with.

    Parameters
    ----------
    reads, writes, x, own, held, out
        As for `meet`.
    mine, theirs : tuple of (worths, order)
        What each side is worth with each palace, and the palaces in ascending order of that.
    parts : (2, LANES) float64
        Ones; what a tie counts in each column, beside a win.
    """
    worths, order = mine
    other, other_order = theirs
    held[:] = 0.0
    i, j, m = 0, 0, len(x)
    while i < m:
        worth = worths[order[i]]
        while j < m and other[other_order[j]] < worth:
            add_to(held, writes, x, other_order[j])
            j += 1
        end = i
        while end < m and worths[order[end]] == worth:
            h = order[end]
            for lane in range(LANES):
                out[h, lane] = 0.0
            apart(held, reads, x, h, own * (other[h] < worth), parts[0], out)
            end += 1
        if j < m and other[other_order[j]] == worth:
            while j < m and other[other_order[j]] == worth:
                add_to(held, writes, x, other_order[j])
                j += 1
            for at in range(i, end):
                h = order[at]
                apart(held, reads, x, h, own * (other[h] <= worth), parts[1], out)
        i = end


@inlined
def match(weights: Any, h: int, first: int, many: int, chances: Any) -> None:
    """Write the chances of a node's actions: in proportion to the weights above 0, all alike where there is none."""
    total = 0.0
    for slot in range(first, first + many):
        total += max(weights[h, slot], 0.0)
    for slot in range(first, first + many):
        chances[slot] = max(weights[h, slot], 0.0) / total if total > 0.0 else 1.0 / many


@kernel
def advance(nodes: Any, weights: Any, share: float, chances: Any, sums: Any, reach: Any) -> None:
    """Write the reach of each slot of a side, and add `share` of it to the sums that make the average strategy.

    Parameters
    ----------
    nodes : (N, 3) int64
        The side's nodes: FIRST, MANY, PARENT.
    weights : (m, A) float64
        Of the slots, by palace: regrets, or a strategy.
    share : float
        0 adds nothing.
    chances : (A,) float64
        Room to work in.
    sums : (m, A) float64
        Added to.
    reach : (m, A + 1) float64
        Written; column 0 stands for the beginning.
    """
    for h in range(len(weights)):
        reach[h, 0] = 1.0
        for n in range(len(nodes)):
            first, many = nodes[n, FIRST], nodes[n, MANY]
            match(weights, h, first, many, chances)
            before = reach[h, nodes[n, PARENT] + 1]
            for slot in range(first, first + many):
                reach[h, slot + 1] = before * chances[slot]
        if share != 0.0:
            for slot in range(weights.shape[1]):
                sums[h, slot] += share * reach[h, slot + 1]


@kernel
def spread(entries: Any, coefficients: Any, prior: Any, reach: Any, x: Any) -> None:
    """Write columns of mass: each a sum of a side's reaches by coefficient, times the prior weight of its palace.

    Parameters
    ----------
    entries : (E, 2) int64
        Column, and the other side's slot or -1; sorted by column.
    coefficients : (E,) float64
        Chips.
    prior : (m,) float64
        Weights of the side's palaces.
    reach : (m, A + 1) float64
        By `advance`.
    x : (C, m, LANES) float64
        Written.
    """
    for h in range(len(prior)):
        for c in range(len(x)):
            for lane in range(LANES):
                x[c, h, lane] = 0.0
        for e in range(len(entries)):
            column = entries[e, 0]
            x[column // LANES, h, column % LANES] += coefficients[e] * prior[h] * reach[h, entries[e, 1] + 1]


@kernel
def back_up(
    mode: int, nodes: Any, weights: Any, step: Any, adds: Any, met: Any, beaten: Any, values: Any, chances: Any
) -> None:
    """Find what each action of a side is worth to each palace, children before parents; update its regrets.

    Parameters
    ----------
    mode : int
        UPDATE follows the regrets and adds to them; BEST takes the best action; FOLLOW follows the weights as they are.
    nodes, weights
        As for `advance`.
    step : (2,) float64
        For UPDATE: KEPT, LEFT.
    adds : (C,) int64
        Slot + 1 of each column of `beaten`; column c of `met` belongs to slot c - 1.
    met : (C, m, LANES), beaten : (C, m, LANES) float64
        Chips by palace, of endings after each slot: for any palace met, and for those beaten.
    values : (m, A + 1) float64
        Written: chips of each slot, weighted by the mass of what the palace may meet there; column 0 is the beginning.
    chances : (A,) float64
        Room to work in.
    """
    slots = weights.shape[1]
    for h in range(len(weights)):
        for slot in range(slots + 1):
            values[h, slot] = met[slot // LANES, h, slot % LANES]
        for c in range(len(adds)):
            values[h, adds[c]] += beaten[c // LANES, h, c % LANES]
        for n in range(len(nodes) - 1, -1, -1):
            first, many = nodes[n, FIRST], nodes[n, MANY]
            value = values[h, first + 1]
            if mode == BEST:
                for slot in range(first + 1, first + many):
                    value = max(value, values[h, slot + 1])
            else:
                match(weights, h, first, many, chances)
                value = 0.0
                for slot in range(first, first + many):
                    value += chances[slot] * values[h, slot + 1]
            if mode == UPDATE:
                for slot in range(first, first + many):
                    regret = weights[h, slot] + values[h, slot + 1] - value
                    weights[h, slot] = regret * (step[KEPT] if regret > 0.0 else step[LEFT])
            values[h, nodes[n, PARENT] + 1] += value
