"""datasets.lock: what was ingested is written down, and a frozen ingest takes nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.cli.app import main
from auditor.config.lock import Entry, Lock, beside, read
from auditor.errors import SourceError
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.ingest import ingest

pytestmark = pytest.mark.store

ENTRY = Entry("a" * 64, "b" * 64, 2, 4, "flickr")
HELD = {"version": "a" * 64, "source_sha256": "b" * 64, "images": 2, "captions": 4, "format": "flickr"}

CAPTIONS = "a.jpg#0\tA dog runs .\na.jpg#1\tthe dog is running\nb.jpg#0\tun café\nb.jpg#1\tun café\n"
DECLARED = """
[mine]
format = "flickr"
path = "mine.token"
[yours]
format = "flickr"
path = "yours.token"
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Run the command line and give what it says on stderr."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    said = capsys.readouterr()
    assert (ended.value.code or 0) == code, said.err
    return said.err


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project: two datasets, declared in a datasets.toml of its own."""
    (tmp_path / "datasets.toml").write_text(DECLARED)
    (tmp_path / "mine.token").write_text(CAPTIONS)
    (tmp_path / "yours.token").write_text(CAPTIONS.replace("dog", "cat"))
    monkeypatch.setenv("AUDITOR_STORE", str(tmp_path / "audit.duckdb"))
    return tmp_path


def log(folder: Path) -> list[str]:
    with Store.open(folder / "audit.duckdb") as store:
        return [version.label for version in versions.log(store)]


def test_ingest_writes_what_it_read_sorted_by_dataset(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "ingest", "yours", "mine")
    assert said == "datasets.lock: updated for mine, yours\n"
    text = (declared / "datasets.lock").read_text()
    document = json.loads(text)
    assert text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert list(document) == ["mine", "yours"]
    with Store.open(declared / "audit.duckdb") as store:
        version = versions.resolve(store, "mine").version
    assert document["mine"] == {
        "version": version.version,
        "source_sha256": version.source_sha256,
        "images": 2,
        "captions": 4,
        "format": "flickr",
    }


def test_lock_changes_with_the_data_and_is_silent_without(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", "mine", "yours")
    before = (declared / "datasets.lock").stat().st_ino, read(declared / "datasets.lock")
    assert "datasets.lock" not in run(capsys, "ingest", "mine")
    assert ((declared / "datasets.lock").stat().st_ino, read(declared / "datasets.lock")) == before
    (declared / "mine.token").write_text(CAPTIONS + "c.jpg#0\tnew\n")
    assert "updated for mine\n" in run(capsys, "ingest", "mine")
    after = read(declared / "datasets.lock")
    assert after["mine"].captions == 5
    assert after["yours"] == before[1]["yours"]


def test_lock_lies_beside_the_datasets_toml_in_use(
    declared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = declared / "project"
    project.mkdir()
    (declared / "datasets.toml").rename(project / "datasets.toml")
    monkeypatch.setenv("AUDITOR_DATA", str(declared))
    run(capsys, "ingest", "mine", "--config", str(project / "datasets.toml"))
    (project / "datasets.lock").unlink()
    monkeypatch.setenv("AUDITOR_CONFIG", str(project / "datasets.toml"))
    run(capsys, "ingest", "mine")
    assert (project / "datasets.lock").exists()
    assert not (declared / "datasets.lock").exists()
    assert beside() == project / "datasets.lock"


def test_bundled_sample_enters_no_lock(store: Store) -> None:
    samples = Path(auditor.__file__).with_name("sample") / "datasets.toml"
    assert ingest(store, "sample-narrow", config=samples).frame["status"].item() == "new"
    assert not beside(samples).exists()


def test_file_that_a_user_names_enters_no_lock(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", "other", "--from", "mine.token", "--format", "flickr")
    run(capsys, "ingest", "mine", "--from", "yours.token")
    assert not (declared / "datasets.lock").exists()


def test_frozen_ingest_takes_the_version_of_the_lock(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", "mine")
    (declared / "audit.duckdb").unlink()
    before = (declared / "datasets.lock").read_bytes()
    assert run(capsys, "ingest", "mine", "--frozen") == ""
    assert log(declared) == ["mine@v1"]
    assert (declared / "datasets.lock").read_bytes() == before


def test_frozen_ingest_refuses_another_version(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", "mine")
    expected = read(declared / "datasets.lock")["mine"].version
    before = (declared / "datasets.lock").read_bytes()
    (declared / "mine.token").write_text(CAPTIONS + "c.jpg#0\tnew\n")
    said = run(capsys, "ingest", "mine", "--frozen", code=3)
    assert said.startswith("error: mine: the files hold version ")
    for words in (f"datasets.lock names {expected[:12]}", "3 images, not 2; 5 captions, not 4", "--frozen to accept"):
        assert words in said
    assert said.count("\n") == 1
    assert log(declared) == ["mine@v1"]
    assert (declared / "datasets.lock").read_bytes() == before


def test_frozen_ingest_refuses_an_edit_that_keeps_the_counts(
    declared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "ingest", "mine")
    (declared / "mine.token").write_text(CAPTIONS.replace("runs", "ran"))
    assert "as many captions" in run(capsys, "ingest", "mine", "--frozen", code=3)
    assert log(declared) == ["mine@v1"]


def test_frozen_ingest_needs_an_entry_for_every_dataset(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "ingest", "mine", "--frozen", code=3)
    assert said.startswith("error: mine: not in datasets.lock, which does not exist; ingest without --frozen")
    run(capsys, "ingest", "mine")
    (declared / "audit.duckdb").unlink()
    said = run(capsys, "ingest", "mine", "yours", "--frozen", code=3)
    assert said.startswith("error: yours: not in datasets.lock; ingest without --frozen")
    assert log_is_empty(declared), "the first waits for the second to be known"


def log_is_empty(folder: Path) -> bool:
    with Store.open(folder / "audit.duckdb", write=True) as store:
        return not versions.log(store)


def test_same_captions_from_other_bytes_are_the_same_version(
    declared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "ingest", "mine")
    lines = CAPTIONS.splitlines(keepends=True)
    (declared / "mine.token").write_text("".join(lines[::-1]))
    said = run(capsys, "ingest", "mine", "--frozen", "--json")
    assert "mine: the same version as in the lock, but from other files (sha256 " in said
    said = run(capsys, "ingest", "mine")
    assert "datasets.lock: updated for mine" in said


def test_frozen_holds_a_named_file_to_the_lock_too(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", "mine")
    run(capsys, "ingest", "mine", "--from", "mine.token", "--frozen")
    run(capsys, "ingest", "mine", "--from", "yours.token", "--frozen", code=3)


def test_what_was_ingested_before_a_fault_is_in_the_lock(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (declared / "yours.token").write_text("no caption at all\n")
    said = run(capsys, "ingest", "mine", "yours", code=3)
    assert said.startswith("datasets.lock: updated for mine\nerror: ")
    assert list(read(declared / "datasets.lock")) == ["mine"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ": not JSON"),
        (
            '{\n  "mine": {\n<<<<<<< ours\n',
            ": not JSON: Expecting property name enclosed in double quotes: line 3 column 1",
        ),
        ("[]", ": expected an object"),
        (b'{\n"x": "\xff"}', ": not UTF-8"),
        ("[" * 100_000, ": not JSON"),
        ('{\n\n"mine": 1}', ": mine must be an object with version"),
        ('{"yours": {},\n"mine": {}}', ": yours: version, source_sha256, images, captions, format missing"),
        (json.dumps({"mine": HELD | {"captions": "4"}}, indent=1), ": mine: captions must be a whole number"),
        (json.dumps({"mine": HELD | {"images": True}}, indent=1), ": mine: images must be a whole number"),
        (json.dumps({"mine": HELD | {"images": -1}}, indent=1), ": mine: images must be a whole number"),
        (json.dumps({"mine": HELD | {"version": "abc"}}, indent=1), ": mine: version must be 64 hex digits"),
        (json.dumps({"mine": HELD | {"format": None}}, indent=1), ": mine: format must be the name of a format"),
        (json.dumps({"mine": HELD | {"sha": 1}}, indent=1), ": mine: unknown key sha"),
        ('{"mine": ' + json.dumps(HELD) + ',\n "mine": ' + json.dumps(HELD) + "}", ": mine occurs twice"),
        ('{"mine": {"images": 1,\n "images": 2}}', ": images occurs twice"),
        ('{"mine": {"images": ' + "1" * 5000 + "}}", ": not JSON"),
    ],
)
def test_file_that_is_no_lock_is_refused_with_its_fault(
    declared: Path, capsys: pytest.CaptureFixture[str], content: str | bytes, words: str
) -> None:
    lock = declared / "datasets.lock"
    lock.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = lock.read_bytes()
    for arguments in (["ingest", "mine"], ["ingest", "mine", "--frozen"]):
        said = run(capsys, *arguments, code=3)
        assert f"error: datasets.lock{words}" in said
        assert said.count("\n") == 1
    assert lock.read_bytes() == before
    assert log_is_empty(declared)


def test_lock_that_cannot_be_read_or_written_is_named(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (declared / "datasets.lock").mkdir()
    assert "datasets.lock: cannot be read" in run(capsys, "ingest", "mine", code=3)
    with pytest.raises(SourceError, match="cannot be written"):
        Lock(declared / "none" / "datasets.lock").keep({"mine": ENTRY})


def test_folder_on_a_read_only_disk_is_named(declared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)  # such a disk refuses even what it does not have
    monkeypatch.setattr(Path, "write_text", read_only)
    opened = os.open
    monkeypatch.setattr(
        os, "open", lambda path, flags, *more: read_only() if flags & os.O_CREAT else opened(path, flags, *more)
    )
    with pytest.raises(SourceError, match=r"datasets\.lock: cannot be written: Read-only file system"):
        Lock(declared / "datasets.lock").keep({"mine": ENTRY})


def test_interrupted_write_leaves_the_old_lock(declared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = Lock(declared / "datasets.lock")
    lock.keep({"mine": ENTRY})
    before = lock.path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SourceError, match="No space left"):
        lock.keep({"yours": ENTRY})
    assert lock.path.read_bytes() == before
    assert not list(declared.glob(".*"))


def test_lock_that_is_a_link_is_read_and_not_written(declared: Path) -> None:
    (declared / "shared").mkdir()
    lock, real = declared / "datasets.lock", declared / "shared" / "real.lock"
    lock.symlink_to(real)
    with pytest.raises(SourceError, match="not written, since it is a link; remove it, or use --frozen"):
        Lock(lock).keep({"mine": ENTRY})
    assert not real.exists()
    Lock(real).keep({"mine": ENTRY})
    assert read(lock) == {"mine": ENTRY}


hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
entries = st.builds(
    Entry, hashes, hashes, st.integers(0, 2**40), st.integers(0, 2**40), st.sampled_from(["flickr", "coco", "ü"])
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), entries, max_size=5))
def test_lock_reads_back_what_it_wrote(tmp_path_factory: pytest.TempPathFactory, held: dict[str, Entry]) -> None:
    path = tmp_path_factory.mktemp("lock") / "datasets.lock"
    Lock(path).keep(held)
    assert read(path) == held
    assert Lock(path, frozen=True).expected([*held]) == held
