"""Compilation of kernels: at their first use, once, even if the package is reinstalled. Little work needs none.

Compiled kernels are kept in the user's cache or in `NUMBA_CACHE_DIR`. Their folder is named by the sources of all
kernels, since kernels are compiled into each other, and by the version of numba. So they survive releases that do not
change the kernels, every environment and checkout finds them, and the package folder can be read-only.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Self, TypeVar

import platformdirs

from auditor.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent

#: Declared results that hold no array.
_NUMBERS = re.compile(r"(tuple\[|\b(int|float|bool|None|np\.uint64)\b|, |\])+")

_ROOMS = ("metrics/kernels", "statistics/kernels", "text/kernels")


#: The most that runs as Python, at once and in all: to read kernels takes half of a second, to compile them many.
little, _LITTLE_IN_ALL = 2_000, 20_000

_running = threading.local()

_making = threading.RLock()


class _Kernel:
    """A function that numba has at its first call."""

    spent = 0  # what has run as Python, of all kernels

    def __init__(self, function: Callable[..., Any], make: Callable[[Callable[..., Any]], Any]) -> None:
        self.py_func, self._make, self._made = function, make, None
        functools.update_wrapper(self, function)

    @property
    def dispatcher(self) -> Any:
        """The function as numba has it: one object, since each would be compiled separately."""
        with _making:
            self._made = self._made or self._make(self.py_func)
            return self._made

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args) if getattr(_running, "uncompiled", False) else self.dispatcher(*args)


@contextmanager
def uncompiled(size: int) -> Iterator[None]:
    """Run the kernels that this thread calls as Python, to the same bits, if they have few pairs, rows or tokens."""
    import numpy as np  # noqa: PLC0415

    is_little = size <= little and _Kernel.spent < _LITTLE_IN_ALL
    _Kernel.spent += size * is_little
    before, _running.uncompiled = getattr(_running, "uncompiled", False), is_little
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        _running.uncompiled = before


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call and cache the result; without a writable cache, compile in each process."""
    return _Kernel(function, _kept)  # type: ignore[return-value]


def _kept(function: Callable[..., Any]) -> Any:
    numba = _numba()
    config: Any = numba.config
    options: Any = {"nogil": True, "error_model": "numpy"}
    before, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, f"{__name__}.{_Place.__name__}"
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # its folder cannot be written to
        return numba.njit(**options)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before


class _Place:
    """The folder of a kernel in numba's cache: of its module, while numba itself takes the folder of the package."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self._function, self._file = function, Path(file)

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> Self | None:
        """Return the place of a function; null if nothing can be written there."""
        place = cls(function, file)
        try:
            place.ensure_cache_path()
        except OSError:
            return None
        return place

    def ensure_cache_path(self) -> None:
        """Make the folder. Raises `OSError` if it cannot be written to."""
        folder = Path(self.get_cache_path())
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return str(_folder() / self._function.__module__)

    def get_source_stamp(self) -> str:
        """Return the hash of the function's file."""
        return hashlib.sha256(self._file.read_bytes()).hexdigest()

    def get_disambiguator(self) -> str:
        """Return the line, which distinguishes functions of one name."""
        return str(self._function.__code__.co_firstlineno)


def part(function: _Function) -> _Function:
    """Compile a function into its callers, without counting references to arrays.

    Counting them took up to a third of METEOR's time. The function must neither make nor return an array. Raises
    `TypeError` if its result is not declared as numbers. Its signed integers are int64. Otherwise numba compiles a copy
    for each literal and each width of a number.
    """
    if not _NUMBERS.fullmatch(str(function.__annotations__["return"])):
        raise TypeError(f"{function.__name__} returns an array, whose references must be counted: use array_part")
    return _Kernel(function, functools.partial(_inlined, {"_nrt": False}))  # type: ignore[return-value]


def array_part(function: _Function) -> _Function:
    """Compile a function that makes or returns arrays into its callers; see `part`."""
    return _Kernel(function, functools.partial(_inlined, {}))  # type: ignore[return-value]


def _inlined(options: dict[str, Any], function: Callable[..., Any]) -> Any:
    numba = _numba()
    types: Any = numba.types
    alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nothing else calls it
    made: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True, **options, **alone)(function)
    resolve = made.get_call_template

    def resolve_once(args: tuple[Any, ...], keywords: Any) -> Any:
        widest = (types.int64 if isinstance(arg, types.Integer) and arg.signed else arg for arg in args)
        return resolve(tuple(widest), keywords)

    made.get_call_template = resolve_once
    return made


def _numba() -> ModuleType:
    """Import numba. Raises `UsageError` if the working folder has numba settings, which change compilation."""
    settings = Path(".numba_config.yaml")
    if settings.exists():
        raise UsageError(
            f"{settings.absolute()}: numba would read its settings from this file; move it to another folder"
        )
    import numba  # noqa: PLC0415  a third of a second
    from numba.extending import typeof_impl  # noqa: PLC0415

    # kernels call kernels
    typeof_impl.register(_Kernel)(lambda kernel, _: numba.types.Dispatcher(kernel.dispatcher))
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
    sources = hashlib.sha256(importlib.metadata.version("numba").encode())
    for file in sorted(file for room in _ROOMS for file in (_HERE / room).rglob("*.py")):
        sources.update(file.read_bytes())
    named = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(named) if named else platformdirs.user_cache_path("auditor")) / f"kernels-{sources.hexdigest()[:12]}"
