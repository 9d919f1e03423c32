"""One member of a downloaded archive. No path in an archive is believed: the content goes where the caller says."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from auditor.errors import SourceError
from auditor.remote import pace
from auditor.result import listed

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
