"""Files made to cost more than they weigh, or to hold up: broken quotes, thousands of files, pipes, changes meanwhile."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
import tracemalloc
from pathlib import Path

import polars as pl
import pytest
from broken.arrays import WHOLE as VECTORS
from broken.tables import PACKED_FILE
from conftest import asked
from hypothesis import given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part, Source
from auditor.sources.reading import batches, delimited
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources


def records(content: str) -> list[tuple[object, ...]]:
    return list(delimited.records(io.BytesIO(content.encode()), Path("q.csv"), ",", padded=False))


def naive(content: str) -> list[tuple[object, ...]]:
    """Go back to the next line after each broken record, whatever it costs."""
    lines = content.splitlines(keepends=True)
    found: list[tuple[object, ...]] = []
    at = 0
    while at < len(lines):
        taken: list[str] = []
        rest = (taken.append(line) or line for line in lines[at:])  # type: ignore[func-returns-value]
        try:
            fields = next(csv.reader(rest, strict=True))
        except csv.Error:
            found.append((at + 1, lines[at].rstrip("\n"), False))
            at += 1
            continue
        if fields:
            found.append((at + 1, "".join(taken).rstrip("\n"), True, *fields))
        at += len(taken)
    return found


@given(st.lists(st.sampled_from(['"', '""', ",", "\n", "x", '",', ',"', '"\n', "\n\n"]), max_size=40).map("".join))
def test_records_among_broken_quotes_are_those_of_reading_on_from_the_next_line(content: str) -> None:
    assert [(line, text, reason is None, *fields) for line, text, reason, *fields in records(content)] == naive(content)


def test_each_line_is_read_twice_at_most_however_many_quotes_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()
    take = delimited.Lines.__next__

    def counted(lines: delimited.Lines) -> str:
        next(calls)
        return take(lines)

    monkeypatch.setattr(delimited.Lines, "__next__", counted)
    found = records("image,caption\n" + '",x",",\n' * 2000)
    assert len(found) == 2001
    assert all(reason is not None for _, _, reason, *_ in found[1:])
    assert next(calls) < 3 * 2001


def test_quote_that_never_closes_holds_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_LONGEST_LINE", 1 << 17)
    content = io.BytesIO(b'image,caption\na.jpg,"A dog\n' + b"b.jpg,A cat on a mat\n" * 30_000)
    tracemalloc.start()
    try:
        rows = delimited.records(content, Path("q.csv"), ",", padded=False)
        broken = [row for row in rows if row[2] is not None]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert broken == [(2, 'a.jpg,"A dog', broken[0][2])]
    assert "a quote is not closed within" in str(broken[0][2])
    assert peak < 3 << 20


def test_table_of_blank_lines_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_MOST_BLANK", 10)
    assert len(records("image,caption\n" + "a,b\n\n" * 50)) == 51
    with pytest.raises(SourceError, match=r"q\.csv:13: a million more empty lines"):
        records("image,caption\n" + "\n" * 50)


@pytest.mark.parametrize(
    ("whole", "at", "value", "name"), [(PACKED_FILE, 378, 1, "a.arrow"), (VECTORS["Parquet"][1], 192, 0, "v.parquet")]
)
def test_panic_of_polars_is_an_error_of_one_line(
    whole: bytes, at: int, value: int, name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(whole)
    content[at] = value
    (tmp_path / name).write_bytes(content)
    assert asked("ingest", "x", "--from", name) == 3
    assert re.fullmatch(r"error: .* can be read: the file is damaged; download it again\n", capfd.readouterr().err)


def test_parquet_page_that_declares_more_than_the_footer_is_refused(tmp_path: Path) -> None:
    """Whoever believes the footer asks for the memory that the page declares."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"image": ["a"], "caption": ["a" * (1 << 20)]}).write_parquet(path, statistics=False)
    content, mib, mib_128 = path.read_bytes(), b"\x88\x80\x80\x01", b"\xfe\xff\xff\x7f"  # Thrift's numbers
    assert content.count(mib) == 1
    path.write_bytes(content.replace(mib, mib_128))
    assert len(content) < 1000
    with pytest.raises(SourceError, match=r"a\.parquet: expands to more than 200 times its size"):
        list(sources.read(Part((path,)), "table"))


def test_files_of_one_row_are_read_in_few_batches(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"part-{number}.csv").write_text(f"image,caption\n{number}.jpg,a dog\n")
    batches = list(sources.read(Part((tmp_path / "*.csv",)), "table"))
    assert [batch.height for batch in batches] == [300]
    assert batches[0]["source"].to_list()[:3] == ["part-0.csv", "part-1.csv", "part-2.csv"]


@pytest.mark.parametrize("how", ["another file", "the same time"])
def test_file_that_changes_while_another_is_read_is_seen(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    first, second, third = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    first.write_text("image,caption\na,one\na,two\n")
    second.write_text("image,caption\nb,old\n")
    third.write_text("image,caption\nb,new\n")
    source = Source("q", "captions", "table", (Part((first,)), Part((second,))))

    def replace(_: str, done: int, __: int) -> None:
        if not done:
            return  # the step begins, and no file is watched yet
        if how == "another file" and third.exists():
            third.rename(second)
        elif how != "another file":
            written = second.stat().st_mtime_ns
            second.write_text("image,caption\nb,new\n")
            os.utime(second, ns=(written, written))

    with pytest.raises(SourceError, match=r"b\.csv: changed while it was being read"):
        ingest_sources(store, [source], progress=replace)
    assert store.query("select count(*) from version").item() == 0


@pytest.mark.parametrize(
    ("name", "file_format"),
    [("/proc/self/environ", "flickr"), ("/proc/self/[e]nviron", "flickr"), ("/proc/kmsg", "table")],
)
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc here")
def test_file_that_the_kernel_makes_is_refused(store: Store, name: str, file_format: str) -> None:
    with pytest.raises(SourceError, match=r"/proc/.*: a virtual file of the kernel"):
        ingest_sources(store, [Source("q", "captions", file_format, (Part((Path(name),)),))])


@pytest.mark.parametrize("name", ["state.json", "dataset_dict.json"])
def test_saved_folder_with_a_pipe_in_it_does_not_wait(store: Store, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(SourceError, match=r"state\.json: (neither a file nor a folder|no such file)"):
        ingest_sources(store, [Source("q", "captions", "table", (Part((tmp_path,)),))])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("file_format", ["brown", ""])
def test_folder_that_may_not_be_entered_is_named(store: Store, tmp_path: Path, file_format: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "open").write_text("a/at dog/nn\n")
    closed.chmod(0)
    place = tmp_path if file_format else closed
    try:
        with pytest.raises(SourceError, match=r"closed.*: Permission denied"):
            ingest_sources(store, [Source("q", "corpus", file_format, (Part((place,)),))])
    finally:
        closed.chmod(0o700)
