"""Checking what ranges are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from palace_sim.battle.palaces import MOST, as_palaces, palace_text
from palace_sim.kernels.deal import FULL


def column(name: str, numbers: Any, kind: type, length: int | None = None) -> np.ndarray:
    """Return a fresh array (kernels compile for arrays that can be written to), or say what is wrong with it."""
    given = np.asarray(numbers)
    if given.ndim != 1 or (kind is np.int64 and len(given) and given.dtype.kind not in "iu"):
        raise ValueError(f"{name} takes a flat array of {kind.__name__}, got {given.dtype} of shape {given.shape}")
    if length is not None and len(given) != length:
        raise ValueError(f"{name} takes a number for each of the {length} palaces, got {len(given)}")
    values: np.ndarray = np.array(given, kind)
    right = values >= 0 if kind is np.int64 else (values >= 0) & np.isfinite(values)
    if not right.all():
        raise ValueError(f"{name} takes finite numbers from 0, got {values[~right][0]}")
    return values


def check_palaces(sets: np.ndarray) -> None:
    """Refuse what is no card set, palaces of several sizes, and repeats; `sets` ascend."""
    sizes = np.bitwise_count(sets & FULL)
    if (sets & ~FULL != 0).any() or not 1 <= sizes[0] <= MOST or (sizes != sizes[0]).any():
        raise ValueError(f"cards takes card sets of one size, 1 to {MOST} cards each (bit 16 * suit + rank)")
    again = sets[1:] == sets[:-1]
    if again.any():
        raise ValueError(f"cards: the palace {palace_text(sets[1:][again][0])} is there twice")


def as_weight(value: Any, palace: str, what: str) -> float:
    """Return a weight as a float, or raise an error that says for which palace it is none."""
    if isinstance(value, str) or not isinstance(value, (bool, np.bool_)) and not hasattr(value, "__float__"):
        raise TypeError(f"{what}: a weight is a number or a bool, got {value!r} for {palace}")
    weight = float(value)
    if not 0 <= weight < math.inf:
        raise ValueError(f"{what}: a weight is a finite number from 0, got {value!r} for {palace}")
    return weight


def judged(condition: Any, sets: np.ndarray, what: str) -> np.ndarray:
    """Ask a condition about each palace."""
    if not callable(condition):
        raise TypeError(f"{what} takes a function of a palace that returns a bool or a weight, got {condition!r}")
    answers = ((palace, condition(palace)) for palace in as_palaces(sets))
    return np.array(
        [float(x) if type(x) is bool else as_weight(x, str(palace), what) for palace, x in answers], np.float64
    )
