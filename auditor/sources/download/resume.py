"""The bytes at a url, over connections that break: a downloader for pooch, which has none that resumes.

What was received lies in `partial`; `origin.json` beside it says which version of which url it is the beginning of, so
that a later run goes on where this one was killed. Nothing here judges the bytes: pooch does, by their sha256.
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pooch  # type: ignore[import-untyped]
import requests
import urllib3

from auditor.errors import SourceError
from auditor.model import Download, Progress

#: How often in a row a connection may break without a byte gained, and how many seconds pass before the next try;
#: they double each time.
TRIES = 4

PAUSE = 0.5

LONGEST_PAUSE = 8.0

#: Seconds to wait for a connection, and for the next bytes; and for all headers of an answer, however they drip.
TIMEOUT = (10.0, 30.0)

ANSWER = 60.0

#: How many connections one file may take, each of which brings something: a server must not keep a run for ever.
CONNECTIONS = 64

#: A server that sends fewer bytes a second than that, for so many seconds, will not be waited for.
SLOWEST = 1024

PATIENCE = 60.0

#: The most bytes that are fetched or unpacked: a wrong url or a zip bomb must not fill the disk.
LARGEST = 8 << 30

#: The most that are fetched of a file whose size datasets.toml does not say.
UNDECLARED = 1 << 30

PARTIAL = "partial"

#: What is lost of a connection that breaks is the rest of a chunk.
_CHUNK = 1 << 14

_PASSING = {408, 425, 429, 500, 502, 503, 504}


class _CutError(requests.RequestException):
    """A server that stopped early, or sends another part than the one asked for."""


class _RefusedError(requests.RequestException):
    """A server that answers, but not with the file."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server answers {status} {reason}")
        self.may_pass = status in _PASSING


@contextmanager
def _answered(connection: urllib3.connection.HTTPConnection) -> Iterator[None]:
    """Cut a connection off whose server sends a byte of its headers now and then: each would be waited for alone."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        with suppress(OSError):  # below TLS, of which another thread is reading
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    timer = threading.Timer(ANSWER, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError("the headers do not end")


class _HTTP(urllib3.connection.HTTPConnection):
    def getresponse(self) -> urllib3.HTTPResponse:  # type: ignore[override]
        with _answered(self):
            return super().getresponse()


class _HTTPS(urllib3.connection.HTTPSConnection):
    def getresponse(self) -> urllib3.HTTPResponse:  # type: ignore[override]
        with _answered(self):
            return super().getresponse()


class _HTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _HTTP


class _HTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _HTTPS


class _Adapter(requests.adapters.HTTPAdapter):
    """Lets requests, also those through a proxy, use such connections."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> urllib3.ProxyManager:
        manager: urllib3.ProxyManager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = _POOLS
        return manager


_POOLS = {"http": _HTTPPool, "https": _HTTPSPool}


class ResumingDownloader:
    """What pooch calls to get a url. Afterwards, `resumed` says whether parts were put together, `sha256` what came.

    Raises `SourceError` where the server cannot be reached, refuses, keeps breaking off, or sends too much.
    """

    def __init__(self, download: Download, folder: Path, progress: Progress, *, may_resume: bool = True) -> None:
        self._download = download
        self._partial = folder / PARTIAL
        self._origin = folder / "origin.json"
        self._progress = progress
        self._may_resume = may_resume
        self._trouble = ""
        self.resumed = False
        self.sha256 = ""

    def __call__(self, url: str, output_file: str, _: object) -> None:
        """Receive the whole of `url`, over as many connections as it takes, and put it at `output_file`."""
        failures, furthest, connections = 0, 0, 1
        with requests.Session() as session:
            for prefix in ("http://", "https://"):
                session.mount(prefix, _Adapter())
            while not self._is_received(session, url):
                received = self._size()
                failures = 1 if received > furthest else failures + 1
                furthest = max(received, furthest)
                connections += 1
                if failures == TRIES or connections > CONNECTIONS:
                    often = f"{TRIES} times in a row" if failures == TRIES else f"{CONNECTIONS} times"
                    raise SourceError(
                        f"{url}: {self._trouble}, {often}; check the network and `auditor fetch` again"
                        + (f" (the {received:,} bytes received are kept for it)" if received else "")
                    ) from None
                time.sleep(min(PAUSE * 2 ** (failures - 1), LONGEST_PAUSE))
        self.sha256 = pooch.file_hash(str(self._partial))
        self._partial.replace(output_file)

    def _is_received(self, session: requests.Session, url: str) -> bool:
        """Try once. What stopped a try that may be repeated is kept in `_trouble`; any other raises `SourceError`."""
        try:
            self._receive(session, url)
        except (requests.RequestException, ValueError) as error:
            if not _may_pass(error):
                raise SourceError(
                    f"{url}: {_reason(error)}; mend the url in datasets.toml, "
                    f"or get the file by other means and put it at {self._download.path}"
                ) from error
            self._trouble = _reason(error)
            return False
        return True

    def _receive(self, session: requests.Session, url: str) -> None:
        origin = self._read_origin(url)
        start = self._size() if self._may_resume and origin.get("validator") else 0
        if start and start == origin.get("total"):
            self.resumed = True
            return
        headers = {"Accept-Encoding": "identity"}
        if start:
            headers |= {"Range": f"bytes={start}-", "If-Range": origin["validator"]}
        with session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                self._discard()
                raise _CutError("it has less than was received before")
            if not response.ok:
                raise _RefusedError(response.status_code, response.reason)
            if start and response.status_code == requests.codes.partial_content:
                total = self._total_of_range(response, start)
                self.resumed = True
            else:
                start, total = 0, _length(response)
                self.resumed = False
                self._begin(url, response, total)
            self._write(response, start, total)

    def _write(self, response: requests.Response, start: int, total: int | None) -> None:
        """Append the body to what was received. Raises `_CutError` where it ends before it should."""
        received = start
        limit = min(self._download.size or UNDECLARED, LARGEST)
        began, before = time.monotonic(), received
        with self._partial.open("ab") as file:
            for chunk in _body(response):
                received += len(chunk)
                if max(received, total or 0) > limit:
                    self._discard()
                    raise SourceError(f"{response.url}: larger than {limit:,} bytes, {self._remedy()}")
                file.write(chunk)
                self._progress(f"fetching {self._download.path.name}", received, total or received)
                if (now := time.monotonic()) - began > PATIENCE:
                    if received - before < SLOWEST * PATIENCE:
                        raise SourceError(
                            f"{response.url}: the server sends fewer than {SLOWEST:,} bytes a second; "
                            f"`auditor fetch` again later (the {received:,} bytes received are kept for it)"
                        )
                    began, before = now, received
            file.flush()
            os.fsync(file.fileno())
        if total is not None and received < total:
            raise _CutError(f"the connection ended after {received:,} of {total:,} bytes")

    def _remedy(self) -> str:
        put = f"get it by other means and put it at {self._download.path}"
        if self._download.size is not None:
            return f"as datasets.toml says; mend bytes or the url there, or {put}"
        return f"the most that is fetched where datasets.toml does not say how many: add bytes = N there, or {put}"

    def _begin(self, url: str, response: requests.Response, total: int | None) -> None:
        """Forget what was received, then note what is to come: in this order, no kill makes two versions one."""
        self._discard()
        origin = {"url": url, "validator": _validator(response), "total": total}
        self._origin.write_text(json.dumps(origin), encoding="utf-8")

    def _read_origin(self, url: str) -> dict[str, Any]:
        try:
            origin = json.loads(self._origin.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return origin if isinstance(origin, dict) and origin.get("url") == url else {}

    def _total_of_range(self, response: requests.Response, start: int) -> int | None:
        found = re.match(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        if found is None or int(found[1]) != start:
            self._discard()
            raise _CutError("it sends another range than the one asked for")
        return None if found[2] == "*" else int(found[2])

    def _size(self) -> int:
        return self._partial.stat().st_size if self._partial.exists() else 0

    def _discard(self) -> None:
        self._partial.unlink(missing_ok=True)


def _body(response: requests.Response) -> Iterator[bytes]:
    """Give what comes as it comes: a reader of whole chunks would wait for a server that sends a byte now and then."""
    try:
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            yield chunk
    except urllib3.exceptions.DecodeError as error:
        raise requests.exceptions.ContentDecodingError(error) from error
    except urllib3.exceptions.HTTPError as error:
        raise requests.ConnectionError(error) from error


def _validator(response: requests.Response) -> str | None:
    """Give what names this version of the file exactly; a weak ETag does not (RFC 9110, 13.1.5).

    A server that compresses in spite of what was asked counts its ranges in compressed bytes: nothing can be resumed.
    """
    etag = response.headers.get("ETag", "")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        return None
    return etag if etag.startswith('"') else response.headers.get("Last-Modified")


def _length(response: requests.Response) -> int | None:
    length = response.headers.get("Content-Length", "")
    encoded = response.headers.get("Content-Encoding", "identity") != "identity"
    return int(length) if length.isdecimal() and not encoded else None


def _may_pass(error: Exception) -> bool:
    """Say whether trying again can help."""
    if isinstance(error, _RefusedError):
        return error.may_pass
    broken = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError, _CutError)
    return isinstance(error, broken)


def _reason(error: Exception) -> str:
    """Say in a few words why a try failed: the libraries' own messages are full of their internals."""
    if isinstance(error, _CutError | _RefusedError | ValueError):
        return str(error)
    if isinstance(error, requests.TooManyRedirects):
        return "the server sends in circles"
    reason = "the connection broke off"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TimeoutError | requests.Timeout):
            return "the server does not answer in time"
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return reason
