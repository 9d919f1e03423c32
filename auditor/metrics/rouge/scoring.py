"""From hits and totals, reference by reference, to one ROUGE score per candidate (Lin 2004; ROUGE-1.5.5.pl).

Five metrics share this arithmetic. They differ in their hits and totals; ROUGE-W also undoes the weighting of a ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np

Numbers = NDArray["np.float64"]

Score = Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]


#: A column of counts whose hits and totals are per reference, instead of added over the references.
_BY_REFERENCE = "reference_lengths"


def are_pooled(counts: pl.DataFrame) -> bool:
    """Return whether hits and totals have been added over the references of each candidate."""
    return _BY_REFERENCE not in counts.columns


@dataclass(frozen=True)
class Pairs:
    """Pairs of candidates and references; those of one candidate are adjacent.

    `starts[i]` is the first pair of candidate i, `of` the candidate of each pair. `unweighted` undoes the weighting of
    a ratio. `selection` returns the recall by which `aggregate = best` chooses.
    """

    starts: NDArray[np.int64]
    of: NDArray[np.int64]
    hits: Numbers
    candidate_totals: Numbers
    reference_totals: Numbers
    selection: Callable[[], Numbers]
    unweighted: Callable[[Numbers], Numbers]

    def pooled(self, values: Numbers) -> Numbers:
        """Add the values of each candidate's pairs, in their order."""
        return np.bincount(self.of, weights=values).astype(np.float64, copy=False)


def listed(pairs: pl.DataFrame) -> pl.DataFrame:
    """Collect the pairs of a candidate, which are adjacent, into lists with a value per reference."""
    neighbors = pairs.with_columns(pl.col("candidate_no").set_sorted())
    return neighbors.group_by("candidate_no", maintain_order=True).agg(pl.all())


def flat(counts: pl.DataFrame, column: str) -> NDArray[Any]:
    """Flatten a column of lists: one value per pair."""
    return counts[column].explode().to_numpy()


def starts_of(counts: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the position of the first pair of each candidate, and the candidate of each pair."""
    sizes = counts[_BY_REFERENCE].list.len().cast(pl.Int64).to_numpy()
    return np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)


def scores(pairs: Pairs, parameters: Mapping[str, Any]) -> Numbers:
    """Return a score per candidate. A ratio whose total is 0 is 0.

    `aggregate`: pooled = hits and totals are added over the references, then divided; best = the reference with the
    highest recall, the first if equal; mean, max = of the measure over the references; coco = the measure of the
    highest precision and the highest recall, even from two references.
    """
    if not len(pairs.starts):
        return np.empty(0)
    if parameters["aggregate"] == "pooled":
        hits, candidates, references = map(pairs.pooled, (pairs.hits, pairs.candidate_totals, pairs.reference_totals))
        return pooled_scores(hits, candidates, references, parameters, pairs.unweighted)
    precision = pairs.unweighted(ratio(pairs.hits, pairs.candidate_totals))
    recall = pairs.unweighted(ratio(pairs.hits, pairs.reference_totals))
    if parameters["aggregate"] == "best":
        chosen_by = pairs.selection()
        highest = chosen_by == np.maximum.reduceat(chosen_by, pairs.starts)[pairs.of]
        places = np.where(highest, np.arange(len(highest)), len(highest))
        first = np.minimum.reduceat(places, pairs.starts)
        return _measure(precision[first], recall[first], parameters)
    if parameters["aggregate"] == "coco":
        return _measure(
            np.maximum.reduceat(precision, pairs.starts), np.maximum.reduceat(recall, pairs.starts), parameters
        )
    each = _measure(precision, recall, parameters)
    if parameters["aggregate"] == "max":
        return np.maximum.reduceat(each, pairs.starts)
    return pairs.pooled(each) / np.bincount(pairs.of)


def pooled_scores(
    hits: Numbers,
    candidate_totals: Numbers,
    reference_totals: Numbers,
    parameters: Mapping[str, Any],
    unweighted: Callable[[Numbers], Numbers],
) -> Numbers:
    """Return a score per candidate, from hits and totals added over its references."""
    precision, recall = (unweighted(ratio(hits, totals)) for totals in (candidate_totals, reference_totals))
    return _measure(precision, recall, parameters)


def _measure(precision: Numbers, recall: Numbers, parameters: Mapping[str, Any]) -> Numbers:
    """Return precision, recall, or F: PR / ((1 - alpha) P + alpha R), or (1 + beta²) PR / (R + beta² P)."""
    printed = as_printed if parameters["rounding"] == "official" else unchanged
    precision, recall = printed(precision), printed(recall)
    if parameters["measure"] != "f":
        return precision if parameters["measure"] == "precision" else recall
    alpha, square = parameters["alpha"], parameters["beta"] ** 2
    if square:
        return printed(ratio((1 + square) * precision * recall, recall + square * precision))
    return printed(ratio(precision * recall, (1 - alpha) * precision + alpha * recall))


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """Divide; the ratio is 0 if the denominator is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def as_printed(values: Numbers) -> Numbers:
    """Round numbers from 0 to 1 as C prints them with %.5f: by their exact binary value, ties to even.

    The product with 10^5 is between the same two whole numbers as the exact product, unless it was rounded to their
    middle. Then the error of the product (Dekker 1971) shows on which side the exact product is.
    """
    product = values * 1e5
    below = np.floor(product)
    nearest = np.rint(product)
    split = values * 134217729.0
    high = split - (split - values)
    error = (high * 1e5 - product) + (values - high) * 1e5
    middle = (product - below == 0.5) & (error != 0)
    return np.where(middle, below + (error > 0), nearest) / 1e5


def unchanged(values: Numbers) -> Numbers:
    """Leave numbers as they are."""
    return values
