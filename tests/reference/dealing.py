"""The deal, card by card: R4 and R6-R9 over the streams of version 1."""

from .evaluator import DECK, RANKS, in_order
from .streams import DEALING, RESHUFFLES, Bag, Stream
from .table import DEFAULTS


def deck_of(rules):
    """The cards of the game, ascending.

    >>> len(deck_of({})), deck_of({"deck": "As Ah 2c"})
    (52, ['2c', 'Ah', 'As'])
    """
    deck = rules.get("deck")
    return list(DECK) if deck is None else in_order(deck.split() if isinstance(deck, str) else deck)


def draw_for_dealer(deck, seats, seed, deal):
    """R4.

    >>> draw_for_dealer(DECK, 4, seed=1, deal=0) in range(4)
    True
    """
    stream = Stream(seed, deal, DEALING, 0)
    if len({card[0] for card in deck}) == 1:
        return stream.below(seats)  # the cards would never decide
    bag, contenders = Bag(deck), list(range(seats))
    while True:
        if len(bag) < len(contenders):
            bag = Bag(deck)
        drawn = {seat: RANKS.index(bag.draw(stream)[0]) for seat in contenders}
        contenders = [seat for seat in contenders if drawn[seat] == max(drawn.values())]
        if len(contenders) == 1:
            return contenders[0]


def deal_banners(deck, seats, stream):
    """R6 and R7: the banners in dealing order, and the cards left for R8.

    >>> banners, rest = deal_banners(DECK, 5, Stream(1, 0, DEALING, 1))
    >>> len({banner[1] for banner in banners[:4]}), len(rest)
    (4, 47)
    """
    bag, set_aside, banners = Bag(deck), [], []
    for place in range(seats):
        group = banners[place - place % 4 :]
        taken = {banner[1] for banner in group}
        if all(card[1] in taken for card in [*bag.things, *set_aside]):
            raise ValueError("R6: the deck has no banner for every seat")
        while True:
            if not len(bag):
                bag, set_aside = Bag(in_order(set_aside)), []
            card = bag.draw(stream)
            if card[1] not in taken:
                break
            set_aside.append(card)
        banners.append(card)
    return banners, in_order([*bag.things, *set_aside])


def deal(rules, seats, seed, deal, dealer=None):
    """The cards of one deal.

    Parameters
    ----------
    rules : dict
        Options of `Rules`; those left out have their default.
    seats : int
    seed, deal : int
    dealer : int, optional
        None: drawn for (R4).

    Returns
    -------
    tuple
        `(dealer, banners, palaces, draw_pile)`, the lists by seat and the draw pile top first.

    Examples
    --------
    >>> dealer, banners, palaces, draw_pile = deal({}, 4, seed=1, deal=0)
    >>> len(banners), [len(palace) for palace in palaces], len(draw_pile)
    (4, [3, 3, 3, 3], 36)
    """
    rules = {**DEFAULTS, **rules}
    deck = deck_of(rules)
    if len(deck) < seats * (1 + rules["palace_cards"]):
        raise ValueError("R8: the deck is too small for all palaces")
    if dealer is None:
        dealer = draw_for_dealer(deck, seats, seed, deal)
    order = [(dealer + 1 + k) % seats for k in range(seats)]
    stream = Stream(seed, deal, DEALING, 1)
    dealt, rest = deal_banners(deck, seats, stream)
    bag, palaces = Bag(rest), [[] for _ in range(seats)]
    for _ in range(rules["palace_cards"]):
        for seat in order:
            palaces[seat].append(bag.draw(stream))
    banners = [dealt[order.index(seat)] for seat in range(seats)]
    return dealer, banners, palaces, bag.all(stream)


class Reshuffler:
    """The reshuffles of one hand (R13), to be given to a `Referee`.

    Examples
    --------
    >>> sorted(Reshuffler(1, 0)(["2c", "2d"]))
    ['2c', '2d']
    """

    def __init__(self, seed, deal):
        self.seed, self.deal, self.count = seed, deal, 0

    def __call__(self, cards):
        stream = Stream(self.seed, self.deal, RESHUFFLES, self.count)
        self.count += 1
        return Bag(cards).all(stream)
