"""The first screen: headlines are numbers, words that differ are marked, captions stay captions, links arrive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html import escape

import pytest
from report_document import SCRIPT, hostile_report

from auditor import reports
from auditor.model import Pictures
from auditor.reports.html import first_screen
from auditor.reports.html.pictures import Album
from auditor.result import Finding
from auditor.result.document import Document, Portrait, Section

Example = Mapping[str, str | int | None]

DOGS = Portrait(
    "dogs", 1_200, 6_000, (1, 6), 5_400, 10.25, (("test", 200), ("train", 1_000)), ((9, 2_000), (10, 4_000))
)
CATS = Portrait("cats", 10, 20, (2, 2), 20, 3.0, (), ((3, 20),), 0.5, 0.4, 0.6, "cider-d")

NO_PICTURES = Album(Pictures(), escape)

pytestmark = pytest.mark.xdist_group("report documents")  # each is made once


def finding(*examples: Example, dataset: str = "dogs", kind: str = "markup", **values: float) -> Finding:
    return Finding(kind, f"{dataset}: captions", {"dataset": dataset}, values, 6_000, "warning", examples)


def beside(text: str, other: str) -> tuple[str, ...]:
    """Give both texts of an example as the page has them."""
    example = {"image": "a", "slot": 0, "text": text, "other_image": "b", "other_slot": 1, "other_text": other}
    drawn = first_screen.screen([finding(example)], [DOGS], {}, NO_PICTURES, escape)
    return tuple(re.findall(r'<blockquote dir="auto">“(.*?)”<cite>', drawn))


def test_a_card_shows_the_headline_of_its_finding() -> None:
    found = Finding("markup", "dogs: markup: 4", {"dataset": "dogs"}, headline="4 of 6,000 captions")
    card = first_screen.screen([found], [DOGS], {}, NO_PICTURES, escape)
    assert '<p class="headline">4 of 6,000 captions</p>' in card


def test_finding_about_all_datasets_names_none_and_begins_as_a_sentence() -> None:
    told = Finding("unequal-captions-per-image", "captions differ (dogs 5.0): BLEU grows", {}, {"dogs": 5.0}, 2)
    card = first_screen.screen([told], [DOGS, CATS], {}, NO_PICTURES, escape)
    assert '<h3 id="card-1">Unequal captions per image</h3>' in card
    assert '<p dir="auto">Captions differ (dogs 5.0): BLEU grows.</p>' in card


def test_words_that_differ_are_marked_in_both_captions() -> None:
    assert beside("a red dog runs far away", "a dog runs very far away") == (
        "a <mark>red</mark> dog runs far away",
        "a dog runs <mark>very</mark> far away",
    )


def test_case_and_punctuation_are_no_difference() -> None:
    assert beside("A red dog runs.", "a red dog runs") == ("A red dog runs.", "a red dog runs")


def test_captions_that_share_little_are_not_marked() -> None:
    assert beside("a red dog runs", "two men sit on some wall") == ("a red dog runs", "two men sit on some wall")


def test_what_differs_is_escaped_within_its_mark() -> None:
    assert beside(f"a red dog {SCRIPT.replace(' ', '')}", "a red dog runs & <b>")[0] == (
        f"a red dog <mark>{escape(SCRIPT.replace(' ', ''))}</mark>"
    )


def test_nothing_that_data_say_becomes_an_element() -> None:
    example = {"image": SCRIPT, "slot": 0, "text": SCRIPT, "why": SCRIPT, "other_image": SCRIPT, "other_slot": 1}
    told = finding(example, {"image": SCRIPT, "why": SCRIPT}, dataset=SCRIPT, captions=1)
    portraits = [Portrait(SCRIPT, 1, 1, (1, 1), 1, 1.0, ((SCRIPT, 1),), ((1, 1),)), DOGS]
    page = first_screen.screen([told], portraits, {}, NO_PICTURES, escape) + first_screen.listed(
        [told], NO_PICTURES, escape, escape
    )
    assert "<script" not in page
    assert "</td>" not in page
    assert page.count(escape(SCRIPT)) > 8


def test_card_says_how_bad_what_of_whom_and_leads_to_the_evidence() -> None:
    told = finding(captions=3)
    card = first_screen.screen([told], [DOGS, CATS], {}, NO_PICTURES, escape)
    assert re.search(r'<p class="severity"><span aria-hidden="true">!</span> warning</p>', card)
    assert '<h3 id="card-1">Markup · <span>dogs</span></h3>' in card
    assert '<p dir="auto">Captions.</p>' in card
    (name,) = re.findall(r'href="#(.*?)"', card)
    assert f'id="{name}"' in first_screen.listed([told], NO_PICTURES, escape, escape)


def test_of_one_dataset_no_card_says_whose_it_is() -> None:
    assert '<h3 id="card-1">Markup</h3>' in first_screen.screen([finding(captions=3)], [DOGS], {}, NO_PICTURES, escape)


def test_two_findings_of_a_kind_have_places_of_their_own() -> None:
    told = [
        Finding("near-duplicate-across-splits", "said", {"dataset": "dogs", "split": "test", "against": against})
        for against in ("dogs:train", "cats:train")
    ]
    names = re.findall(r' id="(finding-.*?)"', first_screen.listed(told, NO_PICTURES, escape, escape))
    assert len(set(names)) == 2


def test_findings_stand_under_their_severity_with_what_to_do_but_for_mere_answers() -> None:
    told = [finding(captions=3), Finding("sorted-captions", "sorted", {"dataset": "dogs"})]
    page = first_screen.listed(told, NO_PICTURES, escape, escape)
    assert re.findall(r'<h3 class="level">(.*?)</h3>', page) == ["Warning", "Info"]
    assert page.count('class="advice"') == 1


def test_strip_says_the_facts_of_a_dataset() -> None:
    dogs, cats = re.findall(
        r'<article class="strip">.*?</article>',
        first_screen.screen([], [DOGS, CATS], {}, NO_PICTURES, escape),
        re.DOTALL,
    )
    assert re.findall(r"<dd>(.*?)</dd><dt>(.*?)</dt>", dogs) == [
        ("1,200", "images"), ("6,000", "captions"), ("5.00", "captions per image (1 to 6)"), ("600", "repeat another caption of their image"),
        ("10.2", "words per caption"),
    ]  # fmt: skip
    assert "Images by split: test 200, train 1,000" in dogs
    said = "homogeneity (0.400 to 0.600)"
    assert ("0.500", said) in re.findall(r"<dd>(.*?)</dd><dt>(.*?)</dt>", cats)
    assert "No splits" in cats


def test_lengths_of_all_datasets_are_drawn_at_one_scale() -> None:
    drawn = first_screen.screen([], [DOGS, CATS], {}, NO_PICTURES, escape)
    assert set(re.findall(r'aria-label="Caption lengths: .*?up to (\d+) are shown"', drawn)) == {"10"}
    assert len(set(re.findall(r'<rect [^>]*width="([\d.]+)"', drawn))) == 1


@pytest.fixture(scope="module")
def page() -> str:
    return reports.DOCUMENT_FORMATS["html"](hostile_report())


def test_every_link_within_the_page_arrives_at_one_place(page: str) -> None:
    places = Counter(re.findall(r'\bid="([^"]+)"', page))
    assert [name for name, times in places.items() if times > 1] == []
    assert set(re.findall(r'href="#([^"]+)"', page)) <= places.keys()


def test_page_without_a_card_says_why() -> None:
    first = Section("summary", "Summary", absent="No problems found.")
    made = Document("Audit", (), (first, Section("method", "Method")), "auditor", portraits=(DOGS,))
    assert '<p class="absent">No problems found.</p>' in reports.DOCUMENT_FORMATS["html"](made)
