"""Tables know the width: bars give way, then blanks, texts and heads, then columns, and last rows, for cards."""

from __future__ import annotations

import io
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.reports import terminal
from auditor.reports.terminal import tables
from auditor.result import Finding, Result, Sentence, Table

LONG = "a brown horse jumps over a hurdle with a rider on its back"


def shown(*tables: Table, width: int | None = None, findings: tuple[Finding, ...] = ()) -> str:
    out = io.StringIO()
    frame = pl.DataFrame({"n": [1, 2]})
    result = Result("words", frame, tables=tables, findings=findings)
    terminal.show(result, terminal.Screen(out, color=False, width=width))
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def widest(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def test_bars_go_first() -> None:
    table = Table("", pl.DataFrame({"name": ["one", "two"], "share": [0.5, 1.0]}), bars=("share",))
    assert "█" in shown(table, width=40)
    assert "0.500" in shown(table, width=25)
    assert "█" not in shown(table, width=25)


def test_texts_are_wrapped_and_heads_broken_before_a_column_goes() -> None:
    frame = pl.DataFrame({"image": ["a", "b"], "text": [LONG, LONG[::-1]], "mean_of_other": [0.5, 0.25]})
    text = shown(Table("", frame), width=48)
    assert "mean_\n" in text
    assert "0.2500" in text
    assert "no room" not in text
    assert widest(text) <= 48


def test_what_says_the_same_everywhere_goes_first_then_what_is_aside_and_both_are_told() -> None:
    frame = pl.DataFrame(
        {"dataset": ["set", "set"], "metric": ["cider", "bleu"], "value": [1.0, 2.0], "se": [0.1, 0.2], "low": [0.5, 1]}
    )
    text = shown(Table("", frame), width=34)
    assert "in every row: dataset set\n" in text
    assert "no room" not in text
    text = shown(Table("", frame), width=25)
    assert "no room for se: `| less\n-S` shows all columns" in text
    assert "low" in text


def test_rows_are_cards_where_too_few_columns_would_be_left() -> None:
    frame = pl.DataFrame(
        {
            "image": ["2258277193_586949ec62.jpg"] * 2,
            "other_image": ["1000092795_0a1b2c3d4e.jpg", "b"],
            "text": [LONG, ""],
        }
    )
    text = shown(Table("a title", frame), width=50)
    assert (
        " image        2258277193_586949ec62.jpg\n other_image  1000092795_0a1b2c3d4e.jpg\n text         a brown"
        in text
    )
    assert text.count(" text ") == 1, "what is empty is left out"
    assert widest(text) <= 50


def test_pipe_is_endless_and_columns_are_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("a title " * 30, pl.DataFrame({"text": [LONG * 4]}), caption=LONG * 3)
    assert LONG * 4 in shown(table)
    monkeypatch.setenv("COLUMNS", "60")
    assert widest(shown(table)) <= 60
    out = io.StringIO()
    terminal.show(Result("sql", pl.DataFrame(), tables=(table,)), terminal.Screen(out, endless=True))
    assert LONG * 4 in out.getvalue(), "a file has all"


@given(st.data(), st.integers(60, 130))
def test_no_line_goes_beyond_the_width_and_no_number_is_cut(data: st.DataObject, width: int) -> None:
    height = data.draw(st.integers(1, 3))
    columns = data.draw(st.integers(1, 12))
    frame = pl.DataFrame(
        {
            f"{'name_' * (at % 3)}{at}": data.draw(
                st.lists(st.text("ab _-#日é", max_size=60), min_size=height, max_size=height)
                | st.lists(st.integers(-(10**9), 10**9), min_size=height, max_size=height)
            )
            for at in range(columns)
        }
    )
    text = shown(Table("", frame), width=width)
    assert widest(text) <= width
    told = text.replace("\n", " ")
    dropped = {name.strip(",:") for name in told.partition("no room for ")[2].partition("-o FILE")[0].split()}
    for name in frame.columns:
        if frame.schema[name] == pl.Int64 and name not in dropped:
            assert all(f"{value:,}" in told for value in frame[name])


FOUND = (
    Finding(
        "padded-images",
        f"set: {LONG}: 3 of 210",
        severity="warning",
        examples=(
            {
                "image": "a",
                "slot": 1,
                "text": LONG,
                "why": "as slot 2",
                "other_image": "a",
                "other_slot": 2,
                "other_text": LONG,
            },
            {"image": "b", "slot": 0, "text": "x" * 300},
        ),
    ),
    Finding("slots-alike", "set: nothing in the slots"),
)


def test_findings_with_examples_are_told_once_by_severity_with_their_captions() -> None:
    table = Table("findings", pl.DataFrame({"finding": [LONG]}), tells_findings=True)
    text = shown(table, width=60, findings=FOUND)
    assert text.startswith("1 warning\n\nwarning  padded-images\n  set: a brown horse")
    assert text.count("3 of 210") == text.count("nothing in the slots") == 1
    assert text.count(f"“{LONG[:40]}") == 1, "two captions that are the same are quoted once"
    assert "      a#1 and a#2: as slot 2\n" in text
    assert "x …”" in text
    assert "• set: nothing in the slots\nTo write all rows to a file, add -o FILE.csv (2 rows)" in text
    assert widest(text) <= 60


def test_no_finding_is_said() -> None:
    table = Table("findings", pl.DataFrame({"finding": []}), tells_findings=True)
    assert shown(table, width=60) == "No problems found.\n\n"


def test_findings_without_examples_are_bullets() -> None:
    assert shown(findings=FOUND[1:], width=60) == "• set: nothing in the slots\n"


def test_lone_record_is_a_card_before_anything_of_it_is_left_out() -> None:
    frame = pl.DataFrame({"image": ["a" * 20], "other": ["b" * 20], "evidence": [40.25], "note": [None]})
    assert shown(Table("", frame), width=48).startswith(
        f"\n image     {'a' * 20}\n other     {'b' * 20}\n evidence  40.25\n"
    )
    assert "evidence\n" in shown(Table("", frame), width=56), "a column in which nothing stands goes first"


def test_a_term_is_explained_where_it_first_stands() -> None:
    table = Table("", pl.DataFrame({"slot": [1], "candidate": ["intra"]}))
    own = Table("", pl.DataFrame({"asl": [1.5]}), caption="asl: as the paper has it")
    text = shown(table, replace(table, title="again"), own, width=90)
    assert text.count("slot: position of the caption within its image; intra: ") == 1
    assert text.count("asl:") == 1
    assert all(len(words.split()) <= 8 for words in tables._terms().values())


def test_a_hit_is_what_stays_of_a_long_text() -> None:
    long = f"{LONG} and {LONG}, where a zebra waits, and {LONG}"
    text = shown(Table("", pl.DataFrame({"text": [long, None]}), hits=("text", ("zebra", ""))), width=100)
    assert "… a rider on its back, where a zebra waits, and a brown horse …" in " ".join(text.split())


def many(rows: int) -> Table:
    return Table("many", pl.DataFrame({"n": range(rows), "same": [0] * 20 + [*range(20, rows)]}), name="many")


def test_what_does_not_fit_on_a_screen_is_counted() -> None:
    out = io.StringIO()
    screen = terminal.Screen(out, color=False, width=80)
    notes = (*(f"note {number}" for number in range(30)), Sentence("read it so", "caveat"))
    terminal.show(
        Result("words", pl.DataFrame(), tables=(many(60), many(30)), notes=notes, lead=("It is so.",)), screen
    )
    text = out.getvalue()
    assert text.count("\n") == 45
    assert text.startswith("It is so.\n")
    assert "• Caveat: read it so\n" in text, "what must be known comes before the rest of a table"
    assert "in every row" not in text, "rows that are not shown differ"
    assert text.endswith("\nMore with --full: 2 tables, 30 notes\n")
    assert " 33     33 \n           \n… 26 more rows\n" in text
