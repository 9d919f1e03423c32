"""What the cards say of the number of references, measured: two against ten of them, on captions made at random."""

from __future__ import annotations

import math
from random import Random

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.scoring.registry import METRICS, lacking
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.study import bounds

pytestmark = pytest.mark.slow  # compiles the kernels

IMAGES, CAPTIONS = 400, 11
NAMES = [name for name, metric in METRICS.items() if lacking(metric) is None and not metric.sees_images]


def captions() -> list[tuple[str, int, str]]:
    """Make captions that each keep six in ten words of a sentence about the image, in its order, and change the others."""
    draw = Random(1)
    words = [first + second + third for first in "bdfgklmnprst" for second in "aeiou" for third in "nrstl"]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    rows = []
    for image in range(IMAGES):
        scene = draw.sample(words, 9)
        for slot in range(CAPTIONS):
            said = [word if draw.random() < 0.6 else draw.choices(words, weights)[0] for word in scene]
            rows.append((f"image {image}", slot, " ".join(said[: draw.randint(6, 9)])))
    return rows


@pytest.fixture(scope="module")
def measured() -> pl.DataFrame:
    """Mean, and its standard error over images, of each metric. Columns: metric, 2, error 2, 10, error 10, change."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, captions())
        parts = [
            bounds(store, "set", metrics=NAMES, references=number, candidates=["human"])
            .frame.filter((pl.col("candidate") == "human") & (pl.col("level") == "image"))
            .select(
                "metric", pl.col("mean").alias(str(number)), (pl.col("sd") / math.sqrt(IMAGES)).alias(f"error {number}")
            )
            for number in (2, 10)
        ]
    return parts[0].join(parts[1], on="metric").with_columns(change=pl.col("10") / pl.col("2") - 1)


def changes(measured: pl.DataFrame, sensitivity: str) -> list[float]:
    """How much scores change with ten references: most rise, TER has fewer errors, more words can be recalled."""
    found = dict(measured.select("metric", "change").iter_rows())
    return [abs(found[name]) for name in NAMES if METRICS[name].sensitivity == sensitivity]


def test_any_reference_adds_more_than_the_best_and_the_best_more_than_the_mean(measured: pl.DataFrame) -> None:
    assert min(changes(measured, "strong")) > max(changes(measured, "some"))
    assert min(changes(measured, "some")) > max(changes(measured, "none"))


@pytest.mark.parametrize("name", NAMES)
def test_mean_over_references_stays_within_noise_and_nothing_else_does(measured: pl.DataFrame, name: str) -> None:
    row = measured.row(by_predicate=pl.col("metric") == name, named=True)
    errors = abs(row["10"] - row["2"]) / math.hypot(row["error 2"], row["error 10"])
    told = METRICS[name].sensitivity
    assert errors < 3 if told == "none" else errors > 5, (
        f"its card says sensitivity {told}, but ten references change its mean by {errors:.0f} standard errors"
    )
