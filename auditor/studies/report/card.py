"""The card of a dataset, for its README or a catalog."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from auditor import parameters as p
from auditor.called import call
from auditor.config import sources
from auditor.dataset_card import DatasetCard, Number
from auditor.errors import redacted
from auditor.findings import KINDS, title
from auditor.findings.wording import kind_for
from auditor.model import Progress, Selection, Source, silent
from auditor.result import SEVERITIES, Finding, Result, Signature, Table, program
from auditor.result.document import Section
from auditor.sources import FORMATS
from auditor.statistics.cards import cards_of
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.bounds import bounds
from auditor.studies.findings import all_findings
from auditor.studies.report.request import ReportContext, ReportSettings

_STATISTICS = (
    "captions-per-image-min", "captions-per-image-mean", "captions-per-image-max", "asl", "sdsl", "length-min",
    "length-max", "tokens", "types", "types-occurring-once", "distinct-captions",
)  # fmt: skip

_CANDIDATES: Mapping[str, str] = {
    "human": "a caption against the others of its image",
    "intra": "a caption of another image instead",
    "brown": "a sentence of the Brown corpus instead",
}


def card(
    store: Store,
    ref: p.Ref,
    *,
    settings: ReportSettings | None = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> DatasetCard:
    """Write the card of a dataset for its README, as `auditor report --format card` does.

    How to read it: every number has its version and signature; `auditor store verify FILE` checks them. Known problems
    are those of `auditor findings`, the worst first.

    Limits: it describes captions only. Add who wrote them, how and with what consent.

    Raises `UsageError` for an unknown dataset, version or split.

    Example: auditor report flickr8k --format card -o README.md
    """
    declared, settings = sources(config), settings or ReportSettings()
    selection = versions.resolve(store, ref, settings.split)
    context = ReportContext(store, (selection,), settings, progress, declared)
    profiled, measured = context.profiled(), context.measured(bounds) if context.scored else None
    audited = all_findings(context.questions)
    findings, skipped = audited.findings, audited.notes
    results = (dataclasses.replace(audited, findings=()),)
    about, read_as = declared.get(selection.version.dataset), FORMATS.get(selection.version.format)
    language = versions.language(store, selection.version.dataset)
    by_split = versions.images(store, selection).group_by(pl.col("split").fill_null("none"))
    size = {"images": pl.len().cast(pl.Int64), "captions": pl.col("captions").sum().cast(pl.Int64)}
    splits = by_split.agg(**size).sort("split")
    chosen = {name: value for name, value in vars(context.settings).items() if name != "split"}
    numbers = (_counted(profiled, chosen["tokenizer"]), _of_splits(splits), _scored(measured), _of_findings(findings))
    return DatasetCard(
        f"Dataset card: {selection.label}",
        (selection,),
        (
            _facts(context, profiled, language, about),
            Section("splits", "Splits", tables=(Table("", splits, name="splits"),)),
            _statistics(context, profiled),
            _bounds(context, measured),
            _problems(context, findings, results, skipped),
        ),
        program(),
        level=2,
        signatures={key: text for result in context.results.values() for key, text in result.signatures.items()},
        language=language,
        license=about.license if about else None,
        citation=about.citation if about else None,
        url=_published_at(selection, about),
        media_type=read_as.media_type if read_as else None,
        settings={key: [*value] if key == "metrics" else value for key, value in chosen.items() if value is not None},
        numbers=tuple(itertools.chain(*numbers)),
        findings=findings,
        unasked=skipped,
    )


def _facts(context: ReportContext, profiled: Result, language: str, about: Source | None) -> Section:
    version = context.selections[0].version
    value = dict(profiled.frame.select("statistic", "value").iter_rows())
    facts: dict[str, str | None] = {"dataset": version.dataset, "version": version.version, "language": language}
    facts |= {name: f"{value[name]:,.0f}" for name in ("images", "captions")}
    facts |= {"license": about.license, "citation": about.citation} if about else {}
    rows = [(name, fact) for name, fact in facts.items() if fact]
    known = pl.DataFrame(rows, schema=["fact", "value"], orient="row")
    return Section(
        "facts", "Counts", tables=(Table("", known, name="counts"),), results=(profiled,),
        commands=(call("report", *context.refs, card=True, format_name="card", **context.typed),),
    )  # fmt: skip


def _statistics(context: ReportContext, profiled: Result) -> Section:
    value, cards = dict(profiled.frame.select("statistic", "value").iter_rows()), cards_of("profile")
    rows = [(cards[name].definition, _shown(value.get(name))) for name in _STATISTICS]
    table = Table("", pl.DataFrame(rows, schema=["statistic", "value"], orient="row"), name="statistics")
    return Section("statistics", "Statistics", tables=(table,), notes=tuple(context.tokenizer_notes))


def _bounds(context: ReportContext, measured: Result | None) -> Section:
    if measured is None:
        return Section("bounds", "Bounds", absent=" ".join(context.alone))
    mean = {"metric", *_CANDIDATES}
    shown = [
        Table("", table.frame.select(name for name in table.frame.columns if name in mean), caption=(
            "Mean score of a caption against the others of its image (human), and of a wrong caption: from another "
            "image (intra), or a sentence of the Brown corpus (brown)."
        ), name="bounds")
        for table in measured.tables if table.name == "means" and "intra" in table.frame.columns
    ]  # fmt: skip
    absent = None if shown else "No lower bound: captions could not be exchanged between images."
    return Section("bounds", "Bounds", tables=tuple(shown), results=(measured,), absent=absent)


def _problems(
    context: ReportContext, findings: Sequence[Finding], results: tuple[Result, ...], skipped: tuple[str, ...]
) -> Section:
    """Return the section of known problems; errors and warnings have their consequence."""
    bad = [finding for finding in findings if finding.severity != "info"]
    problems = [f"{finding.severity}: {finding.sentence}. {_consequence(finding)}".strip() for finding in bad]
    command = call("findings", *context.refs, tokenizer=context.tokenizer)
    return Section(
        "problems", "Known problems", tuple(problems) or ("No problems found.",), results=results, notes=skipped,
        commands=(command,),
    )  # fmt: skip


def _published_at(selection: Selection, about: Source | None) -> str | None:
    """Return the URL of the source file: the declared download with the same hash."""
    own, declared = selection.version.source_sha256, about.downloads if about else ()
    same = [download.url for download in declared if download.sha256 == own and not download.member]
    return redacted(same[0]) if same else None


def _counted(profiled: Result, tokenizer: str) -> Iterator[Number]:
    signature = str(Signature("profile", {"tok": tokenizer}, 2))
    value = dict(profiled.frame.select("statistic", "value").iter_rows())
    for name in ("images", "captions", *_STATISTICS):
        if value.get(name) is not None:
            meaning, whole = cards_of("profile")[name].definition, int(value[name])
            yield Number(f"profile/{name}", meaning, whole if whole == value[name] else value[name], signature)


def _of_splits(splits: pl.DataFrame) -> Iterator[Number]:
    for split, images, captions in splits.iter_rows():
        yield Number(f"splits/{split}/images", f"images of split {split}", images)
        yield Number(f"splits/{split}/captions", f"captions of split {split}", captions)


def _scored(measured: Result | None) -> Iterator[Number]:
    if measured is None:
        return
    rows = measured.frame.filter(pl.col("candidate").is_in(list(_CANDIDATES)), level="caption").drop_nulls("mean")
    for metric, candidate, mean, signature in rows.select("metric", "candidate", "mean", "signature").iter_rows():
        if math.isfinite(mean):
            yield Number(f"bounds/{metric}/{candidate}", f"{metric}, mean: {_CANDIDATES[candidate]}", mean, signature)


def _of_findings(findings: Sequence[Finding]) -> Iterator[Number]:
    """Yield the number of findings by severity, then the numbers of each finding."""
    counts = Counter(finding.severity for finding in findings)
    for severity in SEVERITIES[:3]:
        yield Number(f"findings/{severity}", f"{severity}s", counts[severity])
    given: dict[str, Number] = {}
    for finding in findings:
        against = finding.about.get("against")
        path = f"findings/{finding.kind}" + (f"/{against}" if against else "")
        for name, value in finding.values.items() if finding.severity != "info" else ():
            if isinstance(value, int | float) and math.isfinite(value):
                meaning = f"{title(finding.kind)}: {KINDS[finding.kind].values.get(name, name)}"
                given.setdefault(f"{path}/{name}", Number(f"{path}/{name}", meaning, value))
    yield from given.values()


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _consequence(finding: Finding) -> str:
    return "" if finding.severity == "notice" else kind_for(finding).consequence
