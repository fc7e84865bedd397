"""Action codes: what a policy returns, as readable constructors (public as `palace_sim.act`).

A code is one int64: a tag, a verb and the verb's argument. The tag makes sure that a stray small integer is no action,
and 0 is what a policy that failed returns.

    bits 56-62  tag          bits 52-55  verb          bits 0-51  argument
    attack: 4 bits of seat, then the amount; raise: the amount; discard, keep: a set of cards, 13 bits a suit
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from palace_sim.cards import card_set, parse_cards
from palace_sim.kernels.deal import FULL, SUIT
from palace_sim.kernels.jit import inlined
from palace_sim.kernels.state import ATTACK, BUY, CALL, DISCARD, FOLD, KEEP_CARDS, RAISE, STAY

__all__ = ["attack", "buy", "call", "discard", "fold", "keep", "raise_", "stay"]

TAG = 0x5A << 56
SHIFT = 52
ARGUMENT = (1 << SHIFT) - 1
MALFORMED = TAG | 15 << SHIFT  # an argument that no verb takes: never legal
AMOUNTS = 1 << 44  # amounts below this fit; nobody has so many chips

_BUY, _STAY, _FOLD, _CALL = (TAG | verb << SHIFT for verb in (BUY, STAY, FOLD, CALL))
_ATTACK, _RAISE, _DISCARD, _KEEP = (TAG | verb << SHIFT for verb in (ATTACK, RAISE, DISCARD, KEEP_CARDS))


@register_jitable
def buy() -> int:
    """Buy a soldier for one small bet (R12).

    Examples
    --------
    >>> verb_of(buy()) == BUY
    True
    """
    return _BUY


@register_jitable
def stay() -> int:
    """Stay: do nothing this turn (R15).

    Examples
    --------
    >>> verb_of(stay()) == STAY
    True
    """
    return _STAY


@register_jitable
def fold() -> int:
    """Fold, on a turn (R16) or in a battle (R23).

    Examples
    --------
    >>> verb_of(fold()) == FOLD
    True
    """
    return _FOLD


@register_jitable
def call() -> int:
    """Call in a battle (R21, R22): the two hands are compared.

    Examples
    --------
    >>> verb_of(call()) == CALL
    True
    """
    return _CALL


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} takes a whole number, got {value!r}") from None


@register_jitable
def _attack_code(target: int, amount: int) -> int:
    if target < 0 or target > 9 or amount < 0 or amount >= AMOUNTS:
        return MALFORMED
    return _ATTACK | target | amount << 4


@register_jitable
def _raise_code(amount: int) -> int:
    if amount < 0 or amount >= AMOUNTS:
        return MALFORMED
    return _RAISE | amount


def attack(target: int, amount: int = 0) -> int:
    """Attack a seat (R17).

    Parameters
    ----------
    target : int
        Seat of the defender.
    amount : int
        The whole bet in chips (R20); 0 is the least, one's own price (R18).

    Examples
    --------
    >>> code = attack(2, 40)
    >>> int(target_of(code)), int(amount_of(code))
    (2, 40)
    """
    return _attack_code(_whole("target", target), _whole("amount", amount))


def raise_(amount: int = 0) -> int:
    """Raise in a battle (R21, R22).

    Parameters
    ----------
    amount : int
        Chips on top of the call; 0 is the least.

    Examples
    --------
    >>> int(amount_of(raise_(20)))
    20
    """
    return _raise_code(_whole("amount", amount))


@register_jitable
def _with_cards(verb: int, cards: int) -> int:
    if cards & ~FULL:
        return MALFORMED
    packed = cards & SUIT | (cards >> 16 & SUIT) << 13 | (cards >> 32 & SUIT) << 26 | (cards >> 48 & SUIT) << 39
    return verb | packed


def as_card_set(cards: Any) -> int:
    """Return cards as a set: an int is one already, anything else is read as text, words or ids."""
    return int(cards) if isinstance(cards, int | np.integer) else card_set(parse_cards(cards, distinct=True))


def discard(cards: Any) -> int:
    """Discard one or more soldiers (R14).

    Parameters
    ----------
    cards : int or cards
        The soldiers to throw away: a card set, and in plain Python also text, words or ids.

    Examples
    --------
    >>> cards_of(discard("2c 3c")) == card_set("2c 3c")
    True
    """
    return _with_cards(_DISCARD, as_card_set(cards))


def keep(cards: Any) -> int:
    """Keep these soldiers and discard the others (R12, R27), the answer in phase KEEP.

    Parameters
    ----------
    cards : int or cards
        The soldiers to keep: a card set, and in plain Python also text, words or ids.

    Examples
    --------
    >>> keep("5s") == keep(card_set("5s"))
    True
    """
    return _with_cards(_KEEP, as_card_set(cards))


@overload(attack, jit_options={"nogil": True})
def _attack(target, amount=0):  # type: ignore[no-untyped-def]
    return lambda target, amount=0: _attack_code(target, amount)


@overload(raise_, jit_options={"nogil": True})
def _raise(amount=0):  # type: ignore[no-untyped-def]
    return lambda amount=0: _raise_code(amount)


@overload(discard, jit_options={"nogil": True})
def _discard(cards):  # type: ignore[no-untyped-def]
    return lambda cards: _with_cards(_DISCARD, cards)


@overload(keep, jit_options={"nogil": True})
def _keep(cards):  # type: ignore[no-untyped-def]
    return lambda cards: _with_cards(_KEEP, cards)


# --- reading a code ---------------------------------------------------------------------------------------------------


@inlined
def verb_of(code: int) -> int:
    """Verb of an action code, 0 where it is none."""
    return code >> SHIFT & 15 if code >> 56 == 0x5A else 0


@inlined
def target_of(code: int) -> int:
    """Seat that an attack names."""
    return code & 15


@inlined
def amount_of(code: int) -> int:
    """Amount that an attack or a raise names."""
    amount = code & ARGUMENT
    return amount >> 4 if code >> SHIFT & 15 == ATTACK else amount


@inlined
def cards_of(code: int) -> int:
    """Card set that a discard or a keep names."""
    return code & SUIT | (code >> 13 & SUIT) << 16 | (code >> 26 & SUIT) << 32 | (code >> 39 & SUIT) << 48


def __dir__() -> list[str]:
    return __all__
