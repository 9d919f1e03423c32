"""The parameters of a study as its signature declares them, and the values that each accepts."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from auditor.errors import UsageError, suggested
from auditor.parameters import Parameter

T = TypeVar("T", bound=Callable[..., Any])

#: Parameters that a front end passes to a study: they are not options.
GIVEN = ("store", "progress", "narrate", "confirm")


@dataclasses.dataclass(frozen=True)
class Asked:
    """One parameter of a study. `path` leads to it: its name, with the names of the records of settings it is in.

    `records` are their types. A parameter that is `placed` has no option. `forms` are the forms of the command that
    have it, empty if all do. `needs` are the words for the option without which it has no effect.
    """

    path: tuple[str, ...]
    kind: Any
    default: Any
    parameter: Parameter
    records: tuple[type, ...] = ()
    placed: bool = False
    variadic: bool = False
    forms: tuple[str, ...] = ()
    needs: str = ""

    @property
    def name(self) -> str:
        """The last name of its path."""
        return self.path[-1]

    @property
    def option(self) -> str:
        """The option on the command line, which errors name."""
        return f"--{(self.parameter.option or self.name).replace('_', '-')}"

    @property
    def words(self) -> list[str]:
        """The spellings of the option: `--metric` and `-m`; `--time/--no-time` for a switch that is on."""
        if self.default is True:
            return [f"{self.option}/--no-{self.option[2:]}"]
        return [self.option, *([f"-{self.parameter.short}"] if self.parameter.short else [])]

    @property
    def choices(self) -> Sequence[str]:
        """The values that it can have; empty if it has others."""
        own = self.parameter.choices
        return [*(own() if callable(own) else own)] or [one for one in literals(self.kind) if isinstance(one, str)]

    def accepted(self, value: Any) -> Any:
        """Return a value as the study takes it, a text in place of a list as a list of it.

        Raises `UsageError` for a value that no study can use.
        """
        if isinstance(value, str) and item_of(self.kind) is not None:
            value = [value]
        self.refuse(value)
        if self.parameter.check is not None:
            self.parameter.check(value)
        return value if self.parameter.read is None else self.parameter.read(value)

    def refuse(self, value: Any) -> None:
        """Raise `UsageError` for a value, or one in a list, that is of another type or beyond the limits."""
        for one in value if isinstance(value, list | tuple | set | frozenset) else [value]:
            self._within(one)

    def _within(self, value: Any) -> None:
        kinds, limits = _members(item_of(self.kind) or self.kind), self.parameter.limits
        if isinstance(value, str) and (choices := self.choices) and value not in choices:
            expected = suggested(value, choices, self.parameter.listed)
        elif value is None or not (kinds & {int, float, bool}):
            return
        elif isinstance(value, bool) == (bool in kinds) and _is_number(value, whole=float not in kinds):
            if self.parameter.holds(value):
                return
            expected = f"expected {limits}"
        else:
            plain = "True or False" if bool in kinds else "a finite number" if float in kinds else "a whole number"
            expected = f"expected {limits or plain}"
        raise UsageError(f"{self.option} {f'{value:g}' if isinstance(value, float) else value}: {expected}")


def _members(kind: Any) -> set[Any]:
    """Return the types of a union or a tuple, or the only one; those of its values for a literal type."""
    if _is_union(kind) or get_origin(kind) is tuple:
        return set[Any]().union(*map(_members, get_args(kind)))
    return {type(one) for one in literals(kind)} or {kind}


def _is_number(value: Any, *, whole: bool) -> bool:
    return isinstance(value, numbers.Real) and math.isfinite(value) and not (whole and value % 1)


@dataclasses.dataclass(frozen=True)
class Face:
    """What a front end does with a study, beside its parameters.

    A study that `writes` needs a writable store; one that `makes` also creates a missing store. An old store keeps its
    schema unless the study `migrates`. With `draws` its results have figures, unless `undrawn` raises `UsageError` for
    the arguments. With `document` it returns a document, which can be a dataset card; with `verdicts` each row has a
    verdict; `located` adds the lines of files to its result. If it `asks`, its verdict changes the exit code only with
    --exit-code. No store is needed, and files are not read into one, if the arguments are `alone`.
    """

    writes: bool = False
    makes: bool = False
    migrates: bool = True
    draws: bool = False
    undrawn: Callable[[Mapping[str, Any]], None] | None = None
    document: bool = False
    verdicts: bool = False
    located: Callable[..., Any] | None = None
    asks: bool = False
    alone: Callable[[Mapping[str, Any]], bool] = lambda _: False


def face(**traits: Any) -> Callable[[T], T]:
    """Return a decorator of a study with what a front end does with it: the fields of `Face`."""

    def decorated(study: T) -> T:
        vars(study)["face"] = Face(**traits)
        return study

    return decorated


def face_of(function: Callable[..., Any]) -> Face:
    """Return what a front end does with a study."""
    return vars(function).get("face") or Face()


def options_of(function: Callable[..., Any]) -> Sequence[Asked]:
    """List the parameters of a study, one for each field of a record of settings."""
    own: Sequence[Asked] | None = getattr(function, "options", None)
    return _options(inspect.unwrap(function)) if own is None else own


@functools.cache
def _options(function: Callable[..., Any]) -> Sequence[Asked]:
    hints, listed = get_type_hints(function, include_extras=True), list[Asked]()
    for name, one in inspect.signature(function).parameters.items():
        if name not in GIVEN:
            variadic = one.kind is inspect.Parameter.VAR_POSITIONAL
            for option in _flattened((name,), hints[name], one.default):
                placed = variadic or one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
                listed.append(dataclasses.replace(option, placed=placed, variadic=variadic))
    named = {option.name: option.option for option in listed}
    needs = [option.parameter.needs.partition("=") for option in listed]
    words = [f"{named[name]} {value}".strip() if name in named else "" for name, _, value in needs]
    return [dataclasses.replace(option, needs=needed) for option, needed in zip(listed, words, strict=True)]


def _flattened(path: tuple[str, ...], hint: Any, default: Any, records: tuple[type, ...] = ()) -> Iterator[Asked]:
    record = _record(hint)
    if record is not None:
        hints = get_type_hints(record, include_extras=True)
        for each in dataclasses.fields(record):
            given = None if each.default is dataclasses.MISSING else each.default
            yield from _flattened((*path, each.name), hints[each.name], given, (*records, record))
    elif get_origin(hint) is Annotated:
        kind, parameter, *_ = get_args(hint)
        yield Asked(path, kind, default, parameter, records)


def arguments(options: Iterable[Asked], values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a study from values by name, with records of settings made of their fields."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    fields: dict[tuple[str, ...], tuple[type, dict[str, Any]]] = {}
    for option in options:
        value, path = values[option.name], option.path
        if option.placed:
            positional += value or () if option.variadic else [value]
        for depth, record in enumerate(option.records, start=1):
            fields.setdefault(path[:depth], (record, {}))
        if not option.placed:
            (fields[path[:-1]][1] if path[:-1] else keywords)[path[-1]] = value
    for path in sorted(fields, key=len, reverse=True):
        record, given = fields[path]
        (fields[path[:-1]][1] if path[:-1] else keywords)[path[-1]] = record(**given)
    return positional, keywords


def _record(hint: Any) -> type | None:
    """Return the record of settings that a type hint names; null if it names another type."""
    kinds = [kind for kind in get_args(hint) if kind is not types.NoneType] if _is_union(hint) else [hint]
    return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], type) and dataclasses.is_dataclass(kinds[0]) else None


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def item_of(kind: Any) -> Any:
    """Return the type of the items of a sequence type; null for another type."""
    for member in get_args(kind) if _is_union(kind) else [kind]:
        origin = get_origin(member)
        if isinstance(origin, type) and origin is not tuple and issubclass(origin, Sequence):
            return get_args(member)[0]
    return None


def literals(kind: Any) -> tuple[Any, ...]:
    """List the values of a literal type; empty for another type."""
    return get_args(kind) if get_origin(kind) is Literal else ()
