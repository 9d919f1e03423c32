"""What is dropped is gone, and nothing else: other versions keep their hashes, and the store verifies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from seen_scenes import ingest_vectors
from sizes import examples

from auditor.errors import UsageError
from auditor.model import Selection
from auditor.store import verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.findings import findings
from auditor.studies.score.study import score
from auditor.studies.versions import drop, tag

_CAPTIONS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "y y", "z"]), min_size=1)


def sound(store: Store) -> bool:
    return verification.check(store)["faults"].sum() == 0


def put(store: Store, captions: dict[str, str], dataset: str = "set") -> None:
    ingest_rows(store, [(image, 0, text) for image, text in captions.items()], dataset)


@examples(4)
@given(contents=st.lists(_CAPTIONS, min_size=1, max_size=5), at=st.integers(0, 4))
def test_other_versions_keep_their_hashes(contents: list[dict[str, str]], at: int) -> None:
    with Store.open(MEMORY, write=True) as store:
        for captions in contents:
            put(store, captions)
        put(store, {"a": "x"}, "other")
        before = {one.label: one.version for one in versions.log(store)}
        going = versions.log(store, "set")[at % len(versions.log(store, "set"))]
        drop(store, going.label, yes=True)
        left = {one.label: one.version for one in versions.log(store)}
        assert left == {label: version for label, version in before.items() if label != going.label}
        for one in versions.log(store):
            assert versions.content_hash(store, Selection(one))[0] == one.version
        assert sound(store)
        for captions in contents:
            put(store, captions)
        assert sound(store)


def test_dataset_goes_with_its_texts_and_others_stay(store: Store) -> None:
    put(store, {"a": "shared", "b": "only here"})
    put(store, {"a": "shared", "b": "changed"})
    put(store, {"a": "shared"}, "other")
    score(store, "other", candidates="set", metrics=["bleu-1"])
    assert drop(store, "set", yes=True).frame["seq"].to_list() == [2, 1]
    assert store.query("select text from caption")["text"].to_list() == ["shared"]
    assert store.query("select dataset from dataset")["dataset"].to_list() == ["other"]
    assert (
        store.query("select count(*) from cache.entry where version not in (select version from version)").item() == 0
    )
    assert sound(store)


def test_what_is_tagged_needs_force(store: Store) -> None:
    put(store, {"a": "x"})
    tag(store, "set", "best")
    with pytest.raises(UsageError, match="set@v1 is best: tagged versions are removed only with --force"):
        drop(store, "set", yes=True)
    drop(store, "set", yes=True, force=True)
    assert versions.log(store) == []
    assert store.query("select count(*) from tag").item() == 0


def test_nothing_goes_without_a_yes(store: Store) -> None:
    ingest_rows(store, [("a", 0, "x")], splits={"train": ["a"]})
    asked: list[str] = []
    with pytest.raises(UsageError, match="nothing was removed"):
        drop(store, "set", confirm=lambda question: bool(asked.append(question)))
    assert asked == ["Remove set: 1 version, the newest with 1 image and 1 caption?"]
    with pytest.raises(UsageError, match="a split cannot be removed"):
        drop(store, "set:train", yes=True)
    drop(store, "set", confirm=lambda question: True)
    assert versions.log(store) == []


def test_kept_scores_and_findings_go_with_their_version_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "kept.duckdb"
    with Store.open(path, write=True) as store:
        for dataset in ("set", "other"):
            ingest_rows(store, [(image, slot, f"a dog {image}") for image in "ab" for slot in (0, 1)], dataset)
    for dataset in ("set", "other"):
        with Store.open(path) as store:
            score(store, dataset, metrics=["bleu-1"])
            findings(store, dataset, kinds=["uneven-captions", "padded-images", "captions-at-several-images"])
    with Store.open(path, write=True) as store:
        for table in ("cache.score_column", "cache.finding"):
            held = store.query(f"select distinct dataset from {table} order by all")["dataset"].to_list()
            assert held == ["other", "set"], table
        drop(store, "set", yes=True)
        for table in ("cache.score_column", "cache.finding"):
            assert store.query(f"select distinct dataset from {table}")["dataset"].to_list() == ["other"], table
        rows = store.query(
            "select count(*) as rows, count(c.key) as known from cache.score_list left join cache.score_column as c using (key)"
        )
        assert 0 < rows["rows"].item() == rows["known"].item()
        assert sound(store)
    with Store.open(path, write=True) as store:
        ingest_rows(store, [(image, slot, f"a dog {image}") for image in "ab" for slot in (0, 1)], "set")
    with Store.open(path) as store:
        score(store, "set", metrics=["bleu-1"])
    with Store.open(path) as store:
        held = store.query("select distinct dataset from cache.score_column order by all")["dataset"].to_list()
        assert held == ["other", "set"], "what comes again is kept again, though another dataset has the same captions"


def test_a_dataset_of_vectors_has_a_note(store: Store) -> None:
    ingest_vectors(store, ["a", "b"], np.eye(2, 3))
    noted = tag(store, "seen", note="of one model")
    assert noted.frame.select("dataset", "note").rows() == [("seen", "of one model")]


def test_vectors_are_forgotten_version_by_version(store: Store) -> None:
    rows = np.eye(4, 6) + 0.5
    for scale in (1.0, 2.0):
        changed = rows.copy()
        changed[3] *= scale
        ingest_vectors(store, ["a", "b", "c", "d"], changed)
    first, second = sorted(versions.log(store, "seen"), key=lambda one: one.seq)
    assert drop(store, second.label, yes=True).frame["seq"].to_list() == [2]
    (left,) = versions.log(store, "seen")
    assert left.version == first.version
    assert store.query("select count(*) from vector where to_seq is null").item() == 4
    assert sound(store)
    drop(store, "seen", yes=True)
    assert store.query("select count(*) from vector").item() == 0
    assert sound(store)
