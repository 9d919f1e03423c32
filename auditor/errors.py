"""What can go wrong, and with which exit code it ends.

Rooms raise these; only `cli/app.py` catches them. A message is one line: what, where, what to do next.
"""

from __future__ import annotations


class AuditorError(Exception):
    """Whatever a user can cause and mend; anything else is a bug."""

    exit_code = 2


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
