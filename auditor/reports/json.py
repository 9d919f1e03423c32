"""JSON: the documented object, one key that names command and schema version."""

from __future__ import annotations

from auditor.result import Result


def render(result: Result) -> str:
    """Give the result as JSON, ending in a line end."""
    return result.to_json() + "\n"
