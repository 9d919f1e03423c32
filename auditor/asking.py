"""How a study is asked: limits of its parameters, and forms of a command, hold for every caller.

`question` wraps a study. It refuses values beyond the limits of a `Parameter` and reads the others, whether the command
line, the library or another study calls. It adds the SELECTs that ran to the result. `forms` makes one command of
several functions. What is given determines which one is meant, and an argument of another one is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, get_type_hints, overload

from auditor.asked import GIVEN, Asked, literals, options_of
from auditor.errors import UsageError

P = ParamSpec("P")

Q = ParamSpec("Q")

S = ParamSpec("S")

R_co = TypeVar("R_co", covariant=True)


def question(study: Callable[P, R_co]) -> Callable[P, R_co]:
    """Return a study that refuses values beyond the limits of its parameters, and reads the others."""
    if hasattr(study, "__wrapped__"):
        return study

    def held(*args: P.args, **kwargs: P.kwargs) -> Callable[[], R_co]:
        try:
            given = inspect.signature(study).bind(*args, **kwargs)
        except TypeError:
            study(*args, **kwargs)  # Python names the argument
            raise
        for option in options_of(study):
            _read(given.arguments, option)
        for option in options_of(study):
            _refuse_alone(given.arguments, option, options_of(study))
        run = functools.partial(study, *given.args, **given.kwargs)
        store = given.arguments.get("store")
        return run if store is None else functools.partial(store.recorded, run)

    @functools.wraps(study)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R_co:
        return held(*args, **kwargs)()

    vars(asked)["held"] = held
    return asked


def held_of(study: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """Return the function that checks the arguments of a study, and returns the call that would run."""
    held: Callable[..., Callable[[], Any]] = vars(study)["held"]
    return held


def _read(arguments: dict[str, Any], option: Asked) -> None:
    """Replace an argument, or a field of a record of settings, by what the study takes."""
    first, *further = option.path
    value = at(arguments, option.path)
    if value is None and not further and option.default not in (None, inspect.Parameter.empty):
        arguments.pop(first, None)
    elif value is not None and (read := option.accepted(value)) is not value:
        arguments[first] = _replaced(arguments[first], further, read)


def at(arguments: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return an argument, or a field of a record of settings; null without it."""
    return functools.reduce(lambda record, step: getattr(record, step, None), path[1:], arguments.get(path[0]))


def _replaced(record: Any, path: Sequence[str], value: Any) -> Any:
    if not path:
        return value
    return dataclasses.replace(record, **{path[0]: _replaced(getattr(record, path[0]), path[1:], value)})


def _refuse_alone(arguments: Mapping[str, Any], option: Asked, options: Sequence[Asked]) -> None:
    """Raise `UsageError` for an option without the one that it needs."""
    name, _, value = option.parameter.needs.partition("=")
    for needed in (each for each in options if each.name == name and asks(at(arguments, option.path))):
        there = at(arguments, needed.path) if needed.path[0] in arguments else needed.default
        if not (there == value if value else asks(there)):
            raise UsageError(f"{option.option}: only with {option.needs}")


def asks(value: Any) -> bool:
    """Return whether a value asks for something: not if it is null, a switch that is off, empty, or all defaults."""
    if dataclasses.is_dataclass(value):
        return any(getattr(value, each.name) != each.default for each in dataclasses.fields(value))
    return not (value is None or value is False or (isinstance(value, list | tuple) and not value))


class Forms(Protocol[P, Q, S, R_co]):
    """A command of two or three functions: a call is a call of one of them."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: S.args, **kwargs: S.kwargs) -> R_co: ...


@overload
def forms(
    first: Callable[P, R_co], second: Callable[Q, R_co], /, *, names: Sequence[str]
) -> Callable[[Callable[..., Any]], Forms[P, Q, Q, R_co]]: ...
@overload
def forms(
    first: Callable[P, R_co], second: Callable[Q, R_co], third: Callable[S, R_co], /, *, names: Sequence[str]
) -> Callable[[Callable[..., Any]], Forms[P, Q, S, R_co]]: ...
def forms(*functions: Callable[..., Any], names: Sequence[str]) -> Any:
    """Return a decorator of a function with the docstring of the command, and its rule.

    The rule returns the position of the form that is meant, from arguments that every form has. Without a rule, a form
    is meant if all that it requires is given, or a required parameter that no other has. Without requirements, it is
    meant if any such parameter is given. Else it is the first. `names` are the words for the forms in errors and help.
    """
    kinds = [_Form(function, name) for function, name in zip(functions, names, strict=True)]
    union = _union(kinds)

    def declare(rule: Callable[..., Any]) -> Any:
        ruled = inspect.signature(rule).parameters

        def held(*args: Any, **kwargs: Any) -> Callable[[], Any]:
            for option in union:
                option.refuse(at(kwargs, option.path))
            wanted = {name: value for name, value in kwargs.items() if asks(value)}
            if ruled:
                form = kinds[rule(*args, **{name: value for name, value in kwargs.items() if name in ruled})]
            else:
                form = next((form for form in reversed(kinds[1:]) if form.is_meant(wanted, kinds)), kinds[0])
            form.refuse(args, wanted, union)
            known = {
                name: value for name, value in kwargs.items() if name in form.takes or name in wanted.keys() - {*GIVEN}
            }
            return held_of(form.function)(*args, **known)

        @functools.wraps(rule)
        def asked(*args: Any, **kwargs: Any) -> Any:
            return held(*args, **kwargs)()

        asked.__signature__ = _signature(kinds, union, ruled)  # type: ignore[attr-defined]
        asked.options, asked.held = union, held  # type: ignore[attr-defined]
        return asked

    return declare


class _Form:
    """One function of a command, with what it takes."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = question(function), name
        self.takes = inspect.signature(function).parameters
        self.options = options_of(function)
        self.literals = {option.name: values for option in self.options if (values := literals(option.kind))}
        keywords = [each for each in self.takes.values() if each.kind is inspect.Parameter.KEYWORD_ONLY]
        self.required = {each.name for each in keywords if each.default is inspect.Parameter.empty}

    def is_meant(self, wanted: Mapping[str, Any], kinds: Sequence[_Form]) -> bool:
        """Return whether this form is meant: by a choice, by what only it has, or by all that it requires."""
        first = kinds[0].literals
        if any(wanted.get(name) not in values for name, values in self.literals.items() if name in (*wanted, *first)):
            return False
        others = {name for form in kinds if form is not self for name in form.takes}
        more = self.required - kinds[0].required
        chosen = ((more or self.takes.keys()) - others) | {
            name for name in self.literals if name in wanted and wanted[name] not in first.get(name, ())
        }
        return bool(chosen & wanted.keys()) or (bool(more) and more <= wanted.keys())

    def refuse(self, args: Sequence[Any], wanted: Mapping[str, Any], union: Sequence[Asked]) -> None:
        """Raise `UsageError` for an argument of another form, and for one that is missing."""
        asked = [(option, at(wanted, option.path)) for option in union]
        given = [option for option, value in asked if asks(value) and not (option.records and value == option.default)]
        if foreign := [option for option in given if option.path[0] not in self.takes]:
            alike = itertools.groupby(foreign, key=lambda option: option.forms)  # sorted by forms
            only = [f"{', '.join(one.option for one in some)}: only for {' or '.join(names)}" for names, some in alike]
            raise UsageError(f"{'; '.join(only)}; leave out for {self.name}")
        if missing := [option.option for option in self.options if option.name in self.required - wanted.keys()]:
            raise UsageError(f"{self.name}: add {', '.join(missing)}")
        kinds = {name: each.kind for name, each in self.takes.items() if name not in GIVEN}
        placed = [name for name, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        named = len(args) - ("store" in self.takes)
        if named > len(placed) and inspect.Parameter.VAR_POSITIONAL not in kinds.values():
            number = "one dataset" if len(placed) == 1 else f"{len(placed)} datasets"
            raise UsageError(f"{self.name}: expected {number}, not {named}")


def _union(kinds: Sequence[_Form]) -> list[Asked]:
    """List the parameters of all forms, with the forms that have each, and the default that these share."""
    listed = dict[tuple[str | int, ...], list[tuple[_Form, Asked]]]()
    for form in kinds:
        for place, option in enumerate(form.options):
            listed.setdefault((place,) if option.placed else option.path, []).append((form, option))
    shared = [_shared(having, kinds) for having in listed.values()]
    names = [form.name for form in kinds]
    return sorted(shared, key=lambda option: (not option.placed, [names.index(name) for name in option.forms]))


def _shared(having: Sequence[tuple[_Form, Asked]], kinds: Sequence[_Form]) -> Asked:
    options = sorted((option for _, option in having), key=lambda option: not option.variadic)
    first = options[0]
    values = [*dict.fromkeys(value for option in options for value in literals(option.kind))]
    is_partial = len(having) < len(kinds)
    is_varied = len({repr(option.default) for option in options}) > 1 and not values
    is_varied |= is_partial and first.default is inspect.Parameter.empty
    return dataclasses.replace(
        first,
        kind=first.kind if not values else bool if True in values else Literal[tuple(values)],
        default=False if True in values else None if is_varied else first.default,
        forms=tuple(form.name for form, _ in having) if is_partial else (),
        needs=first.needs if all(option.needs for option in options) else "",
    )


def _signature(
    kinds: Sequence[_Form], union: Sequence[Asked], ruled: Mapping[str, inspect.Parameter]
) -> inspect.Signature:
    """Return the signature of a command: what any of its forms takes."""
    takes, defaults = dict[str, inspect.Parameter](), {option.name: option.default for option in union}
    dropped = {option.name for form in kinds for option in form.options if option.placed} - defaults.keys()
    for form in kinds:
        hints = get_type_hints(form.function, include_extras=True)
        for name, each in form.takes.items():
            default = defaults.get(name, ruled.get(name, each).default)
            if name not in dropped:
                takes.setdefault(name, each.replace(default=default, annotation=hints[name]))
    return inspect.Signature(sorted(takes.values(), key=lambda each: each.kind))
