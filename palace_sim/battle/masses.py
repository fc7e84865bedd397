"""What each palace of one side beats among those of the other, as counts and as masses by weight."""

from __future__ import annotations

import numpy as np

from palace_sim.kernels import odds_sweep

FEW = 1 << 20  # pairs that are compared one by one
BITS = 45  # of a weight in each of two integers; three times the sum of 22,100 of them is below 2^63
FAINT = 2.0**-40  # share of all mass below which what a palace meets is summed in floating point


class Sweep:
    """Two lists of palaces in order, for sweeps with any masses of the second."""

    def __init__(self, a_sets: np.ndarray, a_worths: np.ndarray, b_sets: np.ndarray, b_worths: np.ndarray) -> None:
        self.size = len(a_sets)
        self.first = (_packed(a_sets, odds_sweep.NOBODY_WRITES), a_worths, _ordered(a_worths))
        twins = np.full(len(b_sets), -1)
        if int(a_sets[0]).bit_count() == int(b_sets[0]).bit_count() == 3:
            odds_sweep.find_twins(a_sets, b_sets, twins)
        self.second = (_packed(b_sets, odds_sweep.NOBODY_READS), b_worths, _ordered(b_worths), twins)

    def masses(self, b_masses: np.ndarray) -> np.ndarray:
        """Sweep with masses given as int64; rows as in `palace_masses`."""
        held, same = np.zeros(odds_sweep.MASSES, np.int64), np.zeros(self.size, np.int64)
        out = np.empty((5, self.size), np.int64)
        odds_sweep.sweep(*self.first, self.second, b_masses, held, same, out)
        return out


def _packed(sets: np.ndarray, absent: int) -> np.ndarray:
    packed = np.empty(len(sets), np.int64)
    odds_sweep.pack(sets, absent, packed)
    return packed


def _ordered(worths: np.ndarray) -> np.ndarray:
    order, spare = np.empty((2, len(worths)), np.int64)
    odds_sweep.order_by(worths, order, spare, np.empty(1 << odds_sweep.DIGIT, np.int64))
    return order


def _compared(
    a_sets: np.ndarray, a_worths: np.ndarray, b_sets: np.ndarray, b_worths: np.ndarray, b_masses: np.ndarray
) -> np.ndarray:
    out = np.zeros((5, len(a_sets)), b_masses.dtype)
    odds_sweep.pairs(a_sets, a_worths, b_sets, b_worths, b_masses, out)
    return out


def palace_masses(
    a_sets: np.ndarray,
    a_worths: np.ndarray,
    b_sets: np.ndarray,
    b_worths: np.ndarray,
    b_weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """For each palace of a: how many of b's palaces it beats, ties and meets, and their weight.

    Only palaces that share no card meet. Counts are exact. Masses come out of integer sums of the weights rounded to
    2^-90 of the greatest, since inclusion and exclusion in floating point would lose what is small beside all mass;
    where a palace meets less than 2^-40 of it, or the lists are short, pairs are compared one by one.

    Parameters
    ----------
    a_sets, b_sets : (n,) and (m,) int64 arrays
        Hidden cards of each palace as card sets, ascending, each once; in each list all of one size, 0 to 3.
    a_worths, b_worths : (n,) and (m,) int64 arrays
        What the side is worth with each (`kernels.odds.list_worths`).
    b_weights : (m,) float64 array, optional
        Above 0, in any unit; None for 1 each.

    Returns
    -------
    counts : (5, n) int64 array
        Rows RAW_WIN, RAW_TIE (by rank alone), WIN, TIE (by R25) of `kernels.odds`, and ALL of `kernels.odds_sweep`.
    masses : (5, n) float64 array
        The same by weight; the counts themselves (int64) without weights.

    Examples
    --------
    Aces against kings or aces, one hidden card each; the same card cannot be on both sides:

    >>> a, b = np.array([1 << 12]), np.array([1 << 11, 1 << 12])
    >>> counts, masses = palace_masses(a, np.array([200]), b, np.array([190, 200]), np.array([0.25, 0.75]))
    >>> print(counts[:, 0], masses[:, 0])
    [1 0 1 0 1] [0.25 0.   0.25 0.   0.25]
    """
    lists = (a_sets, a_worths, b_sets, b_worths)
    ones = np.ones(len(b_sets), np.int64)
    if len(a_sets) * len(b_sets) <= FEW:
        counts = _compared(*lists, ones)
        return counts, counts if b_weights is None else _compared(*lists, b_weights)
    sweep = Sweep(*lists)
    counts = sweep.masses(ones)
    return counts, counts if b_weights is None else _weighed(sweep, lists, counts, b_weights)


def _weighed(sweep: Sweep, lists: tuple[np.ndarray, ...], counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Masses by weight: each weight is the sum of two integers, of 2^-45 and 2^-90 of the greatest."""
    greatest = weights.max()
    scaled = weights / greatest * 2.0**BITS
    high = np.floor(scaled)
    low = np.floor((scaled - high) * 2.0**BITS)
    masses = np.empty(counts.shape)
    sweeps = (sweep.masses(part.astype(np.int64)) for part in (high, low))
    odds_sweep.join(*sweeps, greatest * 2.0**-BITS, 2.0**-BITS, masses)
    faint = (counts[odds_sweep.ALL] > 0) & (masses[odds_sweep.ALL] < FAINT * weights.sum())
    if faint.any():
        a_sets, a_worths, b_sets, b_worths = lists
        masses[:, faint] = _compared(a_sets[faint], a_worths[faint], b_sets, b_worths, weights)
    return masses
