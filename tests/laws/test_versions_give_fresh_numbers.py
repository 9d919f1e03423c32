"""Law: a version has the numbers of a fresh store, whatever versions the store was asked about before, in any order."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile

import pytest

import auditor
from auditor.scoring import counting
from auditor.scoring.registry import METRICS

_WORDS = "a the dog cat runs sleeps on grass with ball red in park two children and http://a.b/c photo of der Hund läuft".split()

Line = tuple[str, int, str]


def _drawn(seed: int) -> list[list[Line]]:
    """Three versions: captions are edited, added and removed, images too; the third has an image as the first had it."""
    draw = random.Random(seed)

    def text() -> str:
        return " ".join(draw.choices(_WORDS, k=draw.randint(1, 9)))

    first = [(f"{image}.jpg", slot, text()) for image in range(24) for slot in range(draw.randint(1, 4))]
    second = [(image, slot, text() if draw.random() < 0.05 else old) for image, slot, old in first if image != "3.jpg"]
    second += [("new.jpg", slot, text()) for slot in range(3)]
    third = [(image, slot, text() if draw.random() < 0.05 else old) for image, slot, old in second if image != "5.jpg"]
    return [first, second, third + [line for line in first if line[0] == "3.jpg"]]


def _store(path: Path, versions: Sequence[Sequence[Line]]) -> Path:
    file = path.with_suffix(".token")
    for lines in versions:
        file.write_text("".join(f"{image}#{slot}\t{text}\n" for image, slot, text in lines), encoding="utf-8")
        with auditor.open(path, write=True) as audit:
            audit.ingest("set", files=[file], file_format="flickr")
    return path


def _asked(store: Path, ref: str) -> list[object]:
    """Ask everything that keeps parts of a version for others; every answer as its JSON."""
    own = [name for name, metric in METRICS.items() if not metric.parameters.get("vectors") and "clip" not in name]
    with auditor.open(store) as audit:
        results = [
            audit.score(ref, metrics=own),
            audit.bounds(ref, metrics=["bleu-4", "rouge-l", "ter"]),
            audit.findings(ref),
        ]
        return [json.loads(result.to_json()) for result in results]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_any_versions_in_any_order_give_the_numbers_of_a_fresh_store(seed: int, tmp_path: Path) -> None:
    made = _store(tmp_path / "made.duckdb", _drawn(seed))
    fresh = {}
    for ref in ("set@v1", "set@v2", "set@v3"):
        fresh[ref] = _asked(Path(copyfile(made, tmp_path / f"{ref}.duckdb")), ref)
    for order in (("set@v1", "set@v2", "set@v3"), ("set@v3", "set@v1", "set@v2"), ("set@v2", "set@v3", "set@v1")):
        store = Path(copyfile(made, tmp_path / "asked.duckdb"))
        for ref in order:
            assert _asked(store, ref) == fresh[ref], (order, ref)


def test_only_images_with_other_captions_are_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, counted = _store(tmp_path / "made.duckdb", _drawn(7)[:2]), []
    with auditor.open(store) as audit:
        audit.score("set@v1", metrics=["bleu-4"])
    real = counting._count
    monkeypatch.setattr(counting, "_count", lambda captions, *rest: counted.append(captions) or real(captions, *rest))
    with auditor.open(store) as audit:
        audit.score("set@v2", metrics=["bleu-4"])
    (once,) = counted
    assert once.selection.images is not None
    assert 0 < len(once.selection.images) < 12
