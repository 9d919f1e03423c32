"""What addresses name, copied to a folder of this disk: whole, or not at all.

A file comes in blocks, several at a time, each repeated by itself where a connection breaks; whether it changed
meanwhile shows by what its server says of it before and afterwards.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from auditor.errors import AuditorError, SourceError
from auditor.model import Progress, Source, by_number, silent
from auditor.remote.addresses import WEB, address_of, filesystem, on_disk, repeated, scheme_of
from auditor.remote.pace import PATIENCE, Patience

#: Bytes of a block, how many come at a time, and how many may wait to be written: what a copy holds in memory.
BLOCK, AT_ONCE, WAITING = 1 << 23, 4, 8

#: What tells one content of a file from another, where its server says it.
_MARKS = ("size", "ETag", "etag", "generation", "md5Hash", "content_md5", "Content-MD5", "Digest", "blob_id", "created")

_SIGNS = re.compile(r"[*?[]")


class Near:
    """Copies of what addresses name, as long as it is open; errors then name the addresses, not the copies."""

    def __init__(self, progress: Progress = silent, patience: Patience = PATIENCE) -> None:
        self._progress, self._patience = progress, patience
        self._folder: Path | None = None
        self._filesystems: dict[str, Any] = {}
        self._addresses: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if isinstance(error, AuditorError) and self._addresses:
            told = str(error)
            for copy in sorted(self._addresses, key=len, reverse=True):
                told = told.replace(copy, self._addresses[copy])
            if told != str(error):
                raise type(error)(told) from error

    def files(self, path: Path) -> list[Path]:
        """Return the copies of what an address names: a file, a folder, the files of a pattern in their order.

        A path of this disk stays as it is. Raises `SourceError` for what cannot be had, in one line, and
        `MissingExtraError` where a library is missing.
        """
        address = address_of(path)
        if address is None:
            return [on_disk(path)]
        scheme = scheme_of(address)
        known = address if scheme in WEB else scheme  # each of the web has a deadline of its own
        if known not in self._filesystems:
            self._filesystems[known], _ = filesystem(address, self._patience)
        there = self._filesystems[known]
        place = there._strip_protocol(address)
        found, root = self._listed(there, address, place)
        copies = {name: self._place(scheme, name) for name in found}
        new = {name: told for name, told in found.items() if not copies[name].exists()}
        self._copy(there, scheme, new, copies)
        if root is None:
            return [copies[name] for name in sorted(found, key=by_number)]
        folder = self._place(scheme, root)
        self._addresses[str(folder)] = address
        return [folder]

    def source(self, source: Source) -> Source:
        """Return a source with the copies of all that its declaration names by address."""
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

    def _listed(self, there: Any, address: str, place: str) -> tuple[dict[str, dict[str, Any]], str | None]:
        """Find the files of an address, each with what is known of it, and its folder where it is one."""
        if self._is_pattern(there, address, place):
            met = repeated(address, lambda: there.glob(place, detail=True))
            found = {name: told for name, told in met.items() if told["type"] == "file"}
            if not found:
                raise SourceError(f"{address}: no file matches the pattern")
            return found, None
        told = repeated(address, lambda: there.info(place))
        if told["type"] != "directory":
            return {place: told}, None
        found = repeated(address, lambda: there.find(place, detail=True))
        if not found:
            raise SourceError(f"{address}: a folder without a file")
        return found, place

    def _is_pattern(self, there: Any, address: str, place: str) -> bool:
        """Return whether an address is a pattern; in a web address a question mark begins the query."""
        if scheme_of(address) in WEB:
            return "*" in place
        return bool(_SIGNS.search(place)) and not there.isfile(place)

    def _place(self, scheme: str, name: str) -> Path:
        """Return where the copy of a file lies: in folders of the names that it has there, which may name its split."""
        told = urlsplit(name) if scheme in WEB else None
        below = PurePosixPath(name if told is None else told.netloc.rpartition("@")[2] + told.path)
        parts = [part for part in below.parts if part != "/"]
        if ".." in parts or not parts:
            raise SourceError(f"{scheme}://{name.lstrip('/')}: a name that leads out of its folder; name a file")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="auditor-"))
        asked = [hashlib.sha256(told.query.encode()).hexdigest()[:12]] if told and told.query else []
        return self._folder.joinpath(scheme, *asked, *parts)

    def _copy(
        self, there: Any, scheme: str, found: Mapping[str, Mapping[str, Any]], copies: Mapping[str, Path]
    ) -> None:
        sizes = {name: told.get("size") or 0 for name, told in found.items()}
        whole, done = sum(sizes.values()), 0
        addresses = {name: name if "://" in name else f"{scheme}://{name.lstrip('/')}" for name in found}
        self._check_room(found, addresses, whole)
        pool = ThreadPoolExecutor(AT_ONCE)
        pending: deque[tuple[Path, Future[bytes]]] = deque()
        try:
            for name, told in found.items():
                target, address = copies[name], addresses[name]
                self._addresses[str(target)] = address
                _make(target, address)
                for piece in _pieces(there, name, told, address, target):
                    pending.append((target, pool.submit(piece)))
                    if len(pending) == WAITING:
                        done += _land(*pending.popleft())
                        self._progress("reading from afar", done, max(whole, done))
            while pending:
                done += _land(*pending.popleft())
                self._progress("reading from afar", done, max(whole, done))
            list(pool.map(lambda name: _check_unchanged(there, name, found[name], addresses[name]), found))
        finally:
            pool.shutdown(cancel_futures=True)

    def _check_room(self, found: Iterable[str], addresses: Mapping[str, str], whole: int) -> None:
        free = shutil.disk_usage(self._folder or tempfile.gettempdir()).free
        if whole > free:
            first = next(addresses[name] for name in found)
            raise SourceError(
                f"{first}: {whole:,} bytes are to be read, {tempfile.gettempdir()} has room for {free:,}; name a "
                "folder with more in TMPDIR"
            )


def _make(target: Path, address: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    except OSError as error:
        raise SourceError(f"{address}: no copy of it can be made ({error.strerror or error})") from error


def _land(target: Path, block: Future[bytes]) -> int:
    """Write a block behind those before it; give its bytes."""
    content = block.result()
    if content:
        with target.open("ab") as file:
            file.write(content)
    return len(content)


def _pieces(
    there: Any, name: str, told: Mapping[str, Any], address: str, target: Path
) -> Iterator[Callable[[], bytes]]:
    """Yield what is to be read of a file, in order: its blocks, or the whole where its server sends no blocks."""
    size = told.get("size")
    if size is None or not told.get("partial", True) or (size > BLOCK and not _sends_parts(there, name)):
        yield lambda: repeated(address, lambda: _whole(there, name, target))
        return
    for start in range(0, size, BLOCK):
        yield _Block(there, name, told, address, start, min(start + BLOCK, size))


def _sends_parts(there: Any, name: str) -> bool:
    """Return whether a server sends a part of a file where it is asked for one; those of the web need not."""
    if scheme_of(name) not in WEB:
        return True
    try:
        return len(there.cat_file(name, start=0, end=1)) == 1
    except Exception:  # noqa: BLE001  whatever is wrong is said where the file is read
        return False


class _Block:
    """One block of a file, to be read."""

    def __init__(self, there: Any, name: str, told: Mapping[str, Any], address: str, start: int, end: int) -> None:
        self._there, self._name, self._told, self._address = there, name, told, address
        self._start, self._end = start, end

    def __call__(self) -> bytes:
        """Read it. Raises `SourceError` where it does not come, also since the file is another by now."""
        try:
            return repeated(self._address, self._read)
        except SourceError:
            _check_unchanged(self._there, self._name, self._told, self._address)
            raise

    def _read(self) -> bytes:
        content: bytes = self._there.cat_file(self._name, start=self._start, end=self._end)
        if len(content) != self._end - self._start:
            raise ConnectionError(f"{len(content):,} bytes came of {self._end - self._start:,}")
        return content


def _whole(there: Any, name: str, target: Path) -> bytes:
    """Let the library write a file itself."""
    there.get_file(name, str(target))
    return b""


def _check_unchanged(there: Any, name: str, told: Mapping[str, Any], address: str) -> None:
    """Raise `SourceError` where a file is another than it was when it was found."""
    now = repeated(address, lambda: there.info(name))
    if any(told[mark] != now[mark] for mark in _MARKS if mark in told and mark in now):
        raise SourceError(f"{address}: changed while it was read; read it again when it is whole")
