"""Ids of one image in two forms are one image, for every command that joins two sides; what is not sure is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.result import Result
from auditor.store.connection import Store
from auditor.store.versions import images, resolve
from auditor.studies.diff import diff
from auditor.studies.diversity import diversity
from auditor.studies.objects import objects
from auditor.studies.score import score
from auditor.studies.tasks import tasks

NUMBERS = [7, 42, 391895, 100]

FORMS: dict[str, Callable[[int], str]] = {
    "padded": "{:012}".format,
    "float": "{}.0".format,
    "file": "{}.jpg".format,
    "folder": "val/{}.JPEG".format,
    "windows": r"val\{}.png".format,
    "coco": "val2014/COCO_val2014_{:012}.jpg".format,
    "prefix": "image-{}".format,
}

NOTE = "sys and refs write image IDs differently: 4 of 4 match"


def filled(store: Store, name: Callable[[int], str], theirs: Callable[[int], str] = str) -> Store:
    references = [
        (theirs(n), slot, f"{'a red dog' if slot else 'one dog'} at place {n}") for n in NUMBERS for slot in (0, 1)
    ]
    ingest_rows(store, references, "refs")
    ingest_rows(store, [(name(n), 0, f"a dog at place {n}") for n in NUMBERS], "sys", "candidates")
    return store


def scored(store: Store, **asked: object) -> Result:
    return score(store, "refs", candidates=["sys"], metrics=["bleu-4", "cider-d"], **asked)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("are_references", [False, True])
def test_a_form_of_ids_changes_no_score(store: Store, form: str, are_references: bool) -> None:
    plain = scored(filled(store, str)).frame
    sides = (str, FORMS[form]) if are_references else (FORMS[form], str)
    with Store.open(store.path) as other:
        result = scored(filled(other, *sides))
        assert result.notes[0].startswith(NOTE)
        columns = ["slot", "metric", "value"]
        assert result.frame.select(columns).sort(columns).equals(plain.select(columns).sort(columns))
        assert set(result.frame["image"]) == {sides[1](n) for n in NUMBERS}
        assert set(images(other, resolve(other, "sys"))["image"]) == {sides[0](n) for n in NUMBERS}  # its own again


def test_every_command_that_joins_two_sides_matches_them(store: Store) -> None:
    filled(store, FORMS["coco"])
    ingest_rows(store, [(str(n), 0, "dog") for n in NUMBERS], "list", "objects")
    answers = [
        score(store, "refs", candidates=["sys"], preset="sacrebleu", resamples=0),
        tasks(store, "refs", candidates=["sys"]),
        objects(store, "sys", listing="list", resamples=0),
        diversity(store, "sys", evaluation="refs"),
        diff(store, "refs", "sys", depth="totals"),
    ]
    assert [sum("write image IDs differently" in note for note in one.notes) for one in answers] == [1] * len(answers)
    assert diff(store, "refs", "sys", depth="totals").frame.filter(change="in refs")["images"].item() == 4
    assert "edited" in set(diff(store, "refs", "sys", depth="totals").frame.filter(pl.col("captions") > 0)["change"])


def test_what_is_kept_of_matched_images_is_kept_apart(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.duckdb", write=True) as store:
        filled(store, FORMS["file"])
        first = scored(store).frame
    with Store.open(tmp_path / "s.duckdb") as store:
        assert scored(store).frame.equals(first)
        store.close()
    with Store.open(tmp_path / "s.duckdb", write=True) as store:
        filled(store, FORMS["file"], FORMS["file"])
        assert set(scored(store).frame["image"]) == {f"{n}.jpg" for n in NUMBERS}


@pytest.mark.parametrize(
    ("own", "theirs", "why"),
    [
        (["a/1.jpg", "b/1.jpg"], ["1", "2"], "a/1.jpg, b/1.jpg are the same without folder, ending and prefix"),
        (["1", "2"], ["a/1.jpg", "b/1.jpg"], "a/1.jpg, b/1.jpg are the same"),
        (["x1", "x2"], ["y1", "y2"], "its ids look like 'x1', those of refs like 'y1'$"),  # two names, not a prefix
        ([f"{n:03}" for n in range(9)], ["8.jpg", *map(str, range(100, 110))], "only 1 of 9 match"),
        (["dog"], ["cat"], "its ids look like 'dog', those of refs like 'cat'$"),
    ],
)
def test_ids_that_are_not_surely_those_of_one_image_are_refused(
    store: Store, own: list[str], theirs: list[str], why: str
) -> None:
    ingest_rows(store, [(image, slot, f"a dog {slot}") for image in theirs for slot in (0, 1)], "refs")
    ingest_rows(store, [(image, 0, "a dog") for image in own], "sys", "candidates")
    with pytest.raises(UsageError, match=f"^sys: no image in common with refs: .*{why}"):
        scored(store)


def test_ids_that_are_equal_as_they_are_written_stay(store: Store) -> None:
    ingest_rows(store, [(image, slot, f"a dog {slot}") for image in ("1", "2") for slot in (0, 1)], "refs")
    ingest_rows(store, [(image, 0, "a dog") for image in ("1", "02")], "sys", "candidates")
    result = scored(store)
    assert set(result.frame["image"]) == {"1"}
    assert any("is not in refs: 02" in str(finding) for finding in result.findings)


def test_counted_images_of_two_datasets_are_not_one(store: Store) -> None:
    """Numbers from 1 on are those of any two datasets: behind a prefix, only long ones name an image."""
    ingest_rows(store, [(f"{n}", 0, f"a dog {n}") for n in range(1, 40)], "refs")
    ingest_rows(store, [(f"mine-{n:03}.jpg", 0, f"a cat {n}") for n in range(1, 40)], "sys", "candidates")
    with pytest.raises(UsageError, match="only short numbers are the same without prefix, as in any two datasets"):
        scored(store)
