"""A preset's row is what the program prints at every number of captions and references, by golden values."""

from __future__ import annotations

import json

import make_gold_presets
import pytest
from conftest import ROOT, ingest_rows
from sizes import some

from auditor.errors import MissingExtraError
from auditor.metrics.meteor import resources
from auditor.store.connection import Store
from auditor.studies.score.study import score

ROWS = json.loads((ROOT / "tests" / "gold" / "presets.json").read_text(encoding="utf-8"))["rows"]

#: A sum of a score is as many columns: these sizes are square arrays in some metric of a preset.
SQUARE = {(11, 1), (18, 3), (21, 5)}

#: A caption here and its reference are both without words: they are equal to pycocoevalcap's ROUGE_L.
WITHOUT_WORDS = {(13, 3)}

HAS_METEOR = True
try:
    resources.package()
except MissingExtraError:
    HAS_METEOR = False


def test_there_is_a_row_for_each_size() -> None:
    assert [(row["captions"], row["references"]) for row in ROWS] == [
        (size, references) for size in range(2, 41) for references in range(1, 7)
    ]


def of_size(row: dict) -> tuple[int, int]:
    return row["captions"], row["references"]


@pytest.mark.parametrize(
    "row", [*some(ROWS, 4), *(row for row in ROWS if of_size(row) in SQUARE | WITHOUT_WORDS)], ids=of_size
)
def test_row_is_what_the_programs_say(store: Store, row: dict) -> None:
    references, candidates = make_gold_presets.captions(*of_size(row))
    ingest_rows(store, [(image, slot, text) for image, some in references.items() for slot, text in enumerate(some)])
    ingest_rows(store, [(image, 0, text) for image, (text,) in candidates.items()], "system", "candidates")
    for preset in ("coco", "sacrebleu"):
        frame = score(store, "set", candidates="system", preset=preset, resamples=0).frame
        expected = {name: value for name, value in row[preset].items() if HAS_METEOR or name != "METEOR"}
        assert dict(frame.select("metric", "value").rows()) == pytest.approx(expected, abs=1e-10)
