"""`auditor fetch` against a server that cuts, lies, forgets and refuses: the right file, or the file that was there."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import asked

from auditor import config
from auditor.cli.app import main
from auditor.model import Download
from auditor.remote import addresses, pace
from auditor.sources import download as fetching_room

CONTENT = random.Random(1).randbytes(300_000)
CHANGED = random.Random(2).randbytes(300_000)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Served:
    """One file of the server, and the tricks it plays: each of `cuts` and `statuses` is good for one request."""

    content: bytes = CONTENT
    length: bool = True
    encoding: str | None = None
    location: str | None = None
    statuses: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    pause: float = 0.0
    sent: int = 0
    asked: int = 0
    after_cut: Callable[[Served], None] = lambda _: None


class Handler(BaseHTTPRequestHandler):
    files: dict[str, Served]

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        file = self.files[self.path]
        file.asked += 1
        status = file.statuses.pop(0) if file.statuses else 200
        if status != 200:
            self.send_response(status)
            if file.location is not None:
                self.send_header("Location", file.location)
            self.end_headers()
            return
        content = file.content
        self.send_response(200)
        if file.length:
            self.send_header("Content-Length", str(len(content)))
        if file.encoding is not None:
            self.send_header("Content-Encoding", file.encoding)
        self.end_headers()
        end = file.cuts.pop(0) if file.cuts else len(content)
        with contextlib.suppress(OSError):
            for at in range(0, end, 4096):
                self.wfile.write(content[at : min(at + 4096, end)])
                file.sent = min(at + 4096, end)
                time.sleep(file.pause)
        if end < len(content):
            file.after_cut(file)
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)


@dataclass
class Server:
    url: str
    files: dict[str, Served]

    def __call__(self, name: str = "a.txt", **tricks: object) -> Served:
        """Serve a file."""
        self.files[f"/{name}"] = Served(**tricks)  # type: ignore[arg-type]
        return self.files[f"/{name}"]


@pytest.fixture
def serve() -> Iterator[Server]:
    files: dict[str, Served] = {}
    handler = type("Bound", (Handler,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield Server(f"http://127.0.0.1:{server.server_port}", files)
        server.shutdown()
        thread.join()


@dataclass
class Told:
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, object]]:
        return json.loads(self.out)["auditor.fetch/v3"]["rows"]


@pytest.fixture
def fetch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """Run the command in this process, with short pauses, on the datasets.toml of the working directory."""
    monkeypatch.setattr(addresses, "PAUSE", 0.001)

    def run(*arguments: str, code: int = 0) -> Told:
        with pytest.raises(SystemExit) as ended:
            main(["fetch", *([] if "--config" in arguments else ["--config", "datasets.toml"]), *arguments])
        told = Told(*capsys.readouterr())
        assert ended.value.code in ((0, None) if code == 0 else (code,)), told
        assert told.err.count("\n") == (code != 0 or told.err.count("\n"))
        return told

    return run


def declare(
    serve: Server, name: str = "a.txt", content: bytes = CONTENT, path: str = "data/a.txt", more: str = ""
) -> None:
    Path("datasets.toml").write_text(
        f'[mine]\nformat = "list"\npath = "{path}"\n'
        f'downloads = [{{ url = "{serve.url}/{name}", sha256 = "{sha256(content)}", path = "{path}" {more} }}]\n'
    )


def lying(folder: str = "data") -> set[str]:
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*")} if Path(folder).exists() else set()


def test_download_lies_at_its_path_and_is_fetched_once(serve: Server, fetch: Callable[..., Told]) -> None:
    file = serve()
    declare(serve)
    row = {
        "dataset": "mine",
        "path": "data/a.txt",
        "status": "fetched",
        "bytes": len(CONTENT),
        "sha256": sha256(CONTENT),
        "url": f"{serve.url}/a.txt",
        "note": None,
    }
    told = fetch("mine", "--json")
    assert told.rows == [row]
    assert told.err == ""
    assert Path("data/a.txt").read_bytes() == CONTENT
    assert fetch("mine", "--force", "--json").rows == [row | {"status": "unchanged"}]
    assert file.asked == 1
    assert lying() == {"a.txt"}


@pytest.mark.parametrize("tricks", [{}, {"content": gzip.compress(CONTENT), "encoding": "gzip"}])
def test_cut_connection_is_tried_again(serve: Server, fetch: Callable[..., Told], tricks: dict[str, object]) -> None:
    file = serve(cuts=[0, 100_000, 299_999], **tricks)
    declare(serve)
    assert fetch("mine", "--json").rows[0]["status"] == "fetched"
    assert file.asked == 4
    assert Path("data/a.txt").read_bytes() == CONTENT
    assert lying() == {"a.txt"}


def test_file_that_changes_meanwhile_is_fetched_as_it_is_now(serve: Server, fetch: Callable[..., Told]) -> None:
    def change(file: Served) -> None:
        file.content = CHANGED

    serve(cuts=[100_000], after_cut=change)
    declare(serve, content=CHANGED)
    assert fetch("mine", "--json").rows[0]["status"] == "fetched"
    assert Path("data/a.txt").read_bytes() == CHANGED


def test_wrong_bytes_are_named_and_leave_nothing(serve: Server, fetch: Callable[..., Told]) -> None:
    serve(content=CHANGED)
    declare(serve)
    told = fetch("mine", code=3)
    for words in (f"{serve.url}/a.txt: wrong checksum", sha256(CONTENT), sha256(CHANGED), "fetch it again"):
        assert words in told.err
    assert told.out == ""
    assert lying() == set()


def test_another_file_at_the_path_is_replaced_by_force_only(serve: Server, fetch: Callable[..., Told]) -> None:
    file = serve()
    declare(serve)
    Path("data").mkdir()
    Path("data/a.txt").write_text("edited by hand")
    told = fetch("mine", code=3)
    assert "--force" in told.err
    assert file.asked == 0
    file.content = CHANGED
    fetch("mine", "--force", code=3)
    assert Path("data/a.txt").read_text() == "edited by hand"
    file.content = CONTENT
    assert fetch("mine", "--force", "--json").rows[0]["status"] == "fetched"
    assert Path("data/a.txt").read_bytes() == CONTENT


def test_compressed_file_counts_by_what_it_holds(serve: Server, fetch: Callable[..., Told]) -> None:
    file = serve()
    declare(serve)
    Path("data").mkdir()
    Path("data/a.txt.gz").write_bytes(gzip.compress(CONTENT))
    assert fetch("mine", "--json").rows[0] | {"bytes": 0} == {
        "dataset": "mine",
        "path": "data/a.txt.gz",
        "status": "unchanged",
        "bytes": 0,
        "sha256": sha256(CONTENT),
        "url": f"{serve.url}/a.txt",
        "note": None,
    }
    Path("data/a.txt.gz").write_bytes(gzip.compress(CHANGED))
    assert "a.txt.gz: another file exists here" in fetch("mine", code=3).err
    assert file.asked == 0


@pytest.mark.parametrize(
    ("tricks", "words", "tries"),
    [
        ({"statuses": [404]}, "no such file; check the address", 1),
        ({"statuses": [404]}, "; or download the file yourself to data/a.txt", 1),
        ({"statuses": [403]}, "access denied (403 Client Error: Forbidden", 1),
        ({"statuses": [416]}, "the server refuses it with status 416", 1),
        ({"statuses": [500] * 9}, "the server answers with status 500, 4 times in a row", 4),
        ({"cuts": [70_000] * 9}, "the connection was interrupted, 4 times in a row; check the network", 4),
        ({"content": b"x" * 300_000, "cuts": [0] * 9}, "the connection was interrupted", 4),
        ({"statuses": [302], "location": "file:///etc/passwd"}, "file:///etc/passwd", 1),
        ({"statuses": [302], "location": "ftp://127.0.0.1/x"}, "ftp://127.0.0.1/x", 1),
        ({"statuses": [302] * 99, "location": "/a.txt"}, "redirects in a circle", 31),
        ({"statuses": [204]}, "wrong checksum", 1),
    ],
)
def test_server_that_does_not_give_the_file_is_quoted_in_one_line(
    serve: Server, fetch: Callable[..., Told], tricks: dict[str, object], words: str, tries: int
) -> None:
    file = serve(**tricks)
    declare(serve)
    told = fetch("mine", code=3)
    assert words in told.err
    assert f"{serve.url}/a.txt: " in told.err
    assert file.asked == tries
    assert not Path("data/a.txt").exists()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates are measured over a moment."""
    monkeypatch.setattr(pace, "WINDOW", 0.3)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            ("--min-rate", "1e7"),
            "received less than 1e+07 bytes per second for 0.3 seconds; try again, or set --min-rate",
        ),
        (("--min-rate", "0", "--deadline", "0.2"), "not finished after 0.2 seconds; try again, or set --deadline"),
    ],
)
def test_download_that_drips_ends(
    serve: Server, fetch: Callable[..., Told], option: tuple[str, ...], words: str
) -> None:
    file = serve(pause=0.05)
    declare(serve)
    assert f"{serve.url}/a.txt: {words}" in fetch("mine", *option, code=3).err
    assert file.asked == 1
    assert lying() == set()
    file.pause = 0.0
    fetch("mine", "--min-rate", "0", "--deadline", "0")
    assert Path("data/a.txt").read_bytes() == CONTENT


@pytest.mark.parametrize("value", ["-1", "inf", "nan"])
@pytest.mark.parametrize("option", ["--min-rate", "--deadline"])
def test_pace_that_is_none_is_refused(serve: Server, fetch: Callable[..., Told], option: str, value: str) -> None:
    declare(serve)
    assert f"{option} {value}: expected 0 or more" in fetch("mine", option, value, code=2).err


def test_password_and_token_of_an_address_are_shown_nowhere(serve: Server, capsys: pytest.CaptureFixture[str]) -> None:
    serve.url = serve.url.replace("//", "//user:hunter2@")
    serve("gone?token=hunter2", statuses=[404] * 9)
    serve("led?sig=hunter2", statuses=[302], location="ftp://user:hunter2@host/x?key=hunter2")
    serve("a.txt?sig=hunter2")
    for name, code, words in (
        ("gone?token=hunter2", 3, "***@127.0.0.1"),
        ("led?sig=hunter2", 3, "ftp://***@host/x?key=***"),
        ("a.txt?sig=hunter2", 0, "/a.txt?sig=***"),
    ):
        declare(serve, name)
        assert asked("fetch", "mine", "--config", "datasets.toml", "--json", "--debug") == code
        out, err = capsys.readouterr()
        assert words in out + err
        assert "hunter2" not in out + err
    assert asked("fetch", "mine", "--all", "--config", "datasets.toml", "--json") == 0
    assert "hunter2" not in "".join(capsys.readouterr())


def test_busy_server_is_asked_again(serve: Server, fetch: Callable[..., Told]) -> None:
    serve(statuses=[503, 429])
    declare(serve)
    assert fetch("mine", "--json").rows[0]["status"] == "fetched"


def test_server_that_is_not_there_or_silent_is_named(
    serve: Server, fetch: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        declare(Server(f"http://127.0.0.1:{port}", {}))
        monkeypatch.setattr(fetching_room, "TIMEOUT", (0.1, 0.1))
        assert "does not answer in time" in fetch("mine", code=3).err
    assert "Connection refused, 4 times in a row" in fetch("mine", code=3).err
    declare(Server("http://no-such-host.invalid", {}))
    assert "http://no-such-host.invalid/a.txt: " in fetch("mine", code=3).err
    declare(Server("http://[broken", {}))
    assert "http://[broken/a.txt: " in fetch("mine", code=3).err
    assert lying() == set()


def test_length_that_nobody_told_is_no_obstacle(serve: Server, fetch: Callable[..., Told]) -> None:
    serve(length=False, cuts=[300_000])
    declare(serve)
    assert fetch("mine", "--json").rows[0]["status"] == "fetched"
    Path("data/a.txt").unlink()
    serve(length=False, cuts=[200_000])
    assert "wrong checksum" in fetch("mine", code=3).err


def test_too_large_a_file_is_left_alone(
    serve: Server, fetch: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "LARGEST", 299_999)
    declare(serve)
    for told_length in (True, False):
        serve(length=told_length)
        assert "larger than 299,999 bytes" in fetch("mine", code=3).err
        assert lying() == set()


@pytest.mark.parametrize(("said", "told"), [(300_000, ""), (299_999, "larger than 299,999 bytes"), (300_001, "")])
def test_declared_size_is_the_most_that_is_fetched(
    serve: Server, fetch: Callable[..., Told], monkeypatch: pytest.MonkeyPatch, said: int, told: str
) -> None:
    monkeypatch.setattr(pace, "UNDECLARED", 1000)
    declare(serve, more=f", bytes = {said}")
    serve(length=False)
    assert told in fetch("mine", code=3 if told else 0).err
    assert lying() == (set() if told else {"a.txt"})


def test_undeclared_size_has_a_limit_that_a_declaration_lifts(
    serve: Server, fetch: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "UNDECLARED", 1000)
    declare(serve)
    file = serve()
    assert "larger than 1,000 bytes, the limit for files of unknown size" in fetch("mine", code=3).err
    assert file.sent < len(CONTENT)
    assert "add bytes = N" in fetch("mine", code=3).err


@pytest.mark.parametrize("folder", ["{outside}", "../outside", "linked", "/"])
def test_datasets_toml_chooses_no_place_outside_of_its_own_folder(
    serve: Server, fetch: Callable[..., Told], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("linked").symlink_to("../outside")
    declare(serve, path="auditor-test/keys")
    serve()
    declared = Path("datasets.toml").read_text()
    Path("datasets.toml").write_text(f'[settings]\ndata = "{folder.format(outside=tmp_path / "outside")}"\n{declared}')
    told = fetch("mine", code=2).err
    assert "to allow it, set AUDITOR_DATA" in told
    assert lying(str(tmp_path / "outside")) == set()
    monkeypatch.setenv("AUDITOR_DATA", str(tmp_path / "outside"))
    fetch("mine")
    assert lying(str(tmp_path / "outside")) == {"auditor-test", "auditor-test/keys"}


@pytest.mark.parametrize(
    "path", ["~/x.txt", "~root/x.txt", ".git/config", "data/.ssh/x", "a\\u0000b", "a\\u001bb", "~"]
)
def test_download_has_no_path_that_means_something_else(
    serve: Server, fetch: Callable[..., Told], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    declare(serve, path=path)
    serve()
    assert "cannot have parts that begin with . or ~, or control characters" in fetch("mine", code=2).err
    assert {one.name for one in tmp_path.iterdir()} == {"datasets.toml"}


def tarred(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode=mode) as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return archive.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


MEMBERS = {"../../evil.txt": b"evil", "/tmp/evil.txt": b"evil", "deep/in/a.txt": CONTENT}


@pytest.mark.parametrize(
    "archive",
    [tarred(MEMBERS), tarred(MEMBERS, "w"), tarred(MEMBERS, "w:xz"), zipped(MEMBERS)],
    ids=["tar.gz", "tar", "tar.xz", "zip"],
)
def test_member_of_an_archive_becomes_the_file(serve: Server, fetch: Callable[..., Told], archive: bytes) -> None:
    file = serve("a.archive", content=archive, cuts=[len(archive) // 2])
    declare(serve, "a.archive", archive, more=', member = "./deep/in/a.txt"')
    assert fetch("mine", "--json").rows[0] | {"url": "", "path": ""} == {
        "dataset": "mine",
        "path": "",
        "status": "fetched",
        "bytes": len(CONTENT),
        "sha256": sha256(archive),
        "url": "",
        "note": None,
    }
    assert Path("data/a.txt").read_bytes() == CONTENT
    assert lying(".") == {"datasets.toml", "data", "data/a.txt"}
    Path("data/a.txt").write_text("any file counts: the archive's sha256 says nothing of it")
    assert fetch("mine", "--json").rows[0]["status"] == "unchanged"
    assert file.asked == 2
    assert fetch("mine", "--force", "--json").rows[0]["status"] == "fetched"
    assert Path("data/a.txt").read_bytes() == CONTENT


def test_member_named_like_an_attack_lies_where_datasets_toml_says(serve: Server, fetch: Callable[..., Told]) -> None:
    archive = tarred(MEMBERS)
    serve("a.tgz", content=archive)
    declare(serve, "a.tgz", archive, more=', member = "../../evil.txt"')
    fetch("mine")
    assert lying(".") == {"datasets.toml", "data", "data/a.txt"}


@pytest.mark.parametrize(
    ("archive", "member", "words"),
    [
        (tarred({"b.txt": b""}), "a.txt", "a.txt is not in this archive, which has b.txt, link"),
        (zipped({f"{i}.txt": b"" for i in range(9)}), "a.txt", "which has 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, …"),
        (zipped({"a.txt/": b""}), "a.txt", "which has nothing"),
        (tarred({"b.txt": b""}), "link", "link is not a regular file"),
        (tarred(MEMBERS)[:-5_000], "link", "cannot be read as a zip or tar archive"),
        (b"no archive", "a.txt", "cannot be read as a zip or tar archive"),
        (b"PK\x05\x06" + bytes(18), "a.txt", "which has nothing"),
        (zipped({"a.txt": bytes(9_000_000)}), "a.txt", "a zip bomb?"),
        (tarred({"a.txt": bytes(9_000_000)}), "a.txt", "a zip bomb?"),
    ],
)
def test_archive_without_the_member_is_explained(
    serve: Server,
    fetch: Callable[..., Told],
    monkeypatch: pytest.MonkeyPatch,
    archive: bytes,
    member: str,
    words: str,
) -> None:
    monkeypatch.setattr(pace, "LARGEST", 8_000_000)
    serve("a.archive", content=archive)
    declare(serve, "a.archive", archive, more=f', member = "{member}"')
    told = fetch("mine", code=3)
    assert words in told.err
    assert f"{serve.url}/a.archive: " in told.err
    assert lying() == set()


def test_folder_that_cannot_be_written_is_named(serve: Server, fetch: Callable[..., Told]) -> None:
    serve()
    declare(serve)
    Path("data").write_text("a file where the folder should be")
    assert "data/a.txt: cannot be written" in fetch("mine", code=3).err
    Path("data").unlink()
    Path("data/a.txt").mkdir(parents=True)
    assert "data/a.txt: cannot be written (Is a directory)" in fetch("mine", code=3).err
    declare(serve, path="data/closed/a.txt")
    Path("data/closed").mkdir(mode=0o500)
    if not os.access("data/closed", os.W_OK):
        assert "data/closed/a.txt: cannot be written (Permission denied)" in fetch("mine", code=3).err


def test_two_runs_at_the_same_time_both_have_the_file(serve: Server, fetch: Callable[..., Told]) -> None:
    file = serve(pause=0.005)
    declare(serve)
    with running() as process:
        wait_for(lambda: file.sent >= 100_000, process)
        assert fetch("mine", "--json").rows[0]["status"] in ("fetched", "unchanged")
        assert Path("data/a.txt").read_bytes() == CONTENT
        _, told = process.communicate(timeout=20)
        assert process.returncode == 0, told
    assert Path("data/a.txt").read_bytes() == CONTENT
    assert lying() == {"a.txt"}


def test_progress_counts_bytes(serve: Server) -> None:
    serve()
    told: list[tuple[str, int, int]] = []
    download = Download(f"{serve.url}/a.txt", sha256(CONTENT), Path("a.txt"))
    fetching_room.fetch(download, progress=lambda *state: told.append(state))
    assert {what for what, _, _ in told} == {"fetching a.txt"}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert told[-1][1:] == (300_000, 300_000)


def test_dataset_to_be_obtained_says_how(fetch: Callable[..., Told]) -> None:
    Path("datasets.toml").write_text(
        '[asked]\nformat = "list"\npath = "a.json"\nobtain = "Ask the authors; put it at a.json."\n'
        '[lost]\nformat = "list"\npath = "b.json"\nsplits = { test = "b.txt" }\n'
    )
    told = fetch("asked", code=3)
    assert "error: asked: Ask the authors; put it at a.json." in told.err
    assert "Ask the authors" in told.out
    told = fetch("lost", code=2)
    assert "lost: datasets.toml has neither a URL nor instructions for it; put b.json, b.txt there" in told.err
    rows = fetch("--all", "--json").rows
    assert [(row["dataset"], row["status"], row["path"]) for row in rows] == [
        ("asked", "obtain", "a.json"),
        ("lost", "obtain", "b.json"),
    ]
    assert rows[0]["note"] == "Ask the authors; put it at a.json."
    Path("a.json.gz").touch()
    told = fetch("asked", "--json")
    assert told.rows[0] | {"bytes": 0, "path": ""} == {
        "dataset": "asked",
        "path": "",
        "status": "unchanged",
        "bytes": 0,
        "sha256": None,
        "url": None,
        "note": None,
    }
    assert "asked: already here" in told.err


def test_one_dead_url_does_not_keep_all_from_the_rest(serve: Server, fetch: Callable[..., Told]) -> None:
    serve("b.txt")
    tables = (
        f'[{name}]\nformat = "list"\npath = "{name}.txt"\nurl = "{serve.url}/{name}.txt"\nsha256 = "{sha256(CONTENT)}"\n'
        for name in "abc"
    )
    serve("a.txt", statuses=[404, 404])
    serve("c.txt", statuses=[404])
    Path("datasets.toml").write_text("".join(tables))
    told = fetch("--all", "--json", code=3)
    assert [row["status"] for row in told.rows] == ["failed", "fetched", "failed"]
    assert "no such file" in str(told.rows[0]["note"])
    assert "error: a: " in told.err
    assert "; 1 more are listed" in told.err
    assert fetch("a", "b", code=3).out == ""


def test_files_that_no_url_gives_are_listed(serve: Server, fetch: Callable[..., Told]) -> None:
    serve()
    Path("datasets.toml").write_text(
        f'[mine]\nformat = "list"\npath = "a.txt"\nurl = "{serve.url}/a.txt"\nsha256 = "{sha256(CONTENT)}"\n'
        'splits = { test = "test.txt" }\n'
    )
    assert "mine: datasets.toml has no URL for test.txt; put it there by hand" in fetch("mine", "--json").err
    with Path("datasets.toml").open("a") as file:
        file.write('obtain = "The list is on the project page."\n')
    told = fetch("mine", code=3)
    assert "The list is on the project page." in told.err
    assert "unchanged" in told.out


def test_files_of_the_data_folder_are_those_that_would_be_fetched(data: Path, fetch: Callable[..., Told]) -> None:
    """No url is asked: what is there is known by its sha256, compressed or not."""
    here = [
        name
        for name, source in config.sources().items()
        if source.downloads and all(fetching_room.find(file.path) for file in source.downloads)
    ]
    assert len(here) > 20
    rows = fetch(*here, "--config", str(config.shipped()), "--json").rows
    assert {row["status"] for row in rows} == {"unchanged"}


@pytest.mark.parametrize("arguments", [[], ["nope"], ["mine", "--config", "none.toml"]])
def test_name_that_is_not_declared_is_a_mistake(
    serve: Server, fetch: Callable[..., Told], arguments: list[str]
) -> None:
    declare(serve)
    assert fetch(*arguments, code=2).out == ""


@contextlib.contextmanager
def running(**limits: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "auditor", "fetch", "mine", "--config", "datasets.toml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **limits) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()  # SIGKILL: no chance to tidy up
            process.communicate()


def wait_for(reached: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 10
    while not reached() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def test_killed_fetch_leaves_nothing_that_the_next_does_not_remove(serve: Server, fetch: Callable[..., Told]) -> None:
    file = serve(pause=0.01)
    declare(serve)
    chance = random.Random(os.getpid())
    for share in sorted(chance.uniform(0.05, 0.9) for _ in range(3)):
        with running() as process:
            wait_for(lambda share=share: file.sent >= share * len(CONTENT), process)  # type: ignore[misc]
    for moment in (chance.uniform(0.0, 0.5), chance.uniform(0.5, 1.0)):
        with running():
            time.sleep(moment)
        assert not Path("data/a.txt").exists() or Path("data/a.txt").read_bytes() == CONTENT
        assert all(name.startswith(("a.txt", ".auditor-")) for name in lying())
    file.pause = 0
    fetch("mine")
    assert Path("data/a.txt").read_bytes() == CONTENT
    assert lying() == {"a.txt"}


def test_full_disk_is_named(serve: Server) -> None:
    serve()
    declare(serve)
    with running(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (131_072, 131_072))) as process:
        _, told = process.communicate(timeout=20)
        assert process.returncode == 3
    assert "data/a.txt: cannot be written (File too large); free space" in told
    assert told.count("\n") == 1
    assert lying() == set()
