"""The table of findings: a row per kind, a column per dataset, marked hits, captions that stay captions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from html import escape

import pytest
from report_document import SCRIPT

from auditor.findings import KINDS
from auditor.model import Pictures, Selection, Version
from auditor.reports.cells import cut, hit
from auditor.reports.html import findings_table
from auditor.reports.html.pictures import Album
from auditor.result import Finding, Severity, percent

Example = Mapping[str, str | int | None]


def selection(name: str, split: str | None = None) -> Selection:
    at = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)
    return Selection(Version(name, 1, "0" * 64, at, "", "table", ("bare",), 10, 20), split)


DOGS, CATS = selection("dogs"), selection("cats")


def finding(
    *examples: Example,
    dataset: str | None = "dogs",
    kind: str = "markup",
    severity: Severity = "warning",
    headline: str = "",
    **values: float,
) -> Finding:
    about = {"dataset": dataset} if dataset else {}
    return Finding(kind, f"{dataset}: captions", about, values, 6_000, severity, examples, headline)


def drawn(*found: Finding, of: tuple[Selection, ...] = (DOGS, CATS), full: bool = True) -> str:
    typed = escape if full else None
    return findings_table.table(found, of, Album(Pictures(), escape), escape, typed)


def beside(text: str, other: str) -> tuple[str, ...]:
    """Give both texts of an example as the page has them."""
    example = {"image": "a", "slot": 0, "text": text, "other_image": "b", "other_slot": 1, "other_text": other}
    return tuple(re.findall(r'<blockquote dir="auto">“(.*?)”<cite>', drawn(finding(example)))[-2:])


def kinds(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="#finding-([\w-]+)"', page)


def test_a_kind_is_one_row_with_the_number_of_each_dataset() -> None:
    page = drawn(
        finding(captions=1_234, share=0.2),
        finding(dataset="cats", captions=3, share=0.00001),
        finding(kind="copied-slots", headline="18.3% of images"),
    )
    assert kinds(page) == ["markup", "copied-slots"]
    numbers = re.findall(r'<td class="number">(.*?)</td>', page)
    assert [re.sub("<.*?>", "", number) for number in numbers] == ["1,234 20%", "3 &lt;0.01%", "18.3% of images", ""]


def test_finding_about_all_datasets_is_in_all_columns() -> None:
    told = finding(dataset=None, kind="unequal-captions-per-image", headline="48.0 against 5.0 per image")
    assert '<td colspan="2"><a href="#finding-unequal-captions-per-image-of">48.0 against 5.0 per image</a>' in drawn(
        told
    )


def test_splits_of_one_dataset_have_their_own_findings() -> None:
    both = (selection("dogs", "train"), selection("dogs", "test"))
    told = [
        Finding("markup", "said", {"dataset": "dogs", "split": split}, {"captions": number, "share": 0.5}, 10)
        for split, number in (("train", 4), ("test", 5))
    ]
    numbers = re.findall(r'<td class="number">(.*?)</td>', drawn(*told, of=both))
    assert [re.sub("<.*?>", "", number) for number in numbers] == ["4 50%", "5 50%"]


def test_kind_that_another_explains_follows_it() -> None:
    found = [
        finding(kind="templated-captions", severity="warning"),
        finding(kind="markup"),
        finding(kind="boilerplate", severity="notice"),
    ]
    page = drawn(*found)
    assert kinds(page) == ["templated-captions", "boilerplate", "markup"]
    assert page.count("may follow from: Captions that follow a frequent pattern") == 1
    worse = [finding(kind="boilerplate", severity="error"), finding(kind="templated-captions", severity="notice")]
    assert "may follow" not in drawn(*worse)
    elsewhere = [finding(kind="templated-captions"), finding(kind="boilerplate", dataset="cats")]
    assert "may follow" not in drawn(*elsewhere)


def test_explained_kinds_exist() -> None:
    assert {kind for entry in KINDS.values() for kind in entry.explains} <= KINDS.keys()


def test_row_names_the_share_that_is_right() -> None:
    assert "about 70% of finds are correct" in drawn(finding(kind="truncated-captions", captions=3, share=0.1))
    assert "are correct" not in drawn(finding(captions=3, share=0.1))


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


@pytest.mark.parametrize(
    ("text", "why", "marked"),
    [
        ("A boy runs aross the street .", "“aross”, perhaps “across”", "aross"),
        ("A man in a statefarm.com hat .", "URL statefarm.com", "statefarm.com"),
        ("This is a picture of a dog", "about the image: This is a picture of ", "This is a picture of"),
        ("A guy is looking into a", "ends in “a”", "a"),
        ("a dog runs", "the same words; 4 of 5 captions of the image are distinct", None),
        ("", "no word", None),
        ("日本 の 犬", "“犬”", "犬"),
        ("İ is longer in lower case", "“longer”", None),
    ],
)
def test_hit_is_what_the_reason_names(text: str, why: str, marked: str | None) -> None:
    parts = hit(text, why)
    assert "".join(part for part, _ in parts) == text
    assert [part for part, own in parts if own] == ([marked] if marked else [])
    if why.startswith("ends"):
        assert parts[-1][0] == ""


def test_long_caption_is_cut_around_its_hit() -> None:
    words = " ".join(f"word{number}" for number in range(300))
    shown = cut(hit(f"{words} amazon.com {words}", "URL amazon.com"))
    assert [own for _, own in shown] == [False, True, False]
    text = "".join(part for part, _ in shown)
    assert text.startswith("… ")
    assert text.endswith(" …")
    assert " amazon.com word0 " in text
    assert len(text) < 170
    assert len("".join(part for part, _ in cut((("x" * 10_000, False),)))) < 170
    assert cut((("a dog", False),)) == (("a dog", False),)


def test_long_parts_between_others_keep_both_ends() -> None:
    words = " ".join(f"word{number}" for number in range(300))
    shown = cut(((words, False), (words, True), (words, False), (words, True), (words, False)))
    ends = [("word0 " in part, "word299" in part) for part, _ in shown]
    assert ends == [(False, True), (True, True), (True, True), (True, True), (True, False)]
    assert [own for _, own in shown] == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("value", "written"), [(0.41, "41%"), (0.03, "3.0%"), (0.0005, "0.05%"), (0.00001, "<0.01%"), (0, "0.00%")]
)
def test_share_is_never_nothing(value: float, written: str) -> None:
    assert percent(value) == written


def test_nothing_that_data_say_becomes_an_element() -> None:
    example = {"image": SCRIPT, "slot": 0, "text": SCRIPT, "why": SCRIPT, "other_image": SCRIPT, "other_slot": 1}
    page = drawn(
        finding(example, {"image": SCRIPT, "why": SCRIPT}, dataset=SCRIPT, headline=SCRIPT),
        of=(selection(SCRIPT), DOGS),
    )
    assert "<script" not in page
    assert page.count(escape(SCRIPT)) > 8


def test_every_number_leads_to_its_evidence() -> None:
    told = [
        Finding("near-duplicate-across-splits", "said", {"dataset": "dogs", "split": "test", "against": against})
        for against in ("dogs:train", "cats:train")
    ]
    page = drawn(*told, finding(dataset=None))
    names = re.findall(r' id="(finding-.*?)"', page)
    assert len(set(names)) == len(names) == 5
    assert set(re.findall(r'href="#(.*?)"', page)) <= {*names}


def test_what_to_do_is_left_out_for_mere_answers() -> None:
    page = drawn(finding(captions=3), finding(kind="sorted-captions", severity="info"))
    assert page.count('class="advice"') == 1
