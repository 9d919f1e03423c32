"""Limits of time and memory for statements of users: these run in a thread, and the caller can stop them.

The engine checks for an interruption between pieces of work. Some functions are one piece that takes hours, or that
allocates memory that the engine does not count. Such a statement is abandoned after a moment, and a process that ends
must not wait for it: see `is_running`.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import duckdb

from auditor.errors import SqlError

T = TypeVar("T")

_NAME = "statement of a user"

_LOOK = 0.02  # seconds between checks of the time and the memory

_GRACE = 2.0  # seconds that an interrupted statement has to end

_BEYOND = 256 * 2**20  # bytes that a statement may use beyond those that the engine counts: rows on their way out


def run(
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
