"""Who says what people say: phrases of a system put beside those of people on the same images."""

from __future__ import annotations

import polars as pl

from auditor.statistics.ratio import ratio
from auditor.store.workspace import Workspace

#: Which kinds of phrases are put beside each other, and what statistics of them are called.
KINDS = {"compound-2": "compound", "pp-1": "prepositional"}


def agreement(system: Workspace, people: Workspace) -> pl.DataFrame:
    """Say how many of people's phrases a system knows, and how many of its phrases people say of the same image.

    Both workspaces have what is counted in their captions. Gives statistic, value, low, high, count, n, images: nothing
    where no image is described by both. The coverage of types has no interval.
    """
    system.bind("phrase_of_people", "image_phrase", of=people)
    system.bind_rows("image_of_people", people.query("select distinct image from reference"))
    precise = system.rows("phrase_precision")
    named = {f"{kind}-precision": f"{name}-precision" for kind, name in KINDS.items()}
    precision = (
        ratio(precise)
        .join(precise.select("class", count="part"), on="class")
        .select(
            pl.col("class").replace_strict(named, return_dtype=pl.String).alias("statistic"),
            "value", "low", "high", "count", "n", "images",
        )
    )  # fmt: skip
    coverage = system.rows("phrase_coverage").select(
        pl.format("{}-coverage", pl.col("kind").replace_strict(KINDS, return_dtype=pl.String)).alias("statistic"),
        value=pl.col("covered") / pl.col("types"),
        count="covered",
        n="types",
    )
    return pl.concat([coverage, precision], how="diagonal_relaxed")
