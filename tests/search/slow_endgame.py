"""End games the slow way: the betting written out from the clauses, solved as a linear program in sequence form.

Koller, Megiddo and von Stengel (1996): with A the payoffs by pairs of sequences, E x = e and F y = f what makes x and y
strategies, the value is max f.q over x and q with F'q <= A'x, E x = e, x >= 0.
"""

import math
from itertools import combinations

import numpy as np
from battle.slow_odds import key
from reference.evaluator import evaluate
from scipy.optimize import linprog
from scipy.sparse import lil_array


class Betting:
    """Every way the betting can go, as (moves, kind, paid): moves are (side, node, verb), node the verbs before it."""

    def __init__(self, soldiers, chips, small, large, bare, most, passed, first):
        self.soldiers, self.chips, self.most = soldiers, chips, most
        self.small, self.large, self.bare = small, large, bare
        self.ends = []
        self.turn(first, passed, [], ())

    def price(self, side):
        """R18."""
        return (self.soldiers[side] + 1) * self.small

    def turn(self, side, passed, moves, node):
        """R11, but for buying and discarding; R32."""
        self.ends.append(([*moves, (side, node, "fold")], "fold", (0, 0)))
        stayed = [*moves, (side, node, "stay")]
        if passed:
            self.ends.append((stayed, "showdown", (0, 0)))
        else:
            self.turn(1 - side, 1, stayed, (*node, "stay"))
        if self.chips[side] >= self.price(side):  # R36
            paid = [0, 0]
            paid[side] = self.price(side)
            attacked = [*moves, (side, node, "attack")]
            self.respond(1 - side, 0, self.price(1 - side), 0, paid, attacked, (*node, "attack"))

    def respond(self, side, raises, army, last, paid, moves, node):
        """R21 to R23, R36; `army` and `last` are the parts of the price that are R18 and the last raise."""
        foe = 1 - side
        back = list(paid)
        back[foe] -= last
        self.ends.append(([*moves, (side, node, "fold")], "fold", tuple(back)))
        left = self.chips[side] - paid[side]
        called = list(paid)
        called[side] += min(army + last, left)
        called[foe] -= max(last - max(min(army + last, left) - army, 0), 0)
        self.ends.append(([*moves, (side, node, "call")], "battle", tuple(called)))
        more = self.large if self.soldiers[side] else self.bare
        if raises < self.most and left >= army + last + more and self.chips[foe] - paid[foe] > 0:
            raised = list(paid)
            raised[side] += army + last + more
            moves = [*moves, (side, node, "raise")]
            self.respond(foe, raises + 1, 0, more, raised, moves, (*node, "raise"))


def payoff(kind, moves, paid, pot, better, odd):
    """Chips of side 0: `better` is above 0 where it wins a comparison; `odd` is who gets an odd chip (R35)."""
    whole = pot + sum(paid)
    if kind == "fold":
        return (whole if moves[-1][0] == 1 else 0) - paid[0]
    if better == 0:
        return whole // 2 + (whole % 2 if odd == 0 else 0) - paid[0]
    return (whole if better > 0 else 0) - paid[0]


class Slow:
    """A small end game as matrices.

    Parameters
    ----------
    sides : two of (banner, soldiers), card words
    pool : list of card words
    size : cards of a palace
    weights : two of None or dict of frozenset to weight
    odd : side that gets an odd chip
    """

    def __init__(self, sides, pool, size, betting, pot, weights=(None, None), blocked="suit", showdown=False, odd=0):
        every = [frozenset(cards) for cards in combinations(pool, size)]
        self.palaces = [every if w is None else [p for p in every if w.get(p, 0) > 0] for w in weights]
        self.ends = betting.ends
        self.seqs = [{None: 0}, {None: 0}]
        self.rows = [{}, {}]  # information set -> (sequence before, sequences)
        for side in (0, 1):
            for palace in self.palaces[side]:
                for moves, _, _ in self.ends:
                    before = None
                    for s, node, verb in moves:
                        if s == side:
                            seq = (palace, node, verb)
                            if seq not in self.seqs[side]:
                                self.seqs[side][seq] = len(self.seqs[side])
                                self.rows[side].setdefault((palace, node), (before, []))[1].append(seq)
                            before = seq
        self.matrix = np.zeros((len(self.seqs[0]), len(self.seqs[1])))
        keys = [self.keys(sides, side, blocked, showdown) for side in (0, 1)]
        total = 0
        for a in self.palaces[0]:
            for b in self.palaces[1]:
                both = zip(weights, (a, b), strict=True)
                weight = 0 if a & b else math.prod(1 if w is None else w[p] for w, p in both)
                total += weight
                for moves, kind, paid in self.ends if weight else ():
                    x, y = keys[0][kind, a] if kind != "fold" else 0, keys[1][kind, b] if kind != "fold" else 0
                    last = [None, None]
                    for side, node, verb in moves:
                        last[side] = ((a, b)[side], node, verb)
                    at = self.seqs[0][last[0]], self.seqs[1][last[1]]
                    self.matrix[at] += weight * payoff(kind, moves, paid, pot, (x > y) - (x < y), odd)
        self.matrix /= total

    def keys(self, sides, side, blocked, showdown):
        """What is compared in a battle (R24, R25), and where both stay (R34, or R33 with `showdown`)."""
        (banner, soldiers), (foe, _) = sides[side], sides[1 - side]
        found = {}
        for palace in self.palaces[side]:
            cards = [banner, *soldiers, *palace]
            found["battle", palace] = key(cards, banner, foe, blocked)
            found["showdown", palace] = evaluate(cards) if showdown else found["battle", palace]
        return found

    def constraints(self, side):
        """E and e, or F and f: each information set's sequences add up to the one before."""
        matrix = lil_array((len(self.rows[side]) + 1, len(self.seqs[side])))
        matrix[0, 0] = 1
        for row, (before, seqs) in enumerate(self.rows[side].values(), 1):
            matrix[row, self.seqs[side][before]] = -1
            for seq in seqs:
                matrix[row, self.seqs[side][seq]] = 1
        return matrix.tocsr(), np.eye(1, len(self.rows[side]) + 1)[0]

    def value(self):
        """Chips of side 0 in equilibrium."""
        (e_matrix, e), (f_matrix, f) = self.constraints(0), self.constraints(1)
        n, m = len(self.seqs[0]), f_matrix.shape[0]
        cost = np.concatenate([np.zeros(n), -f])
        upper = np.hstack([-self.matrix.T, f_matrix.T.toarray()])
        equal = np.hstack([e_matrix.toarray(), np.zeros((e_matrix.shape[0], m))])
        bounds = [(0, None)] * n + [(None, None)] * m
        found = linprog(cost, upper, np.zeros(len(upper)), equal, e, bounds, method="highs")
        assert found.status == 0, found.message
        return -found.fun

    def plan(self, side, tables):
        """Sequence weights of a strategy given as {(node, palace): {verb: chance}}; NaN for what it never does."""
        x = np.zeros(len(self.seqs[side]))
        x[0] = 1
        for (palace, node), (before, seqs) in self.rows[side].items():
            for seq in seqs:
                x[self.seqs[side][seq]] = x[self.seqs[side][before]] * np.nan_to_num(tables[node, palace][seq[2]])
        return x

    def best(self, side, foe_plan):
        """Most that a side's chips of side 0 (least, for side 1) can be against a plan of the other."""
        gains = self.matrix @ foe_plan if side == 0 else -(foe_plan @ self.matrix)
        matrix, right = self.constraints(side)
        found = linprog(-gains, A_eq=matrix, b_eq=right, method="highs")
        assert found.status == 0, found.message
        return -found.fun if side == 0 else found.fun
