"""How kernels are compiled: at their first use, once, whatever else is installed anew.

What is compiled is kept in a folder named by the sources of all kernels, since one is compiled into another: in the
user's cache, or in `NUMBA_CACHE_DIR`. So it outlives releases that leave the kernels as they are, and a package that
cannot be written to; a new numba compiles anew.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import platformdirs

from auditor.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent

_ROOMS = ("metrics/kernels", "statistics/kernels")


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call, and keep what it became; without a place to keep it, in each process."""
    numba = _numba()
    config: Any = numba.config
    options: Any = {"nogil": True, "error_model": "numpy"}
    before, config.CACHE_DIR = config.CACHE_DIR, str(_folder())
    try:
        made: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor another of numba's can be written to
        made = numba.njit(**options)(function)
    finally:
        config.CACHE_DIR = before
    return made  # type: ignore[no-any-return]


def part(function: _Function) -> _Function:
    """Compile a function into those that call it: a call of its own would count references to every array."""
    options: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nothing else calls it
    made: Any = _numba().njit(nogil=True, error_model="numpy", forceinline=True, **options)(function)
    return made  # type: ignore[no-any-return]


def _numba() -> ModuleType:
    """Import numba. Raises `UsageError` where the working folder holds settings of it: they change how it compiles."""
    settings = Path(".numba_config.yaml")
    if settings.exists():
        raise UsageError(f"{settings.absolute()}: numba would take its settings from this file; move it away")
    import numba  # noqa: PLC0415  a third of a second

    return numba


def is_kept(kernel: str) -> bool:
    """Return whether a kernel (`module.function`) was compiled before, as its sources are now."""
    return any(_folder().glob(f"*/{kernel}-*.nbc"))


@functools.cache
def _folder() -> Path:
    sources = hashlib.sha256()
    for file in sorted(file for room in _ROOMS for file in (_HERE / room).rglob("*.py")):
        sources.update(file.read_bytes())
    named = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(named) if named else platformdirs.user_cache_path("auditor")) / f"kernels-{sources.hexdigest()[:12]}"
