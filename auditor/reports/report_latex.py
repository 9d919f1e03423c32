"""A report as LaTeX: a document that compiles, each of its tables ready to be pasted into another."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.document import Document, Section
from auditor.reports.latex import SIGN, comment, escaped, guarded, table_environment
from auditor.reports.sentences import sentence

_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\setlength{\parindent}{0pt}
\setlength{\emergencystretch}{5em}"""


def render(document: Document) -> str:
    """Give the whole report, its time in a comment on a line of its own."""
    parts = [_PREAMBLE, SIGN]
    parts += [comment(f"made {document.made_at}")] if document.made_at else []
    parts += [r"\begin{document}", rf"\title{{{escaped(document.title)}}}", rf"\author{{{escaped(document.program)}}}"]
    parts += [r"\date{}", r"\maketitle"]
    for section in document.sections:
        parts += _section(section)
    parts += _method(document)
    return "\n".join([*parts, r"\end{document}"]) + "\n"


def _section(section: Section) -> Iterable[str]:
    yield rf"\section*{{{escaped(section.title)}}}"
    if section.absent:
        yield _said(section.absent)
    yield from _list(list(map(_said, section.words)))
    yield from map(table_environment, (*section.tables, *section.further))
    yield from _list(list(map(_said, section.notes)))
    yield from _list([_code(command) for command in section.commands])
    if section.sql:
        yield "SQL: " + ", ".join(_code(name) for name in section.sql)


def _method(document: Document) -> Iterable[str]:
    yield r"\subsection*{Versions}"
    yield from _list(
        [
            f"{escaped(one.label)} = {_code(one.version.label)}: {_code(one.version.version)}"
            for one in document.selections
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
    """Set a word of a machine, which may break after its joints."""
    broken = escaped(text)
    for joint in ("@", ":", r"\textbar{}", "-"):
        broken = broken.replace(joint, joint + r"\allowbreak{}")
    return rf"{{\small\ttfamily {broken}}}"
