"""Downloads of the files in datasets.toml: a file is at its path whole and with the right sha256, or not at all.

An incomplete file waits next to it in `.NAME.fetching/`, where the next run resumes it.
"""

from __future__ import annotations

import hashlib
import lzma
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from auditor.errors import SourceError, UsageError
from auditor.model import Download, Progress, silent
from auditor.remote import pace
from auditor.remote.pace import PATIENCE, Pace, Patience
from auditor.result import listed
from auditor.sources.reading import files

_WHOLE = "whole"

_CHUNK = 1 << 20

_SHOWN = 5

#: Errors of the archive modules for a file that is not an archive, or damaged; RuntimeError is an encrypted zip.
_DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
)


@dataclass(frozen=True)
class Fetched:
    """The file of a download, and whether it was fetched, resumed or unchanged."""

    path: Path
    status: Literal["fetched", "resumed", "unchanged"]
    size: int


def find(path: Path) -> Path | None:
    """Return a file or folder under its own name or a compressed one; null if there is none."""
    try:
        return files.locate(path)
    except (SourceError, OSError):
        return None


def fetch(
    download: Download,
    *,
    force: bool = False,
    progress: Progress = silent,
    patience: Patience = PATIENCE,
    tries: int = 4,
) -> Fetched:
    """Fetch a download to its path, unless it is there; `tries` allows for other runs that fetch it at the same time.

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
        return _fetched(download, progress, Pace(patience))
    except OSError as error:
        if isinstance(error, FileNotFoundError) and tries > 1:  # another run was faster and removed its folder
            return fetch(download, force=force, progress=progress, patience=patience, tries=tries - 1)
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


def _fetched(download: Download, progress: Progress, pace: Pace) -> Fetched:
    """Complete the file in a folder next to its path; an incomplete download keeps that folder."""
    path = download.path
    staging = path.with_name(f".{path.name}.fetching")
    partial = staging / "partial"
    try:
        resumed = _download(download, staging, partial, progress, pace)
        ready = staging / _WHOLE
        if download.member is not None:
            ready = staging / "member"
            unpack(staging / _WHOLE, download.member, ready, download.url)
        ready.replace(path)
    finally:
        if not (partial.exists() and partial.stat().st_size):
            shutil.rmtree(staging, ignore_errors=True)
    return Fetched(path, "resumed" if resumed else "fetched", path.stat().st_size)


def _download(
    download: Download, staging: Path, partial: Path, progress: Progress, pace: Pace, *, may_resume: bool = True
) -> bool:
    """Write the verified download to the staging folder; return whether it was resumed."""
    import pooch  # type: ignore[import-untyped]  # noqa: PLC0415  its import warns notebooks about widgets

    from auditor.sources.download.resume import ResumingDownloader  # noqa: PLC0415  # requests

    downloader = ResumingDownloader(download, partial, progress, pace, may_resume=may_resume)
    pooch.get_logger().setLevel("WARNING")  # its messages ignore --quiet
    try:
        pooch.retrieve(
            download.url, f"sha256:{download.sha256}", _WHOLE, str(staging.absolute()), downloader=downloader
        )
    except ValueError as error:
        if downloader.resumed and may_resume:  # parts that do not fit together: fetch the whole file
            return _download(download, staging, partial, progress, pace, may_resume=False)
        raise SourceError(
            f"{download.url}: wrong checksum: sha256 is {downloader.sha256}, datasets.toml expects {download.sha256}; "
            "the file was damaged on the way, or replaced: fetch it again; if that fails, "
            "find the right version or correct sha256"
        ) from error
    return downloader.resumed


def unpack(archive: Path, member: str, target: Path, url: str) -> None:
    """Copy a member of a zip, or of a tar with any compression, to a new file.

    Raises `SourceError`, which names the url, if the member is missing, not a regular file or too large, or if the
    archive is damaged.
    """
    unpacked = 0
    try:
        with _opened(archive, PurePosixPath(member), url) as content, target.open("wb") as file:
            while chunk := content.read(_CHUNK):
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
