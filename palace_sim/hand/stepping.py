"""A hand move by move: `Steps`, one position a move, as text and as a page with buttons; `Shown`, one position."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import palace_sim.hand.markup as markup
from palace_sim.arguments import whole
from palace_sim.hand.history import BattleWon, Event, by_moves
from palace_sim.hand.showing import WIDTH, as_text

TOLD = 85  # columns of what happened; the number of the move and the pot stand beside it

if TYPE_CHECKING:
    from palace_sim.hand.hand import Hand
    from palace_sim.hand.telling import Telling


def check_seat(hand: Telling, seat: int | None) -> int | None:
    """Return the seat whose knowledge is shown, or None for all cards."""
    return None if seat is None else whole("seat", seat, 0, hand.seats - 1, "None or a seat")


def check_names(hand: Telling, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the players, one a seat, or none."""
    if names is None:
        return ()
    if isinstance(names, str) or len(made := [*map(str, names)]) != hand.seats:
        raise ValueError(f"names takes {hand.seats} names, one a seat, got {names!r}")
    return tuple(made)


class Shown:
    """A position to look at, with all cards or as one seat knows it.

    `str` writes it as text; a notebook shows it as HTML.

    Attributes
    ----------
    hand : Hand
        The position; a copy, which holds all cards.
    seat : int or None
        Whose knowledge is shown.
    names : tuple of str
        Names of the players, or none.
    """

    def __init__(self, hand: Hand, seat: int | None = None, names: tuple[str, ...] = ()) -> None:
        self.hand, self.seat, self.names = hand, seat, names

    def __repr__(self) -> str:
        return f"<Shown: {self.hand!r}, {'all cards' if self.seat is None else f'as seat {self.seat} knows it'}>"

    def __str__(self) -> str:
        return as_text(self.hand, self.seat, self.names)

    def _repr_html_(self) -> str:
        story = [lines for _, lines in told(self.hand, self.seat)]
        return markup.as_html(self.hand, self.seat, self.names, story)


@dataclass(frozen=True)
class Step:
    """A move and what came of it.

    Attributes
    ----------
    number : int
        0 for what the hand began with, then 1 for the first move.
    events : tuple of Event
        What happened, as the seat came to know it.
    lines : tuple of str
        The same in plain words, and whose palace somebody saw (R28).
    before, after : Shown
        The position before and after the move; `before` is None where there was none.
    """

    number: int
    events: tuple[Event, ...]
    lines: tuple[str, ...]
    before: Shown | None
    after: Shown

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return self.after._repr_html_()


class Steps(Sequence[Step]):
    """A hand move by move, with all cards or as one seat knows it; made by `Hand.steps`.

    A sequence of `Step`: first what the hand began with, then one a move. A call and the battle that it decides are
    one move, since nothing can be done between them. `str` tells the hand as text, a notebook shows it with buttons
    to step through (also the arrow keys, Home and End), and `save` writes that as a page of its own.

    Attributes
    ----------
    seat : int or None
        Whose knowledge is shown.
    names : tuple of str
        Names of the players, or none.

    Examples
    --------
    >>> from palace_sim import Hand
    >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h").attack(0)
    >>> print(hand.steps(seat=0))
                                                                                                     pot
      0  dealer is seat 0; banners As Kd; palaces 7h 9d Ac, ?
         each pays an ante of 5                                                                       10
      1  seat 1 attacks seat 0 for 10                                                                 20
    """

    def __init__(self, hand: Hand, seat: int | None = None, names: tuple[str, ...] = ()) -> None:
        self._hand, self.seat, self.names = hand.copy(), seat, names

    @cached_property
    def _all(self) -> list[Step]:
        steps: list[Step] = []
        for number, (events, lines) in enumerate(told(self._hand, self.seat)):
            before = steps[-1].after if steps else None
            after = Shown(self._hand.rewound(number), self.seat, self.names)
            steps.append(Step(number, events, lines, before, after))
        return steps

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._hand.decisions) + 1

    def __iter__(self) -> Iterator[Step]:
        return iter(self._all)

    def __repr__(self) -> str:
        return f"<Steps: {len(self) - 1} moves of {self._hand!r}>"

    def __str__(self) -> str:
        lines = ["pot".rjust(WIDTH)]
        for step in self:
            parts = [part for line in step.lines for part in textwrap.wrap(line, TOLD, subsequent_indent="    ")]
            rows = [f"{step.number if k == 0 else '':>3}  {part}" for k, part in enumerate(parts)]
            rows[-1] = f"{rows[-1]:<{TOLD + 5}}{step.after.hand.pot:>{WIDTH - TOLD - 5}}"
            lines += rows
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return stepper(self)

    def html(self) -> str:
        """Write a page of its own, which needs nothing else.

        Returns
        -------
        str
            HTML.

        Examples
        --------
        >>> from palace_sim import Hand
        >>> Hand.deal(seats=2).steps().html().startswith("<!DOCTYPE html>")
        True
        """
        return page(self)

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or Path
            File to write; one that is there is replaced.

        Raises
        ------
        OSError
            It cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from palace_sim import Hand
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Hand.deal(seats=2).stay().steps(seat=0).save(f"{folder}/hand.html")
        """
        Path(path).write_text(self.html(), encoding="utf-8")


def told(hand: Telling, seat: int | None) -> Iterator[tuple[tuple[Event, ...], tuple[str, ...]]]:
    """Go through a hand move by move, first what it began with.

    Yields
    ------
    events : tuple of Event
        What happened, as the seat came to know it.
    lines : tuple of str
        The same in plain words, and whose palace somebody saw: that is public, the cards are not (R28).
    """
    for made in by_moves(hand.history):
        events = tuple(made if seat is None else (event.known_to(seat) for event in made))
        lines = []
        for event in events:
            lines.append(str(event))
            if isinstance(event, BattleWon) and event.called_by == event.winner:
                cards = f": {' '.join(event.palace)}" if event.palace else ""
                lines.append(f"seat {event.winner} alone sees the palace of seat {event.loser}{cards}")
        yield events, tuple(lines)


# --- the page ---------------------------------------------------------------------------------------------------------

# One handler for clicks, keys and the slider, on the element itself: there are no ids and no names at page level, so
# that any number of hands can stand on one page, and a notebook that is exported keeps it.
_HANDLER = """
var w=this,e=event,t=e.target,k=+w.dataset.at;
var d=w.steps||(w.steps=JSON.parse(w.querySelector('script').textContent)),to=t.closest('[data-to]');
if(e.type==='keydown'){
 var keys={ArrowLeft:k-1,ArrowRight:k+1,Home:0,End:d.last};
 if(t.tagName==='INPUT'||!(e.key in keys)||e.ctrlKey||e.altKey||e.metaKey)return;
 k=keys[e.key];e.preventDefault();e.stopPropagation()
}else if(e.type==='input'){k=+t.value}
else if(to){var s=to.dataset.to;k=s==='next'?k+1:s==='back'?k-1:+s}
else return;
k=Math.max(0,Math.min(d.last,k));w.dataset.at=k;
w.querySelectorAll('[data-slot]').forEach(function(el){
 var name=el.dataset.slot,all=d.slots[name],i=all.length-1;while(all[i][0]>k)i--;
 if(name.slice(-6)==='.class')el.className=all[i][1];else el.innerHTML=all[i][1]});
w.querySelector('input').value=k;
w.querySelectorAll('li').forEach(function(li){
 var now=+li.dataset.to===k;li.classList.toggle('now',now);
 if(now){var b=li.closest('.story'),r=li.getBoundingClientRect(),q=b.getBoundingClientRect();
  if(r.top<q.top)b.scrollTop-=q.top-r.top;else if(r.bottom>q.bottom)b.scrollTop+=r.bottom-q.bottom}})
"""


def _attribute(code: str) -> str:
    return escape(" ".join(code.split()))


def _embedded(data: Any) -> str:
    """Write JSON that may stand in a script element: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _moved(step: Step, last: int) -> str:
    """Write which move it is, and what happened."""
    where = f'<span class="dim">{"start" if step.number == 0 else f"move {step.number} of {last}"}</span>'
    return f"{where}<br><b>{'; '.join(map(markup.line_html, step.lines))}</b>"


def stepper(steps: Steps, focus: bool = False) -> str:
    """Write a hand with buttons to step through it; without JavaScript the last position is shown.

    Parameters
    ----------
    steps : Steps
        The hand.
    focus : bool
        Take the keyboard as soon as the page is there.
    """
    last = len(steps) - 1
    courses: dict[str, list[tuple[int, str]]] = {}
    for step in steps:
        hand = step.after.hand
        for name, made in {**markup.slots_of(hand, steps.seat), "move": _moved(step, last)}.items():
            course = courses.setdefault(name, [])
            if not course or course[-1][1] != made:
                course.append((step.number, made))
    final = {name: course[-1][1] for name, course in courses.items()}
    moving = {name: course for name, course in courses.items() if len(course) > 1}

    def slot(name: str) -> str:
        return f' data-slot="{name}"' if name in moving else ""

    story = markup.story_html([step.lines for step in steps], picked=last)
    buttons = "".join(
        f'<button type="button" data-to="{to}" aria-label="{label}" title="{label}">{sign}</button>'
        for to, label, sign in (
            ("0", "to the start", "|◀"),
            ("back", "one move back", "◀"),
            ("next", "one move on", "▶"),
            (str(last), "to the end", "▶|"),
        )
    )
    hand = steps[-1].after.hand
    return (
        f'{markup.STYLE}<div class="palace-hand" tabindex="0" data-at="{last}" data-lm-suppress-shortcuts="true"'
        f'{" autofocus" if focus else ""} onclick="{_attribute(_HANDLER)}" onkeydown="this.onclick(event)"'
        f' oninput="this.onclick(event)"><div class="dim">{escape(markup.title(hand, steps.seat))}</div>'
        f'<div class="steps">{buttons}<input type="range" min="0" max="{last}" value="{last}" aria-label="move">'
        '<span class="dim" title="keys, once the hand has been clicked">← →</span></div>'
        f'<div class="move" aria-live="polite"{slot("move")}>{final["move"]}</div>{markup.state_html(final, slot)}'
        f'<div class="body"><div class="board">{markup.board(final, hand.seats, steps.names, slot)}</div>'
        f"{story}</div>"
        f"<noscript>Without JavaScript only the last position is shown.</noscript>"
        f'<script type="application/json">{_embedded({"last": last, "slots": moving})}</script></div>'
    )


def page(steps: Steps) -> str:
    """Write a page of its own with a hand to step through."""
    title = escape(markup.title(steps[-1].after.hand, steps.seat))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{title}</title></head>'
        f"<body>{stepper(steps, focus=True)}</body></html>\n"
    )
