"""Why a move is refused, in plain words and with the clause that forbids it."""

from __future__ import annotations

from typing import Any

from palace_sim.hand.recording import words
from palace_sim.kernels.act import amount_of, cards_of, target_of, verb_of
from palace_sim.kernels.engine import BAD_ARGUMENT, BAD_BET, BAD_RAISE, BAD_TARGET, NOT_OPEN, NOT_OWN, NOTHING
from palace_sim.kernels.state import (
    ATTACK,
    BUY,
    CALL,
    DISCARD,
    FOLD,
    KEEP,
    KEEP_CARDS,
    OVER,
    RAISE,
    RESPOND,
    TURN,
    VERBS,
)

_ASKED = {
    TURN: "has its turn (R11)",
    RESPOND: "answers in a battle (R21)",
    KEEP: "chooses the soldiers to keep (R12, R27)",
}
_BELONGS = {FOLD: (TURN, RESPOND), CALL: (RESPOND,), RAISE: (RESPOND,), KEEP_CARDS: (KEEP,)}  # the others to a turn


def why_not(state: Any, code: int, fault: int) -> str:
    """Say why an action that `engine.fault` found a fault with is refused.

    Parameters
    ----------
    state : STATE record
        The hand.
    code : int
        Action code.
    fault : int
        What `engine.fault` returned.

    Returns
    -------
    str
    """
    verb = int(verb_of(code))
    if state.phase == OVER:
        return "the hand is over"
    if verb not in VERBS:
        if fault == BAD_ARGUMENT:
            return "a target is a seat from 0 to 9, an amount is chips from 0 up, cards are a card set"
        return f"{code:#x} is no action code that palace_sim.act makes"
    if fault == NOT_OPEN:
        return _not_open(state, code, verb)
    if fault == BAD_TARGET:
        return _bad_target(state, int(target_of(code)))
    if fault == BAD_BET:
        return _bad_bet(state, int(amount_of(code)))
    if fault == BAD_RAISE:
        return _bad_raise(state, int(amount_of(code)))
    if fault == NOTHING:
        return "a discard throws away one soldier or more (R14)"
    return _bad_cards(state, verb, int(cards_of(code)), fault)


def _chips(state: Any) -> int:
    return int(state.players[state.to_act].chips)


def _not_open(state: Any, code: int, verb: int) -> str:
    seat = int(state.to_act)
    player, rules = state.players[seat], state.rules
    if state.phase not in _BELONGS.get(verb, (TURN,)):
        names = [VERBS[v] for v in VERBS if state.legal >> v & 1]
        choice = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        return f"seat {seat} {_ASKED[int(state.phase)]} and may {choice}, not {VERBS[verb]}"
    if verb == BUY:
        if state.draw_size + state.discard_size == 0:
            return "no card is left to buy (R13)"
        if player.buys >= rules.max_buys:
            return f"seat {seat} has bought {player.buys} times, and max_buys is {rules.max_buys}"
        return f"a soldier costs {rules.small_bet}, more than the {player.chips} chips left (R36)"
    if verb == DISCARD:
        return f"seat {seat} has no soldier to discard (R14)"
    if verb == ATTACK:
        if player.chips < state.price:
            return f"an attack costs {state.price} (R18), more than the {player.chips} chips left (R36)"
        return _bad_target(state, int(target_of(code)))
    return _no_raise(state)


def _no_raise(state: Any) -> str:
    seat = int(state.to_act)
    rules = state.rules
    if state.raises >= rules.max_raises:
        return f"{state.raises} raises have been made in this battle, and max_raises is {rules.max_raises} (R22)"
    foe = int(state.attacker if seat == state.defender else state.defender)
    if state.players[foe].chips == 0:
        return f"seat {foe} has no chips left, so there is nothing to raise against (R36)"
    least = rules.large_bet if rules.no_limit or state.players[seat].soldiers else rules.bare_raise
    return f"a call of {state.price} and a raise of {least} are more than the {_chips(state)} chips left (R36)"


def _bad_target(state: Any, target: int) -> str:
    if target == state.to_act:
        return f"seat {target} cannot attack itself (R17)"
    if target >= state.seats or not state.players[target].active:
        return f"seat {target} is not in the hand (R17)"
    return f"seat {target} has a banner of the same suit (R17)"


def _bad_bet(state: Any, amount: int) -> str:
    if not state.rules.no_limit:
        return f"an attack costs {state.price}, no more and no less, in limit (R20), not {amount}"
    if amount < state.price:
        return f"an attack costs {state.price} or more (R18, R20), not {amount}"
    return f"a bet of {amount} is more than the {_chips(state)} chips left (R36)"


def _bad_raise(state: Any, amount: int) -> str:
    if not state.rules.no_limit:
        return f"a raise is {state.min_raise}, no more and no less, in limit (R21), not {amount}"
    if amount < state.min_raise:
        return f"a raise is {state.min_raise} or more (R21), not {amount}"
    return (
        f"a call of {state.price} and a raise of {amount} are more than the {_chips(state)} chips left (R36): "
        f"{state.max_raise} is the most"
    )


def _bad_cards(state: Any, verb: int, cards: int, fault: int) -> str:
    seat = int(state.to_act)
    clause = "R14" if verb == DISCARD else "R12" if state.attacker < 0 else "R27"
    if fault == NOT_OWN:
        strange = words(cards & ~int(state.players[seat].soldiers))
        return f"{' '.join(strange)}: not among the soldiers of seat {seat} ({clause})"
    return f"{cards.bit_count()} soldiers are more than the {state.rules.max_soldiers} that may remain ({clause})"
