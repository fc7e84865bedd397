"""The engine's own choice of soldiers, for policies that are not asked (R12, R27)."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.act import fold, keep
from palace_sim.kernels.deal import SUIT, banner_suit, card_bit
from palace_sim.kernels.jit import kernel, leading_zeros, popcount
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.state import KEEP


@kernel
def has_higher_ids(a: int, b: int) -> bool:
    """Whether the highest card that only one of two different sets holds is in the first."""
    odd = a ^ b
    ranks = (odd | odd >> 16 | odd >> 32 | odd >> 48) & SUIT
    rank = 63 - leading_zeros(ranks)
    at_rank = odd >> rank & 0x0001000100010001
    top = 1 << (63 - leading_zeros(at_rank) + rank)
    return a & top != 0


@kernel
def best_soldiers(soldiers: int, banner: int, palace: int, most: int) -> int:
    """Soldiers to keep: all that fit, else the `most` whose hand with banner and palace ranks highest (R33).

    Ties: more cards of the banner's suit, then higher ids.
    """
    if popcount(soldiers) <= most:
        return soldiers
    own = banner_suit(banner)
    fixed = palace | card_bit(banner)
    best, best_rank, best_own = 0, -1, -1
    chosen = soldiers
    while True:  # every subset once, down to the empty one
        if popcount(chosen) == most:
            rank = rank_set(chosen | fixed)
            of_own = popcount(chosen & own)
            if (
                rank > best_rank
                or rank == best_rank
                and (of_own > best_own or of_own == best_own and has_higher_ids(chosen, best))
            ):
                best, best_rank, best_own = chosen, rank, of_own
        if chosen == 0:
            return best
        chosen = (chosen - 1) & soldiers


@kernel
def keep_best(state: Any, seat: int) -> int:
    """Soldiers that the engine keeps for a seat."""
    player = state.players[seat]
    return best_soldiers(player.soldiers, player.banner, state.palace[seat], state.rules.max_soldiers)


@kernel
def instead(state: Any, seat: int) -> int:
    """Action of a seat that is not asked, or whose own is illegal: the engine's choice of soldiers, else a fold."""
    return keep(keep_best(state, seat)) if state.phase == KEEP else fold()
