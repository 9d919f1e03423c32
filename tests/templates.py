"""Copies each new store from one that is migrated already: the files of the schema take 85 ms a store, a copy 25.

The template of each worker is made by the migrations themselves, and so is a store of an older schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
import sizes

from auditor.store import migrations, sealing
from auditor.store.file import NAME


@pytest.fixture(autouse=True, scope="session")
def _copy_a_migrated_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with copied_stores(tmp_path_factory.mktemp("template")):
        yield


@contextmanager
def copied_stores(folder: Path) -> Iterator[None]:
    """Copy new stores from a template in a folder, as long as the context lasts."""
    template = folder / "migrated.duckdb"
    apply, seal = migrations.apply, sealing.seal
    with duckdb.connect(str(template)) as connection:
        apply(connection)

    def copied(connection: duckdb.DuckDBPyConnection, up_to: int | None = None) -> None:
        is_new_store = connection.execute("select current_database()").fetchall() == [(NAME,)] and not (
            connection.execute("select 1 from duckdb_tables()").fetchall()
        )
        if up_to is not None or not is_new_store:
            apply(connection, up_to)
            return
        connection.execute(f"attach {sealing.quoted(str(template))} as template (read_only)").complete()
        connection.execute(f"copy from database template to {NAME}").complete()
        connection.execute("detach template").complete()

    def opened(
        connection: duckdb.DuckDBPyConnection, databases: Sequence[Path] = (), folder: Path | None = None
    ) -> None:
        if not sizes.is_all():  # workers share the cores, and small stores cost a seventh less so
            connection.execute("set threads = 1").complete()
        seal(connection, [*databases, template], folder)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(migrations, "apply", copied)
        patched.setattr(sealing, "seal", opened)
        yield
