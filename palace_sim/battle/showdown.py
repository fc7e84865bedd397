"""Showdown odds (R33): what share of the pot several players can expect, all cards counting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.arguments import whole
from palace_sim.battle.ranges import MAX_SEED, Range, RangeLike, as_range
from palace_sim.cards import Cards, card_set, parse_cards
from palace_sim.formats import shown
from palace_sim.hand.positions import PlayerCards, listed, parse_player, refuse_repeats, refuse_strange
from palace_sim.hand.recording import word, words
from palace_sim.kernels.deal import card_bit
from palace_sim.kernels.knowledge import seen_by
from palace_sim.kernels.rng import SAMPLING, open_stream
from palace_sim.kernels.showdown import MOST_TRIES, POT, SHOWDOWN_DRAWS, add_shares, draw_hands, share_pots
from palace_sim.kernels.state import deck_set
from palace_sim.rules import MAX_SEATS, Rules, as_rules
from palace_sim.statistics.intervals import mean_se
from palace_sim.statistics.proportions import score_interval

if TYPE_CHECKING:
    import pandas as pd

    from palace_sim.hand import Hand

METHODS = ("auto", "exact", "sample")
FEW = 50_000  # completions that "auto" goes through one by one
MOST_EXACT = 5_000_000  # and "exact" at most
MOST_SAMPLES = 1 << 30  # sums of squared shares stay below 2^53, so they are exact
BLOCK = 1 << 14  # samples drawn from one stream; part of what a seed means
AT_ONCE = 1 << 20  # candidates of an enumeration held in memory
Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True)
class _Player:
    """A player at the showdown: cards as sets, and how many of the palace are hidden."""

    name: int
    banner: int
    palace: int
    soldiers: int
    hidden: int

    @property
    def known(self) -> int:
        return int(card_bit(self.banner)) | self.palace | self.soldiers

    @property
    def text(self) -> str:
        palace, soldiers = ("".join(words(cards)[::-1]) for cards in (self.palace, self.soldiers))
        return f"{word(self.banner)}/{palace}{'?' * self.hidden}/{soldiers}"


def showdown_odds(
    players: Iterable[PlayerCards],
    dead: Cards = "",
    rules: Rules | None = None,
    ranges: Mapping[int, RangeLike] | None = None,
    method: str = "auto",
    samples: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Odds of a showdown: who has the best five of all cards, and so what share of the pot (R33).

    Banners block nothing here, not even between two players; where R34 has the last two compared as in a battle, battle
    odds say what will be.

    Parameters
    ----------
    players : list of str
        2 to 10 players as "banner/palace/soldiers"; "?", or a palace with too few cards, stands for hidden cards.
    dead : cards
        Cards that nobody can hold.
    rules : Rules, optional
        None for the default rules; those that matter are ``deck``, ``palace_cards`` and ``max_soldiers``.
    ranges : dict, optional
        What hidden palaces may be, ``{player: range}`` with players counted from 0: a `Range`, its text ("pairs, A*"),
        explicit palaces or a condition. Combinations of palaces that share no card weigh by the product of their
        weights; the other hidden cards may be any that are left, alike.
    method : {"auto", "exact", "sample"}
        Go through all completions, or draw some; "auto" draws where there may be more than 50,000.
    samples : int
        How many are drawn, 1 or more.
    seed : int
        Key of the draws.

    Returns
    -------
    DataFrame
        A row a player: ``player``, ``cards``, ``win`` (alone best), ``tie`` (among the best), ``loss`` (the three add
        up to 1), ``equity`` (mean share of the pot, 0 to 1; all add up to 1), ``se``, ``ci_low`` and ``ci_high`` (its
        standard error and 95 % interval), ``n`` (completions or samples) and ``exact``. Exact figures have se 0; where
        a range was itself sampled, they are not called exact, and its error is in theirs.

    Raises
    ------
    ValueError
        An argument is not what it should be, a card is there twice, or ranges leave no combination; named.

    Notes
    -----
    Pots are counted in 2,520ths, which 1 to 10 players share without a rest, so sums of samples are exact. Intervals
    are `palace_sim.statistics.score_interval`, honest near 0 and 1.

    Examples
    --------
    >>> odds = showdown_odds(["As/AhKd9c/", "Ks/QsJs3h/Ts", "2d/2c2h7d/5h"])
    >>> odds[["win", "tie", "equity", "exact"]].values.tolist()
    [[0.0, 0.0, 0.0, True], [0.0, 0.0, 0.0, True], [1.0, 0.0, 1.0, True]]
    >>> odds = showdown_odds(["As/AhKd9c/", "Ks/?/Ts"], ranges={1: "pairs, three spades: 0.5"}, seed=1)
    >>> int(odds.n[0]), bool(odds.exact[0])      # 2,614 pairs and C(10, 3) palaces of three spades are left
    (2734, True)
    """
    rules = as_rules(rules)
    given = listed("players", players)
    whole("the number of players", len(given), 2, MAX_SEATS)
    seated, named = [], []
    for i, cards in enumerate(given):
        banner, palace, soldiers = parse_player(cards, rules.palace_cards, f"players[{i}]")
        if len(soldiers) > rules.max_soldiers:
            raise ValueError(
                f"players[{i}]: {len(soldiers)} soldiers are more than the {rules.max_soldiers} that may remain (R12)"
            )
        named.append((f"players[{i}]", [banner, *palace, *soldiers]))
        seated.append(_Player(i, banner, card_set(palace), card_set(soldiers), rules.palace_cards - len(palace)))
    named.append(("dead", parse_cards(dead, name="dead")))
    refuse_repeats(*named)
    refuse_strange(rules, *named)
    pool = deck_set(rules) & ~card_set([card for _, cards in named for card in cards])
    return _Showdown(seated, pool, rules, ranges).odds(method, samples, seed)


def seat_showdown(
    hand: Hand,
    seat: int | None = None,
    ranges: Mapping[int, RangeLike] | None = None,
    method: str = "auto",
    samples: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Odds of a showdown of all players still in a hand, from what a seat knows.

    Parameters
    ----------
    hand : Hand
        A hand that is not over.
    seat : int, optional
        Who looks (R28); None for the seat to act. Hidden cards of the hand play no part.
    ranges, method, samples, seed
        As for `showdown_odds`, players being seats.

    Returns
    -------
    DataFrame
        As from `showdown_odds`, ``player`` being the seat.

    Raises
    ------
    ValueError
        The hand is over, or an argument is not what it should be; named.

    Examples
    --------
    >>> from palace_sim import Hand
    >>> hand = Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None], pot=60)
    >>> odds = seat_showdown(hand)
    >>> odds.cards.tolist(), int(odds.n[0])     # C(52 - 8, 3) completions
    (['As/KsKd9c/5s', '2h/???/TdTc'], 13244)
    """
    if not hasattr(hand, "record"):
        raise TypeError(f"hand takes a palace_sim.Hand, got {hand!r}")
    if hand.over:
        raise ValueError("hand is over: there is no showdown to come")
    record = hand.record
    seat = int(record.to_act) if seat is None else whole("seat", seat, 0, hand.seats - 1, "a seat")
    seated = []
    for other in range(hand.seats):
        player = record.players[other]
        if player.active:
            palace = int(record.palace[other]) if other == seat else 0
            hidden = 0 if other == seat else hand.rules.palace_cards
            seated.append(_Player(other, int(player.banner), palace, int(player.soldiers), hidden))
    pool = int(record.deck) & ~int(seen_by(record, seat))
    return _Showdown(seated, pool, hand.rules, ranges).odds(method, samples, seed)


class _Showdown:
    """A showdown: its players, the cards that may be hidden, and the ranges of some players, by their place."""

    def __init__(self, players: list[_Player], pool: int, rules: Rules, ranges: Mapping[int, RangeLike] | None) -> None:
        self.players, self.pool = players, pool
        self.ranges = self._as_ranges({} if ranges is None else ranges, rules.palace_cards)
        need, left = sum(player.hidden for player in players), pool.bit_count()
        if need > left:
            raise ValueError(f"players hide {need} cards, but only {left} of the deck are not named")

    def _as_ranges(self, ranges: Any, palace_cards: int) -> dict[int, Range]:
        if not isinstance(ranges, Mapping):
            raise TypeError(f"ranges takes {{player: range}}, like {{1: 'pairs, A*'}}, got {ranges!r}")
        places = {player.name: place for place, player in enumerate(self.players)}
        found = {}
        for name, given in ranges.items():
            if isinstance(name, bool) or name not in places:
                raise ValueError(f"ranges: {name!r} is no player; there are: {', '.join(map(str, places))}")
            read = as_range(given, f"ranges[{name}]", palace_cards)
            if read is not None:
                player = self.players[places[name]]
                within = read.within(self.pool, player.palace, f"ranges[{name}]")
                if player.hidden:
                    found[places[name]] = within
        return dict(sorted(found.items()))

    def odds(self, method: Any, samples: int, seed: int) -> pd.DataFrame:
        """Find the odds by a method, and put them into a table."""
        if method not in METHODS:
            raise ValueError(f"method takes one of {', '.join(map(repr, METHODS))}, got {method!r}")
        samples, seed = whole("samples", samples, 1, MOST_SAMPLES), whole("seed", seed, 0, MAX_SEED)
        many = self._completions()
        if method == "exact" and many > MOST_EXACT:
            raise ValueError(f"method='exact' goes through {MOST_EXACT:,} completions at most, and here are {many:,}")
        counted = _Counted(self)
        exact = method == "exact" or method == "auto" and many <= FEW
        if exact:
            for hands, weights in self._all():
                counted.add(hands, weights)
            if not counted.n:
                raise ValueError("ranges: no combination of palaces is left in which no two share a card")
        else:
            for hands in self._drawn(samples, seed):
                counted.add(hands, np.ones(len(hands)))
        return counted.table(exact)

    def _completions(self) -> int:
        """Bound of the number of completions; exact where one player at most has a range."""
        many = math.prod(len(range_) for range_ in self.ranges.values())
        left = self.pool.bit_count() - sum(self.players[place].hidden for place in self.ranges)
        for place, player in enumerate(self.players):
            if place not in self.ranges:
                many *= math.comb(left, player.hidden)
                left -= player.hidden
        return many

    def _all(self) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """Go through all completions: all cards of each player (n, players), and weights (n,)."""
        start = np.array([[player.known for player in self.players]], np.int64)
        uniform = [place for place, p in enumerate(self.players) if p.hidden and place not in self.ranges]
        return self._filled(start, np.ones(1), [*self.ranges, *uniform])

    def _filled(
        self, hands: np.ndarray, weights: np.ndarray, places: list[int]
    ) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """Give the players at these places all palaces that they may have beside the others'."""
        if not places:
            yield hands, weights
            return
        place, rest = places[0], places[1:]
        sets, chances = self._candidates(place)
        step = max(1, AT_ONCE // len(sets))
        for begin in range(0, len(hands), step):
            some = hands[begin : begin + step]
            held = np.bitwise_or.reduce(some, axis=1) & ~self.players[place].known
            row, column = np.nonzero(held[:, None] & sets[None, :] == 0)
            filled = some[row]
            filled[:, place] |= sets[column]
            yield from self._filled(filled, weights[begin : begin + step][row] * chances[column], rest)

    def _candidates(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        if place in self.ranges:
            return self.ranges[place].cards, self.ranges[place].weights
        bits = [1 << bit for bit in range(61) if self.pool >> bit & 1]
        size = self.players[place].hidden
        flat = np.fromiter(chain.from_iterable(combinations(bits, size)), np.int64, math.comb(len(bits), size) * size)
        sets = np.bitwise_or.reduce(flat.reshape(-1, size), axis=1)
        return sets, np.ones(len(sets))

    def _drawn(self, samples: int, seed: int) -> Iterable[np.ndarray]:
        """Draw completions: all cards of each player (n, players), a block at a time."""
        fixed = np.array([player.known for player in self.players], np.int64)
        ranged = [self.ranges.get(place) for place in range(len(self.players))]
        hidden = np.array([0 if r else p.hidden for r, p in zip(ranged, self.players, strict=True)], np.int64)
        first = np.cumsum([0, *(0 if r is None else len(r) for r in ranged)], dtype=np.int64)
        sets = np.concatenate([np.empty(0, np.int64), *(r.cards for r in ranged if r)])
        sums = np.concatenate([np.empty(0), *(np.cumsum(r.weights) for r in ranged if r)])
        stream, pile = np.empty(4, np.int64), np.empty(52, np.int64)
        for block, begin in enumerate(range(0, samples, BLOCK)):
            open_stream(stream, seed, block, SAMPLING, SHOWDOWN_DRAWS, 0)
            hands = np.empty((min(BLOCK, samples - begin), len(fixed)), np.int64)
            if not draw_hands(stream, fixed, hidden, self.pool, sets, sums, first, pile, hands):
                raise ValueError(
                    f"ranges: in {MOST_TRIES:,} tries no combination of palaces came up in which no two share a card; "
                    "give fewer or wider ranges"
                )
            yield hands


class _Counted:
    """Sums over completions, weighted or not, and what they say."""

    def __init__(self, showdown: _Showdown) -> None:
        self.players, self.ranges = showdown.players, showdown.ranges
        size = len(self.players)
        self.n = 0
        self.total = 0.0
        self.sums = np.zeros((4, size))  # wins, ties, shares, squares of shares; whole ones are exact below 2^53
        sampled = {place: range_ for place, range_ in self.ranges.items() if not range_.exact}
        self.of_palace = {place: np.zeros((size + 1, len(range_))) for place, range_ in sampled.items()}

    def add(self, hands: np.ndarray, weights: np.ndarray) -> None:
        """Count completions in, each with its weight."""
        shares = np.empty_like(hands)
        share_pots(hands, shares)
        add_shares(shares, weights, self.sums)
        self.n += len(hands)
        self.total += float(weights.sum())
        for place, sums in self.of_palace.items():
            player = self.players[place]
            which = np.searchsorted(self.ranges[place].cards, hands[:, place] & ~(player.known & ~player.palace))
            for k, values in enumerate([weights, *(weights * shares.T)]):
                sums[k] += np.bincount(which, values, sums.shape[1])

    def _from_ranges(self, equity: np.ndarray) -> np.ndarray:
        """Standard error of each equity that comes from errors of sampled ranges.

        With equity E = Σ s/Σ w over completions, w and s falling to palace a of one player together being W and S, the
        derivative of E with respect to the weight v of that palace is (S − E·W)/(v·Σ w): the delta method, palaces'
        errors taken as independent.
        """
        variance = np.zeros(len(self.players))
        for place, sums in self.of_palace.items():
            range_ = self.ranges[place]
            slope = (sums[1:] / POT - equity[:, None] * sums[0]) / (range_.weights * self.total)
            variance += ((slope * range_.errors) ** 2).sum(axis=1)
        return np.sqrt(variance)

    def table(self, exact: bool) -> pd.DataFrame:
        """Make the table; `exact` where all completions were gone through."""
        import pandas as pd

        win, tie, share, square = self.sums
        equity = np.minimum(share / (POT * self.total), 1.0)  # weights' sums are rounded
        low = high = equity
        se = np.zeros(len(equity))
        if not exact:
            sums = zip(share, square, strict=True)
            se = np.array([mean_se(int(total), int(square), self.n, POT)[1] for total, square in sums])
            low, high = score_interval(equity, se * se * self.n, self.n)
        of_ranges = self._from_ranges(equity)
        # Both errors in one interval (G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702)
        low = np.maximum(equity - np.hypot(equity - low, Z * of_ranges), 0.0)
        high = np.minimum(equity + np.hypot(high - equity, Z * of_ranges), 1.0)
        made = pd.DataFrame(
            {
                "player": [player.name for player in self.players],
                "cards": [player.text for player in self.players],
                "win": np.minimum(win / self.total, 1.0),
                "tie": np.minimum(tie / self.total, 1.0),
                "loss": np.maximum((self.total - win - tie) / self.total, 0.0),
                "equity": equity,
                "se": np.hypot(se, of_ranges),
                "ci_low": low,
                "ci_high": high,
                "n": self.n,
                "exact": exact and not self.of_palace,
            }
        )
        return shown(made)
