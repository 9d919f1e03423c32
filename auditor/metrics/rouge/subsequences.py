"""ROUGE-L and ROUGE-W-1.2: longest common subsequences from a kernel, plain and weighted by runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import repeat
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.metrics.card import Kernel
from auditor.metrics.kernels.columns import Ids, Meetings, Sides, meetings, sides
from auditor.metrics.known import KnownPairs, Rows, known_pairs
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
    powers: tuple[NDArray[np.float64], NDArray[np.float64]],
    columns: Sequence[str],
) -> pl.DataFrame:
    """Compute the common subsequences, added over the references of each candidate; `powers` as for the kernel."""
    from auditor.metrics.kernels.lcs import pooled_subsequences  # noqa: PLC0415

    candidates = rows["candidate_tokens"].with_columns(candidate_length=pl.col("tokens").list.len().cast(pl.UInt32))
    kept, both, ids = sides(candidates, rows["reference_tokens"])
    known, kind = known_pairs() if len(both.held) else None, (columns, *sorted(parameters.items()))
    if known is None:
        made: Mapping[str, NDArray[Any]] = pooled_subsequences(both, *powers)._asdict()
    else:
        made = _added(known, kind, both, ids, *powers)
    return kept.with_columns(pl.Series(name, made[name]) for name in columns)


def _added(
    known: KnownPairs, kind: Hashable, both: Sides, ids: Ids, once: NDArray[np.float64], twice: NDArray[np.float64]
) -> Mapping[str, NDArray[Any]]:
    """Compute the pairs that are not known, and add up those of each candidate as `pooled_subsequences` does."""
    from auditor.metrics.kernels.lcs import common_subsequences, weighted_subsequences  # noqa: PLC0415

    met = meetings(both)
    ours, theirs = np.diff(both.candidates.starts)[met.candidate], np.diff(both.references.starts)[met.reference]

    def added(values: NDArray[Any] | None = None) -> NDArray[Any]:
        return np.bincount(met.candidate, values)

    def compute(at: NDArray[np.int64]) -> Rows:
        new = Meetings(met.candidate[at], met.reference[at])
        return tuple(weighted_subsequences(both, new, _EXPONENT)) if len(once) else (common_subsequences(both, new),)

    hits = known.rows(kind, ids.paired(met), compute)
    if len(once):
        weights = {
            "candidate_total": once[ours],
            "reference_total": once[theirs],
            "reference_total_twice": twice[theirs],
        }
        weights |= dict(zip(_WEIGHED, hits, strict=False))
        return {name: added(values) for name, values in weights.items()}
    whole = {"reference_count": added(), "lcs": added(hits[0]), "reference_words": added(theirs)}
    return {name: values.astype(np.uint32) for name, values in whole.items()}


def _pool_plain(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    columns = ("reference_count", "lcs", "reference_words")
    return _pool(rows, parameters, (np.empty(0), np.empty(0)), columns)


def _pool_weighted(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    longest = max(int(texts["tokens"].list.len().to_numpy().max(initial=0)) for texts in rows.values())
    once = _powers(np.arange(longest + 2, dtype=np.float64), _EXPONENT)
    return _pool(rows, parameters, (once, _powers(once, _EXPONENT)), _WEIGHED)


_WEIGHED = ("weighted_lcs", "weighted_runs", "candidate_total", "reference_total", "reference_total_twice")

# All align the rows of `sql/scoring/candidate_tokens.sql` with the references.
PLAIN = Kernel("rouge_l", _pool_plain, ("reference_tokens",))

WEIGHTED = Kernel("rouge_w", _pool_weighted, ("reference_tokens",))

PLAIN_BY_REFERENCE = Kernel("rouge_l_by_reference", _align_plain, ("reference_tokens",))

WEIGHTED_BY_REFERENCE = Kernel("rouge_w_by_reference", _align_weighted, ("reference_tokens",))
