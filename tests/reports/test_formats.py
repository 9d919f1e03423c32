"""One golden file per format: its bytes are the contract. A mismatch is written to tests/actual for comparison."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT

from auditor import files, reports
from auditor.errors import UsageError
from auditor.model import Selection, Version
from auditor.reports import cells, latex, terminal
from auditor.reports.html import document
from auditor.result import Figure, Finding, Result, Table

GOLD = ROOT / "tests" / "gold"
NASTY = "<script>alert(1)</script> | 100% & \"quoted\" 'a_b' `code` \\x {y} #1 $2 ~ ^ → ‮rtl 🐶 日本\nline"


@pytest.fixture
def result() -> Result:
    created = datetime.datetime(2026, 5, 1, 8, 30, tzinfo=datetime.UTC)
    version = Version("set", 3, "3f9c1a" + "0" * 58, created, "e" * 64, "flickr", ("bare",), 2, 10)
    frame = pl.DataFrame(
        {
            "dataset": ["set", "set:test"],
            "metric": ["cider", "bleu-1"],
            "n": [10, 1234567],
            "value": [0.125, None],
            "texts": [["a", "b"], []],
            "created_at": [created, created],
            "note": [NASTY, None],
        }
    )
    shown = Table(
        "a title & more",
        frame.select("dataset", "n", "value", "note").with_columns(share=pl.Series([0.5, 0.01])),
        bars=("share",),
        sections="dataset",
        caption="what it means",
    )
    return Result(
        "bounds",
        frame,
        selections=(Selection(version), Selection(version, "test")),
        signatures={"cider": "cider|tok:bare|v:1"},
        tables=(shown,),
        notes=("a note with [brackets]",),
        findings=(
            Finding(
                "one-caption-images", "one image & a [caption]", {"dataset": "set", "split": None}, {"images": 1}, 2
            ),
        ),
    )


def check(name: str, found: str) -> None:
    gold = GOLD / name
    if not gold.exists() or gold.read_text(encoding="utf-8") != found:
        actual = ROOT / "tests" / "actual"
        actual.mkdir(exist_ok=True)
        (actual / name).write_text(found, encoding="utf-8")
        pytest.fail(f"differs from {gold.relative_to(ROOT)}; compare tests/actual/{name}")


def test_latex_names_metrics_as_papers_do() -> None:
    frame = pl.DataFrame(
        {"metric": ["rouge-w-1.2", "cider:idf=none", "ter", "cider_mine"], "text": ["ter"] * 4, "bleu-4": 0.5}
    )
    table = latex.table_environment(Table("scores", frame), "scores", "Scores")
    assert r"metric & text & BLEU-4 \\" in table
    assert re.findall(r"(?m)^(.+) & ter &", table) == ["ROUGE-W-1.2", "CIDEr:idf=none", "TER", r"cider\_mine"]


def test_latex_spells_statistics() -> None:
    frame = pl.DataFrame({"statistic": ["asl", "captions-per-image-min", "ttr-1"], "set": [9.5, 5.0, 0.2]})
    table = latex.table_environment(Table("lengths", frame), "lengths", "Lengths")
    assert [row.partition(" & ")[0] for row in table.splitlines()[6:9]] == [
        "mean length",
        "captions per image min",
        "ttr-1",
    ]


@pytest.mark.parametrize(
    ("name", "file"), [("json", "json.json"), ("csv", "csv.csv"), ("md", "md.md"), ("latex", "latex.tex")]
)
def test_text_format_is_as_agreed(result: Result, name: str, file: str) -> None:
    check(file, reports.TEXT_FORMATS[name](result))


def test_terminal_is_as_agreed(result: Result) -> None:
    out = io.StringIO()
    terminal.show(result, terminal.Screen(out, color=False, width=110))
    check("table.txt", "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()))


def test_page_is_as_agreed(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "program", lambda: "auditor 1.0")
    figure = Figure("shares", "Shares", "bars", pl.DataFrame({"a": ["x"], "b": [1]}), "a", "b", caption=NASTY)
    page = reports.TEXT_FORMATS["html"](dataclasses.replace(result, figures=(figure, figure)))
    # The rest of the page, style and script, is a report's.
    check("html.html", page.partition("<body>\n")[2].partition("<script>")[0])


def test_json_rows_csv_rows_and_parquet_rows_are_the_same(result: Result, tmp_path: Path) -> None:
    document = json.loads(reports.TEXT_FORMATS["json"](result))["auditor.bounds/v3"]
    rows = list(csv.DictReader(io.StringIO(reports.TEXT_FORMATS["csv"](result))))
    result.frame.write_parquet(tmp_path / "rows.parquet")
    assert [list(row) for row in document["rows"]] == [result.frame.columns] * 2
    assert list(rows[0]) == result.frame.columns
    assert rows[0]["note"] == document["rows"][0]["note"] == NASTY
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(result.frame)


def test_empty_result_has_an_empty_list(result: Result) -> None:
    empty = Result("bounds", result.frame.clear())
    assert json.loads(empty.to_json())["auditor.bounds/v3"]["rows"] == []
    assert reports.TEXT_FORMATS["csv"](empty).count("\n") == 1


def test_json_of_plain_rows_is_written_as_that_of_rows_with_lists(result: Result) -> None:
    """Plain rows take the faster encoder: the bytes are those of the encoder of the library."""
    plain = dataclasses.replace(result, frame=result.frame.drop("texts"))
    ((name, body),) = json.loads(plain.to_json()).items()
    assert body["rows"] != []
    for written in (result.to_json(), plain.to_json(), dataclasses.replace(plain, frame=plain.frame.clear()).to_json()):
        assert written == json.dumps(json.loads(written), ensure_ascii=False, indent=2)
    assert name == "auditor.bounds/v3"


@pytest.mark.parametrize(
    ("name", "output", "chosen"),
    [
        (None, None, "table"),
        (None, "a.csv", "csv"),
        (None, "a.tex", "latex"),
        (None, "a.parquet", "parquet"),
        (None, "a.svg", "svg"),
        (None, "a.png", "png"),
        (None, "a.html", "html"),
        ("json", "a.csv", "json"),
        (None, "a.CSV", "csv"),
        (None, "/dev/null", "table"),
    ],
)
def test_format_follows_the_name_then_the_ending(name: str | None, output: str | None, chosen: str) -> None:
    assert reports.chosen_format(name, Path(output) if output else None) == chosen


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope", "unknown format; use table"),
        ("parquet", "name a file with -o"),
        ("png", "name a file with -o"),
        ("pdf", "name a file with -o"),
    ],
)
def test_impossible_format_is_explained(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        reports.chosen_format(name, None)


def test_shown_digits_are_those_that_were_measured() -> None:
    frame = pl.DataFrame({"rho": [0.7833, -0.5, 0.001, 0.0, None], "length": [10.43, 1234.56, 0.04, 3.0, float("nan")]})
    table = Table("", frame, digits=(("rho", 2), ("length", 1)))
    shown = [[cells.cell(table, name, value) for value in frame[name]] for name in frame.columns]
    assert shown == [["0.78", "-0.50", "0.001", "0.00", ""], ["10.4", "1,234.6", "0.04", "3.0", "nan"]]
    result = Result("diversity", frame, tables=(table,))
    screen = io.StringIO()
    terminal.show(result, terminal.Screen(screen, color=False))
    for written in (screen.getvalue(), *(reports.TEXT_FORMATS[name](result) for name in ("md", "latex", "html"))):
        assert re.search(r"\b0\.78\b", written)
        assert "0.7800" not in written
        assert "10.40" not in written


def test_ending_that_names_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"result\.xyz: unknown file ending; use .*\.csv"):
        reports.chosen_format(None, tmp_path / "result.xyz")


def test_reader_that_leaves_early_is_no_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), files.written(tmp_path / "result.csv"):
        raise BrokenPipeError
    with (
        pytest.raises(UsageError, match=r"result\.csv: cannot be written: no room"),
        files.written(tmp_path / "result.csv"),
    ):
        raise OSError(28, "no room")
    assert not list(tmp_path.iterdir())
