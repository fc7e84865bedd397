"""Where a hand begins: a deal, given cards, or a position in the middle; every argument is checked here.

Each function returns an array of one state record (kernels/state.py), ready for the first decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from palace_sim.arguments import whole
from palace_sim.cards import Cards, card_set, format_cards, parse_cards
from palace_sim.kernels.deal import deal_cards, draw_dealer
from palace_sim.kernels.engine import open_turn, start
from palace_sim.kernels.rng import SAMPLING, open_stream, shuffle
from palace_sim.kernels.settle import note_seats, one_suit
from palace_sim.kernels.state import STATE, deck_set, rules_record
from palace_sim.rules import MAX_SEATS, Rules, as_rules

MAX_KEY = (1 << 63) - 1  # the greatest seed, and the greatest number of a deal

#: One player of a position: "banner/palace/soldiers", or the three as cards.
PlayerCards: TypeAlias = "str | Sequence[Cards]"


def _empty(rules: Rules, seats: int, seed: int, deal: int) -> np.ndarray:
    states = np.zeros(1, STATE)
    state = states[0]
    state.rules = rules_record(rules)
    state.seats = seats
    state.seed, state.deal = whole("seed", seed, 0, MAX_KEY), whole("deal", deal, 0, MAX_KEY)
    return states


def _check_seat(name: str, seat: Any, seats: int) -> int:
    return whole(name, seat, 0, seats - 1, "a seat")


def dealt(rules: Rules | None, seats: int, seed: int, deal: int, dealer: int | None) -> np.ndarray:
    """Deal a hand by its key; arguments as in `Hand.deal`."""
    rules = as_rules(rules)
    seats = rules.check_seats(seats)
    states = _empty(rules, seats, seed, deal)
    state = states[0]
    state.deck = deck_set(rules)
    state.dealer = draw_dealer(state) if dealer is None else _check_seat("dealer", dealer, seats)
    deal_cards(state)
    start(state)
    return states


def refuse_repeats(*named: tuple[str, list[int]]) -> None:
    """Refuse a card that is there twice, within an argument or in two."""
    where: dict[int, str] = {}
    for name, cards in named:
        for card in cards:
            if card in where:
                places = name if where[card] == name else f"{where[card]} and {name}"
                raise ValueError(f"{places}: {format_cards([card])} is there twice")
            where[card] = name


def refuse_strange(rules: Rules, *named: tuple[str, list[int]]) -> None:
    """Refuse a card that is not in the deck of the rules."""
    deck = set(rules.deck_cards)
    for name, cards in named:
        for card in cards:
            if card not in deck:
                raise ValueError(f"{name}: {format_cards([card])} is not in the deck of the rules")


def listed(name: str, value: Any) -> list[Any]:
    """Return an argument that has one entry a seat as a list; anything else is refused by its name."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} takes a list with one entry a seat, got {value!r}")
    return list(value)


def _banner_list(banners: Cards) -> list[int]:
    banner_ids = parse_cards(banners, name="banners")
    if not 2 <= len(banner_ids) <= MAX_SEATS:
        raise ValueError(f"banners takes 2 to {MAX_SEATS} cards, one a seat (R1), got {len(banner_ids)}")
    return banner_ids


def from_cards(
    rules: Rules | None, banners: Cards, palaces: Iterable[Cards], draw_pile: Cards, dealer: int, seed: int
) -> np.ndarray:
    """Begin a hand with given cards; arguments as in `Hand.from_cards`."""
    rules = as_rules(rules)
    banner_ids = _banner_list(banners)
    seats = len(banner_ids)
    palace_ids = [parse_cards(palace, name=f"palaces[{i}]") for i, palace in enumerate(listed("palaces", palaces))]
    if len(palace_ids) != seats:
        raise ValueError(f"palaces takes one palace a seat: {seats} banners, but {len(palace_ids)} palaces")
    for i, palace in enumerate(palace_ids):
        if len(palace) != rules.palace_cards:
            got = format_cards(palace) or "none"
            raise ValueError(f"palaces[{i}] takes {rules.palace_cards} cards (R8), got {got}")
    pile = parse_cards(draw_pile, name="draw_pile")
    named = [("banners", banner_ids), *((f"palaces[{i}]", p) for i, p in enumerate(palace_ids)), ("draw_pile", pile)]
    refuse_repeats(*named)
    refuse_strange(rules, *named)
    states = _empty(rules, seats, seed, 0)
    state = states[0]
    state.deck = card_set([card for _, cards in named for card in cards])
    state.dealer = _check_seat("dealer", dealer, seats)
    for seat in range(seats):
        state.players[seat].banner = banner_ids[seat]
        state.palace[seat] = card_set(palace_ids[seat])
    state.pile[: len(pile)] = pile[::-1]  # the engine takes from the end
    state.draw_size = len(pile)
    start(state)
    return states


# --- positions in the middle of a hand --------------------------------------------------------------------------------


def _split_hidden(cards: Cards, name: str) -> tuple[list[int], int]:
    """Read cards among which "?" stands for one that is not known: ids, and how many "?"."""
    if isinstance(cards, str):
        return parse_cards(cards.replace("?", " "), name=name), cards.count("?")
    if isinstance(cards, Iterable):
        items = list(cards)
        return parse_cards([item for item in items if item != "?"], name=name), items.count("?")
    return parse_cards(cards, name=name), 0


def parse_player(player: PlayerCards, palace_cards: int = 3, name: str = "player") -> tuple[int, list[int], list[int]]:
    """Read "banner/palace/soldiers", the notation of positions.

    A "?" in the palace stands for hidden cards, and so does a palace with too few cards. The last parts may be left
    out.

    Parameters
    ----------
    player : str or sequence of cards
        The text, or the three parts as cards.
    palace_cards : int, optional
        Cards of a palace by the rules.
    name : str, optional
        What to call the argument in an error.

    Returns
    -------
    banner : int
    palace : list of int
        Those known.
    soldiers : list of int

    Raises
    ------
    ValueError
        Not such a text, no banner or more than one, a palace too large, an unknown card, or a card twice.

    Examples
    --------
    >>> parse_player("As/KsKd9c/5s")
    (51, [47, 45, 28], [15])
    >>> parse_player("2h/?/TdTc")
    (2, [], [33, 32])
    """
    if not isinstance(player, str) and not isinstance(player, Sequence):
        raise ValueError(f"{name} takes text like 'As/KsKd9c/5s' (banner/palace/soldiers), got {player!r}")
    parts: list[Any] = player.split("/") if isinstance(player, str) else list(player)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{name} takes banner/palace/soldiers like 'As/KsKd9c/5s', got {player!r}")
    parts += [""] * (3 - len(parts))
    banner = parse_cards(parts[0], name=f"{name}, banner")
    if len(banner) != 1:
        raise ValueError(f"{name} takes one banner before the first '/', got {player!r}")
    palace, hidden = _split_hidden(parts[1], f"{name}, palace")
    if len(palace) + hidden > palace_cards:
        raise ValueError(f"{name} takes {palace_cards} palace cards at most, got {player!r}")
    soldiers = parse_cards(parts[2], name=f"{name}, soldiers")
    refuse_repeats((name, banner + palace + soldiers))
    return banner[0], palace, soldiers


def _check_passed(state: Any, passed: Any, to_act: int) -> int:
    """Return the seats that passed as a bit set: the last ones in the hand before the one to act."""
    seats = int(state.seats)
    order = [(to_act - step) % seats for step in range(1, seats)]
    still_in = [seat for seat in order if state.players[seat].active]
    count = whole("passed", passed, 0, len(still_in), "a number of players who passed (R32)")
    return sum(1 << seat for seat in still_in[:count])


def _check_paid(rules: Rules, paid: Iterable[int] | None, pot: int, seats: int, dealer: int) -> list[int]:
    """Return the chips that each seat has paid into the pot."""
    if paid is None:
        odd = [(seat - dealer - 1) % seats < pot % seats for seat in range(seats)]
        chips = [pot // seats + extra for extra in odd]
    else:
        chips = [whole(f"paid[{i}]", x, 0, pot, "chips") for i, x in enumerate(listed("paid", paid))]
        if len(chips) != seats:
            raise ValueError(f"paid takes {seats} numbers of chips, one a seat, got {len(chips)}")
        if sum(chips) != pot:
            raise ValueError(f"paid must add up to the pot of {pot}, got {sum(chips)}")
    if rules.stack is not None and max(chips) > rules.stack:
        seat = chips.index(max(chips))
        raise ValueError(f"seat {seat} cannot have paid {chips[seat]} into the pot of {pot} with stack={rules.stack}")
    return chips


def _seat_players(
    state: Any, rules: Rules, players: list[PlayerCards | None]
) -> tuple[list[tuple[str, list[int]]], list[int]]:
    """Put the players of a position in their seats; return all cards named, and the seats that are out."""
    named, out = [], []
    for seat, cards in enumerate(players):
        player = state.players[seat]
        if cards is None:
            out.append(seat)
            player.banner, player.out = -1, len(out)
            continue
        name = f"players[{seat}]"
        banner, palace, soldiers = parse_player(cards, rules.palace_cards, name)
        if len(soldiers) > rules.max_soldiers:
            raise ValueError(
                f"{name}: {len(soldiers)} soldiers are more than the {rules.max_soldiers} that may remain (R12)"
            )
        player.active, player.banner, player.soldiers = 1, banner, card_set(soldiers)
        state.palace[seat] = card_set(palace)
        named.append((name, [banner, *palace, *soldiers]))
        state.all_seen |= card_set([banner, *soldiers])
    state.out = len(out)
    return named, out


def _refuse_over(state: Any, to_act: int) -> None:
    """Refuse a position in which nobody would be asked any more."""
    note_seats(state)
    seats = int(state.playing)
    many = int(seats).bit_count()
    if many < 2:
        raise ValueError(f"players: {many} in the hand, so it is over (R30)")
    if many <= 3 and one_suit(state, seats):
        raise ValueError("players: all banners are of one suit, so the hand is over (R31)")
    if not state.players[to_act].active:
        raise ValueError(f"to_act: seat {to_act} is out of the hand")


def _draw_hidden(state: Any, rules: Rules, unnamed: list[int], hidden_discards: int, out: list[int]) -> None:
    """Draw palaces and discards that are not known; what is left is the draw pile."""
    size = rules.palace_cards
    missing = {seat: size - int(state.palace[seat]).bit_count() for seat in range(state.seats) if seat not in out}
    buried = out[len(out) - hidden_discards // size :]  # face down in the discard pile lie whole palaces
    need = sum(missing.values()) + hidden_discards
    if need > len(unnamed):
        raise ValueError(f"players and discards hide {need} cards, but only {len(unnamed)} of the deck are not named")
    cards = np.array(unnamed, np.int64)
    open_stream(state.stream, state.seed, 0, SAMPLING, 0, 0)
    shuffle(state.stream, cards, len(cards))
    drawn = cards.tolist()

    def take(many: int) -> int:
        return card_set([drawn.pop() for _ in range(many)])

    for seat, many in missing.items():
        state.palace[seat] |= take(many)
    for seat in buried:
        state.palace[seat] = take(size)
        state.discards |= state.palace[seat]
    state.pile[: len(drawn)] = drawn
    state.draw_size = len(drawn)


def _check_discards(rules: Rules, discards: Cards, out: int) -> tuple[list[int], int]:
    cards, hidden = _split_hidden(discards, "discards")
    size = rules.palace_cards
    if hidden % size or hidden > size * out:
        raise ValueError(
            f"discards: what lies there face down are whole palaces of players who are out; with {out} of them out "
            f"and palaces of {size}, {hidden} times '?' cannot be"
        )
    return cards, hidden


def from_position(
    rules: Rules | None,
    players: Iterable[PlayerCards | None],
    to_act: int,
    dealer: int,
    pot: int,
    paid: Iterable[int] | None,
    passed: int,
    discards: Cards,
    seed: int,
) -> np.ndarray:
    """Begin in the middle of a hand; arguments as in `Hand.from_position`."""
    rules = as_rules(rules)
    cards = listed("players", players)
    seats = whole("the number of players", len(cards), 2, MAX_SEATS)
    states = _empty(rules, seats, seed, 0)
    state = states[0]
    to_act = _check_seat("to_act", to_act, seats)
    state.dealer = _check_seat("dealer", dealer, seats)
    state.deck = deck_set(rules)
    state.attacker = state.defender = -1
    named, out = _seat_players(state, rules, cards)
    _refuse_over(state, to_act)
    gone, hidden = _check_discards(rules, discards, len(out))
    named.append(("discards", gone))
    refuse_repeats(*named)
    refuse_strange(rules, *named)
    state.discards = card_set(gone)
    state.all_seen |= state.discards
    state.all_gone = state.all_seen
    state.discard_size = len(gone) + hidden
    taken = {card for _, some in named for card in some}
    _draw_hidden(state, rules, [card for card in rules.deck_cards if card not in taken], hidden, out)
    state.pot = whole("pot", pot, 0, 1 << 40, "chips")
    for seat, chips in enumerate(_check_paid(rules, paid, int(state.pot), seats, int(state.dealer))):
        state.players[seat].paid = chips
        state.players[seat].chips = state.rules.stack - chips
    state.passed = _check_passed(state, passed, to_act)
    open_turn(state, to_act)
    return states
