"""The page that benchmarks/conformance.py writes tells of the metrics that there are."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from auditor.scoring.registry import METRICS

PAGE = ROOT / "docs" / "conformance.md"


@pytest.fixture
def compared() -> list[str]:
    """The metrics of its rows, as typed with -m."""
    if not PAGE.exists():
        pytest.skip("docs/conformance.md is not here: python benchmarks/conformance.py writes it")
    return re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_metric_is_compared_with_an_official_program(compared: list[str]) -> None:
    # no program counts content words
    by_references = {
        name for name, metric in METRICS.items() if not metric.sees_images and metric.counts != "content_match"
    }
    assert {metric.partition(":")[0] for metric in compared} == by_references, (
        "add its program to benchmarks/conformance_programs.py, then run `python benchmarks/conformance.py` "
        "(CONTRIBUTING.md, Adding a metric, step 5)"
    )


def test_every_parameter_on_the_page_is_one_of_its_metric(compared: list[str]) -> None:
    for metric in compared:
        name, _, settings = metric.partition(":")
        spelt = {setting.partition("=")[0] for setting in settings.split(",") if settings}
        assert spelt <= {*METRICS[name].parameters}, metric


def test_no_difference_is_larger_than_allowed(compared: list[str]) -> None:
    assert compared
    assert "**" not in PAGE.read_text(encoding="utf-8")
