"""Sealing a connection: it can only reach its own file and the files that it is given.

The engine can read and write any file, load extensions and reach the network, all from within a SELECT. A sealed
connection can do none of this, and its settings are locked, except for order and threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

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


def seal(connection: duckdb.DuckDBPyConnection, databases: Sequence[Path] = (), folder: Path | None = None) -> None:
    """Leave a connection its own file, the `databases` that it may attach, and the files of a `folder`; lock it all.

    Which statements may write those files is not the engine's to say: see `statements`.
    """
    paths = [f"{path.absolute()}{ending}" for path in databases for ending in _BESIDE]
    connection.execute(f"set allowed_paths = {_listed(paths)}").complete()
    connection.execute(f"set allowed_directories = {_listed([] if folder is None else [str(folder)])}").complete()
    connection.execute("set allowed_configs = ['preserve_insertion_order', 'threads']").complete()
    connection.execute("set enable_external_access = false").complete()
    connection.execute("set lock_configuration = true").complete()


def is_sealed(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether another connection of this process to the same file has sealed their engine."""
    return bool(connection.execute("select current_setting('lock_configuration')").fetchall()[0][0])


def quoted(text: str) -> str:
    """Return a text as a statement has it."""
    return "'" + text.replace("'", "''") + "'"


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"
