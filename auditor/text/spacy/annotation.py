"""Annotations of texts by a pipeline, as list columns: positions of words, tags, lemmas, heads, labels, chunks."""

from __future__ import annotations

import importlib
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.text.spacy import pipelines

#: The annotation of a text, without whitespace. `starts` (from 0) and `lengths` cut words out of it, in characters.
#: Words are numbered from 1: `heads` are such numbers, 0 for a root. A noun chunk goes from `chunk_starts` to
#: `chunk_ends`, inclusive. Columns are null if the pipeline lacks the annotation.
SCHEMA = pl.Schema(
    {
        "starts": pl.List(pl.UInt32),
        "lengths": pl.List(pl.UInt32),
        "tags": pl.List(pl.String),
        "lemmas": pl.List(pl.String),
        "heads": pl.List(pl.UInt32),
        "labels": pl.List(pl.String),
        "chunk_starts": pl.List(pl.UInt32),
        "chunk_ends": pl.List(pl.UInt32),
    }
)

_ATTRIBUTES = ("IDX", "LENGTH", "TAG", "LEMMA", "DEP", "HEAD", "IS_SPACE")

#: What a pipeline that does not parse, or gives no lemmas, does not say.
_OF_PARSER, _OF_LEMMATIZER = ("heads", "labels", "chunk_starts", "chunk_ends"), ("lemmas",)

Integers = NDArray["np.int64"]


class Annotator(pipelines.Pipeline):
    """A loaded pipeline that tags, and that can parse and lemmatize."""

    def annotate(self, texts: pl.Series) -> pl.DataFrame:
        """Annotate texts independently of each other. One row per text, with the columns of `SCHEMA`."""
        ids = importlib.import_module("spacy.attrs").IDS
        attributes = [ids[name] for name in _ATTRIBUTES]
        values = [np.empty((0, len(attributes)), np.uint64)]
        chunks: list[tuple[int, int, int]] = []
        strings: Any = {}
        for number, parsed in enumerate(self.parse(texts)):
            values.append(parsed.to_array(attributes).reshape(-1, len(attributes)))
            if self.parses:
                chunks += ((number, chunk.start, chunk.end) for chunk in parsed.noun_chunks)
            strings = parsed.vocab.strings
        sizes = np.array([len(words) for words in values[1:]], np.int64)
        frame = _columns(np.concatenate(values), sizes, np.array(chunks, np.int64).reshape(-1, 3), strings)
        lacking = (*(() if self.parses else _OF_PARSER), *(() if self.lemmatizes else _OF_LEMMATIZER))
        complete = frame.with_columns(pl.lit(None).alias(name) for name in lacking)
        return complete.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def annotator(name: str | None, purpose: str, *, parses: bool | None = None) -> Annotator:
    """Load a pipeline with all of its annotations. Raises the errors of `pipelines.pipeline`."""
    loaded = pipelines.pipeline(name, purpose, parses=parses, lemmatizes=True)
    return Annotator(**vars(loaded))


def _columns(values: NDArray[np.uint64], sizes: Integers, chunks: Integers, strings: Any) -> pl.DataFrame:
    """Make lists of the attributes of all words, without whitespace; `sizes` has the number of words per text.

    `chunks` are text, first word, word after the last.
    """
    start, length, tag, lemma, label, head, blank = values.T
    word = blank == 0
    text = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.cumsum(sizes) - sizes
    before = np.concatenate(
        [[0], np.cumsum(word)]
    )  # the words before each position of all texts, which include whitespace
    heads = _heads(head.astype(np.int64), word)
    position = before - np.append(
        before[begins][text], 0
    )  # the same within the text; undefined at the end of all texts
    columns = {
        "starts": pl.Series(start[word]),
        "lengths": pl.Series(length[word]),
        "tags": _spelled(tag[word], strings),
        "lemmas": _spelled(lemma[word], strings),
        "heads": pl.Series(np.where(heads < 0, 0, position[heads] + 1)[word]),
        "labels": _spelled(label[word], strings),
    }
    of, first, after = chunks.T
    spans = {
        "chunk_starts": pl.Series(before[begins[of] + first] - before[begins[of]] + 1),
        "chunk_ends": pl.Series(before[begins[of] + after] - before[begins[of]]),
    }
    return _by_text(columns, text[word], len(sizes)).hstack(_by_text(spans, of, len(sizes)))


def _heads(offsets: Integers, word: NDArray[np.bool_]) -> Integers:
    """Return the place of each word's head among all places, -1 for a root; whitespace as a head is skipped."""
    here = np.arange(len(offsets))
    heads = here + offsets
    while (hung := ~word[heads] & (heads[heads] != heads)).any():
        heads = np.where(hung, heads[heads], heads)
    return np.where((heads == here) | ~word[heads], -1, heads)


def _spelled(keys: NDArray[np.uint64], strings: Any) -> pl.Series:
    known, which = np.unique(keys, return_inverse=True)
    return pl.Series([strings[key] for key in known.tolist()], dtype=pl.String)[which]


def _by_text(columns: dict[str, pl.Series], text: Integers, texts: int) -> pl.DataFrame:
    """Make lists of columns: of values whose `text` is numbered from 0, in order."""
    every = pl.DataFrame({"text": range(texts)}, schema={"text": pl.Int64})
    listed = pl.DataFrame(columns).with_columns(text=pl.Series(text, dtype=pl.Int64))
    listed = listed.group_by("text", maintain_order=True).agg(pl.all())
    return every.join(listed, on="text", how="left", maintain_order="left").select(
        pl.col(name).fill_null([]) for name in columns
    )
