"""Open files that a user names: plain, gzipped or zstandard by their content; patterns; standard input."""

from __future__ import annotations

import errno
import fnmatch
import functools
import gzip
import hashlib
import io
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, cast

from auditor.errors import SourceError
from auditor.model import Batches, Part, by_number
from auditor.remote import address_of
from auditor.sources.guards import check_expansion

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STDIN = Path("-")

_STDINS = (STDIN, Path("/dev/stdin"), Path("/dev/fd/0"), Path("/proc/self/fd/0"))

_GZIP = b"\x1f\x8b"

_ZSTD = b"\x28\xb5\x2f\xfd"

_ENDINGS = (".gz", ".zst")

_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)

_BUFFER = 1 << 20

_LONGEST_LIST = 1 << 26

#: Content that replaces a file by mistake.
_STAND_INS = (
    (re.compile(rb"version https://git-lfs\.github\.com/spec/"), "a git-LFS pointer, not the file; run `git lfs pull`"),
    (
        re.compile(rb"(?i)(\xef\xbb\xbf)?\s*<(!doctype html|html[\s>]|\?xml[^>]*>\s*<error>)"),
        "a web page, such as an error, instead of the file; download it again",
    ),
)

_LONGEST_STAND_IN = 256


def is_stdin(path: Path) -> bool:
    """Return whether a path is standard input."""
    return path in _STDINS


def is_folder(path: Path) -> bool:
    """Return whether a path is an accessible folder."""
    try:
        return path.is_dir()
    except OSError:
        return False


def locate(path: Path) -> Path:
    """Return the path of a declared file or folder, perhaps with `.gz` or `.zst` appended.

    Raises `SourceError` if it is missing, or a pipe or device.
    """
    _refuse_address(path)
    zipped = [path.with_name(path.name + ending) for ending in _ENDINGS if path.name]
    existing = next((candidate for candidate in (path, *zipped) if is_there(candidate)), None)
    if existing is None:
        nor = f" (nor {zipped[0].name})" if zipped else ""
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise SourceError(
            f"{path}: no such file{nor}{where}; `auditor fetch` downloads files with a url in datasets.toml; for "
            "others, set AUDITOR_DATA or [settings] data to their folder"
        )
    return existing


def expand(part: Part) -> list[Path]:
    """Return the files of a part in the given order; those of a pattern by name, with numbers by value.

    Raises `SourceError` for a missing file, and for a pattern that matches nothing.
    """
    paths = []
    for path in part.paths:
        _refuse_address(path)
        if not any(sign in path.name for sign in "*?[") or is_there(path):
            paths.append(locate(path))
            continue
        try:
            matches = sorted(
                (match for match in path.parent.glob(path.name) if match.is_file()),
                key=lambda match: by_number(match.name),
            )
        except (OSError, ValueError) as error:
            raise SourceError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        if not matches:
            raise SourceError(f"{path}: no file matches this pattern")
        paths += matches
    if len(set(map(_identity, paths))) < len(paths) and len({path.resolve() for path in paths}) < len(paths):
        named = next(
            path for number, path in enumerate(paths) if path.resolve() in [path.resolve() for path in paths[:number]]
        )
        raise SourceError(f"{named}: listed twice; list it once, or its captions are read twice")
    return paths


def _refuse_address(path: Path) -> None:
    """Raise `SourceError` for an address that was not copied to a local file."""
    if (address := address_of(path)) is not None:
        raise SourceError(
            f"{address}: an address cannot be read here: download the file and name it, or "
            "declare its url and sha256 in datasets.toml and run `auditor fetch`"
        )


def _identity(path: Path) -> tuple[int, int]:
    """Return an identity of a file with a single system call; it is the same for links to a file."""
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    return status.st_dev, status.st_ino


def is_there(path: Path) -> bool:
    """Return whether a file or folder exists. Raises `SourceError` for a device or pipe, or without permission."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            return False
        raise SourceError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    mode = status.st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise SourceError(f"{path}: neither a file nor a folder; to read from a pipe, use `--from -`")
    if status.st_dev in _kernel_devices():
        raise SourceError(f"{path}: a virtual file of the kernel; name the file with the captions")
    return True


@functools.cache
def _kernel_devices() -> frozenset[int]:
    """Return the devices of virtual files, which can block or change at each reading."""
    return frozenset(os.stat(root).st_dev for root in ("/proc", "/sys") if os.path.ismount(root))  # noqa: PTH116


def sha256(paths: list[Path]) -> str:
    """Return the hash of files on disk: of one file its content, of several their names and contents."""
    if len(paths) == 1 and paths[0].is_file():
        return _sha256(paths[0])
    every = (path for root in paths for path in (inside(root) if root.is_dir() else [root]))
    listed = (f"{path.name}\0{_sha256(path)}\n" for path in every)
    return hashlib.sha256("".join(listed).encode()).hexdigest()


def inside(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files of a folder and its subfolders, sorted. Raises `SourceError` for an unreadable folder."""
    paths: list[Path] = []
    try:
        for parent, _, names in os.walk(folder, onerror=_out_of_reach):
            paths += (path for path in map(Path(parent).joinpath, fnmatch.filter(names, pattern)) if path.is_file())
    except OSError as error:
        _out_of_reach(error)
    return sorted(paths)


def _out_of_reach(error: OSError) -> NoReturn:
    raise SourceError(f"{error.filename}: {error.strerror or error}") from error


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


class Watch:
    """The state of files and folders when it is created, to detect changes while they are read."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._before = {path: _state(path) for path in paths}

    def over(self, batches: Batches) -> Batches:
        """Yield the batches that are read from the files, then check these."""
        yield from batches
        self.check()

    def check(self) -> None:
        """Raise `SourceError` for the first file that has changed: it may be read in part."""
        for path, state in self._before.items():
            if _state(path) != state:
                raise SourceError(f"{path}: changed while it was being read; ingest it again when it is complete")


def _state(path: Path) -> tuple[int | str, ...]:
    """Return attributes that every rewriting changes: the ctime cannot be set, but the mtime can."""
    try:
        if path.is_dir():
            return tuple(part for member in inside(path) for part in (str(member), *_state(member)))
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def save_stdin(folder: Path) -> Path:
    """Copy standard input to a file, which can be read several times. Raises `SourceError` if it is closed."""
    path = folder / "stdin"
    if sys.stdin is None:
        raise SourceError("-: standard input is closed")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed if it is gzipped or zstandard.

    Raises `SourceError` for a file that cannot be opened, a pointer or web page instead of it, and, also while reading,
    for a damaged file or a zip bomb.
    """
    try:
        is_there(path)  # a pipe would wait for its writer
        with path.open("rb") as file:
            start = file.read(_LONGEST_STAND_IN)
            magic = start[:4]
            file.seek(0)
            for known, meaning in _STAND_INS:
                if known.match(start):
                    raise SourceError(f"{path}: {meaning}")
            if magic.startswith(_GZIP):
                with gzip.open(file) as unzipped:
                    yield bounded(cast("BinaryIO", unzipped), file, path)
            elif magic == _ZSTD:
                with zstd.open(file) as unzipped:
                    yield bounded(cast("BinaryIO", unzipped), file, path)
            else:
                yield file
    except _DAMAGED as error:
        raise SourceError(f"{path}: damaged compressed file ({error}); download it again") from error
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def is_compressed(magic: bytes) -> bool:
    """Return whether a file with these first four bytes is gzipped or zstandard."""
    return magic.startswith((_GZIP, _ZSTD))


def bounded(unzipped: BinaryIO, zipped: BinaryIO, path: Path | str) -> BinaryIO:
    """Limit the decompressed bytes in proportion to the compressed bytes that were read."""
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
        check_expansion(self._path, self._produced, self._zipped.tell())
        return len(data)


def head(path: Path, size: int = 1 << 16) -> bytes:
    """Return the first bytes of a file's content, to detect its format."""
    with open_bytes(path) as file:
        return file.read(size)


def whole(path: Path, most: int, kind: str) -> bytes:
    """Return a file's content. Raises `SourceError` for more than `most` bytes: the file is not of the `kind`."""
    content = head(path, most + 1)
    if len(content) > most:
        raise SourceError(f"{path}: larger than {most >> 20} MiB: not {kind}")
    return content


def read_list(path: Path) -> list[str]:
    """Read a list of names, one per line; empty lines are skipped."""
    content = whole(locate(path), _LONGEST_LIST, "a list of names")
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not a list of names in UTF-8 ({error})") from error
    return [line.strip() for line in lines if line.strip()]
