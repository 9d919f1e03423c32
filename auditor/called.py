"""The command line of a call of a study, so that a printed command is one that runs."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from auditor.asked import Asked, arguments, options_of
from auditor.asking import asks, at, held_of
from auditor.errors import UsageError
from auditor.result import plain

#: The options that the command line adds to those of a study.
_ADDED = {"as_json": "--json", "format_name": "--format", "output": "-o"}


def call(command: str, /, *refs: str, **given: Any) -> str:
    """Return the command line of a call: `auditor findings coco --kind markup -o markup.csv`.

    `given` are the arguments of the study, those in a record of settings also by their own names, and those of
    `_ADDED`. A value that is the default is left out. If the form of the command depends on the store, `store` is
    needed. Raises `RuntimeError` for a call that the study refuses, which must not be printed.
    """
    # A module that names a command is below the studies.
    study: Callable[..., Any] = import_module("auditor.studies").STUDIES[command].load()
    options, store = options_of(study), given.pop("store", None)
    known = {name for option in options for name in (option.name, option.path[0])}
    added = {word: given.pop(name) for name, word in _ADDED.items() if name in given.keys() - known}
    values = {
        option.name: at(given, option.path) if option.path[0] in given else given.get(option.name, option.default)
        for option in options
    }
    chosen = [
        option
        for option in options
        if values[option.name] != option.default and (asks(values[option.name]) or option.default is True)
    ]
    positional, keywords = arguments(chosen, values)
    keywords |= {name: value for name, value in given.items() if name not in known}
    stores = [store] if "store" in inspect.signature(study).parameters else []
    try:
        held_of(study)(*stores, *refs, *positional, **keywords)
    except (UsageError, TypeError) as error:
        raise RuntimeError(f"{command} {' '.join(refs)}: {error}") from error
    words = [word for option in chosen for word in _words(option, values[option.name])]
    more = [str(word) for pair in added.items() for word in pair if word is not True]
    return shlex.join(["auditor", *command.split(), *refs, *words, *more])


def not_stored(dataset: str, verb: str = "ingest") -> str:
    """Return that a dataset is not in the store, with the command that imports it, or explains how to obtain it."""
    how = " explains how to obtain it" if verb == "fetch" else ""
    return f"{dataset} is not in the store: `{call(verb, dataset)}`{how}"


def _words(option: Asked, value: Any) -> Iterator[str]:
    """Yield an option and its value; of a list, each."""
    word = option.words[-1].rpartition("/")[2]
    for each in value if isinstance(value, list | tuple) else [value]:
        yield word
        if not isinstance(each, bool):
            yield plain(each) if isinstance(each, float) else str(each)
