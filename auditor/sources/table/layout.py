"""Turn the rows of a table into captions.

Frames of rows have the columns `line`, `unit`, `reason`, `raw` and one for each thing: image, caption (or `caption 0`,
`caption 1`, …), identifier, split, annotator, language. These are texts or lists of texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.sources.table.columns import Wishes, kind_of

_MAY_BE_BLANK = ("identifier", "split", "annotator", "language")  # an empty cell counts as missing

#: Why a cell is left out, if another column of its row has a caption.
BLANK = "no caption in this column"

_WHOLE = r"^(-?\d{1,18})(?:\.0*)?$"


def frame(unit: str, rows: list[tuple[Any, ...]], things: Sequence[tuple[str, bool]]) -> pl.DataFrame:
    """Return a frame of rows; `things` has the names of values and whether they are lists; broken rows have none."""
    width = 3 + len(things)
    whole = [row if len(row) == width else (*row[:3], *[None] * len(things)) for row in rows]
    schema = {"line": pl.UInt32(), "raw": pl.String(), "reason": pl.String()}
    schema |= {thing: pl.List(pl.String()) if is_list else pl.String() for thing, is_list in things}
    return pl.DataFrame(whole, schema, orient="row").with_columns(unit=pl.lit(unit))


def captions(
    where: str, rows: pl.DataFrame, columns: Mapping[str, str], wanted: Wishes, annotators: Mapping[str, int]
) -> pl.DataFrame:
    """Turn rows into captions: one per row, per item of a list, or per column.

    `annotators` orders the captions of an image. Raises `SourceError` for unexpected lists.
    """
    places = [name for name in rows.columns if kind_of(name) == "caption"]
    if not places:
        return rows
    if isinstance(rows.schema.get("start"), pl.List) and "caption" in rows.columns:
        is_list = isinstance(rows.schema["caption"], pl.List)
        rows = _segments(rows) if is_list else rows.with_columns(start=pl.col("start").list.join(","))
    if "start" in rows.columns:  # a segment of a video is described by itself
        rows = rows.with_columns(image=pl.format("{}@{}", "image", "start")).drop("start")
    lists = [name for name in rows.columns if isinstance(rows.schema[name], pl.List)]
    texts = [thing for thing in _MAY_BE_BLANK if thing in rows.columns and thing not in lists]
    rows = rows.with_columns(pl.when(pl.col(thing) != "").then(thing).alias(thing) for thing in texts)
    if len(places) == 1 and "caption" not in lists:
        if "identifier" in lists and wanted.columns["identifier"]:
            raise SourceError(f"{where}: column {columns['identifier']} holds lists, but each row has a single caption")
        return _single(rows.drop("identifier") if "identifier" in lists else rows, columns, annotators)
    if wanted.columns["annotator"]:
        raise SourceError(f"{where}: annotator_col needs a single caption per row; remove it")
    if "caption" in lists:
        return _several(rows.with_columns(text="caption"), columns)
    if set(lists).intersection(places):
        raise SourceError(
            f"{where}: several columns of captions, one of them with lists; set --caption-col to one column"
        )
    is_whole = pl.col("reason").is_null()
    if "slot" in rows.columns:
        raise SourceError(f"{where}: slot_col needs a single caption per row; remove it")
    return _padded(_several(rows.with_columns(text=pl.when(is_whole).then(pl.concat_list(places))), columns))


def _segments(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each segment of a row: the captions of a list belong to its times."""
    captions, times = pl.col("caption").list.len(), pl.col("start").list.len()
    uneven = captions.ne_missing(times) & pl.col("reason").is_null()
    reason = pl.format("{} captions with {} times", captions.fill_null(0), times.fill_null(0))
    marked = rows.with_columns(reason=pl.coalesce("reason", pl.when(uneven).then(reason)))
    nothing = pl.lit(None, pl.List(pl.String))
    held = [
        pl.when(pl.col("reason").is_null()).then(name).otherwise(nothing).alias(name) for name in ("caption", "start")
    ]
    return marked.with_columns(held).explode("caption", "start", empty_as_null=True)


def _padded(captions: pl.DataFrame) -> pl.DataFrame:
    """Leave out empty cells in rows with another caption: some images have fewer captions."""
    blank = pl.col("text").is_null() | (pl.col("text").str.strip_chars() == "")
    others = (~blank).any().over("line")
    why = pl.when(blank & others & pl.col("reason").is_null()).then(pl.lit(BLANK))
    return captions.with_columns(left_out=why)


def _single(rows: pl.DataFrame, columns: Mapping[str, str], annotators: Mapping[str, int]) -> pl.DataFrame:
    rank, identifier = pl.lit(None), pl.lit(None)
    if "identifier" in rows.columns:
        rank = pl.col("identifier").str.extract(_WHOLE, 1).cast(pl.Int64)
        identifier = pl.format("{} {}", pl.lit(columns["identifier"]), "identifier")
    if "slot" in rows.columns:
        slot = pl.col("slot").str.extract(r"^(\d{1,9})(?:\.0*)?$", 1).cast(pl.UInt32)
        wrong = slot.is_null() & pl.col("reason").is_null()
        message = pl.format("slot {}: expected a whole number from 0", pl.col("slot").fill_null("(none)"))
        rows = rows.with_columns(slot=slot, reason=pl.coalesce("reason", pl.when(wrong).then(message)))
    if "annotator" in rows.columns:
        rank = pl.col("annotator").replace_strict(annotators, default=None, return_dtype=pl.Int64)
    return rows.with_columns(text="caption", rank=rank, identifier=identifier)


def _several(rows: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    lists = ["text", "slot"]
    length = pl.col("text").list.len()
    if isinstance(rows.schema.get("identifier"), pl.List):
        lists.append("identifier")
        identifiers = pl.col("identifier").list.len()
        uneven = length.ne_missing(identifiers)
        shown = pl.struct("image", "text", "identifier").struct.json_encode()
        reason = pl.format("{} captions with {} identifiers", length.fill_null(0), identifiers.fill_null(0))
        rows = rows.with_columns(
            reason=pl.coalesce("reason", pl.when(uneven).then(reason)),
            raw=pl.coalesce("raw", pl.when(uneven).then(shown)),
            text=pl.when(~uneven).then("text"),
            identifier=pl.when(~uneven).then("identifier"),
        )
    single = rows.with_columns(slot=pl.int_ranges(0, length), rank=-1).explode(lists, empty_as_null=True)
    if "identifier" not in rows.columns:
        return single
    named = pl.format("{} {}", pl.lit(columns["identifier"]), "identifier")
    return single.with_columns(identifier=named if "identifier" in lists else pl.format("{}#{}", named, "slot"))
