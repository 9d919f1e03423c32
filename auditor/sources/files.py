"""Opening what a user names: plain or gzipped, by content and not by ending."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from auditor.errors import SourceError

_GZIP = b"\x1f\x8b"


def locate(path: Path) -> Path:
    """Find a declared file: under its own name, or with `.gz` behind it."""
    zipped = path.with_name(path.name + ".gz")
    found = next((candidate for candidate in (path, zipped) if candidate.is_file()), None)
    if found is None:
        raise SourceError(
            f"{path}: no such file (nor {zipped.name}); set AUDITOR_DATA or [settings] data to the folder that holds it"
        )
    return found


def sha256(path: Path) -> str:
    """Hash a file as it lies on disk."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, unzipped where it is gzipped.

    Raises `SourceError` for a file that cannot be opened, and for a damaged gzip file at whatever point it is met.
    """
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == _GZIP
            file.seek(0)
            if not zipped:
                yield file
            else:
                with gzip.open(file) as unzipped:
                    yield cast("BinaryIO", unzipped)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(f"{path}: damaged gzip file ({error}); fetch it again") from error
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def read_list(path: Path) -> list[str]:
    """Read a list of names, one a line; blank lines and line ends do not count."""
    with open_bytes(locate(path)) as file:
        try:
            lines = file.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: not a list of names in UTF-8 ({error})") from error
    return [line.strip() for line in lines if line.strip()]
