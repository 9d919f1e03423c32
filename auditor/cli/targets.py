"""What -o may never write over: whatever the command reads, or another command reads again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from auditor.cli.places import is_place
from auditor.replacing import is_plain

#: Commands whose -o is a file of their own, in place of the result, and what they call it.
_WRITING = {"tasks": "file", "distractors": "file", "stages": "file", "export": "target"}

#: What a path that is compared with others may be: out of reach, a ring of links, no path at all.
_UNCLEAR = (OSError, ValueError, RuntimeError)


def refuse_targets(command: str, arguments: Mapping[str, object]) -> None:
    """Refuse to write over a file that is read, before anything is counted. Raises `UsageError`.

    That is the store with its log, the files that the command names, standard input, datasets.toml and the files of
    the datasets that it declares, datasets.lock. A pipe or a device holds nothing that could be lost.
    """
    named = _WRITING.get(command, "output")
    target = arguments.get(named)
    if not isinstance(target, Path) or not is_plain(target):
        return
    read = {name: value for name, value in arguments.items() if name != named}
    for one in _written(command, target):
        for path, what in (*_given(read), *_kept(read)):
            if _is_same(one, path):
                _refuse(one, what)
        if one.is_file():
            for path, dataset in (*_declared(read), *_places(read)):
                if _holds(path, one):
                    _refuse(one, f"dataset {dataset} is read from it")
            for path, dataset in _pictures(read, one):
                if _holds(path, one):
                    _refuse(one, f"the images of dataset {dataset} are there")


def _refuse(target: Path, what: str) -> NoReturn:
    from auditor.errors import UsageError

    raise UsageError(f"{target}: cannot be written: {what}; name another file")


def _written(command: str, target: Path) -> Iterator[Path]:
    yield target
    if command == "tasks":
        from auditor.studies.tasks import key_of

        yield key_of(target)


def _given(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Give the files that the command line names, and the one that standard input comes from."""
    for name, value in arguments.items():
        if isinstance(value, Path):
            yield value, "it is the store in use" if name == "store" else "this command reads it"
            if name == "store":
                yield value.with_name(f"{value.name}.wal"), "it is the log of the store in use"
    options = arguments.get("options")
    for option in options if isinstance(options, list) else ():
        key, _, value = option.partition("=")
        if key.endswith("_file"):
            yield Path(value), "this command reads it"
    yield Path("/dev/stdin"), "standard input comes from it"


def _places(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Give the files that stand for datasets."""
    for value in arguments.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and is_place(text):
                yield Path(text), text


def _kept(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Give what says which datasets there are, and what they held."""
    from auditor.config import shipped
    from auditor.config.lock import beside

    config = _config(arguments)
    yield beside(config), "it says what datasets held at their last ingest"
    for path in (config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml"), shipped()):
        yield path, "it declares datasets"


def _declared(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Give what datasets are read from, patterns and folders as they stand: those of --from, those of datasets.toml."""
    from auditor.config import sources
    from auditor.errors import AuditorError

    files, names = arguments.get("files"), arguments.get("names")
    for path in files if isinstance(files, list) else ():
        yield path, str(names[0]) if isinstance(names, list) and names else "named"
    with suppress(AuditorError):  # a command that needs the declarations says what is wrong with them
        for source in sources(_config(arguments)).values():
            options = (value for part in source.parts for value in part.options.values())
            paths = [path for part in source.parts for path in part.paths]
            for path in (*paths, *source.splits.values(), *(value for value in options if isinstance(value, Path))):
                yield path, source.dataset


def _pictures(arguments: Mapping[str, object], target: Path) -> Iterator[tuple[Path, str]]:
    """Give where the image files of datasets are, for a target that may be one of them by its ending."""
    from auditor.config import image_files
    from auditor.errors import AuditorError
    from auditor.sources.pictures import ENDINGS

    if target.suffix.lower() in ENDINGS:
        with suppress(AuditorError):
            yield from ((place, dataset) for dataset, place in image_files(_config(arguments)).items())


def _config(arguments: Mapping[str, object]) -> Path | None:
    config = arguments.get("config")
    return config if isinstance(config, Path) else None


def _holds(path: Path, target: Path) -> bool:
    """Say whether a file is the one at a path, compressed there, met by its pattern, or somewhere in its folder."""
    with suppress(*_UNCLEAR):
        if path.is_dir():
            return target.resolve().is_relative_to(path.resolve())
        if any(sign in path.name for sign in "*?[") and fnmatchcase(target.name, path.name):
            return target.parent.samefile(path.parent)
    zipped = (path.with_name(path.name + ending) for ending in (".gz", ".zst") if path.name)
    return any(_is_same(target, one) for one in (path, *zipped))


def _is_same(target: Path, path: Path) -> bool:
    with suppress(*_UNCLEAR):
        if target.samefile(path):
            return True
    with suppress(*_UNCLEAR):
        return target.resolve() == path.resolve()
    return False
