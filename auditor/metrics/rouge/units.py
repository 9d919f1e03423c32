"""ROUGE-1 to -4, -S4 and -SU4: common n-grams and skip-bigrams, counted by SQL, relative to all units of the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.metrics.card import Kernel
from auditor.metrics.rouge.scoring import (
    Numbers,
    Pairs,
    Score,
    are_pooled,
    as_printed,
    flat,
    listed,
    pooled_scores,
    ratio,
    scores,
    starts_of,
    unchanged,
)

Lengths = NDArray["np.uint32"]


@dataclass(frozen=True)
class Units:
    """The units of a metric: columns of hits, columns of the units of all references, and the units of a text."""

    hits: tuple[str, ...]
    of_references: tuple[str, ...]
    total: Callable[[Lengths], Numbers]


def scorer(units: Callable[[Mapping[str, Any]], Units]) -> Score:
    """Return a scorer of units counted by `rouge_n`, `rouge_long_ngram` or `rouge_pair` of `sql/metrics/rouge/`."""

    def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
        counted = units(parameters)
        columns, total = counted.hits, counted.total
        if are_pooled(counts):
            hits, theirs = (
                np.asarray(np.sum([counts[column].to_numpy() for column in names], axis=0, dtype=np.float64))
                for names in (columns, counted.of_references)
            )
            ours = total(counts["length"].to_numpy()) * counts["reference_count"].to_numpy()
            return pl.Series(pooled_scores(hits, ours, theirs, parameters, unchanged))
        starts, of = starts_of(counts)
        hits = np.asarray(np.sum([flat(counts, column) for column in columns], axis=0, dtype=np.float64))
        ours = total(counts["candidate_length"].to_numpy())[of]
        theirs = total(flat(counts, "reference_lengths"))
        pairs = Pairs(starts, of, hits, ours, theirs, lambda: as_printed(ratio(hits, theirs)), unchanged)
        return pl.Series(scores(pairs, parameters))

    return score


#: The columns of n-grams by their order: common ones, and all those of the references.
_N_GRAMS = {
    1: ("unigrams", "words"),
    2: ("bigrams", "beginnings"),
    3: ("trigrams", "trigram_places"),
    4: ("four_grams", "four_gram_places"),
}


def n_grams(order: int) -> Callable[[Mapping[str, Any]], Units]:
    """Count n-grams: a text of k words has k - order + 1."""
    hits, of_references = _N_GRAMS[order]
    counted = Units(
        (hits,), (of_references,), lambda lengths: np.maximum(lengths.astype(np.float64) - (order - 1), 0.0)
    )
    return lambda _: counted


def skip_bigrams(parameters: Mapping[str, Any]) -> Units:
    """Count pairs, and unigrams if there is parameter `last`: official leaves out that of the last token."""
    alone, counted = "last" not in parameters, parameters.get("last") == "counted"
    reach = parameters["skip"] + 1

    def total(lengths: Lengths) -> Numbers:
        length: Numbers = lengths.astype(np.float64)
        unigrams = 0 * length if alone else length if counted else np.maximum(length - 1, 0.0)
        short = np.minimum(length, reach)
        units: Numbers = unigrams + short * (short - 1) / 2 + reach * (length - short)
        return units

    if alone:
        return Units(("skip_bigrams",), ("pairs",), total)
    words, of_references = ("unigrams", "words") if counted else ("unigrams_before_last", "beginnings")
    return Units((words, "skip_bigrams"), (of_references, "pairs"), total)


def _list_units(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Add the units shared with references to each candidate; candidates without references are left out."""
    lists = listed(rows["rouge_pair"])
    return rows["rouge_by_reference"].join(lists, on="candidate_no", maintain_order="left").drop("candidate_no")


#: Lists the counts of `sql/metrics/rouge/rouge_pair.sql`.
UNITS = Kernel("rouge_by_reference", _list_units, ("rouge_pair",))
