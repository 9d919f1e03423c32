"""Temporary folders, and folders that replace others. Each is locked while it is in use.

A killed process leaves its folder without a lock. The next process removes it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.files import FORMER, TEMPORARY, lock, remove_folder, sweep


@contextmanager
def temporary(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder, which is removed after the block: in `parent`, or in the system's temporary folder.

    The system's folder is swept first.
    """
    if parent is None:
        sweep(Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(TEMPORARY, "auditor-" if parent is None else ".auditor-", parent))
        with suppress(FileNotFoundError):  # another process removed it as abandoned before it was opened, or locked
            descriptor = None if sys.platform == "win32" else os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            if descriptor is None or not lock(descriptor, wait=True) or folder.exists():
                break
            os.close(descriptor)
    try:
        yield folder
    finally:
        remove_folder(folder)
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def replacing_folder(folder: Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a new folder. It becomes `folder` if the block ends without an error; until then, `folder` is unchanged.

    If the process is killed between the two renames, the next `sweep` of the parent brings the former folder back.
    Raises `OSError` for a folder with files, unless `force` is set.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    sweep(folder.parent)
    with temporary(folder.parent) as holder:
        draft, former = holder / "draft", holder / FORMER / folder.name
        draft.mkdir()
        yield draft
        if force and folder.exists():
            former.parent.mkdir()
            folder.rename(former)
        draft.rename(folder)
