"""Archives: their files come out as streams; whatever is damaged or meant to harm ends in one clear error."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import SourceError
from auditor.sources.reading import archives

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FILES = {"set/a.txt": b"a dog\n", "set/b.txt": b"a cat\n" * 300, "set/empty": b""}


def tarred(files: dict[str, bytes] = FILES, *odd: tarfile.TarInfo, **kind: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", **kind) as archive:
        folder = tarfile.TarInfo("set")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in odd:
            archive.addfile(entry)
    return stream.getvalue()


def zipped(files: dict[str, bytes] = FILES, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.mkdir("set")
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def walk(path: Path, content: bytes) -> list[tuple[int, str, bytes, str | None]]:
    path.write_bytes(content)
    return [(member.number, member.name, member.file.read(), member.fault) for member in archives.members(path)]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.mark.parametrize(
    "content",
    [tarred(), tarred(format=tarfile.GNU_FORMAT), gzip.compress(tarred()), zstd.compress(tarred()), zipped()],
    ids=["tar", "gnu tar", "tar.gz", "tar.zst", "zip"],
)
def test_archive_gives_its_files_in_order_whatever_its_name(archive: Path, content: bytes) -> None:
    expected = [(number, name, text, None) for number, (name, text) in enumerate(FILES.items(), 1)]
    assert walk(archive, content) == expected


@pytest.mark.parametrize("pack", [tarred, zipped])
@pytest.mark.parametrize("name", ["../up.txt", "/etc/rooted.txt", "a/../../b.txt", "..\\up.txt", "C:\\rooted.txt"])
def test_name_that_leads_out_has_a_fault_and_no_content(
    archive: Path, pack: Callable[[dict[str, bytes]], bytes], name: str
) -> None:
    found = walk(archive, pack({name: b"harm", "good.txt": b"fine"}))
    assert [(content, fault) for _, _, content, fault in found] == [
        (b"", "its name leads out of the archive"),
        (b"fine", None),
    ]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_of_a_tar_are_not_followed(archive: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("set/link.txt")
    entry.type, entry.linkname = kind, "set/a.txt"
    assert walk(archive, tarred(FILES, entry))[-1] == (4, "set/link.txt", b"", "a link or device")


def test_sparse_file_that_claims_to_be_huge_is_not_read(archive: Path) -> None:
    entry = tarfile.TarInfo("holes.txt")
    header = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"77777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    assert walk(archive, bytes(header) + bytes(1024)) == [(1, "holes.txt", b"", "a link or device")]


def test_link_of_a_zip_is_not_followed(archive: Path) -> None:
    entry = zipfile.ZipInfo("link.txt")
    entry.external_attr = 0o120777 << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr(entry, "/etc/hostname")
    assert walk(archive, stream.getvalue()) == [(1, "link.txt", b"", "a link")]


def test_name_that_is_not_utf8_has_a_fault_and_can_be_printed(archive: Path) -> None:
    content = tarred({"caf\udce9.txt": b"x"}, format=tarfile.GNU_FORMAT)
    assert walk(archive, content) == [(1, "caf\\xe9.txt", b"", "its name is not UTF-8")]


def test_refusal_names_the_member(archive: Path) -> None:
    archive.write_bytes(tarred({"../up.txt": b"harm"}))
    row = archives.refusal(archive, next(archives.members(archive))).row(0, named=True)
    assert row == {
        "source": "archive",
        "unit": "member",
        "line": 1,
        "reason": "../up.txt: its name leads out of the archive",
    }


@pytest.mark.parametrize("cut", [1, 300, 512, 700, 1024, 1030, 1536, 2048, 3000, 3900, 4300, 4608])
def test_truncated_tar_is_never_taken_for_a_whole_one(archive: Path, cut: int) -> None:
    with pytest.raises(SourceError, match="cannot be read as an archive"):
        walk(archive, tarred()[:cut])


@pytest.mark.parametrize("cut", [5, 100, -100, -12, -4, -1])
def test_truncated_gzip_of_a_tar_is_named(archive: Path, cut: int) -> None:
    with pytest.raises(SourceError, match="archive: "):
        walk(archive, gzip.compress(tarred())[:cut])


@pytest.mark.parametrize("cut", [5, 60, -60, -23, -1])
def test_truncated_zip_is_named(archive: Path, cut: int) -> None:
    with pytest.raises(SourceError, match="cannot be read as an archive"):
        walk(archive, zipped()[:cut])


def test_broken_header_does_not_end_a_tar_quietly(archive: Path) -> None:
    content = bytearray(tarred())
    content[content.index(b"set/b.txt")] = ord("X")
    with pytest.raises(SourceError, match="a header is broken: bad checksum"):
        walk(archive, bytes(content))


def test_tars_that_were_joined_are_not_half_read(archive: Path) -> None:
    with pytest.raises(SourceError, match="data after its end mark"):
        walk(archive, tarred() + tarred())


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06", b"no archive at all" * 100])
def test_file_that_is_no_archive_is_refused(archive: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match="cannot be read as an archive"):
        walk(archive, content)


def test_wrong_checksum_in_a_zip_is_met_where_the_file_is_read(archive: Path) -> None:
    content = zipped({"a.txt": b"a dog on a rug"}, zipfile.ZIP_STORED).replace(b"a dog on a rug", b"a cat on a rug")
    with pytest.raises(SourceError, match="Bad CRC-32"):
        walk(archive, content)


def test_encrypted_zip_is_refused(archive: Path) -> None:
    content = bytearray(zipped({"a.txt": b"a dog"}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(header) + flags] |= 1
    with pytest.raises(SourceError, match="encrypted"):
        walk(archive, bytes(content))


def test_zip_bomb_is_refused_before_it_is_unzipped(archive: Path) -> None:
    archive.write_bytes(zipped({"a.txt": bytes(100 << 20)}))
    with pytest.raises(SourceError, match="a zip bomb"):
        next(archives.members(archive))


def test_zip_whose_files_share_their_bytes_is_refused(archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("a.txt", bytes(60 << 20))
        opened.filelist += opened.filelist * 9
    with pytest.raises(SourceError, match="a zip bomb"):
        next(archives.members(archive))


def test_bomb_in_a_gzipped_tar_is_refused(archive: Path) -> None:
    archive.write_bytes(gzip.compress(tarred({"a.txt": bytes(100 << 20)})))
    with pytest.raises(SourceError, match="a zip bomb"):
        list(archives.members(archive))


def test_many_members_take_no_memory(archive: Path) -> None:
    archive.write_bytes(tarred({f"{number}.txt": b"a dog" for number in range(2_000)}))
    peaks = []
    for _ in range(3):  # what is imported at first use, or done by a thread of another test, is none of its own
        tracemalloc.start()
        assert sum(len(member.file.read()) for member in archives.members(archive)) == 10_000
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert min(peaks) < 1 << 20


def test_content_may_be_left_unread(archive: Path) -> None:
    archive.write_bytes(tarred())
    assert [member.name for member in archives.members(archive)] == list(FILES)


SMALL = {"a.txt": b"a dog", "long/" * 30 + "b.txt": b"a cat"}


@pytest.mark.parametrize(
    "content", [tarred(SMALL), gzip.compress(tarred(SMALL)), zipped(SMALL)], ids=["t", "gz", "zip"]
)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.binary(min_size=1, max_size=12))
def test_whatever_is_damaged_ends_well(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, place: float, byte: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    at = int(place * len(content.rstrip(b"\0")))
    try:
        found = walk(path, content[:at] + byte + content[at + len(byte) :])
    except SourceError:
        return
    assert all(isinstance(text, bytes) and (name.encode() or fault) for _, name, text, fault in found)


def test_nameless_member_of_a_zip_is_refused(archive: Path) -> None:
    assert [fault for *_, fault in walk(archive, zipped(SMALL).replace(b"a.txt", b"\0.txt"))] == [
        "it has no name",
        None,
    ]


@pytest.mark.parametrize(
    ("name", "start", "is_one"),
    [
        ("a", tarred(), True),
        ("a", zipped(), True),
        ("a.tar", b"", True),
        ("a.txt", b"a.jpg#0\tA dog .\n" * 40, False),
    ],
)
def test_archive_is_recognized_by_content(name: str, start: bytes, is_one: bool) -> None:
    assert archives.is_archive(Path(name), start) is is_one
