"""`auditor help WORD`: the commands that answer a question, from the table of questions."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli.questions import found, table
from auditor.errors import UsageError


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Words of a question, or a command.")
    ] = None,
) -> None:
    """Find the command that answers a question.

    `mine` and `other` are datasets of yours, and `system` has the output of a model.

    Example: auditor help leaks
    """
    lines = [
        f"auditor help {each['ask']:<16}{each['title']}, {len(each['row'])} questions" for each in table()["section"]
    ]
    lines += ["", "`auditor help COMMAND` explains a command, and `auditor --help --all` lists them."]
    if words:
        fitting = found(words)
        if not fitting:
            raise UsageError(f"no question has the words {' '.join(words)!r}; `auditor help` lists words to begin with")
        lines = [line for row in fitting for line in (row.question, f"  {row.command}")]
    typer.echo("\n".join(lines))
