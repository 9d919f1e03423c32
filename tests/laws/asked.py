"""What is asked of a world: every command that answers, with the roles that it names."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars.selectors as cs
from sizes import is_all
from worlds import PLAIN, SYSTEMS

import auditor
from auditor.errors import AuditorError
from auditor.model import Gate
from auditor.result import Result
from auditor.result.document import Document
from auditor.studies.report.request import ReportSettings


class Question(NamedTuple):
    """A command, the roles that it names, and what is said with it; `Role` stands for a name."""

    command: str
    roles: Sequence[str]
    said: Mapping[str, Any] = {}


class Role(str):
    """The name of a role where something is said."""


METRICS = ["bleu-4", "cider-d", "rouge-l"]

#: A question for each command that answers about captions.
QUESTIONS: Mapping[str, Question] = {
    question.command: question
    for question in (
        Question("datasets", ()),
        Question("diff", ("refs", "others")),
        Question("findings", ("refs",)),
        Question("profile", ("refs", "others")),
        Question("duplicates", ("refs", "others")),
        Question("templates", ("refs",), {"least": 0.05}),
        Question("outliers", ("refs",)),
        Question("diversity", ("refs", "others")),
        Question("words", ("refs",), {"against": Role("others")}),
        Question("perplexity", ("refs", "others")),
        Question("bounds", ("refs", "others"), {"metrics": METRICS}),
        Question("compare", ("refs", "others"), {"metrics": METRICS[:2], "resamples": 100}),
        Question("score", ("refs",), {"metrics": METRICS[:2], "candidates": [*map(Role, SYSTEMS)], "resamples": 100}),
        Question("correlate", ("refs",), {"metrics": METRICS}),
        Question("references", ("refs",), {"metrics": ["bleu-1"], "most": 2}),
        Question("probe", ("refs",), {"metrics": ["bleu-1"], "components": ["order"]}),
        Question("objects", SYSTEMS, {"listing": Role("things"), "resamples": 100}),
        Question("choices", ("items",), {"against": Role("refs"), "metrics": ["bleu-1"], "folds": 2}),
        Question("agree", ("stars",), {"against": Role("refs"), "metrics": METRICS}),
        Question("distractors", ("refs",), {"tasks": ["replace-scene"]}),
        Question("metrics", ("cider",)),
        Question("syntax", ("refs", "others")),
        Question(
            "report",
            ("refs", "others"),
            {"settings": ReportSettings(metrics=["bleu-1"]), "sections": ["facts", "bounds"], "timed": False},
        ),
        Question("export", ("refs",), {"target": Path("out"), "fix": ["all"], "dry_run": True}),
        Question("store info", ()),
        Question("store verify", ()),
        Question("reproduce", ("elliott2014",)),
        Question("tasks", ("refs",), {"candidates": [*map(Role, SYSTEMS[:2])], "form": "pairs"}),
        Question("check", ("refs",), {"gates": [Gate(None, ("captions_per_image", "min"), 2, None)]}),
    )
}


#: Commands that write, and so answer with nothing that a law is about.
WRITING = {"fetch", "ingest", "store tag", "store drop", "store gc"}

#: Commands that take more than a second of a small world. Those that compare are asked of the first, which has most to tell.
DEAR = ("compare", "findings", "report", "score", "syntax", "export", "diff")

Answer = Result | Document | AuditorError

#: What is done, how much of it, and of how much.
Report = tuple[str, int, int]


def asked_of(nth: int) -> list[str]:
    """List the commands that are asked of the nth world: a dear one of every third world, of all with `--all`."""
    return [name for name in QUESTIONS if is_all() or name not in DEAR or DEAR.index(name) % 3 == nth % 3]


def ask(
    audit: auditor.Auditor, command: str, names: Mapping[str, str] = PLAIN, reports: list[Report] | None = None
) -> Answer:
    """Ask a question under the names of the roles; return the answer, or the refusal. `reports` gets its progress."""
    named, said = arguments_of(command, names)
    method = getattr(audit, command.rpartition(" ")[2])
    if reports is not None and "progress" in inspect.signature(method).parameters:
        said["progress"] = lambda *report: reports.append(report)
    try:
        answer = method(*named, **said)
    except AuditorError as error:
        return error
    assert isinstance(answer, Result | Document)
    return answer


def arguments_of(command: str, names: Mapping[str, str] = PLAIN) -> tuple[list[str], dict[str, Any]]:
    """Return what a question names, and what is said with it."""
    _, roles, said = QUESTIONS[command]
    return [names.get(role, role) for role in roles], {name: _named(value, names) for name, value in said.items()}


def _named(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_named(one, names) for one in value]
    return names.get(value, value) if isinstance(value, Role) else value


def told(answer: Answer, names: Mapping[str, str] = PLAIN, *, in_order: bool = False) -> Any:
    """Return all that an answer or a refusal says, with roles for names, its rows in an order of their own if not in its."""
    spelt = "|".join(re.escape(name) for name in sorted(names.values(), key=len, reverse=True))
    roles = {name: role for role, name in names.items()}
    if isinstance(answer, AuditorError):
        said = {"why": str(answer)}
    else:
        (said,) = json.loads(answer.to_json()).values()
        said.pop("volatile")
        tables = [table.frame.select(cs.numeric()) for table in answer.tables] if isinstance(answer, Result) else []
        said["tables"] = [table.rows() for table in tables]
    text = json.dumps(said, default=str, ensure_ascii=False)
    said = json.loads(re.sub(rf"(?<![\w-])({spelt})(?![\w-])", lambda found: roles[found[1]], text))
    return said if in_order else _ordered(said)


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(one) for key, one in value.items()}
    if isinstance(value, list):
        return sorted(map(_ordered, value), key=lambda one: json.dumps(one, sort_keys=True))
    return value
