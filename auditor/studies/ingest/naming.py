"""Which source does the user mean? From names, files and formats on the command line to a declared source."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auditor import config
from auditor.errors import AdvisedError, SourceError
from auditor.model import Source
from auditor.remote import Near
from auditor.sources import FORMATS, find_format, guess
from auditor.sources.bundle import Manifest
from auditor.sources.format import Description
from auditor.sources.reading.files import STDIN, expand, head, is_folder, is_stdin


def wanted(
    names: Sequence[str],
    *,
    files: Sequence[Path],
    file_format: str | None = None,
    kind: str | None = None,
    declarations: Path | Mapping[str, Source] | None = None,
    **options: Any,
) -> list[Source]:
    """Find the sources that the user names, like `config.wanted`; a bundle describes itself.

    A single path to a bundle is always read as a bundle, even if its dataset is declared differently.
    Raises `SourceError` for a bundle without a manifest.
    """
    file_format = file_format or _format_of(files)
    declared = config.sources(declarations)
    sources = config.wanted(names, files=files, file_format=file_format, kind=kind, config=declared, **options)
    return [described(source, kind, declared) for source in sources]


@contextmanager
def advice(names: Sequence[str], files: Sequence[str]) -> Iterator[None]:
    """Add the command that reads the files to an error that knows the options for it."""
    try:
        yield
    except AdvisedError as error:
        if not (error.options and names and files):
            raise
        given = [word for file in files for word in ("--from", file)]
        options = [word for name, value in error.options for word in (f"--{name}", value)]
        raise SourceError(f"{error}; try: {shlex.join(['auditor', 'ingest', *names, *given, *options])}") from error


def near_files(paths: Sequence[Path], near: Near) -> list[Path]:
    """Return the files that the user names, also as SPLIT=FILE, with local copies of URLs."""
    local = []
    for path in paths:
        match = None if os.path.lexists(path) else config.OF_SPLIT.fullmatch(str(path))
        split, file = (f"{match[1]}=", Path(match[2])) if match else ("", path)
        local += [Path(f"{split}{copy}") for copy in near.files(file)]
    return local


def _format_of(paths: Sequence[Path]) -> str | None:
    path = paths[0] if len(paths) == 1 else STDIN
    if is_stdin(path) or not (is_folder(path) or path.is_file()):
        return None
    start = b"" if is_folder(path) else head(path)
    return next(
        (
            file_format.name
            for file_format in FORMATS.values()
            if file_format.manifest and file_format.recognizes(path, start)
        ),
        None,
    )


def described(
    source: Source, kind: str | None = None, declarations: Path | Mapping[str, Source] | None = None
) -> Source:
    """Complete a source with the kind and language in its files, unless datasets.toml or the user sets them.

    Raises `SourceError` for a bundle without a manifest.
    """
    is_piped = any(is_stdin(path) for part in source.parts for path in part.paths)  # which can be read only once
    if source.dataset in config.sources(declarations) or (is_piped and not source.format):
        return source
    file_format = find_format(source.format or guess(source.parts[0]))
    description = manifest_of(dataclasses.replace(source, format=file_format.name)) or (
        Description(file_format.kind)
        if is_piped or file_format.describe is None
        else file_format.describe(source.parts[0])
    )
    return dataclasses.replace(
        source,
        kind=source.kind if kind else description.kind,
        language=source.language or description.language,
        related=tuple(name for name in description.related if config.DATASET_NAME.fullmatch(name)),
    )


def manifest_of(source: Source) -> Manifest | None:
    """Open the manifest of a bundle, null for other sources. Raises `SourceError` for several bundles."""
    opened = find_format(source.format).manifest
    if opened is None:
        return None
    paths = [path for part in source.parts for path in expand(part)]
    if len(paths) != 1:
        raise SourceError(f"{source.dataset}: a bundle is a whole version; import one at a time")
    return opened(paths[0])
