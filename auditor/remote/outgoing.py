"""Output to an address: written locally, sent under draft names, and renamed when it is complete.

Servers may not be able to rename several files at once: the file that marks the others as complete is renamed last.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.files.folders import temporary
from auditor.model import Progress, silent
from auditor.remote.addresses import WEB, address_of, filesystem, on_disk, repeated, scheme_of

#: Object stores: folders are prefixes of names, and creating a folder might create a bucket.
_OF_OBJECTS = ("s3", "s3a", "gs", "gcs", "hf", "az", "abfs", "abfss", "adl", "oss")

#: Drafts that a killed process left.
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
    """Yield the path to write `target` to: itself, or a local path that is sent to its address afterwards.

    `folder_of` lists the names in a folder, `beside` the files that are written with it; the files in `last` are
    renamed last. If the block or the sending fails, the former content stays.

    Raises `UsageError` for an existing target without `force`, for a folder with other names, and for a read-only
    address; `SourceError` if it cannot be reached, `MissingExtraError` if a library is missing.
    """
    address = address_of(target)
    if address is None:
        yield on_disk(target)
        return
    if scheme_of(address) in WEB:
        raise UsageError(f"{address}: cannot be written: web addresses are read-only; name a file or a bucket")
    there, remote_path = filesystem(address)
    remote_path = remote_path.rstrip("/")
    parent, _, name = remote_path.rpartition("/")
    if not parent or not name:
        raise UsageError(f"{address}: cannot be written: name a file or folder in the bucket")
    known = _there(there, address, remote_path, folder_of, force=force)
    for item in beside:
        _there(there, f"{address.rpartition('/')[0]}/{item}", f"{parent}/{item}", None, force=force)
    with temporary() as folder:
        yield folder / name
        made = sorted(
            (file for file in folder.rglob("*") if file.is_file()), key=lambda file: (file.name in last, file)
        )
        finals = {file: f"{parent}/{file.relative_to(folder).as_posix()}" for file in made}
        _Sent(there, address, progress).send(finals, [old for old in known if old not in finals.values()])


def _there(there: Any, address: str, remote_path: str, folder_of: Collection[str] | None, *, force: bool) -> list[str]:
    """Return the existing files to replace. Raises `UsageError` if they cannot be replaced."""
    if not repeated(address, lambda: there.exists(remote_path)):
        return []
    if not force:
        raise UsageError(f"{address}: already exists; choose another name, or replace it with --force")
    is_folder = repeated(address, lambda: there.info(remote_path))["type"] == "directory"
    if is_folder != (folder_of is not None):
        raise UsageError(
            f"{address}: is {'a folder' if is_folder else 'a file'}, so it is not replaced; choose another name"
        )
    if folder_of is None:
        return [remote_path]
    names: list[str] = repeated(address, lambda: there.find(remote_path))
    held = [name.removeprefix(f"{remote_path}/") for name in names]
    if not {name.partition("/")[0] for name in held if not _DRAFT.search(name)} <= set(folder_of):
        raise UsageError(
            f"{address}: not a folder that `auditor export` wrote, so it is not replaced; choose another name"
        )
    return names


class _Sent:
    """Files on their way to an address."""

    def __init__(self, there: Any, address: str, progress: Progress) -> None:
        self._there, self._address, self._progress = there, address, progress

    def send(self, finals: dict[Path, str], old: Sequence[str]) -> None:
        """Send files to their final names, and delete the old ones."""
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
                elif len(finals) > 1:  # a single file is replaced at once
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
        exists: bool = repeated(self._address, lambda: self._there.exists(name))
        return exists

    def _put(self, file: Path, draft: str) -> None:
        def attempt() -> None:
            if scheme_of(self._address) not in _OF_OBJECTS:
                self._there.makedirs(draft.rpartition("/")[0], exist_ok=True)
            self._there.put_file(str(file), draft)
            came = self._there.info(draft)["size"]
            if came != file.stat().st_size:
                raise ConnectionError(f"{came:,} of {file.stat().st_size:,} bytes of {file.name} arrived")

        repeated(self._address, attempt)

    def _move(self, draft: str, final: str) -> None:
        repeated(self._address, lambda: self._there.mv(draft, final))


def _draft(final: str) -> str:
    """Return an unused name in the same folder."""
    folder, _, name = final.rpartition("/")
    return f"{folder}/.{name}.{secrets.token_hex(4)}.draft"
