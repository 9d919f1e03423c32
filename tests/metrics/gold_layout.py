"""The layout of golden JSON files, in which a reader and a comparison of versions find a row."""

from __future__ import annotations

import json
from typing import Any

_WIDTH = 140


def laid_out(value: Any, depth: int = 0) -> str:
    """Write what fits on one line; else a line for each entry or row with texts, and as many numbers as fit on one."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(flat) + depth < _WIDTH:
        return flat
    if isinstance(value, dict):
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(one, depth + 1)}" for key, one in value.items()]
    else:
        lines = []
        for row in (json.dumps(one, ensure_ascii=False) for one in value):
            if lines and '"' not in lines[-1] + row and len(f"{lines[-1]}, {row},") + depth < _WIDTH:
                lines[-1] += f", {row}"
            else:
                lines.append(row)
    inside = ",\n".join(" " * (depth + 1) + line for line in lines)
    return f"{flat[0]}\n{inside}\n{' ' * depth}{flat[-1]}"
