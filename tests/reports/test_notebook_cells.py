"""Results and reports in a notebook: a line, a cell in the report's own style, a file."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import auditor
from auditor.errors import UsageError
from auditor.model import pictured
from auditor.result import Finding, Result, Table
from auditor.result.document import Document, Section

ROWS = pl.DataFrame({"image": ["a<b>", "c"], "value": [0.25, 0.5]})


def result(**more: object) -> Result:
    return Result("score", ROWS, tables=(Table("scores", ROWS),), notes=("how it was made",), **more)


def test_a_line_says_what_it_is_and_never_the_rows() -> None:
    found = (Finding("swapped-captions", "one"), Finding("swapped-captions", "two"))
    assert repr(result()) == "<Result score: 2 rows, 1 table>"
    assert repr(result(findings=found)) == "<Result score: 2 rows, 1 table, 2 findings>"
    assert repr(Document("t", (), (Section("a", "A"),), "auditor 1")) == "<Document: 1 section>"


def test_cell_has_title_table_and_notes_and_escapes_what_captions_say() -> None:
    html = result()._repr_html_()
    assert "<h2" in html
    assert "how it was made" in html
    assert "a&lt;b&gt;" in html
    assert "a<b>" not in html
    assert "<script" not in html
    assert "<html" not in html


def test_dollars_of_captions_begin_no_formula() -> None:
    html = Result("sql", pl.DataFrame({"caption": [r"$\href{javascript:alert(1)}{a dog}$"]}))._repr_html_()
    assert re.match(r'<div class="[^"]*\bmathjax_ignore tex2jax_ignore\b', html)


def test_style_of_a_cell_holds_for_cells_alone() -> None:
    style = re.search(r"<style>(.*)</style>", result()._repr_html_(), re.DOTALL)[1]
    assert style.startswith(".auditor-result.auditor-result {")
    assert style.count("{") == style.count("}")
    assert not re.search(r"(?m)^\s*(:root|html|body|@page|@media print)", style)
    depth = 0
    for sign in style[:-1]:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth > 0 or sign != "}", "nothing stands outside"


def test_long_table_is_cut_and_says_so() -> None:
    frame = pl.DataFrame({"n": range(1_234)})
    html = Result("sql", frame)._repr_html_()
    assert html.count("<tr>") <= 202
    assert "1,034 more rows: .frame has all rows" in html


def test_report_is_a_page_of_its_own_that_cannot_reach_the_notebook() -> None:
    html = Document("<t>", (), (Section("a", "A", words=('say "it"',)),), "auditor 1")._repr_html_()
    assert html.startswith('<iframe title="&lt;t&gt;" sandbox="allow-scripts"')
    assert html.count('"') == 8, "what the page says ends no attribute"


@pytest.mark.parametrize("ending", ["json", "csv", "md", "tex", "html", "parquet", "txt"])
def test_file_is_of_the_format_that_its_ending_names(ending: str) -> None:
    (path,) = result().save(f"out.{ending}")
    assert path == Path(f"out.{ending}")
    assert path.stat().st_size > 0


def test_what_cannot_be_saved_or_drawn_is_said() -> None:
    with pytest.raises(UsageError, match="unknown file ending"):
        result().save("out.xyz")
    with pytest.raises(UsageError, match="score: no figure to draw"):
        result().save("out.svg")
    with pytest.raises(UsageError, match="score: no figure to draw"):
        result().plot()
    with pytest.raises(UsageError, match="cannot be written"):
        result().save("no/folder/out.csv")
    assert not Path("out.svg").exists()


def test_frame_becomes_one_of_pandas() -> None:
    frame = Result("sql", pl.DataFrame({"a": [1, 2], "b": ["x", None]})).to_pandas()
    assert frame["a"].tolist() == [1, 2]
    assert frame["b"].isna().tolist() == [False, True]


def test_plot_draws_the_figures_that_are_named() -> None:
    captions = [{"image": f"i{n}", "caption": f"a {w} dog {n}"} for n in range(8) for w in "abc"]
    with auditor.open("audit.duckdb", write=True) as audit:
        audit.ingest("mine", data=captions)
        bounds = audit.bounds("mine", metrics=["bleu-1"])
        assert repr(audit) == "<Auditor audit.duckdb: mine@v1 (8 images, 24 captions)>"
    first = bounds.figures[0].name
    assert [*bounds.plot().svgs] == [figure.name for figure in bounds.figures]
    assert all(svg.startswith("<?xml") for svg in bounds.plot().svgs.values())
    assert bounds.plot()._repr_html_().count("<img ") == len(bounds.figures) > 1
    assert repr(bounds.plot(first)) == f"<Plot of bounds: {first}>"
    (path,) = bounds.plot(first).save("one.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert bounds.save("all.svg") == [Path(f"all-{figure.name}.svg") for figure in bounds.figures]
    with pytest.raises(UsageError, match=f"no figure nope; its figures are {first}"):
        bounds.plot("nope")


def test_cell_shows_pictures_where_the_working_folder_says_where_they_are() -> None:
    drawing = pytest.importorskip("PIL.Image")
    Path("pictures").mkdir()
    drawing.new("RGB", (40, 30), "red").save("pictures/c.jpg")
    Path("pictures/a.jpg").write_bytes(b"no picture")
    rows = pl.DataFrame({"image": ["c.jpg", "a.jpg"], "text": ['a <b>"dog"', "a cat"]})
    named = Result("outliers", rows, tables=(Table("worst", rows, pictured=pictured(rows, "set", "image")),))
    assert "<img" not in named._repr_html_(), "nothing says where image files are"
    Path("datasets.toml").write_text('[set]\nimages = "pictures"\n')
    html = named._repr_html_()
    assert html.count("<img") == 1
    assert 'alt="a &lt;b&gt;&quot;dog&quot;"' in html
    assert 'src="data:image/jpeg;base64,' in html
    assert "1 of 2 examples with an image name shows its image" in html
    assert "a.jpg" in html.partition("1 of 2")[2], "a file that is no picture is named"


def test_configuration_that_is_broken_takes_nobody_the_result() -> None:
    rows = pl.DataFrame({"image": ["c.jpg"], "text": ["a dog"]})
    Path("datasets.toml").write_text("[set\n")
    html = Result(
        "outliers", rows, tables=(Table("worst", rows, pictured=pictured(rows, "set", "image")),)
    )._repr_html_()
    assert "a dog" in html
    assert "Examples have no images: " in html
    assert "datasets.toml: not TOML" in html
