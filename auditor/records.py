"""Is a record what its type says? Asked of what a file or another package has filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

R = TypeVar("R")


def typed(record: R) -> R:
    """Return a record. Raises `TypeError` that names a field whose value is of another type than is declared."""
    for name, kind in get_type_hints(type(record)).items():
        if not _fits(getattr(record, name), kind):
            raise TypeError(f"{type(record).__name__}: {name} is no {getattr(kind, '__name__', kind)}")
    return record


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is Callable:
        return callable(value)
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if origin is Mapping:
        key, held = inner
        return isinstance(value, Mapping) and all(_fits(one, key) and _fits(of, held) for one, of in value.items())
    if kind is str:  # half a character is no text
        return isinstance(value, str) and value.encode(errors="replace").decode() == value
    if kind is float:
        return type(value) in (int, float)
    return kind is Any or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool)))
