"""Which files a command line names: those that stand for datasets, and those that -o may never write over.

The one place that knows every file that a command writes, and every file that it or another command reads.
A dataset is named as it is called in the store, or by files, which are read into a store of their own.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn
from urllib.parse import urlsplit

from auditor.files import is_plain

#: Commands whose -o is a file of their own, in place of the result, and what they call it; the demo writes a page.
_WRITING = {"tasks": "file", "distractors": "file", "export": "target", "demo": "folder"}

#: Commands that make the folder of what they write.
_MAKING = ("export", "demo")

#: What a path that is compared with others may be: out of reach, a ring of links, no path at all.
_UNCLEAR = (OSError, ValueError, RuntimeError)

#: A metric in a file or a module, a parameter of a metric or of a format that names a file.
_NAMED = re.compile(r"sql:(.+)|python:([\w.]+)\.\w+|[\w.-]+:.*=file:([^,]+).*|\w+_file=(.+)", re.DOTALL)

_SIGNS = re.compile(r"[*?[]")

_ZIPPED = (".gz", ".zst")

#: Endings of files that no dataset's name has: what ends so is a file, also one that is not there.
_OF_FILES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".arrow")


def refuse_targets(command: str, arguments: Mapping[str, object]) -> None:
    """Refuse what cannot be written, or is read, before anything is computed. Raises `UsageError`.

    Read are the store with its log, the files that the command names, standard input, datasets.toml and the files of
    the datasets that it declares, datasets.lock. Another DuckDB file is refused too. A pipe or a device holds nothing
    that could be lost.
    """
    from auditor.remote import address_of
    from auditor.remote.addresses import on_disk

    for named in (_WRITING.get(command, "output"), *(["file"] if command == "bounds" else [])):
        target = arguments.get(named)
        if not isinstance(target, Path) or address_of(target) is not None:
            continue
        target = on_disk(target)
        read = {name: value for name, value in arguments.items() if name != named}
        for written in _written(command, target, arguments):
            if is_plain(written) or written.is_dir():
                _refuse_unwritable(command, written, may_be_folder=command == "export" and written == target)
            if is_plain(written):  # export replaces no folder but one that it made
                _refuse_read(written, _read(read, written))


def refuse_files_of(statement: str, values: Sequence[str], target: Path | None) -> None:
    """Refuse to write over a file that a statement or one of its values names. Raises `UsageError`."""
    if target is None or not target.is_file():
        return
    texts = [*values, *re.findall(r"'([^']*)'", statement), *re.findall(r'"([^"]*)"', statement)]
    met = any(Path(text).suffix == target.suffix and fnmatchcase(target.name, Path(text).name) for text in texts)
    if met or any(_holds(Path(name), target) for name in (*texts, *re.split(r"[\s(),;]+", statement)) if name):
        _refuse(target, "the statement reads it")


def _refuse(target: Path, what: str) -> NoReturn:
    from auditor.errors import UsageError

    raise UsageError(f"{target}: cannot be written: {what}; name another file")


def _refuse_unwritable(command: str, target: Path, *, may_be_folder: bool) -> None:
    """Refuse a file that cannot be: too long a name, a ring of links, a folder, a file in no folder."""
    try:
        target.resolve()
        if not may_be_folder and target.is_dir():
            _refuse(target, "it is a folder")
        if command not in _MAKING and not target.parent.is_dir():
            _refuse(target, f"there is no folder {target.parent}")
        target.exists()
    except (OSError, RuntimeError, ValueError) as error:
        _refuse(target, getattr(error, "strerror", None) or str(error))


def _refuse_read(target: Path, read: Iterator[tuple[Path, str]]) -> None:
    from auditor.store.file import is_database

    for path, what in read:
        if _holds(path, target):
            _refuse(target, what)
    logged = target.parent / target.stem if target.suffix == ".wal" else target
    with suppress(OSError):  # one that may not be read may not be written either
        if is_database(logged):
            _refuse(target, "it is a store" if logged == target else "it is the log of a store")


def _written(command: str, target: Path, arguments: Mapping[str, object]) -> Iterator[Path]:
    """List all files that a command writes because of -o."""
    if command == "demo":
        yield target / "audit.html"
        return
    yield target
    if command == "tasks":
        from auditor.studies.tasks import key_of

        yield key_of(target)
    elif command == "bounds" and target == arguments.get("file"):
        from auditor.scoring.scale_out.receipt import path_of

        yield path_of(target)
    elif command == "export" and arguments.get("without"):
        from auditor.studies.export import left_out_of

        yield target.with_name(left_out_of(target))


def _read(arguments: Mapping[str, object], target: Path) -> Iterator[tuple[Path, str]]:
    """List all files that a command reads, patterns and folders as they stand, and what is lost with each."""
    yield from _given(arguments)
    yield from _kept(arguments)
    for path, dataset in (*_declared(arguments), *_places(arguments)):
        yield path, f"dataset {dataset} is read from it"
    for path, dataset in _pictures(arguments, target):
        yield path, f"the images of dataset {dataset} are there"


def _given(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """List the files that the command line names, and the one that standard input comes from."""
    for name, value in arguments.items():
        if isinstance(value, Path):
            yield value, "it is the store in use" if name == "store" else "this command reads it"
            if name == "store":
                yield value.parent / f"{value.name}.wal", "it is the log of the store in use"
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and (found := _NAMED.fullmatch(text)):
                module = f"{found[2].replace('.', '/')}.py" if found[2] else None
                yield Path(module or found[1] or found[3] or found[4]), "this command reads it"
    yield Path("/dev/stdin"), "standard input comes from it"


def _places(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """List the files that stand for datasets."""
    for value in arguments.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and is_place(text):
                yield Path(text), text


def _kept(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """List what says which datasets there are, and what they held."""
    from auditor.config import shipped
    from auditor.config.lock import beside

    config = _config(arguments)
    yield beside(config), "it says what datasets held at their last ingest"
    for path in (config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml"), shipped()):
        yield path, "it declares datasets"


def _declared(arguments: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """List what datasets are read from, patterns and folders as they stand: those of --from, those of datasets.toml."""
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
    """List where the image files of datasets are, for a target that may be one of them by its ending."""
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
    """Return whether a target is the file at a path, compressed there, met by its pattern, or in its folder."""
    with suppress(*_UNCLEAR):
        if path.is_dir():
            return target.is_file() and target.resolve().is_relative_to(path.resolve())
        if any(sign in path.name for sign in "*?[") and fnmatchcase(target.name, path.name):
            return target.is_file() and target.parent.samefile(path.parent)
    zipped = (path.with_name(path.name + ending) for ending in (".gz", ".zst") if path.name)
    return any(_is_same(target, one) for one in (path, *zipped))


def _is_same(target: Path, path: Path) -> bool:
    with suppress(*_UNCLEAR):
        if target.samefile(path):
            return True
    with suppress(*_UNCLEAR):
        return target.resolve() == path.resolve()
    return False


def is_place(text: str) -> bool:
    """Return whether a dataset argument is a file, a folder, a pattern or an address: no dataset is called so."""
    suffix = PurePosixPath(text).suffix
    return "/" in text or bool(_SIGNS.search(text)) or suffix in _OF_FILES or (bool(suffix) and Path(text).is_file())


def named_apart(values: Mapping[str, Any], datasets: Iterable[str]) -> dict[str, str]:
    """Name what stands for datasets in the options `datasets`, where it is files: place by name, in their order.

    Raises `UsageError` where some of it is in a store, and some is not.
    """
    from auditor.errors import UsageError

    given = [text for option in datasets for text in _texts(values[option])]
    places = list(dict.fromkeys(text for text in given if is_place(text)))
    stored = next((text for text in given if text not in places), None)
    if places and stored is not None:
        name = _name(places[0])
        raise UsageError(
            f"{stored}: a name in a store, where {places[0]} is not: `auditor ingest {name} --from "
            f"{shlex.quote(places[0])}` first, and name both"
        )
    found: dict[str, str] = {}
    for place in places:
        name, number = _name(place), 2
        while name in found:
            name, number = f"{_name(place)}-{number}", number + 1
        found[name] = place
    return found


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Put the names of datasets where their places are."""
    by_place = {place: name for name, place in names.items()}
    if isinstance(value, str):
        return by_place.get(value, value)
    return [by_place.get(one, one) for one in value] if isinstance(value, list | tuple) else value


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _name(place: str) -> str:
    """Call a dataset by its file without endings, by its folder, or by the folder of its pattern."""
    of_web = re.match(r"https?://", place)
    path = PurePosixPath(urlsplit(place).path if of_web else place.partition("://")[2] or place)
    if _SIGNS.search(path.name):
        whole = [part for part in path.parent.parts if not _SIGNS.search(part) and part not in ("/", ".", "..")]
        word = whole[-1] if whole else Path.cwd().name
    else:
        path = path.with_suffix("") if path.suffix in _ZIPPED else path
        word = path.stem
    return re.sub(r"[^A-Za-z0-9._-]+", "-", word).strip("-._") or "captions"
