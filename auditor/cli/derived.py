"""Commands made of studies: the signature becomes options, the docstring the help, the Result the output.

A study is imported when its command is called, never for `auditor --help`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from auditor import asked
from auditor.asked import Asked, Face, literals
from auditor.cli import options as o
from auditor.cli.completions import OFFERS
from auditor.cli.reader import DEFAULT_STORE, READER
from auditor.cli.verbosity import confirmed, narrate, progressing
from auditor.files.guards import Role
from auditor.places import Places, places

if TYPE_CHECKING:
    from auditor.result import Result
    from auditor.result.document import Document
    from auditor.store.connection import Store
    from auditor.studies import Study


class _Option:
    """One parameter of a study on the command line."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.name, self.parameter, self.default = asked, asked.name, asked.parameter, asked.default
        values = literals(asked.kind)
        self.kind = asked.parameter.typed or (type(values[0]) if values else asked.kind)

    @property
    def is_list(self) -> bool:
        return self.asked.variadic or asked.item_of(self.kind) is not None

    def shown(self) -> inspect.Parameter:
        """Return the option as a parameter that typer reads."""
        variadic = self.asked.variadic
        needed = not self.parameter.optional if variadic else self.default is inspect.Parameter.empty
        kind: Any = self.kind
        if self.is_list:
            listed: Any = list[str] if variadic else list[asked.item_of(kind)]  # type: ignore[misc]
            kind = listed if variadic and needed else listed | None
        limits, needs = self.parameter.limits, self.asked.needs and f"only with {self.asked.needs}"
        words: dict[str, Any] = {
            "help": escape(" ".join([self.parameter.help, *(f"[{each}]" for each in (limits, needs) if each)]))
        }
        if self.parameter.completes:
            words["autocompletion"] = OFFERS[self.parameter.completes]
        if self.parameter.metavar is not None:
            info: Any = typer.Argument(metavar=self.parameter.metavar, **words)
        else:
            panel = self.parameter.panel or (f"For {' or '.join(self.asked.forms)}" if self.asked.forms else None)
            info = typer.Option(*self.asked.words, rich_help_panel=panel, **words)
        default: Any = inspect.Parameter.empty if needed else None if self.is_list else self.default
        return _option(self.name, Annotated[kind, info], default)

    def guard(self, value: Any) -> None:
        """Raise `UsageError` for a path that cannot have the role of this option."""
        from auditor.files import guards

        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path) and self.parameter.path is not None:
                guards.refuse(path, self.parameter.path, self.asked.words[0])

    def accepted(self, value: Any) -> Any:
        """Return a value as the study takes it; without one, what it would read."""
        if value is None or (self.is_list and not value):
            return value if self.parameter.read is None or self.is_list else self.parameter.read(value)
        return self.asked.accepted(value)


def command(name: str, study: Study) -> Callable[..., None]:
    """Make the function that typer runs for a study."""
    function = study.load()
    options = [*options_of(function)]
    takes = inspect.signature(function).parameters
    shared = [*_store_options(takes), *_output_options(asked.face_of(function), options)]

    def run(context: typer.Context, **values: Any) -> None:
        for option in options:
            option.guard(values[option.name])
            values[option.name] = option.accepted(values[option.name])
        given = {name for name in values if getattr(context.get_parameter_source(name), "name", "") != "DEFAULT"}
        given |= {one.name for one in options if one.parameter.read and values[one.name] and not one.asked.forms}
        _run(function, options, values, given)

    context = _option("context", typer.Context, inspect.Parameter.empty)
    shown = [context, *(option.shown() for option in options), *shared]
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    run.__doc__ = help_of(function)
    run.__module__ = f"auditor.cli.commands.{name}"
    outputs = [option.name for option in options if option.parameter.path is Role.OUTPUT]
    return o.with_verbosity(run, name, outputs)


def options_of(function: Callable[..., Any]) -> list[_Option]:
    """List the options of a study, one for each field of a record of settings."""
    return [*map(_Option, asked.options_of(function))]


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _store_options(takes: Mapping[str, inspect.Parameter]) -> list[inspect.Parameter]:
    if "store" not in takes:
        return []
    return [
        _option("store", o.StorePath, DEFAULT_STORE),
        _option("wait", o.Wait, 10.0),
        _option("memory", o.Memory, None),
    ]


def _output_options(face: Face, options: Sequence[_Option]) -> list[inspect.Parameter]:
    """Return the shared options for output, without those that the study defines itself."""
    own = {option.parameter.option or option.name for option in options}
    shared = []
    if "format" not in own:
        shared.append(_option("format_name", o.formats(face), None))
    if not face.document:
        shared.append(_option("as_json", o.Json, default=False))
    if "output" not in own:
        shared.append(_option("output", o.Output, None))
    if face.draws:
        shared.append(_option("figure", o.Picture, None))
    if face.asks:
        shared.append(_option("exit_code", o.ExitCode, default=False))
    return shared


def _run(
    function: Callable[..., Any],
    options: Sequence[_Option],
    values: dict[str, Any],
    given: Collection[str],
) -> None:
    from auditor import reports
    from auditor.config import checks, gates

    face, chosen = asked.face_of(function), ""
    if face.document:
        card = reports.is_card(values["format_name"], values["output"])
        chosen = reports.document_format(values["format_name"], values["output"], card=card)
    takes = inspect.signature(function).parameters
    is_alone = face.alone(values)
    is_of_files = "store" in takes and not face.writes and not is_alone
    of_datasets = [option.name for option in options if option.parameter.completes == "dataset"]
    given_files = places(values, of_datasets) if is_of_files else None
    values = dict(given_files.values) if given_files else values
    arguments, keywords = asked.arguments([option.asked for option in options if option.name in given], values)
    if face.document:
        keywords |= {"card": card} | ({} if chosen == "html" else {"browse": False})
    if face.verdicts:
        from auditor.findings import declare
        from auditor.studies.check import understood

        declare(checks(values["config"]))
        understood(gates(values["config"]))
    with ExitStack() as workspace:
        if given_files:
            arguments.insert(0, _opened_for_files(workspace, given_files, values))
        elif "store" in takes:
            arguments.insert(0, workspace.enter_context(_opened(face, values, is_alone=is_alone)))
        keywords |= {name: way for name, way in (("narrate", narrate), ("confirm", confirmed)) if name in takes}
        if "progress" in takes:
            keywords["progress"] = workspace.enter_context(progressing())
        result: Result | Document = function(*arguments, **keywords)
        output = values.get("output")
        if face.located and not values["as_json"]:
            form = reports.chosen_format(values["format_name"], output)
            if form in reports.ANNOTATIONS:
                result = face.located(arguments[0], result, given_files.files if given_files else {}, values["config"])
    _show(result, chosen, values, asks=face.asks)


def _opened(face: Face, values: Mapping[str, Any], *, is_alone: bool) -> AbstractContextManager[Store]:
    """Open the store of a command; one in memory if the command needs none."""
    from auditor.store.connection import MEMORY

    path: Path = values["store"]
    if (values.get("dry_run") and face.makes) or values.get("formats") or (is_alone and not path.exists()):
        path = MEMORY
    write = face.makes or (face.writes and path.exists())  # one that only updates a store does not make one
    return o.opened(path, write=write, wait=values["wait"], migrate=face.migrates)


def _opened_for_files(workspace: ExitStack, places: Places, values: Mapping[str, Any]) -> Store:
    """Open a temporary store with the captions of files, and copies of the datasets that are named next to them."""
    from auditor.studies.export import opened_for_files

    READER.files = places.files
    opened = partial(o.opened, values["store"], wait=values["wait"])
    with progressing() as progress:
        return workspace.enter_context(opened_for_files(opened, places, READER.kept, narrate, progress))


def _show(result: Result | Document, chosen: str, values: Mapping[str, Any], *, asks: bool) -> None:
    from auditor.result.document import Document

    if isinstance(result, Document):
        o.deliver_document(result, chosen, values["output"])
        return
    output = values.get("output")
    o.deliver(result, values.get("format_name"), values["as_json"], output, values.get("figure"))
    if result.failure is not None:
        raise result.failure
    if result.holds is False and (values["exit_code"] if asks else True):
        raise typer.Exit(o.FINDING)


def paragraphs(function: Callable[..., Any]) -> list[str]:
    """List the paragraphs of a docstring, each in one line; in a bullet list, each item has a line."""
    joined = []
    for paragraph in (inspect.getdoc(function) or "").split("\n\n"):
        lines: list[str] = []
        for line in paragraph.split("\n"):
            if lines and not line.startswith("- "):
                lines[-1] += f" {line.strip()}"
            else:
                lines.append(line)
        joined.append("\n".join(lines))
    return joined


def help_of(function: Callable[..., Any]) -> str:
    """Return the text of `--help`, which a terminal wraps to its width; errors are for users of the library."""
    return "\n\n".join(paragraph for paragraph in paragraphs(function) if not paragraph.startswith("Raises "))
