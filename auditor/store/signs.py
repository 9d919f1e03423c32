"""The signs of `sql/facts/signs.toml`: patterns that `sql/facts/sign.sql` finds in texts, and their repairs."""

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
        _DEFAULTS | {"place": number} | {name: value for name, value in pattern.items() if name not in ("fix", "loses")}
        for number, pattern in enumerate(_patterns())
    )


@functools.cache
def replacements() -> tuple[dict[str, str], ...]:
    """Return the patterns as parameters of `sql/export/replaced.sql`; `fixes` is empty without a fix."""
    names = ("kind", "pattern", "reading", "needs", "unless", "removes", "fix", "loses")
    return tuple(
        {name: str(sign.get(name) or _DEFAULTS.get(name) or "") for name in names} | {"fixes": "yes" * ("fix" in sign)}
        for sign in _patterns()
    )


def _patterns() -> list[dict[str, Any]]:
    listed = tomllib.loads((sql_root() / "facts" / "signs.toml").read_text(encoding="utf-8"))
    named = [sign | {"loses": listed[sign["loses"]]} if "loses" in sign else sign for sign in listed["sign"]]
    return [
        {name: "".join(value) if isinstance(value, list) else value for name, value in sign.items()} for sign in named
    ]


def bind_signs(workspace: Workspace) -> None:
    """Bind relation `sign` to the captions with signs that are counted."""
    workspace.forget("sign")
    for sign in signs():
        if sign["statistic"]:
            workspace.append("sign", **sign)
