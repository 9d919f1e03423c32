"""Files of the web: read in blocks or whole, refused in a line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from auditor.errors import SourceError
from auditor.remote import Near, addresses, incoming

pytest.importorskip("aiohttp", reason="extra remote is not installed")

CONTENT = b"image,caption\n" + b"1,a dog runs\n" * 500


class Handler(BaseHTTPRequestHandler):
    """`/ranges`, `/whole` without parts of files, `/unknown` without a length, `/busy` once, and what is refused."""

    busy = 1

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        way = self.path.split("/")[1]
        refused = {"denied": 403, "gone": 404}.get(way)
        if way == "busy" and body and Handler.busy:
            Handler.busy, refused = 0, 503
        if refused:
            self.send_error(refused)
            return
        asked = self.headers.get("Range")
        content = CONTENT
        if asked and way != "whole":
            start, end = asked.removeprefix("bytes=").split("-")
            content = CONTENT[int(start) : int(end) + 1]
            self.send_response(206)
        else:
            self.send_response(200)
        if way != "unknown":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(addresses, "PAUSE", 0.01)
    monkeypatch.setattr(Handler, "busy", 1)
    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{web.server_address[1]}"
    web.shutdown()
    web.server_close()


@pytest.mark.parametrize("way", ["ranges", "whole", "unknown", "busy"])
@pytest.mark.parametrize("block", [1000, 1 << 20])
def test_file_of_the_web_comes_whole(server: str, monkeypatch: pytest.MonkeyPatch, way: str, block: int) -> None:
    monkeypatch.setattr(incoming, "BLOCK", block)
    with Near() as near:
        (copy,) = near.files(Path(f"{server}/{way}/a.csv?download=1"))
        assert copy.name == "a.csv"
        assert copy.read_bytes() == CONTENT


def test_two_questions_to_one_file_are_two_files(server: str) -> None:
    with Near() as near:
        copies = [near.files(Path(f"{server}/ranges/a.csv?v={number}"))[0] for number in range(2)]
        assert copies[0] != copies[1]


@pytest.mark.parametrize(("way", "told"), [("denied", "access denied"), ("gone", "no such file there")])
def test_what_the_server_refuses_is_said(server: str, way: str, told: str) -> None:
    with pytest.raises(SourceError, match=rf"^{server}/{way}/a\.csv: {told}"), Near() as near:
        near.files(Path(f"{server}/{way}/a.csv"))


def test_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "PAUSE", 0.01)
    with pytest.raises(SourceError, match=r"http://127\.0\.0\.1:9/a\.csv: .*4 times in a row"), Near() as near:
        near.files(Path("http://127.0.0.1:9/a.csv"))
