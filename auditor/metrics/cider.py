"""CIDEr and CIDEr-D of one caption (Vedantam et al. 2015) and their variants (appendix VIII), from counts of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.metrics import idf
from auditor.metrics.bleu import stemmed
from auditor.metrics.card import Counting, cards

_ORDERS = range(1, 5)

_SCALES = {"x10": 10.0}


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Combine the cosines of n = 1 to 4, per candidate, in the order of the counts.

    `counts` are those of `cider.sql` in `sql/metrics/cider/`, or of `cider_by_reference.sql` for the best reference.
    The highest raw score is 1.
    """
    alone, over = parameters["n"], "clipped" if parameters["clipped"] else "plain"
    if _variant(parameters):
        over = "best" if parameters["references"] == "max" else "mean"
    if alone != "all":
        value = pl.col(f"{over}_{alone}")
    elif parameters["combine"] == "mean":
        value = (pl.col("best_sum") if over == "best" else pl.sum_horizontal(f"{over}_{n}" for n in _ORDERS)) / 4
    elif over == "best":
        value = pl.col("best_product").sqrt().sqrt()
    else:
        value = (
            pl.fold(pl.lit(1.0), lambda product, mean: product * mean, [pl.col(f"{over}_{n}") for n in _ORDERS])
            .sqrt()
            .sqrt()
        )
    return counts.select(value * _SCALES.get(parameters["scale"], 1.0)).to_series()


def _variant(settings: Mapping[str, Any]) -> Counting | None:
    """Count reference by reference if frequencies differ between folds, or if the best reference counts."""
    by_reference = settings["idf"] == "fold" or settings["references"] == "max"
    return ("cider_by_reference", None) if by_reference else None


def refusal(settings: Mapping[str, Any], images: int) -> str | None:
    """Return why so few images have no idf; null if they have."""
    if images != 1 or settings["idf"] not in (idf.DATASET, "fold", "run"):
        return None
    return (
        "with one image every n-gram is in every image, so every idf is 0; set idf=none to weigh all n-grams equally "
        "(`-m cider-d:idf=none`), or idf=of:DATASET to count them in a dataset of the store"
    )


CARDS = cards(
    "cider",
    settings={"idf": {"read": idf.named, "of_file": idf.file_setting}},
    score=score,
    scales=_SCALES,
    normalization=stemmed,
    variant=_variant,
    refusal=refusal,
)
