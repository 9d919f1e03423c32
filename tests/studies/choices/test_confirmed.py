"""Votes of annotators select items, as VALSE counts them: those whose right caption at least two of three confirmed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_benchmarks import captions_of, row

from auditor.errors import UsageError
from auditor.store.connection import Store
from auditor.studies.choices import choices
from auditor.studies.ingest import ingest


def valse_of(store: Store, folder: Path, votes: dict[str, list[int]]) -> None:
    """Ingest a file for each part, an item for each number of annotators who confirmed its caption."""
    paths = []
    for part, confirmed in votes.items():
        paths.append(folder / f"{part}.json")
        items = {
            f"{part}_{at}": {
                "dataset": "VisDial", "linguistic_phenomena": part, "image_file": f"{part}-{at}.jpg",
                "caption": f"a man and {at} dogs", "foil": f"a man and {at} dogs run",
                "mturk": {"foil": 0, "caption": count, "other": 3 - count},
            }
            for at, count in enumerate(confirmed)
        }  # fmt: skip
        paths[-1].write_text(json.dumps(items))
    ingest(store, "valse", files=paths)


@pytest.fixture
def asked(store: Store, tmp_path: Path) -> Store:
    valse_of(store, tmp_path, {"existence": [3, 2, 1, 3], "foil-it": [2, 0, 0], "actant-swap": [3, 3]})
    return store


def test_confirmed_items_alone_are_kept_where_asked_for(asked: Store, tmp_path: Path) -> None:
    fair = tmp_path / "fair.csv"
    result = choices(asked, "valse", confirmed=2, fair=fair)
    counts = {part: row(result.frame, "shorter", part)["n"] for part in ("existence", "foil-it", "actant-swap", "all")}
    assert counts == {"existence": 3, "foil-it": 1, "actant-swap": 2, "all": 6}
    assert "valse: 6 of 9 items count: at least 2 annotators confirmed their right caption" in result.notes
    assert result.signatures["shorter"] == "choices-shorter|tok:bare|ties:half|confirmed:2|v:2"
    assert "confirmed:2" in fair.read_text()


def test_all_items_count_by_default_and_a_note_reports_the_unconfirmed(asked: Store) -> None:
    result = choices(asked, "valse")
    assert row(result.frame, "shorter", "all")["n"] == 9
    assert result.notes[0] == (
        "valse: 3 of 9 right captions were confirmed by fewer than 2 annotators; --confirmed 2 leaves these items out"
    )
    assert result.signatures["shorter"] == "choices-shorter|tok:bare|ties:half|v:2"


def test_captions_of_items_that_are_left_out_train_models(asked: Store) -> None:
    captions_of(asked, [("foil-it-1.jpg", "a man and 1 dogs"), ("foil-it-1.jpg", "two dogs")])
    every, some = (choices(asked, "valse", train="set", metrics=(), confirmed=least) for least in (None, 2))
    assert "bigram" not in {*every.frame["scorer"]}
    assert "bigram" in {*some.frame["scorer"]}


def test_more_votes_than_any_item_has_are_refused(asked: Store) -> None:
    with pytest.raises(UsageError, match="no right caption has 4 votes or more"):
        choices(asked, "valse", confirmed=4)


def test_items_without_votes_cannot_be_selected_by_them(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([{"image": "a.jpg", "right": "a dog", "wrong": "a cat"}]))
    ingest(store, "own", files=[path])
    with pytest.raises(UsageError, match="its items have no votes of annotators; leave out --confirmed"):
        choices(store, "own", confirmed=2)
    assert not [note for note in choices(store, "own").notes if "annotators" in note]
