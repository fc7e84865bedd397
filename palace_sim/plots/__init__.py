"""Tables as pictures: a DataFrame in, matplotlib Axes out.

Nothing here touches pyplot's global figures. Without `ax` a figure of its own is made: show it in a notebook as
``plots.leaderboard(table).figure``, save it by ``.figure.savefig("board.png")``.
"""

from palace_sim.plots.base import BLUE, COLOURS, GREY, MARKERS
from palace_sim.plots.battles import decision_values, odds_heatmap, price_chance
from palace_sim.plots.endgames import endgame
from palace_sim.plots.tournaments import leaderboard, seat_effect

__all__ = [
    "BLUE",
    "COLOURS",
    "GREY",
    "MARKERS",
    "decision_values",
    "endgame",
    "leaderboard",
    "odds_heatmap",
    "price_chance",
    "seat_effect",
]
