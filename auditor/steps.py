"""The progress of a command that has several steps: which of them, out of how many, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from auditor.model import Progress

T = TypeVar("T")


class Work(str):
    """What a command does, in words, and the name of the `step` that it is in."""

    step: str

    def __new__(cls, words: str, step: str) -> Work:
        """Return the words, with their step."""
        work = super().__new__(cls, words)
        work.step = step
        return work


class Steps:
    """The progress of several steps: what is done in one is reported as "step 3 of 12, Diversity: flickr8k: words".

    In a step of another command, the name comes without numbers. A single step is not named. `begun` have begun.
    """

    def __init__(self, progress: Progress, names: Iterable[str], begun: int = 0) -> None:
        self._progress, self.names, self._number = progress, tuple(names), begun

    @property
    def left(self) -> tuple[str, ...]:
        """The names of the steps that have not begun."""
        return self.names[self._number :]

    def begin(self) -> None:
        """Begin the next step. Raises `IndexError` after the last."""
        self._number += 1
        self("", 0, 1)

    def over(self, parts: Iterable[T]) -> Iterator[T]:
        """Yield parts, each of which is a step."""
        for part in parts:
            self.begin()
            yield part

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress within the current step."""
        number, of = max(self._number, 1), len(self.names)
        name = self.names[number - 1]
        if of > 1:
            words = ": ".join(filter(None, (name, what.removeprefix(f"{name}: "))))
            what = words if isinstance(self._progress, Steps) else Work(f"step {number} of {of}, {words}", name)
        self._progress(what or name, done, total)
