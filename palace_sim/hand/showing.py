"""A hand as text for a terminal and as a table for a notebook."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palace_sim.hand import Hand

WIDTH = 100
_SIGN = {"c": ("♣", "#1b7f3b"), "d": ("♦", "#2364c4"), "h": ("♥", "#c62828"), "s": ("♠", "#222222")}
_CELL = "text-align:left;padding:2px 10px"


def _stakes(hand: Hand) -> str:
    rules = hand.rules
    structure = "no limit" if rules.structure == "no_limit" else "limit"
    return f"Palace Poker, {structure} {rules.small_bet}/{rules.large_bet}, {hand.seats} seats"


def _status(hand: Hand) -> str:
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


def _columns(hand: Hand) -> list[str]:
    return ["seat", "banner", "palace", "soldiers", "paid", *(["chips"] if hand.rules.stack is not None else []), "net"]


def _rows(hand: Hand) -> list[list[str]]:
    """What stands in the table of players, cards as words with blanks between them."""
    rows = []
    for seat, (player, net) in enumerate(zip(hand.players, hand.nets, strict=True)):
        marks = ("*" if seat == hand.to_act else "") + ("D" if seat == hand.dealer else "")
        cards = [player.banner or "-", " ".join(player.palace), " ".join(player.soldiers)]
        if not player.active:
            cards[1:] = ["out", ""]
        chips = [] if player.chips is None else [str(player.chips)]
        rows.append([f"{seat} {marks}".strip(), *cards, str(player.paid), *chips, f"{net:+d}"])
    return rows


def _piles(hand: Hand) -> str:
    return f"pot {hand.pot}; draw pile {len(hand.draw_pile)}, discard pile {len(hand.discard_pile)}; turn {hand.turns}"


def as_text(hand: Hand) -> str:
    """Write a hand in at most `WIDTH` columns; "*" marks who decides, "D" the dealer."""
    table = [_columns(hand), *_rows(hand)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    status = textwrap.wrap(_status(hand), WIDTH, subsequent_indent="  ")
    return "\n".join([_stakes(hand), *status, _piles(hand), *("  " + line for line in lines)])


def card_html(word: str) -> str:
    """Write a card as HTML, in the colour of its suit."""
    sign, colour = _SIGN[word[1]]
    return f'<span style="color:{colour};font-weight:600;white-space:nowrap">{word[0]}{sign}</span>'


def as_html(hand: Hand) -> str:
    """Write a hand as a table for a notebook."""
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in _columns(hand))
    body = []
    for row, player in zip(_rows(hand), hand.players, strict=True):
        cells = [escape(row[0]), *(_cards_html(cell) for cell in row[1:4]), *row[4:]]
        shade = "" if player.active else ' style="opacity:0.45"'
        body.append(f"<tr{shade}>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>")
    return (
        f"<div><p><b>{escape(_stakes(hand))}</b><br>{escape(_status(hand))}<br>{escape(_piles(hand))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _cards_html(cell: str) -> str:
    return " ".join(card_html(word) if len(word) == 2 else escape(word) for word in cell.split())
