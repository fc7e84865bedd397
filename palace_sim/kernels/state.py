"""The one flat record of a hand: what is public first, what is hidden after it.

A view (view.py) starts with the same public fields, so that one copy of bytes shows a seat all that is public. Every
field is int64 (chips, counts, seats, 0/1 flags, card sets); -1 stands for "nobody" or "none". A card set is an int64
with bit 16 * suit + rank, so it is never negative.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from palace_sim.cards import card_set
from palace_sim.rules import MAX_SEATS, Rules

# Phases: `Hand.phase` in capitals. A policy is asked in the first three.
TURN, RESPOND, KEEP, OVER = 1, 2, 3, 4

# Verbs: bits of `legal`, and part of an action code (actions.py).
BUY, STAY, FOLD, DISCARD, ATTACK, CALL, RAISE, KEEP_CARDS = range(1, 9)
VERBS = {
    BUY: "buy",
    STAY: "stay",
    FOLD: "fold",
    DISCARD: "discard",
    ATTACK: "attack",
    CALL: "call",
    RAISE: "raise",
    KEEP_CARDS: "keep",
}

# How a hand ended (`end`) and how a seat did (`outcome`), as numbers in the record and words in the tables.
ENDS = ("going on", "one left", "one suit", "showdown", "battle", "tie", "truncated")
GOING_ON, ONE_LEFT, ONE_SUIT, SHOWDOWN, LAST_BATTLE, LAST_TIE, TRUNCATED = range(len(ENDS))
OUTCOMES = ("in", "won", "split", "lost", "folded", "folded in battle", "beaten", "tied out")
IN, WON, SPLIT, LOST, FOLDED, FOLDED_IN_BATTLE, BEATEN, TIED_OUT = range(len(OUTCOMES))

BLOCK_SUIT, BLOCK_RANK, BLOCK_NONE = 0, 1, 2
UNBOUNDED = 1 << 40  # chips where there is no stack, buys where there is no bound

# A state and a view are copied again and again, which is slow where words lie across lines of the cache: so both fill
# whole lines. That is why there are 21 and 56, not a few less.
LINE = 64  # bytes
MEMO = 21  # ints of memory that a policy has within a hand
MAX_PARAMS = 48
PILE = 56


def _record(*fields: Any) -> np.dtype:
    """Dtype of fields given as names (int64) or (name, dtype[, shape])."""
    return np.dtype((np.record, [(field, np.int64) if isinstance(field, str) else field for field in fields]))


def offset(dtype: np.dtype, name: str) -> int:
    """Byte at which a field of a record begins."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1])


RULES = _record(
    "small_bet",
    "large_bet",
    "ante",
    "no_limit",
    "stack",
    "max_raises",
    "max_soldiers",
    "blocked",
    "last_two_battle",
    "bare_raise",
    "max_turns",
    "palace_cards",
    "max_buys",
)

PLAYER = _record(
    "active",
    "out",
    "banner",
    "rivals",
    "soldiers",
    "chips",
    "paid",
    "buys",
    "discards",
    "attacks",
    "defences",
    "calls",
    "raises",
    "stays",
    "learnt",
)

PUBLIC: list[Any] = [
    "phase",
    "to_act",
    "seats",
    "playing",
    "dealer",
    "pot",
    "legal",
    "targets",
    "price",
    "min_raise",
    "max_raise",
    "turns",
    "passed",
    "truncated",
    "attacker",
    "defender",
    "raises",
    "army_price",
    "last_raise",
    "draw_size",
    "discard_size",
    "reshuffles",
    "out",
    "back",
    "deck",
    "all_seen",
    "all_gone",
    ("risen", np.int64, (MAX_SEATS,)),
    ("rules", RULES),
    ("players", PLAYER, (MAX_SEATS,)),
]

# Results of a seat that no policy needs: the columns of `seats` that the public record does not hold.
TALLY = _record(
    "won",
    "paid_ante",
    "paid_buy",
    "paid_attack",
    "paid_call",
    "paid_raise",
    "outcome",
    "turns",
    "battles_won",
    "battles_lost",
    "battles_folded",
)

# The battle going on, or the last one: a row of `battles`. Hidden, since usable cards tell of palaces.
BATTLE = _record(
    "turn",
    "attacker",
    "defender",
    "attacker_soldiers",
    "defender_soldiers",
    "attacker_usable",
    "defender_usable",
    "attacker_price",
    "defender_price",
    "pot",
    "raises",
    "folded",
    "winner",
)

STATE = _record(
    *PUBLIC,
    "seed",
    "deal",
    "end",
    "final_pot",
    "battles",
    "discards",
    "undrawn",
    ("palace", np.int64, (MAX_SEATS,)),
    ("battle", BATTLE),
    ("stream", np.int64, (4,)),
    ("pile", np.int64, (PILE,)),
    ("tally", TALLY, (MAX_SEATS,)),
)
assert STATE.itemsize % LINE == 0
STATE_TYPE = numba.from_dtype(STATE)


def new_state() -> Any:
    """Return an empty record of a hand."""
    return np.zeros(1, STATE)[0]


def rules_record(rules: Rules) -> Any:
    """Return the rules as the record that kernels read."""
    record = np.zeros(1, RULES)[0]
    for name in ("small_bet", "large_bet", "max_raises", "max_soldiers", "max_turns", "palace_cards"):
        record[name] = getattr(rules, name)
    record.ante = rules.ante_chips
    record.no_limit = rules.structure == "no_limit"
    record.stack = UNBOUNDED if rules.stack is None else rules.stack
    record.blocked = ("suit", "rank", "none").index(rules.blocked)
    record.last_two_battle = rules.last_two == "battle"
    record.bare_raise = rules.small_bet * (2 if rules.bare_raise == "double" else 1)
    record.max_buys = UNBOUNDED if rules.max_buys is None else rules.max_buys
    return record


def deck_set(rules: Rules) -> int:
    """Return the deck as a card set."""
    return card_set(rules.deck_cards)
