"""How does each caption, or each caption of a system, score against the captions of its image?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.metrics.candidates import HUMAN, output_of
from auditor.metrics.card import Metric
from auditor.model import Progress, Selection, silent
from auditor.registry import MetricRequest, References, in_scales, left_out, requests
from auditor.result import Finding, Result, Said, Table, about, findings_in, listed, notes_in
from auditor.scoring.keeping import keep_scores
from auditor.scoring.own_references import own_finding, own_references
from auditor.scoring.repeats import RAW, footings, repeats
from auditor.scoring.scores import scorable, score_candidates, signatures, too_few_captions, too_long
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.summary import summarise
from auditor.store.connection import Store
from auditor.store.versions import content, images, resolve
from auditor.text import AUTO

_LEAST = 10


Candidates = Annotated[str | None, p.Parameter("System output in the store to score; default: leave-one-out.")]


@chooses_tokenizer("ref", "candidates")
def score(
    store: Store,
    ref: p.Described,
    *,
    metrics: p.Metrics = None,
    candidates: Candidates = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    without_own_references: p.WithoutOwn = False,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Score every caption, or a system's output, against the references.

    Each caption is scored against the others of its image (leave-one-out), or with `candidates` each caption of a
    system against all of them; with `references` against so many, drawn by the seed.

    How to read it: one row a caption and metric; the table shows the means. Higher is better but for ter, which counts
    edits. `auditor metrics NAME` says what a metric looks at, and its range.

    Captions that repeat another of their image, token for token, score in full; with `distinct` the rows are there once
    more, with each text once per image, by column footing.

    Limits: a score compares words with words: a right caption in other words scores low. Means are comparable only
    under one signature and version. A system's caption that is, word for word, a reference of its own image is scored
    against itself; a note counts them, and `without_own_references` leaves them out. An image with one caption has no
    leave-one-out score.

    Example: auditor score coco-val2017 --candidates vinyals2017 -m cider-d -o scores.csv
    """
    if without_own_references and candidates is None:
        raise UsageError("--without-own-references: leave-one-out holds each caption out; name --candidates")
    selection = resolve(store, ref, split)
    selections = [selection]
    against = References("loo" if candidates is None else "all", references, seed)
    requested, unscored = scorable(store, against.of(selection), requests(metrics), metrics)
    last = requested[-1]
    chosen, notes = HUMAN, list[Said](too_few_captions(store, selection, against))
    if candidates is not None:
        requested = list({one.label: one for asked in requested for one in in_scales(asked)}.values())
        system = resolve(store, candidates)
        selections.append(system)
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{candidates}: scores {ref} against itself; leave --candidates out for leave-one-out")
        chosen = output_of(system)
        notes += _unmatched(store, selection, system)
        if system.version.kind != "candidates":
            notes.append(f"{candidates} was ingested as {system.version.kind}, not as a system's output (--kind)")
    if candidates is None or distinct:
        notes += repeats(store, [selection], tokenizer, progress, left_out=distinct)
    signed, parts = dict[str, str](), list[pl.DataFrame]()
    for footing, some in footings(against, tokenizer, distinct=distinct).items():
        part = score_candidates(store, some.of(selection), tokenizer, [chosen], requested, progress)
        parts.append(part.with_columns(footing=pl.lit(footing)))
        named = signatures(requested, tokenizer, some)
        keep_scores(store, selection, part, [chosen], named)
        signed |= named if footing == RAW else {f"{label} {footing}": named[label] for label in named}
    scores = pl.concat(parts)
    if candidates is not None:
        own = own_references(store, against.of(selection), tokenizer, chosen)
        notes += own_finding(own.height, parts[0].height, selection, selections[-1], left_out=without_own_references)
        if without_own_references:
            scores = scores.join(own, on=["image", "slot"], how="anti", maintain_order="left")
            if scores.is_empty():
                raise UsageError(f"{candidates}: every caption is a reference of its image in {ref}; nothing is left")
    texts = content(store, selections[-1]).drop("split")
    described = images(store, selection).select("image", "split")
    told = scores.join(texts, on=["image", "slot"], how="left", maintain_order="left").join(
        described, on="image", how="left", maintain_order="left"
    )
    labels = [metric.label for metric in requested]
    keys = ["split", "image", "slot", "candidate", *(["footing"] if distinct else [])]
    frame = told.unpivot(labels, index=keys, variable_name="metric").select(
        pl.lit(selection.version.dataset).alias("dataset"), pl.lit(selection.version.version).alias("version"), pl.all()
    )
    said = [*left_out(metrics), *unscored, *notes, *too_long(store, selections, tokenizer)]
    return Result(
        "score",
        frame,
        selections=tuple(selections),
        signatures=signed,
        tables=(
            _summary_table(selections, scores, requested, distinct=distinct),
            _least_alike_table(told.filter(footing=RAW), last.label, last.metric, is_system=candidates is not None),
        ),
        notes=notes_in(said),
        findings=findings_in(said),
    )


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[Finding]:
    """Say which images the references and the candidates do not share."""
    described, answered = (images(store, side)["image"] for side in (selection, system))
    missing = described.filter(~described.is_in(answered.implode()))
    extra = answered.filter(~answered.is_in(described.implode()))
    if len(missing) == len(described):
        raise UsageError(
            f"{system.label} describes no image of {selection.label}: its ids look like {answered[0]!r}, "
            f"those of {selection.label} like {described[0]!r}"
        )
    sentences = (
        (missing, f"images of {selection.label} have no caption in {system.label}"),
        (extra, f"images of {system.label} are not in {selection.label}"),
    )
    return [
        Finding(
            "images-not-shared",
            f"{len(some):,} {what}: {listed(some, 3)}",
            about(side, against=other.label),
            {"images": len(some)},
            number,
            "warning",
        )
        for (some, what), side, other, number in zip(
            sentences, (selection, system), (system, selection), (len(described), len(answered)), strict=True
        )
        if len(some)
    ]


def _summary_table(
    selections: Sequence[Selection], scores: pl.DataFrame, metrics: Sequence[MetricRequest], *, distinct: bool
) -> Table:
    """Summarise over captions: those of a system where there are two selections."""
    labels = [metric.label for metric in metrics]
    summary = pl.concat(
        summarise(scores.filter(footing=footing).select("image", *labels))
        .filter(pl.col("level") == "caption")
        .select("metric", *([pl.lit(footing).alias("footing")] if distinct else []), pl.exclude("metric", "level"))
        for footing in scores["footing"].unique(maintain_order=True)
    ).sort(pl.col("metric").replace_strict({label: place for place, label in enumerate(labels)}), maintain_order=True)
    described, *system = selections
    if not system:
        return Table(f"scores of the captions of {described.label}", summary, name="scores")
    cider = [metric for metric in metrics if metric.metric.name in ("cider", "cider-d")]
    raw = [metric.label for metric in cider if metric.settings["scale"] == "raw"]
    bleu = [label for label in labels if label.startswith("bleu")]
    said = []
    if raw:
        said.append(
            f"{', '.join(raw)}: scale raw, at most 1; scale=x10 is pycocoevalcap's, papers print 100 times that"
        )
    if bleu:
        said.append(f"{', '.join(bleu)}: means over captions; papers print BLEU of all captions as one text")
    title = f"scores of the captions of {system[0].label} against those of {described.label}"
    return Table(title, summary, caption="; ".join(said) or None, name="scores")


def _least_alike_table(named: pl.DataFrame, label: str, metric: Metric, *, is_system: bool) -> Table:
    least = named.sort(label, "image", "slot", descending=[metric.lower_is_better, False, False]).head(_LEAST)
    others = "references" if is_system else "others"
    what = "least like their image" if metric.sees_images else f"least like the {others} of their image"
    said = "does not match its image" if metric.sees_images else f"shares nothing with the {others}"
    of_last = pl.col(label) == least[label].tail(1).first() if least.height else pl.lit(False)
    equal = named.filter(of_last).height - least.filter(of_last).height
    return Table(
        f"the {least.height} captions {what}, by {label}",
        least.select("image", "slot", label, "text"),
        caption=f"a caption that {said} may describe another image"
        + (f"; {equal:,} more have the score of the last" if equal else ""),
        name="least-alike",
    )
