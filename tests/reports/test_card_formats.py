"""A card in each of its own formats: golden files, and what the catalogues' own program says of them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from report_document import SAMPLE
from test_formats import GOLD, check

from auditor import reports
from auditor.config import sources
from auditor.dataset_card import DatasetCard
from auditor.errors import UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.report import ReportSettings, card

FILES = {"md": "card.md", "croissant": "card.croissant.json"}

pytestmark = pytest.mark.xdist_group("report documents")  # each is made once


@pytest.fixture(scope="module")
def made() -> DatasetCard:
    declared = sources(SAMPLE, data=SAMPLE.parent)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [declared["sample-flawed"]])
        return card(store, "sample-flawed", settings=ReportSettings(("bleu-1", "cider-d")), config=declared)


@pytest.mark.parametrize(("name", "file"), FILES.items())
def test_card_is_as_agreed(made: DatasetCard, name: str, file: str) -> None:
    check(file, reports.document_text(made, name))


@pytest.mark.skipif(importlib.util.find_spec("mlcroissant") is None, reason="mlcroissant is not installed")
def test_mlcroissant_accepts_the_card() -> None:
    command = [sys.executable, "-m", "mlcroissant.scripts.validate", "--jsonld", str(GOLD / FILES["croissant"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if line.startswith("  -  ")]
    # Nobody has said who is to be cited, or when it was published.
    assert [("citeAs" in line or "datePublished" in line) for line in warned] == [True, True]


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ((None, None), "md"),
        ((None, Path("README.md")), "md"),
        ((None, Path("a.json")), "json"),
        ((None, Path("a.jsonld")), "croissant"),
        (("croissant", Path("a.json")), "croissant"),
    ],
)
def test_card_has_formats_by_name_and_by_ending(asked: tuple[str | None, Path | None], chosen: str) -> None:
    assert reports.document_format(*asked, card=True) == chosen


@pytest.mark.parametrize("asked", [("croissant", None), (None, Path("a.jsonld")), (None, Path("a.svg"))])
def test_no_other_report_has_them(asked: tuple[str | None, Path | None]) -> None:
    with pytest.raises(UsageError, match="report"):
        reports.document_format(*asked)
