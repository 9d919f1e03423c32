"""What a dataset holds is shown, never obeyed: neither by a terminal, nor by Markdown, LaTeX, a sheet or a log."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from terminals import on_a_terminal

from auditor import reports
from auditor.reports.escaping import harmless, visible
from auditor.reports.latex import guarded
from auditor.reports.markdown import line, typed
from auditor.result import Result, Table

ATTACK = "A dog \x1b]52;c;ZXZpbA==\x1b\\ \x1b]0;title\x07 \x9b2J \x1b[2J \u202etxt.exe \x7f"

#: What rich itself sends: colors, the cursor, lines to be cleared.
OWN = re.compile(r"\x1b\[(\?25[lh]|[0-9;]*m|[0-9]*[AK])|\r")


@pytest.mark.full
def test_no_escape_of_a_caption_reaches_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "e\x1b[31m.csv").write_text(f"image,caption\n,no image {ATTACK}\na\x1b[5m.jpg,{ATTACK}\n")
    said = on_a_terminal(tmp_path, "ingest", "e", "--from", "e\x1b[31m.csv", "--max-rejected", "1", "--note", ATTACK)
    said += on_a_terminal(tmp_path, "datasets", "e")
    for format_name in ("table", "csv", "md"):
        said += on_a_terminal(tmp_path, "sql", "select image, text from captions", "--format", format_name)
    left = OWN.sub("", said)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", left), left
    assert left.count("␛]52;c") == 6, "refused, first caption, note, and the caption in three formats"
    assert "␛[31m.csv" in left


def test_file_and_pipe_hold_every_byte(tmp_path: Path) -> None:
    result = Result("sql", pl.DataFrame({"text": [ATTACK]}))
    assert ATTACK in reports.TEXT_FORMATS["csv"](result)
    assert visible(ATTACK).count("␛") == 4
    assert visible("tab\tand\nline") == "tab\tand\nline"


@pytest.mark.parametrize("text", ["::error::no", " \t::add-mask::x", "a\n  ::stop-commands::y"])
def test_log_of_a_code_host_takes_no_commands_from_a_caption(text: str) -> None:
    assert not any(part.strip().startswith("::") for part in harmless(text).split("\n"))
    assert harmless("a::b") == "a::b"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# heading", "\\# heading"),
        ("> quotation", "\\> quotation"),
        ("- item", "\\- item"),
        ("+ item", "\\+ item"),
        ("12. item", "12\\. item"),
        ("-1.5 and #1, 3.4", "-1.5 and #1, 3.4"),
        ("~gone~ ~~too~~", "\\~gone\\~ \\~\\~too\\~\\~"),
        ("![x](http://y)", "!\\[x](http://y)"),
        ("a\x1bb\nc", "a␛b c"),
    ],
)
def test_markdown_is_never_more_than_text(text: str, written: str) -> None:
    assert line(text) == written


def test_markdown_quotes_what_has_backticks() -> None:
    assert typed("plain|v:1") == "`plain|v:1`"
    assert typed("a`` [x](y)\nb") == "``` a`` [x](y) b ```"


def test_latex_takes_no_text_for_an_argument() -> None:
    assert guarded("[2cm] dog") == "{}[2cm] dog"
    assert guarded(" *") == "{} *"
    assert guarded("a [b]") == "a [b]"
    frame = pl.DataFrame({"text": ["[2cm] dog", "*"]})
    written = reports.TEXT_FORMATS["latex"](
        Result("sql", frame, signatures={"x": "bleu\n\\input{evil}"}, tables=(Table("", frame),))
    )
    assert not re.search(r"(?m)^(\[|\*|\\input)", written)


def test_formulas_are_counted_and_left_as_they_are() -> None:
    texts = ["=cmd|' /C calc'!A0", "+1", "-a", "@x", "\tt", "fine", "a=b", None]
    result = Result("sql", pl.DataFrame({"text": texts, "n": range(8)}))
    assert reports.formulas(result.frame) == 5
    assert reports.formulas(pl.DataFrame({"n": [1]})) == 0
    assert "\n=cmd" in reports.TEXT_FORMATS["csv"](result)
