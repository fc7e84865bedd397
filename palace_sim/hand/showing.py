"""A hand as text for a terminal, with all cards or as one seat knows it (R28)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from palace_sim.hand.recording import words

if TYPE_CHECKING:
    from palace_sim.hand.telling import Telling

WIDTH = 100
LEAST = 6  # letters of a name that stay, however wide the table
NAMED = 16  # letters of a name that are shown where there is room


def palace_known(hand: Telling, owner: int, seat: int | None) -> list[str] | None:
    """List the palace that a player has, or had when it went out, as a seat knows it; None where it does not.

    Parameters
    ----------
    hand : Hand
        The hand.
    owner : int
        Seat whose palace it is.
    seat : int or None
        Whose knowledge; None for somebody who sees all cards.

    Examples
    --------
    >>> from palace_sim import Hand
    >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c")
    >>> palace_known(hand, 1, 0), palace_known(hand, 1, None)
    (None, ['3s', 'Jh', 'Kc'])
    """
    known = seat is None or owner == seat or hand.record.players[seat].learnt >> owner & 1
    return words(hand.record.palace[owner]) if known else None


def stakes(hand: Telling) -> str:
    """Name the game, its stakes and the number of seats."""
    rules = hand.rules
    structure = "no limit" if rules.structure == "no_limit" else "limit"
    return f"Palace Poker, {structure} {rules.small_bet}/{rules.large_bet}, {hand.seats} seats"


def status(hand: Telling) -> str:
    """Say what is asked of whom, or how the hand ended."""
    if hand.over:
        return f"over: {hand.history[-1]}"
    verbs = ", ".join(sorted(hand.legal()))
    if hand.phase == "keep":
        return f"seat {hand.to_act} chooses which soldiers to keep, at most {hand.rules.max_soldiers}"
    if hand.phase == "turn":
        at = f"; price {hand.price}, targets {' '.join(map(str, hand.targets)) or 'none'}"
        return f"seat {hand.to_act} has its turn: {verbs}{at}"
    raising = "" if hand.min_raise is None else f", raise {hand.min_raise}"
    if hand.min_raise != hand.max_raise:
        raising += f" to {hand.max_raise}"
    return f"seat {hand.to_act} answers in a battle: {verbs}; price {hand.price}{raising}"


def piles(hand: Telling) -> str:
    """Count the cards of the piles, and the turns."""
    record = hand.record
    return f"draw pile {record.draw_size}, discard pile {record.discard_size}; turn {record.turns}"


def _columns(hand: Telling) -> list[str]:
    return ["seat", "banner", "palace", "soldiers", "paid", *(["chips"] if hand.rules.stack is not None else []), "net"]


def _rows(hand: Telling, seat: int | None, names: Sequence[str], letters: int) -> list[list[str]]:
    rows = []
    for owner, (player, net) in enumerate(zip(hand.players, hand.nets, strict=True)):
        marks = ("*" if owner == hand.to_act else "") + ("D" if owner == hand.dealer else "")
        name = names[owner] if names else ""
        name = name if len(name) <= letters else name[: letters - 1] + "…"
        palace = palace_known(hand, owner, seat)
        if player.active:
            cards = [" ".join(["?"] * hand.rules.palace_cards if palace is None else palace), " ".join(player.soldiers)]
        else:
            cards = [f"({' '.join(palace)})" if palace else "out", ""]
        chips = [] if player.chips is None else [str(player.chips)]
        label = " ".join(part for part in (str(owner), marks, name) if part)
        rows.append([label, player.banner or "-", *cards, str(player.paid), *chips, f"{net:+d}"])
    return rows


def _laid_out(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def as_text(hand: Telling, seat: int | None = None, names: Sequence[str] = ()) -> str:
    """Write a hand in at most `WIDTH` columns.

    "*" marks who decides, "D" the dealer; "?" is a hidden card, and cards in brackets are the palace of a player who
    is out.

    Parameters
    ----------
    hand : Hand
        The hand.
    seat : int or None
        Whose knowledge; None for all cards.
    names : list of str
        Names of the players, or none.
    """
    table = [_columns(hand), *_rows(hand, seat, names, NAMED)]
    over = max(map(len, _laid_out(table))) - WIDTH
    if over > 0:
        table[1:] = _rows(hand, seat, names, max(LEAST, NAMED - over))
    head = textwrap.wrap(stakes(hand) + ("" if seat is None else f", as seat {seat} knows it"), WIDTH)
    asked = textwrap.wrap(status(hand), WIDTH, subsequent_indent="  ")
    return "\n".join([*head, *asked, f"pot {hand.pot}; {piles(hand)}", *_laid_out(table)])
