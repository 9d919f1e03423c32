"""What -o writes takes the place of a file whole or not at all, and never that of a file that is read."""

from __future__ import annotations

import hashlib
import os
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Run
from test_commands import CAPTIONS, auditor_in

from auditor.cli.file_arguments import refuse_targets
from auditor.errors import UsageError
from auditor.files import replacing, sweep
from auditor.files.folders import replacing_folder, temporary

DECLARED = '[mine]\nformat = "flickr"\npath = "data/*.token"\nsplits = { test = "list.txt" }\nimages = "photos"\n'


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "data").mkdir()
    (folder / "data" / "captions.token").write_text(CAPTIONS)
    (folder / "list.txt").write_text("a.jpg\n")
    (folder / "photos").mkdir()
    (folder / "photos" / "a.PNG").write_text("a picture")
    (folder / "datasets.toml").write_text(DECLARED)
    auditor_in(folder)("ingest", "mine")
    return folder


@pytest.fixture
def filled(ingested: Path, tmp_path: Path) -> Callable[..., Run]:
    shutil.copytree(ingested, tmp_path, dirs_exist_ok=True)
    return auditor_in(tmp_path)


def test_what_a_configuration_of_another_name_declares_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(DECLARED)
    (tmp_path / "data").mkdir()
    target = tmp_path / "data" / "captions.token"
    target.write_text(CAPTIONS)
    with pytest.raises(UsageError, match="dataset mine is read from it"):
        refuse_targets("sql", {"output": target, "config": tmp_path / "other.toml"})
    refuse_targets("sql", {"output": target, "config": None})


@pytest.mark.parametrize(
    ("arguments", "target", "what"),
    [
        ("sql 'select 1' --format csv", "audit.duckdb", "it is the store in use"),
        ("sql 'select 1' --format csv --store linked.duckdb", "audit.duckdb", "it is the store in use"),
        ("sql 'select 1' --format csv", "audit.duckdb.wal", "it is the log of the store in use"),
        ("report mine --format md", "audit.duckdb", "it is the store in use"),
        ("sql --file query.sql --format csv", "query.sql", "this command reads it"),
        ("sql 'select 1' --format csv", "data/captions.token", "dataset mine is read from it"),
        ("sql 'select 1' --format csv", "list.txt", "dataset mine is read from it"),
        ("bounds mine --format png", "photos/a.PNG", "the images of dataset mine are there"),
        ("sql 'select 1' --format csv", "datasets.toml", "it declares datasets"),
        ("sql 'select 1' --format csv", "datasets.lock", "it records what datasets held"),
        ("ingest new --from table.csv", "table.csv", "dataset new is read from it"),
        ("ingest new --from -", "in.csv", "standard input comes from it"),
        ("ingest new --from table.csv --store new.duckdb --json", "new.duckdb", "it is the store in use"),
        ("ingest new --from table.csv --format votes --option key_file=key.csv", "key.csv", "this command reads it"),
        ("tasks mine --candidates intra --force", "data/../in.csv", "standard input comes from it"),
        ("distractors mine --force", "data/../in.csv", "standard input comes from it"),
    ],
)
def test_file_that_is_read_is_never_written_over(
    filled: Callable[..., Run], tmp_path: Path, arguments: str, target: str, what: str
) -> None:
    for name in ("in.csv", "table.csv"):
        (tmp_path / name).write_text("image,caption\na.jpg,A dog\n")
    (tmp_path / "key.csv").write_text("task\n")
    (tmp_path / "query.sql").write_text("select 1")
    (tmp_path / "linked.duckdb").symlink_to("audit.duckdb")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    if what.startswith("standard input"):
        command = [sys.executable, "-m", "auditor", *shlex.split(arguments), "-o", target]
        with (tmp_path / "in.csv").open() as stdin:
            done = subprocess.run(command, cwd=tmp_path, stdin=stdin, capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
    else:
        done = filled(*shlex.split(arguments), "-o", target, code=2)
    assert done.stderr.startswith(f"error: {target}: cannot be written: {what}")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "target", "what"),
    [
        ("score mine -m sql:metric.sql --format csv", "metric.sql", "this command reads it"),
        ("score mine -m cider:idf=file:table.csv", "table.csv", "this command reads it"),
        ("score mine -m python:metric.f --format csv", "metric.py", "this command reads it"),
        ('sql "from read_csv($file)" --files -p file=table.csv', "table.csv", "the statement reads it"),
        ("sql \"from '*.csv'\" --files", "table.csv", "the statement reads it"),
        ("sql 'select 1' --format csv", "other.duckdb", "it is a store"),
        ("sql 'select 1' --format csv", "other.duckdb.wal", "it is the log of a store"),
        ("bounds mine --work work", "work/scores.csv", "this command reads it"),
    ],
)
def test_file_that_an_option_or_a_statement_names_is_never_written_over(
    filled: Callable[..., Run], tmp_path: Path, arguments: str, target: str, what: str
) -> None:
    for name in ("metric.sql", "metric.py", "table.csv", "work/scores.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("image,caption\n")
    shutil.copy(tmp_path / "audit.duckdb", tmp_path / "other.duckdb")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = filled(*shlex.split(arguments), "-o", target, code=2)
    assert done.stderr == f"error: {target}: cannot be written: {what}; name another file\n"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "beside"),
    [
        ("bounds mine -m bleu-1 --scores x.csv", "x.csv.receipt.json"),
        ("export mine --without info --force -o x.csv", "x.left-out.csv"),
        ("export mine --fix all --force -o x.csv", "x.changes.csv"),
        ("tasks mine --force -o x.csv", "x.key.csv"),
        ("demo --folder .", "audit.html"),
        ("export mine -f csv --force -o file://{here}/audit.duckdb", "x"),
    ],
)
def test_every_file_that_a_command_writes_is_checked(
    filled: Callable[..., Run], tmp_path: Path, arguments: str, beside: str
) -> None:
    (tmp_path / beside).symlink_to("audit.duckdb")
    before = (tmp_path / "audit.duckdb").read_bytes()
    done = filled(*shlex.split(arguments.format(here=tmp_path)), code=2)
    assert "cannot be written: it is" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "audit.duckdb").read_bytes() == before
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("command", ["export", "bounds", "tasks", "distractors", "profile"])
def test_target_that_cannot_be_is_refused_before_anything_is_read(tmp_path: Path, command: str) -> None:
    (tmp_path / "ring.csv").symlink_to("ring.csv")
    (tmp_path / "folder.csv").mkdir()
    for target in ("ring.csv", f"{'x' * 300}.csv", "folder.csv"):
        if (command, target) != ("export", "folder.csv"):  # a folder is what it may write
            done = auditor_in(tmp_path)(command, "mine", "-o", target, code=2)
            assert done.stderr.startswith(f"error: {target}: cannot be written: ")
            assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("target", ["bundle", "hub", "x.parquet"])
def test_disk_that_is_full_in_the_midst_of_parquet_is_one_line(
    filled: Callable[..., Run], tmp_path: Path, target: str
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        command = (
            ["profile"] if target == "x.parquet" else ["export", "--format", "hf" if target == "hub" else "bundle"]
        )
        done = filled(*command, "mine", "-o", target, code=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.stderr == f"error: {target}: cannot be written: File too large\n"
    assert not (tmp_path / target).exists()


@pytest.mark.parametrize("target", ["result.docx", "result", "result.csv.gz"])
def test_ending_that_names_no_format_is_refused_before_anything_is_counted(
    filled: Callable[..., Run], tmp_path: Path, target: str
) -> None:
    done = filled("bounds", "nope", "-o", target, code=2)
    assert f"{target}: unknown file ending; use .json, .csv, .md" in done.stderr
    assert not (tmp_path / target).exists()
    filled("profile", "mine", "--format", "csv", "-o", target)
    assert (tmp_path / target).read_text().startswith("dataset,")


def test_ending_counts_in_capitals_too(filled: Callable[..., Run], tmp_path: Path) -> None:
    filled("profile", "mine", "-o", "PROFILE.CSV")
    assert (tmp_path / "PROFILE.CSV").read_text().startswith("dataset,")


def test_devices_pipes_and_links_are_written_as_they_are(filled: Callable[..., Run], tmp_path: Path) -> None:
    query = ("sql", "select 1 as one", "-q", "--format", "csv")
    command = [sys.executable, "-m", "auditor", *query, "-o", "/dev/stdout"]
    assert subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout == "one\n1\n"
    filled(*query, "-o", "/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    os.mkfifo(tmp_path / "pipe")
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()))
    reader.start()
    filled(*query, "-o", "pipe")
    reader.join()
    assert received == ["one\n1\n"]
    (tmp_path / "real.csv").write_text("old\n")
    (tmp_path / "real.csv").chmod(0o640)
    (tmp_path / "link.csv").symlink_to("real.csv")
    filled(*query, "-o", "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "one\n1\n"
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640


def test_standard_output_that_is_a_file_is_added_to(filled: Callable[..., Run], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "auditor", "sql", "select 1 as one", "--format", "csv", "-o", "/dev/stdout"]
    with (tmp_path / "log").open("wb") as log:
        log.write(b"before\n")
        log.flush()
        subprocess.run(command, cwd=tmp_path, stdout=log, stderr=subprocess.DEVNULL, check=True)
        log.seek(0, os.SEEK_END)
        log.write(b"after\n")
    assert (tmp_path / "log").read_bytes() == b"before\none\n1\nafter\n"


def test_failed_rendering_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    from auditor import reports
    from auditor.cli.options import deliver
    from auditor.result import Result

    def broken(_: Result) -> str:
        raise RuntimeError("no text of it")

    (tmp_path / "keep.csv").write_text("good\n")
    monkeypatch.setattr(reports, "TEXT_FORMATS", {"csv": broken})
    with pytest.raises(RuntimeError, match="no text"):
        deliver(Result("sql", pl.DataFrame({"a": [1]})), None, as_json=False, output=tmp_path / "keep.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["keep.csv"]
    assert (tmp_path / "keep.csv").read_text() == "good\n"


@pytest.mark.parametrize("end", ["kill", "fill"])
def test_killed_or_full_the_old_file_stands(tmp_path: Path, end: str) -> None:
    path = tmp_path / "keep.csv"
    path.write_text("good\n")
    pid = os.fork()
    if not pid:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
            with replacing(path) as file:
                file.write(b"half ")
                file.flush()
                if end == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                file.write(bytes(1 << 17))
        except OSError:
            os._exit(7)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == (-signal.SIGKILL if end == "kill" else 7)
    assert path.read_text() == "good\n"
    assert len(list(tmp_path.iterdir())) == (2 if end == "kill" else 1), "only a killed process leaves its draft"


def test_draft_of_a_killed_process_goes_with_the_next_run_that_writes_in_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "keep.csv"
    for target in (path, tmp_path / "other.csv"):
        pid = os.fork()
        if not pid:
            with replacing(target):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
    with replacing(path) as held, replacing(path) as file:
        file.write(b"new\n")
        held.write(b"last\n")
    assert path.read_text() == "last\n", "the draft of a process that lives is its own"
    assert [*tmp_path.iterdir()] == [path], "the draft of other.csv is removed too"


def test_folder_is_replaced_whole_and_a_former_one_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "made"
    with replacing_folder(path) as draft:
        (draft / "a").write_text("old")
    with pytest.raises(OSError, match="not empty"), replacing_folder(path) as draft:
        (draft / "a").write_text("new")
    pid = os.fork()
    if not pid:
        with replacing_folder(path, force=True) as draft:  # as if it were killed between the two renames
            former = draft.parent / "former"
            former.mkdir()
            path.rename(former / path.name)
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not path.exists()
    with temporary(tmp_path) as held:
        sweep(tmp_path)
        assert held.exists(), "the folder of a process that lives is its own"
    assert [*tmp_path.iterdir()] == [path]
    assert (path / "a").read_text() == "old"


def test_new_folder_that_another_process_removes_before_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make = [], tempfile.mkdtemp

    def swept(*named: object) -> str:
        made.append(make(*named))
        if len(made) == 1:
            sweep(tmp_path)
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept)
    with temporary(tmp_path) as held:
        assert str(held) == made[1]
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("planted", ["pipe", "link", "ring", "folder"])
def test_what_is_planted_at_the_name_of_a_draft_neither_stops_nor_leads_it_away(tmp_path: Path, planted: str) -> None:
    path, other = tmp_path / "keep.csv", tmp_path / "other.csv"
    other.write_text("other\n")
    draft = tmp_path / f".auditor-{hashlib.sha256(b'keep.csv').hexdigest()[:16]}-a.draft"
    if planted == "pipe":
        os.mkfifo(draft)
    elif planted == "folder":
        draft.mkdir()
    else:
        draft.symlink_to(other if planted == "link" else draft.name)
    pid = os.fork()
    if not pid:
        signal.alarm(20)
        with replacing(path) as file:
            file.write(b"good\n")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert path.read_text() == "good\n"
    assert other.read_text() == "other\n"


def test_ring_of_links_is_an_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "ring").symlink_to("ring")
    with pytest.raises(OSError, match="Too many levels"), replacing(tmp_path / "ring"):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_file_that_may_not_be_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "keep.csv"
    path.write_text("good\n")
    path.chmod(0o444)
    with pytest.raises(PermissionError), replacing(path) as file:
        file.write(b"other\n")
    assert path.read_text() == "good\n"


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("profile mine --format csv >&-", 2, "standard output is closed; write to a file with -o FILE"),
        ("report mine --format md >&-", 2, "standard output is closed"),
        ("profile mine >&-", 0, ""),
        ("profile mine -o x.csv >&-", 0, "written: x.csv"),
        ("profile mine --format csv -o x.csv <&- >&- 2>&-", 0, ""),
        ("profile mine -o x.csv 2>/dev/full", 0, ""),
        ("profile nope 2>/dev/full", 2, ""),
        ("profile nope 2>&-", 2, ""),
    ],
)
def test_closed_and_full_streams_are_no_bugs(
    filled: Callable[..., Run], tmp_path: Path, command: str, code: int, told: str
) -> None:
    shell = ["bash", "-c", f"{sys.executable} -m auditor {command}"]
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    filled("store", "verify")


@pytest.mark.parametrize(
    ("name", "told"),
    [("x" * 300, "cannot be written: File name too long"), ("ring", "ring.csv: cannot be written")],
    ids=["long", "ring"],
)
def test_odd_names_are_no_bugs(filled: Callable[..., Run], tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "ring.csv").symlink_to("ring.csv")
    assert told in filled("profile", "mine", "-o", f"{name}.csv", code=2).stderr
    filled("store", "verify")


def test_narration_that_nobody_reads_stops_nothing(filled: Callable[..., Run], tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "auditor", "profile", "mine", "-o", "x.csv"]
    done = subprocess.run(command, cwd=tmp_path, stderr=theirs, stdout=subprocess.PIPE, check=False)
    os.close(theirs)
    assert done.returncode == 0
    assert (tmp_path / "x.csv").read_text().startswith("dataset,")


def test_empty_name_of_a_configuration_is_none(filled: Callable[..., Run]) -> None:
    filled("profile", "mine", "-o", "x.csv", AUDITOR_CONFIG="")
