"""`Range`: what a hidden palace may be, as palaces with weights.

`range_text` describes ranges as text, "pairs, two hearts: 0.5, A*".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle import range_algebra as algebra
from palace_sim.battle.palaces import MOST, Palace, all_palaces, palace_ids, palace_text
from palace_sim.battle.range_checks import as_weight, check_palaces, column, judged
from palace_sim.battle.range_showing import as_frame, as_html, as_text, headline
from palace_sim.battle.range_text import read_text
from palace_sim.cards import Cards, card_set, format_cards, parse_cards, set_cards
from palace_sim.kernels.deal import FULL

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Condition", "Range", "RangeLike", "all_palaces", "as_range"]

#: A condition on a palace: true or false, or a weight from 0.
Condition: TypeAlias = "Callable[[Palace], bool | float]"
#: What functions take for a range: a `Range`, its text, weights of explicit palaces, or a condition.
RangeLike: TypeAlias = "Range | str | Mapping[Any, float] | list[Any] | Condition"

MAX_SEED = (1 << 63) - 1


class Range:
    """Palaces that a player may hold, with weights.

    Made by `Range.uniform`, `Range.text`, `Range.where`, `Range.combos` and `Range.after`.

    Parameters
    ----------
    cards : (m,) int64 array
        Palaces as card sets (bit ``16 * suit + rank``), in any order, each once, all of one size of 1 to 3 cards.
    weights : (m,) float64 array
        How likely each is beside the others, in any unit; palaces with weight 0 are left out.
    errors : (m,) float64 array, optional
        Standard errors of the weights where they were sampled; None where they are exact.

    Attributes
    ----------
    cards, weights, errors : arrays
        As given, with the palaces in ascending order and weights above 0. Not to be written to.

    Raises
    ------
    ValueError
        An array is not what it should be, or no palace has a weight above 0.

    Examples
    --------
    >>> pairs = Range.text("pairs: 3, nopair")
    >>> pairs.probability("pairs")      # 3·3,744 of 3·3,744 + 18,304
    0.38028169014084506
    >>> (pairs & Range.text("A*")).without("As Ah").frame(head=2)
         palace  weight     share
    0  Ad Ac Ks     3.0  0.001116
    1  Ad Ac Kh     3.0  0.001116
    """

    def __init__(self, cards: np.ndarray, weights: np.ndarray, errors: np.ndarray | None = None) -> None:
        sets = column("cards", cards, np.int64)
        numbers = column("weights", weights, np.float64, len(sets))
        spread = None if errors is None else column("errors", errors, np.float64, len(sets))
        if not numbers.any():
            raise ValueError("a range takes one palace or more with a weight above 0, got none")
        if not (sets[1:] > sets[:-1]).all() or not numbers.all():
            order = np.argsort(sets, kind="stable")
            order = order[numbers[order] > 0]
            sets, numbers, spread = sets[order], numbers[order], None if spread is None else spread[order]
        check_palaces(sets)
        self.cards, self.weights, self.errors = sets, numbers, spread

    # --- making a range -----------------------------------------------------------------------------------------------

    @classmethod
    def uniform(cls, palace_cards: int = 3) -> Range:
        """Return the range in which every palace of the deck is as likely as another.

        Parameters
        ----------
        palace_cards : int
            Cards of a palace, 1 to 3.

        Examples
        --------
        >>> len(Range.uniform())        # C(52, 3)
        22100
        """
        cards = all_palaces(whole("palace_cards", palace_cards, 1, MOST))
        return cls(cards, np.ones(len(cards)))

    @classmethod
    def text(cls, text: str, palace_cards: int = 3, what: str = "range") -> Range:
        """Read a range as text: terms with commas between them, each perhaps with a weight.

        All words of a term must hold. Terms are united; a palace named by several gets the largest of their weights.
        `palace_sim.battle.range_text` lists the words, among them ``any``, ``pairs``, ``pairs 9+``, ``trips``,
        ``nopair``, ``suited``, ``rainbow``, ``straight`` (the ace is high or low), ``two hearts``, ``no kings``,
        ``at least two hearts``, ``A*`` (holds an ace), ``As*`` (holds that card), ``AAK``, ``AsKsQs`` and ``not``.

        Parameters
        ----------
        text : str
            "pairs, two hearts: 0.5, A*, AsKsQs: 2".
        palace_cards : int
            Cards of a palace, 1 to 3.
        what : str
            What to call the text in an error.

        Raises
        ------
        ValueError
            An unknown word, a weight that is not above 0, or a term that no palace fits; named.

        Examples
        --------
        >>> len(Range.text("pairs")), len(Range.text("two hearts")), len(Range.text("A* not suited"))
        (3744, 3042, 4540)
        """
        if not isinstance(text, str):
            raise TypeError(f"{what} takes text like 'pairs, two hearts: 0.5, A*', got {text!r}")
        return cls(*read_text(text, whole("palace_cards", palace_cards, 1, MOST), what))

    @classmethod
    def where(cls, condition: Condition, palace_cards: int = 3, what: str = "condition") -> Range:
        """Return the palaces for which a condition in Python holds, or with the weights that it gives.

        Parameters
        ----------
        condition : callable
            Takes a palace, a tuple of words like ``("As", "Kd", "9c")`` with the highest card first and with
            ``.ranks`` ("AK9"), ``.suits`` ("sdc") and ``.values`` ([14, 13, 9]); returns whether it belongs, or its
            weight, a number from 0.
        palace_cards : int
            Cards of a palace, 1 to 3.
        what : str
            What to call the condition in an error.

        Raises
        ------
        TypeError
            `condition` cannot be called, or returned neither a bool nor a number.
        ValueError
            It returned a number that is no weight, or holds for no palace.

        Examples
        --------
        >>> len(Range.where(lambda palace: palace.suits.count("h") == 2))
        3042
        >>> Range.where(lambda palace: sum(palace.values), palace_cards=1).probability("A*")    # 4·14 of 4·104
        0.1346153846153846
        """
        sets = all_palaces(whole("palace_cards", palace_cards, 1, MOST))
        weights = judged(condition, sets, what)
        if not weights.any():
            raise ValueError(f"{what}: holds for no palace of {palace_cards} cards")
        return cls(sets, weights)

    @classmethod
    def combos(cls, palaces: Mapping[Any, float] | Iterable[Any], what: str = "combos") -> Range:
        """Return a range of explicit palaces.

        Parameters
        ----------
        palaces : dict or list
            Palaces as text like "As Kd 9c" (or tuples of cards), with their weights from 0; a list of palaces gives
            each the weight 1.
        what : str
            What to call the argument in an error.

        Raises
        ------
        ValueError
            A palace is there twice or is not 1 to 3 different cards, sizes differ, or a weight is not from 0.

        Examples
        --------
        >>> print(Range.combos({"As Kd 9c": 2.0, "2c2d2h": 0.5}))
        2 palaces, as varied as 1.6 equally likely
        palace        weight     share
        As Kd 9c           2      80 %
        2h 2d 2c         0.5      20 %
        """
        if isinstance(palaces, str) or not isinstance(palaces, Iterable):
            raise TypeError(f"{what} takes palaces with weights like {{'As Kd 9c': 2.0}}, got {palaces!r}")
        pairs = list(palaces.items() if isinstance(palaces, Mapping) else ((palace, 1.0) for palace in palaces))
        weights: dict[int, float] = {}
        for palace, weight in pairs:
            cards = card_set(parse_cards(palace, distinct=True, name=what))
            if not 1 <= cards.bit_count() <= MOST:
                raise ValueError(f"{what}: a palace is 1 to {MOST} cards, got {palace!r}")
            if cards in weights:
                raise ValueError(f"{what}: the palace {palace_text(cards)} is there twice")
            weights[cards] = as_weight(weight, palace_text(cards), what)
        if len({cards.bit_count() for cards in weights}) > 1:
            raise ValueError(f"{what} takes palaces of one size, got {palaces!r}")
        if not any(weights.values()):
            raise ValueError(f"{what}: takes one palace or more with a weight above 0, got {palaces!r}")
        return cls(np.array(list(weights), np.int64), np.array(list(weights.values())))

    @classmethod
    def after(cls, hand: Any, seat: int, model: Any, **options: Any) -> Range:
        """Return what a player may hold after what it did in a hand, given a model of how it plays.

        Parameters
        ----------
        hand : Hand
            The hand as it stands.
        seat : int
            The player.
        model : policy or str
            How it is thought to play.
        **options
            As for `palace_sim.battle.inference.posterior`.

        Examples
        --------
        >>> from palace_sim import Hand
        >>> hand = Hand.from_cards(None, "As Kd", ["Ac 7h 9d", "Kc Jh 3s"], "2c 2d 2h").attack(0)
        >>> found = Range.after(hand, 1, "tight", observer=0, prior="pairs")     # who attacks only with a good hand
        >>> 0 < len(found) <= len(Range.text("pairs"))
        True
        """
        import importlib

        return importlib.import_module("palace_sim.battle.inference").posterior(hand, seat, model, **options)

    # --- changing a range ---------------------------------------------------------------------------------------------

    def within(self, pool: int, known: int = 0, what: str = "range") -> Range:
        """Return the palaces that can be: all of `known` and otherwise cards of `pool` only.

        Parameters
        ----------
        pool : int
            Card set of the cards that are not known to lie elsewhere.
        known : int
            Card set of the palace cards that are known.
        what : str
            What to call the range in an error.

        Raises
        ------
        ValueError
            No palace of the range is left.

        Examples
        --------
        >>> from palace_sim.cards import card_set
        >>> len(Range.text("pairs").within(card_set("As Ad Ah Ks")))
        3
        """
        fits = (self.cards & ~np.int64(pool | known) == 0) & (self.cards & np.int64(known) == known)
        if not fits.any():
            shown = f" that holds {format_cards(set_cards(known))}" if known else ""
            raise ValueError(f"{what} has no palace left{shown} among the cards that are not known to lie elsewhere")
        return self._part(fits)

    def without(self, cards: Cards) -> Range:
        """Return the palaces that hold none of these cards.

        Parameters
        ----------
        cards : cards
            Text, a list of words or ids.

        Raises
        ------
        ValueError
            No palace is left.

        Examples
        --------
        >>> len(Range.uniform().without("As Ks"))       # C(50, 3)
        19600
        """
        return self.within(FULL & ~card_set(cards))

    def normalised(self) -> Range:
        """Return the range with weights that add up to 1; errors go with them, the sum counting as exact.

        Examples
        --------
        >>> round(float(Range.text("pairs").normalised().weights.sum()), 9)
        1.0
        """
        return self._scaled(1 / self.weights.sum())

    def mixed(self, trust: float, other: RangeLike | None = None) -> Range:
        """Mix another range in: `trust` parts of this one and 1 − `trust` of the other, both normalised.

        Parameters
        ----------
        trust : float
            From 0 to 1. A range from a wrong model can rule out what is true; with less than full trust it cannot.
        other : Range, optional
            What to mix in; None for all palaces of the deck, alike. For those that can be, take
            ``Range.uniform().without(...)``.

        Examples
        --------
        >>> print(round(Range.text("pairs").mixed(0.9).probability("pairs"), 4))        # 0.9 + 0.1·3,744/22,100
        0.9169
        """
        if isinstance(trust, bool) or not isinstance(trust, (int, float, np.floating)) or not 0 <= trust <= 1:
            raise ValueError(f"trust takes a number from 0 to 1, got {trust!r}")
        mate = Range.uniform(self.palace_cards) if other is None else self._alike(other, "other")
        return Range(*algebra.mixture(self.normalised(), mate.normalised(), float(trust)))

    def __and__(self, other: RangeLike) -> Range:
        """Return the palaces of both ranges, their weights multiplied; the other may be text."""
        return Range(*algebra.product(self, self._alike(other)))

    def __or__(self, other: RangeLike) -> Range:
        """Return the palaces of either range, each with the larger weight, as terms of a text are united."""
        return Range(*algebra.larger(self, self._alike(other)))

    def _alike(self, other: RangeLike, what: str = "the other range") -> Range:
        found = as_range(other, what, self.palace_cards)
        if found is None:
            raise TypeError(f"{what} takes a Range, text like 'pairs, A*: 0.5', a dict or a condition, got None")
        return found

    def _part(self, which: Any) -> Range:
        return Range(self.cards[which], self.weights[which], None if self.errors is None else self.errors[which])

    def _scaled(self, factor: float) -> Range:
        return Range(self.cards, self.weights * factor, None if self.errors is None else self.errors * factor)

    # --- looking at a range -------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether the weights are exact and not sampled."""
        return self.errors is None

    @property
    def palace_cards(self) -> int:
        """Cards of each palace, 1 to 3."""
        return int(self.cards[0]).bit_count()

    @property
    def shares(self) -> np.ndarray:
        """Weights as shares of their sum, (m,) float64."""
        return self.weights / self.weights.sum()

    @property
    def effective(self) -> float:
        """How many equally likely palaces would be as uncertain: exp of the entropy of the shares."""
        shares = self.shares
        shares = shares[shares > 0]
        return math.exp(-float((shares * np.log(shares)).sum()))

    def probability(self, what: RangeLike | list[Any]) -> float:
        """Return the share of the weight that lies on some of the palaces.

        Parameters
        ----------
        what : condition, text, list of cards, dict or Range
            The palaces: where a condition in Python holds, those of a range, or those that hold all cards of a list.
            Weights in it say which palaces are meant (above 0), and nothing more.

        Returns
        -------
        float
            0 to 1; an estimate where the range is not `exact`.

        Examples
        --------
        >>> flushes = Range.text("suited")
        >>> flushes.probability(["As"]), flushes.probability("AsKsQs")      # C(12, 2) and 1 of 1,144
        (0.057692307692307696, 0.0008741258741258741)
        """
        if isinstance(what, (list, tuple)):
            held = card_set(what)
            inside = self.cards & held == held
        elif isinstance(what, (Range, str, Mapping)):
            named = as_range(what, "what", self.palace_cards)
            assert named is not None
            inside = np.isin(self.cards, named.cards, assume_unique=True)
        else:
            inside = judged(what, self.cards, "what") > 0
        return float(self.weights[inside].sum() / self.weights.sum())

    def sample(self, n: int, seed: int = 0) -> np.ndarray:
        """Draw palaces, each with the chance of its share.

        Parameters
        ----------
        n : int
            How many, 0 or more.
        seed : int
            Key of the draws; the first n are the same for any larger n.

        Returns
        -------
        (n, k) int64 array
            Card ids, the highest first.

        Examples
        --------
        >>> Range.text("AsKsQs").sample(2, seed=1).tolist()
        [[51, 47, 43], [51, 47, 43]]
        """
        from palace_sim.kernels.showdown import draw_picks

        picks = np.empty(whole("n", n, 0, 1 << 31), np.int64)
        draw_picks(np.empty(4, np.int64), whole("seed", seed, 0, MAX_SEED), np.cumsum(self.weights), picks)
        return palace_ids(self.cards[picks]) if n else np.empty((0, self.palace_cards), np.int64)

    def frame(self, head: int | None = None) -> pd.DataFrame:
        """Return the range as a table, the likeliest palace first (those alike: the highest cards first).

        Parameters
        ----------
        head : int, optional
            Only so many rows.

        Returns
        -------
        DataFrame
            Columns ``palace`` (text), ``weight``, ``share`` (of the sum, 0 to 1); where the weights were sampled also
            ``se``, the standard error of the weight.

        Examples
        --------
        >>> Range.text("AsAdAh, KsKdKh: 0.5").frame()["weight"].tolist()
        [1.0, 0.5]
        """
        return as_frame(self, head)

    def __len__(self) -> int:
        return len(self.cards)

    def __eq__(self, other: object) -> bool:
        """Whether the two have the same palaces, weights and errors."""
        if not isinstance(other, Range):
            return NotImplemented
        same = np.array_equal(self.cards, other.cards) and np.array_equal(self.weights, other.weights)
        if self.errors is None or other.errors is None:
            return same and self.errors is other.errors
        return same and np.array_equal(self.errors, other.errors)

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to

    def __repr__(self) -> str:
        return f"<Range: {headline(self)}>"

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def as_range(thing: RangeLike | None, what: str = "range", palace_cards: int | None = None) -> Range | None:
    """Return a range for what a function was given: a Range, its text, explicit palaces or a condition.

    Parameters
    ----------
    thing : Range, str, dict, callable or None
        As for `Range.text`, `Range.combos` and `Range.where`; None stays None.
    what : str
        What to call it in an error.
    palace_cards : int, optional
        Cards of a palace; None for 3, and any in a `Range` or a dict.

    Raises
    ------
    ValueError
        It is no range, or palaces are of another size.
    TypeError
        It is nothing of this kind.

    Examples
    --------
    >>> as_range("trips")
    <Range: 52 palaces, as varied as 52.0 equally likely>
    """
    if thing is None:
        return None
    if isinstance(thing, str):
        return Range.text(thing, MOST if palace_cards is None else palace_cards, what)
    if isinstance(thing, Mapping | list):
        thing = Range.combos(thing, what)
    elif callable(thing):
        return Range.where(thing, MOST if palace_cards is None else palace_cards, what)
    if not isinstance(thing, Range):
        raise TypeError(f"{what} takes a Range, text like 'pairs, A*: 0.5', a dict or a condition, got {thing!r}")
    if palace_cards is not None and thing.palace_cards != palace_cards:
        raise ValueError(f"{what} takes palaces of {palace_cards} cards, got a range over {thing.palace_cards}")
    return thing
