"""Table 1 of Elliott & Keller 2014 as their programs computed it, beside the definitions that the paper gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.figure import Figure
from auditor.model import Progress, Result, Selection, Table, silent
from auditor.published import paper
from auditor.statistics.resampling import check_resampling
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies import agreement_rows
from auditor.studies.agreement_rows import Resampling, Row
from auditor.studies.elliott2014_measures import (
    MEASURES,
    PUBLISHED,
    RAW,
    SOUND,
    Measure,
    available,
    measured,
    of,
    scored,
)
from auditor.studies.ratings import Rated

PAPER, DATASET = "elliott2014", "flickr8k-ek"

#: Their references as their files have them: raw text, which the tokenised captions of Flickr8k are not.
REFERENCES = "flickr8k-ek-refs"

Rows = Mapping[tuple[str, str], Row]


def as_published(
    store: Store,
    refs: Sequence[str],
    against: str | None = None,
    split: str | None = None,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Result:
    """Correlate each measure with pooled ratings, as Elliott & Keller computed it and sound; say why they differ.

    Their own data are `flickr8k-ek`, scored against `flickr8k-ek-refs`. Raises `UsageError` where these are missing.
    """
    chosen = resampling or Resampling()
    check_resampling(chosen.resamples, chosen.confidence)
    printed = printed_figures()
    measures, missing = available()
    frames, tables, drawn, selections = [], [], list[Figure](), list[Selection]()
    signatures, notes = dict[str, str](), list(missing)
    for annotated in resolve_all(store, refs, split):
        own = annotated.version.dataset == DATASET
        by_profile = scored(store, annotated, against or (REFERENCES if own else None), of(measures), progress)
        rows = measured(by_profile, measures, chosen)
        figures = printed if own else {}
        frames.append(_frame(by_profile[RAW], rows, figures, chosen))
        tables.append(exhibit(annotated.label, measures, rows, figures, chosen))
        drawn.append(_figure(annotated.label, measures, rows, len(drawn)))
        selections += [annotated, by_profile[RAW].references]
        for found in by_profile.values():
            signatures |= {f"{label} {profile_of(text)}": text for label, text in found.signatures.items()}
            notes += found.notes
        if not own:
            notes.append(f"{annotated.label}: the definitions are those of the paper, whose ratings are in {DATASET}")
    return Result(
        "agree",
        pl.concat(frames),
        selections=tuple(dict.fromkeys(selections)),
        signatures=signatures,
        tables=tuple(tables),
        figures=tuple(drawn),
        notes=tuple(dict.fromkeys(notes)),
    )


def profile_of(signature: str) -> str:
    """Read the text profile in a signature."""
    return next(part for part in signature.split("|") if part.startswith("tok:"))


def printed_figures() -> dict[str, float]:
    """Read what Table 1 prints for Flickr8k, by metric."""
    return {
        check.of[1]: float(check.printed)
        for check in paper(PAPER).checks
        if (check.of[0], check.of[-1]) == (DATASET, PUBLISHED) and check.printed is not None
    }


def _frame(found: Rated, rows: Rows, figures: Mapping[str, float], resampling: Resampling) -> pl.DataFrame:
    """Give the rows of a dataset in the columns of `agree`, with the reading, what is printed, and why they differ."""
    why = {measure.metric: measure.why for measure in MEASURES}
    named = list(rows)
    described = agreement_rows.described(found, agreement_rows.frame(list(rows.values())), resampling)
    return described.with_columns(
        pl.Series("signature", [row["signature"] for row in rows.values()], dtype=pl.String),
        pl.Series("reading", [reading for _, reading in named], dtype=pl.String),
        pl.Series(
            "published",
            [figures.get(metric) if reading == PUBLISHED else None for metric, reading in named],
            pl.Float64,
        ),
        pl.Series("why", [why[metric] for metric, _ in named], dtype=pl.String),
    )


def exhibit(
    label: str, measures: Sequence[Measure], rows: Rows, figures: Mapping[str, float], resampling: Resampling
) -> Table:
    """Put each measure as published beside the sound one, with the figure that is printed and why they differ."""
    shown = []
    for measure in measures:
        theirs, sound = rows.get((measure.metric, PUBLISHED)), rows[measure.metric, SOUND]
        shown.append(
            {
                "measure": measure.name,
                "published": figures.get(measure.metric),
                "as published": theirs and theirs["value"],
                "strength as published": theirs and theirs["strength"],
                "sound": sound["value"],
                "low": sound["low"],
                "high": sound["high"],
                "strength when sound": sound["strength"],
                "theirs was": measure.published and measure.published.metric,
                "sound is": f"{measure.sound.metric}, tokenised",
                "why they differ": measure.why,
            }
        )
    n = rows[measures[0].metric, SOUND]["n"]
    share = f"; low, high: {resampling.confidence:.0%} of {resampling.resamples:,} resamples of the images"
    return Table(
        f"Spearman with pooled ratings, {label}, n = {n:,}: as Elliott & Keller 2014 computed it, and sound",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("published", "as published", "low", "high"), pl.Float64)),
        caption="theirs: on raw text, split at blanks; sound: all on the same tokens"
        + (share if resampling.resamples else ""),
    )


def _figure(label: str, measures: Sequence[Measure], rows: Rows, before: int) -> Figure:
    """Draw both readings of each measure; errors correlate below 0."""
    names = {measure.metric: measure.name for measure in measures}
    shown = [(names[metric], reading, row["value"]) for (metric, reading), row in rows.items()]
    return Figure(
        f"as-published{f'-{before + 1}' if before else ''}",
        f"Spearman with pooled ratings, {label}",
        "bars",
        pl.DataFrame(shown, schema=["measure", "reading", "spearman"], orient="row"),
        x="measure",
        y="spearman",
        series="reading",
        y_label="Spearman's rho",
        tabled=True,
    )
