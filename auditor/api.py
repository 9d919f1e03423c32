"""The library: every study as a method of an open store. This module has no logic."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from auditor.asking import Forms
from auditor.papers.reproduce import reproduce
from auditor.store.connection import Store
from auditor.store.versions import log
from auditor.studies import (
    agree,
    bounds,
    check,
    choices,
    compare,
    correlate,
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
        """Return the study with the store of an `Auditor` as its first argument."""
        if audit is None:
            return self.study  # type: ignore[unreachable]
        return functools.update_wrapper(functools.partial(self.study, audit.store), self.study)  # type: ignore[return-value]


class Auditor:
    """An open store. Every method returns a `Result`: `.frame` (Polars), `.to_json()`, and HTML in a notebook."""

    def __init__(self, path: str | Path, *, write: bool = False, wait: float = 10.0) -> None:
        self.store = Store.open(Path(path), write=write, wait=wait)

    fetch, metrics = staticmethod(ingest.fetch), staticmethod(metrics.metric_cards)
    ingest, export = Method(ingest.ingest), Method(export.export)
    datasets, tag, drop = Method(versions.datasets), Method(versions.tag), Method(versions.drop)
    diff, verify, sql = Method(versions.diff), Method(verify.verify), Method(sql.query)
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
