"""What `general` does, piece by piece: its parameters and the compiled functions that read them."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.settle import usable as usable_cards
from palace_sim.kernels.state import KEEP, RESPOND

# name: (default, low, high), in the order of the indices below
PARAMETERS = {
    "attack_edge_two": (-2.0, -2.0, 3.0),
    "attack_edge_more": (1.0, -2.0, 3.0),
    "prey_edge": (3.0, -2.0, 3.0),
    "attack_base_two": (0.0, -1.0, 1.0),
    "attack_base_more": (0.0, -1.0, 1.0),
    "attack_price": (1.0, 0.0, 3.0),
    "attack_pot": (1.0, 0.0, 2.0),
    "attack_passed": (0.0, -0.5, 0.5),
    "bet": (1.0, 0.0, 1.0),
    "bluff_two": (0.1, 0.0, 1.0),
    "bluff_more": (0.0, 0.0, 1.0),
    "bluff_below": (0.5, 0.0, 1.0),
    "press_two": (0.0, 0.0, 1.0),
    "press_more": (0.0, 0.0, 1.0),
    "call_edge_two": (-2.0, -2.0, 3.0),
    "call_edge_more": (0.0, -2.0, 3.0),
    "call_base_two": (0.0, -1.0, 1.0),
    "call_base_more": (0.0, -1.0, 1.0),
    "call_price": (1.0, 0.0, 3.0),
    "call_raised": (0.0, -0.3, 0.3),
    "raise_edge": (0.0, -2.0, 3.0),
    "raise_base_two": (0.7, -1.0, 1.0),
    "raise_base_more": (0.8, -1.0, 1.0),
    "raise_raised": (0.05, -0.3, 0.3),
    "raise_rate": (1.0, 0.0, 1.0),
    "bluff_raise": (0.0, 0.0, 1.0),
    "army": (5.0, 0.0, 5.0),
    "buys": (20.0, 0.0, 40.0),
    "share_two": (0.25, 0.0, 1.0),
    "share_more": (0.25, 0.0, 1.0),
    "buy_below": (1.0, 0.0, 1.0),
    "prey_shown": (1.0, -1.0, 1.0),
    "prey_army": (0.0, -1.0, 1.0),
    "prey_blocked": (0.0, -1.0, 1.0),
    "stray": (0.0, 0.0, 1.0),
    "choosy": (0.0, 0.0, 1.0),
    "loyalty": (0.0, 0.0, 1.0),
    "shed": (1.0, 0.0, 1.0),
}
(
    ATTACK_EDGE_TWO,
    ATTACK_EDGE_MORE,
    PREY_EDGE,
    ATTACK_BASE_TWO,
    ATTACK_BASE_MORE,
    ATTACK_PRICE,
    ATTACK_POT,
    ATTACK_PASSED,
    BET,
    BLUFF_TWO,
    BLUFF_MORE,
    BLUFF_BELOW,
    PRESS_TWO,
    PRESS_MORE,
    CALL_EDGE_TWO,
    CALL_EDGE_MORE,
    CALL_BASE_TWO,
    CALL_BASE_MORE,
    CALL_PRICE,
    CALL_RAISED,
    RAISE_EDGE,
    RAISE_BASE_TWO,
    RAISE_BASE_MORE,
    RAISE_RAISED,
    RAISE_RATE,
    BLUFF_RAISE,
    ARMY,
    BUYS,
    SHARE_TWO,
    SHARE_MORE,
    BUY_BELOW,
    PREY_SHOWN,
    PREY_ARMY,
    PREY_BLOCKED,
    STRAY,
    CHOOSY,
    LOYALTY,
    SHED,
) = range(len(PARAMETERS))

OPEN_EDGE = -2.0  # an edge that every hand has, by agreement: a lead can be as low as -8
OPEN, CLOSED = -1.0, 1.0  # bases of a chance that every hand has, and none; then nothing is sampled


def edge(view: Any, foe: int) -> float:
    """Categories by which the own usable hand is above what a foe shows (R24), with half a one for a better rank."""
    own, shown = see.strength(view, foe), see.visible(view, foe)
    lead = see.category(own) - see.category(shown)
    return 0.5 if lead == 0 and own > shown else float(lead)


def has_edge(view: Any, foe: int, wanted: float) -> bool:
    """Whether the own hand leads a foe's by an edge."""
    return wanted <= OPEN_EDGE or edge(view, foe) >= wanted


def attack_edge(view: Any, foe: int) -> float:
    """Edge that an attack on a foe takes: less where the own banner blocks a card of it."""
    p = view.params
    wanted = p[ATTACK_EDGE_TWO] if see.last_two(view) else p[ATTACK_EDGE_MORE]
    prey = p[PREY_EDGE] < wanted and see.count(see.blocked(view, foe)) > 0
    return p[PREY_EDGE] if prey else wanted


def choose_foe(view: Any) -> int:
    """Foe to think of attacking; -1 for none."""
    p = view.params
    if p[STRAY] > 0 and view.targets != 0 and (p[STRAY] >= 1 or see.uniform(view) < p[STRAY]):
        return see.pick(view, view.targets)
    best, best_score = -1, 0.0
    for step in range(1, view.seats):
        foe = (view.seat + step) % view.seats
        if view.targets >> foe & 1 == 0:
            continue
        # among equal cards the smaller army, as `see.weakest` has it
        shown = see.visible(view, foe) / 1e4 + see.army(view, foe) / 1e6 if p[PREY_SHOWN] != 0 else 0.0
        blocked = see.count(see.blocked(view, foe)) if p[PREY_BLOCKED] != 0 else 0
        score = p[PREY_BLOCKED] * blocked - p[PREY_SHOWN] * shown - p[PREY_ARMY] * see.army(view, foe)
        if (best < 0 or score > best_score) and (p[CHOOSY] < 0.5 or has_edge(view, foe, attack_edge(view, foe))):
            best, best_score = foe, score
    return best


def pays_to_attack(view: Any, foe: int, chance: float, base: float) -> bool:
    """Whether an attack with this chance pays, by pot odds with margins (see `pot_odds`)."""
    p = view.params
    left = see.left(view)
    pot = view.pot + view.price + (see.army(view, foe) + 1) * view.rules.small_bet
    won = (chance - base) * pot / (left - 1)
    return won - p[ATTACK_PRICE] * view.price > p[ATTACK_POT] * (view.pot / left)


def turn(view: Any) -> int:
    """Attack, buy, stay, or stay by discarding what is dead weight."""
    p = view.params
    two = see.last_two(view)
    foe = choose_foe(view)
    chance = -1.0
    if foe >= 0:
        bluff = p[BLUFF_TWO] if two else p[BLUFF_MORE]
        if view.players[view.seat].attacks > 0:  # still in: it has won them all
            bluff += p[PRESS_TWO] if two else p[PRESS_MORE]
        if bluff > 0 and see.uniform(view) < bluff:
            if p[BLUFF_BELOW] < CLOSED:
                chance = see.chance(view, foe)
            if chance < p[BLUFF_BELOW]:
                return act.attack(foe)
        base = p[ATTACK_BASE_TWO] if two else p[ATTACK_BASE_MORE]
        if base < CLOSED and p[BET] > 0 and has_edge(view, foe, attack_edge(view, foe)):
            good = base <= OPEN
            if not good:
                if chance < 0:
                    chance = see.chance(view, foe)
                others = view.passed & view.playing & ~(1 << view.seat)
                base += p[ATTACK_PASSED] * (see.count(others) / (see.left(view) - 1))
                good = pays_to_attack(view, foe, chance, base)
            if good and (p[BET] >= 1 or see.uniform(view) < p[BET]):
                return act.attack(foe)
    if wants_to_buy(view, two):
        if foe >= 0 and p[BUY_BELOW] < CLOSED and chance < 0:
            chance = see.chance(view, foe)
        if foe < 0 or chance < p[BUY_BELOW] or p[BUY_BELOW] >= CLOSED:
            return act.buy()
    return pass_turn(view, two)


def wants_to_buy(view: Any, two: bool) -> bool:
    """Whether a soldier is cheap enough and there is room for it."""
    p = view.params
    if not see.can_buy(view) or see.army(view, view.seat) >= min(p[ARMY], view.rules.max_soldiers):
        return False
    share = p[SHARE_TWO] if two else p[SHARE_MORE]
    return view.players[view.seat].buys < p[BUYS] and view.rules.small_bet <= share * view.pot


def pass_turn(view: Any, two: bool) -> int:
    """Stay; between the last two discard soldiers that the foe's banner blocks, which only make a battle dearer."""
    if two and view.params[SHED] >= 0.5:
        soldiers = view.players[view.seat].soldiers
        for foe in range(view.seats):
            if view.playing >> foe & 1 and foe != view.seat:
                soldiers &= ~usable_cards(soldiers, view.players[foe].banner, view.rules.blocked)
        if soldiers != 0:
            return act.discard(soldiers)
    return act.stay()


def respond(view: Any) -> int:
    """Fold, call or raise."""
    p = view.params
    two = see.last_two(view)
    foe = view.foe
    chance = -1.0
    base = p[CALL_BASE_TWO] if two else p[CALL_BASE_MORE]
    good = base < CLOSED and has_edge(view, foe, p[CALL_EDGE_TWO] if two else p[CALL_EDGE_MORE])
    if good and base > OPEN:
        chance = see.chance(view, foe)
        price = see.cost(view)
        won = (chance - base - p[CALL_RAISED] * view.raises) * (view.pot + price) / (see.left(view) - 1)
        good = won >= p[CALL_PRICE] * price
    if not good:
        bluffs = two and p[BLUFF_RAISE] > 0 and see.can_raise(view) and see.uniform(view) < p[BLUFF_RAISE]
        return act.raise_() if bluffs else act.fold()
    base = p[RAISE_BASE_TWO] if two else p[RAISE_BASE_MORE]
    if p[RAISE_RATE] > 0 and base < CLOSED and see.can_raise(view) and has_edge(view, foe, p[RAISE_EDGE]):
        if base > OPEN:
            if chance < 0:
                chance = see.chance(view, foe)
            if chance < base + p[RAISE_RAISED] * view.raises:
                return act.call()
        if p[RAISE_RATE] >= 1 or see.uniform(view) < p[RAISE_RATE]:
            return act.raise_()
    return act.call()


def keep(view: Any) -> int:
    """Choose the soldiers to keep: all that fit, those that serve, or those of the own suit."""
    loyalty = view.params[LOYALTY]
    best = see.best_keep(view)
    if loyalty < 1 / 3:
        return act.keep(best)
    own = see.own_suit(view)
    if loyalty >= 2 / 3:
        kept = view.players[view.seat].soldiers & own
        return act.keep(kept if see.count(kept) <= view.rules.max_soldiers else best)
    kept, others = best, best & ~own
    fixed = see.own_cards(view) & ~view.players[view.seat].soldiers
    while others != 0:
        card = others & -others
        others ^= card
        if see.category(rank_set(fixed | kept & ~card)) == see.category(rank_set(fixed | kept)):
            kept &= ~card
    return act.keep(kept)


def decide(view: Any) -> int:
    """Choose what to do by the view's parameters."""
    if view.phase == KEEP:
        return keep(view)
    return respond(view) if view.phase == RESPOND else turn(view)
