"""`auditor report` by the command line, and a card by it: what they write, what they refuse beforehand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ingest_rows, searching_for

from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.store.connection import Store
from auditor.store.versions import resolve


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "filled.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "a dog runs"), ("a", 1, "the dog runs"), ("b", 0, "a cat"), ("b", 1, "one cat")])
    return path


def run(*arguments: str | Path) -> None:
    app([str(one) for one in arguments], standalone_mode=False)


def test_report_is_written_in_the_format_of_its_ending(filled: Path) -> None:
    run("report", "set", "--store", filled, "--section", "facts", "--no-time", "-o", "a.json")
    body = json.loads(Path("a.json").read_text(encoding="utf-8"))["auditor.report/v3"]
    assert [one["name"] for one in body["sections"]] == ["summary", "facts", "method"]
    assert body["volatile"]["made_at"] is None
    run("report", "set", "--store", filled, "--section", "facts", "-o", "a.html")
    assert "<time>20" in Path("a.html").read_text(encoding="utf-8")


@searching_for("markup")
def test_card_goes_to_standard_output_as_markdown(filled: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    run("report", "set", "--format", "card", "--store", filled, "-m", "bleu-1")
    said = capsysbinary.readouterr().out.decode()
    with Store.open(filled) as store:
        version = resolve(store, "set").version.version
    assert said.startswith('---\npretty_name: "set"\n')
    assert "\n---\n\n## Dataset card: set\n" in said
    assert "| captions | 4 |" in said
    assert f"auditor report set@{version[:12]} -m bleu-1 --format card\n" in said


@searching_for("markup")
def test_card_is_written_in_the_format_of_its_ending_or_name(filled: Path) -> None:
    there = ("report", "set", "--store", filled, "-m", "bleu-1")
    run(*there, "-o", "a.json", "--format", "croissant")
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["@type"] == "sc:Dataset"
    with pytest.raises(UsageError, match=r"a\.csv: unsupported card format; use .*\.jsonld"):
        run(*there, "--format", "card", "-o", "a.csv")
    run(*there, "--format", "card", "-o", "a.html")
    assert "<title>Dataset card: set</title>" in Path("a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("set",), "a card .*: expected one dataset, not 2"),
        (("--section", "facts"), "--section: only for a page; leave out for a card"),
        (("--resamples", "50", "--confidence", "0.9"), "--resamples, --confidence: only for a page"),
    ],
)
def test_card_is_of_one_dataset_and_whole(filled: Path, more: tuple[str, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run("report", "set", *more, "--format", "card", "--store", filled)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "a.csv"], "unsupported report format"),
        (["-o", "no/where.html"], "the folder no does not exist"),
        (["-o", "a.md", "--section", "gossip"], "--section gossip: expected findings, facts"),
        (["-o", "a.md", "--tokenizer", "gossip"], "gossip"),
    ],
)
def test_what_cannot_be_written_is_refused(filled: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run("report", "set", "--store", filled, *arguments)
    assert not list(Path().glob("a.*"))
