"""A report as a LaTeX document that compiles, and the tables of a result with booktabs, ready to paste."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from auditor.reports.cells import begins_section, cell, distinct, flush_right, sentence, text
from auditor.result import Result, Table, as_papers_write
from auditor.result.document import BIBTEX, Document, Section

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "→": r"$\rightarrow$",
        "\n": " ",
        "\r": " ",
    }
)

#: Characters that the fonts of pdfLaTeX (encoding T1) lack: all but Latin letters and common punctuation.
_FOREIGN = re.compile(
    "[^ -~\u00a1-\u00ac\u00ae-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u20ac\u2122]"
)

#: Sets such a character as itself if the engine knows Unicode, otherwise as its number.
SIGN = r"\providecommand{\auditorsign}[2]{\ifdefined\Umathchar #1\else\texttt{U+#2}\fi}"

#: A cell with a number that is already written, or with a dash for a missing one.
_NUMBER = r"^(-?[\d,.]+%?|–)$"

#: What the names of statistics abbreviate.
_SPELLED = {"asl": "mean length", "sdsl": "standard deviation of lengths"}

_LONG = 50  # characters of a text that fits on one line of a table


def render(result: Result) -> str:
    """Return the main table, or every exhibit, as a `table` environment; versions and signatures are in comments.

    The main table is the first that is shown, with others of its name, such as that of another dataset.
    """
    comments = [comment(f"{selection.label}: version {selection.version.version}") for selection in result.selections]
    comments += map(comment, result.signatures.values())
    shown = result.exhibits or _main(result.tables)
    labels = distinct(f"{result.command} {table.name}" for table in shown)
    tables = [table_environment(*each, _caption(each[0], result)) for each in zip(shown, labels, strict=True)]
    signs = [SIGN] if any(r"\auditorsign" in table for table in tables) else []
    return "\n".join(["% needs \\usepackage{booktabs}", *comments, *signs, *tables]) + "\n"


def _main(tables: Sequence[Table]) -> Sequence[Table]:
    shown = [table for table in tables if not table.further] or tables
    return [table for table in shown if table is shown[0] or (table.name and table.name == shown[0].name)]


def _caption(table: Table, result: Result) -> str:
    """Describe a table in words: what it shows, what its columns and bold cells mean, the versions of the datasets."""
    begins_named = any(table.title.startswith(selection.label) for selection in result.selections)
    title = table.title if begins_named else table.title[:1].upper() + table.title[1:]
    versions = ", ".join(f"{one.label} (version {one.version.version[:12]})" for one in result.selections)
    parts = (title, table.caption, "Bold: marked as best" * bool(table.best), f"Data: {versions}" * bool(versions))
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


def table_environment(table: Table, label: str, caption: str) -> str:
    """Write a table as a complete environment with a label that begins with `tab:`."""
    columns = table.frame.columns
    align = "".join(_alignment(table, column) for column in columns)
    rows = []
    for number, row in enumerate(table.frame.iter_rows()):
        if begins_section(table, number):
            rows.append(r"\midrule")
        cells = (_cell(table, number, *cell) for cell in zip(columns, row, strict=True))
        rows.append(guarded(" & ".join(cells)) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            guarded(" & ".join(escaped(as_papers_write(column)) for column in columns)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escaped(caption)}}}",
            rf"\label{{tab:{label}}}",
            r"\end{table}",
        ]
    )


def _alignment(table: Table, column: str) -> str:
    """Return the alignment of a column: numbers to the right, long texts as paragraphs."""
    cells = table.frame[column]
    written = cells.dtype == pl.String and bool(cells.str.contains(_NUMBER).all()) and table.frame.height > 0
    if written or flush_right(table, column):
        return "r"
    longest = max(map(len, map(text, cells.to_list())), default=0) if cells.dtype == pl.String else 0
    return "p{0.35\\linewidth}" if longest > _LONG else "l"


def _cell(table: Table, row: int, column: str, value: object) -> str:
    shown = cell(table, column, value)
    if column == "statistic" and not re.search(r"\d", shown):
        shown = _SPELLED.get(shown, shown.replace("-", " "))
    written = escaped(as_papers_write(shown) if column in ("metric", "") else shown)
    if column in table.sentences:
        written = _said(shown)
    return rf"\textbf{{{written}}}" if (row, column) in table.best else written


def escaped(value: str) -> str:
    """Write a text so that LaTeX sets it unchanged, on one line; characters that fonts may lack use `SIGN`."""
    return _FOREIGN.sub(_sign, value.translate(_SPECIAL))


def comment(text: str) -> str:
    """Write a comment on one line."""
    return f"% {' '.join(text.split())}"


def guarded(text: str) -> str:
    r"""Write a text that begins with `[` or `*` so that it is not an argument of the `\\` or `\item` before it."""
    return "{}" + text if text.lstrip().startswith(("[", "*")) else text


def _sign(match: re.Match[str]) -> str:
    sign = match[0]
    if not sign.isprintable():
        return rf"\texttt{{U+{ord(sign):04X}}}"
    return rf"\auditorsign{{{sign}}}{{{ord(sign):04X}}}"


_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\setlength{\parindent}{0pt}
\setlength{\emergencystretch}{5em}"""


def render_document(document: Document) -> str:
    """Return the whole report without its figures, with its time in a separate comment line."""
    parts = [_PREAMBLE, SIGN]
    parts += [comment(f"made {document.made_at}")] if document.made_at else []
    parts += [r"\begin{document}", rf"\title{{{escaped(document.title)}}}", rf"\author{{{escaped(document.program)}}}"]
    parts += [r"\date{}", r"\maketitle"]
    tables = ((section, table) for section in document.sections for table in (*section.tables, *section.further))
    labels = iter(distinct(f"{section.name} {table.name}" for section, table in tables if table.name != BIBTEX))
    for section in document.sections:
        parts += _section(section, labels)
    parts += _method(document)
    return "\n".join([*parts, r"\end{document}"]) + "\n"


def _section(section: Section, labels: Iterator[str]) -> Iterable[str]:
    yield rf"\section*{{{escaped(section.title)}}}"
    if section.absent:
        yield _said(section.absent)
    yield from _list(list(map(_said, section.words)))
    for table in (*section.tables, *section.further):
        if table.name == BIBTEX:  # as it is pasted, without escapes
            yield "\n".join([r"\begin{verbatim}", *table.frame["bibtex"]]) + "\n" + r"\end{verbatim}"
        else:
            yield table_environment(table, next(labels), table.title)
    yield from _list(list(map(_said, section.notes)))
    yield from _list([_code(command) for command in section.commands])
    if section.sql:
        yield "SQL: " + ", ".join(_code(name) for name in section.sql)


def _method(document: Document) -> Iterable[str]:
    yield r"\subsection*{Versions}"
    yield from _list(
        [
            f"{escaped(selection.label)} = {_code(selection.version.label)}: {_code(selection.version.version)}"
            for selection in document.selections
        ]
    )
    if document.signatures:
        yield r"\subsection*{Signatures}"
        yield from _list([_code(signature) for signature in document.signatures.values()])


def _list(items: list[str]) -> Iterable[str]:
    if items:
        yield r"\begin{itemize}"
        yield from (rf"\item {guarded(item)}" for item in items)
        yield r"\end{itemize}"


def _said(text: str) -> str:
    return sentence(text, escaped, _code)


def _code(text: str) -> str:
    """Set a machine-readable word, which may break after its separators."""
    broken = escaped(text)
    for joint in ("@", ":", r"\textbar{}", "-"):
        broken = broken.replace(joint, joint + r"\allowbreak{}")
    return rf"{{\small\ttfamily {broken}}}"
