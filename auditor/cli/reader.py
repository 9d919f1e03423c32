"""Where the reader of this run stands: printed commands name the same store, and files in the place of datasets."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from auditor.cli.file_arguments import dataset_of

T = TypeVar("T")

DEFAULT_STORE = Path("audit.duckdb")

_CODE = re.compile(r"`(auditor [^`]+)`")

#: Fields that are commands as a whole, and fields of data, in which nobody speaks.
_COMMANDS = ("commands", "listed")

_DATA = ("examples", "about", "values", "selections", "statements", "pictures", "pictured", "signatures", "failure")

#: A word in the place of a name that only the reader knows.
_TO_FILL = re.compile("[A-Z]+…?")


@dataclasses.dataclass
class Reader:
    """What a command must name where the reader stands.

    `options` are those that the reader typed and that are not the default, such as `--store`. `files` were given as
    datasets, by name; `kept` has the commands that import them. A file that was `read` with options can only be
    imported: other commands do not have these.
    """

    options: dict[str, str] = dataclasses.field(default_factory=dict)
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kept: dict[str, str] = dataclasses.field(default_factory=dict)
    read: bool = False

    def stand(self, arguments: Mapping[str, object]) -> None:
        """Begin a run with these arguments."""
        usual = {"store": os.environ.get("AUDITOR_STORE") or str(DEFAULT_STORE)}
        named = {name: arguments.get(name) for name in ("store", "config")}
        self.options = {
            f"--{name}": str(value) for name, value in named.items() if value and str(value) != usual.get(name)
        }
        self.files, self.kept, self.read = {}, {}, False

    def text(self, text: str) -> str:
        """Return a text with its commands as they run for the reader."""
        return _CODE.sub(lambda code: f"`{self.line(code[1])}`", text) if self.options or self.files else text

    def shown(self, value: T, *, commands: bool = False) -> T:
        """Return a result or a document, or a part of one, with its commands as they run for the reader."""
        import polars as pl

        from auditor.findings.wording import advice
        from auditor.result import Finding, Sentence, Table

        new: Any = value
        if not (self.options or self.files):
            pass
        elif isinstance(value, Sentence):
            new = value.like(self.text(value.text))
        elif isinstance(value, str):
            new = self.line(value) if commands else self.text(value)
        elif isinstance(value, tuple | list):
            new = type(value)(self.shown(each, commands=commands) for each in value)
        elif isinstance(value, Mapping):
            new = {key: self.shown(each, commands=commands) for key, each in value.items()}
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = (each.name for each in dataclasses.fields(value) if each.name not in _DATA)
            own = {name: self.shown(getattr(value, name), commands=name in _COMMANDS) for name in names}
            if isinstance(value, Finding):
                own["advice"] = self.text(advice(value))
            if isinstance(value, Table) and value.sentences:
                written = pl.col(value.sentences).map_elements(self.text, pl.String)
                own["frame"] = value.frame.with_columns(written)
            new = dataclasses.replace(value, **own)
        return cast(T, new)

    def line(self, typed: str) -> str:
        """Return a command as it runs for the reader; one that lacks an argument is only named, and stays."""
        from auditor.cli.app import LISTED, made

        words = _split(typed)
        name = next((name for name in (" ".join(words[1:3]), *words[1:2]) if name in LISTED), None)
        if name is None or "&&" in words:
            return typed
        params, words = made(name).params, words[1 + len(name.split()) :]
        places = _places(params, words)
        if any(each.required and each not in places for each in params) or typed == "auditor ingest":
            return typed
        read = {Path(file) for file in self.files.values()}
        spared = [
            f"new-{word}" if place and "-o" in place.opts and Path(word) in read else word
            for word, place in zip(words, places, strict=True)
        ]
        first, given = self._of_files(name, spared, places) if self.files else ((), words)
        line = typed if given == words else shlex.join(["auditor", *name.split(), *given])
        return " && ".join([*map(self.line, first), self._completed(line, params)])

    def _of_files(self, name: str, words: list[str], places: Sequence[Any]) -> tuple[Collection[str], list[str]]:
        """Return the words of a command with files in the place of datasets, or the commands that import them first."""
        from auditor.asked import face_of, options_of
        from auditor.studies import STUDIES

        if name == "sql":
            return self.kept.values(), words
        study = STUDIES[name].load() if name in STUDIES else None
        if study is None or face_of(study).writes or "store" not in inspect.signature(study).parameters:
            return (), words
        taking = {each.name for each in options_of(study) if each.parameter.completes == "dataset"}
        named = {
            number: place.name in taking and ":" not in word
            for number, (word, place) in enumerate(zip(words, places, strict=True))
            if place and (place.name in taking or place.param_type_name == "argument") and not _TO_FILL.fullmatch(word)
        }
        own = {number: dataset_of(words[number]) for number in named if dataset_of(words[number]) in self.files}
        if own and (self.read or len(own) < len(named) or not all(named.values())):
            return [self.kept[dataset] for dataset in dict.fromkeys(own.values())], words
        return (), [self.files[own[number]] if number in own else word for number, word in enumerate(words)]

    def _completed(self, typed: str, params: Sequence[Any]) -> str:
        """Add the reader's options that a command has and does not name."""
        has = {word for each in params for word in each.opts} - {*shlex.split(typed)}
        more = [word for pair in self.options.items() if pair[0] in has for word in pair]
        return f"{typed} {shlex.join(more)}" if more else typed


def _split(typed: str) -> list[str]:
    """Return the words of a command; none of a text that a shell does not read."""
    try:
        return shlex.split(typed)
    except ValueError:
        return []


def _places(params: Sequence[Any], words: Sequence[str]) -> list[Any]:
    """Return for each word of a command the parameter whose value it is; null for the name of an option."""
    arguments = [each for each in params if each.param_type_name == "argument"]
    options = {word: each for each in params if each not in arguments for word in (*each.opts, *each.secondary_opts)}
    places, awaited = list[Any](), None
    for word in words:
        if awaited is not None or word not in options:
            places.append(awaited or next(iter(arguments), None))
            if awaited is None and arguments and arguments[0].nargs == 1:
                arguments.pop(0)
            awaited = None
        else:
            places.append(None)
            awaited = None if options[word].is_flag else options[word]
    return places


READER = Reader()
