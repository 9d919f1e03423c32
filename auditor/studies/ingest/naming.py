"""Which source does a user mean? From names, files and formats on the command line to a declared source."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor import config
from auditor.errors import SourceError
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
    **asked: Any,
) -> list[Source]:
    """Find the sources that a user names, as `config.wanted` does; a bundle tells of itself what nobody else says.

    One path that is a bundle is read as one, whatever its dataset is declared to be.
    Raises `SourceError` for a bundle without a manifest.
    """
    file_format = file_format or _format_of(files)
    declared = config.sources(declarations)
    sources = config.wanted(names, files=files, file_format=file_format, kind=kind, config=declared, **asked)
    return [described(source, kind, declared) for source in sources]


def near_files(paths: Sequence[Path], near: Near) -> list[Path]:
    """Return the files that a user names, as SPLIT=FILE or not, with copies of those that are addresses."""
    found = []
    for path in paths:
        told = None if os.path.lexists(path) else config.OF_SPLIT.fullmatch(str(path))
        split, place = (f"{told[1]}=", Path(told[2])) if told else ("", path)
        found += [Path(f"{split}{copy}") for copy in near.files(place)]
    return found


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
    """Complete a source with what its files state of their kind, where neither datasets.toml nor the user does.

    Raises `SourceError` for a bundle without a manifest.
    """
    is_piped = any(is_stdin(path) for part in source.parts for path in part.paths)  # which can be read only once
    if source.dataset in config.sources(declarations) or (is_piped and not source.format):
        return source
    file_format = find_format(source.format or guess(source.parts[0]))
    found = manifest_of(dataclasses.replace(source, format=file_format.name)) or (
        Description(file_format.kind)
        if is_piped or file_format.describe is None
        else file_format.describe(source.parts[0])
    )
    return dataclasses.replace(
        source,
        kind=source.kind if kind else found.kind,
        language=source.language or found.language,
        related=tuple(name for name in found.related if config.DATASET_NAME.fullmatch(name)),
    )


def manifest_of(source: Source) -> Manifest | None:
    """Open the manifest of a source that is a whole version, a bundle. Raises `SourceError` where it names several."""
    opened = find_format(source.format).manifest
    if opened is None:
        return None
    paths = [path for part in source.parts for path in expand(part)]
    if len(paths) != 1:
        raise SourceError(f"{source.dataset}: a bundle is a whole version; read one at a time")
    return opened(paths[0])
