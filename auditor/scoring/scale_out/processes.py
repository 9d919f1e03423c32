"""Tasks in other processes of this machine.

Each is a Python of its own that is told tasks on its standard input, a line each: nothing of the caller's program runs
in it, and it ends when the caller does, however that ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from auditor import errors
from auditor.errors import AuditorError
from auditor.scoring.scale_out.tasks import Done, run


class Process:
    """A Python that runs this module."""

    def __init__(self) -> None:
        self._running = subprocess.Popen(  # noqa: S603  # this interpreter
            [sys.executable, "-P", "-W", "ignore:::auditor.plugins", "-m", __name__],  # the caller has warned
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the caller's, who ends it
            encoding="utf-8",
        )

    def ask(self, folder: Path, stage: str, number: int, memory: int) -> Done | None:
        """Let it do a task; null where it was killed. Raises what the task raises."""
        told, questions, answers = "", self._running.stdin, self._running.stdout
        if questions is not None and answers is not None:
            with suppress(BrokenPipeError):
                questions.write(json.dumps([str(folder), stage, number, memory]) + "\n")
                questions.flush()
                told = answers.readline()
        if not told.endswith("\n"):
            return None
        answer = json.loads(told)
        if "done" in answer:
            return Done(*answer["done"])
        kind = getattr(errors, answer["error"], None)
        raise (kind or RuntimeError)(answer["said"])

    def end(self) -> None:
        """End it, whatever it is at."""
        self._running.kill()
        with suppress(BrokenPipeError):
            self._running.communicate()


def _serve() -> None:
    """Do the tasks of standard input, until it ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed is no answer
    questions: SimpleQueue[str] = SimpleQueue()
    Thread(target=_listen, args=(questions,), daemon=True).start()
    with suppress(BrokenPipeError):  # the caller is gone
        while True:
            print(json.dumps(_answer(*json.loads(questions.get()))), file=answers, flush=True)


def _listen(questions: SimpleQueue[str]) -> None:
    """Read tasks, and end this process in the middle of one where the caller is gone: files are whole or not there."""
    for line in sys.stdin:
        questions.put(line)
    os._exit(0)


def _answer(folder: str, stage: str, number: int, memory: int) -> dict[str, object]:
    try:
        return {"done": run(Path(folder), stage, number, memory)}
    except AuditorError as error:
        return {"error": type(error).__name__, "said": str(error)}
    except Exception:  # noqa: BLE001  the caller's to tell
        return {"error": "", "said": traceback.format_exc()}


if __name__ == "__main__":
    _serve()
