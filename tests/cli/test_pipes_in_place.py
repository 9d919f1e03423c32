"""A pipe or a device where the program keeps a file of its own is refused at once: it would wait for a writer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import asked
from running import run_auditor

from auditor.cli import app

WAITS = 30  # seconds; a refusal takes one or two


@pytest.mark.parametrize(
    ("pipe", "command", "code"),
    [
        ("datasets.toml", ["ingest", "mine"], 2),
        ("datasets.toml", ["check"], 2),
        ("other.toml", ["ingest", "mine", "--config", "other.toml"], 2),
        ("datasets.lock", ["ingest", "mine", "--from", "captions.csv", "--frozen"], 3),
        ("mine.duckdb", ["datasets", "--store", "mine.duckdb"], 2),
        ("mine.duckdb", ["ingest", "mine", "--from", "captions.csv", "--store", "mine.duckdb"], 2),
        (None, ["datasets", "--store", "/dev/zero"], 2),
    ],
)
@pytest.mark.timeout(WAITS)
def test_pipe_in_the_place_of_a_file_is_refused_at_once(
    tmp_path: Path, pipe: str | None, command: list[str], code: int
) -> None:
    (tmp_path / "captions.csv").write_text("image,caption\na,a dog\na,a cat\n")
    if pipe:
        os.mkfifo(tmp_path / pipe)
    done = run_auditor(*command, folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert pipe is None or pipe in done.stderr
    assert "file on a disk" in done.stderr or "cannot be a store" in done.stderr or "not a regular file" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["profile", "ingest"])
def test_store_that_no_file_can_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (tmp_path / "captions.csv").write_text("image,caption\na,a dog\na,a cat\n")
    (tmp_path / "ring.duckdb").symlink_to("ring.duckdb")
    for place in ("ring.duckdb", f"{'x' * 300}.duckdb", "", "captions.csv/x"):
        given = ["--from", "captions.csv"] if command == "ingest" else []
        assert asked(command, "mine", *given, "--store", place) == 4
        said = capsys.readouterr().err
        faults = ("cannot be a store: ", "a store cannot be made here: ", "no store here; ")
        assert said.startswith(tuple(f"error: {place or '.'}: {fault}" for fault in faults))
        assert said.count("\n") == 1


def test_working_folder_that_is_gone_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert asked("sql", "select 1", "--files") == 2
    assert (
        capsys.readouterr().err == "error: the working folder does not exist any more; change to another, then repeat\n"
    )


@pytest.mark.parametrize(
    "error", [OSError(24, "Too many open files"), RuntimeError("can't start new thread"), MemoryError()]
)
def test_limit_of_the_system_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(app, "app", refused)
    assert asked("profile", "mine") == 3
    assert capsys.readouterr().err.startswith("error: the system allows no more memory, threads or open files")
