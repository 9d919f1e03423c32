"""ROUGE-1, -2 and -SU4: units that SQL has counted, n-grams and skip-bigrams, against the units that texts have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.metrics.counting import Kernel
from auditor.metrics.rouge.scoring import (
    Numbers,
    Pairs,
    Score,
    as_printed,
    flat,
    listed,
    ratio,
    scores,
    starts_of,
    unchanged,
)

Lengths = NDArray[np.uint32]

#: By a metric's parameters: the columns that are hits, and how many units a text of each length has.
Units = Callable[[Mapping[str, Any]], tuple[tuple[str, ...], Callable[[Lengths], Numbers]]]


def scorer(units: Units) -> Score:
    """Make a scorer of the units that `sql/metrics/rouge/rouge_pair.sql` has counted."""

    def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
        columns, total = units(parameters)
        starts, of = starts_of(counts)
        hits = np.asarray(np.sum([flat(counts, column) for column in columns], axis=0, dtype=np.float64))
        ours = total(counts["candidate_length"].to_numpy())[of]
        theirs = total(flat(counts, "reference_lengths"))
        pairs = Pairs(starts, of, hits, ours, theirs, lambda: as_printed(ratio(hits, theirs)), unchanged)
        return pl.Series(scores(pairs, parameters))

    return score


def n_grams(order: int) -> Units:
    """Count unigrams or bigrams: a text of k words has k - order + 1."""
    columns = ("unigrams",) if order == 1 else ("bigrams",)
    return lambda _: (columns, lambda lengths: np.maximum(lengths.astype(np.float64) - (order - 1), 0.0))


def skip_bigrams(parameters: Mapping[str, Any]) -> tuple[tuple[str, ...], Callable[[Lengths], Numbers]]:
    """Count unigrams and pairs; `last = official` leaves out the unigram of the last token."""
    counted = parameters["last"] == "counted"
    reach = parameters["skip"] + 1

    def total(lengths: Lengths) -> Numbers:
        length: Numbers = lengths.astype(np.float64)
        unigrams = length if counted else np.maximum(length - 1, 0.0)
        short = np.minimum(length, reach)
        units: Numbers = unigrams + short * (short - 1) / 2 + reach * (length - short)
        return units

    return ("unigrams" if counted else "unigrams_before_last", "skip_bigrams"), total


def _list_units(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Put what each candidate shares with its references beside it; one without references is left out."""
    del parameters
    lists = listed(rows["rouge_pair"])
    return rows["rouge_n"].join(lists, on="candidate_no", maintain_order="left").drop("candidate_no")


#: Lists what `sql/metrics/rouge/rouge_pair.sql` has counted.
UNITS = Kernel("rouge_n", _list_units, ("rouge_pair",))
