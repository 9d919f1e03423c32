"""Statements that users write, which may have no end and no bound: they are run beside the caller, who can stop them.

The engine looks for an interruption between pieces of work. Some functions are one piece that lasts for hours, or that
allocates more than the engine counts; such a statement is left to itself after a moment, and a process that wants
to end must not wait for it: see `is_running`.
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

_LOOK = 0.02  # seconds between looks at the clock and at the memory

_GRACE = 2.0  # seconds that an interrupted statement has to end

_BEYOND = 256 * 2**20  # bytes that a statement may take beside what the engine counts: rows on their way out


def run(
    connection: duckdb.DuckDBPyConnection,
    work: Callable[[], T],
    *,
    seconds: float | None,
    memory: int,
    left: Callable[[], None],
) -> T:
    """Do work on a connection, for at most so many seconds and so much `memory` of the engine (bytes) and some beside.

    Raises what the work raises, `SqlError` where it goes beyond, `KeyboardInterrupt` for Ctrl-C. Work that does not end
    then is `left`, and the connection with it.
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
                raise SqlError(f"the statement took longer than {seconds:g} s and was stopped; see --timeout")
            if resident() - at_first > most:
                grace = _GRACE / 10  # in which it goes on to grow
                raise SqlError(
                    f"the statement needs more than {most / 2**30:.2f} GiB and was stopped: ask for fewer or shorter"
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
    """Interrupt what a connection still does, and say whether it is free: rows may be on their way to nobody."""
    while time.monotonic() < until:
        try:
            connection.execute("select 1").fetchall()
        except duckdb.Error:
            connection.interrupt()
            gc.collect()  # what failed holds its own traceback, and that the rows that were to come
            done.wait(_LOOK)
        else:
            if done.wait(_LOOK):
                return True
    return False


def is_running() -> bool:
    """Return whether a statement was left to itself, which neither its connection nor the process can wait for."""
    return any(thread.name == _NAME for thread in threading.enumerate())


def resident() -> int:
    """Return the bytes of memory that this process has, as far as the system tells: 0 where it does not."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
