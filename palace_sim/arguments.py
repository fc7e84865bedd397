"""Checking what people pass in: errors that name the argument, what it got and what it takes."""

from __future__ import annotations

import difflib
import numbers
import operator
from collections.abc import Iterable
from typing import Any


def near(word: str, words: Iterable[str]) -> str:
    """Say which words are near an unknown one, or else which there are.

    Examples
    --------
    >>> near("tigth", ["tight", "random"])
    '; did you mean tight?'
    >>> near("x", ["tight", "random"])
    '; there are: tight, random'
    """
    known = [str(w) for w in words]
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are: {', '.join(known)}" if known else "; there are none"


def whole(name: str, value: Any, low: int, high: int, what: str = "a whole number") -> int:
    """Return `value` as an int within bounds, or raise a ValueError that names the argument."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} takes {what} from {low} to {high}, got {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} takes {what} from {low} to {high}, got {number}")
    return number


def is_number(thing: Any) -> bool:
    """Whether a thing is a real number, of Python or numpy; True and False are none.

    Examples
    --------
    >>> is_number(0.5), is_number(True), is_number("0.5")
    (True, False, False)
    """
    return isinstance(thing, numbers.Real) and not isinstance(thing, bool)
