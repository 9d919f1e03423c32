"""The prompt of `auditor sql`: one statement after another, with history and completion where they can be had."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli import options as o

if TYPE_CHECKING:
    from auditor.cli.completion import Names
    from auditor.store.connection import Store

EXTRA = "pip install 'auditor[shell]'"

_ENDS = ("quit", "exit")

_PROMPT, _MORE = "auditor> ", "     ...> "

_HELP = """\
a statement ends with a semicolon:   from captions('NAME') limit 5;
.schema          what there is to ask
.schema NAME     a table, view or function with its columns
.help            this
.quit            or Ctrl-D; Ctrl-C leaves a statement"""


def prompt(store: Path, wait: float, timeout: float | None) -> None:
    """Answer statements and commands that are typed, until the user ends it."""
    from auditor.errors import AuditorError

    session = _Session(store, wait, timeout)
    session.look()
    for typed in _typed(_reader(session)):
        try:
            if not session.answer(typed):
                return
        except AuditorError as error:
            _tell(f"error: {error}")
        except KeyboardInterrupt:
            _tell("interrupted; the store is whole")


def _tell(message: str) -> None:
    """Say what --quiet does not silence."""
    from auditor.reports.harmless import harmless

    print(harmless(message), file=sys.stderr, flush=True)  # noqa: T201  as the command line says its errors


class _Session:
    """A store that is asked again and again, and what its statements may name."""

    def __init__(self, store: Path, wait: float, timeout: float | None) -> None:
        from auditor.cli.completion import Names

        self._store, self._wait, self._timeout = store, wait, timeout
        self.names: Names = Names()

    def look(self) -> None:
        """Take note of what there is to name. Raises `StoreError` where there is no store."""
        with o.opened(self._store, wait=self._wait) as opened:
            self._note_names(opened)

    def answer(self, typed: str) -> bool:
        """Run a statement or a command of the prompt; say whether to go on."""
        from auditor.errors import UsageError
        from auditor.studies.upkeep import sql as study

        word, _, name = typed.strip().rstrip(";").partition(" ")
        if word.removeprefix(".") in _ENDS:
            return False
        if word.removeprefix(".") == "help":
            _tell(_HELP)
        elif _is_command(typed) and word != ".schema":
            raise UsageError(f"{word}: no command of the prompt; .help lists them")
        else:
            with o.opened(self._store, wait=self._wait) as opened:
                if word == ".schema":
                    result = study.schema(opened, name.strip() or None)
                else:
                    result = study.query(opened, typed, timeout=self._timeout, limit=study.SHOWN_BY_SHELL)
                self._note_names(opened)
            o.deliver(result, None, False, None)
        return True

    def _note_names(self, opened: Store) -> None:
        from auditor.cli.completion import Names
        from auditor.studies.upkeep import sql as study

        self.names = Names(**study.names(opened))


def _is_command(typed: str) -> bool:
    """Return whether a line is for the prompt itself."""
    word = typed.strip().rstrip(";").partition(" ")[0]
    return word in (*_ENDS, "help") or re.fullmatch(r"\.[a-z]+", word) is not None


def _typed(read: Callable[[str], str]) -> Iterator[str]:
    """Yield a statement or a command of the prompt at a time, until the input ends."""
    from auditor.cli.completion import statements

    begun = ""
    while True:
        try:
            line = read(_MORE if begun.strip() else _PROMPT)
        except EOFError:
            return
        except KeyboardInterrupt:
            begun = ""
            continue
        if _is_command(line) and (not begun.strip() or line.strip().startswith(".")):
            if begun.strip():
                yield begun
                begun = ""
            yield line
        else:
            ended, begun = statements(f"{begun}{line}\n")
            yield from ended


def _reader(session: _Session) -> Callable[[str], str]:
    """Give what reads a line: prompt_toolkit where it is installed, else the system's own."""
    if importlib.util.find_spec("prompt_toolkit") is None:
        o.narrate(f"history and completion: {EXTRA}")
        return input
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory

    from auditor.cli.completion import completions

    class Offered(Completer):
        def get_completions(self, document: Any, _event: Any) -> Iterator[Any]:
            for one, taken in completions(session.names, document.text_before_cursor):
                yield Completion(one, start_position=-taken)

    history = _history()
    prompt: PromptSession[str] = PromptSession(
        history=None if history is None else FileHistory(str(history)), completer=Offered(), complete_while_typing=False
    )
    return prompt.prompt


def _history() -> Path | None:
    """Name the file that keeps what was typed, readable to its owner alone; null where none can be."""
    import platformdirs

    try:
        folder = platformdirs.user_state_path("auditor", ensure_exists=True)
        file = folder / "shell_history"
        os.close(os.open(file, os.O_CREAT | os.O_APPEND, 0o600))
    except OSError:
        return None
    return file
