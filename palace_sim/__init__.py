"""Palace Poker: Monte Carlo simulation and strategy research.

Names are loaded when first used, so importing the package is quick and compiles nothing.

Examples
--------
>>> import palace_sim as ps
>>> ps.hand_category("As Ks Qs Js Ts")
'straight flush'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module that defines it ("module:" is the module itself, under that name).
_WHERE = {
    "parse_cards": "cards",
    "format_cards": "cards",
    "hand_rank": "ranking",
    "hand_ranks": "ranking",
    "hand_category": "ranking",
    "Rules": "rules",
    "Hand": "hand.hand",
    "IllegalMove": "hand.hand",
    "TURN": "kernels.state",
    "RESPOND": "kernels.state",
    "KEEP": "kernels.state",
    "OVER": "kernels.state",
    "policy": "policies.base",
    "Policy": "policies.base",
    "PolicyError": "policies.base",
    "check_policy": "check",
    "play": "simulate",
    "replay": "simulate",
    "Result": "simulate",
    "decision_values": "battle.decisions",
    "round_robin": "tournament",
    "gauntlet": "tournament",
    "population": "tournament",
    "Tournament": "standings",
    "resume": "resuming",
    "load": "resuming",
    "write_report": "report",
    "Range": "battle.ranges",
    "showdown_odds": "battle.showdown",
    "seat_showdown": "battle.showdown",
    "battle_odds": "battle.odds",
    "seat_odds": "battle.odds",
    "battle_odds_table": "battle.odds_table",
    "Odds": "battle.odds",
    "move_model": "battle.models",
    "odds_by_banners": "battle.tables",
    "odds_by_soldiers": "battle.tables",
    "odds_by_usable": "battle.tables",
    "odds_by_price": "battle.tables",
    "policies": "policies:",
    "act": "kernels.act:",
    "see": "kernels.see:",
    "plots": "plots:",
    "search": "search:",
    "until": "until:",
}

__all__ = [*_WHERE, "__version__"]

if TYPE_CHECKING:
    from palace_sim import plots, policies, search, until
    from palace_sim.battle.decisions import decision_values
    from palace_sim.battle.models import move_model
    from palace_sim.battle.odds import Odds, battle_odds, seat_odds
    from palace_sim.battle.odds_table import battle_odds_table
    from palace_sim.battle.ranges import Range
    from palace_sim.battle.showdown import seat_showdown, showdown_odds
    from palace_sim.battle.tables import odds_by_banners, odds_by_price, odds_by_soldiers, odds_by_usable
    from palace_sim.cards import format_cards, parse_cards
    from palace_sim.check import check_policy
    from palace_sim.hand import Hand, IllegalMove
    from palace_sim.kernels import act, see
    from palace_sim.kernels.state import KEEP, OVER, RESPOND, TURN
    from palace_sim.policies.base import Policy, PolicyError, policy
    from palace_sim.ranking import hand_category, hand_rank, hand_ranks
    from palace_sim.report import write_report
    from palace_sim.resuming import load, resume
    from palace_sim.rules import Rules
    from palace_sim.simulate import Result, play, replay
    from palace_sim.standings import Tournament
    from palace_sim.tournament import gauntlet, population, round_robin


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'palace_sim' has no attribute {name!r}")
    where = _WHERE[name]
    module = importlib.import_module(f"palace_sim.{where.rstrip(':')}")
    value = module if where.endswith(":") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
