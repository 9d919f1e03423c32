"""Signs of dirt in captions, by the patterns of `sql/facts/signs.toml`: what `profile` counts and `findings` lists."""

from __future__ import annotations

import functools
import tomllib
from typing import Any

from auditor.store.sqlfiles import sql_root
from auditor.store.workspace import Workspace

#: The parameters of a pattern that does not name them.
_DEFAULTS: dict[str, str | int | None] = {
    "kind": None, "statistic": None, "reading": "text", "says": "", "part": 0, "needs": "", "unless": "", "removes": ""
}  # fmt: skip


@functools.cache
def signs() -> tuple[dict[str, Any], ...]:
    """Return the patterns in their order, as parameters of `sql/facts/sign.sql`."""
    listed = tomllib.loads((sql_root() / "facts" / "signs.toml").read_text(encoding="utf-8"))["sign"]
    return tuple(
        _DEFAULTS
        | {"place": place}
        | {name: "".join(value) if isinstance(value, list) else value for name, value in one.items()}
        for place, one in enumerate(listed)
    )


def bind_signs(workspace: Workspace, kind: str | None = None) -> None:
    """Bind relation `sign` to the captions that show signs of a kind of finding; of none: those that are counted."""
    workspace.forget("sign")
    for sign in signs():
        if sign["kind"] == kind if kind else sign["statistic"]:
            workspace.params |= sign
            workspace.append("sign", "sign")
