"""The page in a browser without a screen: what is drawn, what answers, what can be read. Skipped where there is none.

axe-core, the judge of contrast and names, is read from node_modules or from the file that AXE_CORE names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from conftest import ROOT
from report_document import hostile_report

from auditor import reports
from auditor.reports.figures.marks import marks
from auditor.result.document import Document

pytestmark = pytest.mark.skipif(
    chromium.installed() is None, reason="Chromium is not here: `apt-get install chromium` on Debian"
)

AXE = Path(os.environ.get("AXE_CORE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))


@pytest.fixture(scope="module")
def document() -> Document:
    return hostile_report()


@pytest.fixture(scope="module")
def address(document: Document, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(reports.DOCUMENT_FORMATS["html"](document), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    with chromium.Page(str(chromium.installed()), tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def page(browser: chromium.Page, address: str) -> Iterator[chromium.Page]:
    browser.show(1440)
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(address)
    yield browser
    assert browser.complaints == []
    assert [one for one in browser.requests if one != address and not one.startswith("data:")] == []


def test_every_row_of_a_figure_is_a_mark(page: chromium.Page, document: Document) -> None:
    figures = [figure for section in document.sections for figure in section.figures]
    drawn = page.ask(
        "[...document.querySelectorAll('.figures figure')].map(one => one.querySelectorAll('.mark').length)"
    )
    assert sorted(drawn) == sorted(len(marks(figure).drawn) for figure in figures)
    assert sum(drawn) > 40


def test_captions_write_nothing_but_text(page: chromium.Page) -> None:
    assert page.ask("document.title") == "Audit of sample-narrow and hostile"
    assert page.ask("document.querySelectorAll('script:not([type=\"application/json\"])').length") == 1
    assert "<script>document.title" in page.ask("document.body.textContent")


def test_head_of_a_table_sorts_it(page: chromium.Page) -> None:
    column = "[...document.querySelectorAll('#facts tbody tr')].map(row => row.cells[1].textContent)"
    click = "document.querySelectorAll('#facts table')[0].querySelectorAll('thead button')[1].click()"
    sort = "document.querySelectorAll('#facts table')[0].querySelectorAll('thead th')[1].getAttribute('aria-sort')"
    first = page.ask("document.querySelectorAll('#facts table')[0].tBodies[0].rows.length")
    for said in ("ascending", "descending"):
        page.ask(click)
        values = [float(text.replace(",", "")) for text in page.ask(column)[:first]]
        assert values == sorted(values, reverse=said == "descending")
        assert page.ask(sort) == said


def test_legend_hides_a_series_and_shows_it_again(page: chromium.Page) -> None:
    figure = "document.querySelector('#bounds figure:has(.legend)')"
    shown = (
        f"[...{figure}.querySelectorAll('.plot .mark[data-series=\"1\"]')]"
        ".filter(one => getComputedStyle(one).display !== 'none').length"
    )
    before = page.ask(shown)
    page.ask(f"{figure}.querySelectorAll('.legend button')[1].click()")
    assert (before > 0, page.ask(shown)) == (True, 0)
    assert page.ask(f"{figure}.querySelectorAll('.legend button')[1].getAttribute('aria-pressed')") == "false"
    page.ask(f"{figure}.querySelectorAll('.legend button')[1].click()")
    assert page.ask(shown) == before


def test_mark_says_its_number_beside_the_pointer(page: chromium.Page) -> None:
    follow(page, "bounds")
    at = page.ask(
        "(() => {const mark = document.querySelector('#bounds .mark'); mark.scrollIntoView({block: 'center'});"
        "const box = mark.querySelector('rect').getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2, mark.dataset.says]})()"
    )
    page.point(at[0], at[1])
    assert chromium.until(lambda: page.ask("document.getElementById('says').hidden") is False)
    assert page.ask("document.getElementById('says').textContent") == at[2]


def test_button_turns_the_page_dark_and_light(page: chromium.Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.ask(ground)
    page.ask("document.getElementById('theme').click()")
    assert page.ask(ground) != light
    page.ask("document.getElementById('theme').click()")
    assert page.ask(ground) == light


def test_link_unfolds_the_sql_behind_a_number(page: chromium.Page) -> None:
    page.ask("document.querySelector('#facts details.notes a[href$=\\'/profile.sql\\']').click()")
    assert chromium.until(lambda: page.ask("document.getElementById('sql-profile/profile.sql').open"))


def test_every_number_has_its_command_and_its_selects(page: chromium.Page) -> None:
    known = "[...document.querySelectorAll('.known')]"
    assert page.ask(f"{known}.length") > 200
    bare = (
        "[...document.querySelectorAll('#tab-compare td.number, #tab-numbers td.number, .mark, .strip dd, .plot .value')]"
        ".filter(one => !one.matches('.known') && !one.closest('a, #words') && !one.querySelector('a'))"
        ".map(one => [one.closest('section').id, one.textContent])"
    )
    assert page.ask(bare) == []
    for place in range(0, page.ask(f"{known}.length"), 97):
        page.ask(f"{known}[{place}].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        assert page.ask("document.querySelector('#origin code').textContent").startswith("auditor ")
        links = page.ask("[...document.querySelectorAll('#origin a')].map(one => one.getAttribute('href').slice(1))")
        assert links
        assert page.ask(f"Boolean(document.getElementById('{links[0]}'))")
    page.ask("document.querySelector('#origin button').click()")
    assert page.ask("document.getElementById('origin').hidden") is True


def shown_tabs(page: chromium.Page) -> list[str]:
    return list(page.ask("[...document.querySelectorAll('.panel:not(.off)')].map(one => one.id)"))


def follow(page: chromium.Page, place: str) -> None:
    """Follow a link within the page."""
    page.ask(f"location.hash = '{place}'; new Promise(done => setTimeout(done, 50))")


def every_tab(page: chromium.Page) -> Iterator[str]:
    for tab in page.ask("[...document.querySelectorAll('.tabs a')].map(one => one.hash.slice(1))"):
        follow(page, tab)
        yield tab


def test_one_tab_is_shown_that_of_the_link(page: chromium.Page) -> None:
    assert shown_tabs(page) == ["tab-summary"]
    for tab in every_tab(page):
        assert shown_tabs(page) == [tab]
        assert page.ask("document.querySelector('[aria-selected=true]').hash") == f"#{tab}"
    follow(page, "bounds")
    assert (shown_tabs(page), page.ask("document.querySelector('#bounds > details').open")) == (["tab-numbers"], True)
    follow(page, "%")
    assert shown_tabs(page) == ["tab-summary"]


def test_arrows_move_between_tabs(page: chromium.Page) -> None:
    page.ask("document.querySelector('.tabs a').focus()")
    for key, tab in (("ArrowRight", "compare"), ("End", "method"), ("ArrowRight", "summary"), ("ArrowLeft", "method")):
        page.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        page.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        assert chromium.until(lambda tab=tab: shown_tabs(page) == [f"tab-{tab}"]), (key, shown_tabs(page))
        assert page.ask("document.activeElement.hash") == f"#tab-{tab}"


def test_every_count_opens_its_captions(page: chromium.Page) -> None:
    links = page.ask(
        "[...document.querySelectorAll('a[href^=\"#browse?\"]')].filter(one => !one.closest('#browser, #words'))"
        ".map(one => [one.hash.slice(1), one.textContent])"
    )
    assert len(links) > 10
    for place, text in links:
        follow(page, place)
        shown, count = (
            page.ask("Number(document.querySelector('#browser [data-rows]').dataset.rows)"),
            int(text.replace(",", "")),
        )
        assert (shown_tabs(page), shown) == (["tab-browse"], min(count, 200 if "kind" not in place else 300)), place
        commands = page.ask("[...document.querySelectorAll('#browser .notes code')].map(one => one.textContent)")
        assert len(commands) == (shown < count)


def test_every_word_of_the_plot_opens_captions_that_have_it(page: chromium.Page) -> None:
    words = page.ask(
        "[...document.querySelectorAll('#words a')].map(one => [one.getAttribute('href').slice(1), one.getAttribute('aria-label')])"
    )
    assert len(words) > 20
    for place, label in words[::7]:
        follow(page, place)
        texts = page.ask(
            "[...document.querySelectorAll('#browser tbody td.long')].map(one => one.textContent.toLowerCase())"
        )
        assert texts, place
        assert all(label.partition(":")[0] in text for text in texts), place


def test_filters_combine_and_are_in_the_address(page: chromium.Page) -> None:
    follow(page, "browse?kind=all&dataset=hostile")
    rows = "Number(document.querySelector('#browser [data-rows]').dataset.rows)"
    assert page.ask(rows) == 20
    follow(page, "browse?kind=all&dataset=hostile&text=dog+runs")
    assert page.ask(rows) == 5
    follow(page, "browse?kind=all&dataset=hostile&text=dog+runs&most=2")
    assert page.ask(rows) == 0
    page.ask(
        "(() => { const most = document.querySelectorAll('#browser input')[1]; most.value = '';"
        "most.dispatchEvent(new Event('input', {bubbles: true})) })()"
    )
    assert page.ask(rows) == 5
    assert page.ask("location.hash") == "#browse?dataset=hostile&kind=all&text=dog+runs"
    follow(page, "browse?dataset=hostile&kind=all&image=im1.jpg")
    texts = page.ask("[...document.querySelectorAll('#browser tbody th')].map(one => one.textContent)")
    assert texts == ["im1.jpg#0", "im1.jpg#1"]


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_page_is_as_wide_as_the_screen(page: chromium.Page, width: int) -> None:
    page.show(width)
    page.ask("document.querySelectorAll('details').forEach(one => { one.open = true })")
    for _ in every_tab(page):
        assert page.ask("document.documentElement.scrollWidth") <= width


def test_tabs_and_the_order_of_datasets_are_in_view_on_a_phone(page: chromium.Page) -> None:
    page.show(390)
    rights = "[...document.querySelectorAll('{}')].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().right)"
    for several in (".tabs a", ".ranks"):
        found = page.ask(rights.format(several))
        assert found, several
        assert max(found) <= 390, several


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_anyone_can_read_it(page: chromium.Page, width: int, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here: `npm install axe-core` in this folder, or AXE_CORE=FILE")
    page.show(width, scheme)
    page.ask("document.querySelectorAll('details:not(.sql)').forEach(one => { one.open = true })")
    for tab in every_tab(page):
        assert unreadable(page) == [], tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anyone_can_read_the_page_of_one_result(
    browser: chromium.Page, document: Document, tmp_path: Path, scheme: str
) -> None:
    results = [one for section in document.sections for one in section.results]
    for number, result in enumerate(results):
        file = tmp_path / f"{number}.html"
        file.write_text(reports.TEXT_FORMATS["html"](result), encoding="utf-8")
        browser.show(390, scheme)
        browser.requests.clear()
        browser.complaints.clear()
        browser.open(file.as_uri())
        assert browser.ask("document.documentElement.scrollWidth") <= 390, result.command
        assert browser.complaints == []
        assert [one for one in browser.requests if one != file.as_uri() and not one.startswith("data:")] == []
        if AXE.is_file():
            assert unreadable(browser) == [], result.command


def unreadable(page: chromium.Page) -> list[object]:
    """Let axe-core judge the page."""
    page.ask(AXE.read_text(encoding="utf-8") + ";0")
    found: list[object] = page.ask("axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.map("
                     "one => [one.id, one.nodes.map(node => node.html.slice(0, 200))]))")  # fmt: skip
    return found
