"""What a pipeline says of texts, kept in `cache.parse`: each text is asked about once for each pipeline.

Parsing takes minutes, so that nothing of it waits for the end. A store that is open for writing keeps part by part. Of
one that is open for reading, which others may read meanwhile, parts wait in a folder beside the file. A later command
finds them there if this one is killed; else they are written when the store is closed, if no one else holds it then.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import polars as pl
from polars.exceptions import PolarsError

from auditor.files import is_plain
from auditor.model import Progress, Selection, silent
from auditor.store import kept
from auditor.store.connection import Store
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
    """Says what a pipeline says of texts: lists by the names of `cache.parse`."""

    def __call__(self, parts: Iterable[tuple[int, pl.Series]], texts: int) -> Iterator[tuple[int, pl.DataFrame]]:
        """Annotate parts of so many texts in all, each with its number, in any order."""


class Parses:
    """What a pipeline says of the texts of some selections, all of which is there."""

    def __init__(self, pipeline: str, waiting: pl.DataFrame, *, is_kept: bool) -> None:
        self.pipeline = pipeline
        self._waiting = waiting.drop("text_hash")
        self._is_kept = is_kept

    def bind(self, workspace: Workspace, first: int = 0, last: int = _LAST) -> None:
        """Let relation `parse` stand for what is said of relation `text_at_work`, of a range of its numbers."""
        wanted = workspace.query("select distinct caption_id from text_at_work")
        waiting = self._waiting.filter(pl.col("caption_id").is_between(first, last)).join(
            wanted, on="caption_id", how="semi"
        )
        if self._is_kept:
            workspace.params |= {"pipeline": self.pipeline, "first_caption": first, "last_caption": last}
            workspace.bind("parse", "kept_parse")
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
    """See to it that a pipeline, by its label, has said what it says of every text of the selections.

    What is there is left, what an interrupted command left beside the file is taken; the rest is made in parts of
    `TEXTS_AT_ONCE`, each kept at once.
    """
    is_kept = "parse" in store.query("select table_name from duckdb_tables() where schema_name = 'cache'")["table_name"]
    texts = pl.concat(store.rows("text_to_parse", **_place(selection)) for selection in selections)
    texts = texts.unique("caption_id", maintain_order=True)
    if is_kept:
        known = store.query("select caption_id from cache.parse where pipeline = $pipeline", {"pipeline": pipeline})
        texts = texts.join(known, on="caption_id", how="anti", maintain_order="left")
    waiting = _Waiting(store, pipeline)
    found = waiting.rows().join(texts, on=["caption_id", "text_hash"], how="semi")
    lacking = texts.join(found, on="caption_id", how="anti", maintain_order="left")
    made = _made(lacking, annotate, f"{', '.join(selection.label for selection in selections)}: parsing", progress)
    if store.writable:
        for rows in itertools.chain([found], made):
            _insert(store, pipeline, rows)
        waiting.forget(store)
        return Parses(pipeline, _EMPTY, is_kept=True)
    parts = [found]
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
        """Let rows wait. Where there is no room they are made again another time."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            self._folder = self._store.scratch() / "parses"
            self._folder.mkdir(exist_ok=True)
        kept.write_part(self._folder, rows)

    def save(self, store: Store) -> None:
        """Write what waits, save of texts that are written already or are another text in the file as it is now."""
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


def _place(selection: Selection) -> dict[str, str | int | None]:
    version = selection.version
    return {"dataset": version.dataset, "seq": version.seq, "split": selection.split}


def _made(texts: pl.DataFrame, annotate: Annotate, what: str, progress: Progress) -> Iterator[pl.DataFrame]:
    numbered = texts.select("caption_id", "text_hash")
    parts = ((first, texts["text"].slice(first, TEXTS_AT_ONCE)) for first in range(0, texts.height, TEXTS_AT_ONCE))
    done = 0
    for first, told in annotate(parts, texts.height):
        progress(what, done, texts.height)
        done += told.height
        yield numbered.slice(first, told.height).hstack(told.select(_LISTS))
