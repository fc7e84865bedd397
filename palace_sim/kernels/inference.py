"""How likely the moves of a player are for every palace that it may hold: what a posterior is made of.

Where no chance is at work, a palace is asked about once (`surely`). Elsewhere particles go through the moves together:
the share of those that make the move is its chance, and those that did not are replaced by copies of those that did,
by systematic resampling, so that the product of the shares is an unbiased estimate of the chance of all moves
(Del Moral, "Feynman-Kac Formulae", 2004, theorem 7.4.2). A particle is a policy's memory and stream, and the palaces
that the player has learnt (R28) and the observer has not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from palace_sim.kernels.act import amount_of, attack, keep, raise_, target_of, verb_of
from palace_sim.kernels.engine import OK, fault
from palace_sim.kernels.jit import call_policy, inlined, kernel, lowest_bit, popcount
from palace_sim.kernels.keeping import instead, keep_best
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.rng import SAMPLING, below, open_stream, uniform
from palace_sim.kernels.settle import usable, worth
from palace_sim.kernels.state import ATTACK, KEEP, MEMO, RAISE, STATE, _record
from palace_sim.kernels.view import LASTING, VIEW, fill_view, reset_view
from palace_sim.rules import MAX_SEATS

UNSURE = -1.0  # a chance that particles are to find
CHOICES, WORLDS, RESAMPLING = 1 << 40, 1 << 41, 1 << 42  # salts of the particles' streams, apart from all other uses
SURE, LOSER, REDRAWN = 0, 1, 2  # what a particle draws: nothing, one beaten palace, all that the observer cannot know

# A decision of the player: what stood before it, the move made, and whether its view shows what nobody else knows.
STEP = _record(("state", STATE), "code", "blind")
# The model: its code, whether it is asked which soldiers to keep, whether it states chances, what a view begins with.
MODEL = _record("address", "ask", "stating", ("lasting", LASTING))
# A called battle that the player won against a foe: the cards that lay face up then.
FOUGHT = _record("foe", "face", "banner", "foe_face", "foe_banner")
PARTICLE = _record(("memo", np.int64, (MEMO,)), ("stream", np.int64, (4,)), ("palace", np.int64, (MAX_SEATS,)))
# The question: whose palace, what particles draw (`loser`: that seat's), whose knowledge `redraw` is to keep in `now`,
# seats whose palace comes from the particle; room to work in; the answer of a model that failed.
CASE = _record(
    "seat",
    "draws",
    "loser",
    "knower",
    "hidden",
    "seed",
    "answer",
    ("now", STATE),
    ("shown", VIEW),
    ("stream", np.int64, (4,)),
)


@inlined
def least_form(state: Any, code: int) -> int:
    """Return a legal code with amount 0 where it names the least: one code for each move."""
    verb = verb_of(code)
    if verb == ATTACK and amount_of(code) == state.price:
        return attack(target_of(code))
    if verb == RAISE and amount_of(code) == state.min_raise:
        return raise_()
    return code


@kernel
def plain_form(state: Any, code: int) -> int:
    """Return what `least_form` does, for Python."""
    return least_form(state, code)


@inlined
def chance_of(case: Any, model: Any, step: Any) -> float:
    """Chance of the move of a step by the model, whose seat has its palace in the state; below 0 where it failed."""
    state, seat = step.state, case.seat
    if state.phase == KEEP and model.ask == 0:
        return 1.0 if keep(keep_best(state, seat)) == step.code else 0.0
    view = case.shown
    fill_view(view, state, seat)
    if model.stating:
        view.stream[0], view.stream[1] = step.code, 0
        case.answer = call_policy(model.address, view)
        if case.answer != 1:
            return UNSURE
        return math.ldexp(float(view.stream[2]), int(view.stream[3]) - 53)
    code = call_policy(model.address, view)
    case.answer = code
    if code == 0:
        return UNSURE
    if fault(state, code) != OK:
        code = instead(state, seat)
    return 1.0 if least_form(state, code) == step.code else 0.0


@inlined
def same_stream(a: Any, b: Any) -> bool:
    """Whether two streams are at the same point."""
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2] and a[3] == b[3]


@kernel
def surely(case: Any, model: Any, steps: Any, palaces: Any, chances: Any) -> int:
    """Write the chance of all moves for each palace, or UNSURE where it is a matter of chance.

    Returns how many palaces were done: fewer than all where the model failed on the next.
    """
    view = case.shown
    for i in range(len(palaces)):
        reset_view(view, model.lasting)
        chance = 1.0
        for t in range(len(steps)):
            step = steps[t]
            if step.blind:
                chance = UNSURE
                break
            step.state.palace[case.seat] = palaces[i]
            told = chance_of(case, model, step)
            if told < 0.0:
                return i
            if model.stating == 0 and not same_stream(view.stream, model.lasting.stream):
                chance = UNSURE
                break
            chance *= told
            if chance == 0.0:
                break
        chances[i] = chance
    return len(palaces)


# --- particles --------------------------------------------------------------------------------------------------------


@kernel
def beats_all(fought: Any, palace: int, palaces: Any, blocked: int) -> float:
    """1 where a palace wins all its called battles against these palaces, else 0 (R24, R25)."""
    for i in range(len(fought)):
        row = fought[i]
        own = worth(usable(row.face | palace, row.foe_banner, blocked), row.banner)
        if own <= worth(usable(row.foe_face | palaces[row.foe], row.banner, blocked), row.foe_banner):
            return 0.0
    return 1.0


@kernel
def begin(case: Any, palace: int, losers: Any, most: int, fought: Any, particles: Any, weights: Any) -> None:
    """Begin all particles of a palace: streams by key, and the palaces that the player may have learnt.

    `losers` lists the palaces of the one who lost to the player, the first `most` of them those that this one beats.
    """
    now = case.now
    now.palace[case.seat] = palace
    for k in range(len(weights)):
        one = particles[k]
        one.memo[:] = 0
        weights[k] = 1.0
        open_stream(one.stream, case.seed, palace, SAMPLING, k, CHOICES)
        if case.draws == LOSER:
            open_stream(case.stream, case.seed, palace, SAMPLING, k, WORLDS)
            cards = palace
            while cards & palace:  # the caller has seen to it that one of them shares no card
                cards = losers[below(case.stream, most)]
            one.palace[case.loser] = cards
        elif case.draws == REDRAWN:
            open_stream(now.stream, case.seed, palace, SAMPLING, k, WORLDS)
            redraw(now, case.knower)
            for seat in range(now.seats):
                one.palace[seat] = now.palace[seat]
            weights[k] = beats_all(fought, palace, one.palace, now.rules.blocked)


@kernel
def advance(case: Any, model: Any, step: Any, palace: int, particles: Any, weights: Any) -> int:
    """Ask the model for every particle; return 1 where a stream was drawn from, 0 where none was, -1 if it failed."""
    view, drawn = case.shown, 0
    step.state.palace[case.seat] = palace
    for k in range(len(weights)):
        one = particles[k]
        hidden = case.hidden
        while hidden:
            seat = lowest_bit(hidden)
            step.state.palace[seat] = one.palace[seat]
            hidden &= hidden - 1
        reset_view(view, model.lasting)
        for i in range(MEMO):
            view.memo[i] = one.memo[i]
        for i in range(4):
            view.stream[i] = one.stream[i]
        weights[k] = chance_of(case, model, step)
        if weights[k] < 0.0:
            return -1
        if model.stating == 0 and not same_stream(view.stream, one.stream):
            drawn = 1
            for i in range(4):
                one.stream[i] = view.stream[i]
        for i in range(MEMO):
            one.memo[i] = view.memo[i]
    return drawn


@inlined
def relative_variance(weights: Any, mean: float, drawn: int) -> float:
    """Variance of the mean of weights from 0 to 1, beside the square of the mean; 0 where nothing was left to chance.

    One more success and one more failure are counted in (Laplace), so that no share of a sample claims to be certain.
    """
    n = len(weights)
    total, squares, low, high = 1.0, 1.0, 1.0, 0.0
    for k in range(n):
        total += weights[k]
        squares += weights[k] * weights[k]
        low, high = min(low, weights[k]), max(high, weights[k])
    if low == high and drawn == 0:
        return 0.0
    middle = total / (n + 2)
    return (squares / (n + 2) - middle * middle) / (n + 2) / (mean * mean)


@kernel
def resample(case: Any, palace: int, step: int, particles: Any, spare: Any, weights: Any, mean: float) -> None:
    """Draw as many particles anew by their weights (systematic resampling); streams stay where they are."""
    n = len(weights)
    open_stream(case.stream, case.seed, palace, SAMPLING, step, RESAMPLING)
    point = uniform(case.stream) * mean
    source, reached = 0, weights[0]
    for k in range(n):
        while reached <= point and source < n - 1:
            source += 1
            reached += weights[source]
        spare[k].memo[:] = particles[source].memo
        spare[k].palace[:] = particles[source].palace
        point += mean
    for k in range(n):
        particles[k].memo[:] = spare[k].memo
        particles[k].palace[:] = spare[k].palace


@kernel
def shares(
    case: Any,
    model: Any,
    steps: Any,
    fought: Any,
    losers: Any,
    palaces: Any,
    most: Any,
    room: Any,
    chances: Any,
    variances: Any,
) -> int:
    """Write the sampled chance of all moves for each palace that is UNSURE, and its relative variance.

    Parameters
    ----------
    case, model : CASE and MODEL records
    steps : (T,) STEP records
        The player's decisions, in order.
    fought : (B,) FOUGHT records
        Its called battles against palaces that particles draw from all that the observer cannot know.
    losers : (q,) int64
        Palaces of the one who lost to it, the weakest first (for particles that draw this one).
    palaces : (m,) int64
        What the player may hold.
    most : (m,) int64
        How many of `losers` each of them beats.
    room : ((n,) PARTICLE records, the same, (n,) float64)
        The particles, room to resample, weights.
    chances, variances : (m,) float64
        What is written. Variances are of the chances, beside their squares.

    Returns
    -------
    int
        How many palaces were done: fewer than all where the model failed on the next.
    """
    particles, spare, weights = room
    for i in range(len(palaces)):
        if chances[i] != UNSURE:
            continue
        palace, chance, variance = palaces[i], 1.0, 0.0
        begin(case, palace, losers, most[i], fought, particles, weights)
        for t in range(-1, len(steps)):
            drawn = 0
            if t >= 0:
                drawn = advance(case, model, steps[t], palace, particles, weights)
                if drawn < 0:
                    return i
            mean = weights.sum() / len(weights)
            chance *= mean
            if chance == 0.0:
                break
            variance += relative_variance(weights, mean, drawn)
            if weights.min() < weights.max() and t + 1 < len(steps):
                resample(case, palace, t + 1, particles, spare, weights, mean)
        chances[i], variances[i] = chance, variance
    return len(palaces)


# --- called battles ---------------------------------------------------------------------------------------------------


@kernel
def worths(palaces: Any, face: int, banner: int, foe_banner: int, blocked: int, out: Any) -> None:
    """Write by what number each palace compares in a battle, with these face-up cards (R24, R25)."""
    for i in range(len(palaces)):
        out[i] = worth(usable(palaces[i] | face, foe_banner, blocked), banner)


@inlined
def add_subsets(table: Any, cards: int) -> None:
    """Count a palace under each of its subsets of up to two cards (64 stands for no card)."""
    table[64, 64] += 1
    while cards:
        one = lowest_bit(cards)
        table[one, 64] += 1
        cards &= cards - 1
        others = cards
        while others:
            table[one, lowest_bit(others)] += 1
            others &= others - 1


@inlined
def alternating(table: Any, cards: int) -> int:
    """Sum up the counts of the subsets of up to two cards, those of one card taken off."""
    total = table[64, 64]
    while cards:
        one = lowest_bit(cards)
        total -= table[one, 64]
        cards &= cards - 1
        others = cards
        while others:
            total += table[one, lowest_bit(others)]
            others &= others - 1
    return total


@kernel
def beaten(palaces: Any, order: Any, strength: Any, losers: Any, loser_strength: Any, most: Any, counts: Any) -> None:
    """Count for each palace the losers' palaces that it beats, and those of them that share no card with it.

    One sweep from the weakest palace to the strongest, with the losers passed so far counted by card and by pair of
    cards. One that shares k cards counts 1 - k + k(k-1)/2 in the alternating sum: 1 for k = 0, as it should, 0 for 1
    and 2, and 1 for 3, which is the same palace and is taken off.

    Parameters
    ----------
    palaces, strength : (m,) int64
        Palaces, ascending, and how they compare.
    order : (m,) int64
        Places of them by strength, the weakest first.
    losers, loser_strength : (q,) int64
        Palaces of the one who lost, the weakest first.
    most, counts : (m,) int64
        What is written: how many are beaten, whatever they share; and those that share no card.
    """
    table = np.zeros((65, 65), np.int64)
    same = np.zeros(len(palaces), np.int64)
    passed = 0
    for j in order:
        while passed < len(losers) and loser_strength[passed] < strength[j]:
            cards = losers[passed]
            add_subsets(table, cards)
            at = np.searchsorted(palaces, cards)
            if popcount(cards) == 3 and at < len(palaces) and palaces[at] == cards:
                same[at] = 1
            passed += 1
        most[j] = passed
        counts[j] = alternating(table, palaces[j]) - same[j]
