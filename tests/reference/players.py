"""Random rules and random moves, to reach every corner of the game."""

from itertools import combinations

from .evaluator import DECK, RANKS, SUITS, card_id, evaluate, in_order

# By these, a hand of ten lasts long enough to shuffle the discard pile a few times.
LASTING = {
    "turn": {"buy": 8, "stay": 3, "discard": 2, "attack": 2, "fold": 0.4},
    "respond": {"call": 3, "raise": 3, "fold": 1.5},
    "keep": {"keep": 1},
}
UNIFORM = {phase: dict.fromkeys(verbs, 1) for phase, verbs in LASTING.items()}


def random_rules(rng):
    """Options of `Rules`, every one of them drawn, and a number of seats that they can seat.

    Parameters
    ----------
    rng : random.Random

    Returns
    -------
    tuple
        `(rules, seats)`.

    Examples
    --------
    >>> import random
    >>> rules, seats = random_rules(random.Random(1))
    >>> rules["structure"] in ("limit", "no_limit"), 2 <= seats <= 10
    (True, True)
    """
    seats = rng.randint(2, 10)
    structure = rng.choice(["limit", "no_limit"])
    small = rng.choice([1, 2, 3, 5, 7, 10, 10, 10])
    stacks = [1, 7, 12, 25, 40, 75, 150, 400, 1000, 100_000]
    rules = {
        "small_bet": small,
        "large_bet": rng.choice([2 * small, 2 * small, 3 * small, small, 1, 2 * small + 1]),
        "ante": rng.choice([None, None, 0, 1, 3, small, 4 * small]),
        "structure": structure,
        "stack": rng.choice(stacks if structure == "no_limit" else [None, None, None, *stacks]),
        "max_raises": rng.choice([0, 1, 2, 3, 3, 4]),
        "max_soldiers": rng.choice([0, 1, 2, 3, 4, 5, 5, 5]),
        "blocked": rng.choice(["suit", "suit", "rank", "none"]),
        "last_two": rng.choice(["battle", "battle", "showdown"]),
        "bare_raise": rng.choice(["small", "double"]),
        "max_turns": rng.choice([1000] * 24 + [1, 2, 3, 7, 20, 60]),
        "palace_cards": rng.choice([3] * 6 + [1, 2]),
        "max_buys": rng.choice([None] * 6 + [0, 1, 2, 4]),
        "deck": None,
    }
    if rng.random() < 0.25:
        rules["deck"] = random_deck(rng, seats, rules["palace_cards"])
    return rules, seats


def random_deck(rng, seats, palace_cards):
    """A subset of the cards from which every group of R6 and all palaces can be dealt, ascending.

    >>> import random
    >>> 8 <= len(random_deck(random.Random(1), seats=2, palace_cards=3)) <= 52
    True
    """
    need = seats * (1 + palace_cards)
    while True:
        kind = rng.choice(["any", "least", "ranks", "ranks", "suits"])
        if kind == "ranks":
            few = -(-need // 4)
            ranks = rng.sample(RANKS, rng.choice([few, min(13, few + 1), rng.randint(few, 13)]))
            deck = [card for card in DECK if card[0] in ranks]
        elif kind == "suits":
            suits = rng.sample(SUITS, rng.randint(2, 4))
            deck = [card for card in DECK if card[1] in suits]
        else:
            deck = rng.sample(DECK, need if kind == "least" else rng.randint(need, 52))
        if len(deck) >= need and _banners_for_all(deck, seats):
            return in_order(deck)


def _banners_for_all(deck, seats):
    whole, rest = divmod(seats, 4)
    of_suit = [sum(card[1] == suit for card in deck) for suit in SUITS]
    return min(of_suit) >= whole and sum(count > whole for count in of_suit) >= rest


def random_move(hand, rng, weights=LASTING):
    """A legal move for the one to act: the verb by weight, then its arguments.

    Parameters
    ----------
    hand : Referee
        Or anything with its attributes.
    rng : random.Random
    weights : dict of str to dict of str to float
        By phase and verb; `UNIFORM` for verbs that are equally likely.

    Returns
    -------
    tuple
        `(method name, arguments...)`, as in `getattr(hand, name)(*arguments)`.

    Examples
    --------
    >>> import random
    >>> from .referee import Referee
    >>> hand = Referee({}, ["As", "Kd"], [["2c"], ["3c"]], ["4c"], dealer=0)
    >>> random_move(hand, random.Random(1))[0] in ("attack", "buy", "fold", "stay")
    True
    """
    verbs = sorted(hand.legal())
    verb = rng.choices(verbs, [weights[hand.phase][v] for v in verbs])[0]
    if verb == "attack":
        least, all_in = hand.price, _chips(hand)
        return ("attack", rng.choice(hand.targets), *_random_amount(hand, rng, least, all_in))
    if verb == "raise":
        all_in = None if _chips(hand) is None else _chips(hand) - hand.price
        return ("raise_", *_random_amount(hand, rng, hand.min_raise, all_in))
    if verb == "discard":
        soldiers = in_order(hand.soldiers[hand.to_act])
        return "discard", rng.sample(soldiers, rng.randint(1, len(soldiers)))
    if verb == "keep":
        soldiers = in_order(hand.soldiers[hand.to_act])
        most = min(len(soldiers), hand.rules["max_soldiers"])
        count = most if rng.random() < 0.6 else rng.randint(0, most)
        return "keep", rng.sample(soldiers, count)
    return (verb,)


def _chips(hand):
    return None if hand.chips is None else hand.chips[hand.to_act]


def _random_amount(hand, rng, least, most):
    if rng.random() < 0.3:
        return ()  # the least, unnamed
    if hand.rules["structure"] == "limit":
        return (least,)
    small = min(most, 4 * least)
    return (rng.choice([least, most, rng.randint(least, small), rng.randint(least, most)]),)


def best_keep(hand):
    """What `keep="best"` keeps: all that fit, else those whose hand with banner and palace ranks highest (R33).

    Ties go to more cards of the banner's suit, then to the higher ids, compared from the highest down.

    >>> from .referee import Referee
    >>> hand = Referee({"max_soldiers": 1}, ["As", "Kd"], [["2c"], ["3c"]], ["4c", "5c", "2d"], dealer=1)
    >>> hand.buy()
    >>> best_keep(hand)
    ['4c']
    """
    seat, most = hand.to_act, hand.rules["max_soldiers"]
    soldiers, banner = in_order(hand.soldiers[seat]), hand.banners[seat]
    if len(soldiers) <= most:
        return soldiers

    def merit(kept):
        ids = sorted(map(card_id, kept), reverse=True)
        return evaluate([banner, *hand.palaces[seat], *kept]), sum(c[1] == banner[1] for c in kept), ids

    return list(max(combinations(soldiers, most), key=merit))
