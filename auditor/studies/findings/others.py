"""Collect the findings that other studies report, as these report them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from auditor.findings import KINDS
from auditor.result import Finding, Result, Sentence, about
from auditor.scoring.single_captions import lacking
from auditor.store.captions import Captions
from auditor.studies.duplicates import AT_SEVERAL, COPIED, LEAK, TEST
from auditor.studies.findings.questions import Questions
from auditor.studies.outliers import SWAPPED
from auditor.studies.templates import TEMPLATED

#: The kinds of findings that each study reports, in the order of the findings.
_ANSWERS: Mapping[Callable[[Questions, Captions], Result | None], Collection[str]] = {
    lambda questions, _: questions.duplicates(): (LEAK, AT_SEVERAL, COPIED),
    Questions.outliers: (SWAPPED,),
    Questions.templates: ("unlike-slot", "sorted-captions", TEMPLATED),
    Questions.bounds: ("bound-upside-down",),
}


def incomparable(captions: Captions) -> list[str]:
    """Return a note if no image has two captions, so captions of one image cannot be compared."""
    why = lacking(captions)
    skipped = f"{captions.label}: skipped the search for swapped captions and the bounds: {why}"
    return [Sentence(skipped, "skipped")] if why else []


#: The other studies that are asked, in words. Bounds come first: outliers and templates read their counts.
STUDIES = ("Bounds", "Duplicates", "Outliers", "Templates")


def findings_of(
    questions: Questions, captions: Captions, wanted: Collection[str] = KINDS, begin: Callable[[], None] = lambda: None
) -> list[Finding]:
    """Return the findings of other studies on captions. A study that finds none of the kinds is not run."""
    kinds = {ask: {*wanted}.intersection(kinds) for ask, kinds in _ANSWERS.items()}
    first, results = (Questions.bounds, *_ANSWERS), dict[Callable[..., Result | None], Result | None]()
    for ask in dict.fromkeys(first):
        begin()
        if kinds[ask]:
            results[ask] = ask(questions, captions)
    subject = about(captions.selection)
    of_leaks = {**subject, "split": TEST}  # whichever split is selected
    return [
        finding
        for ask in _ANSWERS
        if (result := results.get(ask))
        for finding in result.found(*kinds[ask])
        if (of_leaks if finding.kind == LEAK else subject).items() <= finding.about.items()
    ]
