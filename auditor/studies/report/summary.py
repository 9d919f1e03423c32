"""The summary of a report: the answer, the worst findings, each dataset at a glance, and what was not checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.called import call
from auditor.findings.wording import advice, worded, wrong
from auditor.model import Selection
from auditor.result import SEVERITIES, Finding, Result, Sentence, Table, digits, interval, program
from auditor.result.document import BIBTEX, Section
from auditor.result.portraits import HOMOGENEITY, MAIN, Portrait
from auditor.result.sentences import with_role
from auditor.scoring.citations import entries
from auditor.scoring.registry import requests
from auditor.scoring.single_captions import lacking
from auditor.statistics import published
from auditor.statistics.sameness import SAMENESS
from auditor.store.versions import language
from auditor.studies.compare import PLACED, REFERENCES, TOKENIZER
from auditor.studies.findings import TABLE
from auditor.studies.report.request import ReportContext

#: Most cards in the summary, and fewest: notices are added if there are fewer errors and warnings.
_CARDS, _AT_LEAST = 6, 3

_BAD = ("error", "warning")

_NOTHING = "No problems found."

_MILD = "No errors or warnings. Notices:"

_NOT_LOOKED = "The report was written without findings. Run `auditor findings DATASET`."


def cards(selections: Sequence[Selection], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Choose the findings of the summary: errors and warnings of each dataset in turn, and notices if these are few.

    Findings on all datasets together come before those on one. Each kind appears once per dataset, with its worst
    finding. Each kind of notice appears once, the largest share first.
    """
    by_dataset = []
    for name in dict.fromkeys([None, *(selection.version.dataset for selection in selections)]):
        worst = {finding.kind: finding for finding in reversed(findings) if finding.about.get("dataset") == name}
        shown = [finding for finding in findings if finding.severity != "info" and worst.get(finding.kind) is finding]
        by_dataset.append(shown)
    in_turn = [finding for turn in itertools.zip_longest(*by_dataset) for finding in turn if finding is not None]
    bad = [finding for finding in in_turn if finding.severity in _BAD][:_CARDS]
    notices = sorted((finding for finding in in_turn if finding.severity not in _BAD), key=_share, reverse=True)
    kinds = dict.fromkeys(notice.kind for notice in notices)
    rest = [next(notice for notice in notices if notice.kind == kind) for kind in kinds][: max(0, _AT_LEAST - len(bad))]
    return tuple(sorted([*bad, *rest], key=lambda finding: SEVERITIES.index(finding.severity)))


def _share(finding: Finding) -> float:
    """Return the share that a finding affects: its first number, divided by its `n` if it is a count."""
    first = next(iter(finding.values.values()), None)
    if not isinstance(first, float | int):
        return 0.0
    return first / finding.n if first >= 1 and finding.n else min(first, 1.0)


def portraits(profiled: Result, compared: Result | None) -> tuple[Portrait, ...]:
    """Return an overview of each dataset, with its homogeneity if datasets were compared."""
    quoted = {number.label: number for number in compared.quoted if number.name == HOMOGENEITY} if compared else {}
    return tuple(
        replace(portrait, homogeneity=known.value, low=known.low, high=known.high, metric=known.metric)
        if (known := quoted.get(portrait.label))
        else portrait
        for portrait in profiled.portraits
    )


def wrong_in(built: Sequence[Section]) -> tuple[Table, ...]:
    """Return the table of what is wrong by dimension, if findings were searched for."""
    results = (result for section in built if section.name == "findings" for result in section.results)
    return tuple(table for result in results for table in result.tables if table.name == TABLE)


def unchecked(built: Sequence[Section]) -> tuple[Table, ...]:
    """Return the table of checks that could not run, and what would let them run."""
    titles: dict[str, list[str]] = {}
    for section in built:
        title = section.title if section.absent else f"{section.title} (in part)"
        for why in [section.absent] if section.absent else section.unchecked:
            titles.setdefault(why, []).append(title)
    frame = pl.DataFrame({"not checked": [", ".join(names) for names in titles.values()], "because": [*titles]})
    return (Table("Not checked, because", frame, name="unchecked", sentences=("because",)),) if titles else ()


def answered(context: ReportContext, shown: Sequence[Finding], *, looked: bool) -> tuple[str, ...]:
    """Answer in sentences: of several datasets how they compare, of a single one what is wrong and how it compares."""
    compared = context.results.get(("compare",))
    said = list(compared.lead) if compared else []
    errors = [finding for finding in shown if finding.severity == "error"]
    if len(context.selections) > 1 and errors:
        following = [place for place, text in enumerate(said) if with_role(text, "answer").role == "next"]
        said.insert(following[0] if following else len(said), Sentence.of(errors[0], "wrong"))
    if len(context.selections) == 1:
        (selection,) = context.selections
        tested = context.results.get(("choices", selection.pinned_name))
        if selection.version.kind == "choices":
            said += tested.lead if tested else ()
        elif not context.scored and context.alone:
            same = "".join(sameness_of(context, selection))
            said.append(Sentence(same or "Not measured, since it needs two captions per image.", "homogeneity"))
        bad = [finding for finding in shown if finding.severity in _BAD]
        if looked:
            said.insert(0, wrong(selection.label, bad))
            fix = advice(bad[0], selection.label) if bad else ""
            said.append(Sentence(fix or "Nothing must be repaired. Add a second dataset to compare.", "next"))
    return tuple(worded(sentence, context.item) for sentence in said)


def summary(
    answer: Sequence[str],
    shown: Sequence[Finding],
    drawn: Sequence[Portrait],
    placed: Sequence[Table],
    lacking: tuple[Table, ...],
    *,
    looked: bool,
) -> Section:
    """Return the summary as sentences and tables; pages show cards and portraits. `looked`: were findings computed?

    The sentences of `answer` come first, then the tables that place datasets, by each metric or number.
    """
    rows = [
        (
            one.label, one.images, one.captions, one.distinct, one.length,
            " ".join(f"{name}: {images:,}" for name, images in one.splits), one.homogeneity, one.low, one.high,
        )
        for one in drawn
    ]  # fmt: skip
    columns = ["dataset", "images", "captions", "different", "words", "images by split", "homogeneity", "low", "high"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    kept = [column for column in frame.get_columns() if column.null_count() < frame.height or not frame.height]
    caption = "different: captions that don't repeat another of their image; words: mean tokens per caption"
    words = (*answer, *(f"{finding.severity}: {finding.sentence}." for finding in shown))
    overview = Table("datasets", frame.select(kept), caption=caption, digits=(("words", 1),), name="datasets")
    verdict = None if any(finding.severity in _BAD for finding in shown) else _MILD
    absent = verdict if shown else _NOTHING if looked else _NOT_LOOKED
    return Section("summary", "Summary", words, tables=(*placed, overview, *lacking), absent=absent)


def cited(context: ReportContext) -> tuple[Table, ...]:
    """Return how to cite the main number of each dataset, with version and signature, and the BibTeX of its sources."""
    compared, labels = context.results.get(("compare",)), {one.label: one for one in context.selections}
    numbers = [number for number in compared.quoted if number.name == HOMOGENEITY] if compared else []
    texts = []
    for number in numbers:
        value = f"{digits(number.value)}{interval(number.low, number.high, number.confidence)}"
        ends = f"{_pinned(labels[number.label])}; {number.signature}; {program()}"
        texts.append((number.label, f"homogeneity (intra / upper, {number.metric}) {value}; {ends}"))
    named = entries(request.metric for request in (requests(context.settings.metrics) if context.scored else ()))
    rows = pl.DataFrame(texts, schema=["dataset", "text"], orient="row")
    bibtex = pl.DataFrame({"of": [", ".join(names) for names in named.values()], "bibtex": [*named]})
    return (
        *([Table("How to cite these numbers", rows, name="citation")] if texts else []),
        Table("BibTeX of the program and of the metrics", bibtex, name=BIBTEX),
    )


def _pinned(selection: Selection) -> str:
    version = selection.version
    return f"{version.dataset}@{version.version[:12]}{f':{selection.split}' if selection.split else ''}"


_AT_SEVERAL, _OTHER_LANGUAGE = "captions-at-several-images", ("other-language", "other-script")


def section_of_single(context: ReportContext, findings: Sequence[Finding]) -> Section | None:
    """Return the section on the datasets with one caption per image; null if there is none."""
    described = [one for one in context.every if one.selection.version.kind in ("captions", "candidates")]
    single = [captions.selection for captions in described if lacking(captions)]
    if not single:
        return None
    words = [sentence for selection in single for sentence in _sentences(context, selection, findings)]
    refs = [selection.pinned_name for selection in single]
    words.append(
        "Agreement is between annotators of one image, so it cannot be measured here. `auditor bounds` scores captions "
        "of other images (intra), and `auditor compare` ranks such datasets by sameness."
    )
    commands = (call("diversity", *refs, statistics=[SAMENESS], tokenizer=context.tokenizer),)
    words = [worded(sentence, context.item) for sentence in words]
    title = worded("One caption per image", context.item)
    return Section("single", title, tuple(words), commands=commands)


def _sentences(context: ReportContext, selection: Selection, findings: Sequence[Finding]) -> Iterator[str]:
    label = selection.label
    own = [finding for finding in findings if finding.about.get("dataset") == selection.version.dataset]
    told = (with_role(text, "answer") for text in context.profiled().lead)
    yield from (sentence for sentence in told if (sentence.label, sentence.role) == (label, "lengths"))
    templates = context.results.get(("templates", label))
    yield from templates.lead if templates else ()
    other = sum(int(next(iter(one.values.values()), 0) or 0) for one in own if one.kind in _OTHER_LANGUAGE)
    found = f"{other:,} captions appear to be in another" if other else "no caption was found in another"
    yield f"{label}: language {language(context.store, selection.version.dataset)}; {found} language or script."
    yield from (f"{finding.sentence}." for finding in own if finding.kind == _AT_SEVERAL)
    yield from (f"{label}: {words}" for words in sameness_of(context, selection))


def sameness_of(context: ReportContext, selection: Selection) -> Iterator[str]:
    """Yield the sameness of a dataset, if a section measured it."""
    measured = context.results.get(("diversity",))
    for number in measured.quoted if measured else ():
        if (number.label, number.name) == (selection.label, SAMENESS):
            value = f"{number.value:.3f}{interval(number.low, number.high, number.confidence)}"
            yield f"sameness {value}: the share of words that captions of different images have in common."


_VALUE = ("value", "low", "high")

_CAPTION = (
    "human bound: score of a caption against the others of its image; homogeneity: that of a caption of another image, "
    "divided by the human bound; sameness: share of words that captions of two images have in common; diversity: "
    "different words per word, in segments of 1,000; section: the part of this report that has the number"
)


def placed_in(compared: Result | None) -> list[Table]:
    """Return the tables of a comparison that place datasets."""
    return [table for table in (compared.tables if compared else ()) if table.sample]


def first_numbers(context: ReportContext) -> tuple[Table, ...]:
    """Place the main numbers of a single dataset among reference marks, as far as its report has measured them.

    Marks have four references per caption, so scores with another number of references are shown without marks.
    """
    (selection, *others), rows = context.selections, list[dict[str, Any]]()
    if others or selection.version.kind == "choices":
        return ()
    known = published.rows(marks=True).filter(pl.col("version") != selection.version.version)
    for number, by, section, own, has_marks in (*_scores(context), *_of_words(context)):
        marks = known.filter(pl.col("metric").fill_null(by) == by, statistic=MAIN[number]).select("dataset", *_VALUE)
        marks = marks if has_marks and context.settings.tokenizer == TOKENIZER else marks.clear()
        every = [{"dataset": selection.label, **dict.fromkeys(_VALUE), **own}, *marks.to_dicts()]
        every.sort(key=lambda one: -(one["value"] or 0.0))
        rows += [{"number": number, "by": by, **one, "section": section} for one in every]
    numbers = dict.fromkeys(_VALUE, pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=numbers, orient="row", infer_schema_length=None)
    frame = frame.select("number", "by", "dataset", *_VALUE, "section", "^because$") if rows else frame
    table = replace(PLACED, name="main-numbers", frame=frame, bars=("value",), sections="number", caption=_CAPTION)
    return (replace(table, title=f"main numbers of {selection.label} beside published sets"),) if rows else ()


def _scores(context: ReportContext) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
    """Yield human bound and homogeneity: metric, section, value or reason, and whether marks have the same sample."""
    (captions,), settings = context.every, context.settings
    bounds, compared = (context.results.get((study,)) for study in ("bounds", "compare"))
    if (why := lacking(captions)) or bounds is None:
        yield from ((name, "", "", {"because": why}, False) for name in [*MAIN][:2] if why)
        return
    names = [one.label for one in requests(settings.metrics) if not one.metric.lower_is_better]
    by = next((name for name in ("rouge-l", "bleu-4") if name in names), "".join(names[-1:]))
    scored = bounds.frame.filter(metric=by, level="caption").select("candidate", "mean").drop_nulls()
    human, other = map(dict(scored.iter_rows()).get, ("human", "intra"))
    references = settings.references or captions.images()["captions"].sum() / captions.images().height - 1
    if human:
        yield "human bound", by, "bounds", {"value": human}, round(references) == REFERENCES
    if compared:
        own = compared.frame.filter(version=captions.selection.version.version, metric=by, statistic=HOMOGENEITY)
        yield HOMOGENEITY, by, "comparison", own.select(*_VALUE).row(0, named=True), True
    elif human and other is not None:
        yield HOMOGENEITY, by, "bounds", {"value": other / human}, round(references) == REFERENCES


def _of_words(context: ReportContext) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
    if measured := context.results.get(("diversity",)):
        for name, statistic in [*MAIN.items()][2:]:
            rows = measured.frame.filter(pl.col("position").is_null(), statistic=statistic)
            for *own, why in rows.select(*_VALUE, "reason").head(1).rows():
                known = dict(zip(_VALUE, own, strict=True)) if why is None else {"because": why}
                yield name, statistic, "diversity", known, why is None
