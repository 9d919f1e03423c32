"""Compilation of kernels: at their first use, once, even if the package is reinstalled.

Compiled kernels are kept in the user's cache or in `NUMBA_CACHE_DIR`. Their folder is named by the sources of all
kernels, since kernels are compiled into each other. So they survive releases that do not change the kernels, and the
package folder can be read-only; a new version of numba compiles them again.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import platformdirs

from auditor.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent

#: Declared results that hold no array.
_NUMBERS = re.compile(r"(tuple\[|\b(int|float|bool|None|np\.uint64)\b|, |\])+")

_ROOMS = ("metrics/kernels", "statistics/kernels", "text/kernels")


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call and cache the result; without a writable cache, compile in each process."""
    numba = _numba()
    config: Any = numba.config
    options: Any = {"nogil": True, "error_model": "numpy"}
    before, config.CACHE_DIR = config.CACHE_DIR, str(_folder())
    try:
        made: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor numba's own can be written to
        made = numba.njit(**options)(function)
    finally:
        config.CACHE_DIR = before
    return made  # type: ignore[no-any-return]


def part(function: _Function) -> _Function:
    """Compile a function into its callers, without counting references to arrays.

    Counting them took up to a third of METEOR's time. The function must neither make nor return an array. Raises
    `TypeError` if its result is not declared as numbers. Its signed integers are int64. Otherwise numba compiles a copy
    for each literal and each width of a number.
    """
    if not _NUMBERS.fullmatch(str(function.__annotations__["return"])):
        raise TypeError(f"{function.__name__} returns an array, whose references must be counted: use array_part")
    return _inlined(function, {"_nrt": False})


def array_part(function: _Function) -> _Function:
    """Compile a function that makes or returns arrays into its callers; see `part`."""
    return _inlined(function, {})


def _inlined(function: _Function, options: dict[str, Any]) -> _Function:
    numba = _numba()
    types: Any = numba.types
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nothing else calls it
    made: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True, **options)(function)
    resolve = made.get_call_template

    def resolve_once(args: tuple[Any, ...], keywords: Any) -> Any:
        widest = (types.int64 if isinstance(arg, types.Integer) and arg.signed else arg for arg in args)
        return resolve(tuple(widest), keywords)

    made.get_call_template = resolve_once
    return made  # type: ignore[no-any-return]


def _numba() -> ModuleType:
    """Import numba. Raises `UsageError` if the working folder has numba settings, which change compilation."""
    settings = Path(".numba_config.yaml")
    if settings.exists():
        raise UsageError(
            f"{settings.absolute()}: numba would read its settings from this file; move it to another folder"
        )
    import numba  # noqa: PLC0415  a third of a second

    return numba


def is_kept(kernel: str) -> bool:
    """Return whether a kernel (`module.function`) was compiled before, as its sources are now."""
    return any(_folder().glob(f"*/{kernel}-*.nbc"))


def can_keep() -> bool:
    """Return whether this process can keep what it compiles for others."""
    try:
        _folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(_folder(), os.W_OK)


@functools.cache
def _folder() -> Path:
    sources = hashlib.sha256()
    for file in sorted(file for room in _ROOMS for file in (_HERE / room).rglob("*.py")):
        sources.update(file.read_bytes())
    named = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(named) if named else platformdirs.user_cache_path("auditor")) / f"kernels-{sources.hexdigest()[:12]}"
