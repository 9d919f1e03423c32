"""Vectors in the store: versions by content, what repeats, what other commands make of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

import auditor
from auditor.cli import app
from auditor.config.lock import Lock
from auditor.errors import SourceError, UsageError
from auditor.model import Option, Part, Source
from auditor.result import Result
from auditor.store import ingestion, vectors, verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.profile import profile

Rows = dict[str, list[float]]

ROWS: Rows = {"a.jpg": [1, 2], "b.jpg": [3, -4.5], "c.jpg": [0, 0.25]}
CAPTIONS = [("a.jpg", 0, "a dog runs"), ("a.jpg", 1, "a dog runs"), ("b.jpg", 0, "日本"), ("d.jpg", 0, "alone")]

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5)


@st.composite
def made(draw: Any) -> Rows:
    """Vectors of some images: any finite numbers, not all of them 0."""
    length = draw(st.integers(1, 4))
    numbers = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=length, max_size=length)
    return draw(st.dictionaries(WORDS, numbers.filter(any), min_size=1, max_size=6))


def take(store: Store, rows: Rows, dataset: str = "clip", path: Path | None = None, **about: Any) -> Result:
    """Ingest vectors, from a Parquet file unless `path` says another."""
    path = path or Path("v.parquet")
    ids, matrix = list(rows), np.array(list(rows.values()), np.float32)
    if path.suffix == ".npy":
        np.save(path, matrix)
        np.save("ids.npy", np.array(ids))
    elif path.suffix == ".npz":
        np.savez(path, ids=np.array(ids), vectors=matrix)
    else:
        pl.DataFrame({"image": ids, "vector": pl.Series(values=matrix)}).write_parquet(path)
    return ingest(store, path, dataset, **about)


def ingest(store: Store, path: Path, dataset: str = "clip", **about: Any) -> Result:
    further = {name: about.pop(name) for name in ("max_rejected", "lock", "note") if name in about}
    part = Part((path,), options=about.pop("options", {}))
    return ingest_sources(store, [Source(dataset, "vectors", "vectors", (part,), **about)], **further)


def newest(store: Store, dataset: str = "clip") -> Any:
    return versions.log(store, dataset)[0]


def held(store: Store) -> list[Any]:
    return [store.query(f"from {table} order by all").rows() for table in ("version", "vector", "rejected", "dataset")]


@examples(5)
@given(rows=made())
def test_what_is_ingested_is_read_back_bit_for_bit(rows: Rows) -> None:
    with Store.open(MEMORY) as store:
        take(store, rows)
        images, matrix = vectors.of_images(store, newest(store))
    assert images.to_list() == sorted(rows, key=str.encode)
    assert matrix.dtype == np.float32
    assert matrix.tobytes() == np.array([rows[one] for one in images], np.float32).tobytes()


@examples(5)
@given(rows=made(), data=st.data())
def test_row_order_and_format_keep_the_version_and_a_number_makes_another(rows: Rows, data: Any) -> None:
    shuffled = dict(data.draw(st.permutations(list(rows.items()))))
    image = data.draw(st.sampled_from(list(rows)))
    place = data.draw(st.integers(0, len(rows[image]) - 1))
    other = 2.0 if rows[image][place] == 1 else 1.0
    changed = rows | {image: [*rows[image][:place], other, *rows[image][place + 1 :]]}
    with Store.open(MEMORY) as store:
        take(store, rows)
        first = newest(store)
        assert take(store, shuffled).frame["status"].item() == "unchanged"
        assert take(store, shuffled, path=Path("m.npz")).frame["status"].item() == "unchanged"
        assert take(store, rows, path=Path("m.npy")).frame["status"].item() == "unchanged"
        made_new = take(store, changed).frame.row(0, named=True)
        assert (made_new["status"], made_new["added"], made_new["removed"]) == ("new", 1, 1)
        assert made_new["version"] != first.version
        take(store, rows)
        back = newest(store)
        assert (back.seq, back.version) == (3, first.version)
        for version, wanted in ((first, rows), (versions.resolve(store, "clip@v2", vectors=True).version, changed)):
            images, matrix = vectors.of_images(store, version)
            assert dict(zip(images, matrix.tolist(), strict=True)) == {
                name: np.array(row, np.float32).tolist() for name, row in wanted.items()
            }
        assert verification.check(store)["faults"].sum() == 0


def test_smallest_change_of_a_number_makes_a_version(store: Store) -> None:
    take(store, ROWS)
    found = take(store, ROWS | {"a.jpg": [float(np.nextafter(np.float32(1), np.float32(2))), 2]})
    assert found.frame.select("status", "added", "removed").row(0) == ("new", 1, 1)


def test_ids_are_no_part_of_each_other(store: Store) -> None:
    take(store, {"ab": [1], "c": [2]})
    take(store, {"a": [1], "bc": [2]})
    assert newest(store).seq == 2


def test_sign_of_zero_is_no_change_and_no_damage(store: Store) -> None:
    take(store, {"a": [0.0, 1.0]})
    assert take(store, {"a": [-0.0, 1.0]}).frame["status"].item() == "unchanged"
    take(store, {"a": [-0.0, 1.0], "b": [-0.0, 2.0]})
    assert verification.check(store)["faults"].sum() == 0


def test_removed_and_added_images_are_counted(store: Store) -> None:
    take(store, ROWS)
    row = take(store, {"b.jpg": ROWS["b.jpg"], "z.jpg": [1, 1]}).frame.row(0, named=True)
    assert (row["seq"], row["images"], row["added"], row["removed"]) == (2, 2, 1, 2)
    row = take(store, {"z.jpg": [1, 2, 3]}).frame.row(0, named=True)
    assert (row["seq"], row["added"], row["removed"], vectors.length(store, newest(store))) == (3, 1, 2, 3)
    assert verification.check(store)["faults"].sum() == 0


def test_repeat_with_equal_numbers_is_left_out_and_said(store: Store) -> None:
    pl.DataFrame({"image": ["a", "b", "a"], "vector": [[1.0], [2.0], [1.0]]}).write_parquet("v.parquet")
    found = ingest(store, Path("v.parquet"))
    assert found.frame.select("read", "images", "rejected").row(0) == (3, 2, 0)
    assert "clip: 1 record skipped: they repeat the vector of an image" in found.sentences


def test_repeat_with_other_numbers_is_refused_and_kept(store: Store) -> None:
    pl.DataFrame({"image": ["a", "b", "a"], "vector": [[1.0], [2.0], [3.0]]}).write_parquet("v.parquet")
    reason = "image a has a vector already, with other numbers, in v.parquet, row 1"
    with pytest.raises(SourceError, match=f"1 of 3 records were rejected.*v.parquet, row 3: {reason}"):
        ingest(store, Path("v.parquet"))
    assert versions.log(store) == []
    ingest(store, Path("v.parquet"), max_rejected=0.5)
    assert store.query("select source, unit, line, reason, raw from rejected").rows() == [
        ("v.parquet", "row", 3, reason, "a")
    ]
    assert vectors.of_images(store, newest(store))[1].tolist() == [[1], [2]]


def test_source_without_files_is_refused(store: Store) -> None:
    with pytest.raises(SourceError, match="clip: no vector in its files"):
        ingest_sources(store, [Source("clip", "vectors", "vectors", (Part(()),))])
    assert versions.log(store) == []


def test_vectors_of_texts_are_kept_beside_those_of_images(store: Store) -> None:
    columns = {"image": ["a", "b"], "text": ["x", "a"], "vector": [[1.0], [2.0]], "text_vector": [[3.0], [4.0]]}
    pl.DataFrame(columns).write_parquet("v.parquet")
    row = ingest(store, Path("v.parquet")).frame.row(0, named=True)
    assert (row["read"], row["images"], row["captions"]) == (4, 2, 2)
    assert store.query("select image, text, vector from vector order by all").rows() == [
        ("a", None, [1.0]), ("b", None, [2.0]), (None, "a", [4.0]), (None, "x", [3.0])
    ]  # fmt: skip
    assert vectors.of_images(store, newest(store))[0].to_list() == ["a", "b"]
    assert verification.check(store)["faults"].sum() == 0


def test_name_that_holds_captions_takes_no_vectors_nor_the_other_way_round(store: Store) -> None:
    ingest_rows(store, CAPTIONS, "mine")
    take(store, ROWS)
    before = held(store)
    with pytest.raises(
        SourceError, match="mine: is a dataset of captions, and the files hold vectors; the store is unchanged"
    ):
        take(store, ROWS, "mine")
    with pytest.raises(
        SourceError, match="clip: is a dataset of vectors, and the files hold captions; the store is unchanged"
    ):
        ingest_rows(store, CAPTIONS, "clip")
    assert held(store) == before


@pytest.mark.parametrize(
    ("kind", "file_format"), [("captions", "vectors"), ("vectors", "table"), ("candidates", "vectors")]
)
def test_kind_and_format_must_belong_together(store: Store, kind: Any, file_format: str) -> None:
    take(store, ROWS)
    Path("v.csv").write_text("image,caption\na,one\n")
    path = Path("v.parquet" if file_format == "vectors" else "v.csv")
    with pytest.raises(UsageError, match=f'format "{file_format}" and kind "{kind}" do not belong together'):
        ingest_sources(store, [Source("set", kind, file_format, (Part((path,)),))])


def test_images_without_vector_and_vectors_without_image_are_told(store: Store) -> None:
    ingest_rows(store, CAPTIONS)
    found = take(store, ROWS)
    assert "clip: 2 dimensions per vector" in found.sentences
    assert "set: 1 image has no vector in clip (d.jpg), 2 have one" in found.sentences
    assert "clip: 1 vector is of no image of set: c.jpg" in found.sentences
    finding = next(one for one in found.findings if one.kind == "images-without-vector")
    assert (finding.severity, finding.n) == ("notice", 3)
    assert finding.values == {"images": 1, "vectors_of_no_image": 1}
    found = take(store, ROWS | {"d.jpg": [5, 5]})
    assert "set: all 3 images have a vector in clip" in found.sentences


def test_ids_of_another_form_are_a_warning_that_says_what_to_do(store: Store) -> None:
    ingest_rows(store, CAPTIONS)
    strange = {f"{image}-clip": row for image, row in ROWS.items()}
    found = take(store, strange, related=("set",))
    finding = next(one for one in found.findings if one.kind == "images-without-vector")
    assert finding.severity == "warning"
    assert (
        "clip names a.jpg-clip, …, set names a.jpg, …; match the ids with --option image_pattern=… or image_suffix=.jpg"
        in (finding.sentence)
    )
    unrelated = take(store, strange, related=())
    assert unrelated.findings == ()
    assert any(
        "clip: no dataset in the store has any of these images: a.jpg-clip, " in one for one in unrelated.sentences
    )
    options: dict[str, Option] = {"image_pattern": "(.*)-clip"}
    told = take(store, strange, related=("set",), options=options).sentences
    assert "set: 1 image has no vector in clip (d.jpg), 2 have one" in told


def test_ids_that_differ_in_form_are_matched(store: Store) -> None:
    ingest_rows(store, CAPTIONS)
    told = take(store, {f"in/{image}": row for image, row in ROWS.items()}).sentences
    assert store.said[0].startswith("clip and set write image IDs differently: 2 of 3 match")
    assert "set: 1 image has no vector in clip (d.jpg), 2 have one" in told


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("update vector set vector = [9, 9] where image = 'a.jpg'", "hash and counts"),
        ("update vector set vector = [1] where image = 'a.jpg'", "vectors of a version are equally long"),
        ("update vector set image = 'x.jpg' where image = 'a.jpg'", "hash and counts"),
        ("delete from vector where image = 'a.jpg'", "the counts are those of the log"),
        ("insert into vector from vector where image = 'a.jpg'", "nothing has two vectors at once"),
        ("update vector set from_seq = 7 where image = 'a.jpg'", "every vector is of a version"),
        ("update vector set image = null where image = 'a.jpg'", "every vector is of an image or a text"),
        ("update vector set vector = null where image = 'a.jpg'", "hash and counts"),
    ],
)
def test_damage_to_vectors_is_found(store: Store, statement: str, check: str) -> None:
    take(store, ROWS)
    assert verification.check(store)["faults"].sum() == 0
    if "null" in statement and check == "hash and counts":
        store.execute("alter table vector alter vector drop not null")
    store.execute(statement)
    found = verification.check(store).filter(pl.col("faults") > 0)["check"].to_list()
    assert check in found


def test_ids_beside_a_matrix_are_among_the_files_that_are_hashed(store: Store) -> None:
    take(store, ROWS, path=Path("m.npy"))
    first = newest(store)
    np.save("ids.npy", np.array(["a.jpg", "b.jpg", "z.jpg"]))
    ingest(store, Path("m.npy"))
    assert newest(store).seq == 2
    assert newest(store).source_sha256 != first.source_sha256


def test_frozen_ingest_takes_the_locked_vectors_alone(store: Store) -> None:
    lock = Lock(Path("datasets.lock"))
    take(store, ROWS, lock=lock)
    frozen = Lock(Path("datasets.lock"), frozen=True)
    assert take(store, dict(reversed(ROWS.items())), lock=frozen).frame["status"].item() == "unchanged"
    before = held(store)
    with pytest.raises(SourceError, match=r"clip: the files hold version .*, but datasets\.lock names"):
        take(store, ROWS | {"a.jpg": [1, 2.5]}, lock=frozen)
    assert held(store) == before


def test_ingest_that_ends_midway_leaves_the_store_as_it_was(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    take(store, ROWS)
    before = held(store)
    monkeypatch.setattr(ingestion, "close", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        take(store, {"a.jpg": [7, 7]})
    assert held(store) == before


def test_captions_related_to_vectors_are_profiled_as_before(store: Store) -> None:
    ingest_rows(store, CAPTIONS)
    before = profile(store, "set").frame
    take(store, ROWS, related=("set",))
    store.execute("update dataset set related = ['clip'] where dataset = 'set'")
    after = profile(store, "set").frame
    assert after.filter(pl.col("statistic").is_in(before["statistic"].to_list())).equals(before)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    with Store.open(folder / "audit.duckdb", write=True) as store:
        ingest_rows(store, CAPTIONS)
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(folder)
            take(store, ROWS, note="first")
    return folder / "audit.duckdb"


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(filled: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Command:
    shutil.copy(filled, tmp_path / "audit.duckdb")

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            app.main([*arguments, "--store", str(tmp_path / "audit.duckdb")])
        return int(ended.value.code or 0), *capfd.readouterr()

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("profile", "clip"),
        ("bounds", "clip"),
        ("bounds", "set", "clip"),
        ("diff", "clip", "clip"),
        ("export", "clip", "-o", "out"),
        ("findings", "clip"),
        ("duplicates", "clip"),
        ("outliers", "clip"),
        ("compare", "set", "clip"),
        ("score", "clip"),
        ("score", "set", "--candidates", "clip"),
        ("report", "clip", "-o", "a.html"),
        ("report", "clip", "--format", "card"),
        ("diversity", "clip"),
        ("words", "set", "--against", "clip"),
    ],
    ids=" ".join,
)
def test_what_asks_for_captions_says_that_these_are_vectors(command: Command, arguments: tuple[str, ...]) -> None:
    code, out, error = command(*arguments)
    assert (code, out) == (2, "")
    assert error == "error: clip: holds vectors, not captions; name the dataset with the captions of its images\n"
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("datasets", "clip"), "vectors"),
        (("datasets",), "clip"),
        (("store", "verify"), "vectors of a version are equally long"),
        (("store", "verify", "clip"), "hash and counts"),
        (("store", "tag", "clip", "final"), "final"),
        (("store", "tag", "clip@v1", "final"), "new"),
        (("store", "tag", "clip", "--note", "another"), "another"),
        (("store", "info"), "vector"),
        (("store", "gc"), "bytes"),
        (("sql", "select image, len(vector) as length from vector order by image"), "a.jpg"),
        (("sql", "from vector order by image", "--format", "csv"), "a.jpg"),
        (("sql", "from vector order by image", "--json"), "a.jpg"),
        (("sql", "--schema"), "Embeddings of images and texts"),
        (("profile", "set"), "captions"),
        (("findings", "set", "--kind", "markup"), "set"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_of_any_dataset_takes_vectors(command: Command, arguments: tuple[str, ...], said: str) -> None:
    code, out, error = command(*arguments)
    assert code == 0, error
    assert said in out


def test_command_takes_vectors_without_being_told_what_they_are(command: Command) -> None:
    np.savez("other.npz", ids=np.array(["a.jpg"]), vectors=np.ones((1, 3), np.float32))
    code, out, error = command("ingest", "other", "--from", "other.npz")
    assert code == 0, error
    assert 'other: detected format "vectors"' in out
    code, out, error = command("ingest", "set", "--from", "other.npz")
    assert (code, out) == (3, "")
    assert error == (
        "error: set: is a dataset of captions, and the files hold vectors; the store is unchanged; choose another name\n"
    )
    code, _, error = command("ingest", "third", "--from", "other.npz", "--kind", "captions")
    assert code == 2
    assert 'format "vectors" and kind "captions" do not belong together' in error


def test_frame_of_vectors_is_ingested_from_python() -> None:
    with auditor.open("audit.duckdb", write=True) as audit:
        frame = pl.DataFrame({"image": ["a"], "vector": [[1.0, 2.0]]})
        assert audit.ingest("clip", data=frame).frame["images"].to_list() == [1]


def test_declared_vectors_of_another_kind_are_a_mistake_in_datasets_toml(command: Command) -> None:
    Path("datasets.toml").write_text('[odd]\nkind = "captions"\nformat = "vectors"\npath = "v.npz"\n')
    np.savez("v.npz", ids=np.array(["a"]), vectors=np.ones((1, 3), np.float32))
    code, out, error = command("ingest", "odd", "--config", "datasets.toml")
    assert (code, out) == (2, "")
    assert 'odd: format "vectors" and kind "captions" do not belong together' in error
