"""Looking for strong play (public as `palace_sim.search`)."""

from palace_sim.search.endgame import Endgame, solve_endgame

__all__ = ["Endgame", "solve_endgame"]
