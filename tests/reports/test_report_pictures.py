"""Pictures on the page of a report: beside their captions, within their budget, text for whatever is text."""

from __future__ import annotations

import base64
import dataclasses
import re
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_document import hostile_report

from auditor import reports
from auditor.model import Picture, Pictures, pictured
from auditor.result import Finding, Table
from auditor.result.document import Document, Section

HOSTILE = "\"><img src=x onerror=alert(1)> '</script><script>alert(2)</script> &amp; `a`"


def picture(size: int = 100) -> Picture:
    return Picture(b"\xff\xd8" + bytes(size), 24, 16)


def example(image: str, text: str | None, **beside: str) -> dict[str, str | int | None]:
    return {"image": image, "slot": 0, "text": text, "why": "seen", **beside}


def document(pictures: Pictures, *examples: dict[str, str | int | None], tables: tuple[Table, ...] = ()) -> Document:
    found = Finding("placeholders", "set: so many", {"dataset": "set"}, {"captions": 1}, 9, "notice", examples)
    sections = (Section("findings", "Findings", findings=(found,), tables=tables), Section("method", "Method"))
    return Document("Audit", (), sections, "auditor", pictures=pictures)


def page(pictures: Pictures, *examples: dict[str, str | int | None], tables: tuple[Table, ...] = ()) -> str:
    return reports.DOCUMENT_FORMATS["html"](document(pictures, *examples, tables=tables))


def album(*images: str, size: int = 100, notes: tuple[str, ...] = ()) -> Pictures:
    return Pictures({("set", one): picture(size) for one in images}, frozenset({"set"}), notes, (), 150)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def shown(html: str) -> list[dict[str, str | None]]:
    read = _Tags()
    read.feed(html)
    return [attributes for tag, attributes in read.tags if tag == "img"]


def test_picture_is_beside_the_caption_that_names_it() -> None:
    (one,) = shown(page(album("a.jpg"), example("a.jpg", "a dog")))
    data = base64.b64encode(picture().jpeg).decode()
    assert one == {
        "class": "picture", "src": f"data:image/jpeg;base64,{data}", "data-image": "a.jpg", "alt": "a dog",
        "width": "24", "height": "16",
        "loading": "eager", "decoding": "async",
    }  # fmt: skip


def test_image_without_a_caption_is_named_by_its_id() -> None:
    assert [one["alt"] for one in shown(page(album("a.jpg"), example("a.jpg", None)))] == ["a.jpg"]


def test_two_captions_of_one_image_share_its_picture_and_those_of_two_have_two() -> None:
    same = example("a", "one dog", other_image="a", other_text="two dogs")
    apart = example("a", "one dog", other_image="b", other_text="two dogs")
    assert [one["alt"] for one in shown(page(album("a", "b"), same))] == ["one dog"]
    assert [one["alt"] for one in shown(page(album("a", "b"), apart))] == ["one dog", "two dogs"]


def test_images_that_are_beside_each_other_without_captions_are_both_shown() -> None:
    copied = example("a", None, other_image="b")
    assert [one["alt"] for one in shown(page(album("a", "b"), copied))] == ["a", "b"]


def test_rows_of_a_table_show_their_images_once_a_row() -> None:
    frame = pl.DataFrame(
        {
            "image": ["a", "a", None],
            "text": ["x", "y", "z"],
            "other_image": ["a", "b", "b"],
            "other_text": ["u", "v", "w"],
        }
    )
    table = Table("pairs", frame, pictured=pictured(frame, "set", "image", "other_image"))
    assert [one["alt"] for one in shown(page(album("a", "b"), tables=(table,)))] == ["x", "y", "v", "w"]


def test_images_of_another_dataset_of_the_same_name_are_not_mistaken() -> None:
    frame = pl.DataFrame({"image": ["a"], "text": ["x"]})
    other = Table("pairs", frame, pictured=pictured(frame, "other", "image"))
    html = page(album("a"), tables=(other,))
    assert shown(html) == []
    assert "<h3>Images</h3>" not in html


def test_page_says_how_many_examples_have_their_picture_and_what_is_wrong() -> None:
    html = page(album("a", notes=("set: b.jpg is left out: <a damaged image>",)), example("a", "x"), example("b", "y"))
    assert (
        "1 of 2 examples with an image name shows its image: at most 150 images and 3 MB of them, 5 MB per page."
        in html
    )
    assert "b.jpg is left out: &lt;a damaged image&gt;" in html


@pytest.mark.parametrize("size", [20_000, 400_000, 2_000_000])
def test_pictures_stay_within_their_budget(size: int) -> None:
    images = [str(number) for number in range(200)]
    html = page(album(*images, size=size), *(example(one, "a dog") for one in images))
    drawn = shown(html)
    assert 0 < len(drawn) < 200
    assert sum(len(str(one["src"])) for one in drawn) <= 3_000_000
    assert len(html.encode()) <= 5_000_000
    assert f"{len(drawn)} of 200 examples with an image name show" in html


def test_page_that_is_large_without_pictures_has_fewer_and_one_too_large_none() -> None:
    images = [str(number) for number in range(200)]
    pictures = album(*images, size=20_000)
    bulk = Table("bulk", pl.DataFrame({"text": ["x" * 1000] * 4_000}))
    html = page(pictures, *(example(one, "a dog") for one in images), tables=(bulk,))
    assert 0 < len(shown(html)) < 40
    assert len(html.encode()) <= 5_000_000
    more = Table("bulk", pl.DataFrame({"text": ["x" * 1000] * 6_000}))
    assert shown(page(pictures, example("1", "a dog"), tables=(more,))) == []


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_captions_and_names_stay_text(caption: str, image: str, note: str) -> None:
    for text, name, said in ((caption, image, note), (HOSTILE + caption, HOSTILE + image, HOSTILE + note)):
        html = page(album(name, notes=(said,)), example(name, text))
        read = _Tags()
        read.feed(html)
        (one,) = shown(html)
        assert set(one) == {"class", "src", "data-image", "alt", "width", "height", "loading", "decoding"}
        assert str(one["src"]).startswith("data:image/jpeg;base64,")
        assert [tag for tag, _ in read.tags].count("script") == 1
        assert not any(key.startswith("on") for _, attributes in read.tags for key in attributes)
        plain = text or name
        if plain.isprintable():
            assert one["alt"] == (plain if len(plain) <= 300 else f"{plain[:300].rstrip()}…")


def test_policy_holds() -> None:
    html = page(album("a"), example("a", "a dog"))
    assert "default-src 'none'" in html
    assert "img-src data:;" in html
    assert not re.search(r"""(src|href|action)=["'](?!#|data:)""", html)
    assert not re.search(r"<[^>]+\sstyle=", html)


def test_what_would_bring_pictures_is_said_where_the_page_begins() -> None:
    absent = Pictures(absent=("Pictures of set: photos: no such folder",))
    html = reports.DOCUMENT_FORMATS["html"](dataclasses.replace(hostile_report(), pictures=absent))
    summary = html.split('<section id="findings"')[0]
    assert '<li dir="auto">Pictures of set: photos: no such folder</li>' in summary


def test_other_formats_are_as_without_pictures() -> None:
    plain = hostile_report()
    images = {("hostile", f"im{n}.jpg"): picture() for n in range(5)}
    with_pictures = dataclasses.replace(
        plain, pictures=Pictures(images, frozenset({"hostile"}), ("a note",), ("more",), 9)
    )
    assert shown(reports.DOCUMENT_FORMATS["html"](with_pictures))
    for name in ("md", "latex", "json"):
        assert reports.DOCUMENT_FORMATS[name](with_pictures) == reports.DOCUMENT_FORMATS[name](plain)
