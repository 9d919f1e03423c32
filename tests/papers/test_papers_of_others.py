"""A paper that another package adds by an entry point: its figures are compared as ours are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor import papers
from auditor.errors import UsageError
from auditor.papers.reproduce import reproduce
from auditor.store.connection import MEMORY, Store

FIGURES = """
citation = "Nobody 2030"
datasets = ["made-up"]
[kinds.counted]
section = "2"
statistic = "captions"
[[checks.counted]]
item = "1"
says = "it has 4 captions"
dataset = "made-up"
printed = "4"
"""

MODULE = """
from auditor.papers.measured import Measured

def measure(store, paper, seed, progress):
    return Measured({("made-up", "", "", "", "captions"): 4.0})
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which a package with a paper is installed for this test alone."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "tiny_paper.py").write_text("from auditor.papers import PaperModule\nPAPER = PaperModule('nobody2030')")
    (tmp_path / "nobody2030.py").write_text(MODULE)
    (tmp_path / "nobody2030.toml").write_text(FIGURES)
    installed = tmp_path / "tiny_paper-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-paper\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[auditor.papers]\nnobody2030 = tiny_paper:PAPER\n")
    papers.of_others.cache_clear()
    yield tmp_path
    papers.of_others.cache_clear()
    for module in ("tiny_paper", "nobody2030"):
        sys.modules.pop(module, None)


def test_paper_of_another_package_is_reproduced(packages: Path) -> None:
    assert list(papers.known()) == sorted([*papers.PAPERS, "nobody2030"])
    with Store.open(MEMORY) as store:
        rows = reproduce(store, "nobody2030").frame
    assert rows.select("paper", "says", "value", "verdict").rows() == [
        ("nobody2030", "it has 4 captions", 4.0, "within")
    ]


@pytest.mark.parametrize("broken", ["kinds = 3", 'citation = "x"', "["])
def test_paper_whose_figures_cannot_be_read_is_left_out_with_a_warning(packages: Path, broken: str) -> None:
    (packages / "nobody2030.toml").write_text(broken)
    with pytest.warns(UserWarning, match="package tiny-paper: its addition nobody2030 is left out: "):
        assert papers.known().keys() == papers.PAPERS.keys()
    with Store.open(MEMORY) as store, pytest.raises(UsageError, match="nobody2030: no such paper"):
        reproduce(store, "nobody2030")


def test_module_of_another_package_that_changes_measures_again(packages: Path, tmp_path: Path) -> None:
    def measured() -> list[float]:
        with Store.open(tmp_path / "audit.duckdb", write=True) as store:
            return reproduce(store, "nobody2030").frame["value"].to_list()

    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("i", 0, "a dog")], "made-up")
    assert measured() == [4.0]
    (packages / "nobody2030.py").write_text(MODULE.replace("4.0", "5.25"))
    sys.modules.pop("nobody2030")
    importlib.invalidate_caches()
    assert measured() == [5.25]
