"""How high can a human score, how low does a wrong caption score? (Wang & Gaizauskas 2016, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.metrics.candidates import HUMAN
from auditor.model import Progress, silent
from auditor.registry import References, left_out, requests
from auditor.result import Result, Said, findings_in, notes_in
from auditor.scoring.candidate_sets import CandidateScores, missing, score_sets
from auditor.scoring.keeping import keep_scores, keeps_result
from auditor.scoring.repeats import DISTINCT, RAW, footings, only_distinct, repeats
from auditor.scoring.scores import together
from auditor.scoring.single_captions import against_what
from auditor.scoring.substitutes import requested_candidates, substitutes_of
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.summary import summarise
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.bounds import tables
from auditor.text import AUTO

Candidates = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "human, intra, inter, brown, gibberish-10, gibberish-mean, gibberish-brown-10, gibberish-brown-mean; repeat "
        "for more; default: all that can be drawn.",
        "candidate",
        "c",
    ),
]


@chooses_tokenizer("refs", "others")
@keeps_result("refs", "others")
def bounds(
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
    """How high a human scores, and how low a substitute in a caption's place.

    Upper bound: each caption is held out and scored against the other captions of its image (leave-one-out, candidate
    human). Lower bounds: a substitute is scored in its place against the same captions: a caption of another image
    (intra), one of another dataset (inter), a sentence of the Brown corpus (brown), or words drawn one by one
    (gibberish). By default every candidate that can be drawn; inter draws from `others`, or else from the other
    datasets named.

    How to read it: a system that scores near human does as well as one more annotator by this metric; one that scores
    near intra says nothing of its image. Where the two bounds are close, the metric cannot tell right from wrong on
    these data.

    Limits: human is no ceiling: a system may score higher by saying what everybody says. Bounds of datasets with other
    numbers of captions an image are not comparable for BLEU and METEOR, which take the best reference: draw equally
    many with `references`. An image with one caption has no reference and gets no score; where no image has two,
    substitutes are scored against that one caption (signed refs:all), and there is no human.

    Captions that repeat another of their image, token for token, raise the upper bound: they find themselves among the
    references. A warning says how many there are; with `distinct` each text is taken once per image, as caption and as
    reference.

    Rows, per metric and candidate: n, mean, sd, median, min and max over captions (level caption), over the means of
    images (image), and over the standard deviations of images (image-sd). With `draws`, each draw has rows of its own,
    by column seed; with `distinct` all rows are there twice, by column footing.

    Source: Wang & Gaizauskas 2016, sections 4 and 5.

    Raises `MetricError` where a candidate that is asked for by name cannot be drawn.

    Example: auditor bounds flickr8k:test -m cider -c human -c intra
    """
    selections = resolve_all(store, refs, split)
    names = requested_candidates(candidates)
    drawn_again = [name for name in names if references is not None or name != HUMAN.name]
    substitutes = substitutes_of(store, selections, others, corpus)
    notes: list[Said] = [*left_out(metrics)]
    repeated = repeats(store, selections, tokenizer, progress, left_out=distinct)
    parts = []
    for selection in selections:
        for draw, (footing, against) in product(
            range(draws if drawn_again else 1),
            footings(References("loo", references, seed), tokenizer, distinct=distinct).items(),
        ):
            measured = score_sets(
                store,
                selection,
                drawn_again if draw else names,
                substitutes,
                replace(against_what(store, selection, against, requests(metrics)), seed=seed + draw),
                metrics,
                tokenizer,
                seed + draw,
                required=candidates is not None,
                progress=progress,
            )
            keep_scores(store, selection, measured.scores, measured.sets, measured.signatures)
            rows = _rows(measured, seed + draw if references is not None else None)
            parts.append(rows.with_columns(footing=pl.lit(footing)) if distinct else rows)
            if draw == 0:
                told = [*measured.notes, *missing({selection.label: measured.reasons})]
                notes += told if footing == RAW else only_distinct(told, notes)
            del measured  # a million scores are not held while the next ones are counted
    notes += repeated
    frame = pl.concat(parts)
    return Result(
        "bounds",
        frame,
        selections=selections,
        signatures=_signatures(frame),
        tables=tables.tables(selections, frame),
        figures=tables.figures(frame.filter(footing=RAW) if distinct else frame, selections),
        lead=tables.lead(selections, frame),
        notes=notes_in(notes),
        findings=findings_in(notes),
    )


def _signatures(rows: pl.DataFrame) -> dict[str, str]:
    """Name each metric in full, by its label; of each text once per image by `LABEL distinct`."""
    is_distinct = pl.col("footing") == DISTINCT if "footing" in rows.columns else False
    label = pl.when(is_distinct).then(pl.format(f"{{}} {DISTINCT}", "metric")).otherwise("metric")
    own = ["dataset", "version", "split", "label"]
    named = rows.with_columns(label=label).unique(own, keep="first", maintain_order=True)
    return together({name: signature} for name, signature in named.select("label", "signature").iter_rows())


def _rows(measured: CandidateScores, drawn_references: int | None) -> pl.DataFrame:
    """Summarise scores by candidate. Where references were drawn, `drawn_references` is the seed."""
    version, parts = measured.selection.version, []
    for candidate in measured.sets:
        own = measured.scores.filter(pl.col("candidate") == candidate.name).drop("candidate", "slot")
        parts.append(
            summarise(own).select(
                pl.lit(version.dataset).alias("dataset"),
                pl.lit(version.version).alias("version"),
                "metric",
                pl.lit(candidate.name).alias("candidate"),
                "level", "n", "mean", "sd", "median", "min", "max",
                pl.lit(measured.selection.split, pl.String).alias("split"),
                pl.lit(candidate.params.get("seed", drawn_references), pl.Int64).alias("seed"),
                pl.lit(candidate.source, pl.String).alias("drawn_from"),
                pl.col("metric").replace_strict(dict(measured.signatures)).alias("signature"),
            )
        )  # fmt: skip
    order = {metric: index for index, metric in enumerate(measured.signatures)}
    return pl.concat(parts).sort(pl.col("metric").replace_strict(order), maintain_order=True)
