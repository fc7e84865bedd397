"""Combining two ranges over palaces of one size: cards, weights and errors of what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from palace_sim.battle.ranges import Range

Parts: TypeAlias = "tuple[np.ndarray, np.ndarray, np.ndarray | None]"


def _errors(part: Range) -> np.ndarray:
    return np.zeros(len(part)) if part.errors is None else part.errors


def mixture(a: Range, b: Range, trust: float) -> Parts:
    """Add `trust` times the weights of `a` to 1 - `trust` times those of `b`; errors add up as independent ones."""
    cards = np.union1d(a.cards, b.cards)
    weights, errors = np.zeros(len(cards)), np.zeros(len(cards))
    for part, share in ((a, trust), (b, 1 - trust)):
        at = np.searchsorted(cards, part.cards)
        weights[at] += share * part.weights
        errors[at] = np.hypot(errors[at], share * _errors(part))
    return cards, weights, None if a.exact and b.exact else errors


def product(a: Range, b: Range) -> Parts:
    """Multiply the weights of the palaces in both; errors are exact for independent ones.

    The variance of a product of independent estimates: L. A. Goodman, "On the exact variance of products", Journal of
    the American Statistical Association 55 (1960) 708-713.
    """
    cards, of_a, of_b = np.intersect1d(a.cards, b.cards, assume_unique=True, return_indices=True)
    if not len(cards):
        raise ValueError("the two ranges have no palace in common")
    v, w = a.weights[of_a], b.weights[of_b]
    if a.exact and b.exact:
        return cards, v * w, None
    d, e = _errors(a)[of_a], _errors(b)[of_b]
    return cards, v * w, np.sqrt((v * e) ** 2 + (w * d) ** 2 + (d * e) ** 2)


def larger(a: Range, b: Range) -> Parts:
    """Take the larger weight of each palace in either, with its error."""
    cards = np.union1d(a.cards, b.cards)
    weights, errors = np.zeros(len(cards)), np.zeros(len(cards))
    for part in (a, b):
        at = np.searchsorted(cards, part.cards)
        higher = part.weights > weights[at]
        weights[at[higher]] = part.weights[higher]
        errors[at[higher]] = _errors(part)[higher]
    return cards, weights, None if a.exact and b.exact else errors
