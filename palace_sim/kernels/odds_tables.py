"""Battles between hands of random cards, for the tables that people keep of them."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels.deal import card_bit, list_cards
from palace_sim.kernels.jit import inlined, kernel, popcount
from palace_sim.kernels.rng import SAMPLING, below, open_stream
from palace_sim.kernels.settle import usable, worth

TABLE_DRAWS = 30  # third word of the counter, beside the purpose SAMPLING
USABLE = 10  # usable cards of a side: 0 to 9
WINS, TIES, BATTLES = range(3)  # of a tally


@inlined
def draw_cards(stream: Any, pile: Any, left: int, many: int) -> int:
    """Draw cards from the first `left` of a pile, as a set; the last of these take their places."""
    cards = 0
    for k in range(many):
        j, last = below(stream, left - k), left - k - 1
        pile[j], pile[last] = pile[last], pile[j]
        cards |= card_bit(pile[last])
    return cards


@kernel
def sample_battles(
    key: Any, samples: int, deck: int, palace: int, blocked: int, soldiers: Any, room: Any, tally: Any
) -> None:
    """Deal two hands again and again and compare them (R24, R25).

    Banners are any two cards of different suits (R17), each pair as likely as another; palaces and soldiers come from
    the rest of the deck.

    Parameters
    ----------
    key : (3,) int64
        Seed, block and cell: where in the streams to begin.
    samples : int
    deck : int
        Cards of the deck, as a set.
    palace : int
        Cards of a palace.
    blocked : int
        Which cards a banner blocks (R24), as in the record of the rules.
    soldiers : (2,) int64
        Soldiers of each side.
    room : (56,) int64
        Room to work in.
    tally : (USABLE, USABLE, 3) int64
        WINS and TIES of the first side and BATTLES, by the usable cards of the two; added to.
    """
    stream, pile = room[:4], room[4:]
    open_stream(stream, key[0], key[1], SAMPLING, TABLE_DRAWS, key[2])
    many = list_cards(deck, pile)
    for _ in range(samples):
        a_banner, b_banner = 0, 0
        while (a_banner ^ b_banner) & 3 == 0:
            draw_cards(stream, pile, many, 2)
            a_banner, b_banner = pile[many - 1], pile[many - 2]
        a = card_bit(a_banner) | draw_cards(stream, pile, many - 2, palace + soldiers[0])
        left = many - 2 - palace - soldiers[0]
        b = card_bit(b_banner) | draw_cards(stream, pile, left, palace + soldiers[1])
        a, b = usable(a, b_banner, blocked), usable(b, a_banner, blocked)
        x, y = worth(a, a_banner), worth(b, b_banner)
        i, j = popcount(a), popcount(b)
        tally[i, j, WINS] += x > y
        tally[i, j, TIES] += x == y
        tally[i, j, BATTLES] += 1
