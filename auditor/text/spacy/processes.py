"""Annotating texts in several processes at once.

Each is a separate Python that loads the pipeline and reads texts from its standard input. It does not run code of the
caller's program, and it ends with the caller, even if that is killed.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import IO

import polars as pl

from auditor.errors import AuditorError, UsageError
from auditor.text.spacy.annotation import Annotator, annotator

#: Bytes of a number that says how many bytes follow.
_SIZE = 8

#: Texts from which on another process is worth its start: one loads the pipeline in as much time as it parses these.
_WORTH_A_PROCESS = 2_500

#: The most processes by default: each has the pipeline in memory.
_MOST = 4

#: What a pipeline reads of a text at once (spaCy's max_length).
_MOST_CHARACTERS = 1_000_000

Part = tuple[int, pl.Series]

Annotated = tuple[int, pl.DataFrame]


def annotated(by: Annotator, processes: int | None, parts: Iterable[Part], texts: int) -> Iterator[Annotated]:
    """Annotate parts of so many texts in all, each with its number, in any order.

    This process does the work if one is enough; null means one per processor, four at most. Raises
    `AuditorError` for a process that ends early, as one does that finds no memory, and `UsageError` for a text that is
    longer than a pipeline reads.
    """
    processes = min(processes or min(_processors(), _MOST), texts // _WORTH_A_PROCESS)
    if processes < 2:
        for number, part in parts:
            yield number, by.annotate(_readable(part))
        return
    started = [_Process(by.name) for _ in range(processes)]
    free: SimpleQueue[_Process] = SimpleQueue()
    for process in started:
        free.put(process)
    pool = ThreadPoolExecutor(processes)
    try:
        waiting: set[Future[Annotated]] = set()
        for number, part in parts:
            waiting.add(pool.submit(_ask, free, (number, _readable(part))))
            if len(waiting) > processes:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        for process in started:
            process.end()
        pool.shutdown(cancel_futures=True)


def _readable(texts: pl.Series) -> pl.Series:
    longest = max(map(len, texts), default=0)
    if longest > _MOST_CHARACTERS:
        raise UsageError(
            f"a caption has {longest:,} characters: pipelines read up to {_MOST_CHARACTERS:,}; leave it out"
        )
    return texts


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Process:
    """A Python that runs this module."""

    def __init__(self, name: str) -> None:
        self._running = subprocess.Popen(  # noqa: S603  # this interpreter, and a name that it has loaded itself
            [sys.executable, "-P", "-m", __name__, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the caller's, who ends it
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )

    def ask(self, texts: pl.Series) -> pl.DataFrame:
        """Let it annotate texts. Raises `AuditorError` where it has ended."""
        annotated, questions, answers = None, self._running.stdin, self._running.stdout
        if questions is not None and answers is not None:
            with suppress(BrokenPipeError):
                _send(questions, texts.to_frame("text"))
                annotated = _receive(answers)
        if annotated is None:
            raise AuditorError(
                "a process that annotates captions ended early; finished parts are kept; try --processes 1"
            )
        return annotated

    def end(self) -> None:
        """End it, whatever it is at."""
        self._running.kill()
        with suppress(BrokenPipeError):
            self._running.communicate()


def _ask(free: SimpleQueue[_Process], part: Part) -> Annotated:
    number, texts = part
    process = free.get()
    try:
        return number, process.ask(texts)
    finally:
        free.put(process)


def _send(to: IO[bytes], frame: pl.DataFrame) -> None:
    packed = io.BytesIO()
    frame.write_ipc_stream(packed)
    to.write(packed.tell().to_bytes(_SIZE))
    to.write(packed.getvalue())
    to.flush()


def _receive(source: IO[bytes]) -> pl.DataFrame | None:
    """Read a frame; null where the other side has ended."""
    size = int.from_bytes(source.read(_SIZE))
    packed = source.read(size)
    return pl.read_ipc_stream(packed) if size and len(packed) == size else None


def _serve(name: str) -> None:
    """Annotate the texts from standard input, until it ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the output of a pipeline must not mix with answers
    try:
        by = annotator(name, "annotations")
    except AuditorError as error:
        sys.exit(str(error))
    with suppress(BrokenPipeError):  # the caller has ended
        while (texts := _receive(sys.stdin.buffer)) is not None:
            _send(answers, by.annotate(texts["text"]))


if __name__ == "__main__":
    _serve(sys.argv[1])
