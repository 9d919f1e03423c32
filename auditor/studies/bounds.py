"""How high can a human score, how low does a wrong caption score? (Wang & Gaizauskas 2016, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.metrics.candidates import HUMAN, CandidateSet
from auditor.model import Progress, Result, Selection, silent
from auditor.registry import MetricRequest, References, left_out, requests
from auditor.statistics.summary import summarise
from auditor.store.connection import Store
from auditor.store.versions import images, resolve_all
from auditor.studies import bounds_tables
from auditor.studies.lower_bounds import candidate_sets, chosen, empty, refuse, source_of, strangers
from auditor.studies.scores import scorable, score_candidates, signatures, too_few_captions


def bounds(
    store: Store,
    refs: Sequence[str],
    metric_names: Sequence[str] | None = None,
    text_profile: str = "bare",
    split: str | None = None,
    seed: int = 1,
    references: int | None = None,
    candidates: Sequence[str] | None = None,
    others: Sequence[str] = (),
    corpus: str | None = None,
    draws: int = 1,
    strict: bool = True,
    progress: Progress = silent,
) -> Result:
    """Give the upper bound (each caption against the others of its image) and lower bounds (a stranger in its place).

    `candidates` are `human` and those of `lower_bounds.LOWER_BOUNDS`; without them every one that can be drawn.
    `others` are the datasets that `inter` draws from, by default the other `refs`; `corpus` is what `brown` stands for.
    With `references`, each caption meets so many, drawn by the seed. With `draws`, everything that is drawn is drawn so
    often, by seeds that follow each other: each draw has rows of its own, by column `seed`.

    Per metric and candidate: n, mean, sd, median, min and max over captions (level `caption`, micro), over the means of
    images (`image`, macro), and over the standard deviations of images (`image-sd`, second order). Raises `MetricError`
    where a candidate that is asked for by name cannot be drawn; without `strict`, it is left out with a note.
    """
    metrics = requests(metric_names)
    names = chosen(candidates)
    selections = resolve_all(store, refs, split)
    stand_ins = strangers(store, selections, others, corpus)
    notes = list(left_out(metric_names))
    parts = []
    for selection in selections:
        for draw in range(draws):
            against = References("loo", references, seed + draw)
            some, unscored = scorable(store, against.of(selection), metrics, metric_names)
            sets, reasons = candidate_sets(store, selection, names, stand_ins, seed + draw)
            if candidates and strict:
                refuse(selection, reasons)
            if draw and references is None:
                sets = [one for one in sets if one is not HUMAN]
            if not sets:
                continue
            rows = _bounds(store, selection, against, some, text_profile, sets, progress)
            found = rows["candidate"].unique().to_list()
            reasons |= {one.name: empty(one) for one in sets if one.name not in found}
            if candidates and strict:
                refuse(selection, reasons)
            parts.append(rows)
            if draw == 0:
                notes += [*unscored, *_left_out(selection, reasons), *too_few_captions(store, selection, against)]
                notes += without_references(store, selection)
    frame = pl.concat(parts)
    return Result(
        "bounds",
        frame,
        selections=selections,
        signatures=dict(frame.unique("metric", maintain_order=True).select("metric", "signature").iter_rows()),
        tables=bounds_tables.tables(selections, frame),
        notes=tuple(notes),
    )


def _bounds(
    store: Store,
    selection: Selection,
    against: References,
    metrics: Sequence[MetricRequest],
    text_profile: str,
    sets: Sequence[CandidateSet],
    progress: Progress,
) -> pl.DataFrame:
    scores = score_candidates(store, against.of(selection), text_profile, sets, metrics, progress)
    signed = signatures(metrics, text_profile, against)
    parts = []
    for candidate in sets:
        drawn = candidate.params.get("seed", against.seed if against.drawn else None)
        parts.append(
            summarise(scores.filter(pl.col("candidate") == candidate.name).drop("candidate", "slot")).select(
                pl.lit(selection.version.dataset).alias("dataset"),
                pl.lit(selection.version.version).alias("version"),
                "metric",
                pl.lit(candidate.name).alias("candidate"),
                "level", "n", "mean", "sd", "median", "min", "max",
                pl.lit(selection.split, pl.String).alias("split"),
                pl.lit(drawn, pl.Int64).alias("seed"),
                pl.lit(source_of(candidate), pl.String).alias("drawn_from"),
                pl.col("metric").replace_strict(signed).alias("signature"),
            )
        )  # fmt: skip
    order = {metric.label: place for place, metric in enumerate(metrics)}
    return pl.concat(parts).sort(pl.col("metric").replace_strict(order), maintain_order=True)


def _left_out(selection: Selection, reasons: dict[str, str]) -> list[str]:
    return [
        f"{selection.label}: no {', '.join(name for name in reasons if reasons[name] == reason)}: {reason}"
        for reason in dict.fromkeys(reasons.values())
    ]


def without_references(store: Store, selection: Selection) -> list[str]:
    """Say which captions have no score."""
    lonely = images(store, selection).filter(pl.col("captions") < 2).height
    if not lonely:
        return []
    subject = "1 image has" if lonely == 1 else f"{lonely:,} images have"
    return [f"{selection.label}: {subject} one caption only, which has no reference and gets no score"]
