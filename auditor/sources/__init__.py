"""The room of files: one module per format turns files into batches of captions.

A reader also yields the records that it rejects, with the reason, so that nothing is dropped silently. It raises
`SourceError` for a file of another format. Readers do not know the store.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from auditor.errors import AdvisedError, SourceError, UsageError, suggested
from auditor.model import COMMON_OPTIONS, Batches, Part, location
from auditor.sources import sidecars
from auditor.sources.format import Format, Reading
from auditor.sources.guards import each_unheard, unheard
from auditor.sources.judgements.tables import ratings as rating_columns
from auditor.sources.reading import encoding, files
from auditor.sources.reading.acceptance import accept, check_common, file_names
from auditor.sources.reading.batches import gathered
from auditor.sources.reading.encoding import decoded
from auditor.sources.reading.json_stream import json_fault

#: The modules of all formats. Detection chooses the first that recognizes a file: general formats come last.
_MODULES = (
    "bundle", "choices", "entities", "karpathy", "brown", "conllu", "scenes", "flickr", "votes", "judgements",
    "vectors", "mat", "triplets", "coco", "webdataset", "sidecars", "synonyms", "wordlist",
    "table", "parallel",
)  # fmt: skip

#: Every file format by its name in datasets.toml and --format.
FORMATS: Mapping[str, Format] = {
    file_format.name: file_format
    for file_format in (import_module(f"auditor.sources.{module}").FORMAT for module in _MODULES)
}

#: Former formats whose files tables cover; files that declare datasets may name them.
_COVERED = ("list", "mapping")

#: After so many records with almost no caption, the file is of another kind: stop instead of rejecting each record.
_MANY = 1_000_000

_MOST_EMPTY = 100

#: How much of the first line, and how many keys, the error for an unknown format shows.
_FIRST_LINE, _KEYS = 120, 12

#: The first bytes of files without captions.
_OTHERS = {b"\xff\xd8\xff": "a JPEG image", b"\x89PNG": "a PNG image", b"%PDF": "a PDF", b"GIF8": "a GIF image"}


def find_format(name: str) -> Format:
    """Return a format by its name. Raises `UsageError`, which lists the formats."""
    if name in _COVERED:
        return FORMATS["table"]
    if name not in FORMATS:
        how = "`auditor ingest --formats` lists all; CSV, JSON and Parquet need none"
        raise UsageError(f"{name}: unknown format; {suggested(name, FORMATS, how).removeprefix('unknown; ')}")
    return FORMATS[name]


def check(part: Part, file_format: str) -> None:
    """Raise `UsageError` if a part has an option that its format does not know, or a wrong value."""
    check_common(part.options)
    known = {**find_format(file_format).options, **COMMON_OPTIONS}
    if unknown := sorted(set(part.options) - set(known)):
        others = _with_options(part)
        hint = f"set --format {' or '.join(others)}" if others else f"its options are {', '.join(known)}"
        raise UsageError(
            f'format "{file_format}" has no option {", ".join(unknown)}; {hint}; see `auditor ingest --formats`'
        )


def _with_options(part: Part) -> list[str]:
    """List the formats that know all options of a part."""
    given = {*part.options} - {*COMMON_OPTIONS}
    return [name for name, file_format in FORMATS.items() if given <= {*file_format.options}]


def check_places(part: Part, file_format: str) -> None:
    """Raise `SourceError` for a missing file, and for a folder if the format does not read folders."""
    folder = next((path for path in files.expand(part) if files.is_folder(path)), None)
    if folder is not None and not find_format(file_format).folders:
        raise SourceError(f'{folder}: a folder; format "{file_format}" reads files: name them, for example {folder}/*')


@unheard()
def reading(part: Part, file_format: str) -> Reading:
    """Return which columns of a part are read as what, and which are not read."""
    return find_format(file_format).reading(part)


def ratings(part: Part, file_format: str) -> list[str]:
    """List the columns of ratings in the first file of a part; formats of captions do not read them."""
    return rating_columns(find_format(file_format).names_of(files.expand(part)[0]))


@unheard()
def guess(part: Part) -> str:
    """Detect the format of files by their content.

    Options may imply it: also one that a single format has. Raises `SourceError` if no format recognizes the file.
    """
    paths = files.expand(part)
    path, given = paths[0], {*part.options}
    head = b"" if path.is_dir() else decoded(files.head(path), part.options.get("encoding"))
    if _are_choices(path, head, part):
        return "choices"
    for file_format in FORMATS.values():
        if given & file_format.implied_by and given <= {*file_format.options, *COMMON_OPTIONS}:
            return file_format.name
    if len(only := _with_options(part)) == 1:
        return only[0]
    if not head.strip() and not path.is_dir():
        raise SourceError(f"{path}: the file is empty")
    if len(paths) > 1 and not given & {"image_list_file"} and sidecars.are_captions(paths):
        return "sidecars"
    try:
        detected = next((name for name, candidate in FORMATS.items() if candidate.recognizes(path, head)), None)
    except OSError as error:
        raise SourceError(f"{error.filename or path}: {error.strerror or error}") from error
    if detected is None:
        raise _unknown(path, head, part)
    return detected


def _are_choices(path: Path, head: bytes, part: Part) -> bool:
    """Return whether only the name of the image column hides that a file has forced-choice items."""
    image = part.options.get("image_col")
    if not isinstance(image, str) or "choices" not in _with_options(part):
        return False
    named = re.sub(rb"(?<!\w)%b(?!\w)" % re.escape(image.encode()), b"image", head, count=1)
    return FORMATS["choices"].recognizes(path, named)


def _unknown(path: Path, head: bytes, part: Part) -> SourceError:
    """Return the error for a file of no known format: its likely encoding, its fault as JSON, or its first line."""
    if head.startswith(b"PK") and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if "xl/workbook.xml" in archive.namelist():
                return SourceError(f"{path}: an Excel workbook: save it as CSV, and import that file")
    if filetype := next((kind for start, kind in _OTHERS.items() if head.startswith(start)), ""):
        return SourceError(f"{path}: {filetype}, not a file of captions")
    guessed = encoding.guess(path) if "encoding" not in part.options and head and not _is_utf8(head) else None
    if guessed is not None:
        return AdvisedError(
            f"{path}: unknown format: the text is not UTF-8 but may be {guessed}; try --encoding {guessed}",
            encoding=guessed,
        )
    if path.is_dir() or not _is_utf8(head):
        what = "a folder that no format fits; name a file in it" if path.is_dir() else "unknown format; set --format"
        return SourceError(f"{path}: {what}; `auditor ingest --formats` lists all formats")
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")) and (fault := json_fault(path)) is not None:
        return SourceError(fault)
    first = text.partition("\n")[0].rstrip("\r")
    shown = f"{first[:_FIRST_LINE]}…" if len(first) > _FIRST_LINE else first
    message = f"{path}: unknown format; its first line: {shown}"
    if text.startswith(("{", "[")):
        keys = list(dict.fromkeys(re.findall(r'"([^"\\]{1,40})"\s*:', text)))[:_KEYS]
        hint = f"name the keys of the image and the caption, among {', '.join(keys)}" if keys else "it has no keys"
        return SourceError(f"{message}; {hint}; see `auditor ingest --formats`")
    if "\t" in first or path.name.removesuffix(".gz").removesuffix(".zst").endswith((".csv", ".tsv")):
        return SourceError(f"{message}; if it has no header, name the columns: --columns image,caption")
    return AdvisedError(f"{message}; to read each line as a caption, set --format parallel", file_format="parallel")


def _is_utf8(head: bytes) -> bool:
    """Return whether the first bytes of a file are UTF-8; the last letter may be incomplete."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def read(part: Part, file_format: str, cut: Counter[str] | None = None) -> Batches:
    """Yield the captions of a part as frames of `CAPTION_SCHEMA`; count in `cut` those cut to a first sentence.

    Raises `SourceError` if a part, or one of its files, has no caption of that format, if most captions are names of
    image files, and if a file changes meanwhile.
    """
    check(part, file_format)
    known = find_format(file_format)
    accepted = refused = left = names = full = 0
    first: str | None = None
    named = ", ".join(str(path) for path in part.paths)
    check_places(part, file_format)
    paths = files.expand(part)
    unread = {path.name for path in paths} if len(paths) > 1 and not known.adds_up else set()
    watch = files.Watch(paths)
    for batch in gathered(each_unheard(known.read(part))):
        captions = accept(batch, part, cut)
        refusals = captions.filter(captions["reason"].is_not_null())
        if first is None and refusals.height:
            row = refusals.row(0, named=True)
            first = f"{location(row['source'], row['unit'], row['line'])}: {row['reason']}"
        refused += refusals.height
        left += captions["left_out"].count()
        kept = captions.filter(captions["reason"].is_null() & captions["left_out"].is_null())
        accepted += kept.height
        unread -= {source.partition("/")[0] for source in kept["source"].unique()}
        names += file_names(kept)
        full += kept.filter(kept["text"].str.strip_chars() != "").height
        seen = refused + accepted
        if seen > max(_MANY, _MOST_EMPTY * full):
            raise SourceError(
                f'{named}: not of format "{file_format}": of its first {seen:,} records, only {full:,} hold a caption'
                + (f"; the first rejected one: {first}" if first else "")
            )
        yield captions
    watch.check()
    if names > accepted // 2 and known.manifest is None:
        raise SourceError(f"{named}: {names:,} of {accepted:,} captions are names of image files: are columns swapped?")
    if not accepted:
        detail = f"all {left:,} records are left out: {known.why_left_out}" if left else "it holds no records"
        detail = f"all {refused:,} records were rejected; the first: {first}" if refused else detail
        raise SourceError(f'{named}: not of format "{file_format}": {detail}')
    if unread:
        raise SourceError(f'{min(unread)}: not of format "{file_format}": none of its records is a caption')
