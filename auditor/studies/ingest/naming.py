"""Which source does a user mean? From names, files and formats on the command line to a declared source."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor import config
from auditor.errors import SourceError
from auditor.model import Kind, Source
from auditor.remote import Near
from auditor.sources import bundle, guess, votes
from auditor.sources.bundle import MANIFEST, Manifest, open_manifest
from auditor.sources.reading.files import STDIN, expand, head, is_folder, is_stdin

#: What the files of a format hold, where it is not captions.
_KINDS: Mapping[str, Kind] = {
    "wordlist": "wordlist",
    "brown": "corpus",
    "conllu": "corpus",
    "judgements": "judgements",
    "triplets": "pairs",
    "choices": "choices",
    "vectors": "vectors",
}


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
    """Give the files that a user names, as SPLIT=FILE or not, with copies of those that are addresses."""
    found = []
    for path in paths:
        told = None if os.path.lexists(path) else config.OF_SPLIT.fullmatch(str(path))
        split, place = (f"{told[1]}=", Path(told[2])) if told else ("", path)
        found += [Path(f"{split}{copy}") for copy in near.files(place)]
    return found


def _format_of(paths: Sequence[Path]) -> str | None:
    path = paths[0] if len(paths) == 1 else STDIN
    if is_folder(path):
        return "bundle" if bundle.recognises(path, b"") else None
    return "bundle" if path.name == MANIFEST and path.is_file() and bundle.recognises(path, head(path)) else None


def described(
    source: Source, kind: str | None = None, declarations: Path | Mapping[str, Source] | None = None
) -> Source:
    """Complete a source with what its files say of their kind, where neither datasets.toml nor the user says it.

    Raises `SourceError` for a bundle without a manifest.
    """
    if source.dataset in config.sources(declarations):
        return source
    if source.format != "bundle":
        return _voted_on(source, kind) if _likely_format(source) == "votes" else _of_kind(source, kind)
    manifest = manifest_of(source)
    return dataclasses.replace(
        source,
        kind=source.kind if kind else manifest.kind,
        language=source.language or manifest.language,
        related=manifest.related,
    )


def _of_kind(source: Source, kind: str | None) -> Source:
    return source if kind else dataclasses.replace(source, kind=_KINDS.get(_likely_format(source), source.kind))


def _voted_on(source: Source, kind: str | None) -> Source:
    """Complete votes by their columns; questions of `auditor tasks` say whose images they are about."""
    part = source.parts[0]
    if any(is_stdin(path) for path in part.paths):
        return source if kind else dataclasses.replace(source, kind="pairs")
    about = votes.described_in(part)
    related = (about,) if about and config.DATASET_NAME.fullmatch(about) else source.related
    return dataclasses.replace(source, kind=source.kind if kind else votes.kind(part), related=related)


def _likely_format(source: Source) -> str:
    """Guess the format where nobody named it, except of standard input, which can be read only once."""
    if source.format or any(is_stdin(path) for part in source.parts for path in part.paths):
        return source.format
    return guess(source.parts[0])


def manifest_of(source: Source) -> Manifest:
    """Open the manifest of a source's bundle. Raises `SourceError` where it names more than one."""
    paths = [path for part in source.parts for path in expand(part)]
    if len(paths) != 1:
        raise SourceError(f"{source.dataset}: a bundle is a whole version; read one at a time")
    return open_manifest(paths[0])
