"""How a run talks: quietly where it is asked to, over a bar that vanishes on a terminal, in lines on a pipe."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from terminals import on_a_terminal, screen
from test_commands import CAPTIONS, auditor_in

from auditor.cli import verbosity
from auditor.cli.app import main
from auditor.cli.verbosity import VERBOSITY, narrate, progressing


def test_quiet_ingest_says_nothing_but_what_it_found(tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text(CAPTIONS)
    (tmp_path / "datasets.toml").write_text('[mine]\nformat = "flickr"\npath = "captions.token"\n')
    done = auditor_in(tmp_path)("ingest", "-q", "mine")
    assert done.stderr == ""
    assert "mine" in done.stdout
    assert "•" not in done.stdout
    assert on_a_terminal(tmp_path, "ingest", "-q", "mine", stdout=subprocess.DEVNULL) == ""


def test_verbose_ends_with_how_to_cite_the_numbers(tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text(CAPTIONS)
    whole, before = (auditor_in(tmp_path)(*words) for words in (
        ["bounds", "captions.token", "-m", "bleu-1,bleu-2", "-v"], ["-v", "bounds", "captions.token", "-m", "bleu-1,bleu-2"],
    ))  # fmt: skip
    lines = whole.stderr.partition("Cite: auditor ")[2].split("\n")
    assert lines[1].startswith("captions: version ")
    assert [line[:7] for line in lines[2:4]] == ["bleu-1|", "bleu-2|"]
    assert [line for line in lines if line.startswith("@")] == [
        "@software{auditor,",
        "@inproceedings{papineni-etal-2002-bleu,",
    ]
    assert before.stderr == whole.stderr


def test_bar_is_cleared_before_the_next_line(tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text(CAPTIONS)
    (tmp_path / "datasets.toml").write_text('[mine]\nformat = "flickr"\npath = "captions.token"\n')
    received = on_a_terminal(tmp_path, "ingest", "mine")
    assert "━" in received, "the bar was drawn"
    shown = screen(received)
    assert "datasets.lock: updated for mine" in shown
    assert not [line for line in shown if "━" in line or "0:00" in line], shown


def test_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with progressing() as progress:
        progress("counting", 0, 3)
    assert capsys.readouterr().err == "", "what takes no time needs no words"
    monkeypatch.setattr(verbosity, "PAUSE", 0.01)
    told = ""
    with progressing() as progress:
        progress("scoring \x1b[2J", 1200, 2000)
        narrate("between")
        for _ in range(1000):
            told += capsys.readouterr().err
            if "scoring" in told:
                break
            time.sleep(0.01)
    assert re.search(r"(?m)^scoring ␛\[2J: 1,200 of 2,000, after \d+ s$", told)
    assert "between\n" in told


def test_quiet_pipe_gets_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(verbosity, "PAUSE", 0.0)
    monkeypatch.setattr(VERBOSITY, "quiet", True)
    with progressing() as progress:
        progress("counting", 1, 3)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
@pytest.mark.parametrize("command", ["ingest --wait", "profile x --wait", "sql x --timeout", "check --timeout"])
def test_time_that_is_none_is_refused(command: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), value])
    assert ended.value.code == 2
    assert f"{value}: expected 0 or more" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize("option", ["--cut", "--threshold"])
def test_score_that_is_no_number_is_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["agree", "x", option, value])
    assert ended.value.code == 2
    assert f"{option} {value}: expected a finite number" in capsys.readouterr().err
