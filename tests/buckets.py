"""An S3 server of this machine, and a connection to it that drops."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from auditor.remote import addresses

BUCKET = "captions"


class Bucket:
    """A bucket of the server, which is empty when a test begins."""

    def __init__(self, client: Any, host: str, port: int) -> None:
        self.client, self.host, self.port = client, host, port

    def put(self, key: str, content: bytes | str) -> str:
        """Put an object, and give its address."""
        self.client.put_object(Bucket=BUCKET, Key=key, Body=content)
        return f"s3://{BUCKET}/{key}"

    def get(self, key: str) -> bytes:
        content: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return content

    def names(self) -> list[str]:
        return [one["Key"] for one in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


@pytest.fixture(scope="session")
def s3_server() -> Iterator[tuple[str, int]]:
    pytest.importorskip("s3fs", reason="extra remote is not installed")
    pytest.importorskip("moto.server", reason="no S3 server to test against: moto is not installed")
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()
    server.stop()


@pytest.fixture
def bucket(s3_server: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    import boto3

    host, port = s3_server
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setattr(addresses, "PAUSE", 0.01)
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    found = Bucket(client, host, port)
    yield found
    for key in found.names():
        client.delete_object(Bucket=BUCKET, Key=key)
    client.delete_bucket(Bucket=BUCKET)
    client.close()


@dataclass
class Line:
    """A connection that drops: after so many bytes of an answer, once for each of `cuts`."""

    port: int
    cuts: list[int] = field(default_factory=list)
    dropped: int = 0


@pytest.fixture
def line(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """Lead all requests over a connection that drops."""
    listener = socket.create_server(("127.0.0.1", 0))
    drops = Line(listener.getsockname()[1])

    def carry(caller: socket.socket) -> None:
        with caller, socket.create_connection((bucket.host, bucket.port)) as server, contextlib.suppress(OSError):
            request = _request(caller)
            server.sendall(request)
            cut = drops.cuts.pop(0) if b"GET /captions/" in request and drops.cuts else None
            sent = 0
            while content := server.recv(1 << 16):
                if cut is not None and sent + len(content) > cut:
                    caller.sendall(content[: cut - sent])
                    drops.dropped += 1
                    return
                caller.sendall(content)
                sent += len(content)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=carry, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{drops.port}")
    yield drops
    listener.close()


def _request(caller: socket.socket) -> bytes:
    """Read a request, and let its connection end with the answer."""
    request = b""
    while b"\r\n\r\n" not in request:
        content = caller.recv(1 << 16)
        if not content:
            return request
        request += content
    return request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
