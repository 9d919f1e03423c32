"""Captions in the file that they came from: its format, with its columns in their order.

The file is read again. A record keeps all but its captions: these are replaced where a repair changed them. A record
whose captions are all left out goes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError, UsageError
from auditor.files import read_text
from auditor.model import Part, Selection, Source
from auditor.sources import reading
from auditor.store.connection import Store
from auditor.studies.ingest import records_of

#: The endings of files that can be written with the columns of the source, each with its separator if it has one.
ENDINGS: Mapping[str, str] = {".csv": ",", ".tsv": "\t", ".jsonl": "", ".parquet": "", ".json": ""}

_HELD = ("table", "list", "coco")

_LIST_OF_COCO = "annotations"


def render(
    store: Store, selection: Selection, rows: pl.DataFrame, source: Path, target: Path, declared: Mapping[str, Source]
) -> bytes:
    """Return the file of a version with other captions, `rows` (image, slot, text), in the format of the target.

    Raises `UsageError` for a format that cannot be written, `SourceError` for a file that is not that of the version.
    """
    form = selection.version.format
    if form not in _HELD or {source.suffix, target.suffix} - ENDINGS.keys():
        endings = ", ".join(ENDINGS)
        raise UsageError(f"--source {source}: columns are kept of tables, list and coco, as {endings}; not of {form}")
    if (form == "coco" or source.suffix == ".json") and target.suffix != source.suffix:
        raise UsageError(f"{target}: the columns of {source} are kept in a file with the ending {source.suffix}")
    said = records_of(store, selection, source, declared)
    new = rows.select("image", "slot", new="text")
    texts = said.join(new, on=["image", "slot"], how="left", maintain_order="left")
    whole, records = _records(source, form)
    if len(records) != said["record"].n_unique():
        raise SourceError(f"{source}: {len(records):,} records, but {said['record'].n_unique():,} are read from it")
    named = reading(Part((source,)), form).places.get("caption", "caption").split(", ")
    kept = []
    for (number,), own in texts.group_by("record", maintain_order=True):
        pairs = own.select("text", "new").drop_nulls("text").rows()
        if any(new is not None for _, new in pairs):
            kept.append(_changed(records[number], pairs, named, f"{source}, record {number + 1}"))
    if isinstance(whole, dict):
        return (json.dumps({**whole, _LIST_OF_COCO: kept}, ensure_ascii=False) + "\n").encode()
    schema = whole.schema if isinstance(whole, pl.DataFrame) else None
    return _written(kept, target.suffix, schema)


def _records(source: Path, form: str) -> tuple[Any, Sequence[dict[str, Any]]]:
    """Read a file with all of its columns: the whole, and its records."""
    if source.suffix == ".parquet":
        frame = pl.read_parquet(source)
        return frame, frame.to_dicts()
    text = read_text(source, "utf-8-sig")
    if source.suffix == ".jsonl":
        return None, [json.loads(line) for line in text.split("\n") if line.strip()]
    if source.suffix == ".json":
        whole = json.loads(text)
        return whole, whole[_LIST_OF_COCO] if form == "coco" and isinstance(whole, dict) else whole
    frame = pl.read_csv(io.StringIO(text), separator=ENDINGS[source.suffix], infer_schema=False)
    return frame, frame.to_dicts()


def _changed(
    record: dict[str, Any], pairs: Sequence[tuple[str, str | None]], named: Sequence[str], where: str
) -> dict[str, Any]:
    """Replace each caption of a record, or take it out. Raises `UsageError` if no column has it as it is stored."""
    left = list(pairs)

    def swapped(value: Any) -> Any:
        if isinstance(value, list):
            made = [(one, swapped(one)) for one in value]
            return [new for old, new in made if new is not None or old is None]
        if isinstance(value, dict):
            return {key: swapped(one) for key, one in value.items()}
        at = next((at for at, (old, _) in enumerate(left) if old == value), None)
        return value if at is None else left.pop(at)[1]

    columns = [name for name in record if name in named] or [*record]
    made = {name: swapped(value) if name in columns else value for name, value in record.items()}
    if left:
        raise UsageError(f"{where}: no column has the caption {left[0][0][:60]!r} as it is stored; leave out --source")
    return made


def _written(records: list[dict[str, Any]], ending: str, schema: pl.Schema | None) -> bytes:
    if ending == ".json":
        return (json.dumps(records, ensure_ascii=False, indent=1) + "\n").encode()
    if ending == ".jsonl":
        return "".join(json.dumps(record, ensure_ascii=False, default=str) + "\n" for record in records).encode()
    frame = pl.DataFrame(records, schema=schema, infer_schema_length=None)
    file = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(file)
    else:
        frame.write_csv(file, separator=ENDINGS[ending])
    return file.getvalue()
