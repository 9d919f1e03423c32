"""Folders and patterns of texts, each next to its image."""

from __future__ import annotations

import json
from pathlib import Path

from auditor.store.connection import Store
from auditor.studies.ingest.study import ingest

TEXTS = {f"pic{number}": f"A red kite over house {number}, seen from afar." for number in range(5)}


def held(store: Store, dataset: str) -> list[tuple[str, str]]:
    select = "select image, text from membership join caption using (caption_id) where dataset = $dataset"
    return store.query(f"{select} order by image, slot", {"dataset": dataset}).rows()


def test_texts_next_to_images_are_their_captions(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "set" / "10_things"
    folder.mkdir(parents=True)
    for stem, text in TEXTS.items():
        (folder / f"{stem}.PNG").write_bytes(b"image")
        (folder / f"{stem}.txt").write_text(f"{text}\n")
    (tmp_path / "set" / "README.md").write_text("about")
    (folder / "bare.png").write_bytes(b"image")
    result = ingest(store, "folder", files=[tmp_path / "set"], config={})
    assert held(store, "folder") == [(f"10_things/{stem}.PNG", text) for stem, text in TEXTS.items()]
    assert "not read, or images without a text: 10_things/bare.png, README.md" in " · ".join(result.sentences)
    ingest(store, "one", files=[folder / "pic0.txt"], config={})
    assert held(store, "one") == [("pic0.PNG", TEXTS["pic0"])]
    ingest(store, "pattern", files=[folder / "*.txt"], config={})
    assert held(store, "pattern") == [(f"{stem}.PNG", text) for stem, text in TEXTS.items()]


def test_lines_are_captions_if_all_texts_have_as_many(store: Store, tmp_path: Path) -> None:
    for stem, text in TEXTS.items():
        (tmp_path / f"{stem}.caption").write_text(f"{text}\nA kite.\n")
    ingest(store, "q", files=[tmp_path], config={})
    assert held(store, "q") == [(stem, caption) for stem, text in TEXTS.items() for caption in (text, "A kite.")]
    (tmp_path / "pic0.caption").write_text("One kite.\nOn\nthree lines.")
    ingest(store, "whole", files=[tmp_path], config={}, file_format="sidecars")
    assert held(store, "whole")[0] == ("pic0", "One kite.\nOn\nthree lines.")


def test_json_of_img2dataset_is_read_without_texts(store: Store, tmp_path: Path) -> None:
    for stem, text in TEXTS.items():
        (tmp_path / f"{stem}.jpg").write_bytes(b"image")
        (tmp_path / f"{stem}.json").write_text(json.dumps({"caption": text, "url": "x"}))
    ingest(store, "q", files=[tmp_path], config={})
    assert held(store, "q") == [(f"{stem}.jpg", text) for stem, text in TEXTS.items()]


def test_captions_of_many_images_next_to_a_figure_stay_lines(store: Store, tmp_path: Path) -> None:
    (tmp_path / "captions.txt").write_text("\n".join(TEXTS.values()))
    (tmp_path / "captions.png").write_bytes(b"image")
    ingest(store, "q", files=[tmp_path / "captions.txt"], config={})
    assert len({image for image, _ in held(store, "q")}) == len(TEXTS)
