"""A lexer that takes the longest match: of all rules that match here, the one that reaches furthest; then the first.

Python's regular expressions take the first alternative that matches, and so cannot say this. Rules are compiled to a
nondeterministic automaton once, and to a deterministic one as texts ask for it, state by state. Sets of nodes are
integers with a bit for each, so that what reads a character is found for all nodes at once.

Patterns: characters, which match either case; `[a-z]` and `[^a-z]`, whose characters match exactly;
`[:letter:]` for a named set; `( | ) ? * + {2} {1,4}`; a backslash before what would mean something else.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

#: Whether a character is of a set.
Charset = Callable[[str], bool]

#: Further forms of letters, as Unicode folds case.
_FOLDED = {"i": "ıİ", "k": "\u212a", "s": "ſ"}

_NAME = re.compile(r":([a-z]+):")


@dataclass(frozen=True)
class Rule:
    """What a token looks like, what must follow it, and by which name it is known.

    What follows takes part in the comparison of lengths, but not in the token.
    """

    name: str
    pattern: str
    before: str = ""


class Lexer:
    """A list of rules; in a tie the first one wins."""

    def __init__(self, rules: Sequence[Rule], named: dict[str, Charset]) -> None:
        self._rules = rules
        self._automaton = Automaton([f"({rule.pattern})({rule.before})" for rule in rules], named)
        self._ends = {
            position: (Automaton([rule.pattern], named), Automaton([rule.before], named))
            for position, rule in enumerate(rules)
            if rule.before
        }

    def match(self, text: str, at: int) -> tuple[str, int] | None:
        """Find the rule that matches at a place, and where its token ends; null where none does."""
        end, position = self._automaton.longest(text, at)
        if position < 0:
            return None
        if position in self._ends:
            token, rest = self._ends[position]
            end = next(middle for middle in token.ends(text, at, end) if rest.spans(text, middle, end))
        return self._rules[position].name, end


class Automaton:
    """Patterns side by side, made deterministic as it goes. A state is a row of `_steps`: character → state."""

    def __init__(self, patterns: Sequence[str], named: dict[str, Charset]) -> None:
        self._graph = _Graph(named)
        starts = [self._graph.add(pattern) for pattern in patterns]
        self._states: dict[int, int] = {}
        self._members: list[int] = []
        self._steps: list[dict[str, int]] = []
        self._accepts: list[int] = []
        self._start = self._state(functools.reduce(operator.or_, map(self._graph.closure, starts)))

    def longest(self, text: str, at: int) -> tuple[int, int]:
        """Return the end of the longest match and the first pattern that reaches it; -1 where none matches."""
        state, end, matched = self._start, at, -1
        steps, accepts = self._steps, self._accepts
        for position in range(at, len(text)):
            following = steps[state].get(text[position])  # not `_step`, whose call costs more than the look-up
            state = self._step(state, text[position]) if following is None else following
            if state < 0:
                break
            if accepts[state] >= 0:
                end, matched = position + 1, accepts[state]
        return end, matched

    def ends(self, text: str, at: int, last: int) -> Iterator[int]:
        """Return the ends of every match up to `last`, the longest first."""
        state, matched = self._start, []
        for position in range(at, last):
            state = self._step(state, text[position])
            if state < 0:
                break
            if self._accepts[state] >= 0:
                matched.append(position + 1)
        return reversed(matched)

    def spans(self, text: str, at: int, end: int) -> bool:
        """Return whether a match covers just this stretch."""
        return end in self.ends(text, at, end)

    def _step(self, state: int, character: str) -> int:
        following = self._steps[state].get(character)
        if following is None:
            following = self._state(self._graph.after(self._members[state], character))
            self._steps[state][character] = following
        return following

    def _state(self, members: int) -> int:
        if not members:
            return -1
        if members not in self._states:
            self._states[members] = len(self._members)
            self._members.append(members)
            self._steps.append({})
            self._accepts.append(self._graph.accepted(members))
        return self._states[members]


class _Graph:
    """A nondeterministic automaton, built from patterns by Thompson's construction."""

    def __init__(self, named: dict[str, Charset]) -> None:
        self._named = named
        self._empty: list[list[int]] = []
        self._following: dict[int, int] = {}
        self._charsets: dict[str, Charset] = {}
        self._reading: dict[str, int] = {}
        self._readers: dict[str, int] = {}
        self._closures: dict[int, int] = {}
        self._ends: list[int] = []
        self._text = ""
        self._at = 0

    def add(self, pattern: str) -> int:
        """Add a pattern, and give the node where it starts."""
        self._text, self._at = pattern, 0
        start, end = self._either()
        if self._at < len(pattern):
            raise ValueError(f"{pattern}: unexpected {pattern[self._at]!r} at {self._at}")
        self._ends.append(end)
        return start

    def closure(self, node: int) -> int:
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

    def after(self, nodes: int, character: str) -> int:
        """Return what is reached by reading a character."""
        if character not in self._readers:
            charsets = (written for written, charset in self._charsets.items() if charset(character))
            self._readers[character] = sum(self._reading[written] for written in charsets)
        reached, reading = 0, nodes & self._readers[character]
        while reading:
            reached |= self.closure(self._following[reading.bit_length() - 1])
            reading ^= 1 << reading.bit_length() - 1
        return reached

    def accepted(self, nodes: int) -> int:
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
        self._charsets.setdefault(written, charset)
        self._reading[written] = self._reading.get(written, 0) | 1 << start
        self._following[start] = end
        return start, end

    def _set(self) -> Charset:
        negated = self._take("^")
        tests: list[Charset] = []
        while not self._take("]"):
            if named := _NAME.match(self._text, self._at):
                self._at = named.end()
                tests.append(self._named[named[1]])
                continue
            first = last = self._character()
            if self._text[self._at] == "-" and self._text[self._at + 1] != "]":
                self._at += 1
                last = self._character()
            tests.append(_between(first, last))
        return lambda character: any(test(character) for test in tests) != negated

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
    forms = {literal, literal.lower(), literal.upper(), *_FOLDED.get(literal.lower(), "")}
    return lambda character: character in forms


def _between(first: str, last: str) -> Charset:
    return lambda character: first <= character <= last
