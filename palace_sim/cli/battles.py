"""The commands `odds`, `odds-table` and `advise`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

import palace_sim as ps
from palace_sim.arguments import near
from palace_sim.cli.app import (
    GameRules,
    PerhapsWhole,
    Target,
    Whole,
    app,
    as_json,
    check_png,
    check_target,
    line_up,
    plain,
    records,
    rules_of,
    say_if_cold,
    stakes,
    write,
)
from palace_sim.printing import decisions_text, equities_text, odds_text, prices_text, showdown_text, wrap

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.rules import Rules

def _sides(kind: Any, tokens: Sequence[Any]) -> list[str]:
    """Read sides; "-" is one, anything else that begins so is an option that does not exist."""
    words = [str(token.value) for token in tokens]
    for word in words:
        if word.startswith("--"):
            raise ValueError(f"there is no option {word}")
    return words


Sides = Annotated[
    list[str], Parameter(consume_multiple=True, negative=(), allow_leading_hyphen=True, converter=_sides)
]
Ranges = Annotated[list[str] | None, Parameter(name="--range", negative=())]
Kind = Literal["banners", "soldiers", "usable", "price"]
SHOWDOWN_SAMPLES = 10_000
VERBS = ("attack", "buy", "call", "discard", "fold", "keep", "raise", "stay")


def read_ranges(words: Sequence[str] | None, rules: Rules) -> dict[int, ps.Range]:
    """Read "1=pairs, A*" and its like: who, and what that palace may be."""
    found = {}
    for word in words or ():
        who, equals, text = word.partition("=")
        if not equals or not re.fullmatch(r"\s*\d+\s*", who):
            raise ValueError(f"--range takes SEAT=TEXT like '1=pairs, A*', got {word!r}")
        if int(who) in found:
            raise ValueError(f"--range names {int(who)} twice; join the texts by a comma")
        found[int(who)] = ps.Range.text(text, rules.palace_cards, f"--range of {int(who)}")
    return found


@app.command
def odds(
    sides: Sides,
    *,
    dead: str = "",
    range_a: str | None = None,
    range_b: str | None = None,
    showdown: bool = False,
    ranges: Ranges = None,
    samples: PerhapsWhole = None,
    seed: Whole = 0,
    json: Target = None,
    rules: GameRules = None,
) -> None:
    """Tell the odds of a battle between two sides, or of a showdown.

    Parameters
    ----------
    sides : list
        Two sides, like As/KsKd9c/5s: banner/palace/soldiers; ? or too few palace cards stand for hidden ones.
    dead : str
        Cards known to lie elsewhere, like "2c 3d".
    range_a : str
        What the palace of the first side may be, like "pairs, two hearts: 0.5, A*".
    range_b : str
        The same of the second.
    showdown : bool
        Compare two to ten players as in a showdown (R33).
    ranges : list
        At a showdown: what the palace of a player, counted from 0, may be, like "1=pairs, A*"; may be given again.
    samples : int
        Sample so many; if left out, a battle is exact, and a showdown where that is quick.
    seed : int
        Key of the samples.
    json : str
        Write the odds to this file; - for standard output.
    """
    made_rules = rules_of(rules)
    check_target("--json", json)
    said: dict[str, Any] = {"sides": sides, "dead": dead, "rules": made_rules.changed()}
    if showdown:
        if range_a is not None or range_b is not None:
            raise ValueError("--range-a and --range-b belong to a battle; at a showdown pass --range 0=TEXT")
        say_if_cold()
        some = SHOWDOWN_SAMPLES if samples is None else samples
        method = "auto" if samples is None else "sample"
        table = ps.showdown_odds(sides, dead, made_rules, read_ranges(ranges, made_rules), method, some, seed)
        sampled = not table["exact"].all()
        said["players"], text = records(table), showdown_text(table)
    else:
        if len(sides) != 2:
            raise ValueError(f"odds takes two sides, got {len(sides)}; for more players pass --showdown")
        if ranges:
            raise ValueError("--range belongs to a showdown; in a battle pass --range-a or --range-b")
        say_if_cold()
        how: dict[str, Any] = {} if samples is None else {"method": "sample", "samples": samples, "seed": seed}
        found = ps.battle_odds(sides[0], sides[1], dead, made_rules, range_a=range_a, range_b=range_b, **how)
        sampled = not found.exact
        said |= {"range_a": range_a, "range_b": range_b}
        said |= {key: plain(value) for key, value in dataclasses.asdict(found).items()}
        text = f"{sides[0]} against {sides[1]}\n{odds_text(found)}"
    if sampled:
        said["seed"] = seed
    write(json, as_json(said))
    if json != "-":
        print(f"{stakes(made_rules, seed if sampled else None)}\n\n{text}")


@app.command
def odds_table(
    kind: Kind,
    *,
    samples: Whole = 100_000,
    seed: Whole = 0,
    workers: PerhapsWhole = None,
    csv: Target = None,
    png: str | None = None,
    rules: GameRules = None,
) -> None:
    """Show a table of chances: by banners, by soldiers, by usable cards, or the price of an attack.

    Parameters
    ----------
    kind : str
        Which table. That by banners is exact; the others are sampled.
    samples : int
        Battles for each pair of numbers of soldiers.
    seed : int
        The same seed gives the same table.
    workers : int
        Threads; all cores if left out.
    csv : str
        Write the table to this file; - for standard output.
    png : str
        Draw it into this file.
    """
    made_rules = rules_of(rules)
    check_target("--csv", csv)
    check_png(png)
    say_if_cold()
    if kind == "banners":
        table = ps.odds_by_banners(made_rules)
    else:
        make = {"soldiers": ps.odds_by_soldiers, "usable": ps.odds_by_usable, "price": ps.odds_by_price}[kind]
        table = make(samples, seed, made_rules, workers)
    write(csv, table.to_csv(index=kind == "banners"))
    if png is not None:
        draw = ps.plots.price_chance if kind == "price" else ps.plots.odds_heatmap
        draw(table).figure.savefig(png, format="png")
    if csv != "-":
        sampled = None if kind == "banners" else seed
        print(f"{stakes(made_rules, sampled)}\n\n{_table_text(kind, table)}")


def _table_text(kind: str, table: pd.DataFrame) -> str:
    """Write one of the tables, and what its numbers are."""
    if kind == "banners":
        what = f"Equity in %, exact, over {table.attrs['n']:,} deals each; columns: the foe's banner, of another suit"
        return f"{equities_text(table, 'own')}\n{what}"
    half = (table["ci_high"] - table["ci_low"]) / 2
    least, most = int(table["n"].min()), int(table["n"].max())
    n = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    said = f"{n} battles each; 95 % intervals up to ± {100 * half.max():.1f} %"
    if kind == "price":
        pots = (
            "Pots in chips from which on it is no loss, between the last two: for a call, the foe's bet in it, and for"
        )
        return f"{prices_text(table)}\n{said}\n" + wrap(f"{pots} an attack that will be called.")
    square = table.pivot(index=f"own_{kind}", columns=f"foe_{kind}", values="equity")
    names = {"soldiers": "soldiers", "usable": "usable cards (R24)"}[kind]
    return f"{equities_text(square, 'own')}\nEquity in %, by {names}; columns: the foe's\n{said}"


@app.command
def advise(
    players: Sides,
    *,
    to_act: Whole,
    dealer: Whole,
    pot: Whole,
    policies: str,
    paid: str | None = None,
    passed: Whole = 0,
    discards: str = "",
    moves: str = "",
    ranges: Ranges = None,
    samples: Whole = 10_000,
    half_width: float | None = None,
    seed: Whole = 1,
    workers: PerhapsWhole = None,
    progress: bool | None = None,
    json: Target = None,
    rules: GameRules = None,
) -> None:
    """Tell what each move is worth to the player to act, in a position in the middle of a hand.

    Parameters
    ----------
    players : list
        One a seat: banner/palace/soldiers like As/KsKd9c/5s or 2h/?/TdTc, and - for a seat that is out.
    to_act : int
        Seat that has the turn; seats count from 0.
    dealer : int
        Seat of the dealer.
    pot : int
        Chips in the pot.
    policies : str
        Who plays on, seat by seat, like "tight(aggression=0.3),buyer,my.py:bold"; a single one for all.
    paid : str
        Chips that each seat has paid into the pot, like 20,20,20; equal parts if left out.
    passed : int
        How many players have stayed or discarded since the last buy or attack (R32).
    discards : str
        The discard pile; ? for each hidden card of players who are out.
    moves : str
        Moves made since, like "attack 1; raise 20".
    ranges : list
        What a seat's palace may be, like "1=pairs, A*"; may be given again.
    samples : int
        Rollouts of each move; with --half-width the most.
    half_width : float
        Stop as soon as every interval reaches no further than so many chips to each side.
    seed : int
        The same seed gives the same values.
    workers : int
        Threads; all cores if left out.
    progress : bool
        Show a progress bar; if left out, on a terminal in long runs.
    json : str
        Write the values to this file; - for standard output.
    """
    made_rules = rules_of(rules)
    check_target("--json", json)
    hand = ps.Hand.from_position(
        made_rules,
        [None if player == "-" else player for player in players],
        to_act,
        dealer,
        pot,
        None if paid is None else _chips(paid),
        passed,
        discards,
    )
    for words in (move.split() for move in moves.split(";") if move.strip()):
        _make_move(hand, words)
    _check_to_act(hand, players)
    seated = line_up(re.split(r",(?![^()]*\))", policies), None)  # not at commas within parentheses
    if len(seated) == 1:
        seated *= len(players)
    read = read_ranges(ranges, made_rules)
    say_if_cold()
    how: dict[str, Any] = {"half_width": half_width, "workers": workers, "progress": progress}
    table = ps.decision_values(hand, seated, samples, seed, read, **how)
    said = {
        "players": players,
        "seat": hand.to_act,
        "phase": hand.phase,
        "pot": hand.pot,
        "moves": moves,
        "policies": [policy.name for policy in seated],
        "ranges": list(ranges or []),
        "rules": made_rules.changed(),
        "seed": seed,
        "values": records(table),
    }
    write(json, as_json(said))
    if json != "-":
        print(f"{_position_text(hand, seated)}\n{stakes(made_rules, seed)}\n\n{decisions_text(table)}\n{_note(table)}")


def _chips(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--paid takes chips with commas between them, like 20,20,20, got {text!r}") from None


def _make_move(hand: ps.Hand, words: list[str]) -> None:
    """Make a move given in words, like "attack 1" or "raise 40"."""
    verb, given = words[0].lower(), [word for word in words[1:] if word.lower() != "for"]
    said = f"--moves: {' '.join(words)!r}"
    if verb not in VERBS:
        raise ValueError(f"{said} is no move{near(verb, VERBS)}")
    if verb in ("buy", "call"):  # what comes then would be made up
        raise ValueError(f"{said} depends on hidden cards; describe the position after it")
    if verb in ("discard", "keep"):
        cards = " ".join(given)
        getattr(hand, verb)("" if cards.lower() == "nothing" else cards)
        return
    if not all(word.isdecimal() for word in given) or len(given) not in {"attack": (1, 2), "raise": (0, 1)}.get(
        verb, (0,)
    ):
        raise ValueError(f"{said}: a move is like 'attack 1', 'attack 1 40', 'raise', 'raise 20', 'stay' or 'fold'")
    getattr(hand, "raise_" if verb == "raise" else verb)(*map(int, given))


def _check_to_act(hand: ps.Hand, players: Sequence[str]) -> None:
    """Refuse a position whose advice would rest on cards that were drawn."""
    from palace_sim.hand.positions import parse_player

    seat = hand.to_act
    if seat is None:
        raise ValueError("the hand is over: nobody is to act")
    known = parse_player(players[seat], hand.rules.palace_cards, f"players[{seat}]")[1]
    if len(known) < hand.rules.palace_cards:
        raise ValueError(f"seat {seat} is to act and knows its palace: give its {hand.rules.palace_cards} cards")


def _position_text(hand: ps.Hand, seated: Sequence[ps.Policy]) -> str:
    asked = {"turn": "has the turn", "respond": "is attacked or raised", "keep": "chooses its soldiers"}[hand.phase]
    price = f", price {hand.price}" if hand.price is not None else ""
    names = ", ".join(policy.name for policy in seated)
    return wrap(f"seat {hand.to_act} {asked}; pot {hand.pot}{price}; played on by {names}")


def _note(table: pd.DataFrame) -> str:
    n = int(table["n"].iloc[0])
    said = f"Net chips from here on, {n:,} rollouts of each move. Less best: paired with the first row."
    if "pot_odds" in table and table["pot_odds"].notna().any():
        said += " Pot odds: a call's cost by the pot with it. Break-even, exact: between the last two."
    return wrap(said)
