"""Captions, ids and reasons with markup stay text in the tab to browse, whatever they try."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path

import chromium
import polars as pl
import pytest

from auditor import reports
from auditor.reports.html import browsing
from auditor.result.document import Browsed, Document, Section

_BREAKS = (
    "",
    '"',
    "'>",
    "</script>",
    "</td></table>",
    "-->",
    "]]>",
    "\\u003c/script>",
    "`${",
    "</textarea></title>",
    "\u2028",
)

_ACTS = (
    "<script>broken()</script>", "<img src=x onerror=broken()>", "<svg onload=broken()>", "{{broken()}}",
    "<a href='javascript:broken()'>a</a>", "<style>*{display:none}</style>",
)  # fmt: skip

PAYLOADS = [
    *(f"{left}{act}" for left, act in itertools.product(_BREAKS, _ACTS)),
    "__proto__", "constructor", "#browse?kind=all", "&lt;b&gt;", "a\u202eb", "nul\x00l", "\ud800", "日本語", "",
]  # fmt: skip


def made(texts: list[str]) -> Browsed:
    rows = [(f"{text}.jpg", 0, text or None, text, True, "markup", f"markup {text}") for text in texts]
    columns = ["image", "slot", "split", "text", "at_random", "kind", "why"]
    frame = pl.DataFrame([[*map(_storable, row)] for row in rows], schema=columns, orient="row")
    return Browsed(
        "dogs", "dogs", frame, (), {"": (len(rows), "auditor export <b>"), "markup": (len(rows), "auditor <b>")}
    )


def _storable(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def page_of(texts: list[str]) -> str:
    sections = (Section("summary", "Summary"), Section("method", "Method"))
    return reports.DOCUMENT_FORMATS["html"](Document("Audit", (), sections, "auditor", browsed=(made(texts),)))


def test_there_are_enough_payloads() -> None:
    assert len(PAYLOADS) >= 65


def test_data_cannot_end_their_element() -> None:
    page = page_of(PAYLOADS)
    (data,) = re.findall(r'id="captions">(.*?)</script>', page, re.DOTALL)
    assert not {"<", ">", "&"} & {*data}
    texts = [image[3][0][1] for image in json.loads(data)["images"]]
    assert len(texts) == len(PAYLOADS)
    assert page.count("<script") == 2


def test_same_captions_make_the_same_bytes() -> None:
    assert page_of(PAYLOADS) == page_of(PAYLOADS)


def test_link_names_only_filters_with_a_value() -> None:
    assert browsing.link(dataset="a b&c", kind="") == "#browse?dataset=a+b%26c"


def test_plot_of_words_links_each_to_its_captions_and_writes_what_fits() -> None:
    rows = [("<b>", 5, 0, 3.0), ("dog", 90, 10, 1.0), ("cat", 1, 900, -8.0), ("kat", 1, 900, -8.0)]
    frame = pl.DataFrame(rows, schema=["word", "occurrences", "occurrences_b", "log_ratio"], orient="row")
    both = [made([]), replace(made([]), label="cats", words=frame)]
    page = browsing.words(both, {"dogs": 0, "cats": 1}, escape)
    assert re.findall(r'<a href="(.*?)"', page) == [
        "#browse?dataset=cats&amp;kind=all&amp;word=%3Cb%3E",
        "#browse?dataset=cats&amp;kind=all&amp;word=dog",
        "#browse?dataset=dogs&amp;kind=all&amp;word=cat",
        "#browse?dataset=dogs&amp;kind=all&amp;word=kat",
    ]
    assert "dog: 90 in cats, 10 in dogs" in page
    assert re.findall(r"<text x=.*?>(.*?)</text>", page) == ["&lt;b&gt;", "dog", "cat"]  # kat is at the same place
    assert browsing.words(both[:1], {}, escape) == ""


@pytest.mark.skipif(chromium.installed() is None, reason="Chromium is not here: `apt-get install chromium` on Debian")
def test_markup_stays_text(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(page_of(PAYLOADS), encoding="utf-8")
    with chromium.Page(str(chromium.installed()), tmp_path / "browser") as page:
        page.show(1440)
        page.open(file.as_uri())
        seen: list[str] = []
        for number in range(1, -(-len(PAYLOADS) // 25) + 1):
            page.ask(f"location.hash = 'browse?kind=markup&page={number}'; new Promise(done => setTimeout(done, 100))")
            seen += page.ask("[...document.querySelectorAll('#browser tbody th')].map(one => one.textContent)")
            inner = page.ask(
                "[...new Set([...document.querySelectorAll('#browser tbody *')].map(one => one.localName))]"
            )
            assert {*inner} <= {"tr", "th", "td", "a", "p", "mark"}
            links = page.ask("[...document.querySelectorAll('#browser a')].map(one => one.protocol)")
            assert {*links} == {"file:"}
        assert len(seen) == len(PAYLOADS)
        assert {text for text in PAYLOADS if text.isprintable() and text} <= {
            name.removesuffix(".jpg#0") for name in seen
        }
        assert page.complaints == []
        assert [one for one in page.requests if one != file.as_uri() and not one.startswith("data:")] == []
