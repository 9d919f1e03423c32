"""The first screen: facts of the datasets, and links that arrive."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import escape

import polars as pl
import pytest
from report_document import hostile_report

from auditor import reports
from auditor.reports.html import first_screen
from auditor.reports.html.first_screen import plot
from auditor.result import Sentence, Table
from auditor.result.document import Document, Section
from auditor.result.portraits import Portrait

DOGS = Portrait(
    "dogs", 1_200, 6_000, (1, 6), 5_400, 10.25, (("test", 200), ("train", 1_000)), ((9, 2_000), (10, 4_000))
)
CATS = Portrait("cats", 10, 20, (2, 2), 20, 3.0, (), ((3, 20),), 0.5, 0.4, 0.6, "cider-d")

pytestmark = pytest.mark.xdist_group("report documents")  # each is made once


def strips(*portraits: Portrait) -> str:
    return first_screen.strips(portraits, {}, (), escape)


def test_strip_says_the_facts_of_a_dataset() -> None:
    dogs, cats = re.findall(
        r'<article class="strip">.*?</article>',
        strips(DOGS, CATS),
        re.DOTALL,
    )
    assert re.findall(r"<dd>(.*?)</dd><dt>(.*?)</dt>", dogs) == [
        ("1,200", "images"), ("6,000", "captions"), ("5.00", "captions per image (1 to 6)"), ("600", "repeat another caption of their image"),
        ("10.2", "words per caption"),
    ]  # fmt: skip
    assert "Images by split: test 200, train 1,000" in dogs
    assert "No splits" in cats


def test_answer_names_the_question_of_each_sentence() -> None:
    told = first_screen.answer(
        (
            "dogs is first.",
            Sentence("Do `x`.", "next"),
            Sentence("Captions differ.", "caveat"),
            Sentence("dogs: typos.", "wrong"),
        ),
        escape,
    )
    assert [*re.findall(r'<p class="(\w+)">(.*?)</p>', told)] == [
        ("answer", "dogs is first."),
        ("follows", "<b>Next</b> Do `x`."),
        ("caveat", "<b>Caveat</b> Captions differ."),
        ("follows", "<b>Wrong</b> dogs: typos."),
    ]


def placed(**columns: list[object]) -> Table:
    frame = pl.DataFrame({"metric": ["bleu-4"] * 3, "homogeneity": [0.6, 0.5, 0.2], **columns})
    return Table("homogeneity, equalized", frame.with_columns(low=pl.lit(0.1), high=pl.lit(0.8)), ("homogeneity",))


def test_datasets_are_placed_by_value_and_joined_by_their_groups() -> None:
    three = placed(dataset=["a", "b", "<c>"], group=["a", "ab", "c"], order=["differs"] * 3)
    told = plot(three, {"b": 5}, ["a", "b", "<c>"], escape)
    assert re.findall(r"<title>(.*?)</title>", told)[0] == "a: 0.600 (0.100 to 0.800)"
    assert (told.count('class="joined"'), told.count("order differs"), "s5" in told) == (1, 1, True)
    assert "<c>" not in told
    beside = plot(placed(dataset=["a", "own", "c"]), {}, ["own"], escape)
    assert "2. from the highest, of 3" in beside
    assert "reference marks: a a, b c" in beside
    reordered = plot(placed(dataset=["c", "own", "a"]), {}, ["own"], escape)
    assert "reference marks: a a, b c" in reordered
    assert re.findall(r">([ab])</text>", reordered) == ["a", "b"]  # from the lowest value


@pytest.mark.parametrize("column", ["homogeneity", "sameness", "value"])
def test_legend_has_twelve_words_and_the_caption_of_the_numbers_the_rest(column: str) -> None:
    table = replace(placed(dataset=["a", "b", "c"]), bars=(column,))
    table = replace(table, frame=table.frame.rename({"homogeneity": column}), caption="All of it.")
    told = first_screen.placed([table], {}, ["a", "b", "c"], lambda table: str(table.caption), escape)
    (legend,) = re.findall(r'<p class="caption">.*</span> (.*?)</p>', told)
    assert 0 < len(legend.split()) <= 12
    assert "<summary>Numbers of this figure, and what they mean</summary>\nAll of it." in told


def test_of_two_samples_a_switch_shows_one() -> None:
    two = [replace(placed(dataset=["a", "b", "c"]), sample=sample) for sample in ("equalized", "raw")]
    told = first_screen.placed(two, {}, ["a", "b", "c"], lambda table: "", escape)
    assert re.findall(r'<input type="radio" name="sample" id="(\S+)"( checked)?>', told) == [
        ("sample-0", " checked"),
        ("sample-1", ""),
    ]
    assert re.findall(r"<label for=.*?>(.*?)</label>", told) == [
        "equal numbers of images and captions (equalized)",
        "all captions (raw)",
    ]


def test_lengths_of_all_datasets_are_drawn_at_one_scale() -> None:
    drawn = strips(DOGS, CATS)
    assert set(re.findall(r'aria-label="Caption lengths: .*?up to (\d+) are shown"', drawn)) == {"10"}
    assert len(set(re.findall(r'<rect [^>]*width="([\d.]+)"', drawn))) == 1


@pytest.fixture(scope="module")
def page() -> str:
    return reports.DOCUMENT_FORMATS["html"](hostile_report())


def test_every_link_within_the_page_arrives_at_one_place(page: str) -> None:
    places = Counter(re.findall(r'\bid="([^"]+)"', page))
    assert [name for name, times in places.items() if times > 1] == []
    assert set(re.findall(r'href="#([^"?]+)', page)) <= places.keys()


def test_compare_shows_figures_and_has_tables_behind_them(page: str) -> None:
    (section,) = re.findall(r'<section id="comparison".*?</section>', page, re.DOTALL)
    behind = section.index("<summary>Numbers</summary>")
    assert 0 < section.index('<div class="figures">') < behind < section.index('<div class="tables">')


def test_tab_counts_what_the_first_sentence_in_it_counts(page: str) -> None:
    (tab,) = re.findall(r'id="to-findings">Findings <small>(.*?)</small>', page)
    (told,) = re.findall(r'<section id="findings".*?<li dir="auto">(.*?)</li>', page, re.DOTALL)
    assert told.startswith(tab)


def test_page_without_a_card_says_why() -> None:
    first = Section("summary", "Summary", absent="No problems found.")
    made = Document("Audit", (), (first, Section("method", "Method")), "auditor", portraits=(DOGS,))
    assert '<p class="absent">No problems found.</p>' in reports.DOCUMENT_FORMATS["html"](made)
