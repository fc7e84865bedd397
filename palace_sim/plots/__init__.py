"""Tables as pictures: a DataFrame in, matplotlib Axes out.

Nothing here touches pyplot's global figures. Without `ax` a figure of its own is made: show it in a notebook as
``plots.leaderboard(table).figure``, save it by ``.figure.savefig("board.png")``.
"""

from palace_sim.plots.base import BLUE, COLOURS, GREY, MARKERS, PALETTE
from palace_sim.plots.battles import decision_values, odds_heatmap, price_chance
from palace_sim.plots.courses import league_course, net_over_time, search_course
from palace_sim.plots.endgames import endgame
from palace_sim.plots.flows import battle_flow
from palace_sim.plots.reasons import variance_shares, why, without_luck
from palace_sim.plots.tournaments import crosstable, leaderboard, seat_effect

__all__ = [
    "BLUE",
    "COLOURS",
    "GREY",
    "MARKERS",
    "PALETTE",
    "battle_flow",
    "crosstable",
    "decision_values",
    "endgame",
    "leaderboard",
    "league_course",
    "net_over_time",
    "odds_heatmap",
    "price_chance",
    "search_course",
    "seat_effect",
    "variance_shares",
    "why",
    "without_luck",
]
