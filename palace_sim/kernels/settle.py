"""Comparing hands, paying, going out, and the end of a hand (R24-R26, R30-R37)."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import banner_suit, card_bit, left_of
from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.state import (
    BLOCK_RANK,
    BLOCK_SUIT,
    GOING_ON,
    LAST_BATTLE,
    LOST,
    ONE_LEFT,
    ONE_SUIT,
    OVER,
    SHOWDOWN,
    SPLIT,
    TRUNCATED,
    WON,
)


@inlined
def usable(cards: int, foe_banner: int, blocked: int) -> int:
    """Cards of a hand that count against a foe's banner (R24)."""
    if blocked == BLOCK_SUIT:
        return cards & ~banner_suit(foe_banner)
    if blocked == BLOCK_RANK:
        rank = 1 << (foe_banner >> 2)
        return cards & ~(rank | rank << 16 | rank << 32 | rank << 48)
    return cards


@inlined
def worth(cards: int, banner: int) -> int:
    """Number by which usable cards compare: their rank, then how many are of the banner's suit (R25)."""
    return rank_set(cards) << 4 | popcount(cards & banner_suit(banner))


@inlined
def compare(a: int, a_banner: int, b: int, b_banner: int) -> int:
    """Compare two sets of usable cards: 1, 0 or -1 as a wins, ties or loses (R25)."""
    x, y = worth(a, a_banner), worth(b, b_banner)
    return (x > y) - (x < y)


@inlined
def whole_hand(state: Any, seat: int) -> int:
    """All cards of a seat: banner, palace and soldiers."""
    player = state.players[seat]
    return card_bit(player.banner) | player.soldiers | state.palace[seat]


@inlined
def usable_of(state: Any, seat: int, foe: int) -> int:
    """Cards of a seat that count against a foe (R24)."""
    return usable(whole_hand(state, seat), state.players[foe].banner, state.rules.blocked)


@kernel
def battle_result(state: Any, a: int, b: int) -> int:
    """Compare the hands of two seats as in a battle: 1, 0 or -1 for the first (R24, R25)."""
    first, second = usable_of(state, a, b), usable_of(state, b, a)
    return compare(first, state.players[a].banner, second, state.players[b].banner)


@inlined
def pay(state: Any, seat: int, amount: int) -> int:
    """Move chips from a seat to the pot, as far as they go (R36); return how many."""
    player = state.players[seat]
    amount = min(amount, player.chips)
    player.chips -= amount
    player.paid += amount
    state.pot += amount
    return amount


@kernel
def give_back(state: Any, seat: int, amount: int) -> None:
    """Return chips of the last raise, or of the excess (R20), that nobody matched (R23, R36)."""
    player = state.players[seat]
    player.chips += amount
    player.paid -= amount
    state.pot -= amount
    if state.raises > 0:
        state.tally[seat].paid_raise -= amount
    else:
        state.tally[seat].paid_attack -= amount


@inlined
def lay_off(state: Any, cards: int) -> None:
    """Put cards on the discard pile (face-up cards stay in `all_gone`)."""
    state.discards |= cards
    state.discard_size += popcount(cards)


@inlined
def take_out(state: Any, seat: int, outcome: int) -> None:
    """Take a seat out of the hand, its palace to the discard pile (the record keeps it, for R28)."""
    player = state.players[seat]
    player.active = 0
    state.playing &= ~(1 << seat)
    state.out += 1
    player.out = state.out
    state.passed &= ~(1 << seat)
    state.tally[seat].outcome = outcome
    lay_off(state, state.palace[seat])


@kernel
def bury_army(state: Any, seat: int) -> None:
    """Put banner and soldiers of a seat on the discard pile (R16, R26)."""
    player = state.players[seat]
    lay_off(state, player.soldiers | card_bit(player.banner))
    player.soldiers = 0


@kernel
def note_seats(state: Any) -> None:
    """Write down who is in the hand, and which banners are of other suits than whose (R17)."""
    state.playing = 0
    for seat in range(state.seats):
        player = state.players[seat]
        state.playing |= player.active << seat
        player.rivals = 0
        for other in range(state.seats):
            suits = (state.players[other].banner ^ player.banner) & 3
            player.rivals |= ((suits | suits >> 1) & 1) << other


@kernel
def finish(state: Any, end: int, winners: int) -> None:
    """Split the pot among the winners, odd chips from the dealer's left (R35), and end the hand."""
    many = popcount(winners)
    share, odd = state.pot // many, state.pot % many
    state.final_pot = state.pot
    state.pot = 0
    seat = state.dealer
    for _ in range(state.seats):
        seat = left_of(seat, state.seats)
        if winners >> seat & 1:
            won = share + (odd > 0)
            odd -= odd > 0
            state.tally[seat].won = won
            state.players[seat].chips += won
            state.tally[seat].outcome = WON if many == 1 else SPLIT
        elif state.playing >> seat & 1:
            state.tally[seat].outcome = LOST
    state.end = end
    state.phase = OVER
    state.to_act = -1
    state.legal = state.targets = state.price = state.min_raise = state.max_raise = 0


@kernel
def best_hands(state: Any, seats: int) -> int:
    """Seats with the highest hand, all cards counting (R33), as a bit set."""
    best, winners = -1, 0
    for seat in range(state.seats):
        if seats >> seat & 1:
            rank = rank_set(whole_hand(state, seat))
            if rank > best:
                best, winners = rank, 0
            if rank == best:
                winners |= 1 << seat
    return winners


@kernel
def decide(state: Any, seats: int) -> None:
    """End the hand where a round has been passed: as a battle of the last two (R34) or by showdown (R33)."""
    end = SHOWDOWN
    if popcount(seats) == 2 and state.rules.last_two_battle:
        end = LAST_BATTLE
        first, second = lowest_bit(seats), lowest_bit(seats & seats - 1)
        result = battle_result(state, first, second)
        winners = seats if result == 0 else (1 << first if result > 0 else 1 << second)
    else:
        winners = best_hands(state, seats)
    finish(state, TRUNCATED if state.truncated else end, winners)


@inlined
def one_suit(state: Any, seats: int) -> bool:
    """Whether all banners of these seats have one suit (R31)."""
    return state.players[lowest_bit(seats)].rivals & seats == 0


@inlined
def test_end(state: Any) -> bool:
    """End the hand if R30, R31 or R32 says so; return whether it is over."""
    seats = state.playing
    many = popcount(seats)
    if many == 1:
        finish(state, ONE_LEFT, seats)
    elif many <= 3 and one_suit(state, seats):
        finish(state, ONE_SUIT, seats)
    elif state.passed & seats == seats:
        decide(state, seats)
    return state.end != GOING_ON


