"""A hand as HTML for a notebook or a page.

What changes from move to move stands in slots, so that a page that steps through a hand holds each of them once for
each time it changes. What a seat does not know is nowhere in what is made for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from palace_sim.cards import card_set
from palace_sim.hand.showing import palace_known, piles, stakes, status
from palace_sim.kernels.settle import usable
from palace_sim.kernels.state import RESPOND

if TYPE_CHECKING:
    from palace_sim.hand.telling import Telling

_SIGN = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
ALL = -1  # every card counts
_WORD = re.compile(r"\b([2-9TJQKA])([cdhs])\b")

# Suits differ in sign and in colour (after Okabe and Ito, darkened to a contrast of 4.5 on white). Both colours of
# every part are set, so that it does not matter on what page the hand stands.
_LIGHT = (
    "--bg:#fcfbf8;--fg:#1c2026;--dim:#59616d;--line:#dcd8ce;--act:#fff0c9;--fight:#ffe3d5;--chip:#eeebe3;--key:#0b5cad"
)
_DARK = (
    "--bg:#1d2127;--fg:#ebe8e2;--dim:#a9b1bd;--line:#3d444f;--act:#463b17;--fight:#4d2c1f;--chip:#2c323b;--key:#8cc4ff"
)
STYLE = f"""<style>
.palace-hand{{{_LIGHT};color-scheme:light;background:var(--bg);color:var(--fg);border:1px solid var(--line);
 border-radius:10px;padding:12px 16px;margin:4px 0;max-width:1080px;box-sizing:border-box;
 font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;text-align:left}}
@media (prefers-color-scheme:dark){{.palace-hand{{{_DARK};color-scheme:dark}}}}
[data-jp-theme-light="true"] .palace-hand,.vscode-light .palace-hand{{{_LIGHT};color-scheme:light}}
[data-jp-theme-light="false"] .palace-hand,.vscode-dark .palace-hand{{{_DARK};color-scheme:dark}}
.palace-hand .dim{{color:var(--dim)}}
.palace-hand .pot{{font-size:17px;font-weight:700}}
.palace-hand .body{{display:flex;flex-wrap:wrap;gap:12px 20px;align-items:flex-start;margin-top:8px}}
.palace-hand .board{{flex:3 1 520px;min-width:0;overflow-x:auto}}
.palace-hand .story{{flex:1 1 250px;min-width:0;max-height:22em;overflow-y:auto;display:flex;
 flex-direction:column-reverse;border-left:3px solid var(--line);padding-left:10px}}
.palace-hand .story ol{{margin:0;padding-left:2.2em}}
.palace-hand .story li{{margin:0;padding:1px 4px;border-radius:4px;color:var(--fg)}}
.palace-hand .story li::marker{{color:var(--dim)}}
.palace-hand table{{border-collapse:collapse;width:100%;margin:0;font-size:14px;color:var(--fg);
 background:var(--bg);border:0}}
.palace-hand table th,.palace-hand table td{{text-align:left;vertical-align:middle;padding:4px 8px;border:0;
 border-bottom:1px solid var(--line);background:transparent;color:inherit;white-space:nowrap;max-width:none}}
.palace-hand table thead th{{font-weight:600;color:var(--dim);font-size:12px}}
.palace-hand table td.n,.palace-hand table th.n{{text-align:right;font-variant-numeric:tabular-nums}}
.palace-hand table td.s{{white-space:normal;min-width:7.2em;width:45%}}
.palace-hand table tbody tr:nth-child(n){{background:var(--bg)}}
.palace-hand table tbody tr.acts:nth-child(n){{background:var(--act)}}
.palace-hand table tbody tr.fights:nth-child(n){{background:var(--fight)}}
.palace-hand table tbody tr.out:nth-child(n) td{{color:var(--dim)}}
.palace-hand .mark{{display:inline-block;font-size:11px;line-height:1.5;padding:0 6px;margin-left:4px;
 border-radius:8px;background:var(--chip);color:var(--fg)}}
.palace-hand .card,.palace-hand .back{{display:inline-block;min-width:2.1em;box-sizing:border-box;text-align:center;
 line-height:1.65;margin:1px 1px;border:1px solid #8d8a83;border-radius:4px;background:#fff;font-weight:700}}
.palace-hand .back{{color:#fff;border-color:#31456b;
 background:repeating-linear-gradient(45deg,#3f598a 0 3px,#31456b 3px 6px)}}
.palace-hand .card.c{{color:#006b4f}}.palace-hand .card.d{{color:#0b5cad}}
.palace-hand .card.h{{color:#a83800}}.palace-hand .card.s{{color:#14161a}}
.palace-hand .card.void{{background:#dddad3;text-decoration:line-through;border-style:dashed}}
.palace-hand tr.out .card{{background:#e8e5de;border-style:dotted}}
.palace-hand .story .card,.palace-hand .move .card{{min-width:0;padding:0 3px;line-height:1.25;margin:0}}
.palace-hand .steps{{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin-top:8px}}
.palace-hand .steps button{{font:inherit;line-height:1.3;padding:3px 12px;border:1px solid var(--line);
 border-radius:6px;background:var(--chip);color:var(--fg);cursor:pointer}}
.palace-hand .steps button:hover{{border-color:var(--key)}}
.palace-hand .steps input{{flex:1 1 160px;min-width:80px;accent-color:var(--key);margin:0 6px}}
.palace-hand .move{{margin-top:8px;min-height:2.9em;font-size:15px}}
.palace-hand .story li[data-to]{{cursor:pointer}}
.palace-hand .story li[data-to]:hover{{background:var(--chip)}}
.palace-hand .story li.now{{background:var(--act);font-weight:600}}
.palace-hand:focus-visible,.palace-hand :focus-visible{{outline:2px solid var(--key);outline-offset:1px}}
</style>"""


def card_html(word: str, kind: str = "") -> str:
    """Write a card as HTML, with the sign and in the colour of its suit.

    Parameters
    ----------
    word : str
        The card.
    kind : str
        "void" for one that does not count in the battle going on (R24).

    Examples
    --------
    >>> card_html("As")
    '<span class="card s">A♠</span>'
    """
    more = ' void" title="does not count in this battle"' if kind == "void" else '"'
    return f'<span class="card {word[1]}{more}>{word[0]}{_SIGN[word[1]]}</span>'


def line_html(text: str) -> str:
    """Write a line of the history as HTML, its cards with signs and colours.

    Examples
    --------
    >>> line_html("seat 0 buys 5s for 10")
    'seat 0 buys <span class="card s">5♠</span> for 10'
    """
    return _WORD.sub(lambda found: card_html(found[0]), escape(text))


def _cards(cards: Sequence[str], counting: int) -> str:
    if counting == ALL:
        return " ".join(map(card_html, cards))
    return " ".join(card_html(word, "" if counting & card_set(word) else "void") for word in cards)


def _palace(hand: Telling, owner: int, seat: int | None, counting: int) -> str:
    palace = palace_known(hand, owner, seat)
    if hand.record.players[owner].active:
        hidden = '<span class="back" title="hidden">?</span>'
        return " ".join([hidden] * hand.rules.palace_cards) if palace is None else _cards(palace, counting)
    return _cards(palace, counting) if palace else "–"


def _marks(hand: Telling, owner: int) -> str:
    record = hand.record
    fighting = bool(record.phase == RESPOND)
    said = {
        "dealer": owner == hand.dealer,
        "out": not record.players[owner].active,
        "attacks": fighting and owner == record.attacker,
        "defends": fighting and owner == record.defender,
        "passed": not fighting and not hand.over and bool(record.passed >> owner & 1),
        "to act": owner == hand.to_act,
    }
    return "".join(f'<span class="mark">{word}</span>' for word, holds in said.items() if holds)


def _row_class(hand: Telling, owner: int) -> str:
    record = hand.record
    if owner == hand.to_act:
        return "acts"
    if record.phase == RESPOND and owner in (record.attacker, record.defender):
        return "fights"
    return "" if record.players[owner].active else "out"


def slots_of(hand: Telling, seat: int | None) -> dict[str, str]:
    """Write all that may change from move to move, each part under the name of its slot.

    Parameters
    ----------
    hand : Hand
        The hand.
    seat : int or None
        Whose knowledge; None for all cards.

    Returns
    -------
    dict of str to str
        HTML; of slots that end in ".class" the class of a row.
    """
    record = hand.record
    made = {"status": escape(status(hand)), "pot": str(hand.pot), "piles": escape(piles(hand))}
    sides = [int(record.attacker), int(record.defender)] if record.phase == RESPOND else []
    for owner, (player, net) in enumerate(zip(hand.players, hand.nets, strict=True)):
        counting = ALL
        if owner in sides:
            foe = sum(sides) - owner
            counting = usable(ALL, int(record.players[foe].banner), int(record.rules.blocked))
        made[f"{owner}.class"] = _row_class(hand, owner)
        made[f"{owner}.marks"] = _marks(hand, owner)
        made[f"{owner}.banner"] = _cards([player.banner] if player.banner else [], counting) or "–"
        made[f"{owner}.palace"] = _palace(hand, owner, seat, counting)
        made[f"{owner}.soldiers"] = _cards(player.soldiers, counting)
        made[f"{owner}.paid"] = str(player.paid)
        if player.chips is not None:
            made[f"{owner}.chips"] = str(player.chips)
        made[f"{owner}.net"] = f"{net:+d}"
    return made


def title(hand: Telling, seat: int | None) -> str:
    """Say what is shown."""
    return stakes(hand) + ("" if seat is None else f", as seat {seat} knows it")


def board(slots: dict[str, str], seats: int, names: Sequence[str], slot: Callable[[str], str]) -> str:
    """Lay out the players as a table, each part in its slot."""
    money = ["paid", *(["chips"] if "0.chips" in slots else []), "net"]
    head = "".join(f"<th>{name}</th>" for name in ("seat", "banner", "palace", "soldiers"))
    head += "".join(f'<th class="n">{name}</th>' for name in money)
    body = []
    for owner in range(seats):
        name = f" {escape(names[owner])}" if names else ""
        cells = [f"<td><b>{owner}</b>{name}<span{slot(f'{owner}.marks')}>{slots[f'{owner}.marks']}</span></td>"]
        for column in ("banner", "palace", "soldiers"):
            kind = ' class="s"' if column == "soldiers" else ""
            cells.append(f"<td{kind}{slot(f'{owner}.{column}')}>{slots[f'{owner}.{column}']}</td>")
        cells += [f'<td class="n"{slot(f"{owner}.{column}")}>{slots[f"{owner}.{column}"]}</td>' for column in money]
        body.append(f'<tr class="{slots[f"{owner}.class"]}"{slot(f"{owner}.class")}>{"".join(cells)}</tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def state_html(slots: dict[str, str], slot: Callable[[str], str]) -> str:
    """Write the pot, the piles and what is asked."""
    return (
        f'<div><span class="pot">pot <span{slot("pot")}>{slots["pot"]}</span></span>'
        f' &nbsp;<span class="dim"{slot("piles")}>{slots["piles"]}</span></div>'
        f"<div{slot('status')}>{slots['status']}</div>"
    )


def story_html(story: Sequence[Sequence[str]], picked: int | None = None) -> str:
    """Write the history, an entry a move; where one is picked, all can be."""
    entries = []
    for k, lines in enumerate(story):
        choice = "" if picked is None else f' data-to="{k}"' + (' class="now"' if k == picked else "")
        entries.append(f"<li{choice}>{'<br>'.join(map(line_html, lines))}</li>")
    return f'<div class="story"><ol start="0">{"".join(entries)}</ol></div>'


def as_html(hand: Telling, seat: int | None, names: Sequence[str], story: Sequence[Sequence[str]]) -> str:
    """Write a hand as HTML for a notebook, with its history so far.

    Parameters
    ----------
    hand : Hand
        The hand.
    seat : int or None
        Whose knowledge; None for all cards.
    names : list of str
        Names of the players, or none.
    story : list of list of str
        What happened in each move, in lines.
    """
    slots = slots_of(hand, seat)
    return (
        f'{STYLE}<div class="palace-hand"><div class="dim">{escape(title(hand, seat))}</div>'
        f"{state_html(slots, lambda name: '')}"
        f'<div class="body"><div class="board">{board(slots, hand.seats, names, lambda name: "")}</div>'
        f"{story_html(story)}</div></div>"
    )
