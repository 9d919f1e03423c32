"""Findings name what the captions of a dataset describe: images, sounds, videos."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import searching_for

from auditor.config import sources
from auditor.findings.wording import kind_for, worded
from auditor.reports import document_text
from auditor.store.connection import Store
from auditor.studies.findings import findings
from auditor.studies.ingest.study import ingest
from auditor.studies.profile import profile
from auditor.studies.report import report


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
    found = findings(store, "set", kinds=["first-person-captions"])
    (finding,) = found.found("first-person-captions")
    assert f"visible in the {item}" in kind_for(finding).consequence
    assert finding.record().get("item", "image") == item


@searching_for("meta-sentences", "captions-at-several-images", "padded-images")
def test_examples_and_pages_use_the_word_of_the_dataset_except_in_what_they_quote(store: Store, tmp_path: Path) -> None:
    texts = [f"a bell rings {n}" for n in range(30)] + ["This is an image of a bell.", "a dog runs", "a dog runs"]
    rows = (f"{n}.wav,{text}\n{n}.wav,something sounds like {n}\n" for n, text in enumerate(texts))
    (tmp_path / "c.csv").write_text("file,caption\n" + "".join(rows))
    ingest(store, "set", files=[tmp_path / "c.csv"], config={})
    (finding,) = findings(store, "set", kinds=["meta-sentences"]).found("meta-sentences")
    assert finding.examples[0]["why"] == "about the sound: This is an image of "
    page = document_text(report(store, "set", sections=["findings"], timed=False), "html")
    assert "Captions shared by several sounds" in page
    assert "duplicate images" not in page


def sounds(folder: Path, ending: str = "wav") -> Path:
    """Write a file of sounds, whose column has the name `image`."""
    rows = (f"{n}.{ending},a bell rings {n}\n{n}.{ending},somebody rings bell {n}\n" for n in range(30))
    (folder / "c.csv").write_text("image,caption\n" + "".join(rows))
    return folder / "c.csv"


def test_ingest_and_profile_use_the_word_that_the_names_of_files_decide_on(store: Store, tmp_path: Path) -> None:
    read = ingest(store, "set", files=[sounds(tmp_path)], config={})
    assert any("sound ← image;" in note for note in read.sentences)
    lead, *_ = profile(store, "set", declared={}).lead
    assert "60 captions of 30 sounds (2.0 per sound)" in lead


def test_remarks_of_ingest_use_the_word_of_the_dataset(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("file,caption\n" + "".join(f"{n}.wav,a bell rings {n}\n" for n in range(3)))
    (finding,) = ingest(store, "set", files=[tmp_path / "c.csv"], config={}).findings
    assert "all 3 sounds have a single caption" in finding.sentence
    assert finding.item == "sound"


def test_ingest_and_profile_use_the_declared_word(store: Store, tmp_path: Path) -> None:
    sounds(tmp_path, "x")
    (tmp_path / "datasets.toml").write_text('[set]\nformat = "table"\npath = "c.csv"\nitem = "clip"\n')
    read = ingest(store, "set", config=tmp_path / "datasets.toml")
    assert any("clip ← image;" in note for note in read.sentences)
    lead, *_ = profile(store, "set", declared=sources(tmp_path / "datasets.toml")).lead
    assert "of 30 clips" in lead


def test_a_report_uses_the_word_in_its_leads(store: Store, tmp_path: Path) -> None:
    ingest(store, "set", files=[sounds(tmp_path)], config={})
    made = report(store, "set", sections=["facts"], config={})
    words = [sentence for section in made.sections for sentence in section.words]
    assert any("captions of 30 sounds" in sentence for sentence in words)
    assert not any(" images" in sentence for section in made.sections[1:-1] for sentence in section.words)


def test_declared_word_wins(store: Store, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("file,caption\n" + "".join(f"{n},I think so now {n}\n" for n in range(30)))
    (tmp_path / "datasets.toml").write_text('[set]\nformat = "table"\npath = "c.csv"\nitem = "melody"\n')
    ingest(store, "set", files=[tmp_path / "c.csv"], config={})
    found = findings(store, "set", config=tmp_path / "datasets.toml")
    (finding,) = found.found("first-person-captions")
    assert finding.item == "melody"
