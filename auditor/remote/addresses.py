"""What is an address, the filesystem that it is on, and what goes wrong there, in a line."""

from __future__ import annotations

import asyncio
import copy
import errno
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from auditor.errors import AuditorError, MissingExtraError, SourceError, harmless_cause
from auditor.remote.pace import LARGEST, PATIENCE, UNDECLARED, WINDOW, Pace, Patience

T = TypeVar("T")

#: How often in a row an address may fail with what may pass; the pause in seconds doubles each time.
TRIES, PAUSE = 4, 0.5

#: A letter alone is a disk of Windows. A path keeps one slash of those that follow.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.+)", re.DOTALL)

#: Addresses of the web, which are only read.
WEB = ("http", "https")

#: Addresses of this disk.
_LOCAL = ("file", "local")

_EXTRA = "pip install 'auditor[remote]'"

#: Where the libraries look for credentials.
_CREDENTIALS = {
    "s3": "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`",
    "hf": "HF_TOKEN, or `hf auth login`",
}

_CREDENTIALS |= {"s3a": _CREDENTIALS["s3"], "gcs": _CREDENTIALS["gs"]}

_MISSING, _DENIED = (404, 410), (401, 403)

_OF_CREDENTIALS = re.compile(r"Credential|Unauthorized|Forbidden|AccessDenied|Gated|RefreshError|TokenRetrieval")

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

#: What a repetition does not mend.
_LASTING = (ValueError, TypeError, NotImplementedError, IsADirectoryError, NotADirectoryError, FileExistsError)

#: The most bytes of an answer that is held in memory: a block of a file, or a page that lists files.
MOST_HELD = 1 << 25

_BLOCK = 1 << 20


def address_of(path: Path) -> str | None:
    """Return the address that a path was typed as; null for what is on this disk."""
    told = _ADDRESS.fullmatch(str(path))
    if told is None or told[1].lower() in _LOCAL or os.path.lexists(path):
        return None
    return f"{told[1].lower()}://{told[2]}"


def on_disk(path: Path) -> Path:
    """Take `file:///a/b` as the path that it is."""
    told = _ADDRESS.fullmatch(str(path))
    return Path(f"/{told[2]}") if told and told[1].lower() in _LOCAL and not os.path.lexists(path) else path


def scheme_of(address: str) -> str:
    """Return what an address begins with."""
    return address.partition("://")[0]


def filesystem(address: str, patience: Patience = PATIENCE) -> tuple[Any, str]:
    """Open the filesystem of an address, which remembers no listing, and give the path there.

    Raises `MissingExtraError` where a library is missing, `SourceError` for what no library knows.
    """
    try:
        from fsspec.core import filesystem as opened_by  # type: ignore[import-untyped]  # noqa: PLC0415  an extra
        from fsspec.core import url_to_fs  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(f"{address}: an address is read by fsspec: {_EXTRA}") from error
    is_web = scheme_of(address) in WEB
    if "::" in address and not is_web:  # fsspec would read what the inner one names, whatever and wherever that is
        raise SourceError(f"{address}: an address within an address; name a file by its own")
    fresh: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
    try:
        if is_web:
            return opened_by(scheme_of(address), **fresh, **settings(address, patience)), address
        opened: tuple[Any, str] = url_to_fs(address, **fresh)
    except ImportError as error:
        raise MissingExtraError(f"{address}: {said(error)}; {_EXTRA} has what s3, gs, hf and https need") from error
    except Exception as error:  # noqa: BLE001  each library raises its own
        wrong = f"{address}: not an address that can be read: {said(error)}"
        raise SourceError(wrong) from harmless_cause(error)
    return opened


def repeated(address: str, attempt: Callable[[], T]) -> T:
    """Try until it succeeds, with pauses. Raises `SourceError` for what lasts, and for what does not pass.

    No library's error that shows a password or token is among the causes.
    """
    for number in range(1, TRIES + 1):
        try:
            return attempt()
        except Exception as error:  # each library raises its own
            if isinstance(error, OSError) and error.errno in _FULL:
                raise
            causes = _causes(error)
            if (ours := next((cause for cause in causes if isinstance(cause, AuditorError)), None)) is not None:
                raise ours from None
            if (lasting := _lasting(address, error)) is not None:
                raise SourceError(lasting) from harmless_cause(error)
            if number == TRIES:
                raise SourceError(
                    f"{address}: {said(causes[-1])}, {TRIES} times in a row; check the network and try again"
                ) from harmless_cause(error)
        time.sleep(PAUSE * 2 ** (number - 1))
    raise AssertionError("unreachable")


def said(error: BaseException) -> str:
    """Return the first line of what a library says."""
    words = str(error).strip().splitlines()
    return words[0].rstrip(".") if words else type(error).__name__


def _lasting(address: str, error: Exception) -> str | None:
    """Return what is wrong where repeating is of no use; null where it may be."""
    causes = _causes(error)
    statuses = {status for cause in causes if (status := _status(cause)) is not None}
    if statuses & {*_DENIED} or any(
        isinstance(cause, PermissionError) or _OF_CREDENTIALS.search(type(cause).__name__) for cause in causes
    ):
        known = _CREDENTIALS.get(scheme_of(address))
        found = f"; credentials are found as its library does: {known}" if known else ""
        return f"{address}: access denied ({said(error)}){found}"
    if statuses & {*_MISSING} or (isinstance(error, FileNotFoundError) and len(causes) == 1):
        return f"{address}: no such file there; mend the address, or look whether these credentials may see it"
    if isinstance(error, _LASTING):
        return f"{address}: {said(error)}"
    return None


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error with what it was raised from, which says more than the error does."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__
    return found


def _status(error: BaseException) -> int | None:
    """Return the status that a server answered with, as the libraries keep it."""
    return next((status for status in _statuses(error) if isinstance(status, int)), None)


def _statuses(error: BaseException) -> Iterator[Any]:
    yield getattr(error, "status", None)
    answer = getattr(error, "response", None)
    yield getattr(answer, "status_code", None)
    if isinstance(answer, dict):
        yield answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
    code = getattr(error, "code", None)
    yield int(code) if isinstance(code, str) and code.isdecimal() else code


def settings(address: str, patience: Patience) -> dict[str, Any]:
    """Return what fsspec tells aiohttp for one address. Raises `ImportError` where that is missing."""
    import aiohttp  # noqa: PLC0415  an extra

    whole = Pace(patience)

    async def watched(request: Any, handler: Any) -> Any:
        pace = copy.copy(whole)
        pace.begin()
        _check(address, pace)
        try:
            async with asyncio.timeout(WINDOW) as limit:
                answer = await handler(request)
        except TimeoutError as error:
            if limit.expired():  # some of the answer's head came meanwhile: it would go on so
                raise SourceError(f"{address}: no answer within {WINDOW:g} seconds; try again later") from error
            raise TimeoutError("the server does not answer in time") from error
        if "Range" in request.headers and answer.status == 200 and (answer.content_length or 0) > MOST_HELD:
            answer.close()
            raise SourceError(f"{address}: the server sends a whole file where a part is asked for")
        declared = answer.content_length if "Content-Encoding" not in answer.headers else None
        answer.content = _Watched(answer.content, min(declared or UNDECLARED, LARGEST), address, pace)
        return answer

    times = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=WINDOW / 2)
    return {
        "headers": {"Accept-Encoding": "identity"},
        "client_kwargs": {"timeout": times, "middlewares": (watched,)},
    }


def _check(address: str, pace: Pace) -> None:
    if (trouble := pace.trouble()) is not None:
        raise SourceError(f"{address}: {trouble}")


class _Watched:
    """The body of an answer, each part of which is counted as it comes."""

    def __init__(self, body: Any, most: int, address: str, pace: Pace) -> None:
        self._body, self._most, self._address, self._pace = body, most, address, pace
        self._received = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)

    async def read(self, size: int = -1) -> bytes:
        """Read what has come, at most `size` bytes; without one, all of it. Raises `SourceError` beyond a bound."""
        if size >= 0:
            return await self._part(size, self._most)
        parts = []
        while part := await self._part(_BLOCK, MOST_HELD):
            parts.append(part)
        return b"".join(parts)

    async def _part(self, size: int, most: int) -> bytes:
        try:
            async with asyncio.timeout(WINDOW):
                part: bytes = await self._body.read(size)
        except TimeoutError:
            _check(self._address, self._pace)
            raise
        self._received += len(part)
        self._pace.received(len(part))
        _check(self._address, self._pace)
        if self._received > most:
            raise SourceError(f"{self._address}: larger than {most:,} bytes, the most that is taken of it")
        return part
