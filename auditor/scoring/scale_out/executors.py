"""Who does tasks: threads of this process, processes of this machine, Ray. What a task is, none of them knows.

An executor is given tasks that wait for nothing, and gives what is done as it comes. A worker that is killed is another
one's work: tasks write their files whole or not at all.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from auditor.errors import MissingExtraError, StoreError, UsageError
from auditor.scoring.scale_out.processes import Process
from auditor.scoring.scale_out.tasks import Done, run

#: How often workers may be killed at one task.
_PATIENCE = 3

#: Bytes of Ray's own store of objects: what workers say is a few numbers each, what they make is in files.
_OBJECTS = 100 * 2**20


@dataclass(frozen=True)
class Force:
    """How many workers there are, how many bytes the engine of each may use, and where a cluster is."""

    workers: int
    memory: int
    address: str | None = None


#: Does tasks of one stage, by their numbers, of the work in a folder.
Execute = Callable[[Path, str, Sequence[int]], Iterator[Done]]


@contextmanager
def here(force: Force) -> Iterator[Execute]:
    """Do tasks in threads of this process, or where one is enough, without any."""

    def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
        if force.workers == 1:
            for number in numbers:
                yield run(folder, stage, number, force.memory)
            return
        with ThreadPoolExecutor(force.workers) as pool:
            yield from _gathered([pool.submit(run, folder, stage, number, force.memory) for number in numbers])

    yield execute


@contextmanager
def processes(force: Force) -> Iterator[Execute]:
    """Do tasks in processes of this machine. Raises `StoreError` where they are killed again and again."""
    free: SimpleQueue[Process] = SimpleQueue()
    started = [Process() for _ in range(force.workers)]
    for process in started:
        free.put(process)

    def ask(folder: Path, stage: str, number: int) -> Done:
        process = free.get()
        try:
            for _ in range(_PATIENCE):
                if (done := process.ask(folder, stage, number, force.memory)) is not None:
                    return done
                process.end()
                process = Process()
                started.append(process)
            raise _killed(folder)
        finally:
            free.put(process)

    def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
        yield from _gathered([pool.submit(ask, folder, stage, number) for number in numbers])

    pool = ThreadPoolExecutor(force.workers)
    try:
        yield execute
    finally:
        for process in started:
            process.end()
        pool.shutdown(cancel_futures=True)


@contextmanager
def on_ray(force: Force) -> Iterator[Execute]:
    """Do tasks with Ray: on this machine, or on the cluster at an address, which has the folder at the same place.

    Raises `MissingExtraError` without Ray, `UsageError` where no cluster answers, `StoreError` where workers are killed
    again and again.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # its own 15 would let workers wait for whatever else runs
    try:
        import ray  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("--executor ray needs Ray: pip install 'auditor[ray]'") from error
    is_ours = not ray.is_initialized()
    if is_ours:
        own = {"include_dashboard": False, "num_cpus": force.workers, "object_store_memory": _OBJECTS}
        told: dict[str, Any] = {"address": force.address} if force.address else {"address": "local", **own}
        try:
            with chdir(sys.prefix):  # its workers import from the folder where it begins before all that is installed
                ray.init(log_to_driver=False, logging_level=logging.ERROR, **told)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise UsageError(f"--address {force.address}: no Ray answers there: {error}") from error
    task = ray.remote(num_cpus=1, max_retries=_PATIENCE)(run)

    def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
        waiting = [task.remote(folder, stage, number, force.memory) for number in numbers]
        try:
            while waiting:
                ready, waiting = ray.wait(waiting)
                yield from ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise _killed(folder) from error
        finally:
            for one in waiting:
                ray.cancel(one)

    try:
        yield execute
    finally:
        if is_ours:
            ray.shutdown()


def _killed(folder: Path) -> StoreError:
    return StoreError(
        f"{folder}: {_PATIENCE} workers were killed at one task, as a machine does whose memory is full: fewer "
        "--workers; what is done stays, and is not done again"
    )


def _gathered(waiting: Sequence[Future[Done]]) -> Iterator[Done]:
    """Yield what is done as it comes; where that ends early, begin nothing more."""
    try:
        for future in as_completed(waiting):
            yield future.result()
    except BaseException:
        for future in waiting:
            future.cancel()
        raise


#: Every executor by name.
EXECUTORS: Mapping[str, Callable[[Force], AbstractContextManager[Execute]]] = {
    "here": here,
    "processes": processes,
    "ray": on_ray,
}
