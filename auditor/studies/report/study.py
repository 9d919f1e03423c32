"""Everything that an audit has to say of datasets, in one document."""

from __future__ import annotations

import datetime
import os
import shlex
from collections.abc import Sequence
from typing import Annotated

from auditor import parameters as p
from auditor.config import image_files, sources
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import joined, program
from auditor.result.document import Document, Section, Statement
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue, reads_of, sql_root
from auditor.store.versions import resolve_all
from auditor.studies.report import first
from auditor.studies.report.card import card as card_of
from auditor.studies.report.pictured import pictures_of
from auditor.studies.report.request import ReportContext, ReportSettings
from auditor.studies.report.sections import FINDINGS, SECTIONS, section_of

Sections = Annotated[Sequence[str] | None, p.Parameter("Section to write; repeat for more; default: all.", "section")]

Timed = Annotated[bool, p.Parameter("Say when it was made; without it equal reports are equal files.", "time")]


def report(
    store: Store,
    *refs: p.Refs,
    settings: ReportSettings | None = None,
    sections: Sections = None,
    timed: Timed = True,
    config: p.ConfigFile = None,
    progress: Progress = silent,
    card: bool = False,
) -> Document:
    """Write the whole audit as a page, or a dataset card.

    One section for each question that the datasets can answer, or for those named by `section`, what to know first
    before them and the method behind. Equal captions, settings and program give equal documents but for the time,
    which is that of SOURCE_DATE_EPOCH where the environment sets it, and left out with --no-time.

    `--format card` writes the card of one dataset for its README: counts, splits, statistics, bounds, known problems
    and signatures. It is Markdown, unless the ending of the file is another: it begins with the front matter that
    Hugging Face reads, and ends with a comment that holds every number with all its digits. `--format croissant` writes
    Croissant 1.1 with its fields on responsible AI, for catalogues; `--format badge` a picture with the number of
    errors and warnings. None of these three holds a caption. In Python `audit.card(NAME)` gives the card.

    How to read it: begin with what to know first: the worst findings, and each dataset at a glance. Tables sort by a
    click, plots answer, every number unfolds the SELECT that counted it and the command that makes it again. The HTML
    file asks nobody for anything: it can be mailed. Where datasets.toml says where the images are (`images`), it shows
    them beside the captions that it quotes. Every number of a card names the version and the signature that it holds
    for, so that others can check it: `auditor store verify FILE` does.

    Limits: as those of the questions that it is made of. Metrics are a few by default; repeat -m for others. A card
    describes captions; who wrote them, how and with what consent, and where they are published, is yours to add.

    Raises `UsageError` for a section that there is not, and for a card of several datasets or with a section.

    Examples: auditor report flickr8k flickr30k -o audit.html · auditor report flickr8k --format card > README.md
    """
    declared = sources(config)
    settings = settings or ReportSettings()
    if card:
        if len(refs) != 1 or sections:
            raise UsageError("a card is of one dataset, and whole: name one, and no --section")
        return card_of(store, refs[0], settings=settings, config=declared, progress=progress)
    for name in sections or ():
        if name not in SECTIONS:
            raise UsageError(f"{name}: no such section; known are {', '.join(SECTIONS)}")
    context = ReportContext(store, resolve_all(store, refs, settings.split), settings, progress, declared or {})
    built = [section_of(context, name) for name in SECTIONS if not sections or name in sections]
    found = next((section for section in built if section.name == FINDINGS), None)
    told = found.findings if found else ()
    shown = first.cards(context, told)
    drawn = first.portraits(context, context.profiled())
    lacking = [f"{section.title}: {section.absent}" for section in built if section.absent]
    statements = _statements(built)
    signatures = {key: text for result in context.results.values() for key, text in result.signatures.items()}
    return Document(
        f"Audit of {joined([selection.label for selection in context.selections])}",
        context.selections,
        (
            first.summary(shown, drawn, lacking, looked=found is not None and found.absent is None),
            *built,
            _method(context, built, sections or ()),
        ),
        program(),
        _now() if timed else None,
        signatures,
        statements,
        cards=shown,
        portraits=drawn,
        pictures=pictures_of(shown, built, image_files(config), progress),
    )


def _method(context: ReportContext, built: Sequence[Section], only: Sequence[str]) -> Section:
    """Return how the numbers were made, and how anyone can make them again."""
    settings = context.settings
    drawn = "all references" if settings.references is None else f"{settings.references} references drawn by the seed"
    scored = (
        "Every caption is held out once and scored against the others of its image (leave one out), by "
        f"{joined(settings.metrics)}, with {drawn}.",
        *_intervals(context),
        "These metrics are a choice that is counted fast; `auditor metrics` lists all, and -m adds any of them."
        if settings.metrics == ReportSettings().metrics
        else "The metrics were named by whoever asked for this report; `auditor metrics` lists all.",
    )
    how, *more = scored if context.scored else ("No caption was scored.",)
    words = (
        how,
        *context.alone,
        f"Captions become tokens by tokenizer {settings.tokenizer}; everything that is drawn is drawn by seed "
        f"{settings.seed}, as a function of the image and the place of the caption.",
        *more,
        "The SELECTs behind the numbers, with all that they read, are below by the name of their file; the commands "
        "make each section again, from the same versions, to the last digit.",
    )
    refs = " ".join(map(shlex.quote, context.refs))
    scoring = context.scoring(metrics=settings.metrics != ReportSettings().metrics)
    options = " ".join([*scoring, *context.comparing(), *(f"--section {name}" for name in only)])
    commands = (f"auditor report {refs} {options}".strip() + " -o audit.html", *(
        command for section in built for command in section.commands
    ))  # fmt: skip
    return Section(
        "method", "Method", words, notes=tuple(context.tokenizer_notes), commands=tuple(dict.fromkeys(commands))
    )


def _intervals(context: ReportContext) -> list[str]:
    settings = context.settings
    if len(context.scored) < 2 or not settings.resamples:
        return ["No score of this report has a bootstrap interval: intervals come with a comparison of datasets."]
    return [
        f"Intervals of the comparison are {settings.confidence:.0%} bootstrap-t intervals by {settings.resamples:,} "
        "resamples of images; a rank is claimed where the interval of the difference excludes 0. Ranges of the "
        "diversity of words are over drawn orders of the captions, or over parallel lists of them."
    ]


def _statements(built: Sequence[Section]) -> tuple[Statement, ...]:
    """Return the SELECTs that the sections name, with all that these read, by path."""
    named = {name for section in built for name in section.sql}
    names = named.union(*(reads_of(name) for name in named)) & catalogue().keys()
    root = {name: catalogue()[name] for name in names}
    paths = {name: file.path.relative_to(sql_root()).as_posix() for name, file in root.items()}
    return tuple(
        Statement(name, paths[name], root[name].statement) for name in sorted(names, key=lambda one: paths[one])
    )


def _now() -> str:
    """Return the time, or that of SOURCE_DATE_EPOCH, to the second. Raises `UsageError` where that is no time."""
    set_to = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        at = datetime.datetime.now(tz=datetime.UTC) if set_to is None else _epoch(set_to)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH={set_to}: expected seconds since 1970") from error
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _epoch(seconds: str) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(int(seconds), tz=datetime.UTC)
