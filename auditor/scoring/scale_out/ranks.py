"""Ranks: commands that any scheduler starts, in any order, and that share a work folder.

A task is done under a lock, which ends with its process. So a rank that is killed leaves its task to the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from auditor.errors import UsageError
from auditor.files import lock
from auditor.scoring.scale_out.executors import Execute, Force
from auditor.scoring.scale_out.stage import Done, Run

#: Seconds until a rank looks again at tasks that others are doing.
_PAUSE = 0.05

_LOCKS, _FINISHED = "locks", "ranks"


@dataclass(frozen=True)
class Rank:
    """One of several commands on the same work, by its number from 0 on."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if self.number >= self.of:
            raise UsageError(f"--rank {self.number}: ranks count from 0, so the last of {self.of} is {self.of - 1}")

    @contextmanager
    def executing(self, force: Force, run: Run) -> Iterator[Execute]:
        """Run the tasks of a stage that no other rank is doing, in threads; end when all are finished."""

        def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
            first = self.number * len(numbers) // self.of
            waiting = [*numbers[first:], *numbers[:first]]
            with ThreadPoolExecutor(force.workers) as pool:
                while waiting:
                    did = [*pool.map(partial(_attempt, force, run, folder, stage), waiting)]
                    yield from (done for done in did if done is not None)
                    left = [number for number, done in zip(waiting, did, strict=True) if done is None]
                    if len(left) == len(waiting):
                        time.sleep(_PAUSE)
                    waiting = left

        yield execute

    def finished(self, folder: Path) -> int:
        """Note that this rank has finished, and return how many of so many have."""
        finished = folder / _FINISHED / str(self.of)
        finished.mkdir(parents=True, exist_ok=True)
        (finished / str(self.number)).touch()
        return len(list(finished.iterdir()))


def _attempt(force: Force, run: Run, folder: Path, stage: str, number: int) -> Done | None:
    """Run a task, which returns at once if it is finished; null if another rank is doing it."""
    with taken(folder, f"{stage}-{number}", wait=False) as is_ours:
        return run(folder, stage, number, force.memory) if is_ours else None


@contextmanager
def taken(folder: Path, name: str, *, wait: bool = True) -> Iterator[bool]:
    """Lock a name in a work folder, and yield whether no other rank has it."""
    (folder / _LOCKS).mkdir(exist_ok=True)
    with (folder / _LOCKS / name).open("w") as file:
        yield lock(file.fileno(), wait=wait) is not False


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other rank begin work in a folder at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)
