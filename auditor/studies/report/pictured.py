"""The pictures of a report: which images its examples name, the first of them read from where datasets.toml says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from auditor.config import image_files
from auditor.errors import AuditorError
from auditor.model import Picture, Pictures, Progress, silent
from auditor.result import Finding, Result
from auditor.result.document import Document, Section
from auditor.sources.pictures import pictures

#: Images that are read at most. What a page has room for it says itself.
_MOST = 150


def pictures_of(
    cards: Sequence[Finding],
    sections: Sequence[Section],
    where: Mapping[str, Path],
    progress: Progress = silent,
) -> Pictures:
    """Read pictures of the images that examples name, in the order of a page; where there can be none, say why.

    `where` says where the image files of a dataset are.
    """
    named = dict.fromkeys(one for one in _named(cards, sections) if one[0] in where)
    chosen = [*named][:_MOST]
    shown: dict[tuple[str, str], Picture] = {}
    looked, notes, absent = set[str](), list[str](), list[str]()
    for dataset in dict.fromkeys(dataset for dataset, _ in chosen):
        progress(f"pictures of {dataset}", len(shown), len(chosen))
        try:
            made, said = pictures(where[dataset], [image for of, image in chosen if of == dataset])
        except AuditorError as error:
            absent.append(f"Pictures of {dataset}: {error}; with it, examples have their picture beside them")
            continue
        looked.add(dataset)
        shown |= {(dataset, image): picture for image, picture in made.items()}
        notes += [f"{dataset}: {one}" for one in said]
    return Pictures(shown, frozenset(looked), tuple(notes), tuple(absent), _MOST)


def pictures_of_result(shown: Result | Document) -> Pictures:
    """Read pictures of the images that the tables of a result name; none of a document, which has its own.

    What is wrong with datasets.toml takes nobody the result: it is said where the pictures would be.
    """
    if isinstance(shown, Document) or not any(table.pictured for table in shown.tables):
        return Pictures()
    try:
        return pictures_of((), [Section(shown.command, shown.command, tables=shown.tables)], image_files())
    except AuditorError as error:
        return Pictures(absent=(f"Pictures: {error}",))


def _named(cards: Sequence[Finding], sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    for shown in (*cards, *(finding for section in sections for finding in section.findings)):
        for example in shown.examples:
            for image in (example.get("image"), example.get("other_image")):
                if image is not None:
                    yield str(shown.about.get("dataset")), str(image)
    for table in (table for section in sections for table in (*section.tables, *section.further)):
        for _, dataset, images in table.pictured:
            yield from ((dataset, image) for image in images if image is not None)
