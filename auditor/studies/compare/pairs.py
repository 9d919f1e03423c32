"""Differences between pairs of datasets: one decision about each, and Cliff's delta."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from auditor.arrays import np
from auditor.model import Progress
from auditor.result import Table
from auditor.statistics.decisions import Decision, Pair, Spread, decisions
from auditor.statistics.permutation import cliffs_delta
from auditor.statistics.resampling import Floats, ImageSums
from auditor.statistics.studentized import drawn_means, mean_and_error, with_squares
from auditor.studies.compare.indices import BOUNDS, STATISTICS, Indices, derived, drawing_key

#: The names of the tests.
PAIRED, UNPAIRED = "paired", "unpaired"

#: The tested statistics: how similar captions of an image are, and the two indices derived from it.
TESTED = ("upper", "homogeneity", "specificity")

#: The labels of the two datasets in tables. The data identify them by version and split instead.
LABELS = ("label", "against_label")

_SCHEMA = {
    "dataset": pl.String, "against": pl.String, "metric": pl.String, "statistic": pl.String, "test": pl.String,
    **dict.fromkeys(("value", "value_against", "difference", "p", "p_adjusted", "delta"), pl.Float64),
    "images": pl.Int64, "images_against": pl.Int64, "resamples": pl.Int64, "seed": pl.Int64,
    **dict.fromkeys(("version", "split", "against_version", "against_split", "signature", *LABELS), pl.String),
}  # fmt: skip

#: What is known of each pair of datasets by metric and statistic; pairs are numbers of datasets.
Decided = Mapping[tuple[str, str], Mapping[Pair, Decision]]


def decided(compared: Sequence[Indices], seed: int, confidence: float, progress: Progress) -> Decided:
    """Decide which datasets differ: the pairs of one metric and statistic are a family.

    Datasets with the same images are compared image by image.
    """
    known = [{(index.metric, index.statistic): index.estimate for index in one.indices} for one in compared]
    spreads: dict[tuple[str, str], dict[Pair, Spread]] = {}
    for done, (a, b) in enumerate(every := [*combinations(range(len(compared)), 2)]):
        images = compared[a].images
        both = [key for key in known[a] if key in known[b] and known[a][key].is_tested and known[b][key].is_tested]
        if images != compared[b].images or not both:
            continue
        progress(f"{compared[a].selection.label}, {compared[b].selection.label}: pairing images", done, len(every))
        apart = np.stack([known[a][key].apart - known[b][key].apart for key in both], axis=1)
        resamples = len(known[a][both[0]].moved)
        _, errors = drawn_means(apart, resamples, drawing_key(seed, images))
        added, units = with_squares(apart)
        _, own = mean_and_error(added.sum(axis=0) * units, len(images))
        for column, key in enumerate(both):
            spreads.setdefault(key, {})[a, b] = Spread(float(own[column]), errors[:, column])
    found: dict[tuple[str, str], Mapping[Pair, Decision]] = {}
    for key in dict.fromkeys(key for one in known for key in one):
        having = [number for number, one in enumerate(known) if key in one]
        paired = {(having.index(a), having.index(b)): spread for (a, b), spread in spreads.get(key, {}).items()}
        made = decisions([known[number][key] for number in having], paired, confidence)
        found[key] = {(having[a], having[b]): one for (a, b), one in made.items()}
    return found


def pairs(
    compared: Sequence[Indices],
    decided: Decided,
    errors: Collection[str],
    signatures: Mapping[str, str],
    seed: int,
    resamples: int,
) -> pl.DataFrame:
    """Return a row for each pair of datasets by metric and statistic (`TESTED`).

    `difference` is that of the values. `p` is its own; `p_adjusted` is for all pairs of this metric and statistic.
    Both are null for too few images, and 1 if each image has equal values. `test` is paired if both describe the same
    images. `delta` is Cliff's, over the means of images, positive if those of `dataset` are larger; homogeneity is a
    ratio of sums and has no delta.
    """
    rows = list[tuple[Any, ...]]()
    for at in combinations(range(len(compared)), 2):
        a, b = (compared[number] for number in at)
        known_a, known_b = ({(one.metric, one.statistic): one for one in side.indices} for side in (a, b))
        for metric, statistic in (key for key in known_a if key in known_b and key[1] in TESTED):
            value, value_against = (known[metric, statistic].value for known in (known_a, known_b))
            by_image = [_by_image(side.sums, metric, statistic, is_error=metric in errors) for side in (a, b)]
            decision = decided[metric, statistic].get(at)
            is_equal = a.images == b.images and np.array_equal(by_image[0], by_image[1], equal_nan=True)
            equal = 1.0 if resamples and is_equal else None  # whatever the number of images
            delta = _delta(*by_image) if statistic != "homogeneity" else None
            p, adjusted = (decision.p, decision.adjusted) if decision else (equal, equal)
            of_a, of_b = a.selection, b.selection
            names = of_a.version.dataset, of_b.version.dataset, metric, statistic
            test = PAIRED if a.images == b.images else UNPAIRED
            numbers = value, value_against, value - value_against, p, adjusted, delta
            sizes = len(a.images), len(b.images), resamples, seed
            versions = of_a.version.version, of_a.split, of_b.version.version, of_b.split
            rows.append((*names, test, *numbers, *sizes, *versions, signatures.get(metric), of_a.label, of_b.label))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row").sort(
        pl.col("statistic").replace_strict({name: index for index, name in enumerate(STATISTICS)}), maintain_order=True
    )


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
        "delta", "p", "p_adjusted", "test",
    )  # fmt: skip
    caption = (
        "p: share of resamples of the images that differ as much relative to their standard error, two-sided; "
        "p_adjusted: for all pairs of datasets by this metric and statistic (step-down maxT); empty for too few "
        "images; delta: Cliff's, over means of images"
    )
    title = "differences between datasets" + (f", {sampling}" if sampling else "")
    return Table(title, shown, sections="statistic", caption=caption, name="differences", further=True)
