"""Tags, notes, bundles and the lock as a user meets them: `auditor store tag`, `export`, `ingest --from`."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from running import run_auditor

from auditor.cli.app import main
from auditor.cli.options import VERBOSITY
from auditor.sources import FORMATS

CAPTIONS = "a.jpg#0\tA dog runs .\na.jpg#1\tA dog runs .\nb.jpg#0\tun café\nb.jpg#1\t日本\nc.jpg#0\talone\n"


class Said(NamedTuple):
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        return next(iter(json.loads(self.out).values()))["rows"]


Run = Callable[..., Said]


@pytest.fixture
def auditor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(VERBOSITY, "quiet", False)

    def run(*arguments: str, code: int = 0) -> Said:
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        said = Said(*capsys.readouterr())
        assert (ended.value.code or 0) == code, said
        return said

    return run


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two versions of `mine`, and the captions of the second."""
    folder = tmp_path_factory.mktemp("ingested")
    for captions, note in ((CAPTIONS, ["--note", "as received"]), (CAPTIONS.replace("café", "cafés"), [])):
        (folder / "captions.token").write_text(captions)
        assert not run_auditor("ingest", "mine", "--from", "captions.token", *note, folder=folder).returncode
    return folder


@pytest.fixture
def filled(auditor: Run, ingested: Path, tmp_path: Path) -> Run:
    """A store with two versions of `mine`."""
    shutil.copytree(ingested, tmp_path, dirs_exist_ok=True)
    return auditor


def test_tag_and_note_stand_in_the_log_and_the_tag_in_every_reference(filled: Run) -> None:
    tagged = filled("store", "tag", "mine@v1", "camera-ready", "--json").rows()
    assert [(row["seq"], row["tag"], row["status"]) for row in tagged] == [(1, "camera-ready", "new")]
    assert (
        filled("store", "tag", "mine@camera-ready", "--note", "without plurals", "--json").rows()[0]["note"]
        == "without plurals"
    )
    logged = filled("datasets", "mine", "--json").rows()
    assert [(row["seq"], row["note"], row["tags"]) for row in logged] == [
        (2, None, ""),
        (1, "without plurals", "camera-ready"),
    ]
    table = filled("datasets", "mine").out
    assert "camera-ready" in table
    assert "without plurals" in table
    changed = filled("diff", "mine@camera-ready", "mine", "--depth", "totals", "--json").rows()
    assert {row["change"]: row["captions"] for row in changed}["edited"] == 1
    filled("store", "tag", "mine", "camera-ready", "--delete")
    assert filled("datasets", "mine", "--format", "csv").out.splitlines()[0].endswith("note,tags")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["store", "tag", "mine", "v7"], 2, "it looks like the number or hash of a version"),
        (["store", "tag", "mine", "a b"], 2, "invalid tag; use a letter, then letters"),
        (["store", "tag", "mine@v2", "best"], 2, "mine@best is already mine@v1; --force moves the tag"),
        (["store", "tag", "mine", "nope", "--delete"], 2, "mine has no tag nope"),
        (["store", "tag", "nope", "best"], 2, "the store holds mine"),
        (["store", "tag", "mine@bets", "x"], 2, "tags are best"),
        (["store", "tag", "mine:test", "--note", "x"], 2, "it has no splits"),
        (["store", "tag", "mine"], 2, "set a tag, or a note with --note TEXT"),
        (["export", "mine"], 2, "Missing option"),
        (["export", "mine", "-o", "."], 2, "already exists"),
        (["export", "mine", "-o", ".", "--force"], 2, "it was not written by `auditor export`"),
        (["export", "mine:test", "-o", "new"], 2, "it has no splits"),
        (["export", "mine", "-o", "captions.token/new"], 2, "cannot be written"),
        (["ingest", "new", "--from", "captions.token", "--format", "bundle"], 3, "not JSON"),
        (["ingest", "new", "--from", "empty", "--format", "bundle"], 3, "manifest.json: no such file"),
    ],
)
def test_mistake_gets_one_line_and_its_code(
    filled: Run, tmp_path: Path, arguments: list[str], code: int, words: str
) -> None:
    filled("store", "tag", "mine@v1", "best")
    (tmp_path / "empty").mkdir()
    said = filled(*arguments, code=code)
    assert words in said.err
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert len(filled("datasets", "mine", "--json").rows()) == 2
    assert len(filled("datasets", "--json").rows()) == 1


@pytest.mark.parametrize("arguments", [["store", "tag", "mine", "best"], ["export", "mine", "-o", "b"]])
def test_no_store_is_made_where_there_is_none(auditor: Run, tmp_path: Path, arguments: list[str]) -> None:
    assert "no store here" in auditor(*arguments, code=4).err
    assert not list(tmp_path.iterdir())


def test_bundle_carries_a_version_to_another_store(filled: Run, tmp_path: Path) -> None:
    version = filled("datasets", "mine@v1", "--json").rows()[1]["version"]
    written = filled("export", "mine@v1", "-o", "bundle", "--json")
    assert [(row["file"], row["rows"]) for row in written.rows()] == [("captions.parquet", 5)]
    assert "imports it into another store" in written.err
    there = ["--store", str(tmp_path / "other.duckdb")]
    taken = filled("ingest", "theirs", "--from", "bundle", "--json", *there)
    assert 'theirs: detected format "bundle"' in taken.err
    assert [(row["version"], row["rejected"], row["status"]) for row in taken.rows()] == [(version, 0, "new")]
    assert filled("datasets", "theirs", "--json", *there).rows()[0]["note"] == "as received"
    again = filled("ingest", "theirs", "--from", "bundle/manifest.json", "--json", *there)
    assert again.rows()[0]["status"] == "unchanged"
    filled("store", "verify", *there)
    filled("export", "theirs", "-o", "again", *there)
    assert (tmp_path / "again" / "captions.parquet").read_bytes() == (
        tmp_path / "bundle" / "captions.parquet"
    ).read_bytes()


def test_declared_dataset_takes_a_bundle_without_being_told(filled: Run, tmp_path: Path) -> None:
    """Its declared format, options and split lists are those of its own files."""
    (tmp_path / "datasets.toml").write_text(
        '[mine]\nformat = "coco"\npath = "x.json"\nlanguage = "fr"\n'
        'options = { split_key = "split" }\nsplits = { dev = "none.txt" }\n'
    )
    filled("export", "mine@v1", "-o", "bundle")
    there = ["--store", str(tmp_path / "other.duckdb")]
    filled("ingest", "mine", "--from", "bundle", *there)
    assert filled("sql", "select language from dataset", "--format", "csv", *there).out.split() == ["language", "fr"]
    assert not (tmp_path / "datasets.lock").exists()


def test_bundle_may_be_declared_and_locked(filled: Run, tmp_path: Path) -> None:
    filled("export", "mine@v1", "-o", "bundle")
    (tmp_path / "datasets.toml").write_text('[theirs]\nformat = "bundle"\npath = "bundle"\n')
    there = ["--store", str(tmp_path / "other.duckdb")]
    filled("ingest", "theirs", *there)
    assert json.loads((tmp_path / "datasets.lock").read_text())["theirs"]["format"] == "bundle"
    filled("ingest", "theirs", "--frozen", *there)
    filled("export", "mine@v2", "-o", "bundle", "--force")
    said = filled("ingest", "theirs", "--frozen", *there, code=3)
    assert "bundle/manifest.json names version" in said.err
    assert "datasets.lock names" in said.err
    assert len(filled("datasets", "theirs", "--json", *there).rows()) == 1


def test_altered_bundle_exits_3_with_one_line(filled: Run, tmp_path: Path) -> None:
    filled("export", "mine", "-o", "bundle")
    manifest = tmp_path / "bundle" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": "', '"version": "' + "0" * 64 + '", "was": "'))
    said = filled("ingest", "theirs", "--from", "bundle", code=3)
    assert "manifest.json names 000000000000: as many captions; the store is unchanged" in said.err
    assert said.err.count("\n") == 1
    assert [row["dataset"] for row in filled("datasets", "--json").rows()] == ["mine"]


def test_dry_run_shows_what_would_be_stored_and_changes_no_byte(filled: Run, tmp_path: Path) -> None:
    before = (tmp_path / "audit.duckdb").read_bytes()
    (tmp_path / "other.csv").write_text('image,caption,split\na,"a dog\nruns",train\nb,,train\nb,cats,val\n')
    said = filled("ingest", "other", "--from", "other.csv", "--dry-run", "--max-rejected", "1")
    assert (tmp_path / "audit.duckdb").read_bytes() == before
    for words in ("would be stored", "the first captions of other", "empty caption", "no store was opened"):
        assert words in said.out
    assert "image ← image; caption ← caption; slot ← the order of the rows; split ← split" in said.out
    rows = filled("ingest", "other", "--from", "other.csv", "--dry-run", "--max-rejected", "1", "--json").rows()
    assert [(row["status"], row["captions"], row["rejected"], row["format"]) for row in rows] == [
        ("dry run", 2, 1, "table")
    ]
    filled("ingest", "other", "--from", "other.csv", "--dry-run", code=3)
    filled("ingest", "other", "--from", "other.csv", "--dry-run", "--max-rejected", "1", "--store", "none.duckdb")
    assert not (tmp_path / "none.duckdb").exists()


def test_dry_run_reads_standard_input_and_other_encodings(
    tmp_path: Path, auditor: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "image,caption\na,un café\na,une fenêtre\n"
    (tmp_path / "a.csv").write_text(content, encoding="utf-16")
    said = auditor("ingest", "x", "--from", "a.csv", "--encoding", "utf-16", "--dry-run")
    assert "image ← image; caption ← caption" in said.out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    said = auditor("ingest", "x", "--from", "-", "--dry-run")
    assert "image ← image; caption ← caption" in said.out


def test_encoding_that_the_file_does_not_begin_with_is_an_error_of_the_user(tmp_path: Path, auditor: Run) -> None:
    (tmp_path / "a.csv").write_text("image,caption\na,un café\n", encoding="utf-16-le")
    said = auditor("ingest", "x", "--from", "a.csv", "--encoding", "utf-16", code=3).err
    assert "a.csv:1: not utf-16" in said
    assert "utf-16-le or utf-16-be" in said


def test_files_whose_names_are_no_text_are_written(auditor: Run, tmp_path: Path) -> None:
    rows = (f"{image}.jpg,a {noun} {image} runs\n" for image in "ab" for noun in ("dog", "cat", "cow"))
    (tmp_path / "c.csv").write_text("image,caption\n" + "".join(rows))
    auditor("ingest", "pairs", "--from", "c.csv")
    auditor("export", "pairs", "-o", "export\udcff.csv", "-f", "csv")
    auditor("tasks", "pairs", "-o", "tasks\udcff.csv")
    assert {"export\udcff.csv", "tasks\udcff.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_drop_asks_nobody_where_nobody_is(filled: Run) -> None:
    assert "--yes removes it without confirmation" in filled("store", "drop", "mine", code=2).err
    assert [row["seq"] for row in filled("store", "drop", "mine@v1", "--yes", "--json").rows()] == [1]
    filled("store", "verify")
    filled("store", "drop", "mine", "--yes")
    assert filled("datasets", "--json").rows() == []


def test_every_format_says_what_it_reads_and_how_it_is_known(auditor: Run) -> None:
    listed = auditor("ingest", "--formats", "--json").rows()
    for name in FORMATS:
        told = {row["property"]: row["value"] for row in listed if row["format"] == name}
        assert told["reads"]
        assert "Format `" not in told["reads"]
        assert told["recognized"].startswith("Recognize")
    assert "split_key" in auditor("ingest", "--formats", "coco").out
    assert "cocoa: unknown format; did you mean coco?" in auditor("ingest", "--formats", "cocoa", code=2).err


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("auditor profile mi", ["mine"]),
        ("auditor profile mine@", ["mine@best", "mine@v2", "mine@v1"]),
        ("auditor score mine --metric cider-", ["cider-d"]),
        ("auditor score mine --metric chrf:be", ["chrf:beta="]),
        ("auditor score mine --preset c", ["coco"]),
        ("auditor score mine --tokenizer pt", ["ptb"]),
        ("auditor profile mine --format lat", ["latex"]),
        ("auditor export mine --format kar", ["karpathy"]),
        ("auditor ingest x --format web", ["webdataset"]),
        ("auditor profile mine --split tr", []),
    ],
)
def test_shell_is_offered_names(filled: Run, monkeypatch: pytest.MonkeyPatch, words: str, offered: list[str]) -> None:
    filled("store", "tag", "mine@v1", "best")
    monkeypatch.setenv("_AUDITOR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    monkeypatch.setattr("sys.argv", ["auditor"])
    assert filled().out.split() == offered


def test_shell_is_offered_nothing_where_there_is_no_store(auditor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_AUDITOR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "auditor profile m")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setattr("sys.argv", ["auditor"])
    assert auditor().out.split() == []
