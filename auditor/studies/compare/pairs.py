"""Test differences between pairs of datasets: permutation tests, Holm's correction, Cliff's delta."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from auditor.arrays import np
from auditor.model import Progress, Selection
from auditor.result import Table
from auditor.statistics.permutation import PAIRED, UNPAIRED, cliffs_delta, permutation_ps
from auditor.statistics.resampling import Floats, ImageSums
from auditor.statistics.significance import holm
from auditor.studies.compare.indices import BOUNDS, STATISTICS, Indices, derived

#: The tested statistics: how similar captions of an image are, and the two indices derived from it.
TESTED = ("upper", "homogeneity", "specificity")

#: The labels of the two datasets in tables. The data identify them by version and split instead.
LABELS = ("label", "against_label")

_SCHEMA = {
    "dataset": pl.String, "against": pl.String, "metric": pl.String, "statistic": pl.String, "test": pl.String,
    **dict.fromkeys(("value", "value_against", "difference", "p", "p_holm", "delta"), pl.Float64),
    "images": pl.Int64, "images_against": pl.Int64, "permutations": pl.Int64, "seed": pl.Int64,
    **dict.fromkeys(("version", "split", "against_version", "against_split", "signature", *LABELS), pl.String),
}  # fmt: skip

#: A corrected p that cannot be smaller than this is noted.
_SIGNIFICANT = 0.05

_TITLE = "differences between datasets"


@dataclass(frozen=True)
class ComparedDataset:
    """One dataset: its indices, and the ids of its images in order."""

    selection: Selection
    indices: Indices
    images: tuple[str, ...]


def pairs(
    compared: Sequence[ComparedDataset],
    errors: Collection[str],
    signatures: Mapping[str, str],
    seed: int,
    permutations: int,
    progress: Progress,
) -> pl.DataFrame:
    """Test each pair of datasets by metric and statistic (`TESTED`).

    `difference` is that of the values. `p` is the share of `permutations` of images that differ as much relative to
    their standard error, two-sided (`test` is paired if both describe the same images). `p_holm` is corrected for all
    pairs, metrics and statistics. `delta` is Cliff's, over the means of images, positive if those of `dataset` are
    larger; homogeneity is a ratio of sums and has no delta.
    """
    rows: list[dict[str, Any]] = []
    every = list(combinations(compared, 2))
    for done, (a, b) in enumerate(every):
        progress(f"{a.selection.label}, {b.selection.label}: permuting images", done, len(every))
        rows += _rows(a, b, errors, signatures, seed, permutations)
    tested = [row for row in rows if row["p"] is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        row["p_holm"] = p
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row").sort(
        pl.col("statistic").replace_strict({name: index for index, name in enumerate(STATISTICS)}), maintain_order=True
    )


def _rows(
    a: ComparedDataset,
    b: ComparedDataset,
    errors: Collection[str],
    signatures: Mapping[str, str],
    seed: int,
    permutations: int,
) -> list[dict[str, Any]]:
    known_a, known_b = ({(index.metric, index.statistic): index for index in side.indices.indices} for side in (a, b))
    tested = [key for key in known_a if key in known_b and key[1] in TESTED]
    if not tested:
        return []
    pseudo_a, pseudo_b = (
        np.stack([known[name].estimate.pseudo for name in tested], axis=1) for known in (known_a, known_b)
    )
    paired = a.images == b.images
    key = (seed, *a.selection.content, *b.selection.content)
    ps = permutation_ps(pseudo_a, pseudo_b, permutations, key, paired=paired)
    rows = []
    for (metric, statistic), p in zip(tested, ps, strict=True):
        value, value_against = (known[metric, statistic].value for known in (known_a, known_b))
        by_image = [_by_image(side.indices.sums, metric, statistic, is_error=metric in errors) for side in (a, b)]
        rows.append(
            {
                "dataset": a.selection.version.dataset,
                "against": b.selection.version.dataset,
                "metric": metric,
                "statistic": statistic,
                "test": PAIRED if paired else UNPAIRED,
                "value": value,
                "value_against": value_against,
                "difference": value - value_against,
                "p": p,
                "delta": _delta(*by_image) if statistic != "homogeneity" else None,
                "images": len(a.images),
                "images_against": len(b.images),
                "permutations": permutations,
                "seed": seed,
                "version": a.selection.version.version,
                "split": a.selection.split,
                "against_version": b.selection.version.version,
                "against_split": b.selection.split,
                "signature": signatures.get(metric),
                "label": a.selection.label,
                "against_label": b.selection.label,
            }
        )
    return rows


def _by_image(sums: ImageSums, metric: str, statistic: str, *, is_error: bool) -> Floats:
    """Compute a statistic of one metric image by image; NaN for an image without a bound."""
    of_metric = [index for index, (_, name) in enumerate(sums.columns) if name == metric]
    bounds = {BOUNDS[sums.columns[index][0]]: sums.by_image[:, index] for index in of_metric}
    return derived(bounds, is_error=is_error)[statistic]


def _delta(a: Floats, b: Floats) -> float | None:
    known_a, known_b = a[np.isfinite(a)], b[np.isfinite(b)]
    return cliffs_delta(known_a, known_b) if len(known_a) and len(known_b) else None


def table(rows: pl.DataFrame, sampling: str | None = None) -> Table:
    """Return the table of tests; its title names the sampling if there are two."""
    shown = rows.select(
        "statistic", pl.col("label").alias("dataset"), pl.col("against_label").alias("against"), "metric", "difference",
        "delta", "p", "p_holm", "test",
    )  # fmt: skip
    smallest = shown["p"].count() / (1 + (rows["permutations"].max() or 0))  # type: ignore[operator]
    least = f", so never below {smallest:.2g} with so many tests" if smallest > _SIGNIFICANT else ""
    return Table(
        f"{_TITLE}, {sampling}" if sampling else _TITLE,
        shown,
        sections="statistic",
        caption=(
            "p: share of permutations of the images that differ as much relative to their standard error, two-sided; "
            f"p_holm: corrected for every p of this table{least}; delta: Cliff's, over means of images"
        ),
        name="differences",
        further=True,
    )
