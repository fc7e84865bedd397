"""Random streams by key: the same cards and choices for any number of threads, blocks, workers or restarts.

A stream is an int64 array of 4 words, the state of a xoshiro256++ generator (Blackman and Vigna, 2019), seeded by
one block of Philox4x64-10 (Salmon et al., SC 2011; bit-exact with `numpy.random.Philox`):

    key     = (seed, STREAM_VERSION)
    counter = (deal, purpose, index, salt)

Purposes are numbered once and never used again for something else. Words are kept in int64, whose bits are those of
the uint64 that the papers speak of: int64 mixed with uint64 would silently become float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from palace_sim.kernels.jit import JIT, inlined, kernel

STREAM_VERSION = 1

# Purposes (the second word of the counter) and, for dealing, the third.
DEALING, RESHUFFLE, CHOICE, SEATING, SAMPLING, SCHEDULING, SEARCHING = 0, 1, 2, 3, 4, 5, 6
SOLVING = 8
FOR_DEALER, FOR_CARDS = 0, 1

_MASK = (1 << 64) - 1
_MULTIPLY = (0xD2E7470EE14C6C93, 0xCA5A826395121157)  # Philox4x64: the multipliers of the round function
_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)  # and the steps of its key
_ROUNDS = 10


def _signed(word: int) -> int:
    """Return the int64 that has the bits of an unsigned word."""
    word &= _MASK
    return word - (1 << 64) if word >> 63 else word


if JIT:

    @intrinsic
    def _multiply_high(typing_context: Any, a: Any, b: Any) -> Any:
        """Upper 64 bits of the product of two unsigned 64-bit words."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            wide, word = ir.IntType(128), ir.IntType(64)
            product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)

        return types.uint64(types.uint64, types.uint64), generate

    _M0, _M1 = np.uint64(_MULTIPLY[0]), np.uint64(_MULTIPLY[1])
    _W0, _W1 = np.uint64(_WEYL[0]), np.uint64(_WEYL[1])

    @kernel
    def open_stream(stream: Any, seed: int, deal: int, purpose: int, index: int, salt: int) -> None:
        """Set `stream` to the start of the stream with this key."""
        k0, k1 = np.uint64(seed), np.uint64(STREAM_VERSION)
        c0, c1, c2, c3 = np.uint64(deal), np.uint64(purpose), np.uint64(index), np.uint64(salt)
        for _ in range(_ROUNDS):
            h0, l0 = _multiply_high(_M0, c0), _M0 * c0
            h1, l1 = _multiply_high(_M1, c2), _M1 * c2
            c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
            k0 += _W0
            k1 += _W1
        if c0 | c1 | c2 | c3 == np.uint64(0):  # the one state that xoshiro never leaves
            c0 = np.uint64(1)
        stream[0], stream[1], stream[2], stream[3] = np.int64(c0), np.int64(c1), np.int64(c2), np.int64(c3)

    @inlined
    def next_bits(stream: Any, bits: int) -> Any:
        """Draw a word and return its `bits` (1 to 63) highest bits as a non-negative int64."""
        s0, s1 = np.uint64(stream[0]), np.uint64(stream[1])
        s2, s3 = np.uint64(stream[2]), np.uint64(stream[3])
        total = s0 + s3
        word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
        shifted = s1 << np.uint64(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
        stream[0], stream[1], stream[2], stream[3] = np.int64(s0), np.int64(s1), np.int64(s2), np.int64(s3)
        return np.int64(word >> np.uint64(64 - bits))

else:

    def open_stream(stream: Any, seed: int, deal: int, purpose: int, index: int, salt: int) -> None:
        """Set `stream` to the start of the stream with this key."""
        k0, k1 = int(seed) & _MASK, STREAM_VERSION
        c0, c1, c2, c3 = (int(word) & _MASK for word in (deal, purpose, index, salt))
        for _ in range(_ROUNDS):
            p0, p1 = _MULTIPLY[0] * c0, _MULTIPLY[1] * c2
            c0, c1, c2, c3 = (p1 >> 64) ^ c1 ^ k0, p1 & _MASK, (p0 >> 64) ^ c3 ^ k1, p0 & _MASK
            k0, k1 = (k0 + _WEYL[0]) & _MASK, (k1 + _WEYL[1]) & _MASK
        if c0 | c1 | c2 | c3 == 0:
            c0 = 1
        for i, word in enumerate((c0, c1, c2, c3)):
            stream[i] = _signed(word)

    def next_bits(stream: Any, bits: int) -> int:
        """Draw a word and return its `bits` (1 to 63) highest bits as a non-negative int64."""
        s0, s1, s2, s3 = (int(word) & _MASK for word in stream)
        total = (s0 + s3) & _MASK
        word = (((total << 23) | (total >> 41)) + s0) & _MASK
        shifted = (s1 << 17) & _MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = ((s3 << 45) | (s3 >> 19)) & _MASK
        for i, state in enumerate((s0, s1, s2, s3)):
            stream[i] = _signed(state)
        return word >> (64 - int(bits))


@inlined
def below(stream: Any, n: int) -> int:
    """Draw an integer from 0 to n - 1, each equally likely; n from 1 to 2^31 (Lemire, 2019, on 32 bits)."""
    product = next_bits(stream, 32) * n
    low = product & 0xFFFFFFFF
    if low < n:
        reject = (0x100000000 - n) % n
        while low < reject:
            product = next_bits(stream, 32) * n
            low = product & 0xFFFFFFFF
    return product >> 32


@kernel
def uniform(stream: Any) -> float:
    """Draw a float64 from [0, 1), a multiple of 2^-53."""
    return next_bits(stream, 53) * 1.1102230246251565e-16


@kernel
def shuffle(stream: Any, items: Any, n: int) -> None:
    """Shuffle the first n items in place; the first drawn ends up last."""
    for left in range(n, 0, -1):
        j = below(stream, left)
        items[j], items[left - 1] = items[left - 1], items[j]
