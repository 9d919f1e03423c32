"""Rows that every task of one stage writes for every task of another.

With n files and m parts, n × m reads would grow with the square of the captions. So many files are gathered first: a
task takes a range of about √m parts from a group of about √n files. Then files and reads grow as n^1.5, and no task
holds more than about two files.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import polars as pl

from auditor.scoring.scale_out.stage import P, Stage
from auditor.scoring.scale_out.work import Work
from auditor.store.file import Share

#: So many files are read as they are.
FEW = 16


@dataclass(frozen=True)
class Shuffle(Generic[P]):
    """The files called `name`, one a task, whose rows are in order of `column`: the part that reads them."""

    name: str
    files: Callable[[P], int]
    parts: Callable[[P], int]
    column: str = "partition"

    def groups(self, plan: P) -> int:
        """Return how many row groups a file needs, so that a reader reads little else."""
        return self._ranges(plan) if self._is_gathered(plan) else self.parts(plan)

    def put(self, plan: P, work: Work, number: int, rows: pl.DataFrame) -> None:
        """Write the rows of a task, in order of their parts."""
        work.put(self.name, number, rows.sort(self.column, maintain_order=True), self.groups(plan))

    def rows(self, plan: P, work: Work, part: int) -> pl.LazyFrame:
        """Read the rows of a part."""
        if not self._is_gathered(plan):
            files = [work.scan(self.name, number) for number in range(self.files(plan))]
        else:
            of_range, ranges = part // self._each(plan), self._ranges(plan)
            gathered = range(of_range, ranges * self._of_files(plan), ranges)
            files = [work.scan(self._gathered, number) for number in gathered]
        return pl.concat(files).filter(pl.col(self.column) == part)

    @property
    def stage(self) -> Stage[P]:
        """The stage that gathers; it has no tasks for few files."""
        return Stage(self._gathered, f"{self.name}, gathered", self._tasks, self._each, self._gather)

    def stages(self, title: str, run: Callable[[P, Work, int, Share], pl.DataFrame]) -> tuple[Stage[P], Stage[P]]:
        """Return the stage whose tasks write the files, if these are its main ones, and the one that gathers."""
        return Stage(self.name, title, self.files, self.groups, run), self.stage

    @property
    def _gathered(self) -> str:
        return f"gathered-{self.name}"

    def _is_gathered(self, plan: P) -> bool:
        return self.files(plan) > FEW

    def _tasks(self, plan: P) -> int:
        return self._of_files(plan) * self._ranges(plan) if self._is_gathered(plan) else 0

    def _of_files(self, plan: P) -> int:
        return math.isqrt(self.files(plan) - 1) + 1

    def _each(self, plan: P) -> int:
        """Return the number of parts in a range."""
        return math.isqrt(self.parts(plan) - 1) + 1 if self.parts(plan) else 1

    def _ranges(self, plan: P) -> int:
        return -(-self.parts(plan) // self._each(plan))

    def _gather(self, plan: P, work: Work, number: int, share: Share) -> pl.DataFrame:
        group, of_range = divmod(number, self._ranges(plan))
        files, each = self.files(plan), self._each(plan)
        groups, part = self._of_files(plan), pl.col(self.column)
        scans = [work.scan(self.name, file) for file in range(group * files // groups, (group + 1) * files // groups)]
        rows = pl.concat(scans).filter(part >= of_range * each, part < (of_range + 1) * each)
        return rows.sort(self.column, maintain_order=True).collect()
