"""Tables: columns become captions, whatever holds them; what cannot be one is refused with its line or row."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import SourceError, UsageError
from auditor.model import CAPTION_SCHEMA, Option, Part, Source
from auditor.sources import table
from auditor.sources.reading import batches
from auditor.sources.reading.files import zstd
from auditor.sources.table import columnar
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources

ROWS = [("a.jpg", "a cat sleeps"), ("a.jpg", "one tired cat"), ("b.jpg", "two boats")]


def read(path: Path, **options: Option) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part((path,), options=options), "table")))


def accepted(rows: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return (
        rows.filter(pl.col("reason").is_null() & pl.col("left_out").is_null())
        .select(columns or ("image", "text"))
        .rows()
    )


def refused(rows: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select(columns or ("line", "reason")).rows()


def written(folder: Path, content: str | bytes, name: str = "captions.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def saved(folder: Path, frame: pl.DataFrame) -> Path:
    """Save a frame as `datasets.save_to_disk` does, in two files."""
    folder.mkdir(parents=True)
    half = frame.height // 2
    names = ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]
    for name, piece in zip(names, (frame[:half], frame[half:]), strict=True):
        piece.write_ipc_stream(folder / name)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text("{}")
    return folder


# Containers


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.csv", lambda frame, path: frame.write_csv(path)),
        ("t.tsv", lambda frame, path: frame.write_csv(path, separator="\t")),
        ("t.txt", lambda frame, path: frame.write_csv(path, separator=";")),
        ("t.csv.gz", lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode()))),
        ("t.jsonl.zst", lambda frame, path: path.write_bytes(zstd.compress(frame.write_ndjson().encode()))),
        ("t.ndjson", lambda frame, path: frame.write_ndjson(path)),
        ("t.json", lambda frame, path: path.write_text(json.dumps(frame.to_dicts(), indent=1))),
        ("t.parquet", lambda frame, path: frame.write_parquet(path)),
        ("t.feather", lambda frame, path: frame.write_ipc(path)),
        ("t.arrow", lambda frame, path: frame.write_ipc_stream(path)),
        ("folder", lambda frame, path: saved(path, frame)),
    ],
)
def test_every_container_is_recognized_and_gives_the_same_captions(
    tmp_path: Path, name: str, write: Callable[[pl.DataFrame, Path], object]
) -> None:
    path = tmp_path / name
    write(pl.DataFrame(ROWS, ["image", "caption"], orient="row"), path)
    rows = read(path)
    assert sources.guess(Part((path,))) == "table"
    assert accepted(rows) == ROWS
    assert rows.schema == pl.Schema(CAPTION_SCHEMA)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", "a cat sleeps, and so\ndoes the dog\n"),
        ("words.tsv", "the\t120\na\t75\n"),
        ("info.json", '{"name": "cats", "year": 2014}'),
        ("list.json", "[1, 2]"),
        ("table.csv", "only one column\n"),
        ("empty.csv", ""),
    ],
)
def test_other_files_are_not_claimed(tmp_path: Path, name: str, content: str) -> None:
    assert not table.recognizes(tmp_path / name, content.encode())


def test_other_folders_are_not_claimed(tmp_path: Path) -> None:
    assert not table.recognizes(tmp_path, b"")
    with pytest.raises(SourceError, match=r"state\.json: no such file.*save_to_disk"):
        read(tmp_path)


def test_several_files_are_one_table(tmp_path: Path) -> None:
    first = written(tmp_path, "image,caption\na,one\n", "1.csv")
    second = written(tmp_path, "caption,image\ntwo,a\n", "2.csv")
    rows = pl.concat(list(sources.read(Part((first, second)), "table")))
    assert accepted(rows, "source", "line", "image", "text") == [("1.csv", 2, "a", "one"), ("2.csv", 2, "a", "two")]


# Columns


@pytest.mark.parametrize(
    ("header", "image", "text"),
    [
        ("image,id,image_id,caption", "0", "3"),
        ("image_id,source,prompt,seed", "0", "2"),
        ("width,URL,TEXT,uid", "1", "2"),
        ("raw,sentids,split,filename,img_id", "3", "0"),
        ("url,key,status,caption", "0", "3"),
        ("comment,image_name,text", "1", "2"),
        ("img_path,prompt,response", "0", "2"),
        ("image,prompt,output", "0", "2"),
    ],
)
def test_columns_are_guessed_by_names_that_the_field_uses(tmp_path: Path, header: str, image: str, text: str) -> None:
    cells = ",".join(str(number) for number in range(header.count(",") + 1))
    assert accepted(read(written(tmp_path, f"{header}\n{cells}\n"))) == [(image, text)]


def test_one_instruction_for_all_images_is_never_read_as_captions(tmp_path: Path) -> None:
    path = written(tmp_path, "image,prompt,reply\n1,Describe it.,a dog\n2,Describe it.,a cat\n")
    with pytest.raises(SourceError, match='no column "caption"'):
        read(path)
    assert accepted(read(path, caption_col=("prompt",))) == [("1", "Describe it."), ("2", "Describe it.")]


def test_named_columns_win_over_guessed_ones(tmp_path: Path) -> None:
    path = written(tmp_path, "image,caption,photo,words\n1,2,3,4\n")
    assert accepted(read(path, image_col="photo", caption_col=("words",))) == [("3", "4")]


@pytest.mark.parametrize("name", ["captions.csv", "captions.jsonl", "captions.json", "captions.parquet"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, 'no column "caption"; the columns are a, b; set --caption-col'),
        ({"caption_col": "words"}, 'no column "words"; the columns are a, b; set --caption-col'),
        ({"caption_col": "b", "split_col": "c"}, 'no column "c"; the columns are a, b; set --split-col'),
        ({"caption_col": "b", "lang": "en"}, 'no column "lang"; the columns are a, b; set --option lang_col=NAME'),
        ({"caption_col": "b", "annotator_col": "who"}, "set --option annotator_col=NAME"),
    ],
)
def test_missing_column_is_named_with_those_there_are(
    tmp_path: Path, name: str, options: dict[str, str], words: str
) -> None:
    path = tmp_path / name
    frame = pl.DataFrame({"a": ["x"], "b": ["y"]})
    write: dict[str, Callable[[], object]] = {
        ".csv": lambda: frame.write_csv(path),
        ".jsonl": lambda: frame.write_ndjson(path),
        ".json": lambda: path.write_text(json.dumps(frame.to_dicts())),
        ".parquet": lambda: frame.write_parquet(path),
    }
    write[path.suffix]()
    with pytest.raises(SourceError, match=r"captions\.\w+(:1|, record 1)?: ") as caught:
        read(path, **({"image_col": "a"} | options))
    assert words in str(caught.value)


def test_column_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match='csv:1: column "caption" occurs 2 times'):
        read(written(tmp_path, "image,caption,caption\na,b,c\n"))


@pytest.mark.parametrize("content", ["1000.jpg,a cat sleeps\n", "a cat sleeps\t1000.jpg\n"])
def test_missing_header_is_told_from_an_unknown_one(tmp_path: Path, content: str) -> None:
    assert accepted(read(written(tmp_path, content))) == [("1000.jpg", "a cat sleeps")]
    with pytest.raises(SourceError, match=r"csv:1: no header row: .* looks like data; name the columns"):
        read(written(tmp_path, content.replace("a cat sleeps", "cat")))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"image_col": ("a", "b")}, "image_col must be the name of a column"),
        ({"image_col": True}, "image_col must be the name of a column"),
        ({"caption_col": 3}, "caption_col must be the name of one or several columns"),
        ({"lang_col": "lang"}, "lang_col needs option lang"),
        ({"delimiter": "::"}, "delimiter must be one character"),
        ({"delimiter": '"'}, "delimiter must be one character"),
    ],
)
def test_settings_that_make_no_sense_are_named(tmp_path: Path, options: dict[str, Option], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read(written(tmp_path, "image,caption\na,b\n"), **options)


# Layouts


def test_identifier_is_kept_and_orders_where_it_is_a_number(tmp_path: Path) -> None:
    path = written(tmp_path, "image,caption,id\na,late,30\na,early,7.0\na,odd,x7\n")
    rows = read(path, caption_id_col="id")
    assert accepted(rows, "text", "rank", "identifier") == [
        ("late", 30, "id 30"),
        ("early", 7, "id 7.0"),
        ("odd", None, "id x7"),
    ]


def test_annotators_order_the_captions_of_an_image(tmp_path: Path) -> None:
    first = written(tmp_path, "image,caption,who\na,three,zoe\na,one,9\nb,two,10\n", "1.csv")
    second = written(tmp_path, "image,caption,who\na,four,ann\na,none,\n", "2.csv")
    part = Part((first, second), options={"annotator_col": "who", "caption_id_col": "caption"})
    rows = pl.concat(list(sources.read(part, "table")))
    assert rows.sort("rank", nulls_last=True)["text"].to_list() == ["one", "two", "four", "three", "none"]


@pytest.mark.parametrize(
    ("header", "images"),
    [
        ("video_id,start,end,text", ["v@0", "v@9", "w@0"]),
        ("video_id,start_timestamp,stop_timestamp,caption", ["v@0", "v@9", "w@0"]),
        ("image,onset,duration,text", ["v@0", "v@9", "w@0"]),
        ("video_id,start_sec,words,text", ["v@0", "v@9", "w@0"]),
        ("image,start,words,text", ["v", "v", "w"]),
    ],
)
def test_segments_of_a_video_are_images_of_their_own(tmp_path: Path, header: str, images: list[str]) -> None:
    rows = read(written(tmp_path, f"{header}\nv,0,8,open it\nv,9,12,open it\nw,0,8,open it\n"))
    assert rows["image"].to_list() == images


def test_lines_of_objects_may_begin_with_a_broken_one(tmp_path: Path) -> None:
    path = written(tmp_path, '{"image": "a", "cap\n{ "image": "b", "caption": "two dogs"}\n', "t.jsonl")
    assert table.recognizes(path, path.read_bytes())
    assert read(path).select("text", pl.col("reason").is_null(), "line").rows() == [
        (None, False, 1),
        ("two dogs", True, 2),
    ]


def test_several_columns_are_one_slot_each(tmp_path: Path) -> None:
    path = written(tmp_path, "image,first,second,split,id\na,one,two,val,5\nb,three,,,6\n")
    rows = read(path, caption_col=("second", "first"), split_col="split", caption_id_col="id")
    assert rows.select("image", "slot", "text", "split", "identifier", "line").rows() == [
        ("a", 0, "two", "val", "id 5#0", 2),
        ("a", 1, "one", "val", "id 5#1", 2),
        ("b", 0, "", None, "id 6#0", 3),
        ("b", 1, "three", None, "id 6#1", 3),
    ]


def test_list_gives_its_places_as_slots(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "image": ["a", "b", "c", "d"],
            "sentids": [[4, 5], [6], [7, 8], []],
            "sentences": [["x", "y"], ["z"], ["w"], []],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ndjson(tmp_path / "t.jsonl")
    json_cells = frame.select(
        "image", pl.col("sentids", "sentences").map_elements(lambda cell: json.dumps(cell.to_list()), pl.String)
    )
    json_cells.write_csv(tmp_path / "t.csv")
    for path in sorted(tmp_path.iterdir()):
        rows = read(path)
        assert accepted(rows, "image", "slot", "text", "identifier", "rank") == [
            ("a", 0, "x", "sentids 4", -1),
            ("a", 1, "y", "sentids 5", -1),
            ("b", 0, "z", "sentids 6", -1),
        ]
        assert refused(rows, "image", "reason") == [("c", "1 captions with 2 identifiers"), ("d", "no caption")]


def test_records_in_records_give_their_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "image": [{"bytes": b"\xff", "path": "1.jpg"}],
            "sentences": [[{"raw": "x y", "tokens": ["x", "y"]}, {"raw": "z", "tokens": ["z"]}]],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    frame.with_columns(image=pl.struct(path=pl.lit("1.jpg"))).write_ndjson(tmp_path / "t.jsonl")
    for path in sorted(tmp_path.iterdir()):
        assert accepted(read(path)) == [("1.jpg", "x y"), ("1.jpg", "z")]


def test_image_of_bytes_gives_way_to_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame(
        {"image": [{"bytes": b"\xff", "path": None}], "filename": ["1.jpg"], "caption": [["x"]]}
    ).write_parquet(path)
    assert accepted(read(path)) == [("1.jpg", "x")]


def test_several_captions_a_row_have_no_annotator(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"image": 1, "captions": ["x"], "who": 3, "more": ["y"]}\n')
    with pytest.raises(SourceError, match="annotator_col needs a single caption per row"):
        read(path, annotator_col="who")
    pl.read_ndjson(path).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(SourceError, match="several columns of captions, one of them with lists"):
        read(tmp_path / "t.parquet", caption_col=("captions", "more"))


def test_guessed_column_that_does_not_go_with_the_captions_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, '{"image": 1, "caption": "x", "sentids": [1, 2]}\n', "t.jsonl")
    assert accepted(read(path), "text", "identifier") == [("x", None)]
    with pytest.raises(SourceError, match="column sentids holds lists, but each row has a single caption"):
        read(path, caption_id_col="sentids")
    path = written(tmp_path, '{"image": 1, "captions": ["x"], "comment_number": 1}\n', "t.jsonl")
    assert accepted(read(path), "text", "rank") == [("x", -1)]


def test_broken_row_of_several_columns_is_one_refusal(tmp_path: Path) -> None:
    rows = read(written(tmp_path, "image,a,b\n1,x,y\nbroken\n"), caption_col=("a", "b"))
    assert refused(rows) == [(3, "1 fields; the header has 3")]


def test_annotators_may_all_be_unknown(tmp_path: Path) -> None:
    rows = read(written(tmp_path, "image,caption,who\n1,x,\n"), annotator_col="who")
    assert accepted(rows, "text", "rank") == [("x", None)]


def test_rows_of_other_languages_are_not_of_the_dataset(tmp_path: Path) -> None:
    path = written(tmp_path, "image,caption,language\na,one,en\na,un,fr\nbroken\na,two,en\na,nul,\n")
    rows = read(path, lang="en")
    assert accepted(rows, "line", "text") == [(2, "one"), (5, "two")]
    assert refused(rows) == [(4, "1 fields; the header has 3")]
    left_out = rows.filter(pl.col("left_out").is_not_null()).select("line", "left_out").rows()
    assert left_out == [(3, 'language "fr"'), (6, 'language ""')]
    with pytest.raises(SourceError, match=r'no row has the language "de"; the languages are en, fr'):
        read(path, lang="de", lang_col="language")


def test_split_comes_from_a_column_or_the_part(tmp_path: Path) -> None:
    path = written(tmp_path, "image,caption,split\na,one,val\nb,two,\n")
    assert accepted(read(path), "image", "split") == [("a", "val"), ("b", None)]
    part = Part((path,), split="test")
    assert pl.concat(list(sources.read(part, "table")))["split"].to_list() == ["test", "test"]


# Delimited text


def test_kaggle_flickr30k_is_read_with_its_blanks_quotes_and_broken_row(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "image_name| comment_number| comment\n"
        '1.jpg| 1| " Hi " says a cat .\n'
        "1.jpg| 0| A cat says | hi .\n"
        "1.jpg| 4   A cat sleeps .\n"
        '1.jpg| 3| A 5" cat .\n'
        '1.jpg| 2| "\n',
        "results.csv",
    )
    rows = read(path)
    assert sources.guess(Part((path,))) == "table"
    assert accepted(rows, "line", "image", "rank", "text") == [
        (2, "1.jpg", 0, '" Hi " says a cat .'),
        (5, "1.jpg", 2, 'A 5" cat .'),
        (6, "1.jpg", 1, '"'),
    ]
    assert refused(rows) == [(3, "4 fields; the header has 3"), (4, "2 fields; the header has 3")]
    assert rows.filter(pl.col("line") == 4)["raw"].item() == "1.jpg| 4   A cat sleeps ."


def test_blanks_around_other_delimiters_are_no_part_of_a_cell(tmp_path: Path) -> None:
    path = written(tmp_path, 'image , caption\na b , "one, two" \nc ,three \n')
    assert accepted(read(path)) == [("c", "three ")]
    path = written(tmp_path, 'image, caption\na b , "one, two"\n')
    assert accepted(read(path)) == [("a b", "one, two")]


def test_record_stands_at_the_line_where_it_begins(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffimage,caption\r\n\r\na,"one\r\ntwo"\r\n\r\nb,"x ""y"""\r\nc,last')
    assert accepted(read(path), "line", "image", "text") == [
        (3, "a", "one\r\ntwo"),
        (6, "b", 'x "y"'),
        (7, "c", "last"),
    ]


def test_broken_quote_costs_its_own_line_only(tmp_path: Path) -> None:
    path = written(tmp_path, 'image,caption\na,"open\nb,whole\nc,"odd"s\nd,"fine"\ne,"to the end\nf,good\n')
    rows = read(path)
    assert accepted(rows) == [("b", "whole"), ("d", "fine"), ("f", "good")]
    assert [line for line, _ in refused(rows)] == [2, 4, 6]
    assert refused(rows)[2][1] == "not a record of a delimited table: unexpected end of data"
    assert refused(rows, "raw")[0] == ('a,"open',)


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    rows = read(written(tmp_path, b"image,caption\na,bro\xffken\nb,n\x00l\nc,fine\n"))
    assert accepted(rows) == [("c", "fine")]
    assert refused(rows) == [(2, "not UTF-8 (byte 0xff at column 6)"), (3, "contains a NUL character")]
    assert refused(rows, "raw")[0] == ("a,bro\\xffken",)


def test_tabs_let_quotes_be_those_of_the_caption(tmp_path: Path) -> None:
    literal = written(tmp_path, 'image\tcaption\na\tplain\nb\t"hi" says one\nc\t"open\nd\tlast\n', "1.tsv")
    assert [text for _, text in accepted(read(literal))] == ["plain", '"hi" says one', '"open', "last"]
    quoted = written(tmp_path, 'image\tcaption\na\tplain\nb\t"says ""hi"""\nc\t"a\tb\nc"\n', "2.tsv")
    assert [text for _, text in accepted(read(quoted))] == ["plain", 'says "hi"', "a\tb\nc"]


@pytest.mark.parametrize("delimiter", ["tab", "\\t", "\t"])
def test_delimiter_can_be_named(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path, "image\tcaption, and, more\na\tone\n")
    assert accepted(read(path, delimiter=delimiter, caption_col="caption, and, more")) == [("a", "one")]
    assert accepted(read(written(tmp_path, "image^caption\na^b\n"), delimiter="^")) == [("a", "b")]


def test_list_that_is_no_list_of_python_is_refused(tmp_path: Path) -> None:
    rows = read(written(tmp_path, "image,captions\na,\"['one', 'two']\"\nb,\"['one', two']\"\n"))
    assert accepted(rows) == [("a", "one"), ("a", "two")]
    assert refused(rows) == [(3, "captions is not a list of Python")]


def test_cell_that_is_no_list_among_lists_is_refused(tmp_path: Path) -> None:
    cells = ["[1]", "plain", '["two"]', "[" * 5000, '"x"', "[NaN]"]
    rows = read(
        written(
            tmp_path,
            'image,captions\na,"[""one""]"\n'
            + "".join(f'b,"{cell.replace(chr(34), chr(34) * 2)}"\n' for cell in cells),
        )
    )
    assert accepted(rows) == [("a", "one"), ("b", "two")]
    assert [line for line, _ in refused(rows)] == [3, 4, 6, 7, 8]


def test_bracketed_caption_is_no_list(tmp_path: Path) -> None:
    assert accepted(read(written(tmp_path, "image,caption\na,[a cat]\nb,[1\n"))) == [("a", "[a cat]"), ("b", "[1")]


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8"))), min_size=1
    ),
    st.sampled_from([",", ";"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 4),
)
def test_what_a_csv_writer_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], delimiter: str, end: str, size: int
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("image", "caption"), *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(text.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BATCH", size)
        found = pl.concat(list(table.read(Part((path,), options={"image_col": "image", "caption_col": "caption"}))))
    if not rows[0][1].startswith("["):
        assert found.select("image", "text").rows() == rows


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("image,caption\na,b\n".encode("utf-16"), "csv:1: UTF-16"),
        (b"image,caption\ra,b\rc,d\r", "csv:1: lines end in CR only"),
        (b"", "it holds no record"),
        (b"\n\n", "it holds no record"),
        (b"image,caption\n", "it holds no record"),
        (b'"image,caption\n', "csv:1: the header row cannot be read"),
        (b"im\xffage,caption\na,b\n", r"csv:1: the header row cannot be read: not UTF-8 \(byte 0xff at column 3\)"),
        (b"   \nimage,caption\n", "csv:1: no column"),
        (gzip.compress(b"image,caption\na,b\n" * 99, mtime=0)[:-9], "damaged compressed file"),
        (zstd.compress(b"image,caption\na,b\n" * 99)[:-9], "damaged compressed file"),
        (gzip.compress(b"image,caption\n" + (b"a," + b"x" * 9998 + b"\n") * (1 << 14), mtime=0), "a zip bomb"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x01", "the header row cannot be read: not UTF-8"),
    ],
)
def test_file_that_is_no_table_is_refused_whole(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(written(tmp_path, content))


def test_huge_fields_are_refused_and_huge_lines_named(tmp_path: Path) -> None:
    path = written(tmp_path, f"image,caption,pixels\na,{'x' * 10_000_000},\nb,fine,{'x' * 1_000_000}\n")
    rows = read(path)
    assert accepted(rows) == [("b", "fine")]
    assert refused(rows)[0][0] == 2
    with pytest.raises(SourceError, match="csv:2: a line longer than 16 MiB"):
        read(written(tmp_path, f"image,caption\na,{'x' * (1 << 24)}\n"))


# JSON


def test_json_lines_are_refused_one_by_one(tmp_path: Path) -> None:
    lines = [
        b'{"image": 7, "caption": "good", "id": 1}',
        b"",
        b'{"image": 7, "caption": "cut',
        b'{"image": 7, "caption": NaN}',
        b'{"image": ' + b"9" * 5000 + b', "caption": "x"}',
        b'{"image": 1e999, "caption": "x"}',
        b'{"image": true, "caption": "x"}',
        b'{"image": [1], "caption": "x"}',
        b'{"image": {"a": 1}, "caption": "x"}',
        b'{"image": 7, "caption": 5}',
        b'{"image": 7, "caption": ["x"]}',
        b'{"image": 7, "caption": {"a": 1}}',
        b'{"image": 7, "caption": "\\ud800"}',
        b'{"image": 7, "caption": "bro\xffken"}',
        b'{"image": 7, "caption": "n\\u0000l"}',
        b'["image", "caption"]',
        b"[" * 100_000,
        b'{"image": 7}',
        b'{"caption": "x"}',
        b'{"image": null, "caption": "x"}',
        b'{"image": 8.0, "caption": ""}',
        b'{"image": 12345678901234567890, "caption": "long"}',
        b'{"image": 0.5, "caption": "half"}',
    ]
    rows = read(written(tmp_path, b"\r\n".join(lines), "t.jsonl"))
    assert accepted(rows) == [("7", "good"), ("8", ""), ("12345678901234567890", "long"), ("0.5", "half")]
    reasons = dict(refused(rows))
    assert list(reasons) == list(range(3, 21))
    assert reasons[3].startswith("not JSON at column 25: Unterminated string")
    assert reasons[4] == "no caption"
    assert reasons[7] == "image is neither a string nor a number"
    assert reasons[8] == "image is a list"
    assert reasons[10] == "caption is not a string"
    assert reasons[11] == "caption is a list, but the first record has no list"
    assert reasons[14] == "not UTF-8 (byte 0xff at column 29)"
    assert reasons[16] == "not an object"
    assert reasons[18] == "no caption"
    assert reasons[19] == "no image"
    assert refused(rows, "raw")[7] == ('{"image": 7, "caption": 5}',)


def test_broken_lines_before_the_first_record_are_kept(tmp_path: Path) -> None:
    rows = read(
        written(
            tmp_path, '{"image"\n5\n{"image": "a", "captions": null}\n{"image": "a", "captions": ["x"]}\n', "t.jsonl"
        )
    )
    assert [line for line, _ in refused(rows)] == [1, 2, 3]
    assert accepted(rows, "line", "slot", "text") == [(4, 0, "x")]


def test_file_of_broken_lines_only_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"all 2 records were rejected; the first: t\.jsonl:1: not JSON at column 2"):
        read(written(tmp_path, "{\n}\n", "t.jsonl"))


@pytest.mark.parametrize(
    ("content", "words"), [("[]", "no record"), ('[{"image": 1,]', ":1: not JSON"), ("[5]", "not an object")]
)
def test_json_list_without_records_is_refused(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(written(tmp_path, content, "t.json"))


def test_records_of_a_list_are_numbered(tmp_path: Path) -> None:
    rows = read(written(tmp_path, '[{"image": 1, "caption": "x"}, {"image": 2, "caption": 3}]', "t.json"))
    assert refused(rows, "unit", "line", "raw") == [("record", 2, '{"image": 2, "caption": 3}')]


# Columns with types


def test_numbers_that_name_images_are_written_plainly(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame(
        {
            "image": [42.0, 0.5, None, float("nan"), float("inf")],
            "caption": ["a", "b", "c", "d", None],
            "id": pl.Series([1, 2, 3, 4, 5], dtype=pl.Decimal(10, 2)),
        }
    )
    frame.write_parquet(path)
    rows = read(path, caption_id_col="id")
    assert accepted(rows, "image", "text", "rank", "identifier") == [("42", "a", 1, "id 1"), ("0.5", "b", 2, "id 2")]
    assert refused(rows, "unit", "line", "reason") == [
        ("row", 3, "no image"),
        ("row", 4, "no image"),
        ("row", 5, "no image"),
    ]
    assert refused(rows, "raw")[0] == ('{"image":null,"caption":"c","identifier":"3"}',)
    frame.select(
        pl.col("image").cast(pl.Int32, strict=False), caption=pl.col("caption").cast(pl.Categorical)
    ).write_ipc(path)
    assert accepted(read(path)) == [("42", "a"), ("0", "b")]


def test_bytes_are_read_as_text(tmp_path: Path) -> None:
    pl.DataFrame({"image": [b"a", b"b"], "caption": ["é".encode(), b"\xff"]}).write_parquet(tmp_path / "t.parquet")
    rows = read(tmp_path / "t.parquet")
    assert accepted(rows) == [("a", "é")]
    assert refused(rows) == [(2, "caption is not UTF-8")]


@pytest.mark.parametrize(
    ("column", "thing"),
    [
        ({"caption": [1]}, "caption"),
        ({"caption": [[["x"]]]}, "caption"),
        ({"caption": [{"words": "x"}]}, "caption"),
        ({"image": [[1]]}, "image"),
        ({"image": [True]}, "image"),
        ({"image": [{"bytes": b"x"}]}, "image"),
    ],
)
def test_column_of_another_type_is_named(tmp_path: Path, column: dict[str, list[object]], thing: str) -> None:
    pl.DataFrame({"image": ["a"], "caption": ["x"]} | column).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(
        SourceError, match=rf'parquet: column "{thing}" cannot be read as {thing}; set .* to another column'
    ):
        read(tmp_path / "t.parquet")


def test_lists_of_fixed_length_are_lists(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"image": ["a"], "captions": [["x", "y"]]}, schema_overrides={"captions": pl.Array(pl.String, 2)}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    assert accepted(read(tmp_path / "t.parquet"), "slot", "text") == [(0, "x"), (1, "y")]


@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9])
def test_file_that_is_cut_short_is_refused_whole(
    tmp_path: Path, write: Callable[[pl.DataFrame, io.BytesIO], None], share: float
) -> None:
    buffer = io.BytesIO()
    write(pl.DataFrame({"image": [str(n) for n in range(500)], "caption": ["a cat"] * 500}), buffer)
    whole = buffer.getvalue()
    with pytest.raises(SourceError, match="download it again"):
        read(written(tmp_path, whole[: max(8, int(len(whole) * share))], "t.arrow"))


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1" + bytes(40) + b"PAR1",
        b"ARROW1\0\0" + bytes(60),
        b"\xff\xff\xff\xff\x10\0\0\0" + bytes(16),
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\xff\xff\xff\xff\x10\0\0\0" + b"\xff" * 16,
    ],
)
def test_first_bytes_alone_make_no_table(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match=r"t\.bin: "):
        read(written(tmp_path, content, "t.bin"))


def test_parquet_inside_another_compression_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"image": ["a"], "caption": ["x"]}).write_parquet(buffer)
    with pytest.raises(SourceError, match="decompress it first"):
        read(written(tmp_path, gzip.compress(buffer.getvalue()), "t.parquet.gz"))


def test_parquet_with_more_rows_than_bytes_can_hold_is_refused(tmp_path: Path) -> None:
    count = 6_000_000
    pl.select(image=pl.repeat("a", count), caption=pl.repeat("a cat", count)).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(SourceError, match=r"6,000,000 rows in [\d,]+ bytes: damaged, or a zip bomb"):
        read(tmp_path / "t.parquet")


def stream(frame: pl.DataFrame) -> tuple[bytes, bytes]:
    """Give the schema of a stream, and what follows it up to the end mark."""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer)
    content = buffer.getvalue()
    length = 8 + int.from_bytes(content[4:8], "little")
    return content[:length], content[length:-8]


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
@pytest.mark.parametrize("at_once", [1, 1 << 23])
def test_stream_is_read_a_few_batches_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: pl.DataType, at_once: int
) -> None:
    texts = ["a cat", "a dog", "a boat"]
    frames = [
        pl.DataFrame({"image": [n], "caption": [text]}, {"image": pl.Int8, "caption": kind})
        for n, text in enumerate(texts)
    ]
    schema, _ = stream(frames[0])
    path = written(
        tmp_path, schema + b"".join(stream(frame)[1] for frame in frames) + b"\xff\xff\xff\xff\0\0\0\0", "t.arrow"
    )
    monkeypatch.setattr(columnar, "_AT_ONCE", at_once)
    assert accepted(read(path), "line", "image", "text") == [(n + 1, str(n), text) for n, text in enumerate(texts)]
    assert len(list(table.read(Part((path,))))) == (1 if kind == pl.String and at_once > 1 else 3)


def test_stream_without_its_end_mark_is_cut_short(tmp_path: Path) -> None:
    schema, batches = stream(pl.DataFrame({"image": ["a"], "caption": ["x"]}))
    with pytest.raises(SourceError, match=r"t\.arrow: truncated Arrow stream"):
        read(written(tmp_path, schema + batches, "t.arrow"))


# Saved folders


def test_saved_splits_are_splits(tmp_path: Path) -> None:
    frame = pl.DataFrame({"image": ["a", "b"], "caption": [["x", "y"], ["z"]]})
    saved(tmp_path / "set" / "train", frame)
    saved(tmp_path / "set" / "test", frame.with_columns(image=pl.col("image") + "t"))
    (tmp_path / "set" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    rows = read(tmp_path / "set")
    assert sources.guess(Part((tmp_path / "set",))) == "table"
    assert accepted(rows, "image", "slot", "split") == [
        ("a", 0, "train"),
        ("a", 1, "train"),
        ("b", 0, "train"),
        ("at", 0, "test"),
        ("at", 1, "test"),
        ("bt", 0, "test"),
    ]
    assert rows["source"].unique().sort().to_list()[-1] == "train/data-00001-of-00002.arrow"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", 'expected "_data_files"'),
        ('{"_data_files": ["x"]}', 'expected "_data_files"'),
        ('{"_data_files": [{"filename": "../other.arrow"}]}', "is not the name of a file in this folder"),
        ('{"_data_files": [{"filename": "none.arrow"}]}', "[Nn]o such file"),
        ('{"_data_files": [], "_indices_data_files": [{"filename": "i.arrow"}]}', "flatten_indices"),
        ('{"_data_files": []}', "holds no record"),
    ],
)
def test_folder_with_a_broken_state_is_refused(tmp_path: Path, state: str, words: str) -> None:
    (tmp_path / "state.json").write_text(state)
    with pytest.raises(SourceError, match=words):
        read(tmp_path)


@pytest.mark.parametrize("splits", ['["../.."]', "[]", '[""]', "[5]", '"train"'])
def test_folder_with_broken_splits_is_refused(tmp_path: Path, splits: str) -> None:
    (tmp_path / "dataset_dict.json").write_text(f'{{"splits": {splits}}}')
    with pytest.raises(SourceError, match=r"dataset_dict\.json"):
        read(tmp_path)


def test_a_second_list_of_records_is_refused_not_dropped(tmp_path: Path) -> None:
    row = {"image": "a", "caption": "a dog"}
    (tmp_path / "two.json").write_text(json.dumps({"mine": [row], "yours": [row, row]}))
    with pytest.raises(SourceError, match="lists 'mine' and 'yours' hold records of one kind"):
        read(tmp_path / "two.json")
    (tmp_path / "one.json").write_text(json.dumps({"rows": [row], "licenses": [{"id": 1}]}))
    assert read(tmp_path / "one.json").height == 1


# In the store, and real


def test_duplicate_images_of_lists_and_identifiers_are_refused_by_the_store(tmp_path: Path, store: Store) -> None:
    path = written(tmp_path, "image,caption,id\na,one,1\na,two,2\nb,three,2\n")
    source = Source("set", "captions", "table", (Part((path,), options={"caption_id_col": "id"}),))
    ingest_sources(store, [source], max_rejected=1)
    assert store.query("select line, reason from rejected").rows() == [(4, "id 2 occurs before")]


def test_coco_csv_holds_the_published_captions(data: Path) -> None:
    rows = read(sources.files.locate(data / "coco-val2014" / "coco_captions.train2017-subset.csv"), caption_id_col="id")
    assert rows.height == 25_349
    assert rows["reason"].null_count() == 25_349
    assert rows["image"].n_unique() == 5_068
    assert rows["identifier"].n_unique() == 25_349
    assert rows["line"].to_list() == sorted(rows["line"])


def test_prompts_with_line_breaks_stay_whole(data: Path) -> None:
    rows = read(sources.files.locate(data / "coco-val2014" / "coco_30k.csv"))
    assert rows.height == rows["image"].n_unique() == 30_000
    assert rows["reason"].null_count() == 30_000
    assert rows["text"].str.contains(r"[\r\n]").sum() == 97
    assert rows["line"].max() > 30_001


@pytest.mark.parametrize(
    ("slots", "read_as"),
    [
        (("2", "0", "1"), [2, 0, 1]),
        (("1", "1", "1"), [None] * 3),
        (("early", "late", "early"), [None] * 3),
        (("", "0", "1"), [None] * 3),
    ],
)
def test_column_slot_is_read_if_it_numbers_the_captions_of_an_image(
    tmp_path: Path, slots: tuple[str, ...], read_as: list[int | None]
) -> None:
    lines = [f"{image},{slot},{text}" for (image, text), slot in zip(ROWS, slots, strict=True)]
    rows = read(written(tmp_path, "\n".join(["image,slot,caption", *lines]) + "\n"))
    assert [slot for (slot,) in (accepted(rows, "slot") if "slot" in rows.columns else [(None,)] * 3)] == read_as
