"""The errors of the package, each with its exit code.

Rooms raise these; only `cli/app.py` catches them. A message is one line: what is wrong, where, and what to do. No
message holds a password or a token of a URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

#: A user and a password before a host, also with characters that a password in a URL should not have.
_LOGIN = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}:/+)(?:[^\s/?#]*|[^\s/?#@:\[\]]+:(?!\d*(?:[/?#]|$))\S*)@")

#: A value in a query or fragment whose name is that of a signature or a credential.
_PROOF = re.compile(
    r"(?i)([?&;#][^\s=&;?#]{0,60}(?:sig|token|key|secret|pass|pwd|auth|cred|policy|session|jwt|sas)[^\s=&;?#]{0,60}=)"
    r"""[^\s&#'"<>)\]}]*[^\s&#'"<>)\]}:;,.]"""
)

#: What readers of CI logs obey: `::` that begins a line, also after spaces; `##[`, `##vso[`, `##teamcity[` anywhere.
_COMMAND = re.compile(r"(?:(?<![^\r\n])([^\S\r\n]*)):(?=:)|#(?=#\w*\[)")

#: As many names are listed in an error; of more, the nearest one and the first.
_FEW, _FIRST = 12, 5


def disobeyed(text: str) -> str:
    """Replace the first character of each command of a CI log by one that looks like it."""
    return _COMMAND.sub(lambda found: "♯" if found[0] == "#" else f"{found[1]}\N{RATIO}", text)


def redacted(text: str) -> str:
    """Replace passwords and tokens in the URLs of a text with stars."""
    return _PROOF.sub(r"\1***", _LOGIN.sub(r"\1***@", text))


def harmless_cause(error: BaseException) -> BaseException | None:
    """Return a library's error to raise from; null if it, or one of its causes, shows a password or token."""
    cause: BaseException | None = error
    while cause is not None:
        if redacted(str(cause)) != str(cause):
            return None
        cause = cause.__cause__ or cause.__context__
    return error


def suggested(word: str, known: Iterable[str], listed: str = "") -> str:
    """Return what is expected instead of an unknown word: the nearest name; all of a few, else `listed`."""
    names = [*known]
    near = get_close_matches(word.lower(), names, 1)
    meant = f"did you mean {near[0]}? " if near else ""
    if len(names) > _FEW and listed:
        return f"{meant or 'unknown; '}{listed}"
    *first, last = names if len(names) <= _FEW else [*names[:_FIRST], f"one of {len(names) - _FIRST} more"]
    return f"{meant}expected {', '.join(first)}{' or ' * bool(first)}{last}"


class AuditorError(Exception):
    """An error that a user can cause and fix; any other exception is a bug."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(redacted(message))


class UsageError(AuditorError):
    """A name, option or reference that cannot be understood."""

    exit_code = 2


class SourceError(AuditorError):
    """A file that cannot be read in the format that was named or detected."""

    exit_code = 3


class AdvisedError(SourceError):
    """A file that can be read with other arguments of `ingest`."""

    def __init__(self, message: str, **arguments: str | Sequence[str]) -> None:
        super().__init__(message)
        self.arguments = arguments


class StoreError(AuditorError):
    """A store that is missing, damaged, or has another schema."""

    exit_code = 4


class StoreLockedError(StoreError):
    """A store that another process is using."""


class SqlError(AuditorError):
    """A statement that the engine rejects."""

    exit_code = 5


class EngineMemoryError(SqlError):
    """Work that needs more memory than the engine may use. The store is unchanged."""


class EngineFaultError(SqlError):
    """A fault of the engine in one of auditor's own statements. The store is unchanged."""


class MetricError(AuditorError):
    """A metric or parameter that does not exist, or scores that cannot be computed."""

    exit_code = 5


class MissingExtraError(AuditorError):
    """An optional dependency that is not installed; the message names the extra."""

    exit_code = 6
