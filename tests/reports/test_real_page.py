"""The report of real datasets in a browser without a screen: drawn, sorted, readable, and alone.

Of Flickr8k's test images where the data is here; of any report whose file AUDITOR_PAGE names.
"""

from __future__ import annotations

import os
from pathlib import Path

import chromium
import pytest
from test_browser import AXE

from auditor import config, reports
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        chromium.installed() is None, reason="Chromium is not here: `apt-get install chromium` on Debian"
    ),
]


@pytest.fixture
def page_file(data: Path, tmp_path: Path) -> Path:
    if named := os.environ.get("AUDITOR_PAGE"):
        return Path(named)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(data=data)["flickr8k"]])
        document = report(store, "flickr8k:test", "flickr8k:dev", settings=ReportSettings(("bleu-1",)), resamples=100)
    file = tmp_path / "report.html"
    file.write_text(reports.DOCUMENT_FORMATS["html"](document), encoding="utf-8")
    return file


def test_report_of_real_captions_opens_alone_and_answers(page_file: Path, tmp_path: Path) -> None:
    assert page_file.stat().st_size <= 3_000_000
    with chromium.Page(str(chromium.installed()), tmp_path / "browser") as page:
        for width, scheme in ((1440, "light"), (390, "dark")):
            page.show(width, scheme)
            page.open(page_file.as_uri())
            page.ask("document.querySelectorAll('details:not(.sql)').forEach(one => { one.open = true })")
            assert page.ask("document.documentElement.scrollWidth") <= width
            drawn = page.ask(
                "[...document.querySelectorAll('.figures figure')].map(one => one.querySelectorAll('.mark, .line').length)"
            )
            assert drawn
            assert min(drawn) > 0
            page.ask("document.querySelectorAll('#facts table')[0].querySelectorAll('thead button')[1].click()")
            sort = (
                "document.querySelectorAll('#facts table')[0].querySelectorAll('thead th')[1].getAttribute('aria-sort')"
            )
            assert page.ask(sort) == "ascending"
            if AXE.is_file():
                page.ask(AXE.read_text(encoding="utf-8") + ";0")
                unread = "axe.run(document, {runOnly: ['color-contrast'], resultTypes: ['violations']})"
                assert page.ask(f"{unread}.then(({{violations}}) => violations.map(one => one.id))") == []
        assert page.complaints == []
        assert [one for one in page.requests if one != page_file.as_uri() and not one.startswith("data:")] == []
