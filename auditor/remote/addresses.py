"""Addresses, their filesystems, and their errors in one line."""

from __future__ import annotations

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

#: Attempts in a row that can fail with a temporary error; the pause in seconds doubles each time.
TRIES, PAUSE = 4, 0.5

#: A single letter is a Windows drive. `Path` keeps one of the slashes.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.+)", re.DOTALL)

#: Web addresses, which are read-only.
WEB = ("http", "https")

#: Addresses of this disk.
_LOCAL = ("file", "local")

_EXTRA = "pip install 'auditor[remote]'"

#: Sources of credentials for each library.
_CREDENTIALS = {
    "s3": "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`",
    "hf": "HF_TOKEN, or `hf auth login`",
}

_CREDENTIALS |= {"s3a": _CREDENTIALS["s3"], "gcs": _CREDENTIALS["gs"]}

_MISSING, _DENIED = (404, 410), (401, 403)

#: Statuses of a web server below 500 that may be another at the next attempt.
_PASSING = (408, 425, 429)

#: Errors of libraries on a server that does not keep to the rules, in our words.
_BROKEN = {
    "TooManyRedirects": "the server redirects in a circle",
    "ContentLengthError": "the server sends less than it announces",
    "HttpProcessingError": "the response is not valid HTTP",
    "ContentEncodingError": "the response cannot be decompressed",
    "ServerDisconnectedError": "the server closes the connection",
}

_OF_CREDENTIALS = re.compile(r"Credential|Unauthorized|Forbidden|AccessDenied|Gated|RefreshError|TokenRetrieval")

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

#: Errors that another attempt does not solve.
_LASTING = (ValueError, TypeError, NotImplementedError, IsADirectoryError, NotADirectoryError, FileExistsError)

#: The most bytes of a response in memory: a block of a file, or a page that lists files.
MOST_HELD = 1 << 25

_BLOCK = 1 << 20


def address_of(path: Path) -> str | None:
    """Return the address that a path was typed as; null for a local path."""
    match = _ADDRESS.fullmatch(str(path))
    if match is None or match[1].lower() in _LOCAL or os.path.lexists(path):
        return None
    return f"{match[1].lower()}://{match[2]}"


def on_disk(path: Path) -> Path:
    """Return the local path of `file:///a/b`; other paths stay as they are."""
    match = _ADDRESS.fullmatch(str(path))
    return Path(f"/{match[2]}") if match and match[1].lower() in _LOCAL and not os.path.lexists(path) else path


def scheme_of(address: str) -> str:
    """Return the scheme of an address, such as `s3`."""
    return address.partition("://")[0]


def filesystem(address: str, patience: Patience = PATIENCE) -> tuple[Any, str]:
    """Open the filesystem of an address, without caches of listings; return it with the path there.

    Raises `MissingExtraError` if a library is missing, `SourceError` for an unknown scheme.
    """
    try:
        from fsspec.core import filesystem as opened_by  # type: ignore[import-untyped]  # noqa: PLC0415  an extra
        from fsspec.core import url_to_fs  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(f"{address}: reading an address needs fsspec: {_EXTRA}") from error
    is_web = scheme_of(address) in WEB
    if "::" in address and not is_web:  # fsspec would read any file that the inner address names
        raise SourceError(f"{address}: one address inside another; name a file by its own address")
    fresh: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
    try:
        if is_web:
            return opened_by(scheme_of(address), **fresh, **settings(address, patience)), address
        opened: tuple[Any, str] = url_to_fs(address, **fresh)
    except ImportError as error:
        raise MissingExtraError(f"{address}: {first_line(error)}; for s3, gs, hf and https: {_EXTRA}") from error
    except Exception as error:  # noqa: BLE001  each library raises its own
        wrong = f"{address}: cannot read this address: {first_line(error)}"
        raise SourceError(wrong) from harmless_cause(error)
    return opened


def repeated(address: str, attempt: Callable[[], T], remedy: str = "") -> T:
    """Try until it succeeds, with pauses. Raises `SourceError` for permanent errors and after the last attempt.

    The message of a permanent error ends with `remedy`.
    Errors of libraries that show a password or token are removed from the causes.
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
                raise SourceError(lasting + remedy) from harmless_cause(error)
            if number == TRIES:
                raise SourceError(
                    f"{address}: {_words(causes)}, {TRIES} times in a row; check the network and try again"
                ) from harmless_cause(error)
        time.sleep(PAUSE * 2 ** (number - 1))
    raise AssertionError("unreachable")


def first_line(error: BaseException) -> str:
    """Return the first line of an error message of a library."""
    words = str(error).strip().splitlines()
    return words[0].rstrip(".") if words else type(error).__name__


def _lasting(address: str, error: Exception) -> str | None:
    """Return the message of a permanent error; null if another attempt may succeed."""
    causes = _causes(error)
    statuses = {status for cause in causes if (status := _status(cause)) is not None}
    if statuses & {*_DENIED} or any(
        isinstance(cause, PermissionError) or _OF_CREDENTIALS.search(type(cause).__name__) for cause in causes
    ):
        known = _CREDENTIALS.get(scheme_of(address))
        hint = f"; set credentials: {known}" if known else ""
        return f"{address}: access denied ({first_line(error)}){hint}"
    if statuses & {*_MISSING} or (isinstance(error, FileNotFoundError) and len(causes) == 1):
        return f"{address}: no such file; check the address, and whether your credentials give access to it"
    refused = [status for status in statuses if (400 <= status < 500 and status not in _PASSING) or status == 501]
    broken = {type(cause).__name__ for cause in causes} & _BROKEN.keys()
    if scheme_of(address) in WEB and ((refused and not broken) or "TooManyRedirects" in broken):
        return f"{address}: {_words(causes) if broken else f'the server refuses it with status {refused[0]}'}"
    if isinstance(error, _LASTING):
        return f"{address}: {first_line(error)}"
    return None


def _words(causes: list[BaseException]) -> str:
    """Return the most specific cause in our words, or else the first line of its message."""
    known = (words for cause in causes if (words := _BROKEN.get(type(cause).__name__)))
    status = next((status for cause in causes if (status := _status(cause)) is not None), None)
    said = f"the server answers with status {status}" if status else first_line(causes[-1])
    return next(known, said)


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error with its causes, which are more specific."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__
    return causes


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of an error, as the libraries store it."""
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
    """Return the settings of aiohttp for one address. Raises `ImportError` if aiohttp is missing."""
    import aiohttp  # noqa: PLC0415  an extra

    whole = Pace(patience)

    import asyncio  # noqa: PLC0415  # an address is rare

    async def watched(request: Any, handler: Any) -> Any:
        pace = copy.copy(whole)
        pace.begin()
        _check(address, pace)
        try:
            async with asyncio.timeout(WINDOW) as limit:
                answer = await handler(request)
        except TimeoutError as error:
            if limit.expired():  # a slow server sent part of the headers and would go on
                raise SourceError(f"{address}: no response within {WINDOW:g} seconds; try again later") from error
            raise TimeoutError("the server does not answer in time") from error
        if "Range" in request.headers and answer.status == 200 and (answer.content_length or 0) > MOST_HELD:
            answer.close()
            raise SourceError(f"{address}: the server sends the whole file when asked for a part")
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
    """The body of a response, which counts its bytes as they arrive."""

    def __init__(self, body: Any, most: int, address: str, pace: Pace) -> None:
        self._body, self._most, self._address, self._pace = body, most, address, pace
        self._received = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)

    async def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes that have arrived, or the whole body. Raises `SourceError` beyond a limit."""
        if size >= 0:
            return await self._part(size, self._most)
        parts = []
        while part := await self._part(_BLOCK, MOST_HELD):
            parts.append(part)
        return b"".join(parts)

    async def _part(self, size: int, most: int) -> bytes:
        import asyncio  # noqa: PLC0415

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
            raise SourceError(f"{self._address}: larger than {most:,} bytes, the limit")
        return part
