"""CIDEr's sums of cosines against the first reference, the first two, … of each candidate (Vedantam et al. 2015).

With every reference that joins the others document frequencies grow, and so all weights and all lengths of vectors
change: a pair of texts has a cosine of its own for each number of references from the one on at which it is formed.
As rows of a join these would be a hundred million for 4,000 pairs of captions. Sums are integers, in the units of
`sql/metrics/cider/cider.sql` and `sql/metrics/cider/tfidf_norm.sql`, so that scores agree with theirs in every bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled
from auditor.metrics.kernels.threads import in_parts

ORDERS = 4

_COSINE_UNIT, _SQUARE_UNIT = 288230376151711744.0, 1180591620717411303424.0  # 2^58, 2^70

_COSINE_SHIFT, _SQUARE_SHIFT = 32, 40

_WHOLE = 4503599627370496.0  # 2^52: doubles from here on are whole numbers

Places = NDArray[np.int64]

Counts = NDArray[np.uint32]

Numbers = NDArray[np.float64]


class Grams(NamedTuple):
    """Texts as n-grams: those of text i are rows `starts[i]` to `starts[i + 1]` - 1, sorted by number; order from 0."""

    starts: Places
    gram: Counts
    order: NDArray[np.uint8]
    tf: Counts


class Weights(NamedTuple):
    """What an n-gram weighs: `row[gram]` is its row of `images`, the document frequencies by number of references.

    `idf`, `high` and `low` are by document frequency: the idf, and its square in units of 2^-70 as high 2^40 + low.
    """

    row: Places
    images: Counts
    idf: Numbers
    high: Places
    low: Places


class ReferencePairings(NamedTuple):
    """Candidates and references as numbers of texts, and their lengths in bigrams: arrays by candidate and reference.

    `step` is the number of references at which a reference joins the others.
    """

    candidate: Places
    bigrams: Places
    reference: Places
    reference_bigrams: Places
    step: Counts


def mean_cosines(
    grams: Grams, weights: Weights, met: ReferencePairings, penalty: Numbers, *, clipped: bool, relative: bool
) -> Numbers:
    """Average the cosines of each candidate over its first k references. By candidate, order of n-grams and k.

    `penalty` is by difference in length; `clipped` counts no more of an n-gram than the reference has, `relative`
    compares shares of a text's n-grams of that order instead of counts.
    """
    most = weights.images.shape[1]
    norms = np.zeros((len(grams.starts) - 1, ORDERS, most))
    in_parts(len(norms), lambda first, last: _norms(grams, weights, first, last, norms))
    means = np.zeros((len(met.candidate), ORDERS, most))
    in_parts(
        len(means),
        lambda first, last: _means(grams, weights, met, norms, penalty, clipped, relative, first, last, means),
    )
    return means


@compiled
def _as_double(high: int, low: int, shift: int) -> float:
    """Convert high 2^shift + low as the engine converts an integer of 128 bits: its two halves, then their sum."""
    high += low >> shift
    low &= (1 << shift) - 1
    lower = (np.uint64(high) << np.uint64(shift)) | np.uint64(low)
    return float(lower) + float(high >> (64 - shift)) * 18446744073709551616.0


@compiled
def _norms(grams: Grams, weights: Weights, first: int, last: int, norms: Numbers) -> None:
    """Measure the tf-idf vectors of texts, for each order and number of references."""
    most = weights.images.shape[1]
    high, low = np.empty((ORDERS, most), np.int64), np.empty((ORDERS, most), np.int64)
    for text in range(first, last):
        high[:] = 0
        low[:] = 0
        for at in range(grams.starts[text], grams.starts[text + 1]):
            order, images = grams.order[at], weights.images[weights.row[grams.gram[at]]]
            times = np.int64(grams.tf[at]) * np.int64(grams.tf[at])
            for k in range(most):
                high[order, k] += times * weights.high[images[k]]
                low[order, k] += times * weights.low[images[k]]
        for order in range(ORDERS):
            for k in range(most):
                norms[text, order, k] = np.sqrt(_as_double(high[order, k], low[order, k], _SQUARE_SHIFT) / _SQUARE_UNIT)


@compiled
def _means(
    grams: Grams,
    weights: Weights,
    met: ReferencePairings,
    norms: Numbers,
    penalty: Numbers,
    clipped: bool,
    relative: bool,
    first: int,
    last: int,
    means: Numbers,
) -> None:
    most = weights.images.shape[1]
    high, low = np.empty((ORDERS, most), np.int64), np.empty((ORDERS, most), np.int64)
    for candidate in range(first, last):
        ours = met.candidate[candidate]
        begin, end = grams.starts[ours], grams.starts[ours + 1]
        own = np.zeros((end - begin, most))
        for at in range(begin, end):
            order, images = grams.order[at], weights.images[weights.row[grams.gram[at]]]
            for k in range(most):
                idf = weights.idf[images[k]]
                if idf != 0:
                    own[at - begin, k] = idf / norms[ours, order, k]
        high[:] = 0
        low[:] = 0
        length = met.bigrams[candidate]
        for place in range(most):
            theirs, their_length = met.reference[candidate, place], met.reference_bigrams[candidate, place]
            step, gauss = np.int64(met.step[candidate, place]), penalty[abs(length - their_length)]
            at, other, other_end = begin, grams.starts[theirs], grams.starts[theirs + 1]
            while at < end and other < other_end:
                gram, their_gram = grams.gram[at], grams.gram[other]
                if gram == their_gram:
                    order = grams.order[at]
                    images = weights.images[weights.row[gram]]
                    count, their_count = float(grams.tf[at]), float(grams.tf[other])
                    if relative:
                        count = min(count, their_count * (length + 1 - order) / (their_length + 1 - order))
                    elif clipped:
                        count = min(count, their_count)
                    count *= their_count
                    for k in range(step - 1, most):
                        idf = weights.idf[images[k]]
                        if idf != 0:
                            unit = own[at - begin, k] * (idf / norms[theirs, order, k])
                            cosine = count * unit * gauss * _COSINE_UNIT
                            if cosine < _WHOLE:
                                cosine = (cosine + _WHOLE) - _WHOLE  # the nearest whole number, of two the even
                            whole = np.int64(cosine)
                            high[order, k] += whole >> _COSINE_SHIFT
                            low[order, k] += whole & 4294967295
                at += gram <= their_gram
                other += their_gram <= gram
        for order in range(ORDERS):
            for k in range(most):
                total = _as_double(high[order, k], low[order, k], _COSINE_SHIFT)
                means[candidate, order, k] = total / _COSINE_UNIT / (k + 1)
