"""The order of names as people count: `part-2` before `part-10`."""

from __future__ import annotations

import re


def by_number(name: str) -> tuple[list[str | int], str]:
    """Give what names are sorted by: the numbers in them by their value."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if place % 2 else piece for place, piece in enumerate(pieces)], name
