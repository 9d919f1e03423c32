"""What a page browses: a sample drawn by seed, and as many captions of each kind as its command lists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows, searching_for
from typer.testing import CliRunner

from auditor.cli.app import app
from auditor.findings import CAPTION_KINDS, KINDS
from auditor.result.document import Document
from auditor.store.connection import MEMORY, Store
from auditor.studies.findings import findings
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report
from auditor.studies.templates import templates

ROWS: Rows = [
    *((f"im{number:03}", slot, f"a dog number {number * 5 + slot} runs") for number in range(80) for slot in range(5)),
    *((f"tag{number:03}", slot, f"a <b>cat</b> {number}") for number in range(160) for slot in range(2)),
    ("alone", 0, "a man at www.example.org"),
]


pytestmark = pytest.mark.xdist_group("browsed")  # one document is read by several tests


@pytest.fixture(autouse=True, scope="module")
def _search_for_what_is_in_the_rows() -> Iterator[None]:
    with searching_for("markup", "web-address", "padded-images", "uneven-captions"):
        yield


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Store.open(MEMORY) as opened:
        ingest_rows(opened, ROWS, "made")
        yield opened


def made(store: Store, seed: int = 1) -> Document:
    return report(store, "made", settings=ReportSettings(("bleu-1",), seed=seed), resamples=0, sections=["findings"])


@pytest.fixture(scope="module")
def document(store: Store) -> Document:
    return made(store)


def test_sample_is_drawn_by_the_seed_with_all_captions_of_its_images(store: Store, document: Document) -> None:
    (browsed,) = document.browsed
    drawn = browsed.captions.filter("at_random").unique(["image", "slot"])
    assert drawn.height == 200
    again, other = made(store).browsed[0].captions, made(store, 2).browsed[0].captions
    assert again.equals(browsed.captions)
    assert not other.filter("at_random").select("image", "slot").equals(drawn.select("image", "slot"))
    sizes = pl.DataFrame({"image": [image for image, _, _ in ROWS]}).group_by("image").len()
    whole = browsed.captions.filter(pl.col("image").is_in(drawn["image"].implode()), pl.col("slot").is_not_null())
    shown = whole.unique(["image", "slot"]).group_by("image").len()
    assert shown.join(sizes, on=["image", "len"], how="anti").is_empty()
    assert whole["bleu-1"].drop_nulls().len() > 0


def test_an_image_comes_with_all_of_its_captions(document: Document) -> None:
    (browsed,) = document.browsed
    shown = browsed.captions.drop_nulls("slot").unique(["image", "slot"]).group_by("image").len()
    sizes = pl.DataFrame({"image": [image for image, _, _ in ROWS]}).group_by("image").len()
    assert shown.height > 200
    assert shown.join(sizes, on=["image", "len"], how="anti").is_empty()


def test_every_kind_has_its_captions_or_the_command_that_lists_as_many(store: Store, document: Document) -> None:
    (browsed,) = document.browsed
    assert {"markup", "web-address", "padded-images", "uneven-captions"} <= browsed.listed.keys()
    for kind, (count, command) in browsed.listed.items():
        words = shlex.split(command)
        if not kind:
            assert (count, words[:2]) == (len(ROWS), ["auditor", "export"])
            continue
        shown = browsed.captions.filter(kind=kind).height
        assert shown == min(count, 300), kind
        assert (words[:2], words[3:5]) == (["auditor", "findings"], ["-k", kind])
        listed = findings(store, words[2], kinds=[kind]).frame
        by = ["image"] if CAPTION_KINDS[kind].of == "images" else ["image", "slot"]
        assert listed.unique(by).height == count, kind
    assert browsed.listed["markup"][0] == 320


def test_report_of_other_sections_browses_nothing(store: Store) -> None:
    assert report(store, "made", settings=ReportSettings(("bleu-1",)), resamples=0, sections=["facts"]).browsed == ()


@pytest.mark.parametrize("ending", ["md", "tex", "json", "txt", "html"])
def test_only_a_page_takes_the_time_to_draw_captions(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "made.duckdb", write=True) as opened:
        ingest_rows(opened, ROWS[:20], "made")
    drawn = list[object]()
    monkeypatch.setattr("auditor.studies.report.study.browsed", lambda *asked: drawn.append(asked) or ())
    options = ["--store", str(tmp_path / "made.duckdb"), "--section", "findings", "-m", "bleu-1"]
    done = CliRunner().invoke(app, ["-q", "report", "made", *options, "-o", str(tmp_path / f"audit.{ending}")])
    assert (done.exit_code, len(drawn)) == (0, ending == "html"), done.output


def test_words_that_differ_come_with_captions_that_have_them(store: Store) -> None:
    ingest_rows(
        store, [(f"b{n:02}", slot, f"two birds over a lake {n}") for n in range(30) for slot in (0, 1)], "birds"
    )
    settings = ReportSettings(("bleu-1",))
    first, second = report(store, "made", "birds", settings=settings, resamples=0, sections=["findings"]).browsed
    assert first.words.is_empty()
    row = second.words.filter(word="birds").row(0, named=True)
    assert (row["occurrences"], row["occurrences_b"], row["log_ratio"] > 0) == (60, 0, True)
    assert second.words.filter(word="dog")["log_ratio"].item() < 0
    for browsed, word in ((first, "dog"), (second, "birds")):
        assert browsed.captions.filter(pl.col("text").str.contains(word)).height >= 5
    shown = second.captions.filter(pl.col("kind").is_null())
    assert shown.height == shown.unique(["image", "slot"]).height


def test_kinds_that_studies_count_name_commands_that_list_as_many(tmp_path: Path) -> None:
    rows: Rows = [
        *((f"im{number:02}", 0, f"there is a {color} dog in the park") for number, color in enumerate(["red", "blue"] * 9)),
        *((f"im{number:02}", 1, f"thing {number}") for number in range(18)),
        ("im00", 2, "THING 1!"),
        ("im01", 2, "thing 1"),
        ("im02", 2, ""),
    ]  # fmt: skip
    path = tmp_path / "made.duckdb"
    with Store.open(path, write=True) as opened:
        ingest_rows(opened, rows, "made")
        kinds = ["templated-captions", "captions-at-several-images"]
        found = {one.kind: one for one in findings(opened, "made", kinds=kinds).findings}
        listed = templates(opened, "made", level="caption").frame.unique(["image", "slot"]).height
    assert listed / 38 == pytest.approx(float(found["templated-captions"].values["share"] or 0))
    (statement,) = re.findall(r'auditor sql "([^"]+)"', KINDS["captions-at-several-images"].fix)
    out = tmp_path / "copies.csv"
    words = ["sql", " ".join(statement.replace("DATASET", "made").split()), "--store", str(path), "-o", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert pl.read_csv(out).height == found["captions-at-several-images"].values["captions"]


def test_drawn_captions_are_kept_for_the_next_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "two.duckdb"
    with Store.open(path, write=True) as opened:
        ingest_rows(opened, ROWS[:40], "made")
        ingest_rows(opened, [(f"b{n}", slot, f"two birds at {n}") for n in range(9) for slot in (0, 1)], "birds")
    asked = {"settings": ReportSettings(("bleu-1",)), "resamples": 0, "sections": ["findings"]}
    with Store.open(path) as opened:
        before = report(opened, "made", "birds", **asked).browsed  # type: ignore[arg-type]
    monkeypatch.setattr("auditor.studies.report.browse._drawn", lambda *_: pytest.fail("drawn again"))
    with Store.open(path) as opened:
        after = report(opened, "made", "birds", **asked).browsed  # type: ignore[arg-type]
    for one, other in zip(before, after, strict=True):
        assert one.captions.equals(other.captions)
        assert one.words.equals(other.words)
        assert (one.label, one.metrics, one.listed) == (other.label, other.metrics, other.listed)
