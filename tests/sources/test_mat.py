"""MATLAB files: references, pairs and triplets come out with their votes; a crafted file harms nobody."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat
from scipy.sparse import csc_matrix
from sizes import examples

from auditor import sources
from auditor.errors import SourceError, UsageError
from auditor.model import Part
from auditor.sources import mat


def read(path: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part((path,), options=options), "mat")))


def cell(*items: Any) -> np.ndarray:
    array = np.empty((1, len(items)), dtype=object)
    array[0] = [*items]
    return array


def structs(fields: Sequence[str], *records: Sequence[Any]) -> np.ndarray:
    array = np.empty((1, len(records)), dtype=[(field, object) for field in fields])
    for place, record in enumerate(records):
        array[0, place] = tuple(record)
    return array


def save(path: Path, variables: Mapping[str, Any]) -> Path:
    savemat(path, dict(variables), do_compression=True)
    return path


@pytest.fixture
def references(tmp_path: Path) -> Path:
    sentences = [
        ("https://host/set/a.jpg", cell("A kite over a lake.", "a red kite ", "Ein Drache überm See")),
        ("https://host/set/b.jpg", cell("Two mugs.")),
    ]
    return save(tmp_path / "refs.mat", {"some_name": structs(["name", "sentences"], *sentences)})


PAIRS: dict[str, Any] = {
    "new_input": structs(
        ["name", "sent1", "sent2"], ["a.jpg", " a kite ", "a boat"], ["b.jpg", "two mugs", "a mug on a table"]
    ),
    "category": np.array([[3, 2]]),
    "new_data": np.array([[2.0, 6.0], [6.0, 7.0]]),
    "result": structs(["result"], [np.array([[1, -1, -1]])], [np.array([[1.0, 1.0, 1.0]])]),
}


def triplet(a: str, b: str, c: str, rating: int) -> list[Any]:
    return [cell(a), cell(b), cell(c), cell(float(rating))]


TRIPLETS = structs(
    ["A", "B", "C", "rating"],
    triplet("a boy with a kite", "kites fly", "boats sail", 1),
    triplet("a kite", "kites fly", "boats sail", -1),
    triplet("a cup", "boats sail", "two mugs", -1),
)


def images_file(folder: Path, *records: tuple[str, str]) -> Path:
    path = folder / "images.json"
    path.write_text(json.dumps([{"image_id": image, "caption": caption} for image, caption in records]))
    return path


def test_references_keep_their_order_and_their_blanks(references: Path) -> None:
    rows = read(references)
    assert rows.filter(pl.col("reason").is_not_null()).is_empty()
    assert rows.select("image", "slot", "text").rows() == [
        ("https://host/set/a.jpg", 0, "A kite over a lake."),
        ("https://host/set/a.jpg", 1, "a red kite "),
        ("https://host/set/a.jpg", 2, "Ein Drache überm See"),
        ("https://host/set/b.jpg", 0, "Two mugs."),
    ]


def test_references_can_be_named_by_the_last_part_of_their_address(references: Path) -> None:
    assert read(references, basename=True)["image"].unique(maintain_order=True).to_list() == ["a.jpg", "b.jpg"]


def test_sentence_that_is_no_text_is_refused_alone(tmp_path: Path) -> None:
    path = save(
        tmp_path / "refs.mat",
        {
            "s": structs(
                ["name", "sentences"],
                ["a.jpg", cell("one", np.array([[1.0, 2.0]]), "three")],
                [np.array([[7.0, 8.0]]), cell("nameless")],
                ["c.jpg", np.empty((0, 0), dtype=object)],
            )
        },
    )
    rows = read(path)
    assert rows.filter(pl.col("reason").is_null()).select("image", "slot").rows() == [("a.jpg", 0), ("a.jpg", 2)]
    assert rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows() == [
        (1, "sentence 2 is not a text"),
        (2, "name is missing, or not a string"),
        (3, "no sentences"),
    ]


def test_pair_gives_both_captions_with_origin_category_and_votes(tmp_path: Path) -> None:
    rows = read(save(tmp_path / "pairs.mat", PAIRS))
    assert rows.select("image", "text").rows() == [
        ("a.jpg", " a kite "), ("a.jpg", "a boat"), ("b.jpg", "two mugs"), ("b.jpg", "a mug on a table")
    ]  # fmt: skip
    assert [tuple(pair.values()) for pair in rows["pair"]] == [
        (1, "B", "HM", "system 2", 1), (1, "C", "HM", "human", 2),
        (2, "B", "HI", "human", 3), (2, "C", "HI", "human, another image", 0),
    ]  # fmt: skip
    assert rows["triplet"].null_count() == rows["slot"].null_count() == 4


def test_pairs_without_votes_have_null_votes(tmp_path: Path) -> None:
    rows = read(save(tmp_path / "pairs.mat", {"new_input": PAIRS["new_input"]}))
    assert [tuple(pair.values()) for pair in rows["pair"]] == [
        (number, side, None, None, None) for number in (1, 2) for side in "BC"
    ]


def quoted(images: Sequence[tuple[str, str, str]], origins: list[list[float]]) -> dict[str, Any]:
    return {"new_input": structs(["name", "sent1", "sent2"], *images), "new_data": np.array(origins)}


def kept(rows: pl.DataFrame) -> list[tuple[str, str]]:
    return rows.filter(pl.col("left_out").is_null() & pl.col("reason").is_null()).select("image", "text").rows()


def test_captions_of_one_origin_are_read_once_for_an_image(tmp_path: Path) -> None:
    images = [("a.jpg", " a kite", "a boat"), ("a.jpg", "a kite ", "two kites"), ("b.jpg", "a kite", " ein Boot, è")]
    path = save(tmp_path / "pairs.mat", quoted(images, [[6.0, 2.0], [6.0, 6.0], [6.0, 7.0]]))
    rows = read(path, origin="human")
    assert kept(rows) == [("a.jpg", " a kite"), ("a.jpg", "two kites"), ("b.jpg", "a kite")]
    assert rows["left_out"].drop_nulls().to_list() == [
        "origin system 2", "in an earlier pair", "origin human, another image"
    ]  # fmt: skip
    assert rows["pair"].null_count() == rows["identifier"].null_count() == 6
    assert kept(read(path, origin="system 2")) == [("a.jpg", "a boat")]


def test_sentence_that_two_files_hold_is_read_once(tmp_path: Path) -> None:
    paths = (save(tmp_path / "one.mat", PAIRS), save(tmp_path / "two.mat", PAIRS))
    rows = pl.concat(list(sources.read(Part((paths[0],), options={"origin": "human"}), "mat")))
    both = pl.concat(list(mat.read(Part(paths, options={"origin": "human"}))))
    assert both.filter(pl.col("left_out").is_null()).select("image", "text").rows() == kept(rows)


def test_faulty_pair_is_refused_whatever_origin_is_asked_for(tmp_path: Path) -> None:
    path = save(
        tmp_path / "pairs.mat", quoted([("a.jpg", "a kite", " "), ("a.jpg", "x", "y")], [[6.0, 1.0], [6.0, 6.0]])
    )
    assert read(path, origin="human")["reason"].to_list() == ["sent2 is empty", None, None]


@pytest.mark.parametrize("origin", ["human, another image", "machine", "system 6", True])
def test_origin_that_did_not_see_the_image_is_refused(tmp_path: Path, origin: Any) -> None:
    with pytest.raises(UsageError, match="origin must be one of human, system 1, "):
        read(save(tmp_path / "pairs.mat", PAIRS), origin=origin)


def test_origin_is_refused_where_nothing_says_who_wrote(tmp_path: Path, references: Path) -> None:
    for path in (save(tmp_path / "pairs.mat", {"new_input": PAIRS["new_input"]}), references):
        with pytest.raises(SourceError, match="needs pairs with variable new_data"):
            read(path, origin="human")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"category": np.array([[3.0, 5.0]])}, "category 5.0; expected 1 (HC)"),
        ({"new_data": np.array([[2.0, 6.0], [0.0, 7.0]])}, "new_data [0.0, 7.0]; expected 1 to 5"),
        ({"result": structs(["result"], [np.array([[1]])], [np.array([[1, 0]])])}, "neither 1 (for sent1) nor -1"),
        ({"result": structs(["result"], [np.array([[1]])], ["yes"])}, "neither 1 (for sent1) nor -1"),
        (
            {"new_input": structs(["name", "sent1", "sent2"], ["a.jpg", "x y", "y z"], ["b.jpg", "x", " "])},
            "sent2 is empty",
        ),
        (
            {"new_input": structs(["name", "sent1", "sent2"], ["a.jpg", "x y", "y z"], ["b.jpg", cell("p", "q"), "z"])},
            "sent1 is missing, or not a string",
        ),
    ],
)
def test_faulty_pair_is_refused_as_one_record(tmp_path: Path, changed: dict[str, Any], reason: str) -> None:
    rows = read(save(tmp_path / "pairs.mat", PAIRS | changed))
    assert rows.height == 3
    fault = rows.filter(pl.col("reason").is_not_null()).row(0, named=True)
    assert (fault["unit"], fault["line"]) == ("pair", 2)
    assert reason in fault["reason"]
    assert "b.jpg" in fault["raw"]


@pytest.mark.parametrize("name", ["category", "new_data", "result"])
def test_votes_of_another_number_of_pairs_are_refused_whole(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=f"variable {name} needs"):
        read(save(tmp_path / "pairs.mat", PAIRS | {name: PAIRS[name][:1, :1]}))


def test_pairs_of_several_files_are_numbered_on(tmp_path: Path) -> None:
    paths = (save(tmp_path / "one.mat", PAIRS), save(tmp_path / "two.mat", PAIRS))
    rows = pl.concat(list(sources.read(Part(paths), "mat")))
    assert rows["pair"].struct.field("pair").unique().sort().to_list() == [1, 2, 3, 4]
    assert not rows["identifier"].is_duplicated().any()
    assert rows["line"].max() == 2


def test_triplet_gives_three_captions_and_one_vote(tmp_path: Path) -> None:
    rows = read(save(tmp_path / "triplets.mat", {"triplets": TRIPLETS}))
    assert rows["image"].to_list() == ["pair 1"] * 6 + ["pair 2"] * 3
    assert rows["text"].to_list()[:3] == ["a boy with a kite", "kites fly", "boats sail"]
    assert [tuple(triplet.values()) for triplet in rows["triplet"]] == [
        (1, "A", None, None), (1, "B", None, 1), (1, "C", None, 0),
        (2, "A", None, None), (2, "B", None, 0), (2, "C", None, 1),
        (3, "A", None, None), (3, "B", None, 0), (3, "C", None, 1),
    ]  # fmt: skip


def test_triplets_take_their_images_from_a_list_of_pairs(tmp_path: Path) -> None:
    path = save(tmp_path / "triplets.mat", {"triplets": TRIPLETS})
    rows = read(path, images_file=images_file(tmp_path, ("x.png", "boats sail "), ("y.png", "two mugs")))
    assert rows["image"].to_list() == ["x.png"] * 6 + ["y.png"] * 3


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([("x.png", "boats sail")], "1 images for the 2 pairs"),
        ([("x.png", "two mugs"), ("y.png", "kites fly")], "record 1: its caption is not in pair 1"),
        ([("x.png", 5), ("y.png", "two mugs")], "record 1: caption is missing"),
    ],
)
def test_images_that_do_not_fit_the_triplets_are_refused(tmp_path: Path, records: Any, words: str) -> None:
    path = save(tmp_path / "triplets.mat", {"triplets": TRIPLETS})
    with pytest.raises(SourceError, match=words):
        read(path, images_file=images_file(tmp_path, *records))


def test_triplet_without_a_vote_is_refused(tmp_path: Path) -> None:
    faulty = TRIPLETS.copy()
    faulty["rating"][0, 1] = cell(0.0)
    faulty["A"][0, 2] = cell("one", "two")
    rows = read(save(tmp_path / "triplets.mat", {"triplets": faulty})).filter(pl.col("reason").is_not_null())
    assert rows.select("unit", "line", "reason").rows() == [
        ("triplet", 2, "rating 0.0; expected 1 (A is closer to B) or -1 (closer to C)"),
        ("triplet", 3, "A is missing, or not a string"),
    ]


def test_variables_that_no_caption_needs_are_left_out(tmp_path: Path) -> None:
    refs = structs(["name", "sentences"], ["a.jpg", cell("one kite")])
    assert read(save(tmp_path / "refs.mat", {"weights": csc_matrix(np.eye(3)), "refs": refs})).height == 1


def test_struct_of_something_else_says_what_the_file_holds(tmp_path: Path) -> None:
    path = save(tmp_path / "other.mat", {"boxes": structs(["x", "y"], [1.0, 2.0]), "n": np.array([[1.0]])})
    with pytest.raises(SourceError, match=r"boxes \{x, y\}; n \{\}"):
        read(path)


def test_mat_files_are_guessed(references: Path) -> None:
    assert sources.guess(Part((references,))) == "mat"


HEAD = b"MATLAB 5.0 MAT-file".ljust(124)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + b"\0" * 384 + b"\x89HDF\r\n", "save -v7"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 200, "7.3 file"),
        (struct.pack("<5I", 0, 1, 1, 0, 2) + b"x\0" + b"\0" * 200, "MATLAB 4"),
        (b"\x89PNG\r\n\x1a\n" + b"\1" * 200, "not a MATLAB 5 file"),
        (b"", "not a MATLAB 5 file"),
        (b"image,caption\n" * 20, "not a MATLAB 5 file"),
        (HEAD + b"\x00\x01IM", "it holds no variable"),
        (HEAD + b"\x00\x01IM" + b"\x0e", "damaged MATLAB file"),
        (HEAD + b"\x00\x01IM" + struct.pack("<2I", 15, 4) + b"nope", "damaged MATLAB file"),
        (HEAD + b"\x00\x01IM" + struct.pack("<2I", 9, 8) + b"\0" * 8, "an element is not a variable"),
    ],
)  # fmt: skip
def test_file_that_is_no_matlab_5_file_is_refused_whole(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file.mat"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=words):
        read(path)


@pytest.mark.parametrize("cut", [130, 150, 200, -20, -1])
def test_truncated_file_is_named(references: Path, cut: int) -> None:
    references.write_bytes(references.read_bytes()[:cut])
    with pytest.raises(SourceError, match="damaged MATLAB file"):
        read(references)


def element(kind: int, data: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}2I", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(kind: int, dims: Sequence[int], content: bytes, name: bytes = b"", order: str = "<") -> bytes:
    flags = element(6, struct.pack(f"{order}2I", kind, 0), order)
    sizes = element(5, struct.pack(f"{order}{len(dims)}I", *dims), order)
    return element(14, flags + sizes + element(1, name, order) + content, order)


def text(words: str, order: str = "<") -> bytes:
    return matrix(4, (1, len(words)), element(16, words.encode(), order), order=order)


def packed(content: bytes) -> bytes:
    body = zlib.compress(content)
    return struct.pack("<2I", 15, len(body)) + body


def named_sentences(sentences: bytes, order: str = "<") -> bytes:
    fields = element(5, struct.pack(f"{order}I", 16), order) + element(
        1, b"name".ljust(16, b"\0") + b"sentences".ljust(16, b"\0"), order
    )
    return matrix(2, (1, 1), fields + text("a.jpg", order) + sentences, b"refs", order)


def write_mat(path: Path, *variables: bytes, order: str = "<") -> Path:
    path.write_bytes(HEAD + {"<": b"\x00\x01IM", ">": b"\x01\x00MI"}[order] + b"".join(variables))
    return path


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders_are_read(tmp_path: Path, order: str) -> None:
    sentences = matrix(1, (1, 2), text("a kite", order) + text("two kites", order), order=order)
    rows = read(write_mat(tmp_path / "refs.mat", named_sentences(sentences, order), order=order))
    assert rows.select("image", "slot", "text").rows() == [("a.jpg", 0, "a kite"), ("a.jpg", 1, "two kites")]


def nested(depth: int) -> bytes:
    inner = text("a kite")
    for _ in range(depth):
        inner = matrix(1, (1, 1), inner)
    return inner


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (packed(b"\0" * (1 << 26)), "zip bomb"),
        (packed(named_sentences(nested(2000))), "nested more than"),
        (named_sentences(nested(2000)), "nested more than"),
        (named_sentences(matrix(1, (1 << 31, 1 << 31), b"")), "larger than its content"),
        (named_sentences(matrix(1, (1 << 20, 1), b"")), "larger than its content"),
        (named_sentences(matrix(4, (1, (1 << 31) - 1), element(16, b""))), "larger than its content"),
        (named_sentences(matrix(1, (1, 2), text("one"))), "longer than|damaged"),
        (named_sentences(matrix(1, (1, 1), text("one") + text("two"))), "does not fill its space"),
        (named_sentences(matrix(1, (1, 1), element(9, b"\0" * 8))), "a cell does not hold a matrix"),
        (matrix(2, (1, 1), element(5, struct.pack("<I", 0)) + element(1, b""), b"refs"), "invalid field names"),
        (named_sentences(matrix(4, (3,), element(16, b"one"))), "an invalid head"),
        (named_sentences(matrix(4, (1, 3), element(99, b"one"))), "data of an unknown type"),
        (named_sentences(matrix(6, (1, 1), element(8, b"12345678"))), "data of an unknown type"),
        (named_sentences(text("one")) * 2, "two variables have the same name"),
        (packed(named_sentences(text("one")))[:-6], "it ends inside the element"),
    ],
)
def test_crafted_file_is_refused_before_scipy_sees_it(tmp_path: Path, variable: bytes, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(write_mat(tmp_path / "crafted.mat", variable))


def test_bomb_behind_large_variables_is_met_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.sources.mat.variables._LARGEST", 4096)
    filler = named_sentences(text("a kite " * 350))
    path = write_mat(tmp_path / "crafted.mat", packed(filler), filler, packed(b"\0" * 100_000))
    with pytest.raises(SourceError, match="zip bomb"):
        read(path)


@pytest.mark.parametrize("kind", [3, 5, 16, 17])
def test_objects_and_functions_are_never_loaded(tmp_path: Path, kind: int) -> None:
    with pytest.raises(SourceError, match="it holds no variable"):
        read(write_mat(tmp_path / "crafted.mat", named_sentences(matrix(kind, (1, 1), b""))))


@examples(200)
@given(st.data())
def test_file_with_changed_bytes_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(named_sentences(matrix(1, (1, 2), text("a kite") + text("two kites"))))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    path = write_mat(tmp_path_factory.getbasetemp() / "changed.mat", bytes(content))
    try:
        read(path)
    except SourceError:
        return


def test_pascal50s_has_fifty_images_with_120_references(data: Path) -> None:
    rows = read(data / "pascal50s" / "pascal50S.mat", basename=True)
    assert rows["reason"].null_count() == rows.height == 53_500
    assert rows.group_by("image").len()["len"].value_counts().sort("len").rows() == [(50, 950), (120, 50)]


def test_abstract50s_has_48_sentences_for_each_scene(data: Path) -> None:
    rows = read(data / "abstract50s" / "abstract50S.mat", basename=True)
    assert rows.group_by("image").len()["len"].to_list() == [48] * 500


def test_pascal50s_pairs_have_eleven_votes_but_for_six(data: Path) -> None:
    rows = read(data / "pascal50s" / "pair_pascal.mat")
    pairs = rows.unnest("pair").group_by("pair").agg(pl.col("category").first(), pl.col("votes").sum())
    assert rows["reason"].null_count() == rows.height == 8000
    assert pairs["category"].value_counts().sort("category").rows() == [(c, 1000) for c in ("HC", "HI", "HM", "MM")]
    assert pairs["votes"].value_counts().sort("votes").rows() == [(10, 6), (11, 3994)]


def test_humans_of_the_pascal50s_pairs_give_half_of_pascal1k(data: Path) -> None:
    """Sentences of PASCAL1K, not of the references: of 2,628, the references of the same image hold 31."""
    folder = data / "pascal50s"
    rows = read(folder / "pair_pascal.mat", basename=True, origin="human")
    captions = rows.filter(pl.col("left_out").is_null()).select("image", pl.col("text").str.strip_chars())
    references = read(folder / "pascal50S.mat", basename=True).select("image", pl.col("text").str.strip_chars())
    assert (rows["left_out"] == "in an earlier pair").sum() == 1372
    assert captions.height == 2628
    assert captions.group_by("image").len()["len"].value_counts().sort("len").rows() == [(2, 372), (3, 628)]
    assert captions.join(references.unique(), on=["image", "text"]).height == 31


def test_abstract50s_triplets_tie_on_twelve_pairs(data: Path) -> None:
    folder = data / "abstract50s"
    rows = read(folder / "consensus_abstract.mat", images_file=folder / "abstract_candsB.json")
    assert rows["reason"].null_count() == rows.height == 57_600
    votes = rows.with_columns(pl.col("triplet").struct.unnest())
    assert votes.group_by("side").agg(pl.col("votes").sum()).sort("side").rows() == [("A", 0), ("B", 9360), ("C", 9840)]
    assert rows["image"].n_unique() == 200
    pairs = votes.filter(pl.col("side") == "B").group_by((pl.col("triplet") - 1) // 48).agg(pl.col("votes").sum())
    assert pairs.height == 400
    assert (pairs["votes"] == 24).sum() == 12
