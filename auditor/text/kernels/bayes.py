"""Naive Bayes over the bytes of texts (Lui & Baldwin 2012), as py3langid decides, for a whole column in one call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled

Floats = NDArray[np.float32]


@compiled
def classify(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    moves: NDArray[np.uint16],
    rows: NDArray[np.uint16],
    features: NDArray[np.int32],
    weights: Floats,
    priors: Floats,
    aliases: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the most likely class of each text, and its probability; text i is `data[starts[i]:starts[i + 1]]`.

    An automaton reads the bytes: `moves` has a row of 256 states for each number in `rows`. `features` has what a state
    has found, or -1. A class that repeats the name of another (`aliases`) counts as that one.
    """
    texts, classes = starts.size - 1, priors.size
    best, sure = np.empty(texts, np.int64), np.empty(texts, np.float64)
    counts = np.zeros(len(weights), np.int32)
    met = np.empty(len(weights), np.int32)
    scores = np.empty(classes, np.float32)
    for text in range(texts):
        found = 0
        state = np.uint16(0)
        for position in range(starts[text], starts[text + 1]):
            state = moves[(np.int64(rows[state]) << 8) + data[position]]
            feature = features[state]
            if feature >= 0:
                if counts[feature] == 0:
                    met[found] = feature
                    found += 1
                counts[feature] += 1
        for one in range(classes):
            scores[one] = 0
        for place in range(found):
            feature = met[place]
            weight = np.log1p(np.float32(counts[feature]))
            counts[feature] = 0
            for one in range(classes):
                scores[one] += weight * weights[feature, one]
        scale = np.float32(1.0 / math.sqrt(max(starts[text + 1] - starts[text], 1)))
        highest = np.float32(-np.inf)
        for one in range(classes):
            if found:  # without any, all classes are equally likely
                scores[one] += priors[one]
            scores[one] *= scale
            highest = max(highest, scores[one])
        total = np.float32(0)
        for one in range(classes):
            scores[one] = np.exp(scores[one] - highest)
            total += scores[one]
        for one in range(classes):
            scores[one] /= total
        for pair in range(len(aliases)):
            scores[aliases[pair, 0]] += scores[aliases[pair, 1]]
            scores[aliases[pair, 1]] = 0
        best[text] = 0
        for one in range(1, classes):
            if scores[one] > scores[best[text]]:
                best[text] = one
        sure[text] = scores[best[text]]
    return best, sure
