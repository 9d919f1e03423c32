"""What README shows is what a newcomer sees who types it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT
from running import run_auditor

SCREENS = re.findall(
    r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)

#: The most lines of a screen.
MOST = 13


def test_five_reasons_and_short_screens() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\d)\. .*\?$", readme, re.MULTILINE) == [*"12345"]
    assert [screen.count("\n") for screen in SCREENS if screen.count("\n") > MOST] == []


def test_screens_show_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_auditor("demo").returncode == 0
    monkeypatch.chdir(tmp_path / "auditor-demo")
    for screen in SCREENS:
        for typed in re.split(r"^\$ ", screen, flags=re.MULTILINE)[1:]:
            line, _, shown = typed.partition("\n")
            program, *words = shlex.split(line)
            if program == "auditor":
                done = run_auditor(*words, COLUMNS="100")
                assert done.returncode == 0, done.stderr
                printed = [*map(str.rstrip, done.stdout.split("\n"))]
            else:
                assert program == "head"
                printed = Path(words[-1]).read_text(encoding="utf-8").split("\n")
            wanted = [one for one in shown.removesuffix("\n").split("\n") if one != "…"]
            there = iter(printed)
            assert [one for one in wanted if one not in there] == [], line


def test_demo_replaces_no_file_of_the_user(tmp_path: Path) -> None:
    (own := tmp_path / "captions.csv").write_text("image,caption\n1,mine\n", encoding="utf-8")
    done = run_auditor("demo", "--folder", ".", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: captions.csv: is another file; name another folder with --folder\n"
    assert [*tmp_path.iterdir()] == [own]
    assert own.read_text(encoding="utf-8") == "image,caption\n1,mine\n"
