"""A result as one HTML file: tables, pictures, what was played, and how to play it again. It needs no network."""

from __future__ import annotations

import base64
import html
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim import plots
from palace_sim.arguments import whole
from palace_sim.formats import NONE, decimals, estimates_html, leaderboard_html, number, table_html
from palace_sim.policies.errors import PolicyError
from palace_sim.reproducing import recipe
from palace_sim.simulate import Result
from palace_sim.standings import Tournament
from palace_sim.statistics import interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["write_report"]

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1b1b1b; background: #fff; margin: 0 auto;
  max-width: 62rem; padding: 1rem 1.25rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.8rem 0 0.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.5rem; border-bottom: 2px solid #0072B2; padding-bottom: 0.2rem; }
p, dl { margin: 0.5rem 0; max-width: 48rem; }
.note { color: #555; font-size: 0.9rem; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th { font-weight: 600; border-bottom: 1px solid #888; vertical-align: bottom; }
th, td { padding: 0.2rem 0.7rem 0.2rem 0; white-space: pre; }
.words td:nth-child(2) { white-space: normal; min-width: 16rem; }
tbody tr:nth-child(even) { background: #f4f7fa; }
img { display: block; max-width: 100%; height: auto; margin: 0.6rem 0; }
dt { font-weight: 600; float: left; clear: left; width: 9rem; }
dd { margin: 0 0 0.25rem 9.5rem; overflow-wrap: anywhere; }
pre { background: #f4f4f4; padding: 0.7rem 0.9rem; font-size: 0.82rem; line-height: 1.4;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.manifest { font-size: 0.72rem; }
@media screen and (max-width: 600px) {
  body { padding: 0.5rem 0.8rem 2rem; }
  dt { float: none; }
  dd { margin-left: 0; }
  img { max-width: none; width: 28rem; }
}
@media print {
  body { max-width: none; font-size: 11pt; padding: 0; }
  h2, dt, th { break-after: avoid; }
  img, tr { break-inside: avoid; }
  .wide { overflow: visible; }
  table { font-size: 0.78rem; }
  th, td { padding-right: 0.6rem; }
}
"""
SHARP = 150  # dots an inch of pictures
DRAWN = 7  # policies up to which a line each can be told apart
CROWDED = 12  # policies from which on the crosstable is a picture only


def write_report(
    result: Result,
    path: str | Path,
    title: str | None = None,
    why_deals: int = 2000,
    workers: int | None = None,
) -> Path:
    """Write a result as one HTML file that needs nothing else: tables, pictures, manifest, and how to play it again.

    What rows tell is there where the result has rows: net by position, over the deals, and what becomes of attacks.

    Parameters
    ----------
    result : Result or Tournament
        What to tell of.
    path : str or Path
        The file, such as "out.html"; one that is there is replaced.
    title : str, optional
        Heading; None says what was played.
    why_deals : int
        Deals of a tournament that are played again to say why the first policy is ahead of the second; 0 leaves out
        all that needs playing.
    workers : int, optional
        Threads for it; None for all cores.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        The file cannot be written, or another argument is not what it should be; named.

    Examples
    --------
    >>> import tempfile, palace_sim as ps
    >>> t = ps.round_robin(["tight", "random"], deals=20, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = write_report(t, f"{folder}/out.html").read_text(encoding="utf-8")
    >>> text.count("<img ") >= 2
    True
    """
    if not isinstance(result, Result):
        raise ValueError(f"result takes what play or a tournament returned, got {result!r}")
    target = _target(path)
    if title is not None and not isinstance(title, str):
        raise ValueError(f"title takes a text, got {title!r}")
    why_deals = whole("why_deals", why_deals, 0, 1 << 39, "a number of deals")
    text = _page(result, title, why_deals, workers)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"path takes a file that can be written, got {str(path)!r}: {error}") from error
    return target


def _target(path: Any) -> Path:
    """Refuse, before anything is drawn, what cannot be written."""
    if not isinstance(path, str | Path):
        raise ValueError(f"path takes the name of a file like 'out.html', got {path!r}")
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"path takes the name of a file like 'out.html', got a folder, {str(path)!r}")
    if not target.parent.is_dir():
        raise ValueError(f"path takes a file in a folder that exists, got {str(path)!r}: make {target.parent} first")
    return target


def _page(result: Result, title: str | None, why_deals: int, workers: int | None) -> str:
    names = [policy.name for policy in result.policies]
    kind = {"play": "A line-up", "round_robin": "Round robin", "gauntlet": "Gauntlet", "population": "Population"}
    seats = result.plan.seats
    many = f"{len(names)} {'policies' if len(names) > 1 else 'policy'}"
    said = f"{kind[result.request['kind']]} of {many} at {seats} seats"
    title = said if title is None else title
    parts = [f"<h1>{html.escape(title)}</h1>", _short(result), _played(result), _board(result)]
    if isinstance(result, Tournament):
        parts += [_cross(result), _ratings(result)]
        if why_deals:
            parts += [_why(result, why_deals, workers), _luck(result, workers) if result.plan.luck else ""]
    parts += [*_rows(result), _again(result), _manifest(result)]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style>"
    )
    body = "\n".join(filter(None, parts))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


# --- pieces -----------------------------------------------------------------------------------------------------------


def picture(axes: Axes, words: str) -> str:
    """Return a plot as an image that a page holds itself; `words` say what is on it."""
    room = io.BytesIO()
    axes.figure.savefig(room, dpi=SHARP, format="png", metadata={"Software": None})
    width = round(96 * axes.figure.get_size_inches()[0])
    inside = base64.b64encode(room.getvalue()).decode()
    return _wide(f'<img width="{width}" alt="{html.escape(words)}" src="data:image/png;base64,{inside}">')


def _section(name: str, *parts: str) -> str:
    return f"<section>\n<h2>{html.escape(name)}</h2>\n" + "\n".join(filter(None, parts)) + "\n</section>"


def _wide(table: str) -> str:
    return f'<div class="wide">{table}</div>'


def _note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'


def _several(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _short(result: Result) -> str:
    """Say in a sentence or two who is best, and how sure that is."""
    board = result.summary
    best = board.iloc[0]
    places = decimals(board["se"])
    net = f"{number(best['mean'], places)} chips a hand"
    if not math.isnan(best["se"]):
        low, high = number(best["ci_low"], places), number(best["ci_high"], places)
        net += f" ({best['interval']}: {low} to {high})"
    text = f"{best['policy']} is ahead with {net}."
    if len(board) > 1:
        near = [str(row.policy) for row in board.iloc[1:].itertuples() if set(row.group) & set(best["group"])]
        level = "95 %, all pairs at once"
        text += f" Not told apart from it: {_several(near)}" if near else " It is told apart from every other policy"
        text += f" ({level})."
    return f"<p>{html.escape(text)}</p>"


def _played(result: Result) -> str:
    """Say what was played."""
    plan, counts = result.plan, result.standing.lineup_deals
    least, most = int(counts.min()), int(counts.max())
    hands = "seatings" if plan.all_seatings else "rotations" if plan.rotations > 1 else "seating"
    rules = ", ".join(f"{key} = {value}" for key, value in plan.rules.changed().items())
    manifest = result.manifest
    tools = ("palace_sim", "python", "numpy", "numba", "pandas")
    facts = {
        "Table": f"{plan.seats} seats, {len(plan.lineups):,} line-up{'s' if len(plan.lineups) > 1 else ''}",
        "Deals": (f"{most:,}" if least == most else f"{least:,} to {most:,}")
        + f" a line-up, each in {plan.rotations} {hands}: {result.hands:,} hands in all",
        "Seed": str(plan.seed),
        "Rules": f"{rules}; else the default ones" if rules else "the default ones",
        "Stopped": getattr(result, "stopped", "") or "all that was asked for is played",
        "Versions": ", ".join(f"{name} {manifest[name]}" for name in tools)
        + f"; stream version {manifest['stream_version']}; {manifest['machine']}",
    }
    rows = []
    for policy in result.policies:
        first = ((policy.__doc__ or "").strip().splitlines() or [""])[0]
        changed = {k: v for k, v in policy.params.items() if v != policy.family.parameters[k].default}
        values = ", ".join(f"{key} = {value:g}" for key, value in changed.items()) or "default"
        rows.append([policy.name, first, values if policy.params else NONE])
    listed = "".join(f"<dt>{key}</dt><dd>{html.escape(value)}</dd>" for key, value in facts.items())
    table = table_html(["policy", "what it does", "parameters"], rows, left=(0, 1, 2))
    return _section("What was played", f"<dl>{listed}</dl>", f'<div class="wide words">{table}</div>')


def _board(result: Result) -> str:
    board = result.summary
    note = "net: chips won less paid. The deal is the unit of every standard error (se)."
    note += " Policies that share a letter are not told apart (family-wise 95 %, all pairs at once)."
    drawn = picture(plots.leaderboard(board), "Leaderboard with intervals")
    parts = [_wide(leaderboard_html(board)), _note(note), drawn]
    fresh = getattr(result, "confirmation", None)
    if fresh is not None:
        said = f"On {int(fresh.standing.deals.max()):,} fresh deals, played after the stop:"
        parts += [_note(said), _wide(leaderboard_html(fresh.leaderboard))]
    return _section("Leaderboard", *parts)


def _cross(result: Tournament) -> str:
    mean, se = result.crosstable, result.crosstable_se
    order = [name for name in result.leaderboard["policy"] if name in mean.index]
    attrs, mean, se = mean.attrs, mean.loc[order, order], se.loc[order, order]
    mean.attrs = attrs
    if mean.notna().to_numpy().sum() == 0:
        return ""
    what = "Net of the row's policy against the column's, chips a hand."
    if result.plan.seats > 2:
        what = "Net of the row's policy less that of the column's where both sit, halved, chips a hand."
    parts = [picture(plots.crosstable(mean, se), "Crosstable"), _note(what)]
    if len(order) <= CROWDED:
        places = decimals(se.to_numpy().ravel())
        rows = [
            [name, *(_pair(mean.loc[name, other], se.loc[name, other], places) for other in order)] for name in order
        ]
        parts.append(_wide(table_html(["against", *order], rows)))
        parts.append(_note("Below each its standard error."))
    return _section("Who wins from whom", *parts)


def _pair(mean: float, se: float, places: int) -> str:
    return NONE if math.isnan(mean) else f"{number(mean, places)}\n±{number(se, places)}"


def _told(make: Callable[[], str], what: str) -> str:
    """Make a part, or say why it is not there."""
    try:
        return make()
    except (ValueError, PolicyError) as error:
        return _note(f"{what}: {error}")


def _ratings(result: Tournament) -> str:
    names = {"policy": "policy", "rating": "rating", "se": "se", "ci_low": "95 % from", "ci_high": "to"}
    names["n"] = "comparisons"
    note = "Bradley-Terry ratings in Elo points, mean 0: how often a policy does better in a deal, not by how much."

    def table() -> str:
        return _wide(estimates_html(result.ratings, names)) + _note(note)

    return _section("Ratings", _told(table, "No ratings"))


def _why(result: Tournament, deals: int, workers: int | None) -> str:
    first, second = (str(name) for name in result.leaderboard["policy"].iloc[:2])

    def parts() -> str:
        for policy in result.policies:
            if policy.name in (first, second) and policy.fingerprint != result.fingerprints[policy.name]:
                raise ValueError(f"policy {policy.name} is not as it was when it played")
        found = result.why(first, second, deals=deals, workers=workers, progress=False)
        if not found.parts["difference"].abs().max() > 0:
            return _note(f"Nothing: they played alike in the {min(deals, int(result.standing.deals.max())):,} deals.")
        names = {"part": "part of the net", first: first, second: second, "difference": "difference", "se": "se"}
        table = estimates_html(found.parts, names | {"ci_low": "95 % from", "ci_high": "to"})
        played = min(deals, int(result.standing.deals.max()))
        most = {"deal": "deal", "difference": "difference, chips", "lineup": "line-up", "rotation": "rotation"}
        row = found.deals.iloc[0]
        call = f"palace_sim.replay(result, deal={row['deal']}, rotation={row['rotation']}, lineup={row['lineup']})"
        return "\n".join(
            [
                picture(plots.why(found.parts), f"Parts of the difference between {first} and {second}"),
                _wide(table),
                _note(f"Chips a hand, over the first {played:,} deals, played again. The parts add up to the net."),
                "<p>Deals that differ most between the two:</p>",
                _wide(estimates_html(found.deals.head(5).astype({"deal": str}), most)),
                _note(f"{call} shows the hand of the first of them, move by move."),
            ]
        )

    return _section(f"What sets {first} apart from {second}", _told(parts, "It cannot be told"))


def _luck(result: Tournament, workers: int | None) -> str:
    def parts() -> str:
        table = result.without_luck(workers=workers, progress=False)
        names = {"policy": "policy", "mean": "as played", "se": "se", "without_luck": "without luck"}
        names |= {
            "without_luck_se": "se of it",
            "ci_low": "95 % from",
            "ci_high": "to",
            "factor": "variance cut, times",
        }
        return picture(plots.without_luck(table), "Means without luck") + _wide(estimates_html(table, names))

    return _section("Without the luck at the draws", _told(parts, "It cannot be told"))


def _rows(result: Result) -> list[str]:
    """What the rows of hands and battles tell, where there are any."""
    parts = []
    seats, deals = result.seats, result.deals
    if len(seats):
        table = seat_table(seats)
        names = {"seats": "players", "position": "position", "mean": "net", "se": "se", "ci_low": "95 % from"}
        names |= {"ci_high": "to", "deals": "deals"}
        parts.append(
            _section(
                "Does position matter?",
                picture(plots.seat_effect(table), "Net by position"),
                _wide(estimates_html(table, names, left=0)),
                _note("Chips a hand of all policies together; position 0 is the dealer's left neighbour."),
            )
        )
    if len(deals):
        shown = list(result.summary["policy"].head(DRAWN))

        def over_time() -> str:
            return picture(plots.net_over_time(deals, shown), "Mean net over the deals")

        parts.append(_section("Net over the deals", _told(over_time, "It cannot be drawn")))
    if len(result.battles):
        flow = plots.battle_flow(result.battles, by="policy", seats=seats)
        parts.append(_section("What becomes of attacks", picture(flow, "What becomes of attacks, by policy")))
    return parts


def seat_table(seats: pd.DataFrame) -> pd.DataFrame:
    """Return the mean net at each position over the hands of `Result.seats`, the deal as the unit.

    Examples
    --------
    >>> import palace_sim as ps
    >>> float(seat_table(ps.play(["random", "random"], deals=10, seed=1).seats)["mean"].sum())
    0.0
    """
    import pandas as pd

    nets = seats.groupby(["deal", "position"])["net"].mean().unstack()
    many = len(nets)
    mean, se = nets.mean().to_numpy(), (nets.std(ddof=1) / np.sqrt(many)).to_numpy()
    low, high = interval(mean, se, many)
    places = nets.columns.to_numpy()
    found = {"mean": mean, "se": se, "ci_low": low, "ci_high": high}
    return pd.DataFrame({"seats": len(places), "position": places, **found, "deals": many})


def _again(result: Result) -> str:
    made = recipe(result)
    parts = []
    if made.python is not None:
        parts += ["<p>In Python:</p>", f'<pre id="python">{html.escape(made.python)}</pre>']
    if made.command is not None:
        parts += ["<p>From the command line:</p>", f'<pre id="command">{html.escape(made.command)}</pre>']
    parts += [_note(note) for note in made.notes]
    if made.python is not None:
        parts.append(_note("The same versions give the same figures, for any number of workers."))
    return _section("To play it again", *parts)


def _manifest(result: Result) -> str:
    request = {key: value for key, value in result.request.items() if key not in ("lineups", "times")}
    text = json.dumps(result.manifest | {"request": request}, indent=1, ensure_ascii=False)
    return _section("Manifest", f'<pre id="manifest" class="manifest">{html.escape(text)}</pre>')
