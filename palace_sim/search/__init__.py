"""Looking for strong play (public as `palace_sim.search`): searches, best responses, leagues, exact small games."""

from palace_sim.search.asking import Search
from palace_sim.search.cfr import Solution, solve_tree
from palace_sim.search.endgame import Endgame, solve_endgame
from palace_sim.search.fields import Field
from palace_sim.search.leagues import League, league
from palace_sim.search.optimizing import Optimum, optimize
from palace_sim.search.responses import Response, best_response, response_table
from palace_sim.search.tree import Tree, Value
from palace_sim.search.tree_building import build_tree

__all__ = [
    "Endgame",
    "Field",
    "League",
    "Optimum",
    "Response",
    "Search",
    "Solution",
    "Tree",
    "Value",
    "best_response",
    "build_tree",
    "league",
    "optimize",
    "response_table",
    "solve_endgame",
    "solve_tree",
]
