"""A report as Markdown: words, tables, how to make it again. Figures, which show what tables hold, are left out."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.document import Document, Section
from auditor.reports.harmless import visible
from auditor.reports.markdown import escaped, line, table_lines, typed
from auditor.reports.sentences import sentence


def render(document: Document) -> str:
    """Give the whole report, its time on a line of its own."""
    head = [f"{'#' * document.level} {escaped(document.title)}\n", f"{escaped(document.program)}\n"]
    head += [f"made {document.made_at}\n"] if document.made_at else []
    return "\n".join(
        [
            *head,
            *(part for section in document.sections for part in _section(section, document.level)),
            *_method(document),
        ]
    )


def _section(section: Section, level: int) -> Iterable[str]:
    yield f"#{'#' * level} {escaped(section.title)}\n"
    if section.absent:
        yield f"{_said(section.absent)}\n"
    if section.words:
        yield _list(section.words)
    yield from map(table_lines, (*section.tables, *section.further))
    if section.notes:
        yield _list(section.notes)
    if section.commands:
        commands = "".join(f"{visible(' '.join(command.splitlines()))}\n" for command in section.commands)
        yield f"```sh\n{commands}```\n"
    if section.sql:
        yield "SQL: " + ", ".join(f"`{name}`" for name in section.sql) + "\n"


def _method(document: Document) -> Iterable[str]:
    deeper = "##" + "#" * document.level
    yield f"{deeper} Versions\n"
    yield "".join(
        f"- {escaped(one.label)} = {escaped(one.version.label)}: `{one.version.version}`\n"
        for one in document.selections
    )
    if document.signatures:
        yield f"{deeper} Signatures\n"
        yield "".join(f"- {typed(signature)}\n" for signature in document.signatures.values())
    for statement in document.statements:
        fence = "`" * 3
        yield f"<details><summary>{statement.path}</summary>\n\n{fence}sql\n{statement.text}\n{fence}\n\n</details>\n"


def _list(sentences: Iterable[str]) -> str:
    return "".join(f"- {_said(text)}\n" for text in sentences)


def _said(text: str) -> str:
    return sentence(text, line, typed)
