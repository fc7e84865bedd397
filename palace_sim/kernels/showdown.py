"""Drawing hidden palaces for several players at once, and sharing pots at a showdown (R33)."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import card_bit, list_cards
from palace_sim.kernels.jit import inlined, kernel
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.rng import SAMPLING, below, open_stream, uniform

POT = 2520  # parts of a pot: the least common multiple of 1 to 10, so that every split of it is whole
RANGE_DRAWS, SHOWDOWN_DRAWS = 20, 21  # third word of the counter, beside the purpose SAMPLING
MOST_TRIES = 1_000_000  # tries to draw palaces that share no card, for one sample


@inlined
def pick(stream: Any, cumulative: Any, low: int, high: int) -> int:
    """Draw an index from low to high - 1, by weights whose running sums begin anew at `low`."""
    wanted = uniform(stream) * cumulative[high - 1]
    high -= 1  # rounding cannot lead beyond the last
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_picks(stream: Any, seed: int, cumulative: Any, picks: Any) -> None:
    """Draw indices by weights given as running sums, from the stream of this seed."""
    open_stream(stream, seed, 0, SAMPLING, RANGE_DRAWS, 0)
    for i in range(len(picks)):
        picks[i] = pick(stream, cumulative, 0, len(cumulative))


@inlined
def draw_ranged(stream: Any, fixed: Any, sets: Any, cumulative: Any, first: Any, hands: Any) -> int:
    """Draw a palace for each player with a range; return the cards of these, or -1 if two share a card."""
    used = 0
    for player in range(len(fixed)):
        hands[player] = fixed[player]
        if first[player] < first[player + 1]:
            palace = sets[pick(stream, cumulative, first[player], first[player + 1])]
            if used & palace:
                return -1
            used |= palace
            hands[player] |= palace
    return used


@kernel
def draw_hands(
    stream: Any, fixed: Any, hidden: Any, pool: int, sets: Any, cumulative: Any, first: Any, pile: Any, hands: Any
) -> bool:
    """Draw what is hidden of each player, for every row of `hands` (n, players); False if no draw comes up.

    Each palace with a range is drawn by its weights, and all again until no two share a card: so combinations come up
    by the product of their weights (one after the other, each from what is left, would not do that). The other hidden
    cards are drawn from the rest of the pool, of which there is as much for every combination.

    Parameters
    ----------
    stream : (4,) int64
        Opened by the caller.
    fixed : (players,) int64
        Known cards of each player, as sets.
    hidden : (players,) int64
        Cards to draw for each player without a range; 0 with one.
    pool : int
        Cards that may be drawn, as a set.
    sets, cumulative : (m,) int64 and float64
        Palaces of all ranges, and the running sums of their weights, which begin anew for each player.
    first : (players + 1,) int64
        Where the range of each player begins in these; it ends where the next one begins.
    pile : (52,) int64
        Room to work in.
    hands : (n, players) int64
        Written: all cards of each player, as sets.
    """
    for i in range(len(hands)):
        used = draw_ranged(stream, fixed, sets, cumulative, first, hands[i])
        tries = 1
        while used < 0:
            if tries == MOST_TRIES:
                return False
            used = draw_ranged(stream, fixed, sets, cumulative, first, hands[i])
            tries += 1
        left = list_cards(pool & ~used, pile)
        for player in range(len(fixed)):
            for _ in range(hidden[player]):
                j = below(stream, left)
                left -= 1
                hands[i, player] |= card_bit(pile[j])
                pile[j] = pile[left]
    return True


@kernel
def share_pots(hands: Any, shares: Any) -> None:
    """Compare the players of each row of `hands` (n, players) and write what each gets, in parts of POT (R33)."""
    for i in range(len(hands)):
        best, many = -1, 0
        for player in range(hands.shape[1]):
            rank = rank_set(hands[i, player])
            shares[i, player] = rank
            if rank > best:
                best, many = rank, 0
            many += rank == best
        for player in range(hands.shape[1]):
            shares[i, player] = POT // many if shares[i, player] == best else 0


@kernel
def add_shares(shares: Any, weights: Any, sums: Any) -> None:
    """Add to `sums` (4, players): weights of wins and of ties, and weighted shares and their squares, row by row."""
    for i in range(len(shares)):
        for player in range(shares.shape[1]):
            share = shares[i, player]
            if share:
                sums[0 if share == POT else 1, player] += weights[i]
                sums[2, player] += weights[i] * share
                sums[3, player] += weights[i] * (share * share)
