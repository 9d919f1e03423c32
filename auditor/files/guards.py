"""Guards of the paths that a command is given, by what it does with them, before any work."""

from __future__ import annotations

import stat
from enum import Enum
from pathlib import Path

from auditor.errors import UsageError
from auditor.files import printable


class Role(Enum):
    """What a command does with a path: reads a file, writes a file, or writes a folder.

    A place of captions may be a file, a folder, a pattern, a pipe or a URL: its reader has its own guards.
    """

    INPUT = "file"
    OUTPUT = "file to write"
    FOLDER = "folder"
    PLACE = "place of captions"


def refuse(path: Path, role: Role, option: str) -> None:
    """Raise `UsageError` for a path that cannot have a role. A missing file is reported by its reader.

    That is a cycle of links, a name that is too long, a folder as a file, a file as a folder; as an input, also a pipe
    or a device, which may never end.
    """
    if role is Role.PLACE:
        return
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    else:
        if stat.S_ISDIR(mode) is (role is Role.FOLDER) and (role is not Role.INPUT or stat.S_ISREG(mode)):
            return
        why = "is a folder" if stat.S_ISDIR(mode) else "not a regular file" if role is Role.INPUT else "not a folder"
    raise UsageError(f"{option} {printable(path)}: {why}; expected a {role.value}")
