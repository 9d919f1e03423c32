"""The library: every study as a method of an open store. It also opens files that are named instead of datasets."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from auditor.asked import face_of, options_of
from auditor.asking import Forms
from auditor.model import silent
from auditor.papers.reproduce import reproduce
from auditor.places import places
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import log
from auditor.studies import (
    agree,
    bounds,
    check,
    choices,
    compare,
    correlate,
    diff,
    distractors,
    diversity,
    duplicates,
    export,
    findings,
    ingest,
    metrics,
    objects,
    outliers,
    perplexity,
    probe,
    profile,
    references,
    report,
    score,
    syntax,
    tasks,
    templates,
    verify,
    versions,
    words,
)
from auditor.studies.export import opened_for_files
from auditor.studies.upkeep import sql
from auditor.studies.upkeep import store as upkeep

P = ParamSpec("P")

Q = ParamSpec("Q")

S = ParamSpec("S")

R = TypeVar("R")

M = TypeVar("M")


class Method(Generic[M]):
    """A study as a method of an open store, with the study's own signature and docstring."""

    @overload
    def __init__(
        self: Method[Forms[P, Q, S, R]],
        study: Forms[Concatenate[Store, P], Concatenate[Store, Q], Concatenate[Store, S], R],
    ) -> None: ...
    @overload
    def __init__(self: Method[Callable[P, R]], study: Callable[Concatenate[Store, P], R]) -> None: ...
    def __init__(self, study: Any) -> None:
        self.study = study
        self.__doc__ = study.__doc__

    def __get__(self, audit: Auditor, owner: type[Auditor]) -> M:
        """Return the study with the store of an `Auditor` as its first argument, and with files instead of datasets."""
        if audit is None:
            return self.study  # type: ignore[unreachable]
        takes_files = not face_of(self.study).writes
        asked = functools.partial(_of_files, self.study) if takes_files else self.study
        return functools.update_wrapper(functools.partial(asked, audit.store), self.study)  # type: ignore[return-value]


def _of_files(study: Any, store: Store, /, *args: Any, **kwargs: Any) -> Any:
    """Call a study; with files instead of datasets, over a temporary store, whose notes come first."""
    signature = inspect.signature(study)
    try:
        bound = signature.bind(store, *args, **kwargs)
    except TypeError:
        return study(store, *args, **kwargs)  # which names what is wrong
    given = bound.arguments
    if face_of(study).alone({**dict.fromkeys(signature.parameters), **given}):
        return study(store, *args, **kwargs)
    of_datasets = (one for one in options_of(study) if one.parameter.completes == "dataset")
    named = [one.name for one in of_datasets if one.path[0] in given]
    found = places({"metrics": given.get("metrics"), **{name: given[name] for name in named}}, named)
    if found is None:
        return study(store, *args, **kwargs)
    notes = list[str]()
    bound.arguments |= {name: value for name, value in found.values.items() if name in given}

    def said(message: str) -> None:
        notes.append(message)

    with opened_for_files(lambda: nullcontext(store), found, {}, said, silent) as apart:
        result = study(apart, *bound.args[1:], **bound.kwargs)
    return replace(result, notes=(*notes, *result.notes)) if isinstance(result, Result) else result


class Auditor:
    """An open store. Every method returns a `Result`: `.frame` (Polars), `.to_json()`, and HTML in a notebook.

    Name a file instead of a dataset, as on the command line. Without a path there are only files, and nothing is kept.
    """

    def __init__(self, path: str | Path = MEMORY, *, write: bool = False, wait: float = 10.0) -> None:
        self.store = Store.open(Path(path), write=write, wait=wait)

    fetch, metrics = staticmethod(ingest.fetch), staticmethod(metrics.metric_cards)
    ingest, export = Method(ingest.ingest), Method(export.export)
    datasets, tag, drop = Method(versions.datasets), Method(versions.tag), Method(versions.drop)
    diff, verify, sql = Method(diff.diff), Method(verify.verify), Method(sql.query)
    info, gc = Method(upkeep.info), Method(upkeep.gc)
    profile, duplicates = Method(profile.profile), Method(duplicates.duplicates)
    findings, templates, outliers = Method(findings.findings), Method(templates.templates), Method(outliers.outliers)
    diversity = Method(diversity.diversity)
    syntax = Method(syntax.syntax)
    words, perplexity = Method(words.words), Method(perplexity.perplexity)
    bounds, compare, correlate = Method(bounds.bounds), Method(compare.compare), Method(correlate.correlate)
    score = Method(score.score)
    references, probe = Method(references.enough_references), Method(probe.probe)
    objects = Method(objects.objects)
    distractors, choices = Method(distractors.distractors), Method(choices.choices)
    agree, tasks = Method(agree.agree), Method(tasks.tasks)
    report, card = Method(report.report), Method(report.card)
    check, reproduce = Method(check.check), Method(reproduce)

    def __repr__(self) -> str:
        newest = {version.dataset: version for version in reversed(log(self.store))}
        datasets = [
            f"{version.label} ({version.images:,} images, {version.captions:,} captions)"
            for _, version in sorted(newest.items())
        ]
        return f"<Auditor {self.store.path}: {', '.join(datasets) or 'no dataset yet'}>"

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
