"""Translation edit rate of a caption, as computed by tercom 0.8.0 (Snover et al. 2006)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import MetricError
from auditor.metrics.card import Kernel, cards
from auditor.metrics.kernels.columns import Ids, Sides, chosen, meetings, sides
from auditor.metrics.known import KnownPairs, Rows, known_pairs
from auditor.metrics.together import Together, parts, whole

if TYPE_CHECKING:
    from auditor.metrics.kernels.ter import Edits


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


def _of_pairs(known: KnownPairs, both: Sides, ids: Ids, parameters: Mapping[str, Any]) -> Edits:
    """Count the edits of the pairs that are not known, and combine those of each candidate as `edits` does."""
    from auditor.metrics.kernels import ter  # noqa: PLC0415

    met = meetings(both)
    lengths = np.diff(both.references.starts)[met.reference]

    def compute(at: NDArray[np.int64]) -> Rows:
        reference = met.reference[at]
        alone = Sides(chosen(both.candidates, met.candidate[at]), both.references, reference, reference + 1, 0 * at - 1)
        return (ter.edits(alone, shifts=bool(parameters["shifts"])).edits,)

    kind = ("ter", *sorted(parameters.items()))
    (needed,) = known.rows(kind, ids.paired(met), compute)
    starts = np.flatnonzero(np.diff(met.candidate, prepend=-1))
    fewest = np.minimum.reduceat(needed, starts)
    nearest = np.maximum.reduceat(np.where(needed == fewest[met.candidate], lengths, 0), starts)
    references = np.diff(starts, append=len(needed))
    rates = np.where(lengths > 0, needed / np.maximum(lengths, 1), np.minimum(needed, 1))
    rate = np.bincount(met.candidate, weights=rates) / references  # adds in the order of the references
    return ter.Edits(fewest, nearest, np.add.reduceat(lengths, starts), references, rate)


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.ter import edits  # noqa: PLC0415

    counts, both, ids = _sides(rows, parameters)
    known = known_pairs() if len(both.held) else None
    made = edits(both, shifts=bool(parameters["shifts"])) if known is None else _of_pairs(known, both, ids, parameters)
    return counts.with_columns(
        *(
            pl.Series(name, getattr(made, name)).cast(pl.UInt32)
            for name in ("edits", "nearest", "length", "references")
        ),
        pl.Series("rate", made.rate),
    )


CARDS = cards(
    "ter",
    score=score,
    kernel=Kernel("ter", _count, ("reference_tokens", "case_variant"), compiles="ter._edits"),
)
