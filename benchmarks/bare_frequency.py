"""N-grams numbered in open-addressing tables, and the document frequency of the bare pass, see `bare_pass.py`."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit
def mix(key):
    """Spread a 64-bit key over its low bits."""
    mixed = key ^ (key >> np.uint64(32))
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@njit
def pair(left, right):
    """Make one unit of two of 32 bits."""
    return (np.uint64(left) << np.uint64(32)) | np.uint64(right)


@njit
def _place(keys, key):
    """Find where a key is, or would be, in a table whose free places hold 0."""
    mask = np.uint64(keys.size - 1)
    at = mix(key) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit
def _grown(keys, numbers):
    """Move a table into one of twice the size."""
    wider, moved = np.zeros(2 * keys.size, np.uint64), np.zeros(2 * keys.size, np.uint32)
    for old in range(keys.size):
        if keys[old] != 0:
            at = _place(wider, keys[old])
            wider[at], moved[at] = keys[old], numbers[old]
    return wider, moved


@njit
def frequency(images, captions, tokens, shorter, n):
    """Give each n-gram of order n a number from 1 on, by the number of what precedes the last token (`shorter`).

    Gives the number at each position (0 where a caption ends before) and, for each number, how many images hold it.
    """
    keys, numbers = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.uint32)
    grams = np.zeros(tokens.size, np.uint32)
    held, seen = np.zeros(tokens.size + 1, np.int32), np.zeros(tokens.size + 1, np.int32)
    count = 0
    for image in range(images.size - 1):
        for caption in range(images[image], images[image + 1]):
            for at in range(captions[caption], captions[caption + 1] - n + 1):
                key = pair(shorter[at] if n > 1 else 0, tokens[at + n - 1])
                place = _place(keys, key)
                if keys[place] == 0:
                    count += 1
                    keys[place], numbers[place] = key, count
                number = numbers[place]
                if 2 * count > keys.size:
                    keys, numbers = _grown(keys, numbers)
                grams[at] = number
                if seen[number] != image + 1:
                    seen[number] = image + 1
                    held[number] += 1
    return grams, held[: count + 1]
