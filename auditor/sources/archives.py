"""Tar and zip archives as streams of their files: nothing is extracted, no path of an archive is ever opened."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, cast

from auditor.errors import SourceError
from auditor.sources.files import open_bytes

_MOST_EXPANSION = 200
_FREE_EXPANSION = 1 << 26


class Member(NamedTuple):
    """One file of an archive: its place from 1, its name, its content, and what is wrong with it, if anything is.

    `file` can be read until the next member is asked for; that of a member with a fault is empty.
    """

    number: int
    name: str
    file: BinaryIO
    fault: str | None


def is_archive(path: Path, head: bytes) -> bool:
    """Say whether a file is a tar or zip archive. `head` is the beginning of its content, unzipped."""
    return head[257:262] == b"ustar" or head.startswith(b"PK\x03\x04") or path.name.endswith((".tar", ".zip"))


def members(path: Path) -> Iterator[Member]:
    """Walk the files of a tar archive (plain, gzipped or zstandard) or a zip archive, in their order.

    Links and devices, and names that lead out of the archive, have a fault. Raises `SourceError` for a damaged archive
    and for a member that expands beyond reason.
    """
    try:
        if zipfile.is_zipfile(path):
            yield from _of_zip(path)
        else:
            yield from _of_tar(path)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise SourceError(f"{path}: damaged archive ({error}); fetch it again") from error
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def _of_tar(path: Path) -> Iterator[Member]:
    with open_bytes(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for number, entry in enumerate((entry for entry in archive if not entry.isdir()), 1):
            file = archive.extractfile(entry) if entry.isfile() else None
            fault = _unsafe(entry.name) if file is not None else "a link or device"
            yield Member(number, entry.name, cast("BinaryIO", file) if fault is None else _empty(), fault)


def _of_zip(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for number, entry in enumerate((entry for entry in archive.infolist() if not entry.is_dir()), 1):
            if entry.file_size > _FREE_EXPANSION + _MOST_EXPANSION * entry.compress_size:
                raise SourceError(f"{path}: {entry.filename} expands beyond reason: a damaged file or a zip bomb")
            fault = _unsafe(entry.filename)
            with archive.open(entry) as file:
                yield Member(number, entry.filename, cast("BinaryIO", file) if fault is None else _empty(), fault)


def _empty() -> BinaryIO:
    return io.BytesIO()


def _unsafe(name: str) -> str | None:
    path = PurePosixPath(name.replace("\\", "/"))
    leads_out = path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0])
    return "its name leads out of the archive" if leads_out else None
