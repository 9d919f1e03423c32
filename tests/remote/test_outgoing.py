"""Versions that are written to a bucket: whole under their names, or what was there stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from buckets import Bucket

from auditor.errors import SourceError, UsageError
from auditor.remote import addresses
from auditor.store.connection import Store
from auditor.studies.export import export
from auditor.studies.ingest import ingest

s3fs = pytest.importorskip("s3fs", reason="extra remote is not installed")

CSV = "image,caption,split\n1,a dog runs,train\n1,the dog is running,train\n2,a cat,test\n2,the cat sits,test\n"


@pytest.fixture
def filled(bucket: Bucket, store: Store, tmp_path: Path) -> Bucket:
    (tmp_path / "a.csv").write_text(CSV)
    ingest(store, "set", files=[tmp_path / "a.csv"])
    return bucket


def test_file_in_a_bucket_has_the_bytes_of_one_on_disk(filled: Bucket, store: Store, tmp_path: Path) -> None:
    there = export(store, "set", Path("s3://captions/out/set.csv"))
    here = export(store, "set", tmp_path / "set.csv")
    assert filled.names() == ["out/set.csv"]
    assert filled.get("out/set.csv") == (tmp_path / "set.csv").read_bytes()
    assert there.frame.equals(here.frame)
    assert "--from s3://captions/out/set.csv" in str(there.notes)


@pytest.mark.parametrize("file_format", ["bundle", "hf"])
def test_folder_in_a_bucket_is_read_as_the_same_version(filled: Bucket, store: Store, file_format: str) -> None:
    made = export(store, "set", Path("s3://captions/out/set"), file_format=file_format)
    with Store.open(Path("other.duckdb"), write=True) as other:
        options = {} if file_format == "bundle" else {"slot_col": "slot", "split_col": "split"}
        again = ingest(other, "set", files=[Path("s3://captions/out/set")], **options)
    assert again.frame["version"].item() == made.selections[0].version.version
    assert not [name for name in filled.names() if "draft" in name]


def test_what_is_there_is_replaced_only_if_asked(filled: Bucket, store: Store) -> None:
    filled.put("set.csv", "of others")
    with pytest.raises(UsageError, match=r"^s3://captions/set\.csv: already exists; .*--force"):
        export(store, "set", Path("s3://captions/set.csv"))
    assert filled.get("set.csv") == b"of others"
    export(store, "set", Path("s3://captions/set.csv"), force=True)
    assert filled.get("set.csv").startswith(b'"image"')


def test_folder_of_others_is_never_replaced(filled: Bucket, store: Store) -> None:
    filled.put("set/thesis.tex", "of others")
    with pytest.raises(UsageError, match="not a folder that `auditor export` wrote"):
        export(store, "set", Path("s3://captions/set"), force=True)
    with pytest.raises(UsageError, match="is a folder, so it is not replaced"):
        export(store, "set", Path("s3://captions/set"), file_format="csv", force=True)
    assert filled.names() == ["set/thesis.tex"]


def test_replaced_folder_keeps_no_file_of_the_old_one(filled: Bucket, store: Store) -> None:
    export(store, "set", Path("s3://captions/set"))
    filled.put("set/annotation.parquet", "of the old one")
    filled.put("set/.captions.parquet.0a1b2c3d.draft", "of one that was killed")
    export(store, "set", Path("s3://captions/set"), force=True)
    assert filled.names() == ["set/captions.parquet", "set/manifest.json"]


def test_captions_that_are_left_out_are_listed_beside(filled: Bucket, store: Store) -> None:
    export(store, "set", Path("s3://captions/out/set.jsonl"), without=["notice"])
    assert sorted(filled.names()) == ["out/set.jsonl", "out/set.left-out.csv"]


@pytest.mark.parametrize("fails", ["_put_file", "_cp_file"])
def test_sending_that_breaks_leaves_what_was_there(
    filled: Bucket, store: Store, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    done: list[object] = []
    works = getattr(s3fs.S3FileSystem, fails)

    async def breaking(there: object, *place: object, **settings: object) -> None:
        if done:
            raise ConnectionError("the connection was interrupted")
        done.append(place)
        await works(there, *place, **settings)

    monkeypatch.setattr(s3fs.S3FileSystem, fails, breaking)
    with pytest.raises(SourceError, match=r"s3://captions/set: the connection was interrupted, 4 times in a row"):
        export(store, "set", Path("s3://captions/set"))
    assert done
    assert filled.names() == []


@pytest.mark.parametrize("times", [2, 99])
@pytest.mark.parametrize("fault", ["short", "refused", "gone"])
def test_fault_in_the_middle_of_an_upload_is_repeated_or_leaves_nothing(
    filled: Bucket, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, times: int
) -> None:
    """The server stores a part, answers 503 after it has stored all, or loses the object before it is renamed."""
    works, faults = s3fs.S3FileSystem._put_file, list[str]()

    async def faulty(there: object, local: str, name: str, **settings: object) -> None:
        if len(faults) == times:
            await works(there, local, name, **settings)
            return
        faults.append(name)
        sent = tmp_path / "sent"
        sent.write_bytes(Path(local).read_bytes()[: 20 if fault == "short" else None])
        await works(there, str(sent), name, **settings)
        if fault == "refused":
            raise OSError(16, "SlowDown")
        if fault == "gone":
            await there._rm_file(name)  # type: ignore[attr-defined]

    monkeypatch.setattr(s3fs.S3FileSystem, "_put_file", faulty)
    target = Path("s3://captions/out/set.csv")
    filled.put("out/set.csv", "old")
    if times == 2 and fault != "gone":
        export(store, "set", target, force=True)
        export(store, "set", tmp_path / "set.csv")
        assert filled.get("out/set.csv") == (tmp_path / "set.csv").read_bytes()
    else:
        with pytest.raises(SourceError, match=r"^s3://captions/out/set\.csv: .*"):
            export(store, "set", target, force=True)
        assert filled.get("out/set.csv") == b"old"
    assert filled.names() == ["out/set.csv"]


@pytest.mark.parametrize("moves", range(5))
def test_replacing_that_breaks_leaves_what_was_there(
    filled: Bucket, store: Store, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    filled.put("set/captions.parquet", "old captions")
    filled.put("set/manifest.json", "old manifest")
    done: list[object] = []
    works = s3fs.S3FileSystem._cp_file

    async def breaking(there: object, *place: object, **settings: object) -> None:
        if moves <= len(done) < moves + addresses.TRIES:
            done.append(place)
            raise ConnectionError("the connection was interrupted")
        done.append(place)
        await works(there, *place, **settings)

    monkeypatch.setattr(s3fs.S3FileSystem, "_cp_file", breaking)
    if moves < 4:
        with pytest.raises(SourceError, match="was interrupted, 4 times"):
            export(store, "set", Path("s3://captions/set"), force=True)
        assert filled.get("set/captions.parquet") == b"old captions"
        assert filled.get("set/manifest.json") == b"old manifest"
    else:
        export(store, "set", Path("s3://captions/set"), force=True)
        assert filled.get("set/captions.parquet") != b"old captions"
    assert filled.names() == ["set/captions.parquet", "set/manifest.json"]


def test_sending_that_breaks_once_is_repeated(filled: Bucket, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    broken: list[object] = []
    works = s3fs.S3FileSystem._put_file

    async def breaking(there: object, *place: object, **settings: object) -> None:
        if not broken:
            broken.append(place)
            raise ConnectionError("the connection was interrupted")
        await works(there, *place, **settings)

    monkeypatch.setattr(s3fs.S3FileSystem, "_put_file", breaking)
    export(store, "set", Path("s3://captions/set.json"), file_format="coco")
    assert json.loads(filled.get("set.json"))["annotations"]


def test_bucket_that_is_not_there_is_not_made(filled: Bucket, store: Store) -> None:
    with pytest.raises(SourceError, match=r"^s3://nowhere/set\.csv: no such file"):
        export(store, "set", Path("s3://nowhere/set.csv"))
    assert [one["Name"] for one in filled.client.list_buckets()["Buckets"]] == ["captions"]


@pytest.mark.parametrize("address", ["https://x.org/set.csv", "s3://bucket"])
def test_address_that_cannot_be_written_is_refused(filled: Bucket, store: Store, address: str) -> None:
    with pytest.raises(UsageError, match=f"^{address}: cannot be written"):
        export(store, "set", Path(address), file_format="csv")
    assert filled.names() == []
