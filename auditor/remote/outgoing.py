"""What is written to an address: made whole on this disk, sent under names of drafts, and only then called by its own.

A server may know no way to change several names at once: what says that the others are whole takes its name last.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.remote.addresses import WEB, address_of, filesystem, on_disk, repeated, scheme_of

#: Where folders are but the beginnings of names, and to make one may be to make a bucket.
_OF_OBJECTS = ("s3", "s3a", "gs", "gcs", "hf", "az", "abfs", "abfss", "adl", "oss")

#: What a process that was killed left of a file.
_DRAFT = re.compile(r"(^|/)\.[^/]*\.[0-9a-f]{8}\.draft$")


@contextmanager
def sending(
    target: Path,
    *,
    folder_of: Collection[str] | None = None,
    beside: Sequence[str] = (),
    last: Collection[str] = (),
    force: bool = False,
    progress: Progress = silent,
) -> Iterator[Path]:
    """Give the place to write what `target` names: the path itself, or one that is sent to its address when it is made.

    `folder_of` are the names in it, where it is a folder, `beside` those of files that are written with it; of the
    files those named in `last` take their names last. Where the block or the sending fails, what was there stays.

    Raises `UsageError` for what is in use without `force`, for a folder that holds other names, and for an address
    that is only read; `SourceError` where it cannot be reached, `MissingExtraError` where a library is missing.
    """
    address = address_of(target)
    if address is None:
        yield on_disk(target)
        return
    if scheme_of(address) in WEB:
        raise UsageError(f"{address}: cannot be written: addresses of the web are only read; name a file or a bucket")
    there, place = filesystem(address)
    place = place.rstrip("/")
    parent, _, name = place.rpartition("/")
    if not parent or not name:
        raise UsageError(f"{address}: cannot be written: it names no file or folder in a bucket")
    known = _there(there, address, place, folder_of, force=force)
    for item in beside:
        _there(there, f"{address.rpartition('/')[0]}/{item}", f"{parent}/{item}", None, force=force)
    with tempfile.TemporaryDirectory(prefix="auditor-") as folder:
        yield Path(folder) / name
        made = sorted(
            (file for file in Path(folder).rglob("*") if file.is_file()), key=lambda file: (file.name in last, file)
        )
        finals = {file: f"{parent}/{file.relative_to(folder).as_posix()}" for file in made}
        _Sent(there, address, progress).send(finals, [old for old in known if old not in finals.values()])


def _there(there: Any, address: str, place: str, folder_of: Collection[str] | None, *, force: bool) -> list[str]:
    """Return the files that are in the way and may go. Raises `UsageError` where they may not."""
    if not repeated(address, lambda: there.exists(place)):
        return []
    if not force:
        raise UsageError(f"{address}: is there already; name another, or replace it with --force")
    is_folder = repeated(address, lambda: there.info(place))["type"] == "directory"
    if is_folder != (folder_of is not None):
        raise UsageError(f"{address}: is {'a folder' if is_folder else 'a file'}, and so is not replaced; name another")
    if folder_of is None:
        return [place]
    found: list[str] = repeated(address, lambda: there.find(place))
    held = [name.removeprefix(f"{place}/") for name in found]
    if not {name.partition("/")[0] for name in held if not _DRAFT.search(name)} <= set(folder_of):
        raise UsageError(f"{address}: is no folder that export made, and so is not replaced; name another")
    return found


class _Sent:
    """Files on their way to an address."""

    def __init__(self, there: Any, address: str, progress: Progress) -> None:
        self._there, self._address, self._progress = there, address, progress

    def send(self, finals: dict[Path, str], old: Sequence[str]) -> None:
        """Send files to the names that they get there, and let go of the old ones."""
        whole, done = sum(file.stat().st_size for file in finals), 0
        undo: list[Callable[[], None]] = []
        former: list[str] = []
        drafts: dict[str, str] = {}
        try:
            for file, final in finals.items():
                drafts[final] = _draft(final)
                undo.append(partial(self._there.rm_file, drafts[final]))
                self._put(file, drafts[final])
                done += file.stat().st_size
                self._progress("sending", done, whole)
            for final, draft in drafts.items():
                if not self._is_there(final):
                    undo.append(partial(self._there.rm_file, final))
                elif len(finals) > 1:  # a file alone takes the place of another at once
                    former.append(_draft(final))
                    self._move(final, former[-1])
                    undo.append(partial(self._there.mv, former[-1], final))
                self._move(draft, final)
        except BaseException:
            for step in reversed(undo):
                with suppress(Exception):
                    step()
            raise
        for name in (*former, *old):
            repeated(self._address, partial(self._there.rm_file, name))

    def _is_there(self, name: str) -> bool:
        found: bool = repeated(self._address, lambda: self._there.exists(name))
        return found

    def _put(self, file: Path, draft: str) -> None:
        def attempt() -> None:
            if scheme_of(self._address) not in _OF_OBJECTS:
                self._there.makedirs(draft.rpartition("/")[0], exist_ok=True)
            self._there.put_file(str(file), draft)
            came = self._there.info(draft)["size"]
            if came != file.stat().st_size:
                raise ConnectionError(f"{came:,} bytes of {file.name} arrived of {file.stat().st_size:,}")

        repeated(self._address, attempt)

    def _move(self, draft: str, final: str) -> None:
        repeated(self._address, lambda: self._there.mv(draft, final))


def _draft(final: str) -> str:
    """Return a name beside another that nothing has."""
    folder, _, name = final.rpartition("/")
    return f"{folder}/.{name}.{secrets.token_hex(4)}.draft"
