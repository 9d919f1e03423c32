"""The folder that stages share: a file for each stage and bucket, with a marker once it is complete."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError, StoreError, UsageError
from auditor.files import lock, read_text, replacing, sweep

#: The names of the stages, and of their folders.
CAPTIONS, WORDS, PARTIAL, SUMMED, SCORES, SUMS = "captions", "words", "partial", "summed", "scores", "sums"

#: Stages that are exported from the store, and read no other file.
_OF_THE_STORE = (CAPTIONS, WORDS)

_PLAN = "plan.json"

_REMEDY = "set another folder with --work, or remove this one"


class Part(NamedTuple):
    """The content of a marker: the sha256 of the file, its size in bytes, its rows."""

    sha256: str
    size: int
    rows: int


class Work:
    """A folder of work, with its stages in order. Files appear whole or not at all, so two workers may write one."""

    def __init__(self, folder: Path, order: Sequence[str]) -> None:
        self.folder = folder.absolute()  # workers run in other folders
        self._order = order
        self._lock: int | None = None

    def begin(self, plan: str, *, is_named: bool = True, shared: bool = False) -> None:
        """Create the folder for a plan, or continue its work, and lock it until `close`. Leftovers in it are removed.

        A folder that the user has not named must not be a link. Ranks of one work have a `shared` lock.

        Raises `UsageError` for a folder that another run uses, that contains other work, or that cannot be created.
        Raises `SourceError` for a plan that is not text, and for a link or a pipe: workers would write to its target,
        or wait for its writer.
        """
        self.close()
        file = self.folder / _PLAN
        try:
            if self.folder.is_symlink() and not is_named:
                raise UsageError(f"{self.folder}: a link, which may lead to any folder; {_REMEDY}")
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = None if sys.platform == "win32" else os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            if self._lock is not None and lock(self._lock, wait=False, shared=shared) is False:
                raise UsageError(f"{self.folder}: another run uses it; wait for its end, or set another with --work")
            sweep(self.folder)
            for path in self.folder.rglob("*"):
                if path.is_symlink() or not (path.is_file() or path.is_dir()):
                    raise SourceError(f"{path}: a link or a pipe, not a file of this work; {_REMEDY}")
            if file.exists() and self.plan() != plan:
                raise UsageError(
                    f"{self.folder}: contains other work: another command, or other captions, metrics or versions of "
                    f"auditor; {_REMEDY}"
                )
            if not file.exists():
                if any(self.folder.iterdir()):
                    raise UsageError(f"{self.folder}: contains other files; set --work to an empty or new folder")
                with replacing(file) as draft:
                    draft.write(plan.encode())
        except OSError as error:
            self.close()
            raise UsageError(f"{self.folder}: cannot be used for the work: {error.strerror or error}") from error
        except BaseException:
            self.close()
            raise

    def remove(self) -> None:
        """Remove the folder, its plan last: if the process is killed before, the next run continues with the rest."""
        for stage in self._order:
            shutil.rmtree(self.folder / stage, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Release the folder for another run."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        self.close()

    def plan(self) -> str:
        """Read the plan of the work. Raises `UsageError` if it is missing, `SourceError` if it is not text."""
        try:
            return read_text(self.folder / _PLAN)
        except OSError as error:
            raise UsageError(f"{self.folder}: not a work folder: {_PLAN} is missing") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{self.folder / _PLAN}: not UTF-8; {_REMEDY}") from error

    def path(self, stage: str, number: int) -> Path:
        """Return the path of the file of a stage for a bucket."""
        return self.folder / stage / f"{number:06}.parquet"

    def part(self, stage: str, number: int) -> Part | None:
        """Read the marker of a file; null if the file is missing, or has another size."""
        path = self.path(stage, number)
        try:
            part = Part(**json.loads(path.with_suffix(".done").read_bytes()))
            return part if path.stat().st_size == part.size else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def whole(self, stage: str, number: int) -> bool:
        """Return whether a file exists with the bytes that its marker names.

        If its bytes differ, it must be written again. Files of later stages, which may depend on it, are removed.
        """
        part = self.part(stage, number)
        if part is None:
            return False
        with self.path(stage, number).open("rb") as file:
            is_same = hashlib.file_digest(file, "sha256").hexdigest() == part.sha256
        if not is_same:
            self.path(stage, number).with_suffix(".done").unlink()
            for later in self._order[self._order.index(stage) + 1 :]:
                if later not in _OF_THE_STORE:
                    shutil.rmtree(self.folder / later, ignore_errors=True)
        return is_same

    def put(self, stage: str, number: int, rows: pl.DataFrame, groups: int = 1) -> Part:
        """Write the file of a stage for a bucket, in about so many groups of rows, then its marker.

        Raises `StoreError` if the file cannot be written, as on a full disk.
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
        """Raise `SourceError` for a file with a marker that no stage wrote."""
        try:
            yield
        except pl.exceptions.PolarsError as error:
            what = str(error).partition("\n")[0]
            raise SourceError(f"{self.folder}: contains a file that no stage wrote: {what}; {_REMEDY}") from error

    def scan(self, stage: str, number: int) -> pl.LazyFrame:
        """Read the file of a stage for a bucket."""
        return pl.scan_parquet(self.path(stage, number))

    def every(self, stage: str, parts: int) -> pl.LazyFrame:
        """Read the files of a stage for so many buckets or partitions."""
        return pl.concat(self.scan(stage, number) for number in range(parts))
