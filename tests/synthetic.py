"""Tournaments of known truth: nets that are drawn instead of played, summed up as the kernels sum up hands."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np

from palace_sim.kernels.play import BATCHES, batch_columns
from palace_sim.standing import Standing
from palace_sim.statistics.lineups import figures
from palace_sim.totals import Totals, batch_counts


def draws(*key):
    """Return a generator that depends on the key only."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def totals_of(nets, lineups, policies, first=0, hands=None):
    """Sum up the nets (D, L, seats) of deals from `first` on; `hands` is the number of hands of a line-up in a deal.

    What no test of this file's users reads is left out: won, pots, illegal actions, squares of hands.
    """
    nets, lineups = np.asarray(nets, np.int64), np.asarray(lineups, np.int64)
    deals, many, seats = nets.shape
    hands = seats if hands is None else hands
    plan = SimpleNamespace(policies=range(policies), lineups=lineups, luck=False)
    made = Totals.empty(plan)
    held = (lineups[:, :, None] == np.arange(policies)).astype(np.int64)  # L, seats, P
    by_policy = np.tensordot(nets, held, axes=((1, 2), (0, 1)))  # D, P
    made.policy[:, 0] = held.sum(axis=(0, 1)) * hands * deals
    made.policy[:, 1] = by_policy.sum(axis=0)
    made.products[:] = (by_policy.T @ by_policy).astype(object)
    pairs = np.zeros((deals, policies, policies), np.int64) if many > 1 else None
    if pairs is not None:
        for lineup, members in enumerate(lineups.tolist()):
            for a, i in enumerate(members):
                for b, j in enumerate(members):
                    pairs[:, i, j] += nets[:, lineup, a] - nets[:, lineup, b]
        made.pair_net[:] = pairs.sum(axis=0)
        made.pair_squares[:] = (pairs * pairs).sum(axis=0).astype(object)
    columns = [nets]
    for a, b in combinations(range(seats), 2):
        columns.append(1 + np.sign(nets[:, :, a] - nets[:, :, b])[:, :, None])
    wide = np.concatenate(columns, axis=2)
    assert wide.shape[2] == batch_columns(seats, False)
    batch = (first + np.arange(deals)) % BATCHES
    if deals == BATCHES and first % BATCHES == 0:
        made.batches += wide
    else:
        np.add.at(made.batches, batch, wide)
    made.batch_deals += batch_counts(first, deals)
    return made


class SyntheticConductor:
    """Stands in for `palace_sim.conducting.Conductor` where a contest decides: draws deals instead of playing them.

    Parameters
    ----------
    strengths : (P,) float
        Chips a hand by which policies differ; heads-up, i nets strengths[i] - strengths[j] against j.
    draw : callable
        draw(first, end, lineups) -> nets (D, L, 2) a deal of two hands, the same for the same deals and line-ups.
    """

    def __init__(self, names, lineups, draw, deals, small_bet=10):
        self.plan = SimpleNamespace(
            policies=[SimpleNamespace(name=name) for name in names],
            lineups=np.asarray(lineups, np.int64),
            rules=SimpleNamespace(small_bet=small_bet),
            deals=deals,
            rotations=2,
        )
        self.names, self.draw = list(names), draw
        self.groups = {}
        self.spent = np.zeros(len(self.plan.lineups), np.int64)

    def play(self, chosen, first, end, label=""):
        del label
        chosen = np.asarray(chosen, np.int64)
        nets = self.draw(first, end)[:, chosen]
        made = totals_of(nets, self.plan.lineups[chosen], len(self.names), first)
        key = chosen.tobytes()
        if key in self.groups:
            self.groups[key].add(made)
        else:
            self.groups[key] = made
        self.spent[chosen] += end - first

    def standing(self):
        return Standing(self.names, 2, list(self.groups.values()))


def heads_up(strengths, lineups, noise, key, luck=6.0):
    """Return a draw for `SyntheticConductor`: line-ups share the luck of a deal, and have noise of their own.

    noise : callable
        noise(rng, size) -> figures of mean 0, chips a deal.
    """
    strengths, lineups = np.asarray(strengths, float), np.asarray(lineups)
    true = 2 * (strengths[lineups[:, 0]] - strengths[lineups[:, 1]])

    def draw(first, end):
        assert first % 1000 == 0 and (end - first) % 1000 == 0
        parts = []
        for start in range(first, end, 1000):
            rng = draws(key, start)
            shared = luck * rng.standard_normal((1000, len(strengths)))
            own = noise(rng, (1000, len(lineups)))
            exact = true + shared[:, lineups[:, 0]] - shared[:, lineups[:, 1]] + own
            # to whole chips without bias, by chance
            whole = np.floor(exact + rng.random(exact.shape)).astype(np.int64)
            parts.append(np.stack([whole, -whole], axis=2))
        return np.concatenate(parts)

    return draw


__all__ = ["SyntheticConductor", "draws", "figures", "heads_up", "totals_of"]
