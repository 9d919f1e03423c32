"""Rank datasets by sameness, if one of them has a single caption per image and so no upper bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from auditor.arrays import np
from auditor.called import call
from auditor.model import Draw, Progress
from auditor.result import Result, Signature, Table, interval
from auditor.scoring.registry import DECIMALS
from auditor.scoring.single_captions import lacking
from auditor.scoring.variants import RAW
from auditor.statistics.decisions import decisions
from auditor.statistics.diversity import STATISTICS
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.sameness import SAMENESS, measured_sameness
from auditor.statistics.studentized import Measured, estimates
from auditor.store.captions import Captions, selections_of
from auditor.studies.compare.indices import Index, ranks
from auditor.studies.compare.measured import COLUMNS, ranked_rows
from auditor.studies.compare.tables import percent, rank_words, ranked


def ranked_by_sameness(every: Sequence[Captions], resampling: Resampling, progress: Progress) -> Result:
    """Rank datasets by sameness. One caption of each image counts, drawn by the seed if there are several.

    Rows have the columns of `compare`. A dataset without a value has no row.
    """
    indices, notes = dict[int, Index](), list[str]()
    for number, captions in enumerate(every):
        progress(f"{captions.label}: sameness", number, len(every))
        index = _index(captions, resampling)
        if np.isfinite(index.value):
            indices[len(indices)] = index
        else:
            notes.append(f"{captions.label}: no sameness: fewer than two captions, or no word")
    drawn = [captions.label for captions in every if not lacking(captions)]
    if drawn:
        notes.append(f"sameness: one caption of each image of {', '.join(drawn)}, sampled by seed {resampling.seed}")
    if len(every) == 2:
        first, second = (captions.label for captions in every)
        drift = f"`{call('diff', first, second, depth='drift')}`"
        notes.append(f"how words, openings and lengths differ from {first} to {second}: {drift}")
    of: dict[str, str | int | float | bool] = {"tok": every[0].tokenizer, "captions": 1, "seed": resampling.seed}
    signature = str(Signature(SAMENESS, of, STATISTICS[SAMENESS].version))
    placed = ranks(indices, decisions([index.estimate for index in indices.values()]), resampling.confidence)
    ranking = {(SAMENESS, SAMENESS): [*zip(indices.values(), placed, strict=True)]}
    facts = pl.concat(captions.stamp(pl.DataFrame({"label": captions.label})) for captions in every)
    rows = facts.join(ranked_rows(ranking, {}, {SAMENESS: signature}, resampling), "label", maintain_order="right")
    rows = rows.sort("rank", nulls_last=True, maintain_order=True)
    return Result(
        "compare",
        rows.select(COLUMNS),
        selections=selections_of(every),
        signatures={SAMENESS: signature},
        tables=(_table(rows, resampling.confidence),) if rows.height else (),
        lead=_lead(rows) if rows.height else (),
        notes=tuple(notes),
    )


def added(result: Result, sameness: Result) -> Result:
    """Add the rows, the table and the sentence of sameness to a comparison of those with several captions."""
    return replace(
        result,
        frame=pl.concat([result.frame, sameness.frame], how="diagonal_relaxed"),
        selections=sameness.selections,
        signatures={**result.signatures, **sameness.signatures},
        tables=(*result.tables, *sameness.tables),
        lead=(*result.lead, *sameness.lead),
        notes=(*result.notes, *sameness.notes),
    )


def drawn_sameness(captions: Captions, seed: int) -> Measured:
    """Measure sameness on one caption of each image, drawn by the seed; NaN for fewer than two with a word."""
    workspace = captions.like(replace(captions.selection, draw=Draw(1, seed))).workspace(lists=1)
    return measured_sameness(workspace.rows("image_sameness"), workspace.rows("sameness"))


def _index(captions: Captions, resampling: Resampling) -> Index:
    selection, measured = captions.selection, drawn_sameness(captions, resampling.seed)
    key = (resampling.seed, *selection.content)
    (estimate,) = estimates([measured], resampling.times, key)
    value, ends = round(measured.value, DECIMALS), estimate.interval(resampling.confidence)
    return Index(captions.label, SAMENESS, SAMENESS, value, ends, measured.error, True, estimate)


def _table(rows: pl.DataFrame, confidence: float) -> Table:
    shown = ranked(rows, SAMENESS).drop("metric").rename({"label": "dataset"})
    caption = (
        "words that captions of two images share, as a share of the words of one; 1: all captions are equal. It is not "
        f"agreement, which is between annotators of one image. low, high: {percent(confidence)} confidence interval "
        "over images. Ranks such as 1–2 are tied within sampling error"
    )
    return Table(
        "homogeneity by sameness: captions of different images", shown, (SAMENESS,), caption=caption, name=SAMENESS,
        sample=RAW,
    )  # fmt: skip


def _lead(rows: pl.DataFrame) -> tuple[str, ...]:
    parts = [
        f"{row['label']} {row['value']:.3f}{interval(row['low'], row['high'], row['confidence'])}, {rank_words(row)}"
        for row in rows.iter_rows(named=True)
    ]
    meaning = "the share of words that captions of different images have in common"
    return (f"Homogeneity by sameness, {meaning}: {'; '.join(parts)}.",)
