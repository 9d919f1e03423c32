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

#: What brief JSON has left out, and the command that writes it whole.
_CUT: dict[str, Any] = {
    "type": "object",
    "required": ["command", "lists"],
    "properties": {
        "command": TEXT,
        "lists": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["shown", "of"],
                "properties": {"shown": {"type": "integer"}, "of": {"type": "integer"}},
                "additionalProperties": False,
            },
        },
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

#: What a program must know of each answer.
PROTOCOL = (
    "`--json` prints the whole result as an object with one key, such as `auditor.findings/v3`; docs/schemas has the "
    "schemas. A report needs `--format json`.",
    "`--brief` cuts JSON to 20 kB: lists keep their first entries. `cut.lists` has `shown` and `of` for each list that "
    "was cut, and `cut.command` prints the whole. Without `cut`, nothing is missing.",
    "`findings` is ordered by severity: error, warning, notice, info. `kind` is a stable code, `values.share` the "
    "share of captions or images, if it has one. docs/findings.md explains each kind.",
    "Exit code 0: done. 1: a finding with `--fail-on`, a failed gate, or a difference with `--exit-code`. 2: usage. "
    "3: a file. 4: the store. 5: SQL or a metric. 6: a missing extra. 70: a bug. From 2 on, stderr ends with one line: "
    "`error: …`.",
)

#: The calls of a program, from the first audit to a query, in the order in which they work in a folder of two files.
CALLS = {
    "auditor captions.csv --json": "audit a file. The JSON is always brief; the page is captions.csv.audit.html.",
    "auditor findings captions.csv other.csv --json --brief": "audit several files in one call, without a page.",
    "auditor findings captions.csv --kind refusals --json": "list every caption of one kind, as `rows`.",
    "auditor export captions.csv --fix all -o fixed.csv --json": "repair every kind with a safe fix. "
    "fixed.changes.csv has each change; fixed.csv has the columns image, slot, caption.",
    "auditor findings fixed.csv --json --brief --fail-on warning": "audit again: exit code 1 if a warning is left.",
    "auditor compare captions.csv other.csv -m rouge-1 --json --brief": "rank files by how similar their captions are.",
    "auditor ingest mine --from fixed.csv --json": "keep the captions in the store audit.duckdb, as dataset mine.",
    "auditor sql \"select image, text from captions('mine')\" --json --brief": "run a read-only query on the store.",
    "auditor sql --schema --json --brief": "list the tables, views and functions of a query.",
    "auditor report mine -m rouge-1 --format json --brief": "summarize the whole audit of a dataset.",
}

#: Commands whose columns are those that the user asks for.
_ANY_ROWS = ("sql",)


def schema(command: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a command's JSON."""
    properties = {"cut": _CUT, **body}
    inner = {"type": "object", "required": sorted(body), "properties": properties, "additionalProperties": False}
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
        "`auditor FILE` audits a file. `auditor help WORD` finds the command for a question.",
        "`auditor --help --json` lists every command with its options and defaults.",
        "",
        "## Call it from a program",
        "",
        "Data is on stdout, messages are on stderr. Read the JSON and the exit code: the wording of sentences changes.",
        "",
        *(f"- {each}" for each in PROTOCOL),
        "",
        "Each command below works on the files of the one before:",
        "",
        *(f"- `{line}`: {meaning}" for line, meaning in CALLS.items()),
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
