"""Walks over the tokens of successive captions, for statistics that depend on their order.

Every list has walks in ten orders of its captions. Tokens are numbers from 0 to `types` - 1. N-grams of up to three
tokens are numbers below 2^63, in a small table that is reused for every segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled

Tokens = NDArray[np.int64]

Places = NDArray[np.int64]


@compiled
def stream(tokens: Tokens, starts: Places, order: Places) -> Tokens:
    """Return the tokens of all texts in an order; text i is `tokens[starts[i]:starts[i + 1]]`."""
    out = np.empty(len(tokens), np.int64)
    at = 0
    for text in order:
        for position in range(starts[text], starts[text + 1]):
            out[at] = tokens[position]
            at += 1
    return out[:at]


@compiled
def _segment_tokens(walked: Tokens, types: int, segment: int, segments: int) -> int:
    held = np.full(types, -1, np.int32)  # the last segment that held each token
    types_seen = 0
    for number in range(segments):
        for position in range(number * segment, (number + 1) * segment):
            token = walked[position]
            types_seen += held[token] != number
            held[token] = number
    return types_seen


@compiled
def segment_types(walked: Tokens, types: int, n: int, segment: int) -> tuple[int, int]:
    """Count the different n-grams of each whole segment. Returns their sum, and the number of segments."""
    segments = max(0, len(walked) - n + 1) // segment
    if n == 1:
        return _segment_tokens(walked, types, segment, segments), segments
    size = 16
    while size < 4 * segment:
        size *= 2
    grams = np.empty(size, np.int64)
    filled = np.full(size, -1, np.int64)
    types_seen = 0
    for number in range(segments):
        for position in range(number * segment, (number + 1) * segment):
            gram = np.int64(0)
            for k in range(n):
                gram = gram * types + walked[position + k]
            slot = ((gram ^ (gram >> 29)) * np.int64(0x2545F4914F6CDD1D) >> 20) & (size - 1)
            while filled[slot] == number and grams[slot] != gram:
                slot = (slot + 1) & (size - 1)
            if filled[slot] != number:
                filled[slot] = number
                grams[slot] = gram
                types_seen += 1
    return types_seen, segments


@compiled
def growth(walked: Tokens, types: int, positions: Places) -> Places:
    """Count the different tokens among the first tokens of the walk, for each of ascending numbers of them."""
    seen = np.zeros(types, np.bool_)
    counts = np.empty(len(positions), np.int64)
    types_seen = position = 0
    for at in range(len(positions)):
        while position < positions[at]:
            types_seen += not seen[walked[position]]
            seen[walked[position]] = True
            position += 1
        counts[at] = types_seen
    return counts


@compiled
def window_types(walked: Tokens, types: int, window: int) -> tuple[int, int]:
    """Count the different tokens of every window. Returns their sum, and the number of windows."""
    held = np.zeros(types, np.int64)
    types_seen = total = 0
    for position in range(len(walked)):
        held[walked[position]] += 1
        types_seen += held[walked[position]] == 1
        if position >= window:
            left = walked[position - window]
            held[left] -= 1
            types_seen -= held[left] == 0
        if position >= window - 1:
            total += types_seen
    return total, max(0, len(walked) - window + 1)


@compiled
def factors(walked: Tokens, types: int, threshold: float) -> float:
    """Count the stretches after which the type-token ratio falls below a threshold, with a share for the last one."""
    seen = np.full(types, -1, np.int64)
    whole = types_seen = length = 0
    ratio = 1.0
    for token in walked:
        length += 1
        types_seen += seen[token] != whole
        seen[token] = whole
        ratio = types_seen / length
        if ratio < threshold:
            whole += 1
            types_seen = length = 0
    return whole + ((1 - ratio) / (1 - threshold) if length else 0.0)
