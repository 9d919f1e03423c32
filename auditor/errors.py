"""What can go wrong, and with which exit code it ends.

Rooms raise these; only `cli/app.py` catches them. A message is one line: what, where, what to do next. No message
holds a password or a token of an address.
"""

from __future__ import annotations

import re

#: A user and a password before a host, also one with signs that a password in an address should not have.
_LOGIN = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}:/+)(?:[^\s/?#]*|[^\s/?#@:\[\]]+:(?!\d*(?:[/?#]|$))\S*)@")

#: A value in a query or fragment whose name says that it signs, or proves who asks.
_PROOF = re.compile(
    r"(?i)([?&;#][^\s=&;?#]{0,60}(?:sig|token|key|secret|pass|pwd|auth|cred|policy|session|jwt|sas)[^\s=&;?#]{0,60}=)"
    r"""[^\s&#'"<>)\]}]*[^\s&#'"<>)\]}:;,.]"""
)


def redacted(text: str) -> str:
    """Replace passwords and tokens of the addresses in a text with stars."""
    return _PROOF.sub(r"\1***", _LOGIN.sub(r"\1***@", text))


def harmless_cause(error: BaseException) -> BaseException | None:
    """Return a library's error to raise from; null where it, or one behind it, shows a password or token."""
    cause: BaseException | None = error
    while cause is not None:
        if redacted(str(cause)) != str(cause):
            return None
        cause = cause.__cause__ or cause.__context__
    return error


class AuditorError(Exception):
    """Whatever a user can cause and mend; anything else is a bug."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(redacted(message))


class UsageError(AuditorError):
    """A name, option or reference that cannot be understood."""

    exit_code = 2


class SourceError(AuditorError):
    """A file that cannot be read as what it is said to be."""

    exit_code = 3


class StoreError(AuditorError):
    """The store is missing, of another schema, or damaged."""

    exit_code = 4


class StoreLockedError(StoreError):
    """Another process holds the store."""


class SqlError(AuditorError):
    """A statement that the engine refuses."""

    exit_code = 5


class EngineMemoryError(SqlError):
    """Work that needs more memory than the engine may use. It says nothing of the store, which stays as it was."""


class EngineFaultError(SqlError):
    """A fault of the engine at one of our own statements. It says nothing of the store, which stays as it was."""


class MetricError(AuditorError):
    """A metric or parameter that does not exist, or scores that cannot be had."""

    exit_code = 5


class MissingExtraError(AuditorError):
    """An optional part that is not installed; the message names the extra."""

    exit_code = 6
