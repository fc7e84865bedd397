"""Looking for strong play (public as `palace_sim.search`)."""

from palace_sim.search.cfr import Solution, solve_tree
from palace_sim.search.endgame import Endgame, solve_endgame
from palace_sim.search.tree import Tree, Value
from palace_sim.search.tree_building import build_tree

__all__ = ["Endgame", "Solution", "Tree", "Value", "build_tree", "solve_endgame", "solve_tree"]
