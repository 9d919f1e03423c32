"""A downloader for pooch that resumes after broken connections.

Received bytes stay in a partial file, which a later run continues. Pooch verifies the result by the sha256 in
datasets.toml, which identifies a version of a file better than the headers of a server.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from concurrent.futures import Future, wait
from pathlib import Path

import requests

from auditor.errors import SourceError
from auditor.model import Download, Progress
from auditor.remote import pace
from auditor.remote.pace import Pace

#: Failed connections in a row; the pause in seconds doubles each time.
TRIES, PAUSE = 4, 0.5

#: Seconds to wait for a connection, and for the next bytes.
TIMEOUT = (10.0, 30.0)

#: Seconds between two checks of an attempt.
_LOOK = 1.0

#: A broken connection loses the rest of a chunk.
_CHUNK = 1 << 12

#: The bytes after which a broken connection does not count as failed.
_GAIN = 1 << 14

_BUSY = {408, 425, 429, 500, 502, 503, 504}

_BROKEN = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


class ResumingDownloader:
    """The function that pooch calls for a url. Afterwards, `resumed` and `sha256` describe the download.

    Two runs that write the same partial file write the same bytes at the same positions. Raises `SourceError` if the
    server cannot be reached, refuses, keeps disconnecting, is too slow, or sends too much.
    """

    def __init__(
        self, download: Download, partial: Path, progress: Progress, pace: Pace, *, may_resume: bool = True
    ) -> None:
        self._download, self._partial, self._progress, self._may_resume = download, partial, progress, may_resume
        self._pace = pace
        self._received = 0
        self._is_given_up = False
        self.resumed = False
        self.sha256 = ""

    def __call__(self, url: str, output_file: str, _: object) -> None:
        """Download `url`, over as many connections as needed, to `output_file`."""
        failures, furthest = 0, 0
        while trouble := self._watched(url):
            self._hurry(url)
            failures = 1 if self._received >= furthest + _GAIN else failures + 1
            furthest = max(furthest, self._received)
            if failures == TRIES:
                often = f"{trouble}, {TRIES} times in a row"
                raise SourceError(f"{url}: {often}; check the network and run `auditor fetch` again{_kept(furthest)}")
            time.sleep(PAUSE * 2 ** (failures - 1))
        shutil.copyfile(self._partial, output_file)  # not renamed: another run may be writing to it
        self._partial.unlink()
        with Path(output_file).open("rb") as content:
            self.sha256 = hashlib.file_digest(content, "sha256").hexdigest()

    def _watched(self, url: str) -> str | None:
        """Try once in a thread, which the server may block; abandon it if it is too slow."""
        tried: Future[str | None] = Future()

        def attempt() -> None:
            try:
                tried.set_result(self._trouble(url))
            except BaseException as error:  # noqa: BLE001  `result` raises it
                tried.set_exception(error)

        self._pace.begin()
        threading.Thread(target=attempt, daemon=True).start()
        while not wait([tried], timeout=_LOOK).done:
            self._hurry(url)
        return tried.result()

    def _hurry(self, url: str) -> None:
        if (slow := self._pace.trouble()) is not None:
            self._is_given_up = True
            raise SourceError(f"{url}: {slow}{_kept(self._received)}")

    def _trouble(self, url: str) -> str | None:
        """Try once; return a temporary error, null for success. Raises `SourceError` for a permanent error."""
        self._partial.touch()
        self._received = self._partial.stat().st_size if self._may_resume else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={self._received}-"} if self._received else {})
        try:
            with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
                nothing_more = response.status_code == requests.codes.requested_range_not_satisfiable
                if response.ok or (nothing_more and self._received):
                    return self._receive(response)
                trouble = f"the server answers {response.status_code} {response.reason}"
                if response.status_code in _BUSY:
                    return trouble
        except (requests.RequestException, ValueError) as error:
            trouble = _reason(error)
            if isinstance(error, _BROKEN):
                return trouble
        path = self._download.path
        raise SourceError(
            f"{url}: {trouble}; correct the url in datasets.toml, or download the file yourself to {path}"
        )

    def _receive(self, response: requests.Response) -> str | None:
        """Write the body to the file; return why it does not belong there, null if it does."""
        headers = response.headers
        whole_before = response.status_code == requests.codes.requested_range_not_satisfiable
        self.resumed = whole_before or response.status_code == requests.codes.partial_content
        if whole_before:
            return None
        if not self.resumed:
            self._received = 0
        elif "Content-Encoding" in headers or not headers.get("Content-Range", "").startswith(
            f"bytes {self._received}-"
        ):
            self._partial.unlink()
            return "the server sends a different part than requested"
        length = headers.get("Content-Length", "") if "Content-Encoding" not in headers else ""
        total = self._received + int(length) if length.isdecimal() else 0
        limit = min(self._download.size or pace.UNDECLARED, pace.LARGEST)
        with self._partial.open("r+b") as file:
            file.seek(self._received)
            for chunk in response.iter_content(_CHUNK):
                if self._is_given_up:
                    return None
                self._pace.received(len(chunk))
                self._received += len(chunk)
                if max(self._received, total) > limit:
                    self._partial.unlink()
                    raise SourceError(f"{response.url}: larger than {limit:,} bytes, {self._remedy()}")
                file.write(chunk)
                self._progress(f"fetching {self._download.path.name}", self._received, total or self._received)
            file.truncate()
        return None

    def _remedy(self) -> str:
        manual = f"download the file yourself to {self._download.path}"
        if self._download.size is not None:
            return f"the size in datasets.toml; correct bytes or url there, or {manual}"
        return f"the limit for files of unknown size; add bytes = N in datasets.toml, or {manual}"


def _kept(received: int) -> str:
    return f" (resumes after the {received:,} bytes received)" if received else ""


def _reason(error: BaseException) -> str:
    """Return why an attempt failed, in a few words: messages of the libraries show their internals."""
    if not isinstance(error, _BROKEN):
        return "the server redirects in circles" if isinstance(error, requests.TooManyRedirects) else str(error)
    reason = "the connection was interrupted"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TimeoutError | requests.Timeout):
            return "the server does not answer in time"
        reason = (isinstance(cause, OSError) and cause.strerror) or reason
        cause = cause.__cause__ or cause.__context__
    return reason
