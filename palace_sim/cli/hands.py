"""The commands `hand` and `rank`."""

from __future__ import annotations

import itertools

import palace_sim as ps
from palace_sim.arguments import whole
from palace_sim.cli.app import (
    GameRules,
    MoreWords,
    PerhapsWhole,
    Target,
    Whole,
    Words,
    app,
    check_target,
    line_up,
    rules_of,
    say_if_cold,
    stakes,
    write,
)
from palace_sim.printing import columns, wrap

TELLING = ("buyer", "maniac", "pot_odds", "random")  # who plays a hand that is told, if nothing is said


@app.command
def hand(
    policies: Words | None = None,
    *,
    policy: MoreWords = None,
    seats: PerhapsWhole = None,
    seed: Whole = 1,
    deal: Whole = 0,
    seat: PerhapsWhole = None,
    html: Target = None,
    rules: GameRules = None,
) -> None:
    """Tell one hand, move by move, with the pot after each.

    Parameters
    ----------
    policies : list
        Who plays, seat by seat, named as for tournament; built-in ones if left out.
    policy : list
        One more policy besides those; may be given again.
    seats : int
        Players at the table where no policies are given; 4 if left out.
    seed : int
        Seed of the deals.
    deal : int
        Number of the deal.
    seat : int
        Tell only what this seat saw; all cards if left out.
    html : str
        Write a page to this file that steps through the hand; - for standard output, without the text.
    """
    check_target("--html", html)
    seated, made_rules = line_up(policies, policy), rules_of(rules)
    if seated and seats not in (None, len(seated)):
        raise ValueError(f"--seats {seats} with {len(seated)} policies: leave one of them out")
    if not seated:
        cycle = itertools.cycle(TELLING)
        seated = [ps.policies.get(next(cycle)) for _ in range(made_rules.check_seats(4 if seats is None else seats))]
    whole("deal", deal, 0, 1_000_000_000)
    if seat is not None:
        whole("seat", seat, 0, len(seated) - 1, "a seat")
    say_if_cold()
    result = ps.play(seated, made_rules, deals=deal + 1, seed=seed, rotate=False, rows=False)
    told = ps.replay(result, deal=deal)
    names = [made.name for made in seated]
    steps = told.steps(seat, names)
    if html is not None:
        write(html, steps.html())
    if html == "-":
        return
    view = "" if seat is None else f", as seat {seat} saw it"
    print(wrap(f"deal {deal}, {stakes(result.plan.rules, result.plan.seed)}{view}") + "\n")
    print("\n".join(wrap(f"seat {k} is {name}") for k, name in enumerate(names)) + "\n")
    print(steps)
    print(wrap("net: " + ", ".join(f"{name} {net:+d}" for name, net in zip(names, told.nets, strict=True))))


@app.command
def rank(*hands: str) -> None:
    """Rank hands of 0 to 10 cards, best first; higher is better.

    Parameters
    ----------
    hands : list
        Each hand in quotes, like "As Kd 9c".
    """
    if not hands:
        raise ValueError('rank takes hands, each in quotes, like "As Kd 9c"')
    ranked = sorted(((ps.hand_rank(cards), cards) for cards in hands), reverse=True)
    print(columns([[str(r), ps.hand_category(r), cards] for r, cards in ranked], left=(1, 2)))
