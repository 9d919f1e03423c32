"""Bundles: what is exported comes in again to the last bit, or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from sizes import examples

from auditor import sources
from auditor.errors import SourceError, StoreError, UsageError
from auditor.model import CAPTION_SCHEMA, Kind, Part, Selection, Source
from auditor.sources import bundle
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion, subsets, verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.export import export
from auditor.studies.ingest.naming import described
from auditor.studies.ingest.sources import ingest_sources
from auditor.text import AT_INGEST

pytestmark = pytest.mark.store

ROWS = [("a", 0, "A dog runs ."), ("a", 1, "A dog runs ."), ("b", 0, "un café"), ("ü/日本", 7, " two\nlines ")]
SPLITS = {"test": ["b"], "train": ["a"]}


def hold(store: Store, frame: pl.DataFrame, kind: Kind = "captions", dataset: str = "set", **about: Any) -> None:
    """Ingest a frame with any columns of CAPTION_SCHEMA."""
    placed = frame.with_columns(source=pl.lit("literal"), unit=pl.lit("row"), line=pl.lit(1))
    source = Source(dataset, kind, "literal", (), **about)
    ingestion.write(store, source, iter([complete(placed)]), {}, AT_INGEST, "0" * 64)


def take(store: Store, folder: Path, dataset: str = "copy", **about: Any) -> versions.Version:
    """Ingest a bundle, as a dataset that nobody has declared."""
    source = described(Source(dataset, "captions", "bundle", (Part((folder,)),), **{"language": "", **about}))
    result = ingest_sources(store, [source])
    assert result.frame["rejected"].item() == 0
    return versions.resolve(store, dataset).version


def contents(store: Store, ref: str) -> subsets.Contents:
    return subsets.read_out(store, versions.resolve(store, ref))


def copied(store: Store, ref: str, folder: Path) -> versions.Version:
    """Export a selection, read it into a new store, and hold both against each other."""
    export(store, ref, folder)
    there = contents(store, ref)
    with Store.open(MEMORY) as other:
        version = take(other, folder)
        here = contents(other, "copy")
        assert other.query("select count(*) from rejected").item() == 0
    assert (version.version, version.images, version.captions) == (there.version, there.images, there.captions.height)
    assert_frame_equal(here.captions, there.captions)
    assert_frame_equal(here.annotations, there.annotations)
    return version


JUDGED = pl.DataFrame(
    {
        "image": ["a", "a", "b"],
        "slot": [0, 1, 0],
        "text": ["a dog", "a dog", "日本"],
        "judgements": [
            [{"judge": "zoë", "score": 2.5, "votes": 1}, {"judge": "ann", "score": 1 / 3, "votes": None}],
            [],
            [{"judge": None, "score": None, "votes": None}],
        ],
    }
)
PHRASED = pl.DataFrame(
    {
        "image": ["a", "a", "b"],
        "slot": [0, 1, 0],
        "split": [None, None, "test"],
        "text": ["a dog", "a dog", "un café"],
        "phrases": [[{"chain": "7", "types": ["animals", "ü"], "start": 0, "length": 5}], None, []],
    }
)
PAIRED = pl.DataFrame(
    {
        "image": ["a", "a", "b"],
        "slot": [0, 1, 0],
        "text": ["a dog", "a dog", "un café"],
        "pair": [
            {"pair": 3, "side": "B", "category": "HC", "origin": "human", "votes": 9},
            {"pair": 3, "side": "C", "category": None, "origin": None, "votes": None},
            None,
        ],
        "triplet": [None, None, {"triplet": 5, "side": "A", "category": "HM", "votes": None}],
    }
)
COUNTED = pl.DataFrame(
    {"image": ["the", "dog", "zoë"], "slot": [0, 0, 0], "text": ["the", "dog", "zoë"], "occurrences": [2**40, 0, None]}
)


@pytest.mark.parametrize(
    ("frame", "kind", "columns"),
    [
        (JUDGED, "judgements", ["judgements"]),
        (PHRASED, "captions", ["phrases"]),
        (PAIRED, "pairs", ["pair", "triplet"]),
        (COUNTED, "wordlist", ["occurrences"]),
    ],
    ids=["judgements", "phrases", "pairs", "wordlist"],
)
def test_annotated_captions_come_back_whole(
    store: Store, tmp_path: Path, frame: pl.DataFrame, kind: Kind, columns: list[str]
) -> None:
    hold(store, frame, kind)
    version = copied(store, "set", tmp_path / "bundle")
    assert version.kind == kind
    read = pl.concat(list(sources.read(Part((tmp_path / "bundle",)), "bundle")))
    assert read.schema == pl.Schema(CAPTION_SCHEMA)
    expected = complete(frame).select("image", "slot", "text", *columns).sort("image", "slot")
    assert_frame_equal(read.select("image", "slot", "text", *columns), expected)


def test_captions_without_annotations_are_one_file(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS, splits=SPLITS)
    copied(store, "set", tmp_path / "bundle")
    assert sorted(path.name for path in (tmp_path / "bundle").iterdir()) == ["captions.parquet", "manifest.json"]
    rows = pl.read_parquet(tmp_path / "bundle" / "captions.parquet")
    assert rows.rows() == [
        ("a", 0, "train", "A dog runs ."),
        ("a", 1, "train", "A dog runs ."),
        ("b", 0, "test", "un café"),
        ("ü/日本", 7, None, " two\nlines "),
    ]


def test_system_output_keeps_its_empty_captions(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [*ROWS, ("c", 0, "")], kind="candidates")
    assert copied(store, "set", tmp_path / "bundle").kind == "candidates"


def test_split_alone_is_a_version_of_its_own(store: Store, tmp_path: Path) -> None:
    hold(store, PHRASED.with_columns(split=pl.Series(["train", "train", "test"])))
    whole = versions.resolve(store, "set").version
    version = copied(store, "set:train", tmp_path / "train")
    assert version.version != whole.version
    assert pl.read_parquet(tmp_path / "train" / "annotation.parquet").height == 1
    copied(store, "set:test", tmp_path / "test")
    manifest = json.loads((tmp_path / "train" / "manifest.json").read_text())
    assert (manifest["split"], manifest["images"], manifest["captions"]) == ("train", 1, 2)


def test_old_version_is_exported_with_what_was_known_then(store: Store, tmp_path: Path) -> None:
    hold(store, JUDGED, "judgements")
    hold(store, JUDGED.head(1).with_columns(judgements=pl.Series([[{"judge": "new", "score": 4.0, "votes": 2}]])))
    hold(store, JUDGED.tail(2), "judgements")
    made = [copied(store, f"set@v{seq}", tmp_path / str(seq)).version for seq in (1, 2, 3)]
    assert made == [version.version for version in versions.log(store)][::-1]


def test_bundle_says_what_the_dataset_is(store: Store, tmp_path: Path) -> None:
    hold(store, COUNTED, "wordlist", language="fr", related=("one", "zwei"))
    version = versions.resolve(store, "set").version
    store.execute("update version set note = 'les mots'")
    export(store, "set", tmp_path / "bundle")
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    files = {
        name: {"rows": 3 if name == "captions.parquet" else 2, "sha256": hashlib.sha256(content).hexdigest()}
        for name in ("annotation.parquet", "captions.parquet")
        for content in [(tmp_path / "bundle" / name).read_bytes()]
    }
    assert manifest.pop("auditor").count(".") == 2
    assert manifest.pop("created_at").endswith("+00:00")
    assert manifest == {
        "format": "auditor.bundle/1",
        "dataset": "set",
        "kind": "wordlist",
        "language": "fr",
        "related": ["one", "zwei"],
        "split": None,
        "version": version.version,
        "images": 3,
        "captions": 3,
        "note": "les mots",
        "source_sha256": "0" * 64,
        "files": files,
    }
    with Store.open(MEMORY) as other:
        copy = take(other, tmp_path / "bundle")
        assert verification.check(other)["faults"].sum() == 0
        assert (copy.kind, copy.note, copy.format) == ("wordlist", "les mots", "bundle")
        assert other.query("select language, related from dataset").row(0) == ("fr", ["one", "zwei"])


def test_user_and_datasets_toml_say_more_than_the_bundle(store: Store, tmp_path: Path) -> None:
    hold(store, COUNTED, "wordlist", language="fr", related=("one",))
    export(store, "set", tmp_path / "bundle")
    part = Part((tmp_path / "bundle",))
    told = described(Source("copy", "corpus", "bundle", (part,), language=""), "corpus")
    assert (told.kind, told.language, told.related) == ("corpus", "fr", ("one",))
    (tmp_path / "datasets.toml").write_text('[copy]\nformat = "bundle"\npath = "bundle"\nkind = "wordlist"\n')
    declared = Source("copy", "wordlist", "bundle", (part,))
    assert described(declared) == declared


def test_split_lists_of_the_dataset_do_not_touch_a_bundle(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS, splits=SPLITS)
    export(store, "set", tmp_path / "bundle")
    with Store.open(MEMORY) as other:
        taken = take(other, tmp_path / "bundle", splits={"dev": tmp_path / "not there.txt"})
    assert taken.version == versions.resolve(store, "set").version.version


def test_folder_and_manifest_are_recognized_before_other_formats(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS)
    export(store, "set", tmp_path / "bundle")
    for path in (tmp_path / "bundle", tmp_path / "bundle" / "manifest.json"):
        assert sources.guess(Part((path,))) == "bundle"
        assert pl.concat(list(sources.read(Part((path,)), "bundle"))).height == 4
    (tmp_path / "other").mkdir()
    assert not bundle.recognizes(tmp_path / "other", b"")
    (tmp_path / "other" / "manifest.json").write_text('{"format": "of someone else", "auditor.bundle/": 1}')
    assert not bundle.recognizes(tmp_path / "other", b"")


def test_batches_of_any_size_give_the_same_captions(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(store, PHRASED)
    export(store, "set", tmp_path / "bundle")
    whole = pl.concat(list(bundle.read(Part((tmp_path / "bundle",)))))
    monkeypatch.setattr(bundle, "ROWS_AT_ONCE", 2)
    batches = list(bundle.read(Part((tmp_path / "bundle",))))
    assert [batch.height for batch in batches] == [2, 1]
    assert_frame_equal(pl.concat(batches), whole)
    assert whole["line"].to_list() == [1, 2, 3]


EXPORT = """
import sys
from pathlib import Path
from auditor.store.connection import Store
from auditor.studies.export import export
with Store.open(Path(sys.argv[1])) as store:
    store.execute("set threads = " + sys.argv[3])
    export(store, "set", Path(sys.argv[2]))
"""


def test_same_version_gives_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    rows = 60_000
    frame = pl.DataFrame(
        {
            "image": [f"{n // 3 % 997}-{n // 1500}" for n in range(rows)],
            "slot": [n % 3 for n in range(rows)],
            "text": [f"café {n * 7919 % 1009}" for n in range(rows)],
            "judgements": [[{"judge": "ann", "score": n / 7, "votes": n % 5}] if n % 2 else None for n in range(rows)],
        }
    ).sample(fraction=1, shuffle=True, seed=1)
    with Store.open(path, write=True) as store:
        hold(store, frame, "judgements")
    made = []
    for threads, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        folder = tmp_path / threads
        command = [sys.executable, "-c", EXPORT, str(path), str(folder), threads]
        subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"POLARS_MAX_THREADS": threads, "TZ": zone})
        made.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 3


def rehash(folder: Path, **changes: Any) -> None:
    """Let the manifest hash the files as they are now: an alteration by someone who knows the format."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name, facts in manifest["files"].items():
        content = (folder / name).read_bytes()
        facts["sha256"] = hashlib.sha256(content).hexdigest()
        if content[:4] == b"PAR1":
            facts["rows"] = pl.read_parquet(folder / name).height
    manifest["captions"] = manifest["files"]["captions.parquet"]["rows"]
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))


def restate(**changes: Any) -> Callable[[Path], None]:
    """Change values of the manifest; null takes a key away."""

    def change(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text()) | changes
        kept = {key: value for key, value in manifest.items() if value is not None}
        (folder / "manifest.json").write_text(json.dumps(kept))

    return change


def rewrite(name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[Path], None]:
    """Replace a Parquet file, with a manifest that fits."""

    def altered(folder: Path) -> None:
        frame = change(pl.read_parquet(folder / name))
        frame.write_parquet(folder / name)
        rehash(folder)

    return altered


def replace(name: str, content: bytes) -> Callable[[Path], None]:
    def altered(folder: Path) -> None:
        (folder / name).write_bytes(content)
        rehash(folder)

    return altered


def flip(name: str) -> Callable[[Path], None]:
    def altered(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    return altered


def rename_file(new: str) -> Callable[[Path], None]:
    def altered(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"][new] = manifest["files"]["captions.parquet"]
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return altered


def lead_out(folder: Path) -> None:
    shutil.copy(folder / "captions.parquet", folder.parent / "captions.parquet")
    rename_file("../captions.parquet")(folder)


def edited(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(text=pl.lit("another text"))


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "cut off": (
        lambda f: os.truncate(f / "captions.parquet", 300),
        "captions.parquet: damaged: its hash differs from manifest",
    ),
    "empty": (
        lambda f: os.truncate(f / "annotation.parquet", 0),
        "annotation.parquet: damaged: its hash differs from manifest",
    ),
    "bit flipped": (flip("captions.parquet"), "captions.parquet: damaged: its hash differs from manifest.json"),
    "bit of a vote flipped": (
        flip("annotation.parquet"),
        "annotation.parquet: damaged: its hash differs from manifest",
    ),
    "captions missing": (lambda f: (f / "captions.parquet").unlink(), "captions.parquet: missing from the bundle"),
    "votes missing": (lambda f: (f / "annotation.parquet").unlink(), "annotation.parquet: missing from the bundle"),
    "manifest missing": (lambda f: (f / "manifest.json").unlink(), "manifest.json: no such file"),
    "file too many": (lambda f: (f / "more.parquet").touch(), "more.parquet: not part of the bundle"),
    "folder too many": (lambda f: (f / "more").mkdir(), "more: not part of the bundle"),
    "folder for a file": (
        lambda f: ((f / "captions.parquet").unlink(), (f / "captions.parquet").mkdir()),
        "captions.parquet: damaged",
    ),
    "manifest cut off": (lambda f: os.truncate(f / "manifest.json", 100), "manifest.json: not JSON"),
    "manifest in UTF-16": (
        lambda f: (f / "manifest.json").write_text((f / "manifest.json").read_text(), encoding="utf-16"),
        "manifest.json: not JSON",
    ),
    "manifest without end": (
        lambda f: (f / "manifest.json").write_text("[" * 500_000),
        "manifest.json: not JSON",
    ),
    "manifest too large": (lambda f: (f / "manifest.json").write_text(" " * 2**21), "larger than 1,048,576 bytes"),
    "manifest a list": (lambda f: (f / "manifest.json").write_text("[]"), "expected an object"),
    "newer format": (restate(format="auditor.bundle/2"), "unknown format 'auditor.bundle/2'"),
    "no format": (restate(format=None), "unknown format None"),
    "no version": (restate(version=None), "version must be 64 hex digits"),
    "unknown kind": (restate(kind="poems"), "kind must be one of captions"),
    "kind a list": (restate(kind=[]), "kind must be one of captions"),
    "language a number": (restate(language=1), "language must be a string"),
    "related a string": (restate(related="x"), "related must be a list"),
    "note a number": (restate(note=1), "note must be a string"),
    "counts of text": (restate(images="2"), "images must be a whole number"),
    "negative count": (restate(captions=-1), "captions must be a whole number"),
    "no files": (restate(files=None), "files must name captions.parquet"),
    "files a list": (restate(files=["captions.parquet"]), "files must name captions.parquet"),
    "file without a hash": (restate(files={"captions.parquet": {"rows": 3}}), "must have sha256 and rows"),
    "fewer rows": (
        lambda f: (rehash(f), restate(captions=9)(f)),
        "captions must equal the number of rows of captions.parquet",
    ),
    "path upwards": (lead_out, "'../captions.parquet' leads out of the folder"),
    "absolute path": (rename_file("/etc/passwd"), "'/etc/passwd' leads out of the folder"),
    "path for Windows": (rename_file("..\\x"), "leads out of the folder"),
    "file of another name": (rename_file("triplets.parquet"), "'triplets.parquet' is not a file of a bundle"),
    "other version": (restate(version="0" * 64), "names 000000000000: as many captions; the store is unchanged"),
    "other count": (restate(images=1), "2 images, not 1"),
    "text edited": (rewrite("captions.parquet", edited), "the store is unchanged"),
    "split edited": (
        rewrite("captions.parquet", lambda f: f.with_columns(split=pl.lit("x"))),
        "as many captions; the store is unchanged",
    ),
    "caption lost": (
        lambda f: (
            rewrite("captions.parquet", lambda frame: frame.tail(2))(f),
            rewrite("annotation.parquet", lambda frame: frame.tail(2))(f),
        ),
        "the store is unchanged",
    ),
    "caption twice": (
        rewrite("captions.parquet", lambda f: pl.concat([f, f.head(1)])),
        "duplicate key a#0",
    ),
    "vote changed": (
        rewrite("annotation.parquet", lambda f: f.with_columns(judgements=pl.col("judgements").list.head(1))),
        "as many captions; the store is unchanged",
    ),
    "vote twice": (
        rewrite("annotation.parquet", lambda f: pl.concat([f, f.head(1)])),
        "two rows describe the same caption",
    ),
    "vote of no caption": (
        rewrite("annotation.parquet", lambda f: f.with_columns(image=pl.lit("z") + pl.col("image"))),
        "3 rows do not belong to a caption",
    ),
    "caption without slot": (
        rewrite("captions.parquet", lambda f: f.with_columns(slot=pl.lit(None, pl.UInt32))),
        "without image, slot or text",
    ),
    "captions without text": (rewrite("captions.parquet", lambda f: f.drop("text")), "wrong columns or types"),
    "slots as text": (
        rewrite("captions.parquet", lambda f: f.cast({"slot": pl.String})),
        "wrong columns or types",
    ),
    "votes as text": (
        rewrite("annotation.parquet", lambda f: f.with_columns(judgements=pl.lit("5"))),
        "annotation.parquet: wrong columns or types",
    ),
    "no captions": (rewrite("captions.parquet", pl.DataFrame.clear), "3 rows do not belong to a caption"),
    "not Parquet": (replace("captions.parquet", b"a,b\n1,2\n" * 99), "damaged or truncated Parquet file"),
    "broken Parquet": (
        replace("captions.parquet", b"PAR0" + bytes(range(256)) + b"\xff\xff\xff\x7fPAR1"),
        "damaged or truncated Parquet file",
    ),
    "bomb": (
        rewrite("captions.parquet", lambda f: pl.concat([f.with_columns(text=pl.lit("x" * 60_000))] * 900)),
        "expands to more than 200 times",
    ),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    """A store that refused bundles leave unchanged, and a bundle of it."""
    folder = tmp_path_factory.mktemp("judged") / "bundle"
    with Store.open(MEMORY) as store:
        hold(store, JUDGED, "judgements")
        export(store, "set", folder)
        yield store, folder


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_bundle_is_refused_and_the_store_unchanged(
    judged: tuple[Store, Path], tmp_path: Path, damage: str
) -> None:
    store = judged[0]
    folder = Path(shutil.copytree(judged[1], tmp_path / "bundle"))
    alter, words = DAMAGES[damage]
    alter(folder)
    before = store.query("select * from version"), store.query("select * from membership order by all")
    with pytest.raises(SourceError) as refused:
        take(store, folder)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 3
    assert store.query("select * from version").equals(before[0])
    assert store.query("select * from membership order by all").equals(before[1])
    assert store.query("select dataset from dataset").rows() == [("set",)]


def test_two_bundles_are_no_version(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS)
    for name in ("one", "two"):
        export(store, "set", tmp_path / name)
    with pytest.raises(SourceError, match="a bundle is a whole version; import one at a time"):
        described(Source("copy", "captions", "bundle", (Part((tmp_path / "one", tmp_path / "two")),)))


def test_setting_that_changes_captions_is_noticed(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS)
    export(store, "set", tmp_path / "bundle")
    part = Part((tmp_path / "bundle",), options={"basename": True})
    with Store.open(MEMORY) as other, pytest.raises(SourceError, match="read the bundle without settings"):
        ingest_sources(other, [described(Source("copy", "captions", "bundle", (part,)))])


def test_folder_that_is_there_is_replaced_only_by_force_and_only_if_it_is_a_bundle(
    store: Store, tmp_path: Path
) -> None:
    ingest_rows(store, ROWS)
    folder = tmp_path / "bundle"
    export(store, "set", folder)
    ingest_rows(store, ROWS[:2])
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        export(store, "set", folder)
    assert (folder / "manifest.json").read_bytes() == before
    export(store, "set", folder, force=True)
    assert (folder / "manifest.json").read_bytes() != before
    (folder / "thesis.txt").touch()
    (tmp_path / "link").symlink_to(folder)
    for there in (folder, tmp_path / "link", folder / "thesis.txt"):
        with pytest.raises(UsageError, match=r"not replaced, since it was not written by `auditor export`|no format"):
            export(store, "set", there, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "link"]


def test_export_that_fails_leaves_what_was_there(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, ROWS)
    export(store, "set", tmp_path / "bundle")
    before = {file.name: file.read_bytes() for file in (tmp_path / "bundle").iterdir()}
    ingest_rows(store, ROWS[:2])
    rename = Path.rename

    def fail(path: Path, target: Path) -> Path:
        if path.name == "draft":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        export(store, "set", tmp_path / "bundle", force=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "bundle").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        export(store, "set", tmp_path / "file" / "bundle")


def test_damaged_store_is_not_exported(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS)
    store.execute("update caption set text = 'altered' where caption_id = 1")
    with pytest.raises(StoreError, match="set@v1 is damaged"):
        export(store, "set", tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
captions = texts.filter(lambda text: text.strip(" \t\r\n") and "." not in text)
scores = st.floats(allow_nan=False)
judgement = st.fixed_dictionaries({"judge": texts, "score": scores, "votes": st.none() | st.integers(0, 2**32 - 1)})
places = st.tuples(st.sampled_from(["a", "b", "ü", "1:2", "日本#1"]), st.integers(0, 2**32 - 1))
known = st.tuples(captions, st.none() | st.lists(judgement, max_size=3))
splits_of = st.dictionaries(st.sampled_from(["a", "b", "ü"]), st.sampled_from(["", "test", "t;-", " "]))


@given(
    st.dictionaries(places, known, min_size=1, max_size=3) | st.dictionaries(places, known, min_size=8, max_size=20),
    splits_of,
)
@examples(5)
def test_random_captions_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    content: dict[tuple[str, int], tuple[str, list[dict[str, Any]] | None]],
    splits: dict[str, str],
) -> None:
    frame = pl.DataFrame(
        [(image, slot, splits.get(image), text, votes) for (image, slot), (text, votes) in content.items()],
        schema={name: CAPTION_SCHEMA[name] for name in ("image", "slot", "split", "text", "judgements")},
        orient="row",
    )
    folder = tmp_path_factory.mktemp("random")
    with Store.open(MEMORY) as store:
        hold(store, frame, "judgements")
        version = copied(store, "set", folder / "whole")
        assert version.version == versions.content_hash(store, Selection(versions.resolve(store, "set").version))[0]
