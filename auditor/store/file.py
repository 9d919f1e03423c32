"""The file of a store: refusing paths that cannot be one, making its folder, waiting for another process, copying."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from auditor.errors import EngineMemoryError, StoreError, StoreLockedError, UsageError
from auditor.files import is_plain
from auditor.store import engine
from auditor.store.engine import IN_USE, lacks_memory, lacks_room, no_memory, no_room, quoted

IN_MEMORY = ":memory:"

#: The name of the catalog of every store, whatever its file name: no alias or relation of `sql/` has this name.
NAME = "store"

#: Device, inode, size and time of change of a file: no other process has written one that is still the same.
Stamp = tuple[int, int, int, int]

Settings = dict[str, str | bool | int | float | list[str]]

# Operators that gather small pieces of rows mix up the dictionaries of a hash join: an internal error of DuckDB 2.0.0
# ("dict-surviving cache"), of strings and of integers. Without them no command is slower.
_MIXES_DICTIONARIES = "debug_enable_caching_operators"

_MAKING = 1.0  # seconds after which an unfinished file counts as abandoned

_HEADERS = 3 * 4096  # bytes that every DuckDB file has

_MAGIC = slice(8, 12)

_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery", ".tmp", ".partial", ".parses", ".stages")

_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # but not a drive, C:

_OTHERWISE = re.compile(r"\?" if os.name == "nt" else r"[?\\]")  # the log's name ends at ?; \ is read as a slash

_COPY = "/copy"  # the engine names an open file by its stem, which never holds a slash

_SIZE = re.compile(r"([0-9]+) ?([KMGT])(i?)B")

_MEMORY = "480MiB"  # of the engine; more does not make it faster, and the process needs as much again for scores

_TO_KEEP = 160 << 20  # bytes of an engine that only writes what is kept


@dataclass(frozen=True)
class Share:
    """The share of a machine for one of several engines: bytes of memory, threads, a folder for temporary files."""

    memory: int
    threads: int
    spill: Path


def share_to_keep(path: Path) -> Share:
    """Return the share of an engine that only writes to the cache: with more memory, it would hold what it writes."""
    return Share(min(memory(), _TO_KEEP), os.cpu_count() or 1, _spill_of(path))


def _spill_of(path: Path) -> Path:
    return Path(f"{path.absolute()}.tmp")


def refuse_name(path: Path) -> None:
    """Refuse a path that is not a file on a disk: a URL (`md:x`, `https://x`), a pipe, a device."""
    if match := _PREFIX.match(str(path)):
        raise UsageError(f"{path}: a store is a file, and {match[0]!r} begins a URL; give another path with --store")
    if match := _OTHERWISE.search(str(path.absolute())):
        raise UsageError(f"{path}: the engine cannot open a path with {match[0]}; rename the store or its folder")
    if not is_plain(path) and not path.is_dir():  # a pipe would wait for its writer
        raise UsageError(f"{path}: a pipe or a device cannot be a store; name a file with --store")


def refuse_place(path: Path) -> None:
    """Raise `StoreError` for a path that cannot be a file: a cycle of links, too long a name, a folder, no access."""
    try:
        path.resolve().stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            what = "a link to a file that does not exist"
            raise StoreError(f"{path}: {what}; remove it, or name another with --store") from None
        return
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"{path}: cannot be a store: {why}; name another with --store") from error
    if not path.name:
        raise StoreError(f"{path}: cannot be a store: it is a folder; name another with --store")


def refuse_beside(path: Path) -> None:
    """Refuse a link or a pipe with the name of a file that the engine writes next to a store: it would use it."""
    if path.name == IN_MEMORY:
        return
    for store in {os.path.abspath(path), os.path.realpath(path)}:  # noqa: PTH100  neither fails
        for beside in (store + ending for ending in _BESIDE):
            if os.path.islink(beside) or not (is_plain(Path(beside)) or os.path.isdir(beside)):  # noqa: PTH112, PTH114
                raise StoreError(f"{beside}: a link or a pipe with the name of a file of the engine; remove it")


def find_place(path: Path, *, makes: bool) -> None:
    """Make room for a store, or find its file. Raises `StoreError` without one, `UsageError` for a wrong name."""
    refuse_name(path)
    refuse_place(path)
    refuse_beside(path)
    if str(path) == IN_MEMORY:
        return
    if makes:
        make_room(path)
    elif not path.exists():
        raise StoreError(f"{path}: no store here; make one with `auditor ingest NAME` or name another with --store")
    elif is_unfinished(path):
        raise nothing_yet(path)


def nothing_yet(path: Path) -> StoreError:
    """Return the error for a store without a schema."""
    return StoreError(f"{path}: nothing was ingested yet; add a dataset with `auditor ingest NAME`")


def make_room(path: Path) -> None:
    """Make the folder of a new store, and remove an unfinished file of a killed process.

    While another process makes the store, its file is unfinished for a moment only. A file that stays unfinished is
    abandoned.
    """
    deadline = time.monotonic() + _MAKING
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while is_unfinished(path):
            if time.monotonic() > deadline:
                path.unlink(missing_ok=True)
            time.sleep(_MAKING / 10)
    except OSError as error:
        raise StoreError(f"{path}: a store cannot be made here: {error.strerror or error}") from error


def is_unfinished(path: Path) -> bool:
    """Return whether a file is empty, or a database that is shorter than its headers."""
    size = path.stat().st_size if path.is_file() else _HEADERS
    return size == 0 or (size < _HEADERS and is_database(path))


def is_database(path: Path) -> bool:
    """Return whether a file begins like a DuckDB file."""
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
    """Open a file, waiting up to `wait` seconds for another process to release it.

    The file is catalog `NAME` of an engine in memory. The connection is sealed: apart from its file, it can only reach
    the `databases` and the files in `folder`. A store in memory may have a `share` of the machine. Raises
    `StoreLockedError` after the wait, `StoreError` for a file that is not a store or a full disk.
    """
    deadline = time.monotonic() + wait
    is_reported = False
    while True:
        file = _identity(path)
        try:
            connection = _attached(
                path, _settings(path, share, read_only=read_only), databases, folder, read_only=read_only
            )
        except duckdb.Error as error:
            if IN_USE in str(error):
                raise StoreLockedError(f"{path}: already open in this process; close it first") from error
            if "could not set lock on file" not in str(error).lower():
                raise no_room(path, error) if lacks_room(error) else _unreadable(path, error) from error
            if time.monotonic() >= deadline:
                raise StoreLockedError(
                    f"{path}: another process is using the store; waited {wait:g} s; try again or raise --wait"
                ) from error
            if not is_reported:
                narrate(f"{path}: another process is using the store; waiting up to {wait:g} s")
                is_reported = True
            time.sleep(0.1)
        else:
            if file in (None, _identity(path)):
                return connection
            connection.close()  # another process has just replaced the file by a compact copy


def _attached(
    path: Path, settings: Settings, databases: Sequence[Path], folder: Path | None, *, read_only: bool
) -> duckdb.DuckDBPyConnection:
    """Attach a store to an engine in memory; connections of this process that write the same file share an engine."""
    name = str(path if str(path) == IN_MEMORY else path.absolute())
    is_shared = name != IN_MEMORY and not read_only
    connection = duckdb.connect(f"{IN_MEMORY}{name}" if is_shared else IN_MEMORY, config=settings)
    try:
        if not (is_shared and engine.is_sealed(connection)):
            with suppress(duckdb.CatalogException):  # a later engine may have renamed it
                connection.execute(f"set global {_MIXES_DICTIONARIES} = false").complete()
            connection.execute(
                f"attach {quoted(name)} as {NAME} (type duckdb{', read_only' if read_only else ''})"
            ).complete()
            _sweep(path, spilled=is_shared)
            engine.seal(connection, databases, folder)
        connection.execute(f"set search_path = '{NAME}.main'").complete()
    except BaseException:
        connection.close()
        raise
    return connection


def _settings(path: Path, share: Share | None, *, read_only: bool) -> Settings:
    """Return the engine's settings: limits, and a folder for temporary files, by default next to the store."""
    if share is not None:
        own: Settings = {
            "memory_limit": f"{share.memory}B",
            "threads": share.threads,
            "temp_directory": str(share.spill),
        }
    elif str(path) == IN_MEMORY:
        own = {"temp_directory": "", "disable_database_invalidation": True}
    else:
        own = {
            "memory_limit": f"{memory()}B",
            "temp_directory": str(_spill_of(path)),
            "disable_database_invalidation": read_only,  # a statement that breaks the engine does not break later ones
        }
    return {**engine.FROM_THE_START, **own}


def memory() -> int:
    """Return the bytes that the engine may use: AUDITOR_MEMORY, or 480MiB but at most half of the machine's memory."""
    chosen = os.environ.get("AUDITOR_MEMORY")
    limit = chosen or _MEMORY
    size = _SIZE.fullmatch(limit)
    if size is None:
        raise UsageError(f"{limit}: not a size of memory; set --memory or AUDITOR_MEMORY to a size such as 2GiB")
    number, unit, binary = size.groups()
    factor: int = (1024 if binary else 1000) ** ("KMGT".index(unit) + 1)
    size_in_bytes: int = int(number) * factor
    return size_in_bytes if chosen else min(size_in_bytes, _half_of_the_machine() or size_in_bytes)


def _half_of_the_machine() -> int:
    """Return half of the machine's memory in bytes; 0 if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return 0


def _sweep(path: Path, *, spilled: bool) -> None:
    """Remove what killed processes left next to a store that is open: no other process copies it or spills from it."""
    with suppress(OSError):
        _remove(*_drafts_of(path.resolve()), *(spilled_of(path) if spilled else ()))
        if spilled:
            _spill_of(path).rmdir()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, which differ after a replacement; null for a missing file."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def stamp(path: Path) -> Stamp | None:
    """Return a mark that changes whenever a file is written; null for a missing file."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    return None


def _unreadable(path: Path, error: Exception) -> StoreError | EngineMemoryError:
    if lacks_memory(error):
        return no_memory(f"{path}: this", error)
    why = "it is another file" if "not a valid DuckDB database file" in str(error) else str(error)
    return StoreError(f"{path}: cannot be opened as a store; restore a backup or name another with --store: {why}")


def partial_of(target: Path) -> Path:
    """Return the path that a copy is written to before it replaces `target`."""
    return target.with_name(f"{target.name}.partial")


def _drafts_of(target: Path) -> tuple[Path, Path]:
    partial = partial_of(target)
    return partial, partial.with_name(f"{partial.name}.wal")


def spilled_of(path: Path) -> list[Path]:
    """List the temporary files that the engine wrote next to a store."""
    return list(_spill_of(path).glob("duckdb_temp_*"))


def write_copy(connection: duckdb.DuckDBPyConnection, path: Path, target: Path) -> None:
    """Copy the file at `path`, which `connection` has open for writing, to `target`, which may be `path` itself.

    If the process is killed, the file at `target` is unchanged, and the next copy replaces the unfinished one. Raises
    `StoreError` if the copy is not equal to the original, and the errors of the engine.
    """
    partial, log = _drafts_of(target)
    _remove(partial, log)
    try:
        _write(connection, path, partial)
        if log.exists():
            raise StoreError(f"{path}: its copy {partial.name} cannot be finished; the store is unchanged; try again")
        shutil.copymode(path, partial)
        partial.replace(target)
    finally:
        _remove(partial, log)
    _settle(target.parent)


def _write(connection: duckdb.DuckDBPyConnection, path: Path, partial: Path) -> None:
    original = connection.execute("select current_database()").fetchall()[0][0]
    connection.execute(f"attach {quoted(str(partial.absolute()))} as {_quoted(_COPY)}").complete()
    try:
        connection.execute("set preserve_insertion_order = true").complete()
        connection.execute(f"copy from database {_quoted(original)} to {_quoted(_COPY)}").complete()
        connection.execute(f"checkpoint {_quoted(_COPY)}").complete()
        if _inventory(connection, original) != _inventory(connection, _COPY):
            raise StoreError(f"{path}: its copy {partial.name} is not equal to it; the store is unchanged; try again")
    finally:
        with suppress(duckdb.Error):  # after a failed write the engine may reject further work
            connection.execute("set preserve_insertion_order = false").complete()
            connection.execute(f"detach {_quoted(_COPY)}").complete()


def _inventory(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[Any, ...]]:
    """List the contents of a file: tables, views and columns with their comments, rows as hashes."""

    def listed(fields: str, relation: str) -> list[tuple[Any, ...]]:
        return connection.execute(
            f"select {fields} from {relation}() where database_name = $database and not internal order by all",
            {"database": database},
        ).fetchall()

    tables = listed("schema_name, table_name, comment", "duckdb_tables")
    held = [
        connection.execute(
            "select count(*), sum(hash(stored_row))"
            f" from {_quoted(database)}.{_quoted(schema)}.{_quoted(table)} as stored_row"
        ).fetchall()[0]
        for schema, table, _ in tables
    ]
    columns = "schema_name, table_name, column_index, column_name, data_type, is_nullable, comment"
    return [
        *tables,
        *held,
        *listed("schema_name, view_name, comment, sql", "duckdb_views"),
        *listed(columns, "duckdb_columns"),
    ]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, if the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
