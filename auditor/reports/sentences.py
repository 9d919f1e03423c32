"""Sentences of a report, in which what a reader may type stands between backticks."""

from __future__ import annotations

from collections.abc import Callable


def sentence(text: str, plain: Callable[[str], str], typed: Callable[[str], str]) -> str:
    """Write a sentence, what is to be typed by another rule than the words around it."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its other: no quotation
        return plain(text)
    return "".join(typed(part) if number % 2 else plain(part) for number, part in enumerate(parts))
