"""Reading events off states: the one before a move and the one after it.

So a hand has the same history whoever made its moves.
"""

from __future__ import annotations

from typing import Any

from palace_sim.cards import DECK, RANKS, SUITS
from palace_sim.hand.history import (
    Ante,
    Attacked,
    BattleTied,
    BattleWon,
    Bought,
    Called,
    Dealt,
    Discarded,
    Event,
    Folded,
    Kept,
    PotWon,
    Raised,
    Stayed,
)
from palace_sim.kernels.act import cards_of, target_of, verb_of
from palace_sim.kernels.state import (
    ATTACK,
    BUY,
    CALL,
    DISCARD,
    ENDS,
    FOLD,
    LAST_TIE,
    OVER,
    RESPOND,
    SPLIT,
    STAY,
    TURN,
    WON,
)

_CARDS = [(1 << (16 * (card & 3) + (card >> 2)), RANKS[card >> 2] + SUITS[card & 3]) for card in range(DECK)]


def words(cards: int) -> list[str]:
    """List a card set as words, lowest card first.

    Examples
    --------
    >>> words(0b11 + (1 << 16))
    ['2c', '2d', '3c']
    """
    cards = int(cards)
    return [word for bit, word in _CARDS if cards & bit]


def word(card: int) -> str:
    """Write one card id as a word.

    Examples
    --------
    >>> word(51)
    'As'
    """
    return RANKS[card >> 2] + SUITS[card & 3]


def dealt_events(state: Any) -> list[Event]:
    """Events of a hand that has just begun with its cards."""
    seats = range(int(state.seats))
    banners = tuple(word(int(state.players[seat].banner)) for seat in seats)
    palaces = tuple(tuple(words(state.palace[seat])) for seat in seats)
    paid = tuple(int(state.tally[seat].paid_ante) for seat in seats)
    return [Dealt(int(state.dealer), banners, palaces), Ante(paid), *_end_events(state)]


def events_of(before: Any, code: int, after: Any) -> list[Event]:
    """Events of one move.

    Parameters
    ----------
    before, after : STATE record
        The hand before and after the move.
    code : int
        Action code of the move.

    Returns
    -------
    list of Event
    """
    if before.phase == TURN:
        events = [_turn_event(before, code, after)]
    elif before.phase == RESPOND:
        events = _battle_events(before, code, after)
    else:
        seat = int(before.to_act)
        kept = cards_of(code)
        events = [Kept(seat, tuple(words(kept)), tuple(words(before.players[seat].soldiers & ~kept)))]
    return [*events, *_end_events(after)]


def _paid(before: Any, after: Any, seat: int) -> int:
    return int(after.players[seat].paid - before.players[seat].paid)


def _turn_event(before: Any, code: int, after: Any) -> Event:
    seat, verb = int(before.to_act), verb_of(code)
    if verb == BUY:
        card = int(after.players[seat].soldiers & ~before.players[seat].soldiers)
        return Bought(seat, words(card)[0], _paid(before, after, seat), bool(after.reshuffles > before.reshuffles))
    if verb == ATTACK:
        return Attacked(seat, int(target_of(code)), _paid(before, after, seat))
    if verb == DISCARD:
        return Discarded(seat, tuple(words(cards_of(code))))
    return Stayed(seat) if verb == STAY else Folded(seat, in_battle=False)


def _battle_events(before: Any, code: int, after: Any) -> list[Event]:
    seat, verb = int(before.to_act), verb_of(code)
    attacker, defender = int(before.attacker), int(before.defender)
    foe = attacker if seat == defender else defender
    if verb not in (FOLD, CALL):
        return [Raised(seat, int(after.last_raise), _paid(before, after, seat))]
    returned = -_paid(before, after, foe)
    returned_to = foe if returned else None
    first: Event = Called(seat, _paid(before, after, seat)) if verb == CALL else Folded(seat, in_battle=True)
    winner = int(after.battle.winner)
    if winner < 0:
        return [first, BattleTied(attacker, defender, bool(after.end == LAST_TIE), returned_to, returned)]
    loser = seat if winner == foe else foe
    captured = (word(int(before.players[loser].banner)), *words(before.players[loser].soldiers))
    palace = tuple(words(before.palace[loser]))
    called_by = seat if verb == CALL else None
    return [first, BattleWon(winner, loser, captured, palace, called_by, returned_to, returned)]


def _end_events(state: Any) -> list[Event]:
    if state.phase != OVER:
        return []
    winners = [seat for seat in range(int(state.seats)) if state.tally[seat].outcome in (WON, SPLIT)]
    return [PotWon(ENDS[int(state.end)], tuple((seat, int(state.tally[seat].won)) for seat in winners))]
