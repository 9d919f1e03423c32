"""How high can a human score, how low does a wrong caption score? (Wang & Gaizauskas 2016, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Progress, Result, Selection, Table, silent
from auditor.registry import MetricRequest, References, left_out, requests
from auditor.statistics.summary import summarise
from auditor.store.connection import Store
from auditor.store.versions import images, resolve_all
from auditor.studies.bounds_figures import figures
from auditor.studies.scores import HUMAN, intra, scorable, score_candidates, signatures, too_few_captions


def bounds(
    store: Store,
    refs: Sequence[str],
    metric_names: Sequence[str] | None = None,
    text_profile: str = "bare",
    split: str | None = None,
    seed: int = 1,
    references: int | None = None,
    progress: Progress = silent,
) -> Result:
    """Give the upper bound (each caption against the others of its image) and the lower bound `intra`.

    With `references`, each against so many captions, drawn by `seed`, so that datasets can be compared that have more
    or fewer of them.

    Per metric and candidate: n, mean, sd, median, min and max over captions (micro) and over images (macro).
    """
    metrics = requests(metric_names)
    selections = resolve_all(store, refs, split)
    against = References("loo", references, seed)
    wanted = [scorable(store, against.of(one), metrics, metric_names) for one in selections]
    parts = [
        _bounds(store, against.of(one), some, text_profile, seed, progress)
        for one, (some, _) in zip(selections, wanted, strict=True)
    ]
    used = [metric for metric in metrics if any(metric in some for some, _ in wanted)]
    signed = signatures(used, text_profile, against)
    return Result(
        "bounds",
        pl.concat(parts).with_columns(signature=pl.col("metric").replace_strict(signed)),
        selections=selections,
        signatures=signed,
        tables=tuple(_table(one, part) for one, part in zip(selections, parts, strict=True)),
        figures=figures(pl.concat(parts), selections),
        notes=(
            *left_out(metric_names),
            *(
                note
                for one, (_, unscored) in zip(selections, wanted, strict=True)
                for note in (*unscored, *too_few_captions(store, one, against), *_unscored(store, one))
            ),
        ),
    )


def _bounds(
    store: Store,
    selection: Selection,
    metrics: Sequence[MetricRequest],
    text_profile: str,
    seed: int,
    progress: Progress,
) -> pl.DataFrame:
    scores = score_candidates(store, selection, text_profile, [HUMAN, intra(seed)], metrics, progress)
    parts = [
        summarise(scores.filter(pl.col("candidate") == candidate).select("image", value=metric.label)).select(
            pl.lit(selection.version.dataset).alias("dataset"),
            pl.lit(selection.version.version).alias("version"),
            pl.lit(metric.label).alias("metric"),
            pl.lit(candidate).alias("candidate"),
            pl.all(),
            pl.lit(selection.split, pl.String).alias("split"),
            pl.lit(used_seed, pl.Int64).alias("seed"),
        )
        for metric in metrics
        for candidate, used_seed in (("human", None), ("intra", seed))
    ]
    return pl.concat(parts)


def _table(selection: Selection, rows: pl.DataFrame) -> Table:
    shown = rows.filter(pl.col("level") == "caption").drop("dataset", "version", "level", "split", "seed")
    return Table(f"bounds of {selection.label}, over captions", shown)


def _unscored(store: Store, selection: Selection) -> list[str]:
    """Say which captions have no score, and which scores mean nothing."""
    described = images(store, selection)
    notes = []
    lonely = described.filter(pl.col("captions") < 2).height
    if lonely:
        subject = "1 image has" if lonely == 1 else f"{lonely:,} images have"
        notes.append(f"{selection.label}: {subject} one caption only, which has no reference and gets no score")
    if described.height == 1:
        notes.append(f"{selection.label}: with one image there is no caption of another image, and so no intra")
    return notes
