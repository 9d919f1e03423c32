"""Score captions against the captions of their image: leave-one-out, or a system's output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asking import forms, question
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, Table, digits, joined
from auditor.scoring.candidates import HUMAN, output_of
from auditor.scoring.references import as_references, own_finding, own_references
from auditor.scoring.registry import MetricRequest, References, in_scales, left_out, requests
from auditor.scoring.scores import (
    keep_scores,
    repeats,
    scorable,
    score_candidates,
    signatures,
    too_few_captions,
    too_long,
    with_reasons,
)
from auditor.scoring.single_captions import without_references
from auditor.scoring.variants import RAW, Measured, over, stacked, variants
from auditor.statistics.common_items import Coverage
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.summary import summarize
from auditor.steps import Steps
from auditor.store.captions import Captions, select
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.score.lengths import long_captions
from auditor.studies.score.presets import PRESETS
from auditor.studies.score.printed import Outputs, means_of, printed, systems_of
from auditor.studies.score.ranked import least_alike, ranking, with_ranks
from auditor.text import AUTO

Candidates = Annotated[
    Sequence[str],
    p.Parameter("System output to score, or its file; repeat for more; default: leave-one-out.", completes="dataset"),
]

PresetName = Annotated[
    str,
    p.Parameter(
        "Score as another program does, with its tokens and scales: coco (pycocoevalcap) or sacrebleu.",
        choices=tuple(PRESETS),
        completes="preset",
    ),
]

Rank = Annotated[bool, p.Parameter("Add the rank of each caption within its image; show the best and worst.")]


@question
def leave_one_out(
    store: Store,
    ref: p.Described,
    *,
    metrics: p.Metrics = None,
    rank: Rank = False,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Score each caption against the others of its image, for `auditor score`."""
    captions, against = select(store, ref, split, tokenizer, progress=progress), References("loo", references, seed)
    alone = Outputs([], Coverage({ref}, {ref: {ref}}), [])
    return _of_captions(captions, against, metrics, alone, progress, rank=rank, distinct=distinct)


@question
def of_systems(
    store: Store,
    ref: p.Described,
    *,
    candidates: Candidates,
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    without_own_references: p.WithoutOwn = False,
    missing: p.Missing = p.COMMON,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Score each caption of systems against all captions of its image, for `auditor score --candidates`."""
    p.check_resampling(resamples, confidence)
    captions = select(store, ref, split, tokenizer, beside=candidates, progress=progress)
    return _of_captions(
        captions,
        References("all", references, seed),
        metrics,
        systems_of(store, captions.selection, ref, candidates, missing),
        progress,
        distinct=distinct,
        without_own_references=without_own_references,
        resampling=Resampling(resamples, confidence, seed),
    )


@question
def of_preset(
    store: Store,
    ref: p.Described,
    *,
    preset: PresetName,
    candidates: Candidates,
    split: p.Split = None,
    missing: p.Missing = p.COMMON,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Score whole outputs as another program prints them, for `auditor score --preset`."""
    p.check_resampling(resamples, confidence)
    selection, resampling = resolve(store, ref, split), Resampling(resamples, confidence, seed)
    outputs = systems_of(store, selection, ref, candidates, missing)
    return printed(store, selection, outputs, PRESETS[preset], resampling, progress)


@forms(leave_one_out, of_systems, of_preset, names=("leave-one-out", "--candidates", "--preset"))
def score() -> None:
    """Score captions, or a system's output.

    Each caption is scored against the others of its image (leave-one-out). With `--candidates`, each caption of a
    system is scored against all captions of its image. `--references N` uses N references per caption, drawn by the
    seed. With several systems, each mean has a confidence interval, and is tested against the mean of the first.

    With `--preset`, the whole output gets one score per metric, as pycocoevalcap or sacrebleu prints it. `coco` is the
    row of pycocoevalcap (Bleu_1 to Bleu_4, METEOR, ROUGE_L, CIDEr). `sacrebleu` is its BLEU, chrF2 and TER. Tables
    round as the program does; CSV and JSON keep all digits.

    How to read it: one row per caption and metric; the table shows the means. Higher is better, except for ter, which
    counts edits. `auditor metrics NAME` explains a metric and its range. A metric that cannot score the captions has
    one row, with the `reason`. With `--preset`, there is one row per system and metric. `low` and `high` are its
    confidence interval over images; CIDEr's word weights stay the same in each resample. `difference` is from the first
    system. `p` is from a permutation test: the share of random swaps between both systems with at least this
    difference. On fewer than 50 images it errs too often, so it is empty.

    A system and the first are compared on the `images` that both describe; only these weigh CIDEr's words. `own_value`
    is of all images of the system. `--missing empty` counts empty captions for missing images; `empty_difference` and
    `empty_p` show this if more than 1% are missing.

    If captions of a system are more than twice as long as the references, a warning comes first. The penalty for length
    of CIDEr-D then decides its score. `content-recall` has none.

    Captions that repeat another of their image, token for token, score as a perfect match. `--distinct` adds results
    without these repeats; column variant names them.

    With `--rank`, column `rank` orders the captions of an image. 1 is most similar to the others, the typical caption.
    The last is unusual, perhaps wrong. Equal scores share the best rank; `length` is in tokens. Metrics prefer certain
    lengths: a table shows whether first ranks are short or long (Vedantam, Zitnick & Parikh 2015, appendices II and
    IV).

    Limits: a score compares words: a right caption in other words scores low. Scores are comparable only with the same
    signature, version and split, because CIDEr's word weights come from these captions. A system's caption that equals
    a reference of its image matches itself, and scores high. A note counts them, and `--without-own-references` leaves
    them out. An image with one caption has no leave-one-out score.

    In pycocoevalcap, the next caption in the file can change how a final full stop is split. It reads `22 3/4` as one
    word in METEOR and ROUGE_L. `--preset` does neither; on COCO's val2017, this changes the sixth decimal.

    Raises `UsageError` for an unknown dataset, version or split, `MetricError` for an unknown metric. Also
    `MetricError` for a metric that cannot score any of the captions.

    Examples: auditor score coco-val2017 --candidates vinyals2017 -m cider-d -o scores.csv · auditor score coco-val2017
    --candidates vinyals2017 --candidates liu2017 --preset coco -o row.tex
    """


def _of_captions(
    captions: Captions,
    against: References,
    metrics: p.Metrics,
    outputs: Outputs,
    progress: Progress,
    *,
    distinct: bool,
    rank: bool = False,
    without_own_references: bool = False,
    resampling: Resampling | None = None,
) -> Result:
    selection, (systems, coverage, mismatches) = captions.selection, outputs
    requested, unscored = scorable(against.select(captions), requests(metrics), metrics)
    notes: list[Said] = [*too_few_captions(captions, against), *mismatches]
    outputs_of = {system.label: output_of(system, filled=coverage.missing == p.EMPTY) for system in systems}
    chosen = outputs_of or {HUMAN.name: HUMAN}
    if systems:
        requested = list({in_scale.label: in_scale for metric in requested for in_scale in in_scales(metric)}.values())
    if not systems or distinct:
        notes += repeats([captions], progress, left_out=distinct)
    drawn = variants(against, captions.tokenizer, distinct=distinct)
    steps = Steps(progress, [*chosen] * len(drawn) + ["Comparison"] * (resampling is not None and len(systems) > 1))

    def measure(sampled: References) -> Measured:
        named, parts = signatures(requested, captions.tokenizer, sampled), []
        for label, output in steps.over(chosen.items()):
            part = score_candidates(sampled.select(captions), [output], requested, steps)
            keep_scores(captions, part, [output] if not output.makes else [], named)
            parts.append(part.with_columns(system=pl.lit(label)))
        return Measured(pl.concat(parts), named)

    scores, signed, _ = over(drawn, measure)
    if rank:
        scores = with_ranks(captions, scores, requested)
        notes += [*as_references(selection), *(without_references(captions) if against.drawn is None else ())]
    for system in systems:
        own = own_references(against.select(captions), chosen[system.label])
        scored = scores.filter(variant=RAW, system=system.label).height
        notes += own_finding(own.height, scored, selection, system, left_out=without_own_references)
        if without_own_references:
            scores = _without(own, scores, system, captions.label)
    placed = _with_splits(captions, scores)
    if len(systems) > 1:
        placed = placed.with_columns(candidate=pl.col("system"))
    labels = [metric.label for metric in requested]
    keys = ["split", "image", "slot", "candidate", *(["variant"] if distinct else []), *(["length"] if rank else [])]
    tables, lead = _tables(captions, systems, placed, requested, distinct=distinct), tuple(coverage.lead())
    if resampling and len(systems) > 1:
        steps.begin()
        some, raw = against.select(captions), placed.filter(variant=RAW)
        means, lead = means_of(some, outputs, raw, requested, resampling, steps)
        tables = (*tables[: len(systems)], means, *tables[len(systems) :])
    lead = (*long_captions(captions, systems, [(metric.label, metric) for metric in requested]), *lead)
    del scores  # the frame takes the most memory
    frame = captions.stamp(placed.unpivot(labels, index=keys, variable_name="metric"))
    if rank:
        frame = frame.with_columns(placed.unpivot([f"rank {label}" for label in labels], value_name="rank")["rank"])
        ranked, favored = ranking(captions, placed.filter(variant=RAW), labels)
        tables = (*tables, *ranked)
        notes += favored
    del placed
    reported = [*left_out(metrics), *unscored, *notes, *too_long(*map(captions.like, [selection, *systems]))]
    return Result(
        "score",
        with_reasons(frame, against.select(captions), requests(metrics)),
        selections=(selection, *systems),
        signatures=signed,
        tables=tables,
        notes=captions.notes,
        said=reported,
        lead=lead or tuple(_mean(table) for table in tables if table.name == "scores"),
    )


def _mean(scores: Table) -> str:
    """Return the mean scores of an output as a sentence."""
    means = [f"{metric} {digits(mean)}" for metric, mean in scores.frame.select("metric", "mean").drop_nulls().rows()]
    return f"{scores.title}: mean {joined(means)}."


def _without(own: pl.DataFrame, scores: pl.DataFrame, system: Selection, ref: str) -> pl.DataFrame:
    """Leave out a system's captions that are references of their image."""
    own = own.with_columns(system=pl.lit(system.label))
    scores = scores.join(own, on=["system", "image", "slot"], how="anti", maintain_order="left")
    if not (scores["system"] == system.label).any():
        raise UsageError(
            f"{system.label}: every caption is a reference of its image in {ref}, so none is left to score"
        )
    return scores


def _with_splits(captions: Captions, scores: pl.DataFrame) -> pl.DataFrame:
    """Add the split of each image, without a copy of the scores if none has one."""
    described = captions.images().select("image", "split")
    if described["split"].null_count() == described.height:
        return scores.with_columns(split=pl.lit(None, described.schema["split"]))
    return scores.join(described, on="image", how="left", maintain_order="left")


def _tables(
    captions: Captions,
    systems: Sequence[Selection],
    scores: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    *,
    distinct: bool,
) -> tuple[Table, ...]:
    """Return the means of each output, and the lowest scores of each."""
    labels, several = [metric.label for metric in metrics], len(systems) > 1
    keys = ["metric", "variant"] if distinct else ["metric"]
    means, least = [], []
    for system in systems or (None,):
        own = scores.lazy().filter(system=system.label) if system and several else scores.lazy()
        parts = {
            variant: summarize(own.filter(variant=variant).select(labels).collect(), ["caption"])
            for variant in scores["variant"].unique(maintain_order=True)
        }
        summary = stacked(parts).sort(pl.col("metric").cast(pl.Enum(labels)), maintain_order=True)
        summary = summary.select(*keys, pl.exclude("metric", "variant", "level"))
        outputs = captions.like(system) if system else captions
        title = f"scores of the captions of {outputs.label}"
        title += f" against those of {captions.label}" if system else ""
        means.append(Table(title, summary, caption=_scales(metrics) if system else None, name="scores"))
        lowest = own.filter(variant=RAW).select("image", "slot", labels[-1]).collect()
        of, others = f"of {system.label} " if system and several else "", "references" if system else "others"
        least.append(least_alike(outputs, lowest, metrics[-1], others, of))
    return (*means, *least)


def _scales(metrics: Sequence[MetricRequest]) -> str | None:
    """Report which scores of a system differ from those that papers print."""
    cider = [metric for metric in metrics if metric.metric.name in ("cider", "cider-d")]
    raw = ", ".join(metric.label for metric in cider if metric.settings["scale"] == "raw")
    bleu = ", ".join(metric.label for metric in metrics if metric.label.startswith("bleu"))
    notes = (
        f"{raw}: scale raw, at most 1; pycocoevalcap uses scale=x10, and papers print 100 times that" if raw else "",
        f"{bleu}: means over captions; papers print BLEU of all captions as one text" if bleu else "",
    )
    return "; ".join(filter(None, notes)) or None
