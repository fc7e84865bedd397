"""The compiled engine and the slow referee side by side: the same hand on both, everything compared."""

import functools
import operator
import random

import numba
import numpy as np
from reference.dealing import Reshuffler, deal
from reference.evaluator import DECK
from reference.players import LASTING, random_move, random_rules
from reference.referee import Referee
from reference.table import PAID

from palace_sim.kernels import act
from palace_sim.kernels.deal import deal_cards, draw_dealer, lay_out
from palace_sim.kernels.engine import apply, fault, start
from palace_sim.kernels.knowledge import gone_for, seen_by
from palace_sim.kernels.state import (
    BEATEN,
    ENDS,
    FOLDED,
    FOLDED_IN_BATTLE,
    IN,
    LOST,
    SPLIT,
    STATE,
    TIED_OUT,
    VERBS,
    WON,
    deck_set,
    rules_record,
)
from palace_sim.rules import Rules

SEED = 20_231
PHASE = {"turn": 1, "respond": 2, "keep": 3, "over": 4}
BIT = {word: 1 << (16 * "cdhs".index(word[1]) + "23456789TJQKA".index(word[0])) for word in DECK}
ID = {word: i for i, word in enumerate(DECK)}
VERB = {name: verb for verb, name in VERBS.items()}


def at(*path):
    """Index of a field in the record read as a flat list of int64."""
    dtype, offset = STATE, 0
    for step in path:
        if isinstance(step, int):
            dtype = dtype.subdtype[0]
            offset += step * dtype.itemsize
        else:
            dtype, where = dtype.fields[step][:2]
            offset += where
    return offset // 8


SINGLE = {
    name: at(name)
    for name in (
        "phase to_act pot legal targets price min_raise max_raise turns truncated passed draw_size discard_size "
        "reshuffles discards battles end out"
    ).split()
}
PILE = at("pile")
PLAYER = ("active", "soldiers", "paid", "buys", "attacks", "defences")
TALLY = ("won", *PAID, "battles_won", "battles_lost", "battles_folded", "turns")
BY_SEAT = [[*(at("players", s, f) for f in PLAYER), *(at("tally", s, f) for f in TALLY)] for s in range(10)]
CHIPS = [at("players", s, "chips") for s in range(10)]
PALACE = [at("palace", s) for s in range(10)]
BANNER = [at("players", s, "banner") for s in range(10)]
OUTCOME = [at("tally", s, "outcome") for s in range(10)]
BATTLE = {name: at("battle", name) for name in STATE.fields["battle"][0].names}


class Trusted(Referee):
    """The referee without its own checks of cards and chips: `compare` makes them on the record."""

    def _check(self):
        pass


@numba.njit
def show(state, flat, shown, shown_flat, known):
    """Copy the record and lay out the copy's pile; write down what each seat knows."""
    shown_flat[:] = flat
    lay_out(shown)
    for seat in range(state.seats):
        known[seat, 0] = seen_by(state, seat)
        known[seat, 1] = gone_for(state, seat)


@numba.njit
def step(code, state, flat, shown, shown_flat, known):
    bad = fault(state, code)
    if bad == 0:
        apply(state, code)
        show(state, flat, shown, shown_flat, known)
    return bad


def bits(words):
    return sum(map(BIT.__getitem__, words))


def seat_bits(seats):
    return sum([1 << seat for seat in seats])


def code_of(move):
    """Action code of a move as the referee takes it."""
    name, *arguments = move
    if name in ("discard", "keep"):
        return getattr(act, name)(bits(*arguments))
    return getattr(act, name)(*arguments)


def wanted_singles(hand):
    """What the public fields must be, by the referee."""
    phase, least = hand.phase, hand.min_raise
    if least is None:
        most = 0
    else:
        most = least if hand.rules["structure"] == "limit" else hand.chips[hand.to_act] - hand.price
    return {
        "phase": PHASE[phase],
        "to_act": -1 if phase == "over" else hand.to_act,
        "pot": hand.pot,
        "legal": sum([1 << VERB[verb] for verb in hand.legal()]),
        "targets": seat_bits(hand.targets),
        "price": hand.price or 0,
        "min_raise": least or 0,
        "max_raise": most,
        "turns": hand.turns,
        "truncated": hand.truncated,
        "passed": seat_bits([s for s in hand._passed if hand.active[s]]),
        "draw_size": len(hand.draw_pile),
        "discard_size": len(hand.discard_pile),
        "reshuffles": hand.reshuffles,
        "discards": bits(hand.discard_pile),
        "battles": len(hand.battles),
        "out": hand.seats - sum(hand.active),
    }


def compare(hand, flat, known):
    """Compare the whole state; `flat` is the record as integers, `known` what each seat knows."""
    for name, value in wanted_singles(hand).items():
        assert flat[SINGLE[name]] == value, (name, flat[SINGLE[name]], value)
    assert flat[PILE : PILE + len(hand.draw_pile)][::-1] == [ID[word] for word in hand.draw_pile]
    running = hand._turn_of if hand.phase in ("respond", "keep") else None  # its turn is counted from its start
    sets = [flat[SINGLE["discards"]], *[BIT[DECK[i]] for i in flat[PILE : PILE + len(hand.draw_pile)]]]
    chips = 0
    for seat in range(hand.seats):
        tally = hand.tallies[seat]
        wanted = [hand.active[seat], bits(hand.soldiers[seat]), hand.paid[seat]]
        wanted += [tally["buys"], tally["attacks"], tally["defences"], tally["won"], *[tally[name] for name in PAID]]
        wanted += [tally["battles_won"], tally["battles_lost"], tally["battles_folded"]]
        wanted.append(tally["turns"] + (seat == running))
        got = [flat[i] for i in BY_SEAT[seat]]
        assert got == wanted, (seat, PLAYER + TALLY, got, wanted)
        assert known[seat] == [bits(hand.seen(seat)), bits(hand.gone(seat))], seat
        chips += flat[CHIPS[seat]]
        if hand.active[seat]:
            sets += [flat[PALACE[seat]], got[1], BIT[DECK[flat[BANNER[seat]]]]]
    if hand.chips is not None:
        assert [flat[i] for i in CHIPS[: hand.seats]] == hand.chips
        assert chips + hand.pot == hand.seats * hand.rules["stack"]
    assert functools.reduce(operator.or_, sets) == bits(hand._all_cards)
    assert sum(map(int.bit_count, sets)) == len(hand._all_cards)


def compare_battle(hand, flat):
    row = hand.battles[-1]
    wanted = {**row, "folded": row["end"] == "fold"}
    del wanted["end"]
    assert {name: flat[i] for name, i in BATTLE.items()} == wanted


def end_of(hand):
    """How the hand ended, as the tables call it."""
    left = [s for s in range(hand.seats) if hand.active[s]]
    if len(left) == 1:
        return "one left"
    if len(left) <= 3 and len({hand.banners[s][1] for s in left}) == 1:
        return "one suit"
    if hand.truncated:
        return "truncated"
    if hand._battle is not None and hand.battles[-1]["winner"] == -1:
        return "tie"
    return "battle" if len(left) == 2 and hand.rules["last_two"] == "battle" else "showdown"


def compare_end(hand, flat, outcomes):
    assert ENDS[flat[SINGLE["end"]]] == end_of(hand)
    sharers = [s for s in range(hand.seats) if hand.won[s]]
    if sharers:  # else nobody paid a chip, and the referee does not tell who would have won
        for seat in range(hand.seats):
            if hand.active[seat]:
                outcomes[seat] = LOST if seat not in sharers else WON if len(sharers) == 1 else SPLIT
        assert [flat[i] for i in OUTCOME[: hand.seats]] == outcomes


def deal_both(rules, seats, seed, number, referee=Referee):
    """The same deal twice: by the kernels and by the referee."""
    states = np.zeros(1, STATE)
    state = states[0]
    options = Rules(**rules)
    state.rules = rules_record(options)
    state.seats, state.seed, state.deal, state.deck = seats, seed, number, deck_set(options)
    dealer, banners, palaces, draw_pile = deal(rules, seats, seed, number)
    state.dealer = draw_dealer(state)
    assert state.dealer == dealer
    deal_cards(state)
    numbers = states.view(np.int64).tolist()
    assert [numbers[i] for i in BANNER[:seats]] == [ID[word] for word in banners]
    assert [numbers[i] for i in PALACE[:seats]] == [bits(palace) for palace in palaces]
    start(state)
    return states, referee(rules, banners, palaces, draw_pile, dealer, Reshuffler(seed, number))


def went_out(move, phase, hand):
    """Outcome of a player whom this move put out."""
    if move[0] == "fold":
        return FOLDED if phase == "turn" else FOLDED_IN_BATTLE
    return TIED_OUT if hand.battles[-1]["winner"] == -1 else BEATEN


def alike_rules(rng):
    """Random rules with few ranks and one palace card each, so that hands are often equal (R26)."""
    rules, seats = random_rules(rng)
    ranks = rng.sample("23456789TJQKA", (seats + 1) // 2 + rng.randint(0, 1))
    return {**rules, "palace_cards": 1, "deck": [card for card in DECK if card[0] in ranks]}, seats


FIGHTING = {**LASTING, "turn": {"buy": 1, "stay": 1, "discard": 1, "attack": 8, "fold": 0.1}}


def play_beside(number, draw_rules=random_rules, weights=LASTING):
    """Play one random hand on both; return how many moves, reshuffles and ties it had."""
    rng = random.Random(SEED + number)
    rules, seats = draw_rules(rng)
    states, hand = deal_both(rules, seats, SEED, number, Trusted if number % 10 else Referee)
    shown, known = np.zeros(1, STATE), np.zeros((10, 2), np.int64)
    flat = shown.view(np.int64)
    room = states[0], states.view(np.int64), shown[0], flat, known
    outcomes, moves = [IN] * seats, 0
    show(*room)
    compare(hand, flat.tolist(), known.tolist())
    while hand.phase != "over":
        move = random_move(hand, rng, weights)
        phase, fought, before = hand.phase, len(hand.battles), hand.active.copy()
        getattr(hand, move[0])(*move[1:])
        assert step(code_of(move), *room) == 0, move
        numbers = flat.tolist()
        compare(hand, numbers, known.tolist())
        if len(hand.battles) > fought:
            compare_battle(hand, numbers)
        for seat in range(seats):
            if before[seat] and not hand.active[seat]:
                outcomes[seat] = went_out(move, phase, hand)
        moves += 1
    compare_end(hand, flat.tolist(), outcomes)
    return moves, hand.reshuffles, sum(battle["winner"] == -1 for battle in hand.battles)


def play_many(numbers, *how):
    totals = np.zeros(3, int)
    for number in numbers:
        try:
            totals += play_beside(number, *how)
        except AssertionError as error:
            raise AssertionError(f"hand {number}: {error}") from error
    return tuple(totals.tolist())
