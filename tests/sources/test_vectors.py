"""Vectors of images and texts, whatever file they are in, are those that were written."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest
from broken.arrays import npz, pickled
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from auditor import sources
from auditor.errors import MissingExtraError, SourceError
from auditor.model import Part
from auditor.sources import vectors
from auditor.sources.vectors.records import SCHEMA, equally_long

IDS = ["a.jpg", "b.jpg", "c.jpg"]
MATRIX = np.array([[1, 2], [0, -3.5], [0.25, 4]], np.float32)
TEXTS = np.array([[7, 8], [9, 10], [11, 12]], np.float32)
ROWS = list(zip(IDS, MATRIX.tolist(), strict=True))


def read(*paths: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(vectors.read(Part(paths, options=options))))


def rows(*paths: Path, **options: Any) -> list[tuple[str, list[float]]]:
    found = read(*paths, **options)
    assert found.schema == pl.Schema(SCHEMA)
    assert found["reason"].null_count() == found.height
    return found.select(pl.coalesce("image", "text"), "vector").rows()


def parquet(path: Path, **columns: Any) -> Path:
    pl.DataFrame({**columns}).write_parquet(path)
    return path


def matrix(path: Path, of: Any = MATRIX) -> Path:
    np.save(path, of)
    return path


@pytest.mark.parametrize("kind", [pl.Float16, pl.Float32, pl.Float64])
@pytest.mark.parametrize("shape", ["list", "array"])
def test_parquet_of_any_precision_and_shape_is_read(tmp_path: Path, kind: Any, shape: str) -> None:
    column = pl.Series(MATRIX.tolist(), dtype=pl.List(pl.Float32)).cast(pl.List(kind))
    column = column if shape == "list" else column.list.to_array(2)
    assert rows(parquet(tmp_path / "v.parquet", image=IDS, vector=column)) == ROWS


@pytest.mark.parametrize("kind", ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrix_of_any_precision_and_order_is_read(tmp_path: Path, kind: str, order: Any) -> None:
    (tmp_path / "ids.txt").write_text("\n".join(IDS))
    assert rows(matrix(tmp_path / "v.npy", np.array(MATRIX, dtype=kind, order=order))) == ROWS


@given(arrays.arrays(np.float32, (3, 4), elements=st.floats(1, 2, width=32)))
def test_every_format_gives_the_same_vectors(tmp_path: Path, made: Any) -> None:
    (tmp_path / "v.txt").write_text("\n".join(IDS))
    np.savez(tmp_path / "v.npz", ids=IDS, vectors=made)
    np.savez(tmp_path / "each.npz", **dict(zip(IDS, made, strict=True)))
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["ids"], file["vectors"] = IDS, made
    with h5py.File(tmp_path / "each.hdf5", "w") as file:
        file.update(dict(zip(IDS, made, strict=True)))
    paths = [
        matrix(tmp_path / "v.npy", made),
        parquet(tmp_path / "v.parquet", image=IDS, vector=pl.Series(values=made)),
        *(tmp_path / name for name in ("v.npz", "each.npz", "v.h5", "each.hdf5")),
    ]
    wanted = np.ascontiguousarray(made).tobytes()
    for path in paths:
        found = read(path)
        assert found["image"].to_list() == IDS, path.name
        assert found["vector"].explode().to_numpy().tobytes() == wanted, path.name


def test_columns_of_images_and_of_texts_are_read_from_one_file(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "v.parquet",
        filename=IDS,
        caption=["x", "y", "x"],
        image_embedding=pl.Series(values=MATRIX),
        text_embedding=pl.Series(values=TEXTS),
    )
    found = read(path)
    assert found.filter(pl.col("text").is_null()).select("image", "vector").rows() == ROWS
    assert found.filter(pl.col("image").is_null()).select("line", "text", "vector").rows() == [
        (1, "x", [7, 8]), (2, "y", [9, 10]), (3, "x", [11, 12])
    ]  # fmt: skip


def test_columns_are_those_that_are_named(tmp_path: Path) -> None:
    path = parquet(tmp_path / "v.parquet", image=[1, 2, 3], other=IDS, a=MATRIX.tolist(), vector=TEXTS.tolist())
    assert rows(path, image_col="other", vector_col="a") == ROWS
    assert [image for image, _ in rows(path)] == ["1", "2", "3"]
    assert rows(path)[0][1] == [7, 8]
    text = parquet(tmp_path / "t.parquet", said=IDS, vector=MATRIX.tolist())
    assert rows(text, text_col="said") == ROWS
    assert read(text, text_col="said")["image"].null_count() == 3


@pytest.mark.parametrize(
    "name", ["v.txt", "v_ids.txt", "v.json", "v.csv", "v.parquet", "v.npy.ids", "ids.txt", "ids.npy"]
)
def test_ids_of_a_matrix_are_found_beside_it_and_by_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    ids, path = folder / name, matrix(folder / "v.npy")
    if name.endswith(".json"):
        ids.write_text('["a.jpg", "b.jpg", "c.jpg"]')
    elif name.endswith(".csv"):
        ids.write_text("width,image\n1,a.jpg\n2,b.jpg\n3,c.jpg\n")
    elif name.endswith(".parquet"):
        parquet(ids, image=IDS, width=[1, 2, 3])
    elif name.endswith(".npy"):
        np.save(ids, np.array(IDS))
    else:
        ids.write_text("a.jpg\nb.jpg\n\nc.jpg\n")
    if name != "v.npy.ids":
        assert rows(path) == ROWS
        assert vectors.beside(Part((path,))) == [ids]
    assert rows(path, ids_file=ids) == ROWS
    assert vectors.beside(Part((path,), options={"ids_file": ids})) == []


def test_ids_may_be_whole_numbers_and_texts(tmp_path: Path) -> None:
    np.save(tmp_path / "v_ids.npy", np.array([3, 2, 1]))
    assert [image for image, _ in rows(matrix(tmp_path / "v.npy"))] == ["3", "2", "1"]
    found = read(tmp_path / "v.npy", of="texts")
    assert (found["text"].to_list(), found["image"].null_count()) == (["3", "2", "1"], 3)


def test_matrices_of_a_pattern_are_read_each_with_its_ids(tmp_path: Path) -> None:
    for number, name in enumerate(IDS):
        matrix(tmp_path / f"part-{number}.npy", MATRIX[number : number + 1])
        (tmp_path / f"part-{number}.txt").write_text(name)
    assert rows(tmp_path / "part-*.npy") == ROWS


def test_lengths_are_compared_over_all_files(tmp_path: Path) -> None:
    one = parquet(tmp_path / "one.parquet", image=["a"], vector=[[1.0, 2.0]])
    two = parquet(tmp_path / "two.parquet", image=["b"], vector=[[1.0, 2.0, 3.0]])
    reason = "3 numbers, but the first (one.parquet, row 1) has 2"
    assert read(one, two)["reason"].to_list() == [None, reason]
    parts = (Part((one,), "train"), Part((two,), "test"))
    assert pl.concat(list(equally_long(chain.from_iterable(map(vectors.read, parts)))))["reason"].to_list() == [
        None,
        reason,
    ]


@pytest.mark.parametrize(
    ("options", "given", "wanted"),
    [
        ({"basename": True}, ["in/a.jpg", r"C:\in\b.jpg", "http://x/c.jpg"], IDS),
        ({"image_suffix": ".jpg"}, ["a", "b", "c"], IDS),
        ({"coco_ids": True}, ["COCO_val2014_000000000042.jpg", "in/000000000009.jpg", "12.jpg"], ["42", "9", "12"]),
        ({"coco_ids": True, "image_suffix": ".jpg"}, ["01.jpg", "02.jpg", "03.jpg"], ["1.jpg", "2.jpg", "3.jpg"]),
    ],
)
def test_ids_are_brought_together(tmp_path: Path, options: Any, given: list[str], wanted: list[str]) -> None:
    path = parquet(tmp_path / "v.parquet", image=given, vector=MATRIX.tolist())
    assert [image for image, _ in rows(path, **options)] == wanted


@pytest.mark.parametrize(
    ("options", "given", "reason"),
    [
        ({"coco_ids": True}, "a.jpg", "the image is not named like a file of COCO"),
        ({"image_suffix": ".jpg"}, "", "no image and no text"),
        ({"basename": True}, "///", "no image and no text"),
        ({}, "a\0", "contains a NUL character"),
    ],
)
def test_id_that_names_no_image_is_refused(tmp_path: Path, options: Any, given: str, reason: str) -> None:
    path = parquet(tmp_path / "v.parquet", image=["7.jpg", given], vector=[[1.0], [2.0]])
    assert read(path, **options)["reason"].to_list() == [None, reason]


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("flat", [False, True])
def test_folder_of_clip_retrieval_is_read(tmp_path: Path, kind: Any, flat: bool) -> None:
    for part in range(11):
        for name, of in (("img_emb", MATRIX), ("text_emb", TEXTS)):
            folder = tmp_path if flat else tmp_path / name
            folder.mkdir(exist_ok=True)
            np.save(folder / f"{name}_{part}.npy", (of + part).astype(kind))
        folder = tmp_path if flat else tmp_path / "metadata"
        folder.mkdir(exist_ok=True)
        parquet(
            folder / f"metadata_{part}.parquet", key=[1, 2, 3], image_path=[f"{part}/{one}" for one in IDS], caption=IDS
        )
    assert sources.guess(Part((tmp_path,))) == "vectors"
    found = read(tmp_path)
    images = found.filter(pl.col("image").is_not_null())
    assert images["image"].to_list() == [f"{part}/{one}" for part in range(11) for one in IDS]
    assert images["vector"].to_list() == [row for part in range(11) for row in (MATRIX + part).tolist()]
    assert found.filter(pl.col("text").is_not_null())["vector"].to_list()[:3] == TEXTS.tolist()
    assert read(tmp_path, image_col="key")["image"].drop_nulls()[:3].to_list() == ["1", "2", "3"]


def test_soft_links_in_hdf5_are_not_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["a.jpg"], file["b.jpg"] = MATRIX[0], MATRIX[1]
        file["again.jpg"] = h5py.SoftLink("/a.jpg")
        file["elsewhere.jpg"] = h5py.ExternalLink("none.h5", "/a")
    assert rows(tmp_path / "v.h5") == ROWS[:2]


def test_group_of_hdf5_is_a_vector_an_image(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["features/a.jpg"], file["features/b.jpg"], file["features/c.jpg"] = MATRIX.reshape(3, 1, 2)
    assert rows(tmp_path / "v.h5") == ROWS


def test_hdf5_without_h5py_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[hdf5\]'") as missing:
        read(path)
    assert missing.value.exit_code == 6


@pytest.mark.parametrize("name", ["v.npy", "v.npz"])
def test_pickle_is_not_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(pickled() if name == "v.npy" else pickled(lambda array: npz(ids=["a", "b"], vectors=array)))
    (tmp_path / "v.txt").write_text("a\nb\n")
    with pytest.raises(SourceError, match="Python objects, which are not read"):
        read(path)
    assert not Path("harm").exists()
    loaded = np.load(path, allow_pickle=True)  # which runs what it holds: the bait is good
    assert name == "v.npy" or loaded["vectors"].shape == (2, 1)
    assert Path("harm").is_dir()


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ({"image": IDS, "vector": MATRIX.tolist()}, "vectors"),
        ({"key": IDS, "img_emb": MATRIX.tolist(), "caption": IDS, "text_emb": TEXTS.tolist()}, "vectors"),
        ({"image": IDS, "caption": IDS, "embedding": MATRIX.tolist()}, "table"),
        ({"image": IDS, "caption": IDS}, "table"),
    ],
)
def test_parquet_is_vectors_unless_it_is_captions(tmp_path: Path, columns: Any, wanted: str) -> None:
    assert sources.guess(Part((parquet(tmp_path / "v.parquet", **columns),))) == wanted
