"""One DuckDB file: opening it, waiting for it, running the SELECTs of `sql/` on it.

Promises: reading opens read-only; a write is one transaction, so that a killed process leaves the last state whole.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb
import polars as pl

from auditor.errors import AuditorError, EngineFaultError, EngineMemoryError, StoreError
from auditor.files.folders import temporary
from auditor.store import engine, migrations
from auditor.store import file as opening
from auditor.store.engine import engine_errors
from auditor.store.sqlfiles import catalogue, macros

T = TypeVar("T")

MEMORY = Path(opening.IN_MEMORY)

#: Bytes of rows that are kept in one transaction, unless a single work has more.
_MOST_UNCOMMITTED = 1 << 24

#: The most relations that are held in case another workspace asks for the same, and the most rows of statements.
_MOST_HELD_AGAIN, _MOST_KNOWN = 24, 32


class ArrowStream:
    """An object with only an Arrow stream, to pass rows between DuckDB and Polars.

    For a Polars frame itself, DuckDB needs pyarrow. Of a relation itself, Polars keeps a reference that DuckDB reports
    as leaked, on stderr, when the process ends: its stream must be opened beforehand.
    """

    def __init__(self, open_stream: Callable[[], object]) -> None:
        self._open_stream: Callable[[], object] | None = open_stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._open_stream is None:
            raise LookupError("these rows were released")
        return self._open_stream()

    def let_go(self) -> None:
        """Release the rows: a transaction holds this object until its end, even if its name is unregistered."""
        self._open_stream = None


class Held:
    """Rows that a store keeps in `table`, under a unique name, as long as this object is referenced."""

    def __init__(self, table: str) -> None:
        self.table = table


class Store:
    """An open store. Use it as a context manager: `with Store.open(path) as store`."""

    def __init__(
        self, path: Path, connection: duckdb.DuckDBPyConnection, *, writable: bool, files: Path | None = None
    ) -> None:
        self.path = path
        self.writable = writable
        #: The folder whose files statements may read; null if they may not read files.
        self.files = files
        self._connection: duckdb.DuckDBPyConnection | None = connection
        #: Functions to call when the file is closed, each with the store opened for writing.
        self.on_close: list[Callable[[Store], None]] = []
        #: Whether drawn candidates are kept for queries.
        self.keeps_drawn = True
        #: The columns of each table of the cache by its name, once they were read; see `kept`.
        self.cached: dict[str, list[str]] | None = None
        self._scratch: Path | None = None
        self._stack = ExitStack()
        self._is_left = False
        self._is_current = False
        self._numbers = itertools.count(1)
        self._let_go: list[str] = []
        self._again: dict[tuple[object, ...], Held] = {}
        self._known: dict[tuple[str, str], pl.DataFrame] = {}
        self._ran: set[str] = set()
        #: Other ids by which images of a dataset are read, each with a digest, until `on_answer`; see `matching`.
        self.renamed: Mapping[str, tuple[str, pl.DataFrame]] = {}
        self.on_answer: list[Callable[[], None]] = []
        #: Notes on how the store is read for a question.
        self.said: list[str] = []

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        write: bool = False,
        make: bool = True,
        migrate: bool = True,
        wait: float = 10.0,
        files: Path | None = None,
        share: opening.Share | None = None,
        narrate: Callable[[str], None] = lambda _: None,
        known: opening.Stamp | None = None,
    ) -> Self:
        """Open a store, waiting up to `wait` seconds for another process to release it.

        Writing makes a missing file, unless `make` is false. A store of an older schema is backed up and migrated,
        unless `migrate` is false. Statements can only read files in the folder `files`. The engine may have a
        `share` of the machine. The schema of a file that is still as `known` is not checked again.

        Raises `StoreError` for a missing, foreign or damaged file and a full disk, `StoreLockedError` after the wait,
        `UsageError` for a path that the engine would misread.
        """
        makes = path == MEMORY or (write and make)
        opening.find_place(path, makes=makes)
        with engine_errors(path):
            copies = [opening.partial_of(target) for target in (path.resolve(), migrations.backup_of(path))]
            connect = partial(opening.connect, path, wait=wait, narrate=narrate, share=share)
            reads = not write and path != MEMORY
            connection = connect(read_only=reads, databases=[] if reads else copies, folder=files)
            try:
                is_known = known is not None and known == opening.stamp(path)
                state = "empty" if path == MEMORY else "current" if is_known else migrations.state(connection, path)
                if state == "empty" and not makes:
                    raise opening.nothing_yet(path)
                if state == "old" and migrate and not write:
                    connection.close()
                    connection = connect(read_only=False, databases=copies, folder=files)
                    state = migrations.state(connection, path)  # another process may have been faster
                if state == "old" and migrate:
                    kept = migrations.backup_of(path).name
                    narrate(f"{path}: migrating to schema {migrations.newest()}; the old file is kept as {kept}")
                    migrations.migrate(connection, path)
                    if reads:
                        connection.close()
                        connection = connect(read_only=True, folder=files)
                elif state == "empty":
                    migrations.apply(connection, is_brief=share is not None)
                if state == "current" or (state == "old" and migrate):
                    migrations.check_cache(connection, path, mend=write)
                if migrations.has_cache(connection):
                    connection.execute(f"set search_path = '{opening.NAME}.main,{opening.NAME}.cache'").complete()
                connection.execute("".join(macros().values())).complete()
            except BaseException:
                connection.close()
                raise
        store = cls(path, connection, writable=write or path == MEMORY, files=files)
        store._is_current = state == "current" or migrate
        return store

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The open connection; only the store room may use it."""
        if self._connection is None:
            raise StoreError(f"{self.path}: the store has been closed")
        if self._is_left:
            raise StoreError(f"{self.path}: an earlier statement is still running; open the store again")
        return self._connection

    def recorded(self, make: Callable[[], T]) -> T:
        """Return what a function makes. Its field `sql`, if any, gets the paths of the SELECTs that ran.

        Notes on how the store was read are added, and images that were read by other ids have their own again.
        """
        outer, self._ran = self._ran, set()
        (on_answer, self.on_answer), (said, self.said) = (self.on_answer, []), (self.said, [])
        try:
            made: Any = make()
            facts = {"sql": tuple(sorted(self._ran)), **({"notes": (*self.said, *made.notes)} if self.said else {})}
            whole: T = replace(made, **facts) if hasattr(made, "sql") else made
            return whole
        finally:
            self._ran |= outer
            for work in reversed(self.on_answer):
                work()
            self.on_answer, self.said = on_answer, said

    def forget(self) -> None:
        """Forget the rows that are held in case they are asked for again."""
        self._again.clear()
        self._known.clear()

    def record(self, *names: str) -> None:
        """Note SELECTs, by name or path, whose rows are used, whether they run now or their rows were kept.

        Those that store captions and tokens are left out.
        """
        places = (catalogue()[name].place if name in catalogue() else name for name in names)
        self._ran.update(place for place in places if not place.startswith("ingest/"))

    @contextmanager
    def unnoted(self) -> Iterator[None]:
        """Note no SELECT of a block."""
        ran = {*self._ran}
        try:
            yield
        finally:
            self._ran = ran

    def rows(self, name: str, **params: Any) -> pl.DataFrame:
        """Run `sql/**/<name>.sql` and return its rows. Parameters that the file does not declare are not passed."""
        self.record(name)
        return self.query(catalogue()[name].statement, catalogue()[name].chosen(params))

    def known_rows(self, name: str, **params: Any) -> pl.DataFrame:
        """Return the rows of a file that reads tables only; a store that is only read remembers them."""
        self.record(name)
        return self.known(catalogue()[name].statement, catalogue()[name].chosen(params))

    def known(self, statement: str, params: dict[str, Any] | None = None) -> pl.DataFrame:
        """Run a statement on tables of the file as `query` does; a store that is only read remembers the rows."""
        if self.writable:
            return self.query(statement, params)
        key = (statement, repr(params))
        if key not in self._known:
            self._known[key] = self.query(statement, params)
            if len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return self._known[key]

    def query(self, statement: str, params: dict[str, Any] | None = None) -> pl.DataFrame:
        """Run one statement and return its rows. Raises `SqlError` with the engine's message."""
        self.drop_what_nobody_holds()
        with engine_errors(self.path):
            stream = engine.rows_of(self.connection, statement, params)
            return pl.DataFrame(ArrowStream(lambda: stream))

    def bounded(self, work: Callable[[], T], seconds: float | None) -> T:
        """Do work on the connection within limits of time and memory, see `engine.run_bounded`."""

        def left() -> None:
            self._is_left = True

        memory = opening.memory()
        return engine.run_bounded(self.connection, work, seconds=seconds, memory=memory, left=left)

    def execute(self, statement: str, params: dict[str, Any] | None = None) -> int:
        """Run one statement for its effect, and return the number of rows that it changed."""
        with engine_errors(self.path):
            changed = self.connection.execute(engine.parsed(statement), params).fetchall()
            return changed[0][0] if changed and isinstance(changed[0][0], int) else 0

    def hold(
        self, relation: str, statement: str, params: dict[str, Any], again: tuple[object, ...] | None = None
    ) -> Held:
        """Keep a SELECT's rows until the returned object is garbage, or the store is closed.

        They are never written to the file. `relation` becomes part of the name of their table. With `again`, which
        identifies rows from outside, the rows of the same call are returned if it was among the last. That is for
        SELECTs of versions, which writing does not change, and of rows held this way.
        """
        if again is None:
            return self._hold(relation, statement, params)
        key = (statement, *sorted(params.items()), *again)
        self._again[key] = held = self._again.pop(key, None) or self._hold(relation, statement, params)
        if len(self._again) > _MOST_HELD_AGAIN:
            del self._again[next(iter(self._again))]
        return held

    def _hold(self, relation: str, statement: str, params: dict[str, Any]) -> Held:
        self.drop_what_nobody_holds()
        held = Held(f'temp."{relation} {next(self._numbers)}"')
        weakref.finalize(held, self._let_go.append, held.table).atexit = False
        self.execute(f"create temp table {held.table} as {statement}", params)
        return held

    def drop_what_nobody_holds(self) -> None:
        """Drop unreferenced tables, between statements: garbage collection can release them during a statement."""
        tables = [self._let_go.pop() for _ in range(len(self._let_go))]
        with engine_errors(self.path), suppress(duckdb.Error):  # a transaction that failed has dropped them itself
            for table in tables:
                self.connection.execute(f"drop table if exists {table}").complete()

    @contextmanager
    def registered(self, name: str, frame: pl.DataFrame) -> Iterator[None]:
        """Make a frame readable as a table of that name."""
        stream = ArrowStream(frame.__arrow_c_stream__)
        with engine_errors(self.path):
            self.connection.register(name, stream)
        try:
            yield
        finally:
            stream.let_go()
            with engine_errors(self.path), suppress(duckdb.Error):  # a transaction that failed drops the name itself
                self.connection.unregister(name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block as one transaction. Raises `StoreError` on a store that was opened for reading."""
        if not self.writable:
            raise StoreError(f"{self.path}: the store was opened for reading only")
        self.execute("begin transaction")
        self._again.clear()
        try:
            yield
        except BaseException:
            self.cached = None
            if self._connection is not None:  # Ctrl-C may close the store first, which rolls back as well
                with suppress(AuditorError):  # and so does an engine that could not write
                    self.execute("rollback")
            self._again.clear()  # tables of a transaction that failed are gone
            raise
        self.execute("commit")

    def scratch(self) -> Path:
        """Return a temporary folder, which is removed when the store is closed."""
        if self._scratch is None:
            self._scratch = self._stack.enter_context(temporary())
            weakref.finalize(self, self._stack.close)  # if the store is never closed
        return self._scratch

    def close(self) -> None:
        """Run `on_close` and close the file, which one that was read opens again if no other process has it open.

        Closing twice is allowed.
        """
        if self._connection is None:
            return
        waiting = [work for work in self.on_close if getattr(work, "is_written", True)]
        waiting = [] if self.path == MEMORY or self._is_left else waiting
        not_kept = suppress(StoreError, EngineMemoryError, EngineFaultError)
        if waiting and self.writable:
            with suppress(AuditorError):  # unless Ctrl-C has left a transaction
                self.execute("rollback")
            with not_kept:
                self._keep(waiting)
        known = opening.stamp(self.path) if self._is_current and waiting else None
        if not self._is_left:  # closing would wait for the statement
            self._connection.close()
        self._connection = None
        if waiting and not self.writable:
            share = opening.share_to_keep(self.path)
            with not_kept, Store.open(self.path, write=True, make=False, wait=0, share=share, known=known) as writer:
                writer._keep(waiting)
        if self._scratch is not None:
            self._stack.close()
            self._scratch = None

    def _keep(self, waiting: Sequence[Callable[..., None]]) -> None:
        for works in _at_once(waiting):
            with self.transaction():
                for work, *others in _alike(works):
                    work(self, *others)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _alike(works: Sequence[Callable[..., None]]) -> Iterable[list[Callable[..., None]]]:
    """Gather works of one `group`, which the first of them does for all; each of the others is alone."""
    groups: dict[object, list[Callable[..., None]]] = {}
    for work in works:
        groups.setdefault(getattr(work, "group", None) or id(work), []).append(work)
    return groups.values()


def _at_once(works: Sequence[Callable[[Store], None]]) -> Iterator[list[Callable[[Store], None]]]:
    """Gather work into few transactions: each takes a while, but the engine keeps uncommitted rows in memory."""
    gathered, uncommitted = list[Callable[[Store], None]](), 0
    for work in works:
        size = getattr(work, "size", _MOST_UNCOMMITTED)
        if gathered and uncommitted + size > _MOST_UNCOMMITTED:
            yield gathered
            gathered, uncommitted = [], 0
        gathered.append(work)
        uncommitted += size
    yield gathered
