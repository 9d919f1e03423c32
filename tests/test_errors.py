"""What a message may say: no password and no token of an address, wherever the text comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auditor.cli import app
from auditor.errors import SourceError, harmless_cause, redacted

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:hunter2@host/x: gone", "http://***@host/x: gone"),
        ("HTTPS:/user:hunter2@host:80/x", "HTTPS:/***@host:80/x"),
        ("train=https://hunter2@host/x", "train=https://***@host/x"),
        ("http://user:p@ss:hunter2@host/x/@y", "http://***@host/x/@y"),
        ("http://user:pa/hunter2@host/x", "http://***@host/x"),
        ("http://user:pa?hunter2#@host/x", "http://***@host/x"),
        ("s3://KEY:hunter2@bucket/x", "s3://***@bucket/x"),
        ("https://host/x?v=1&X-Amz-Signature=hunter2&w=2", "https://host/x?v=1&X-Amz-Signature=***&w=2"),
        ("https://host/x?access_token=hunter2: the server answers 404", "https://host/x?access_token=***: the server answers 404"),
        ("url: /x?sig=hunter2 (Caused by", "url: /x?sig=*** (Caused by"),
        ("URL('https://host/x?api_key=hunter2')", "URL('https://host/x?api_key=***')"),
        ("https://host/x#id_token=hunter2", "https://host/x#id_token=***"),
        ("&amp;Key-Pair-Id=hunter2.", "&amp;Key-Pair-Id=***."),
    ],
)  # fmt: skip
def test_passwords_and_tokens_become_stars(text: str, shown: str) -> None:
    assert redacted(text) == shown
    assert str(SourceError(text)) == shown
    assert redacted(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "hf://datasets/owner/name@main/data/a.parquet",
        "https://host:8080/@user/a.csv?download=1&v=2",
        "http://[::1]:80/x@y",
        "s3://bucket/a.csv: access denied; write to a@b.example",
        "a.csv:3: 2 fields; the header has 3",
        "--from C:/data/a@b.csv",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_long_text_costs_little() -> None:
    for text in ("a.b-" * 20_000, "?" + "key" * 20_000, "http://" + "a:" * 20_000, "&token" * 20_000):
        redacted(text)


def test_error_of_a_library_that_shows_a_secret_is_no_cause() -> None:
    shown, hidden = ValueError("x"), ValueError("http://u:hunter2@host")
    assert harmless_cause(shown) is shown
    assert harmless_cause(hidden) is None
    shown.__context__ = hidden
    assert harmless_cause(shown) is None


def test_log_of_a_bug_holds_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    address = f"http://user:{SECRET}@host/x?token={SECRET}"
    monkeypatch.setattr("sys.argv", ["auditor", "ingest", "x", "--from", address])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    app._bug(ValueError(address))
    (log,) = tmp_path.iterdir()
    assert SECRET not in log.read_text()
    assert re.search(r"--from.*http://\*\*\*@host/x\?token=\*\*\*", log.read_text())
