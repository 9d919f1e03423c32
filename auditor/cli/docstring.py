"""What a study's docstring says, in its parts: help on a terminal, and the page of the command in docs/commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

#: Paragraphs that a library's user reads, and nobody at a prompt.
_OF_THE_LIBRARY = ("Raises ",)


def paragraphs(function: Callable[..., Any]) -> list[str]:
    """List the paragraphs of a docstring, each in one line; of a list of points each point in one."""
    told = []
    for paragraph in (inspect.getdoc(function) or "").split("\n\n"):
        lines: list[str] = []
        for line in paragraph.split("\n"):
            if lines and not line.startswith("- "):
                lines[-1] += f" {line.strip()}"
            else:
                lines.append(line)
        told.append("\n".join(lines))
    return told


def help_of(function: Callable[..., Any]) -> str:
    """Give what `--help` shows, which a terminal wraps at its own width."""
    return "\n\n".join(one for one in paragraphs(function) if not one.startswith(_OF_THE_LIBRARY))
