"""Read the images that the examples of a report name, from the folders that datasets.toml declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from auditor.config import image_files
from auditor.errors import AuditorError
from auditor.model import Picture, Pictures, Progress, silent
from auditor.result import Finding, Result
from auditor.result.document import Document, Section
from auditor.sources.pictures import pictures

#: Most images that are read. A page may show fewer.
_MOST = 150


def pictures_of(
    cards: Sequence[Finding],
    sections: Sequence[Section],
    where: Mapping[str, Path],
    progress: Progress = silent,
) -> Pictures:
    """Read the images that examples name, in the order of the page. If a dataset has none, report why.

    `where` has the paths of the image files, by dataset.
    """
    named = dict.fromkeys((dataset, image) for dataset, image in _named(cards, sections) if dataset in where)
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
        for example in shown.examples:
            for image in (example.get("image"), example.get("other_image")):
                if image is not None:
                    yield str(shown.about.get("dataset")), str(image)
    for table in (table for section in sections for table in (*section.tables, *section.further)):
        for _, dataset, images in table.pictured:
            yield from ((dataset, image) for image in images if image is not None)
