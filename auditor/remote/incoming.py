"""Copies of remote files in a local folder: whole, or not at all.

Several blocks of a file are read at a time, and each is read again if its connection breaks. Comparing the metadata of
the server before and afterwards shows whether the file changed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from auditor.errors import AuditorError, SourceError
from auditor.files.folders import temporary
from auditor.model import Progress, Source, by_number, silent
from auditor.remote.addresses import WEB, address_of, filesystem, on_disk, repeated, scheme_of
from auditor.remote.pace import PATIENCE, Patience

#: Bytes of a block, blocks read at a time, and blocks waiting to be written: the memory of a copy.
BLOCK, AT_ONCE, WAITING = 1 << 23, 4, 8

#: Metadata that identify the content of a file, if the server reports them.
_MARKS = ("size", "ETag", "etag", "generation", "md5Hash", "content_md5", "Content-MD5", "Digest", "blob_id", "created")

_SIGNS = re.compile(r"[*?[]")


class Near:
    """Copies of remote files, as long as it is open; errors name the addresses, not the copies."""

    def __init__(self, progress: Progress = silent, patience: Patience = PATIENCE) -> None:
        self._progress, self._patience = progress, patience
        self._folder: Path | None = None
        self._stack = ExitStack()
        self._filesystems: dict[str, Any] = {}
        self._addresses: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if isinstance(error, AuditorError) and self._addresses:
            message = str(error)
            for copy in sorted(self._addresses, key=len, reverse=True):
                message = message.replace(copy, self._addresses[copy])
            error.args = (message, *error.args[1:])

    def files(self, path: Path) -> list[Path]:
        """Return the copies of a remote file, a folder, or the files of a pattern in order.

        A local path stays as it is. Raises `SourceError`, in one line, for a file that cannot be copied, and
        `MissingExtraError` if a library is missing.
        """
        address = address_of(path)
        if address is None:
            return [on_disk(path)]
        scheme = scheme_of(address)
        known = address if scheme in WEB else scheme  # each web address has its own deadline
        if known not in self._filesystems:
            self._filesystems[known], _ = filesystem(address, self._patience)
        there = self._filesystems[known]
        remote_path = there._strip_protocol(address)
        infos, root = self._listed(there, address, remote_path)
        copies = {name: self._target(scheme, name) for name in infos}
        new = {name: info for name, info in infos.items() if not copies[name].exists()}
        self._copy(there, scheme, new, copies)
        if root is None:
            return [copies[name] for name in sorted(infos, key=by_number)]
        folder = self._target(scheme, root)
        self._addresses[str(folder)] = address
        return [folder]

    def listed(self, path: Path) -> list[tuple[str, str]]:
        """Return the addresses of the files of a remote file, folder or pattern, in order, each with its state.

        Nothing is copied. The state changes if the file does.
        """
        address = str(address_of(path))
        there, _ = filesystem(address, self._patience)
        infos, _ = self._listed(there, address, there._strip_protocol(address))
        names = {name: name if "://" in name else f"{scheme_of(address)}://{name.lstrip('/')}" for name in infos}
        marks = {name: {mark: str(info[mark]) for mark in _MARKS if mark in info} for name, info in infos.items()}
        return [(names[name], str(marks[name])) for name in sorted(infos, key=by_number)]

    def source(self, source: Source) -> Source:
        """Return a source whose addresses are replaced by local copies."""
        parts = tuple(
            replace(
                part,
                paths=tuple(copy for path in part.paths for copy in self.files(path)),
                options={
                    name: self.files(value)[0] if isinstance(value, Path) else value
                    for name, value in part.options.items()
                },
            )
            for part in source.parts
        )
        return replace(source, parts=parts, splits={name: self.files(path)[0] for name, path in source.splits.items()})

    def _listed(self, there: Any, address: str, remote_path: str) -> tuple[dict[str, dict[str, Any]], str | None]:
        """Return the files of an address with their metadata, and the folder if the address is one."""
        if self._is_pattern(there, address, remote_path):
            met = repeated(address, lambda: there.glob(remote_path, detail=True))
            infos = {name: info for name, info in met.items() if info["type"] == "file"}
            if not infos:
                raise SourceError(f"{address}: no file matches this pattern")
            return infos, None
        info = repeated(address, lambda: there.info(remote_path))
        if info["type"] != "directory":
            return {remote_path: info}, None
        infos = repeated(address, lambda: there.find(remote_path, detail=True))
        if not infos:
            raise SourceError(f"{address}: an empty folder")
        return infos, remote_path

    def _is_pattern(self, there: Any, address: str, remote_path: str) -> bool:
        """Return whether an address is a pattern; in a web address a question mark begins the query."""
        if scheme_of(address) in WEB:
            return "*" in remote_path
        return bool(_SIGNS.search(remote_path)) and not there.isfile(remote_path)

    def _target(self, scheme: str, name: str) -> Path:
        """Return the path of the copy of a file, in folders of the same names, which may name its split."""
        url = urlsplit(name) if scheme in WEB else None
        below = PurePosixPath(name if url is None else url.netloc.rpartition("@")[2] + url.path)
        parts = [part for part in below.parts if part != "/"]
        if ".." in parts or not parts:
            raise SourceError(f"{scheme}://{name.lstrip('/')}: the name leads out of its folder; name a file")
        if self._folder is None:
            self._folder = self._stack.enter_context(temporary())
        query = [hashlib.sha256(url.query.encode()).hexdigest()[:12]] if url and url.query else []
        return self._folder.joinpath(scheme, *query, *parts)

    def _copy(
        self, there: Any, scheme: str, infos: Mapping[str, Mapping[str, Any]], copies: Mapping[str, Path]
    ) -> None:
        sizes = {name: info.get("size") or 0 for name, info in infos.items()}
        whole, done = sum(sizes.values()), 0
        addresses = {name: name if "://" in name else f"{scheme}://{name.lstrip('/')}" for name in infos}
        self._check_room(infos, addresses, whole)
        pool = ThreadPoolExecutor(AT_ONCE)
        pending: deque[tuple[Path, Future[bytes]]] = deque()
        try:
            for name, info in infos.items():
                target, address = copies[name], addresses[name]
                self._addresses[str(target)] = address
                _make(target, address)
                for piece in _pieces(there, name, info, address, target):
                    pending.append((target, pool.submit(piece)))
                    if len(pending) == WAITING:
                        done += _land(*pending.popleft())
                        self._progress("downloading", done, max(whole, done))
            while pending:
                done += _land(*pending.popleft())
                self._progress("downloading", done, max(whole, done))
            list(pool.map(lambda name: _check_unchanged(there, name, infos[name], addresses[name]), infos))
        finally:
            pool.shutdown(cancel_futures=True)

    def _check_room(self, names: Iterable[str], addresses: Mapping[str, str], whole: int) -> None:
        free = shutil.disk_usage(self._folder or tempfile.gettempdir()).free
        if whole > free:
            first = next(addresses[name] for name in names)
            raise SourceError(
                f"{first}: needs {whole:,} bytes, and {tempfile.gettempdir()} has {free:,} free; set TMPDIR to a "
                "folder with more space"
            )


def _make(target: Path, address: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    except OSError as error:
        raise SourceError(f"{address}: cannot write a local copy ({error.strerror or error})") from error


def _land(target: Path, block: Future[bytes]) -> int:
    """Append a block to its file; return its bytes."""
    content = block.result()
    if content:
        with target.open("ab") as file:
            file.write(content)
    return len(content)


def _pieces(
    there: Any, name: str, info: Mapping[str, Any], address: str, target: Path
) -> Iterator[Callable[[], bytes]]:
    """Yield the reads of a file in order: its blocks, or the whole if its server does not send parts."""
    size = info.get("size")
    if size is None or not info.get("partial", True) or (size > BLOCK and not _sends_parts(there, name)):
        yield lambda: repeated(address, lambda: _whole(there, name, target))
        return
    for start in range(0, size, BLOCK):
        yield _Block(there, name, info, address, start, min(start + BLOCK, size))


def _sends_parts(there: Any, name: str) -> bool:
    """Return whether a server sends the requested part of a file; web servers may send all of it."""
    if scheme_of(name) not in WEB:
        return True
    try:
        return len(there.cat_file(name, start=0, end=1)) == 1
    except Exception:  # noqa: BLE001  reading the file reports the error
        return False


class _Block:
    """One block of a file, to be read."""

    def __init__(self, there: Any, name: str, info: Mapping[str, Any], address: str, start: int, end: int) -> None:
        self._there, self._name, self._info, self._address = there, name, info, address
        self._start, self._end = start, end

    def __call__(self) -> bytes:
        """Read the block. Raises `SourceError` if it cannot be read, or if the file has changed."""
        try:
            return repeated(self._address, self._read)
        except SourceError:
            _check_unchanged(self._there, self._name, self._info, self._address)
            raise

    def _read(self) -> bytes:
        content: bytes = self._there.cat_file(self._name, start=self._start, end=self._end)
        if len(content) != self._end - self._start:
            raise ConnectionError(f"received {len(content):,} of {self._end - self._start:,} bytes")
        return content


def _whole(there: Any, name: str, target: Path) -> bytes:
    there.get_file(name, str(target))
    return b""


def _check_unchanged(there: Any, name: str, info: Mapping[str, Any], address: str) -> None:
    """Raise `SourceError` if a file has changed since it was listed."""
    now = repeated(address, lambda: there.info(name))
    if any(info[mark] != now[mark] for mark in _MARKS if mark in info and mark in now):
        raise SourceError(f"{address}: changed while it was being read; read it again when it is complete")
