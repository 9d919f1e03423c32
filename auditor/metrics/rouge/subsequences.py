"""ROUGE-L and ROUGE-W-1.2: longest common subsequences from a kernel, plain and weighted by runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.metrics.card import Kernel
from auditor.metrics.kernels.columns import Meetings, Sides, meetings, sides
from auditor.metrics.known import Rows, rows_of
from auditor.metrics.rouge.scoring import (
    Numbers,
    Pairs,
    are_pooled,
    flat,
    listed,
    pooled_scores,
    ratio,
    scores,
    starts_of,
    unchanged,
)

#: A run of k tokens weighs k ** 1.2.
_EXPONENT = 1.2


def score_plain(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score longest common subsequences, computed by `kernels/lcs.py`."""
    if are_pooled(counts):
        hits, references, theirs = (
            counts[name].to_numpy().astype(np.float64) for name in ("lcs", "reference_count", "reference_words")
        )
        ours = counts["candidate_length"].to_numpy().astype(np.float64) * references
        return pl.Series(pooled_scores(hits, ours, theirs, parameters, unchanged))
    starts, of = starts_of(counts)
    hits = flat(counts, "lcs").astype(np.float64)
    ours = counts["candidate_length"].to_numpy().astype(np.float64)[of]
    theirs = flat(counts, "reference_lengths").astype(np.float64)
    pairs = Pairs(starts, of, hits, ours, theirs, lambda: ratio(hits, theirs), unchanged)
    return pl.Series(scores(pairs, parameters))


def score_as_coco(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score as pycocoevalcap does: a caption without words equals a reference without words."""
    is_equal = (counts["candidate_length"] == 0) & (counts["reference_lengths"].list.min() == 0)
    return score_plain(counts, parameters).set(is_equal, 1.0)


def score_weighted(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score weighted subsequences. The script weights the reference's total twice, k ** 1.44; the paper once."""
    official = parameters["weighting"] == "official"
    if are_pooled(counts):
        columns = ("weighted_runs", "reference_total_twice") if official else ("weighted_lcs", "reference_total")
        hits, theirs, ours = (counts[name].to_numpy() for name in (*columns, "candidate_total"))
        return pl.Series(pooled_scores(hits, ours, theirs, parameters, _unweighted))
    starts, of = starts_of(counts)
    hits = flat(counts, "weighted_runs" if official else "weighted_lcs")
    candidate_lengths = counts["candidate_length"].to_numpy()
    reference_lengths = flat(counts, "reference_lengths")
    longest = max(candidate_lengths.max(initial=0), reference_lengths.max(initial=0))
    once = _powers(np.arange(longest + 1, dtype=np.float64), _EXPONENT)
    theirs = once[reference_lengths]
    twice = _powers(once, _EXPONENT)[reference_lengths] if official else theirs
    pairs = Pairs(
        starts, of, hits, once[candidate_lengths][of], twice, lambda: _unweighted(ratio(hits, theirs)), _unweighted
    )
    return pl.Series(scores(pairs, parameters))


def _unweighted(ratios: Numbers) -> Numbers:
    return _powers(ratios, 1 / _EXPONENT)


def _powers(values: Numbers, exponent: float) -> Numbers:
    """Raise to a power by the C library, as in the script: vector units may differ in the last bit, and so in ties."""
    return np.fromiter(map(math.pow, values.tolist(), repeat(exponent)), np.float64, len(values))


def _align(
    rows: Mapping[str, pl.DataFrame], made: Callable[[Sides, Meetings], Mapping[str, NDArray[Any]]]
) -> pl.DataFrame:
    """Compute the common subsequences of each candidate with each of its references."""
    candidates = rows["candidate_tokens"].with_columns(candidate_length=pl.col("tokens").list.len().cast(pl.UInt32))
    kept, both, _ = sides(candidates, rows["reference_tokens"])
    met = meetings(both)
    lengths = np.diff(both.references.starts).astype(np.uint32)[met.reference]
    columns = {"reference_lengths": lengths, **made(both, met), "candidate_no": met.candidate}
    return kept.hstack(listed(pl.DataFrame(columns)).drop("candidate_no"))


def _align_plain(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.lcs import common_subsequences  # noqa: PLC0415

    return _align(rows, lambda both, met: {"lcs": common_subsequences(both, met)})


def _align_weighted(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.lcs import weighted_subsequences  # noqa: PLC0415

    return _align(rows, lambda both, met: weighted_subsequences(both, met, _EXPONENT)._asdict())


def _pool(
    rows: Mapping[str, pl.DataFrame],
    parameters: Mapping[str, Any],
    made: Callable[[Sides, Meetings], Sequence[NDArray[Any]]],
    totals: Callable[[NDArray[np.int64], NDArray[np.int64]], Mapping[str, NDArray[Any]]],
    columns: Sequence[str],
) -> pl.DataFrame:
    """Add up the common subsequences over the references of each candidate, and the totals of their lengths."""
    candidates = rows["candidate_tokens"].with_columns(candidate_length=pl.col("tokens").list.len().cast(pl.UInt32))
    kept, both, ids = sides(candidates, rows["reference_tokens"])
    met = meetings(both)

    def compute(at: NDArray[np.int64]) -> Rows:
        return tuple(made(both, Meetings(met.candidate[at], met.reference[at])))

    hits = rows_of((columns, *sorted(parameters.items())), ids.paired(met), compute)
    lengths = (np.diff(side.starts)[at] for side, at in zip((both.candidates, both.references), met, strict=True))
    weights = {**dict(zip(columns, hits, strict=True)), **totals(*lengths)}
    added = {
        name: np.bincount(met.candidate, values, len(both.held)).astype(np.float64) for name, values in weights.items()
    }
    return kept.with_columns(pl.Series(name, values) for name, values in added.items())


def _pool_plain(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.lcs import common_subsequences  # noqa: PLC0415

    made = _pool(
        rows,
        parameters,
        lambda both, met: [common_subsequences(both, met)],
        lambda ours, theirs: {"reference_count": np.ones(len(ours)), "reference_words": theirs},
        ("lcs",),
    )
    return made.with_columns(pl.col("reference_count", "lcs", "reference_words").cast(pl.UInt32))


def _pool_weighted(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.lcs import weighted_subsequences  # noqa: PLC0415

    longest = max(int(texts["tokens"].list.len().to_numpy().max(initial=0)) for texts in rows.values())
    once = _powers(np.arange(longest + 2, dtype=np.float64), _EXPONENT)
    twice = _powers(once, _EXPONENT)
    return _pool(
        rows,
        parameters,
        lambda both, met: weighted_subsequences(both, met, _EXPONENT),
        lambda ours, theirs: {
            "candidate_total": once[ours],
            "reference_total": once[theirs],
            "reference_total_twice": twice[theirs],
        },
        ("weighted_lcs", "weighted_runs"),
    )


# All align the rows of `sql/scoring/candidate_tokens.sql` with the references.
PLAIN = Kernel("rouge_l", _pool_plain, ("reference_tokens",))

WEIGHTED = Kernel("rouge_w", _pool_weighted, ("reference_tokens",))

PLAIN_BY_REFERENCE = Kernel("rouge_l_by_reference", _align_plain, ("reference_tokens",))

WEIGHTED_BY_REFERENCE = Kernel("rouge_w_by_reference", _align_weighted, ("reference_tokens",))
