"""The section of a report on what people say of captions: ratings, pairs and triplets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from auditor.errors import AuditorError
from auditor.model import Selection
from auditor.result import Result, Section
from auditor.store.versions import resolve
from auditor.studies.agree import AgreeSettings, Resampling, agree
from auditor.studies.consensus import ConsensusSettings, consensus
from auditor.studies.report import sentences
from auditor.studies.report.request import ReportContext

#: What is said of each study's result.
_WORDS: Mapping[str, Callable[[Result, float], list[str]]] = {
    "agree": sentences.agreement,
    "consensus": sentences.consensus,
}

#: The kinds of dataset in which people rate or compare captions.
_RATED = ("judgements", "pairs", "triplets")

#: The tables that are shown at once.
_FIRST = ("metrics-against-people", "agreement-with-people")


def people(context: ReportContext, name: str, title: str) -> Section:
    """Put metrics against what people say of captions, where the store holds any of it."""
    parts, lacking, commands = [], list[Selection](), []
    for selection in context.selections:
        names = context.ratings(selection)
        compared = [*names.get("pairs", ()), *names.get("triplets", ())]
        for verb, rated in (("agree", names.get("judgements", [])), ("consensus", compared)):
            if rated:
                parts.append(_result(context, selection, verb, rated))
                options = (f"--against {selection.pinned_name}", *context.scoring(), *context.comparing()[:1])
                commands.append(context.command(verb, *options, refs=rated))
        lacking += [] if names else [selection]
    results = [part for part in parts if isinstance(part, Result)]
    labels = sentences.listed([one.label for one in lacking])
    held = "the store holds no judgements of people (ratings, choices) of these images"
    why = f"{labels}: {held}{context.to_add(lacking, *_RATED)}."
    said = [words for one in results for words in _WORDS[one.command](one, context.settings.confidence)]
    first = tuple(table for one in results for table in one.tables if table.name in _FIRST)
    return Section(
        name, title, (*said, *([why] if lacking and results else [])), tuple(results), first,
        tuple(table for one in results for table in one.tables if table not in first),
        tuple(figure for one in results for figure in one.figures if figure.kind != "lines"),
        (*(part for part in parts if isinstance(part, str)), *(note for one in results for note in one.sentences)),
        tuple(commands), context.counts() if results else (), absent=None if parts else why,
    )  # fmt: skip


def _result(context: ReportContext, selection: Selection, verb: str, rated: Sequence[str]) -> Result | str:
    """Ask one study about all datasets of its kind; where it has no answer, say why."""
    settings, against = context.settings, selection.pinned_name

    def make() -> Result:
        if verb == "agree":
            question = AgreeSettings(resampling=Resampling(settings.resamples, settings.confidence, settings.seed))
            return agree(
                context.store,
                *rated,
                metrics=settings.metrics,
                against=against,
                tokenizer=settings.tokenizer,
                split=None,
                question=question,
                progress=context.progress,
            )
        chosen = ConsensusSettings(
            most=settings.references, seed=settings.seed, resamples=settings.resamples,
            tokenizer=settings.tokenizer,
        )  # fmt: skip
        return consensus(
            context.store, *rated, metrics=settings.metrics, against=against, settings=chosen, progress=context.progress
        )

    about = [selection, *(resolve(context.store, one) for one in rated)]
    try:
        return context.result(f"{verb} {selection.label}", make, about)
    except AuditorError as error:
        return f"{', '.join(rated)} against {selection.label}: {error}"
