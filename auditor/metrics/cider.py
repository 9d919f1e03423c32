"""CIDEr and CIDEr-D of one caption (Vedantam et al. 2015): the mean over n = 1 to 4 of what SQL counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.metrics.card import Metric, Parameter

_SCALE = Parameter("raw", "raw: at most 1; x10: at most 10, the scale of the official programs", ("raw", "x10"))
_IDF = Parameter(
    "dataset",
    "documents of the idf: the images of the reference's dataset and split, natural logarithm, df at least 1",
    ("dataset",),
)

_VEDANTAM = """@inproceedings{vedantam-etal-2015-cider,
  title = {{CIDEr}: Consensus-based Image Description Evaluation},
  author = {Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi},
  booktitle = {Proc. CVPR}, year = {2015}, pages = {4566--4575}
}"""


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Average the similarities of `sql/metrics/cider.sql` over n = 1 to 4, per candidate (eq. 3).

    The raw scale ends at 1; `scale = "x10"` is that of the official programs.
    """
    factor = 10.0 if parameters["scale"] == "x10" else 1.0
    return counts.select(pl.sum_horizontal(f"similarity_{n}" for n in range(1, 5)) / 4 * factor).to_series()


def _cider(
    name: str, counted_with: Mapping[str, Any], summary: str, parameters: Mapping[str, Parameter], source: str
) -> Metric:
    return Metric(
        name=name,
        counts="cider",
        counted_with=counted_with,
        score=score,
        summary=summary,
        references="mean over the references: does not grow with their number",
        edge_cases=(
            "n-grams that every image has weigh 0; a single image makes every idf, and so every score, 0; a text of "
            "k < 4 words reaches at most k/4 of the scale; an empty caption scores 0"
        ),
        source=source,
        bibtex=_VEDANTAM,
        parameters=parameters,
        fixed={"n": 4},
        shown=True,
    )


CARDS = (
    _cider(
        "cider",
        {"clipped": False, "sigma": None},
        "mean cosine of tf-idf vectors with each reference, n = 1 to 4",
        {"idf": _IDF, "scale": _SCALE},
        "Vedantam et al. 2015, eq. 1-3, as its authors' program computes it: raw counts, no stemming",
    ),
    _cider(
        "cider-d",
        {"clipped": True},
        "CIDEr with clipped counts and a Gaussian penalty on the difference in length, n = 1 to 4",
        {
            "sigma": Parameter(6.0, "width of the length penalty, in bigrams", counts=True),
            "idf": _IDF,
            "scale": _SCALE,
        },
        "Vedantam et al. 2015, section 8, eq. 4-5, as its authors' program computes it: lengths in bigrams",
    ),
)
