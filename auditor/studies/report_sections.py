"""The sections of a report: each asks one study, and says in words what it found. A new study is one function here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from auditor.document import Section
from auditor.model import Result, Selection, Table
from auditor.registry import requests
from auditor.store import versions
from auditor.studies import bounds as bounds_study
from auditor.studies import comparison as comparison_study
from auditor.studies import correlation as correlation_study
from auditor.studies import diversity as diversity_study
from auditor.studies import history, report_words
from auditor.studies import identical as identical_study
from auditor.studies import profile as profile_study
from auditor.studies import scores as scores_study
from auditor.studies.diversity_settings import Settings as DiversitySettings
from auditor.studies.report_inquiry import Inquiry
from auditor.studies.report_people import people

_PROFILE_SQL = ("profile", "hygiene", "repetition", "annotations", "overlap_with_related")
_STRANGERS_SQL = ("candidate_intra", "candidate_inter", "candidate_brown", "gibberish_text")
_DIVERSITY_SQL = (
    "list_length", "list_tokens", "list_gram_count", "frequency_spectrum", "self_repetition", "distinct_caption",
    "image_vocabulary",
)  # fmt: skip

#: The metric by which captions are outliers: what n-grams say is weighed by how few images they belong to.
_LEAST_ALIKE = "cider-d"

#: How many kinds of faults of a dataset the summary names.
_FAULTS = 3


class Builder(NamedTuple):
    """A section by its title and the function that fills it."""

    title: str
    build: Callable[[Inquiry, str, str], Section]


def facts(asked: Inquiry, name: str, title: str) -> Section:
    """Say how large the datasets are, how long their captions, and what is wrong with single ones."""
    settings = asked.settings
    found = asked.result(
        "profile", lambda: profile_study.profile(asked.store, asked.refs, settings.text_profile, None, asked.progress)
    )
    faults = {label: what for label, what in report_words.problems(found).items() if what}
    sizes = report_words.facts(found)
    return Section(
        name, title, (*sizes, *(f"{label}, to be looked at: {'; '.join(what)}." for label, what in faults.items())),
        (*sizes, *(f"{label}, to be looked at: {'; '.join(what[:_FAULTS])}." for label, what in faults.items())),
        (found,), found.tables[:2], found.tables[2:], notes=found.notes,
        commands=(asked.command("profile", *asked.profile()),), sql=_PROFILE_SQL,
    )  # fmt: skip


def bounds(asked: Inquiry, name: str, title: str) -> Section:
    """Put captions against the others of their image, and strangers in their place."""
    settings = asked.settings
    found = asked.result(
        "bounds",
        lambda: bounds_study.bounds(
            asked.store, asked.refs, settings.metrics, settings.text_profile, None, settings.seed, settings.references,
            progress=asked.progress,
        ),
    )  # fmt: skip
    said = report_words.bounds(found)
    return Section(
        name, title, tuple(said), tuple(said) if len(said) == 1 else (), (found,), (), found.tables, found.figures,
        found.notes, (asked.command("bounds", *asked.scoring()),), (*asked.counts(), *_STRANGERS_SQL),
    )  # fmt: skip


def comparison(asked: Inquiry, name: str, title: str) -> Section:
    """Rank the datasets, as far as sampling error allows."""
    if len(asked.selections) < 2:
        why = "One dataset is compared with nothing: name another, `auditor report REF REF`."
        return Section(name, title, absent=why)
    settings = asked.settings
    found = asked.result(
        "compare",
        lambda: comparison_study.compare(
            asked.store, asked.refs, settings.metrics, settings.text_profile, None, settings.seed, settings.references,
            resamples=settings.resamples, confidence=settings.confidence, progress=asked.progress,
        ),
    )  # fmt: skip
    ahead = [f"{note}." for note in found.notes if " is more " in note]
    said = [*report_words.indices(found), *ahead]
    return Section(
        name, title, tuple(said), tuple(said), (found,), found.tables, (), found.figures,
        tuple(note for note in found.notes if " is more " not in note),
        (asked.command("compare", *asked.scoring(), *asked.comparing()),), (*asked.counts(), *_STRANGERS_SQL[:3]),
    )  # fmt: skip


def correlation(asked: Inquiry, name: str, title: str) -> Section:
    """Correlate the metrics over captions and over images."""
    settings = asked.settings
    if len(requests(settings.metrics)) < 2:
        why = "One metric agrees with nothing: name another, `auditor report REF -m METRIC -m METRIC`."
        return Section(name, title, absent=why)
    found = asked.result(
        "correlate",
        lambda: correlation_study.correlate(
            asked.store, asked.refs, settings.metrics, settings.text_profile, None, settings.seed, settings.references,
            progress=asked.progress,
        ),
    )  # fmt: skip
    said = report_words.correlations(found)
    return Section(
        name, title, tuple(said), tuple(said) if len(said) == 1 else (), (found,), (), found.tables,
        found.figures, found.notes, (asked.command("correlate", *asked.scoring()),), asked.counts(),
    )  # fmt: skip


def diversity(asked: Inquiry, name: str, title: str) -> Section:
    """Say how varied words and captions are."""
    settings = asked.settings
    chosen = DiversitySettings(settings.text_profile, seed=settings.seed, references=settings.references)
    found = asked.result(
        "diversity",
        lambda: diversity_study.diversity(asked.store, asked.refs, chosen, progress=asked.progress),
    )
    said = report_words.diversity(found)
    return Section(
        name, title, tuple(said), tuple(report_words.varied(found)), (found,), found.tables, (), found.figures,
        found.notes, (asked.command("diversity", *asked.scoring(metrics=False)),), _DIVERSITY_SQL,
    )  # fmt: skip


def duplicates(asked: Inquiry, name: str, title: str) -> Section:
    """Find the captions that stand twice at one image."""
    found = asked.result(
        "identical",
        lambda: identical_study.identical(asked.store, asked.refs, asked.settings.text_profile, None, asked.progress),
    )
    *said, why = found.notes
    return Section(
        name, title, (*(f"{one}." for one in said), f"{why[0].upper()}{why[1:]}."),
        tuple(report_words.twins(found.tables[0].frame)), (found,), found.tables[:1], found.tables[1:],
        commands=(asked.command("identical", *asked.profile()),), sql=("identical", "identical_counts"),
    )  # fmt: skip


def consensus(asked: Inquiry, name: str, title: str) -> Section:
    """Show the captions least like the others of their image."""
    found = [_least_alike(asked, one) for one in asked.selections if one.version.kind == "captions"]
    if not found:
        return Section(name, title, absent="There are no captions of which one could be an outlier.")
    return Section(
        name, title, ("A caption that shares nothing with the others of its image may describe another image.",), (),
        tuple(found), (), tuple(table for one in found for table in one.tables),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
        commands=tuple(
            asked.command("score", f"-m {_LEAST_ALIKE}", *asked.scoring(metrics=False), refs=[one.reference])
            for one in asked.selections
        ),
        sql=asked.counts((_LEAST_ALIKE,)),
    )  # fmt: skip


def log(asked: Inquiry, name: str, title: str) -> Section:
    """Say which versions the store holds of each dataset, and what the newest changed."""
    results, said, commands = [], [], []
    for selection in asked.selections:
        dataset = selection.version.dataset
        found = history.log(asked.store, dataset)
        results.append(found)
        commands.append(asked.command("log", refs=[dataset]))
        held = versions.log(asked.store, dataset)
        said.append(f"{selection.label} is version {selection.version.seq} of {len(held)} in the store.")
        before = next((one for one in held if one.seq < selection.version.seq), None)
        if before is not None:
            both = [before.label, selection.version.label]
            results.append(history.diff(asked.store, *both)[0])
            commands.append(asked.command("diff", refs=both))
    tables = tuple(dict.fromkeys(table.title for one in results for table in one.tables))
    by_title = {table.title: table for one in results for table in one.tables}
    return Section(
        name, title, tuple(said), (), tuple(results), tuple(by_title[one] for one in tables),
        commands=tuple(dict.fromkeys(commands)), sql=("log", "difference"),
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
    "consensus": Builder("Consensus and outliers", consensus),
    "versions": Builder("Versions", log),
}


def _least_alike(asked: Inquiry, selection: Selection) -> Result:
    """Score each caption against the others of its image, and keep those that come out lowest."""
    settings = asked.settings

    def make() -> Result:
        found = scores_study.score(
            asked.store, selection.reference, [_LEAST_ALIKE], None, settings.text_profile, None, settings.references,
            settings.seed, asked.progress,
        )  # fmt: skip
        least = found.tables[1]
        places = least.frame.select("image", "slot")
        shown = Table(f"{selection.label}: {least.title}", least.frame, caption=least.caption)
        rows = found.frame.join(places, on=["image", "slot"], how="semi")
        return replace(found, frame=rows, tables=(shown,))

    return replace(asked.result(f"score {selection.label}", make), selections=(selection,))
