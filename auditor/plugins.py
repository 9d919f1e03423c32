"""Additions of other packages by entry points, loaded one by one; broken ones are left out with a warning."""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from collections.abc import Callable, Container, Iterator, Mapping
from importlib.metadata import EntryPoint, distributions
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")

R = TypeVar("R")

_MOST = 300  # characters


def added(
    group: str,
    kind: type[T],
    ours: Container[str],
    check: Callable[[str, T], object] = lambda name, loaded: None,
) -> Iterator[tuple[str, T]]:
    """Load the entry points of a group, each with its name.

    Names that are `ours` are skipped. `check` raises an error for a faulty addition. Any error of a package, even
    `SystemExit`, becomes a warning that names it; only Ctrl-C is raised.
    """
    for package, point in sorted(_points(group), key=lambda pair: (pair[1].name, pair[0])):
        if point.name in ours:
            continue
        try:
            with contextlib.redirect_stdout(sys.stderr):  # standard output is for data
                loaded = point.load()
            if not isinstance(loaded, kind):
                raise TypeError(f"{point.value} is of type {type(loaded).__name__}, not {kind.__name__}")
            check(point.name, typed(loaded))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  another package may raise anything
            why = f"{described(error)}; update the package or remove it"
            _warn(f"package {package}: its addition {point.name} is left out: {why}")
        else:
            yield point.name, loaded


def described(error: BaseException) -> str:
    """Describe an error of other code in a line, even if its message is long or cannot be formatted."""
    return traceback.format_exception_only(error)[-1].strip()[:_MOST]


def _points(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """Yield the entry points of a group, each with the name of its package."""
    seen = set()
    for package in distributions():
        try:
            points = [point for point in package.entry_points if point.group == group]
            name = package.name if points else ""
        except Exception as error:  # noqa: BLE001  files of a package may hold anything
            _warn(f"a package whose entry points cannot be read is left out: {described(error)}")
            continue
        if name not in seen:  # Python imports the first in the path
            yield from ((name, point) for point in points)
        seen.add(name)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=1)


def typed(record: R) -> R:
    """Return a record. Raises `TypeError`, which names the field, for a value of another type than declared."""
    for name, kind in get_type_hints(type(record)).items():
        if not _fits(getattr(record, name), kind):
            raise TypeError(f"{type(record).__name__}: {name} is not of type {getattr(kind, '__name__', kind)}")
    return record


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return any(_fits(value, option) for option in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is Callable:
        return callable(value)
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if origin is Mapping:
        key, held = inner
        return isinstance(value, Mapping) and all(_fits(name, key) and _fits(of, held) for name, of in value.items())
    if kind is str:  # half a surrogate pair is not a text
        return isinstance(value, str) and value.encode(errors="replace").decode() == value
    if kind is float:
        return type(value) in (int, float)
    return kind is Any or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool)))
