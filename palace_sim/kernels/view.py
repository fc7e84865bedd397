"""The view: all that one seat knows, and nothing else (R28).

A view begins with the public fields of the state, copied as they are, and adds what only its seat knows. Everything
but `params`, `table`, `memo` and `stream` is written anew before every decision; those are set at the start of a hand.

=============  ========  ===============================================================================================
field          unit      meaning
=============  ========  ===============================================================================================
phase          code      TURN, RESPOND, KEEP or OVER
to_act         seat      who decides; -1 once the hand is over
seats          count     players dealt in, 2 to 10
playing        seats     players still in the hand
dealer         seat      the dealer
pot            chips     in the pot; 0 once the hand is over
legal          bits      bit v is set where verb v is open to the player to act (`palace_sim.see` reads it)
targets        seats     bit s is set where seat s may be attacked (R17); 0 when short of R18 or not one's turn
price          chips     on a turn the own R18; in a battle the full call, not capped by chips; else 0
min_raise      chips     least raise on top of the price; 0 where no raise is open
max_raise      chips     greatest raise on top of the price; 0 where no raise is open
turns          count     whole turns so far (R38)
passed         seats     bit s is set where seat s stayed or discarded since the last buy or attack (R32)
truncated      0/1       the hand was ended by R38
attacker       seat      who attacks in the battle going on; -1 for none
defender       seat      who defends in the battle going on; -1 for none
raises         count     raises so far in the battle
army_price     chips     the part of the price that is R18
last_raise     chips     the part of the price that is the last raise or the excess (R20)
draw_size      count     cards in the draw pile
discard_size   count     cards in the discard pile
reshuffles     count     times that the discard pile became the draw pile (R13)
out            count     players out of the hand
back           count     players who were out at the last reshuffle, whose palaces were therefore shuffled back
deck           cards     all cards of this hand
all_seen       cards     every card that was face up in this hand, a banner or a soldier
all_gone       cards     banners and soldiers in play and face-up cards known to lie in the discard pile
risen          10 cards  entry k: cards never face up before that were bought while `back` was k; each is from the
                         palace of one of the first k players who went out
rules          record    the rules: small_bet, large_bet, ante, no_limit, stack, max_raises, max_soldiers, blocked
                         (0 suit, 1 rank, 2 none), last_two_battle, bare_raise (chips), max_turns, palace_cards,
                         max_buys; what has no bound is 2^40
players        10 rec.   for each seat: active (0/1), out (how many went out before it and with it; 0 while in), banner
                         (card id), rivals (seats whose banner has another suit, R17), soldiers (cards), chips (2^40
                         less what was paid where there is no stack), paid (chips, returns taken off), buys, discards,
                         attacks, defences, calls, raises, stays (moves made in this hand), learnt (seats whose palace
                         it has seen as a caller who won, R28)
seat           seat      whose view this is
foe            seat      the other side of the battle when asked in phase RESPOND; else -1
palace         cards     the own palace; none once out
seen           cards     cards that can be in nobody else's palace; only grows
gone           cards     own palace, face-up cards in play, and cards this seat knows to lie in the discard pile
params         float64   the policy's parameters, in the order declared (48); what it writes there lasts for the hand
table          address   where the policy's table lies (`palace_sim.see.table` reads it); 0 for none
table_size     int64     how many numbers it has, negative where they are int64 and not float64; 0 for none
memo           int64     21 numbers that the policy may write, zeroed at the start of a hand: its only memory
stream         int64     its random stream (`palace_sim.see.uniform` and `below` draw from it)
=============  ========  ===============================================================================================
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from palace_sim.kernels.jit import copy_bytes, inlined
from palace_sim.kernels.knowledge import gone_for, seen_by
from palace_sim.kernels.state import LINE, MAX_PARAMS, MEMO, PUBLIC, RESPOND, STATE, _record, offset

_LASTING: list[Any] = [
    ("params", np.float64, (MAX_PARAMS,)),
    "table",
    "table_size",
    ("memo", np.int64, (MEMO,)),
    ("stream", np.int64, (4,)),
]
LASTING = _record(*_LASTING)
VIEW = _record(*PUBLIC, "seat", "foe", "palace", "seen", "gone", *_LASTING)
assert VIEW.itemsize % LINE == 0
LASTING_AT, LASTING_SIZE = offset(VIEW, "params"), LASTING.itemsize
VIEW_TYPE = numba.from_dtype(VIEW)
PUBLIC_SIZE = offset(VIEW, "seat")
assert offset(STATE, "seed") == PUBLIC_SIZE


def new_view() -> Any:
    """Return an empty view."""
    return np.zeros(1, VIEW)[0]


@inlined
def reset_view(view: Any, lasting: Any) -> None:
    """Set the fields that last through a hand: parameters, table, memo, stream."""
    copy_bytes(view, LASTING_AT, lasting, LASTING_SIZE)


@inlined
def fill_view(view: Any, state: Any, seat: int) -> None:
    """Write what a seat knows into its view."""
    copy_bytes(view, 0, state, PUBLIC_SIZE)
    view.seat = seat
    view.foe = -1
    if state.to_act != seat:
        view.legal = view.targets = view.price = view.min_raise = view.max_raise = 0
    elif state.phase == RESPOND:
        view.foe = state.attacker if seat == state.defender else state.defender
    view.palace = state.palace[seat] if state.players[seat].active else 0
    view.seen = seen_by(state, seat)
    view.gone = gone_for(state, seat)
