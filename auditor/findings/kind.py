"""One kind of finding: what its page says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of finding, for its page. `commands` find it; `values` says what its numbers are, by name.

    `consequence` says in one sentence what follows for whoever trains or evaluates on the captions.
    """

    meaning: str
    measured: str
    advice: str
    example: str
    commands: tuple[str, ...]
    values: Mapping[str, str]
    consequence: str = ""
