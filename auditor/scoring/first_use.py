"""Kernels that another process compiles at their first use, while this one compiles the first of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from auditor.compiled import can_keep
from auditor.metrics.card import Kernel

#: Score two captions with metrics: what is compiled is kept for every process.
_SCORES = """
import sys, tempfile
from pathlib import Path
import auditor
from auditor import compiled

compiled.little = -1
with tempfile.TemporaryDirectory() as folder, auditor.open(":memory:", write=True) as audit:
    file = Path(folder, "captions.token")
    file.write_text("a.jpg#0\\ta dog\\na.jpg#1\\ta dog runs\\n", encoding="utf-8")
    audit.ingest("captions", files=[file], file_format="flickr")
    audit.score("captions", metrics=sys.argv[1:])
"""

#: A process that takes longer than these seconds is not waited for.
_MOST = 60.0


@contextmanager
def compiled_meanwhile(kernels: Sequence[Kernel]) -> Iterator[Callable[[Kernel], None]]:
    """Let another process compile all but the first of the kernels that are not compiled yet.

    Yields a function that waits until a kernel is compiled. If the process fails, the kernel compiles at its call. A
    kernel has the name of its metric.
    """
    names = [kernel.name for kernel in kernels if not kernel.is_compiled][1:]
    process = _started(names) if names and sys.executable and can_keep() else None

    def wait_for(kernel: Kernel) -> None:
        if process is not None and kernel.name in names:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_MOST)

    try:
        yield wait_for
    finally:
        if process is not None:
            process.kill()
            process.wait()


def _started(metrics: Sequence[str]) -> subprocess.Popen[bytes] | None:
    with suppress(OSError):
        return subprocess.Popen(  # noqa: S603  # this interpreter
            [sys.executable, "-P", "-c", _SCORES, *metrics],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is the caller's, who ends it
        )
    return None
