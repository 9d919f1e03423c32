"""Who does tasks: threads of this process, processes of this machine. What a task is, none of them knows.

An executor is given tasks that wait for nothing, and gives what is done as it comes. A worker that is killed is another
one's work: tasks write their files whole or not at all.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import StoreError
from auditor.stages.tasks import Done, run

#: How often workers may be killed in a row without having done anything.
_PATIENCE = 3


@dataclass(frozen=True)
class Force:
    """How many workers there are, how many bytes the engine of each may use, and where a cluster is."""

    workers: int
    memory: int
    address: str | None = None


#: Does tasks of one stage, by their numbers, of the work in a folder.
Execute = Callable[[Path, str, Sequence[int], Force], Iterator[Done]]


def here(folder: Path, stage: str, numbers: Sequence[int], force: Force) -> Iterator[Done]:
    """Do tasks in threads of this process, or where one is enough, without any."""
    if force.workers == 1:
        for number in numbers:
            yield run(folder, stage, number, force.memory)
        return
    with ThreadPoolExecutor(force.workers) as pool:
        yield from _gathered(pool, [pool.submit(run, folder, stage, number, force.memory) for number in numbers])


def processes(folder: Path, stage: str, numbers: Sequence[int], force: Force) -> Iterator[Done]:
    """Do tasks in processes of this machine. Raises `StoreError` where they are killed again and again."""
    left, patience = dict.fromkeys(numbers), _PATIENCE
    while left:
        with ProcessPoolExecutor(force.workers, multiprocessing.get_context("spawn")) as pool:
            try:
                for done in _gathered(pool, [pool.submit(run, folder, stage, number, force.memory) for number in left]):
                    del left[done.number]
                    patience = _PATIENCE
                    yield done
            except BrokenProcessPool as error:
                patience -= 1
                if not patience:
                    raise StoreError(
                        f"{folder}: workers were killed {_PATIENCE} times in a row, as a machine does whose memory is "
                        "full: fewer --workers; what is done stays, and is not done again"
                    ) from error


def _gathered(pool: Executor, waiting: Sequence[Future[Done]]) -> Iterator[Done]:
    """Give what is done as it comes; where that ends early, begin nothing more."""
    try:
        for future in as_completed(waiting):
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


#: Every executor by name.
EXECUTORS: Mapping[str, Execute] = {"here": here, "processes": processes}
