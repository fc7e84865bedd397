"""`solve_endgame`: an equilibrium of the last two's betting when nobody buys any more; `Endgame`: what is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.palaces import all_palaces
from palace_sim.battle.ranges import Range, RangeLike, as_range
from palace_sim.hand import Hand
from palace_sim.hand.positions import PlayerCards, parse_player
from palace_sim.kernels.deal import FULL, card_bit
from palace_sim.kernels.odds import list_worths
from palace_sim.kernels.settle import usable
from palace_sim.kernels.state import KEEP, OVER
from palace_sim.policies.base import Policy
from palace_sim.rules import Rules, as_rules
from palace_sim.search import endgame_tables
from palace_sim.search.endgame_policy import make_policy
from palace_sim.search.endgame_solver import Pass, Solver
from palace_sim.search.endgame_tree import BATTLE, SHOWDOWN, Tree, grow
from palace_sim.workers import Bar

if TYPE_CHECKING:
    import pandas as pd

MOST = 10_000  # iterations where none are said
MOST_NUMBERS = 1 << 22  # of one array by palace and slot


class Endgame:
    """A solved end game, made by `solve_endgame`.

    Attributes
    ----------
    hand : Hand
        Where it begins.
    seats : (int, int)
        The two who play it.
    value : dict of int to float
        Chips that each seat expects from the beginning of the end game on: its share of the pot less what it pays. They
        add up to the pot.
    gains : dict of int to float
        Chips that an exact best response of each seat would gain over `value`.
    exploitability : float
        Mean of `gains`, in chips: half of what is called NashConv.
    exploitability_share : float
        The same as a share of the pot; NaN where there is none.
    iterations : int
        How many were done.
    course : DataFrame
        A row for each time that it was looked at: iteration; value (chips of the seat that acts first); exploitability
        (share of the pot; of 1 chip where there is no pot).
    nodes : list of str
        Names of the decisions: the moves before them, "start" for none.
    """

    def __init__(self, hand: Hand, ranges: Any, solver: Solver, pool: int, course: pd.DataFrame, last: Any) -> None:
        self.hand, self.course = hand, course
        self._ranges, self._solver, self._pool = ranges, solver, pool
        self._strategies: list[np.ndarray] = last[0]
        self._pass: Pass = last[1]
        self.iterations = solver.iterations

    @property
    def _tree(self) -> Tree:
        return self._solver.tree

    @property
    def seats(self) -> tuple[int, int]:
        return self._tree.seats

    @property
    def value(self) -> dict[int, float]:
        return dict(zip(self.seats, self._pass.chips, strict=True))

    @property
    def gains(self) -> dict[int, float]:
        pairs = zip(self._pass.best, self._pass.chips, strict=True)
        return dict(zip(self.seats, [best - chips for best, chips in pairs], strict=True))

    @property
    def exploitability(self) -> float:
        return self._pass.exploitability

    @property
    def exploitability_share(self) -> float:
        return self.exploitability / self.hand.pot if self.hand.pot else float("nan")

    @property
    def nodes(self) -> list[str]:
        return [node.name for node in self._tree.nodes]

    def strategy(self, seat: int) -> pd.DataFrame:
        """Return what a seat does with each palace at each of its nodes.

        Parameters
        ----------
        seat : int
            One of the two.

        Returns
        -------
        DataFrame
            node; palace (text); hand (category of the cards that count in the battle); reach (chance that play comes
            here when the seat holds this palace); chance (to win against what the foe may hold here, a tie half); value
            (chips from the beginning of the end game on, once here; NaN where play never comes); then the chance of
            each move, NaN where it is not open.

        Examples
        --------
        >>> import palace_sim as ps
        >>> rules = ps.Rules(deck="2c 3c 4c 2d 3d 4d 5d", palace_cards=1, max_buys=0)
        >>> end = solve_endgame(["2c/?", "2d/?"], pot=30, rules=rules, iterations=10)
        >>> list(end.strategy(0)["palace"][:5])
        ['3c', '4c', '3d', '4d', '5d']
        """
        if seat not in self.seats:
            raise ValueError(f"seat takes {self.seats[0]} or {self.seats[1]}, who play the end game, got {seat!r}")
        side = self.seats.index(seat)
        return endgame_tables.strategy(self._solver, self._strategies, self._pass, side)

    @cached_property
    def _frequencies(self) -> pd.DataFrame:
        return endgame_tables.frequencies(self._solver, self._strategies, self._pass)

    def frequencies(self) -> pd.DataFrame:
        """Return how often each move is made, by seat, node and category of hand.

        Returns
        -------
        DataFrame
            seat; node; arrives (chance that play comes to the node); hand (category of the cards that count in the
            battle, "all" for all of them); share (of the hands with which the seat arrives); stay, fold, call, attack,
            raise (how often, NaN where it is not open); bluff (how often the seat attacks or raises with a palace whose
            chance to win, a tie half, against what the foe may hold at the node is under 1/2; a part of attack and
            raise).
        """
        return self._frequencies.copy()

    def discards(self, target: float = 0.001) -> pd.DataFrame:
        """Return what the seat that acts first would gain by discarding one soldier instead, whatever its palace.

        A discard counts as passing and lowers the price of battles (R14, R18, R32); what follows it is solved as an end
        game of its own, to `target`, in which the foe learns nothing of the palace from the discard.

        Parameters
        ----------
        target : float
            Exploitability to reach in it, as a share of the pot.

        Returns
        -------
        DataFrame
            A row a soldier, the best first: soldier; value (chips of the seat from now on); gain (over `value`); error
            (chips: what best responses still gain in the two end games, within which the gain is known). No rows where
            it has no soldiers, is in a battle, or would end the hand by it, the other having passed.
        """
        import pandas as pd

        hand, seat = self.hand, self.hand.to_act
        assert seat is not None
        rows = []
        ending = hand.phase == "turn" and int(hand.record.passed).bit_count() == 1
        for soldier in () if hand.phase != "turn" or ending else hand.players[seat].soldiers:
            after = solve_endgame(hand.copy().discard(soldier), self._ranges, target=target, progress=False)
            error = max(self.gains.values()) + max(after.gains.values())
            rows.append((soldier, after.value[seat], after.value[seat] - self.value[seat], error))
        table = pd.DataFrame(rows, columns=["soldier", "value", "gain", "error"])
        return table.sort_values("gain", ascending=False, ignore_index=True, kind="stable")

    def policy(self, name: str = "endgame") -> Policy:
        """Return a policy that plays both sides of the end game, for ``play([p, p], start=hand)``.

        In any other position, and with a palace that neither range held, it calls when its chance to win covers the
        price, and else stays or folds.

        Parameters
        ----------
        name : str
            Its name.
        """
        state = self.hand.record
        return make_policy(self._tree, state, self._solver.sets, self._pool, self._strategies, name)

    def __repr__(self) -> str:
        low, high = self.seats
        return f"<Endgame: seats {low} and {high}, pot {self.hand.pot}, {self.iterations} iterations>"

    def __str__(self) -> str:
        said = "  ".join(f"seat {seat} {chips:.3f}" for seat, chips in self.value.items())
        share = f" ({100 * self.exploitability_share:.4f} % of the pot)" if self.hand.pot else ""
        return (
            f"end game of seats {self.seats[0]} and {self.seats[1]}, pot {self.hand.pot}, "
            f"seat {self.hand.to_act} to act\n"
            f"value in chips: {said}\n"
            f"exploitability: {self.exploitability:.5f} chips{share}, after {self.iterations} iterations"
        )


def solve_endgame(
    hand: Hand | Sequence[PlayerCards],
    ranges: Mapping[int, RangeLike] | None = None,
    iterations: int | None = None,
    target: float = 0.001,
    progress: bool | None = None,
    *,
    pot: int | None = None,
    to_act: int = 0,
    passed: int = 0,
    rules: Rules | None = None,
) -> Endgame:
    """Solve the end game of two with no more buying: an equilibrium of their betting, with exact card removal.

    Both palaces are hidden: each is any of the cards that have not been seen, or of a range. In turn each stays or
    attacks until both have passed (R32, R34); after an attack they fold, call or raise up to the cap (R21, R22).
    Folding on a turn is left out, since staying costs nothing and is never worse; so are buying and discarding. The
    method is counterfactual regret minimisation with discounting. The same
    arguments give the same numbers on every run.

    Parameters
    ----------
    hand : Hand or list of two texts
        A position with two players left, in limit, in which neither can buy; only what is public of it is used. Or the
        two sides as "banner/?/soldiers".
    ranges : dict of int to Range or text, optional
        By seat: what its palace may be (`palace_sim.Range`). A seat that is left out may hold anything unseen.
    iterations : int, optional
        Exactly so many; None for as many as `target` takes, at most 10,000.
    target : float
        Exploitability to reach, as a share of the pot (of 1 chip where there is no pot).
    progress : bool, optional
        Progress bar; None shows one on a terminal when it takes over two seconds.
    pot : int
        With texts: chips in the pot.
    to_act, passed : int
        With texts: whose turn it is, 0 or 1, and whether the other has passed, 0 or 1.
    rules : Rules, optional
        With texts: None for the default rules with ``max_buys=0``.

    Returns
    -------
    Endgame

    Raises
    ------
    ValueError
        Not two players, banners of one suit (R31), buying left, no limit, ranges that leave no two palaces without a
        card in common, or another argument that is not what it should be; named.

    Examples
    --------
    >>> end = solve_endgame(["Ks/?/9d8c7h6h5c", "Qh/?/4c4d3d"], pot=100, ranges={1: "pairs"}, iterations=5)
    >>> round(sum(end.value.values()), 9), end.nodes[:3]
    (100.0, ['start', 'stay', 'stay attack'])
    """
    begun = _begin(hand, pot, to_act, passed, rules)
    if iterations is not None:
        iterations = whole("iterations", iterations, 1, 1_000_000)
    if isinstance(target, bool) or not isinstance(target, (int, float)) or not 0 < target < 1:
        raise ValueError(f"target takes a share of the pot above 0 and below 1, got {target!r}")
    tree = grow(begun)
    pool = int(begun.record.deck & ~begun.record.all_seen)
    sets, priors = _palaces(begun, tree, ranges, pool)
    if len(sets) * max(tree.slots) > MOST_NUMBERS:
        raise ValueError(f"max_raises={begun.rules.max_raises} makes the tree too large: take fewer raises")
    solver = Solver(tree, sets, pool, priors, _worths(begun, tree, sets))
    if not solver.mass > 1e-12:
        raise ValueError("ranges leave no two palaces that share no card")
    course, last = _run(solver, begun, iterations, float(target), progress)
    return Endgame(begun, dict(ranges or {}), solver, pool, course, last)


def _begin(hand: Any, pot: int | None, to_act: int, passed: int, rules: Rules | None) -> Hand:
    """Return the hand that an end game begins from, checked."""
    if not isinstance(hand, Hand):
        return _from_texts(hand, pot, to_act, passed, rules)
    if pot is not None or rules is not None or to_act != 0 or passed != 0:
        raise ValueError("pot, to_act, passed and rules belong to sides given as text; a Hand has its own")
    state: Any = hand.record
    if state.phase == OVER:
        raise ValueError("hand is over: there is no end game left in it")
    if state.phase == KEEP:
        raise ValueError("hand: soldiers are being chosen; make that move first")
    if int(state.playing).bit_count() != 2:
        raise ValueError(f"hand takes two players left, got {int(state.playing).bit_count()}")
    if hand.rules.structure != "limit":
        raise ValueError(f"rules: an end game is solved in limit, got structure={hand.rules.structure!r}")
    return hand.copy()


def _from_texts(sides: Any, pot: int | None, to_act: int, passed: int, rules: Rules | None) -> Hand:
    if isinstance(sides, str) or not isinstance(sides, Sequence) or len(sides) != 2:
        raise ValueError(f"hand takes a palace_sim.Hand or two texts like 'Ks/?/9d8c', got {sides!r}")
    rules = Rules(max_buys=0) if rules is None else as_rules(rules)
    for number, side in enumerate(sides):
        if parse_player(side, rules.palace_cards, f"hand[{number}]")[1]:
            raise ValueError(f"hand[{number}]: palaces are hidden here; give what is known of one as ranges={{...}}")
    if pot is None:
        raise ValueError("pot is missing: chips in the pot of two sides given as text")
    to_act = whole("to_act", to_act, 0, 1, "a seat")
    return _begin(Hand.from_position(rules, sides, to_act, 1 - to_act, pot, passed=passed), None, 0, 0, None)


def _palaces(hand: Hand, tree: Tree, ranges: Any, pool: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the palaces that either side may hold, and the weights of each side."""
    if ranges is not None and not isinstance(ranges, Mapping):
        raise ValueError(f"ranges takes a dict of seats like {{0: 'pairs'}}, got {ranges!r}")
    given = dict(ranges or {})
    for seat in given:
        if seat not in tree.seats:
            raise ValueError(f"ranges: seat {seat!r} does not play; {tree.seats[0]} and {tree.seats[1]} do")
    size = hand.rules.palace_cards
    every = all_palaces(size)
    every = every[every & ~np.int64(pool) == 0]
    if pool.bit_count() < 2 * size:
        raise ValueError(f"hand: two palaces take {2 * size} unseen cards, there are {pool.bit_count()}")
    held: list[Range] = []
    for seat in tree.seats:
        said = as_range(given.get(seat), f"ranges[{seat}]", size)
        held.append(Range(every, np.ones(len(every))) if said is None else said.within(pool, what=f"ranges[{seat}]"))
    sets = np.union1d(held[0].cards, held[1].cards)
    priors = []
    for one in held:
        prior = np.zeros(len(sets))
        prior[np.searchsorted(sets, one.cards)] = one.weights / one.weights.max()
        priors.append(prior)
    return sets, priors


def _worths(hand: Hand, tree: Tree, sets: np.ndarray) -> dict[int, list[np.ndarray]]:
    """List what each side is worth with each palace, in a battle (R24, R25) and in the showdown, if any (R33)."""
    state: Any = hand.record
    banners = [int(state.players[seat].banner) for seat in tree.seats]
    faces = [int(card_bit(int(state.players[s].banner))) | int(state.players[s].soldiers) for s in tree.seats]
    how = int(state.rules.blocked)
    kinds = {BATTLE} | {ending.kind for ending in tree.endings if ending.kind == SHOWDOWN}
    worths: dict[int, list[np.ndarray]] = {kind: [] for kind in sorted(kinds)}
    for side, foe in ((0, 1), (1, 0)):
        for kind, lists in worths.items():
            out = np.empty(len(sets), np.int64)
            if kind == BATTLE:
                cards = int(usable(faces[side], banners[foe], how))
                list_worths(sets, cards, banners[side], FULL & ~int(usable(FULL, banners[foe], how)), out)
            else:
                list_worths(sets, faces[side], banners[side], 0, out)
                out >>= 4  # by rank alone
            lists.append(out)
    return worths


def _looks(iterations: int | None) -> list[int]:
    """Return after which iterations to look: 8, 12, 16, 24, 32, 48, ... and the last."""
    last = MOST if iterations is None else iterations
    steps = (half << k for k in range(2, 20) for half in (2, 3))
    return [*(step for step in steps if step < last), last]


def _run(solver: Solver, hand: Hand, iterations: int | None, target: float, progress: bool | None) -> Any:
    import pandas as pd

    unit, first = max(hand.pot, 1), solver.tree.nodes[0].side
    rows: list[tuple[int, float, float]] = []
    with Bar(iterations, progress, "iterations") as bar:
        for look in _looks(iterations):
            while solver.iterations < look:
                solver.iterate()
                bar.update(1)
            strategies = [solver.strategy(side) for side in (0, 1)]
            found = solver.follow(strategies)
            rows.append((look, found.chips[first], found.exploitability / unit))
            if iterations is None and found.exploitability <= target * unit:
                break
    return pd.DataFrame(rows, columns=["iteration", "value", "exploitability"]), (strategies, found)
