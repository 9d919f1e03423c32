"""The file of a store: making room for it, waiting for whoever holds it, telling it from another in its place."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from auditor.errors import EngineMemoryError, StoreError, StoreLockedError, UsageError
from auditor.files import is_plain
from auditor.store import sealing
from auditor.store.faults import IN_USE, lacks_memory, lacks_room, no_memory, no_room

IN_MEMORY = ":memory:"

#: The catalog that every store is, whatever its file is called: no alias or relation of `sql/` has this name.
NAME = "store"

Settings = dict[str, str | bool | int | float | list[str]]

# Operators that gather small pieces of rows mix up the dictionaries of a hash join: an internal error of DuckDB 2.0.0
# ("dict-surviving cache"), of strings and of integers. Without them no command is slower.
_MIXES_DICTIONARIES = "debug_enable_caching_operators"

_MAKING = 1.0  # seconds after which a file that is still unfinished is nobody's

_HEADERS = 3 * 4096  # bytes that every DuckDB file has

_MAGIC = slice(8, 12)

_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery", ".tmp", ".partial", ".parses")

_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # but not a drive, C:

_OTHERWISE = re.compile(r"\?" if os.name == "nt" else r"[?\\]")  # the log's name ends at the one; the other is a slash

_SIZE = re.compile(r"([0-9]+) ?([KMGT])(i?)B")

_MEMORY = "640MiB"  # of the engine; with more it is no faster, and a process needs as much again for scores


@dataclass(frozen=True)
class Share:
    """What of a machine one engine of several may use: bytes of memory, threads, a folder for what needs more."""

    memory: int
    threads: int
    spill: Path


def refuse_name(path: Path) -> None:
    """Refuse what is not a file on a disk: a name of another place (`md:x`, `https://x`), a pipe, a device."""
    if found := _PREFIX.match(str(path)):
        raise UsageError(f"{path}: a store is a file; {found[0]!r} names another place; call the store otherwise")
    if found := _OTHERWISE.search(str(path.absolute())):
        raise UsageError(f"{path}: the engine reads {found[0]} in a name otherwise; rename the store or its folder")
    if not is_plain(path) and not path.is_dir():  # a pipe would wait for its writer
        raise UsageError(f"{path}: a store is a file on a disk, and this is a pipe or a device; name another")


def refuse_place(path: Path) -> None:
    """Raise `StoreError` for a path that no file can have: a ring of links, too long a name, none, a closed folder."""
    try:
        path.resolve().stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"{path}: no store can be here: {why}; name another with --store") from error
    if not path.name:
        raise StoreError(f"{path}: no store can be here: it is a folder; name another with --store")


def refuse_beside(path: Path) -> None:
    """Refuse a link or a pipe in the place of what the engine writes beside a store: it would follow, or wait."""
    if path.name == IN_MEMORY:
        return
    for store in {os.path.abspath(path), os.path.realpath(path)}:  # noqa: PTH100  neither fails
        for beside in (store + ending for ending in _BESIDE):
            if os.path.islink(beside) or not (is_plain(Path(beside)) or os.path.isdir(beside)):  # noqa: PTH112, PTH114
                raise StoreError(f"{beside}: a link or a pipe, which the engine would take for its own; remove it")


def make_room(path: Path) -> None:
    """Make the folder of a new store; a file that a killed process left unfinished gives way to one.

    Another process that makes the store just now leaves its file unfinished for a moment only: one that stays so is
    left.
    """
    deadline = time.monotonic() + _MAKING
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while is_unfinished(path):
            if time.monotonic() > deadline:
                path.unlink(missing_ok=True)
            time.sleep(_MAKING / 10)
    except OSError as error:
        raise StoreError(f"{path}: no store can be made here: {error.strerror or error}") from error


def is_unfinished(path: Path) -> bool:
    """Return whether a file is empty, or the engine's but shorter than the headers that every database begins with."""
    size = path.stat().st_size if path.is_file() else _HEADERS
    return size == 0 or (size < _HEADERS and is_database(path))


def is_database(path: Path) -> bool:
    """Return whether a file begins as those of the engine do."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(_MAGIC.stop)[_MAGIC] == b"DUCK"


def connect(
    path: Path,
    *,
    read_only: bool,
    wait: float,
    narrate: Callable[[str], None],
    databases: Sequence[Path] = (),
    folder: Path | None = None,
    share: Share | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open a file, waiting up to `wait` seconds for another process to let go of it.

    The file is catalog `NAME` of an engine in memory, whatever it is called. The connection is sealed: beside its file
    it reaches the `databases` and the files of `folder` only. A store in memory may have a `share` of the machine.
    Raises `StoreLockedError` after the wait, `StoreError` for a file that is no store or a disk that is full.
    """
    deadline = time.monotonic() + wait
    told = False
    while True:
        file = _identity(path)
        try:
            connection = _attached(
                path, _settings(path, share, read_only=read_only), databases, folder, read_only=read_only
            )
        except duckdb.Error as error:
            if IN_USE in str(error):
                raise StoreLockedError(f"{path}: this process has the store open already; close that first") from error
            if "could not set lock on file" not in str(error).lower():
                raise no_room(path, error) if lacks_room(error) else _unreadable(path, error) from error
            if time.monotonic() >= deadline:
                raise StoreLockedError(
                    f"{path}: another process is using the store; waited {wait:g} s; try again or raise --wait"
                ) from error
            if not told:
                narrate(f"{path}: another process is using the store; waiting up to {wait:g} s")
                told = True
            time.sleep(0.1)
        else:
            if file in (None, _identity(path)):
                return connection
            connection.close()  # another process put a compact copy in the place of the file just now


def _attached(
    path: Path, settings: Settings, databases: Sequence[Path], folder: Path | None, *, read_only: bool
) -> duckdb.DuckDBPyConnection:
    """Attach a store to an engine in memory; those who write one file in this process share its engine."""
    place = str(path if str(path) == IN_MEMORY else path.absolute())
    is_shared = place != IN_MEMORY and not read_only
    connection = duckdb.connect(f"{IN_MEMORY}{place}" if is_shared else IN_MEMORY, config=settings)
    try:
        if not (is_shared and sealing.is_sealed(connection)):
            with suppress(duckdb.CatalogException):  # a later engine may have another name for it
                connection.execute(f"set global {_MIXES_DICTIONARIES} = false").complete()
            connection.execute(
                f"attach {sealing.quoted(place)} as {NAME} (type duckdb{', read_only' if read_only else ''})"
            ).complete()
            sealing.seal(connection, databases, folder)
        connection.execute(f"set search_path = '{NAME}.main'").complete()
    except BaseException:
        connection.close()
        raise
    return connection


def _settings(path: Path, share: Share | None, *, read_only: bool) -> Settings:
    """Let work that needs more memory go on beside the store's file, or where a store in memory is told to."""
    if share is not None:
        own: Settings = {
            "memory_limit": f"{share.memory}B",
            "threads": share.threads,
            "temp_directory": str(share.spill),
        }
    elif str(path) == IN_MEMORY:
        own = {"temp_directory": ""}
    else:
        own = {
            "memory_limit": f"{memory()}B",
            "temp_directory": f"{path.absolute()}.tmp",
            "disable_database_invalidation": read_only,  # a statement that breaks the engine breaks no other
        }
    return {**sealing.FROM_THE_START, **own}


def memory() -> int:
    """Return the bytes that the engine may use: as it is told, else no more than half of what the machine has."""
    told = os.environ.get("AUDITOR_MEMORY")
    limit = told or _MEMORY
    size = _SIZE.fullmatch(limit)
    if size is None:
        raise UsageError(f"{limit}: no size of memory; --memory and AUDITOR_MEMORY expect one such as 2GiB")
    number, unit, binary = size.groups()
    factor: int = (1024 if binary else 1000) ** ("KMGT".index(unit) + 1)
    size_in_bytes: int = int(number) * factor
    return size_in_bytes if told else min(size_in_bytes, _half_of_the_machine() or size_in_bytes)


def _half_of_the_machine() -> int:
    """Return half the bytes of memory that the machine has, as far as the system tells: 0 where it does not."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return 0


def _identity(path: Path) -> tuple[int, int] | None:
    """Tell a file from another that takes its place; null where there is none."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def _unreadable(path: Path, error: Exception) -> StoreError | EngineMemoryError:
    if lacks_memory(error):
        return no_memory(f"{path}: this", error)
    return StoreError(f"{path}: cannot be opened as a store; restore a backup or name another with --store: {error}")
