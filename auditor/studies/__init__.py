"""The studies: each answers one question about datasets with one Result, by means of the rooms below.

`STUDIES` lists them all. A study is a function of an open store. Its signature, annotated with the parameters of
`auditor.parameters`, defines its command line and its library method; its docstring is the help of both.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

Group = Literal["Data", "Captions", "Language", "Scores", "Ratings", "Reports"]

#: The groups in the order in which they are listed.
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True)
class Study:
    """The location of a study, with what a list of studies shows before it is imported.

    `function` is written `package.module:name`; `line` is the first sentence of its docstring.
    """

    function: str
    group: Group
    line: str

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, name = self.function.partition(":")
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return function


def _here(module: str, group: Group, line: str) -> Study:
    return Study(f"auditor.studies.{module}", group, line)


#: Every study by the name of its command, in the order of the help. `store info` is a subcommand.
STUDIES: dict[str, Study] = {
    "fetch": _here("ingest:fetch", "Data", "Download datasets and verify their checksums."),
    "ingest": _here("ingest:ingest", "Data", "Import captions as a new version of a dataset."),
    "export": _here("export:export", "Data", "Export a version to files, in one of seven formats."),
    "diff": _here("diff:diff", "Data", "Check whether a version is worse, and what changed."),
    "datasets": _here("versions:datasets", "Data", "List the datasets in the store, or the versions of one."),
    "store info": _here("upkeep.store:info", "Data", "Report the size of the store and of its tables."),
    "store verify": _here("verify:verify", "Data", "Verify the store, or a published card or receipt."),
    "store tag": _here("versions:tag", "Data", "Tag a version, or replace its note."),
    "store drop": _here("versions:drop", "Data", "Remove a dataset, or one of its versions."),
    "store gc": _here("upkeep.store:gc", "Data", "Remove outdated counts and shrink the file."),
    "findings": _here("findings:findings", "Captions", "Find problems in the captions, ranked by severity."),
    "profile": _here("profile:profile", "Captions", "Count size, lengths, vocabulary and repeated captions."),
    "duplicates": _here("duplicates:duplicates", "Captions", "Find duplicate captions and train/test leaks."),
    "templates": _here("templates:templates", "Captions", "Measure how formulaic the captions are."),
    "outliers": _here("outliers:outliers", "Captions", "Find captions that may belong to another image."),
    "diversity": _here("diversity:diversity", "Language", "Measure lexical diversity, overall and per image."),
    "syntax": _here("syntax:syntax", "Language", "Measure parts of speech, phrases and sentence structure."),
    "words": _here("words:words", "Language", "List words that A uses more, less or never, next to B."),
    "perplexity": _here("perplexity:perplexity", "Language", "Train a language model on A, test it on B (perplexity)."),
    "bounds": _here("bounds:bounds", "Scores", "Compute upper and lower bounds of metric scores."),
    "compare": _here("compare:compare", "Scores", "Rank datasets by how similar their captions are."),
    "score": _here("score:score", "Scores", "Score captions, or a system's output."),
    "correlate": _here("correlate:correlate", "Scores", "Correlate metrics, per image and per caption."),
    "references": _here("references:enough_references", "Scores", "Find how many references are enough."),
    "probe": _here("probe:probe", "Scores", "Test which parts of captions metrics react to."),
    "objects": _here("objects:objects", "Scores", "Find objects in captions that the images lack (CHAIR)."),
    "choices": _here("choices:choices", "Scores", "Measure how many multiple-choice items need no image."),
    "distractors": _here("distractors:distractors", "Scores", "Make choices whose wrong caption differs in one way."),
    "metrics": _here("metrics:metric_cards", "Scores", "List the metrics, or explain one."),
    "agree": _here("agree:agree", "Ratings", "Measure how well metrics agree with human ratings."),
    "tasks": _here("tasks:tasks", "Ratings", "Make questions for raters: which caption is better?"),
    "report": _here("report:report", "Reports", "Write a full audit report, or a dataset card."),
    "check": _here("check:check", "Reports", "Check datasets against limits set in datasets.toml."),
    "reproduce": Study("auditor.papers.reproduce:reproduce", "Reports", "Recompute the figures of published papers."),
}
