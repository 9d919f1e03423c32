"""Plain lines of a table are read many at once: as the reader of single records reads them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import SourceError
from auditor.sources.reading import delimited as reading
from auditor.sources.table import delimited, json, json_lines
from auditor.sources.table.columns import wishes

_CELLS = st.sampled_from(
    ["a dog", "", " b", '"c, d"', '"e ""f"" g"', 'h "i"', '"j', "k,l", "ü狗", "\0", "x\r", '"m\nn"', "\ufeff", "'o'"]
)

_LINES = st.lists(st.lists(_CELLS, min_size=1, max_size=3).map(",".join) | st.just(""), max_size=9)


def _read(path: Path) -> pl.DataFrame | str:
    try:
        return pl.concat([rows for rows, _ in delimited.frames(path, wishes({}))] or [pl.DataFrame()])
    except SourceError as error:
        return str(error)


def _same(one: pl.DataFrame | str, other: pl.DataFrame | str) -> bool:
    return one.equals(other) if isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame) else one == other


@given(_LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([1, 24, 1 << 22]), st.booleans())
@examples(60)
def test_blocks_give_the_records_that_are_read_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, block: int, ended: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.csv"
    path.write_bytes((end.join(["image,caption", *lines]) + end * ended).encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reading, "_BLOCK", block)
        at_once = _read(path)
        patched.setattr(delimited._Table, "is_plain", False)
        assert _same(at_once, _read(path))


_VALUES = st.sampled_from(
    [
        '"a dog"',
        '""',
        '"b \\" c"',
        "12",
        "-0",
        "1.0",
        "null",
        "true",
        '["d"]',
        '"ü狗"',
        '"\\ud800"',
        '{"raw": "e"}',
        '"f',
    ]
)

_RECORDS = st.lists(
    st.tuples(_VALUES, _VALUES).map(lambda pair: f'{{"image": {pair[0]}, "caption":{pair[1]} }}')
    | st.sampled_from(
        ["", " ", "\x1c", '{"caption": "g", "image": "h"}', '{"image": 1, "image": "i", "caption": "j"}']
    ),
    max_size=9,
)


@given(_RECORDS, st.sampled_from([1, 2, 5]))
@examples(60)
def test_plain_lines_of_json_are_as_those_read_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, records: list[str], first: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.jsonl"
    path.write_text("\n".join(['{"image": "k", "caption": "l m"}', *records]), encoding="utf-8")

    def read() -> pl.DataFrame | str:
        try:
            return pl.concat([rows for rows, _ in json.frames(path, "{", wishes({}))])
        except SourceError as error:
            return str(error)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_lines, "_FIRST", first)
        at_once = read()
        patched.setattr(json_lines, "_FIRST", 1 << 20)
        assert _same(at_once, read())
