"""Splits that the names of files tell, and what is no file at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.config import wanted
from auditor.errors import SourceError
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources

CAPTIONS = "image,caption\n{0}1,a dog\n{0}1,a cat\n"


def written(folder: Path, *names: str) -> None:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CAPTIONS.format("abcd"[number]))


def taken(store: Store, *named: str) -> tuple[dict[str, str | None], tuple[str, ...]]:
    result = ingest_sources(store, wanted(["q"], files=[Path(name) for name in named]))
    return dict(store.query("select distinct image, split from membership").rows()), result.sentences


@pytest.mark.parametrize(
    ("names", "named"),
    [
        (("train.csv", "test.csv"), ("train.csv", "test.csv")),
        (("my_train-01.csv", "my_test-01.csv"), ("my_*.csv",)),
        (("training/a.csv", "test/b.csv"), ("training/a.csv", "test/b.csv")),
        (("one.csv", "two.csv"), ("train=one.csv", "test=two.csv")),
    ],
)
def test_several_files_keep_the_splits_that_their_names_tell(
    store: Store, tmp_path: Path, names: tuple[str, ...], named: tuple[str, ...]
) -> None:
    written(tmp_path, *names)
    found, notes = taken(store, *named)
    assert set(found.values()) == {"train", "test"}
    assert any("file name: " in note for note in notes) is ("=" not in named[0])


def test_split_that_a_file_has_of_its_own_stands(store: Store, tmp_path: Path) -> None:
    written(tmp_path, "train.csv")
    (tmp_path / "test.csv").write_text("image,caption,split\nx,a dog,val\ny,a cat,\n")
    found, _ = taken(store, "train.csv", "test.csv")
    assert found == {"a1": "train", "x": "val", "y": "test"}


def test_files_of_which_only_some_tell_a_split_have_none_and_it_is_said(store: Store, tmp_path: Path) -> None:
    written(tmp_path, "train.csv", "more.csv")
    found, notes = taken(store, "train.csv", "more.csv")
    assert set(found.values()) == {None}
    assert any("more.csv does not" in note and "--from train=FILE" in note for note in notes)


def test_shards_that_are_named_after_nothing_say_nothing(store: Store, tmp_path: Path) -> None:
    written(tmp_path, "part-1.csv", "part-2.csv")
    found, notes = taken(store, "part-1.csv", "part-2.csv")
    assert set(found.values()) == {None}
    assert not any("split ←" in note or "file name: " in note for note in notes)


@pytest.mark.parametrize(
    "address", ["https://x.org/a.csv", "https://x.org/a.csv?raw=1", "s3://bucket/a.csv", "hf://datasets/x/a.parquet"]
)
def test_address_is_answered_with_what_to_do(store: Store, address: str) -> None:
    with pytest.raises(SourceError, match=r"://.*: an address .*download the file .*`auditor fetch`"):
        ingest_sources(store, wanted(["q"], files=[Path(address)]))
