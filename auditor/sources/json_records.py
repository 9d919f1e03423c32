"""What the JSON formats share: loading a file with errors that say where, and turning its records into a frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA
from auditor.sources.files import open_bytes


def load(path: Path, file_format: str) -> Any:
    """Parse a JSON file. A byte that is not UTF-8 survives as a lone surrogate, so that only its record is refused.

    Raises `SourceError` with line and column for a file that is not JSON.
    """
    with open_bytes(path) as file:
        content = file.read().decode("utf-8-sig", errors="surrogateescape")
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SourceError(
            f'{path}:{error.lineno}: not JSON at column {error.colno}: {error.msg} (format "{file_format}")'
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f'{path}: not JSON that can be read: {error} (format "{file_format}")') from error


def frame(path: Path, records: list[Any], identifier: str | None = None) -> pl.DataFrame:
    """Turn records with `image_id` and `caption` into rows of `CAPTION_SCHEMA`.

    `line` is the record's place, from 1. `slot` is the caption's position among the accepted captions of its image:
    by the number in field `identifier` where every record has one, else in order of appearance.
    """
    reasons = [_refuse(record) for record in records]
    good = [record if reason is None else {} for record, reason in zip(records, reasons, strict=True)]
    rows = pl.DataFrame(
        {
            "image": [str(record["image_id"]) if record else None for record in good],
            "text": [record.get("caption") for record in good],
            "reason": reasons,
            "raw": [_show(record) if reason else None for record, reason in zip(records, reasons, strict=True)],
        },
        schema={name: CAPTION_SCHEMA[name] for name in ("image", "text", "reason", "raw")},
    ).with_row_index("line", offset=1)
    order: list[Any] = [record.get(identifier) if identifier else None for record in good]
    if not all(
        type(number) is int and abs(number) < 2**63 for number, record in zip(order, good, strict=True) if record
    ):
        order = [None] * len(order)
    accepted = pl.col("reason").is_null()
    repeated = pl.col("order").is_not_null() & ~pl.col("order").is_first_distinct()
    return (
        rows.with_columns(order=pl.Series(order, dtype=pl.Int64), source=pl.lit(path.name))
        .with_columns(
            reason=pl.when(repeated)
            .then(pl.format("{} {} occurs before", pl.lit(identifier), "order"))
            .otherwise("reason")
        )
        .with_columns(
            slot=pl.when(accepted).then(
                pl.struct(pl.col("order").fill_null(0), "line").rank("ordinal").over("image", accepted) - 1
            )
        )
        .select(pl.col(name).cast(kind) for name, kind in CAPTION_SCHEMA.items())
    )


def _refuse(record: Any) -> str | None:
    if not isinstance(record, dict):
        return "not an object; expected image_id and caption"
    image, caption = record.get("image_id"), record.get("caption")
    if isinstance(image, bool) or not isinstance(image, int | str) or image == "":
        return "image_id is missing, or neither a number nor a string"
    if not isinstance(caption, str):
        return "caption is missing, or not a string"
    if not _encodable(caption) or not _encodable(str(image)):
        return "not UTF-8 (a broken byte or a lone surrogate)"
    return None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _show(record: Any) -> str:
    return json.dumps(record, ensure_ascii=True)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
