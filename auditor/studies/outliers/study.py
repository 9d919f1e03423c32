"""Which caption speaks for its image, which may belong to another, and which images do people describe differently?"""

from __future__ import annotations

import math
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.metrics.candidates import HUMAN
from auditor.model import Progress, Selection, silent
from auditor.registry import DECIMALS, MetricRequest, References, request
from auditor.result import Result, Said, Signature, findings_in, notes_in
from auditor.scoring.candidate_sets import without_references
from auditor.scoring.scores import score_candidates, too_long
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.summary import exact, image_means, image_sds
from auditor.store.connection import Store
from auditor.store.versions import content, images, resolve_all
from auditor.studies.outliers import chance, likelihood, tables
from auditor.text import AUTO

LEVELS = ("caption", "image")

_VERSION = 3

_KEYS = ["image", "slot"]

_ORDER = {"swapped": 0, "elsewhere": 1, "unlike": 2}


Metric = Annotated[str, p.Parameter("Metric of likeness, 0 to 1, with parameters: cider:stem=true.", short="m")]

Level = Annotated[str, p.Parameter("caption: those least like the others; image: all, with their consensus caption.")]

Share = Annotated[float, p.Parameter("Share of the captions, the least like the others, that are looked into.")]


@chooses_tokenizer("refs")
def outliers(
    store: Store,
    *refs: p.Refs,
    metric: Metric = "cider",
    level: Level = "caption",
    share: Share = 0.1,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    progress: Progress = silent,
) -> Result:
    """Captions that seem swapped or of another image; images hard to describe.

    Looks into the `share` of captions with the lowest leave-one-out scores (each caption scored against the others of
    its image), and asks which image their words fit best: `evidence` is the log-likelihood ratio, in bits, by which the
    caption's words speak rather for `other_image` than for its own.

    Decoys, captions put at another image on purpose, say how much would be found by chance: a caption is told only
    where most of what is told should be right, and the sentence says how many; else all is held back. `lead` is by how
    many bits the caption speaks rather for `other_image` than for any other.

    How to read it: `finding` is swapped where the caption and that of `other_slot` seem to have changed places,
    elsewhere where it seems to be of `other_image`, else unlike: it differs, but no other image fits. `others` is the
    mean score of the image's other captions among themselves: a low score beside high `others` is one odd caption;
    where both are low, people see different things. At level image the most difficult images come first: `difficulty`
    is 1 - the mean score, and `consensus` the caption that is most like the others; `ties` captions share that score.

    Limits: a hint to look at the picture, never a verdict: a caption that sees what others do not is unlike them too.
    Bits overstate, since words come in phrases. Captions of two images that show the same thing cannot be told apart.

    Raises `UsageError` for a metric whose scores do not go from 0 to 1 with higher for more alike, `MetricError` where
    no caption has a score.

    Examples: auditor outliers flickr8k -o outliers.csv · auditor outliers flickr8k --level image -o consensus.csv
    """
    if level not in LEVELS:
        raise UsageError(f"--level {level}: expected {' or '.join(LEVELS)}")
    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: expected a share of the captions above 0 and up to 1, such as 0.1")
    measure = _similarity(metric)
    selections = resolve_all(store, refs, split)
    signatures = {measure.label: str(measure.signature(tokenizer, References("loo")))}
    if level == "caption":
        settings: dict[str, str | int | float | bool] = {
            "tok": tokenizer,
            "words": "porter",
            "nearest": likelihood.NEAREST,
            "share": share,
        }
        signatures["evidence"] = str(Signature("evidence", settings, _VERSION))
    captions, by_image, notes = [], [], list[Said]()
    for selection in selections:
        scored = _scored(store, selection, measure, tokenizer, progress)
        notes += [*without_references(store, selection), *too_long(store, [selection], tokenizer)]
        by_image.append(_by_image(scored, selection, measure))
        if level == "caption":
            suspects = _suspects(scored, share)
            described = images(store, selection).height
            findings, pairs, alone = _findings(store, selection, tokenizer, suspects, described, progress)
            captions.append(_rows(findings, selection, measure))
            notes.append(tables.finding(selection, findings, scored.height, pairs, alone))
    return Result(
        "outliers",
        pl.concat(captions or by_image),
        selections=selections,
        signatures=signatures,
        tables=tables.tables(selections, captions, by_image),
        figures=tables.figures(selections, by_image),
        notes=notes_in(notes),
        findings=findings_in(notes),
    )


def _similarity(name: str) -> MetricRequest:
    metric = request(name)
    if metric.metric.lower_is_better or metric.settings.get("scale", "raw") != "raw":
        raise UsageError(f"--metric {name}: expected one whose scores are 0 to 1, higher for more alike, such as cider")
    return metric


def _scored(
    store: Store, selection: Selection, metric: MetricRequest, tokenizer: str, progress: Progress
) -> pl.DataFrame:
    """Score every caption against the others of its image. Columns: image, slot, value, others, text."""
    scores = score_candidates(store, selection, tokenizer, [HUMAN], [metric], progress)
    texts = content(store, selection).select(*_KEYS, "text")
    return (
        scores.select(*_KEYS, value=metric.label)
        .with_columns(others=_among_others() if _is_symmetric(metric) else pl.lit(None, pl.Float64))
        .join(texts, on=_KEYS, how="left")
        .sort(_KEYS)
    )


def _is_symmetric(metric: MetricRequest) -> bool:
    """Say whether a score is the mean over references of what is the same both ways."""
    settings = metric.settings
    over_all = (settings.get("references"), settings.get("combine")) == ("mean", "mean")
    return metric.metric.name == "cider" and over_all and settings["idf"] != "fold"


def _among_others() -> pl.Expr:
    """Give the mean score of an image's other captions among themselves: what is left of the sum without the caption.

    Null where there are fewer than two others.
    """
    n = pl.len().over("image").cast(pl.Int64)
    units = exact(pl.col("value"))
    rest = (units.sum().over("image") - 2 * units).cast(pl.Float64) / 10**DECIMALS / (n - 2)
    return pl.when(n > 2).then(rest.round(DECIMALS).clip(lower_bound=0.0))


def _suspects(scored: pl.DataFrame, share: float) -> pl.DataFrame:
    """Take the captions with the lowest scores; none where all are equal."""
    if scored["value"].n_unique() == 1:
        return scored.clear()
    return scored.sort("value", *_KEYS).head(max(1, round(share * scored.height)))


def _findings(
    store: Store, selection: Selection, tokenizer: str, suspects: pl.DataFrame, described: int, progress: Progress
) -> tuple[pl.DataFrame, chance.Level | None, chance.Level | None]:
    """Say of each caption in doubt where it fits better, and what follows; and from which evidence on."""
    at_work = likelihood.weigh(store, selection, tokenizer, suspects, described, progress)
    least = likelihood.least(described)
    exchanged = likelihood.exchanged(at_work)
    pairs = chance.of_pairs(exchanged, dict(at_work.rows("exchange_by_chance").iter_rows()), least)
    swapped = exchanged.filter(pl.col("lesser") >= (pairs.bits if pairs else math.inf)).drop("lesser")
    leads = likelihood.leads(at_work)
    decoys = leads.filter("is_decoy")
    alone = leads.filter(~pl.col("is_decoy")).join(swapped, on=_KEYS, how="anti")
    misplaced, singly = chance.of_captions(pl.concat([alone, decoys]), least)
    placed = pl.concat(
        [
            swapped.with_columns(finding=pl.lit("swapped")),
            alone.select(*_KEYS, "other_image", "evidence", "lead").join(
                misplaced.select(*_KEYS, finding=pl.lit("elsewhere")), on=_KEYS, how="left"
            ),
        ],
        how="diagonal",
    ).with_columns(pl.col("finding").fill_null("unlike"))
    surest = pl.coalesce(pl.col("pair_evidence") / 2, "lead")
    found = suspects.join(placed, on=_KEYS, how="left").sort(
        pl.col("finding").replace_strict(_ORDER, return_dtype=pl.Int8), surest, "value", *_KEYS,
        descending=[False, True, False, False, False], nulls_last=True,
    )  # fmt: skip
    return found, pairs, singly


def _rows(rows: pl.DataFrame, selection: Selection, metric: MetricRequest) -> pl.DataFrame:
    return rows.select(
        *_named(selection), *_KEYS, pl.lit(metric.label).alias("metric"), "value", "others", "finding", "other_image",
        "other_slot", "evidence", "pair_evidence", "lead", "text",
    )  # fmt: skip


def _by_image(scored: pl.DataFrame, selection: Selection, metric: MetricRequest) -> pl.DataFrame:
    """Rank images by how differently they are described, each with the caption that is most like the others."""
    values = scored.select("image", "value")
    best = scored.filter(pl.col("value") == pl.col("value").max().over("image"))
    consensus = best.group_by("image").agg(
        ties=pl.len(),
        consensus=pl.col("slot").first(),
        consensus_value=pl.col("value").first(),
        text=pl.col("text").first(),
    )
    return (
        image_means(values).rename({"value": "mean"})
        .join(image_sds(values).rename({"value": "sd"}), on="image")
        .join(values.group_by("image").agg(n=pl.len()), on="image")
        .join(consensus, on="image")
        .with_columns(difficulty=(1 - pl.col("mean")).round(DECIMALS))
        .sort("difficulty", "image", descending=[True, False])
        .select(
            *_named(selection), "image", pl.lit(metric.label).alias("metric"), "n", "mean", "sd", "difficulty",
            "consensus", "consensus_value", "ties", "text",
        )
    )  # fmt: skip


def _named(selection: Selection) -> tuple[pl.Expr, ...]:
    return (
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
    )
