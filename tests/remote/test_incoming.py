"""Captions that lie in a bucket: read as files of the disk are, or refused in a line, with the store as it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import fsspec
import polars as pl
import pytest
from buckets import Bucket, Line
from conftest import asked

from auditor.errors import MissingExtraError, SourceError
from auditor.remote import Near, address_of, addresses, incoming
from auditor.store.connection import Store
from auditor.studies.ingest import ingest


def rows(number: int, images: int = 5) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "image": [f"{number}-{image}" for image in range(images) for _ in range(2)],
            "caption": [f"dog {place} of shard {number} runs" for place in range(2 * images)],
        }
    )


def parquet(frame: pl.DataFrame, tmp_path: Path) -> bytes:
    file = tmp_path / "written.parquet"
    frame.write_parquet(file)
    return file.read_bytes()


@pytest.fixture
def shards(bucket: Bucket, tmp_path: Path) -> Bucket:
    """Twelve shards in a bucket, and the same in folder `local`."""
    (tmp_path / "local").mkdir()
    for number in range(12):
        content = parquet(rows(number), tmp_path)
        bucket.put(f"set/part-{number}.parquet", content)
        (tmp_path / "local" / f"part-{number}.parquet").write_bytes(content)
    return bucket


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run what ends as a source that cannot be read, with one line, and give it; the store stays empty."""
    assert asked("ingest", "set", *arguments) == 3
    error = capsys.readouterr().err.strip()
    assert error.startswith("error: ")
    assert "\n" not in error
    assert "auditor-" not in error
    with Store.open(Path("audit.duckdb"), write=True) as unchanged:
        assert unchanged.query("from dataset").is_empty()
    return error


@pytest.mark.usefixtures("shards")
def test_pattern_of_a_bucket_is_the_version_of_the_same_files_on_disk(store: Store) -> None:
    there = ingest(store, "there", files=[Path("s3://captions/set/part-*.parquet")])
    here = ingest(store, "here", files=[Path("local/part-*.parquet")])
    same = ("version", "images", "captions", "read", "rejected")
    assert there.frame.select(same).equals(here.frame.select(same))
    assert there.selections[0].version.source_sha256 == here.selections[0].version.source_sha256
    assert there.frame["captions"].item() == 120


def test_refused_records_name_file_and_row_as_on_disk(store: Store, bucket: Bucket) -> None:
    bucket.put("set/a.csv", "image,caption\n1,a dog\n1,\n2,a cat\n")
    ingest(store, "set", files=[Path("s3://captions/set/a.csv")], max_rejected=1.0)
    assert store.query("select source, line from rejected").rows() == [("a.csv", 3)]


def test_file_of_a_split_is_named_with_it(store: Store, bucket: Bucket) -> None:
    bucket.put("x.csv", "image,caption\n1,a dog\n")
    bucket.put("y.csv", "image,caption\n2,a cat\n")
    ingest(store, "set", files=[Path("train=s3://captions/x.csv"), Path("test=s3://captions/y.csv")])
    found = store.query("select image, split from membership order by all").rows()
    assert found == [("1", "train"), ("2", "test")]


def test_folders_name_splits_as_on_disk(store: Store, bucket: Bucket) -> None:
    bucket.put("set/train/part.csv", "image,caption\n1,a dog\n")
    bucket.put("set/test/part.csv", "image,caption\n2,a cat\n")
    ingest(store, "set", files=[Path("s3://captions/set/*/part.csv")])
    assert store.query("select image, split from membership order by all").rows() == [("1", "train"), ("2", "test")]


def test_saved_folder_is_the_version_of_the_same_on_disk(store: Store, bucket: Bucket, tmp_path: Path) -> None:
    """As `save_to_disk` of Hugging Face datasets leaves a DatasetDict: a folder a split, shards of Arrow streams."""
    saved = tmp_path / "saved"
    splits = {"train": 3, "test": 1}
    for split, shards in splits.items():
        folder = saved / split
        folder.mkdir(parents=True)
        names = [f"data-{number:05}-of-{shards:05}.arrow" for number in range(shards)]
        for number, name in enumerate(names):
            rows(number).with_columns(pl.format("{}-{}", pl.lit(split), "image").alias("image")).write_ipc_stream(
                folder / name
            )
        (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
        (folder / "dataset_info.json").write_text("{}")
    (saved / "dataset_dict.json").write_text(json.dumps({"splits": [*splits]}))
    for file in (path for path in saved.rglob("*") if path.is_file()):
        bucket.put(f"sets/{file.relative_to(tmp_path)}", file.read_bytes())
    there = ingest(store, "there", files=[Path("s3://captions/sets/saved/")])
    here = ingest(store, "here", files=[saved])
    assert there.frame["version"].item() == here.frame["version"].item()
    assert there.selections[0].version.source_sha256 == here.selections[0].version.source_sha256
    splits_of = "select split, count(*) from membership where dataset = 'there' group by all order by all"
    assert store.query(splits_of).rows() == [("test", 10), ("train", 30)]


def test_declared_dataset_may_lie_in_a_bucket(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("set/a.csv", "image,caption\n1,a dog\n2,a cat\n")
    bucket.put("set/train.txt", "1\n")
    (tmp_path / "datasets.toml").write_text(
        '[set]\nformat = "table"\npath = "s3://captions/set/a.csv"\n'
        'splits = { train = "s3://captions/set/train.txt" }\n'
    )
    assert asked("ingest", "set") == 0
    assert asked("fetch", "set") == 0
    with Store.open(Path("audit.duckdb")) as made:
        assert made.query("select image, split from membership order by all").rows() == [("1", "train"), ("2", None)]


def test_more_blocks_than_may_wait_come_in_order(
    shards: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming, "BLOCK", 100)
    with Near() as near:
        copies = near.files(Path("s3://captions/set/part-*.parquet"))
        assert [copy.name for copy in copies] == [f"part-{number}.parquet" for number in range(12)]
        for copy in copies:
            assert copy.read_bytes() == (tmp_path / "local" / copy.name).read_bytes()
    assert not copies[0].exists()
    assert len(shards.names()) == 12


def test_dropped_connection_is_tried_again(line: Line, bucket: Bucket, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4000
    bucket.put("set/a.bin", content)
    line.cuts = [50_000, 300, 700_000]
    with Near() as near:
        (copy,) = near.files(Path("s3://captions/set/a.bin"))
        assert copy.read_bytes() == content
    assert line.dropped == 3


def test_connection_that_keeps_dropping_ends_in_a_line(
    line: Line, shards: Bucket, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    line.cuts = [600] * 1000
    error = refused(capsys, "--from", "s3://captions/set/part-*.parquet")
    assert "s3://captions/set/part-" in error
    assert "4 times in a row; check the network" in error
    assert len(shards.names()) == 12


def test_no_server_ends_in_a_line(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert "check the network" in refused(capsys, "--from", "s3://captions/set/a.parquet")
    assert not bucket.names()


def test_wrong_credentials_end_in_a_line(
    shards: Bucket, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import requests

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAWRONG")
    server = f"http://{shards.host}:{shards.port}/moto-api/reset-auth"
    requests.post(server, data="0", timeout=10)
    try:
        for place in ("part-1.parquet", "part-*.parquet"):
            error = refused(capsys, "--from", f"s3://captions/set/{place}")
            assert error.startswith(f"error: s3://captions/set/{place}: access denied (")
            assert "AWS_PROFILE" in error
            assert "AKIAWRONG" not in error
    finally:
        requests.post(server, data="inf", timeout=10)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("captions/set/none.parquet", "no such file"),
        ("captions/none-*.parquet", "no file matches this pattern"),
        ("nowhere/set/a.parquet", "no such file"),
        ("nowhere/set/*.parquet", "no file matches this pattern"),
    ],
)
@pytest.mark.usefixtures("shards")
def test_what_is_not_there_is_said(capsys: pytest.CaptureFixture[str], place: str, told: str) -> None:
    assert f"error: s3://{place}: {told}" in refused(capsys, "--from", f"s3://{place}")


def test_shard_of_another_schema_is_named_and_nothing_is_stored(
    shards: Bucket, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shards.put("set/part-7.parquet", parquet(rows(7).rename({"caption": "sentence_of_it"}), tmp_path))
    error = refused(capsys, "--from", "s3://captions/set/part-*.parquet")
    assert "s3://captions/set/part-7.parquet: " in error


def test_shard_that_was_cut_off_is_named_and_nothing_is_stored(
    shards: Bucket, capsys: pytest.CaptureFixture[str]
) -> None:
    shards.put("set/part-3.parquet", shards.get("set/part-3.parquet")[:-20])
    assert "s3://captions/set/part-3.parquet: " in refused(capsys, "--from", "s3://captions/set/part-*.parquet")


@pytest.mark.parametrize("shorter", [True, False])
def test_file_that_changes_while_it_is_read_is_refused(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shorter: bool
) -> None:
    import s3fs

    content = "image,caption\n" + "".join(f"{image},a dog\n" for image in range(100))
    bucket.put("a.csv", content)
    read = s3fs.S3FileSystem.cat_file

    def changing(there: object, *place: object, **block: object) -> bytes:
        bucket.put("a.csv", content[:-8] if shorter else content.replace("dog", "cat"))
        found: bytes = read(there, *place, **block)
        return found

    monkeypatch.setattr(s3fs.S3FileSystem, "cat_file", changing)
    error = refused(capsys, "--from", "s3://captions/a.csv")
    assert error.startswith("error: s3://captions/a.csv: changed while it was being read")


def test_address_named_twice_is_refused(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    address = bucket.put("a.csv", "image,caption\n1,a dog\n")
    assert f"{address}: listed twice" in refused(capsys, "--from", address, "--from", "s3://captions/*.csv")


def test_any_filesystem_of_fsspec_is_read(store: Store) -> None:
    there = fsspec.filesystem("memory")
    there.pipe_file("/set/a.csv", b"image,caption\n1,a dog\n1,the dog\n")
    try:
        made = ingest(store, "set", files=[Path("memory://set/a.csv")])
    finally:
        there.rm("/set", recursive=True)
    assert made.frame["captions"].item() == 2


def test_file_address_is_the_path_that_it_is(tmp_path: Path) -> None:
    with Near() as near:
        assert near.files(Path(f"file://{tmp_path}/a.csv")) == [tmp_path / "a.csv"]


@pytest.mark.parametrize("address", ["s3://b/x?y.csv", "https://x.org/a.csv?raw=1", "hf://datasets/u/n/a*.parquet"])
def test_path_that_lost_a_slash_is_an_address(address: str) -> None:
    assert address_of(Path(address)) == address


def test_local_path_that_looks_like_an_address_stays_one(tmp_path: Path) -> None:
    (tmp_path / "s3:" / "b").mkdir(parents=True)
    (tmp_path / "s3:" / "b" / "a.csv").touch()
    assert address_of(Path("s3://b/a.csv")) is None


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingExtraError, match=r"gs://b/a: .*gcsfs.*pip install 'auditor\[remote\]'"), Near() as near:
        near.files(Path("gs://b/a"))


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"s3://b/a: .*pip install 'auditor\[remote\]'"), Near() as near:
        near.files(Path("s3://b/a"))


def test_protocol_that_nobody_knows_is_refused() -> None:
    with pytest.raises(SourceError, match="nosuch://b/a: cannot read this address"), Near() as near:
        near.files(Path("nosuch://b/a"))


def test_disk_without_room_is_said_before_anything_is_copied(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("a.csv", "image,caption\n1,a dog\n")

    class Disk:
        free = 3

    monkeypatch.setattr(incoming.shutil, "disk_usage", lambda _: Disk)
    assert "has 3 free; set TMPDIR to a folder with more space" in refused(capsys, "--from", "s3://captions/a.csv")
    assert addresses.TRIES > 1
