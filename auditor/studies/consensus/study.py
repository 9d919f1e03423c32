"""How often does a metric prefer the caption that raters prefer? Vedantam et al. 2015 (the paper of CIDEr)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from auditor import parameters as p
from auditor.errors import MetricError, UsageError
from auditor.model import Progress, silent
from auditor.result import Finding, Result, about, counted, folded
from auditor.scoring.by_reference_count import scores_by_references
from auditor.scoring.references import WAY_OUT, own_references, references_of
from auditor.scoring.registry import References, left_out, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, too_long
from auditor.scoring.variants import draws_of
from auditor.store.captions import Captions, select_all
from auditor.store.connection import Store
from auditor.studies.consensus import tables as rows_of
from auditor.studies.consensus.accuracy import ConsensusSettings, accuracies, league, preferences
from auditor.studies.consensus.ceiling import ceiling_by_votes, metric_halves, people_ceiling
from auditor.studies.consensus.tables import ConsensusResult, figures, lead, tables
from auditor.studies.consensus.votes import PairVotes, Prepared, pair_votes, with_kinds

#: The number of references in Vedantam et al. 2015.
_MOST = 48


def consensus(
    store: Store,
    name: str,
    metrics: p.Metrics = None,
    against: p.Against = None,
    settings: ConsensusSettings | None = None,
    progress: Progress = silent,
) -> Result:
    """Measure how often metrics prefer the caption that raters prefer.

    Raises `UsageError` for a dataset without decided pairs or triplets, and for more references than any image has.
    """
    settings = settings or ConsensusSettings()
    (captions,) = select_all(store, [name], settings.split, settings.tokenizer, progress=progress)
    part = compared(pair_votes(captions, progress), metrics, against, settings, progress)
    reported = dict.fromkeys([*left_out(metrics), *part.notes])
    frame = rows_of.frame(part, settings)
    return Result(
        "agree",
        frame,
        selections=(part.votes.selection, part.references),
        signatures=signatures(part.metrics, settings.tokenizer, References("all", part.most, settings.seed)),
        tables=folded(tables(part, settings), "agreement-with-people"),
        figures=tuple(figures(part, settings)),
        lead=tuple(lead(part, frame)),
        said=reported,
    )


def compared(
    votes: PairVotes,
    metric_names: p.Metrics,
    against: str | None,
    settings: ConsensusSettings,
    progress: Progress = silent,
) -> ConsensusResult:
    """Compare metrics with the votes of one dataset, by the tokenizer of the settings."""
    ready = prepared(votes, metric_names, against, settings)
    votes, references, most, metrics, notes = ready
    labels = [metric.label for metric in metrics]
    key = (settings.seed, *votes.selection.content)
    by_draw = scored(ready, settings, progress)
    first = by_draw.filter(pl.col("draw") == 1, pl.col("references") == most)
    preferred = preferences(votes.rows, first, metrics)
    halves, reason = metric_halves(ready, settings, progress)
    flat = [label for label in labels if preferred.height and (preferred[label] == 0).all()]
    tied = [f"{', '.join(flat)}: every pair is a tie, so accuracy is the credit of a tie"] if flat else []
    parts = []
    for (draw, number), scores in by_draw.group_by("draw", "references", maintain_order=True):
        of_draw = preferences(votes.rows, scores, metrics)
        accuracy = accuracies(of_draw, labels, settings.ties, settings.resamples, key, progress=progress)
        parts.append(accuracy.with_columns(draw=pl.lit(draw, pl.Int64), references=pl.lit(number, pl.UInt32)))
    return ConsensusResult(
        votes, references.selection, most, metrics,
        accuracy=pl.concat(parts),
        compared=rows_of.compared(first, metrics),
        ceiling=people_ceiling(votes.rows, settings.ties),
        ceiling_by_votes=ceiling_by_votes(votes.rows, settings.ties),
        halves=halves,
        preferred=preferred,
        league=league(preferred, labels),
        notes=(*notes, *filter(None, [reason]), *tied),
    )  # fmt: skip


def prepared(votes: PairVotes, metric_names: p.Metrics, against: str | None, settings: ConsensusSettings) -> Prepared:
    """Choose references and metrics for votes, and leave out what the settings do."""
    references, notes = references_of(votes.captions, against)
    votes = with_kinds(votes, references)
    votes, own = _without_references(votes, references, settings)
    most, few = _most(votes, references, settings)
    drawn = References("all", most, settings.seed).select(references)
    metrics, unscored = scorable(drawn, requests(metric_names), metric_names)
    if not metrics:
        raise MetricError(f"{references.label}: {unscored[0]}")
    long = too_long(votes.captions, references)
    return Prepared(votes, references, most, list(metrics), (*votes.notes, *own, *notes, *few, *unscored, *long))


def _without_references(
    votes: PairVotes, references: Captions, settings: ConsensusSettings
) -> tuple[PairVotes, list[Finding]]:
    """Count the pairs with a caption that is a reference of its image, and leave them out if the settings do."""
    own = own_references(references.tokenize(), votes.candidates)
    rows = votes.rows
    for side in ("slot_b", "slot_c"):
        rows = rows.join(own.rename({"slot": side}), on=["image", side], how="anti", maintain_order="left")
    every = votes.rows.height
    pairs = every - rows.height
    if not pairs:
        return votes, []
    label = votes.selection.label
    if settings.without_own_references:
        if rows["winner"].null_count() == rows.height:
            every_pair = "every decided pair has a caption that is a reference of its image"
            raise UsageError(f"{label}: {every_pair} in {references.label}")
        votes = replace(votes, rows=rows)
    end = "left out" if settings.without_own_references else f"metrics only match the copy; {WAY_OUT}"
    subject = counted(pairs, "pair has", "pairs have")
    sentence = f"{label}: {subject} a caption identical to a reference of its image in {references.label}: {end}"
    where = about(votes.selection, against=references.label)
    return votes, [Finding("own-references", sentence, where, {"pairs": pairs}, every, "warning")]


def _most(votes: PairVotes, references: Captions, settings: ConsensusSettings) -> tuple[int, list[str]]:
    """Choose the number of references, and report how many pairs have fewer."""
    described = references.images()
    captions = votes.rows.select("image").join(described, on="image")["captions"]
    most = max((settings.most or min(_MOST, *captions), *settings.at))
    enough = int((captions >= most).sum())
    if not enough:
        none = f"no compared image has {most} references, the maximum is {max(captions)}"
        raise UsageError(f"{references.label}: {none}; lower --most")
    few = len(captions) - enough
    left = f"{few:,} of {votes.rows.height:,} pairs left out, because their image has fewer than {most} references"
    return most, [f"{references.label}: {left}"] if few else []


def scored(ready: Prepared, settings: ConsensusSettings, progress: Progress) -> pl.DataFrame:
    """Score the compared captions. Columns: draw, references, image, slot, and one for each metric."""
    votes, references, most, metrics, _ = ready
    numbers = sorted({most, *settings.at} if not settings.curve else range(1, most + 1))
    candidates, parts = [votes.candidates], []
    for draw, against in enumerate(draws_of(References("all", most, settings.seed, draws=settings.draws))):
        if numbers == [most]:
            scores = score_candidates(against.select(references), candidates, metrics, progress)
            scores = scores.with_columns(references=pl.lit(most, pl.UInt32))
        else:
            seed = settings.seed + draw
            scores = scores_by_references(references, candidates, metrics, most, seed, progress, at=numbers)
        parts.append(scores.select(pl.lit(draw + 1, pl.Int64).alias("draw"), pl.exclude("candidate")))
    return pl.concat(parts, how="diagonal")
