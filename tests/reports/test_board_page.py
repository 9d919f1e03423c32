"""The page of claims in a browser: what is picked is shown, what is shown is counted. Skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import chromium
import polars as pl
import pytest

from auditor.reports.html import document as html
from auditor.result import Result, Table

pytestmark = pytest.mark.skipif(
    chromium.installed() is None, reason="Chromium is not here: `apt-get install chromium` on Debian"
)

ROWS = pl.DataFrame(
    {
        "claim": ["a-1", "a-2", "b-1"],
        "paper": ["a", "a", "b"],
        "says": ["METEOR .524", "BLEU .429 <b>", "1,000 images"],
        "status": ["reproduced", "differs", "reproduced"],
    }
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    table = Table("every claim", ROWS, anchors="claim", filters=("paper", "status"), name="claims")
    file = tmp_path_factory.mktemp("page") / "board.html"
    file.write_text(html.render(Result("reproduce", ROWS, page=(table,))), encoding="utf-8")
    with chromium.Page(str(chromium.installed()), tmp_path_factory.mktemp("browser")) as opened:
        opened.open(file.as_uri())
        yield opened
        assert opened.complaints == []


def shown(page: chromium.Page) -> list[str]:
    rows: list[str] = page.ask("[...document.querySelectorAll('tbody tr:not(.off)')].map(one => one.id)")
    return rows


def pick(page: chromium.Page, place: int, value: str) -> None:
    page.ask(
        f"(() => {{ const one = document.querySelectorAll('.filter select, .filter input')[{place}];"
        f" one.value = '{value}'; one.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    )


def test_claims_are_picked_by_column_and_by_words(page: chromium.Page) -> None:
    assert shown(page) == ["a-1", "a-2", "b-1"]
    pick(page, 0, "a")
    assert shown(page) == ["a-1", "a-2"]
    pick(page, 1, "reproduced")
    assert shown(page) == ["a-1"]
    assert page.ask("document.querySelector('.filter output').textContent") == "1 of 3"
    pick(page, 0, "")
    pick(page, 1, "")
    pick(page, 2, "bleu .429")
    assert shown(page) == ["a-2"]
    pick(page, 2, "")


def test_a_claim_has_a_link_of_its_own(page: chromium.Page) -> None:
    assert page.ask("document.querySelector('#a-2 a').getAttribute('href')") == "#a-2"
    assert page.ask("[...document.querySelectorAll('.filter select')].map(one => one.closest('label').textContent)")
