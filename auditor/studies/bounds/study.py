"""Compute upper and lower bounds of metric scores (Wang & Gaizauskas 2016, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.model import Progress, silent
from auditor.result import Result, Said
from auditor.scoring.candidate_sets import CANDIDATES, CandidateScores, missing, score_sets, substitutes_of
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import References, are_ours, left_out, requests
from auditor.scoring.scores import keep_scores, repeats, together, with_reasons
from auditor.scoring.single_captions import against_what
from auditor.scoring.variants import RAW, Measured, over, variants
from auditor.statistics.summary import summarize
from auditor.store.captions import Captions, select_all, selections_of, stepwise
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.versions import resolve_all
from auditor.studies.bounds import tables
from auditor.studies.bounds.by_files import by_files
from auditor.text import AUTO

Candidates = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "human, intra, inter, brown, gibberish-10, gibberish-mean, gibberish-brown-10, gibberish-brown-mean; repeat "
        "for more; default: all that can be drawn.",
        "candidate",
        "c",
        choices=CANDIDATES,
    ),
]


@question
def drawn(
    store: Store,
    *refs: p.Refs,
    metrics: p.Metrics = None,
    candidates: Candidates = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    others: p.Others = (),
    corpus: p.Corpus = None,
    seed: p.Seed = 1,
    draws: p.Draws = 1,
    progress: Progress = silent,
) -> Result:
    """Compute the bounds of metric scores by candidates that are drawn from the store, for `auditor bounds`."""
    every = select_all(store, refs, split, tokenizer, beside=others, progress=progress)
    options: dict[str, Any] = {
        "metrics": metrics, "candidates": candidates, "references": references, "distinct": distinct, "others": others,
        "corpus": corpus, "seed": seed, "draws": draws,
    }  # fmt: skip
    make, asked = partial(_bounds, every, progress, **options), requests(metrics)
    if not are_ours(asked):  # the code of another package may change, so nothing is stored for its metrics
        result = make()
    else:
        signed = [str(metric.signature(every[0].tokenizer, References())) for metric in asked]
        settings = {**options, "tokenizer": every[0].tokenizer, "signatures": signed}
        beside = resolve_all(store, others)
        result = kept_result(store, "bounds", selections_of(every), settings, make, beside=beside)
    return replace(result, notes=(*every[0].notes, *result.notes))


@face(draws=True)
@forms(drawn, by_files, names=("bounds in the store", "bounds by files"))
def bounds() -> None:
    """Compute upper and lower bounds of metric scores.

    Upper bound (candidate human): each caption is held out and scored against the other captions of its image
    (leave-one-out). Lower bounds: a substitute is scored instead. Candidates intra and inter are captions of another
    image and of another dataset. brown is a sentence of the Brown corpus, and gibberish is random words. By default,
    all candidates that are available are scored. inter draws from `--others`, by default the other datasets that you
    name.

    How to read it: a system that scores near human is as good as one more annotator by this metric. A score near intra
    shows nothing about the image. If both bounds are close, the metric cannot separate right captions from wrong ones
    on these data.

    Limits: a human score is a reference level, not a maximum. A system can score higher with generic captions. BLEU and
    METEOR rise with the number of captions per image. To compare their bounds between datasets, draw equally many
    captions per image with `--references`. An image with one caption has no reference and gets no score. If no image
    has two captions, substitutes are scored against that one caption (`refs:all` in the signature). A human score is
    then not possible.

    Captions that repeat another of their image, token for token, raise the upper bound: they match their copy among the
    references. A warning counts them. With `--distinct`, each text counts once per image, as caption and as reference.

    Rows, per metric and candidate: n, mean, sd, median, min and max. Column level names what is summarized: scores of
    captions, means of images (image), or standard deviations within images (image-sd). With `--draws`, each draw has
    its own rows, with its seed. With `--distinct`, every row appears twice; column variant shows which is which. A
    metric that cannot score the captions has one row, with the `reason`.

    With `--work`, `--executor` or `--scores`, the upper bounds are computed in parts on disk. They differ from those of
    the store by less than 10^-12. One bucket of images is in memory at a time, so memory does not grow with the
    dataset. Run a stopped command again: it computes only what is missing. A changed file is computed again, with all
    that depends on it. Every machine of a cluster must see the folder of `--work` at the same path. A receipt next to
    the file of `--scores` lists captions, buckets, metrics and SELECTs, with checksums of the scores. Check it with
    `auditor store verify FILE.receipt.json`. In parts, only human scores are computed, by built-in metrics that read
    text, without medians. The idf is dataset or none. A bucket has about 60,000 captions. Each worker needs about 0.3
    GB in addition to `--memory`. Anyone who can write to the folder of `--work` can falsify scores: protect it.

    Scores that were computed elsewhere have bounds too: `-m scores:FILE`; `auditor agree` explains its columns.

    Source: Wang & Gaizauskas 2016, sections 4 and 5.

    Raises `MetricError` if a candidate that you name cannot be drawn, or a metric cannot be computed by files. Raises
    `UsageError` for a folder that holds other work, `SourceError` for one with a file that no stage wrote.

    Examples: auditor bounds flickr8k:test -m cider -c human -c intra · auditor bounds flickr30k -m bleu-4 --work stages
    --scores scores.parquet
    """


def _bounds(
    every: Sequence[Captions],
    progress: Progress,
    *,
    metrics: p.Metrics,
    candidates: Sequence[str] | None,
    references: int | None,
    distinct: bool,
    others: Sequence[str],
    corpus: str | None,
    seed: int,
    draws: int,
) -> Result:
    selections = selections_of(every)
    names = [name for name in CANDIDATES if not candidates or name in candidates]
    drawn_again = [name for name in names if references is not None or name != HUMAN.name]
    substitutes = substitutes_of(every, others, corpus)
    repeated, required = repeats(every, progress, left_out=distinct), bool(candidates)

    def measure(captions: Captions, steps: Progress, draw: int, against: References) -> Measured:
        chosen, refs = drawn_again if draw else names, against_what(captions, against, requests(metrics))
        refs, number = replace(refs, seed=seed + draw), seed + draw
        scored = score_sets(captions, chosen, substitutes, refs, metrics, number, required=required, progress=steps)
        keep_scores(captions, scored.scores, scored.sets, scored.signatures)
        rows = _rows(scored, seed + draw if references is not None else None)
        reasons = missing({captions.label: scored.reasons})
        return Measured(rows, {}) if draw else Measured(rows, scored.signatures, [*scored.notes, *reasons])

    against = References("loo", references, seed)
    parts = [
        over(variants(against, captions.tokenizer, distinct=distinct), partial(measure, captions, steps, draw))
        for captions, steps in stepwise(every, progress)
        for draw in range(draws if drawn_again else 1)
    ]
    frame = pl.concat(part.rows for part in parts)
    notes: list[Said] = [*left_out(metrics), *(note for part in parts for note in part.notes), *repeated]
    notes += [finding for selection in selections for finding in tables.upside_down(selection, frame)]
    whole = frame if distinct else frame.drop("variant")
    for captions in every:
        whole = with_reasons(whole, against.select(captions), requests(metrics))
    return Result(
        "bounds",
        whole,
        selections=selections,
        signatures=together(part.signatures for part in parts),
        tables=tables.tables(selections, frame),
        figures=tables.figures(frame.filter(variant=RAW), selections),
        lead=tuple(tables.lead(selections, frame)),
        said=notes,
    )


def _rows(measured: CandidateScores, drawn_references: int | None) -> pl.DataFrame:
    """Summarize scores by candidate. `drawn_references` is the seed of drawn references, else null."""
    scores, parts = measured.scores.drop("slot"), []
    for candidate in measured.sets:
        summary = summarize(scores.filter(candidate=candidate.name).drop("candidate"))
        origin = candidate.params.get("seed", drawn_references), candidate.source
        parts.append(tables.named_rows(summary, measured.selection, candidate.name, measured.signatures, *origin))
    order = {metric: index for index, metric in enumerate(measured.signatures)}
    return pl.concat(parts).sort(pl.col("metric").replace_strict(order), maintain_order=True)
