"""What programs read: the schemas of results, the list of commands as JSON, and llms.txt, are those of the code."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType

import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator, ValidationError
from running import SCHEMAS, run_auditor

from auditor.cli import app


@pytest.fixture(scope="module")
def schemas() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_schemas", ROOT / "docs" / "make_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_schemas"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", sorted(SCHEMAS.glob("*.json")), ids=lambda file: file.stem)
def test_schema_is_one_and_refuses_another_object(file: object) -> None:
    read = json.loads(file.read_text())  # type: ignore[attr-defined]
    Draft202012Validator.check_schema(read)
    with pytest.raises(ValidationError):
        Draft202012Validator(read).validate({"auditor.other/v3": {}})


def test_list_for_language_models_is_that_of_the_code(schemas: ModuleType) -> None:
    assert schemas.LLMS.read_text() == schemas.llms(), "python docs/make_schemas.py writes llms.txt again"


def test_help_describes_every_command_and_option_to_programs() -> None:
    ran = run_auditor("--help", "--json")
    assert ran.returncode == 0, ran.stderr
    commands = json.loads(ran.stdout)["auditor.help/v1"]["commands"]
    assert {*commands} == {"FILE", *app.LISTED}
    options = {one["name"]: one for one in commands["findings"]["parameters"]}
    assert options["--fail-on"]["default"] is None
    assert options["--kind"]["repeatable"]
    assert options["--seed"] | {"help": ""} == {
        "name": "--seed", "aliases": [], "kind": "option", "type": "integer", "repeatable": False, "required": False,
        "default": 1, "help": "",
    }  # fmt: skip
    assert run_auditor("--json", "--help").stdout == ran.stdout
