"""A report says the same from a cold cache and a warm one, and says why a section is empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from asked import Report
from conftest import Rows, ingest_rows, searching_for
from test_progress import check_progress

from auditor.errors import UsageError
from auditor.model import Source
from auditor.result import program
from auditor.result.document import Document
from auditor.store.connection import Store
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.sections import SECTIONS
from auditor.studies.report.study import report

BLEU: dict[str, Any] = {"settings": ReportSettings(("bleu-1", "bleu-2")), "resamples": 50}
CHEAP = ("facts", "bounds", "comparison", "correlation", "duplicates", "versions")
DOGS: Rows = [(f"d{image}", slot, f"a {word} dog runs" + " far" * slot)
              for image, word in enumerate(("red", "blue", "tall", "old")) for slot in (0, 1, 2)]  # fmt: skip
CATS: Rows = [(f"c{image}", slot, f"the {word} cat " + ("sleeps" if slot else "is asleep here"))
              for image, word in enumerate(("thin", "blue", "grey", "wild")) for slot in (0, 1, 2)]  # fmt: skip


def section(document: Document, name: str) -> str:
    found = next(one for one in document.sections if one.name == name)
    return " ".join([*found.words, found.absent or ""])


def test_cold_and_warm_cache_and_an_ingest_beside_give_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, DOGS, "dogs")
        ingest_rows(store, CATS, "cats")
    given = []
    for turn in range(3):
        with Store.open(path) as store:
            counted: list[str] = []
            made = report(
                store,
                "dogs",
                "cats",
                **BLEU,
                sections=CHEAP,
                timed=False,
                progress=lambda what, done, total: counted.append(what),  # noqa: B023
            )
            given.append(made.to_json())
            assert any("resampling" in what for what in counted) == (turn == 0)
        with Store.open(path, write=True) as store:
            ingest_rows(store, [("x", 0, f"something else {turn}")], "beside")
    assert len(set(given)) == 1


def test_new_version_of_a_dataset_is_another_report(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    said = []
    for rows in (DOGS, DOGS[:-1]):
        with Store.open(path, write=True) as store:
            ingest_rows(store, rows, "dogs")
        with Store.open(path) as store:
            said.append(section(report(store, "dogs", **BLEU, sections=["facts"], timed=False), "facts"))
    assert [text.split(" captions")[0] for text in said] == ["dogs: 12", "dogs: 11"]


def test_one_dataset_has_no_comparison_and_is_told_so(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    document = report(store, "dogs", **BLEU, sections=["bounds", "comparison"], timed=False)
    assert "Add a second dataset" in section(document, "comparison")
    (unchecked,) = [table for table in document.sections[0].tables if table.name == "unchecked"]
    assert "Comparison" in unchecked.frame["not checked"][0]
    assert "dogs: mean score of a caption of the image" in section(document, "bounds")


def test_versions_are_compared_with_the_one_before(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, DOGS[:-2], "dogs")
    document = report(store, "dogs", **BLEU, sections=["versions"], timed=False)
    assert "version 2 of 2" in section(document, "versions")
    assert "auditor diff dogs@v1 dogs@v2" in document.sections[1].commands


def test_drift_of_words_from_the_version_before_is_told(store: Store) -> None:
    for name, rows in (("dogs", DOGS), ("cats", CATS)):
        ingest_rows(store, rows, name)
        ingest_rows(store, [(image, slot, f"{text} slowly") for image, slot, text in rows], name)
    document = report(store, "dogs", "cats", **BLEU, sections=["versions"], timed=False)
    said = section(document, "versions")
    assert "dogs@v1 → dogs@v2: captions are 1.00 words longer on average" in said
    assert "1 words are new, 0 are gone." in said
    titles = [table.title for table in document.sections[1].tables]
    assert {f"{name}@v1 → {name}@v2, tokenizer bare" for name in ("dogs", "cats")} <= set(titles)


def test_leak_comes_first_and_splits_count_as_declared(store: Store) -> None:
    splits = {"restval": ["d0", "d1", "d2"], "test": ["d3"]}
    ingest_rows(store, [*DOGS, ("d3", 3, "a red dog runs")], "dogs", splits=splits)
    declared = Source("dogs", "captions", "karpathy", (), split_roles={"restval": "train"})
    document = report(store, "dogs", **BLEU, sections=["duplicates"], config={"dogs": declared}, timed=False)
    found = document.sections[1]
    assert found.words[0].startswith("dogs: of 4 test captions, 1 also occur in train (25.0%, expected by chance: ")
    assert found.tables[0].title == "duplicate captions"
    examples = [table.title for table in found.further if table.title.startswith("examples")]
    assert examples[0] == "examples: dogs:test in dogs:train"
    undeclared = report(store, "dogs", **BLEU, sections=["duplicates"], timed=False)
    assert not any("leak" in words for words in undeclared.sections[1].words)


def test_differences_are_tested_where_there_are_resamples(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, CATS, "cats")
    for resamples, tests in ((50, 1), (0, 0)):
        settings = ReportSettings(("bleu-1",))
        document = report(
            store, "dogs", "cats", settings=settings, resamples=resamples, sections=["comparison"], timed=False
        )
        assert [table.name for table in document.sections[1].further].count("differences") == tests
        # Four images are too few for a test, with or without resamples.
        assert section(document, "comparison").count("without tests of significance") == 1


def test_one_picture_of_a_kind_holds_all_datasets(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, CATS, "cats")
    document = report(store, "dogs", "cats", **BLEU, sections=["consensus", "templates"], timed=False)
    for one in document.sections[1:3]:
        names = [figure.name for figure in one.figures]
        assert names == list(dict.fromkeys(names))
        assert set(one.figures[0].frame["dataset"]) == {"dogs", "cats"}
    # A template fixes four tokens or more: of the dogs, the captions that say how far.
    shares = document.sections[2].tables[0].frame.select("dataset", "templated")
    assert shares.rows() == [("dogs", pytest.approx(2 / 3)), ("cats", 0)]


@searching_for("markup", "swapped-captions")
def test_every_select_that_a_section_names_is_there(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, CATS, "cats")
    reports: list[Report] = []
    document = report(store, "dogs", "cats", **BLEU, timed=False, progress=lambda *reported: reports.append(reported))
    further = ("Summary", "Captions to browse", "Images")
    assert check_progress(reports, "_") == {*(question.title for question in SECTIONS.values()), *further}
    assert [one.name for one in document.sections] == ["summary", *SECTIONS, "method"]
    given = document.statements
    assert {path for one in document.sections for path in one.sql} == {*given}
    assert "-- name: bleu" in given["metrics/bleu/bleu.sql"]


def test_time_is_the_one_that_the_environment_sets(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, DOGS, "dogs")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert report(store, "dogs", **BLEU, sections=["versions"]).made_at == "1970-01-02 00:00:00 UTC"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="expected seconds since 1970"):
        report(store, "dogs", **BLEU, sections=["versions"])


def test_section_that_there_is_not_is_refused_with_those_there_are(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    with pytest.raises(UsageError, match="--section gossip: expected findings, facts, bounds"):
        report(store, "dogs", **BLEU, sections=["gossip"])


def test_ratings_of_people_are_named_whoever_declares_the_relation(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, DOGS, "dogs-rated", kind="judgements")
    store.execute("update dataset set related = ['dogs'] where dataset = 'dogs-rated'")
    document = report(store, "dogs", settings=ReportSettings(("bleu-1",)), sections=["people"], timed=False)
    # Without a rating in it, the study refuses the dataset, and the report says so.
    assert section(document, "people").strip().startswith("agree: dogs-rated")


def test_dataset_that_nobody_has_rated_is_told_what_to_ingest(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    rated = {
        name: Source(name, "judgements", "judgements", (), related=(of,)) for name, of in (("b", "c"), ("r", "dogs"))
    }
    told = [report(store, "dogs", **BLEU, sections=["people"], config=config, timed=False) for config in ({}, rated)]
    bare, named = (section(document, "people") for document in told)
    assert "dogs: the store has no human ratings or preferences for these images." in bare
    assert "for these images. To add some: `auditor ingest r`." in named


ALONE = "{}: needs two captions per image; this dataset has one."


@searching_for("markup", "swapped-captions", "bound-upside-down")
def test_single_captions_leave_out_in_one_line_what_needs_references_and_nothing_else(store: Store) -> None:
    ingest_rows(store, [(image, slot, text) for image, slot, text in DOGS if slot == 1], "alone")
    document = report(store, "alone", settings=ReportSettings(("bleu-1", "cider-d")), resamples=50, timed=False)
    absent = {one.name: one.absent for one in document.sections if one.absent}
    needing = dict.fromkeys(("bounds", "comparison", "correlation", "consensus"), ALONE.format("alone"))
    assert absent.items() >= needing.items()
    assert absent.keys() - needing.keys() <= {"people", "choices", "summary"}
    (unchecked,) = (table.frame for table in document.sections[0].tables if table.name == "unchecked")
    (names,) = (row[0] for row in unchecked.rows() if row[1] == ALONE.format("alone"))
    assert {"Bounds", "Comparison"} <= {*names.split(", ")}
    method = " ".join(document.sections[-1].words)
    assert "No caption was scored." in method
    assert "held out" not in method
    assert not [
        line for line in document.sections[-1].commands if line.split()[1] in ("bounds", "compare", "identical")
    ]


@searching_for("markup", "swapped-captions", "bound-upside-down")
def test_a_dataset_of_single_captions_stays_out_of_the_scores_of_others(store: Store) -> None:
    ingest_rows(store, [row for row in DOGS if row[1] == 0], "alone")
    ingest_rows(store, [row for row in DOGS if row[1] == 0 or row[0] != "d3"], "dogs")
    ingest_rows(store, CATS, "cats")
    wanted = ["findings", "bounds", "comparison", "correlation", "consensus"]
    document = report(store, "alone", "dogs", "cats", **BLEU, sections=wanted, timed=False)
    sections = {one.name: one for one in document.sections}
    found, *scored = (sections[name] for name in wanted if name != "comparison")
    compared = sections["comparison"].results[0].frame
    assert {*compared.filter(statistic="sameness")["dataset"]} == {"alone", "dogs", "cats"}
    assert {*compared.filter(pl.col("statistic") != "sameness")["dataset"]} == {"dogs", "cats"}
    assert any(
        note.startswith("alone: skipped the search for swapped captions and the bounds: ") for note in found.unchecked
    )
    for one in scored:
        assert one.absent is None
        assert ALONE.format("alone") in one.unchecked
        assert ALONE.format("alone") not in one.notes
        assert [each.version.dataset for each in one.results[0].selections] in (["dogs", "cats"], ["dogs"])
        assert "alone" not in one.commands[0]
    assert any("dogs: 1 image has a single caption" in note for note in scored[0].notes)
    two = report(store, "alone", "dogs", **BLEU, sections=["comparison"], timed=False)
    assert two.sections[1].results[0].frame["statistic"].unique().to_list() == ["sameness"]


@searching_for("common-openings", "captions-at-several-images")
def test_report_of_single_captions_leads_with_what_they_can_show(store: Store) -> None:
    ingest_rows(
        store, [(f"i{n}", 0, f"the image shows {n} " + "very " * (n % 3 * 40) + "big dogs") for n in range(60)], "alone"
    )
    document = report(store, "alone", **BLEU, timed=False)
    (single,) = (one for one in document.sections if one.name == "single")
    assert document.sections.index(single) == 1
    led = " ".join(single.words)
    assert "alone: captions have 46 words in the median, and 6 to 86 in 90% of cases." in led
    assert "an estimated 33.3% of captions exceed the 77 tokens that CLIP reads" in led
    for piece in (
        "start with one of ten openings",
        "language en",
        "occur at more than one image",
        "alone: sameness 0.",
    ):
        assert piece in led
    ingest_rows(store, DOGS, "dogs")
    several = report(store, "dogs", **BLEU, timed=False)
    assert "single" not in {one.name for one in several.sections}


def test_method_ends_with_the_bibtex_of_the_program_and_of_the_metrics_that_scored(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, [(image, 0, text) for image, slot, text in DOGS if slot == 0], "alone")
    for dataset, named in (("dogs", [program(), "bleu-1, bleu-2"]), ("alone", [program()])):
        *_, table = report(store, dataset, **BLEU, sections=["facts"], timed=False).sections[-1].tables
        assert table.frame["of"].to_list() == named
        assert all(entry.startswith("@") and entry.endswith("}") for entry in table.frame["bibtex"])
