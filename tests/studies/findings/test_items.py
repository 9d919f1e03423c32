"""Findings name what the captions of a dataset describe: images, sounds, videos."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.findings.wording import kind_for, worded
from auditor.store.connection import Store
from auditor.studies.findings import findings
from auditor.studies.ingest.study import ingest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An image has one caption of another image.", "A sound has one caption of another sound."),
        ("Images: 3 of 5 images", "Sounds: 3 of 5 sounds"),
        ("captions “of an image” and `--image-col`", "captions “of an image” and `--image-col`"),
        ("the imagery of image-1.jpg", "the imagery of image-1.jpg"),
    ],
)
def test_image_becomes_the_word_of_the_dataset_outside_of_quotes(text: str, expected: str) -> None:
    assert worded(text, "sound") == expected
    assert worded(text, "image") == text


@pytest.mark.parametrize(("ending", "item"), [("wav", "sound"), ("mp4", "video"), ("jpg", "image")])
def test_names_of_files_decide_on_the_word(store: Store, tmp_path: Path, ending: str, item: str) -> None:
    rows = (
        f"{n}.{ending},I think we should go there now number {n}\n{n}.{ending},a bell rings {n}\n" for n in range(30)
    )
    (tmp_path / "c.csv").write_text("file,caption\n" + "".join(rows))
    ingest(store, "set", files=[tmp_path / "c.csv"], config={})
    found = findings(store, "set", captions_only=True)
    (finding,) = found.found("first-person-captions")
    assert f"visible in the {item}" in kind_for(finding).consequence
    assert finding.record().get("item", "image") == item


def test_declared_word_wins(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("file,caption\n" + "".join(f"{n},I think so now {n}\n" for n in range(30)))
    (tmp_path / "datasets.toml").write_text('[set]\nformat = "table"\npath = "c.csv"\nitem = "melody"\n')
    ingest(store, "set", files=[tmp_path / "c.csv"], config={})
    found = findings(store, "set", config=tmp_path / "datasets.toml")
    (finding,) = found.found("first-person-captions")
    assert finding.item == "melody"
