"""Copies each new store from a template: to apply the schema takes 60 ms a store, a copy 25.

The template of each worker is made by the schema itself. A file that has
not changed since it was found to be of the newest schema is not looked through again, which takes 40 ms; one that this
process wrote last is not searched for macros, of which no store has any: 25 of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import duckdb
import pytest
import sizes

from auditor.store import engine, migrations
from auditor.store.connection import MEMORY, Store
from auditor.store.file import NAME

_HEADERS = 3 * 4096  # bytes of a file that holds nothing yet


@pytest.fixture(autouse=True, scope="session")
def _copy_a_migrated_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with copied_stores(tmp_path_factory.mktemp("template")):
        yield


@contextmanager
def copied_stores(folder: Path) -> Iterator[None]:
    """Copy new stores from a template in a folder, as long as the context lasts."""
    template = folder / "migrated.duckdb"
    apply, seal, state = migrations.apply, engine.seal, migrations.state
    refuse_macros, close = migrations._refuse_macros, Store.close
    sound: set[tuple[int, tuple[int, int]]] = set()  # with the newest schema that was known then
    without_macros: set[tuple[int, int]] = set()
    with duckdb.connect(str(template)) as connection:
        apply(connection)

    def copied(connection: duckdb.DuckDBPyConnection, up_to: int | None = None, *, is_brief: bool = False) -> None:
        if is_brief:
            apply(connection, is_brief=True)
            return
        if up_to is not None or connection.execute("select current_database()").fetchall() != [(NAME,)]:
            apply(connection, up_to)
            return
        connection.execute(f"attach {engine.quoted(str(template))} as template (read_only)").complete()
        try:
            connection.execute(f"copy from database template to {NAME}").complete()
        except duckdb.CatalogException:  # an older store has tables, and to ask the engine for them takes 7 ms
            apply(connection)
        finally:
            connection.execute("detach template").complete()

    def opened(
        connection: duckdb.DuckDBPyConnection, databases: Sequence[Path] = (), folder: Path | None = None
    ) -> None:
        if not sizes.is_all():  # workers share the cores, and small stores cost a seventh less so
            connection.execute("set threads = 1").complete()
        seal(connection, [*databases, template], folder)

    def remembered(connection: duckdb.DuckDBPyConnection, path: Path) -> Literal["empty", "old", "current"]:
        file = _identity(path)
        if file is not None and file[0] == _HEADERS:
            return "empty"
        if file is None or (migrations.newest(), file) not in sound:
            if state(connection, path) != "current":
                return "old"
            if file is not None:
                sound.add((migrations.newest(), file))
        return "current"

    def refused(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        if _identity(path) not in without_macros:
            refuse_macros(connection, path)

    def closed(store: Store) -> None:
        is_written = store.writable and store.path != MEMORY and store._connection is not None
        close(store)
        if is_written and (file := _identity(store.path)) is not None:
            without_macros.add(file)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(migrations, "state", remembered)
        patched.setattr(migrations, "_refuse_macros", refused)
        patched.setattr(Store, "close", closed)
        patched.setattr(migrations, "apply", copied)
        patched.setattr(engine, "seal", opened)
        yield


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what a file has in common with its copies alone; null where a log beside it holds more, or none is there.

    `shutil.copy2` and `copytree` keep the time of the last change.
    """
    if not path.exists() or path.with_name(f"{path.name}.wal").exists():
        return None
    found = path.stat()
    return found.st_size, found.st_mtime_ns
