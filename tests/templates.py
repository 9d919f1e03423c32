"""Copies each new store from one that is migrated already: the files of the schema take 85 ms a store, a copy 25.

The template of each worker is made by the migrations themselves, and so is a store of an older schema. A file that has
not changed since it was found to be of the newest schema is not looked through again, which takes 40 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import duckdb
import pytest
import sizes

from auditor.store import migrations, sealing
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
    apply, seal, state = migrations.apply, sealing.seal, migrations.state
    sound: set[tuple[int, ...]] = set()
    with duckdb.connect(str(template)) as connection:
        apply(connection)

    def copied(connection: duckdb.DuckDBPyConnection, up_to: int | None = None) -> None:
        if up_to is not None or connection.execute("select current_database()").fetchall() != [(NAME,)]:
            apply(connection, up_to)
            return
        connection.execute(f"attach {sealing.quoted(str(template))} as template (read_only)").complete()
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
        log, found = path.with_name(f"{path.name}.wal"), path.stat()
        if log.exists():
            return state(connection, path)
        if found.st_size == _HEADERS:
            return "empty"
        file = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if file not in sound:
            if state(connection, path) != "current":
                return "old"
            sound.add(file)
        return "current"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(migrations, "state", remembered)
        patched.setattr(migrations, "apply", copied)
        patched.setattr(sealing, "seal", opened)
        yield
