"""Delimited tables, and tables with typed columns: Parquet, Arrow, folders that Hugging Face saved."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from broken.case import Broken, as_json, frame_bytes, gz, repeated
from broken.whole import CSV, FRAME

PARQUET = frame_bytes(pl.DataFrame.write_parquet, FRAME)
ARROW = frame_bytes(pl.DataFrame.write_ipc, FRAME)
STREAM = frame_bytes(pl.DataFrame.write_ipc_stream, FRAME)
PACKED = frame_bytes(lambda frame, file: frame.write_ipc_stream(file, compression="zstd"), pl.concat([FRAME] * 50))
PACKED_FILE = frame_bytes(lambda frame, file: frame.write_ipc(file, compression="zstd"), pl.concat([FRAME] * 50))
WHOLE: Mapping[str, tuple[str, bytes]] = {
    "Parquet": ("a.parquet", PARQUET),
    "Arrow": ("a.arrow", ARROW),
    "an Arrow stream": ("a.arrows", STREAM),
}


def _csv(name: str, rows: bytes, says: str, rejected: int = 1, captions: int = 3, **more: Any) -> Broken:
    return Broken(f"table: {name}", "table", {"a.csv": CSV + rows}, says, captions, rejected, **more)


def _refused(name: str, content: bytes, says: str, *arguments: str, file: str = "a.csv", code: int = 3) -> Broken:
    return Broken(f"table: {name}", "table", {file: content}, says, arguments=arguments, code=code)


def _overwritten(content: bytes, at: int, number: int) -> bytes:
    return content[:at] + struct.pack("<q", number) + content[at + 8 :]


def _declaring(number: int, content: bytes = PACKED) -> bytes:
    """Let the first packed buffer of an Arrow file declare to unpack to a number of bytes."""
    first = content.index(b"\x28\xb5\x2f\xfd") - 8
    return _overwritten(content, first, number)


def _footed(content: bytes, length: int) -> bytes:
    return content[:-8] + struct.pack("<I", length) + content[-4:]


def _rows_bomb(path: Path) -> None:
    pl.DataFrame({"image": ["a.jpg"], "caption": ["A dog ."]}).select(
        pl.all().repeat_by(20_000_000).explode()
    ).write_parquet(path)


def _text_bomb(path: Path, write: Callable[[pl.DataFrame, Path], object]) -> None:
    """Say a long caption once, and that it is the caption of every row."""
    caption = pl.Series("caption", ["a dog " * 20_000], pl.Categorical)
    frame = pl.DataFrame({"image": ["a.jpg"]}).with_columns(caption)
    write(frame.select(pl.all().repeat_by(100_000).explode()), path)


def _zeros(path: Path, compression: Any) -> None:
    """Pack a text of 128 MiB of the same letter."""
    frame = pl.DataFrame({"image": ["a.jpg"], "caption": ["a" * (1 << 27)]})
    frame.write_parquet(path, compression=compression, statistics=False)


def _saved(path: Path, state: bytes, **files: bytes) -> None:
    path.mkdir()
    (path / "state.json").write_bytes(state)
    for name, content in files.items():
        (path / f"{name}.arrow").write_bytes(content)


def _folder(name: str, state: bytes, says: str, **files: bytes) -> Broken:
    return Broken(f"table: a saved folder {name}", "table", {"saved": lambda path: _saved(path, state, **files)}, says)


DELIMITED: tuple[Broken, ...] = (
    _csv("a row with a field less", b"x.jpg\n", r"a\.csv:5: 1 fields; the header has 2"),
    _csv("a row with a field more", b"x.jpg,\"A dog\",more\n", r"a\.csv:5: 3 fields; the header has 2"),
    _csv("a quote without end", b'x.jpg,"A dog .\ny.jpg,A cat .\n', r"a\.csv:5: not a record of a delimited table", captions=4),
    _csv("a quote in the middle of a field", b'x.jpg,"A "big" dog ."\n', r"a\.csv:5: not a record of a delimited table"),
    _csv("an empty caption", b"x.jpg,\n", r"a\.csv:5: (empty|no) caption"),
    _csv("a blank caption in quotes", b'x.jpg,"  "\n', r"a\.csv:5: empty caption"),
    _csv("no image", b",A dog .\n", r"a\.csv:5: no image"),
    _csv("a NUL in a caption", b"x.jpg,A \0 dog\n", r"a\.csv:5: (contains a NUL character|not a record|line contains NUL)"),
    _csv("a byte that is not UTF-8", b"x.jpg,caf\xe9\n", r"a\.csv:5: not UTF-8"),
    _csv("a caption of 10 MB", b"x.jpg," + b"a dog " * 1_700_000 + b"\n", r"a\.csv:5: longer than 1,048,576"),
    _csv("a caption of 10 MB in quotes, over many lines", b'x.jpg,"' + b"a dog\n" * 1_700_000 + b'"\n', r"a\.csv:5: longer than 1,048,576"),
    _refused("a header and nothing else", b"image,caption\n", "it holds no record"),
    _refused("columns of other names", b"a,b\nx,A dog .\n", r'a\.csv:1: no column "image"; the columns are a, b; set --image-col'),
    _refused("a column twice", b"image,caption,caption\na.jpg,A,B\n", r'a\.csv:1: column "caption" occurs 2 times'),
    _refused("another delimiter than it has", CSV, r"a\.csv:1: no column", "--option", "delimiter=;"),
    _refused("swapped columns", b"caption,image\na.jpg,A dog .\nb.jpg,A cat .\n", "names of image files: are columns swapped"),
    Broken("table: a list that Python cannot read", "table", {"a.csv": b"image,caption\na.jpg,\"['A dog .', 'A cat .']\"\nb.jpg,\"['A dog .', 'A]\"\n"}, r"a\.csv:3: caption is not a", captions=2, rejected=1),
    _refused("a column that is not there", CSV, r'a\.csv:1: no column "text"', "--caption-col", "text"),
    _refused("an unknown option", CSV, 'has no option color', "--option", "color=red", code=2),
    _refused("an option without a value", CSV, "expected KEY=VALUE", "--option", "delimiter", code=2),
    _refused("a delimiter of two characters", CSV, "delimiter must be one character", "--option", "delimiter=ab", code=2),
    _refused("an option that is true", CSV, "must be the name of a column", "--option", "split_col=true", code=2),
    _refused("lang_col without lang", CSV, "lang_col needs option lang", "--option", "lang_col=caption", code=2),
    _refused("a language that no row has", b"image,caption,lang\na.jpg,A,en\n", 'no row has the language "xx"', "--option", "lang=xx"),
    _refused("a header of 17 MiB", b"image," + b"a" * (17 << 20), r"a\.csv:1: a line longer than 16 MiB"),
    _refused("control characters in the header", b"\x1b]0;x\x07a,b\x0b\nx.jpg,A\n", r"a\.csv:1: no column"),
    Broken("table: a line without end", "table", {"a.csv": repeated(b"a" * (1 << 20), 200, CSV)}, r"a\.csv:5: a line longer than 16 MiB", dangerous=True),
    Broken("table: a hundred thousand quotes without end", "table", {"a.csv": repeated(b'x.jpg,"A dog .\n' * 1000, 100, CSV)}, "records were (refused|rejected)|not of format", dangerous=True),
    Broken("table: a gz bomb", "table", {"a.csv": repeated(b"x.jpg," + b"a" * (1 << 20) + b"\n", 90, CSV, packed="gz")}, "expands to more than 200 times", dangerous=True),
    Broken("table: a row of 15 million fields", "table", {"a.csv": repeated(b"," * 1_000_000, 15, CSV, b"\n")}, r"a\.csv:5: 15000001 fields; the header has 2", captions=3, rejected=1, dangerous=True),
    Broken("table: a hundred thousand columns", "table", {"a.csv": b"image,caption" + b",x" * 100_000 + b"\na.jpg,A dog .\n"}, r"a\.csv:2: 2 fields; the header has 100,?002|refused"),
)  # fmt: skip

TYPED: tuple[Broken, ...] = (
    *(Broken(f"table: {name} that was cut at its end", "table", {file: content[:-20]}, f"{file}: .*([Tt]runcated|damaged)") for name, (file, content) in WHOLE.items()),
    *(Broken(f"table: {name} that was cut in its middle", "table", {file: content[: len(content) // 2]}, f"{file}: .*([Tt]runcated|damaged)") for name, (file, content) in WHOLE.items()),
    *(Broken(f"table: {name} of its first bytes only", "table", {file: content[:10]}, f"{file}: ") for name, (file, content) in WHOLE.items()),
    *(Broken(f"table: {name} inside a gzip", "table", {file: gz(content)}, "a compressed Parquet or Arrow file; decompress it first") for name, (file, content) in WHOLE.items()),
    *(Broken(f"table: {name} with zeros in its middle", "table", {file: content[:40] + bytes(len(content) - 80) + content[-40:]}, f"{file}: ") for name, (file, content) in WHOLE.items()),
    Broken("table: a Parquet footer longer than its file", "table", {"a.parquet": _footed(PARQUET, 1 << 31)}, r"a\.parquet: damaged or truncated Parquet file \(no footer\)"),
    Broken("table: a Parquet footer of nothing", "table", {"a.parquet": _footed(PARQUET, 0)}, r"a\.parquet: damaged or truncated Parquet file"),
    Broken("table: an Arrow footer longer than its file", "table", {"a.arrow": ARROW[:-10] + b"\xff\xff\xff\x7f" + ARROW[-6:]}, r"a\.arrow: damaged or truncated Arrow file \(no footer\)"),
    Broken("table: an Arrow message that declares 4 EiB", "table", {"a.arrows": _declaring(1 << 62)}, r"a\.arrows: expands to more than 200 times", dangerous=True),
    Broken("table: an Arrow message that declares 16 GiB", "table", {"a.arrows": _declaring(1 << 34)}, r"a\.arrows: expands to more than 200 times", dangerous=True),
    Broken("table: an Arrow message that declares less than nothing", "table", {"a.arrows": _declaring(-2)}, r"a\.arrows: expands to more than 200 times"),
    Broken("table: an Arrow file that declares 16 GiB", "table", {"a.arrow": _declaring(1 << 34, PACKED_FILE)}, r"a\.arrow: expands to more than 200 times", dangerous=True),
    Broken("table: Parquet without columns that serve", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"a": [1], "b": [2]}))}, r'a\.parquet: no column "image"; the columns are a, b'),
    Broken("table: Parquet with captions that are numbers", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a"], "caption": [2]}))}, r'a\.parquet: column "caption" cannot be read as caption'),
    Broken("table: Parquet without rows", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, FRAME.clear())}, "it holds no record"),
    Broken("table: Parquet with a null caption", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a", "b"], "caption": ["A .", None]}))}, r"a\.parquet:2: no caption", captions=1, rejected=1),
    Broken("table: Parquet with bytes that are no text", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a", "b"], "caption": [b"A .", b"\xff"]}))}, r"a\.parquet:2: caption is not UTF-8", captions=1, rejected=1),
    Broken("table: Parquet with an image that is NaN", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": [1.0, float("nan")], "caption": ["A .", "B ."]}))}, r"a\.parquet:2: no image", captions=1, rejected=1),
    Broken("table: Parquet with a caption of 10 MB", "table", {"a.parquet": frame_bytes(pl.DataFrame.write_parquet, pl.DataFrame({"image": ["a", "b"], "caption": ["A .", "a dog " * 1_700_000]}))}, r"a\.parquet:2: longer than 1,048,576", captions=1, rejected=1),
    Broken("table: Parquet of 20 million equal rows", "table", {"a.parquet": _rows_bomb}, r"a\.parquet: (declares 20,000,000 rows in|expands to more than)", dangerous=True),
    Broken("table: Parquet with 12 GB of equal captions", "table", {"a.parquet": lambda path: _text_bomb(path, pl.DataFrame.write_parquet)}, r"a\.parquet: expands to more than 200 times", dangerous=True),
    Broken("table: Arrow with 12 GB of equal captions", "table", {"a.arrow": lambda path: _text_bomb(path, pl.DataFrame.write_ipc)}, r"a\.arrow: expands to more than 200 times", dangerous=True),
    Broken("table: an Arrow stream with 12 GB of equal captions", "table", {"a.arrows": lambda path: _text_bomb(path, pl.DataFrame.write_ipc_stream)}, r"a\.arrows: expands to more than 200 times", dangerous=True),
    Broken("table: Parquet with a caption of 128 MiB", "table", {"a.parquet": lambda path: _zeros(path, "zstd")}, r"a\.parquet: expands to more than 200 times", dangerous=True),
    Broken("table: a TIFF that says it is Parquet", "table", {"a.parquet": b"PAR1" + b"II*\0" * 20}, r"a\.parquet: damaged or truncated Parquet file"),
    Broken("table: CSV that says it is Parquet", "table", {"a.parquet": b"NOPE"}, r"a\.parquet"),
    _folder("with a state that is no JSON", b"{", r"state\.json: not JSON"),
    _folder("with a state that is a list", b"[]", r"state\.json: not a JSON object"),
    _folder("with a state nested 200,000 deep", b"[" * 200_000, r"state\.json: not JSON"),
    _folder("whose file is outside", as_json({"_data_files": [{"filename": "../../etc/passwd"}]}), "is not the name of a file in this folder"),
    _folder("whose file has an absolute name", as_json({"_data_files": [{"filename": "/etc/passwd"}]}), "is not the name of a file in this folder"),
    _folder("whose file has a NUL in its name", as_json({"_data_files": [{"filename": "a\0b"}]}), "is not the name of a file in this folder"),
    _folder("whose file has a very long name", as_json({"_data_files": [{"filename": "a" * 400}]}), "File name too long|no such file"),
    _folder("whose file is not there", as_json({"_data_files": [{"filename": "a.arrow"}]}), r"a\.arrow: [Nn]o such file"),
    _folder("whose file is itself", as_json({"_data_files": [{"filename": "."}]}), "is not the name of a file in this folder"),
    _folder("whose file is the state", as_json({"_data_files": [{"filename": "state.json"}]}), r"state\.json"),
    _folder("whose file is cut", as_json({"_data_files": [{"filename": "a.arrow"}]}), r"a\.arrow: truncated Arrow stream", a=STREAM[:-30]),
    _folder("whose rows are chosen elsewhere", as_json({"_data_files": [], "_indices_data_files": [{"filename": "i.arrow"}]}), "flatten_indices"),
    Broken("table: a saved folder of splits that lead out", "table", {"saved": lambda path: (path.mkdir(), (path / "dataset_dict.json").write_bytes(as_json({"splits": ["../x"]})))}, "is not the name of a file in this folder"),
    Broken("table: a saved folder with a pipe in it", "table", {"saved": lambda path: (_saved(path, as_json({"_data_files": [{"filename": "p"}]})), __import__("os").mkfifo(path / "p"))}, "neither a file nor a folder"),
)  # fmt: skip

CASES = (*DELIMITED, *TYPED)
