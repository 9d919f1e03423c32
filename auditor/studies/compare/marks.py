"""Reference marks: the homogeneity of well-known datasets, on equal samples, beside that of a single dataset.

`marks.json` has the marks, each with its version and signature; `benchmarks/marks.py` measures them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import polars as pl

from auditor.model import Progress
from auditor.result import Result, Sentence, joined
from auditor.scoring.candidate_sets import substitutes_of
from auditor.scoring.registry import defaults, requests
from auditor.store.captions import Captions
from auditor.studies.compare.answer import METRICS, QUOTED, among, quoted
from auditor.studies.compare.equalize import equal_samples, pooled_scores
from auditor.studies.compare.indices import estimated_indices
from auditor.studies.compare.tables import PLACED

#: The sample of every mark: images, references of a caption, seed, resamples, confidence, tokenizer.
IMAGES, REFERENCES, _SEED, _RESAMPLES, _CONFIDENCE, TOKENIZER = 500, 4, 1, 1000, 0.95, "bare"


def marks() -> pl.DataFrame:
    """Return the marks. Columns: dataset, version, metric, value, low, high, signature."""
    return pl.read_json(files("auditor.studies.compare").joinpath("marks.json").read_bytes())


def mark_of(captions: Captions, progress: Progress) -> pl.DataFrame:
    """Measure a dataset as the marks were. Raises `UsageError` if it has too few images with as many captions."""
    against = equal_samples([captions], REFERENCES, IMAGES, _SEED)
    metrics = [name for name in METRICS if name in defaults()]
    scored = pooled_scores(
        captions, ("human", "intra"), substitutes_of([captions]), against, metrics, _SEED, named=False,
        progress=progress,
    )  # fmt: skip
    requested = requests(metrics)
    indices = estimated_indices(captions.selection, scored.scores, requested, _SEED, _RESAMPLES, _CONFIDENCE, progress)
    version = captions.selection.version
    return pl.DataFrame(
        [
            {
                "dataset": version.dataset, "version": version.version, "metric": index.metric,
                "statistic": index.statistic, "value": index.value,
                "low": index.interval and index.interval[0], "high": index.interval and index.interval[1],
                "signature": scored.signatures[index.metric],
            }
            for index in indices.indices if index.statistic == "homogeneity"
        ],
        infer_schema_length=None,
    )  # fmt: skip


def beside_marks(captions: Captions, progress: Progress) -> Result:
    """Place a dataset among the marks. Raises `UsageError` if it has too few images with as many captions."""
    own, known = mark_of(captions, progress), marks()
    label = captions.label
    known = known.filter(pl.col("signature").is_in(own["signature"].to_list()), pl.col("version") != own["version"][0])
    order = {metric: number for number, metric in enumerate(own["metric"])}
    rows = pl.concat([own.drop("statistic").with_columns(dataset=pl.lit(label)), known]).sort(
        pl.col("metric").replace_strict(order), -pl.col("value"), maintain_order=True
    )
    frame = rows.select("metric", "dataset", homogeneity="value", low="low", high="high")
    metric = QUOTED if QUOTED in order else own["metric"][-1]
    value = own.filter(metric=metric)["value"][0]
    others = known.filter(metric=metric)["value"].to_list()
    return Result(
        "compare",
        own.with_columns(split=pl.lit(captions.selection.split, pl.String), confidence=_CONFIDENCE),
        quoted=tuple(quoted(own.with_columns(label=pl.lit(label), confidence=_CONFIDENCE), "label")),
        selections=(captions.selection,),
        signatures=dict(own.select("metric", "signature").iter_rows()),
        tables=(
            replace(
                PLACED, title="homogeneity beside reference marks", frame=frame,
                caption=(
                    "0: captions are unique to their image; 1: any caption fits any image. Every dataset: "
                    f"{IMAGES} images, {REFERENCES + 1} captions of each, five samples by seed {_SEED}; low, high: 95% "
                    "confidence interval"
                ),
            ),
        ),
        lead=(
            Sentence(
                f"Captions of the wrong image score {value:.0%} as high as those of the right image"
                f"{among(others, f'{metric}; reference marks ')}.",
                "homogeneity",
            ),
            *_placed(own, known),
        ),
    )  # fmt: skip


def _placed(own: pl.DataFrame, known: pl.DataFrame) -> Iterator[str]:
    """Report which marks a dataset is above and below by intervals that do not overlap, and where metrics disagree."""
    both = known.join(own, on="metric", suffix="_own").with_columns(
        more=pl.col("low_own") > pl.col("high"), less=pl.col("high_own") < pl.col("low")
    )
    marks_of = both.group_by("dataset", maintain_order=True).agg(pl.col("more", "less").sum())
    placed: list[str] = []
    whole, partly = own.height, False
    for (more, less), of in marks_of.group_by("more", "less", maintain_order=True):
        if not (more and less):
            word = f"{'more' if more else 'less'} homogeneous than" if more or less else "no difference from"
            of_some = 0 < more + less < whole
            partly |= of_some
            by = f" by {more + less} of {whole} metrics" if of_some else ""
            placed.append(f"{word} {joined(of['dataset'].to_list())}{by}")
    disputed = marks_of.filter(pl.col("more") > 0, pl.col("less") > 0)["dataset"].to_list()
    contrary = both.filter(pl.col("dataset").is_in(disputed))
    places = contrary.group_by("metric", maintain_order=True).agg(pl.col("more", "less").any())
    above, below = (places.filter(one, ~pl.col(other))["metric"] for one, other in (("more", "less"), ("less", "more")))
    by = (
        f": above by {joined(above.to_list())}, below by {joined(below.to_list())}" if len(above) and len(below) else ""
    )
    if placed:
        yield Sentence(f"{', '.join(placed)} (95% intervals).", "significance")
    agreed = (
        f"They disagree about {joined(disputed)}{by}."
        if disputed
        else f"All {whole} agree about every reference mark."
        if not partly
        else "None contradicts another, but some show no difference from a mark where others do."
    )
    yield Sentence(agreed, "agreement")
