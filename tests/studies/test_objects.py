"""Objects that captions mention and images lack: planted ones are found, and a plain program agrees on real captions."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import auditor
from auditor.errors import UsageError
from auditor.scoring.references import as_references
from auditor.store.versions import resolve

THINGS = {"1.jpg": ["Hot Dog", "person"], "2.jpg": ["dog"], "3.jpg": [], "4.jpg": ["person", "unicorn"]}
NAMES = "person, man, people\nhot dog\ndog, puppy\n"
SAID = {
    "careful": {"1.jpg": "A man's hot dogs", "2.jpg": "puppies", "3.jpg": "a lawn", "4.jpg": "People, people!"},
    "bold": {"1.jpg": "a dog", "2.jpg": "the men see a dog", "3.jpg": "a man, a man", "9.jpg": "a dog"},
}


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[auditor.Auditor]:
    files = {"things": json.dumps(THINGS), "names": NAMES, **{name: json.dumps(said) for name, said in SAID.items()}}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with auditor.Auditor(tmp_path / "audit.duckdb", write=True) as opened:
        opened.ingest("things", files=[tmp_path / "things"], kind="objects", options=("none=-",), file_format="mapping")
        opened.ingest("names", files=[tmp_path / "names"])
        for name in SAID:
            opened.ingest(name, files=[tmp_path / name], file_format="mapping", kind="candidates")
        yield opened


def values(result: auditor.Result, dataset: str, item: str | None = None) -> dict[str, tuple[int, float]]:
    rows = result.frame.filter(pl.col("dataset") == dataset, pl.col("object").eq_missing(pl.lit(item, pl.String)))
    return {name: (n, value) for name, n, value in rows.select("statistic", "n", "value").iter_rows()}


def test_planted_objects_are_found(audit: auditor.Auditor, tmp_path: Path) -> None:
    file = tmp_path / "mentions.csv"
    result = audit.objects("bold", "careful", listing="things", synonyms="names", mentions=file)
    assert values(result, "bold") == {
        "chair-s": (3, 1.0), "chair-i": (5, 4 / 5), "objects": (3, 4 / 3), "object-recall": (3, 1 / 3),
    }  # fmt: skip
    assert values(result, "careful") == {
        "chair-s": (3, 0.0), "chair-i": (3, 0.0), "objects": (3, 1.0), "object-recall": (3, 1.0),
    }  # fmt: skip
    alone = audit.objects("careful", listing="things", synonyms="names")
    assert values(alone, "careful") == {
        "chair-s": (4, 0.0), "chair-i": (5, 0.0), "objects": (4, 1.0), "object-recall": (4, 1.0),
    }  # fmt: skip
    beside = result.frame.filter(pl.col("object").is_null(), dataset="careful")
    assert dict(beside.select("statistic", "own_value").iter_rows()) == dict(
        alone.frame.filter(pl.col("object").is_null()).select("statistic", "value").iter_rows()
    )
    assert set(beside["images"]) == {3}
    assert values(result, "bold", "dog") == {"chair-i": (2, 0.5), "object-recall": (1, 1.0)}
    assert values(result, "bold", "hot dog") == {"object-recall": (1, 0.0)}
    with file.open(encoding="utf-8") as opened:
        rows = [
            (row["dataset"], row["image"], row["words"], row["object"], row["is_present"])
            for row in csv.DictReader(opened)
        ]
    assert ("careful", "1.jpg", "hot dogs", "hot dog", "true") in rows
    assert ("careful", "1.jpg", "mans", "person", "true") in rows
    assert ("bold", "2.jpg", "men", "person", "false") in rows
    assert len(rows) == 10
    difference = result.frame.filter(dataset="careful", statistic="chair-s")
    assert difference.select("against", "difference").row(0) == ("bold", -1.0)
    assert result.lead[0] == "Warning: careful and bold are compared on 3 of 4 images."
    assert result.lead[2].startswith("bold: 100.0% of 3 captions mention an object that the image lacks (80.0% of 5")
    assert "bold: 1 of 4 captions left out: things lacks their images" in result.notes
    assert "not counted: 1 object of things without a synonym in names: unicorn" in result.notes


def test_objects_are_their_own_names_without_synonyms(audit: auditor.Auditor) -> None:
    found = values(audit.objects("bold", listing="things"), "bold")
    assert found["chair-i"] == (2, 0.5)
    assert found["object-recall"] == (3, 1 / 3)


def test_wrong_datasets_are_refused_with_what_to_do(audit: auditor.Auditor, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--objects bold: of kind candidates; import its file with .* --kind obj"):
        audit.objects("bold", listing="bold")
    with pytest.raises(UsageError, match="--synonyms things: of kind objects"):
        audit.objects("bold", listing="things", synonyms="things")
    (tmp_path / "far").write_text('{"x.jpg": "a dog runs there"}', encoding="utf-8")
    audit.ingest("far", files=[tmp_path / "far"], file_format="mapping", kind="candidates")
    with pytest.raises(UsageError, match=r"far: no image in common with things: its ids look like 'x\.jpg'"):
        audit.objects("far", listing="things")
    (tmp_path / "there.csv").write_text("mine")
    with pytest.raises(UsageError, match="already exists; name another, or replace it with --force"):
        audit.objects("bold", listing="things", mentions=tmp_path / "there.csv")
    with pytest.raises(UsageError, match="names: of kind synonyms, without captions"):
        as_references(resolve(audit.store, "names"))


def test_objects_and_synonyms_are_exported(audit: auditor.Auditor, tmp_path: Path) -> None:
    for name, kind in (("things", "objects"), ("names", "synonyms")):
        audit.export(name, target=tmp_path / f"{name}-bundle")
        audit.ingest(f"{name}-again", files=[tmp_path / f"{name}-bundle"])
        kinds = {row["dataset"]: row["kind"] for row in audit.datasets().frame.to_dicts()}
        assert kinds[f"{name}-again"] == kind


def test_rates_at_equal_numbers_of_objects_do_not_grow_with_length(tmp_path: Path) -> None:
    """A system that is as often wrong per object, but names twice as many, has a higher chair-s, and the same at equal."""
    dice = random.Random(1)
    images = [f"{n}.jpg" for n in range(400)]
    things = {image: [one for one in ("dog", "pig") if dice.random() < 0.7] or ["cat"] for image in images}
    short = {image: "a dog" if dice.random() < 0.8 else "a dog and a pig" for image in images}
    long = {image: "a dog" if dice.random() < 0.2 else "a dog and a pig" for image in images}
    with auditor.Auditor(tmp_path / "audit.duckdb", write=True) as audit:
        for name, content, kind in (
            ("things", things, "objects"),
            ("short", short, "candidates"),
            ("long", long, "candidates"),
        ):
            (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
            audit.ingest(name, files=[tmp_path / name], file_format="mapping", kind=kind)
        result = audit.objects("short", "long", listing="things")
    short_values, long_values = values(result, "short"), values(result, "long")
    equal = "chair-s-at-equal-objects"
    assert short_values[equal][1] == pytest.approx(short_values["chair-s"][1])
    assert long_values["chair-s"][1] > short_values["chair-s"][1] + 0.1
    assert abs(long_values[equal][1] - short_values[equal][1]) < 0.06
    rows = result.frame.filter(statistic="chair-s", dataset="long").row(0, named=True)
    assert rows["low"] < rows["value"] < rows["high"]
    assert 0 < rows["p"] <= 1


def plain_forms(listed: list[list[str]]) -> dict[tuple[str, ...], str]:
    irregular = {"goose": "geese", "mouse": "mice", "ox": "oxen"}
    forms = {}
    for names in listed:
        for name in names:
            *before, last = re.sub(r"[^\w\s]", " ", name.lower()).split()
            if last in irregular:
                plural = irregular[last]
            elif last.endswith("man"):
                plural = f"{last[:-3]}men"
            elif last.endswith("child"):
                plural = f"{last}ren"
            elif last.endswith("knife") or last in ("calf", "thief"):
                plural = re.sub("fe?$", "ves", last)
            elif last.endswith("y") and last[-2] not in "aeiou":
                plural = f"{last[:-1]}ies"
            elif last.endswith(("s", "x", "z", "ch", "sh")):
                plural = f"{last}es"
            else:
                plural = f"{last}s"
            for word in (last, f"{last}s", plural, f"{plural}s"):
                forms[*before, word] = names[0].lower()
    return forms


def plain_mentions(text: str, forms: dict[tuple[str, ...], str]) -> list[str]:
    """Find the objects of a text from left to right, at each word the longest form."""
    words = re.sub(r"[^\w\s]|_", " ", re.sub("['’‘´`]", "", text.lower())).split()
    at, found = 0, []
    while at < len(words):
        size = next((size for size in (4, 3, 2, 1) if tuple(words[at : at + size]) in forms), 0)
        if size:
            found.append(forms[tuple(words[at : at + size])])
        at += max(size, 1)
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "file", "chair_s", "chair_i"),
    [
        ("blip2", "coco-systems/blip2_results_xe.json.gz", 2.7, 1.7),
        ("m2-transformer", "coco-systems/m2_transformer.json.gz", 8.9, 5.8),
        ("llava-default", "coco-systems/llava-1.5-7b_default.json.gz", 23.7, 7.9),
        ("pope-mplug-2", "vlm-captions/pope/Instruction2_mplug.json.gz", 25.9, 14.9),
    ],
)
def test_plain_program_agrees_on_every_caption(
    name: str, file: str, chair_s: float, chair_i: float, data: Path, tmp_path: Path
) -> None:
    with gzip.open(data / "coco-objects" / "objects-by-image.json.gz", "rt", encoding="utf-8") as opened:
        present = {image: set(objects) for image, objects in json.load(opened).items()}
    lines = (data / "coco-objects" / "synonyms.txt").read_text(encoding="utf-8").splitlines()
    forms = plain_forms([[one.strip() for one in line.split(",") if one.strip()] for line in lines])
    mentions = tmp_path / "mentions.jsonl"
    with auditor.Auditor(tmp_path / "audit.duckdb", write=True) as audit:
        audit.ingest(name, "coco-objects", "coco-synonyms")
        result = audit.objects(name, listing="coco-objects", synonyms="coco-synonyms", mentions=mentions, resamples=0)
    with gzip.open(data / file, "rt", encoding="utf-8") as opened:
        text = opened.read()
    if name.startswith("pope"):
        decoder, records, at = json.JSONDecoder(), [], 0
        while at < len(text.rstrip()):
            record, at = decoder.raw_decode(text, at)
            records.append((str(record["image_id"]), record["text"]))
            at += len(text[at:]) - len(text[at:].lstrip())
    else:
        records = [
            (image, caption if isinstance(caption, str) else caption[0]) for image, caption in json.loads(text).items()
        ]
    ours: dict[str, list[tuple[str, bool]]] = {}
    for row in pl.read_ndjson(mentions).iter_rows(named=True):
        ours.setdefault(row["image"], []).append((row["object"], row["is_present"]))
    for image, caption in records:
        plain = [(one, one in present[image]) for one in plain_mentions(caption, forms)]
        assert ours.get(image, []) == plain, caption
    found = values(result, name)
    assert 100 * found["chair-s"][1] == pytest.approx(chair_s, abs=1)
    assert 100 * found["chair-i"][1] == pytest.approx(chair_i, abs=1)
