"""Datasets and gates declared in `datasets.toml`; versions recorded in `datasets.lock`."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast, get_args

from auditor.config.checks import FINDING, declared_checks
from auditor.config.declaration import IMAGES, declared_images, declared_source
from auditor.errors import UsageError, suggested
from auditor.files import read_text
from auditor.model import COMMON_OPTIONS, Check, Gate, Kind, Option, Part, Source

#: A file of a split, as users type it.
OF_SPLIT = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)=(.+)")

DATASET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

#: The deepest nesting of tables and lists that is read; no declaration needs as much.
_DEEPEST = 32

#: A BCP 47 tag as users type it: a language, then subtags.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")

#: Most declared datasets that the error for an unknown name lists.
_NEAREST = 4

CHECK = "check"

_SQL = "sql"

_EXAMPLE = '[[check.sql]] needs name = "…" and sql = "select …", and nothing else'


class Declared(dict[str, Source]):
    """The datasets that are declared, by name, and the checks of the user."""

    def __init__(self, named: Mapping[str, Source], own: tuple[Check, ...]) -> None:
        super().__init__(named)
        self.checks = own


def shipped() -> Path:
    """Find the `datasets.toml` that came with the package, installed or in a checkout."""
    package = Path(__file__).parents[1]
    return next(path for path in (package / "datasets.toml", package.parent / "datasets.toml") if path.exists())


def sources(config: Path | Mapping[str, Source] | None = None, data: Path | None = None) -> Declared:
    """Read every declared dataset: of `config` alone, or of the shipped file and the user's file, which wins.

    Paths start from `data`, else from AUDITOR_DATA, else from the file's `[settings] data`; in the last case nothing is
    downloaded outside the folder of that file, since its author may be a stranger.

    Raises `UsageError` for a file that is not TOML, and for a table with an unknown key or a wrong value.
    """
    declared = Declared(config if isinstance(config, Mapping) else {}, checks(config))
    for file in () if isinstance(config, Mapping) else _files(config):
        declared |= _read(file, data)
    return declared


def checks(config: Path | Mapping[str, Source] | None = None) -> tuple[Check, ...]:
    """Read every check of a user, as `sources` reads datasets. Of two with one name, the last file wins."""
    if isinstance(config, Mapping):
        return config.checks if isinstance(config, Declared) else ()
    every = (check for file in _files(config) for check in declared_checks(file, _toml(file).get(FINDING, {})))
    return tuple({check.name: check for check in every}.values())


def gates(config: Path | None = None) -> list[Gate]:
    """Read every declared gate: of `config` alone, or of the shipped file and the user's file.

    Each dataset has a gate once: the last file wins. Raises `UsageError` for a check that cannot be read; the study
    decides whether a gate exists.
    """
    declared: dict[tuple[str | None, tuple[str, ...]], Gate] = {}
    for file in _files(config):
        for gate in declared_gates(file, _toml(file)):
            declared[gate.dataset, gate.keys] = gate
    return [*declared.values()]


def image_files(config: Path | Mapping[str, Source] | None = None, data: Path | None = None) -> dict[str, Path]:
    """Return where the image files of datasets are: a folder or a pattern each, by dataset.

    A table with only `images` (and gates) adds them to a dataset that is declared elsewhere or not at all. The last
    file wins. Raises `UsageError` as `sources` does.
    """
    if isinstance(config, Mapping):
        return {name: source.image_files for name, source in config.items() if source.image_files}
    files: dict[str, Path] = {}
    for file in _files(config):
        tables, folder, _ = _tables(file, data)
        files |= _image_files(file, tables, folder)
    return files


def _files(config: Path | None) -> list[Path]:
    """List the files to read, in order."""
    own = config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml")
    files = [shipped()] if config is None else []
    if own.exists():
        files += [own] if not any(own.samefile(file) for file in files) else []
    elif config is not None or os.environ.get("AUDITOR_CONFIG"):
        raise UsageError(f"{own}: no such file; set AUDITOR_CONFIG or --config to an existing datasets.toml")
    return files


def wanted(
    names: Sequence[str],
    *,
    everything: bool = False,
    files: Sequence[Path] = (),
    file_format: str | None = None,
    kind: str | None = None,
    options: Mapping[str, Option] | None = None,
    language: str | None = None,
    config: Path | Mapping[str, Source] | None = None,
) -> list[Source]:
    """Return the sources that a user names; with `files`, one source, read from them.

    The format of a source read from undeclared files is "" without `file_format`; so is its language. Raises
    `UsageError` for a name that is not declared, or options that contradict each other.
    """
    declared = sources(config)
    if everything:
        names = [*declared]
    if not names:
        raise UsageError("no dataset: name one, or use --all for every dataset that datasets.toml declares")
    if not files:
        if file_format or kind or options or language:
            raise UsageError(
                "--format, --kind, --language, --encoding and the column options describe a file: add --from FILE"
            )
        if len(names) > 1 and names[0] not in declared and all(Path(name).is_file() for name in names[1:]):
            raise UsageError(f"{names[1]} is a file: `auditor ingest {names[0]} --from {shlex.quote(names[1])}`")
        return [source(name, declared) for name in dict.fromkeys(names)]
    if len(names) > 1:
        raise UsageError("--from reads one dataset: name only one")
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise UsageError(f"--language {language}: expected a BCP 47 tag such as de, pt-BR or zh-Hant")
    chosen = _from_files(names[0], declared.get(names[0]), files, file_format, kind, options or {})
    return [dataclasses.replace(chosen, language=language or chosen.language)]


def source(name: str, declared: Mapping[str, Source]) -> Source:
    """Return a dataset by its name. Raises `UsageError`, which lists the nearest ones."""
    if name in declared:
        return declared[name]
    near = get_close_matches(name, declared, _NEAREST) or sorted(declared)[:_NEAREST]
    known = ", ".join(near) + (f" and {more} more" if (more := len(declared) - len(near)) > 0 else "")
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(name).stem).strip("-._") or "NAME"
    file = f"{stem} --from {shlex.quote(name)}" if Path(name).is_file() else "NAME --from FILE"
    raise UsageError(
        f"{name}: not declared in datasets.toml, which has {known}; to read a file: `auditor ingest {file}`"
    )


def _from_files(
    name: str,
    declared: Source | None,
    files: Sequence[Path],
    file_format: str | None,
    kind: str | None,
    options: Mapping[str, Option],
) -> Source:
    if not DATASET_NAME.fullmatch(name):
        raise UsageError(f"{name}: a dataset name can contain only letters, digits, '.', '_' and '-'")
    if kind is not None and kind not in get_args(Kind):
        raise UsageError(f"--kind {kind}: unknown kind; {suggested(kind, get_args(Kind))}")
    if declared is None:
        declared = Source(name, "captions", "", (), language="")
    kept = declared.parts[0].options if len(declared.parts) == 1 else {}
    if file_format not in (None, declared.format):
        kept = {name: value for name, value in kept.items() if name in COMMON_OPTIONS}
    return dataclasses.replace(
        declared,
        parts=_parts(files, {**kept, **options}, unnamed=not declared.splits),
        format=file_format or declared.format,
        kind=cast("Kind", kind or declared.kind),
    )


def _parts(files: Sequence[Path], options: Mapping[str, Option], *, unnamed: bool) -> tuple[Part, ...]:
    """Read `SPLIT=FILE` as a file of a split; files of the same split, and files of none, form a part."""
    by_split: dict[str | None, list[Path]] = {}
    for file in files:
        match = OF_SPLIT.fullmatch(str(file))
        split, path = (match[1], Path(match[2])) if match and not os.path.lexists(file) else (None, file)
        by_split.setdefault(split, []).append(path)
    return tuple(
        Part(tuple(paths), split, options, unnamed=unnamed and split is None) for split, paths in by_split.items()
    )


def _toml(file: Path) -> dict[str, Any]:
    """Return the tables of a TOML file. Raises `UsageError` where it cannot be read."""
    try:
        tables = _parsed(read_text(file))
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise UsageError(f"{file}: not TOML: {error}") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    level: list[Any] = [tables]
    for _ in range(_DEEPEST):
        level = [
            held
            for part in level
            if isinstance(part, dict | list)
            for held in (part.values() if isinstance(part, dict) else part)
        ]
    if level:
        raise UsageError(f"{file}: tables and lists are nested more than {_DEEPEST} levels deep")
    return dict(tables)


@functools.lru_cache(maxsize=4)
def _parsed(text: str) -> dict[str, Any]:
    """Parse a file once, however often a command reads it: the shipped one takes as long as a small ingest."""
    return tomllib.loads(text)


def _read(file: Path, data: Path | None) -> dict[str, Source]:
    tables, folder, within = _tables(file, data)
    _image_files(file, tables, folder)  # reports mistakes in tables that only add image files
    return {name: _source(file, name, table, folder, within) for name, table in tables.items() if not _only_adds(table)}


def _image_files(file: Path, tables: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    paths = {
        name: declared_images(f"{file}: [{name}]", table.get(IMAGES), folder)
        for name, table in tables.items()
        if isinstance(table, dict)
    }
    return {name: path for name, path in paths.items() if path is not None}


def _tables(file: Path, data: Path | None) -> tuple[dict[str, Any], Path, Path | None]:
    """Return the tables of datasets, the folder where their paths start, and the folder for downloads, if any."""
    tables = _toml(file)
    tables.pop(CHECK, None)
    tables.pop(FINDING, None)
    settings = tables.pop("settings", {})
    if not isinstance(settings, dict) or not isinstance(settings.get("data", ""), str):
        raise UsageError(f"{file}: [settings] data must be the name of a folder")
    if data is None and "AUDITOR_DATA" in os.environ:
        data = Path(os.environ["AUDITOR_DATA"])
    within = None
    if data is None:
        within = None if file == shipped() else file.parent
        # The shipped file is inside the package: its data folder is the working folder.
        data = (Path() if file == shipped() else file.parent) / settings.get("data", ".")
    return tables, data, within


def _only_adds(table: Any) -> bool:
    """Return whether a table only adds gates or image files to a dataset."""
    if not isinstance(table, dict) or not table:
        return False
    return set(table) <= {CHECK, IMAGES} and not isinstance(table.get(IMAGES), int)


def _source(file: Path, name: str, table: Any, data: Path, within: Path | None) -> Source:
    where = f"{file}: [{name}]"
    if not isinstance(table, dict) or not DATASET_NAME.fullmatch(name):
        raise UsageError(f"{where}: expected a table named with letters, digits, '.', '_' and '-'")
    return declared_source(where, name, {key: value for key, value in table.items() if key != CHECK}, data, within)


def declared_gates(file: Path, tables: Mapping[str, Any]) -> list[Gate]:
    """Read `[check]` and every `[NAME.check]` of a file, in this order.

    Raises `UsageError` for a check that is not a table, and for SQL that lacks its name or statement. The study checks
    the names of gates and their limits.
    """
    own = {name: table[CHECK] for name, table in tables.items() if isinstance(table, dict) and CHECK in table}
    checks = [(None, tables.get(CHECK, {})), *own.items()]
    return [gate for dataset, table in checks for gate in _gates(file, dataset, table)]


def _gates(file: Path, dataset: str | None, table: Any) -> Iterator[Gate]:
    where = Gate(dataset, (), table, file).where
    if not isinstance(table, dict):
        raise UsageError(f"{where}: check must be a table of gates, such as images.min = 1000")
    statements = table.get(_SQL, [])
    if not isinstance(statements, list):
        raise UsageError(f"{where}: {_EXAMPLE}")
    for keys, limit in _leaves({key: value for key, value in table.items() if key != _SQL}):
        yield Gate(dataset, keys, limit, file)
    names = set()
    for entry in statements:
        texts = isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values())
        if not texts or set(entry) != {"name", _SQL}:
            raise UsageError(f"{where}: {_EXAMPLE}")
        if entry["name"] in names:
            raise UsageError(f"{where}: two checks are called {entry['name']!r}; rename one")
        names.add(entry["name"])
        yield Gate(dataset, (_SQL, entry["name"]), entry[_SQL], file)


def _leaves(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values of nested tables with their dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value
