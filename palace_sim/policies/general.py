"""`general`: one family wide enough to search, with most of the built-in policies among its settings."""

from __future__ import annotations

from typing import Any

from palace_sim.kernels import act, see
from palace_sim.kernels.ranking import rank_set
from palace_sim.kernels.settle import usable as usable_cards
from palace_sim.kernels.state import KEEP, RESPOND
from palace_sim.policies.base import Policy, policy

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


@policy(params=PARAMETERS, keep="ask")
def general(view: Any) -> int:
    """Attack, call and raise by thresholds on the hand and its chance, bluff at given rates, buy by the pot.

    Made to be searched (`palace_sim.search`); most built-in policies are among its settings (`like`). On its turn it
    chooses a foe, then bluffs, or attacks with a hand that is good enough, or buys, or stays. A hand is good enough
    that has both an *edge*, the categories by which it is above what the foe shows (half a one for a better rank in
    the same category), and a *chance* to win, sampled from 32 palaces, which must pay by pot odds as in `pot_odds`,
    after a *base* is taken off it. An edge of -2 and a base of -1 ask for nothing, a base of 1 for what no hand has;
    then nothing is sampled, which is quicker. "Two" speaks of the last two players, "more" of three or more.

    Parameters
    ----------
    attack_edge_two : categories, -2 to 3
        Edge that an attack takes between the last two. Default -2.
    attack_edge_more : categories, -2 to 3
        The same with more players left. Default 1.
    prey_edge : categories, -2 to 3
        Edge that is enough against a foe of whom the own banner blocks a face-up card (R24). Default 3.
    attack_base_two : chance, -1 to 1
        Taken off the chance to win before an attack must pay, between the last two. Default 0.
    attack_base_more : chance, -1 to 1
        The same with more players left. Default 0.
    attack_price : chips by chips, 0 to 3
        Chips that an attack must bring for each chip of its price. Default 1.
    attack_pot : share, 0 to 2
        Equal shares of the pot as it is that an attack must bring on top. Default 1.
    attack_passed : chance, -0.5 to 0.5
        Added to the base of an attack once all others have passed, part of it where some have (R32). Default 0.
    bet : share, 0 to 1
        How often it attacks with a hand good enough. Default 1.
    bluff_two : share, 0 to 1
        How often it attacks with any hand, between the last two. Default 0.1.
    bluff_more : share, 0 to 1
        The same with more players left. Default 0.
    bluff_below : chance, 0 to 1
        It bluffs with hands of less chance only; 1 is any hand. Default 0.5.
    call_edge_two : categories, -2 to 3
        Edge that a call takes between the last two. Default -2.
    call_edge_more : categories, -2 to 3
        The same with more players left. Default 0.
    call_base_two : chance, -1 to 1
        Taken off the chance to win before a call must pay, between the last two. Default 0.
    call_base_more : chance, -1 to 1
        The same with more players left. Default 0.
    call_price : chips by chips, 0 to 3
        Chips that a call must bring for each chip of its price. Default 1.
    call_raised : chance, -0.3 to 0.3
        Added to the base of a call for each raise of the battle. Default 0.
    raise_edge : categories, -2 to 3
        Edge that a raise takes, beside what a call takes. Default 0.
    raise_base_two : chance, -1 to 1
        Chance to win that a raise takes, between the last two. Default 0.7.
    raise_base_more : chance, -1 to 1
        The same with more players left. Default 0.8.
    raise_raised : chance, -0.3 to 0.3
        Added to it for each raise of the battle. Default 0.05.
    raise_rate : share, 0 to 1
        How often it raises with a hand good enough. Default 1.
    bluff_raise : share, 0 to 1
        How often, between the last two, it raises with a hand that is not worth a call. Default 0.
    army : soldiers, 0 to 5
        Buys while it has fewer than this, or than `max_soldiers` allows. Default 5.
    buys : soldiers, 0 to 40
        Most soldiers that it buys in a hand. Default 20.
    share_two : share of the pot, 0 to 1
        Largest part of the pot that a soldier may cost, between the last two. Default 0.25.
    share_more : share of the pot, 0 to 1
        The same with more players left. Default 0.25.
    buy_below : chance, 0 to 1
        Buys with less chance against the chosen foe only; 1 is any hand. Default 1.
    prey_shown : weight, -1 to 1
        How much it prefers foes whose visible cards rank low: full range of ranks by 1. Default 1.
    prey_army : weight, -1 to 1
        How much it prefers foes with few soldiers: a soldier by 1. Default 0.
    prey_blocked : weight, -1 to 1
        How much it prefers foes of whom the own banner blocks cards: a card by 1. Default 0.
    stray : share, 0 to 1
        How often it takes a random foe instead. Default 0.
    choosy : switch, 0 to 1
        From 0.5 on it chooses among foes over whom it has the edge only. Default 0.
    loyalty : switch, 0 to 1
        Keeps the best soldiers that fit below 1/3; from there on those of the own suit and those that lift the hand's
        category; from 2/3 on only those of the own suit. Default 0.
    shed : switch, 0 to 1
        From 0.5 on it discards, where it would stay between the last two, soldiers that the foe blocks. Default 1.
    """
    if view.phase == KEEP:
        return keep(view)
    return respond(view) if view.phase == RESPOND else turn(view)


_EDGES = {  # thresholds on the edge alone
    "attack_edge_two": 1.0,
    "attack_edge_more": 2.0,
    "attack_base_two": OPEN,
    "attack_base_more": OPEN,
    "call_edge_two": 0.5,
    "call_edge_more": 1.0,
    "call_base_two": OPEN,
    "call_base_more": OPEN,
    "raise_edge": 2.0,
    "raise_base_two": OPEN,
    "raise_base_more": OPEN,
    "raise_rate": 0.0,
    "bluff_two": 0.0,
    "army": 0.0,
    "shed": 0.0,
}
_NEVER_CALLS = {"call_base_two": CLOSED, "call_base_more": CLOSED, "bluff_raise": 0.0}
_ALWAYS_CALLS = {"call_edge_two": OPEN_EDGE, "call_edge_more": OPEN_EDGE}

#: Values with which `general` plays as a built-in policy does with its own defaults.
SETTINGS: dict[str, dict[str, float]] = {
    "stay": _EDGES | _NEVER_CALLS | {"bet": 0.0},
    "calling_station": _EDGES | _ALWAYS_CALLS | {"bet": 0.0},
    "maniac": _EDGES
    | _ALWAYS_CALLS
    | {"attack_edge_two": OPEN_EDGE, "attack_edge_more": OPEN_EDGE, "stray": 1.0}
    | {"raise_edge": OPEN_EDGE, "raise_rate": 1.0},
    "tight": _EDGES | {"bet": 0.8, "raise_rate": 0.8},
    "buyer": _EDGES | {"army": 5.0, "buys": 40.0},
    "pot_odds": {
        "attack_edge_more": OPEN_EDGE,
        "bluff_two": 0.0,
        "call_edge_more": OPEN_EDGE,
        "raise_rate": 0.0,
        "army": 0.0,
        "shed": 0.0,
    },
    "hunter": _EDGES | {"prey_edge": 1.0, "prey_shown": 0.0, "prey_blocked": 1.0, "choosy": 1.0, "raise_rate": 1.0},
    "bluffer": _EDGES | {"bluff_two": 0.25, "bluff_below": 1.0, "call_edge_two": 1.0},
    "patriot": _EDGES | {"army": 5.0, "loyalty": 1.0},
}


def like(name: str) -> Policy:
    """Return `general` with the settings by which it plays as a built-in policy.

    Raises
    ------
    KeyError
        It has no settings for that one.

    Examples
    --------
    >>> like("tight").params["bet"]
    0.8
    """
    made: Policy = general.with_(**SETTINGS[name])
    return made.named(f"as {name}")
