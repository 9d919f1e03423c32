"""What the engine says went wrong, as an error that a user can act on."""

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

_INTERNAL = "INTERNAL Error"  # a check that the engine makes of itself

_BROKEN_WORDS = (_INTERNAL, "FATAL Error")  # of the same, where a stream carries them

#: What a statement gets that names the store as a file, and who opens one that this process has open otherwise.
IN_USE = "Resource In Use Error"

_FROM_A_STREAM = "got external error: "  # what Polars puts before the engine's words


@contextmanager
def engine_errors(path: Path, *, of_user: bool = False) -> Iterator[None]:
    """Raise what a user knows for what the engine raises while it works on the store at `path`.

    `StoreError` for a full disk or a damaged file, `SqlError` for a statement that is refused, `EngineMemoryError` for
    one that takes more memory than the engine may use, `EngineFaultError` for one of ours that breaks the engine,
    `KeyboardInterrupt` for Ctrl-C in the middle of one. A statement `of_user` is at fault itself where it breaks the
    engine.
    """
    try:
        yield
    except (duckdb.Error, pl.exceptions.ComputeError) as error:
        if isinstance(error, duckdb.InterruptException) or "INTERRUPT Error" in str(error):
            raise KeyboardInterrupt from error
        raise _told(error, path, of_user=of_user) from error
    except pl.exceptions.PanicException as error:
        raise SqlError(
            f"a value of the result cannot be shown; cast it to varchar: {_first_line(str(error))}"
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
    said = _first_line(str(error))
    return StoreError(
        f"{path}: no room left on the disk; what was stored before is whole; make room, then repeat: {said}"
    )


def lacks_memory(error: Exception) -> bool:
    """Return whether an error means that the engine may use no more memory, or that there is none."""
    return any(words in str(error).lower() for words in _NO_MEMORY)


def no_memory(what: str, error: Exception) -> EngineMemoryError:
    """Make the error for too little memory."""
    more = "raise --memory, or AUDITOR_MEMORY (640MiB where it is not set)"
    said = _first_line(str(error).strip().removeprefix(_FROM_A_STREAM))
    return EngineMemoryError(f"{what} needs more memory than the engine may use; {more}: {said}")


def _told(error: Exception, path: Path, *, of_user: bool) -> AuditorError:
    said = str(error).strip().removeprefix(_FROM_A_STREAM)
    if lacks_room(error):
        return no_room(path, error)
    if lacks_memory(error):
        return no_memory("the statement" if of_user else f"{path}: this", error)
    # A user's own statement may fail to read some other file, which says nothing about the store. The engine names the
    # store's files in full, whatever the user typed.
    own = any(f'file "{name}' in said for name in (path, path.absolute(), path.resolve())) and IN_USE not in said
    is_broken = isinstance(error, _BROKEN_ENGINE) or said.startswith(_BROKEN_WORDS)
    if is_broken and _INTERNAL in said and not own and not of_user:  # damaged blocks fail their checksums before
        return EngineFaultError(
            f"{path}: the engine failed at a statement of auditor; it is at fault, not the store; please report this:"
            f" {_first_line(said)}"
        )
    if own or (is_broken and not of_user) or any(words in said.lower() for words in _DAMAGE):
        return StoreError(
            f"{path}: cannot be read or written, see `auditor store verify`; restore a backup: {_first_line(said)}"
        )
    if is_broken:
        return SqlError(
            "the engine fails at this statement, which says nothing of the store; ask in another way:"
            f" {_first_line(said)}"
        )
    if isinstance(error, duckdb.PermissionException):
        return SqlError(
            f"statements read no files, and with `auditor sql --files` those of the working folder alone: {said}"
        )
    if "lambda_syntax" in said:  # the engine would have it changed, which takes a statement of its own
        return SqlError("a lambda is written `lambda word: …`, not `word -> …`")
    return SqlError(said)


def _first_line(said: str) -> str:
    """Leave out the stack of the engine."""
    return said.partition("\n")[0]
