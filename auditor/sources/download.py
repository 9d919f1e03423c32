"""Downloads of the files in datasets.toml: a file is at its path whole and with the right sha256, or not at all."""

from __future__ import annotations

import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from auditor.errors import SourceError, UsageError
from auditor.files import sweep
from auditor.files.folders import temporary
from auditor.model import Download, Progress, silent
from auditor.remote import pace
from auditor.remote.addresses import repeated
from auditor.remote.pace import PATIENCE, Pace, Patience
from auditor.result import listed
from auditor.sources.reading import files

#: Seconds to wait for a connection, and for the next bytes.
TIMEOUT = (10.0, 30.0)

#: The bytes after which the pace is checked.
_CHUNK = 1 << 12

_SHOWN = 5

#: Errors of the archive modules for a file that is not an archive, or damaged; RuntimeError is an encrypted zip.
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)


@dataclass(frozen=True)
class Fetched:
    """The file of a download, and whether it was fetched or unchanged."""

    path: Path
    status: Literal["fetched", "unchanged"]
    size: int


def find(path: Path) -> Path | None:
    """Return a file or folder under its own name or a compressed one; null if there is none."""
    try:
        return files.locate(path)
    except (SourceError, OSError):
        return None


def fetch(
    download: Download, *, force: bool = False, progress: Progress = silent, patience: Patience = PATIENCE
) -> Fetched:
    """Fetch a download to its path, unless it is there.

    It is there if the file at the path, or its compressed form, has the sha256. If the download is a member of an
    archive, the sha256 is that of the archive, which is not kept: any file at the path counts; `force` replaces it.

    Raises `SourceError` if another file is at the path (which `force` replaces), if the url sends other bytes, or if
    the folder cannot be written; `UsageError` if the path leads out of its permitted folder.
    """
    path = download.path
    stay_inside(download)
    try:
        existing = find(path)
        if existing is not None and (download.member is None or not force):
            there = None if download.member else _sha256(existing, path)
            if there in (None, download.sha256):
                return Fetched(existing, "unchanged", existing.stat().st_size)
            if not force:
                raise SourceError(
                    f"{existing}: another file exists here (its sha256 is {there}; datasets.toml expects "
                    f"{download.sha256}); move it, or replace it with --force"
                )
        return _fetched(download, progress, patience)
    except OSError as error:
        raise SourceError(
            f"{path}: cannot be written ({error.strerror or error}); free space, make {path.parent} "
            "writable, or set AUDITOR_DATA to another folder"
        ) from error


def stay_inside(download: Download) -> None:
    """Check that a download stays in its folder: a datasets.toml of a stranger must not write elsewhere.

    Raises `UsageError` for a path outside of it.
    """
    if download.within is None:
        return
    try:
        inside = download.path.resolve().is_relative_to(download.within.resolve())
    except (OSError, RuntimeError, ValueError):  # links that point to each other
        inside = False
    if not inside:
        raise UsageError(
            f"{download.path}: not written, since it is outside the folder of its datasets.toml, "
            f"{download.within.absolute()}; to allow it, set AUDITOR_DATA to the data folder"
        )


def _sha256(existing: Path, path: Path) -> str:
    """Return the hash of a file; of one under a compressed name, the hash of its uncompressed content."""
    with existing.open("rb") if existing == path else files.open_bytes(existing) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]


def _fetched(download: Download, progress: Progress, patience: Patience) -> Fetched:
    """Complete the file in a temporary folder next to its path."""
    path = download.path
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    with temporary(path.parent) as folder:
        ready = _downloaded(download, folder, _Bar(download, progress, Pace(patience)))
        if download.member is not None:
            archive, ready = ready, folder / "member"
            unpack(archive, download.member, ready, download.url)
        ready.replace(path)
    return Fetched(path, "fetched", path.stat().st_size)


def _downloaded(download: Download, folder: Path, bar: _Bar) -> Path:
    """Download the file with pooch, which verifies its sha256. Raises `SourceError` if the server does not send it."""
    import pooch  # type: ignore[import-untyped]  # noqa: PLC0415  its import warns notebooks about widgets
    import requests  # noqa: PLC0415

    broken = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
    pooch.get_logger().setLevel("WARNING")  # its messages ignore --quiet

    def to_file(url: str, file: str, _: object) -> None:
        bar.begin(Path(file))
        with ExitStack() as answers:  # pooch leaves one open if it fails
            close = {"response": lambda answer, **_: answers.enter_context(answer)}
            identity = {"Accept-Encoding": "identity"}
            pooch.HTTPDownloader(bar, _CHUNK, headers=identity, timeout=TIMEOUT, hooks=close)(url, file, None)

    def attempt() -> Path:
        try:
            name, known = "archive" if download.member else download.path.name, f"sha256:{download.sha256}"
            return Path(pooch.retrieve(download.url, known, name, str(folder.absolute()), downloader=to_file))
        except broken as error:
            raise ConnectionError(_reason(error)) from None
        except ValueError as error:
            if not bar.is_full:
                raise
            raise SourceError(
                f"{download.url}: wrong checksum: {str(error).partition('. Deleted')[0]}; fetch it again; if that "
                "fails, find the right version, or correct sha256 in datasets.toml"
            ) from error

    return repeated(download.url, attempt, f"; or download the file yourself to {download.path}")


class _Bar:
    """The progress bar of pooch: after each chunk, it reports the size of the file, and checks it and the pace."""

    total, is_full = 0, False

    def __init__(self, download: Download, progress: Progress, pace: Pace) -> None:
        self._download, self._progress, self._pace = download, progress, pace

    def begin(self, file: Path) -> None:
        """Measure a new attempt, which writes to `file`."""
        self._file, self._received, self.is_full = file, 0, False
        self._pace.begin()

    def update(self, _: int) -> None:
        """Read the size of the file. Raises `SourceError` if it is too large, or arrives too slowly."""
        url, before, self._received = self._download.url, self._received, self._file.stat().st_size
        self._pace.received(self._received - before)
        if (slow := self._pace.trouble()) is not None:
            raise SourceError(f"{url}: {slow}")
        limit = min(self._download.size or pace.UNDECLARED, pace.LARGEST)
        if max(self._received, self.total) > limit:
            raise SourceError(f"{url}: larger than {limit:,} bytes, {self._remedy()}")
        self._progress(f"fetching {self._download.path.name}", self._received, max(self.total, self._received))

    def reset(self) -> None:
        """Note that everything has arrived."""
        self.is_full = True

    def close(self) -> None:
        """Do nothing more: the caller owns what it shows."""

    def _remedy(self) -> str:
        manual = f"download the file yourself to {self._download.path}"
        if self._download.size is not None:
            return f"the size in datasets.toml; correct bytes or url there, or {manual}"
        return f"the limit for files of unknown size; add bytes = N in datasets.toml, or {manual}"


def _reason(error: BaseException) -> str:
    """Return why a connection failed, in a few words: messages of the libraries show their internals."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    if isinstance(error, TimeoutError):
        return "the server does not answer in time"
    return getattr(error, "strerror", None) or "the connection was interrupted"


def unpack(archive: Path, member: str, target: Path, url: str) -> None:
    """Copy a member of a zip, or of a tar with any compression, to a new file.

    Raises `SourceError`, which names the url, if the member is missing, not a regular file or too large, or if the
    archive is damaged.
    """
    unpacked = 0
    try:
        with _opened(archive, PurePosixPath(member), url) as content, target.open("wb") as file:
            while chunk := content.read(1 << 20):
                unpacked += len(chunk)
                if unpacked > pace.LARGEST:
                    raise SourceError(f"{url}: {member} unpacks to more than {pace.LARGEST:,} bytes: a zip bomb?")
                file.write(chunk)
    except _DAMAGED as error:
        raise SourceError(f"{url}: cannot be read as a zip or tar archive ({error})") from error


@contextmanager
def _opened(archive: Path, member: PurePosixPath, url: str) -> Iterator[IO[bytes]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            names = {PurePosixPath(info.filename): info for info in zipped.infolist() if not info.is_dir()}
            if member not in names:
                raise _absence(url, member, list(names))
            with zipped.open(names[member]) as content:
                yield content
    else:
        with tarfile.open(archive) as tarred:
            seen = []
            for entry in tarred:
                seen.append(PurePosixPath(entry.name))
                if seen[-1] == member:
                    break
            else:
                raise _absence(url, member, seen)
            # With a link, the archive would choose the file to read.
            plain = tarred.extractfile(entry) if entry.isreg() else None
            if plain is None:
                raise SourceError(f"{url}: {member} is not a regular file in this archive")
            with plain:
                yield plain


def _absence(url: str, member: PurePosixPath, names: list[PurePosixPath]) -> SourceError:
    shown = listed(names, _SHOWN) or "nothing"
    return SourceError(f"{url}: {member} is not in this archive, which has {shown}; correct member")
