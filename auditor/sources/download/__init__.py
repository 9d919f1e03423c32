"""Getting the files that datasets.toml names: a file lies at its path whole and with the right sha256, or not at all.

What is not whole yet lies beside it in `.NAME.fetching/`, where the next run finds it.
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
from auditor.sources.download.resume import ResumingDownloader
from auditor.sources.reading import files

_WHOLE = "whole"

_CHUNK = 1 << 20

_SHOWN = 5

#: What the archive modules raise for content that is no archive, or a damaged one; RuntimeError is an encrypted zip.
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
    """The file that a download stands for, and how it came to be there."""

    path: Path
    status: Literal["fetched", "resumed", "unchanged"]
    size: int


def find(path: Path) -> Path | None:
    """Find a file or folder under its own name or a compressed one; None where there is none."""
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
    """Bring one download to its path, unless it is there; `tries`, since other runs may bring it at the same time.

    It is there when a file at the path, or compressed beside it, has its sha256. Where the download is a member of an
    archive, the sha256 is the archive's, which is not kept: then any file at the path counts, and `force` replaces it.

    Raises `SourceError` where another file is at the path (which `force` replaces), the url does not give the bytes
    that it should, or the folder cannot be written; `UsageError` where the path leads out of the folder that it must
    stay in.
    """
    path = download.path
    stay_inside(download)
    try:
        found = find(path)
        if found is not None and (download.member is None or not force):
            there = None if download.member else _sha256(found, path)
            if there in (None, download.sha256):
                return Fetched(found, "unchanged", found.stat().st_size)
            if not force:
                raise SourceError(
                    f"{found}: another file is there (sha256 {there}, datasets.toml says {download.sha256}); "
                    "move it away, or replace it with --force"
                )
        return _fetched(download, progress, Pace(patience))
    except OSError as error:
        if isinstance(error, FileNotFoundError) and tries > 1:  # another run was faster, and tidied up
            return fetch(download, force=force, progress=progress, patience=patience, tries=tries - 1)
        raise SourceError(
            f"{path}: cannot be written ({error.strerror or error}); make room or mend the rights of {path.parent}, "
            "or name another folder with AUDITOR_DATA"
        ) from error


def stay_inside(download: Download) -> None:
    """Keep a datasets.toml that came with a stranger's files from choosing any place of this machine.

    Raises `UsageError` where a download leads out of the folder that it must stay in.
    """
    if download.within is None:
        return
    try:
        inside = download.path.resolve().is_relative_to(download.within.resolve())
    except (OSError, RuntimeError, ValueError):  # a ring of links
        inside = False
    if not inside:
        raise UsageError(
            f"{download.path}: outside of {download.within.absolute()}, the folder of the datasets.toml that names it, "
            "and so not written; name the data folder yourself with AUDITOR_DATA if it is meant"
        )


def _sha256(found: Path, path: Path) -> str:
    """Hash a file as it lies on disk, but one found under a compressed name by what it holds."""
    with found.open("rb") if found == path else files.open_bytes(found) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]


def _fetched(download: Download, progress: Progress, pace: Pace) -> Fetched:
    """Make the file whole in a folder beside its place; only the beginning of a download outlives that folder."""
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
    """Put the verified download into the staging folder; say whether it was put together from parts."""
    import pooch  # type: ignore[import-untyped]  # noqa: PLC0415  a notebook is warned of widgets as soon as it is here

    downloader = ResumingDownloader(download, partial, progress, pace, may_resume=may_resume)
    pooch.get_logger().setLevel("WARNING")  # its narration knows nothing of --quiet
    try:
        pooch.retrieve(
            download.url, f"sha256:{download.sha256}", _WHOLE, str(staging.absolute()), downloader=downloader
        )
    except ValueError as error:
        if downloader.resumed and may_resume:  # parts that do not fit together, whatever was said: once more, whole
            return _download(download, staging, partial, progress, pace, may_resume=False)
        raise SourceError(
            f"{download.url}: wrong bytes: sha256 {downloader.sha256}, datasets.toml says {download.sha256}; "
            "the file at the url was changed or damaged on the way: fetch again, and if it stays so "
            "look for the right version or correct sha256"
        ) from error
    return downloader.resumed


def unpack(archive: Path, member: str, target: Path, url: str) -> None:
    """Copy the content of one member, of a zip or a tar however compressed, to a new file.

    Raises `SourceError`, which names the url, where there is no such member, it is no plain file, the archive is
    damaged, or the content is larger than anything that is fetched.
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
        raise SourceError(f"{url}: not a zip or tar archive that can be read ({error})") from error


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
            # A link would have the archive choose what is read.
            plain = tarred.extractfile(entry) if entry.isreg() else None
            if plain is None:
                raise SourceError(f"{url}: {member} is not a plain file in this archive")
            with plain:
                yield plain


def _absence(url: str, member: PurePosixPath, names: list[PurePosixPath]) -> SourceError:
    shown = listed(names, _SHOWN) or "nothing"
    return SourceError(f"{url}: no {member} in this archive, which holds {shown}; mend member")
