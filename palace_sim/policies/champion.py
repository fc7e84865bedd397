"""`champion`: the strongest policy that a search has found."""

from __future__ import annotations

from palace_sim.policies.base import Policy
from palace_sim.policies.general import general

#: What experiments/champion/run.py wrote to champion.json, to three places.
VALUES = {
    "attack_edge_two": -1.779,
    "attack_edge_more": 1.658,
    "prey_edge": 0.861,
    "attack_base_two": 0.052,
    "attack_base_more": -0.847,
    "attack_price": 0.653,
    "attack_pot": 1.734,
    "attack_passed": -0.267,
    "bet": 0.911,
    "bluff_two": 0.037,
    "bluff_more": 0.045,
    "bluff_below": 0.071,
    "call_edge_two": -0.016,
    "call_edge_more": -1.404,
    "call_base_two": -0.033,
    "call_base_more": 0.031,
    "call_price": 1.564,
    "call_raised": -0.047,
    "raise_edge": 2.353,
    "raise_base_two": 0.614,
    "raise_base_more": 0.051,
    "raise_raised": -0.083,
    "raise_rate": 0.805,
    "bluff_raise": 0.01,
    "army": 4.567,
    "buys": 32.842,
    "share_two": 0.615,
    "share_more": 0.153,
    "buy_below": 0.849,
    "prey_shown": -0.085,
    "prey_army": -0.044,
    "prey_blocked": -0.704,
    "stray": 0.014,
    "choosy": 0.939,
    "loyalty": 0.611,
    "shed": 0.555,
}

#: `general` with the parameters that experiments/champion found.
champion: Policy = general.with_(**VALUES).named("champion")
