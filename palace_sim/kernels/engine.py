"""The rules of a hand from the ante to its end (R5, R10-R38): `start`, `fault`, `apply`.

All of them work on one state record (state.py). Whose decision it is, and what is open to it, always stands in the
public part: phase, to_act, legal, targets, price, min_raise, max_raise.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.act import MALFORMED, amount_of, cards_of, target_of, verb_of
from palace_sim.kernels.deal import card_bit, left_of, reshuffle, take_top
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.settle import (
    bury_army,
    compare,
    decide,
    finish,
    give_back,
    lay_off,
    note_seats,
    pay,
    take_out,
    test_end,
    usable_of,
)
from palace_sim.kernels.state import (
    ATTACK,
    BEATEN,
    BUY,
    CALL,
    DISCARD,
    FOLD,
    FOLDED,
    FOLDED_IN_BATTLE,
    GOING_ON,
    KEEP,
    KEEP_CARDS,
    LAST_TIE,
    RAISE,
    RESPOND,
    STAY,
    TIED_OUT,
    TURN,
)

# Why an action is refused, and the clause that forbids it.
FAULTS = (
    "",
    "is no action code",
    "is not open now",
    "names a seat that may not be attacked (R17)",
    "is not an amount that the attacker may bet (R18, R20)",
    "is not an amount that may be raised (R21)",
    "names no soldier to discard (R14)",
    "names cards that are not the player's soldiers (R12, R14, R27)",
    "keeps more soldiers than may remain (R12, R27)",
    "names no seat (-1, say), no chips or no cards that there are",
)
OK, NO_ACTION, NOT_OPEN, BAD_TARGET, BAD_BET, BAD_RAISE, NOTHING, NOT_OWN, TOO_MANY, BAD_ARGUMENT = range(len(FAULTS))


@inlined
def army_price(state: Any, seat: int) -> int:
    """Price of an attack or a call by a seat's own army (R18)."""
    return (popcount(state.players[seat].soldiers) + 1) * state.rules.small_bet


@inlined
def open_turn(state: Any, seat: int) -> None:
    """Give a seat its turn: set what is open to it (R11-R17, R36)."""
    player = state.players[seat]
    state.phase = TURN
    state.to_act = seat
    state.attacker = state.defender = -1
    state.raises = state.last_raise = state.army_price = state.min_raise = state.max_raise = 0
    state.price = army_price(state, seat)
    legal = 1 << STAY | 1 << FOLD
    if player.soldiers:
        legal |= 1 << DISCARD
    piles = state.draw_size + state.discard_size
    if piles > 0 and player.chips >= state.rules.small_bet and player.buys < state.rules.max_buys:
        legal |= 1 << BUY
    state.targets = player.rivals & state.playing if player.chips >= state.price else 0
    state.legal = legal | (state.targets != 0) * (1 << ATTACK)


@inlined
def open_response(state: Any, seat: int, foe: int) -> None:
    """Ask a side of the battle to fold, call or raise (R21, R22, R36)."""
    player = state.players[seat]
    rules = state.rules
    state.phase = RESPOND
    state.to_act = seat
    state.targets = 0
    state.price = state.army_price + state.last_raise
    least = rules.large_bet if rules.no_limit or player.soldiers else rules.bare_raise
    state.legal = 1 << FOLD | 1 << CALL
    state.min_raise = state.max_raise = 0
    rest = player.chips - state.price
    if state.raises < rules.max_raises and rest >= least and state.players[foe].chips > 0:
        state.legal |= 1 << RAISE
        state.min_raise = least
        state.max_raise = rest if rules.no_limit else least


@inlined
def open_keep(state: Any, seat: int) -> None:
    """Ask the one who bought or won a battle which soldiers remain (R12, R27)."""
    state.phase = KEEP
    state.to_act = seat
    state.legal = 1 << KEEP_CARDS
    state.targets = state.price = state.min_raise = state.max_raise = 0


@inlined
def end_turn(state: Any, seat: int) -> None:
    """End the turn of a seat: test for the end of the hand, else pass the turn to the left (R10, R29, R30-R32, R38)."""
    state.turns += 1
    if test_end(state):
        return
    if state.turns >= state.rules.max_turns:
        state.truncated = 1
        decide(state, state.playing)
        return
    later = state.playing >> seat + 1 << seat + 1  # those to the left, before the turn is back at seat 0
    open_turn(state, lowest_bit(later if later else state.playing))


@kernel
def start(state: Any) -> None:
    """Begin a hand whose cards are dealt: antes (R5), what is known, the first turn (R10, R31)."""
    seen = 0
    for seat in range(state.seats):
        player = state.players[seat]
        player.active = 1
        player.chips = state.rules.stack
        state.tally[seat].paid_ante = pay(state, seat, state.rules.ante)
        seen |= card_bit(player.banner)
    note_seats(state)
    state.all_seen = state.all_gone = seen
    state.attacker = state.defender = -1
    if not test_end(state):
        open_turn(state, left_of(state.dealer, state.seats))


@inlined
def fault(state: Any, code: int) -> int:
    """Why the player to act may not do this (an index of FAULTS), 0 where it may."""
    verb = verb_of(code)
    if verb == 0:
        return NO_ACTION
    if code == MALFORMED:
        return BAD_ARGUMENT
    if not state.legal >> verb & 1:
        return NOT_OPEN
    if verb == ATTACK:
        if not state.targets >> target_of(code) & 1:
            return BAD_TARGET
        amount = amount_of(code)
        most = state.players[state.to_act].chips if state.rules.no_limit else state.price
        return BAD_BET if amount != 0 and not state.price <= amount <= most else OK
    if verb == RAISE:
        amount = amount_of(code)
        return BAD_RAISE if amount != 0 and not state.min_raise <= amount <= state.max_raise else OK
    if verb in (DISCARD, KEEP_CARDS):
        cards = cards_of(code)
        if verb == DISCARD and cards == 0:
            return NOTHING
        if cards & ~state.players[state.to_act].soldiers:
            return NOT_OWN
        if verb == KEEP_CARDS and popcount(cards) > state.rules.max_soldiers:
            return TOO_MANY
    return OK


@inlined
def buy_card(state: Any, seat: int) -> None:
    """Buy the top card of the draw pile as a soldier (R12, R13)."""
    state.tally[seat].paid_buy += pay(state, seat, state.rules.small_bet)
    if state.draw_size == 0:
        reshuffle(state)
    card = card_bit(take_top(state))
    player = state.players[seat]
    player.soldiers |= card
    player.buys += 1
    if state.back > 0 and not state.all_seen & card:
        state.risen[state.back] |= card
    state.all_seen |= card
    state.all_gone |= card
    state.passed = 0
    open_keep(state, seat)


@inlined
def throw_away(state: Any, seat: int, cards: int) -> None:
    """Discard soldiers of a seat, face up (R12, R14, R27)."""
    state.players[seat].soldiers &= ~cards
    lay_off(state, cards)


@inlined
def leave(state: Any, seat: int) -> None:
    """Fold on one's turn (R16)."""
    bury_army(state, seat)
    take_out(state, seat, FOLDED)
    end_turn(state, seat)


@inlined
def open_battle(state: Any, seat: int, target: int, amount: int) -> None:
    """Attack: pay the bet and ask the defender (R17, R18, R20)."""
    price = state.price
    bet = max(amount, price)
    state.tally[seat].paid_attack += pay(state, seat, bet)
    state.players[seat].attacks += 1
    state.players[target].defences += 1
    state.passed = 0
    state.attacker, state.defender = seat, target
    state.last_raise = bet - price
    state.army_price = army_price(state, target)
    row = state.battle
    row.turn = state.turns
    row.attacker, row.defender = seat, target
    row.attacker_soldiers = popcount(state.players[seat].soldiers)
    row.defender_soldiers = popcount(state.players[target].soldiers)
    row.attacker_price, row.defender_price = price, state.army_price
    open_response(state, target, seat)


@inlined
def close_battle(state: Any, folded: int, winner: int) -> None:
    """Write the end of a battle into its row."""
    row = state.battle
    row.attacker_usable = popcount(usable_of(state, row.attacker, row.defender))  # here: redraw may come in between
    row.defender_usable = popcount(usable_of(state, row.defender, row.attacker))
    row.pot = state.pot
    row.raises = state.raises
    row.folded = folded
    row.winner = winner
    state.battles += 1


@inlined
def capture(state: Any, winner: int, loser: int) -> None:
    """Give the loser's soldiers and banner to the winner, who then chooses unless the hand is over (R23, R27)."""
    state.players[winner].soldiers |= state.players[loser].soldiers | card_bit(state.players[loser].banner)
    state.players[loser].soldiers = 0
    state.tally[winner].battles_won += 1
    if test_end(state):
        state.turns += 1  # the battle was the whole turn (R11)
    else:
        open_keep(state, winner)


@inlined
def fold_battle(state: Any, seat: int, foe: int) -> None:
    """Fold in a battle: the last raise goes back, the other side captures (R23)."""
    if state.last_raise > 0:
        give_back(state, foe, state.last_raise)
    close_battle(state, 1, foe)
    state.tally[seat].battles_folded += 1
    take_out(state, seat, FOLDED_IN_BATTLE)
    capture(state, foe, seat)


@inlined
def call_battle(state: Any, seat: int, foe: int) -> None:
    """Call: pay as far as the chips go and compare the hands (R24-R28, R36)."""
    state.players[seat].calls += 1
    paid = pay(state, seat, state.price)
    state.tally[seat].paid_call += paid
    unmatched = state.last_raise - max(paid - state.army_price, 0)
    if unmatched > 0:
        give_back(state, foe, unmatched)
    result = compare(
        usable_of(state, seat, foe), state.players[seat].banner, usable_of(state, foe, seat), state.players[foe].banner
    )
    close_battle(state, 0, -1 if result == 0 else (seat if result > 0 else foe))
    if result == 0:
        tie(state, seat, foe)
        return
    winner, loser = (seat, foe) if result > 0 else (foe, seat)
    state.tally[loser].battles_lost += 1
    take_out(state, loser, BEATEN)
    if winner == seat:  # a caller who wins has seen the palace it beat (R28)
        state.players[seat].learnt |= 1 << loser
    capture(state, winner, loser)


@kernel
def tie(state: Any, a: int, b: int) -> None:
    """Put both sides of an equal battle out; the last two split the pot instead (R26)."""
    seats = 1 << a | 1 << b
    if state.playing == seats:
        state.turns += 1
        finish(state, LAST_TIE, seats)
        return
    attacker = state.attacker
    for seat in (a, b):
        bury_army(state, seat)
        take_out(state, seat, TIED_OUT)
    end_turn(state, attacker)


@inlined
def raise_battle(state: Any, seat: int, foe: int, amount: int) -> None:
    """Raise: pay the price and the raise on top (R21, R22)."""
    state.tally[seat].paid_call += pay(state, seat, state.price)
    state.last_raise = max(amount, state.min_raise)
    state.tally[seat].paid_raise += pay(state, seat, state.last_raise)
    state.players[seat].raises += 1
    state.raises += 1
    state.army_price = 0
    open_response(state, foe, seat)


@inlined
def take_turn(state: Any, seat: int, verb: int, code: int) -> None:
    """Do what a player chose on its turn (R11)."""
    player = state.players[seat]
    state.tally[seat].turns += 1
    if verb == BUY:
        buy_card(state, seat)
    elif verb == ATTACK:
        open_battle(state, seat, target_of(code), amount_of(code))
    elif verb == FOLD:
        leave(state, seat)
    else:
        if verb == DISCARD:
            throw_away(state, seat, cards_of(code))
            player.discards += 1
        else:
            player.stays += 1
        state.passed |= 1 << seat
        end_turn(state, seat)


@inlined
def apply(state: Any, code: int) -> None:
    """Do an action that `fault` found nothing wrong with, and open the next decision or end the hand."""
    seat = state.to_act
    verb = verb_of(code)
    if state.phase == TURN:
        take_turn(state, seat, verb, code)
    elif state.phase == RESPOND:
        foe = state.attacker if seat == state.defender else state.defender
        if verb == FOLD:
            fold_battle(state, seat, foe)
        elif verb == CALL:
            call_battle(state, seat, foe)
        else:
            raise_battle(state, seat, foe, amount_of(code))
    else:
        throw_away(state, seat, state.players[seat].soldiers & ~cards_of(code))
        end_turn(state, seat if state.attacker < 0 else state.attacker)


@kernel
def is_over(state: Any) -> bool:
    """Whether the hand has ended."""
    return state.end != GOING_ON
