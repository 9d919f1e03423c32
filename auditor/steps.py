"""The steps of a command, for its progress: the current one in words, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from auditor.model import Progress

T = TypeVar("T")


class Work(str):
    """What is done within a `step` of a command, in words."""

    step: str


class Steps:
    """The progress of several steps: what is done in one is reported as "step 3 of 12, Diversity: flickr8k: words".

    In a step of another command, the name comes without numbers. A single step is not named. `begun` have begun
    already, `left` have not.
    """

    def __init__(self, progress: Progress, names: Iterable[str], begun: int = 0) -> None:
        self._progress, every = progress, [*names]
        self._begun, self.left = every[:begun], every[begun:]

    def begin(self) -> None:
        """Begin the next step. Raises `IndexError` after the last."""
        self._begun.append(self.left.pop(0))
        self("", 0, 1)

    def over(self, parts: Iterable[T]) -> Iterator[T]:
        """Yield parts, and begin a step with each."""
        for part in parts:
            self.begin()
            yield part

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress within the current step."""
        name = [*self._begun[-1:], *self.left, what][0]
        number, of = len(self._begun) or 1, len(self._begun) + len(self.left)
        if of > 1:
            what = Work(f"{name}: {what.removeprefix(f'{name}: ')}" if what else name)
            if not isinstance(self._progress, Steps):
                what = Work(f"step {number} of {of}, {what}")
            what.step = name
        self._progress(what or name, done, total)
