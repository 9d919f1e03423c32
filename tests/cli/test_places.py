"""Files in a dataset's place: read into a temporary store, which is said and gone afterwards."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
from buckets import Bucket
from conftest import asked

from auditor.errors import UsageError
from auditor.places import is_place, named_apart


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, which is this test's own."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    folder = tmp_path / "captions"
    folder.mkdir()
    for number in range(2):
        pl.DataFrame(
            {"image": [f"{number}a", f"{number}a", f"{number}b", f"{number}b"], "caption": ["a dog", "the dog"] * 2}
        ).write_parquet(folder / f"part-{number}.parquet")
    return folder


def test_pattern_is_asked_without_a_store(shards: Path, scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("bounds", "captions/*.parquet", "-m", "bleu-1", "--json") == 0
    out, err = capsys.readouterr()
    (version,) = json.loads(out)["auditor.bounds/v3"]["versions"]
    assert (version["dataset"], version["images"], version["captions"]) == ("captions", 4, 8)
    assert "captions/*.parquet: read into a temporary store as captions: 4 images, 8 captions" in err
    assert "`auditor ingest captions --from 'captions/*.parquet'` keeps it" in err
    assert 'detected format "table"' in err
    assert not Path("audit.duckdb").exists()
    assert not [*scratch.iterdir()]
    assert len([*shards.iterdir()]) == 2


def test_file_that_is_not_there_is_no_name_in_a_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("profile", "nowhere.parquet") == 3
    assert "nowhere.parquet: no such file" in capsys.readouterr().err


def test_quiet_run_says_only_data(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("profile", str(shards / "part-0.parquet"), "-q") == 0
    assert capsys.readouterr().err == ""


def test_numbers_are_those_of_a_store_that_is_kept(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("bounds", f"{shards}/*.parquet", "-m", "bleu-1", "--candidate", "intra", "--format", "csv") == 0
    apart = capsys.readouterr().out
    assert asked("ingest", "captions", "--from", f"{shards}/*.parquet") == 0
    capsys.readouterr()
    assert asked("bounds", "captions", "-m", "bleu-1", "--candidate", "intra", "--format", "csv") == 0
    assert capsys.readouterr().out == apart


@pytest.mark.usefixtures("shards")
def test_files_are_compared_and_made_others_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("profile", "captions/part-0.parquet", "captions/part-1.parquet", "--json") == 0
    versions = json.loads(capsys.readouterr().out)["auditor.profile/v3"]["versions"]
    assert [one["dataset"] for one in versions] == ["part-0", "part-1"]
    assert asked("export", "captions/part-0.parquet", "-o", "made.csv") == 0
    assert pl.read_csv("made.csv").height == 4


def test_bucket_is_asked_without_a_store(
    bucket: Bucket, shards: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for shard in shards.iterdir():
        bucket.put(f"set/{shard.name}", shard.read_bytes())
    assert asked("bounds", "s3://captions/set/*.parquet", "-m", "bleu-1", "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["auditor.bounds/v3"]["versions"][0]["captions"] == 8
    assert "s3://captions/set/*.parquet: read into a temporary store as set: 4 images" in err
    assert not Path("audit.duckdb").exists()
    assert not [*scratch.iterdir()]


@pytest.mark.usefixtures("shards")
def test_name_of_a_store_beside_a_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("bounds", "captions/part-0.parquet", "flickr8k") == 2
    assert "`auditor ingest part-0 --from captions/part-0.parquet` first" in capsys.readouterr().err


def test_what_cannot_be_read_ends_in_a_line(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text("what,else\n1,2\n")
    assert asked("bounds", "./a.csv") == 3
    (error,) = capsys.readouterr().err.strip().splitlines()
    assert error.startswith("error: a.csv:1: no column")
    assert not [*scratch.iterdir()]


@pytest.mark.usefixtures("shards")
def test_file_that_is_read_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("captions/part-0.parquet").read_bytes()
    assert asked("export", "captions/part-0.parquet", "-f", "csv", "-o", "captions/part-0.parquet", "--force") == 2
    assert "cannot be written" in capsys.readouterr().err
    assert Path("captions/part-0.parquet").read_bytes() == before


@pytest.mark.usefixtures("shards")
def test_what_would_be_kept_is_asked_of_a_store() -> None:
    assert asked("store", "tag", "captions/part-0.parquet", "draft") in (2, 4)


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (["s3://bucket/captions/*.parquet"], ["captions"]),
        (["s3://bucket/*.parquet"], ["bucket"]),
        (["https://x.org/sets/mine.csv.gz?v=1"], ["mine"]),
        (["a/x.csv", "b/x.csv", "c/x.csv"], ["x", "x-2", "x-3"]),
        (["hf://datasets/who/my set/data/*.parquet"], ["data"]),
        (["./!.csv"], ["captions"]),
        (["x/*/y.csv"], ["y"]),
    ],
)
def test_dataset_is_called_by_its_file_or_folder(places: list[str], names: list[str]) -> None:
    assert named_apart({"refs": places}, ["refs"]) == dict(zip(names, places, strict=True))


def test_name_is_no_place(tmp_path: Path) -> None:
    assert not any(map(is_place, ("flickr8k", "flickr8k@v2:test", "set.v2", "a.token")))
    (tmp_path / "a.token").touch()
    assert is_place("a.token")
    assert is_place("nowhere.csv")
    with pytest.raises(UsageError, match="is a dataset in the store, but"):
        named_apart({"refs": ["a.token"], "others": ["flickr8k"]}, ["refs", "others"])


def test_candidates_of_a_file_are_scored_against_a_stored_version(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"image": f"{n}.jpg", "caption": text} for n in range(3) for text in ("a dog runs", "the dog is running")]
    pl.DataFrame(rows).write_csv("refs.csv")
    Path("out.json").write_text(json.dumps({f"{n}.jpg": "a dog runs fast" for n in range(3)}))
    assert asked("ingest", "refs", "--from", "refs.csv") == 0
    capsys.readouterr()
    before = Path("audit.duckdb").read_bytes()
    assert asked("score", "refs@v1", "--candidates", "out.json", "-m", "bleu-1", "--json") == 0
    apart, err = capsys.readouterr()
    assert "out.json: read into a temporary store as out: 3 images" in err
    assert "`auditor ingest out --from out.json --kind candidates` keeps it" in err
    assert Path("audit.duckdb").read_bytes() == before
    assert asked("ingest", "out", "--from", "out.json", "--kind", "candidates") == 0
    capsys.readouterr()
    assert asked("score", "refs@v1", "--candidates", "out", "-m", "bleu-1", "--json") == 0
    kept, made = (json.loads(text)["auditor.score/v3"] for text in (capsys.readouterr().out, apart))
    assert (kept["rows"], kept["signatures"]) == (made["rows"], made["signatures"])
