"""Verdicts as JUnit XML and as annotations: the bytes agreed, whatever names, reasons and statements hold."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from test_formats import NASTY, check

from auditor import reports
from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.result import Result
from auditor.studies.check.study import ROWS

VERDICTS = [
    {"gate": "images.min", "statistic": "images", "value": 1234567.0, "limit": 1000.0, "verdict": "passed"},
    {
        "gate": "homogeneity.high.max", "metric": "cider", "statistic": "homogeneity", "value": 0.04, "low": 0.03,
        "high": 0.05, "limit": 0.045, "verdict": "failed", "signature": "cider|tok:bare|v:1",
        "reason": "homogeneity by cider, the high end of its interval, is 0.05, expected at most 0.045",
    },
    {"gate": "leakage.max", "split": "test", "limit": 0.0, "verdict": "not answerable", "reason": "one split"},
    {"dataset": None, "version": None, "gate": f"sql.{NASTY}\x00\x1b", "limit": 0.0, "value": 2.0, "verdict": "failed",
     "reason": f"2 rows, expected none; the first: text = {NASTY}\x07"},
]  # fmt: skip


@pytest.fixture
def result() -> Result:
    whole = {"dataset": "set", "version": "3f9c1a" + "0" * 58, "file": "data, sets/a%:b.toml"}
    return Result("check", pl.DataFrame([whole | row for row in VERDICTS], schema=ROWS))


@pytest.mark.parametrize(("name", "file"), [("junit", "junit.xml"), ("github", "github.txt")])
def test_verdicts_are_as_agreed(result: Result, name: str, file: str) -> None:
    check(file, reports.TEXT_FORMATS[name](result))


def test_junit_is_xml_that_counts_its_cases(result: Result) -> None:
    root = ElementTree.fromstring(reports.TEXT_FORMATS["junit"](result).encode())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "2", "1")
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped"))
    name = root.findall(".//testcase")[-1].get("name", "")
    assert name == "sql." + NASTY + "\N{REPLACEMENT CHARACTER}" * 2


def test_annotation_is_one_line_each_and_gives_back_what_it_was_told(result: Result) -> None:
    lines = reports.TEXT_FORMATS["github"](result).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::error", "::notice"]
    assert lines[0].startswith("::error file=data%2C sets/a%25%3Ab.toml,title=set%3A homogeneity.high.max (cider)::")
    properties, message = re.fullmatch(r"::error (.*?)::(.*)", lines[2]).groups()  # type: ignore[union-attr]
    facts = dict(pair.split("=", 1) for pair in properties.split(","))
    assert set(facts) == {"file", "title"}
    codes = {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}
    read = re.sub("%[0-9A-F]{2}", lambda code: codes[code[0]], message)
    assert read == VERDICTS[3]["reason"]


def test_no_verdict_is_no_test() -> None:
    empty = Result("check", pl.DataFrame(schema=ROWS))
    assert ElementTree.fromstring(reports.TEXT_FORMATS["junit"](empty)).get("tests") == "0"
    assert reports.TEXT_FORMATS["github"](empty) == "::notice title=auditor check::nothing to check\n"


@pytest.mark.parametrize("arguments", [["--format", "junit"], ["-o", "a.xml"], ["--format", "github"]])
def test_command_without_verdicts_refuses_their_formats(arguments: list[str]) -> None:
    with pytest.raises(UsageError, match=r"profile has no (verdicts|lines of files) to write as .*check"):
        app(["profile", "nothing", *arguments], standalone_mode=False)
    assert not Path("a.xml").exists()
