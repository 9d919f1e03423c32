"""Format `conllu`: treebanks in CoNLL-U; the line `# text = ` of a sentence is its text."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines

_FIRST_WORD = rb"1(?:-\d+)?\t(?:[^\t\n]*\t){8}[^\t\n]*(?:\n|$)"

_NEW_DOCUMENT = r"^#\s*newdoc(?:\s|$)"

_DOCUMENT = r"^#\s*newdoc\s+id\s*=\s*(.*\S)"

_IDENTIFIER = r"^#\s*sent_id\s*=\s*(.*\S)"

_TEXT = r"^#\s*text\s*=\s?(?s:(.*))$"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a file by its first line after the comments: a word in ten columns."""
    return re.match(rb"(?:\xef\xbb\xbf)?(?:#[^\n]*\n)*" + _FIRST_WORD, head) is not None


def read(part: Part) -> Batches:
    """Yield the sentences of treebanks; the image is the document, or the file if it does not name documents.

    The slot follows the order of the file; no two sentences may share their sent_id. A sentence without its text is
    rejected.
    """
    for path in files.expand(part):
        yield from _sentences(text_lines.blocks(path), re.sub(r"\.(gz|zst)$", "", path.name))


def _sentences(blocks: Batches, file_name: str) -> Batches:
    """Gather the lines of each sentence; the last sentence of a block waits, since it may continue in the next."""
    document, before = file_name, 0
    unfinished: list[pl.DataFrame] = []
    for block in blocks:
        lines = _lines(block, before, file_name)
        before = lines["sentence"][-1]
        sentences = _gather(pl.concat([*unfinished, _gather(lines)]))
        finished = sentences.head(-1).with_columns(pl.col("document").forward_fill().fill_null(document))
        document = finished["document"][-1] if finished.height else document
        unfinished = [sentences.tail(1)]
        yield _judge(finished)
    for last in unfinished:
        yield _judge(last.with_columns(pl.col("document").fill_null(document)))


def _lines(block: pl.DataFrame, before: int, file_name: str) -> pl.DataFrame:
    """Add the sentence of each line, and the fields that its comments hold."""
    raw = pl.col("raw")
    text = raw.str.extract(_TEXT, 1)
    return block.select(
        "source",
        "unit",
        "line",
        "raw",
        sentence=before + (raw.str.strip_chars() == "").cum_sum().cast(pl.Int64),
        document=pl.coalesce(
            raw.str.extract(_DOCUMENT, 1), pl.when(raw.str.contains(_NEW_DOCUMENT)).then(pl.lit(file_name))
        ),
        identifier=raw.str.extract(_IDENTIFIER, 1),
        text=text,
        texts=text.is_not_null().cast(pl.Int64),
        text_line=pl.when(text.is_not_null()).then("line"),
        reason=pl.when(text.is_not_null()).then("reason"),
    )


def _gather(lines: pl.DataFrame) -> pl.DataFrame:
    """Join the lines of each sentence, or rows of some of its lines, into one row."""
    return (
        lines.filter(pl.col("raw").str.strip_chars() != "")
        .group_by("sentence", maintain_order=True)
        .agg(
            pl.col("source", "unit", "line", "raw").first(),
            pl.col("document", "identifier", "text", "text_line", "reason").drop_nulls().first(),
            pl.col("texts").sum(),
        )
    )


def _judge(sentences: pl.DataFrame) -> pl.DataFrame:
    return sentences.select(
        "source",
        "unit",
        "text",
        line=pl.coalesce("text_line", "line"),
        raw=pl.coalesce("text", "raw"),
        image="document",
        identifier="sent_id " + pl.col("identifier"),
        reason=pl.when(pl.col("texts") == 0)
        .then(pl.lit("a sentence without a line `# text = `"))
        .when(pl.col("texts") > 1)
        .then(pl.lit("a sentence with several lines `# text = `"))
        .otherwise("reason"),
    )


FORMAT = Format("conllu", recognizes, read, kind="corpus", split_by_name=True)
