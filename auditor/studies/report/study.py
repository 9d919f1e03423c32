"""Write a full audit report as one document: a summary, the sections, the method, and the images of the examples."""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.called import call
from auditor.config import image_files, sources
from auditor.errors import AuditorError, SourceError, UsageError
from auditor.files import read_json
from auditor.findings import told
from auditor.model import Picture, Pictures, Progress, silent
from auditor.result import Finding, Result, joined, program
from auditor.result.document import Browsed, Document, Section
from auditor.sources.pictures import pictures
from auditor.steps import Steps
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue
from auditor.store.versions import resolve_all
from auditor.studies.findings import MEASURES, SUMMARY, TABLE, checked_verdicts, read_summary
from auditor.studies.report import summary as summaries
from auditor.studies.report.browse import browsed
from auditor.studies.report.card import card as card_of
from auditor.studies.report.request import ReportContext, ReportSettings
from auditor.studies.report.sections import FINDINGS, SECTIONS, section_of

Sections = Annotated[
    Sequence[str] | None,
    p.Parameter("Section to write; repeat for more; default: all.", "section", choices=[*SECTIONS]),
]

Timed = Annotated[bool, p.Parameter("Include the creation time. Use --no-time for byte-identical reports.", "time")]

MergeInto = Annotated[Path | None, p.Input("With --format croissant: add our fields to this Croissant file of a hub.")]


def steps_of(sections: Iterable[str] = SECTIONS, *, browse: bool = True) -> list[str]:
    """List the steps of a report in words: its sections, the summary, what only a page shows, the images."""
    titles = [SECTIONS[name].title for name in sections]
    return [*titles, "Summary", *["Captions to browse"] * browse, "Images"]


@question
def page(
    store: Store,
    *refs: p.Refs,
    settings: ReportSettings | None = None,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    sections: Sections = None,
    timed: Timed = True,
    config: p.ConfigFile = None,
    progress: Progress = silent,
    browse: bool = True,
) -> Document:
    """Write the report of datasets, for `auditor report`."""
    settings = settings or ReportSettings()
    selections, declared = resolve_all(store, refs, settings.split), sources(config)
    named = [name for name in SECTIONS if not sections or name in sections]
    browse = browse and FINDINGS in named
    titles = steps_of(named, browse=browse)
    steps = progress if isinstance(progress, Steps) and progress.left == titles else Steps(progress, titles)
    context = ReportContext(store, selections, settings, steps, declared, resamples, confidence)
    built = [store.recorded(partial(section_of, context, name)) for name in steps.over(named)]
    steps.begin()
    audited = next((section for section in built if section.name == FINDINGS), None)
    found = audited.findings if audited else ()
    shown = summaries.cards(context.selections, found)
    alone = None if sections else store.recorded(partial(summaries.section_of_single, context, found))
    compared, looked = context.results.get(("compare",)), audited is not None and audited.absent is None
    drawn = summaries.portraits(context.profiled(), compared)
    placed = summaries.first_numbers(context) or summaries.placed_in(compared)
    said = summaries.answered(context, shown, looked=looked)
    if browse:
        steps.begin()
    captions = browsed(context, audited.results[0].frame, audited.findings) if browse and audited else ()
    ran = {path for section in (*built, *filter(None, [alone])) for path in section.sql}
    statements = dict(sorted((file.place, file.statement) for file in catalogue().values() if file.place in ran))
    steps.begin()
    signatures = {key: text for result in context.results.values() for key, text in result.signatures.items()}
    lacking = (*summaries.wrong_in(built), *summaries.unchecked(built))
    first = summaries.summary(said, shown, drawn, placed, lacking, looked=looked)
    return Document(
        f"Audit of {joined([selection.label for selection in context.selections])}",
        context.selections,
        (first, *filter(None, [alone]), *built, _method(context, built, sections or ())),
        program(),
        _now() if timed else None,
        signatures,
        statements,
        cards=shown,
        portraits=drawn,
        answer=said,
        pictures=pictures_of(shown, built, image_files(config), steps, captions),
        browsed=captions,
    )


@question
def one_card(
    store: Store,
    ref: p.Ref,
    *,
    card: Literal[True],
    settings: ReportSettings | None = None,
    merge_into: MergeInto = None,
    config: p.ConfigFile = None,
    progress: Progress = silent,
) -> Document:
    """Write the card of a dataset, for `auditor report --format card`."""
    hub = {} if merge_into is None else _hub(merge_into)
    return dataclasses.replace(card_of(store, ref, settings=settings, config=config, progress=progress), hub=hub)


def _hub(path: Path) -> dict[str, Any]:
    """Read a Croissant file. Raises `SourceError` for another file."""
    try:
        read = read_json(path)
    except (OSError, ValueError) as error:
        raise SourceError(f"--merge-into {path}: cannot be read: {error}") from error
    named = json.dumps([*map(read.get, ("@context", "conformsTo"))]) if isinstance(read, dict) else ""
    if "mlcommons.org/croissant" not in named:
        raise SourceError(f"--merge-into {path}: not a Croissant file; expected JSON with conformsTo of Croissant")
    return dict(read)


def _method(context: ReportContext, built: Sequence[Section], only: Sequence[str]) -> Section:
    """Return the section on how the numbers were computed, and how to recompute them."""
    settings = context.settings
    drawn = settings.references
    references = "all references" if drawn is None else f"{drawn} references sampled with the seed"
    scored = (
        "Every caption is held out once and scored against the others of its image (leave-one-out), by "
        f"{joined(settings.metrics)}, with {references}.",
        *_intervals(context),
        "This report uses the fastest metrics. `auditor metrics` lists all; add more with -m."
        if settings.metrics == ReportSettings().metrics
        else "Metrics were chosen with -m. `auditor metrics` lists all.",
    )
    how, *more = scored if context.scored else ("No caption was scored.",)
    words = (
        how,
        f"Captions are tokenized with tokenizer {settings.tokenizer}. All samples use seed {settings.seed}, and depend "
        "only on the image and the slot of a caption.",
        *more,
        "The SELECTs behind the numbers, with everything that they read, are listed below by file name. The commands "
        "recompute each section from the same versions, to the last digit.",
    )
    intervals = {"resamples": context.resamples, "confidence": context.confidence}
    whole = call("report", *context.refs, **context.typed, **intervals, sections=only, output="audit.html")
    commands = (whole, *(command for section in built for command in section.commands))
    return Section(
        "method", "Method", words, tables=summaries.cited(context), notes=tuple(context.tokenizer_notes),
        commands=tuple(dict.fromkeys(commands)),
    )  # fmt: skip


def _intervals(context: ReportContext) -> list[str]:
    if len(context.scored) < 2 or not context.resamples:
        return ["The scores have no bootstrap intervals: only a comparison of datasets computes them."]
    return [
        f"Intervals of the comparison are {context.confidence:.0%} bootstrap-t intervals, from {context.resamples:,} "
        "resamples of images. A rank is assigned only if the interval of the difference excludes 0. Ranges of lexical "
        "diversity are over random orders of the captions, or over parallel lists of them."
    ]


def _now() -> str:
    """Return the time, or that of SOURCE_DATE_EPOCH, to the second. Raises `UsageError` for an invalid time."""
    set_to = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        at = datetime.datetime.fromtimestamp(time.time() if set_to is None else int(set_to), tz=datetime.UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH={set_to}: expected seconds since 1970") from error
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


#: Most images that are read. A page may show fewer.
_MOST = 150


def pictures_of(
    cards: Sequence[Finding],
    sections: Sequence[Section],
    where: Mapping[str, Path],
    progress: Progress = silent,
    captions: Sequence[Browsed] = (),
) -> Pictures:
    """Read the images that examples and `captions` name, in the order of the page. If a dataset has none, report why.

    `where` has the paths of the image files, by dataset.
    """
    drawn = ((one.dataset, image) for one in captions for image in one.captions.filter("at_random")["image"])
    every = itertools.chain(_named(cards, sections), drawn)
    named = dict.fromkeys((dataset, image) for dataset, image in every if dataset in where)
    chosen = [*named][:_MOST]
    shown: dict[tuple[str, str], Picture] = {}
    looked, notes, absent = set[str](), list[str](), list[str]()
    for dataset in dict.fromkeys(dataset for dataset, _ in chosen):
        progress(f"images of {dataset}", len(shown), len(chosen))
        try:
            made, reading_notes = pictures(where[dataset], [image for of, image in chosen if of == dataset])
        except AuditorError as error:
            absent.append(f"Examples of {dataset} have no images: {error}")
            continue
        looked.add(dataset)
        shown |= {(dataset, image): picture for image, picture in made.items()}
        notes += [f"{dataset}: {note}" for note in reading_notes]
    return Pictures(shown, frozenset(looked), tuple(notes), tuple(absent), _MOST)


def pictures_of_result(shown: Result | Document) -> Pictures:
    """Read the images that the tables of a result name; none for a document, which has its own.

    An error in datasets.toml does not stop the output: a message replaces the images.
    """
    if isinstance(shown, Document) or not any(table.pictured for table in shown.tables):
        return Pictures()
    try:
        return pictures_of((), [Section(shown.command, shown.command, tables=shown.tables)], image_files())
    except AuditorError as error:
        return Pictures(absent=(f"Examples have no images: {error}",))


def _named(cards: Sequence[Finding], sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    for shown in (*cards, *(finding for section in sections for finding in section.findings)):
        named = (example.get(side) for example in shown.examples for side in ("image", "other_image"))
        yield from ((str(shown.about.get("dataset")), str(image)) for image in named if image is not None)
    for table in (table for section in sections for table in (*section.tables, *section.further)):
        for _, dataset, images in table.pictured:
            yield from ((dataset, image) for image in images if image is not None)


def _is_of_verdicts(refs: Sequence[str]) -> bool:
    return any((Path(ref) / SUMMARY).is_file() for ref in refs)


@question
def of_verdicts(store: Store, ref: p.Ref, *, timed: Timed = True, progress: Progress = silent) -> Document:
    """Write the report of a folder of verdicts. Raises `SourceError` for one that differs from its receipt."""
    folder = Path(ref)
    for _, found, holds in checked_verdicts(folder):
        if holds is False:
            raise SourceError(f"{folder}: differs from its receipt: {found}; make the verdicts again")
    result = read_summary(folder)
    (selection,) = result.selections
    problems, wrong = tuple(told(result.findings)), tuple(table for table in result.tables if table.name == TABLE)
    shown, said = summaries.cards(result.selections, problems), result.lead
    by_part = {part: [table for table in result.tables if table.name in names] for part, (_, names) in MEASURES.items()}
    measured = [Section(part, MEASURES[part][0], tables=tuple(tables)) for part, tables in by_part.items() if tables]
    others = tuple(table for table in result.tables if not any(table in tables for tables in by_part.values()))
    command = call("findings", "SHARDS", verdicts="FOLDER")
    method = (f"`{command}` computed the numbers. {folder.name} has a row for each caption.",)
    return Document(
        f"Audit of {selection.label}",
        result.selections,
        (
            summaries.summary(said, shown, result.portraits, (), wrong, looked=True),
            Section("findings", "Findings", result.lead[-1:], (result,), others, findings=problems),
            *measured,
            Section("method", "Method", method, notes=result.notes),
        ),
        program(), _now() if timed else None, cards=shown, portraits=result.portraits, answer=said,
    )  # fmt: skip


@face(document=True, alone=lambda given: _is_of_verdicts(given["refs"] or ()))
@forms(page, one_card, of_verdicts, names=("a page", "a card (--format card or croissant)", "a folder of verdicts"))
def report(store: Store, *refs: str, card: bool = False) -> int:
    """Write a full audit report, or a dataset card.

    The report has a summary, a section for each question that the datasets can answer, and the method. `section`
    selects sections. Without a file or format, it is printed: the answer, findings, then the sections. The same
    captions, settings and program always produce the same document, except for the time.
    SOURCE_DATE_EPOCH sets the time, and --no-time omits it. In Python, `browse=False` saves the time to draw the
    captions that only pages show.

    `--format card` writes the card of one dataset for its README: counts, splits, statistics, bounds, known problems
    and signatures. It is Markdown, unless the file extension selects another format. It begins with front matter for
    Hugging Face. It ends with a comment that contains every number with all its digits. `--format croissant` writes
    Croissant 1.1 metadata (JSON) for catalogs, with its fields on responsible AI. Neither contains a caption.
    In Python, `audit.card(NAME)` returns the card. `--merge-into FILE` adds our fields and numbers to the Croissant
    file of a hub, whose own values stay.

    How to read it: begin with the summary, which has the worst findings and an overview of each dataset. Click a column
    to sort a table. Plots are interactive. Click a number to see its SQL and the command that recomputes it. The HTML
    file is self-contained and works offline. If datasets.toml declares image folders (`images`), the images are shown
    next to the quoted captions. Every number of a card has its version and signature, and `auditor store verify FILE`
    checks them.

    Limits: see the help of each section's command. By default, the report uses a few fast metrics; add others with -m.
    Datasets are compared by the metrics of `auditor compare`. A single dataset is placed among well-known ones,
    measured on 500 images. A card describes captions only. Add who wrote them, how and with what consent, and where
    they are published.

    A folder of `auditor findings --verdicts` can be named instead of datasets. Its report has the findings only.

    Raises `UsageError` for an unknown section, and for a card of several datasets or with a section.

    Examples: auditor report flickr8k flickr30k -o audit.html · auditor report flickr8k --format card > README.md
    """
    return 1 if card else 2 * _is_of_verdicts(refs)
