"""A table of `auditor sql` shows what the engine holds: every digit of a number, and no more."""

from __future__ import annotations

import io

import polars as pl
import pytest

from auditor.reports import TEXT_FORMATS, terminal
from auditor.result import Result, Table
from auditor.store.connection import MEMORY, Store
from auditor.studies.upkeep.sql import query

NUMBERS = {
    "0.1::double + 0.2::double": "0.30000000000000004",
    "0.1::float": "0.1",
    "1e-9::double": "1e-09",
    "12345678.125::double": "12,345,678.125",
    "1 / 3": "0.3333333333333333",
    "5.0::double": "5.0",
    "'-infinity'::double": "-inf",
    "0.1234567::decimal(8, 7)": "0.1234567",
    "[0.123456789::double, 2]": "0.123456789 2.0",
    "{'k': 0.123456789::double}": "{'k': 0.123456789}",
    "1234567": "1,234,567",
}


@pytest.mark.parametrize("number", NUMBERS)
def test_table_shows_every_digit(number: str) -> None:
    drawn = io.StringIO()
    with Store.open(MEMORY) as store:
        result = query(store, f"select {number} as held")
    terminal.show(result, terminal.Screen(drawn, color=False))
    assert NUMBERS[number] in [line.strip() for line in drawn.getvalue().splitlines()], drawn.getvalue()
    assert f"| {NUMBERS[number]} |" in TEXT_FORMATS["md"](result)


@pytest.mark.parametrize("column", ["p", "p_holm", "p_adjusted", "gap_p", "p of t"])
def test_a_small_p_is_written_one_way_and_kept_in_data(column: str) -> None:
    frame = pl.DataFrame({"name": ["x", "y"], column: [2.2e-308, 0.04]})
    result = Result("agree", frame, tables=(Table("tests", frame),))
    drawn = io.StringIO()
    terminal.show(result, terminal.Screen(drawn, color=False, endless=True))
    small = {"md": "&lt; 0.001", "latex": r"\textless{} 0.001", "html": "&lt; 0.001"}
    assert "< 0.001" in drawn.getvalue()
    for name, written in small.items():
        text = TEXT_FORMATS[name](result)
        assert written in text
        assert "0.0400" in text
    assert "2.2e-308" in TEXT_FORMATS["json"](result)
