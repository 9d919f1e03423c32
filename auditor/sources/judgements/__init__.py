"""Format `judgements`: human ratings of captions: Flickr8k's two files, a table or JSON.

The content shows the layout. Five fields separated by tabs are an image, a caption id, and three scores from 1 to 4
(ExpertAnnotations), or a share and two counts of votes (CrowdFlowerAnnotations). A table has a header. JSON is a record
per line, or a list of records; the keys of the first record are the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from auditor.errors import AdvisedError, SourceError
from auditor.model import Batches, Option, Part
from auditor.result import listed
from auditor.sources.format import Format, Reading
from auditor.sources.judgements import flickr8k, tables
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize Flickr8k's judgements by their lines, and a table by column names of human ratings.

    Captions with only a score may be rated by a program.
    """
    table = tables.table(head, {})
    return table[1].by_people if table is not None else flickr8k.layout(head) is not None


def reading(part: Part) -> Reading:
    """Return the columns of a table; those of references are separate captions, and not read here."""
    head = files.head(files.expand(part)[0])
    every, table = tables.widest(head), tables.table(head, part.options)
    names = tables.references(every)
    places: dict[str, str] = {}
    if table is not None:
        captions, scores = ((every[at] for at in held) for held in (table[1].captions, table[1].scores))
        places = {"image": every[table[1].image], "caption": ", ".join(captions), "score": ", ".join(scores)}
    return Reading(
        places,
        remarks=tuple(
            f"references in column {name} are not read; ingest them as another dataset: --format table "
            f"--caption-col {name}"
            for name in names
        ),
    )


def read(part: Part) -> Batches:
    """Yield each rated caption with its judgements.

    Raises `SourceError` for a file without judgements, and `UsageError` if it names captions by ids and no file with
    these captions is given.
    """
    for path in files.expand(part):
        head = files.head(path)
        table = tables.table(head, part.options)
        lines = flickr8k.layout(head)
        references = flickr8k.takes_references(path, part.options)
        if references and lines is not None:
            yield from flickr8k.unrated(path, lines, part.options)
        elif table is not None and not references:
            yield from tables.read(path, *table, part.options)
        elif lines is not None:
            yield from flickr8k.read(path, lines, part.options)
        else:
            _refuse(path, head, part.options)


def _refuse(path: Path, head: bytes, options: Mapping[str, Option]) -> NoReturn:
    names = tables.widest(head)
    if (scores := tables.may_be_scores(names, options)) and "score_col" not in options:
        raise AdvisedError(
            f"{path}:1: no column is named like a score; set score_col, and read each aspect as a dataset: "
            + listed(scores, 5),
            file_format="judgements",
            options=[f"score_col={scores[0]}"],
        )
    first = next((block["raw"][0] for block in text_lines.blocks(path)), "")
    raise SourceError(
        f'{path}:1: not of format "judgements": neither Flickr8k\'s five fields nor a header with columns for image, '
        f"caption and score (set image_col, caption_col and score_col). First line: {first[:100]}"
    )


FORMAT = Format("judgements", recognizes, read, kind="judgements", reading=reading)
