"""Read tar and zip archives as streams of their files: nothing is extracted to disk, no path is opened."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import shutil
import stat
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.files import printable
from auditor.result import listed
from auditor.sources.guards import check_expansion
from auditor.sources.reading import files

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZIP = b"PK\x03\x04"

_EMPTY_ZIP = b"PK\x05\x06"

_BLOCK = 1 << 20

_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".token")

#: Errors of the archive modules for damage; RuntimeError is an encrypted zip, or endlessly nested headers.
_DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError, struct.error,
    EOFError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


class Member(NamedTuple):
    """A file of an archive: its position from 1, its name, its content, and its fault, if any.

    `file` can be read until the next member is requested, and raises `SourceError` if it is damaged. It is empty for a
    member with a fault.
    """

    number: int
    name: str
    file: BinaryIO
    fault: str | None


def is_archive(path: Path, head: bytes) -> bool:
    """Return whether a file is a tar or zip archive. `head` is the start of its uncompressed content."""
    return head[257:262] == b"ustar" or head.startswith((_ZIP, _EMPTY_ZIP)) or path.name.endswith((".tar", ".zip"))


def members(path: Path) -> Iterator[Member]:
    """Yield the files of a tar archive (plain, gzipped or zstandard) or a zip archive, in order.

    Links, devices and names that lead out of the archive have a fault. Raises `SourceError` for a damaged or truncated
    archive, and for a zip bomb.
    """
    walk = _of_zip if files.head(path, len(_ZIP)) in (_ZIP, _EMPTY_ZIP) else _of_tar
    with files.open_bytes(path) as stream, _readable(path):
        yield from walk(path, stream)


def sole_table(path: Path, folder: Path) -> tuple[Path, list[str]] | None:
    """Extract the only table of a zip archive to a folder. Return it and the other names; null for other files.

    Raises `SourceError`, with their names, for several tables.
    """
    if not path.is_file() or files.head(path, len(_ZIP)) != _ZIP or path.suffix.lower() != ".zip":
        return None
    tables, others, saved = list[str](), list[str](), folder / "table"
    for member in members(path):
        name = PurePosixPath(member.name)
        hidden = any(part.startswith((".", "__MACOSX")) for part in name.parts)
        if member.fault or hidden or name.suffix.lower() not in _TABLES:
            others += [] if hidden else [member.name]
            continue
        tables.append(member.name)
        if len(tables) == 1:
            saved = folder / path.stem / name.name
            saved.parent.mkdir(parents=True, exist_ok=True)
            with saved.open("wb") as copy:
                shutil.copyfileobj(member.file, copy)
    stems = {PurePosixPath(name).stem for name in others}
    if any(PurePosixPath(name).stem in stems for name in tables):  # samples of files with one stem
        return None
    if len(tables) > 1:
        raise SourceError(f"{path}: holds {len(tables)} tables: {listed(tables, 5)}; unpack it, and name one of them")
    return (saved, others) if tables else None


def refusal(path: Path, member: Member) -> pl.DataFrame:
    """Return a member with a fault as a rejected record."""
    reason = f"{member.name}: {member.fault}"
    return pl.DataFrame({"source": path.name, "unit": "member", "line": member.number, "reason": reason})


def _of_tar(path: Path, stream: BinaryIO) -> Iterator[Member]:
    with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", tarinfo=_Header) as archive:
        number = 0
        while (entry := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # else it keeps every header in memory
            if entry.isdir():
                continue
            number += 1
            fault = _unsafe(entry.name) or (None if entry.isreg() and not entry.issparse() else "a link or device")
            file = archive.extractfile(entry) if fault is None else None
            yield Member(number, printable(entry.name), _guarded(file, path), fault)
        while block := archive.fileobj.read(_BLOCK) if archive.fileobj else b"":
            if block.strip(b"\0"):
                raise tarfile.ReadError("data after its end mark")


class _Header(tarfile.TarInfo):
    """A header that raises an error if it is broken or truncated, instead of ending the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        if len(buf) < tarfile.BLOCKSIZE:
            raise tarfile.ReadError("truncated: its end mark is missing")
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf.strip(b"\0"):
                raise tarfile.ReadError(f"a header is broken: {error}") from error
            raise


def _of_zip(path: Path, stream: BinaryIO) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        whole = (sum(entry.file_size for entry in entries), path.stat().st_size)
        for unzipped, zipped in [whole, *((entry.file_size, entry.compress_size) for entry in entries)]:
            check_expansion(path, unzipped, zipped)
        for number, entry in enumerate(entries, 1):
            fault = "a link" if stat.S_ISLNK(entry.external_attr >> 16) else _unsafe(entry.filename)
            if fault is None:
                with archive.open(entry) as file:
                    yield Member(number, entry.filename, _guarded(file, path), None)
            else:
                yield Member(number, printable(entry.filename), _guarded(None, path), fault)


def _unsafe(name: str) -> str | None:
    path = PurePosixPath(name.replace("\\", "/"))
    if not path.parts:
        return "it has no name"
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "its name leads out of the archive"
    return None if printable(name) == name else "its name is not UTF-8"


def _guarded(file: IO[bytes] | None, path: Path) -> BinaryIO:
    return io.BytesIO() if file is None else io.BufferedReader(_Guarded(file, path))


class _Guarded(io.RawIOBase):
    """The content of a member; reading it, outside `members`, raises `SourceError` for damage."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        with _readable(self._path):
            data = self._file.read(len(view))
        view[: len(data)] = data
        return len(data)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise SourceError(f"{path}: cannot be read as an archive: {error}; download it again") from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # a zip with an offset before its start
            raise SourceError(f"{path}: cannot be read as an archive: truncated; download it again") from error
        raise SourceError(f"{path}: {error.strerror or error}") from error
