"""CIDEr and CIDEr-D of one caption (Vedantam et al. 2015) and their variants (appendix VIII), from counts of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.metrics import idf
from auditor.metrics.bleu import stemmed
from auditor.metrics.card import Counting, Metric, Parameter

_ORDERS = range(1, 5)

_STEM = Parameter(
    False,
    "stem words first (Porter 1980), as described in section 4; the authors' program does not",
    (True, False),
)

_TF = Parameter(
    "official",
    "what is clipped. official: counts, as in the authors' program; paper: counts divided by the number of the text's "
    "n-grams of that order (eq. 1)",
    ("official", "paper"),
    counts=True,
)

_SIGMA = Parameter(6.0, "width of the length penalty, in bigrams", counts=True)

_N = Parameter(
    "all",
    "orders of n-grams: all from 1 to 4, or a single one (CIDEr_1 … CIDEr_4)",
    ("all", "1", "2", "3", "4"),
    {"0": "all"},
)

_COMBINE = Parameter(
    "mean",
    "how the four orders are combined: mean (eq. 3); exp: exp of the mean logarithm, 0 if an order is 0 "
    "(CIDEr-exp, for which appendix VIII gives no formula)",
    ("mean", "exp"),
)

_REFERENCES = Parameter(
    "mean", "over the references: mean (eq. 2), or max: the score with the best reference (CIDEr-max)", ("mean", "max")
)

_IDF = Parameter(
    idf.DATASET,
    "documents; natural logarithm, document frequency at least 1. dataset: the images of the reference's dataset and "
    "split, with all captions. fold and run: as in the authors' program, whose documents are items, candidates with "
    "their references. fold: one run for each position of the caption left out (an error above 16 million words, if "
    "each caption counts once per position of its image). run: all items in one run (a system's captions are one run "
    "in both). of:DATASET: the images of a dataset or split of the store. none: every idf is 1. file:PATH: a table "
    "(CSV, Parquet, JSON lines) with columns gram (words joined by spaces) and images; its empty gram gives the number "
    "of documents; or the pickle of a program (.p), with document_frequency and ref_len. `auditor reproduce wang2016` "
    "uses the images of all its datasets as documents",
    idf.READINGS,
    counts=True,
    form=idf.FORM,
    read=idf.named,
    of_file=idf.file_setting,
)

_SCALES = {"x10": 10.0}

_SCALE = Parameter(
    "raw",
    "raw: at most 1, as in Wang & Gaizauskas 2016; x10: at most 10, as in the authors' program and pycocoevalcap, "
    "whose CIDEr is cider-d with --tokenizer ptb. Most captioning papers print 100 times the latter: raw 0.114, x10 "
    "1.14 and a printed 114 are the same score",
    ("raw", *_SCALES),
)

_VEDANTAM = """@inproceedings{vedantam-etal-2015-cider,
  title = {{CIDEr}: Consensus-based Image Description Evaluation},
  author = {Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi},
  booktitle = {Proc. CVPR}, year = {2015}, pages = {4566--4575}
}"""


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


def _cider(name: str, summary: str, parameters: Mapping[str, Parameter], source: str, *, clipped: bool) -> Metric:
    return Metric(
        name=name,
        counts="cider",
        fixed={"clipped": clipped},
        counted_with={"tf": _TF.default, "sigma": _SIGMA.default},  # CIDEr's are CIDEr-D's, so one pass counts both
        score=score,
        summary=summary,
        kind="consensus: cosine of weighted n-grams",
        lowest=0.0,
        highest=1.0,
        scales=_SCALES,
        references=(
            "mean over the references: does not increase with their number, except by a few percent if idf comes from "
            "more captions; increases with references=max"
        ),
        sensitivity="none",
        edge_cases=(
            "n-grams in every document have weight 0; a single image, whose idfs would all be 0, has no score unless "
            "idf is none, of another dataset or a file; a text of k < 4 words reaches at most k/4 of the scale; an "
            "empty caption scores 0"
        ),
        source=source,
        bibtex=_VEDANTAM,
        parameters={
            "stem": _STEM,
            "n": _N,
            "combine": _COMBINE,
            "references": _REFERENCES,
            **parameters,
            "idf": _IDF,
            "scale": _SCALE,
        },
        normalization=stemmed,
        variant=_variant,
        refusal=refusal,
    )


CARDS = (
    _cider(
        "cider",
        "mean cosine of tf-idf vectors with each reference, n = 1 to 4",
        {},
        "Vedantam et al. 2015, eq. 1-3, as computed by the authors' program: raw counts, no stemming",
        clipped=False,
    ),
    _cider(
        "cider-d",
        "CIDEr with clipped counts and a Gaussian penalty on the difference in length, n = 1 to 4",
        {"tf": _TF, "sigma": _SIGMA},
        "Vedantam et al. 2015, section 8, eq. 4-5, as computed by the authors' program: lengths in bigrams",
        clipped=True,
    ),
)
