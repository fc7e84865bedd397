"""`general`: one family wide enough to search, with most of the built-in policies among its settings."""

from __future__ import annotations

from typing import Any

from palace_sim.policies.base import Policy, policy
from palace_sim.policies.deciding import CLOSED, OPEN, OPEN_EDGE, PARAMETERS, decide


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
    press_two : share, 0 to 1
        Added to the rate of bluffs once it has won a battle that it began in this hand, with two left. Default 0.
    press_more : share, 0 to 1
        The same with more players left. Default 0.
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
    return decide(view)


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

    Parameters
    ----------
    name : str
        Any built-in policy but `random`, `rollout` and `champion`.

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
