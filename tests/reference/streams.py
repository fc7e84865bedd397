"""The random streams, version 1, in plain integers: what decides every card and every choice.

`numpy.random.Philox` does the block function; it is an independent implementation of Philox4x64-10.
"""

import numpy as np

VERSION = 1
DEALING, RESHUFFLES, CHOICES, SEATING = range(4)  # purposes: the second word of the counter
_WORD = 1 << 64
_HALF = 1 << 32


def block(key, counter):
    """The four output words of Philox4x64-10 for a key of two words and a counter of four.

    Random123's published answer for a block of zeros:

    >>> [hex(word) for word in block((0, 0), (0, 0, 0, 0))]  # doctest: +NORMALIZE_WHITESPACE
    ['0x16554d9eca36314c', '0xdb20fe9d672d0fdc', '0xd7e772cee186176b', '0x7e68b68aec7ba23b']
    """
    number = sum(word << (64 * k) for k, word in enumerate(counter))
    before = (number - 1) % (1 << 256)  # numpy counts up before its first block
    generator = np.random.Philox(counter=before, key=sum(word << (64 * k) for k, word in enumerate(key)))
    return [int(word) for word in generator.random_raw(4)]


def _turned(word, by):
    return ((word << by) | (word >> (64 - by))) % _WORD


class Stream:
    """A xoshiro256++ generator whose state is one Philox block.

    Examples
    --------
    >>> stream = Stream(1, 0, DEALING, 1)
    >>> stream.below(1), 0 <= stream.below(52) < 52
    (0, True)
    """

    def __init__(self, seed, deal, purpose, index=0, salt=0):
        words = (word % _WORD for word in (deal, purpose, index, salt))
        self.state = block((seed % _WORD, VERSION), tuple(words))
        if not any(self.state):
            self.state[0] = 1

    def word(self):
        """The next 64 bits."""
        a, b, c, d = self.state
        result = (_turned((a + d) % _WORD, 23) + a) % _WORD
        shifted = (b << 17) % _WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        self.state = [a, b, c ^ shifted, _turned(d, 45)]
        return result

    def below(self, n):
        """A uniform integer from 0 to n - 1."""
        while True:
            product = (self.word() >> 32) * n
            if product % _HALF >= (_HALF - n) % n:
                return product // _HALF


class Bag:
    """Things drawn one by one without putting back.

    Examples
    --------
    >>> bag = Bag("abc")
    >>> sorted(bag.all(Stream(1, 0, SEATING)))
    ['a', 'b', 'c']
    """

    def __init__(self, things):
        self.things = list(things)

    def __len__(self):
        return len(self.things)

    def draw(self, stream):
        """One of them; the last takes its place."""
        j = stream.below(len(self.things))
        drawn, self.things[j] = self.things[j], self.things[-1]
        self.things.pop()
        return drawn

    def all(self, stream):
        """The rest of them, in the order they come."""
        return [self.draw(stream) for _ in range(len(self.things))]


def seating(policies, seed, deal):
    """The cyclic order of the policies at one deal.

    >>> sorted(seating(4, seed=1, deal=7))
    [0, 1, 2, 3]
    """
    return Bag(range(policies)).all(Stream(seed, deal, SEATING))
