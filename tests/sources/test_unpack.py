"""One member of an archive that was fetched is unpacked; a link chooses nothing."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from auditor.errors import SourceError
from auditor.sources.download import unpack


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "set.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        plain, link = tarfile.TarInfo("set/a.txt"), tarfile.TarInfo("set/link.txt")
        plain.size = 6
        link.type, link.linkname = tarfile.SYMTYPE, "a.txt"
        packed.addfile(plain, io.BytesIO(b"a dog\n"))
        packed.addfile(link)
    return path


def test_a_plain_file_of_a_tar_is_unpacked(archive: Path, tmp_path: Path) -> None:
    unpack(archive, "set/a.txt", tmp_path / "a.txt", "https://x/set.tar.gz")
    assert (tmp_path / "a.txt").read_bytes() == b"a dog\n"


@pytest.mark.parametrize(
    ("member", "fault"),
    [("set/link.txt", "is not a regular file"), ("b.txt", r"b\.txt"), ("set", "set")],
)
def test_a_link_or_a_file_that_is_not_there_is_refused(archive: Path, tmp_path: Path, member: str, fault: str) -> None:
    with pytest.raises(SourceError, match=rf"https://x/set\.tar\.gz: .*{fault}"):
        unpack(archive, member, tmp_path / "out", "https://x/set.tar.gz")


def test_a_file_of_a_zip_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as packed:
        packed.writestr("set/a.txt", "a dog")
    unpack(tmp_path / "set.zip", "set/a.txt", tmp_path / "a.txt", "https://x/set.zip")
    assert (tmp_path / "a.txt").read_text() == "a dog"
