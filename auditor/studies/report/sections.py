"""The sections of a report: each asks one study, and says in words what it found. A new study is one function here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import polars as pl
import polars.selectors as cs

from auditor.findings.severity import tally
from auditor.registry import requests
from auditor.result import Section, Table
from auditor.studies import compare
from auditor.studies import correlate as correlation_study
from auditor.studies import diversity as diversity_study
from auditor.studies.diversity import DiversitySettings
from auditor.studies.report import answers, sentences
from auditor.studies.report.changes import log
from auditor.studies.report.faults import duplicates, outliers, templates
from auditor.studies.report.forced_choice import forced_choice
from auditor.studies.report.people import people
from auditor.studies.report.request import ReportContext

_PROFILE_SQL = (
    "profile",
    "repeat",
    "repeat_count",
    "sign",
    "hygiene",
    "sign_of_dirt",
    "sign_in_caption",
    "sign_among_captions",
    "annotations",
    "overlap_with_related",
)

_SUBSTITUTES_SQL = ("candidate_intra", "candidate_inter", "candidate_brown", "gibberish_text")

_DIVERSITY_SQL = (
    "list_length", "list_tokens", "list_gram_count", "frequency_spectrum", "self_repetition", "distinct_caption",
    "image_vocabulary",
)  # fmt: skip

#: The tables of the facts that are shown at once.
_FIRST = ("sizes", "lengths", "hygiene")


class Builder(NamedTuple):
    """A section by its title and the function that fills it."""

    title: str
    build: Callable[[ReportContext, str, str], Section]


def findings(context: ReportContext, name: str, title: str) -> Section:
    """Say everything that was found, the worst first, each with examples."""
    found, results, lacking = answers.findings(context)
    if not results:
        return Section(name, title, absent="There are no captions in which anything could be found.", notes=lacking)
    said = f"{tally(found) or 'Nothing was found'}. `auditor findings -o FILE.csv` lists every caption that was found."
    command = context.command("findings", *context.tokenizer())
    return Section(name, title, (said,), results, notes=lacking, commands=(command,), findings=found)


def facts(context: ReportContext, name: str, title: str) -> Section:
    """Say how large the datasets are, how long their captions, and what is wrong with single ones."""
    result = answers.profiled(context)
    shown = tuple(_counts_above_zero(one) if one.name == "hygiene" else one for one in result.tables)
    return Section(
        name, title, tuple(sentences.facts(result)), (result,),
        tuple(one for one in shown if one.name in _FIRST), tuple(one for one in shown if one.name not in _FIRST),
        notes=result.notes, commands=(context.command("profile", *context.tokenizer()),), sql=_PROFILE_SQL,
    )  # fmt: skip


def _counts_above_zero(table: Table) -> Table:
    """Leave out the counts that are 0 for every dataset, and name them."""
    some = pl.any_horizontal(cs.numeric() > 0)
    zero = table.frame.filter(~some.fill_null(value=False))["statistic"].to_list()
    kept = table.frame.filter(some.fill_null(value=False))
    return replace(table, frame=kept, caption=f"0 everywhere: {', '.join(zero)}" if zero else table.caption)


def bounds(context: ReportContext, name: str, title: str) -> Section:
    """Put captions against the others of their image, and substitutes in their place."""
    if not context.scored:
        return Section(name, title, absent=" ".join(context.alone))
    result = answers.bounds(context)
    return Section(
        name, title, tuple(sentences.bounds(result)), (result,), (), result.tables, result.figures,
        (*context.alone, *result.sentences), (context.scoring_command("bounds"),),
        (*context.counts(), *_SUBSTITUTES_SQL),
    )  # fmt: skip


def comparison(context: ReportContext, name: str, title: str) -> Section:
    """Rank the datasets, as far as sampling error allows."""
    if len(context.scored) < 2:
        why = "There is nothing to compare with: name a second dataset, `auditor report DATASET DATASET`."
        return Section(name, title, absent=" ".join(context.alone) or why)
    # Without resamples nobody asks for sampling error, and there are no random deals either.
    result, *tests = compare.parted(answers.compared(context))[: 2 if context.settings.resamples else 1]
    ahead = [f"{finding.sentence}." for finding in result.found(*compare.AHEAD.values())]
    beyond = [words for one in tests for words in sentences.beyond_chance(one.frame)]
    said = [*sentences.indices(result), *ahead, *beyond]
    command = context.scoring_command("compare", *context.comparing())
    return Section(
        name, title, tuple(said), (result, *tests), result.tables,
        tuple(table for one in tests for table in one.tables), result.figures,
        (*context.alone, *result.notes,
         *(one.sentence for one in result.findings if one.kind not in compare.AHEAD.values())),
        (command,), (*context.counts(), *_SUBSTITUTES_SQL[:3]),
    )  # fmt: skip


def correlation(context: ReportContext, name: str, title: str) -> Section:
    """Correlate the metrics over captions and over images."""
    settings = context.settings
    if len(requests(settings.metrics)) < 2:
        why = "One metric agrees with nothing: name another, `auditor report DATASET -m METRIC -m METRIC`."
        return Section(name, title, absent=why)
    if not context.scored:
        return Section(name, title, absent=" ".join(context.alone))
    result = answers.scored(context, "correlate", correlation_study.correlate)
    return Section(
        name, title, tuple(sentences.correlations(result)), (result,), (), result.tables, result.figures,
        (*context.alone, *result.sentences), (context.scoring_command("correlate"),), context.counts(),
    )  # fmt: skip


def diversity(context: ReportContext, name: str, title: str) -> Section:
    """Say how varied words and captions are."""
    settings = context.settings
    chosen = DiversitySettings(settings.tokenizer, seed=settings.seed, references=settings.references)
    result = context.result(
        "diversity",
        lambda: diversity_study.diversity(context.store, *context.refs, settings=chosen, progress=context.progress),
    )
    return Section(
        name, title, tuple(sentences.diversity(result)), (result,), result.tables, (), result.figures,
        result.sentences, (context.command("diversity", *context.scoring(metrics=False)),), _DIVERSITY_SQL,
    )  # fmt: skip


#: What is in a report between what to know first and its method, in this order.
SECTIONS: Mapping[str, Builder] = {
    "findings": Builder("Findings", findings),
    "facts": Builder("Dataset facts", facts),
    "bounds": Builder("Bounds", bounds),
    "comparison": Builder("Comparison", comparison),
    "correlation": Builder("Correlation of metrics", correlation),
    "diversity": Builder("Diversity", diversity),
    "duplicates": Builder("Duplicates and leakage", duplicates),
    "people": Builder("Agreement with people", people),
    "choices": Builder("Forced choice", forced_choice),
    "consensus": Builder("Consensus and outliers", outliers),
    "templates": Builder("Templates", templates),
    "versions": Builder("Versions", log),
}
