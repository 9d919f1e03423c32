"""Score captions against the captions of their image: leave-one-out, or a system's output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Finding, Result, Said, Table, about, findings_in, listed, notes_in
from auditor.scoring.candidates import HUMAN, output_of
from auditor.scoring.references import as_references, own_finding, own_references
from auditor.scoring.registry import MetricRequest, References, in_scales, left_out, requests
from auditor.scoring.repeats import RAW, repeats, variants
from auditor.scoring.scores import keep_scores, scorable, score_candidates, signatures, too_few_captions, too_long
from auditor.scoring.single_captions import without_references
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.resampling import check_resampling
from auditor.store.captions import select
from auditor.store.connection import Store
from auditor.store.versions import content, images, resolve, resolve_all
from auditor.studies.score.presets import preset_of
from auditor.studies.score.printed import printed
from auditor.studies.score.ranked import ranking, with_ranks
from auditor.studies.score.tables import least_alike_table, means_table, summary_table
from auditor.text import AUTO

Candidates = Annotated[
    Sequence[str] | None,
    p.Parameter("System output to score, or its file; repeat for more; default: leave-one-out.", completes="dataset"),
]

PresetName = Annotated[
    str | None,
    p.Parameter(
        "Print the scores of another program, on its tokens and scales: coco (pycocoevalcap) or sacrebleu.",
        completes="preset",
    ),
]


Rank = Annotated[bool, p.Parameter("Add the rank of each caption within its image; show the best and worst.")]


def score(
    store: Store,
    ref: p.Described,
    *,
    metrics: p.Metrics = None,
    candidates: Candidates = None,
    preset: PresetName = None,
    rank: Rank = False,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    without_own_references: p.WithoutOwn = False,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Score captions, or a system's output.

    Each caption is scored against the others of its image (leave-one-out). With `candidates`, each caption of a system
    is scored against all captions of its image. `references` limits them to so many, drawn by the seed. With several
    systems, each mean has an interval, and is tested against the mean of the first.

    With `preset`, the whole output gets one score per metric, as another program prints it. `coco` is the row of
    pycocoevalcap (Bleu_1 to Bleu_4, METEOR, ROUGE_L, CIDEr). `sacrebleu` is its BLEU, chrF2 and TER. Tables have the
    program's decimals, CSV and JSON all of them.

    How to read it: one row per caption and metric; the table shows the means. Higher is better, except for ter, which
    counts edits. `auditor metrics NAME` explains a metric and its range. With `preset`, there is one row per system and
    metric. `low` and `high` are its confidence interval over images, with CIDEr's document frequencies fixed.
    `difference` is from the first system. `p` is the share of random swaps between both outputs that differ as much.

    Captions that repeat another of their image, token for token, get a full score. `distinct` adds rows with each text
    once per image, by column variant.

    With `rank`, column `rank` orders the captions of an image. 1 is most similar to the others: what annotators agree
    on. The last is what one annotator saw, or an error. Equal scores share the lowest rank; `length` is in tokens.
    Metrics prefer certain lengths: a table shows whether first ranks are short or long (Vedantam, Zitnick & Parikh
    2015, appendices II and IV).

    Limits: a score compares words: a right caption in other words scores low. Scores are comparable only with the same
    signature, version and split: document frequencies are those of the scored captions. A system's caption that is
    identical to a reference of its image is scored against itself. A note counts them, and `without_own_references`
    leaves them out. An image with one caption has no leave-one-out score.

    pycocoevalcap tokenizes a caption that ends in a letter and a full stop by the next caption in its file. It reads
    `22 3/4` as one word in METEOR and ROUGE_L. `preset` does neither, which changes the sixth decimal on COCO's
    val2017.

    Raises `UsageError` for an unknown dataset, version or split, `MetricError` for an unknown metric. Also
    `MetricError` for a metric that cannot score any of the captions.

    Examples: auditor score coco-val2017 --candidates vinyals2017 -m cider-d -o scores.csv · auditor score coco-val2017
    --candidates vinyals2017 --candidates liu2017 --preset coco -o row.tex
    """
    named = [candidates] if isinstance(candidates, str) else [*(candidates or ())]
    check_resampling(resamples, confidence)
    if without_own_references and not named:
        raise UsageError("--without-own-references needs --candidates: leave-one-out already holds out each caption")
    if rank and named:
        raise UsageError("--rank ranks the captions of the dataset itself; leave out --candidates")
    resampling = Resampling(resamples, confidence, seed)
    if preset is not None:
        chosen = preset_of(preset)
        refused = {"--metric": metrics, "--tokenizer": tokenizer != AUTO, "--references": references}
        refused |= {"--distinct": distinct, "--without-own-references": without_own_references}
        if own := [option for option, value in refused.items() if value]:
            raise UsageError(
                f"--preset {preset}: its options are those of {chosen.program}; leave out {', '.join(own)}"
            )
        if not named:
            raise UsageError(f"--preset {preset} scores a system's output; name it with --candidates")
        selection = resolve(store, ref, split)
        systems, notes = _systems(store, selection, ref, named)
        return printed(store, selection, systems, chosen, resampling, notes, progress)
    return _of_captions(
        store,
        ref,
        named,
        metrics=metrics,
        tokenizer=tokenizer,
        split=split,
        against=References("loo" if not named else "all", references, seed),
        rank=rank,
        distinct=distinct,
        without_own_references=without_own_references,
        resampling=resampling,
        progress=progress,
    )


def _of_captions(
    store: Store,
    ref: str,
    candidates: Sequence[str],
    *,
    metrics: p.Metrics,
    tokenizer: str,
    split: str | None,
    against: References,
    rank: bool,
    distinct: bool,
    without_own_references: bool,
    resampling: Resampling,
    progress: Progress,
) -> Result:
    """Compute the score of each caption."""
    captions = select(store, ref, split, tokenizer, beside=candidates, progress=progress)
    selection = captions.selection
    requested, unscored = scorable(store, against.of(selection), requests(metrics), metrics)
    notes = list[Said](too_few_captions(store, selection, against))
    chosen = {HUMAN.name: HUMAN}
    systems: list[Selection] = []
    if candidates:
        requested = list({in_scale.label: in_scale for metric in requested for in_scale in in_scales(metric)}.values())
        systems, mismatches = _systems(store, selection, ref, candidates)
        notes += mismatches
        chosen = {system.label: output_of(system) for system in systems}
    selections = [selection, *systems]
    if not candidates or distinct:
        notes += repeats([captions], progress, left_out=distinct)
    signed, parts = dict[str, str](), list[pl.DataFrame]()
    for variant, sampled in variants(against, captions.tokenizer, distinct=distinct).items():
        named = signatures(requested, captions.tokenizer, sampled)
        for label, output in chosen.items():
            part = score_candidates(sampled.select(captions), [output], requested, progress)
            keep_scores(store, selection, part, [output], named)
            parts.append(part.with_columns(variant=pl.lit(variant), system=pl.lit(label)))
        signed |= named if variant == RAW else {f"{label} {variant}": named[label] for label in named}
    scores = pl.concat(parts)
    if rank:
        scores = with_ranks(captions, scores, requested)
        notes += [*as_references(selection), *(without_references(store, selection) if against.drawn is None else ())]
    for system in systems:
        own = own_references(against.select(captions), chosen[system.label])
        scored = scores.filter(variant=RAW, system=system.label).height
        notes += own_finding(own.height, scored, selection, system, left_out=without_own_references)
        if without_own_references:
            own = own.with_columns(system=pl.lit(system.label))
            scores = scores.join(own, on=["system", "image", "slot"], how="anti", maintain_order="left")
            if not (scores["system"] == system.label).any():
                raise UsageError(
                    f"{system.label}: every caption is a reference of its image in {ref}, so none is left to score"
                )
    texts = pl.concat(
        content(store, selection).drop("split").with_columns(system=pl.lit(label))
        for label, selection in zip(chosen, systems or [selection], strict=True)
    )
    described = captions.images().select("image", "split")
    with_texts = scores.join(texts, on=["system", "image", "slot"], how="left", maintain_order="left").join(
        described, on="image", how="left", maintain_order="left"
    )
    if len(systems) > 1:
        with_texts = with_texts.with_columns(candidate=pl.col("system"))
    labels = [metric.label for metric in requested]
    keys = ["split", "image", "slot", "candidate", *(["variant"] if distinct else []), *(["length"] if rank else [])]
    frame = with_texts.unpivot(labels, index=keys, variable_name="metric").select(
        pl.lit(selection.version.dataset).alias("dataset"), pl.lit(selection.version.version).alias("version"), pl.all()
    )
    ranked: tuple[Table, ...] = ()
    if rank:
        ranks = with_texts.unpivot([f"rank {label}" for label in labels], value_name="rank")
        frame = frame.with_columns(ranks["rank"])
        ranked, favored = ranking(selection, with_texts.filter(variant=RAW), labels)
        notes += favored
    reported = [*left_out(metrics), *unscored, *notes, *too_long(*map(captions.like, selections))]
    return Result(
        "score",
        frame,
        selections=tuple(selections),
        signatures=signed,
        tables=(*_tables(selection, systems, scores, with_texts, requested, resampling, distinct=distinct), *ranked),
        notes=(*captions.notes, *notes_in(reported)),
        findings=findings_in(reported),
    )


def _tables(
    selection: Selection,
    systems: Sequence[Selection],
    scores: pl.DataFrame,
    with_texts: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    resampling: Resampling,
    *,
    distinct: bool,
) -> tuple[Table, ...]:
    """Return the means of each output, all outputs side by side, and the lowest scores of each."""
    last = metrics[-1]
    named: Sequence[tuple[str, Selection | None]] = [(selection.label, selection) for selection in systems] or [
        (HUMAN.name, None)
    ]
    several = len(systems) > 1
    means = [
        summary_table(selection, system, scores.filter(system=name), metrics, distinct=distinct)
        for name, system in named
    ]
    if several:
        labels = [metric.label for metric in metrics]
        means.append(means_table(selection, scores.filter(variant=RAW), labels, resampling))
    least = [
        least_alike_table(
            with_texts.filter(variant=RAW, system=name),
            last.label,
            last.metric,
            is_system=selection is not None,
            of=f"of {name} " if several else "",
        )
        for name, selection in named
    ]
    return (*means, *least)


def _systems(
    store: Store, selection: Selection, ref: str, candidates: Sequence[str]
) -> tuple[list[Selection], list[Said]]:
    """Return the named outputs, and notes on mismatches with the references."""
    notes: list[Said] = []
    systems = resolve_all(store, candidates)
    for name, system in zip(candidates, systems, strict=True):
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{name}: scores {ref} against itself; leave out --candidates for leave-one-out")
        notes += _unmatched(store, selection, system)
        if system.version.kind != "candidates":
            notes.append(
                f"{name} was ingested as {system.version.kind}, not as candidates (set --kind in `auditor ingest`)"
            )
    return list(systems), notes


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[Finding]:
    """Report the images that references and candidates do not share."""
    described, answered = (images(store, side)["image"] for side in (selection, system))
    missing = described.filter(~described.is_in(answered.implode()))
    extra = answered.filter(~answered.is_in(described.implode()))
    if len(missing) == len(described):
        raise UsageError(
            f"{system.label}: no image in common with {selection.label}: its ids look like {answered[0]!r}, "
            f"those of {selection.label} like {described[0]!r}"
        )
    sentences = (
        (missing, f"images of {selection.label} have no caption in {system.label}"),
        (extra, f"images of {system.label} are not in {selection.label}"),
    )
    return [
        Finding(
            "images-not-shared",
            f"{len(unshared):,} {what}: {listed(unshared, 3)}",
            about(side, against=other.label),
            {"images": len(unshared)},
            number,
            "warning",
        )
        for (unshared, what), side, other, number in zip(
            sentences, (selection, system), (system, selection), (len(described), len(answered)), strict=True
        )
        if len(unshared)
    ]
