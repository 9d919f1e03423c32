"""Atomic replacement of files: a file is written as a draft next to its target, then renamed in one step."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from auditor.errors import UsageError

if sys.platform != "win32":
    import fcntl

_OURS = (1, 2)

#: The most bytes of a file that is read whole.
_MOST = 1 << 28

#: The endings of drafts of files, and of temporary folders.
_DRAFT, TEMPORARY = ".draft", ".temporary"

#: Where a temporary folder has the former content of the folder that it replaces.
FORMER = "former"


def is_plain(path: Path) -> bool:
    """Return whether a path names a regular file, existing or not: not a pipe, a terminal or another device."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def printable(path: Path | str) -> str:
    r"""Return a path as text that can be stored: bytes that are not UTF-8 as `\xff`."""
    return str(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


def content(path: Path) -> bytes:
    """Read a file. Raises `OSError` also for a pipe or a device, which may never end, and for a huge file."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        held = file.read(_MOST + 1) or b""  # of the system's own files, the size is unknown
        if len(held) > _MOST:
            raise OSError(errno.EINVAL, f"larger than {_MOST:,} bytes", str(path))
        return held


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a text file, with line ends as `Path.read_text` gives them. Raises the errors of `content`."""
    return io.StringIO(content(path).decode(encoding), newline=None).read()


def read_json(path: Path) -> Any:
    """Read a JSON file. Raises `OSError` as `content` does, and `ValueError` for other text, also if nested too deep.

    A string that is half of a character, which no file or screen can show, is a `ValueError` too.
    """
    try:
        document = json.loads(content(path))
        json.dumps(document, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return document


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a draft to write. It becomes the file at `path` if the block ends without an error, else it is removed.

    The old file stays unchanged until then, also if the disk is full or the process is killed. The draft of a killed
    process is removed by the next process that writes in its folder. Links and file modes are kept. A path that is not
    a regular file (`/dev/stdout`, a pipe, `/dev/null`) is written directly. Raises `OSError` for a file that cannot be
    written, also for lack of permission.
    """
    if (stream := _stream(path)) is not None:
        yield stream
        stream.flush()
        return
    if not is_plain(path):
        with path.open("wb") as device:
            yield device
        return
    try:
        target = path.resolve()
    except RuntimeError as error:  # a cycle of links
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    before = target.stat() if target.exists() else None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(path))
    draft, descriptor = _draft(target)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  a descriptor has no path
            yield file
            if before is not None:
                _keep(descriptor, before)
            file.flush()
            os.fsync(descriptor)  # some file systems report only now that they are full
            if sys.platform == "win32":  # which renames no open file
                file.close()
            os.replace(draft, target)  # noqa: PTH105  atomic, while the lock shows others that the draft is in use
    except BaseException:
        with suppress(OSError):  # a folder without permission to write
            draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> tuple[Path, int]:
    """Make a draft of a file, locked while its descriptor is open. The folder is swept first."""
    sweep(target.parent)
    begin = f".auditor-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"
    while True:
        draft = target.with_name(f"{begin}{secrets.token_hex(8)}{_DRAFT}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if not lock(descriptor, wait=True) or os.fstat(descriptor).st_nlink:
            return draft, descriptor
        os.close(descriptor)  # another process removed it as an abandoned draft before it was locked


@contextmanager
def written(path: Path, option: str = "") -> Iterator[BinaryIO]:
    """Yield a draft as `replacing` does. Raises `UsageError` for a file that cannot be written."""
    try:
        with replacing(path) as file:
            yield file
    except BrokenPipeError:  # a reader that leaves early is not an error, for -o as for a pipe
        raise
    except OSError as error:
        raise UsageError(f"{option}{path}: cannot be written: {error.strerror or error}") from error


def sweep(parent: Path) -> None:
    """Remove the drafts and temporary folders of killed processes in a folder: those that no process has locked.

    On a file system without locks, they stay.
    """
    if sys.platform == "win32":
        return
    for left in (*parent.glob(f".auditor-*{_DRAFT}"), *parent.glob(f"*auditor-*{TEMPORARY}")):
        is_folder = left.suffix == TEMPORARY
        with suppress(OSError):
            # A pipe would wait for its reader, and a link may lead to any file.
            how = os.O_RDONLY | os.O_DIRECTORY if is_folder else os.O_WRONLY | os.O_NONBLOCK
            descriptor = os.open(left, how | os.O_NOFOLLOW)
            try:
                is_own = not is_folder or os.fstat(descriptor).st_uid == os.getuid()
                if is_own and lock(descriptor, wait=False):
                    remove_folder(left) if is_folder else left.unlink()
            finally:
                os.close(descriptor)


def remove_folder(folder: Path) -> None:
    """Remove a temporary folder; the folder that it was about to replace, if that is missing now, is put back."""
    for former in folder.glob(f"{FORMER}/*"):
        if not os.path.lexists(target := folder.parent / former.name):
            former.rename(target)
    shutil.rmtree(folder, ignore_errors=True)


def lock(descriptor: int, *, wait: bool, shared: bool = False) -> bool | None:
    """Lock a file or folder until it is closed or the process ends, also `shared` with others. Return whether it is.

    Null if its file system has no locks.
    """
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _stream(path: Path) -> BinaryIO | None:
    """Return the standard stream that a path names: `/dev/stdout`, or the file that it is redirected to."""
    for number, stream in zip(_OURS, (sys.stdout, sys.stderr), strict=True):
        with suppress(OSError, AttributeError):
            if os.path.samestat(path.stat(), os.fstat(number)) and stream.fileno() == number:
                stream.flush()
                return stream.buffer
    return None


def _keep(descriptor: int, before: os.stat_result) -> None:
    """Set the owner and the mode of a draft to those of the file that it replaces, as far as permitted."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
