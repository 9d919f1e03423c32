"""What a stage of work is: tasks that write a file each. It knows neither plans nor executors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import polars as pl

from auditor.files.folders import temporary
from auditor.scoring.scale_out.work import Work
from auditor.store.engine import resident
from auditor.store.file import Share


class Planned(Protocol):
    """What progress reports need to know of a plan."""

    @property
    def dataset(self) -> str:
        """The name of the dataset."""

    @property
    def captions(self) -> int:
        """The number of its captions, for the pace."""


P = TypeVar("P", bound=Planned)


class Done(NamedTuple):
    """The report of a worker on a finished task: the task, the rows written, and the memory of the worker in bytes."""

    stage: str
    number: int
    rows: int
    memory: int


@dataclass(frozen=True)
class Stage(Generic[P]):
    """One step of the work.

    `title` is its name in progress, `parts` the number of files it writes, `groups` the number of row groups in
    each: a reader reads one group only. `run` computes the rows of a file.
    """

    name: str
    title: str
    parts: Callable[[P], int]
    groups: Callable[[P], int]
    run: Callable[[P, Work, int, Share], pl.DataFrame]


def once(_plan: object) -> int:
    """Return one: the number of tasks of a stage, or of the row groups of a file that is read whole."""
    return 1


#: A function such as `run`, which every executor calls: module and name must be enough to find it.
Run = Callable[[Path, str, int, int], Done]


def run_one(step: Stage[P], read: Callable[[str], P], work: Work, number: int, memory: int) -> Done:
    """Run one task of a stage, unless it is finished. `read` parses the plan."""
    part = work.part(step.name, number)
    if part is None:
        plan = read(work.plan())
        with temporary(work.folder) as spill, work.reading():
            rows = step.run(plan, work, number, Share(memory, 1, spill))
        part = work.put(step.name, number, rows, step.groups(plan))
    return Done(step.name, number, part.rows, resident())
