"""The size of the package is a ratchet: it grows by what an issue allows, which `benchmarks/size.toml` names."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import ROOT

from auditor.cli import app, derived
from auditor.studies import STUDIES

LIMITS = ROOT / "benchmarks" / "size.toml"

#: The options of every command, or of every command that prints a result or draws figures.
SHARED = {
    "store",
    "wait",
    "memory",
    "format_name",
    "as_json",
    "output",
    "figure",
    "quiet",
    "verbose",
    "full",
    "no_color",
    "debug",
    "brief",
}


@pytest.fixture
def limits() -> Mapping[str, Any]:
    if not LIMITS.exists():
        pytest.skip("benchmarks/ is not here")
    return tomllib.loads(LIMITS.read_text(encoding="utf-8"))


def lines(folder: str, ending: str) -> list[str]:
    files = sorted(Path(ROOT, folder).rglob(f"*{ending}"))
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def commands() -> dict[str, Callable[..., Any]]:
    ours = {name: derived.command(name, study) for name, study in STUDIES.items()}
    for name, (place, *_) in app.OTHERS.items():
        module, _, function = place.partition(":")
        ours[name] = getattr(importlib.import_module(f"auditor.cli.commands.{module}"), function)
    return ours


def options() -> int:
    """Count the options of all commands; what every command has is counted once."""
    shared, of_one = set(SHARED), 0
    for function in commands().values():
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            if parameter.annotation is typer.Context:
                continue
            info = parameter.annotation.__metadata__[0]
            of_one += isinstance(info, typer.models.OptionInfo) and not info.hidden and name not in shared
    return of_one + len(shared)


MEASURES = {
    "python": lambda: len(lines("auditor", ".py")),
    "sql": lambda: len(lines("sql", ".sql")),
    "fmt-skip": lambda: sum("# fmt: skip" in line for line in lines("auditor", ".py")),
    "commands": lambda: len({name.split()[0] for name in commands()}),  # `store` is one
    "options": options,
}


@pytest.mark.parametrize("name", MEASURES)
def test_nothing_grows_beyond_what_an_issue_allows(name: str, limits: Mapping[str, Any]) -> None:
    allowed = limits["measured"][name] + sum(issue.get(name, 0) for issue in limits.get("allowed", ()))
    found = MEASURES[name]()
    assert found <= allowed, (
        f"{name}: {found:,}, but {allowed:,} are allowed; remove as much elsewhere, or add [[allowed]] with the title "
        "of the issue that allows more to benchmarks/size.toml"
    )


def test_every_allowance_names_its_issue(limits: Mapping[str, Any]) -> None:
    assert {*limits["measured"]} == {*MEASURES}
    assert all(issue["issue"] and {*issue} <= {"issue", *MEASURES} for issue in limits.get("allowed", ()))
