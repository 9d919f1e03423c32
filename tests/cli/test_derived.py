"""Commands are made of studies: one signature, one docstring; metrics of other packages stand beside ours."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT
from running import run_auditor

import auditor
from auditor.cli import app, derived
from auditor.cli.questions import refuse_former, table
from auditor.errors import MetricError, UsageError
from auditor.scoring import registry
from auditor.studies import STUDIES

SAMPLE = ROOT / "auditor" / "sample" / "datasets.toml"

PACKAGE = '''
"""A metric of another package."""

import polars as pl
from auditor.metrics.card import Metric

CONSTANT = Metric(
    name="constant", counts="bleu", score=lambda counts, settings: pl.repeat(0.5, counts.height, eager=True),
    summary="half, whatever the caption", kind="a constant", lowest=0.5, highest=0.5, references="none is read",
    sensitivity="none", edge_cases="none", source="a test", bibtex="@misc{test}",
)
'''


@pytest.mark.parametrize("name", STUDIES)
def test_first_line_of_a_study_is_what_help_lists(name: str) -> None:
    documentation = inspect.getdoc(STUDIES[name].load())
    assert documentation is not None
    assert documentation.partition("\n")[0] == STUDIES[name].line


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_a_method_with_the_signature_of_its_command(name: str) -> None:
    method = inspect.getattr_static(auditor.Auditor, name.rpartition(" ")[2])
    function = STUDIES[name].load()
    assert (method.__func__ if isinstance(method, staticmethod) else method.study) is function
    shown = inspect.signature(derived.command(name, STUDIES[name])).parameters
    assert {option.name for option in derived.options_of(function)} <= shown.keys()


@pytest.mark.parametrize("name", STUDIES)
def test_every_option_of_a_study_has_words(name: str) -> None:
    assert all(len(option.parameter.help) > 7 for option in derived.options_of(STUDIES[name].load()))


def install(folder: Path, source: str, points: str = "[auditor.metrics]\nconstant = tiny_audit:CONSTANT\n") -> None:
    (folder / "tiny_audit.py").write_text(source)
    installed = folder / "tiny_audit-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-audit\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(points)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which packages are installed for this test alone."""
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield tmp_path
    sys.modules.pop("tiny_audit", None)


#: What is wrong with a package, and what its warning says.
BROKEN = {
    "raise ValueError('boom')": "ValueError: boom",
    "raise SystemExit(3)": "SystemExit: 3",
    "raise BaseException": "BaseException",
    "class Odd(Exception):\n    __str__ = None\nraise Odd": "Odd",
    "raise ValueError('x' * 1_000)": "x" * 200,
    "CONSTANT = 'x'": "is of type ",
    "": "has no attribute",
    "import no_such_part": "No module named 'no_such_part'",
    "def": "SyntaxError",
    PACKAGE.replace('"constant"', '"other"'): "its metric is called other",
    PACKAGE.replace('counts="bleu"', 'counts="nowhere"'): "it reads nowhere, which this release does not have",
    PACKAGE.replace('source="a test"', "source=None"): "source is not of type str",
}


@pytest.mark.parametrize("source", BROKEN, ids=BROKEN.values())
def test_broken_package_is_named_and_left_out(source: str, packages: Path) -> None:
    install(packages, source)
    with pytest.warns(UserWarning, match="package tiny-audit: its addition constant is left out: ") as warned:
        assert registry.of_others() == {}
    (said,) = (str(one.message) for one in warned)
    assert BROKEN[source] in said
    assert "\n" not in said


@pytest.mark.parametrize("points", [b"\xff", b"[auditor.metrics]\nconstant = :::\n", b"[auditor.metrics]\nconstant\n"])
def test_entry_points_that_cannot_be_read_are_left_out(points: bytes, packages: Path) -> None:
    install(packages, PACKAGE, "")
    (packages / "tiny_audit-1.0.dist-info" / "entry_points.txt").write_bytes(points)
    with pytest.warns(UserWarning, match="is left out"):
        assert registry.of_others() == {}


@pytest.mark.parametrize(
    "score", ["1 / 0", "exit(0)", "pl.Series(['a'])", "pl.Series([0.5, 0.5])", "pl.Series([float('nan')])", "None"]
)
def test_metric_of_a_package_that_fails_is_named(score: str, packages: Path) -> None:
    install(packages, PACKAGE.replace("pl.repeat(0.5, counts.height, eager=True)", score))
    constant = registry.defaults_of(registry.of_others()["constant"])
    with pytest.raises(MetricError, match="constant"):
        constant.scores(pl.DataFrame({"image": ["a"]}))


@pytest.mark.parametrize("require", ["1 / 0", "exit(0)"])
def test_metric_of_a_package_that_cannot_say_what_it_needs_lacks_it(require: str, packages: Path) -> None:
    install(packages, PACKAGE.replace('source="a test"', f'source="a test", require=lambda: {require}'))
    lacks = registry.lacking(registry.of_others()["constant"])
    assert lacks is not None
    assert lacks.startswith("constant, of another package: ")


def test_module_of_a_metric_may_import_the_registry(tmp_path: Path) -> None:
    install(tmp_path, "from auditor.scoring.registry import METRICS, metric\n" + PACKAGE)
    asks = "from auditor.scoring.registry import METRICS; print('constant' in METRICS)"
    around = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = subprocess.run([sys.executable, "-c", asks], env=around, check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_metric_of_another_package_is_listed_and_scored(tmp_path: Path) -> None:
    install(tmp_path, PACKAGE)
    around = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "AUDITOR_STORE": str(tmp_path / "s.duckdb")}

    def run(*arguments: str) -> str:
        asked = [sys.executable, "-m", "auditor", *arguments]
        return subprocess.run(asked, env=around, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    narrow = ("-q", "ingest", "sample-narrow", "--config", str(SAMPLE), "--store", str(tmp_path / "s.duckdb"))
    assert not run_auditor(*narrow).returncode
    assert "constant" in run("metrics")
    asked = ("sample-narrow", "-m", "constant", "--json")
    rows = json.loads(run("bounds", *asked, "-c", "human"))["auditor.bounds/v3"]["rows"]
    assert {row["mean"] for row in rows if row["level"] == "caption"} == {0.5}
    assert "constant" in run("report", "sample-narrow", "-m", "constant", "--section", "bounds", "--format", "md")
    (tmp_path / "tiny_audit.py").write_text(PACKAGE.replace("0.5", "0.25"))
    rows = json.loads(run("bounds", *asked, "-c", "human"))["auditor.bounds/v3"]["rows"]
    assert {row["mean"] for row in rows if row["level"] == "caption"} == {0.25}, "what it was before is not kept"


def test_broken_metric_of_a_package_is_one_line_of_a_command(tmp_path: Path) -> None:
    install(tmp_path, "raise SystemExit(3)")
    around = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    asked = [sys.executable, "-m", "auditor", "metrics", "--json"]
    done = subprocess.run(asked, env=around, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stderr.startswith("warning: package tiny-audit: its addition constant is left out: SystemExit: 3; ")
    assert [line for line in done.stderr.split("\n") if "tiny-audit" in line] == done.stderr.split("\n")[:1]


def test_old_name_of_an_option_does_not_run_and_the_new_one_is_shown() -> None:
    done = run_auditor("bounds", "sample-narrow", "-m", "bleu-1", "--profile", "ptb")
    assert done.returncode == 2
    assert done.stderr == "error: bounds --profile is now: auditor bounds sample-narrow -m bleu-1 --tokenizer ptb\n"


@pytest.mark.parametrize("old", table()["former"])
def test_new_call_is_not_refused_in_turn(old: str) -> None:
    name, _, options = old.partition(" -")
    with pytest.raises(UsageError) as refused:
        refuse_former(name, ["a", "b", *f"-{options}".split()] if options else ["a", "b"])
    new = shlex.split(str(refused.value).partition(" is now: auditor ")[2])
    refuse_former(new[0], new[1:])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ingest", "no dataset: name one"),
        ("fetch", "no dataset: name one"),
        ("check", "no gates are declared"),
        ("bounds", "Missing argument"),
    ],
)
def test_command_without_names_tells_what_it_can_be_asked(name: str, told: str, tmp_path: Path) -> None:
    empty = tmp_path / "datasets.toml"
    empty.touch()
    more = ["--config", str(empty)] if name == "check" else []
    run = run_auditor(name, *more, AUDITOR_STORE=str(tmp_path / "s.duckdb"))
    assert run.returncode == 2, run.stderr
    assert told in run.stderr


def test_all_papers_are_asked_in_place_of_names(tmp_path: Path) -> None:
    store = str(tmp_path / "s.duckdb")
    assert run_auditor("ingest", "sample-narrow", "--config", str(SAMPLE), "--store", store).returncode == 0
    assert "name one or more papers" in run_auditor("reproduce", "--store", store).stderr
    asked = run_auditor("reproduce", "--all", "--store", store)
    assert asked.returncode == (0 if importlib.util.find_spec("spacy") else 6), asked.stderr


@pytest.mark.parametrize("name", app.LISTED)
def test_help_flows_to_the_width_and_keeps_brackets(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    with pytest.raises(SystemExit):
        app.main([*name.split(), "--help"])
    shown = capsys.readouterr().out.partition("╭")[0]
    paragraphs = derived.help_of(app._function(name)).split("\n\n")
    assert all(" ".join(each.split()) in " ".join(shown.split()) for each in paragraphs)
    words = [line.split()[:1] for line in shown.splitlines()]
    short = [
        line
        for line, after in zip(shown.splitlines(), words[1:], strict=False)
        if after and after[0][0].isalnum() and line.strip() and len(line.rstrip()) + len(after[0]) < 88
    ]
    assert not short, "lines that end before the width"
