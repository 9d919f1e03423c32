"""What other packages add by entry points: loaded one by one; what is broken is left out with a warning."""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from collections.abc import Callable, Container, Iterator
from importlib.metadata import EntryPoint, distributions
from typing import TypeVar

from auditor.records import typed

T = TypeVar("T")

_MOST = 300  # characters


def added(
    group: str,
    kind: type[T],
    ours: Container[str],
    check: Callable[[str, T], None] = lambda name, loaded: None,
    only: str | None = None,
) -> Iterator[tuple[str, T, str]]:
    """Load what entry points of a group name: each with its name and its package; with `only`, that of one name.

    Names that are `ours` are passed over. `check` raises whatever it finds wrong. Whatever a package raises, at worst
    `SystemExit`, is a warning that names it; Ctrl-C alone goes through.
    """
    for package, point in sorted(_points(group), key=lambda one: (one[1].name, one[0])):
        if point.name in ours or only not in (None, point.name):
            continue
        try:
            with contextlib.redirect_stdout(sys.stderr):  # standard output is for data
                loaded = point.load()
            if not isinstance(loaded, kind):
                raise TypeError(f"{point.value} is {type(loaded).__name__}, no {kind.__name__}")
            check(point.name, typed(loaded))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  a stranger's module may raise anything
            why = f"{said(error)}; update the package or remove it"
            _warn(f"package {package}: {point.name}, which it adds, is left out: {why}")
        else:
            yield point.name, loaded, package


def said(error: BaseException) -> str:
    """Describe in a line what a stranger's code raised, whose words may be long, or fail."""
    return traceback.format_exception_only(error)[-1].strip()[:_MOST]


def _points(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """Find the entry points of a group, each with the name of its package."""
    seen = set()
    for package in distributions():
        try:
            points = [point for point in package.entry_points if point.group == group]
            name = package.name if points else ""
        except Exception as error:  # noqa: BLE001  files of a package may hold anything
            _warn(f"a package whose entry points cannot be read is left out: {said(error)}")
            continue
        if name not in seen:  # the first in the path is the one that is imported
            yield from ((name, point) for point in points)
        seen.add(name)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=1)
