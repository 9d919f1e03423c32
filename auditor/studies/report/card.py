"""The card of a dataset: what its README should say of it, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.model import Progress, silent
from auditor.result import Document, Section, Table, program
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.report import answers, sentences
from auditor.studies.report.faults import duplicates, outliers
from auditor.studies.report.request import ReportContext, ReportSettings
from auditor.studies.report.sections import bounds

_STATISTICS: Mapping[str, str] = {
    "captions-per-image-min": "captions of an image, at least",
    "captions-per-image-mean": "captions of an image, mean",
    "captions-per-image-max": "captions of an image, at most",
    "asl": "words of a caption, mean",
    "sdsl": "words of a caption, standard deviation",
    "length-min": "words of the shortest caption",
    "length-max": "words of the longest caption",
    "tokens": "words",
    "types": "different words",
    "types-occurring-once": "words that occur once",
    "distinct-captions": "different captions",
}


def card(
    store: Store,
    ref: p.Ref,
    *,
    settings: ReportSettings | None = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Document:
    """Write the card of a dataset, for its README.

    Counts, splits, statistics, bounds, known problems and signatures of one dataset. Markdown, unless the file or
    --format asks for more.

    How to read it: paste it into the README of a dataset: every number names the version and the signature that it
    holds for, so that others can check it.

    Limits: it describes captions; who wrote them, how and with what consent is yours to add.

    Example: auditor card flickr8k >> README.md
    """
    declared = sources(config)
    settings = settings or ReportSettings()
    selection = versions.resolve(store, ref, settings.split)
    context = ReportContext(store, (selection,), settings, progress, declared or {})
    settings = context.settings
    profiled = answers.profiled(context)
    value = dict(profiled.frame.select("statistic", "value").iter_rows())
    measured = bounds(context, "bounds", "Bounds")
    about = (declared or {}).get(selection.version.dataset)
    facts = {
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "language": versions.language(store, selection.version.dataset),
        "images": f"{value['images']:,.0f}",
        "captions": f"{value['captions']:,.0f}",
        "licence": about.licence if about else None,
        "citation": about.citation if about else None,
    }
    splits = (
        versions.images(store, selection)
        .group_by(pl.col("split").fill_null("none"))
        .agg(images=pl.len().cast(pl.Int64), captions=pl.col("captions").sum().cast(pl.Int64))
        .sort("split")
    )
    rows = {"statistic": list(_STATISTICS.values()), "value": [_shown(value.get(name)) for name in _STATISTICS]}
    problems = _problems(context)
    dirt = tuple(f"{one}." for one in sentences.problems(profiled).get(selection.label, []))
    mean = {"metric", "human", "intra", "brown"}
    shown = [
        Table("", table.frame.select(name for name in table.frame.columns if name in mean), caption=(
            "Mean score of a caption against the others of its image (human), and of a caption of another image "
            "(intra) or a sentence of the Brown corpus (brown) in its place."
        ), name="bounds")
        for table in measured.further if table.name == "means" and "intra" in table.frame.columns
    ]  # fmt: skip
    known = pl.DataFrame([(name, said) for name, said in facts.items() if said], schema=["fact", "value"], orient="row")
    return Document(
        f"Dataset card: {selection.label}",
        (selection,),
        (
            Section("facts", "Counts", tables=(Table("", known, name="counts"),), results=(profiled,), commands=(
                context.command("card"),
            )),
            Section("splits", "Splits", tables=(Table("", splits, name="splits"),)),
            Section("statistics", "Statistics", tables=(Table("", pl.DataFrame(rows), name="statistics"),),
                    notes=tuple(context.tokenizer_notes)),
            Section("bounds", "Bounds", tables=tuple(shown), results=measured.results, absent=(
                None if shown else "No caption of another image could be put in the place of one of its own."
            )),
            Section("problems", "Known problems", (*problems.words, *dirt) or ("None was found.",),
                    results=problems.results, notes=problems.notes, commands=problems.commands),
        ),
        program(),
        level=2,
        signatures={key: text for one in context.results.values() for key, text in one.signatures.items()},
    )  # fmt: skip


def _problems(context: ReportContext) -> Section:
    """Say what leaks, occurs twice and may be wrong, as the report does; where a study fails, why."""
    parts = [duplicates(context, "duplicates", "", faults=True), outliers(context, "outliers", "", faults=True)]
    return Section(
        "problems", "",
        tuple(words for part in parts for words in part.words),
        results=tuple(result for part in parts for result in part.results),
        commands=tuple(command for part in parts for command in part.commands),
        notes=tuple(part.absent for part in parts if part.absent),
    )  # fmt: skip


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
