"""A report reads the images that its examples name, and is as before where there are none to read."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ingest_rows, searching_for

from auditor import reports
from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.model import Source
from auditor.result.document import Document
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report

Image = pytest.importorskip("PIL.Image", reason="Pillow is not here: pip install 'auditor[images]'")

SETTINGS: dict[str, Any] = {"settings": ReportSettings(("bleu-1",)), "resamples": 0}

ROWS = [
    (f"{number}.jpg", slot, f"a {word} dog runs" + " far" * slot + (" " if slot else " <b>"))
    for number, word in enumerate(("red", "blue", "tall", "old"))
    for slot in (0, 1, 2)
] + [("4.jpg", slot, "image unavailable") for slot in (0, 1)]


@pytest.fixture(autouse=True)
def _search_for_what_is_in_the_rows() -> Iterator[None]:
    with searching_for("placeholders", "markup"):
        yield


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(5):
        Image.new("RGB", (60, 40), (40 * number, 80, 90)).save(folder / f"{number}.jpg")
    return folder


def made(
    store: Store,
    place: Path | None,
    sections: Sequence[str] = ("findings", "bounds", "duplicates", "consensus", "people"),
) -> Document:
    declared = {"set": Source("set", "captions", "list", (), image_files=place)}
    return report(store, "set", **SETTINGS, config=declared, timed=False, sections=[*sections])


def html(document: Document) -> str:
    return reports.DOCUMENT_FORMATS["html"](document)


def test_examples_of_findings_and_tables_have_their_pictures(store: Store, photos: Path) -> None:
    ingest_rows(store, ROWS, "set")
    document = made(store, photos)
    named = {str(one["image"]) for part in document.sections for found in part.findings for one in found.examples}
    listed = {
        image
        for part in document.sections
        for table in (*part.tables, *part.further)
        for _, _, images in table.pictured
        for image in images
    }
    assert "4.jpg" in named
    assert listed == {f"{number}.jpg" for number in range(5)}
    assert {image for _, image in document.pictures.shown} == named | listed
    page = html(document)
    assert page.count("<img ") > len(named)
    assert page == html(made(store, photos))


def test_without_a_place_nothing_changes(store: Store, photos: Path) -> None:
    ingest_rows(store, ROWS, "set")
    before, after = made(store, None), made(store, photos)
    assert "<img " not in html(before)
    assert "Pictures" not in html(before)
    for name in ("md", "latex", "json"):
        assert reports.DOCUMENT_FORMATS[name](before) == reports.DOCUMENT_FORMATS[name](after)


def test_folder_that_is_not_there_is_said_and_nothing_else_changes(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, ROWS, "set")
    page = html(made(store, tmp_path / "nowhere" / "photos"))
    said = "Examples of set have no images: nowhere/photos: no such folder"
    assert page.replace(f'<ul class="notes">\n<li dir="auto">{said}</li>\n</ul>\n', "", 1) == html(made(store, None))


def test_without_pillow_the_page_says_what_to_install(
    store: Store, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_rows(store, ROWS, "set")
    monkeypatch.setitem(sys.modules, "auditor.sources.pictures.shrinking", None)
    page = html(made(store, photos))
    assert "<img " not in page
    assert "Examples of set have no images: Pillow is not installed: pip install &#x27;auditor[images]&#x27;" in page


def test_files_that_are_no_pictures_are_named(store: Store, photos: Path) -> None:
    ingest_rows(store, ROWS, "set")
    (photos / "4.jpg").write_bytes(b"<script>alert(1)</script>")
    (photos / "3.jpg").unlink()
    page = html(made(store, photos))
    assert "set: 4.jpg is left out: not an image, or of an unsupported format" in page
    assert "set: no file found for 1 image: 3.jpg" in page


def test_images_are_no_part_of_a_version(tmp_path: Path, photos: Path) -> None:
    versions = []
    (tmp_path / "set.json").write_text('[{"image_id": 1, "caption": "a dog"}, {"image_id": 1, "caption": "the dog"}]')
    for number, more in enumerate(("", 'images = "photos"\n', 'images = { count = 1, path = "none" }\n')):
        (tmp_path / "datasets.toml").write_text(f'[set]\nformat = "list"\npath = "set.json"\n{more}')
        path = tmp_path / f"{number}.duckdb"
        app(["ingest", "set", "--store", str(path)], standalone_mode=False)
        with Store.open(path) as store:
            versions.append(resolve(store, "set").version.version)
    assert len(set(versions)) == 1
    assert photos.is_dir()


def test_undeclared_dataset_has_the_images_that_a_table_adds(store: Store, photos: Path, tmp_path: Path) -> None:
    ingest_rows(store, ROWS, "set")
    config = tmp_path / "datasets.toml"
    config.write_text('[set]\nimages = "photos/*.jpg"\n')
    document = report(store, "set", **SETTINGS, config=config, sections=["findings"], timed=False)
    assert document.pictures.datasets == {"set"}
    assert document.pictures.shown
    config.write_text("[set]\nimages = { folder = 1 }\n")
    with pytest.raises(UsageError, match=r"\[set\]: images must be a whole number, a folder or pattern"):
        report(store, "set", **SETTINGS, config=config, sections=["findings"], timed=False)


def test_pictures_are_as_many_as_are_read_at_most(store: Store, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.studies.report.study._MOST", 2)
    ingest_rows(store, ROWS, "set")
    document = made(store, photos)
    assert len(document.pictures.shown) == 2
    cards = [str(one["image"]) for card in document.cards for one in card.examples]
    assert {image for _, image in document.pictures.shown} >= set(cards[:1])
    assert "at most 2 images" in html(document)


def test_numbers_of_images_find_the_files_of_coco(store: Store, tmp_path: Path) -> None:
    Image.new("RGB", (20, 20)).save(tmp_path / "COCO_val2014_000000391895.jpg")
    ingest_rows(
        store, [("391895", 0, "no caption"), ("391895", 1, "a man"), ("7", 0, "a dog"), ("7", 1, "a cat")], "set"
    )
    document = made(store, tmp_path, sections=["findings"])
    assert [*document.pictures.shown] == [("set", "391895")]


def test_document_is_a_record_still(store: Store, photos: Path) -> None:
    ingest_rows(store, ROWS, "set")
    document = made(store, photos, sections=["findings"])
    assert dataclasses.replace(document, pictures=document.pictures) == document
    assert "jpeg" not in document.to_json()
