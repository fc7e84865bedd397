"""What a player may hold, given what it did: the posterior over its palace under a model of its play."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.models import Model
from palace_sim.battle.ranges import Range, RangeLike, as_range
from palace_sim.hand import Hand
from palace_sim.kernels import inference as kernels
from palace_sim.kernels.act import verb_of
from palace_sim.kernels.deal import card_bit
from palace_sim.kernels.knowledge import NOBODY, known_palaces, seen_by
from palace_sim.kernels.rng import SAMPLING, open_stream
from palace_sim.kernels.state import CALL, KEEP, LAST_BATTLE, LAST_TIE, RESPOND, SHOWDOWN, STATE, TRUNCATED

MAX_SAMPLES = 1 << 20


def posterior(
    hand: Hand,
    seat: int,
    model: Any,
    observer: int | None = None,
    trust: float = 1.0,
    samples: int = 64,
    seed: int = 0,
    prior: RangeLike | None = None,
) -> Range:
    """Return what a seat may hold, given its moves in a hand and a model of how it plays.

    The weight of a palace is its prior weight, times the chance that the model makes the moves that the seat made, each
    time shown what the seat would have seen with this palace, times the chance that this palace won the called battles
    that the seat won (R24, R28). That is Bayes' rule; the weights sum to 1.

    It is exact, and says so, where chance plays no part: the policy does not draw from its stream, or the model states
    the chances of its moves (`move_model`), and nothing that the seat saw is hidden from the observer. Else, for the
    palaces where it does, `samples` particles go through the hand, and the range has standard errors.

    What others did also tells a little about this palace, through the cards that they then hold, and is left out. With
    two players and the other one as the observer nothing is left out.

    Parameters
    ----------
    hand : Hand
        A hand at any point. Moves made before a position that it began from are not known, nor what the model
        remembered of them.
    seat : int
        Whose palace; still in the hand.
    model : Policy, MoveModel, str or function
        How the seat plays. A move that the rules forbid counts as what ``play(illegal="fold")`` does instead.
    observer : int, optional
        Seat whose knowledge counts: its own palace, and what it learnt as a caller who won (R28). None for what is
        public.
    trust : float
        Above 0, up to 1: the weights are `trust` times the posterior and the rest times the prior, both normalised,
        since a wrong model can rule out everything.
    samples : int
        Particles for each palace where chance plays a part, 2 or more. Errors shrink with its root.
    seed : int
        Key of what is sampled.
    prior : Range, text, dict or condition, optional
        What the seat may have held before its first move; None for every palace as likely.

    Returns
    -------
    Range
        Palaces whose weight is not 0. Errors are standard errors of the normalised weights (delta method), None where
        the range is exact.

    Raises
    ------
    ValueError
        An argument is not what it should be, named; the seat is out; the hand has ended by comparing hands; or no
        palace is left that would have made these moves.
    PolicyError
        The model failed.

    Examples
    --------
    >>> import palace_sim as ps
    >>> hand = ps.Hand.deal(seats=2, seed=3, dealer=1).attack(1)   # seat 0 has the first turn
    >>> range = posterior(hand, 0, "hunter", observer=1)           # who attacks only with a good hand
    >>> range.exact, len(range) < 16215
    (True, True)
    """
    question = _Question(hand, seat, observer)
    samples = whole("samples", samples, 2, MAX_SAMPLES)
    seed = whole("seed", seed, 0, (1 << 63) - 1)
    if isinstance(trust, bool) or not isinstance(trust, Real) or not 0.0 < trust <= 1.0:
        raise ValueError(f"trust takes a number above 0, up to 1, got {trust!r}")
    trust = float(trust)
    before = _prior(prior, int(question.now.rules.palace_cards)).within(question.pool, what="prior")
    cards, weights = before.cards, before.weights / before.weights.sum()
    chances, variances, sampled = question.likelihood(Model(model), cards, samples, seed)
    after = weights * chances
    if after.sum() == 0.0:
        if trust == 1.0:
            raise ValueError(
                f"model rules out every palace that seat {seat} may hold: it would not have made these moves; "
                f"a trust below 1, like 0.9, mixes in the prior"
            )
        return Range(cards, weights, before.errors)
    after /= after.sum()
    mixed = trust * after + (1.0 - trust) * weights
    errors = None
    if sampled or before.errors is not None:
        own = np.zeros(len(cards)) if before.errors is None else (before.errors / before.weights) ** 2
        errors = trust * _errors(after, variances + own) + (1.0 - trust) * _errors(weights, own)
    kept = mixed > 0.0
    return Range(cards[kept], mixed[kept], None if errors is None else errors[kept])


def _prior(prior: RangeLike | None, palace_cards: int) -> Range:
    prior = as_range(prior, "prior", palace_cards)
    if prior is None:
        return Range.uniform(palace_cards)
    return prior


def _errors(weights: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Standard errors of weights that sum to 1, from independent variances beside the squares of the weights.

    With w = x / sum(x), dw = dx - w * sum(dx) to first order.
    """
    own = weights**2 * variances
    return np.sqrt(np.maximum(own * (1.0 - 2.0 * weights) + weights**2 * own.sum(), 0.0))


class _Question:
    """What is known of a seat's palace, from a hand as an observer sees it.

    Attributes
    ----------
    pool : int
        Card set of what the palace may be made of.
    now : STATE record
        The hand as it is.
    fought : list of (foe, record before the call)
        Called battles that the seat won.
    """

    def __init__(self, hand: Hand, seat: int, observer: int | None) -> None:
        if not isinstance(hand, Hand):
            raise ValueError(f"hand takes a Hand, got {hand!r}")
        self.seat = whole("seat", seat, 0, hand.seats - 1, "a seat")
        if observer is not None and whole("observer", observer, 0, hand.seats - 1, "None or a seat") == self.seat:
            raise ValueError(f"observer takes another seat than seat, {self.seat}: a seat knows its own palace")
        self.observer = NOBODY if observer is None else observer
        self.now: Any = np.array([hand.record], STATE)[0]
        if not self.now.players[self.seat].active:
            raise ValueError(f"seat takes a seat that is still in the hand: {self.seat} is out")
        if self.now.end in (SHOWDOWN, LAST_BATTLE, LAST_TIE, TRUNCATED):
            raise ValueError("hand has ended by comparing hands; ask on a copy from before its last move")
        self.known = int(known_palaces(self.now, self.observer))
        self.pool = int(self.now.deck & ~seen_by(self.now, self.observer))
        moves = hand.decisions
        self.decisions = [(before, code) for before, code in moves if before.to_act == self.seat]
        after = [before for before, _ in moves[1:]] + [self.now] * bool(moves)
        calls = [
            (before, later)
            for (before, code), later in zip(moves, after, strict=True)
            if before.phase == RESPOND and verb_of(code) == CALL and self.seat in (before.attacker, before.defender)
        ]
        self.fought = [(int(b.attacker + b.defender) - self.seat, b) for b, _ in calls]

    def likelihood(self, model: Model, cards: np.ndarray, samples: int, seed: int) -> tuple[Any, Any, bool]:
        """Return how likely all that was seen is for each palace, the relative variance, and whether it is sampled."""
        chances = np.full(len(cards), 1.0)
        for foe, before in self.fought:
            if self.known >> foe & 1:
                theirs = self._worths(self.now.palace[foe : foe + 1], foe, self.seat, before)
                chances *= self._worths(cards, self.seat, foe, before) > theirs
        hidden = [(foe, before) for foe, before in self.fought if not self.known >> foe & 1]
        case = self._case(seed)
        losers, most = np.zeros(0, np.int64), np.zeros(len(cards), np.int64)
        if len(hidden) == 1 and (risen := self._risen(hidden[0][0])) is not None:
            losers, most, counts = self._beaten(cards, *hidden[0], risen)
            chances *= counts
            case.draws, case.loser, hidden = kernels.LOSER, hidden[0][0], []
        steps = self._steps(model)
        blind = steps["blind"].any()
        if hidden:
            case.draws = kernels.REDRAWN
        elif not blind:
            case.draws = kernels.SURE
        return self._ask(model, case, steps, hidden, losers, cards, most, chances, samples)

    def _ask(
        self, model: Model, case: Any, steps: Any, hidden: Any, losers: Any, cards: Any, most: Any, chances: Any, n: int
    ) -> tuple[Any, Any, bool]:
        """Multiply chances by those that the model makes the moves, exact where they can be."""
        left = np.flatnonzero(chances)
        asked, told, variances = cards[left], np.zeros(len(left)), np.zeros(len(left))
        stream = model.record["lasting"]["stream"]
        open_stream(stream, case.seed, 0, SAMPLING, 0, kernels.CHOICES)
        if case.draws == kernels.REDRAWN:
            told[:] = kernels.UNSURE
            done = len(left)
        else:
            done = kernels.surely(case, model.record, steps, asked, told)
        sampled = bool((told[:done] == kernels.UNSURE).any())
        if sampled and done == len(left):
            fought = np.zeros(len(hidden), kernels.FOUGHT)
            for row, (foe, before) in zip(fought, hidden, strict=True):
                row.foe, row.banner, row.foe_banner = foe, before.players[self.seat].banner, before.players[foe].banner
                row.face, row.foe_face = _face(before, self.seat), _face(before, foe)
            room = (np.zeros(n, kernels.PARTICLE), np.zeros(n, kernels.PARTICLE), np.zeros(n))
            done = kernels.shares(
                case, model.record, steps, fought, losers, asked, most[left], room, told, variances
            )
        if done < len(left):
            raise model.error(int(case.answer), case.shown)
        chances[left] *= told
        every = np.zeros(len(cards))
        every[left] = variances
        return chances, every, sampled

    def _case(self, seed: int) -> Any:
        """Say to the kernels whose palace is asked for, and whose knowledge particles keep to."""
        case: Any = np.zeros(1, kernels.CASE)[0]
        case.seat, case.seed = self.seat, seed
        case["now"] = self.now
        case.hidden = int(self.now.players[self.seat].learnt) & ~self.known
        # `redraw` keeps what one seat knows: here all that the observer does, and the palace that is being asked about
        if self.observer == NOBODY:
            case.knower = self.seat
            case.now.players[self.seat].learnt = 0
        else:
            case.knower = self.observer
            case.now.players[self.observer].learnt |= 1 << self.seat
        return case

    def _steps(self, model: Model) -> Any:
        """Return the seat's decisions, without the cards that the observer does not know."""
        steps = np.zeros(len(self.decisions), kernels.STEP)
        for step, (before, code) in zip(steps, self.decisions, strict=True):
            step["state"] = before
            for other in range(int(before.seats)):
                if not self.known >> other & 1:
                    step["state"]["palace"][other] = 0
            step["code"] = kernels.plain_form(before, code)
            asked = before.phase != KEEP or model.asked_to_keep
            step["blind"] = asked and int(before.players[self.seat].learnt) & ~self.known != 0
        return steps

    def _worths(self, cards: np.ndarray, seat: int, foe: int, before: Any) -> np.ndarray:
        """How palaces of a seat compare in a battle against a foe."""
        out = np.zeros(len(cards), np.int64)
        own, other = before.players[seat].banner, before.players[foe].banner
        kernels.worths(np.array(cards), _face(before, seat), own, other, before.rules.blocked, out)
        return out

    def _risen(self, loser: int) -> int | None:
        """Cards that the palace of a loser is known to hold (R13); None where it shares that with others."""
        now, must, settled = self.now, 0, 0
        for seat in range(int(now.seats)):
            settled |= int(now.palace[seat]) if self.known >> seat & 1 else 0
        for back in range(int(now.players[loser].out), int(now.seats)):
            cards = int(now.risen[back]) & ~settled
            others = [
                seat
                for seat in range(int(now.seats))
                if 0 < now.players[seat].out <= back and not self.known >> seat & 1 and now.palace[seat] != 0
            ]
            if cards and others != [loser]:
                return None
            must |= cards
        return must

    def _beaten(self, cards: np.ndarray, loser: int, before: Any, risen: int) -> tuple[Any, Any, Any]:
        """Return the loser's palaces, the weakest first; how many of them each palace beats; with no card in common."""
        every = Range.uniform(int(self.now.rules.palace_cards)).within(self.pool | risen, risen, "the loser").cards
        theirs = self._worths(every, loser, self.seat, before)
        order = np.argsort(theirs, kind="stable")
        own = self._worths(cards, self.seat, loser, before)
        most, counts = np.zeros(len(cards), np.int64), np.zeros(len(cards), np.int64)
        kernels.beaten(cards, np.argsort(own, kind="stable"), own, every[order], theirs[order], most, counts)
        return every[order], most, counts


def _face(record: Any, seat: int) -> int:
    """Banner and soldiers of a seat, as a card set."""
    player = record.players[seat]
    return int(player.soldiers) | int(card_bit(player.banner))
