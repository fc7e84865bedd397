"""What other libraries take for the like, where they are installed (extra `bench`), called as their users call them."""

from __future__ import annotations

import importlib.util
import random
import warnings
from collections.abc import Callable

import numpy as np
from clock import Row, by_turns

import palace_sim as ps

HANDS, ROUNDS = 2_000, 5
Job = tuple[Callable[[], object], int]  # what to time, and how many units it does


def hands_of_seven() -> list[list[int]]:
    """Seven card ids, drawn as for our own figures."""
    rng = np.random.default_rng(1)
    return np.argsort(rng.random((HANDS, 52)), axis=1)[:, :7].tolist()


def ours() -> dict[str, Job]:
    """Rank and play with this library, in the same run."""
    rows = np.tile(np.array(hands_of_seven(), np.uint8), (50, 1))
    games = 20_000
    return {
        "7 cards, palace_sim.hand_ranks": (lambda: ps.hand_ranks(rows, workers=1), len(rows)),
        "a game of random, palace_sim at 4 seats": (
            lambda: ps.play(["random"] * 4, deals=games // 4, rows=False, workers=1),
            games,
        ),
    }


def eval7_cards() -> dict[str, Job]:
    """Call eval7.evaluate on prepared cards."""
    import eval7

    hands = [[eval7.Card("23456789TJQKA"[c >> 2] + "cdhs"[c & 3]) for c in hand] for hand in hands_of_seven()]
    return {"7 cards, eval7.evaluate": (lambda: [eval7.evaluate(hand) for hand in hands], HANDS)}


def phevaluator_cards() -> dict[str, Job]:
    """Call phevaluator.evaluate_cards on ids (its ids are ours)."""
    from phevaluator import evaluate_cards

    hands = hands_of_seven()
    return {"7 cards, phevaluator.evaluate_cards": (lambda: [evaluate_cards(*hand) for hand in hands], HANDS)}


def open_spiel_games() -> dict[str, Job]:
    """Play leduc poker at random through OpenSpiel's Python face."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    many = 200

    def play() -> None:
        rng = random.Random(1)
        for _ in range(many):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))

    return {"a game of random, OpenSpiel leduc_poker": (play, many)}


def rlcard_games() -> dict[str, Job]:
    """Play limit hold'em at random in RLCard."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("limit-holdem", config={"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    many = 50

    def play() -> None:
        for _ in range(many):
            env.run()

    return {"a game of random, RLCard limit-holdem": (play, many)}


def pokerkit_games() -> dict[str, Job]:
    """Play limit hold'em in PokerKit, everybody checking or calling."""
    from pokerkit import Automation, FixedLimitTexasHoldem

    automations = tuple(a for a in Automation if a != Automation.RUNOUT_COUNT_SELECTION)
    many = 5

    def play() -> None:
        for _ in range(many):
            state = FixedLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, 4, 200, 4)
            while state.status:
                if state.can_check_or_call():
                    state.check_or_call()
                else:
                    break

    return {"a game of calls, PokerKit limit hold'em, 4 seats": (play, many)}


PEERS = {
    "eval7": eval7_cards,
    "phevaluator": phevaluator_cards,
    "pyspiel": open_spiel_games,
    "rlcard": rlcard_games,
    "pokerkit": pokerkit_games,
}


def measure() -> list[Row]:
    """Time what is installed, by turns with our own."""
    found = ours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they warn of when imported is not our matter
        for module, make in PEERS.items():
            if importlib.util.find_spec(module):
                found |= make()
    best = by_turns({name: job for name, (job, _) in found.items()}, ROUNDS)
    return [Row(name, best[name] / many / best["draw"], "d") for name, (_, many) in found.items()]
