"""Each kind that is about captions has a row per caption, also those that other studies find."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ingest_rows

import auditor
from auditor.store.connection import MEMORY, Store
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"


def test_swapped_captions_have_a_row_each() -> None:
    with Store.open(MEMORY) as store:
        ingest(store, "sample-flawed", config=SAMPLE)
        result = findings(store, "sample-flawed", kinds=["swapped-captions"])
    (found,) = result.findings
    rows = result.frame.filter(kind="swapped-captions")
    assert found.severity == "warning"
    assert rows.height == found.values["captions"] > 3
    assert rows["severity"].unique().to_list() == ["warning"]
    pairs = set(rows.drop_nulls("other_slot").select("image", "slot", "other_image", "other_slot").rows())
    assert pairs
    assert {(image, slot, *one) for *one, image, slot in pairs} == pairs, "of a pair, both"


@pytest.mark.parametrize("kind", ["captions-at-several-images", "near-duplicate-across-splits", "templated-captions"])
def test_findings_of_other_studies_have_a_row_for_each_caption_that_they_count(kind: str) -> None:
    """40 captions are at two images each, half of these in both splits; every caption follows a template."""
    rows = [(f"{n}.jpg", slot, f"the dog number {n} runs over place {slot}") for n in range(300) for slot in (0, 1)]
    rows += [
        (f"{n}.jpg", 2, f"the dog number {n % 150 + 900} runs over place 3") for n in (*range(20), *range(150, 170))
    ]
    rows += [(f"{n}.jpg", 3, f"the dog number {n % 10 + 990} runs over place 3") for n in range(20)]
    splits = {"train": [f"{n}.jpg" for n in range(150)], "test": [f"{n}.jpg" for n in range(150, 300)]}
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, "made", splits=splits)
        result = findings(store, "made", kinds=[kind])
    (found,) = result.findings
    listed = result.frame.select("image", "slot", "text", "why", "other_text")
    if kind == "templated-captions":
        assert listed.height == round(found.values["share"] * len(rows)) == len(rows)
        return
    at = {text: [(image, slot) for image, slot, other in rows if other == text] for _, _, text in rows}
    is_leak = kind == "near-duplicate-across-splits"
    plain = {
        place
        for same in at.values()
        for place in same
        for other, _ in same
        if other != place[0] and (not is_leak or (place[0] in splits["test"] and other in splits["train"]))
    }
    assert set(listed.select("image", "slot").rows()) == plain
    assert listed.height == found.values["exact" if is_leak else "captions"] == len(plain)
    assert (listed["text"] == listed["other_text"]).all()
