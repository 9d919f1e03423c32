"""Tables as data: what a view selects, and the words that rows put into its title."""

from __future__ import annotations

import polars as pl

from auditor.result import Table
from auditor.result.views import EMPTY, View, filled, with_values

ROWS = pl.DataFrame(
    {
        "kind": ["cat", "cat", "dog", "cat"],
        "ending": ["s", "s", "gy", "s"],
        "value": [3, 2, 1, 0],
        "spread": [None, 0.5, None, None],
    }
)


def test_each_value_has_a_table_in_the_order_of_rows() -> None:
    view = View(Table("{kind}{ending} of {label}", EMPTY, name="of-{kind}"), each="kind", columns=("value",))
    shown = list(filled([view], ROWS, "mine"))
    assert [(table.title, table.name) for table in shown] == [("cats of mine", "of-cat"), ("doggy of mine", "of-dog")]
    assert [table.frame["value"].to_list() for table in shown] == [[3, 2, 0], [1]]


def test_names_in_braces_that_are_no_column_stay() -> None:
    (table,) = filled([View(Table("{kind} of {nothing}", EMPTY, caption="{value} first"))], ROWS)
    assert (table.title, table.caption) == ("cat of {nothing}", "3 first")


def test_the_label_is_that_of_the_dataset_whatever_columns_rows_have() -> None:
    (table,) = filled([View(Table("rows of {label}", EMPTY))], ROWS.with_columns(label=pl.lit("another")), "mine")
    assert table.title == "rows of mine"


def test_optional_columns_are_shown_if_a_row_has_a_value() -> None:
    view = View(Table("", EMPTY), each="kind", columns=("value", "spread"), optional=("spread",))
    assert [table.frame.columns for table in filled([view], ROWS)] == [["value", "spread"], ["value"]]
    assert with_values(ROWS.tail(1), "spread", "unknown").columns == ["kind", "ending", "value"]


def test_rows_that_are_not_shown_are_counted_in_the_caption() -> None:
    (table,) = filled([View(Table("", EMPTY, caption="by value"), where=pl.col("kind") == "cat", top=1)], ROWS)
    assert (table.frame.height, table.caption) == (1, "by value; 2 more: -o FILE writes all")


def test_without_rows_nothing_is_shown() -> None:
    assert not list(filled([View(Table("", EMPTY), each="kind"), View(Table("", EMPTY))], ROWS.clear()))
