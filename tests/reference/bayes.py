"""What a player may hold, by Bayes' rule over every deal there is: each is refereed move by move."""

import copy
import random
from collections import Counter
from functools import cached_property
from itertools import combinations, pairwise, permutations
from math import comb, prod

from .dealing import Reshuffler
from .evaluator import DECK, in_order
from .players import random_move
from .referee import Referee


def split(cards, seats, size):
    """All ways to deal palaces, and what is left."""
    if seats == 0:
        yield [], cards
        return
    for palace in combinations(in_order(cards), size):
        for others, rest in split([card for card in cards if card not in palace], seats - 1, size):
            yield [palace, *others], rest


class Scripted(Referee):
    """A referee whose reshuffles come out in an order set before."""

    order = None

    def _shuffle_discards(self):
        self._reshuffle = lambda cards: self.order
        super()._shuffle_discards()


def public(world):
    """What everybody sees."""
    piles = len(world.draw_pile), len(world.discard_pile)
    soldiers = [sorted(cards) for cards in world.soldiers]
    return world.phase, world.to_act, world.pot, world.nets, list(world.active), soldiers, piles


def plain(world, move):
    """A move with its amount and its cards in one form."""
    name, *rest = move
    if name == "attack":
        return name, rest[0], rest[1] if len(rest) > 1 else world.price
    if name == "raise_":
        return name, rest[0] if rest else world.min_raise
    return (name, *(tuple(in_order(cards)) for cards in rest))


def made(name, *rest):
    """A move as arguments of a referee's, or a `Hand`'s, methods."""
    return name, [list(x) if isinstance(x, tuple) else x for x in rest]


class Story:
    """A random hand in which one seat plays by a model, up to where it is as wanted.

    Parameters
    ----------
    rules : dict
    seats, size : int
        Players, and cards of the deck.
    seat : int
        Who plays by the model.
    chances : callable
        Takes a referee's hand, gives a list of (move, probability) of the seat to act.
    wanted : callable
        Takes a referee's hand, says whether to stop here.
    seed : int
    weights : dict
        Of verbs, for the others (`players.random_move`).
    """

    def __init__(self, rules, seats, size, seat, chances, wanted, seed, weights):
        chance = random.Random(seed)
        palace = rules.get("palace_cards", 3)
        while True:
            cards = chance.sample(DECK, size)
            cut = [seats + palace * i for i in range(seats + 1)]
            self.banners, self.pile = cards[:seats], cards[cut[-1] :]
            self.palaces = [cards[a:b] for a, b in pairwise(cut)]
            self.rules, self.seat, self.chances, self.dealer = rules, seat, chances, seats - 1
            self.seed = chance.randrange(1000)
            self.hidden = cards[seats:]
            self.moves, self.seen = [], []
            true = self.true = Referee(
                rules, self.banners, self.palaces, self.pile, self.dealer, Reshuffler(self.seed, 0)
            )
            while true.phase != "over" and len(self.moves) < 30:
                if true.to_act == seat:
                    moves, odds = zip(*chances(true), strict=True)
                    move = chance.choices(moves, odds)[0]
                else:
                    move = random_move(true, chance, weights)
                move = plain(true, move)
                self.moves.append((true.to_act, move))
                name, arguments = made(*move)
                getattr(true, name)(*arguments)
                self.seen.append(public(true))
                if true.phase != "over" and true.active[seat] and wanted(true):
                    return

    @cached_property
    def ends(self):
        """Every deal in which all comes out as it did in public, at the end of the story, with its weight."""
        ends = []
        drawn = self.pile[: sum(move[0] == "buy" for _, move in self.moves)]  # the same in each; the rest in any order
        cards = [card for card in self.hidden if card not in drawn]
        for palaces, rest in split(cards, len(self.banners), len(self.palaces[0])):
            worlds = [(Scripted(self.rules, self.banners, palaces, [*drawn, *rest], self.dealer), 1.0)]
            for (to_act, move), seen in zip(self.moves, self.seen, strict=True):
                worlds = [w for world, weight in worlds for w in self._step(world, weight, to_act, move, seen)]
            ends += worlds
        return ends

    def weights(self, observer):
        """Weight of every palace of the seat, as {frozenset of cards: deals, each times the chance of the moves}."""
        weights = Counter()
        for world, weight in self.ends:
            if self._fits(world, observer):
                weights[frozenset(world.palaces[self.seat])] += weight
        return weights

    def posterior(self, observer):
        """Share of every palace of the seat."""
        weights = self.weights(observer)
        total = sum(weights.values())
        return {palace: weight / total for palace, weight in weights.items()}

    def likelihood(self, observer):
        """Chance that all came out as it did for every palace of the seat; before any reshuffle.

        With one palace given, all ways to deal the cards not seen to the other hidden palaces are as likely.
        """
        size, hidden = len(self.palaces[0]), self._hidden(observer)
        known = 0 if observer is None else 1 + len(self.true._learnt[observer]) // size
        left = len(hidden) - size
        deals = prod(comb(left - size * k, size) for k in range(len(self.banners) - 1 - known))
        return {palace: weight / deals for palace, weight in self.weights(observer).items()}

    def without_moves(self, observer):
        """How many palaces the seat can have, by the cards that the observer has seen alone."""
        return comb(len(self._hidden(observer)), len(self.palaces[0]))

    def _hidden(self, observer):
        known = set() if observer is None else self.true.seen(observer)
        return set(self.hidden) - self.true._face_up - known

    def _step(self, world, weight, to_act, move, seen):
        if to_act == self.seat:
            weight *= sum(chance for told, chance in self.chances(world) if plain(world, told) == move)
            if weight == 0:
                return
        orders = [None]
        if move[0] == "buy" and not world.draw_pile:
            orders = list(permutations(world.discard_pile))
        for order in orders:
            branch = copy.deepcopy(world) if len(orders) > 1 else world
            branch.order = order
            name, arguments = made(*move)
            getattr(branch, name)(*arguments)
            if public(branch) == seen:
                yield branch, weight / len(orders)

    def _fits(self, world, observer):
        """Whether the observer knows the same as in the true hand."""
        if observer is None:
            return True
        same = set(world.palaces[observer]) == set(self.palaces[observer])
        return same and world._learnt[observer] == self.true._learnt[observer]
