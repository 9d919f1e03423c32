"""The files that a command line names: files given as datasets, and files that -o must not overwrite.

Only this module knows every file that a command writes, and every file that it or another command reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path
from typing import NoReturn

from auditor.files import is_plain
from auditor.places import is_place

#: Commands whose output file is not the result: the name of its parameter. The demo writes a page.
_WRITING = {"tasks": "file", "distractors": "file", "export": "target", "demo": "folder"}

#: Commands that make the folder of their output.
_MAKING = ("export", "demo")

#: Errors of a path that cannot be compared with others: out of reach, a cycle of links, not a path.
_UNCLEAR = (OSError, ValueError, RuntimeError)

#: A metric in a file or a module, or a parameter of a metric or a format that names a file.
_NAMED = re.compile(r"sql:(.+)|python:([\w.]+)\.\w+|[\w.-]+:.*=file:([^,]+).*|\w+_file=(.+)", re.DOTALL)


def refuse_targets(command: str, arguments: Mapping[str, object], outputs: Sequence[str] = ()) -> None:
    """Raise `UsageError` for an output file that cannot be written or that is an input, before any work.

    `outputs` are the parameters with further output files. No two may be the same.

    Inputs are the store and its log, the files that the command names, standard input, datasets.toml, the files of
    the datasets that it declares, and datasets.lock. Another DuckDB file is refused too. A pipe or a device is allowed,
    since nothing in it can be lost.
    """
    from auditor.remote import address_of
    from auditor.remote.addresses import on_disk

    every = dict.fromkeys([_WRITING.get(command, "output"), *outputs])
    read = {name: value for name, value in arguments.items() if name not in every}
    before = list[Path]()
    for named in every:
        target = arguments.get(named)
        if not isinstance(target, Path) or address_of(target) is not None:
            continue
        target = on_disk(target)
        for written in _written(command, target, arguments):
            if written != target:
                refuse_link(written)
            if is_plain(written) and any(_is_same(written, other) for other in before):
                _refuse(written, "another option of this command writes it")
            before.append(written)
            if is_plain(written) or written.is_dir():
                _refuse_unwritable(command, written, may_be_folder=command == "export" and written == target)
            if is_plain(written):  # export replaces only a folder that it made
                _refuse_read(written, _read(read, written))


def own_tables(command: str, arguments: Mapping[str, object], outputs: Sequence[str]) -> Iterator[Path]:
    """Yield the CSV files that a command writes itself, in addition to its result or instead of it."""
    for named in dict.fromkeys([_WRITING.get(command, ""), *outputs]):
        if isinstance(target := arguments.get(named), Path):
            files = (Path(file) for file in _written(command, target, arguments))
            yield from (file for file in files if file.suffix == ".csv" and file.is_file())


def refuse_link(written: Path) -> None:
    """Raise `UsageError` for an output file that the user did not name and that is a link: it may lead anywhere."""
    if written.is_symlink():
        _refuse(written, "it is a link, which may lead to any file; remove it")


def refuse_files_of(statement: str, values: Sequence[str], target: Path | None) -> None:
    """Raise `UsageError` for an output file that a statement or one of its values names."""
    if target is None or not target.is_file():
        return
    texts = [*values, *re.findall(r"'([^']*)'", statement), *re.findall(r'"([^"]*)"', statement)]
    matches = any(Path(text).suffix == target.suffix and fnmatchcase(target.name, Path(text).name) for text in texts)
    if matches or any(_holds(Path(name), target) for name in (*texts, *re.split(r"[\s(),;]+", statement)) if name):
        _refuse(target, "the statement reads it")


def _refuse(target: Path, what: str) -> NoReturn:
    from auditor.errors import UsageError

    raise UsageError(f"{target}: cannot be written: {what}; name another file")


def _refuse_unwritable(command: str, target: Path, *, may_be_folder: bool) -> None:
    """Refuse a path that cannot be a file: too long a name, a cycle of links, a folder, a missing folder."""
    try:
        target.resolve()
        if not may_be_folder and target.is_dir():
            _refuse(target, "it is a folder")
        if command not in _MAKING and not target.parent.is_dir():
            _refuse(target, f"the folder {target.parent} does not exist")
        target.exists()
    except (OSError, RuntimeError, ValueError) as error:
        _refuse(target, getattr(error, "strerror", None) or str(error))


def _refuse_read(target: Path, read: Iterator[tuple[Path, str]]) -> None:
    from auditor.store.file import is_database

    for path, what in read:
        if _holds(path, target):
            _refuse(target, what)
    logged = target.parent / target.stem if target.suffix == ".wal" else target
    with suppress(OSError):  # a file without permission to read is refused elsewhere
        if is_database(logged):
            _refuse(target, "it is a store" if logged == target else "it is the log of a store")


def _written(command: str, target: Path, arguments: Mapping[str, object]) -> Iterator[Path]:
    """List all files that a command writes because of -o."""
    if command == "demo":
        yield target / "audit.html"
        return
    yield target
    if "figure" in arguments and {target.suffix.lower(), f".{arguments['format_name']}"} & {".svg", ".pdf", ".png"}:
        figure = escape(str(arguments["figure"] or ""))  # any file that a figure may replace
        yield from target.parent.glob(f"{escape(target.stem)}-{figure}*{escape(target.suffix)}")
    if command == "tasks":
        from auditor.studies.tasks import key_of

        yield key_of(target)
    elif command == "bounds" and target == arguments.get("file"):
        from auditor.scoring.scale_out.receipt import path_of

        yield path_of(target)
    elif command == "export":
        from auditor.studies.export import LISTS, list_of

        yield from (target.with_name(list_of(target, option)) for option in LISTS if arguments.get(option))


def _read(arguments: Mapping[str, object], target: Path) -> Iterator[tuple[Path, str]]:
    """Yield all files that a command reads, patterns and folders unresolved, each with the role of the file."""
    from auditor.config import shipped
    from auditor.config.lock import beside

    yield from _given(arguments)
    config = _config(arguments)
    yield beside(config), "it records what datasets held at their last ingest"
    for path in (config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml"), shipped()):
        yield path, "it declares datasets"
    for path, dataset in (*_declared(arguments), *_given_as_datasets(arguments)):
        yield path, f"dataset {dataset} is read from it"
    for path, dataset in _image_files(arguments, target):
        yield path, f"the images of dataset {dataset} are there"


def _given(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """List the files that the command line names, and the one that standard input comes from."""
    for name, value in arguments.items():
        if isinstance(value, Path):
            yield value, "it is the store in use" if name == "store" else "this command reads it"
            if name == "store":
                yield value.parent / f"{value.name}.wal", "it is the log of the store in use"
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and (match := _NAMED.fullmatch(text)):
                module = f"{match[2].replace('.', '/')}.py" if match[2] else None
                yield Path(module or match[1] or match[3] or match[4]), "this command reads it"
    yield Path("/dev/stdin"), "standard input comes from it"


def _given_as_datasets(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    for value in arguments.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and is_place(text):
                yield Path(text), text


def _declared(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Yield the files of datasets, patterns and folders unresolved: those of --from, and those of datasets.toml."""
    from auditor.config import sources
    from auditor.errors import AuditorError

    files, names = arguments.get("files"), arguments.get("names")
    for path in files if isinstance(files, list) else ():
        yield path, str(names[0]) if isinstance(names, list) and names else "named"
    with suppress(AuditorError, *_UNCLEAR):  # a command that needs the declarations reports their faults
        for source in sources(_config(arguments)).values():
            options = (value for part in source.parts for value in part.options.values())
            paths = [path for part in source.parts for path in part.paths]
            for path in (*paths, *source.splits.values(), *(value for value in options if isinstance(value, Path))):
                yield path, source.dataset


def _image_files(arguments: Mapping[str, object], target: Path) -> Iterator[tuple[Path, str]]:
    """Yield the image files of datasets, for a target that has the ending of an image."""
    from auditor.config import image_files
    from auditor.errors import AuditorError
    from auditor.sources.pictures import ENDINGS

    if target.suffix.lower() in ENDINGS:
        with suppress(AuditorError, *_UNCLEAR):
            yield from ((path, dataset) for dataset, path in image_files(_config(arguments)).items())


def _config(arguments: Mapping[str, object]) -> Path | None:
    config = arguments.get("config")
    return config if isinstance(config, Path) else None


def _holds(path: Path, target: Path) -> bool:
    """Return whether a target is the file at a path, its compressed form, a match of its pattern, or in its folder."""
    with suppress(*_UNCLEAR):
        if path.is_dir():
            return target.is_file() and target.resolve().is_relative_to(path.resolve())
        if any(sign in path.name for sign in "*?[") and fnmatchcase(target.name, path.name):
            return target.is_file() and target.parent.samefile(path.parent)
    zipped = (path.with_name(path.name + ending) for ending in (".gz", ".zst") if path.name)
    return any(_is_same(target, file) for file in (path, *zipped))


def _is_same(target: Path, path: Path) -> bool:
    with suppress(*_UNCLEAR):
        if target.samefile(path):
            return True
    with suppress(*_UNCLEAR):
        return target.resolve() == path.resolve()
    return False
