"""Findings are data: a stable code, who they are about, numbers, a sentence; no format loses them."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import auditor
from auditor import model, result
from auditor.findings import DIMENSIONS, KINDS
from auditor.reports import TEXT_FORMATS, terminal
from auditor.result import Finding, Result, Table, document, findings_in, notes_in

FOUND = Finding("copied-slots", "slots copy", {"dataset": "set", "slot": 2}, {"share": float("nan"), "exact": 3}, 9)

RESULT = Result("duplicates", pl.DataFrame({"n": [1]}), notes=("a note",), findings=(FOUND,))


def test_json_carries_findings_beside_notes() -> None:
    body = json.loads(RESULT.to_json())["auditor.duplicates/v3"]
    assert body["notes"] == [{"role": "note", "text": "a note"}]
    assert body["findings"] == [
        {
            "kind": "copied-slots",
            "severity": "info",
            "about": {"dataset": "set", "slot": 2},
            "values": {"share": None, "exact": 3},
            "n": 9,
            "sentence": "slots copy",
        }
    ]


@pytest.mark.parametrize("name", ["md", "html"])
def test_formats_for_people_say_findings_after_notes(name: str) -> None:
    text = TEXT_FORMATS[name](RESULT)
    assert 0 < text.index("a note") < text.index("slots copy")


def test_terminal_says_what_was_found_before_how_it_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show(RESULT, terminal.Screen(sys.stdout, color=False))
    text = capsys.readouterr().out
    assert 0 < text.index("slots copy") < text.index("a note")


def test_what_is_said_is_parted_in_its_order() -> None:
    said = ["one", FOUND, "two"]
    assert (notes_in(said), findings_in(said)) == (("one", "two"), (FOUND,))


@pytest.mark.parametrize("module", [model, result, document])
def test_what_studies_return_cannot_be_changed(module: ModuleType) -> None:
    records = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if dataclasses.is_dataclass(kind)]
    assert records
    for record in records:
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.__setattr__(object.__new__(record), dataclasses.fields(record)[0].name, None)


def test_table_is_found_by_name_and_an_absent_one_is_named() -> None:
    with pytest.raises(KeyError, match="duplicates: no table shares"):
        RESULT.table("shares")


def test_table_that_each_of_several_datasets_has_is_not_one() -> None:
    table = Table("means of a", pl.DataFrame(), name="means")
    assert Result("bounds", pl.DataFrame(), tables=(table,)).table("means") is table
    with pytest.raises(KeyError, match="several tables means"):
        Result("bounds", pl.DataFrame(), tables=(table, table)).table("means")


def test_every_kind_that_a_study_uses_is_documented() -> None:
    """A kind is written where a finding is made, or as a constant; or its entry names what finds it."""
    package = Path(auditor.__file__).parent
    used, words = set(), set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                kind = node.args[0] if node.args else None
                used |= {kind.value} if isinstance(kind, ast.Constant) else set()
    assert used <= KINDS.keys()
    begun = tuple(word for word in words if word.endswith("-"))  # f"benchmark-decided-by-{by}"
    listed = {code for code, kind in KINDS.items() if kind.select or kind.patterns}
    assert {code for code in KINDS.keys() - listed if not code.startswith(begun)} <= words


def test_what_a_kind_was_tested_on_is_what_the_benchmark_found() -> None:
    """Both ends of each range are in the pages of `benchmarks/`, and each kind that was planted has its range."""
    pages = [Path(__file__).parents[1] / "benchmarks" / name for name in ("planted.md", "planted_machine.md")]
    page = "\n".join(one.read_text(encoding="utf-8") for one in pages)
    found: dict[str, list[tuple[float, float]]] = {}
    for kind, recall, precision in re.findall(r"\| `([^`]+)` (?:\| [^|]+){2}\| ([\d.]+) \| [^|]+\| ([\d.]+) \|", page):
        found.setdefault(kind, []).append((float(recall), 1 - float(precision)))
    assert {code for code, kind in KINDS.items() if kind.tested} == {*found, "bound-upside-down"}
    for code, rates in found.items():
        caught, wrong = (
            "–".join(f"{100 * end:.0f}" for end in sorted({min(some), max(some)})) for some in zip(*rates, strict=True)
        )
        assert f": {caught}% are found" in KINDS[code].tested
        assert (
            not KINDS[code].error_rate or ("none lack" if wrong == "0" else f" {wrong}% lack") in KINDS[code].error_rate
        )


def test_every_kind_about_captions_says_what_they_should_be() -> None:
    without = {code for code, kind in KINDS.items() if kind.phrase and kind.dimension not in DIMENSIONS}
    others = {kind.dimension for kind in KINDS.values()} - {"", *DIMENSIONS}
    assert (without, others) == (set(), set())


def test_page_of_findings_is_made_of_the_list() -> None:
    docs = Path(__file__).parents[1] / "docs"
    made = runpy.run_path(str(docs / "make_findings.py"))["page"]()
    assert (docs / "findings.md").read_text(encoding="utf-8") == made, "run: python docs/make_findings.py"
