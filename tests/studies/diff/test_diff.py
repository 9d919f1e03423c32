"""Whether a version is worse: planted faults are named with their counts, and chance is not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Rows, ingest_rows, searching_for
from running import run_auditor

from auditor import reports
from auditor.result import Result
from auditor.store.connection import Store
from auditor.studies.diff.study import diff
from auditor.studies.diff.worse import compared

KINDS = ("meta-sentences", "web-address", "markup", "broken-characters", "captions-at-several-images")

IMAGES, PER_IMAGE = 800, 2
SPLITS = {
    "train": [f"{n}.jpg" for n in range(600)],
    "test": [f"{n}.jpg" for n in range(600, IMAGES)],
}


def sound(seed: int = 1) -> list[str]:
    """Draw captions of words so rare that no two are alike."""
    draw = random.Random(seed)
    return [" ".join(f"w{draw.randrange(5_000)}" for _ in range(8)) for _ in range(IMAGES * PER_IMAGE)]


def rows(texts: list[str]) -> Rows:
    return [(f"{n // PER_IMAGE}.jpg", n % PER_IMAGE, text) for n, text in enumerate(texts)]


def first() -> list[str]:
    """Return captions of which 60 have markup, 80 a broken character, 10 a URL."""
    texts = sound()
    for n in range(60):
        texts[n] += " <b>bold</b>"
    for n in range(60, 140):
        texts[n] += " caf\ufffd"
    for n in range(140, 150):
        texts[n] += " see http://www.example.com/a"
    return texts


def second() -> list[str]:
    """Return them without the markup and most broken characters, with 400 meta-sentences, URLs, copies and leaks."""
    texts, clean = first(), sound()
    texts[:130] = clean[:130]
    for n in range(200, 600):
        texts[n] = f"The image captures {texts[n]}."
    for n in range(600, 650):
        texts[n] += " see http://www.example.com/b"
    for n in range(80):  # from train to train, and to test
        texts[700 + n] = texts[1000 + n]
        texts[1300 + n] = texts[1100 + n]
    return texts


@pytest.fixture
def planted(store: Store) -> Iterator[Store]:
    Path("datasets.toml").write_text("[check]\nleakage.max = 0.05\nimages.min = 10\n")
    for texts in (first(), second()):
        ingest_rows(store, rows(texts), splits=SPLITS)
    with searching_for(*KINDS):
        yield store


def changed(result: Result) -> dict[tuple[str, str], tuple[str, int | None]]:
    known = result.frame.drop_nulls("part")
    return {
        (part, what): (change, captions)
        for part, what, change, captions in known.select("part", "what", "change", "captions").iter_rows()
    }


def test_planted_faults_are_named_with_their_counts_and_the_reverse_mirrors_them(planted: Store) -> None:
    result = diff(planted, "set@v1", "set@v2")
    assert result.holds is False
    assert changed(result) == {
        ("finding", "meta-sentences"): ("new", 400),
        ("finding", "captions-at-several-images"): ("new", 320),
        ("finding", "web-address"): ("worse", 50),
        ("finding", "broken-characters"): ("better", 70),
        ("finding", "markup"): ("gone", 60),
        ("gate", "leakage.max"): ("worse", None),
        ("number", "across-images"): ("worse", None),
        ("number", "leakage"): ("worse", None),
        ("number", "sameness"): ("worse", None),
        ("dimension", "like human captions"): ("worse", 400),
        ("dimension", "distinct"): ("worse", 320),
        ("dimension", "about the image"): ("worse", 50),
        ("dimension", "readable"): ("better", 130),
    }
    assert result.lead[0] == (
        "set@v2 is worse than set@v1: 2 findings are new, 1 is worse, 1 is better, 1 is gone; 1 gate is worse; "
        "3 numbers are worse; 3 dimensions are worse, 1 is better."
    )
    (leakage,) = result.frame.filter(part="number", what="leakage").iter_rows(named=True)
    assert (leakage["before"], leakage["after"]) == (0, 80 / 400)
    (meta,) = result.frame.filter(part="finding", what="meta-sentences").iter_rows(named=True)
    assert (meta["image"], meta["slot"]) == ("100.jpg", 0)
    assert meta["text"].startswith("The image captures w")
    counts = dict(result.frame.filter(result.frame["part"].is_null()).select("change", "captions").iter_rows())
    assert (counts["in set@v1"], counts["in set@v2"], counts["added"], counts["removed"]) == (1600, 1600, 0, 0)

    opposite = {"new": "gone", "gone": "new", "worse": "better", "better": "worse"}
    mirrored = {key: (opposite[change], n) for key, (change, n) in changed(result).items()}
    assert changed(diff(planted, "set@v2", "set@v1")) == mirrored


def test_a_version_without_the_faults_is_better(store: Store) -> None:
    for texts in (first(), sound()):
        ingest_rows(store, rows(texts))
    with searching_for(*KINDS):
        result = diff(store, "set@v1", "set@v2")
    assert (result.holds, changed(result)["finding", "markup"]) == (True, ("gone", 60))
    assert {change for change, _ in changed(result).values()} == {"better", "gone"}
    assert result.lead[0] == (
        "set@v2 is not worse than set@v1: 3 findings are gone; 1 number is better; 1 dimension is better."
    )


def test_the_page_has_the_sentence_and_the_table(planted: Store) -> None:
    page = reports.TEXT_FORMATS["html"](diff(planted, "set@v1", "set@v2"))
    assert "set@v2 is worse than set@v1" in page
    assert "“The image captures w" in page
    assert 'href="http' not in page


def test_equal_findings_have_no_row(planted: Store) -> None:
    from auditor.config import sources
    from auditor.store.captions import select
    from auditor.studies.diff.study import _audited

    side = _audited(select(planted, "set@v2"), sources(), [], lambda *_: None)
    assert compared(side, side).is_empty()
    same = diff(planted, "set@v2", "set")
    assert (same.holds, changed(same)) == (True, {})
    assert same.lead[0].startswith("set is not worse than set@v2")


def test_other_captions_of_the_same_kind_are_no_worse(store: Store) -> None:
    for seed in (1, 2):
        ingest_rows(store, rows(sound(seed)))
    with searching_for(*KINDS):
        result = diff(store, "set@v1", "set@v2")
    assert (result.holds, changed(result)) == (True, {})
    assert "nothing that is measured changed beyond chance" in result.lead[0]


def test_a_single_caption_cannot_tell_but_an_error_can(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog runs")])
    ingest_rows(store, [("a", 0, "a cat sits")])
    ingest_rows(store, [("a", 0, "a cat sits <b>here</b>")])
    with searching_for(*KINDS):
        assert diff(store, "set@v1", "set@v2").holds is None
        worse = diff(store, "set@v2", "set@v3")
    assert (worse.holds, changed(worse)["finding", "markup"]) == (False, ("new", 1))


def test_data_without_a_common_image_or_caption_are_said_to_be_different(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog runs")])
    ingest_rows(store, [("b", 0, "a cat sits"), ("c", 0, "a bird")])
    with searching_for(*KINDS):
        lead = diff(store, "set@v1", "set@v2").lead
    assert lead[0] == "They share no image and no caption: these are different data."


def test_exit_code_follows_worse(tmp_path: Path) -> None:
    def taken(name: str, *texts: str) -> None:
        lines = [f"{n}.jpg,{text}" for n, text in enumerate(texts)]
        Path(name).write_text("\n".join(["image,caption", *lines]))
        assert run_auditor("ingest", "mine", "--from", name).returncode == 0

    texts = [f"a dog number {n} runs past house {n * n}" for n in range(12)]
    taken("one.csv", *texts)
    taken("two.csv", *texts[:-1], f"{texts[-1]} <b>now</b>")
    with searching_for(*KINDS):
        assert run_auditor("diff", "mine@v1", "mine@v2", "--exit-code").returncode == 1
        assert run_auditor("diff", "mine@v2", "mine@v1", "--exit-code").returncode == 0
        assert run_auditor("diff", "mine@v2", "mine@v1", "--exit-code", "--depth", "totals").returncode == 1
        page = run_auditor("diff", "mine@v1", "mine@v2", "-o", "page.html")
    assert page.returncode == 0, page.stderr
    assert "mine@v2 is worse than mine@v1" in Path("page.html").read_text()
