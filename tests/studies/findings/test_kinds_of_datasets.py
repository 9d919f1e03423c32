"""What is said of a dataset as a whole: lost words, metrics that cannot read it, sets that changed places, leaks."""

from __future__ import annotations

from functools import wraps
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import SourceError
from auditor.findings import CAPTION_KINDS, KINDS
from auditor.findings.wording import kind_for, wrong
from auditor.model import Source
from auditor.result import Finding, Result
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.studies.bounds import METRICS, bounds
from auditor.studies.duplicates import duplicates
from auditor.studies.findings import findings, questions
from auditor.studies.outliers import outliers
from auditor.studies.templates import templates
from auditor.text import AT_INGEST

THINGS = ("kite", "boat", "dog", "tree", "house", "bike", "horse", "train", "clock", "bench")
PLACES = ("a lake", "the road", "some hill", "that wall", "one bridge", "their barn")


def rows_of(first: int, images: int) -> list[tuple[str, int, str]]:
    """Describe images by two captions of their own, one for each number."""
    return [
        (
            f"{n:03d}.jpg",
            slot,
            f"{THINGS[n % 10]} {'beside' if slot else 'near'} {PLACES[n // 10 % 6]} number{n}x{slot}",
        )
        for n in range(first, first + images)
        for slot in (0, 1)
    ]


def of_kind(result: Result, kind: str) -> Finding:
    (found,) = result.found(kind)
    return found


def test_version_that_lost_its_words_is_told_by_how_many_are_left(store: Store) -> None:
    ingest_rows(store, rows_of(0, 30))
    assert not findings(store, "set", kinds=["vocabulary-collapse"]).found("vocabulary-collapse")
    ingest_rows(store, [(image, slot, f"a thing {slot}") for image, slot, _ in rows_of(0, 30)])
    lost = of_kind(findings(store, "set", kinds=["vocabulary-collapse"]), "vocabulary-collapse")
    assert (lost.severity, lost.values["words"]) == ("error", 4)
    assert lost.values["words_before"] > 60  # type: ignore[operator]
    assert not findings(store, "set@v1", kinds=["vocabulary-collapse"]).found("vocabulary-collapse")


def test_metrics_that_cannot_read_chinese_are_named(store: Store) -> None:
    ingest_rows(store, [("a", 0, "一只狗在草地上奔跑"), ("a", 1, "狗在跑"), ("b", 0, "两个男人坐着"), ("b", 1, "男人")])
    told = of_kind(findings(store, "set", kinds=["metrics-not-for-language"]), "metrics-not-for-language")
    assert told.severity == "notice"
    assert "rouge" in told.sentence
    ingest_rows(store, rows_of(0, 3), "english")
    assert not findings(store, "english", kinds=["metrics-not-for-language"]).found("metrics-not-for-language")


def ingest_beside(store: Store, rows: list[tuple[str, int, str]], other: list[tuple[str, int, str]]) -> None:
    """Ingest `set`, and another dataset, which it says is related."""
    ingest_rows(store, other, "other")
    frame = pl.DataFrame(rows, schema=["image", "slot", "text"], orient="row").with_columns(
        source=pl.lit("literal"), unit=pl.lit("line"), line=pl.int_range(1, len(rows) + 1)
    )
    source = Source("set", "captions", "literal", (), related=("other",))
    ingestion.write(store, source, iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def test_sets_of_captions_that_changed_places_are_told_by_a_related_dataset(store: Store) -> None:
    right = rows_of(0, 20)
    exchanged = {"003.jpg": "007.jpg", "007.jpg": "003.jpg"}
    ingest_beside(store, [(exchanged.get(image, image), slot, text) for image, slot, text in right], right)
    told = of_kind(findings(store, "set", kinds=["exchanged-images"]), "exchanged-images")
    assert (told.severity, told.values["images"], told.n) == ("error", 2, 20)
    assert {one["image"] for one in told.examples} == {"003.jpg", "007.jpg"}


def test_related_dataset_whose_ids_name_other_pictures_says_nothing(store: Store) -> None:
    right = rows_of(0, 20)
    ingest_beside(store, right, [(f"{(int(image[:3]) + 1) % 20:03d}.jpg", slot, text) for image, slot, text in right])
    assert not findings(store, "set", kinds=["exchanged-images"]).found("exchanged-images")


def test_leak_is_told_beside_what_chance_brings(store: Store) -> None:
    train, test = rows_of(0, 60), rows_of(60, 20)
    splits = {"train": sorted({image for image, _, _ in train}), "test": sorted({image for image, _, _ in test})}
    ingest_rows(store, [*train, *test], splits=splits)
    none = of_kind(findings(store, "set", kinds=["near-duplicate-across-splits"]), "near-duplicate-across-splits")
    assert none.severity == "info"
    assert none.sentence.endswith("These captions are too few to compare with chance")
    assert kind_for(none).consequence == ""
    leaked = [(image, slot, train[place][2] if place < 20 else text) for place, (image, slot, text) in enumerate(test)]
    ingest_rows(store, [*train, *leaked], splits=splits)
    told = of_kind(findings(store, "set", kinds=["near-duplicate-across-splits"]), "near-duplicate-across-splits")
    assert (told.severity, told.values["exact"], told.n) == ("error", 20, 40)
    assert told.values["exact_by_chance"] == 0.0
    assert "test scores are inflated" in kind_for(told).consequence
    assert len(told.examples) == 3


def test_captions_of_an_image_that_do_not_agree_turn_the_bound_upside_down(store: Store) -> None:
    texts = [text for _, _, text in rows_of(0, 30)]
    ingest_rows(store, [(f"{place % 30:03d}.jpg", place // 30, text) for place, text in enumerate(texts)])
    told = findings(store, "set", kinds=["bound-upside-down"]).found("bound-upside-down")
    assert [one.severity for one in told] == ["error"]
    ingest_rows(store, rows_of(0, 30), "agreeing")
    assert not findings(store, "agreeing", kinds=["bound-upside-down"]).found("bound-upside-down")


def test_findings_are_those_that_each_study_reports(store: Store) -> None:
    """Captions with a leak, whose images have captions of other images: `kinds.toml` names who reports what."""
    texts = [text for _, _, text in rows_of(0, 60)]
    rows = [(f"{place % 60:03d}.jpg", place // 60, text) for place, text in enumerate([*texts, *texts[7:67]])]
    splits = {"train": [f"{n:03d}.jpg" for n in range(40)], "test": [f"{n:03d}.jpg" for n in range(40, 60)]}
    ingest_rows(store, rows, splits=splits)
    every, reported = findings(store, "set"), set[str]()
    metrics = [*METRICS, "cider"]
    for result in (
        duplicates(store, "set"),
        outliers(store, "set"),
        templates(store, "set"),
        bounds(store, "set", metrics=metrics, candidates=["human", "intra"]),
    ):
        by_both = {code for code, kind in KINDS.items() if {result.command, "findings"} <= {*kind.commands}}
        kinds = by_both - CAPTION_KINDS.keys()
        assert {*every.found(*kinds)} == {*result.found(*kinds)}
        reported |= {finding.kind for finding in result.found(*kinds)}
    assert {"near-duplicate-across-splits", "captions-at-several-images", "bound-upside-down"} <= reported


def test_words_that_cannot_be_read_are_a_clear_error(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of(0, 2))
    with pytest.raises(SourceError, match="expected a file of UTF-8 text"):
        findings(store, "set", words=tmp_path / "none.txt")


def test_studies_that_can_find_nothing_of_what_is_asked_are_not_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_rows(store, rows_of(0, 30))
    everything = findings(store, "set")
    asked = list[str]()
    for name in ("duplicates", "outliers", "templates", "bounds"):
        one = getattr(questions, name)
        monkeypatch.setattr(
            questions,
            name,
            wraps(one)(lambda *args, one=one, **more: (asked.append(one.__name__), one(*args, **more))[1]),
        )
    findings(store, "set", kinds=["placeholders"])
    assert not asked
    some = findings(store, "set", kinds=["captions-at-several-images"])
    assert asked == ["duplicates"]
    assert some.findings == everything.found("captions-at-several-images")


def test_sorted_captions_are_in_no_line_of_the_dimensions_which_the_title_and_the_table_say(store: Store) -> None:
    rows = [
        (f"{n:02d}", slot, f"{'bad'[slot]} {THINGS[n % 10]} number{n}" + " by this" * (slot + 4 * n))
        for n in range(24)
        for slot in range(3)
    ]
    ingest_rows(store, rows)
    result = findings(store, "set")
    found = result.found("sorted-captions")
    assert [one.headline for one in found] == ["100% of images, by length"]
    assert "Sorted captions: 100% of images, by length" in wrong("set", found)
    table = result.table("dimensions")
    assert "sorted" not in " ".join(table.frame["what was found"]).lower()
    assert table.caption.startswith(
        "not about single captions, so in no line: Sorted captions (100% of images, by length); "
    )
