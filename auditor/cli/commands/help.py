"""`auditor help WORD`: the commands that answer a question, from the table of questions."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli.questions import found, table
from auditor.errors import UsageError

#: How many questions are listed.
_MOST = 8


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]…", help="Words of a question, or a command.")
    ] = None,
) -> None:
    """Find the command that answers a question.

    `auditor help COMMAND` explains a command, as `auditor COMMAND --help` does. `auditor help` lists words to begin
    with. In the commands, `mine` and `other` are datasets of yours, and `system` has the output of a model.

    Example: auditor help leaks
    """
    if not words:
        for section in table()["section"]:
            typer.echo(f"auditor help {section['ask']:<16}{section['title']}, {len(section['row'])} questions")
        typer.echo("\n`auditor help COMMAND` explains a command, and `auditor --help --all` lists them.")
        return
    fitting = found(words)
    if not fitting:
        asked = " ".join(words)
        raise UsageError(f"no question has the words {asked!r}; `auditor help` lists words to begin with")
    for row in fitting[:_MOST]:
        typer.echo(f"{row.question}\n  {row.command}")
    if len(fitting) > _MOST:
        typer.echo(f"\n{len(fitting) - _MOST} more questions: add a word.")
