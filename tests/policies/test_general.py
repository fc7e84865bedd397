"""`general`: its settings play as built-in policies do, its facts are true, its parameters do what they say."""

from typing import Any

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.kernels.jit import JIT
from palace_sim.policies import get
from palace_sim.policies.fingerprint import _digest
from palace_sim.policies.general import PARAMETERS, SETTINGS, general, like

LINES = (["x", "tight"], ["x", "buyer", "hunter", "bluffer"], ["x", "random", "pot_odds", "patriot", "maniac"])
RULES = (ps.Rules(), ps.Rules(stack=60), ps.Rules(structure="no_limit", stack=300, max_raises=7, blocked="rank"))


def at(players: list[str | None], pot: int = 60, to_act: int = 0, **options: Any) -> ps.Hand:
    return ps.Hand.from_position(ps.Rules(), players, to_act=to_act, dealer=0, pot=pot, **options)


def answer(hand: ps.Hand, seat: int = 0, **params: float) -> int:
    policy = general.with_(**params)
    view = hand.view(seat)
    view.params[: len(policy.values)] = policy.values
    return policy(view)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_play_exactly_as_the_built_in_policies(name: str) -> None:
    """Every hand of every line-up has the same nets, moves and battles, so every paired difference is exactly 0."""
    for rules in RULES:
        for line in LINES:
            how = {"rules": rules, "deals": 100 if JIT else 2, "seed": 5}
            built_in = ps.play([get(name).named("x"), *line[1:]], **how)
            made = ps.play([like(name).named("x"), *line[1:]], **how)
            assert made.seats.equals(built_in.seats), line
            assert made.battles.equals(built_in.battles), line


def test_all_built_in_policies_but_random_are_settings() -> None:
    assert set(ps.policies.NAMES) - set(SETTINGS) == {"random"}
    assert general.name in ps.policies.SEARCHED
    assert general.name not in ps.policies.NAMES


def test_nothing_in_its_code_is_hidden_from_its_fingerprint() -> None:
    """Else it would differ from run to run, and no search could go on in another one."""
    assert not _digest(general.function).opaque


def test_docstring_and_facts_agree() -> None:
    text = " ".join((general.__doc__ or "").split())
    assert 15 <= len(PARAMETERS) <= 40
    for key, parameter in general.family.parameters.items():
        assert parameter.low <= parameter.default <= parameter.high
        start = text.index(f" {key} : ")
        assert f", {parameter.low:g} to {parameter.high:g} " in text[start : start + 60], key
        assert f"Default {parameter.default:g}." in text[start:], key


@pytest.mark.parametrize("seats", [2, 4, 10])
def test_any_parameters_play_legally(seats: int) -> None:
    """Values at random, and each at its lowest and highest with all the others at random."""
    rng = np.random.default_rng(seats)
    low = np.array([p.low for p in general.family.parameters.values()])
    high = np.array([p.high for p in general.family.parameters.values()])
    for k in range(2 * len(low) if JIT else 4):
        values = rng.uniform(low, high)
        values[k // 2] = low[k // 2] if k % 2 else high[k // 2]
        policy = general.with_(**dict(zip(PARAMETERS, values, strict=True))).named("tried")
        line = [policy] * 2 + ["random", "maniac", "buyer", "patriot"] * 2
        for rules in RULES:
            ps.play(line[:seats], rules, deals=3 if JIT else 1, seed=k, rows=False, illegal="stop")


def test_plain_python_plays_the_same_moves() -> None:
    plain = ps.policy(general.function, params=PARAMETERS, keep="ask", name="plain", compile=False)
    values = {"bluff_two": 0.5, "bluff_more": 0.2, "loyalty": 0.5, "stray": 0.5, "bluff_raise": 0.5, "bet": 0.5}
    for setting in ({}, values):
        compiled = ps.play([general.with_(**setting).named("x"), "random", "tight", "patriot"], deals=3, seed=7)
        uncompiled = ps.play([plain.with_(**setting).named("x"), "random", "tight", "patriot"], deals=3, seed=7)
        assert compiled.seats.equals(uncompiled.seats)


# --- what single parameters do, position by position ------------------------------------------------------------------

PAIR = "As/AdKs9c/"
NOTHING = "2s/3d5c7d/"


def test_bases_of_minus_one_and_one_ask_for_nothing_and_for_what_no_hand_has() -> None:
    weak, strong = at([NOTHING, "Ah/?/AdAc"]), at(["As/AdAcKs/", "5h/?/"])
    assert answer(weak, bluff_two=0, attack_base_two=-1) == ps.act.attack(1)
    assert answer(strong, bluff_two=0, attack_base_two=0) == ps.act.attack(1)
    assert answer(strong, bluff_two=0, attack_base_two=1, army=0) == ps.act.stay()


def test_bluffs_only_with_chances_below() -> None:
    """Three aces against a bare five win nearly always; against a pair of aces nothing hardly ever does."""
    strong, weak = at(["As/AdAcKs/", "5h/?/"]), at([NOTHING, "Ah/?/AdAc"])
    closed = {"attack_base_two": 1.0, "army": 0.0, "bluff_two": 1.0}
    assert answer(strong, **closed, bluff_below=0.5) == ps.act.stay()
    assert answer(weak, **closed, bluff_below=0.5) == ps.act.attack(1)
    assert answer(strong, **closed, bluff_below=1) == ps.act.attack(1)


def test_attack_passed_counts_who_has_passed() -> None:
    """A bluff-free attack that pays barely, and no more once the foe has passed with a shift against it."""
    shift = {"bluff_two": 0.0, "army": 0.0, "attack_price": 0.0, "attack_pot": 0.0, "attack_base_two": -0.5}
    fresh, passed = at([NOTHING, "Ah/?/AdAc"]), at([NOTHING, "Ah/?/AdAc"], passed=1)
    for hand in (fresh, passed):
        assert answer(hand, **shift) == ps.act.attack(1)  # a chance above -0.5
    shift |= {"attack_base_two": -0.2, "attack_passed": 0.5}  # the base becomes 0.3
    assert answer(fresh, **shift) == ps.act.attack(1)
    assert answer(passed, **shift) == ps.act.stay()


def test_call_raised_tightens_calls_with_every_raise() -> None:
    """Attacked with a sure loser: a base of -0.2 calls, until a raise has added 0.3 to it."""
    loose = {"call_price": 0.0, "call_base_two": -0.2, "call_raised": 0.3, "raise_rate": 0.0}
    hand = at(["Ah/AdAcKh/", NOTHING], to_act=1).attack(0)
    assert answer(hand, **loose) == ps.act.call()
    hand = at([NOTHING, "Ah/AdAcKh/"]).attack(1).raise_()
    assert answer(hand, **loose) == ps.act.fold()
    assert answer(hand, **(loose | {"call_raised": 0.0})) == ps.act.call()


def test_buys_by_the_pot_and_below_a_chance() -> None:
    closed = {"bluff_two": 0.0, "attack_base_two": 1.0}
    assert answer(at([NOTHING, "Ah/?/AdAc"], pot=40), **closed) == ps.act.buy()
    assert answer(at([NOTHING, "Ah/?/AdAc"], pot=39), **closed) == ps.act.stay()
    assert answer(at([NOTHING, "Ah/?/AdAc"], pot=40), **closed, buy_below=0.5) == ps.act.buy()
    assert answer(at(["As/AdAcKs/", "5h/?/"], pot=40), **closed, buy_below=0.5) == ps.act.stay()


def test_sheds_what_the_last_foe_blocks() -> None:
    hand = at(["As/AdKs9c/2h5c", "5h/?/"], pot=10)
    closed = {"bluff_two": 0.0, "attack_base_two": 1.0, "army": 0.0}
    assert answer(hand, **closed) == ps.act.discard("2h")
    assert answer(hand, **closed, shed=0) == ps.act.stay()
    others_in = at(["As/AdKs9c/2h5c", "5h/?/", "6d/?/"], pot=10)
    assert answer(others_in, **closed, attack_base_more=1) == ps.act.stay()


def test_loyalty_decides_what_is_kept() -> None:
    """A spade, a second ace that makes the pair, and a card that does nothing; all three fit."""
    hand = ps.Hand.from_cards(
        ps.Rules(),
        banners=["As", "5h"],
        palaces=[["7d", "8c", "9d"], ["Kd", "Kc", "Th"]],
        draw_pile=["2s", "Ac", "3d", "4h", "4d", "4c"],
        dealer=1,
    )
    for kept in ("2s", "2s Ac"):
        hand.buy()
        hand.keep(kept)
        hand.stay()
    hand.buy()
    assert answer(hand, loyalty=0) == ps.act.keep("2s Ac 3d")
    assert answer(hand, loyalty=0.5) == ps.act.keep("2s Ac")
    assert answer(hand, loyalty=1) == ps.act.keep("2s")


def test_prey_weights_choose_the_foe() -> None:
    """Seat 1 shows the lowest cards, seat 2 has the smaller army of the two that show a pair, seat 3 a blocked card."""
    hand = at([PAIR, "5h/?/2d", "6d/?/", "Kc/?/3s3h"])
    sure = {"attack_base_more": -1.0, "attack_edge_more": -2.0, "bluff_more": 0.0}
    assert answer(hand, **sure, prey_shown=-1) == ps.act.attack(3)
    assert answer(hand, **sure) == ps.act.attack(1)  # five high is below six high
    assert answer(hand, **sure, prey_shown=0, prey_army=1) == ps.act.attack(2)
    assert answer(hand, **sure, prey_shown=0, prey_blocked=1) == ps.act.attack(3)


def test_presses_on_after_a_battle_that_it_won() -> None:
    """Attack, the foe folds, and the next one is attacked with the same nothing; without `press` it stays."""
    closed = {"attack_base_two": 1.0, "attack_base_more": 1.0, "bluff_two": 0.0, "bluff_more": 0.0, "army": 0.0}
    hand = at([NOTHING, "Ah/KhQhJc/", "6d/?/"])
    assert answer(hand, **closed, press_more=1, press_two=1) == ps.act.stay()
    hand.attack(1).fold()
    while hand.phase == "keep":
        hand.keep("")
    hand.stay()
    assert hand.to_act == 0
    assert answer(hand, **closed, press_two=1, bluff_below=1) == ps.act.attack(2)
    assert answer(hand, **closed, press_more=1, bluff_below=1) == ps.act.stay()
