"""Tasks in other processes of this machine.

Each is a separate Python process that reads tasks from its standard input, one per line. Code of the caller does not
run in it, and it ends when the caller ends for any reason.
"""

from __future__ import annotations

import importlib
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
from auditor.scoring.scale_out.stage import Done, Run


class Process:
    """A Python process that runs this module."""

    def __init__(self) -> None:
        self._running = subprocess.Popen(  # noqa: S603  # this interpreter
            [sys.executable, "-P", "-W", "ignore:::auditor.plugins", "-m", __name__],  # the caller has warned
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the caller's, who ends it
            encoding="utf-8",
        )

    def ask(self, run: Run, folder: Path, stage: str, number: int, memory: int) -> Done | None:
        """Run a task in it by a function named `run`; null if it was killed. Raises the error of the task."""
        line, questions, answers = "", self._running.stdin, self._running.stdout
        if questions is not None and answers is not None:
            with suppress(BrokenPipeError):
                questions.write(json.dumps([run.__module__, str(folder), stage, number, memory]) + "\n")
                questions.flush()
                line = answers.readline()
        if not line.endswith("\n"):
            return None
        answer = json.loads(line)
        if "done" in answer:
            return Done(*answer["done"])
        kind = getattr(errors, answer["error"], None)
        raise (kind or RuntimeError)(answer["message"])

    def end(self) -> None:
        """Kill it."""
        self._running.kill()
        with suppress(BrokenPipeError):
            self._running.communicate()


def _serve() -> None:
    """Run the tasks of standard input, until it ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output must not mix with answers
    questions: SimpleQueue[str] = SimpleQueue()
    Thread(target=_listen, args=(questions,), daemon=True).start()
    with suppress(BrokenPipeError):  # the caller is gone
        while True:
            print(json.dumps(_answer(*json.loads(questions.get()))), file=answers, flush=True)


def _listen(questions: SimpleQueue[str]) -> None:
    """Read tasks, and end this process if the caller is gone, even during a task: files are whole or missing."""
    for line in sys.stdin:
        questions.put(line)
    os._exit(0)


def _answer(module: str, folder: str, stage: str, number: int, memory: int) -> dict[str, object]:
    try:
        return {"done": importlib.import_module(module).run(Path(folder), stage, number, memory)}
    except AuditorError as error:
        return {"error": type(error).__name__, "message": str(error)}
    except Exception:  # noqa: BLE001  the caller reports it
        return {"error": "", "message": traceback.format_exc()}


if __name__ == "__main__":
    _serve()
