"""The scale of ranks by arithmetic, and the tables that `ranking` looks it up in.

The scale numbers, from worst to best, the 1 + 13 + 91 + 455 + 1820 + 7462 = 9842 different hands of 0 to 5 cards, so
a missing kicker is lower than any kicker (R25). Arithmetic is too slow for a simulation; this file makes tables of it:
``python -m palace_sim.kernels.ranking_scale`` writes them.

Suits apart, a hand is a count 0-4 for each rank. Cut between 7 and 8 into a low and a high half, numbers to the base 5,
there are 15625 and 78125 halves; but many give the same rank beside any other half, and only 576 and 1253 *kinds* of
halves remain. So the tables are a kind for each half, and a matrix of ranks by kinds, good for hands of any size.
"""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np

from palace_sim.kernels.jit import kernel, leading_zeros

FILE = Path(__file__).with_name("ranking.npy")
LOW, HIGH = 6, 7  # ranks in each half
REPEATS = 10  # a row of up to ten cards, even ten times the same, stays inside the tables

WHEEL = 0x100F  # A 2 3 4 5

# Least rank of each category: high card, pair, two pair, trips, straight, flush, full house, quads, straight flush.
PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = np.cumsum(
    [2370, 13 * 299, 78 * 12, 13 * 79, 10, 1277, 13 * 12, 13 * 13]
).tolist()

# Rank sets that lie wholly below rank r: of exactly n ranks, and of at most n. Summed over the ranks of a set, highest
# first and n falling to 1, they number the sets in the order of the scale (highest rank first, a missing rank lowest).
EXACTLY = np.array([[comb(r, n) for r in range(13)] for n in range(6)])
AT_MOST = np.cumsum(EXACTLY, axis=0)


@kernel
def highest(ranks: int) -> int:
    """Highest rank of a rank set; -1 for none."""
    return 63 - leading_zeros(ranks)


@kernel
def number(ranks: int, most: int, sizes: np.ndarray) -> int:
    """Number the `most` highest ranks of a rank set; `sizes` is AT_MOST, or EXACTLY where none is missing."""
    total = 0
    while ranks and most:
        top = highest(ranks)
        total += sizes[most, top]
        ranks ^= 1 << top
        most -= 1
    return total


@kernel
def without(ranks: int, rank: int) -> int:
    """Drop a rank from a rank set and close the gap."""
    low = (1 << rank) - 1
    return (ranks & low) | (ranks >> (rank + 1) << rank)


@kernel
def straight(ranks: int) -> int:
    """0-9 for the straights 5-high to A-high, -1 for none (R2: the ace also counts low)."""
    ranks = ranks << 1 | ranks >> 12 & 1
    return highest(ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4)


@kernel
def unpaired(ranks: int, sizes: np.ndarray) -> int:
    """Number the best five of ranks that hold no straight, not counting the straights below them."""
    return number(ranks, 5, sizes) - max(highest(ranks) - 4, 0) - (ranks > WHEEL)


@kernel
def rank_suited(suit: int) -> int:
    """Rank of five or more cards of one suit."""
    run = straight(suit)
    return STRAIGHT_FLUSH + run if run >= 0 else FLUSH + unpaired(suit, EXACTLY)


@kernel
def rank_counts(one: int, two: int, three: int, four: int) -> int:
    """Rank, suits apart, of a hand given by the sets of ranks that it holds at least one, two, three, four times."""
    if four:
        top = highest(four)
        return QUADS + 13 * top + number(without(one, top), 1, AT_MOST)
    if three:
        top = highest(three)
        rest = without(two, top)
        if rest:
            return FULL_HOUSE + 12 * top + highest(rest)
    run = straight(one)
    if run >= 0:
        return STRAIGHT + run
    if three:
        return TRIPS + 79 * top + number(without(one, top), 2, AT_MOST)
    if not two:
        return unpaired(one, AT_MOST)
    top = highest(two)
    rest = two ^ 1 << top
    if not rest:
        return PAIR + 299 * top + number(without(one, top), 3, AT_MOST)
    second = highest(rest)
    pairs = top * (top - 1) // 2 + second
    return TWO_PAIR + 12 * pairs + number(without(without(one, top), second), 1, AT_MOST)


@kernel
def rank_pairs(highs: np.ndarray, lows: np.ndarray, out: np.ndarray) -> None:
    """Fill out[i, j] with the rank of high half i beside low half j, halves as rows of rank sets (`_halves`)."""
    for i in range(len(highs)):
        for j in range(len(lows)):
            one, two, three, four = highs[i] | lows[j]
            out[i, j] = rank_counts(one, two, three, four)


def _halves(size: int, lowest: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct halves of `size` ranks, as `rank_pairs` takes them, and which of them each of the 5**size numbers is.

    No best five uses more than the two highest pairs, the highest trips and the highest quads.
    """
    counts = np.arange(5**size)[:, None] // 5 ** np.arange(size) % 5
    held = [(counts >= least) @ (1 << lowest + np.arange(size)) for least in (1, 2, 3, 4)]
    used = [_highest(ranks, most) for ranks, most in zip(held, (size, 2, 1, 1), strict=True)]
    halves, which = np.unique(np.stack(used, axis=1), axis=0, return_inverse=True)
    return halves, which.reshape(-1)


def _highest(ranks: np.ndarray, most: int) -> np.ndarray:
    """Keep the `most` highest ranks of each rank set."""
    kept = np.zeros_like(ranks)
    for rank in range(12, -1, -1):
        kept |= np.where(np.bitwise_count(kept) < most, ranks & 1 << rank, 0)
    return kept


def _kinds(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort equal rows into kinds: an example of each kind, and the kind of each row."""
    _, examples, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return examples, kind.reshape(-1)


def build() -> np.ndarray:
    """Make the tables of `ranking`, an array of one record."""
    (lows, low_of), (highs, high_of) = _halves(LOW, 0), _halves(HIGH, LOW)
    ranks = np.empty((len(highs), len(lows)), np.uint16)
    rank_pairs(highs, lows, ranks)
    examples, high_kind = _kinds(ranks)
    ranks = ranks[examples]
    examples, low_kind = _kinds(ranks.T)
    matrix = ranks[:, examples]
    fields = [
        ("high", "<u4", REPEATS * 5 ** (HIGH - 1) + 1),  # where the row begins by high half
        ("low", "<u2", REPEATS * 5 ** (LOW - 1) + 1),  # column by low half
        ("rank", "<u2", matrix.shape),
        ("suited", "<u2", 1 << 13),  # by the ranks held in one suit, 0 below five
    ]
    made = np.zeros(1, fields)
    made["low"][0, : len(low_of)] = low_kind[low_of]
    made["high"][0, : len(high_of)] = high_kind[high_of] * matrix.shape[1]
    made["rank"][0] = matrix
    made["suited"][0] = [rank_suited(suit) if suit.bit_count() >= 5 else 0 for suit in range(1 << 13)]
    return made


if __name__ == "__main__":
    np.save(FILE, build())
