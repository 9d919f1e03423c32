"""Vectors: matrices, archives of arrays, HDF5 and Parquet; cut, crafted, of other numbers, without ids."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl

from broken.case import Broken, Content, as_json, frame_bytes, zipped
from broken.whole import FAULTS, Bait

VECTORS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
IDS = b"a.jpg\nb.jpg\n"
FRAME = pl.DataFrame({"image": ["a.jpg", "b.jpg"], "vector": pl.Series(values=VECTORS)})


def npy(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def h5(write: Callable[[Any], object]) -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        write(file)
    return stream.getvalue()


def paired(file: Any, vectors: Any = VECTORS, ids: Any = ("a.jpg", "b.jpg")) -> None:
    file["vectors"], file["ids"] = vectors, list(ids)


def headed(shape: str, kind: str = "'<f4'", data: bytes = b"\0" * 16) -> bytes:
    """Make a `.npy` file that says whatever of itself."""
    said = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    said += b" " * (-(len(said) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(said)) + said + data


def pickled(save: Callable[[Any], bytes] = lambda array: npy(array, allow_pickle=True)) -> bytes:
    """Give an array of objects; who unpickles it makes a folder, see `Bait`."""
    objects = np.empty((2, 1), dtype=object)
    objects[0, 0] = Bait()
    return save(objects)


WHOLE: Mapping[str, tuple[str, bytes, Mapping[str, Content]]] = {
    "npy": ("v.npy", npy(VECTORS), {"v.txt": IDS}),
    "npz": ("v.npz", npz(ids=["a.jpg", "b.jpg"], vectors=VECTORS), {}),
    "HDF5": ("v.h5", h5(paired), {}),
    "Parquet": ("v.parquet", frame_bytes(pl.DataFrame.write_parquet, FRAME), {}),
}


def _refused(name: str, file: str, content: Content, says: str, *arguments: str, **more: Any) -> Broken:
    beside = more.pop("beside", {"v.txt": IDS} if file == "v.npy" else {})
    return Broken(f"vectors: {name}", "vectors", {file: content, **beside}, says, arguments=arguments, **more)


def _matrix(name: str, vectors: Any, says: str, images: int = 0, rejected: int = 0, ids: bytes = IDS) -> Broken:
    content = vectors if isinstance(vectors, bytes) else npy(vectors)
    return Broken(f"vectors: {name}", "vectors", {"v.npy": content, "v.txt": ids}, says, images, rejected)


def _rows(name: str, images: list[Any], vectors: list[Any], says: str, kept: int, rejected: int) -> Broken:
    kind = {"image": pl.String, "vector": pl.List(pl.Float32)}
    content = frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": images, "vector": vectors}, schema=kind))
    return Broken(f"vectors: {name}", "vectors", {"v.parquet": content}, says, kept, rejected)


def _folder(rows: int, parts: tuple[int, ...] = (0,)) -> Mapping[str, Content]:
    """Give a folder as clip-retrieval writes it: two parts of vectors, metadata of some of them."""
    names = frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image_path": [f"{n}.jpg" for n in range(rows)]}))
    vectors = {f"out/img_emb/img_emb_{part}.npy": npy(VECTORS + part) for part in range(2)}
    return {**vectors, **{f"out/metadata/metadata_{part}.parquet": names for part in parts}}


def _zip_bomb(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("vectors.npy", "w", force_zip64=True) as member,
    ):
        member.write(headed("(2097152, 256)", data=b""))
        for _ in range(2048):
            member.write(bytes(1 << 20))


def _parquet_bomb(path: Path) -> None:
    vector = pl.Series("vector", [[1.0] * 1024], pl.List(pl.Float32))
    frame = pl.DataFrame({"image": ["a.jpg"]}).with_columns(vector)
    frame.select(pl.all().repeat_by(1_000_000).explode()).write_parquet(path)


def _hollow(file: Any) -> None:
    """Declare petabytes of which not one is written."""
    file.create_dataset("vectors", (10**12, 512), np.float32, chunks=(1024, 512))
    file["ids"] = ["a.jpg"]


def _elsewhere(kind: str) -> Callable[[Path], None]:
    """Let a file lead to another, whose content is no business of who reads it."""

    def write(path: Path) -> None:
        other = path.with_name("secret.h5")
        other.write_bytes(h5(paired))
        with h5py.File(path, "w") as file:
            file["ids"] = ["a.jpg", "b.jpg"]
            if kind == "link":
                file["vectors"] = h5py.ExternalLink("secret.h5", "/vectors")
            elif kind == "raw":
                file.create_dataset("vectors", (2, 3), np.float32, external=[(str(other), 0, 24)])
            else:
                layout = h5py.VirtualLayout((2, 3), np.float32)
                layout[:] = h5py.VirtualSource(str(other), "vectors", (2, 3))
                file.create_virtual_dataset("vectors", layout)

    return write


FINITE, ZERO = r"v\.npy:2: not all of its numbers are finite", r"v\.npy:2: all of its numbers are 0"
MATRIX = r"v\.npy: an array of .*: expected a matrix of float16, 32 or 64 with a vector per row"
OBJECTS = "contains Python objects, which are not read"
SPOILT = "damaged, or of another format than its name"

CASES: tuple[Broken, ...] = (
    *(
        Broken(f"vectors: {kind} {name}", "vectors", {file: spoil(content), **beside}, r"v\.\w+")
        for kind, (file, content, beside) in WHOLE.items()
        for name, (spoil, _) in FAULTS.items()
    ),
    *(
        _refused(f"{kind} that was cut to {size} bytes", file, content[:size], rf"{file}: ", beside=beside)
        for kind, (file, content, beside) in WHOLE.items()
        for size in (4, 20, len(content) // 2, len(content) - 1)
    ),
    _refused("a git-LFS pointer", "v.npy", FAULTS["is a git-LFS pointer"][0](b""), "git-LFS pointer"),
    _refused("no matrix but text", "v.npy", b"hello", SPOILT),
    # of other numbers
    _matrix("one with NaN", [[1.0, 2.0], [np.nan, 1.0]], FINITE, 1, 1),
    _matrix("one with infinity", [[1.0, 2.0], [1.0, -np.inf]], FINITE, 1, 1),
    _matrix("one too large for single precision", [[1.0, 2.0], [1e300, 1.0]], FINITE, 1, 1),
    _matrix("one of zeros", [[1.0, 2.0], [0.0, -0.0]], ZERO, 1, 1),
    _matrix("one that single precision makes zeros", [[1.0, 2.0], [1e-300, 0.0]], ZERO, 1, 1),
    _matrix("every one with NaN", [[np.nan, 2.0], [np.nan, 1.0]], r"all 2 records were rejected: v\.npy, row 1: not all"),
    _matrix("a row of numbers", np.ones(4), MATRIX),
    _matrix("a cube of numbers", np.ones((2, 2, 2)), MATRIX),
    _matrix("one number", np.float32(1), MATRIX),
    _matrix("whole numbers", np.ones((2, 3), np.int64), MATRIX),
    _matrix("complex numbers", np.ones((2, 3), np.complex64), MATRIX),
    _matrix("truth values", np.ones((2, 3), bool), MATRIX),
    _matrix("texts", np.array([["a", "b"]]), MATRIX),
    _matrix("records", np.zeros(2, [("a", "f4"), ("b", "i4")]), MATRIX),
    _matrix("no columns", np.ones((2, 0), np.float32), MATRIX),
    _matrix("100,000 columns", np.ones((2, 100_000), np.float16), MATRIX),
    _matrix("no rows", np.ones((0, 3), np.float32), r"v\.npy: no vectors found", ids=b""),
    # pickles
    _matrix("objects", pickled(), OBJECTS),
    _refused("ids that are objects", "v.npy", npy(VECTORS), f"ids\\.npy: {OBJECTS}", beside={"ids.npy": pickled()}),
    _refused("an archive of objects", "v.npz", pickled(lambda one: npz(ids=one, vectors=VECTORS)), OBJECTS),
    _refused("an archive of a vector of objects", "v.npz", pickled(lambda one: npz(a=one)), OBJECTS),
    # headers
    _matrix("a header of an enormous shape", headed("(1000000000000, 512)"), SPOILT),
    _matrix("a header of a shape that no number holds", headed("(10000000000000000000000, 512)"), SPOILT),
    _matrix("a header of a shape below 0", headed("(-5, 4)"), SPOILT),
    _matrix("a header of 70 dimensions", headed(f"({'1,' * 70})"), SPOILT),
    _matrix("a header of 20,000 characters", headed(f"(1, 2){' ' * 20_000}"), SPOILT),
    _matrix("a header that nests", headed("(1, 2)", "(" * 9000), SPOILT),
    _matrix("a header of signs", headed("(1, 2)", "-" * 9000 + "1"), SPOILT),
    _matrix("a header that calls", headed("(1, 2)", "__import__('os').mkdir('harm')"), SPOILT),
    _matrix("a header with a NUL", headed("(1, 2)", "'<f4\0'"), SPOILT),
    _matrix("a header that ends", headed("(1, 2)")[:30], SPOILT),
    _matrix("an archive under its name", npz(vectors=VECTORS), SPOILT),
    # ids
    _refused("no ids", "v.npy", npy(VECTORS), r"v\.npy: no list of ids for its rows: found no v\.txt", beside={}),
    _refused("fewer ids", "v.npy", npy(VECTORS), r"v\.npy: 2 vectors and 1 ids in v\.txt", beside={"v.txt": b"a\n"}),
    _refused("more ids", "v.npy", npy(VECTORS), r"2 vectors and 3 ids in v\.txt", beside={"v.txt": b"a\nb\nc\n"}),
    _refused("ids that are not UTF-8", "v.npy", npy(VECTORS), r"v\.txt: not a list of names in UTF-8", beside={"v.txt": b"\xe9\na\n"}),
    _refused("ids that are a JSON object", "v.npy", npy(VECTORS), r"v\.json: expected a JSON list of ids", beside={"v.json": as_json({"a": 1})}),
    _refused("ids of which one is a list", "v.npy", npy(VECTORS), r"v\.json: expected a JSON list", beside={"v.json": as_json(["a", ["b"]])}),
    _refused("ids that are no JSON", "v.npy", npy(VECTORS), r"v\.json: not a JSON list", beside={"v.json": b"[" * 100_000}),
    _refused("ids in an empty table", "v.npy", npy(VECTORS), rf"v\.csv: {SPOILT}", beside={"v.csv": b""}),
    _refused("ids in a table of other columns", "v.npy", npy(VECTORS), r"v\.csv: no column image, .*; the columns are width, height", beside={"v.csv": b"width,height\n1,2\n3,4\n"}),
    _refused("ids in a Parquet file that was cut", "v.npy", npy(VECTORS), r"v\.parquet: .*damaged", beside={"v.parquet": WHOLE["Parquet"][1][:90]}),
    _refused("ids that are numbers with a point", "v.npy", npy(VECTORS), r"ids\.npy: its ids are float64", beside={"ids.npy": npy([1.5, 2.5])}),
    _refused("ids that are half a character", "v.npy", npy(VECTORS), r"v\.json: ", beside={"v.json": b'["a", "\\ud800"]'}),
    _refused("ids that are half a character, in an array", "v.npz", npz(ids=["a", "\ud800"], vectors=VECTORS), r"v\.npz: "),
    _refused("ids in bytes that are not UTF-8", "v.npz", npz(ids=[b"a", b"\xe9"], vectors=VECTORS), SPOILT),
    _refused("ids that are a matrix", "v.npy", npy(VECTORS), r"ids\.npy: its ids are", beside={"ids.npy": npy([["a"], ["b"]])}),
    _refused("ids that are not there", "v.npy", npy(VECTORS), r"none\.txt: no such file", "--option", "ids_file=@none.txt"),
    _refused("ids of neither images nor texts", "v.npy", npy(VECTORS), "of must be images or texts, not captions", "--option", "of=captions", code=2),
    _matrix("an id with a NUL", VECTORS, r"v\.npy:2: contains a NUL character", 1, 1, ids=b"a\nb\0\n"),
    _rows("rows without an id", ["a", None, ""], [[1.0], [2.0], [3.0]], r"v\.parquet:\d: no image and no text", 1, 2),
    _rows("rows without a vector", ["a", "b", "c"], [[1.0], None, []], r"v\.parquet:\d: no vector", 1, 2),
    _rows("rows with gaps", ["a", "b", "c"], [[1.0, 2.0], [None, 1.0], [1.0, None]], r"v\.parquet:\d: not all", 1, 2),
    _rows("rows of other lengths", ["a", "b", "c"], [[], [1.0, 2.0], [3.0]], r"v\.parquet:(1: no vector|3: 1 numbers, but the first \(v\.parquet, row 2\) has 2)", 1, 2),
    # archives
    _refused("an archive without arrays", "v.npz", zipped(), r"v\.npz: no vectors found"),
    _refused("an archive of texts", "v.npz", zipped(("a.txt", b"hello")), r"v\.npz: array 'a\.txt' is"),
    _refused("an archive of matrices", "v.npz", npz(a=VECTORS, b=VECTORS), r"array 'a' is float32, 2 × 3: expected arrays ids and vectors"),
    _refused("an archive of single numbers", "v.npz", npz(a=np.float32(1)), r"array 'a' is float32, a single value"),
    _refused("an archive of fewer ids", "v.npz", npz(ids=["a"], vectors=VECTORS), r"v\.npz: 2 vectors and 1 ids"),
    _refused("an archive with a wrong checksum", "v.npz", npz(ids=["a", "b"], vectors=VECTORS).replace(VECTORS.tobytes(), (VECTORS + 1).tobytes()), SPOILT),
    _refused("an archive of an enormous shape", "v.npz", zipped(("ids.npy", npy(["a"])), ("vectors.npy", headed("(1000000000000, 512)"))), r"v\.npz: "),
    _refused("an archive that packs by other means", "v.npz", zipped(("vectors.npy", npy(VECTORS)), stored=True).replace(b"PK\x01\x02\x14\x03\x14\0\0\0\0\0", b"PK\x01\x02\x14\x03\x14\0\0\0\x63\0"), SPOILT),
    _refused("a zip bomb", "v.npz", _zip_bomb, "expands to more than 200 times its size", dangerous=True),
    # HDF5
    _refused("HDF5 without datasets", "v.h5", h5(lambda file: None), r"v\.h5: no vectors found"),
    _refused("HDF5 of a group of groups", "v.h5", h5(lambda file: file.create_group("a/b/c")), r"is a group: expected datasets ids and vectors"),
    _refused("HDF5 of a matrix without ids", "v.h5", h5(lambda file: file.update(vectors=VECTORS)), r"array 'vectors' is float32, 2 × 3"),
    _refused("HDF5 of whole numbers", "v.h5", h5(lambda file: paired(file, VECTORS.astype(np.int32))), r"an array of int32, 2 × 3"),
    _refused("HDF5 of nothing", "v.h5", h5(lambda file: file.update(a=h5py.Empty("f4"))), r"'a' is empty"),
    _refused("HDF5 of texts", "v.h5", h5(lambda file: file.update(a=["x", "y"])), r"array 'a' is object, 2"),
    _refused("HDF5 of ids that are not UTF-8", "v.h5", h5(lambda file: paired(file, ids=[b"\xe9", b"a"])), r"v\.h5: "),
    _refused("HDF5 of ids that are floats", "v.h5", h5(lambda file: paired(file, ids=[1.5, 2.5])), "its ids are float64"),
    _refused("HDF5 with a link to another file", "v.h5", _elsewhere("link"), r"v\.h5: array 'ids' is"),
    _refused("HDF5 with its content in another file", "v.h5", _elsewhere("raw"), r"the content of 'vectors' is in other files"),
    _refused("HDF5 with a view of another file", "v.h5", _elsewhere("view"), r"the content of 'vectors' is in other files"),
    _refused("HDF5 that declares petabytes", "v.h5", h5(_hollow), r"v\.h5: expands to more than 200 times its size", dangerous=True),
    # Parquet
    _refused("Parquet without vectors", "v.parquet", frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a"], "height": [3]})), r"v\.parquet: no columns identified .* the columns are image \(String\), height \(Int64\); set --option"),
    _refused("Parquet of whole numbers", "v.parquet", frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a"], "vector": [[1, 2]]})), r"the columns are image \(String\), vector \(List\(Int64\)\)"),
    _refused("Parquet of pictures", "v.parquet", frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": [{"path": "a"}], "vector": [[1.5]]})), r"the columns are image \(Struct"),
    _refused("a column of names that is not there", "v.parquet", WHOLE["Parquet"][1], r"image_col=photo: no such column of names; these columns are image", "--option", "image_col=photo"),
    _refused("a column of vectors that is not there", "v.parquet", WHOLE["Parquet"][1], r"vector_col=emb: no such column of lists of floats; these columns are vector", "--option", "vector_col=emb"),
    _refused("Parquet without rows", "v.parquet", frame_bytes(pl.DataFrame.write_parquet, FRAME.clear()), r"v\.parquet: no vectors found"),
    _refused("a Parquet bomb", "v.parquet", _parquet_bomb, "damaged, or a zip bomb", dangerous=True),
    _refused("a setting of another format", "v.npy", npy(VECTORS), 'has no option caption_col', "--option", "caption_col=a", code=2),
    # clip-retrieval
    Broken("vectors: a part without metadata", "vectors", _folder(2), r"img_emb_1\.npy: no metadata_1\.parquet with the ids", named=("out",)),
    Broken("vectors: a part with other metadata", "vectors", _folder(3, (0, 1)), r"img_emb_0\.npy: 2 vectors and 3 ids in metadata_0", named=("out",)),
    Broken("vectors: a part without the column that is asked for", "vectors", _folder(2, (0, 1)), r"metadata_0\.parquet: no column url; the columns are image_path", named=("out",), arguments=("--option", "image_col=url")),
    Broken("vectors: metadata that was cut", "vectors", {**_folder(2), "out/metadata/metadata_0.parquet": b"PAR1"}, r"metadata_0\.parquet: ", named=("out",)),
    Broken("vectors: a folder of something else", "vectors", {"out/a.txt": b"a"}, r"out: not a folder of clip-retrieval", named=("out",)),
    Broken("vectors: text", "vectors", {"v.txt": IDS}, r'v\.txt: not of format "vectors": expected \.parquet, \.npy', ),
)  # fmt: skip
