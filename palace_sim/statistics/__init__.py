"""Statistics of tables: what a tournament's sums say, and how surely.

Everything here takes arrays or tables and gives arrays or tables back; nothing knows what a card is.

- :mod:`~palace_sim.statistics.intervals`: means, standard errors and intervals from exact integer sums
- :mod:`~palace_sim.statistics.proportions`: intervals for means between 0 and 1
- :mod:`~palace_sim.statistics.groups`: which policies can be told apart, and letters that show it
- :mod:`~palace_sim.statistics.sequences`: what stays valid under peeking, sequential tests, how many deals are needed
"""

from palace_sim.statistics.groups import critical_value, letters, told_apart
from palace_sim.statistics.intervals import differences, interval, mean_se, means, paired
from palace_sim.statistics.proportions import score_interval

__all__ = [
    "critical_value",
    "differences",
    "interval",
    "letters",
    "mean_se",
    "means",
    "paired",
    "score_interval",
    "told_apart",
]
