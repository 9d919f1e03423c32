"""One DuckDB file: opening it, waiting for it, running the SELECTs of `sql/` on it.

Promises: reading opens read-only; a write is one transaction, so that a killed process leaves the last state whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import polars as pl

from auditor.errors import SqlError, StoreError, StoreLockedError
from auditor.store import migrations
from auditor.store.sqlfiles import catalogue

MEMORY = Path(":memory:")
_MAKING = 1.0  # seconds after which a file that is still empty is nobody's


class _ArrowStream:
    """Carries rows between DuckDB and Polars as an Arrow stream and nothing else.

    Given a Polars frame itself, DuckDB asks for pyarrow. Given a relation itself, Polars keeps a reference that DuckDB
    reports as leaked, on stderr, when the process ends: its stream must be opened beforehand.
    """

    def __init__(self, open_stream: Callable[[], object]) -> None:
        self._open_stream = open_stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._open_stream()


@contextmanager
def _engine_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise SqlError(str(error).strip()) from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error  # what DuckDB makes of Ctrl-C in the middle of a statement
        raise


class Store:
    """An open store. Use as a context manager; `Store.open` says how."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, *, writable: bool) -> None:
        self.path = path
        self.writable = writable
        self._connection: duckdb.DuckDBPyConnection | None = connection
        #: Work for the moment when the file is let go of: each is given the store, opened for writing.
        self.on_close: list[Callable[[Store], None]] = []

    @classmethod
    @_engine_errors()
    def open(
        cls, path: Path, *, write: bool = False, wait: float = 10.0, narrate: Callable[[str], None] = lambda _: None
    ) -> Self:
        """Open a store, waiting up to `wait` seconds for another process to let go of it.

        Writing makes the file when there is none; a store of an older schema is backed up and migrated.
        Raises `StoreError` for a missing, foreign or damaged file and `StoreLockedError` after the wait.
        """
        nothing_yet = StoreError(f"{path}: nothing was ingested yet; fill it with `auditor ingest NAME`")
        if path != MEMORY and write:
            _make_room(path)
        elif path != MEMORY and not path.exists():
            raise StoreError(f"{path}: no store here; make one with `auditor ingest NAME` or name another with --store")
        elif path != MEMORY and _is_empty(path):
            raise nothing_yet
        connection = _connect(path, write=write, wait=wait, narrate=narrate)
        state = migrations.state(connection, path)
        if state == "empty" and not (write or path == MEMORY):
            connection.close()
            raise nothing_yet
        if state == "old":
            connection.close()
            backup = migrations.back_up(path)
            narrate(f"{path}: migrating to schema {migrations.newest()}; the old file is kept as {backup.name}")
            connection = _connect(path, write=True, wait=wait, narrate=narrate)
        if state != "current":
            migrations.apply(connection)
        elif write:
            migrations.restore_cache(connection)
        if migrations.has_cache(connection):
            connection.execute("set search_path = 'main,cache'").complete()
        return cls(path, connection, writable=write or path == MEMORY)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The open connection; only the store room may use it."""
        if self._connection is None:
            raise StoreError(f"{self.path}: the store has been closed")
        return self._connection

    def rows(self, name: str, **params: Any) -> pl.DataFrame:
        """Run `sql/**/<name>.sql` and give its rows. Parameters that the file does not declare are not passed."""
        file = catalogue()[name]
        return self.query(file.statement, {key: params[key] for key in file.params})

    def query(
        self,
        statement: str,
        params: dict[str, Any] | None = None,
        reshape: Callable[[duckdb.DuckDBPyRelation], duckdb.DuckDBPyRelation] = lambda relation: relation,
    ) -> pl.DataFrame:
        """Run one statement and give its rows. Raises `SqlError` with the engine's words."""
        with _engine_errors():
            stream = reshape(self.connection.sql(statement, params=params or None)).__arrow_c_stream__()
            return pl.DataFrame(_ArrowStream(lambda: stream))

    def execute(self, statement: str, params: dict[str, Any] | None = None) -> int:
        """Run one statement for its effect, and give the number of rows it changed (0 where it has none)."""
        with _engine_errors():
            changed = self.connection.execute(statement, params).fetchall()
            return changed[0][0] if changed and isinstance(changed[0][0], int) else 0

    def materialise(self, relation: str, statement: str, params: dict[str, Any]) -> None:
        """Keep a SELECT's rows under a name until the store is closed. They never reach the file."""
        self.execute(f"create or replace temp table {relation} as {statement}", params)

    @contextmanager
    def registered(self, name: str, frame: pl.DataFrame) -> Iterator[None]:
        """Let statements read a frame as a table of that name."""
        self.connection.register(name, _ArrowStream(frame.__arrow_c_stream__))
        try:
            yield
        finally:
            self.connection.unregister(name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Raises `StoreError` on a store that was opened for reading."""
        if not self.writable:
            raise StoreError(f"{self.path}: opened for reading")
        self.execute("begin transaction")
        try:
            yield
        except BaseException:
            if self._connection is not None:  # Ctrl-C may close the store first, which rolls back as well
                self.execute("rollback")
            raise
        self.execute("commit")

    def close(self) -> None:
        """Let go of the file, doing what waits in `on_close` if nobody else holds it. Closing twice is allowed."""
        if self._connection is None:
            return
        self._connection.close()
        self._connection = None
        if self.on_close and self.path != MEMORY:
            with suppress(StoreError), Store.open(self.path, write=True, wait=0) as writer, writer.transaction():
                for work in self.on_close:
                    work(writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make_room(path: Path) -> None:
    """Make the folder of a new store; an empty file, as a killed process may leave it, gives way to one.

    Another process that makes the store just now leaves its file empty for a moment only: one that stays so is left.
    """
    deadline = time.monotonic() + _MAKING
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while _is_empty(path):
            if time.monotonic() > deadline:
                path.unlink(missing_ok=True)
            time.sleep(_MAKING / 10)
    except OSError as error:
        raise StoreError(f"{path}: no store can be made here: {error.strerror or error}") from error


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0


def _connect(path: Path, *, write: bool, wait: float, narrate: Callable[[str], None]) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + wait
    told = False
    while True:
        try:
            connection = duckdb.connect(str(path), read_only=not write and path != MEMORY)
            connection.execute("set preserve_insertion_order = false").complete()
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                raise StoreError(f"{path}: cannot be opened as a store: {error}") from error
            if time.monotonic() >= deadline:
                raise StoreLockedError(
                    f"{path}: another process is using the store; waited {wait:g} s; try again or raise --wait"
                ) from error
            if not told:
                narrate(f"{path}: another process is using the store; waiting up to {wait:g} s")
                told = True
            time.sleep(0.1)
        except duckdb.Error as error:
            raise StoreError(f"{path}: cannot be opened as a store: {error}") from error
        else:
            return connection
