"""Files of the web: read in blocks or whole, refused in a line; servers that drip, send without end, or hold back."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import asked

from auditor.errors import SourceError
from auditor.remote import Near, Patience, addresses, incoming, pace

pytest.importorskip("aiohttp", reason="extra remote is not installed")

CONTENT = b"image,caption\n" + b"1,a dog runs\n" * 500


#: Bytes that a server that drips would send, one in 20 ms.
DRIPS = 300


class Handler(BaseHTTPRequestHandler):
    """`/ranges`, `/whole` without parts of files, `/unknown` without a length, `/busy` once, and what is refused.

    `/drip` and `/head` send a byte now and then of a body and of a head, `/endless` sends on and on.
    """

    busy = 1
    sent = 0
    dripped = 0

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        way = self.path.split("/")[1]
        if way in ("drip", "head", "endless"):
            self.hold_back(way, body=body)
            return
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
            Handler.sent += len(content)

    def hold_back(self, way: str, *, body: bool) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
        if way != "head":
            self.wfile.write(b"x\r\n\r\n")
        with contextlib.suppress(OSError):
            for _ in range(DRIPS if body or way == "head" else 0):
                self.wfile.write(CONTENT if way == "endless" else b"x")
                Handler.dripped += 1
                time.sleep(0 if way == "endless" else 0.02)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(addresses, "PAUSE", 0.01)
    monkeypatch.setattr(Handler, "busy", 1)
    monkeypatch.setattr(Handler, "sent", 0)
    monkeypatch.setattr(Handler, "dripped", 0)
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


def test_server_that_sends_whole_files_alone_is_asked_for_one_once(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming, "BLOCK", 1000)
    monkeypatch.setattr(addresses, "MOST_HELD", 2000)
    with Near() as near:
        (copy,) = near.files(Path(f"{server}/whole/a.csv"))
        assert copy.read_bytes() == CONTENT
    assert Handler.sent <= 2 * len(CONTENT)


@pytest.mark.parametrize(
    ("way", "patience", "words"),
    [
        ("drip", Patience(), "received less than 1,000 bytes per second for 0.3 seconds; try again, or set --min-rate"),
        ("drip", Patience(0, 0.2), "not finished after 0.2 seconds; try again, or set --deadline"),
        ("head", Patience(), "no response within 0.3 seconds"),
    ],
)
def test_server_that_drips_ends_the_run(
    server: str, monkeypatch: pytest.MonkeyPatch, way: str, patience: Patience, words: str
) -> None:
    for module in (pace, addresses):
        monkeypatch.setattr(module, "WINDOW", 0.3)
    with pytest.raises(SourceError, match=rf"^{server}/{way}/a\.csv: {words}"), Near(patience=patience) as near:
        near.files(Path(f"{server}/{way}/a.csv"))
    assert Handler.dripped < DRIPS / 2, "by bytes of the server, whatever else the machine does"


def test_endless_answer_ends_at_what_is_taken_of_it(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "UNDECLARED", 20_000)
    with pytest.raises(SourceError, match=r"/endless/a\.csv: larger than 20,000 bytes"), Near() as near:
        near.files(Path(f"{server}/endless/a.csv"))
    monkeypatch.setattr(addresses, "MOST_HELD", 20_000)
    with pytest.raises(SourceError, match=r"/endless/\*\.csv: larger than 20,000 bytes"), Near() as near:
        near.files(Path(f"{server}/endless/*.csv"))


@pytest.mark.parametrize("way", ["denied", "gone"])
def test_password_and_token_are_shown_nowhere(server: str, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"{server.replace('//', '//user:hunter2@')}/{way}/a.csv?token=hunter2"
    assert asked("ingest", "x", "--from", address, "--debug") == 3
    told = capsys.readouterr().err
    assert f"{way}/a.csv?token=***" in told
    assert "hunter2" not in told
    with pytest.raises(SourceError) as refusal, Near() as near:
        near.files(Path(address))
    assert "hunter2" not in "".join(traceback.format_exception(refusal.value))


def test_answer_about_a_file_of_the_web_shows_no_secret(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"{server.replace('//', '//user:hunter2@')}/ranges/a.csv?token=hunter2"
    assert asked("profile", address, "--json") == 0
    assert "hunter2" not in "".join(capsys.readouterr())
    assert asked("ingest", "x", "--from", address, "--store", "s.duckdb", "--json") == 0
    assert "hunter2" not in "".join(capsys.readouterr())
    assert b"hunter2" not in Path("s.duckdb").read_bytes()


def test_two_questions_to_one_file_are_two_files(server: str) -> None:
    with Near() as near:
        copies = [near.files(Path(f"{server}/ranges/a.csv?v={number}"))[0] for number in range(2)]
        assert copies[0] != copies[1]


def test_colons_in_an_address_of_the_web_lead_to_no_other_file(server: str) -> None:
    with Near() as near:
        (copy,) = near.files(Path(f"{server}/ranges/a.csv::file:///etc/passwd"))
        assert copy.read_bytes() == CONTENT


def test_address_within_an_address_is_refused(server: str) -> None:
    with (
        pytest.raises(SourceError, match=r"one address inside another; name a file by its own address"),
        Near() as near,
    ):
        near.files(Path(f"zip://a.csv::{server}/ranges/a.zip"))


@pytest.mark.parametrize(("way", "told"), [("denied", "access denied"), ("gone", "no such file")])
def test_what_the_server_refuses_is_said(server: str, way: str, told: str) -> None:
    with pytest.raises(SourceError, match=rf"^{server}/{way}/a\.csv: {told}"), Near() as near:
        near.files(Path(f"{server}/{way}/a.csv"))


def test_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "PAUSE", 0.01)
    with pytest.raises(SourceError, match=r"http://127\.0\.0\.1:9/a\.csv: .*4 times in a row"), Near() as near:
        near.files(Path("http://127.0.0.1:9/a.csv"))
