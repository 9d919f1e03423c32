"""Format `judgements`: human ratings of captions, as Flickr8k's two files have them, as a table or as JSON.

What a file is shows in its content: five fields, separated by tabs, are an image, the id of a caption, and three scores
from 1 to 4 (ExpertAnnotations) or a share and two counts of votes (CrowdFlowerAnnotations). A table has a header; JSON,
a record a line or one list of them, has the keys of its first record.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.judgements import columns, flickr8k, tables
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize Flickr8k's judgements by their lines, and a table by names of columns that no other table has.

    Captions with a score alone need not be rated by people.
    """
    table = tables.table(head, {})
    return table[1].by_people if table is not None else flickr8k.layout(head) is not None


def remarks(part: Part) -> list[str]:
    """Name the columns of references, which are captions of their own and not read here."""
    found = columns.references(tables.first_names(files.head(files.expand(part)[0])))
    return [
        f"references in column {name} are not read: --format table --caption-col {name} reads them, under another name"
        for name in found
    ]


def read(part: Part) -> Batches:
    """Yield each rated caption with its judgements.

    Raises `SourceError` for a file that holds no judgements, and `UsageError` where it names captions by ids and no
    file is given that has them.
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
            _refuse(path)


def _refuse(path: Path) -> NoReturn:
    first = next((block["raw"][0] for block in text_lines.blocks(path)), "")
    raise SourceError(
        f'{path}:1: not of format "judgements": neither Flickr8k\'s five fields nor a header with columns for image, '
        f"caption and score (name them with image_col, caption_col and score_col): {first[:100]}"
    )


FORMAT = Format(
    "judgements", recognizes, read, kind="judgements", remarks=remarks,
    options={
        "captions_file": ".token file with the captions that the judgements name by their ids",
        "candidates_file": "file with a caption on each line, for judgements that have a column id (the line, from 0)",
        "image_col": "column that names the image",
        "caption_col": 'column that holds the caption, or one for each of several: "cand_1,cand_2"',
        "judge_col": "column that says who rated; without it, judges are numbered",
        "score_col": 'column that holds the score, or one for each caption or each judge: "score_1,score_2"',
        "votes_col": "column that says how many people stand behind a score",
        "id_col": "column that tells apart captions of an image with the same text: the system that wrote them",
        "coco_ids": "true names COCO's images by the number in their files' names: 000000565045.jpg is 565045",
        "references": '"unrated" reads, in place of the ratings, the captions of captions_file that nobody rated at '
        "their own image",
    },
)  # fmt: skip
