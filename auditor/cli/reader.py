"""Where the reader of this run stands: printed commands name the same store, and files instead of datasets."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from auditor.places import dataset_of

T = TypeVar("T")

DEFAULT_STORE = Path("audit.duckdb")

_CODE = re.compile(r"`(auditor [^`]+)`")

#: Fields with captions, SQL and images, which name no command.
_DATA = ("examples", "statements", "pictured", "pictures")

#: A word in the place of a name that only the reader knows.
_TO_FILL = re.compile("[A-Z]+")


@dataclasses.dataclass
class Reader:
    """What a command must name where the reader stands.

    `options` are those that the reader typed and that are not the default, such as `--store`. `files` were given as
    datasets, by name; `kept` has the commands that import them. Files that were `read` with options can only be
    imported: other commands do not have these. `whole` writes what this run cuts, if that is another command.
    """

    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kept: dict[str, str] = dataclasses.field(default_factory=dict)
    read: bool = False
    whole: str = ""

    def stand(self, arguments: Mapping[str, object]) -> None:
        """Begin a run with these arguments."""
        usual = {"store": os.environ.get("AUDITOR_STORE") or str(DEFAULT_STORE), "config": "None"}
        named = {name: str(arguments[name]) for name in usual if name in arguments}
        self.options = {f"--{name}": value for name, value in named.items() if value != usual[name]}
        self.files, self.kept, self.read, self.whole = {}, {}, False, ""

    def text(self, text: str) -> str:
        """Return a text, or a command alone, with commands as they run for the reader."""
        if not (self.options or self.files):
            return text
        code = _CODE.sub(lambda code: f"`{self._line(code[1])}`", text)
        return self._line(code) if code.startswith("auditor ") else code

    def shown(self, value: T) -> T:
        """Return a result or a document, or a part of one, with its commands as they run for the reader."""
        import polars as pl

        from auditor.findings.wording import advice
        from auditor.result import Finding, Sentence, Table

        new: Any = value
        if isinstance(value, Sentence):
            new = value.like(self.text(value.text))
        elif isinstance(value, str):
            new = self.text(value)
        elif isinstance(value, tuple):
            new = tuple(map(self.shown, value))
        elif isinstance(value, Mapping):
            new = {key: self.shown(each) for key, each in value.items()}
        elif dataclasses.is_dataclass(value) and not isinstance(value, type) and (self.options or self.files):
            names = (each.name for each in dataclasses.fields(value) if each.name not in _DATA)
            own = {name: self.shown(getattr(value, name)) for name in names}
            if isinstance(value, Finding):
                own["advice"] = self.text(advice(value))
            if isinstance(value, Table) and value.sentences:
                written = pl.col(value.sentences).map_elements(self.text, pl.String)
                own["frame"] = value.frame.with_columns(written)
            new = dataclasses.replace(value, **own)
        return cast(T, new)

    def _line(self, typed: str) -> str:
        """Return a command as it runs for the reader; one that lacks an argument is only named, and stays."""
        from auditor.cli.app import LISTED, made

        try:
            words = shlex.split(typed)[1:]
        except ValueError:  # not a command
            return typed
        name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in LISTED), None)
        if name is None or "&&" in words or typed == "auditor ingest":
            return typed
        params, words = made(name).params, words[len(name.split()) :]
        places = _places(params, words)
        if any(each.required and each not in places for each in params):
            return typed
        first, given = self._of_files(name, words, places) if self.files else ((), words)
        line = typed if given == words else shlex.join(["auditor", *name.split(), *given])
        has = {word for each in params for word in each.opts} - {*words}
        more = [word for pair in self.options.items() if pair[0] in has for word in pair]
        return " && ".join([*map(self._line, first), f"{line} {shlex.join(more)}".strip()])

    def _of_files(self, name: str, words: list[str], places: Sequence[Any]) -> tuple[Collection[str], list[str]]:
        """Return the commands that import files before a command, and its words, with files as datasets if it can."""
        from auditor.asked import face_of, options_of
        from auditor.studies import STUDIES

        if name == "sql":
            return self.kept.values(), words
        study = STUDIES[name].load() if name in STUDIES else None
        if study is None or face_of(study).writes or "store" not in inspect.signature(study).parameters:
            return (), words
        taking = {each.name for each in options_of(study) if each.parameter.completes == "dataset"}
        words = self._beside_files(words, places)
        named = _names(words, places, taking)
        of_files = {number: dataset for number, dataset in named.items() if dataset in self.files}
        are_taken = all(places[number].name in taking and ":" not in words[number] for number in of_files)
        if of_files and (self.read or len(of_files) < len(named) or not are_taken):
            return [self.kept[dataset] for dataset in dict.fromkeys(of_files.values())], words
        return (), [self.files[of_files[number]] if number in of_files else word for number, word in enumerate(words)]

    def _beside_files(self, words: Sequence[str], places: Sequence[Any]) -> list[str]:
        """Return the words of a command; one that would write over a file that was read writes another."""
        read = {*map(Path, self.files.values())}
        return [
            f"new-{word}" if place and "-o" in place.opts and Path(word) in read else word
            for word, place in zip(words, places, strict=True)
        ]


def _names(words: Sequence[str], places: Sequence[Any], taking: Collection[str]) -> dict[int, str]:
    """Return the datasets that a command names, by the position of the word."""
    return {
        number: dataset_of(word)
        for number, (word, place) in enumerate(zip(words, places, strict=True))
        if place and (place.name in taking or place.param_type_name == "argument") and not _TO_FILL.fullmatch(word)
    }


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
