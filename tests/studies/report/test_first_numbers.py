"""The main numbers of one dataset: those of the commands, among marks of the same sample, with command and SELECTs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl
import pytest
from conftest import ingest_rows

from auditor import reports
from auditor.result.document import Document
from auditor.result.portraits import MAIN
from auditor.statistics import published
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds import bounds
from auditor.studies.diversity import diversity
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report

pytestmark = pytest.mark.xdist_group("main numbers")  # one store is read by all

_WORDS = ("red", "blue", "tall", "old", "wild")

_PER_IMAGE = {"five": 5, "three": 3, "one": 1}


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Store.open(MEMORY) as opened:
        for name, captions in _PER_IMAGE.items():
            rows = [
                (f"i{n:03}", slot, f"a {_WORDS[n % 5]} dog {_WORDS[(n + slot) % 5]} runs to house {n} in the park")
                for n in range(500 // captions)
                for slot in range(captions)
            ]
            ingest_rows(opened, rows, name)
        yield opened


def made(
    store: Store, *names: str, sections: Sequence[str] = ("facts", "bounds", "comparison", "diversity")
) -> Document:
    settings = ReportSettings(("bleu-1", "bleu-4"))
    return report(store, *names, settings=settings, resamples=0, sections=sections, timed=False)


@pytest.fixture(scope="module")
def documents(store: Store) -> Mapping[str, Document]:
    return {name: made(store, name) for name in _PER_IMAGE}


def numbers(document: Document) -> pl.DataFrame:
    (table,) = [table for table in document.sections[0].tables if table.name == "main-numbers"]
    return table.frame


def test_numbers_are_those_of_the_commands(store: Store, documents: Mapping[str, Document]) -> None:
    own = numbers(documents["five"]).filter(dataset="five")
    assert own["number"].to_list() == [*MAIN]
    means = dict(
        bounds(store, "five", metrics=["bleu-4"]).frame.filter(level="caption").select("candidate", "mean").rows()
    )
    words = dict(diversity(store, "five", statistics=["sameness", "ttr-1"]).frame.select("statistic", "value").rows())
    assert own["value"].to_list() == [
        means["human"],
        means["intra"] / means["human"],
        words["sameness"],
        words["ttr-1"],
    ]
    assert own["by"].to_list() == ["bleu-4", "bleu-4", "sameness", "ttr-1"]


@pytest.mark.parametrize(("name", "placed"), [("five", [*MAIN]), ("three", [*MAIN][2:]), ("one", [*MAIN][2:])])
def test_marks_are_published_numbers_with_as_many_references(
    documents: Mapping[str, Document], name: str, placed: list[str]
) -> None:
    marks = numbers(documents[name]).filter(pl.col("dataset") != name)
    assert marks["number"].unique(maintain_order=True).to_list() == placed
    known = published.rows(marks=True)
    for number, by, dataset, value in marks.select("number", "by", "dataset", "value").rows():
        same = known.filter(pl.col("metric").fill_null(by) == by, statistic=MAIN[number], dataset=dataset)
        assert same["value"].item() == value


def test_a_number_that_needs_two_captions_says_so(documents: Mapping[str, Document]) -> None:
    own = numbers(documents["one"]).filter(dataset="one")
    assert own["number"].to_list() == [*MAIN]
    assert own["value"].is_null().to_list() == [True, True, False, False]
    assert own["because"].str.contains("two captions per image").to_list()[:2] == [True, True]


def test_several_datasets_are_compared_instead(store: Store) -> None:
    assert "main-numbers" not in [
        table.name for table in made(store, "five", "three", sections=["diversity"]).sections[0].tables
    ]


@pytest.mark.parametrize("name", ["five", "one"])
def test_first_screen_has_four_numbers_each_with_a_section_that_computes_it(
    documents: Mapping[str, Document], name: str
) -> None:
    document = documents[name]
    page = reports.DOCUMENT_FORMATS["html"](document)
    first = page[page.index('id="summary"') : page.index('id="tab-numbers"')]
    assert re.findall(r'<text class="metric"[^>]*>([\w ]+)<', first) == [*MAIN]
    own = numbers(document).filter(pl.col("value").is_not_null(), dataset=name)
    values = re.findall(r'<text class="tick value" data-of="(\w+)"[^>]*>([\d.]+)', first)
    assert values == [(section, f"{value:.3f}") for section, value in own.select("section", "value").rows()]
    for source in {*re.findall(r'data-of="(\w+)"', first)} - {"findings", "comparison"}:
        section = re.search(rf'<section id="{source}".*?</section>', page, re.DOTALL)
        assert section, source
        assert '<pre class="command"' in section[0]
        assert 'href="#sql-' in section[0]


def test_a_section_without_a_result_has_no_door(documents: Mapping[str, Document]) -> None:
    document = documents["one"]
    page = reports.DOCUMENT_FORMATS["html"](document)
    assert {section.name for section in document.sections if section.absent} >= {"bounds", "comparison"}
    assert re.findall(r'href="#tab-(\w+)"', page) == ["summary", "numbers", "method"]
    assert not re.search(r'<section id="(bounds|comparison)"', page)
    assert "Bounds, Comparison" in page  # among what was not checked
