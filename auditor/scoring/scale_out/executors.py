"""Executors of tasks: threads of this process, processes of this machine, Ray. They do not know what a task does.

An executor receives independent tasks, and yields finished ones as they come. If a worker is killed, another one
repeats its task: tasks write whole files or nothing.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from auditor.errors import MissingExtraError, StoreError, UsageError
from auditor.scoring.scale_out.processes import Process
from auditor.scoring.scale_out.stage import Done, Run
from auditor.store.file import memory

#: How often workers may be killed during one task.
_PATIENCE = 3

#: Bytes of Ray's object store: workers return a few numbers each, and write results to files.
_OBJECTS = 100 * 2**20


@dataclass(frozen=True)
class Force:
    """The number of workers, the bytes that the engine of each may use, and the address of a cluster."""

    workers: int
    memory: int
    address: str | None = None


#: Runs tasks of one stage, by their numbers, of the work in a folder.
Execute = Callable[[Path, str, Sequence[int]], Iterator[Done]]


@contextmanager
def here(force: Force, run: Run) -> Iterator[Execute]:
    """Run tasks in threads of this process, by the function `run`; for one worker, without threads."""

    def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
        if force.workers == 1:
            for number in numbers:
                yield run(folder, stage, number, force.memory)
            return
        with ThreadPoolExecutor(force.workers) as pool:
            yield from _gathered([pool.submit(run, folder, stage, number, force.memory) for number in numbers])

    yield execute


@contextmanager
def processes(force: Force, run: Run) -> Iterator[Execute]:
    """Run tasks in processes of this machine. Raises `StoreError` if they are killed repeatedly."""
    free: SimpleQueue[Process] = SimpleQueue()
    started = [Process() for _ in range(force.workers)]
    for process in started:
        free.put(process)

    def ask(folder: Path, stage: str, number: int) -> Done:
        process = free.get()
        try:
            for _ in range(_PATIENCE):
                if (done := process.ask(run, folder, stage, number, force.memory)) is not None:
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
def on_ray(force: Force, run: Run) -> Iterator[Execute]:
    """Run tasks with Ray: on this machine, or on the cluster at an address, which has the folder at the same path.

    Raises `MissingExtraError` without Ray, `UsageError` if no cluster answers, `StoreError` if workers are killed
    repeatedly.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # with its default of 15, workers would wait for other programs
    try:
        import ray  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("--executor ray needs Ray: pip install 'auditor[ray]'") from error
    is_ours = not ray.is_initialized()
    if is_ours:
        own = {"include_dashboard": False, "num_cpus": force.workers, "object_store_memory": _OBJECTS}
        options: dict[str, Any] = {"address": force.address} if force.address else {"address": "local", **own}
        try:
            with chdir(sys.prefix):  # workers import from the folder where Ray starts, before installed packages
                ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise UsageError(f"--address {force.address}: Ray does not answer: {error}") from error
    task, home = ray.remote(num_cpus=1, max_retries=_PATIENCE)(_in_folder), Path.cwd()

    def execute(folder: Path, stage: str, numbers: Sequence[int]) -> Iterator[Done]:
        waiting = [task.remote(home, run, folder, stage, number, force.memory) for number in numbers]
        try:
            while waiting:
                ready, waiting = ray.wait(waiting)
                yield from ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise _killed(folder) from error
        finally:
            for reference in waiting:
                ray.cancel(reference)

    try:
        yield execute
    finally:
        if is_ours:
            ray.shutdown()


def _in_folder(home: Path, run: Run, folder: Path, stage: str, number: int, memory: int) -> Done:
    """Run a task in the folder of the command, if a worker's machine has it: the paths of files may be relative."""
    with chdir(home) if home.is_dir() else nullcontext():
        return run(folder, stage, number, memory)


def _killed(folder: Path) -> StoreError:
    return StoreError(
        f"{folder}: {_PATIENCE} workers were killed during one task, probably because memory is full; use fewer "
        "--workers. Finished tasks are kept"
    )


def _gathered(waiting: Sequence[Future[Done]]) -> Iterator[Done]:
    """Yield finished tasks as they come; if that ends early, start no more."""
    try:
        for future in as_completed(waiting):
            yield future.result()
    except BaseException:
        for future in waiting:
            future.cancel()
        raise


#: Every executor by name.
EXECUTORS: Mapping[str, Callable[[Force, Run], AbstractContextManager[Execute]]] = {
    "here": here,
    "processes": processes,
    "ray": on_ray,
}

#: The minimum memory of an engine for a task, in bytes.
_LEAST_MEMORY = 256 * 2**20


def executing(
    executor: str | None, workers: int | None, address: str | None, run: Run
) -> AbstractContextManager[Execute]:
    """Start the workers that a command asks for; by default, threads of this process."""
    return EXECUTORS[executor or "here"](force_of(workers, address), run)


def force_of(workers: int | None, address: str | None = None) -> Force:
    """Return so many workers, which share the memory; by default, one per core."""
    several = workers or os.cpu_count() or 1
    return Force(several, max(_LEAST_MEMORY, memory() // several), address)
