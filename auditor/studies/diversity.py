"""How varied are the words and sentences of a dataset, or of a system's output? (van Miltenburg et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Result, Selection, Source, silent
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve, resolve_all
from auditor.studies.diversity_tables import figures, notes, tables
from auditor.studies.global_diversity import Found, Known, Settings, global_statistics, workspace
from auditor.text import tokenizer

#: The text profile of the paper's own tokens, and the one that is measured beside it.
PUBLISHED_PROFILE = "spacy"
ROBUST_PROFILE = "bare"

_KEY = ["dataset", "version", "split", "statistic", "position"]


def diversity(
    store: Store,
    refs: Sequence[str],
    settings: Settings | None = None,
    against: str | None = None,
    evaluation: str | None = None,
    split: str | None = None,
    declared: Mapping[str, Source] | None = None,
    progress: Progress = silent,
) -> Result:
    """Measure each selection with the statistics of `registry.STATISTICS` that it can have.

    `against` names the training data (for novel, coverage), `evaluation` the captions of people for the same images
    (for coverage). As published, the files that `declared` names say in which order captions stand, and column `robust`
    has the value that no order and no blank changes, of text profile `bare`; else it is null. Raises `UsageError` for
    settings out of range.
    """
    settings = settings or Settings()
    _check(settings)
    selections, known = chosen(store, refs, against, evaluation, split, settings.text_profile, progress)
    rows, found_notes = measured(store, selections, settings, known, declared or {}, progress)
    if settings.published:
        robust = replace(settings, published=False, text_profile=ROBUST_PROFILE)
        chosen(store, refs, against, evaluation, split, ROBUST_PROFILE, progress)
        beside, _ = measured(store, selections, robust, known, {}, progress)
        values = beside.select(*_KEY, pl.col("value").alias("robust"))
        rows = rows.drop("robust").join(values, on=_KEY, how="left", nulls_equal=True, maintain_order="left")
    signed = rows.unique("statistic", keep="first", maintain_order=True).select("statistic", "signature")
    labelled = [
        (one.label, rows.filter(pl.col("dataset") == one.version.dataset, pl.col("version") == one.version.version,
                                pl.col("split").eq_missing(one.split)))
        for one in selections
    ]  # fmt: skip
    return Result(
        "diversity",
        rows.select(*_KEY[:2], "statistic", "position", "value", "low", "high", "robust", "spread", "lists", "split",
                    "profile", "seed", "signature", "reason"),
        selections=(*selections, *(one for one in (known.training, known.evaluation) if one)),
        signatures=dict(signed.rows()),
        tables=tables(labelled, known),
        figures=figures(labelled),
        notes=(*found_notes, *notes(labelled, known, settings)),
    )  # fmt: skip


def chosen(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    text_profile: str,
    progress: Progress,
) -> tuple[tuple[Selection, ...], Known]:
    """Resolve what is measured and what it is measured against, and see to the tokens of all."""
    tokenize = tokenizer(text_profile)
    selections = resolve_all(store, refs, split)
    known = Known(
        None if against is None else resolve(store, against), None if evaluation is None else resolve(store, evaluation)
    )
    further = [one for one in (known.training, known.evaluation) if one]
    tokens.provide(store, [*selections, *further], text_profile, tokenize, progress)
    return selections, known


def measured(
    store: Store,
    selections: Sequence[Selection],
    settings: Settings,
    known: Known,
    declared: Mapping[str, Source],
    progress: Progress,
) -> tuple[pl.DataFrame, list[str]]:
    """Measure selections whose tokens are there: the rows of all, and what a reader must know."""
    words = store.query("select token_id, token from vocabulary")
    at_work = workspace(store, settings, known)
    found: list[Found] = []
    for number, selection in enumerate(selections):
        progress(f"{selection.label}: diversity", number, len(selections))
        found.append(global_statistics(at_work, selection, settings, known, words, declared))
    rows = pl.concat(_rows(one, part.rows, settings) for one, part in zip(selections, found, strict=True))
    return rows, [note for part in found for note in part.notes]


def _check(settings: Settings) -> None:
    for option, number in {"--segment": settings.segment, "--shuffles": settings.draws}.items():
        if number < 1:
            raise UsageError(f"{option} {number}: expected 1 or more")
    if settings.curve < 0:
        raise UsageError(f"--curve {settings.curve}: expected a number of tokens, or 0 for no curve")


def _rows(selection: Selection, rows: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    version = selection.version
    drawn = pl.col("signature").str.contains("|seed:", literal=True)
    return rows.select(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        "statistic", "position", "value", "low", "high", "spread", "lists",
        pl.lit(None, pl.Float64).alias("robust"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(settings.text_profile).alias("profile"),
        pl.when(drawn).then(pl.lit(settings.seed, pl.Int64)).alias("seed"),
        "signature", "reason",
    )  # fmt: skip
