"""Files as users name them: patterns, standard input, and what is taken for what."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from broken.case import flickr

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import coco
from auditor.sources.reading import files


def test_files_of_a_pattern_stand_in_the_order_in_which_people_count(tmp_path: Path) -> None:
    names = ["reference0", "reference2", "reference10", "reference010b", "référence1", "x2y10", "x2y9"]
    for name in names:
        (tmp_path / name).touch()
    found = [path.name for path in files.expand(Part((tmp_path / "r*[0-9]",)))]
    assert found == ["reference0", "reference2", "reference10", "référence1"]
    assert [path.name for path in files.expand(Part((tmp_path / "x*",)))] == ["x2y9", "x2y10"]


def test_numbers_that_are_equal_but_not_written_so_keep_one_order(tmp_path: Path) -> None:
    for name in ("a1", "a01", "a001"):
        (tmp_path / name).touch()
    assert [path.name for path in files.expand(Part((tmp_path / "a*",)))] == ["a001", "a01", "a1"]


def test_pattern_that_is_the_name_of_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a[1].token").touch()
    (tmp_path / "a1.token").touch()
    assert files.expand(Part((tmp_path / "a[1].token",))) == [tmp_path / "a[1].token"]


RECORD = {"image": "a.jpg", "caption": "A kite .", "info": {"width": 1}, "licenses": [{"id": 1}]}


@pytest.mark.parametrize(
    ("content", "file_format"),
    [
        (json.dumps(RECORD) + "\n" + json.dumps(RECORD) + "\n", "table"),
        (json.dumps(RECORD), "table"),
        (json.dumps({"info": {}, "images": [{"id": 1}], "annotations": [{"caption": "A kite ."}]}), "coco"),
        (json.dumps({"info": {}, "images": [{"id": 1}], "annotations": []}, indent=1), "coco"),
        ("\ufeff" + json.dumps({"annotations": [{"image_id": 1, "caption": "A kite ."}]}) + "\n", "coco"),
    ],
)
def test_lines_of_records_with_keys_of_coco_are_a_table(tmp_path: Path, content: str, file_format: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    assert sources.guess(Part((path,))) == file_format


@pytest.mark.parametrize(
    ("head", "recognized"),
    [
        (b'{"info": {"year": 2014}, "images": [{"id": 1, "file_na', True),
        (b'{"images": [{"id": 1}], "annot', True),
        (b'{"id": 3, "images": ["a.jpg", "b.jpg"], "text": "A k', False),
        (b'{"id": 3, "licenses": "CC BY", "text": "A k', False),
    ],
)
def test_coco_recognizes_only_lists_of_objects(head: bytes, recognized: bool) -> None:
    assert coco.recognizes(Path("a.json"), head) is recognized


def ingest(folder: Path, how: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, which knows ways to give standard input that Python does not."""
    line = f'exec "{sys.executable}" -m auditor ingest mine --json {how}'
    done = subprocess.run(["sh", "-c", line], cwd=folder, input=stdin, capture_output=True, check=False)
    return subprocess.CompletedProcess(line, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.store
@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0"])
def test_standard_input_is_read_under_all_its_names(name: str, tmp_path: Path) -> None:
    done = ingest(tmp_path, f"--from {name}", flickr(4))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["auditor.ingest/v3"]["rows"][0]["captions"] == 4


@pytest.mark.store
def test_standard_input_that_is_closed_is_named(tmp_path: Path) -> None:
    done = ingest(tmp_path, "--from - <&-")
    assert (done.returncode, done.stderr) == (3, "error: -: standard input is closed\n")


@pytest.mark.parametrize("name", ["a\0b", "a\0*"])
def test_name_with_a_nul_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"null (byte|character)|no file matches"):
        files.expand(Part((tmp_path / name,)))


def test_address_is_not_read_as_a_file() -> None:
    for find in (files.locate, lambda path: files.expand(Part((path,)))):
        with pytest.raises(SourceError, match=r"https://example\.org/a\.json: an address cannot be read here"):
            find(Path("https://example.org/a.json"))


def test_missing_file_names_the_folder_where_it_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=re.escape(f"captions.csv.gz) in {tmp_path};")):
        files.locate(Path("captions.csv"))
