"""Which records of a source are valid captions? Imports them into the store as new versions."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from auditor.called import call
from auditor.config.lock import Entry, Lock
from auditor.errors import AdvisedError, SourceError
from auditor.findings.wording import item_of, said_of
from auditor.model import Progress, Selection, Source, location, silent
from auditor.result import Finding, Result, Said, Severity, Table, about, counted, listed
from auditor.sources import check, check_places, find_format, guess, ratings, read, reading
from auditor.sources.bundle import Manifest
from auditor.sources.format import Format
from auditor.sources.reading import encoding, files
from auditor.sources.reading import lines as text_lines
from auditor.sources.reading.declared import by_file_names, missing, named_files, split_lists, with_standard_input
from auditor.sources.reading.encoding import as_utf8
from auditor.sources.vectors.records import equally_long
from auditor.steps import Steps
from auditor.store import ingestion
from auditor.store.captions import unspaced
from auditor.store.connection import Store
from auditor.store.ingestion import Terms
from auditor.store.vectors import write as write_vectors
from auditor.studies.ingest.naming import First, how_read, manifest_of
from auditor.studies.ingest.vectors import against_captions, are_vectors
from auditor.text import AT_INGEST

#: The default for the largest share of rejected records of a source.
MAX_REJECTED = 0.01

_SHOWN_REFUSALS = 10


@dataclass(frozen=True)
class _Done:
    """A source with the format that was used, the result of its ingest, and the sha256 of its files.

    `sentences` are on how it was read, `remarks` on its files. `item` is what its captions describe.
    """

    source: Source
    made: ingestion.Ingest
    source_sha256: str
    sentences: list[str]
    remarks: list[Said]
    item: str

    def entry(self) -> Entry:
        """Return its entry in the lock."""
        version = self.made.version
        return Entry(version.version, self.source_sha256, version.images, version.captions, self.source.format)


def ingest_sources(
    store: Store,
    sources: Sequence[Source],
    note: str | None = None,
    progress: Progress = silent,
    *,
    max_rejected: float = MAX_REJECTED,
    skip_missing: bool = False,
    lock: Lock | None = None,
) -> Result:
    """Ingest the sources in the given order, each in a separate transaction.

    `max_rejected` is the largest share of rejected records of a source. With `skip_missing`, sources without files are
    listed in a note. The versions are written to `lock`; a frozen lock determines which versions are accepted.
    Raises `SourceError` for the first source that cannot be read or has another version; earlier ones are kept.
    """
    terms = Terms(max_rejected)
    locked = lock.known() if lock and lock.frozen else ()
    there = [source for source in sources if source.dataset in locked or not (skip_missing and missing(source))]
    if not there:
        raise SourceError(f"none of these datasets is in the data folder; download one with `{call('fetch', 'NAME')}`")
    expected = lock.expected([source.dataset for source in there]) if lock else {}
    done, steps = list[_Done](), Steps(progress, [source.dataset for source in there])
    try:
        for source in steps.over(there):
            drop = call("store drop", source.dataset, yes=True)
            accepted = dataclasses.replace(terms, if_other=f"choose another name, or run `{drop}` first")
            accepted = _locked(terms, expected[source.dataset], lock) if lock and lock.frozen else accepted
            done.append(_ingest(store, source, note, accepted, steps))
    finally:
        if lock and done:
            lock.keep({ingested.source.dataset: ingested.entry() for ingested in done})
    rows = pl.DataFrame([_row(ingested.source, ingested.made) for ingested in done])
    shown = rows.with_columns(status=pl.format("{} v{}", "status", "seq")).drop("seq", "version")
    absent = [source.dataset for source in sources if source not in there]
    notes: list[Said] = [f"skipped, not in the data folder: {', '.join(absent)}; see `auditor fetch`"] if absent else []
    refused = [(ingested.source.dataset, ingested.made.rejected) for ingested in done]
    for ingested in done:
        notes += _said(store, ingested, expected.get(ingested.source.dataset), note)
    return Result(
        command="ingest",
        frame=rows,
        selections=tuple(Selection(ingested.made.version) for ingested in done),
        tables=(Table("ingested", shown, name="ingested"), *_refusals(refused)),
        said=notes,
    )


def _said(store: Store, done: _Done, locked: Entry | None, note: str | None) -> list[Said]:
    """Return what a reader should know of an ingested source."""
    remarks = [*done.remarks, *_other_files(done, locked), *_surprises(done.source, done.made, note)]
    said = [*done.sentences, *said_of(remarks, done.item)]
    whole = Selection(done.made.version)
    if whole.version.kind == "vectors":
        return [*said, *against_captions(store, whole.version, done.source.related)]
    why = unspaced(store, whole)
    return [*said, _finding("captions-without-blanks", whole, why)] if why else said


def _row(source: Source, made: ingestion.Ingest) -> dict[str, object]:
    facts = {"dataset": source.dataset, "status": "new" if made.is_new else "unchanged"}
    facts |= {name: getattr(made.version, name) for name in ("seq", "version", "images", "captions")}
    counts = {"read": made.read, "normalized": made.normalized, "rejected": made.rejected.height}
    return {**facts, **counts, "added": made.added, "removed": made.removed}


def _refusals(rejections: Sequence[tuple[str, pl.DataFrame]]) -> tuple[Table, ...]:
    refused = pl.concat(rejected.select(pl.lit(dataset).alias("dataset"), pl.all()) for dataset, rejected in rejections)
    if refused.is_empty():
        return ()
    shown = refused.head(_SHOWN_REFUSALS)
    places = [location(*where) for where in shown.select("source", "unit", "line").iter_rows()]
    more = refused.height - shown.height
    rows = shown.select("dataset", pl.Series("where", places), "reason", "raw")
    caption = f'{more:,} more: auditor sql "from rejected"' if more else None
    return (Table("rejected records, stored in table rejected", rows, caption=caption, name="refused"),)


def _ingest(store: Store, source: Source, note: str | None, terms: Terms, progress: Progress) -> _Done:
    try:
        return _ingested(store, source, note, terms, progress)
    except SourceError as error:
        advised = _advised(error, source)
        if advised is error:
            raise
        raise advised from error


def _advised(error: SourceError, source: Source) -> SourceError:
    """Add the likely encoding, and the option that sets it, to the error for a file that is not UTF-8."""
    message, is_set = str(error), any("encoding" in part.options for part in source.parts)
    if is_set or not re.search(r"not UTF-8 \(byte|: UTF-16;|\0", message):
        return error
    parts = (part for part in source.parts if not any(map(files.is_stdin, part.paths)))
    every = (path for part in parts for path in files.expand(part))
    for path in (path for path in every if path.is_file() and path.name in message):
        if (both := encoding.mixed(path)) is not None:
            return SourceError(f"{message}; {both}")
        if (guessed := encoding.guess(path)) is not None:
            return AdvisedError(f"{message}; {path.name} looks like {guessed}: --encoding {guessed}", encoding=guessed)
    return error


def _ingested(store: Store, source: Source, note: str | None, terms: Terms, progress: Progress) -> _Done:
    with with_standard_input(source) as original, as_utf8(original) as there:
        guessed = not there.format
        completed = dataclasses.replace(there, format=guess(there.parts[0])) if guessed else there
        file_format = find_format(completed.format)
        if manifest := manifest_of(completed):
            completed, note, terms = _bundled(completed, manifest, note, terms)
        for part in completed.parts:
            check(part, completed.format)
        if completed.obtain and (why := missing(completed)):
            where = "not all of its files are in the data folder"
            raise SourceError(f"{completed.dataset}: {where}: {why}. {completed.obtain}")
        for part in completed.parts:
            check_places(part, completed.format)
        completed, splits = by_file_names(completed) if file_format.split_by_name else (completed, None)
        cut, first = Counter[str](), First()
        named = named_files(dataclasses.replace(completed, parts=original.parts))
        holds_vectors = are_vectors(completed)
        named += [path for part in completed.parts for path in file_format.beside(part) if path not in named]
        watch = files.Watch([*named, *map(files.locate, completed.splits.values())])
        sha256 = files.sha256(named)
        if holds_vectors:
            rows = watch.over(equally_long(chain.from_iterable(map(file_format.read, completed.parts))))
            made = write_vectors(store, completed, rows, sha256, note, terms, progress)
        else:
            batches = watch.over(chain.from_iterable(read(part, completed.format, cut) for part in completed.parts))
            captions, lists = first.of(batches), split_lists(completed)
            made = ingestion.write(store, completed, captions, lists, AT_INGEST, sha256, note, terms, progress)
        remarks: list[Said] = [splits] if splits else []
        if shortened := cut["captions"]:
            remarks.append(f"{completed.dataset}: {shortened:,} captions cut to their first sentence")
        remarks += _of_files(completed, file_format, Selection(made.version))
        found, item = reading(completed.parts[0], completed.format), item_of(completed, first.names)
        sentences = how_read(completed, found, first, made.spoken, item, detected=guessed or manifest is not None)
    return _Done(completed, made, sha256, sentences, remarks, item)


def _locked(terms: Terms, entry: Entry, lock: Lock) -> Terms:
    return dataclasses.replace(
        terms,
        version=entry.version,
        images=entry.images,
        captions=entry.captions,
        named_by=str(lock.path),
        remedy="get the files of that version, or ingest without --frozen to accept these",
    )


def _bundled(source: Source, manifest: Manifest, note: str | None, terms: Terms) -> tuple[Source, str | None, Terms]:
    """Accept only the version and the splits of a bundle, and its note unless the user sets one."""
    if terms.version not in (None, manifest.version):
        raise SourceError(
            f"{source.dataset}: {manifest.path} names version {manifest.version[:12]}, {terms.named_by} names "
            f"{str(terms.version)[:12]}; the store is unchanged; {terms.remedy}"
        )
    accepted = Terms(
        max_rejected=0.0,
        version=manifest.version,
        images=manifest.images,
        captions=manifest.captions,
        named_by=str(manifest.path),
        remedy="read the bundle without settings, download it again, or export it again",
    )
    return dataclasses.replace(source, splits={}), note or manifest.note, accepted


def _other_files(done: _Done, locked: Entry | None) -> list[str]:
    """Report if other files than those in the lock gave the same version."""
    if locked is None or locked.version != done.made.version.version or locked.source_sha256 == done.source_sha256:
        return []
    was, now = locked.source_sha256[:12], done.source_sha256[:12]
    return [f"{done.source.dataset}: the same version as in the lock, but from other files (sha256 {now}, not {was})"]


def _of_files(source: Source, file_format: Format, whole: Selection) -> list[Finding]:
    """Find text files that may be truncated, and ratings that were ignored."""
    paths = [path for path in named_files(source) if path.name.endswith(file_format.lines) and path.is_file()]
    ends = {path: text_lines.unended(path) for path in paths}
    unended = [f"{path.name}:{number}" for path, number in ends.items() if number is not None]
    name, findings = source.dataset, []
    if unended:
        sentence = f"{name}: the last line has no line ending, so the file may be truncated: {listed(unended, 3)}"
        findings.append(_finding("file-cut-off", whole, sentence, "warning", files=len(unended)))
    rated = tuple(ratings(source.parts[0], source.format)) if source.kind == "captions" else ()
    if rated:
        sentence = f"{name}: captions are stored without the ratings in column {listed(rated, 3)}. "
        sentence += "If these are human ratings, import the file with --format judgements"
        findings.append(_finding("ratings-not-read", whole, sentence, "warning", columns=len(rated)))
    return findings


def _finding(
    kind: str, selection: Selection, sentence: str, severity: Severity = "notice", n: int | None = None, **values: int
) -> Finding:
    return Finding(kind, sentence, about(selection), dict(values), n, severity)


def _surprises(source: Source, made: ingestion.Ingest, note: str | None) -> Iterator[Said]:
    """Yield differences from what datasets.toml declares or the user expects."""
    name, version, whole = source.dataset, made.version, Selection(made.version)
    counts = (("images", source.images, version.images), ("captions", source.captions, version.captions))
    for what, declared, count in counts:
        if declared is not None and declared != count:
            apart = f"{abs(count - declared):,} {'more' if count > declared else 'fewer'}"
            sentence = f"{name}: {count:,} {what}, {apart} than the {declared:,} declared"
            yield _finding("counts-not-declared", whole, sentence, "warning", **{what: count, "declared": declared})
    if made.single_images and source.kind == "captions":
        names = ", ".join(made.single_names) + (", …" if made.single_images > len(made.single_names) else "")
        subject = counted(made.single_images, "image has", "images have")
        sentence = f"{name}: {subject} a single caption, which has no reference and gets no score: {names}"
        if made.single_images == version.images > 1:
            all_images = f"all {made.single_images:,} images have a single caption"
            sentence = f"{name}: {all_images}. Leave-one-out scores are not available"
        yield _finding("one-caption-images", whole, sentence, n=version.images, images=made.single_images)
    if made.is_other:
        drop = call("store drop", f"{name}@v{version.seq}")
        yield (
            f"{name}: warning: v{version.seq} shares no caption with v{version.seq - 1}; if these are other data, "
            f"remove it with `{drop}` and ingest it under another name"
        )
    yield from (f"{name}: split {split} counts as {role}" for split, role in source.split_roles.items())
    if made.left_out:
        by_language = any("lang" in part.options for part in source.parts)
        why = "another language, or none" if by_language else find_format(source.format).why_left_out
        sentence = f"{name}: {counted(made.left_out, 'record', 'records')} skipped: {why}"
        yield _finding("records-left-out", whole, sentence, records=made.left_out)
    if made.listed_missing:
        subject = counted(made.listed_missing, "image of the split lists has", "images of the split lists have")
        values = {"without_caption": made.listed_missing}
        yield _finding("split-lists-do-not-match", whole, f"{name}: {subject} no caption", "warning", **values)
    if source.splits and made.unlisted:
        sentence = f"{name}: {counted(made.unlisted, 'image is', 'images are')} in no split list"
        yield _finding("split-lists-do-not-match", whole, sentence, "warning", unlisted=made.unlisted)
    if note is not None and not made.is_new:
        yield f"{name}: unchanged, so the note was not stored; `{call('store tag', name, note=note)}` adds it"
