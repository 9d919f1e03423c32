"""Errors of the engine, translated into errors that a user can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl

from auditor.errors import AuditorError, EngineFaultError, EngineMemoryError, SqlError, StoreError

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
    more = "raise --memory, or AUDITOR_MEMORY (default: 640MiB)"
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
        return SqlError("write a lambda as `lambda word: …`, not `word -> …`")
    return SqlError(message)


def _first_line(message: str) -> str:
    """Return a message without the stack trace of the engine."""
    return message.partition("\n")[0]
