"""Translation edit rate of a caption, as computed by tercom 0.8.0 (Snover et al. 2006)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import MetricError
from auditor.metrics.card import Kernel, cards
from auditor.metrics.kernels.columns import Ids, Meetings, Sides, meetings, sides
from auditor.metrics.known import Rows, rows_of
from auditor.metrics.together import Together, parts, whole


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Divide edits by reference length, per candidate, in the order of the counts. Lower is better, without a limit.

    `aggregate = "best"` divides the fewest edits over the references by `length`: the mean length of all references,
    its integer part, or the length of the reference that needs the fewest edits. If that length is 0, a candidate that
    needs edits scores 1, another 0. `aggregate = "mean"` averages the rates of the references.
    """
    if parameters["aggregate"] == "mean":
        return counts["rate"]
    edits = pl.col("edits").cast(pl.Float64)
    length = {
        "mean": pl.col("length") / pl.col("references"),
        "truncated": pl.col("length") // pl.col("references"),
        "best": pl.col("nearest"),
    }[parameters["length"]]
    rate = pl.when(length > 0).then(edits / length).otherwise((edits > 0).cast(pl.Float64))
    return counts.select(rate).to_series()


def _sums(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.DataFrame:
    if parameters["aggregate"] != "best" or parameters["length"] != "mean":
        raise MetricError("ter of all candidates together needs aggregate=best and length=mean")
    length = pl.col("length") / pl.col("references")
    return counts.select("image", pl.col("edits").cast(pl.Float64), *parts(length, "length"))


def _of_sums(sums: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    length = whole("length")
    rate = pl.when(length > 0).then(pl.col("edits") / length).otherwise((pl.col("edits") > 0).cast(pl.Float64))
    return sums.select(rate).to_series()


#: TER of all candidates as one text: the sum of edits divided by the sum of mean reference lengths.
TOGETHER = Together(_sums, _of_sums)


def _sides(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> tuple[pl.DataFrame, Sides, Ids]:
    """Return candidates and references; words that differ only in case are equal unless the case is kept."""
    counts, both, ids = sides(rows["candidate_tokens"], rows["reference_tokens"])
    twins = rows["case_variant"]
    if parameters["case"] == "lower" and twins.height:
        texts = (both.candidates, both.references)
        first = np.arange(1 + max(int(side.tokens.max(initial=0)) for side in texts), dtype=np.uint32)
        twins = twins.filter(pl.col("token_id") < len(first))
        first[twins["token_id"].to_numpy()] = twins["twin_id"].to_numpy()
        candidates, references = (side._replace(tokens=first[side.tokens]) for side in texts)
        both = both._replace(candidates=candidates, references=references)
    return counts, both, ids


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Count the edits of each candidate with its references.

    `edits` is the fewest, `nearest` the length of the reference that needs the fewest (the longest if several do).
    `rate` is the mean over the references of edits per word (for a reference without words 1 if it needs edits, else
    0), `length` the number of words of all references, `references` their number.
    """
    from auditor.metrics.kernels.ter import edits  # noqa: PLC0415

    counts, both, ids = _sides(rows, parameters)
    met = meetings(both)

    def compute(at: NDArray[np.int64]) -> Rows:
        return (edits(both, Meetings(met.candidate[at], met.reference[at]), shifts=bool(parameters["shifts"])),)

    (needed,) = rows_of(("ter", *sorted(parameters.items())), ids.paired(met), compute)
    lengths = np.diff(both.references.starts)[met.reference]
    starts = np.flatnonzero(np.diff(met.candidate, prepend=-1))
    fewest = np.minimum.reduceat(needed, starts) if len(starts) else needed
    nearest = np.where(needed == fewest[met.candidate], lengths, 0)
    rates = np.where(lengths > 0, needed / np.maximum(lengths, 1), np.minimum(needed, 1))
    length, references, rate = (np.bincount(met.candidate, each, len(starts)) for each in (lengths, None, rates))
    return counts.with_columns(
        pl.Series("edits", fewest).cast(pl.UInt32),
        pl.Series("nearest", np.maximum.reduceat(nearest, starts) if len(starts) else nearest).cast(pl.UInt32),
        pl.Series("length", length).cast(pl.UInt32),
        pl.Series("references", references).cast(pl.UInt32),
        rate=pl.Series(rate / references),
    )


CARDS = cards(
    "ter",
    score=score,
    kernel=Kernel("ter", _count, ("reference_tokens", "case_variant"), compiles="ter._edits"),
)
