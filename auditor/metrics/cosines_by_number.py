"""CIDEr's mean cosines against the first reference, the first two, …, as `kernels/cosines_by_number.py` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from auditor.metrics.by_reference_count import as_lists, by_candidate, steps_of
from auditor.metrics.counting import Kernel


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Count columns mean_1 to mean_4 of `sql/metrics/cider/cider.sql`, each a list by number of references."""
    from auditor.metrics.kernels.cosines_by_number import ORDERS, ReferencePairings, mean_cosines  # noqa: PLC0415

    candidates, references = rows["cider_by_number"], rows["reference_step"]
    places = candidates.select("candidate", "image", "slot")
    if candidates.is_empty():
        return places.with_columns(pl.Series(f"mean_{n + 1}", [], pl.List(pl.Float64)) for n in range(ORDERS))
    steps = steps_of(rows, candidates.height)
    beside = (rows["sorted_ngram"], candidates, references)  # captions of images without candidates are among the first
    ids = np.unique(np.concatenate([side["caption_id"].to_numpy() for side in beside]))
    texts = np.searchsorted(ids, references["caption_id"].to_numpy())
    bigrams = np.maximum(references["length"].to_numpy().astype(np.int64) - 1, 0)
    met = ReferencePairings(
        np.searchsorted(ids, candidates["caption_id"].to_numpy()),
        candidates["bigrams"].to_numpy().astype(np.int64),
        by_candidate(texts, candidates.height),
        by_candidate(bigrams, candidates.height),
        steps.astype(np.uint32),
    )
    means = mean_cosines(
        _grams(rows["sorted_ngram"], ids),
        _weights(rows["numbered_step"], rows["sorted_ngram"], rows["frequency_weight"], steps.shape[1]),
        met,
        rows["length_penalty"]["penalty"].to_numpy(),
        clipped=parameters["clipped"],
        relative=parameters["clipped"] and parameters["tf"] == "paper",
    )
    return places.with_columns(as_lists(f"mean_{order + 1}", means[:, order]) for order in range(ORDERS))


def _grams(rows: pl.DataFrame, ids: Any) -> Any:
    """Lay the n-grams of texts out one after another, in the order of the texts' ids; a text may have none."""
    from auditor.metrics.kernels.cosines_by_number import Grams  # noqa: PLC0415

    held = rows["caption_id"].to_numpy()
    starts = np.append(np.searchsorted(held, ids), len(held)).astype(np.int64)
    return Grams(starts, rows["gram_no"].to_numpy(), (rows["n"].to_numpy() - 1).astype(np.uint8), rows["tf"].to_numpy())


def _weights(known: pl.DataFrame, grams: pl.DataFrame, weights: pl.DataFrame, most: int) -> Any:
    """Sum document frequencies up to each number of references. Row 0 is for all n-grams that one image alone holds."""
    from auditor.metrics.kernels.cosines_by_number import Weights  # noqa: PLC0415

    numbers, rows = np.unique(known["gram_no"].to_numpy(), return_inverse=True)
    joining = np.zeros((len(numbers) + 1, most), np.uint32)
    joining[rows + 1, known["step"].to_numpy() - 1] = known["images"].to_numpy()
    row = np.zeros(1 + int(grams["gram_no"].to_numpy().max(initial=0)), np.int64)
    row[numbers] = np.arange(1, len(numbers) + 1)
    by_frequency = [np.concatenate([weights[name].to_numpy()[:1], weights[name].to_numpy()]) for name in _BY_FREQUENCY]
    return Weights(row, np.maximum(np.cumsum(joining, axis=1, dtype=np.uint32), 1), *by_frequency)


_BY_FREQUENCY = ("idf", "square_high", "square_low")

#: Makes counts of `sql/metrics/cider/cider_by_number.sql` and what it is weighed with.
KERNEL = Kernel(
    "cider_by_number",
    _count,
    ("reference_step", "sorted_ngram", "numbered_step", "frequency_weight", "length_penalty"),
)
