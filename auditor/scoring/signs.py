"""Signs of dirt in captions, by the patterns of `sql/facts/signs.toml`: `profile` counts and `findings` lists them."""

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
    listed = tomllib.loads((sql_root() / "facts" / "signs.toml").read_text(encoding="utf-8"))["sign"]
    return tuple(
        _DEFAULTS
        | {"place": number}
        | {name: "".join(value) if isinstance(value, list) else value for name, value in pattern.items()}
        for number, pattern in enumerate(listed)
    )


def bind_signs(workspace: Workspace, kind: str | None = None) -> None:
    """Bind relation `sign` to the captions with signs of a kind of finding; by default, with counted signs."""
    workspace.forget("sign")
    for sign in signs():
        if sign["kind"] == kind if kind else sign["statistic"]:
            workspace.params |= sign
            workspace.append("sign")
