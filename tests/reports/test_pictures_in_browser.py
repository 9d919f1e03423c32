"""The report of Flickr8k with the pictures of a thousand of its images, in a browser without a screen.

Skipped where the browser, the captions or the pictures are not here: a folder `flickr8k-images` beside `flickr8k`, files by
their official names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chromium
import polars as pl
import pytest
from test_browser import AXE, unreadable

from auditor import config, reports
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report

LOADED = "[...document.images].map(one => one.naturalWidth)"

pytest.importorskip("PIL.Image", reason="Pillow is not here: pip install 'auditor[images]'")

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        chromium.installed() is None, reason="Chromium is not here: `apt-get install chromium` on Debian"
    ),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    with chromium.Page(str(chromium.installed()), tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def page_file(data: Path, tmp_path: Path) -> Path:
    """Write the report of the captions whose images are here, so that most examples have a picture."""
    images = data / "flickr8k-images"
    if not images.is_dir():
        pytest.skip("the pictures of Flickr8k are not here: flickr8k-images/ in AUDITOR_DATA")
    names = sorted(path.name for path in images.iterdir())
    token = next((data / "flickr8k").glob("Flickr8k.token.txt*"))
    lines = pl.read_csv(token, separator="\t", has_header=False, quote_char=None, new_columns=["key", "text"])
    captions = lines.filter(pl.col("key").str.split("#").list.first().is_in(names))
    captions.write_csv(tmp_path / "some.token", separator="\t", include_header=False, quote_style="never")
    (tmp_path / "datasets.toml").write_text(
        f'[some]\nformat = "flickr"\npath = "{tmp_path / "some.token"}"\nimages = "flickr8k-images/*.jpg"\n'
    )
    declared = tmp_path / "datasets.toml"
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(declared)["some"]])
        document = report(
            store, "some", settings=ReportSettings(("bleu-1",)), resamples=0, config=declared, timed=False
        )
    file = tmp_path / "report.html"
    file.write_text(reports.DOCUMENT_FORMATS["html"](document), encoding="utf-8")
    return file


def test_pictures_of_flickr8k_are_on_the_page_and_ask_for_nothing(page_file: Path, opened: chromium.Page) -> None:
    assert page_file.stat().st_size <= 5_000_000
    for width, scheme in ((1200, "light"), (390, "dark")):
        opened.show(width, scheme)
        opened.requests.clear()
        opened.open(page_file.as_uri())
        opened.ask("document.querySelectorAll('details:not(.sql)').forEach(one => { one.open = true })")
        assert chromium.until(lambda: all(opened.ask(LOADED)))
        assert len(opened.ask(LOADED)) > 20
        assert opened.ask("document.documentElement.scrollWidth") <= width
        assert [one for one in opened.requests if one != page_file.as_uri() and not one.startswith("data:")] == []
        assert opened.complaints == []
        sizes = opened.ask(
            "[...document.images].map(one => [one.width, one.height, one.naturalWidth, one.naturalHeight,"
            " Number(one.getAttribute('width')), Number(one.getAttribute('height'))])"
        )
        # The page knows every size before a picture is decoded, so that nothing moves.
        assert all([wide, high] == said for _, _, wide, high, *said in sizes)
        assert all(0 < wide <= 120 and 0 < high <= 120 for wide, high, *_ in sizes)
        assert all(
            abs(wide * true_high - high * true_wide) <= 2 * true_wide for wide, high, true_wide, true_high, *_ in sizes
        )
        beside = opened.ask(
            "[...document.querySelectorAll('.pictured')].map(one => [one.querySelector('img').alt, one.textContent])"
        )
        assert beside
        assert all(alt.removesuffix("…") in text for alt, text in beside)
        if AXE.is_file():
            assert unreadable(opened) == []
