"""The prompt of `auditor sql`, with history and completion if prompt_toolkit is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli import options as o

if TYPE_CHECKING:
    from auditor.store.connection import Store

EXTRA = "pip install 'auditor[shell]'"

_ENDS = ("quit", "exit")

_PROMPT, _MORE = "auditor> ", "     ...> "

_HELP = """\
end each statement with a semicolon: from captions('NAME') limit 5;
.schema          list tables, views and functions
.schema NAME     show the columns of one
.help            show this help
.quit            leave, or press Ctrl-D; Ctrl-C cancels a statement"""

#: Words of SQL that a statement is likely to hold.
_WORDS = (
    "and", "as", "asc", "avg", "between", "by", "case", "count", "cross", "desc", "describe", "distinct", "else", "end",
    "except", "exists", "explain", "from", "group", "having", "in", "intersect", "is", "join", "left", "like", "limit",
    "max", "median", "min", "not", "null", "offset", "on", "or", "order", "over", "partition", "select", "sum", "then",
    "union", "using", "when", "where", "with",
)  # fmt: skip

_WORD = re.compile(r"[\w.]+$")

_QUOTED = re.compile(r"'([^'\s]*)$")


def prompt(store: Path, wait: float, timeout: float | None) -> None:
    """Run the statements and commands that are typed, until the user leaves."""
    from auditor.errors import AuditorError

    session = _Session(store, wait, timeout)
    for typed in _typed(_reader(session)):
        try:
            if not session.answer(typed):
                return
        except AuditorError as error:
            _report(f"error: {error}")
        except KeyboardInterrupt:
            _report("interrupted; the store is intact")


def _report(message: str) -> None:
    """Write a message that --quiet does not silence."""
    from auditor.reports.escaping import harmless

    print(harmless(message), file=sys.stderr, flush=True)  # noqa: T201  as the command line reports its errors


class _Session:
    """A store that is queried repeatedly, and the names that its statements can use."""

    def __init__(self, store: Path, wait: float, timeout: float | None) -> None:
        self._store, self._wait, self._timeout = store, wait, timeout
        with o.opened(store, wait=wait) as opened:  # a missing store is an error at once
            self._note_names(opened)

    def answer(self, typed: str) -> bool:
        """Run a statement or a command of the prompt. Return whether to go on."""
        from auditor.errors import UsageError
        from auditor.studies.upkeep import sql as study

        word, _, name = typed.strip().rstrip(";").partition(" ")
        if word.removeprefix(".") in _ENDS:
            return False
        if word.removeprefix(".") == "help":
            _report(_HELP)
        elif _is_command(typed) and word != ".schema":
            raise UsageError(f"{word}: unknown command; .help lists the commands")
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
        from auditor.studies.upkeep import sql as study

        self.names = Names(**study.names(opened))


def _is_command(typed: str) -> bool:
    """Return whether a line is for the prompt itself."""
    word = typed.strip().rstrip(";").partition(" ")[0]
    return word in (*_ENDS, "help") or re.fullmatch(r"\.[a-z]+", word) is not None


def _typed(read: Callable[[str], str]) -> Iterator[str]:
    """Yield statements and commands of the prompt one by one, until the input ends."""
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
    """Return the function that reads a line: prompt_toolkit's if it is installed, else the system's."""
    if importlib.util.find_spec("prompt_toolkit") is None:
        o.narrate(f"for history and completion: {EXTRA}")
        return input
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory

    class Offered(Completer):
        def get_completions(self, document: Any, _event: Any) -> Iterator[Any]:
            for completion, taken in completions(session.names, document.text_before_cursor):
                yield Completion(completion, start_position=-taken)

    history = _history()
    prompt: PromptSession[str] = PromptSession(
        history=None if history is None else FileHistory(str(history)), completer=Offered(), complete_while_typing=False
    )
    return prompt.prompt


def _history() -> Path | None:
    """Return the file that keeps the history, which only its owner can read; null if it cannot be made."""
    import platformdirs

    try:
        folder = platformdirs.user_state_path("auditor", ensure_exists=True)
        file = folder / "shell_history"
        os.close(os.open(file, os.O_CREAT | os.O_APPEND, 0o600))
    except OSError:
        return None
    return file


@dataclass(frozen=True)
class Names:
    """The names that a statement can use. `versions` are datasets, with their versions, tags and splits."""

    relations: Sequence[str] = ()
    functions: Sequence[str] = ()
    columns: Sequence[str] = ()
    versions: Sequence[str] = ()


def completions(names: Names, before: str) -> Iterator[tuple[str, int]]:
    """Yield what may follow a text, each with the number of last characters that it replaces.

    Inside quotes these are datasets and their versions, elsewhere tables and columns before words of SQL.
    """
    quotes = before.count("'") % 2
    match = (_QUOTED if quotes else _WORD).search(before)
    begun = match[match.lastindex or 0] if match else ""
    if not quotes and not begun:
        return
    offered = names.versions if quotes else (*names.relations, *names.functions, *names.columns, *_WORDS)
    for word in dict.fromkeys(offered):
        if word.lower().startswith(begun.lower()) and word != begun:
            yield word, len(begun)


def statements(text: str) -> tuple[list[str], str]:
    """Split a text at the semicolons that end its statements. Return the statements, and the unfinished rest.

    A semicolon in quotes or in a comment does not end a statement.
    """
    ended, begin, quote, at = list[str](), 0, "", 0
    while at < len(text):
        if quote:
            end = text.find(quote, at)
            if end < 0:
                break
            at, quote = end + len(quote), ""
        elif text.startswith(("--", "/*"), at):
            quote, at = ("\n" if text[at] == "-" else "*/"), at + 2
        elif text[at] in "'\"":
            quote, at = text[at], at + 1
        elif text[at] == ";":
            ended.append(text[begin:at])
            begin = at = at + 1
        else:
            at += 1
    return [word.strip() for word in ended if word.strip()], text[begin:]
