"""Each kind that is about captions has a row per caption, also those that other studies find."""

from __future__ import annotations

import random

import pytest
from conftest import ingest_rows

from auditor.store.connection import MEMORY, Store
from auditor.studies.findings import findings


def test_planted_swaps_are_found_and_have_a_row_for_each_caption() -> None:
    """30 pairs among 1,500 images, whose captions share most of their words. A generic one is at two more images."""
    draw = random.Random(1)
    words, common = [f"w{n}" for n in range(3000)], ["the", "in", "with", "on", "of"]
    scenes = [draw.sample(words, 6) for _ in range(1500)]
    rows = [
        (f"{n}.jpg", slot, " ".join([*draw.sample(scene, 6), *draw.choices(common, k=2)]))
        for n, scene in enumerate(scenes)
        for slot in range(5)
    ]
    chosen = draw.sample(range(1500), 60)
    places = [(5 * a + 1, 5 * b + 2) for a, b in zip(chosen[::2], chosen[1::2], strict=True)]
    for a, b in places:
        rows[a], rows[b] = (*rows[a][:2], rows[b][2]), (*rows[b][:2], rows[a][2])
    rows += [(f"{n}.jpg", 5, " ".join(scenes[9])) for n in range(10, 12) if n not in chosen]
    planted = {rows[place][:2] for pair in places for place in pair}
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, "made")
        result = findings(store, "made", kinds=["swapped-captions"])
    (found,) = result.findings
    listed = result.frame.filter(kind="swapped-captions")
    told = set(listed.select("image", "slot").rows())
    assert found.severity == "warning"
    assert listed["severity"].unique().to_list() == ["warning"]
    assert listed.height == len(told) == found.values["captions"]
    assert len(told & planted) >= 50
    assert len(told - planted) <= 2
    assert not any(slot == 5 for _, slot in told)
    pairs = set(listed.drop_nulls("other_slot").select("image", "slot", "other_image", "other_slot").rows())
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
