"""A file takes the place of another whole or not at all: written beside it as a draft, then renamed in one step."""

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
    """Return whether a path names a file, there or yet to be made: neither a pipe, a terminal nor another device."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def printable(path: Path | str) -> str:
    r"""Return a path as text that can be stored: bytes that are no UTF-8 as `\xff`."""
    return str(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a draft to write; where the block ends well it becomes the file at `path`, otherwise it is gone.

    Until then the file that was there stands as it was, and so it does where the disk is full or the process killed;
    the draft that a killed process left of the same file goes with the next one that writes it. A link stays a link, a
    mode stays a mode. What is no plain file (`/dev/stdout`, a pipe, `/dev/null`) is written as it comes. Raises
    `OSError` where a file cannot be written, and for one that is there and may not be.
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
    except RuntimeError as error:  # a ring of links
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
            os.fsync(descriptor)  # some file systems say only now that there is no room
        os.replace(draft, target)  # noqa: PTH105  the one call that is known to be all or nothing
    except BaseException:
        with suppress(OSError):  # a folder that takes no file gives none away either
            draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> tuple[Path, int]:
    """Make a draft of a file, which is this process's while its descriptor is open; what nobody holds of others goes.

    Some file systems have no locks: there the draft of a killed process stays.
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
        os.close(descriptor)  # another process took it for one that was left, before it was locked


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Hold a file until it is closed or the process dies; say whether that is so."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    return False


def _stream(path: Path) -> BinaryIO | None:
    """Return the stream of this process that a path stands for: `/dev/stdout`, or the file that it was led to."""
    for number, stream in zip(_OURS, (sys.stdout, sys.stderr), strict=True):
        with suppress(OSError, AttributeError):
            if os.path.samestat(path.stat(), os.fstat(number)) and stream.fileno() == number:
                stream.flush()
                return stream.buffer
    return None


def _keep(descriptor: int, before: os.stat_result) -> None:
    """Give a draft the owner and the mode of the file that it replaces, as far as that is allowed."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
