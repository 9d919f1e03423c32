"""The size of the package is a ratchet: it grows by what an issue allows, which `benchmarks/size.toml` names."""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import ROOT

from auditor.parameters import Parameter
from auditor.studies import STUDIES

LIMITS = ROOT / "benchmarks" / "size.toml"


@pytest.fixture
def limits() -> Mapping[str, typing.Any]:
    if not LIMITS.exists():
        pytest.skip("benchmarks/ is not here")
    return tomllib.loads(LIMITS.read_text(encoding="utf-8"))


def lines(folder: str, ending: str) -> list[str]:
    files = sorted(Path(ROOT, folder).rglob(f"*{ending}"))
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def options() -> int:
    """Count the parameters that a user can set."""
    hints = [typing.get_type_hints(study.load(), include_extras=True) for study in STUDIES.values()]
    every = [typing.get_args(hint)[1:] for of_study in hints for hint in of_study.values()]
    return sum(any(isinstance(one, Parameter) for one in annotations) for annotations in every)


MEASURES = {
    "python": lambda: len(lines("auditor", ".py")),
    "sql": lambda: len(lines("sql", ".sql")),
    "fmt-skip": lambda: sum("# fmt: skip" in line for line in lines("auditor", ".py")),
    "commands": lambda: len(STUDIES),
    "options": options,
}


@pytest.mark.parametrize("name", MEASURES)
def test_nothing_grows_beyond_what_an_issue_allows(name: str, limits: Mapping[str, typing.Any]) -> None:
    allowed = limits["measured"][name] + sum(issue.get(name, 0) for issue in limits.get("allowed", ()))
    found = MEASURES[name]()
    assert found <= allowed, (
        f"{name}: {found:,}, but {allowed:,} are allowed; remove as much elsewhere, or add [[allowed]] with the title "
        "of the issue that allows more to benchmarks/size.toml"
    )


def test_every_allowance_names_its_issue(limits: Mapping[str, typing.Any]) -> None:
    assert {*limits["measured"]} == {*MEASURES}
    assert all(issue["issue"] and {*issue} <= {"issue", *MEASURES} for issue in limits.get("allowed", ()))
