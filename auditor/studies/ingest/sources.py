"""What does a file hold, and what of it is kept? Reads sources into the store as new versions."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import polars as pl

from auditor.config.lock import Entry, Lock
from auditor.errors import SourceError, UsageError
from auditor.model import Progress, Selection, Source, place, silent
from auditor.result import Finding, Result, Said, Severity, Table, about, counted, findings_in, listed, notes_in
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.sources import check, check_places, find_format, guess, ratings, read, remarks
from auditor.sources.bundle import Manifest
from auditor.sources.format import Format
from auditor.sources.reading import encoding, files
from auditor.sources.reading import lines as text_lines
from auditor.sources.reading.declared import by_file_names, missing, named_files, split_lists, with_standard_input
from auditor.sources.reading.encoding import as_utf8
from auditor.sources.vectors.records import equally_long
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.store.ingest_terms import Terms
from auditor.store.scripts import unspaced
from auditor.store.vectors import write as write_vectors
from auditor.studies.ingest.naming import manifest_of
from auditor.studies.ingest.vectors import against_captions, are_vectors
from auditor.text import AT_INGEST

#: The largest share of a source's records that may be refused, unless the user says otherwise.
MAX_REJECTED = 0.01

_SHOWN_REFUSALS = 10


@dataclass(frozen=True)
class _Done:
    """One source, with the format that it was read as and the sha256 of its files, and what its ingest did.

    `says_format` is set where the user has not named the format; `told` says what the files' names told of splits, and
    which columns were taken together; `cut` counts captions of which the first sentence is kept; `unended` names the
    last lines of text files that have no end, `rated` the columns of ratings that captions were read without.
    """

    source: Source
    made: ingestion.Ingest
    says_format: bool
    source_sha256: str
    told: tuple[str, ...]
    cut: int
    unended: tuple[str, ...]
    rated: tuple[str, ...]

    def entry(self) -> Entry:
        """Return what the lock holds of it."""
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
    """Ingest each source in a transaction of its own, in the order given.

    `max_rejected` is the share of a source's records that may be refused. With `skip_missing`, sources whose files are
    not there are named in a note instead. What was ingested enters `lock`; a frozen one says which versions they must
    be. Raises `SourceError` for the first that cannot be read or is another version; those before it are kept.
    """
    if not 0 <= max_rejected <= 1:
        raise UsageError(f"--max-rejected is a share between 0 and 1, not {max_rejected:g}")
    terms = Terms(max_rejected)
    locked = lock.known() if lock and lock.frozen else ()
    there = [source for source in sources if source.dataset in locked or not (skip_missing and missing(source))]
    if not there:
        raise SourceError("none of these datasets is in the data folder: get one with `auditor fetch NAME`")
    expected = lock.expected([source.dataset for source in there]) if lock else {}
    done: list[_Done] = []
    try:
        for source in there:
            asked = _locked(terms, expected[source.dataset], lock) if lock and lock.frozen else terms
            done.append(_ingest(store, source, note, asked, progress))
    finally:
        if lock and done:
            lock.keep({one.source.dataset: one.entry() for one in done})
    rows = pl.DataFrame([_row(one.source, one.made) for one in done])
    shown = rows.with_columns(status=pl.format("{} v{}", "status", "seq")).drop("seq", "version")
    absent = [source.dataset for source in sources if source not in there]
    notes: list[Said] = (
        [f"not in the data folder, left out: {', '.join(absent)}; see `auditor fetch`"] if absent else []
    )
    for one in done:
        notes += [f'{one.source.dataset}: taken as format "{one.source.format}"'] if one.says_format else []
        notes += one.told
        notes += _language(one)
        notes += [f"{one.source.dataset}: {one.cut:,} captions cut to their first sentence"] if one.cut else []
        notes += _of_files(one)
        notes += _other_files(one, expected.get(one.source.dataset))
        notes += _surprises(one.source, one.made, note)
        whole = Selection(one.made.version)
        if whole.version.kind == "vectors":
            notes += against_captions(store, whole.version, one.source.related)
            continue
        notes += [_found("captions-without-blanks", whole, said)] if (said := unspaced(store, whole)) else []
    return Result(
        command="ingest",
        frame=rows,
        selections=tuple(Selection(one.made.version) for one in done),
        tables=(
            Table("ingested", shown, name="ingested"),
            *_refusals([(one.source.dataset, one.made.rejected) for one in done]),
        ),
        notes=notes_in(notes),
        findings=findings_in(notes),
    )


def _row(source: Source, made: ingestion.Ingest) -> dict[str, object]:
    return {
        "dataset": source.dataset,
        "status": "new" if made.is_new else "unchanged",
        "seq": made.version.seq,
        "version": made.version.version,
        "images": made.version.images,
        "captions": made.version.captions,
        "read": made.read,
        "normalized": made.normalized,
        "rejected": made.rejected.height,
        "added": made.added,
        "removed": made.removed,
    }


def _refusals(rejections: Sequence[tuple[str, pl.DataFrame]]) -> tuple[Table, ...]:
    refused = pl.concat(rejected.select(pl.lit(dataset).alias("dataset"), pl.all()) for dataset, rejected in rejections)
    if refused.is_empty():
        return ()
    shown = refused.head(_SHOWN_REFUSALS)
    places = [place(*where) for where in shown.select("source", "unit", "line").iter_rows()]
    more = refused.height - shown.height
    return (
        Table(
            "refused, and kept in table rejected",
            shown.select("dataset", pl.Series("where", places), "reason", "raw"),
            caption=f'{more:,} more: auditor sql "from rejected"' if more else None,
            name="refused",
        ),
    )


def _ingest(store: Store, source: Source, note: str | None, terms: Terms, progress: Progress) -> _Done:
    try:
        return _ingested(store, source, note, terms, progress)
    except SourceError as error:
        raise _advised(error, source) from error


def _advised(error: SourceError, source: Source) -> SourceError:
    """Add to what is said of a file that is not UTF-8 what it looks like, and what to type."""
    said = str(error)
    if not re.search(r"not UTF-8 \(byte|: UTF-16;|\0", said) or any(
        "encoding" in part.options for part in source.parts
    ):
        return error
    for path in (
        path for part in source.parts if not any(map(files.is_stdin, part.paths)) for path in files.expand(part)
    ):
        guessed = encoding.guess(path) if path.is_file() and path.name in said else None
        if guessed is not None:
            return SourceError(f"{said}; {path.name} looks like {guessed}: --encoding {guessed}")
    return error


def _ingested(store: Store, source: Source, note: str | None, terms: Terms, progress: Progress) -> _Done:
    with with_standard_input(source) as original, as_utf8(original) as there:
        guessed = not there.format
        found = dataclasses.replace(there, format=guess(there.parts[0])) if guessed else there
        file_format = find_format(found.format)
        if manifest := manifest_of(found):
            found, note, terms = _bundled(found, manifest, note, terms)
        for part in found.parts:
            check(part, found.format)
        if found.obtain and (why := missing(found)):
            raise SourceError(f"{found.dataset}: not all of its files are in the data folder: {why}. {found.obtain}")
        for part in found.parts:
            check_places(part, found.format)
        found, splits = by_file_names(found) if file_format.split_by_name else (found, None)
        said = [splits] if splits else []
        said += [f"{found.dataset}: {remark}" for remark in remarks(found.parts[0], found.format)]
        cut = Counter[str]()
        named = named_files(dataclasses.replace(found, parts=original.parts))
        holds_vectors = are_vectors(found)
        named += [path for part in found.parts for path in file_format.beside(part) if path not in named]
        watch = files.Watch([*named, *map(files.locate, found.splits.values())])
        sha256 = files.sha256(named)
        if holds_vectors:
            rows = watch.over(equally_long(chain.from_iterable(map(file_format.read, found.parts))))
            made = write_vectors(store, found, rows, sha256, note, terms, progress)
        else:
            captions = watch.over(chain.from_iterable(read(part, found.format, cut) for part in found.parts))
            lists = split_lists(found)
            made = ingestion.write(store, found, captions, lists, AT_INGEST, sha256, note, terms, progress)
        cut_off = _unended(file_format, named_files(found))
        rated = tuple(ratings(found.parts[0], found.format)) if found.kind == "captions" else ()
    return _Done(found, made, guessed or manifest is not None, sha256, tuple(said), cut["captions"], cut_off, rated)


def _unended(file_format: Format, paths: Sequence[Path]) -> tuple[str, ...]:
    """Name the last lines of text files that have no end."""
    lines = {
        path: text_lines.unended(path) for path in paths if path.name.endswith(file_format.lines) and path.is_file()
    }
    return tuple(f"{path.name}:{number}" for path, number in lines.items() if number is not None)


def _locked(terms: Terms, entry: Entry, lock: Lock) -> Terms:
    return dataclasses.replace(
        terms,
        version=entry.version,
        images=entry.images,
        captions=entry.captions,
        named_by=str(lock.path),
        remedy="get the files that it was written for, or ingest without --frozen to accept these",
    )


def _bundled(source: Source, manifest: Manifest, note: str | None, terms: Terms) -> tuple[Source, str | None, Terms]:
    """Take a bundle at its word: its own splits, its note where the user has none, its version or nothing at all."""
    if terms.version not in (None, manifest.version):
        raise SourceError(
            f"{source.dataset}: {manifest.path} names version {manifest.version[:12]}, {terms.named_by} names "
            f"{str(terms.version)[:12]}; the store is unchanged; {terms.remedy}"
        )
    asked = Terms(
        max_rejected=0.0,
        version=manifest.version,
        images=manifest.images,
        captions=manifest.captions,
        named_by=str(manifest.path),
        remedy="read a bundle without settings, get it again, or export it again",
    )
    return dataclasses.replace(source, splits={}), note or manifest.note, asked


def _other_files(done: _Done, locked: Entry | None) -> list[str]:
    """Return where other files than those of the lock held the same version."""
    if locked is None or locked.version != done.made.version.version or locked.source_sha256 == done.source_sha256:
        return []
    was, now = locked.source_sha256[:12], done.source_sha256[:12]
    return [
        f"{done.source.dataset}: the same version from other files than those of the lock (sha256 {now}, not {was})"
    ]


def _of_files(done: _Done) -> list[Finding]:
    """Find what is lost of files: the end of a text file, ratings beside captions."""
    name, whole, found = done.source.dataset, Selection(done.made.version), []
    if done.unended:
        some = listed(done.unended, 3)
        said = f"{name}: the last line has no line end, as where a file is cut off in copying: {some}"
        found.append(_found("file-cut-off", whole, said, "warning", files=len(done.unended)))
    if done.rated:
        said = (
            f"{name}: captions are stored without the ratings in column {listed(done.rated, 3)}: if annotators rated "
        )
        said += "them, read the file with --format judgements"
        found.append(_found("ratings-not-read", whole, said, "warning", columns=len(done.rated)))
    return found


def _found(
    kind: str, selection: Selection, said: str, severity: Severity = "notice", n: int | None = None, **values: int
) -> Finding:
    return Finding(kind, said, about(selection), dict(values), n, severity)


def _language(done: _Done) -> list[str]:
    """Return which language was seen where nobody said it."""
    if done.made.seen is None:
        return []
    language, captions = done.made.seen
    return [
        f"{done.source.dataset}: taken as language {language} by the letters of {captions:,} captions; "
        "--language says another"
    ]


def _surprises(source: Source, made: ingestion.Ingest, note: str | None) -> list[Said]:
    """Return where the captions are not what `datasets.toml` or the user lets one expect."""
    counts = (("images", source.images, made.version.images), ("captions", source.captions, made.version.captions))
    whole = Selection(made.version)
    surprises: list[Said] = [
        _found(
            "counts-not-declared",
            whole,
            f"{source.dataset}: {found:,} {what}, {abs(found - declared):,} "
            f"{'more' if found > declared else 'fewer'} than the {declared:,} declared",
            "warning",
            **{what: found, "declared": declared},
        )
        for what, declared, found in counts
        if declared is not None and declared != found
    ]
    if made.single_images and source.kind == "captions":
        some = ", ".join(made.single_names) + (", …" if made.single_images > len(made.single_names) else "")
        count = counted(made.single_images, "image has", "images have")
        said = f"{source.dataset}: {count} one caption only, which has no reference and gets no score: {some}"
        surprises.append(_found(SINGLE_CAPTION, whole, said, n=made.version.images, images=made.single_images))
    surprises += [f"{source.dataset}: split {split} counts as {role}" for split, role in source.split_roles.items()]
    if made.left_out:
        by_language = any("lang" in part.options for part in source.parts)
        why = "of another language, or of none" if by_language else find_format(source.format).why_left_out
        said = f"{source.dataset}: {made.left_out:,} records left out: {why}"
        surprises.append(_found("records-left-out", whole, said, records=made.left_out))
    if made.listed_missing:
        said = f"{source.dataset}: {made.listed_missing:,} images of the split lists have no caption"
        surprises.append(
            _found("split-lists-do-not-match", whole, said, "warning", without_caption=made.listed_missing)
        )
    if source.splits and made.unlisted:
        said = f"{source.dataset}: {made.unlisted:,} images are in no split list"
        surprises.append(_found("split-lists-do-not-match", whole, said, "warning", unlisted=made.unlisted))
    if note is not None and not made.is_new:
        surprises.append(f"{source.dataset}: unchanged, so that there is no new version to keep the note")
    return surprises
