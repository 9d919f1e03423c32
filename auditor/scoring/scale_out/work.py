"""The folder in which stages meet: a file for each stage and bucket, and beside it a marker once it is whole."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError, StoreError, UsageError
from auditor.files import replacing

#: The stages by name, which is that of their folder of files.
CAPTIONS, WORDS, PARTIAL, SUMMED, SCORES, SUMS = "captions", "words", "partial", "summed", "scores", "sums"

_ORDER = (CAPTIONS, WORDS, PARTIAL, SUMMED, SCORES, SUMS)

#: What is taken out of the store, and made of no other file.
_OF_THE_STORE = (CAPTIONS, WORDS)

_PLAN = "plan.json"

_REMEDY = "name another folder with --work, or remove this one"


class Part(NamedTuple):
    """What a marker says of a file: its sha256, its size in bytes, its rows."""

    sha256: str
    size: int
    rows: int


class Work:
    """A folder of work. Files appear whole or not at all: two workers that make the same one disturb nobody."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()  # workers are elsewhere

    def begin(self, plan: str) -> None:
        """Make the folder for a plan, or go on with what is there of it.

        Raises `UsageError` for a folder that holds other work, or cannot be made; `SourceError` for a plan that is not
        text, and for a link or a pipe: workers would write where it leads, or wait for its writer.
        """
        file = self.folder / _PLAN
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for path in self.folder.rglob("*"):
                if path.is_symlink() or not (path.is_file() or path.is_dir()):
                    raise SourceError(f"{path}: is a link or a pipe, as no work has; {_REMEDY}")
            if file.exists() and self.plan() != plan:
                raise UsageError(
                    f"{self.folder}: holds the work on another question, or of another version of captions, metrics or "
                    f"auditor; {_REMEDY}"
                )
            if not file.exists():
                if any(self.folder.iterdir()):
                    raise UsageError(f"{self.folder}: holds other files; name an empty or a new folder with --work")
                with replacing(file) as draft:
                    draft.write(plan.encode())
        except OSError as error:
            raise UsageError(f"{self.folder}: cannot hold the work: {error.strerror or error}") from error

    def plan(self) -> str:
        """Read the plan of the work. Raises `UsageError` where there is none, `SourceError` where it is not text."""
        try:
            return (self.folder / _PLAN).read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{self.folder}: holds no work: there is no {_PLAN}") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{self.folder / _PLAN}: not UTF-8; {_REMEDY}") from error

    def path(self, stage: str, number: int) -> Path:
        """Name the file of a stage for a bucket."""
        return self.folder / stage / f"{number:06}.parquet"

    def part(self, stage: str, number: int) -> Part | None:
        """Read the marker of a file; null where the file is not there, or of another size."""
        path = self.path(stage, number)
        try:
            part = Part(**json.loads(path.with_suffix(".done").read_bytes()))
            return part if path.stat().st_size == part.size else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def whole(self, stage: str, number: int) -> bool:
        """Return whether a file is there with the bytes that its marker names.

        Where it has others, it is to be made again, and so is what later stages may have made of it: their files go.
        """
        part = self.part(stage, number)
        if part is None:
            return False
        with self.path(stage, number).open("rb") as file:
            is_same = hashlib.file_digest(file, "sha256").hexdigest() == part.sha256
        if not is_same:
            self.path(stage, number).with_suffix(".done").unlink()
            for later in _ORDER[_ORDER.index(stage) + 1 :]:
                if later not in _OF_THE_STORE:
                    shutil.rmtree(self.folder / later, ignore_errors=True)
        return is_same

    def put(self, stage: str, number: int, rows: pl.DataFrame, groups: int = 1) -> Part:
        """Write the file of a stage for a bucket, in about so many groups of rows, then its marker.

        Raises `StoreError` where there is no room.
        """
        made = io.BytesIO()
        rows.write_parquet(made, compression="zstd", row_group_size=max(1024, -(-rows.height // max(1, groups))))
        content = made.getbuffer()
        part = Part(hashlib.sha256(content).hexdigest(), len(content), rows.height)
        path = self.path(stage, number)
        try:
            path.parent.mkdir(exist_ok=True)
            with replacing(path) as file:
                file.write(content)
            with replacing(path.with_suffix(".done")) as marker:
                marker.write(json.dumps(part._asdict()).encode())
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
        return part

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise `SourceError` for a file that its marker names, and that no stage wrote."""
        try:
            yield
        except pl.exceptions.PolarsError as error:
            what = str(error).partition("\n")[0]
            raise SourceError(f"{self.folder}: holds a file that no stage wrote: {what}; {_REMEDY}") from error

    def scan(self, stage: str, number: int) -> pl.LazyFrame:
        """Read the file of a stage for a bucket."""
        return pl.scan_parquet(self.path(stage, number))
