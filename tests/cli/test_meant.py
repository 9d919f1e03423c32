"""A word that is not a command gets the command that is meant, and a dataset of any kind a command that runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.cli import meant
from auditor.cli.app import LISTED, main
from auditor.store.connection import Store


def test_words_are_for_commands_that_exist() -> None:
    assert meant._WORDS.keys() <= LISTED.keys()


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("stats", "profile"),
        ("leaks", "duplicates"),
        ("lint", "findings"),
        ("chair", "objects"),
        ("findngs", "findings"),
    ],
)
def test_word_gets_the_command_that_is_meant(word: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([word])
    assert ended.value.code == 2
    assert f"{word} is not a command; did you mean `auditor {command}`" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["captions", "candidates", "corpus"])
def test_dataset_gets_a_command_that_runs(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUDITOR_STORE", str(tmp_path / "audit.duckdb"))
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog")], "mine", kind=kind)
    with pytest.raises(SystemExit) as ended:
        main(["mine@v1"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    with pytest.raises(SystemExit) as ended:
        main(said.split("`")[1].split()[1:])
    assert not ended.value.code
