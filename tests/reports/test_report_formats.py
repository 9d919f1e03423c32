"""A report in each of its formats: golden files, hostile captions, a document that compiles."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from report_document import ENDLESS, HOSTILE, SCRIPT, extract, hostile_report, smaller
from rich.cells import cell_len
from test_formats import check

from auditor import reports
from auditor.errors import UsageError
from auditor.reports.terminal import Screen
from auditor.reports.terminal.document import show
from auditor.result.document import Document, Section

pytestmark = pytest.mark.xdist_group("report documents")  # each is made once


@pytest.fixture(scope="module")
def document() -> Document:
    return hostile_report()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("html", "report.html"),
        ("md", "report.md"),
        ("json", "report.json"),
        ("table", "report.txt"),
    ],
)
def test_report_is_as_agreed(document: Document, name: str, file: str) -> None:
    check(file, reports.DOCUMENT_FORMATS[name](extract(document)).replace(ENDLESS, "x…x"))


def test_latex_is_as_agreed(document: Document) -> None:
    written = reports.DOCUMENT_FORMATS["latex"](smaller(extract(document)))
    check("report.tex", written.replace(ENDLESS, "x…x"))


def test_page_holds_no_element_that_a_caption_wrote(document: Document) -> None:
    page = reports.DOCUMENT_FORMATS["html"](document)
    assert page.count("<script>") == 1
    assert page.count("<script") == page.count("</script>") == 2  # the second has the captions to browse, as data
    assert SCRIPT.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;") in page
    assert ENDLESS in page


def test_page_asks_nobody_for_anything(document: Document) -> None:
    page = reports.DOCUMENT_FORMATS["html"](document)
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href|action)=["'](?!#|data:)""", page)
    assert not re.search(r"<[^>]+\sstyle=", page)
    assert not re.search(r"<[^>]+\son\w+=", page)
    assert len(page.encode()) < 3_000_000


def test_markdown_keeps_captions_in_their_cells(document: Document) -> None:
    text = reports.DOCUMENT_FORMATS["md"](document)
    assert "<script>" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1


def test_json_gives_captions_as_they_are(document: Document) -> None:
    read = json.loads(reports.DOCUMENT_FORMATS["json"](document))["auditor.report/v3"]
    said = json.dumps(read, ensure_ascii=False)
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in said for text in HOSTILE)
    commands = [next(iter(result)) for section in read["sections"] for result in section["results"]]
    assert {"auditor.profile/v3", "auditor.bounds/v3", "auditor.compare/v3", "auditor.correlate/v3"} <= set(commands)


def test_latex_compiles(document: Document, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not here: Debian has it in texlive-latex-recommended")
    (tmp_path / "report.tex").write_text(reports.DOCUMENT_FORMATS["latex"](document), encoding="utf-8")
    # A draft needs no glyphs, which a fresh machine would have to draw first.
    options = ["-interaction=nonstopmode", "-halt-on-error", "-draftmode"]
    done = subprocess.run([program, *options, "report.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_section_without_data_says_what_helps() -> None:
    why = "One dataset is compared with nothing: name another, `auditor report DATASET DATASET`."
    one = Document("Audit", (), (Section("a", "A", absent=why), Section("method", "Method")), "auditor")
    for name, render in reports.DOCUMENT_FORMATS.items():
        assert "compared with nothing" in render(one), name


def test_time_stands_on_a_line_of_its_own(document: Document) -> None:
    for name in reports.DOCUMENT_FORMATS:
        stamped = reports.DOCUMENT_FORMATS[name](extract(document)).splitlines()
        assert sum("2026-05-01 08:30:00 UTC" in line for line in stamped) == 1, name


@pytest.mark.parametrize(
    ("name", "output", "words"),
    [
        ("csv", None, "unsupported report format; use html, md, latex, json, table"),
        (None, "report.pdf", "unsupported report format; use .html"),
    ],
)
def test_format_that_no_report_has_is_explained(name: str | None, output: str | None, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        reports.document_format(name, Path(output) if output else None)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_terminal_shows_answer_bars_and_findings_on_its_first_forty_lines(document: Document, width: int) -> None:
    drawn = io.StringIO()
    show(extract(document), Screen(drawn, color=False, width=width))
    lines = [line.rstrip() for line in drawn.getvalue().splitlines()]
    assert max(map(cell_len, lines)) <= width
    first = "\n".join(lines[:40])
    assert "is the most homogeneous on" in first
    assert "█" in first
    assert "errors, " in first or "error, " in first
