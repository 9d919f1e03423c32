"""Make the table of tokenizer `ptb`: its rules as one deterministic automaton, which the package ships.

`python tests/text/make_ptb_table.py` writes it. Rules are compiled to a nondeterministic automaton, and that to a
deterministic one. Sets of nodes are integers with a bit for each, so that what reads a character is found for all nodes
at once. Characters that all rules treat alike are one column of the table.

Patterns: characters, which match either case; `[a-z]` and `[^a-z]`, whose characters match exactly;
`[:letter:]` for a named set; `( | ) ? * + {2} {1,4}`; a backslash before what would mean something else.
"""

from __future__ import annotations

import functools
import operator
import re
import tomllib
import unicodedata
import zipfile
from collections.abc import Callable, Sequence
from string import Template

import numpy as np
from numpy.typing import NDArray

from auditor.text.ptb.lexer import RULES, TABLE

#: Whether each character of the basic plane is of a set.
Charset = NDArray[np.bool_]

PLANE = 1 << 16

#: Named sets of characters. Of those beyond the basic plane the program sees two halves, which it knows only in addresses.
NAMED: dict[str, Callable[[str], bool]] = {
    "letter": lambda character: character.isalpha() and character <= "\uffff",
    "digit": lambda character: character.isdecimal() and character <= "\uffff",
    "uppercase": lambda character: character.isupper() and character <= "\uffff",
}

#: Further forms of letters, as Unicode folds case.
_FOLDED = {"i": "ıİ", "k": "\u212a", "s": "ſ"}

_NAME = re.compile(r":([a-z]+):")


def rules() -> list[tuple[str, str]]:
    """Return the pattern of each rule's token, and of what must follow it, without the names of parts."""
    read = tomllib.loads(RULES.read_text(encoding="utf-8"))
    parts: dict[str, str] = {}
    for name, pattern in read["parts"].items():
        parts[name] = Template(pattern).substitute(parts)
    return [
        (Template(rule["pattern"]).substitute(parts), Template(rule.get("before", "")).substitute(parts))
        for rule in read["rules"]
    ]


def table() -> dict[str, NDArray[np.generic]]:
    """Compile the rules: `classes` has the column of each character, `steps` the state after a state and a column.

    -1 is no state. `accepts` has the first rule that ends in a state, or -1. `starts` has the state before the first
    character: of all rules, then of the token and of what follows it, for each rule that has both.
    """
    named = {name: np.array([test(chr(code)) for code in range(PLANE)]) for name, test in NAMED.items()}
    patterns = rules()
    whole = _Graph([f"({token})({before})" for token, before in patterns], named)
    sets = np.packbits(np.stack(list(whole.charsets.values())), axis=0).T.copy()
    _, firsts, classes = np.unique(
        sets.view([("", sets.dtype)] * sets.shape[1]).ravel(), return_index=True, return_inverse=True
    )
    ends = [_Graph([part], named) for rule in patterns if rule[1] for part in rule]
    starts: list[int] = []
    steps: list[list[int]] = []
    accepts: list[int] = []
    for graph in (whole, *ends):
        starts.append(len(steps))
        graph.determine(firsts.tolist(), steps, accepts)
    return {
        "classes": classes.astype(np.uint8),
        "steps": np.array(steps, dtype=np.int16),
        "accepts": np.array(accepts, dtype=np.int8),
        "starts": np.array(starts, dtype=np.int16),
        "unicode": np.array([unicodedata.unidata_version]),
    }


class _Graph:
    """A nondeterministic automaton, built from patterns by Thompson's construction."""

    def __init__(self, patterns: Sequence[str], named: dict[str, Charset]) -> None:
        self._named = named
        self.charsets: dict[str, Charset] = {}
        self._empty: list[list[int]] = []
        self._following: dict[int, int] = {}
        self._reading: dict[str, int] = {}
        self._closures: dict[int, int] = {}
        self._reached: dict[int, int] = {}
        self._ends: list[int] = []
        self._text = ""
        self._at = 0
        self._starts = [self._add(pattern) for pattern in patterns]

    def determine(self, characters: Sequence[int], steps: list[list[int]], accepts: list[int]) -> None:
        """Append all states, and where each character leads from them."""
        readers = [
            sum(self._reading[written] for written, charset in self.charsets.items() if charset[character])
            for character in characters
        ]
        members = [functools.reduce(operator.or_, map(self._closure, self._starts))]
        states, first = {members[0]: len(steps), 0: -1}, len(steps)
        for nodes in members:  # which grows meanwhile
            row = []
            for reader in readers:
                reached = self._after(nodes & reader)
                if reached not in states:
                    states[reached] = first + len(members)
                    members.append(reached)
                row.append(states[reached])
            steps.append(row)
            accepts.append(self._accepted(nodes))

    def _add(self, pattern: str) -> int:
        """Add a pattern, and give the node where it starts."""
        self._text, self._at = pattern, 0
        start, end = self._either()
        if self._at < len(pattern):
            raise ValueError(f"{pattern}: unexpected {pattern[self._at]!r} at {self._at}")
        self._ends.append(end)
        return start

    def _closure(self, node: int) -> int:
        """Return what is reached from a node without reading: nodes that read, and ends of patterns."""
        if node not in self._closures:
            seen, todo = {node}, [node]
            while todo:
                for reached in self._empty[todo.pop()]:
                    if reached not in seen:
                        seen.add(reached)
                        todo.append(reached)
            self._closures[node] = sum(1 << one for one in seen if one in self._following or one in self._ends)
        return self._closures[node]

    def _after(self, reading: int) -> int:
        """Return what is reached when nodes have read their character."""
        if reading not in self._reached:
            reached, left = 0, reading
            while left:
                reached |= self._closure(self._following[left.bit_length() - 1])
                left ^= 1 << left.bit_length() - 1
            self._reached[reading] = reached
        return self._reached[reading]

    def _accepted(self, nodes: int) -> int:
        """Return the first pattern that ends at one of the nodes, or -1."""
        return next((position for position, end in enumerate(self._ends) if nodes >> end & 1), -1)

    def _node(self) -> int:
        self._empty.append([])
        return len(self._empty) - 1

    def _either(self) -> tuple[int, int]:
        start, end = self._node(), self._node()
        while True:
            first, last = self._sequence()
            self._empty[start].append(first)
            self._empty[last].append(end)
            if not self._take("|"):
                return start, end

    def _sequence(self) -> tuple[int, int]:
        start = end = self._node()
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            first, last = self._repeated()
            self._empty[end].append(first)
            end = last
        return start, end

    def _repeated(self) -> tuple[int, int]:
        began = self._at
        first, last = self._single()
        least, most = self._times()
        after = self._at
        start = here = self._node()
        end = self._node()
        for copy in range(max(least, 1) if most is None else most):
            if copy:
                self._at = began
                first, last = self._single()
            if copy >= least:
                self._empty[here].append(end)
            self._empty[here].append(first)
            here = last
        self._at = after
        if most is None:
            self._empty[here].append(first)
        self._empty[here].append(end)
        return start, end

    def _times(self) -> tuple[int, int | None]:
        for mark, times in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self._take(mark):
                return times
        if not self._take("{"):
            return 1, 1
        inside, _, _ = self._text[self._at :].partition("}")
        self._at += len(inside) + 1
        least, comma, most = inside.partition(",")
        return int(least), int(most) if comma else int(least)

    def _single(self) -> tuple[int, int]:
        if self._take("("):
            part = self._either()
            if not self._take(")"):
                raise ValueError(f"{self._text}: no closing bracket")
            return part
        start, end, began = self._node(), self._node(), self._at
        charset = self._set() if self._take("[") else _either_case(self._character())
        written = self._text[began : self._at]
        self.charsets.setdefault(written, charset)
        self._reading[written] = self._reading.get(written, 0) | 1 << start
        self._following[start] = end
        return start, end

    def _set(self) -> Charset:
        negated = self._take("^")
        charset = np.zeros(PLANE, np.bool_)
        while not self._take("]"):
            if named := _NAME.match(self._text, self._at):
                self._at = named.end()
                charset |= self._named[named[1]]
                continue
            first = last = self._character()
            if self._text[self._at] == "-" and self._text[self._at + 1] != "]":
                self._at += 1
                last = self._character()
            charset[ord(first) : ord(last) + 1] = True
        return charset ^ negated

    def _character(self) -> str:
        character = self._text[self._at]
        self._at += 1
        if character == "\\":
            character = self._text[self._at]
            self._at += 1
        return character

    def _take(self, mark: str) -> bool:
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False


def _either_case(literal: str) -> Charset:
    charset = np.zeros(PLANE, np.bool_)
    charset[[*map(ord, {literal, literal.lower(), literal.upper(), *_FOLDED.get(literal.lower(), "")})]] = True
    return charset


if __name__ == "__main__":
    with zipfile.ZipFile(TABLE, "w") as packed:
        for name, values in table().items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_LZMA  # half as large as what NumPy writes
            with packed.open(entry, "w") as file:
                np.lib.format.write_array(file, values)
