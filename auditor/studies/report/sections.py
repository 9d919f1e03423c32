"""The sections of a report: the studies behind them, and the conversion of results to sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import polars as pl

from auditor.called import call
from auditor.errors import UsageError
from auditor.findings import told
from auditor.findings.wording import worded
from auditor.model import Selection
from auditor.result import Figure, Result, Table, joined
from auditor.result.document import Section
from auditor.result.sentences import with_role
from auditor.scoring.registry import requests
from auditor.statistics import published
from auditor.store import versions
from auditor.store.captions import Captions, selections_of
from auditor.store.versions import resolve
from auditor.studies.agree import agree
from auditor.studies.bounds import bounds
from auditor.studies.compare import IMAGES, REFERENCES, TOKENIZER, beside, compare
from auditor.studies.correlate import correlate
from auditor.studies.diversity import DiversitySettings, diversity
from auditor.studies.duplicates import identical
from auditor.studies.findings import all_findings
from auditor.studies.report.request import METRICS, ReportContext
from auditor.studies.versions import changes, datasets, drifted

#: Most rows per statistic or dataset in a report, and the studies that it applies to; the command lists all rows.
_CARRIED, _CUT = 100, ("outliers", "templates")


_Part = TypeVar("_Part", Table, Figure)


@dataclass(frozen=True)
class Answers:
    """The results of studies, the commands that recompute them, and the reasons why others are missing."""

    results: tuple[Result, ...] = ()
    commands: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @classmethod
    def of(cls, results: Iterable[Result | None], *commands: str, lacking: Iterable[str] = ()) -> Answers:
        """Return the answers, without missing results."""
        return cls(tuple(result for result in results if result is not None), commands, tuple(lacking))


class Question(NamedTuple):
    """A section: its title, and the function that runs the studies."""

    title: str
    ask: Callable[[ReportContext], Answers]


def section_of(context: ReportContext, name: str) -> Section:
    """Return the section of a question: leads, main and further tables, figures, notes."""
    question = SECTIONS[name]
    answers = question.ask(context)
    results = answers.results
    lacking = tuple(dict.fromkeys(answers.lacking))
    if not results:
        return Section(name, question.title, absent=" ".join(lacking) or None)
    findings = tuple(told(results[0].findings)) if name == FINDINGS else ()
    tables = [] if findings else _together(result.tables for result in results)
    carried = tuple(map(_carried, results))
    is_cut = any(part is not whole for part, whole in zip(carried, results, strict=True))
    cut = [f"only the first {_CARRIED} rows of each statistic or dataset are included; the command lists all"] * is_cut
    remarks = [with_role(note, "note") for result in results for note in (result.notes if findings else result.remarks)]
    lead = [sentence for result in results for sentence in result.lead]
    lead = lead[:: len(lead) - 1] if name == FINDINGS and lead[1:] else lead  # a table has the others
    notes, skipped = ([note for note in remarks if (note.role == "skipped") == is_not] for is_not in (False, True))
    return Section(
        name, question.title,
        tuple(dict.fromkeys(worded(sentence, context.item) for sentence in lead)),
        tuple(replace(result, findings=()) if findings else result for result in carried),
        tuple(table for table in tables if not table.further),
        tuple(table for table in tables if table.further),
        tuple(_together(result.figures for result in results)),
        tuple(dict.fromkeys((*notes, *cut))),
        answers.commands, findings=findings,
        unchecked=tuple(dict.fromkeys((*lacking, *skipped))),
    )  # fmt: skip


def _carried(result: Result) -> Result:
    """Return a result with at most `_CARRIED` rows of each dataset and statistic."""
    if result.command not in _CUT:
        return result
    by = [name for name in ("dataset", "statistic") if name in result.frame.columns]
    kept = result.frame.filter(pl.int_range(pl.len()).over(by) < _CARRIED)
    return result if kept.height == result.frame.height else replace(result, frame=kept)


def _together(parts: Iterable[Sequence[_Part]]) -> list[_Part]:
    """Merge tables, or figures, of one name and place from several results whose rows name their dataset."""
    groups: dict[Hashable, list[_Part]] = {}
    for of_result in parts:
        number = Counter[str]()
        for part in of_result:
            number[part.name] += 1
            columns: list[str] = part.frame.columns
            key = (part.name, number[part.name], *columns) if "dataset" in columns else id(part)
            groups.setdefault(key, []).append(part)
    merged = ((group[0], [part.frame for part in group]) for group in groups.values())
    return [
        replace(part, frame=pl.concat(frames, how="vertical_relaxed")) if frames[1:] else part
        for part, frames in merged
    ]


def _findings(context: ReportContext) -> Answers:
    result = context.store.recorded(lambda: all_findings(context.questions))
    return Answers.of([result], call("findings", *context.refs, tokenizer=context.tokenizer))


def _facts(context: ReportContext) -> Answers:
    return Answers.of([context.profiled()], call("profile", *context.refs, tokenizer=context.tokenizer))


def _scored(context: ReportContext, study: Callable[..., Result]) -> Answers:
    """Run a study of scores on the captions that have references."""
    if not context.scored:
        return Answers(lacking=context.alone)
    refs = [selection.pinned_name for selection in selections_of(context.scored)]
    command = call(study.__name__, *refs, metrics=context.settings.metrics, **context.sampling)
    return Answers((context.measured(study),), (command,), context.alone)


def _compared(context: ReportContext) -> Answers:
    """Compare datasets: by scores, and if some have one caption per image all of them by sameness."""
    settings = context.settings
    described = [one for one in context.selections if one.version.kind in ("captions", "candidates")]
    same = bool(context.alone) and len(described) > 1 and settings.references is None
    if len(context.scored) < 2 and not same:
        return _beside_marks(context)
    refs = [one.pinned_name for one in (described if same else selections_of(context.scored))]
    chosen = settings.metrics != METRICS
    options: dict[str, Any] = {
        "metrics": settings.metrics if chosen else None, "tokenizer": settings.tokenizer, "seed": settings.seed,
        "references": settings.references, "resamples": context.resamples, "confidence": context.confidence,
    }  # fmt: skip
    about = () if same or not context.alone else selections_of(context.scored)
    asked = partial(compare, context.store, *refs, **options, progress=context.progress)
    command = call("compare", *refs, **options | {"tokenizer": context.tokenizer})
    return Answers((context.result(("compare",), asked, about),), (command,), () if same else context.alone)


def _beside_marks(context: ReportContext) -> Answers:
    """Place a single dataset among the reference marks, if it has enough captions and the settings are theirs."""
    second = "Add a second dataset to compare: `auditor report DATASET DATASET`."
    if not context.scored or (context.settings.metrics, context.settings.tokenizer) != (METRICS, TOKENIZER):
        return Answers(lacking=context.alone or (second,))
    (captions,) = context.scored
    try:
        made = context.result(("compare",), lambda: beside([captions], published.rows(marks=True), context.progress))
    except UsageError:
        why = f"{second} Reference marks need {IMAGES} images with {REFERENCES + 1} captions."
        return Answers(lacking=(*context.alone, why))
    command = call("report", *context.refs, sections=["comparison"], format_name="md", tokenizer=context.tokenizer)
    return Answers((made,), (command,), (*context.alone, second))


def _correlated(context: ReportContext) -> Answers:
    if len(requests(context.settings.metrics)) < 2:
        why = "Add a second metric to see correlations: `auditor report DATASET -m METRIC -m METRIC`."
        return Answers(lacking=(why,))
    return _scored(context, correlate)


def _diversity(context: ReportContext) -> Answers:
    settings = context.settings
    chosen = DiversitySettings(settings.tokenizer, seed=settings.seed, references=settings.references)
    asked = partial(diversity, context.store, *context.refs, settings=chosen, progress=context.progress)
    made = context.result(("diversity",), asked)
    return Answers.of([made], call("diversity", *context.refs, **context.sampling))


def _duplicates(context: ReportContext) -> Answers:
    commands, results = [call("duplicates", *context.refs)], [context.questions.duplicates()]
    lacking = context.questions.why_not("duplicates")
    if context.questions.in_pairs:
        commands.append(call("duplicates", *context.refs, exact=True, within=True))
        asked = partial(identical, context.store, *context.refs, exact=True, within=True)
        results.append(context.result(("identical",), asked))
    return Answers.of(results, *commands, lacking=lacking)


def _of_each(
    context: ReportContext, study: str, ask: Callable[[Captions], Result | None], every: Sequence[Captions]
) -> Answers:
    """Run a study on each dataset of captions separately."""
    described = [captions for captions in every if captions.selection.version.kind == "captions"]
    made = {captions.selection.pinned_name: ask(captions) for captions in described}
    lacking = context.questions.why_not(study)
    refs = [ref for ref, result in made.items() if result is not None]
    return Answers.of(made.values(), call(study, *refs, tokenizer=context.tokenizer), lacking=lacking)


def _outliers(context: ReportContext) -> Answers:
    answers = _of_each(context, "outliers", context.questions.outliers, context.questions.in_pairs)
    return replace(answers, lacking=(*context.alone, *answers.lacking))


def _templates(context: ReportContext) -> Answers:
    return _of_each(context, "templates", context.questions.templates, context.every)


def _people(context: ReportContext) -> Answers:
    """Compare metrics with human ratings, if the store has any for these images."""
    settings = context.settings
    shared: dict[str, Any] = {name: getattr(settings, name) for name in ("metrics", "tokenizer", "seed")}
    shared["resamples"] = context.resamples
    of_ratings, of_pairs = {"confidence": context.confidence}, {"most": settings.references}
    made, commands, unrated, lacking = list[Result | None](), list[str](), list[Selection](), list[str]()
    judged = dict[str, bool]()

    def ask(named: Sequence[str], about: Sequence[Selection], more: dict[str, Any]) -> None:
        key, options = ("agree", *named), {**shared, **more}
        asked = partial(agree, context.store, *named, **options, progress=context.progress)
        made.append(context.questions.ask(key, asked, [*about, *(resolve(context.store, one) for one in named)]))
        lacking.extend(filter(None, [context.questions.absent.get(key)]))
        options["tokenizer"] = context.tokenizer
        commands.append(call("agree", *named, store=context.store, **options))

    for selection in context.selections:
        names, against = context.related(selection, "judgements", "pairs", "triplets"), selection.pinned_name
        unrated += [] if names else [selection]
        for kind, name in ((kind, name) for kind, of in names.items() for name in of):
            judged[name] = kind != "judgements"
            ask([name], [selection], {**(of_pairs if judged[name] else of_ratings), "against": against})
    if len(judged) > 1:
        ask([*judged], [], {**of_ratings, **(of_pairs if any(judged.values()) else {})})
        made, commands = [made[-1], *made[:-1]], [commands[-1], *commands[:-1]]
    if unrated:
        none = "the store has no human ratings or preferences for these images"
        labels = joined([selection.label for selection in unrated])
        lacking.append(f"{labels}: {none}{context.to_add(unrated, 'judgements', 'pairs', 'triplets')}.")
    return Answers.of(made, *commands, lacking=lacking)


def _choices(context: ReportContext) -> Answers:
    """Test every benchmark of the report, and every benchmark whose images its datasets describe."""
    benchmarks: dict[Selection, Selection | None] = {}
    for selection in context.selections:
        if selection.version.kind == "choices":
            benchmarks.setdefault(selection, None)
        else:
            related = context.related(selection, "choices").get("choices", [])
            benchmarks |= dict.fromkeys((resolve(context.store, ref) for ref in related), selection)
    if not benchmarks:
        add = context.to_add(context.selections, "choices")
        return Answers(lacking=(f"The store has no forced-choice items for these images{add}.",))
    made, commands = [], []
    for name, described in benchmarks.items():
        made.append(context.questions.choices(name, described))
        options = context.questions.of_choices(name, described)
        commands.append(call("choices", name.pinned_name, tokenizer=context.tokenizer, **options))
    return Answers.of(made, *commands, lacking=context.questions.why_not("choices"))


def _versions(context: ReportContext) -> Answers:
    """List the stored versions of each dataset, the changes in the newest, and the drift of its words."""
    results, lacking = dict[str, Result | None](), list[str]()
    for selection in context.selections:
        dataset = selection.version.dataset
        results[call("datasets", dataset)] = datasets(context.store, selection.version.label)
        logged = versions.log(context.store, dataset)
        before = next((version for version in logged if version.seq < selection.version.seq), None)
        both = [before.label, selection.version.label] if before else []
        if before is None or (command := call("diff", *both)) in results:
            continue
        results[command] = changes(context.store, *both)
        key = ("drift", selection.version.label)
        how: dict[str, Any] = {"depth": "drift", "tokenizer": context.settings.tokenizer, "progress": context.progress}
        about = [resolve(context.store, selection) for selection in both]
        if drift := context.questions.ask(key, partial(drifted, context.store, *both, **how), about):
            results[call("diff", *both, depth="drift", tokenizer=context.tokenizer)] = drift
        else:
            lacking.append(f"{' → '.join(both)}: {context.questions.absent[key]}")
    return Answers.of(results.values(), *results, lacking=lacking)


FINDINGS = "findings"

#: The sections of a report between its summary and its method, in this order.
SECTIONS: Mapping[str, Question] = {
    FINDINGS: Question("Findings", _findings),
    "facts": Question("Dataset facts", _facts),
    "bounds": Question("Bounds", partial(_scored, study=bounds)),
    "comparison": Question("Comparison", _compared),
    "correlation": Question("Correlation of metrics", _correlated),
    "diversity": Question("Diversity", _diversity),
    "duplicates": Question("Duplicates and leaks", _duplicates),
    "people": Question("Agreement with human ratings", _people),
    "choices": Question("Forced choice", _choices),
    "consensus": Question("Outliers", _outliers),
    "templates": Question("Templates", _templates),
    "versions": Question("Versions", _versions),
}
