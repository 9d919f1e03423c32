"""What Python hands over is ingested as a file of the same rows is: one version, whatever held them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import auditor
from auditor.errors import SourceError, UsageError

ROWS = [{"image": f"i{n}", "caption": f"a dog {w}"} for n in range(3) for w in ("runs", "sits")]

COLUMNS = {name: [row[name] for row in ROWS] for name in ("image", "caption")}


class Capsule:
    """What pyarrow's tables are to those who do not import it."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


class Dataset:
    """What a dataset of Hugging Face is, as far as it is asked."""

    column_names = ("image", "caption")

    def __init__(self, rows: list[dict[str, str]]) -> None:
        self.rows = rows

    def to_polars(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, orient="row")


def version_of(data: Any, name: str = "set") -> str:
    with auditor.open("audit.duckdb", write=True) as audit:
        return str(audit.ingest(name, data=data).frame["version"][0])


def test_whatever_holds_the_rows_they_are_one_version() -> None:
    pl.DataFrame(ROWS).write_csv("rows.csv")
    held = [
        pl.DataFrame(ROWS),
        pl.LazyFrame(ROWS),
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS, index=[5, 5, 5, 1, 1, 1]),
        Capsule(pl.DataFrame(ROWS)),
        Dataset(ROWS),
        ROWS,
        (row for row in ROWS),
        COLUMNS,
        {name: tuple(values) for name, values in COLUMNS.items()},
        "rows.csv",
        [Path("rows.csv")],
    ]
    assert len({version_of(one, f"set{place}") for place, one in enumerate(held)}) == 1


def test_data_by_split_say_their_split() -> None:
    first, last = ROWS[:4], ROWS[4:]
    several = [
        {"train": first, "test": last},
        {"train": pl.DataFrame(first, orient="row"), "test": pd.DataFrame(last)},
        {"train": Dataset(first), "test": Dataset(last)},
    ]
    assert len({version_of(one, f"set{place}") for place, one in enumerate(several)}) == 1
    with auditor.open("audit.duckdb") as audit:
        assert audit.profile("set0:test").selections[0].split == "test"


def test_missing_values_of_pandas_are_refused_as_records_without_a_caption() -> None:
    frame = pd.DataFrame({"image": ["a", "a", "b"], "caption": ["x", None, float("nan")]})
    with auditor.open("audit.duckdb", write=True) as audit:
        rows = audit.ingest("set", data=frame, max_rejected=1.0).frame
        assert rows.select("captions", "rejected").row(0) == (1, 2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (5, "data: expected a Polars or pandas frame.*not int"),
        (b"bytes", "not bytes"),
        ([], "list has no rows; the store is unchanged"),
        (pl.DataFrame({"image": [], "caption": []}), "has no rows"),
        ([1, 2], "expected .*not list"),
        ([{"image": "a"}, 3], "row 2 is int, not a mapping of columns"),
        ({"image": ["a"], "caption": ["b", "c"]}, "dict cannot be converted to a table"),
        ([{"image": "a", "caption": object()}], "cannot be written as a table"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "duplicate column names: a, a"),
    ],
)
def test_what_is_no_table_is_refused(data: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        version_of(data)


def test_what_lacks_a_column_is_named_as_data_and_no_file_of_ours() -> None:
    with pytest.raises(SourceError, match=r'^data: no column "caption"; the columns are image'):
        version_of({"image": ["a"]})
