"""Markdown: the tables of a result as pipe tables, ready for a README."""

from __future__ import annotations

from auditor.model import Result, Table
from auditor.reports.cells import flush_right, text


def render(result: Result) -> str:
    """Give every table, then notes and signatures."""
    parts = [_table(table) for table in result.tables]
    if result.notes:
        parts.append("".join(f"- {_escape(note)}\n" for note in result.notes))
    if result.selections:
        parts.append("".join(f"- {_escape(one.label)}: version `{one.version.version}`\n" for one in result.selections))
    if result.signatures:
        parts.append("".join(f"- `{signature}`\n" for signature in result.signatures.values()))
    return "\n".join(parts)


def _table(table: Table) -> str:
    columns = table.frame.columns
    right = [flush_right(table, column) for column in columns]
    lines = [[_escape(column) for column in columns], ["---:" if flush else "---" for flush in right]]
    lines += [[_escape(text(value)) for value in row] for row in table.frame.iter_rows()]
    body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    title = f"**{_escape(table.title)}**\n\n" if table.title else ""
    return title + body + (f"\n{_escape(table.caption)}\n" if table.caption else "")


def _escape(value: str) -> str:
    plain = value.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
    return plain.replace("*", "\\*").replace("_", "\\_").replace("\r", " ").replace("\n", " ")
