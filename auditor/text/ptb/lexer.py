"""A lexer that takes the longest match: of all rules that match here, the one that reaches furthest; then the first.

Python's regular expressions take the first alternative that matches, and so cannot say this. The rules are compiled to
a deterministic automaton, whose table is `automaton.npz` (`tests/text/make_ptb_table.py` makes it of `rules.toml`).
"""

from __future__ import annotations

import tomllib
from array import array
from collections.abc import Iterator
from pathlib import Path

from auditor.arrays import np

RULES, TABLE = (Path(__file__).with_name(name) for name in ("rules.toml", "automaton.npz"))


class Lexer:
    """The rules as an automaton, for texts of characters of the basic plane. A state is the place of its row."""

    def __init__(self) -> None:
        rules = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
        self._names: list[str] = [rule["name"] for rule in rules]
        with np.load(TABLE) as table:
            width = table["steps"].shape[1]
            self._classes = table["classes"].tobytes()
            self._steps = array("i", (table["steps"].astype(np.int32) * width).tobytes())
            self._accepts = array("i", np.repeat(table["accepts"].astype(np.int32), width).tobytes())
            starts = iter((table["starts"].astype(int) * width).tolist())
        self._start = next(starts)
        self._ends = {at: (next(starts), next(starts)) for at, rule in enumerate(rules) if "before" in rule}

    def match(self, text: str, at: int) -> tuple[str, int] | None:
        """Find the rule that matches at a place, and where its token ends; null where none does."""
        end, rule = max(self._matches(self._start, text, at, len(text)), default=(at, -1))
        if rule < 0:
            return None
        if rule in self._ends:
            token, rest = self._ends[rule]
            ends = [middle for middle, _ in self._matches(token, text, at, end)]
            end = next(middle for middle in reversed(ends) if (end, 0) in self._matches(rest, text, middle, end))
        return self._names[rule], end

    def _matches(self, state: int, text: str, at: int, last: int) -> Iterator[tuple[int, int]]:
        """Return the ends of every match up to `last`, and the first rule that reaches each."""
        steps, accepts, classes = self._steps, self._accepts, self._classes
        for end in range(at + 1, last + 1):
            state = steps[state + classes[ord(text[end - 1])]]
            if state < 0:
                return
            if accepts[state] >= 0:
                yield end, accepts[state]
