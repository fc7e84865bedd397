"""Statistics of tables: what a tournament's sums say, and how surely.

Everything here takes arrays or tables and gives arrays or tables back; nothing knows what a card is.

- :mod:`~palace_sim.statistics.intervals`: means, standard errors and intervals from exact integer sums
- :mod:`~palace_sim.statistics.proportions`: intervals for means between 0 and 1
- :mod:`~palace_sim.statistics.clusters`: the same from tables whose line-ups share deals in part; what rotations bring
- :mod:`~palace_sim.statistics.groups`: which policies can be told apart, and letters that show it
- :mod:`~palace_sim.statistics.sequences`: what stays valid under peeking, sequential tests, how many deals are needed
- :mod:`~palace_sim.statistics.shares`: intervals for shares of hands
- :mod:`~palace_sim.statistics.control`: luck of known mean taken off
- :mod:`~palace_sim.statistics.pairs`, :mod:`~palace_sim.statistics.ratings`: who did better than whom, and ratings
- :mod:`~palace_sim.statistics.mixtures`: Nash mixtures and alpha-rank
- :mod:`~palace_sim.statistics.resampling`: error bars for any of these, by drawing batches of deals again
"""

from palace_sim.statistics.clusters import lineup_difference, lineup_means, variance_reduction
from palace_sim.statistics.control import Adjusted, adjusted_mean, control_variate, moments
from palace_sim.statistics.groups import critical_value, letters, told_apart
from palace_sim.statistics.intervals import differences, interval, mean_se, means, paired
from palace_sim.statistics.mixtures import Mixture, alpha_rank, nash_mixture
from palace_sim.statistics.pairs import Pairs, pair_sums
from palace_sim.statistics.proportions import score_interval
from palace_sim.statistics.ratings import rating_table, strengths
from palace_sim.statistics.resampling import Resampled, resample
from palace_sim.statistics.sequences import Sprt, confidence_sequence, deals_needed
from palace_sim.statistics.shares import Share, share

__all__ = [
    "Adjusted",
    "Mixture",
    "Pairs",
    "Resampled",
    "Share",
    "Sprt",
    "adjusted_mean",
    "alpha_rank",
    "confidence_sequence",
    "control_variate",
    "critical_value",
    "deals_needed",
    "differences",
    "interval",
    "letters",
    "lineup_difference",
    "lineup_means",
    "mean_se",
    "means",
    "moments",
    "nash_mixture",
    "pair_sums",
    "paired",
    "rating_table",
    "resample",
    "score_interval",
    "share",
    "strengths",
    "told_apart",
    "variance_reduction",
]
