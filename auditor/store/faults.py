"""What the engine says went wrong, as an error that a user can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl

from auditor.errors import AuditorError, SqlError, StoreError

_NO_ROOM = ("no space left on device", "file too large", "disk quota exceeded", "max_temp_directory_size")
_NO_MEMORY = ("out of memory", "could not allocate block")
_DAMAGE = ("corrupt database file", "failed to commit")
_BROKEN_ENGINE = (duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
_FROM_A_STREAM = "got external error: "  # what Polars puts before the engine's words


@contextmanager
def engine_errors(path: Path) -> Iterator[None]:
    """Raise what a user knows for what the engine raises while it works on the store at `path`.

    `StoreError` for a full disk or a damaged file, `SqlError` for a statement that is refused, `KeyboardInterrupt` for
    Ctrl-C in the middle of one.
    """
    try:
        yield
    except (duckdb.Error, pl.exceptions.ComputeError) as error:
        if isinstance(error, duckdb.InterruptException) or "INTERRUPT Error" in str(error):
            raise KeyboardInterrupt from error
        raise _told(error, path) from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def lacks_room(error: Exception) -> bool:
    """Say whether an error means that the disk is full."""
    return any(words in str(error).lower() for words in _NO_ROOM)


def no_room(path: Path, error: Exception) -> StoreError:
    """Make the error for a full disk."""
    return StoreError(
        f"{path}: no room left on the disk; what was stored before is whole; make room, then repeat: {error}"
    )


def _told(error: Exception, path: Path) -> AuditorError:
    said = str(error).strip().removeprefix(_FROM_A_STREAM)
    if lacks_room(error):
        return no_room(path, error)
    if any(words in said.lower() for words in _NO_MEMORY):
        return StoreError(f"{path}: more memory is needed than the engine may use; raise AUDITOR_MEMORY (2GiB): {said}")
    # A user's own statement may fail to read some other file, which says nothing about the store. The engine names the
    # store's files in full, whatever the user typed.
    own = any(f'file "{name}' in said for name in (path, path.absolute(), path.resolve()))
    if own or isinstance(error, _BROKEN_ENGINE) or any(words in said.lower() for words in _DAMAGE):
        return StoreError(f"{path}: cannot be read or written, see `auditor verify`; restore a backup: {said}")
    return SqlError(said)
