"""Odds of a battle: every completion of one hidden palace, and samples of two (R24, R25).

A hand is added up, as in `ranking`, so a loop keeps the sum of the cards that it has and only adds the next one. The
counters of suits have five bits here and begin at 11: they hold all thirteen cards of a suit, the fifth still sets the
top bit, and the counter of the banner's suit less 11 is what R25 breaks ties by.

A *tally* is four counts for a side: wins and ties by rank alone, then wins and ties of all that R25 says.
"""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.jit import inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.ranking import LOW_AT, SUIT, rank_unsuited, suit_weight, suited_rank
from palace_sim.kernels.rng import below, next_bits
from palace_sim.kernels.settle import worth

COUNTER = 5  # bits
NONE_YET = 11  # a counter of no card
NO_CARD = NONE_YET * (1 | 1 << COUNTER | 1 << 2 * COUNTER | 1 << 3 * COUNTER)
FIVE = 16 * (1 | 1 << COUNTER | 1 << 2 * COUNTER | 1 << 3 * COUNTER)
RANKS = ~((1 << LOW_AT) - 1)
assert 4 * COUNTER == LOW_AT

RAW_WIN, RAW_TIE, WIN, TIE = range(4)  # a tally
BITS, WEIGHTS = range(2)  # rows of cards that may come: their bits and their weights
SUM, CARDS, OWN, HIDDEN = range(4)  # a side: weight and cards it has, where its banner's counter is, cards to come


@inlined
def card_weights(cards: int) -> int:
    """Sum of the weights of a card set; a hand begins at NO_CARD."""
    total = 0
    for suit in range(4):
        ranks = cards >> 16 * suit & SUIT
        total += (suit_weight(ranks) & RANKS) + (popcount(ranks) << COUNTER * suit)
    return total


@inlined
def choose(n: int, k: int) -> int:
    """Number of ways to choose k (0 to 3) of n."""
    if k == 0:
        return 1
    if k == 1:
        return n
    return n * (n - 1) // 2 if k == 2 else n * (n - 1) * (n - 2) // 6


@inlined
def flush_rank(flushes: int, cards: int) -> int:
    """Rank of the best flush of the suits whose counters' top bits these are; 0 for none."""
    rank = 0
    while flushes:
        suit = lowest_bit(flushes) // COUNTER
        flushes &= flushes - 1
        rank = max(rank, suited_rank(cards >> 16 * suit & SUIT))
    return rank


@inlined
def last_cards(weight: int, cards: int, first: int, end: int, coming: Any, own: int, bar: int, tally: Any) -> None:
    """Count how a hand and one more card, of those from `first` to before `end`, compares to a worth."""
    bar_rank, bar_suited = bar >> 4, (bar & 15) + NONE_YET
    held = flush_rank(weight & FIVE, cards)
    raw_win, raw_tie, win, tie = 0, 0, 0, 0
    for i in range(first, end):
        card = coming[WEIGHTS, i]
        total = weight + card
        rank = max(rank_unsuited(total), held)
        flush = total & (card & ~RANKS) << COUNTER - 1  # only the card's own suit can have become a better flush
        if flush:
            suited = cards | coming[BITS, i]
            rank = max(rank, suited_rank(suited >> 16 * (lowest_bit(flush) // COUNTER) & SUIT))
        raw_win += rank > bar_rank
        if rank == bar_rank:
            many = total >> own & (1 << COUNTER) - 1
            raw_tie += 1
            win += many > bar_suited
            tie += many == bar_suited
    tally[RAW_WIN] += raw_win
    tally[RAW_TIE] += raw_tie
    tally[WIN] += raw_win + win
    tally[TIE] += tie


@inlined
def deal_from(pool: int, blocked: int, coming: Any) -> int:
    """Write down the cards of a pool, blocked ones as nothing (R24); return how many."""
    many = 0
    while pool:
        bit = pool & -pool
        pool ^= bit
        usable = bit & ~blocked
        coming[BITS, many], coming[WEIGHTS, many] = usable, card_weights(usable)
        many += 1
    return many


@kernel
def complete(cards: int, banner: int, bar: int, pool: int, blocked: int, hidden: int, coming: Any, tally: Any) -> None:
    """Compare a side with a worth, for every way to give it its hidden cards.

    Cards of the pool that are blocked (R24) are all alike, so they are counted and not tried one by one.

    Parameters
    ----------
    cards : int
        Usable cards of the side that are known.
    banner : int
        Card id of its banner.
    bar : int
        Worth of the other side (`settle.worth`).
    pool : int
        Cards that the hidden ones are of.
    blocked : int
        Cards that would not count (R24).
    hidden : int
        How many are hidden, 0 to 3.
    coming : (2, 53) int64
        Room to work in.
    tally : (4,) int64
        RAW_WIN, RAW_TIE, WIN, TIE of the side; added to. They sum over C(size of the pool, hidden) completions.
    """
    many = deal_from(pool & ~blocked, 0, coming)
    coming[BITS, many] = coming[WEIGHTS, many] = 0  # stands for no card
    alike = popcount(pool) - many
    weight, own = NO_CARD + card_weights(cards), COUNTER * (banner & 3)
    for used in range(hidden + 1):
        times = choose(alike, hidden - used)
        if times == 0:
            continue
        before = (tally[RAW_WIN], tally[RAW_TIE], tally[WIN], tally[TIE])
        for i in range(0 if used > 2 else many, many if used > 2 else many + 1):
            one, held = weight + coming[WEIGHTS, i], cards | coming[BITS, i]
            for j in range(i + 1 if used > 2 else 0 if used > 1 else many, many if used > 1 else many + 1):
                two, both = one + coming[WEIGHTS, j], held | coming[BITS, j]
                first = j + 1 if used > 1 else 0 if used > 0 else many
                last_cards(two, both, first, many if used > 0 else many + 1, coming, own, bar, tally)
        for k in range(4):
            tally[k] = before[k] + times * (tally[k] - before[k])


@kernel
def open_side(cards: int, banner: int, hidden: int, side: Any) -> None:
    """Write down a side (SUM, CARDS, OWN, HIDDEN) for `sample_cards`."""
    side[SUM], side[CARDS] = NO_CARD + card_weights(cards), cards
    side[OWN], side[HIDDEN] = COUNTER * (banner & 3), hidden


@inlined
def draw_side(stream: Any, side: Any, coming: Any, order: Any, left: int) -> int:
    """Draw the hidden cards of a side from the first `left` of the order; return its worth."""
    weight, cards = side[SUM], side[CARDS]
    for k in range(side[HIDDEN]):
        j = below(stream, left - k)
        card = order[j]
        order[j] = order[left - k - 1]
        order[left - k - 1] = card
        weight += coming[WEIGHTS, card]
        cards |= coming[BITS, card]
    rank = max(rank_unsuited(weight), flush_rank(weight & FIVE, cards))
    return rank << 4 | (weight >> side[OWN] & (1 << COUNTER) - 1) - NONE_YET


@inlined
def score(a: int, b: int, tally: Any) -> None:
    """Add a comparison of two worths to the tally of the first."""
    tally[RAW_WIN] += a >> 4 > b >> 4
    tally[RAW_TIE] += a >> 4 == b >> 4
    tally[WIN] += a > b
    tally[TIE] += a == b


@kernel
def sample_cards(stream: Any, samples: int, pool: int, sides: Any, blocked: Any, coming: Any, tally: Any) -> None:
    """Deal the hidden cards of both sides from one pool again and again, and compare.

    Parameters
    ----------
    stream : (4,) int64
        Open stream.
    samples : int
    pool : int
        Cards that the hidden ones are of.
    sides : (2, 4) int64
        The sides, by `open_side`.
    blocked : (2,) int64
        Cards that do not count for each side (R24).
    coming : (3, 2, 53) int64
        Room to work in.
    tally : (4,) int64
        RAW_WIN, RAW_TIE, WIN, TIE of the first side; added to.
    """
    many = deal_from(pool, blocked[0], coming[0])
    deal_from(pool, blocked[1], coming[1])
    order = coming[2, 0]
    for i in range(many):
        order[i] = i
    for _ in range(samples):
        a = draw_side(stream, sides[0], coming[0], order, many)
        b = draw_side(stream, sides[1], coming[1], order, many - sides[0, HIDDEN])
        score(a, b, tally)


@inlined
def pick(stream: Any, sums: Any) -> int:
    """Draw an index by cumulative weights."""
    wanted = next_bits(stream, 53) * 1.1102230246251565e-16 * sums[len(sums) - 1]
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def sample_palaces(stream: Any, samples: int, tries: int, a: Any, b: Any, tally: Any) -> int:
    """Draw a palace for each side by its weights, both anew where they share a card, and compare.

    Drawing both anew keeps the weight of a pair the product of the two; to draw only the second again, or to deal one
    after the other, would not.

    Parameters
    ----------
    stream : (4,) int64
        Open stream.
    samples : int
    tries : int
        Pairs to draw for a sample, on average over those made and ten more; beyond that, give up.
    a, b : tuple of (sets, worths, sums)
        Hidden cards of each palace, what the side is worth with it, cumulative weights.
    tally : (4,) int64
        RAW_WIN, RAW_TIE, WIN, TIE of the first side; added to.

    Returns
    -------
    int
        Samples made; fewer than asked for where it gave up.
    """
    a_sets, a_worths, a_sums = a
    b_sets, b_worths, b_sums = b
    made, drawn = 0, 0
    while made < samples and drawn < tries * (made + 10):
        drawn += 1
        i, j = pick(stream, a_sums), pick(stream, b_sums)
        if a_sets[i] & b_sets[j] == 0:
            score(a_worths[i], b_worths[j], tally)
            made += 1
    return made


@kernel
def list_worths(sets: Any, cards: int, banner: int, blocked: int, worths: Any) -> None:
    """Write what a side is worth with each set of hidden cards beside the usable ones that it has (R24, R25)."""
    for i in range(len(sets)):
        worths[i] = worth(cards | sets[i] & ~blocked, banner)
