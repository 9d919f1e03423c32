"""`auditor FILE`: findings on the terminal, a page next to the file, and nothing else left behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import run_auditor

ROWS = ["image,caption", *(f"{n}.jpg,a dog number {n % 7} runs over grass {n}" for n in range(40))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([*ROWS, "40.jpg,As an AI language model I cannot see the image"]) + "\n")
    return path


def test_a_file_is_audited_and_leaves_only_its_page(file: Path, tmp_path: Path) -> None:
    ran = run_auditor("mine.csv", folder=tmp_path)
    assert ran.returncode == 0
    assert "refusals" in ran.stdout
    assert "`auditor findings mine.csv -o FILE.csv`" in ran.stderr
    assert "add -o FILE.csv" not in ran.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "mine.csv.audit.html"]
    assert "<title>Audit of mine" in (tmp_path / "mine.csv.audit.html").read_text()


def test_severity_decides_the_exit_code_and_an_option_names_the_page(file: Path, tmp_path: Path) -> None:
    ran = run_auditor(str(file), "--fail-on", "notice", "-o", "page.html", "--quiet", folder=tmp_path)
    assert ran.returncode == 1
    assert (tmp_path / "page.html").exists()


def test_a_file_without_ending_is_a_file_unless_a_command_has_its_name(file: Path, tmp_path: Path) -> None:
    for name in ("captions", "report"):
        (tmp_path / name).write_bytes(file.read_bytes())
    assert run_auditor("captions", "-q", folder=tmp_path).returncode == 0
    assert "Missing argument" in run_auditor("report", folder=tmp_path).stderr
    assert run_auditor("./report", "-q", folder=tmp_path).returncode == 0
    assert (tmp_path / "report.audit.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.csv"], 3, "none.csv: no such file"),
        (["mine.csv", "--fail-on", "bad"], 2, "--fail-on bad: expected error"),
        (["mine.csv", "-o", "mine.csv"], 2, "mine.csv: cannot be written: dataset mine.csv is read from it"),
        (["mine"], 2, "No such command 'mine'"),
    ],
)
def test_what_cannot_be_audited_has_one_line_and_leaves_nothing(
    arguments: list[str], code: int, said: str, file: Path, tmp_path: Path
) -> None:
    ran = run_auditor(*arguments, folder=tmp_path)
    assert (ran.returncode, list(tmp_path.iterdir())) == (code, [file])
    assert said in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
