"""Guards of the paths that a command is given, by what it does with them, before any work."""

from __future__ import annotations

import stat
from enum import Enum
from pathlib import Path

from auditor.errors import UsageError
from auditor.files import printable


class Role(Enum):
    """What a command does with a path. A place is a file, a folder, a pattern, a pipe or a URL, with its own guards."""

    INPUT = "file"
    OUTPUT = "output"
    FOLDER = "folder"
    PLACE = "place"


def refuse(path: Path, role: Role, option: str) -> None:
    """Raise `UsageError` for a path that cannot be an input or a folder; those of outputs are checked together.

    That is a cycle of links, too long a name, a folder as a file, and what may never end: a pipe, a device. A missing
    file is reported by its reader.
    """
    if role not in (Role.INPUT, Role.FOLDER):
        return
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    else:
        if stat.S_ISREG(mode) if role is Role.INPUT else stat.S_ISDIR(mode):
            return
        why = "is a folder" if stat.S_ISDIR(mode) else "not a regular file" if role is Role.INPUT else "not a folder"
    raise UsageError(f"{option} {printable(path)}: {why}; name another {role.value}")
