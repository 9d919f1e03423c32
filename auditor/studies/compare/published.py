"""Published sets: datasets placed among those whose summaries ship with the package, on samples as theirs.

A summary has values and standard errors, and no captions: so a difference is tested by these alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress
from auditor.result import Result, Sentence, joined
from auditor.result.portraits import HOMOGENEITY
from auditor.scoring.candidate_sets import substitutes_of
from auditor.scoring.registry import defaults
from auditor.scoring.single_captions import lacking
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.sameness import SAMENESS
from auditor.statistics.significance import holm, students_p
from auditor.steps import Steps
from auditor.store.captions import Captions, selections_of
from auditor.studies.compare.answer import METRICS, QUOTED, among, quoted
from auditor.studies.compare.equalize import equal_samples
from auditor.studies.compare.measured import Setting
from auditor.studies.compare.measured import measured as compared
from auditor.studies.compare.sameness import ranked_by_sameness
from auditor.studies.compare.tables import PLACED

#: The sample of every published set: images, references of a caption, tokenizer, resamples, confidence, seed.
IMAGES, REFERENCES, TOKENIZER, _RESAMPLING = 500, 4, "bare", Resampling(1000, 0.95, 1)

#: The columns of what is measured.
MEASURED = ("dataset", "version", "split", "metric", "statistic", "signature", "value", "low", "high", "se")

#: The sentence of each index, and the sample behind it.
_SAID = {
    HOMOGENEITY: ("Captions of the wrong image score {:.0%} as high as those of the right image", "500 images"),
    SAMENESS: ("Captions of different images share {:.0%} of their words", "one caption of each image"),
}

_NOTE = (
    "published sets are known by values and standard errors: a z-test of each difference, with Holm's correction for "
    "all sets and metrics. Without their captions, paired tests, Cliff's delta and other metrics or samples are not "
    "possible. Sets of the same images are tested as if they were independent"
)


def measured(captions: Captions, progress: Progress) -> pl.DataFrame:
    """Measure a dataset as published sets are: sameness; with several captions per image homogeneity, and `upper`.

    Raises `UsageError` for too few images with so many captions.
    """
    rows = [ranked_by_sameness([captions], _RESAMPLING, progress).frame]
    if not lacking(captions):
        against = equal_samples([captions], REFERENCES, IMAGES, 1)
        steps = Steps(progress, [captions.label, "Intervals"])
        metrics = [name for name in METRICS if name in defaults()]
        setting = Setting(metrics, False, substitutes_of([captions]), _RESAMPLING, steps)
        scored = compared([captions], against, setting, explains=False).measured.rows
        rows = [scored.filter(pl.col("statistic").is_in([HOMOGENEITY, "upper"])), *rows]
    return pl.concat([part.select(MEASURED) for part in rows]).with_columns(label=pl.lit(captions.label))


def beside(every: Sequence[Captions], known: pl.DataFrame, progress: Progress) -> Result:
    """Place datasets among published sets, by homogeneity if all have several captions per image, else by sameness.

    Raises `UsageError` for a dataset that cannot be measured as they were.
    """
    if any(captions.tokenizer != TOKENIZER for captions in every):
        raise UsageError(f"--beside published: these sets have tokenizer {TOKENIZER}, which cannot split your captions")
    index = SAMENESS if any(map(lacking, every)) else HOMOGENEITY
    own = pl.concat(measured(captions, progress) for captions in every).filter(statistic=index)
    same = pl.col("signature").is_in(own["signature"].to_list()) & ~pl.col("version").is_in(own["version"].to_list())
    known = known.filter(same, statistic=index).with_columns(label="dataset")
    metrics = own["metric"].unique(maintain_order=True).to_list()
    order = pl.col("metric").replace_strict({metric: number for number, metric in enumerate(metrics)})
    both = pl.concat([own, known], how="diagonal").sort(order, -pl.col("value"), maintain_order=True)
    tests, metric = tested(own, known), QUOTED if QUOTED in metrics else metrics[-1]
    said, sample = _SAID[index]
    others = among(known.filter(metric=metric)["value"].to_list(), f"{metric}; published sets ")
    lead = list[str]()
    for label, value in own.filter(metric=metric).select("label", "value").iter_rows():
        name = f"{label}: " if every[1:] else ""
        measured_as = Sentence(f"{name}{said.format(value)}{others}.", "homogeneity")
        lead += [measured_as, *_placed(tests.filter(label=label), name)]
    shown = both.select("metric", "kind", dataset="label", **{index: "value"}, low="low", high="high")
    caption = "0: captions are unique to their image; 1: any caption fits any image. Every dataset: "
    caption += f"{sample}, by seed 1; low, high: 95% confidence interval"
    rows = both.drop("label", "kind").with_columns(confidence=0.95)
    return Result(
        "compare", pl.concat([rows, tests.drop("label", "se")], how="diagonal"), selections=selections_of(every),
        quoted=tuple(quoted(own.with_columns(confidence=0.95), "label")), lead=tuple(lead), notes=(_NOTE,),
        signatures=dict(own.select("metric", "signature").iter_rows()),
        tables=(replace(PLACED, title=f"{index} beside published sets", bars=(index,), frame=shown, caption=caption),),
    )  # fmt: skip


def tested(own: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Test each dataset against each published set by each metric: a z-test, with Holm's correction for all of them."""
    both = own.join(known, on=["metric", "statistic"], suffix="_against").select(
        "label", *MEASURED[:-3], "value_against", against="dataset_against", against_version="version_against",
        difference=pl.col("value") - pl.col("value_against"), test=pl.lit("summary"),
        se=(pl.col("se") ** 2 + pl.col("se_against") ** 2).sqrt(),
    ).filter(pl.col("se") > 0)  # fmt: skip
    ps = [students_p(one / se, math.inf) for one, se in both.select("difference", "se").iter_rows()]
    return both.with_columns(p=pl.Series(ps, dtype=pl.Float64), p_adjusted=pl.Series(holm(ps), dtype=pl.Float64))


def _placed(tests: pl.DataFrame, name: str) -> Iterator[str]:
    """Report which published sets a dataset is significantly above and below by all metrics."""
    sure, above = pl.col("p_adjusted") < 0.05, pl.col("difference") > 0
    sets = tests.group_by("against", maintain_order=True).agg(more=(sure & above).all(), less=(sure & ~above).all())
    parts = [(word, sets.filter(pl.col(word))["against"].to_list()) for word in ("more", "less")]
    said = [f"{word} homogeneous than {joined(names)}" for word, names in parts if names]
    some = sets.height - sum(len(names) for _, names in parts)
    said += [f"not different by all metrics from {some:,} other{'s' * (some > 1)}"] if some else []
    if said:
        yield Sentence(f"{name}{'; '.join(said)} (p < 0.05).", "significance")
