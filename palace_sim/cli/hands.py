"""The commands `hand` and `rank`."""

from __future__ import annotations

import itertools

import palace_sim as ps
from palace_sim.arguments import whole
from palace_sim.cli.app import (
    GameRules,
    MoreWords,
    PerhapsWhole,
    Whole,
    Words,
    app,
    line_up,
    rules_of,
    say_if_cold,
    stakes,
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
    rules: GameRules = None,
) -> None:
    """Tell one hand, move by move.

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
    """
    seated, made_rules = line_up(policies, policy), rules_of(rules)
    if seated and seats not in (None, len(seated)):
        raise ValueError(f"--seats {seats} with {len(seated)} policies: leave one of them out")
    if not seated:
        names = itertools.cycle(TELLING)
        seated = [ps.policies.get(next(names)) for _ in range(made_rules.check_seats(4 if seats is None else seats))]
    whole("deal", deal, 0, 1_000_000_000)
    say_if_cold()
    result = ps.play(seated, made_rules, deals=deal + 1, seed=seed, rotate=False, rows=False)
    told = ps.replay(result, deal=deal)
    print(f"deal {deal}, {stakes(result.plan.rules, result.plan.seed)}\n")
    print("\n".join(f"seat {seat} is {made.name}" for seat, made in enumerate(seated)) + "\n")
    for event in told.history:
        print(wrap(str(event)))
    nets = zip(seated, told.nets, strict=True)
    print(wrap("net: " + ", ".join(f"{made.name} {net:+d}" for made, net in nets)))


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
