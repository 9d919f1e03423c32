"""Scores of items from elsewhere: a file that names items, or shows their captions, and what a system says of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.model import Selection
from auditor.result import Finding, Said, about, counted, listed
from auditor.sources.choices import columns_of
from auditor.studies.choices.scored import SCHEMA, SIDES, SYSTEM, Scored

#: Columns of numbers: a score of each caption, by either name, or whether the right one was chosen.
_SIDES, _SCORES, _ANSWER = ("right", "wrong"), ("right_score", "wrong_score"), "correct"

#: The score of a second right caption, by either name.
_SECOND = ("right2", "right2_score")

#: Images are called by numbers, or by files whose names are numbers.
_IMAGE = r"^(?:.*/)?(?:COCO_\w+_)?0*(.+?)(?:\.\w{3,4})?$"

_EXAMPLES = 3

_TWO = "items here have two right captions, and each needs a score"

_FORM = (
    "columns item, right, wrong (scores); or image, right, wrong (captions), right_score, wrong_score; right2 or"
    " right2_score for a second right caption; or correct (1, 0) in the place of all scores; model names the system,"
    " where a file has several"
)


def scorers(file: Path, texts: pl.DataFrame, selection: Selection, notes: list[Said]) -> Iterator[Scored]:
    """Read what systems say of the items; `notes` say which items have no score, and which rows are of no item.

    `texts` are the rows of `sql/choices/choice_text.sql`. Raises `SourceError` for a file that cannot be read so.
    """
    rows = _read(file)
    keys = _keys(file, rows)
    numbers = _numbers(file, rows, has_second=texts["right2_text"].null_count() < texts.height)
    named = rows["model"].cast(pl.String) if "model" in rows.columns else pl.lit(file.stem)
    told = rows.select(named.alias("system"), *(pl.col(own).cast(pl.String).alias(key) for key, own in keys.items()))
    told = _known(told).with_columns(numbers).with_columns(row=pl.int_range(1, pl.len() + 1))
    texts = _known(texts)
    for (system,), own in told.group_by("system", maintain_order=True):
        once = own.unique(list(keys), keep="first", maintain_order=True)
        _say_repeated(str(system), file, own, once, list(keys), selection, notes)
        found = texts.select("item_no", "item", "right2_text", *(key for key in keys if key != "item")).join(
            once, on=list(keys), how="left", maintain_order="left", nulls_equal=False
        )
        _say_missing(str(system), file, found, once.join(texts, on=list(keys), how="anti"), selection, notes)
        yield Scored(str(system), SYSTEM, "scores", found.select(*SCHEMA).cast(SCHEMA))


_READERS: Mapping[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": functools.partial(pl.read_csv, infer_schema=False),
    ".tsv": functools.partial(pl.read_csv, infer_schema=False, separator="\t", quote_char=None),
    ".jsonl": pl.read_ndjson,
    ".parquet": pl.read_parquet,
}


def _read(file: Path) -> pl.DataFrame:
    read = _READERS.get(file.suffix)
    if read is None:
        raise SourceError(f"{file}: scores are read from {', '.join(_READERS)}: name a file that ends so")
    try:
        rows = read(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(
            f"{file}: cannot be read as scores: {str(error).splitlines()[0]}; expected {_FORM}"
        ) from error
    if rows.is_empty():
        raise SourceError(f"{file}: has no rows; expected {_FORM}")
    return rows


def _keys(file: Path, rows: pl.DataFrame) -> dict[str, str]:
    """Find what names the items: its name, or both captions, and the image where the file has it."""
    if "item" in rows.columns:
        return {"item": "item"}
    images = {key: own for key, own in columns_of(rows.columns, {}).items() if key == "image"}
    texts = columns_of([name for name, kind in rows.schema.items() if kind == pl.String], {})
    found = images | {f"{side}_text": texts[side] for side in _SIDES if side in texts}
    if not {"right_text", "wrong_text"} <= found.keys():
        raise SourceError(
            f"{file}: does not say of which items it is: it has {', '.join(rows.columns)}; expected {_FORM}"
        )
    return found


def _known(rows: pl.DataFrame) -> pl.DataFrame:
    """Call images alike, whether they are named by number or by file."""
    return rows.with_columns(pl.col("^image$").str.extract(_IMAGE))


def _numbers(file: Path, rows: pl.DataFrame, *, has_second: bool) -> list[pl.Series]:
    """Read the scores of each row: right, wrong and right2, null where a row has no second.

    Raises `SourceError` where a row has none, or what is no number, and where `has_second` items lack a column.
    """
    # Where nothing else names the items, right and wrong are their captions.
    pairs = [_SCORES, *([_SIDES] if "item" in rows.columns else [])]
    pair = next((pair for pair in pairs if {*pair} <= {*rows.columns}), None)
    none = pl.Series("right2", [None] * rows.height, pl.Float64)
    if pair is None:
        if _ANSWER not in rows.columns:
            raise SourceError(f"{file}: has no numbers to compare: it has {', '.join(rows.columns)}; expected {_FORM}")
        answers = _number(file, rows[_ANSWER], "1 for right, 0 for wrong, .5 for a tie", most=1.0)
        # An answer is of the item as a whole: the second right caption takes nothing from it.
        return [answers.alias("right"), (1 - answers).alias("wrong"), none.fill_null(1.0)]
    second = _SECOND[pair is _SCORES]
    if has_second and second not in rows.columns:
        raise SourceError(f"{file}: lacks column {second}: {_TWO}; expected {_FORM}")
    seconds = _number(file, rows[second], "a number", optional=True) if second in rows.columns else none
    both = [_number(file, rows[own], "a number").alias(side) for own, side in zip(pair, _SIDES, strict=True)]
    return [*both, seconds.alias("right2")]


def _number(
    file: Path, values: pl.Series, expected: str, most: float | None = None, *, optional: bool = False
) -> pl.Series:
    """Read a column as numbers, all of them finite; up to `most` they begin at 0. Only an `optional` one has blanks."""
    numbers = values.cast(pl.Float64, strict=False)
    good = numbers.is_finite() if most is None else numbers.is_between(0, most)
    bad = (~good.fill_null(value=False) & ~(values.is_null() & optional)).arg_true()
    if len(bad):
        raise SourceError(f"{file}: row {bad[0] + 1:,}: {values.name} is {values[bad[0]]}: expected {expected}")
    return numbers


def _say_repeated(
    system: str,
    file: Path,
    own: pl.DataFrame,
    once: pl.DataFrame,
    keys: list[str],
    selection: Selection,
    notes: list[Said],
) -> None:
    """Report which items a file has twice; raise `SourceError` where it says another thing of them."""
    again = own.join(once, on="row", how="anti").join(once, on=keys, suffix="_first", nulls_equal=True)
    other = again.filter(pl.any_horizontal(pl.col(side).ne_missing(pl.col(f"{side}_first")) for side in SIDES))
    if other.height:
        first, second = other.select("row_first", "row").row(0)
        raise SourceError(f"{file}: rows {first:,} and {second:,} are of one item of {system} and differ; keep one")
    if again.height:
        notes.append(
            f"{system}: {counted(again.height, 'row says', 'rows say')} again what another says of the same captions"
        )


def _say_missing(
    system: str, file: Path, found: pl.DataFrame, extra: pl.DataFrame, selection: Selection, notes: list[Said]
) -> None:
    """Name the items without scores, and the rows that are of no item. Raises `SourceError` where no row is of any."""
    lacks_second = pl.col("right2_text").is_not_null() & pl.col("right2").is_null()
    lacking = found.filter(pl.col("right").is_null() | lacks_second)
    if lacking.height == found.height:
        raise SourceError(
            f"{file}: no row of {system} is of an item of {selection.label}, whose items are called like "
            f"{found['item'][0]!r}; expected {_FORM}"
        )
    if lacking.height:
        some = listed(lacking["item"], _EXAMPLES)
        said = f"{system}: {counted(lacking.height, 'item has', 'items have')} no score in {file.name}: {some}"
        where, values = about(selection, system=system), {"items": lacking.height}
        notes.append(Finding("items-without-scores", said, where, values, found.height, "warning"))
    if extra.height:
        some = listed(extra["row"], _EXAMPLES)
        what = counted(extra.height, "row is of no item", "rows are of no item")
        notes.append(f"{system}: {what} of {selection.label} and left out: {some}")
