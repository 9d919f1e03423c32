"""Systems side by side: their images and means; and the scores that another program prints, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from auditor.errors import UsageError
from auditor.metrics.together import Together, mean_of
from auditor.model import Progress, Selection
from auditor.result import Finding, Result, Said, Table, about, counted, findings_in, listed, notes_in
from auditor.scoring.candidates import output_of
from auditor.scoring.counting import count
from auditor.scoring.registry import METRICS, MetricRequest, References, lacking, not_installed, request
from auditor.scoring.scores import scorable, too_long
from auditor.statistics.paired_systems import Measure, Resampling, Score, beside_first
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.tokens import tokenize
from auditor.store.versions import images, resolve_all
from auditor.studies.score.presets import Preset, Printed

#: Systems are scored against all captions of the image, as in these programs.
_ALL = References("all")


def printed(
    store: Store,
    selection: Selection,
    systems: Sequence[Selection],
    preset: Preset,
    resampling: Resampling,
    messages: Sequence[Said],
    progress: Progress,
) -> Result:
    """Score whole outputs as a program does, with intervals, and tests against the first output."""
    for system in systems:
        _refuse_several(store, selection, system)
    scored, notes = _scorable(store, selection, preset)
    signed: dict[str, str] = {}
    of_tokenizer: dict[str, list[tuple[Printed, MetricRequest]]] = {}
    for candidate, metric in scored:
        of_tokenizer.setdefault(candidate.tokenizer, []).append((candidate, metric))
        signature = metric.signature(candidate.tokenizer, _ALL)
        signed[candidate.name] = str(replace(signature, parameters={**signature.parameters, "level": "corpus"}))
    rows = {
        name: frame
        for tokenizer, some in of_tokenizer.items()
        for name, frame in _rows(Captions(store, selection, tokenizer), systems, some, resampling, progress)
    }
    labels = pl.Enum([system.label for system in systems])
    frame = pl.concat(rows[candidate.name] for candidate, _ in scored).sort(
        pl.col("candidate").cast(labels), maintain_order=True
    )
    notes += _without_intervals(frame, resampling)
    notes += _program_signatures(store, selection, preset, [candidate for candidate, _ in scored])
    reported = [*notes, *messages]
    reported += [
        note
        for name in of_tokenizer
        for note in too_long(*(Captions(store, selection, name) for selection in (selection, *systems)))
    ]
    return Result(
        "score",
        frame,
        selections=(selection, *systems),
        signatures=signed,
        tables=_tables(frame, selection, preset, [candidate.name for candidate, _ in scored], resampling),
        notes=notes_in(reported),
        findings=findings_in(reported),
    )


def _scorable(
    store: Store, selection: Selection, preset: Preset
) -> tuple[list[tuple[Printed, MetricRequest]], list[Said]]:
    """Return the numbers of a preset that can be computed, and notes on the others."""
    notes: list[Said] = []
    usable = []
    for row in preset.printed:
        name = row.metric.partition(":")[0]
        reason = lacking(METRICS[name])
        if reason:
            notes.append(not_installed(name, reason))
            continue
        kept, refused = scorable(Captions(store, selection, row.tokenizer), [request(row.metric)], None)
        notes += refused
        usable += [(row, metric) for metric in kept]
    if not usable:
        raise UsageError(f"{selection.label}: no number of {preset.program} can be computed: {notes[0]}")
    return usable, notes


def _rows(
    captions: Captions,
    systems: Sequence[Selection],
    scored: Sequence[tuple[Printed, MetricRequest]],
    resampling: Resampling,
    progress: Progress,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each number of one tokenizer, by its name."""
    selection = captions.selection
    tokenize(captions.store, [selection, *systems], captions.tokenizer, progress)
    candidates = {system.label: output_of(system) for system in systems}
    counts = count(captions, [*candidates.values()], [*{metric.counting: None for _, metric in scored}], progress)
    measures = []
    for printed, metric in scored:
        settings = {**metric.metric.fixed, **metric.settings}
        outputs = {
            label: printed.together.sums(counts[candidate.name, metric.counting], settings)
            for label, candidate in candidates.items()
        }
        for label in (label for label, sums in outputs.items() if sums.is_empty()):
            raise UsageError(f"{label}: none of its captions has a reference in {selection.label}")
        lowest, highest = metric.metric.ends(settings)
        ends = lowest * printed.scale, highest * printed.scale
        measures.append(Measure(outputs, partial(_scaled, printed, settings), ends))
    key = (resampling.seed, *selection.content)
    for (printed, _), scores in zip(scored, beside_first(measures, resampling, key, progress), strict=True):
        yield (
            printed.name,
            scores.select(
                pl.lit(selection.version.dataset).alias("dataset"),
                pl.lit(selection.version.version).alias("version"),
                pl.lit(selection.split, pl.String).alias("split"),
                "candidate",
                pl.lit(printed.name).alias("metric"),
                pl.lit("corpus").alias("level"),
                pl.exclude("candidate"),
            ),
        )


def _scaled(printed: Printed, settings: Mapping[str, Any], sums: pl.DataFrame) -> pl.Series:
    return printed.together.score(sums, settings) * printed.scale


def _without_intervals(frame: pl.DataFrame, resampling: Resampling) -> list[Said]:
    """Report the scores without an interval: on fewer than eight images, or if one alone differs from the others."""
    missing = frame.filter(pl.col("low").is_null(), bool(resampling.times)).group_by("candidate", maintain_order=True)
    named = missing.agg("metric").iter_rows()
    return [f"{name}: no interval for {', '.join(some)}: too few images differ" for name, some in named]


def _refuse_several(store: Store, selection: Selection, system: Selection) -> None:
    """Raise `UsageError` for a system with several captions per image: these programs score one."""
    described = images(store, selection)["image"]
    answers = images(store, system).filter(pl.col("captions") > 1, pl.col("image").is_in(described.implode()))
    if answers.height:
        named = listed(answers["image"], 3)
        raise UsageError(
            f"{system.label}: {counted(answers.height, 'image has', 'images have')} more than one caption, but a "
            f"preset scores one per image: {named}; leave out --preset to score every caption"
        )


def _program_signatures(store: Store, selection: Selection, preset: Preset, scored: Sequence[Printed]) -> list[Said]:
    """Return the signatures that the program prints for these numbers."""
    if not preset.signed:
        return []
    captions = images(store, selection)["captions"]
    nrefs = captions[0] if captions.n_unique() == 1 else "var"
    return [
        f"{preset.program} signs {printed.name} as nrefs:{nrefs}|{preset.signed[printed.name]}" for printed in scored
    ]


def _tables(
    frame: pl.DataFrame, selection: Selection, preset: Preset, names: Sequence[str], resampling: Resampling
) -> tuple[Table, ...]:
    """Return the rows as the program prints them, and their intervals and tests."""
    wide = frame.pivot("metric", index="candidate", values="value").select("candidate", *names)
    title = f"scores of {preset.program} for {selection.label}"
    shown = Table(title, wide, digits=tuple((name, preset.digits) for name in names), name="printed")
    if not resampling.times:
        return (shown,)
    columns = ["candidate", "metric", "value", "low", "high", *(["difference", "p"] if wide.height > 1 else [])]
    title = f"confidence intervals and differences over the images of {selection.label}"
    beside = Table(title, frame.select(columns), sections="candidate", caption=resampling.caption(wide["candidate"][0]))
    return shown, replace(beside, name="intervals")


def systems_of(
    store: Store, selection: Selection, ref: str, candidates: Sequence[str]
) -> tuple[list[Selection], list[Said]]:
    """Return the named outputs, and notes on mismatches with the references."""
    notes: list[Said] = []
    systems = resolve_all(store, candidates)
    for name, system in zip(candidates, systems, strict=True):
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{name}: scores {ref} against itself; leave out --candidates for leave-one-out")
        notes += _unmatched(store, selection, system)
        if system.version.kind != "candidates":
            notes.append(
                f"{name} was ingested as {system.version.kind}, not as candidates (set --kind in `auditor ingest`)"
            )
    return list(systems), notes


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[Finding]:
    """Report the images that references and candidates do not share."""
    described, answered = (images(store, side)["image"] for side in (selection, system))
    missing = described.filter(~described.is_in(answered.implode()))
    extra = answered.filter(~answered.is_in(described.implode()))
    if len(missing) == len(described):
        folders = _last(answered).is_in(_last(described).implode()).any()
        raise UsageError(
            f"{system.label}: no image in common with {selection.label}: its ids look like {answered[0]!r}, "
            f"those of {selection.label} like {described[0]!r}"
            + ("; ingest with --option basename=true" if folders else "")
        )
    lacks, other_lacks = f"caption in {system.label}", f"in {selection.label}"
    sentences = (
        (missing, f"image of {selection.label} has no {lacks}", f"images of {selection.label} have no {lacks}"),
        (extra, f"image of {system.label} is not {other_lacks}", f"images of {system.label} are not {other_lacks}"),
    )
    return [
        Finding(
            "images-not-shared",
            f"{counted(len(unshared), *what)}: {listed(unshared, 3)}",
            about(side, against=other.label),
            {"images": len(unshared)},
            number,
            "warning",
        )
        for (unshared, *what), side, other, number in zip(
            sentences, (selection, system), (system, selection), (len(described), len(answered)), strict=True
        )
        if len(unshared)
    ]


def _last(names: pl.Series) -> pl.Series:
    """Return the last parts of paths."""
    return names.str.extract(r"([^/]*)$")


def means_table(
    selection: Selection, scores: pl.DataFrame, metrics: Sequence[MetricRequest], resampling: Resampling
) -> Table:
    """Return the means of several systems side by side, with differences from the first.

    `scores` has columns system, image and the metrics.
    """
    key = (resampling.seed, *selection.content)
    measures = []
    for metric in metrics:
        mean = mean_of(_column(metric.label))
        sums = {
            str(system): mean.sums(of_system, {})
            for (system,), of_system in scores.group_by("system", maintain_order=True)
        }
        measures.append(Measure(sums, _of_sums(mean), metric.metric.ends(metric.settings)))
    rows = zip((metric.label for metric in metrics), beside_first(measures, resampling, key), strict=True)
    frame = pl.concat(means.with_columns(metric=pl.lit(label)) for label, means in rows)
    frame = frame.select("metric", "candidate", "n", pl.exclude("metric", "candidate", "n", "against"))
    title = f"means of the systems over the captions of {selection.label}"
    return Table(title, frame, sections="metric", caption=resampling.caption(next(iter(sums))), name="means")


def _column(label: str) -> Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]:
    return lambda scores, _: scores[label]


def _of_sums(mean: Together) -> Score:
    return lambda sums: mean.score(sums, {})
