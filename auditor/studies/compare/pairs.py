"""Does one dataset differ from another beyond chance, and by how much? Permutation tests, Holm, Cliff's delta."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from auditor.model import Progress, Selection
from auditor.result import Result, Table
from auditor.statistics.permutation import cliffs_delta, dealt_means, two_sided_p
from auditor.statistics.resampling import Floats, ImageSums
from auditor.statistics.significance import holm
from auditor.studies.compare.indices import BOUNDS, STATISTICS, derived

#: What is tested: how like captions of an image are, and the two indices made of it.
TESTED = ("upper", "homogeneity", "specificity")

#: What tables call the two datasets; no part of the data, where version and split tell them apart.
LABELS = ("label", "against_label")

_SCHEMA = {
    "dataset": pl.String, "against": pl.String, "metric": pl.String, "statistic": pl.String, "test": pl.String,
    **dict.fromkeys(("value", "value_against", "difference", "p", "p_holm", "delta"), pl.Float64),
    "images": pl.Int64, "images_against": pl.Int64, "permutations": pl.Int64, "seed": pl.Int64,
    **dict.fromkeys(("version", "split", "against_version", "against_split", "signature", *LABELS), pl.String),
}  # fmt: skip

_SHARED = ("dataset", "metric", "statistic", "value", "version", "split", "seed", "signature")

_TITLE = "differences between datasets"

#: What the table of tests is called.
DIFFERENCES = "differences"


@dataclass(frozen=True)
class ComparedDataset:
    """One dataset: its scores added up by image, and the ids of these images in order."""

    selection: Selection
    sums: ImageSums
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

    `difference` is that of the values; `p` the share of `permutations` in which images dealt out at random differ as
    much, two-sided (`paired` where both describe the same images); `p_holm` is corrected for all pairs and metrics of a
    statistic; `delta` is Cliff's, over the means of images, positive where those of `dataset` are larger; homogeneity
    is a ratio of sums and has none.
    """
    rows: list[dict[str, Any]] = []
    every = list(combinations(compared, 2))
    for done, (a, b) in enumerate(every):
        progress(f"{a.selection.label}, {b.selection.label}: dealing out images", done, len(every))
        rows += _rows(a, b, errors, signatures, seed, permutations)
    for statistic in TESTED:
        tested = [row for row in rows if row["statistic"] == statistic and row["p"] is not None]
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
    common = [column for column in a.sums.columns if column in b.sums.columns]
    sums_a, sums_b = (_only(side.sums, common) for side in (a, b))
    paired = a.images == b.images
    key = (seed, *(fact for side in (a, b) for fact in (side.selection.version.version, side.selection.split)))
    dealt = dealt_means(sums_a, sums_b, permutations, key, paired=paired)
    rows = []
    for metric in dict.fromkeys(metric for _, metric in common):
        of_metric = [index for index, (_, name) in enumerate(common) if name == metric]
        names = [BOUNDS[common[index][0]] for index in of_metric]

        def of(means: Floats, of_metric: list[int] = of_metric, names: list[str] = names, metric: str = metric) -> Any:
            return derived(dict(zip(names, means[..., of_metric].T, strict=True)), is_error=metric in errors)

        values, shuffled, by_image = (
            [of(sums_a.means), of(sums_b.means)],
            [of(side) for side in dealt],
            [of(sums.ratios(sums.digits)) for sums in (sums_a, sums_b)],
        )
        for statistic in TESTED:
            if statistic not in values[0] or not np.isfinite([side[statistic] for side in values]).all():
                continue
            difference = float(values[0][statistic] - values[1][statistic])
            rows.append(
                {
                    "dataset": a.selection.version.dataset,
                    "against": b.selection.version.dataset,
                    "metric": metric,
                    "statistic": statistic,
                    "test": "paired" if paired else "unpaired",
                    "value": float(values[0][statistic]),
                    "value_against": float(values[1][statistic]),
                    "difference": difference,
                    "p": two_sided_p(difference, shuffled[0][statistic] - shuffled[1][statistic]),
                    "delta": _delta(*(side[statistic] for side in by_image)) if statistic != "homogeneity" else None,
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


def _only(sums: ImageSums, columns: Sequence[tuple[str, str]]) -> ImageSums:
    """Keep the columns that both have, in one order."""
    places = [sums.columns.index(column) for column in columns]
    return ImageSums(tuple(columns), sums.sums[:, places], sums.counts, sums.candidate_of[places])


def _delta(a: Floats, b: Floats) -> float | None:
    known_a, known_b = a[np.isfinite(a)], b[np.isfinite(b)]
    return cliffs_delta(known_a, known_b) if len(known_a) and len(known_b) else None


def parted(result: Result) -> tuple[Result, Result]:
    """Part what `compare` found with `pairs`: each dataset by itself, and the pairs; each with its rows and tables."""
    of_pairs = pl.col("against").is_not_null()
    alone = result.frame.filter(~of_pairs).drop(name for name in _SCHEMA if name not in _SHARED and name not in LABELS)
    both = result.frame.filter(of_pairs).select(name for name in (*_SCHEMA, "footing") if name in result.frame.columns)
    values, differences = (
        tuple(one for one in result.tables if (one.name == DIFFERENCES) is tested) for tested in (False, True)
    )
    tested = replace(result, frame=both, tables=differences, figures=(), findings=())
    return replace(result, frame=alone, tables=values), tested


def table(rows: pl.DataFrame, sampling: str | None = None) -> Table:
    """Arrange the tests for reading; the title says which sampling, where there are two."""
    shown = rows.select(
        "statistic", pl.col("label").alias("dataset"), pl.col("against_label").alias("against"), "metric", "difference",
        "delta", "p", "p_holm", "test",
    )  # fmt: skip
    return Table(
        f"{_TITLE}, {sampling}" if sampling else _TITLE,
        shown,
        sections="statistic",
        caption=(
            "p: share of random deals of the images that differ as much, two-sided; p_holm: corrected for all pairs "
            "and metrics of a statistic; delta: Cliff's, over means of images"
        ),
        name=DIFFERENCES,
    )
