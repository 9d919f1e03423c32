"""What other studies answer about the datasets of a report: each is asked once, whichever section asks first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auditor.errors import AuditorError
from auditor.model import Selection
from auditor.result import Finding, Result
from auditor.scoring import single_captions
from auditor.studies import bounds as bounds_study
from auditor.studies import compare
from auditor.studies import duplicates as duplicates_study
from auditor.studies import findings as findings_study
from auditor.studies import outliers as outliers_study
from auditor.studies import profile as profile_study
from auditor.studies import templates as templates_study
from auditor.studies.report.request import ReportContext


def profiled(context: ReportContext) -> Result:
    """Count sizes, lengths, words and signs of dirt."""
    return context.result(
        "profile",
        lambda: profile_study.profile(
            context.store, *context.refs, tokenizer=context.settings.tokenizer, split=None, progress=context.progress
        ),
    )


def duplicates(context: ReportContext) -> Result:
    """Search duplicates within the datasets and among them."""
    return context.result(
        "duplicates",
        lambda: duplicates_study.duplicates(
            context.store,
            *context.refs,
            config=context.declared,
            progress=context.progress,
        ),
    )


def outliers(context: ReportContext, selection: Selection) -> Result:
    """Search the captions of one dataset for those of another image."""
    return _of_one(context, selection, "outliers", outliers_study.outliers)


def templates(context: ReportContext, selection: Selection) -> Result:
    """Search the captions of one dataset for templates and unlike slots."""
    return _of_one(context, selection, "templates", templates_study.templates)


def bounds(context: ReportContext) -> Result:
    """Score captions and substitutes of all datasets whose captions have references."""
    return scored(context, "bounds", bounds_study.bounds)


def scored(context: ReportContext, name: str, study: Callable[..., Result], **more: Any) -> Result:
    """Ask a study of scores what the report was asked, and more where it takes more."""
    settings = context.settings
    return context.result(
        name,
        lambda: study(
            context.store,
            *(one.pinned_name for one in context.scored),
            metrics=settings.metrics,
            tokenizer=settings.tokenizer,
            seed=settings.seed,
            references=settings.references,
            progress=context.progress,
            **more,
        ),
        context.scored if context.alone else (),
    )


def compared(context: ReportContext) -> Result:
    """Compare the datasets by homogeneity and specificity."""
    settings = context.settings
    return scored(
        context,
        "compare",
        compare.compare,
        resamples=settings.resamples,
        confidence=settings.confidence,
    )


def findings(context: ReportContext) -> tuple[tuple[Finding, ...], tuple[Result, ...], tuple[str, ...]]:
    """Give what is wrong with the captions, the worst first; the results with their lists; what could not be asked."""
    found: list[Finding] = []
    results: list[Result] = []
    lacking: list[str] = []

    def answer(ask: Callable[[], Result]) -> Result | None:
        try:
            return ask()
        except AuditorError as error:
            lacking.append(f"{error}")
            return None

    for one in context.selections:
        if one.version.kind == "captions":
            own = _of_one(context, one, "findings", findings_study.findings, captions_only=True)
            results.append(own)
            found += own.findings
            lacking += own.notes
            alone = findings_study.unasked(context.store, one)
            lacking += alone
            found += findings_study.told(_answers(context, one, answer, alone=bool(alone)))
    if len(context.scored) > 1:
        found += compare.unequal_captions(context.store, context.scored, context.settings.references)
    # Parts of one dataset are told the same of all of it.
    return findings_study.ranked(dict.fromkeys(found)), tuple(results), tuple(dict.fromkeys(lacking))


def _answers(
    context: ReportContext,
    one: Selection,
    answer: Callable[[Callable[[], Result]], Result | None],
    *,
    alone: bool,
) -> findings_study.Answers:
    def within(split: str) -> Result | None:
        return answer(
            lambda: context.result(
                f"duplicates of {one.version.label} within {split}",
                lambda: duplicates_study.duplicates(
                    context.store,
                    replace(one, split=findings_study.playing(split, context.store, one, context.declared)).pinned_name,
                    config=context.declared,
                    examples=0,
                    progress=context.progress,
                ),
                [one],
            )
        )

    return findings_study.Answers(
        one,
        lambda: answer(lambda: duplicates(context)),
        within,
        lambda: None if alone else answer(lambda: outliers(context, one)),
        lambda: answer(lambda: templates(context, one)),
        lambda: None if alone else answer(lambda: _agreeing(context, one)),
    )


def _agreeing(context: ReportContext, one: Selection) -> Result:
    """Score captions and substitutes as `findings` does, once where the report asks the same."""
    settings = context.settings
    if one in context.scored and set(findings_study.METRICS) <= set(settings.metrics):
        return bounds(context)
    some = [each for each in context.selections if not single_captions.lacking(context.store, each)]
    return context.result(
        "bounds of findings",
        lambda: bounds_study.bounds(
            context.store,
            *(each.pinned_name for each in some),
            metrics=findings_study.METRICS,
            candidates=("human", "intra"),
            tokenizer=settings.tokenizer,
            seed=settings.seed,
            progress=context.progress,
        ),
        some,
    )


def _of_one(
    context: ReportContext, selection: Selection, name: str, study: Callable[..., Result], **more: Any
) -> Result:
    return context.result(
        f"{name} {selection.label}",
        lambda: study(
            context.store,
            selection.pinned_name,
            tokenizer=context.settings.tokenizer,
            progress=context.progress,
            **more,
        ),
        [selection],
    )
