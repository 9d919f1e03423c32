"""Atomic replacement of files: a file is written as a draft next to its target, then renamed in one step."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_OURS = (1, 2)


def is_plain(path: Path) -> bool:
    """Return whether a path names a regular file, existing or not: not a pipe, a terminal or another device."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def printable(path: Path | str) -> str:
    r"""Return a path as text that can be stored: bytes that are not UTF-8 as `\xff`."""
    return str(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a draft to write. It becomes the file at `path` if the block ends without an error, else it is removed.

    The old file stays unchanged until then, also if the disk is full or the process is killed. The draft of a killed
    process is removed by the next process that writes the same file. Links and file modes are kept. A path that is not
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
        os.replace(draft, target)  # noqa: PTH105  this call is atomic
    except BaseException:
        with suppress(OSError):  # a folder without permission to write
            draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> tuple[Path, int]:
    """Make a draft of a file, locked while its descriptor is open. Drafts of the file without a lock are removed.

    On a file system without locks, the draft of a killed process stays.
    """
    begin = f".auditor-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"
    for left in target.parent.glob(f"{begin}*.draft"):
        with suppress(OSError):
            # A pipe would wait for its reader, and a link may lead to any file.
            descriptor = os.open(left, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(descriptor, wait=False):
                    left.unlink()
            finally:
                os.close(descriptor)
    while True:
        draft = target.with_name(f"{begin}{secrets.token_hex(8)}.draft")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if not _lock(descriptor, wait=True) or os.fstat(descriptor).st_nlink:
            return draft, descriptor
        os.close(descriptor)  # another process removed it as an abandoned draft before it was locked


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Lock a file until it is closed or the process ends. Return whether it is locked."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    return False


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
