"""Format `webdataset`: tar shards of samples, an image `KEY.jpg` and its captions `KEY.txt` or `KEY.json`."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA, Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import archives, files
from auditor.sources.reading.batches import batches
from auditor.sources.reading.json_records import encodable
from auditor.sources.reading.json_stream import DECODER

_NAME = re.compile(r"((?:.*/)?[^./][^./]*)\.([^/]+)", re.DOTALL)

_TEXT = re.compile(r"(?:(\d{1,9})\.)?txt")

_SAMPLE = re.compile(r"(\d{1,9}\.)?txt|json|cls|jpe?g|png|webp|wav|mp3|flac|ogg|mp4|webm|avi|mkv", re.IGNORECASE)

_LONGEST = 1 << 24

_SHOWN = 2000

_KEYS = ("caption", "captions", "text", "texts")

_MOST_SHOWN = 10

_COLUMNS = ("line", "image", "slot", "text", "reason", "raw")


class _Member(NamedTuple):
    """A member that may hold captions: its number, sample key, extension, content and fault."""

    number: int
    key: str
    extension: str
    content: str
    fault: str | None


_Row = tuple[int, str, int | None, str | None, str | None, str | None]


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a tar archive whose first file can belong to a sample."""
    if head[257:262] != b"ustar":
        return False
    try:
        with tarfile.open(fileobj=io.BytesIO(head), mode="r|") as archive:
            first = next((entry.name for entry in archive if entry.isfile()), "")
    except (tarfile.TarError, EOFError):
        return False
    name = _NAME.fullmatch(first)
    return name is not None and _SAMPLE.fullmatch(name[2]) is not None


def read(part: Part) -> Batches:
    """Yield the captions of shards; the image is the key, a member's path up to the first dot of its last part.

    The slot is the N of `KEY.N.txt`, the position in a list of captions, else 0. The JSON of a sample with texts is not
    read; with option caption_key, only the JSON is. Members of other kinds are skipped. Raises `SourceError` for a
    damaged shard, and for one without captions.
    """
    key = part.options.get("caption_key")
    for path in files.expand(part):
        others: set[str] = set()
        rows = _rows(path, None if key is None else str(key), others)
        schema = {name: CAPTION_SCHEMA[name] for name in _COLUMNS}
        empty = True
        for batch in batches(rows, measured=_COLUMNS.index("text")):
            empty = False
            frame = pl.DataFrame(batch, schema=schema, orient="row")
            yield frame.with_columns(source=pl.lit(path.name), unit=pl.lit("member"))
        if empty:
            extensions = ", ".join(sorted(others)[:_MOST_SHOWN]) or "nothing"
            raise SourceError(f"{path}: no captions: expected KEY.txt or KEY.json; the shard holds {extensions}")


def _rows(path: Path, key: str | None, others: set[str]) -> Iterator[_Row]:
    for _, sample in groupby(_members(path, others), lambda member: member.key):
        members = list(sample)
        objects = [member for member in members if member.extension == "json"]
        texts = [member for member in members if member.extension != "json"]
        if key is not None and not objects:
            yield _refused(texts[0], f'the sample has no JSON with "{key}"')
        for member in objects if key is not None or not texts else texts:
            yield from _captions(member, key)


def _members(path: Path, others: set[str]) -> Iterator[_Member]:
    """Yield the members that may hold captions; add the extensions of the others to `others`."""
    for member in archives.members(path):
        name = _NAME.fullmatch(member.name)
        extension = "" if name is None else name[2].lower()
        if name is None or not (extension == "json" or _TEXT.fullmatch(extension)):
            if len(others) < _MOST_SHOWN:
                others.add(f".{extension}" if extension else member.name)
            continue
        fault, content = member.fault, member.file.read(_LONGEST + 1)
        if len(content) > _LONGEST:
            fault, content = f"longer than {_LONGEST >> 20} MiB", content[:_SHOWN]
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            text = content.decode(errors="backslashreplace")
            fault = fault or f"not UTF-8 (byte 0x{content[error.start]:02x} at {error.start + 1})"
        yield _Member(member.number, name[1], extension, text, fault)


def _captions(member: _Member, key: str | None) -> Iterator[_Row]:
    slot = _TEXT.fullmatch(member.extension)
    if member.fault is not None:
        yield _refused(member, member.fault)
    elif slot is not None:
        yield (member.number, member.key, int(slot[1] or 0), member.content, None, None)
    else:
        yield from _of_json(member, key)


def _of_json(member: _Member, key: str | None) -> Iterator[_Row]:
    try:
        record = DECODER.decode(member.content)
    except (ValueError, RecursionError) as error:
        yield _refused(member, f"not JSON: {error}")
        return
    keys = _KEYS if key is None else (key,)
    captions = next((record[name] for name in keys if name in record), None) if isinstance(record, dict) else None
    if captions is None or captions == []:
        yield _refused(member, f'no "{keys[0]}" in the JSON; set --option caption_key=KEY')
        return
    for slot, text in enumerate(captions if isinstance(captions, list) else [captions]):
        if isinstance(text, str) and encodable(text):
            yield (member.number, member.key, slot, text, None, None)
        else:
            yield _refused(member, f"caption {slot} is {'not UTF-8' if isinstance(text, str) else 'not a string'}")


def _refused(member: _Member, reason: str) -> _Row:
    named = f"{member.key}.{member.extension}: {reason}"
    return (member.number, member.key, None, None, named, member.content[:_SHOWN])


def reading(part: Part) -> Reading:
    """Return which members hold captions."""
    key = part.options.get("caption_key")
    caption = "KEY.txt, else caption or text of KEY.json" if key is None else f"{key} of KEY.json"
    return Reading({"image": "KEY", "caption": caption, "slot": "N of KEY.N.txt, or the position in the list"})


FORMAT = Format("webdataset", recognizes, read, reading=reading, media_type="application/x-tar", split_by_name=True)
