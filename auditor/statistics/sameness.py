"""Sameness: how similar the captions of different images are to each other, from counts of words alone.

S = sum over words of df (df - 1), divided by n (n - 1) and by the mean number of different words of a caption; df of n
captions contain a word. It is the mean number of words that two captions share, as a share of the words of one. Its
three whole numbers follow from a table of words with their df, and tables of parts of a dataset add up.

It is not agreement, which is between annotators of one image: one caption per image does not show how annotators agree.
Over eight datasets sameness follows `intra` by ROUGE-1, but not significantly `upper` (`benchmarks/sameness.md`).
"""

from __future__ import annotations

import polars as pl

from auditor.arrays import np
from auditor.statistics.diversity import MEASURED, image_totals
from auditor.statistics.intervals import SHARE
from auditor.statistics.resampling import Floats
from auditor.statistics.studentized import Measured

SAMENESS = "sameness"

_COUNTS = ("captions", "words", "pairs")


def sameness(counts: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/sameness.sql`. Columns: list_no, statistic, value, reason."""
    captions, words = pl.col("captions").cast(pl.Int128), pl.col("words").cast(pl.Int128)
    reason = pl.when(captions < 2).then(pl.lit("fewer than two captions")).when(words == 0).then(pl.lit("no token"))
    share = pl.col("pairs") / ((captions - 1) * words).cast(pl.Float64)
    rows = counts.select(
        "list_no", statistic=pl.lit(SAMENESS), value=pl.when(reason.is_null()).then(share), reason=reason
    )
    return rows.cast(MEASURED)  # type: ignore[arg-type]


def measured_sameness(by_image: pl.DataFrame, counts: pl.DataFrame) -> Measured:
    """Return the mean sameness of lists, and that without each image; NaN if a list has no value.

    `by_image` are the rows of `sql/diversity/image_sameness.sql`, `counts` those of `sql/diversity/sameness.sql`.
    """
    whole = counts.sort("list_no").select(_COUNTS).to_numpy().astype(np.float64)
    own = image_totals(by_image, _COUNTS)
    return Measured(float(_shares(whole)), _shares(whole - own), SHARE)


def _shares(counts: Floats) -> Floats:
    """Compute the mean over lists of sameness from whole numbers (… × lists × counts)."""
    captions, words, pairs = np.moveaxis(counts, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = pairs / ((captions - 1) * words)
    means: Floats = shares.mean(axis=-1)
    return means
