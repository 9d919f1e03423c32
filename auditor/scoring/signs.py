"""Signs of dirt in captions, by the patterns of `sql/facts/signs.toml`.

`profile` counts them, `findings` lists them, and `export --fix` replaces what the patterns with a `fix` find.
"""

from __future__ import annotations

import functools
import tomllib
from typing import Any

from auditor.store.sqlfiles import sql_root
from auditor.store.workspace import Workspace

#: The default parameters of a pattern.
_DEFAULTS: dict[str, str | int | None] = {
    "kind": None, "statistic": None, "reading": "text", "says": "", "part": 0, "needs": "", "unless": "", "removes": ""
}  # fmt: skip


@functools.cache
def signs() -> tuple[dict[str, Any], ...]:
    """Return the patterns in their order, as parameters of `sql/facts/sign.sql`."""
    return tuple(
        _DEFAULTS | {"place": number} | {name: value for name, value in pattern.items() if name != "fix"}
        for number, pattern in enumerate(_patterns())
    )


@functools.cache
def replacements() -> tuple[dict[str, str], ...]:
    """Return the patterns with a fix, in their order: kind, pattern, fix."""
    return tuple(
        {name: pattern[name] for name in ("kind", "pattern", "fix")} for pattern in _patterns() if "fix" in pattern
    )


def _patterns() -> list[dict[str, Any]]:
    listed = tomllib.loads((sql_root() / "facts" / "signs.toml").read_text(encoding="utf-8"))["sign"]
    return [
        {name: "".join(value) if isinstance(value, list) else value for name, value in pattern.items()}
        for pattern in listed
    ]


def bind_signs(workspace: Workspace, kind: str | None = None) -> None:
    """Bind relation `sign` to the captions with signs of a kind of finding; by default, with counted signs."""
    workspace.forget("sign")
    for sign in signs():
        if sign["kind"] == kind if kind else sign["statistic"]:
            workspace.params |= sign
            workspace.append("sign", "sign")
