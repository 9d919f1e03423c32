"""A report as Markdown: sentences, tables, and commands that reproduce it. Figures repeat tables and are left out.

The tables of a result are pipe tables, ready for a README.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from auditor.dataset_card import DatasetCard, primary_language, size_category, spdx
from auditor.reports.cells import beside_tables, cell, flush_right, sentence
from auditor.reports.escaping import visible
from auditor.result import Result, Table
from auditor.result.document import Document, Section

#: What Markdown would read as a character entity.
_ENTITY = re.compile(r"&(?=#?\w+;)")

#: What it would read as mark-up, anywhere, and at the beginning of a line: a heading, a quotation, a list, a rule.
_SPECIAL = re.compile(r"[|`*_\[~]")

_BLOCK = re.compile(r"^(\s*)(#(?=#{0,5}(?:\s|$))|>|[+-](?=\s|$|[\s-]+$))|^(\s*[0-9]{1,9})([.)](?=\s|$))")


def render(result: Result) -> str:
    """Return the lead of a result, every table, then notes and signatures."""
    parts = [_list(map(line, result.lead))] if result.lead else []
    parts += [table_lines(table) for table in result.tables]
    if notes := beside_tables(result):
        parts.append(_list(map(line, notes)))
    if result.selections:
        parts.append(_list(f"{escaped(each.label)}: version `{each.version.version}`" for each in result.selections))
    if result.signatures:
        parts.append(_list(map(typed, result.signatures.values())))
    return "\n".join(parts)


def table_lines(table: Table) -> str:
    """Write a table under its title, its caption below it."""
    columns = table.frame.columns
    right = [flush_right(table, column) for column in columns]
    lines = [[escaped(column) for column in columns], ["---:" if flush else "---" for flush in right]]
    lines += [
        [_cell(table, number, *cell) for cell in zip(columns, row, strict=True)]
        for number, row in enumerate(table.frame.iter_rows())
    ]
    body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    title = f"**{escaped(table.title)}**\n\n" if table.title else ""
    return title + body + (f"\n{line(table.caption)}\n" if table.caption else "")


def _cell(table: Table, row: int, column: str, value: object) -> str:
    plain = cell(table, column, value)
    written = sentence(plain, escaped, typed) if column in table.sentences else escaped(plain)
    return f"**{written}**" if (row, column) in table.best else written


def typed(value: str) -> str:
    """Write input or a machine-readable text as code on one line, between more backticks than it has."""
    code = visible(" ".join(value.splitlines()))
    runs = re.findall("`+", code)
    fence = "`" * (max(map(len, runs)) + 1) if runs else "`"
    return f"{fence} {code} {fence}" if runs else f"`{code}`"


def line(value: str) -> str:
    """Write a text for the beginning of a line."""
    return _BLOCK.sub(r"\1\3\\\2\4", escaped(value))


def escaped(value: str) -> str:
    """Write a text so that Markdown shows it unchanged, on one line."""
    plain = visible(value.replace("\r", " ").replace("\n", " "))
    return _SPECIAL.sub(r"\\\g<0>", _ENTITY.sub("&amp;", plain).replace("\\", "\\\\").replace("<", "&lt;"))


def render_document(document: Document) -> str:
    """Return the whole report, its time on a separate line; a card has the parts for Hugging Face and `verify`."""
    head = [front_matter(document)] if isinstance(document, DatasetCard) else []
    head += [f"{'#' * document.level} {escaped(document.title)}\n", f"{escaped(document.program)}\n"]
    head += [f"made {document.made_at}\n"] if document.made_at else []
    return "\n".join(
        [
            *head,
            *(part for section in document.sections for part in _section(section, document.level)),
            *_method(document),
            *([f"{document.comment()}\n"] if isinstance(document, DatasetCard) else []),
        ]
    )


def _section(section: Section, level: int) -> Iterable[str]:
    yield f"#{'#' * level} {escaped(section.title)}\n"
    if section.absent:
        yield f"{_said(section.absent)}\n"
    if section.words:
        yield _list(map(_said, section.words))
    yield from map(table_lines, (*section.tables, *section.further))
    if section.notes:
        yield _list(map(_said, section.notes))
    if section.commands:
        commands = "".join(f"{visible(' '.join(command.splitlines()))}\n" for command in section.commands)
        yield f"```sh\n{commands}```\n"
    if section.sql:
        yield "SQL: " + ", ".join(f"`{name}`" for name in section.sql) + "\n"


def _method(document: Document) -> Iterable[str]:
    deeper = "##" + "#" * document.level
    yield f"{deeper} Versions\n"
    yield _list(
        f"{escaped(selection.label)} = {escaped(selection.version.label)}: `{selection.version.version}`"
        for selection in document.selections
    )
    if document.signatures:
        yield f"{deeper} Signatures\n"
        yield _list(map(typed, document.signatures.values()))
    for path, text in document.statements.items():
        fence = "`" * 3
        yield f"<details><summary>{path}</summary>\n\n{fence}sql\n{text}\n{fence}\n\n</details>\n"


def _list(items: Iterable[str]) -> str:
    return "".join(f"- {item}\n" for item in items)


def _said(text: str) -> str:
    return sentence(text, line, typed)


def front_matter(card: DatasetCard) -> str:
    """Write the head of a README for Hugging Face: YAML with the known facts only.

    Every text is a JSON string, which YAML reads as the same text, so that `no`, `1.0` and `a: b` stay texts.
    """
    return "".join(f"{line}\n" for line in ("---", *_front_lines(card), "---"))


def _front_lines(card: DatasetCard) -> Iterator[str]:
    (selection,) = card.selections
    yield f"pretty_name: {_quoted(selection.label)}"
    if primary := primary_language(card.language):
        yield from _one_of("language", primary)
    if card.license:
        known = spdx(card.license)
        yield f"license: {_quoted(known.lower() if known else 'other')}"
        if known is None or known.lower() != card.license.lower():
            yield f"license_details: {_quoted(card.license)}"
    yield from _one_of("size_categories", size_category(card.value("profile/captions")))
    if selection.version.kind == "captions":
        yield from _one_of("task_categories", "image-to-text")
        yield from _one_of("tags", "image-captioning")


def _one_of(key: str, value: str) -> tuple[str, str]:
    return f"{key}:", f"- {_quoted(value)}"


def _quoted(value: str) -> str:
    return json.dumps(visible(" ".join(value.split())), ensure_ascii=False)
