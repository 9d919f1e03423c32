"""Write docs/schemas: a JSON Schema for the JSON of each command, of its results on the bundled sample; and llms.txt.

`python docs/make_schemas.py` runs the examples of the pages of commands, with names of commands those, and notes the
columns and their types.
"""

from __future__ import annotations

import json
import sys
import unittest.mock
from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

import polars as pl

sys.path.insert(0, str(Path(__file__).parent))

import make_commands as maker

from auditor.cli import options
from auditor.result import JSON_VERSION, SEVERITIES, Result
from auditor.result.sentences import Role

SCHEMAS = Path(__file__).parent / "schemas"

LLMS = Path(__file__).parents[1] / "llms.txt"

TEXT, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}

_SENTENCE = {
    "type": "object",
    "required": ["role", "text"],
    "properties": {"role": {"enum": [*get_args(Role)]}, "text": TEXT},
    "additionalProperties": False,
}

SENTENCES = {"type": "array", "items": _SENTENCE}

_VERSION = {
    "type": "object",
    "required": ["dataset", "seq", "version", "split"],
    "properties": {
        "dataset": TEXT,
        "seq": {"type": "integer"},
        "version": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "images": {"type": "integer"},
        "captions": {"type": "integer"},
        "split": {"type": ["string", "null"]},
    },
}

_FINDING = {
    "type": "object",
    "required": ["kind", "severity", "about", "values", "n", "sentence"],
    "properties": {
        "kind": TEXT,
        "severity": {"enum": [*SEVERITIES]},
        "about": {"type": "object"},
        "values": {"type": "object", "additionalProperties": {"type": ["number", "string", "null"]}},
        "n": {"type": ["integer", "null"]},
        "sentence": TEXT,
        "headline": TEXT,
        "item": TEXT,
        "examples": {"type": "array", "items": {"type": "object"}},
    },
    "additionalProperties": False,
}

_SHARED: dict[str, Any] = {
    "versions": {"type": "array", "items": _VERSION},
    "signatures": {"type": "object", "additionalProperties": TEXT},
}

#: What is the same in the results of all commands.
_RESULT: dict[str, Any] = {
    **_SHARED,
    "lead": SENTENCES,
    "notes": SENTENCES,
    "sql": TEXTS,
    "findings": {"type": "array", "items": _FINDING},
    "volatile": {"type": "object", "required": ["versions"]},
}

_SECTION = {
    "type": "object",
    "required": ["name", "title", "words", "absent", "commands", "sql", "notes", "findings", "results"],
    "properties": {
        "findings": {"type": "array", "items": _FINDING},
        "words": SENTENCES,
        "sql": TEXTS,
        "commands": TEXTS,
    },
}

_REPORT: dict[str, Any] = {
    "title": TEXT,
    "program": TEXT,
    "answer": SENTENCES,
    **_SHARED,
    "datasets": {"type": "array", "items": {"type": "object"}},
    "sections": {"type": "array", "items": _SECTION},
    "sql": {"type": "object", "additionalProperties": TEXT},
    "volatile": {"type": "object", "required": ["made_at", "versions", "results"]},
}

#: Commands whose columns are those that the user asks for.
_ANY_ROWS = ("sql",)


def schema(command: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a command's JSON."""
    inner = {"type": "object", "required": sorted(body), "properties": body, "additionalProperties": False}
    key = f"auditor.{command}/v{JSON_VERSION}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"JSON of auditor {command.replace('-', ' ')}",
        "type": "object",
        "required": [key],
        "properties": {key: inner},
        "additionalProperties": False,
    }


def of_columns(columns: dict[str, pl.DataType]) -> dict[str, Any]:
    """Return the schema of rows. Options can add columns; those known have a type."""
    properties = {name: {"type": [*_kinds(kind), "null"]} for name, kind in columns.items() if kind != pl.Null}
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def _kinds(kind: pl.DataType) -> list[str]:
    if kind.is_numeric():
        return ["number"]
    names = {pl.Boolean: "boolean", pl.List: "array", pl.Struct: "object", pl.Array: "array"}
    return [names.get(kind.base_type(), "string")]


def schemas(names: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Run every example, or those of the named commands, and return the schema of each result by its file name."""
    seen: dict[str, dict[str, pl.DataType]] = {}
    deliver = options.deliver

    def noted(result: Result, *rest: Any, **more: Any) -> None:
        columns = seen.setdefault(result.command, {})
        for name, kind in result.frame.drop(result.volatile).schema.items():
            if columns.setdefault(name, kind) == pl.Null:
                columns[name] = kind
        deliver(result, *rest, **more)

    info = (*maker.EXAMPLES["store"], "auditor store info")
    with unittest.mock.patch.object(options, "deliver", noted), unittest.mock.patch.dict(maker.EXAMPLES, store=info):
        maker.examples(names)
    rows = {name: {} if name in _ANY_ROWS else dict(sorted(of.items())) for name, of in sorted(seen.items())}
    made = {name: schema(name, {**_RESULT, "rows": of_columns(columns)}) for name, columns in rows.items()}
    return made | {"report": schema("report", _REPORT)}


def llms() -> str:
    """Write what a language model needs to call the program: where the pages are, and a line per command."""
    lines = [
        "# auditor",
        "",
        "> Audit image-caption datasets: find problems, measure diversity, compare versions.",
        "",
        "`auditor FILE` audits a file. `auditor --help --json` lists every command with its options and defaults.",
        "`--json` prints results, as the schemas in docs/schemas describe them. Exit code 1 is a finding with",
        "`--fail-on`, or a failed gate. `auditor help WORD` finds the command for a question.",
    ]
    for group in maker.GROUPS:
        own = [one for one in maker.commands().values() if one.group == group]
        lines += ["", f"## {group}", "", *(f"- [{one.name}](docs/commands/{one.name}.md): {one.line}" for one in own)]
    lines += ["", "## Pages", ""]
    for path in sorted(Path(__file__).parent.glob("*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        lines.append(f"- [{title}](docs/{path.name})")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Write all files, or the schemas of the named commands, and llms.txt."""
    LLMS.write_text(llms(), encoding="utf-8")
    SCHEMAS.mkdir(exist_ok=True)
    for name, of in schemas(names).items():
        (SCHEMAS / f"{name}.json").write_text(json.dumps(of, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
