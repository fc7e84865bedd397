"""Ranks of hands (R2, R25): how good the best five of 0 to 10 cards are. Higher is better."""

from __future__ import annotations

import operator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from palace_sim.cards import DECK, Cards, card_set, format_cards, parse_cards
from palace_sim.kernels import ranking as kernels
from palace_sim.workers import cores

CATEGORIES = (
    "high card",
    "one pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
BEST = 9841  # rank of a royal flush
MOST = 10  # cards in a hand
BLOCK = 1 << 16  # hands a thread takes at a time


def hand_rank(cards: Cards) -> int:
    """Rank a hand of 0 to 10 cards by its best five; higher is better.

    Hands of fewer than five cards are ranked by what they make: straights and flushes need five cards, and a missing
    kicker is lower than any kicker (R25). All ranks are on one scale, so hands of any sizes can be compared.

    Parameters
    ----------
    cards : str, int or iterable of str and int
        As in `parse_cards`.

    Returns
    -------
    int
        0 (no card) to 9841 (royal flush); equal hands have equal ranks.

    Raises
    ------
    ValueError
        Not a card, a card twice, or more than ten cards.

    Examples
    --------
    >>> hand_rank("As Ks Qs Js Ts")
    9841
    >>> hand_rank("Kc Kd 2s") < hand_rank("Kh Ks 3d") < hand_rank("2c 2d 3h 3s")
    True
    """
    ids = parse_cards(cards, distinct=True)
    if len(ids) > MOST:
        extra = format_cards(ids[MOST:])
        raise ValueError(f"cards: a hand has at most {MOST} cards, got {len(ids)}, {extra} after the first {MOST}")
    return int(kernels.rank_set(card_set(ids)))


def hand_category(rank_or_cards: int | Cards) -> str:
    """Name the category of a rank or of a hand.

    Parameters
    ----------
    rank_or_cards : int, str or iterable of str and int
        A rank, as from `hand_rank`; or cards as text or in a list (a single number is a rank, not a card).

    Returns
    -------
    str
        "high card" (also for the empty hand) to "straight flush".

    Raises
    ------
    ValueError
        No such rank; or cards that `hand_rank` refuses.

    Examples
    --------
    >>> hand_category("As Ks Qs Js Ts")
    'straight flush'
    >>> hand_category(hand_rank("2c 2d"))
    'one pair'
    """
    rank = _as_rank(rank_or_cards)
    if not 0 <= rank <= BEST:
        raise ValueError(f"rank_or_cards: a rank is 0-{BEST}, got {rank}")
    return CATEGORIES[int(kernels.category(rank))]


def _as_rank(rank_or_cards: Any) -> int:
    if isinstance(rank_or_cards, (bool, np.bool_)):
        raise TypeError(f"rank_or_cards: takes a rank or cards, got {rank_or_cards!r}")
    try:
        return operator.index(rank_or_cards)
    except TypeError:
        return hand_rank(rank_or_cards)


def hand_ranks(cards: npt.ArrayLike, workers: int | None = None) -> npt.NDArray[np.int32]:
    """Rank many hands at once; higher is better.

    Parameters
    ----------
    cards : array_like of int, shape (n, k)
        A hand in each row, as card ids; 255 where there is no card, so that hands of several sizes fit in one array.
        At most ten columns. uint8 is fastest.
    workers : int, optional
        Threads; None for as many as there are processors.

    Returns
    -------
    numpy.ndarray of int32, shape (n,)
        Ranks as from `hand_rank`.

    Raises
    ------
    ValueError
        Wrong shape, or a row with an id that is no card or with a card twice (the row is named).

    Examples
    --------
    >>> hand_ranks([[51, 47, 43, 39, 35], [0, 1, 255, 255, 255]])
    array([9841, 2370], dtype=int32)
    """
    rows = _as_rows(cards)
    out = np.empty(len(rows), np.int32)
    starts = range(0, len(rows), BLOCK)
    threads = min(_as_workers(workers), len(starts))

    def rank_block(start: int) -> int:
        """Rank one block; return its first faulty row, or -1."""
        block, ranks = rows[start : start + BLOCK], out[start : start + BLOCK]
        fault = int(kernels.first_fault(block))
        if fault >= 0:
            return start + fault
        kernels.rank_rows(block.reshape(-1), (0,) * rows.shape[1], ranks)
        return -1

    if threads <= 1:
        faults = [rank_block(start) for start in starts]
    else:
        with ThreadPoolExecutor(threads) as pool:
            faults = list(pool.map(rank_block, starts))
    for row in faults:
        if row >= 0:
            _refuse_row(row, rows[row])
    return out


def _as_workers(workers: int | None) -> int:
    if workers is None:
        return cores()
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise ValueError(f"workers: takes a whole number from 1, or None, got {workers!r}")
    return int(workers)


def _as_rows(cards: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    rows = np.asarray(cards)
    if rows.ndim != 2 or rows.shape[1] > MOST:
        raise ValueError(f"cards: takes an array of shape (n, k) with k at most {MOST}, got shape {rows.shape}")
    if not np.issubdtype(rows.dtype, np.integer):
        raise TypeError(f"cards: takes whole numbers (card ids, 255 for none), got {rows.dtype}")
    if rows.dtype != np.uint8:
        wrong = ((rows < 0) | (rows >= DECK)) & (rows != kernels.PAD)
        if wrong.any():
            row = int(wrong.any(axis=1).argmax())
            _refuse_row(row, rows[row])
    return np.ascontiguousarray(rows, dtype=np.uint8)


def _refuse_row(number: int, row: np.ndarray) -> None:
    ids = [int(card) for card in row if card != kernels.PAD]
    for card in ids:
        if not 0 <= card < DECK:
            raise ValueError(f"cards: row {number}: a card id is 0-51 (255 for none), got {card}")
    parse_cards(ids, distinct=True, name=f"cards: row {number}")
