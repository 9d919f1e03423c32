"""Format `brown`: the Brown corpus as NLTK packs it: documents `ca01` to `cr09` of words as `WORD/TAG`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import archives, files
from auditor.sources.reading import lines as text_lines

_DOCUMENT = re.compile(r"c[a-r][0-9]{2}")

_FIRST = 10

_TAGGED = r"(\S+)/[^/\s]+"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an archive or a folder by the names of its documents; of an archive, the first files are read."""
    if path.is_dir():
        return next(_documents_of(path), None) is not None
    first = islice(archives.members(path), _FIRST) if archives.is_archive(path, head) else ()
    return any(_DOCUMENT.fullmatch(PurePosixPath(member.name).name) for member in first)


def read(part: Part) -> Batches:
    """Yield the sentences of the documents in a zip or tar archive, in a folder, or in single files.

    The image is the document, the slot the number of the sentence in it. The text is its words without tags, joined by
    spaces. A line with an untagged word is rejected. Files without the name of a document (`cats.txt`, `CONTENTS`,
    `README`) are skipped.
    """
    for path in files.expand(part):
        yield from _documents(path)


def _documents(path: Path) -> Batches:
    if path.is_dir():
        for document in _documents_of(path):
            yield from _sentences(text_lines.blocks(document), document.name)
    elif archives.is_archive(path, files.head(path)):
        yield from _of_archive(path)
    else:
        yield from _sentences(text_lines.blocks(path), re.sub(r"\.(gz|zst)$", "", path.name))


def _documents_of(folder: Path) -> Iterator[Path]:
    return (file for file in files.inside(folder, "c*") if _DOCUMENT.fullmatch(file.name))


def _of_archive(path: Path) -> Batches:
    for member in archives.members(path):
        document = PurePosixPath(member.name).name
        if not _DOCUMENT.fullmatch(document):
            continue
        if member.fault is not None:
            yield archives.refusal(path, member)
            continue
        lines = text_lines.blocks_of(member.file, f"{path.name}/{member.name}", path / member.name)
        yield from _sentences(lines, document)


def _sentences(blocks: Batches, document: str) -> Batches:
    before = 0
    for block in blocks:
        lines = block.filter(pl.col("raw").str.strip_chars() != "")
        text = pl.col("raw").str.replace_all(_TAGGED, "$1").str.strip_chars().str.replace_all(r"\s+", " ")
        untagged = pl.col("raw").str.replace_all(_TAGGED, "").str.strip_chars() != ""
        yield lines.with_columns(
            image=pl.lit(document),
            slot=pl.int_range(before, before + lines.height, dtype=pl.UInt32),
            text=text,
            reason=pl.coalesce("reason", pl.when(untagged).then(pl.lit("a word has no tag; expected WORD/TAG"))),
        )
        before += lines.height


FORMAT = Format("brown", recognizes, read, kind="corpus", folders=True)
