"""The engine within bounds: sealed connections, limits for statements of users, errors that a user can act on.

The engine can read and write any file, load extensions and reach the network, all from within a SELECT. A sealed
connection can do none of this, and its settings are locked, except for order and threads.

Statements of users run in a thread, and the caller can stop them. The engine checks for an interruption between pieces
of work. Some functions are one piece that takes hours, or that allocates memory that the engine does not count. Such a
statement is abandoned after a moment, and a process that ends must not wait for it: see `is_running`.
"""

from __future__ import annotations

import functools
import gc
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb
import polars as pl

from auditor.errors import AuditorError, EngineFaultError, EngineMemoryError, SqlError, StoreError

T = TypeVar("T")

#: Settings that hold from the moment when the file is opened.
FROM_THE_START = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "preserve_insertion_order": "false",
}

_BESIDE = ("", ".wal", ".wal.checkpoint", ".wal.recovery")  # the files of a database


_ALLOWED = ("preserve_insertion_order", "threads")


def seal(connection: duckdb.DuckDBPyConnection, databases: Sequence[Path] = (), folder: Path | None = None) -> None:
    """Leave a connection its own file, the `databases` that it may attach, and the files of a `folder`; lock it all.

    Which statements may write those files is not the engine's to say: see `statements`.
    """
    paths = [f"{path.absolute()}{ending}" for path in databases for ending in _BESIDE]
    connection.execute(f"set allowed_paths = {_listed(paths)}").complete()
    connection.execute(f"set allowed_directories = {_listed([] if folder is None else [str(folder)])}").complete()
    connection.execute(f"set allowed_configs = {_listed(_ALLOWED)}").complete()
    connection.execute("set enable_external_access = false").complete()
    connection.execute("set lock_configuration = true").complete()


def is_sealed(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether another connection of this process to the same file has sealed their engine."""
    return bool(connection.execute("select current_setting('lock_configuration')").fetchall()[0][0])


def rows_of(
    connection: duckdb.DuckDBPyConnection, statement: str, params: Mapping[str, object] | None = None
) -> object:
    """Run one statement and return its rows as a stream of Arrow.

    A relation parses and binds a statement, and binds it again to run it. Its last step alone takes half of the time; a
    release whose relations have another one takes the whole way.
    """
    values = dict(params) if params else None
    submit = getattr(connection, "_submit", None)
    if submit is None:
        return connection.sql(statement, params=values).__arrow_c_stream__()
    return submit(statement, values, "stream").arrow_capsule()


@functools.lru_cache(maxsize=256)
def parsed(statement: str) -> duckdb.Statement | str:
    """Parse a statement; several are returned as they are. Parsing takes a third of the time of a small statement."""
    found = duckdb.extract_statements(statement)
    return found[0] if len(found) == 1 else statement


def quoted(text: str) -> str:
    """Return a text as a statement has it."""
    return "'" + text.replace("'", "''") + "'"


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


_NAME = "statement of a user"

_LOOK = 0.02  # seconds between checks of the time and the memory

_GRACE = 2.0  # seconds that an interrupted statement has to end

_BEYOND = 256 * 2**20  # bytes that a statement may use beyond those that the engine counts: rows on their way out


def run_bounded(
    connection: duckdb.DuckDBPyConnection,
    work: Callable[[], T],
    *,
    seconds: float | None,
    memory: int,
    left: Callable[[], None],
) -> T:
    """Do work on a connection, within a number of `seconds` and with the `memory` of the engine (bytes) and some more.

    Raises the errors of the work, `SqlError` beyond a limit, and `KeyboardInterrupt` for Ctrl-C. Work that then does
    not end is abandoned with its connection, and `left` is called.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def worked() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001  it is the caller's
            failure.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=worked, name=_NAME, daemon=True)
    at_first, began, most, grace = resident(), time.monotonic(), memory + _BEYOND, _GRACE
    thread.start()
    try:
        while not done.wait(_LOOK):
            if seconds is not None and time.monotonic() - began > seconds:
                raise SqlError(f"the statement took longer than {seconds:g} s and was stopped; raise --timeout")
            if resident() - at_first > most:
                grace = _GRACE / 10  # it goes on growing in this time
                raise SqlError(
                    f"the statement needs more than {most / 2**30:.2f} GiB and was stopped; select fewer or shorter"
                    " rows, or raise --memory or AUDITOR_MEMORY"
                )
        thread.join()
        if failure:
            raise failure[0]
        if not _freed(connection, done, time.monotonic() + grace):
            left()
    except BaseException:
        is_free = False
        try:
            is_free = _freed(connection, done, time.monotonic() + grace)
        finally:  # a second Ctrl-C does not wait
            if not is_free:
                left()
        raise
    return outcome[0]


def _freed(connection: duckdb.DuckDBPyConnection, done: threading.Event, until: float) -> bool:
    """Interrupt the work of a connection, such as rows that are not read. Return whether it is free."""
    while time.monotonic() < until:
        try:
            connection.execute("select 1").fetchall()
        except duckdb.Error:
            connection.interrupt()
            gc.collect()  # the error holds its traceback, which holds the remaining rows
            # Polars may keep the unread rest of a stream until its threads next have work.
            pl.LazyFrame({"work": [0]}).collect(engine="streaming")
            done.wait(_LOOK)
        else:
            if done.wait(_LOOK):
                return True
    return False


def is_running() -> bool:
    """Return whether an abandoned statement is running, for which neither connection nor process can wait."""
    return any(thread.name == _NAME for thread in threading.enumerate())


def resident() -> int:
    """Return the memory of this process in bytes; 0 if the system does not report it."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


_NO_ROOM = ("no space left on device", "file too large", "disk quota exceeded", "max_temp_directory_size")

_NO_MEMORY = ("out of memory", "could not allocate block")

_DAMAGE = ("corrupt database file", "failed to commit")

_BROKEN_ENGINE = (duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)

_INTERNAL = "INTERNAL Error"  # a failed self-check of the engine

_BROKEN_WORDS = (_INTERNAL, "FATAL Error")  # how a stream reports such an error

#: The error for a statement that names the store as a file, and for a store that this process already has open.
IN_USE = "Resource In Use Error"

_FROM_A_STREAM = "got external error: "  # what Polars puts before the engine's message


@contextmanager
def engine_errors(path: Path, *, of_user: bool = False) -> Iterator[None]:
    """Translate errors of the engine in a block that works on the store at `path`.

    `StoreError` for a full disk or a damaged file, `SqlError` for a statement that the engine rejects,
    `EngineMemoryError` for one that needs more memory than the engine may use, `EngineFaultError` for one of ours that
    breaks the engine, `KeyboardInterrupt` for Ctrl-C. A statement `of_user` that breaks the engine is an `SqlError`.
    """
    try:
        yield
    except (duckdb.Error, pl.exceptions.ComputeError) as error:
        if isinstance(error, duckdb.InterruptException) or "INTERRUPT Error" in str(error):
            raise KeyboardInterrupt from error
        raise _translated(error, path, of_user=of_user) from error
    except pl.exceptions.PanicException as error:
        raise SqlError(
            f"a value in the result cannot be shown; cast its column to varchar: {_first_line(str(error))}"
        ) from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def lacks_room(error: Exception) -> bool:
    """Return whether an error means that the disk is full."""
    return any(words in str(error).lower() for words in _NO_ROOM)


def no_room(path: Path, error: Exception) -> StoreError:
    """Make the error for a full disk."""
    message = _first_line(str(error))
    return StoreError(f"{path}: the disk is full; the stored data are intact; free space, then repeat: {message}")


def lacks_memory(error: Exception) -> bool:
    """Return whether an error means that the engine, or the machine, is out of memory."""
    return any(words in str(error).lower() for words in _NO_MEMORY)


def no_memory(what: str, error: Exception) -> EngineMemoryError:
    """Make the error for too little memory."""
    more = "raise --memory, or AUDITOR_MEMORY (default: 480MiB)"
    message = _first_line(str(error).strip().removeprefix(_FROM_A_STREAM))
    return EngineMemoryError(f"{what} needs more memory than the engine may use; {more}: {message}")


def _translated(error: Exception, path: Path, *, of_user: bool) -> AuditorError:
    message = str(error).strip().removeprefix(_FROM_A_STREAM)
    if lacks_room(error):
        return no_room(path, error)
    if lacks_memory(error):
        return no_memory("the statement" if of_user else f"{path}: this", error)
    # A user's statement may fail to read another file, which does not mean that the store is damaged. The engine names
    # the store's files by their full paths, whatever the user typed.
    own = any(f'file "{name}' in message for name in (path, path.absolute(), path.resolve())) and IN_USE not in message
    is_broken = isinstance(error, _BROKEN_ENGINE) or message.startswith(_BROKEN_WORDS)
    if is_broken and _INTERNAL in message and not own and not of_user:  # damaged blocks fail their checksums before
        return EngineFaultError(
            f"{path}: the engine failed at a statement of auditor; the store is intact; please report this:"
            f" {_first_line(message)}"
        )
    if own or (is_broken and not of_user) or any(words in message.lower() for words in _DAMAGE):
        return StoreError(
            f"{path}: cannot be read or written; run `auditor store verify` or restore a backup: {_first_line(message)}"
        )
    if is_broken:
        return SqlError(
            f"the engine fails at this statement; the store is intact; rewrite the statement: {_first_line(message)}"
        )
    if isinstance(error, duckdb.PermissionException):
        return SqlError(
            f"statements cannot read files, except with `auditor sql --files` those in the working folder: {message}"
        )
    if "lambda_syntax" in message:  # the engine suggests a setting, which takes another statement
        message = "write a lambda as `lambda word: …`, not `word -> …`"
    if of_user and (name := re.match(r"Catalog Error: Table with name (\S+) does not exist", message)):
        message = f"no table {name[1]}; captions('NAME') reads a dataset, and `auditor sql --schema` lists tables"
    return SqlError(message)


def _first_line(message: str) -> str:
    """Return a message without the stack trace of the engine."""
    return message.partition("\n")[0]
