"""Folders that an export fills, and replaces where that is asked: whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import UsageError
from auditor.files.rows import disk_errors


@contextmanager
def replacing_folder(folder: Path, known: Collection[str], *, force: bool) -> Iterator[Path]:
    """Give a new folder that takes the place of `folder` when it is filled; until then, nothing changes there.

    Raises `UsageError` for a folder that is there without `force`, or that holds what is not `known`.
    """
    _check_free(folder, known, force=force)
    folder = folder.absolute()
    draft, former = (folder.with_name(f".{folder.name}.{os.getpid()}.{part}") for part in ("draft", "former"))
    draft.mkdir(parents=True)
    try:
        with disk_errors():
            yield draft
        if folder.exists():
            folder.rename(former)
        draft.rename(folder)
    except BaseException:
        if former.exists() and not folder.exists():
            former.rename(folder)
        raise
    else:
        shutil.rmtree(former, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_free(folder: Path, known: Collection[str], *, force: bool) -> None:
    if not folder.exists() and not folder.is_symlink():
        return
    if not force:
        raise UsageError(f"{folder}: is there already; name another folder, or replace it with --force")
    if folder.is_symlink() or not folder.is_dir() or not {found.name for found in folder.iterdir()} <= set(known):
        raise UsageError(f"{folder}: is no folder that export made, and so is not replaced; name another")
