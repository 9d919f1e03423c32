"""Annotations of texts by a spaCy pipeline, kept in `cache.parse`: each pipeline parses each text once.

Parsing takes minutes, so every finished part is kept. A store that is open for writing stores it at once. With a store
that is open for reading, parts wait in a folder next to the file. They are written when the store is closed, if no
other process has it open; if this command is killed, a later one finds them.
"""

from __future__ import annotations

import hashlib
import itertools
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import polars as pl
from polars.exceptions import PolarsError

from auditor.files import is_plain, replacing
from auditor.model import Progress, Selection, silent
from auditor.store.connection import Store
from auditor.store.versions import params_of
from auditor.store.workspace import Workspace

#: Texts that are kept together: what a kill may cost each process.
TEXTS_AT_ONCE = 1_000

#: Texts whose words are counted together, which bounds memory.
_TEXTS_AT_WORK = 40_000

_LAST = 2**32 - 1

_EMPTY = pl.DataFrame(
    schema={
        "caption_id": pl.UInt32,
        "text_hash": pl.UInt64,
        **dict.fromkeys(("starts", "lengths"), pl.List(pl.UInt32)),
        **dict.fromkeys(("tags", "lemmas"), pl.List(pl.String)),
        "heads": pl.List(pl.UInt32),
        "labels": pl.List(pl.String),
        **dict.fromkeys(("chunk_starts", "chunk_ends"), pl.List(pl.UInt32)),
    }
)

_LISTS = _EMPTY.columns[2:]


class Annotate(Protocol):
    """A function that annotates texts with a pipeline: lists by the names of `cache.parse`."""

    def __call__(self, parts: Iterable[tuple[int, pl.Series]], texts: int) -> Iterator[tuple[int, pl.DataFrame]]:
        """Annotate parts of so many texts in all, each with its number, in any order."""


class Parses:
    """The complete annotations of the texts of some selections by a pipeline."""

    def __init__(self, pipeline: str, waiting: pl.DataFrame, *, is_kept: bool) -> None:
        self.pipeline = pipeline
        self._waiting = waiting.drop("text_hash")
        self._is_kept = is_kept

    def bind(self, workspace: Workspace, first: int = 0, last: int = _LAST) -> None:
        """Bind relation `parse` to the annotations of relation `text_at_work`, for a range of its numbers."""
        wanted = workspace.query("select distinct caption_id from text_at_work")
        waiting = self._waiting.filter(pl.col("caption_id").is_between(first, last)).join(
            wanted, on="caption_id", how="semi"
        )
        if self._is_kept:
            workspace.bind("parse", pipeline=self.pipeline, first_caption=first, last_caption=last)
            workspace.append_rows("parse", waiting)
        else:
            workspace.bind_rows("parse", waiting)


def ranges(workspace: Workspace) -> list[tuple[int, int]]:
    """Cut the numbers of relation `text_at_work` into ranges of texts whose words memory holds."""
    numbers = workspace.query("select distinct caption_id from text_at_work order by caption_id")[
        "caption_id"
    ].to_list()
    ends = [*numbers[_TEXTS_AT_WORK - 1 : -1 : _TEXTS_AT_WORK], _LAST]
    return list(zip([0, *(end + 1 for end in ends[:-1])], ends, strict=True))


def provide(
    store: Store, selections: Sequence[Selection], pipeline: str, annotate: Annotate, progress: Progress = silent
) -> Parses:
    """Annotate every text of the selections with a pipeline, given by its label.

    Kept annotations are reused, also those that an interrupted command left next to the file. The rest is made in parts
    of `TEXTS_AT_ONCE`, and each part is kept at once.
    """
    is_kept = "parse" in store.query("select table_name from duckdb_tables() where schema_name = 'cache'")["table_name"]
    texts = pl.concat(store.rows("text_to_parse", **params_of(selection)) for selection in selections)
    texts = texts.unique("caption_id", maintain_order=True)
    if is_kept:
        known = store.query("select caption_id from cache.parse where pipeline = $pipeline", {"pipeline": pipeline})
        texts = texts.join(known, on="caption_id", how="anti", maintain_order="left")
    waiting = _Waiting(store, pipeline)
    present = waiting.rows().join(texts, on=["caption_id", "text_hash"], how="semi")
    lacking = texts.join(present, on="caption_id", how="anti", maintain_order="left")
    made = _made(lacking, annotate, f"{', '.join(selection.label for selection in selections)}: parsing", progress)
    if store.writable:
        for rows in itertools.chain([present], made):
            _insert(store, pipeline, rows)
        waiting.forget(store)
        return Parses(pipeline, _EMPTY, is_kept=True)
    parts = [present]
    for rows in made:
        waiting.add(rows)
        parts.append(rows)
    if any(rows.height for rows in parts):
        store.on_close += [waiting.save, waiting.forget]
    return Parses(pipeline, pl.concat(parts), is_kept=is_kept)


def folder_beside(path: Path) -> Path:
    """Name the folder beside a store in which parts wait."""
    return path.with_name(f"{path.name}.parses")


class _Waiting:
    """The parts of a pipeline that wait to be written: in files beside the store, or, where none can be, in scratch."""

    def __init__(self, store: Store, pipeline: str) -> None:
        self._pipeline = pipeline
        self._files: list[Path] = []
        self._folder = folder_beside(store.path) / hashlib.sha256(pipeline.encode()).hexdigest()[:12]
        self._store = store

    def rows(self) -> pl.DataFrame:
        """Read what waits, of this command or of one that was interrupted; each text once."""
        parts = [_EMPTY]
        for file in sorted(self._folder.glob("*.parquet")):
            with suppress(OSError, PolarsError):  # written by another command, which wins
                rows = pl.read_parquet(file).select(_EMPTY.columns) if is_plain(file) else None
                if rows is not None and rows.schema == _EMPTY.schema:
                    parts.append(rows)
                    self._files.append(file)
        return pl.concat(parts).unique("caption_id", maintain_order=True)

    def add(self, rows: pl.DataFrame) -> None:
        """Keep rows waiting. On a full disk they are dropped, and made again by a later command."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            self._folder = self._store.scratch() / "parses"
            self._folder.mkdir(exist_ok=True)
        with suppress(OSError, PolarsError), replacing(self._folder / f"{uuid.uuid4()}.parquet") as file:
            rows.write_parquet(file, compression="lz4")

    def save(self, store: Store) -> None:
        """Write the waiting rows, except for texts that are written already or that have changed in the file."""
        self._files.clear()
        rows = self.rows()
        with store.registered("waiting", rows.select("caption_id", "text_hash")):
            wanted = store.query(
                "select w.caption_id from waiting as w"
                " join caption as c on c.caption_id = w.caption_id and hash(c.text) = w.text_hash"
                " anti join cache.parse as p on p.caption_id = w.caption_id and p.pipeline = $pipeline",
                {"pipeline": self._pipeline},
            )
        _insert(store, self._pipeline, rows.join(wanted, on="caption_id", how="semi").sort("caption_id"))

    def forget(self, store: Store) -> None:
        """Remove the files that were written."""
        for file in self._files:
            file.unlink(missing_ok=True)
        for folder in (self._folder, folder_beside(store.path)):
            with suppress(OSError):  # other parts wait there
                folder.rmdir()


def _insert(store: Store, pipeline: str, rows: pl.DataFrame) -> None:
    with store.registered("parsed", rows.select(pl.lit(pipeline).alias("pipeline"), pl.all().exclude("text_hash"))):
        store.execute("insert into cache.parse by name from parsed")


def _made(texts: pl.DataFrame, annotate: Annotate, what: str, progress: Progress) -> Iterator[pl.DataFrame]:
    numbered = texts.select("caption_id", "text_hash")
    parts = ((first, texts["text"].slice(first, TEXTS_AT_ONCE)) for first in range(0, texts.height, TEXTS_AT_ONCE))
    done = 0
    for first, annotated in annotate(parts, texts.height):
        progress(what, done, texts.height)
        done += annotated.height
        yield numbered.slice(first, annotated.height).hstack(annotated.select(_LISTS))
