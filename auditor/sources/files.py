"""Opening what a user names: plain, gzipped or zstandard, by content and not by ending; patterns; standard input."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from auditor.errors import SourceError
from auditor.model import Part

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = Path("-")

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ENDINGS = (".gz", ".zst")
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)

#: Captions shrink to a third or a tenth, a list of equal ones to a fiftieth: what expands far more is a bomb.
_MOST_EXPANSION = 200
_FREE_EXPANSION = 1 << 26
_BUFFER = 1 << 20


def locate(path: Path) -> Path:
    """Find a declared file or folder: under its own name, or with `.gz` or `.zst` behind it."""
    zipped = [path.with_name(path.name + ending) for ending in _ENDINGS if path.name]
    found = next((candidate for candidate in (path, *zipped) if candidate.exists()), None)
    if found is None:
        raise SourceError(
            f"{path}: no such file (nor {path.name}.gz); `auditor fetch` gets what datasets.toml can name, "
            "AUDITOR_DATA or [settings] data says which folder holds the rest"
        )
    return found


def expand(part: Part) -> list[Path]:
    """Find the files of a part, in the order given; those of a pattern are sorted by name.

    Raises `SourceError` for a file that is not there and a pattern that meets none.
    """
    found = []
    for path in part.paths:
        if not any(sign in path.name for sign in "*?[") or path.exists():
            found.append(locate(path))
            continue
        met = sorted(match for match in path.parent.glob(path.name) if match.is_file())
        if not met:
            raise SourceError(f"{path}: no file matches the pattern")
        found += met
    return found


def sha256(paths: list[Path]) -> str:
    """Hash files as they lie on disk: one by its content, several by their names and contents."""
    if len(paths) == 1 and paths[0].is_file():
        return _sha256(paths[0])
    listed = (f"{path.name}\0{_sha256(path)}\n" for root in paths for path in _files_of(root))
    return hashlib.sha256("".join(listed).encode()).hexdigest()


def _files_of(path: Path) -> list[Path]:
    return sorted(found for found in path.rglob("*") if found.is_file()) if path.is_dir() else [path]


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def save_stdin(folder: Path) -> Path:
    """Copy standard input to a file, which readers can open more than once."""
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, unzipped where it is gzipped or zstandard.

    Raises `SourceError` for a file that cannot be opened, and for one that is damaged or expands beyond reason at
    whatever point that is met.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            file.seek(0)
            if magic.startswith(_GZIP):
                with gzip.open(file) as unzipped:
                    yield bounded(cast("BinaryIO", unzipped), file, path)
            elif magic == _ZSTD:
                with zstd.open(file) as unzipped:
                    yield bounded(cast("BinaryIO", unzipped), file, path)
            else:
                yield file
    except _DAMAGED as error:
        raise SourceError(f"{path}: damaged compressed file ({error}); fetch it again") from error
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def bounded(unzipped: BinaryIO, zipped: BinaryIO, path: Path | str) -> BinaryIO:
    """Watch that what is unzipped stays in proportion to what was read of the zipped file."""
    return io.BufferedReader(_Bounded(unzipped, zipped, path), _BUFFER)


class _Bounded(io.RawIOBase):
    def __init__(self, unzipped: BinaryIO, zipped: BinaryIO, path: Path | str) -> None:
        self._unzipped, self._zipped, self._path = unzipped, zipped, path
        self._produced = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        data = self._unzipped.read(len(view))
        view[: len(data)] = data
        self._produced += len(data)
        if self._produced > _FREE_EXPANSION + _MOST_EXPANSION * self._zipped.tell():
            raise SourceError(
                f"{self._path}: expands to more than {_MOST_EXPANSION} times its size: a damaged file or a zip bomb"
            )
        return len(data)


def head(path: Path, size: int = 1 << 16) -> bytes:
    """Give the first bytes of a file's content, for guessing what it is."""
    with open_bytes(path) as file:
        return file.read(size)


def read_list(path: Path) -> list[str]:
    """Read a list of names, one a line; blank lines and line ends do not count."""
    with open_bytes(locate(path)) as file:
        try:
            lines = file.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: not a list of names in UTF-8 ({error})") from error
    return [line.strip() for line in lines if line.strip()]
