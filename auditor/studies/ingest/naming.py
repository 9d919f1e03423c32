"""Which source does the user mean, and how was it read? From names, files and formats to a declared source."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from auditor import config
from auditor.called import call
from auditor.errors import AdvisedError, AuditorError, SourceError, UsageError
from auditor.files.folders import temporary
from auditor.model import Batches, Narrate, Option, Source, location
from auditor.remote import Near
from auditor.result import IMAGE, listed
from auditor.sources import FORMATS, find_format, guess, read
from auditor.sources.bundle import Manifest
from auditor.sources.format import Description, Reading
from auditor.sources.reading.archives import sole_table
from auditor.sources.reading.encoding import as_utf8
from auditor.sources.reading.files import STDIN, expand, head, is_folder, is_stdin
from auditor.store.ingestion import Spoken


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
def advice(names: Sequence[str], typed: Sequence[str], given: Sequence[Path]) -> Iterator[None]:
    """Add the command that reads the files to an error that knows the options for it, if it reads their first rows."""
    try:
        yield
    except AdvisedError as error:
        if not (error.arguments and names and typed and _reads(names, given, **error.arguments)):
            raise
        raise SourceError(f"{error}; try `{call('ingest', *names, files=typed, **error.arguments)}`") from error


def _reads(names: Sequence[str], given: Sequence[Path], **arguments: Any) -> bool:
    """Return whether arguments of `ingest` read most of the first rows of files."""
    held = {name: value for name, value in arguments.items() if name not in ("file_format", "options")}
    columns = {name: tuple(value) if isinstance(value, list) else value for name, value in held.items()}
    options = settings(arguments.get("options", ()), columns)
    try:
        source = config.wanted(names, files=given, file_format=arguments.get("file_format"), options=options)[0]
        with as_utf8(source) as there:
            part = there.parts[0]
            rows = next(read(part, there.format or guess(part)))
    except AuditorError:
        return False
    return 2 * rows["reason"].null_count() > rows.height


def settings(pairs: Sequence[str], named: Mapping[str, Option | None]) -> dict[str, Option]:
    """Read KEY=VALUE pairs as the settings of a format, and add those that have a separate option.

    A key that ends in `_file` is a path; `true` and `false` are booleans; a repeated key has several values.
    Raises `UsageError` for text that is not a pair.
    """
    held: dict[str, Option] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option {pair}: expected KEY=VALUE")
        given: Option = {"true": True, "false": False}.get(value.lower(), value)
        given = Path(value) if key.endswith("_file") else given
        before = held.get(key, ())
        held[key] = (*(before if isinstance(before, tuple) else (str(before),)), value) if key in held else given
    return held | {key: value for key, value in named.items() if value is not None}


def near_files(paths: Sequence[Path], near: Near) -> list[Path]:
    """Return the files that the user names, also as SPLIT=FILE, with local copies of URLs."""
    local = []
    for path in paths:
        match = None if os.path.lexists(path) else config.OF_SPLIT.fullmatch(str(path))
        split, file = (f"{match[1]}=", Path(match[2])) if match else ("", path)
        local += [Path(f"{split}{copy}") for copy in near.files(file)]
    return local


@contextmanager
def without_archives(paths: Sequence[Path], narrate: Narrate, file_format: str | None = None) -> Iterator[list[Path]]:
    """Replace each zip archive by the only table in it, unless a format is named; errors name the archive."""
    with temporary() as folder:
        copies: dict[Path, Path] = {}
        for number, path in enumerate(paths):
            found = None if file_format else sole_table(path, folder / str(number))
            if found is not None:
                copies[path] = found[0]
                rest = f"; not read: {listed(found[1], _UNREAD)}" if found[1] else ""
                narrate(f"{path}: reading {found[0].name}, the only table in the archive{rest}")
        try:
            yield [copies.get(path, path) for path in paths]
        except SourceError as error:
            message = str(error)
            for path, copy in copies.items():
                message = message.replace(str(copy), f"{path}/{copy.name}")
            if message == str(error):
                raise
            raise SourceError(message) from error


def _format_of(paths: Sequence[Path]) -> str | None:
    path = paths[0] if len(paths) == 1 else STDIN
    if is_stdin(path) or not (is_folder(path) or path.is_file()):
        return None
    start = b"" if is_folder(path) else head(path)
    return next((each.name for each in FORMATS.values() if each.manifest and each.recognizes(path, start)), None)


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


#: How many columns that are not read are named.
_UNREAD = 12

_LONGEST = 100


class First:
    """The first accepted caption of a source, when its batches have been read, and the `names` of its first images."""

    def __init__(self) -> None:
        self.names = pl.Series("image", [], pl.String)
        self._row: dict[str, str | int | None] | None = None

    def of(self, batches: Batches) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        for batch in batches:
            self.names = self.names if self.names.len() else batch["image"]
            if self._row is None:
                is_kept = pl.col("reason").is_null() & pl.col("left_out").is_null() & (pl.col("text") != "")
                self._row = next(batch.filter(is_kept).head(1).iter_rows(named=True), None)
            yield batch

    def __str__(self) -> str:
        """Return the image, the caption and its location; empty without a caption."""
        if self._row is None:
            return ""
        text = " ".join(str(self._row["text"]).split())
        shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        at = location(str(self._row["source"]), str(self._row["unit"]), int(self._row["line"] or 0))
        return f"{self._row['image']} “{shown}” ({at})"


def how_read(
    source: Source, reading: Reading, first: First, spoken: Spoken | None, item: str, *, detected: bool
) -> list[str]:
    """Return the sentences about a source: where its captions come from, an example, the language.

    `detected` is set if the user did not name the format. `item` is what captions describe.
    """
    dataset, places = source.dataset, reading.places
    parts = [f"{item if thing == IMAGE else thing} ← {place}" for thing, place in places.items()]
    if places and "split" not in places:
        has_splits = source.splits or any(part.split or part.named_split for part in source.parts)
        parts.append("split ← given with the files" if has_splits else "no split")
    unread = [name or "(unnamed)" for name in reading.unread]
    parts += [f"not read: {listed(unread, _UNREAD)}"] if unread else []
    where = f": {'; '.join(parts)}" if parts else ""
    sentences = [f'{dataset}: {"detected " if detected else ""}format "{source.format}"{where}']
    sentences += [f"{dataset}: {remark}" for remark in reading.remarks]
    sentences += [f"{dataset}: the first caption: {first}"] if str(first) else []
    sentences += [f"{dataset}: language {spoken.language}, {spoken.why}"] if spoken else []
    return sentences
