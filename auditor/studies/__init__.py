"""The room of questions: each study composes the rooms below into one Result.

`STUDIES` lists them all. A study is a function of an open store; its signature, in the vocabulary of
`auditor.parameters`, is its command line and its library method, its docstring the help of both.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from auditor.errors import MissingExtraError
from auditor.plugins import added, said

Group = Literal["Data", "Captions", "Language", "Scores", "People", "Reports"]

#: The groups in the order in which they are listed.
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True)
class Study:
    """Where a study is, and what a front end must know of it before it is imported.

    `function` is written `package.module:name`; `line` is the first sentence of its docstring. `writes` says that it
    needs a store that it may write to, `makes` also that a store that is not there is made. `draws` says that its
    results have figures, `document` that it gives a document, `card` that it may be a dataset's card, `verdicts` that
    its rows have a verdict each, `asks` that its verdict is no finding unless the user says so, with --exit-code.
    `needs_no_store_with` names the parameter that may be a file with which it can do without one; `migrates` is false
    where a store stays of the schema that it has. `package` is the one that adds it, empty for ours.
    """

    function: str
    group: Group
    line: str
    writes: bool = False
    makes: bool = False
    draws: bool = False
    document: bool = False
    card: bool = False
    verdicts: bool = False
    asks: bool = False
    needs_no_store_with: str | None = None
    migrates: bool = True
    package: str = ""

    def load(self) -> Callable[..., Any]:
        """Import the function. Raises `MissingExtraError` for one of another package that cannot be."""
        module, _, name = self.function.partition(":")
        try:
            function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        except Exception as error:
            if not self.package:
                raise
            why = f"{self.function} cannot be imported: {said(error)}; update the package or remove it"
            raise MissingExtraError(f"package {self.package}: {why}") from error
        return function


def _here(place: str, group: Group, line: str, **kind: Any) -> Study:
    return Study(f"auditor.studies.{place}", group, line, **kind)


#: Every question, by the name of its command, in the order in which they are listed. `store info` is a subcommand.
STUDIES: dict[str, Study] = {
    "fetch": _here("ingest:fetch", "Data", "Download declared datasets, checked by sha256."),
    "ingest": _here("ingest:ingest", "Data", "Read captions into the store as a new version.", writes=True, makes=True),
    "export": _here("export:export", "Data", "Write a version to files, in one of seven formats."),
    "diff": _here("versions:diff", "Data", "Compare two versions: captions, words, lengths.", asks=True),
    "datasets": _here("versions:datasets", "Data", "List the datasets of the store, or the versions of one."),
    "store info": _here("upkeep.store:info", "Data", "Report the size of the store and of its tables.", migrates=False),
    "store verify": _here(
        "verify:verify", "Data", "Check the store, or a published card or receipt.", needs_no_store_with="what"
    ),
    "store tag": _here("versions:tag", "Data", "Name a version, or replace its note.", writes=True),
    "store drop": _here("versions:drop", "Data", "Remove a dataset, or one of its versions.", writes=True),
    "store gc": _here("upkeep.store:gc", "Data", "Remove outdated counts and shrink the file.", writes=True),
    "findings": _here("findings:findings", "Captions", "Find what is wrong with the captions, the worst first."),
    "profile": _here(
        "profile:profile", "Captions", "Count size, lengths, vocabulary and repeated captions.", draws=True
    ),
    "duplicates": _here("duplicates:duplicates", "Captions", "Find repeats, and test captions that occur in train."),
    "templates": _here("templates:templates", "Captions", "Measure how formulaic captions are.", draws=True),
    "outliers": _here("outliers:outliers", "Captions", "Find captions that may belong to another image.", draws=True),
    "diversity": _here(
        "diversity:diversity", "Language", "Measure how varied words are, in all and per image.", draws=True
    ),
    "syntax": _here(
        "syntax:syntax", "Language", "Measure parts of speech, phrases and sentence structure.", draws=True
    ),
    "words": _here("words:words", "Language", "List words that A uses more or less than B, or never."),
    "perplexity": _here(
        "perplexity:perplexity", "Language", "Measure how well a model of A predicts B (perplexity).", draws=True
    ),
    "bounds": _here("bounds:bounds", "Scores", "Compute upper and lower bounds of metric scores.", draws=True),
    "compare": _here("compare:compare", "Scores", "Rank datasets by homogeneity and specificity.", draws=True),
    "score": _here("score:score", "Scores", "Score captions, or a system's output."),
    "correlate": _here("correlate:correlate", "Scores", "Correlate metrics, per image and per caption.", draws=True),
    "references": _here("references:enough_references", "Scores", "Find how many references are enough.", draws=True),
    "probe": _here("probe:probe", "Scores", "Test which parts of captions metrics react to.", draws=True),
    "choices": _here("choices:choices", "Scores", "Measure how far two-choice items are solvable blind.", draws=True),
    "distractors": _here("distractors:distractors", "Scores", "Make forced-choice items, each wrong in one way."),
    "metrics": _here("metrics:metric_cards", "Scores", "List the metrics, or explain one."),
    "agree": _here("agree:agree", "People", "Measure how well metrics agree with human ratings.", draws=True),
    "tasks": _here("tasks:tasks", "People", "Make questions for raters: which caption is better?"),
    "report": _here(
        "report:report", "Reports", "Write the whole audit as a page, or a dataset card.", document=True, card=True
    ),
    "check": _here("check:check", "Reports", "Check datasets against the gates of datasets.toml.", verdicts=True),
    "reproduce": Study("auditor.papers.reproduce:reproduce", "Reports", "Compare published figures with ours."),
}


@functools.cache
def of_others(only: str | None = None) -> dict[str, Study]:
    """Load the studies of other packages: each that an entry point of group `auditor.studies` names, or `only` one."""
    found = added("auditor.studies", Study, STUDIES, only=only)
    return {name: replace(study, package=package) for name, study, package in found}


def named(name: str) -> Study | None:
    """Find a study by its name; one of another package is imported only where it is none of ours."""
    return STUDIES.get(name) or of_others(name).get(name)


def known() -> dict[str, Study]:
    """Return every study: ours, which keep their names, and those of other packages."""
    return STUDIES | of_others()
