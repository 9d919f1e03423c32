"""The sections of a report: each asks one study, and says in words what it found. A new study is one function here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from auditor.registry import requests
from auditor.result import Result, Section
from auditor.studies import bounds as bounds_study
from auditor.studies import compare
from auditor.studies import correlate as correlation_study
from auditor.studies import diversity as diversity_study
from auditor.studies import profile as profile_study
from auditor.studies.diversity import DiversitySettings
from auditor.studies.report import sentences
from auditor.studies.report.changes import log
from auditor.studies.report.faults import duplicates, outliers, templates
from auditor.studies.report.people import people
from auditor.studies.report.request import ReportContext

_PROFILE_SQL = ("profile", "hygiene", "repetition", "annotations", "overlap_with_related")

_SUBSTITUTES_SQL = ("candidate_intra", "candidate_inter", "candidate_brown", "gibberish_text")

_DIVERSITY_SQL = (
    "list_length", "list_tokens", "list_gram_count", "frequency_spectrum", "self_repetition", "distinct_caption",
    "image_vocabulary",
)  # fmt: skip

#: The tables of the facts that are shown at once.
_FIRST = ("sizes", "lengths")

#: How many kinds of faults of a dataset the summary names.
_FAULTS = 3


class Builder(NamedTuple):
    """A section by its title and the function that fills it."""

    title: str
    build: Callable[[ReportContext, str, str], Section]


def facts(context: ReportContext, name: str, title: str) -> Section:
    """Say how large the datasets are, how long their captions, and what is wrong with single ones."""
    settings = context.settings
    result = context.result(
        "profile",
        lambda: profile_study.profile(
            context.store, *context.refs, tokenizer=settings.tokenizer, split=None, progress=context.progress
        ),
    )
    faults = sentences.problems(result)
    sizes = sentences.facts(result)
    return Section(
        name, title, (*sizes, *(f"{label}, to be looked at: {'; '.join(what)}." for label, what in faults.items())),
        (*sizes, *(f"{label}, to be looked at: {'; '.join(what[:_FAULTS])}." for label, what in faults.items())),
        (result,), tuple(one for one in result.tables if one.name in _FIRST),
        tuple(one for one in result.tables if one.name not in _FIRST), notes=result.notes,
        commands=(context.command("profile", *context.tokenizer()),), sql=_PROFILE_SQL,
    )  # fmt: skip


def bounds(context: ReportContext, name: str, title: str) -> Section:
    """Put captions against the others of their image, and substitutes in their place."""
    result = _scored(context, "bounds", bounds_study.bounds)
    said = sentences.bounds(result)
    return Section(
        name, title, tuple(said), tuple(said) if len(said) == 1 else (), (result,), (), result.tables, result.figures,
        result.sentences, (context.command("bounds", *context.scoring()),), (*context.counts(), *_SUBSTITUTES_SQL),
    )  # fmt: skip


def comparison(context: ReportContext, name: str, title: str) -> Section:
    """Rank the datasets, as far as sampling error allows."""
    if len(context.selections) < 2:
        why = "One dataset is compared with nothing: name another, `auditor report DATASET DATASET`."
        return Section(name, title, absent=why)
    # Without resamples nobody asks for sampling error, and there are no random deals either.
    result, *tests = compare.parted(_compared(context)) if context.settings.resamples else (_compared(context),)
    ahead = [f"{finding.sentence}." for finding in result.found(*compare.AHEAD.values())]
    beyond = [words for one in tests for words in sentences.beyond_chance(one.frame)]
    said = [*sentences.indices(result), *ahead, *beyond]
    command = context.command("compare", *context.scoring(), *context.comparing())
    return Section(
        name, title, tuple(said), tuple(said), (result, *tests), result.tables,
        tuple(table for one in tests for table in one.tables), result.figures,
        (*result.notes, *(one.sentence for one in result.findings if one.kind not in compare.AHEAD.values())),
        (f"{command} --pairs" if tests else command,), (*context.counts(), *_SUBSTITUTES_SQL[:3]),
    )  # fmt: skip


def _compared(context: ReportContext) -> Result:
    settings = context.settings
    return _scored(
        context,
        "compare",
        compare.compare,
        resamples=settings.resamples,
        confidence=settings.confidence,
        pairs=settings.resamples > 0,
    )


def _scored(context: ReportContext, name: str, study: Callable[..., Result], **more: Any) -> Result:
    """Ask a study of scores what the report was context, and more where it takes more."""
    settings = context.settings
    return context.result(
        name,
        lambda: study(
            context.store,
            *context.refs,
            metrics=settings.metrics,
            tokenizer=settings.tokenizer,
            seed=settings.seed,
            references=settings.references,
            progress=context.progress,
            **more,
        ),
    )


def correlation(context: ReportContext, name: str, title: str) -> Section:
    """Correlate the metrics over captions and over images."""
    settings = context.settings
    if len(requests(settings.metrics)) < 2:
        why = "One metric agrees with nothing: name another, `auditor report DATASET -m METRIC -m METRIC`."
        return Section(name, title, absent=why)
    result = _scored(context, "correlate", correlation_study.correlate)
    said = sentences.correlations(result)
    return Section(
        name, title, tuple(said), tuple(said) if len(said) == 1 else (), (result,), (), result.tables,
        result.figures, result.sentences, (context.command("correlate", *context.scoring()),), context.counts(),
    )  # fmt: skip


def diversity(context: ReportContext, name: str, title: str) -> Section:
    """Say how varied words and captions are."""
    settings = context.settings
    chosen = DiversitySettings(settings.tokenizer, seed=settings.seed, references=settings.references)
    result = context.result(
        "diversity",
        lambda: diversity_study.diversity(context.store, *context.refs, settings=chosen, progress=context.progress),
    )
    said = sentences.diversity(result)
    return Section(
        name, title, tuple(said), tuple(sentences.varied(result)), (result,), result.tables, (), result.figures,
        result.sentences, (context.command("diversity", *context.scoring(metrics=False)),), _DIVERSITY_SQL,
    )  # fmt: skip


#: What stands in a report between its summary and its method, in this order.
SECTIONS: Mapping[str, Builder] = {
    "facts": Builder("Dataset facts", facts),
    "bounds": Builder("Bounds", bounds),
    "comparison": Builder("Comparison", comparison),
    "correlation": Builder("Correlation of metrics", correlation),
    "diversity": Builder("Diversity", diversity),
    "duplicates": Builder("Duplicates and leakage", duplicates),
    "people": Builder("Agreement with people", people),
    "consensus": Builder("Consensus and outliers", outliers),
    "templates": Builder("Templates", templates),
    "versions": Builder("Versions", log),
}
