"""What a web server may answer to fsspec: at which rate, by when, and how much."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

from auditor.errors import SourceError
from auditor.remote.pace import LARGEST, UNDECLARED, WINDOW, Pace, Patience

#: The most bytes of an answer that is held in memory: a block of a file, or a page that lists files.
MOST_HELD = 1 << 25

_BLOCK = 1 << 20


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
